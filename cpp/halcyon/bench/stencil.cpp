#include "halcyon/bench/stencil.hpp"

#include <algorithm>
#include <type_traits>

namespace halcyon::bench {
namespace {

using OneLevel = std::integral_constant<std::size_t, 1>;

/// y += sum_j a_j x_j on levels; x and y are apart, so that the sum of a single level stays in a register
template <class Levels>
void add(const Terms& terms, const double* __restrict x, Levels n_levels, double* __restrict y) {
  const std::size_t n = n_levels;
  for (std::size_t j = 0; j < terms.items.size(); ++j) {
    const double a = terms.factors[j];
    const double* from = x + static_cast<std::size_t>(terms.items[j]) * n;
    for (std::size_t k = 0; k < n; ++k) y[k] += a * from[k];
  }
}

/// Calls kernel(levels, k) once for columns of all levels from k = 0, or for each level k alone.
template <class Kernel>
void on_levels(Layout layout, int n_levels, Kernel kernel) {
  if (layout == Layout::levels_innermost) return kernel(static_cast<std::size_t>(n_levels), std::size_t{0});
  for (std::size_t k = 0; k < static_cast<std::size_t>(n_levels); ++k) kernel(OneLevel(), k);
}

}  // namespace

template <class Lists>
template <class Levels>
void Stencil<Lists>::diverge(const double* u, Levels n_levels, double* divergence) const {
  for (LocalIndex cell = 0; cell < counts().cells; ++cell) {
    double* sum = divergence + static_cast<std::size_t>(cell) * n_levels;
    std::fill_n(sum, static_cast<std::size_t>(n_levels), 0.0);
    add(lists_.divergence(cell), u, n_levels, sum);
  }
}

template <class Lists>
template <class Levels>
void Stencil<Lists>::tend(const double* u, const double* cell_values, Levels n_levels,
                          double* tendency) const {
  const std::size_t n = n_levels;
  for (LocalIndex edge = 0; edge < counts().edges; ++edge) {
    double* sum = tendency + static_cast<std::size_t>(edge) * n;
    const auto [from, to, over_distance] = lists_.sides(edge);
    const double *behind = cell_values + static_cast<std::size_t>(from) * n,
                 *ahead = cell_values + static_cast<std::size_t>(to) * n;
    for (std::size_t k = 0; k < n; ++k) sum[k] = over_distance * (behind[k] - ahead[k]);
    add(lists_.tangent(edge), u, n_levels, sum);
  }
}

template <class Lists>
void Stencil<Lists>::divergence(Layout layout, std::span<const double> u, int n_levels,
                                std::span<double> divergence) const {
  on_levels(layout, n_levels, [&](auto levels, std::size_t k) {
    diverge(&u[k * counts().all_edges], levels, &divergence[k * counts().all_cells]);
  });
}

template <class Lists>
void Stencil<Lists>::tendency(Layout layout, std::span<const double> u, std::span<const double> cell_values,
                              int n_levels, std::span<double> tendency) const {
  on_levels(layout, n_levels, [&](auto levels, std::size_t k) {
    tend(&u[k * counts().all_edges], &cell_values[k * counts().all_cells], levels,
         &tendency[k * counts().all_edges]);
  });
}

template class Stencil<FlatLists>;
template class Stencil<Structures>;

}  // namespace halcyon::bench
