#include "halcyon/atmosphere/shallow_water/semi_implicit.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/atmosphere/kernels/shallow_water.hpp"
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

namespace {

/// A field and what it counts.
template <class Real>
struct Term {
  Real weight;
  const Real* values;
};

/// v = a + sum_j w_j b_j, (item), in the order of the terms
template <class Real>
void add_up(std::span<const Term<Real>> terms, std::span<const Real> a, std::span<Real> v) {
  constexpr std::size_t kBlock = 1024;  // items: what is added to stays in the first cache
  for (std::size_t begin = 0; begin < v.size(); begin += kBlock) {
    const auto end = std::min(begin + kBlock, v.size());
    for (auto i = begin; i < end; ++i) v[i] = a[i];
    for (const auto& [weight, values] : terms)
      for (auto i = begin; i < end; ++i) v[i] += weight * values[i];
  }
}

}  // namespace

template <class Real>
SemiImplicit<Real>::SemiImplicit(const GlobePart<Real>& part,
                                 const decomposition::Decomposition& decomposition, double tolerance)
    : waves(part, decomposition, tolerance),
      wind_halo(part.comm, decomposition, {{.entity = 1, .item_bytes = sizeof(Real), .layers = 1}},
                part.options.method, comm::Placement::node_memory),
      n_cells_(part.n_cells),
      n_edges_(part.n_edges) {
  for (int stage = 0; stage < Imex::kStages; ++stage) {
    tendencies_[stage] = {std::vector<Real>(n_cells_), std::vector<Real>(n_edges_)};
    by_waves_[stage] = {std::vector<Real>(n_cells_), std::vector<Real>(part.mesh.n_edges())};
  }
  zeros_ = {std::vector<Real>(n_cells_), std::vector<Real>(n_edges_)};
}

template <class Real>
void SemiImplicit<Real>::sum(int stage, double dt, const Pair<Real>& start, const Pair<Real>& found) const {
  std::array<Term<Real>, 2 * Imex::kStages> of_cells, of_edges;
  std::size_t n = 0;
  const auto add = [&](double coefficient, const Values& values) {
    const auto weight = static_cast<Real>(dt * coefficient);
    if (weight == 0) return;
    of_cells[n] = {weight, values.thickness.data()};
    of_edges[n++] = {weight, values.wind.data()};
  };
  for (int j = 0; j <= stage; ++j) {
    add(Imex::kExplicit[stage][j], tendencies_[j]);
    add(Imex::kImplicit[stage][j] - Imex::kExplicit[stage][j], by_waves_[j]);
  }
  add_up<Real>(std::span(of_cells).first(n), start.thickness.first(n_cells_),
               found.thickness.first(n_cells_));
  add_up<Real>(std::span(of_edges).first(n), start.wind.first(n_edges_), found.wind.first(n_edges_));
}

template <class Real>
std::int64_t SemiImplicit<Real>::memory_bytes() const {
  const auto of_cells = (2 * Imex::kStages + 1) * zeros_.thickness.size();
  const auto of_edges = (Imex::kStages + 1) * zeros_.wind.size() + Imex::kStages * by_waves_[0].wind.size();
  return static_cast<std::int64_t>((of_cells + of_edges) * sizeof(Real)) + waves.memory_bytes();
}

template class SemiImplicit<double>;
template class SemiImplicit<float>;

}  // namespace halcyon::atmosphere
