#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/base/flush_denormals.hpp"
#include "halcyon/base/timer.hpp"
#include "halcyon/comm/communicator.hpp"
#include "halcyon/decomposition/local_mesh.hpp"
#include "halcyon/halo/halo.hpp"
#include "halcyon/halo/with_halo.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"
#include "halcyon/physics/spectra.hpp"
#include "halcyon/wave/medium.hpp"
#include "halcyon/wave/products/products.hpp"
#include "halcyon/wave/sources/physics.hpp"
#include "halcyon/wave/spectra.hpp"
#include "halcyon/wave/transport/transport.hpp"
#include "halcyon/wave/wind/wind.hpp"

namespace halcyon::wave {

struct ModelOptions {
  TransportOptions transport;
  /// Frequency bands: (number of frequencies, substeps per transport step). Empty: one band, one substep.
  std::vector<std::pair<int, int>> bands;
  double least_depth = 0.1;    ///< smallest depth [m]; a falling water level reduces no depth below it
  double ice_threshold = 0.5;  ///< ice fraction above which a cell has no waves
  std::string physics = "wam3";
  options::Values physics_options;
  std::vector<physics::SpectrumScheme> schemes;  ///< source terms that are added to those of the physics set
  comm::Method method = comm::method_named("isend_irecv");  ///< of the halo exchange
  bool overlap = true;  ///< the halo exchange is overlapped with the computation of inner cells
};

/// Wall time [s] of this rank in each phase of the model steps.
struct PhaseTimes {
  double transport_s = 0, sources_s = 0, exchange_s = 0;
};

/// One rank's part of the wave model: the action balance on the sphere,
///   dN/dt + div(cg N) + d(thetadot N)/dtheta = S/sigma.
class Model {
 public:
  /// Collective. @param local this rank's part of a mesh with depths and at least halo_layers(scheme) layers
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
        is_prescribed_(n_owned(), 0),
        action_(static_cast<std::size_t>(decomposition_.cells().size()) * grid.n_bins(), 0.f),
        next_action_(action_.size(), 0.f),
        east_scratch_(n_owned()),
        north_scratch_(n_owned()),
        eastward_wind_(n_owned(), 0.f),
        northward_wind_(n_owned(), 0.f),
        largest_height_(n_owned(), 0.f),
        wave_stress_(physics_->keeps_wave_stress() ? n_owned() : 0, 0.f),
        water_level_(n_owned(), 0.f),
        eastward_current_(n_owned(), 0.f),
        northward_current_(n_owned(), 0.f),
        ice_fraction_(n_owned(), 0.f) {
    for (const auto& band : transport_.bands()) {
      const auto field = halo_field(grid_, band, options.transport.scheme);
      halos_.emplace_back(comm, decomposition_, std::vector{field}, options.method);
    }
    for (const auto& point : local.mesh.cell_points) {
      latitude_.push_back(mesh::latitude(point));
      longitude_.push_back(mesh::longitude(point));
    }
    make_schemes(options.schemes);
  }
  LocalIndex n_owned() const { return decomposition_.cells().n_owned; }
  const decomposition::Decomposition& decomposition() const { return decomposition_; }
  const SpectralGrid& grid() const { return grid_; }
  const PhaseTimes& times() const { return times_; }
  /// Action [m2 s2] (owned cell, frequency, direction).
  View<float, 3> action() { return {action_.data(), shape(n_owned())}; }
  /// Sets the wind at 10 m.
  /// @param eastward, northward [m s-1] (owned cell)
  /// @returns the owned cell of the lowest global id where the wind is not finite, or kNone
  /// @throws InputError if the number of values is not the number of owned cells
  LocalIndex set_wind(std::span<const double> eastward, std::span<const double> northward) {
    for (const auto size : {eastward.size(), northward.size()}) {
      require<InputError>(
          size == eastward_wind_.size(),
          "The wind has {} values on this rank, which owns {} cells. Give one value per cell.", size,
          eastward_wind_.size());
    }
    const auto bad = first_bad_cell(
        [&](LocalIndex cell) { return !std::isfinite(eastward[cell]) || !std::isfinite(northward[cell]); });
    const auto to_float = [](double speed) { return static_cast<float>(speed); };
    std::ranges::transform(eastward, eastward_wind_.begin(), to_float);
    std::ranges::transform(northward, northward_wind_.begin(), to_float);
    return bad;
  }
  /// Sets the wind at 10 m to the wind of a source at a time [s] since the start of the run. Returns the
  /// owned cell of the lowest global id where the wind is not finite, or kNone.
  LocalIndex set_wind(const Wind& wind, double time_s) {
    const auto owned_part = [&](const auto& values) { return std::span(values).first(n_owned()); };
    wind.compute(time_s, owned_part(latitude_), owned_part(longitude_), east_scratch_, north_scratch_);
    return set_wind(east_scratch_, north_scratch_);
  }
  std::span<const float> eastward_wind() const { return eastward_wind_; }    ///< [m s-1] (owned cell)
  std::span<const float> northward_wind() const { return northward_wind_; }  ///< [m s-1] (owned cell)
  /// Sets the water level [m] above the reference level of bottomDepth, and the current [m s-1], of all local
  /// cells; an empty span means zero. The depth stays at least least_depth, even in cells that fall dry.
  /// @returns the owned cell of the lowest global id with a value that is not finite, without changing
  /// anything; kNone if all values are finite
  /// @throws InputError if a size is not the number of local cells
  LocalIndex set_water(std::span<const float> level, std::span<const float> eastward,
                       std::span<const float> northward) {
    const auto n_local = static_cast<std::size_t>(decomposition_.cells().size());
    const std::array fields{level, eastward, northward};
    for (const auto& field : fields) {
      require<InputError>(field.empty() || field.size() == n_local,
                          "The water level or current has {} values; the model has {} local cells.",
                          field.size(), n_local);
    }
    require<InputError>(eastward.empty() == northward.empty(),
                        "A current needs both components; there are {} eastward and {} northward values.",
                        eastward.size(), northward.size());
    const auto bad = first_bad_cell([&](LocalIndex cell) {
      return std::ranges::any_of(
          fields, [&](const auto& field) { return !field.empty() && !std::isfinite(field[cell]); });
    });
    if (bad != kNone) return bad;
    if (!std::ranges::equal(level, local_level_)) {
      local_level_.assign(level.begin(), level.end());
      std::vector<double> depth = bottom_depth_;
      for (std::size_t cell = 0; cell < local_level_.size(); ++cell)
        depth[cell] = std::max(depth[cell] + local_level_[cell], least_depth_);
      tables_ = DispersionTables(grid_, depth);
    }
    transport_.set_water(eastward, northward);
    store_owned(level, water_level_);
    store_owned(eastward, eastward_current_);
    store_owned(northward, northward_current_);
    return kNone;
  }
  /// Sets the sea-ice fraction. A cell with a fraction above ice_threshold has no waves and absorbs incoming
  /// waves, like land; a smaller fraction has no effect (as in WAM).
  /// @param fraction (owned or local cell); empty: no ice
  /// @returns the owned cell of the lowest global id with a value that is not finite, or kNone
  /// @throws InputError if there are fewer values than owned cells
  LocalIndex set_ice(std::span<const float> fraction) {
    require<InputError>(fraction.empty() || fraction.size() >= static_cast<std::size_t>(n_owned()),
                        "The ice fraction has {} values; the model has {} owned cells.", fraction.size(),
                        n_owned());
    if (fraction.empty()) {
      is_iced_.clear();
      store_owned(fraction, ice_fraction_);
      return kNone;
    }
    const auto bad = first_bad_cell([&](LocalIndex cell) { return !std::isfinite(fraction[cell]); });
    if (bad != kNone) return bad;
    store_owned(fraction, ice_fraction_);
    is_iced_.resize(n_owned());
    for (LocalIndex cell = 0; cell < n_owned(); ++cell) is_iced_[cell] = fraction[cell] > ice_threshold_;
    clear_ice(action_, {.first = 0, .end = grid_.n_frequencies, .n_substeps = 1});
    return kNone;
  }
  // The present water level, current and ice fraction (owned cell), 0 by default.
  std::span<const float> water_level() const { return water_level_; }              ///< [m]
  std::span<const float> eastward_current() const { return eastward_current_; }    ///< [m s-1]
  std::span<const float> northward_current() const { return northward_current_; }  ///< [m s-1]
  std::span<const float> ice_fraction() const { return ice_fraction_; }            ///< [1]
  /// Returns whether the ice fraction of an owned cell is above ice_threshold, so that the cell has no waves.
  bool is_under_ice(LocalIndex cell) const { return !is_iced_.empty() && is_iced_[cell]; }
  /// Excludes the given owned cells from transport, so that their spectra stay as prescribed (open
  /// boundaries).
  /// @throws InputError for a cell that this rank does not own
  void hold_cells(std::span<const LocalIndex> cells) {
    for (const LocalIndex cell : cells) {
      require<InputError>(cell >= 0 && cell < n_owned(),
                          "Cell {} is not one of the {} owned cells of this rank.", cell, n_owned());
    }
    prescribed_cells_.assign(cells.begin(), cells.end());
    is_prescribed_.assign(n_owned(), 0);
    for (const LocalIndex cell : cells) is_prescribed_[cell] = 1;
  }
  void set_calm() { wave::set_calm(action(), owned()); }
  /// Sets the fetch-limited sea of the present wind. @param fetch [m]
  /// @param cap_light_winds see `fetch_law`
  void set_fetch_law(double fetch, bool cap_light_winds) {
    wave::set_fetch_law(action(), owned(), grid_, wind(), fetch, cap_light_winds);
  }
  /// Collective. Advances transport by dt [s], at most the smallest of cfl_limits().
  void advance_transport(double dt) {
    require<ConfigError>(dt > 0 && std::isfinite(dt), "The transport step is {} s; it must be positive.", dt);
    transport_.prepare(dt);
    const auto& bands = transport_.bands();
    for (std::size_t b = 0; b < bands.size(); ++b) {
      auto *old_action = &action_, *new_action = &next_action_;
      for (int i = 0; i < bands[b].n_substeps; ++i) {
        step_band(b, *old_action, *new_action);
        std::swap(old_action, new_action);
      }
      if (old_action == &action_) copy_band(bands[b]);
    }
    {
      const ScopedTimer timer(times_.transport_s);
      transport_.shift_frequencies({next_action_.data(), shape(n_owned())}, dt);
    }
    std::swap(action_, next_action_);
  }
  /// Advances the spectra by dt [s] with the source terms under the present wind.
  /// @returns the owned cell of the lowest global id whose new spectrum is invalid (see Physics::step), or
  /// kNone; cells with an invalid new spectrum keep their old spectrum
  BadCell advance_sources(double dt) {
    const ScopedTimer timer(times_.sources_s);
    const auto& global_ids = decomposition_.cells().to_global;
    BadCell lowest;
    if (schemes_) schemes_->begin_step(dt);
    for (LocalIndex cell = 0; cell < n_owned(); ++cell) {
      if (schemes_) set_added_sources(cell);
      if (is_under_ice(cell)) {
        if (!wave_stress_.empty()) wave_stress_[cell] = 0;
        continue;
      }
      const auto bad = physics_->step(action(), {cell, cell + 1}, medium(), wind(), wave_stress_, dt);
      if (bad.cell != kNone && (lowest.cell == kNone || global_ids[cell] < global_ids[lowest.cell]))
        lowest = bad;
    }
    return lowest;
  }
  /// The source terms that are added to those of the physics set; null without.
  physics::SpectrumPhysics* schemes() { return schemes_ ? &*schemes_ : nullptr; }
  /// Computes the requested products of owned cells, in the order of `cells`.
  void compute_products(std::span<const LocalIndex> cells, std::span<const RequestedProduct> requested) {
    products_.compute(View<const float, 3>(action()), cells, medium(), wind(), requested);
  }
  /// Largest significant height [m] (owned cell) at the calls of `update_largest_height` so far.
  std::span<float> largest_significant_height() { return largest_height_; }
  /// Returns whether the physics set keeps the wave stress from step to step.
  bool keeps_wave_stress() const { return physics_->keeps_wave_stress(); }
  /// Wave stress tau_w / rho_a of the last source step [m2 s-2] (owned cell); 0 before the first step, empty
  /// if the physics set keeps none.
  std::span<float> wave_stress() { return wave_stress_; }
  void update_largest_height() {
    const auto& height = product_named("significant_height");
    for (LocalIndex cell = 0; cell < n_owned(); ++cell) {
      float present_height = 0;
      const RequestedProduct requested{.product = &height, .values = {&present_height, 1}};
      compute_products({&cell, 1}, {&requested, 1});
      largest_height_[cell] = std::max(largest_height_[cell], present_height);
    }
  }
  /// Computes friction velocity, roughness and stress of the given owned cells under the present wind.
  /// @param arrays (owned cell); only the elements of `cells` are written
  void compute_surface(std::span<const LocalIndex> cells, const SurfaceArrays& arrays) {
    for (const auto cell : cells)
      physics_->compute_surface(View<const float, 3>(action()), {cell, cell + 1}, medium(), wind(),
                                wave_stress_, arrays);
  }
  /// Returns the method of the halo exchange, and the reason if the method was chosen automatically.
  const std::string& exchange() const { return halos_.front().description(); }
  /// Returns the number of bytes that this rank receives in the halo exchanges of one transport step.
  std::int64_t halo_bytes() const {
    std::int64_t bytes = 0;
    for (std::size_t b = 0; b < halos_.size(); ++b)
      bytes += halos_[b].received_bytes() * transport_.bands()[b].n_substeps;
    return bytes;
  }
  /// Returns an estimate of the memory of the spectra, tables and received halos of this rank.
  std::int64_t memory_bytes() const {
    auto bytes = static_cast<std::int64_t>((action_.size() + next_action_.size()) * sizeof(float)) +
                 tables_.memory_bytes() + transport_.memory_bytes();
    for (const auto& halo : halos_) bytes += halo.received_bytes();
    return bytes;
  }
  /// Returns the fraction of (owned cell, frequency) pairs whose turning is split from a step of dt [s].
  double split_share(double dt) { return transport_.split_share(dt); }
  /// Returns the longest stable step [s] (frequency) in the owned cells with the present depth and current.
  std::vector<double> cfl_limits() const { return transport_.cfl_limits(); }

