#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/decomposition/local_mesh.hpp"
#include "halcyon/halo/halo.hpp"
#include "halcyon/wave/medium.hpp"
#include "halcyon/wave/products/products.hpp"
#include "halcyon/wave/sources/physics.hpp"
#include "halcyon/wave/spectra.hpp"
#include "halcyon/wave/transport/transport.hpp"
#include "halcyon/wave/wind.hpp"

namespace halcyon::wave {

struct ModelOptions {
  TransportOptions transport;
  /// Bands of frequencies: how many each has, and its steps in a step of transport. Empty: one of all.
  std::vector<std::pair<int, int>> bands;
  double least_depth = 0.1;    ///< [m] that a falling water level leaves
  double ice_threshold = 0.5;  ///< the largest part of a cell under ice that waves do not see
  std::string physics = "wam3";
  options::Values physics_options;
  comm::Method method = comm::method_named("isend_irecv");
  bool overlap = true;  ///< inner cells are computed while the halo travels
};

/// Wall time by part, of this rank.
struct PartTimes {
  double transport_s = 0, sources_s = 0, exchange_s = 0;
};

/// One rank's part of the wave model: the action balance on the sphere,
///   dN/dt + div(cg N) + d(thetadot N)/dtheta = S/sigma.
class Model {
 public:
  /// Collective. @param local this rank's part of a mesh with depths, with the halo layers that the scheme
  /// needs or more; needed no longer than this call
  Model(const comm::Communicator& comm, const decomposition::LocalMesh& local, const SpectralGrid& grid,
        const ModelOptions& options);

  LocalIndex n_owned() const { return decomposition_.cells().n_owned; }
  const decomposition::Decomposition& decomposition() const { return decomposition_; }
  const SpectralGrid& grid() const { return grid_; }
  const PartTimes& times() const { return times_; }

  /// Action [m2 s2] (owned cell, frequency, direction).
  View<float, 3> action() { return {action_.data(), shape(n_owned())}; }

  /// Sets the wind at 10 m.
  /// @param eastward, northward [m s-1] (owned cell)
  /// @returns the owned cell of the lowest global id where it is not finite, or kNone
  /// @throws InputError for another number of values than owned cells
  LocalIndex set_wind(std::span<const double> eastward, std::span<const double> northward);
  /// Sets what a wind is on the owned cells at a time [s] of the run; returns as above.
  LocalIndex set_wind(const Wind& wind, double time_s);
  std::span<const float> eastward_wind() const { return eastward_wind_; }    ///< [m s-1] (owned cell)
  std::span<const float> northward_wind() const { return northward_wind_; }  ///< [m s-1] (owned cell)

  /// Sets the water level [m] above that of bottomDepth and the current [m s-1], on all local cells; what is
  /// empty is zero everywhere. No water is shallower than least_depth: cells that fall dry keep that, in
  /// which waves hardly move and are limited to a fraction of it.
  /// @returns the owned cell of the lowest global id where one of them is not finite, or kNone; then nothing
  /// changes
  /// @throws InputError where a size is not that of the local cells
  LocalIndex set_water(std::span<const float> level, std::span<const float> eastward,
                       std::span<const float> northward);

  /// Sets which part of the cells is under ice. Above ice_threshold waves are gone, and what comes is
  /// absorbed, as on land; below, ice does nothing (as in WAM).
  /// @param fraction (owned cell, or more); empty: there is none
  /// @returns as set_water  @throws InputError where a size is too small
  LocalIndex set_ice(std::span<const float> fraction);

  /// What the water and the ice are at present (owned cell), zero where none was set.
  std::span<const float> water_level() const { return water_level_; }              ///< [m]
  std::span<const float> eastward_current() const { return eastward_current_; }    ///< [m s-1]
  std::span<const float> northward_current() const { return northward_current_; }  ///< [m s-1]
  std::span<const float> ice_fraction() const { return ice_fraction_; }            ///< [1]

