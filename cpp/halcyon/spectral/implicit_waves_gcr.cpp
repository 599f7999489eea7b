#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "halcyon/krylov/gcr.hpp"
#include "halcyon/spectral/implicit_waves.hpp"

namespace halcyon::spectral {
namespace {

/// The equation for the wind v of the modes at the grid points, with the constant-coefficient part
/// H = 1 - alpha^2 c^2 grad div on the left, whose inverse in spectral space divides delta_n by
/// 1 + alpha^2 c^2 n (n + 1)/a^2:
///   (H + alpha f k x) v = v*
/// is preconditioned from the right, v = H^-1 y, so that GCR has the unknown y and the right-hand side v*:
///   y + alpha f k x H^-1 y = v*
/// f may vary in any way over the grid. The operator makes two transforms in each direction per mode and
/// iteration; its eigenvalues are near 1 + i [-alpha f, alpha f], for all modes and truncations, so that the
/// residual falls by about alpha f/(1 + (1 + alpha^2 f^2)^1/2) per iteration, with the largest f.
/// All modes are one vector, and points have the weights of their areas: norms are root-mean-squares of the
/// wind (see VerticalModes).
template <class Real>
class GcrWaves final : public ImplicitWaves<Real> {
 public:
  GcrWaves(Basis<Real>& basis, double tolerance, VerticalModes modes)
      : basis_(basis),
        modes_(std::move(modes)),
        zeta_(modes_.size() * basis.n_coefficients()),
        delta_(zeta_.size()),
        right_side_(2 * modes_.size() * basis.n_points()),
        solution_(right_side_.size()),
        wind_(right_side_.size()),
        gcr_(communicator(basis), right_side_.size(),
             {.k = kDirections, .tolerance = tolerance, .most_iterations = kMostIterations}) {
    for (const double area : basis.areas()) weights_.push_back(std::sqrt(area));
  }

  void solve(double alpha, Coefficient<Real>* zeta, Coefficient<Real>* delta, SolverCosts& costs) override {
    using Fields = VerticalModes::Fields<Real>;
    const auto transform_s = [this] {
      const auto times = basis_.transform().times();
      return times.fourier_s + times.legendre_s + times.exchange_s;
    };
    const std::size_t n = basis_.n_coefficients();
    const double begin_s = transform_s();
    alpha_ = alpha;
    modes_.multiply(modes_.to_modes, Fields{zeta, n}, Fields{zeta_.data(), n}, n);
    modes_.multiply(modes_.to_modes, Fields{delta, n}, Fields{delta_.data(), n}, n);
    basis_.transform().winds(zeta_, delta_, component(wind_, 0), component(wind_, 1));
    for_points([&](std::size_t i, double weight) { right_side_[i] = wind_[i] * weight; });
    solution_ = right_side_;
    const auto result = gcr_.solve(
        [this](std::span<const double> y, std::span<double> sum) { add_coriolis(y, sum); },
        [](std::span<const double> y, std::span<double> same) { std::ranges::copy(y, same.begin()); },
        right_side_, solution_);
    invert_gravity(solution_);
    modes_.multiply(modes_.to_levels, Fields{zeta_.data(), n}, Fields{zeta, n}, n);
    modes_.multiply(modes_.to_levels, Fields{delta_.data(), n}, Fields{delta, n}, n);
    costs.exchange_s += result.waited_s;
    costs.transform_s += transform_s() - begin_s;
    ++costs.n_solutions;
    costs.n_iterations += result.n_iterations();
    costs.n_allreduces += result.n_allreduces;
    costs.residual = result.residual;
    costs.has_converged = result.outcome == krylov::Outcome::converged;
  }
  const std::vector<double>& coriolis() const override { return basis_.coriolis(); }
  std::size_t memory_bytes() const override {
    const std::size_t n_vectors = 2 + 3 + 2 * (kDirections + 1);  // here; r, u and w, and directions, of Gcr
    return n_vectors * right_side_.size() * sizeof(double) + wind_.size() * sizeof(Real) +
           2 * zeta_.size() * sizeof(Coefficient<Real>) + weights_.size() * sizeof(double) +
           modes_.memory_bytes();
  }

 private:
  static constexpr int kDirections = 2, kMostIterations = 100;

  static const comm::Communicator& communicator(const Basis<Real>& basis) {
    require<ConfigError>(basis.communicator_or_null() != nullptr,
                         "The solver gcr needs a communicator, also for one rank. Give one.");
    return basis.communicator();
  }
  /// The eastward (0) or northward (1) component (mode, point).
  static std::span<Real> component(std::vector<Real>& values, int i) {
    return std::span(values).subspan(i * values.size() / 2, values.size() / 2);
  }
  /// work(index of a value, weight of its point) for all values of a vector
  template <class Work>
  void for_points(const Work& work) const {
    for (std::size_t first = 0; first < right_side_.size(); first += weights_.size())
      for (std::size_t i = 0; i < weights_.size(); ++i) work(first + i, weights_[i]);
  }
  /// zeta and delta of H^-1 y
  void invert_gravity(std::span<const double> y) {
    for_points([&](std::size_t i, double weight) { wind_[i] = static_cast<Real>(y[i] / weight); });
    basis_.transform().vorticity_divergence(component(wind_, 0), component(wind_, 1), zeta_, delta_);
    const auto& eigenvalues = basis_.eigenvalues();
    for (std::size_t mode = 0, i = 0; mode < modes_.size(); ++mode)
      for (std::size_t c = 0; c < eigenvalues.size(); ++c, ++i)
        delta_[i] /= static_cast<Real>(1 + alpha_ * alpha_ * modes_.squared_speeds[mode] * eigenvalues[c]);
  }
  /// y + alpha f k x H^-1 y
  void add_coriolis(std::span<const double> y, std::span<double> sum) {
    invert_gravity(y);
    basis_.transform().winds(zeta_, delta_, component(wind_, 0), component(wind_, 1));
    const std::size_t n_points = weights_.size(), n = y.size() / 2;
    for (std::size_t first = 0; first < n; first += n_points)
      for (std::size_t i = 0; i < n_points; ++i) {
        const double factor = weights_[i] * alpha_ * basis_.coriolis()[i];
        sum[first + i] = y[first + i] - factor * wind_[n + first + i];
        sum[n + first + i] = y[n + first + i] + factor * wind_[first + i];
      }
  }

  Basis<Real>& basis_;
  VerticalModes modes_;
  double alpha_ = 0;
  Spectrum<Real> zeta_, delta_;                ///< (mode, coefficient)
  std::vector<double> right_side_, solution_;  ///< (component, mode, point)
  std::vector<Real> wind_;                     ///< as these
  std::vector<double> weights_;                ///< root of the area [m] (point)
  krylov::Gcr gcr_;
};

}  // namespace

template <class Real>
std::unique_ptr<ImplicitWaves<Real>> make_gcr_waves(Basis<Real>& basis, double tolerance,
                                                    VerticalModes modes) {
  return std::make_unique<GcrWaves<Real>>(basis, tolerance, std::move(modes));
}

template std::unique_ptr<ImplicitWaves<double>> make_gcr_waves(Basis<double>&, double, VerticalModes);
template std::unique_ptr<ImplicitWaves<float>> make_gcr_waves(Basis<float>&, double, VerticalModes);

}  // namespace halcyon::spectral