  std::span<const double> latitude() const { return latitude_; }    ///< [rad] (local cell)
  std::span<const double> longitude() const { return longitude_; }  ///< [rad] (local cell)
  std::span<const float> depth() const { return tables_.depth(); }  ///< [m] (local cell)

 private:
  static const std::vector<double>& depths(const decomposition::LocalMesh& local) {
    require<InputError>(std::ssize(local.mesh.bottom_depth) == local.mesh.n_cells(),
                        "The mesh lacks the variable bottomDepth: one depth for each of its {} cells.",
                        local.n_items[0]);
    return local.mesh.bottom_depth;
  }
  /// Returns the part of each cell's spectrum that the halo exchange of a band transfers.
  static schedule::HaloField halo_field(const SpectralGrid& grid, const Band& band, Scheme scheme) {
    const auto row_bytes = static_cast<std::int64_t>(grid.n_directions * sizeof(float));
    return {.entity = 0,  // cells
            .item_bytes = (band.end - band.first) * row_bytes,
            .layers = halo_layers(scheme),
            .stride_bytes = grid.n_frequencies * row_bytes,
            .offset_bytes = band.first * row_bytes};
  }
  static std::vector<Band> bands(const ModelOptions& options, const SpectralGrid& grid) {
    const Band all{.first = 0, .end = grid.n_frequencies, .n_substeps = 1};
    return options.bands.empty() ? std::vector{all} : make_bands(options.bands, grid.n_frequencies);
  }
  /// Copies the owned cells of a field; an empty field is zero.
  static void store_owned(std::span<const float> field, std::vector<float>& owned_values) {
    std::ranges::fill(owned_values, 0.f);
    std::copy_n(field.begin(), std::min(field.size(), owned_values.size()), owned_values.begin());
  }
  std::array<std::size_t, 3> shape(LocalIndex n_cells) const {
    return {static_cast<std::size_t>(n_cells), static_cast<std::size_t>(grid_.n_frequencies),
            static_cast<std::size_t>(grid_.n_directions)};
  }
  /// Collective. Advances band b by one substep: inner cells during the halo exchange, then boundary cells.
  void step_band(std::size_t b, std::vector<float>& old_spectra, std::vector<float>& new_spectra) {
    const auto& band = transport_.bands()[b];
    {
      const ScopedTimer timer(times_.transport_s);
      const FlushDenormals flush_denormals;
      const View<float, 3> action{old_spectra.data(), shape(n_owned())};
      for (LocalIndex cell = 0; cell < n_owned(); ++cell) {
        if (!is_prescribed_[cell]) transport_.turn_before_step(action, cell, band);
      }
    }
    const View<const float, 3> old_action{old_spectra.data(), shape(decomposition_.cells().size())};
    const View<float, 3> new_action{new_spectra.data(), shape(decomposition_.cells().size())};
    const std::span<std::byte> field = std::as_writable_bytes(std::span(old_spectra));
    halo::with_halo(halos_[b], {&field, 1}, overlap_, times_.exchange_s, [&](bool is_inner) {
      const ScopedTimer timer(times_.transport_s);
      transport_.step(old_action, new_action, is_inner ? Transport::Part::inner : Transport::Part::boundary,
                      band, [&] { halos_[b].progress(); });
    });
    restore_prescribed(old_spectra, new_spectra, band);
    clear_ice(new_spectra, band);
  }
  /// Sets the action of a band to zero in cells under ice.
  void clear_ice(std::vector<float>& action, const Band& band) {
    const auto n = static_cast<std::size_t>(grid_.n_directions);
    for (std::size_t cell = 0; cell < is_iced_.size(); ++cell) {
      if (is_iced_[cell])
        std::fill_n(&action[cell * grid_.n_bins() + n * band.first], n * (band.end - band.first), 0.f);
    }
  }
  /// Copies a band's action in the prescribed cells from the old spectra, since transport must not change it.
  void restore_prescribed(const std::vector<float>& old_spectra, std::vector<float>& new_spectra,
                          const Band& band) const {
    const auto n = static_cast<std::size_t>(grid_.n_directions);
    for (const auto cell : prescribed_cells_) {
      const auto first = static_cast<std::size_t>(cell) * grid_.n_bins() + n * band.first;
      std::copy_n(&old_spectra[first], n * (band.end - band.first), &new_spectra[first]);
    }
  }
  /// Copies a band from action_ to next_action_, which must hold the result of the last substep.
  void copy_band(const Band& band) {
    const auto n = static_cast<std::size_t>(grid_.n_directions), offset = n * band.first;
    for (std::size_t first = offset; first < shape(n_owned())[0] * grid_.n_bins(); first += grid_.n_bins())
      std::copy_n(&action_[first], n * (band.end - band.first), &next_action_[first]);
  }
  void make_schemes(const std::vector<physics::SpectrumScheme>& schemes) {
    if (schemes.empty()) return;
    const auto owned_part = [&](const auto& values) {
      return std::vector(values.begin(), values.begin() + n_owned());
    };
    schemes_.emplace(schemes,
                     physics::RankSpectra{.ids = owned_part(decomposition_.cells().to_global),
                                          .longitude = owned_part(longitude_),
                                          .latitude = owned_part(latitude_),
                                          .frequency = grid_.frequency,
                                          .direction = grid_.direction,
                                          .gravity = kGravity},
                     wave_variables());
  }
  /// Sets the added sources of a cell; computes those of a block of cells at its first cell.
  void set_added_sources(LocalIndex cell) {
    constexpr LocalIndex kWidth = physics::SpectrumPhysics::kWidth;
    const auto n_bins = static_cast<std::size_t>(grid_.n_bins());
    if (cell % kWidth == 0) {
      auto& state = schemes_->state();
      const auto n = std::min(kWidth, n_owned() - cell);
      for (LocalIndex i = 0; i < n; ++i) {
        state.depth[i] = tables_.depth()[cell + i];
        state.eastward_wind[i] = eastward_wind_[cell + i];
        state.northward_wind[i] = northward_wind_[cell + i];
        state.ice_fraction[i] = ice_fraction_[cell + i];
        std::ranges::copy(medium().wavenumber.row(cell + i), &state.wavenumber[i * grid_.frequency.size()]);
        const float* action = &action_[(cell + i) * n_bins];
        for (std::size_t bin = 0; bin < n_bins; ++bin)
          state.density[i * n_bins + bin] = grid_.sigma[bin / grid_.n_directions] * action[bin];
      }
      added_ = &schemes_->compute(cell, n);
    }
    const auto first = static_cast<std::size_t>(cell % kWidth) * n_bins;
    physics_->set_added_sources({&added_->source[first], n_bins}, {&added_->derivative[first], n_bins});
  }
  /// Returns the owned cell of the lowest global id for which is_bad holds, or kNone.
  LocalIndex first_bad_cell(const std::function<bool(LocalIndex)>& is_bad) const {
    const auto& global_ids = decomposition_.cells().to_global;
    LocalIndex lowest = kNone;
    for (LocalIndex cell = 0; cell < n_owned(); ++cell) {
      if (is_bad(cell) && (lowest == kNone || global_ids[cell] < global_ids[lowest])) lowest = cell;
    }
    return lowest;
  }
  CellRange owned() const { return {0, n_owned()}; }
  WindField wind() const { return {.eastward = eastward_wind_, .northward = northward_wind_}; }
  Medium medium() const { return {.depth = tables_.depth(), .wavenumber = tables_.wavenumber()}; }

