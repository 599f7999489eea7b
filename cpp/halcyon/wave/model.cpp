#include "halcyon/wave/model.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/base/error.hpp"
#include "halcyon/base/timer.hpp"
#include "halcyon/mesh/geometry.hpp"
#include "halcyon/wave/initial.hpp"

namespace halcyon::wave {

namespace {

const std::vector<double>& depths(const decomposition::LocalMesh& local) {
  require<InputError>(std::ssize(local.mesh.bottom_depth) == local.mesh.n_cells(),
                      "The mesh has no depth for each of its {} cells (variable bottomDepth).",
                      local.n_items[0]);
  return local.mesh.bottom_depth;
}

schedule::HaloField spectrum_field(const SpectralGrid& grid) {
  return {.entity = 0, .item_bytes = static_cast<std::int64_t>(grid.n_bins() * sizeof(float))};
}

}  // namespace

Model::Model(const comm::Communicator& comm, const decomposition::LocalMesh& local, const SpectralGrid& grid,
             const ModelOptions& options)
    : grid_(grid),
      overlap_(options.overlap),
      decomposition_(local.part),
      tables_(grid, depths(local)),
      transport_(local.mesh, n_owned(), grid_, tables_, options.turning),
      physics_(make_physics(options.physics, grid_, options.physics_options)),
      products_(grid_),
      halo_(comm, decomposition_, {spectrum_field(grid)}, options.method),
      action_(static_cast<std::size_t>(decomposition_.cells().size()) * grid.n_bins(), 0.f),
      next_action_(action_.size(), 0.f),
      east_scratch_(n_owned()),
      north_scratch_(n_owned()),
      eastward_wind_(n_owned(), 0.f),
      northward_wind_(n_owned(), 0.f),
      largest_height_(n_owned(), 0.f) {
  for (LocalIndex cell = 0; cell < n_owned(); ++cell) {
    const auto point = local.mesh.cell_points[cell];
    latitude_.push_back(mesh::latitude(point));
    longitude_.push_back(mesh::longitude(point));
  }
}

std::array<std::size_t, 3> Model::shape(LocalIndex n_cells) const {
  return {static_cast<std::size_t>(n_cells), static_cast<std::size_t>(grid_.n_frequencies),
          static_cast<std::size_t>(grid_.n_directions)};
}

LocalIndex Model::set_wind(std::span<const double> eastward, std::span<const double> northward) {
  for (const auto given : {eastward.size(), northward.size()}) {
    require<InputError>(given == eastward_wind_.size(),
                        "The wind has {} values on this rank, which owns {} cells. Give one a cell.", given,
                        eastward_wind_.size());
  }
  const auto& ids = decomposition_.cells().to_global;
  LocalIndex bad = kNone;
  for (LocalIndex cell = 0; cell < n_owned(); ++cell) {
    const bool finite = std::isfinite(eastward[cell]) && std::isfinite(northward[cell]);
    if (!finite && (bad == kNone || ids[cell] < ids[bad])) bad = cell;
  }
  const auto narrowed = [](double speed) { return static_cast<float>(speed); };
  std::ranges::transform(eastward, eastward_wind_.begin(), narrowed);
  std::ranges::transform(northward, northward_wind_.begin(), narrowed);
  return bad;
}

LocalIndex Model::set_wind(const Wind& wind, double time_s) {
  wind.at(time_s, latitude_, longitude_, east_scratch_, north_scratch_);
  return set_wind(east_scratch_, north_scratch_);
}

void Model::set_calm() {
  wave::set_calm(action(), owned());
}

void Model::set_fetch_law(double fetch) {
  wave::set_fetch_law(action(), owned(), grid_, wind(), fetch);
}

void Model::transport(double dt) {
  const View<const float, 3> old_action{action_.data(), shape(decomposition_.cells().size())};
  const View<float, 3> new_action{next_action_.data(), shape(decomposition_.cells().size())};
  const auto compute = [&](CellRange cells) {
    const ScopedTimer timer(times_.transport_s);
    transport_.step(old_action, new_action, cells, dt);
  };
  const std::span<std::byte> field = std::as_writable_bytes(std::span(action_));
  auto pending = [&] {
    const ScopedTimer timer(times_.exchange_s);
    return halo_.start({&field, 1});
  }();
  const auto wait = [&] {
    const ScopedTimer timer(times_.exchange_s);
    pending.wait();
  };
  if (!overlap_) wait();
  compute({0, decomposition_.n_inner});
  if (overlap_) wait();
  compute({decomposition_.n_inner, n_owned()});
  std::swap(action_, next_action_);
}

BadCell Model::sources(double dt) {
  const ScopedTimer timer(times_.sources_s);
  const auto& ids = decomposition_.cells().to_global;
  const Medium medium{tables_.depth(), tables_.wavenumber()};
  BadCell lowest;
  for (LocalIndex cell = 0; cell < n_owned(); ++cell) {
    const auto bad = physics_->step(action(), {cell, cell + 1}, medium, wind(), dt);
    if (bad.cell != kNone && (lowest.cell == kNone || ids[cell] < ids[lowest.cell])) lowest = bad;
  }
  return lowest;
}

void Model::products(std::span<const LocalIndex> cells, std::span<const WantedProduct> wanted) {
  const Medium medium{tables_.depth(), tables_.wavenumber()};
  products_.compute(View<const float, 3>(action()), cells, medium, wind(), wanted);
}

void Model::note_heights() {
  const auto& height = product_named("significant_height");
  for (LocalIndex cell = 0; cell < n_owned(); ++cell) {
    float now = 0;
    const WantedProduct wanted{&height, {&now, 1}};
    products({&cell, 1}, {&wanted, 1});
    largest_height_[cell] = std::max(largest_height_[cell], now);
  }
}

void Model::surface(const SurfaceArrays& arrays) {
  const Medium medium{tables_.depth(), tables_.wavenumber()};
  physics_->surface(View<const float, 3>(action()), owned(), medium, wind(), arrays);
}

std::int64_t Model::memory_bytes() const {
  const std::int64_t n_local = decomposition_.cells().size();
  return static_cast<std::int64_t>((action_.size() + next_action_.size()) * sizeof(float)) +
         n_local * grid_.n_frequencies * 5 * static_cast<std::int64_t>(sizeof(float)) +
         transport_.memory_bytes() + halo_.received_bytes();
}

}  // namespace halcyon::wave
