#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace halcyon::wave {

/// Returns the Coriolis parameter f = 2 Omega sin(latitude) [s-1]; negative in the southern hemisphere.
double coriolis(double latitude);

/// Returns the weight c(r) of the storm's translation velocity in the wind: c = R r / (R^2 + r^2), one half
/// at R (Phadke et al. 2003, Ocean Eng. 30, 553-578, eq. 12). @param r, radius (R) [m]
double motion_weight(double r, double radius);

/// Distance [m] of a position from the storm's centre, and unit vector there that points away from the
/// centre.
struct RelativePosition {
  double r = 0, east = 0, north = 0;
};

/// The centre of a storm [rad], from which relative positions are computed.
class Centre {
 public:
  Centre(double latitude, double longitude);
  RelativePosition position(double latitude, double longitude) const;

 private:
  double longitude_, sine_, cosine_;
};

/// Returns (1 - weight) a + weight b.
double interpolate(double a, double b, double weight);

/// The times of the records of a vortex.
class RecordTimes {
 public:
  /// @param times_s [s] of the records since the start of the run, increasing
  /// @throws InputError for no record, another number of records, or times that do not increase
  RecordTimes(std::vector<double> times_s, std::size_t n_records);

  /// A record at or before a time, and the weight of the record after it; 0 at the time of the record.
  struct Location {
    std::size_t before;
    double weight;
  };
  /// @throws InputError outside the times of the records
  Location locate(double time_s) const;

 private:
  std::vector<double> times_s_;
};

}  // namespace halcyon::wave