  SpectralGrid grid_;
  bool overlap_;
  decomposition::Decomposition decomposition_;
  std::vector<double> bottom_depth_;  ///< still-water depth [m] (local cell)
  std::vector<float> local_level_;    ///< water level [m] (local cell); empty: 0
  double least_depth_, ice_threshold_;
  DispersionTables tables_;
  Transport transport_;
  std::unique_ptr<Physics> physics_;
  std::optional<physics::SpectrumPhysics> schemes_;           ///< empty without added source terms
  const physics::SpectrumPhysics::Sources* added_ = nullptr;  ///< of the present block of cells
  Products products_;
  std::vector<halo::Halo> halos_;      ///< (band)
  std::vector<std::uint8_t> is_iced_;  ///< ice fraction above ice_threshold_ (owned cell); empty: no ice
  std::vector<LocalIndex> prescribed_cells_;          ///< owned cells that transport does not change
  std::vector<std::uint8_t> is_prescribed_;           ///< (owned cell)
  std::vector<float> action_, next_action_;           ///< (local cell, frequency, direction)
  std::vector<double> latitude_, longitude_;          ///< [rad] (local cell)
  std::vector<double> east_scratch_, north_scratch_;  ///< wind of a source (owned cell)
  std::vector<float> eastward_wind_, northward_wind_, largest_height_, wave_stress_;      ///< (owned cell)
  std::vector<float> water_level_, eastward_current_, northward_current_, ice_fraction_;  ///< (owned cell)
  PhaseTimes times_;
};

}  // namespace halcyon::wave
