#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/decomposition/local_mesh.hpp"
#include "halcyon/halo/halo.hpp"
#include "halcyon/wave/dispersion_tables.hpp"
#include "halcyon/wave/physics.hpp"
#include "halcyon/wave/products.hpp"
#include "halcyon/wave/spectral_grid.hpp"
#include "halcyon/wave/transport.hpp"
#include "halcyon/wave/wind.hpp"

namespace halcyon::wave {

struct ModelOptions {
  TransportOptions transport;
  /// Bands of frequencies: how many each has, and its steps in a step of transport. Empty: one of all.
  std::vector<std::pair<int, int>> bands;
  double least_depth = 0.1;    ///< [m] that a falling water level leaves
  double ice_threshold = 0.5;  ///< the largest part of a cell under ice that waves do not see
  std::string physics = "wam3";
  Options physics_options;
  comm::Method method = comm::Method::isend_irecv;
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

  /// Sets the wind on the owned cells at a time [s] of the run.
  /// @returns the owned cell of the lowest global id where it is not finite, or kNone
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

  void set_calm();
  /// The sea of the present wind after a fetch [m].
  void set_fetch_law(double fetch);

  /// Collective. One step of transport [s], at most cfl_limit.
  void transport(double dt);

  /// One step of the source terms [s] with the present wind.
  /// @returns the owned cell of the lowest global id whose spectrum went wrong, if any; it keeps what it had
  BadCell sources(double dt);

  void products(const ProductArrays& arrays);

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
  std::vector<float> action_, next_action_;  ///< (local cell, frequency, direction)
  std::vector<double> latitude_, longitude_, east_scratch_, north_scratch_;
  std::vector<float> eastward_wind_, northward_wind_;
  PartTimes times_;
};

}  // namespace halcyon::wave
