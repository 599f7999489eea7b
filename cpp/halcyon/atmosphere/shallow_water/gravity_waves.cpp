#include "halcyon/atmosphere/shallow_water/gravity_waves.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/atmosphere/kernels/gravity_waves.hpp"
#include "halcyon/halo/with_halo.hpp"

namespace halcyon::atmosphere {

using decomposition::edges_of;

namespace {

constexpr int kDirections = 3;  // that GCR keeps: more cost more than they spare
constexpr int kMostIterations = 300;

krylov::GcrOptions gcr_options(double tolerance) {
  return {.k = kDirections, .tolerance = tolerance, .most_iterations = kMostIterations};
}

const std::vector<schedule::HaloField> kSurface{{.entity = 0, .item_bytes = sizeof(double), .layers = 1}};

}  // namespace

template <class Real>
GravityWaves<Real>::GravityWaves(const GlobePart<Real>& part,
                                 const decomposition::Decomposition& decomposition, double tolerance)
    : part_(part),
      halo_(part.comm, decomposition, kSurface, part.options.method, comm::Placement::node_memory),
      memory_(halo_.allocate(0)),
      exchanged_{memory_.bytes()},
      surface_(reinterpret_cast<double*>(memory_.bytes().data()), part.mesh.n_cells()),
      cells_{{Run{0, decomposition.n_inner}}, {Run{decomposition.n_inner, part.n_cells}}},
      over_diagonal_(part.n_cells),
      thickness_(part.mesh.n_edges()),
      right_(part.n_cells),
      solution_(part.n_cells),
      operator_([this](std::span<const double> x, std::span<double> y) { operate(x, y); }),
      preconditioner_([this](std::span<const double> x, std::span<double> y) { precondition(x, y); }),
      gcr_(part.comm, part.n_cells, gcr_options(tolerance)) {
  const auto& mesh = part.mesh;
  const Flags own_cells = owned(decomposition.cells());
  split(edges_, edges_of(mesh, part.n_cells), {{mesh.cells_on_edge, own_cells}});
  for (LocalIndex i = 0; i < part.n_cells; ++i) {
    for (auto j = mesh.cell_offsets[i]; j < mesh.cell_offsets[i + 1]; ++j) {
      const auto e = mesh.edges_on_cell[j];
      const auto [first, second] = mesh.cells_on_edge[e];
      neighbours_.push_back(first == i ? second : first);
      share_.push_back(part.options.planet.gravity * std::abs(double{mesh.outward_length[j]}) *
                       mesh.over_distance[e]);
    }
  }
  coupling_.resize(share_.size());
}

template <class Real>
void GravityWaves<Real>::begin(std::span<const Real> ground, std::span<const Real> h, std::span<const Real> u,
                               double tau, std::span<Real> rate, std::span<Real> push) {
  tau_ = tau;
  const auto& mesh = part_.mesh;
  for (const auto* edges : {&edges_.early, &edges_.late})
    thickness_on_edges<Real>(mesh, *edges, h, thickness_);
  wave_coupling<Real>(mesh, tau * tau, share_, thickness_, coupling_, over_diagonal_);
  for (std::size_t i = 0; i < surface_.size(); ++i) surface_[i] = double{h[i]} + ground[i];
  std::copy_n(surface_.begin(), part_.n_cells, solution_.begin());
  for (const bool is_early : {true, false}) {
    surface_push<Real>(mesh, edges_.part(is_early), part_.options.planet.gravity, surface_, push);
    thickening<Real>(mesh, cells_.part(is_early), thickness_, u, rate);
  }
}

template <class Real>
void GravityWaves<Real>::set_right_side(std::span<const Real> ground, std::span<const Real> h,
                                        std::span<const Real> u, bool is_early) {
  surface_without_waves<Real>(part_.mesh, cells_.part(is_early), tau_, thickness_, ground, h, u, right_);
}

template <class Real>
krylov::Result GravityWaves<Real>::solve(std::span<const Real> h_without, std::span<const Real> u_without,
                                         std::span<Real> rate, std::span<Real> push, std::span<Real> h,
                                         std::span<Real> u) {
  const auto tau = static_cast<Real>(tau_);
  auto result = gcr_.solve(operator_, preconditioner_, right_, solution_);
  exchange_s_ += result.waited_s;
  std::ranges::copy(solution_, surface_.begin());
  halo::with_halo(halo_, exchanged_, part_.options.overlap, exchange_s_, [&](bool is_early) {
    const auto& edges = edges_.part(is_early);
    surface_push<Real>(part_.mesh, edges, part_.options.planet.gravity, surface_, push);
    with_waves<Real>(edges, tau, u_without, push, u);
  });
  for (const bool is_early : {true, false}) {
    thickening<Real>(part_.mesh, cells_.part(is_early), thickness_, u, rate);
    with_waves<Real>(cells_.part(is_early), tau, h_without, rate, h);
  }
  return result;
}

template <class Real>
void GravityWaves<Real>::operate(std::span<const double> eta, std::span<double> found) {
  std::ranges::copy(eta, surface_.begin());
  halo::with_halo(halo_, exchanged_, part_.options.overlap, exchange_s_, [&](bool is_early) {
    helmholtz(part_.mesh.cell_offsets, neighbours_, coupling_, cells_.part(is_early), surface_, found);
  });
}

template <class Real>
void GravityWaves<Real>::precondition(std::span<const double> residual, std::span<double> found) const {
  for (std::size_t i = 0; i < found.size(); ++i) found[i] = over_diagonal_[i] * residual[i];
}

template <class Real>
std::int64_t GravityWaves<Real>::memory_bytes() const {
  const auto of_cells = surface_.size() + (4 + 2 * (kDirections + 1) + 3) * right_.size();
  return static_cast<std::int64_t>(of_cells * sizeof(double) + thickness_.size() * sizeof(Real) +
                                   neighbours_.size() * (sizeof(LocalIndex) + 2 * sizeof(double)));
}

template class GravityWaves<double>;
template class GravityWaves<float>;

}  // namespace halcyon::atmosphere
