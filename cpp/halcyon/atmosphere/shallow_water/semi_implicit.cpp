#include "halcyon/atmosphere/shallow_water/semi_implicit.hpp"

#include <algorithm>

namespace halcyon::atmosphere {

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
