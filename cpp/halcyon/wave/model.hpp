#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/base/timer.hpp"
#include "halcyon/comm/communicator.hpp"
#include "halcyon/decomposition/local_mesh.hpp"
#include "halcyon/halo/halo.hpp"
#include "halcyon/halo/with_halo.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"
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
        const ModelOptions& options)
      : grid_(grid),
        overlap_(options.overlap),
        decomposition_(local.part),
        bottom_depth_(depths(local)),
        least_depth_(options.least_depth),
        ice_threshold_(options.ice_threshold),
        tables_(grid, bottom_depth_),
        transport_(local, grid_, tables_, options.transport, bands(options, grid)),
        physics_(make_physics(options.physics, grid_, options.physics_options)),
        products_(grid_),
        action_(static_cast<std::size_t>(decomposition_.cells().size()) * grid.n_bins(), 0.f),
        next_action_(action_.size(), 0.f),
        east_scratch_(n_owned()),
        north_scratch_(n_owned()),
        eastward_wind_(n_owned(), 0.f),
        northward_wind_(n_owned(), 0.f),
        largest_height_(n_owned(), 0.f),
        water_level_(n_owned(), 0.f),
        eastward_current_(n_owned(), 0.f),
        northward_current_(n_owned(), 0.f),
        ice_fraction_(n_owned(), 0.f) {
    for (const auto& band : transport_.bands()) {
      const auto field = band_field(grid_, band, options.transport.scheme);
      halos_.emplace_back(comm, decomposition_, std::vector{field}, options.method);
    }
    for (const auto& point : local.mesh.cell_points) {
      latitude_.push_back(mesh::latitude(point));
      longitude_.push_back(mesh::longitude(point));
    }
  }

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
  LocalIndex set_wind(std::span<const double> eastward, std::span<const double> northward) {
    for (const auto given : {eastward.size(), northward.size()}) {
      require<InputError>(given == eastward_wind_.size(),
                          "The wind has {} values on this rank, which owns {} cells. Give one a cell.", given,
                          eastward_wind_.size());
    }
    const auto bad = lowest(
        [&](LocalIndex cell) { return !std::isfinite(eastward[cell]) || !std::isfinite(northward[cell]); });
    const auto narrowed = [](double speed) { return static_cast<float>(speed); };
    std::ranges::transform(eastward, eastward_wind_.begin(), narrowed);
    std::ranges::transform(northward, northward_wind_.begin(), narrowed);
    return bad;
  }
  /// Sets what a wind is on the owned cells at a time [s] of the run; returns as above.
  LocalIndex set_wind(const Wind& wind, double time_s) {
    const auto owned_of = [&](const auto& values) { return std::span(values).first(n_owned()); };
    wind.at(time_s, owned_of(latitude_), owned_of(longitude_), east_scratch_, north_scratch_);
    return set_wind(east_scratch_, north_scratch_);
  }
  std::span<const float> eastward_wind() const { return eastward_wind_; }    ///< [m s-1] (owned cell)
  std::span<const float> northward_wind() const { return northward_wind_; }  ///< [m s-1] (owned cell)

  /// Sets the water level [m] above that of bottomDepth and the current [m s-1], on all local cells; what is
  /// empty is zero everywhere. No water is shallower than least_depth: cells that fall dry keep that, in
  /// which waves hardly move and are limited to a fraction of it.
  /// @returns the owned cell of the lowest global id where one of them is not finite, or kNone; then nothing
  /// changes
  /// @throws InputError where a size is not that of the local cells
  LocalIndex set_water(std::span<const float> level, std::span<const float> eastward,
                       std::span<const float> northward) {
    const auto n_local = static_cast<std::size_t>(decomposition_.cells().size());
    const std::array fields{level, eastward, northward};
    for (const auto& field : fields) {
      require<InputError>(field.empty() || field.size() == n_local,
                          "A field of the water has {} values; the model has {} local cells.", field.size(),
                          n_local);
    }
    require<InputError>(eastward.empty() == northward.empty(),
                        "A current needs both its components: {} values eastward, {} northward.",
                        eastward.size(), northward.size());
    const auto bad = lowest([&](LocalIndex cell) {
      return std::ranges::any_of(
          fields, [&](const auto& field) { return !field.empty() && !std::isfinite(field[cell]); });
    });
    if (bad != kNone) return bad;
    if (!std::ranges::equal(level, level_)) {
      level_.assign(level.begin(), level.end());
      std::vector<double> depth = bottom_depth_;
      for (std::size_t cell = 0; cell < level_.size(); ++cell)
        depth[cell] = std::max(depth[cell] + level_[cell], least_depth_);
      tables_ = DispersionTables(grid_, depth);
    }
    transport_.set_water(eastward, northward);
    keep(level, water_level_);
    keep(eastward, eastward_current_);
    keep(northward, northward_current_);
    return kNone;
  }

  /// Sets which part of the cells is under ice. Above ice_threshold waves are gone, and what comes is
  /// absorbed, as on land; below, ice does nothing (as in WAM).
  /// @param fraction (owned cell, or more); empty: there is none
  /// @returns as set_water  @throws InputError where a size is too small
  LocalIndex set_ice(std::span<const float> fraction) {
    require<InputError>(fraction.empty() || fraction.size() >= static_cast<std::size_t>(n_owned()),
                        "The ice has {} values; the model has {} owned cells.", fraction.size(), n_owned());
    if (fraction.empty()) {
      is_iced_.clear();
      keep(fraction, ice_fraction_);
      return kNone;
    }
    const auto bad = lowest([&](LocalIndex cell) { return !std::isfinite(fraction[cell]); });
    if (bad != kNone) return bad;
    keep(fraction, ice_fraction_);
    is_iced_.resize(n_owned());
    for (LocalIndex cell = 0; cell < n_owned(); ++cell) is_iced_[cell] = fraction[cell] > ice_threshold_;
    clear_ice(action_, {0, grid_.n_frequencies, 1});
    return kNone;
  }

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
  void hold_cells(std::span<const LocalIndex> cells) {
    for (const LocalIndex cell : cells) {
      require<InputError>(cell >= 0 && cell < n_owned(), "Cell {} is none of the {} that this rank owns.",
                          cell, n_owned());
    }
    held_.assign(cells.begin(), cells.end());
  }

  void set_calm() { wave::set_calm(action(), owned()); }
  /// The sea of the present wind after a fetch [m].
  void set_fetch_law(double fetch) { wave::set_fetch_law(action(), owned(), grid_, wind(), fetch); }

  /// Collective. One step of transport [s], at most cfl_limit.
  void transport(double dt) {
    require<ConfigError>(dt > 0 && std::isfinite(dt), "A step of transport takes {} s; it must be positive.",
                         dt);
    transport_.prepare(dt);
    const auto& bands = transport_.bands();
    for (std::size_t b = 0; b < bands.size(); ++b) {
      auto *from = &action_, *to = &next_action_;
      for (int i = 0; i < bands[b].n_steps; ++i) {
        step_band(b, *from, *to);
        std::swap(from, to);
      }
      if (from == &action_) copy_band(bands[b]);
    }
    {
      const ScopedTimer timer(times_.transport_s);
      transport_.shift_frequencies({next_action_.data(), shape(n_owned())}, dt);
    }
    std::swap(action_, next_action_);
  }

  /// One step of the source terms [s] with the present wind.
  /// @returns the owned cell of the lowest global id whose spectrum went wrong, if any; it keeps what it had
  BadCell sources(double dt) {
    const ScopedTimer timer(times_.sources_s);
    const auto& ids = decomposition_.cells().to_global;
    const Medium medium{tables_.depth(), tables_.wavenumber()};
    BadCell lowest;
    for (LocalIndex cell = 0; cell < n_owned(); ++cell) {
      if (under_ice(cell)) continue;
      const auto bad = physics_->step(action(), {cell, cell + 1}, medium, wind(), dt);
      if (bad.cell != kNone && (lowest.cell == kNone || ids[cell] < ids[lowest.cell])) lowest = bad;
    }
    return lowest;
  }

  /// The products of some owned cells, in their order.
  void products(std::span<const LocalIndex> cells, std::span<const WantedProduct> wanted) {
    const Medium medium{tables_.depth(), tables_.wavenumber()};
    products_.compute(View<const float, 3>(action()), cells, medium, wind(), wanted);
  }

  /// The largest significant height [m] (owned cell) of all seas at which `note_heights` was called.
  std::span<float> largest_significant_height() { return largest_height_; }
  /// Raises the largest significant heights to those of the present sea, where it is higher.
  void note_heights() {
    const auto& height = product_named("significant_height");
    for (LocalIndex cell = 0; cell < n_owned(); ++cell) {
      float now = 0;
      const WantedProduct wanted{&height, {&now, 1}};
      products({&cell, 1}, {&wanted, 1});
      largest_height_[cell] = std::max(largest_height_[cell], now);
    }
  }

  /// The sea's surface of some owned cells under the present wind: u*, roughness and stress.
  /// @param arrays (owned cell), of which those of the cells are written
  void surface(std::span<const LocalIndex> cells, const SurfaceArrays& arrays) {
    const Medium medium{tables_.depth(), tables_.wavenumber()};
    for (const auto cell : cells) {
      physics_->surface(View<const float, 3>(action()), {cell, cell + 1}, medium, wind(), arrays);
    }
  }

  /// The exchange method, and why it was chosen if it was.
  const std::string& exchange() const { return halos_.front().description(); }
  /// What this rank receives in one step of transport.
  std::int64_t halo_bytes() const {
    std::int64_t bytes = 0;
    for (std::size_t b = 0; b < halos_.size(); ++b)
      bytes += halos_[b].received_bytes() * transport_.bands()[b].n_steps;
    return bytes;
  }
  /// What the spectra and tables of this rank take, about.
  std::int64_t memory_bytes() const {
    const std::int64_t n_local = decomposition_.cells().size();
    return static_cast<std::int64_t>((action_.size() + next_action_.size()) * sizeof(float)) +
           n_local * grid_.n_frequencies * 5 * static_cast<std::int64_t>(sizeof(float)) +
           transport_.memory_bytes() + halo_bytes();
  }
  double implicit_share(double dt) { return transport_.implicit_share(dt); }
  /// The longest stable step [s] (frequency) of transport in the owned cells, with the present water.
  std::vector<double> cfl_limits() const { return transport_.cfl_limits(); }

  std::span<const double> latitude() const { return latitude_; }    ///< [rad] (local cell)
  std::span<const double> longitude() const { return longitude_; }  ///< [rad] (local cell)
  std::span<const float> depth() const { return tables_.depth(); }  ///< [m] (local cell)

 private:
  static const std::vector<double>& depths(const decomposition::LocalMesh& local) {
    require<InputError>(std::ssize(local.mesh.bottom_depth) == local.mesh.n_cells(),
                        "The mesh has no depth for each of its {} cells (variable bottomDepth).",
                        local.n_items[0]);
    return local.mesh.bottom_depth;
  }
  /// What of the spectra travels in the exchanges of a band.
  static schedule::HaloField band_field(const SpectralGrid& grid, const Band& band, Scheme scheme) {
    const auto row_bytes = static_cast<std::int64_t>(grid.n_directions * sizeof(float));
    return {.entity = 0,
            .item_bytes = (band.end - band.first) * row_bytes,
            .layers = halo_layers(scheme),
            .stride_bytes = grid.n_frequencies * row_bytes,
            .offset_bytes = band.first * row_bytes};
  }
  static std::vector<Band> bands(const ModelOptions& options, const SpectralGrid& grid) {
    return options.bands.empty() ? std::vector<Band>{{0, grid.n_frequencies, 1}}
                                 : bands_of(options.bands, grid.n_frequencies);
  }
  /// Keeps what owned cells have of a field, zero where it is empty.
  static void keep(std::span<const float> field, std::vector<float>& kept) {
    std::ranges::fill(kept, 0.f);
    std::copy_n(field.begin(), std::min(field.size(), kept.size()), kept.begin());
  }
  std::array<std::size_t, 3> shape(LocalIndex n_cells) const {
    return {static_cast<std::size_t>(n_cells), static_cast<std::size_t>(grid_.n_frequencies),
            static_cast<std::size_t>(grid_.n_directions)};
  }
  /// Collective. One of the steps of a band: exchange, inner cells meanwhile, then the others.
  void step_band(std::size_t b, std::vector<float>& from, std::vector<float>& to) {
    const auto& band = transport_.bands()[b];
    const View<const float, 3> old_action{from.data(), shape(decomposition_.cells().size())};
    const View<float, 3> new_action{to.data(), shape(decomposition_.cells().size())};
    const std::span<std::byte> field = std::as_writable_bytes(std::span(from));
    halo::with_halo(halos_[b], {&field, 1}, overlap_, times_.exchange_s, [&](bool is_early) {
      const ScopedTimer timer(times_.transport_s);
      transport_.step(old_action, new_action, is_early ? Transport::Part::inner : Transport::Part::boundary,
                      band, [&] { halos_[b].progress(); });
    });
    keep_held(from, to, band);
    clear_ice(to, band);
  }
  /// No waves under ice: what came is absorbed.
  void clear_ice(std::vector<float>& action, const Band& band) {
    const auto n = static_cast<std::size_t>(grid_.n_directions);
    for (std::size_t cell = 0; cell < is_iced_.size(); ++cell) {
      if (is_iced_[cell])
        std::fill_n(&action[cell * grid_.n_bins() + n * band.first], n * (band.end - band.first), 0.f);
    }
  }
  /// A step of a band leaves the spectra of held cells as they were before it.
  void keep_held(const std::vector<float>& from, std::vector<float>& to, const Band& band) const {
    const auto n = static_cast<std::size_t>(grid_.n_directions);
    for (const auto cell : held_) {
      const auto at = static_cast<std::size_t>(cell) * grid_.n_bins() + n * band.first;
      std::copy_n(&from[at], n * (band.end - band.first), &to[at]);
    }
  }
  /// Puts a band that went there and back where the others are.
  void copy_band(const Band& band) {
    const auto n = static_cast<std::size_t>(grid_.n_directions), row = n * band.first;
    for (std::size_t at = row; at < shape(n_owned())[0] * grid_.n_bins(); at += grid_.n_bins())
      std::copy_n(&action_[at], n * (band.end - band.first), &next_action_[at]);
  }
  /// Of the owned cells for which something holds that of the lowest global id, or kNone.
  LocalIndex lowest(const std::function<bool(LocalIndex)>& is_bad) const {
    const auto& ids = decomposition_.cells().to_global;
    LocalIndex found = kNone;
    for (LocalIndex cell = 0; cell < n_owned(); ++cell) {
      if (is_bad(cell) && (found == kNone || ids[cell] < ids[found])) found = cell;
    }
    return found;
  }
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