  /// Whether an owned cell is under so much ice that it holds no waves.
  bool under_ice(LocalIndex cell) const { return !is_iced_.empty() && is_iced_[cell]; }

  /// Leaves these owned cells out of transport, however many steps it takes: they keep the spectra that they
  /// have, as those of open sides do, whose waves come from elsewhere.
  /// @throws InputError for what is no owned cell
  void hold_cells(std::span<const LocalIndex> cells);

  void set_calm();
  /// The sea of the present wind after a fetch [m].
  void set_fetch_law(double fetch);

  /// Collective. One step of transport [s], at most cfl_limit.
  void transport(double dt);

  /// One step of the source terms [s] with the present wind.
  /// @returns the owned cell of the lowest global id whose spectrum went wrong, if any; it keeps what it had
  BadCell sources(double dt);

  /// The products of some owned cells, in their order.
  void products(std::span<const LocalIndex> cells, std::span<const WantedProduct> wanted);

  /// The largest significant height [m] (owned cell) of all seas at which `note_heights` was called.
  std::span<float> largest_significant_height() { return largest_height_; }
  /// Raises the largest significant heights to those of the present sea, where it is higher.
  void note_heights();

  /// The sea's surface of some owned cells under the present wind: u*, roughness and stress.
  /// @param arrays (owned cell), of which those of the cells are written
  void surface(std::span<const LocalIndex> cells, const SurfaceArrays& arrays);

  /// The exchange method, and why it was chosen if it was.
  const std::string& exchange() const { return halos_.front().description(); }
  /// What this rank receives in one step of transport.
  std::int64_t halo_bytes() const;
  /// What the spectra and tables of this rank take, about.
  std::int64_t memory_bytes() const;
  double implicit_share(double dt) { return transport_.implicit_share(dt); }
  /// The longest stable step [s] (frequency) of transport in the owned cells, with the present water.
  std::vector<double> cfl_limits() const { return transport_.cfl_limits(); }

  std::span<const double> latitude() const { return latitude_; }    ///< [rad] (local cell)
  std::span<const double> longitude() const { return longitude_; }  ///< [rad] (local cell)
  std::span<const float> depth() const { return tables_.depth(); }  ///< [m] (local cell)

 private:
  std::array<std::size_t, 3> shape(LocalIndex n_cells) const;
  void step_band(std::size_t band, std::vector<float>& from, std::vector<float>& to);
  void clear_ice(std::vector<float>& action, const Band& band);
  void keep_held(const std::vector<float>& from, std::vector<float>& to, const Band& band) const;
  void copy_band(const Band& band);
  LocalIndex lowest(const std::function<bool(LocalIndex)>& is_bad) const;
  CellRange owned() const { return {0, n_owned()}; }
  WindField wind() const { return {eastward_wind_, northward_wind_}; }

  SpectralGrid grid_;
  bool overlap_;
  decomposition::Decomposition decomposition_;
  std::vector<double> bottom_depth_;  ///< (local cell)
  std::vector<float> level_;          ///< (local cell), or empty
  double least_depth_, ice_threshold_;
  DispersionTables tables_;
  Transport transport_;
  std::unique_ptr<Physics> physics_;
  Products products_;
  std::vector<halo::Halo> halos_;            ///< (band)
  std::vector<std::uint8_t> is_iced_;        ///< (owned cell), or empty
  std::vector<LocalIndex> held_;             ///< owned cells that transport leaves alone
  std::vector<float> action_, next_action_;  ///< (local cell, frequency, direction)
  std::vector<double> latitude_, longitude_, east_scratch_, north_scratch_;
  std::vector<float> eastward_wind_, northward_wind_, largest_height_;
  std::vector<float> water_level_, eastward_current_, northward_current_, ice_fraction_;  ///< (owned cell)
  PartTimes times_;
};

}  // namespace halcyon::wave
