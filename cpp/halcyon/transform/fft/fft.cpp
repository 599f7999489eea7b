#include "halcyon/transform/fft/fft.hpp"

#include <fftw3.h>

#include <algorithm>
#include <mutex>
#include <type_traits>

#include "halcyon/base/error.hpp"
#include "halcyon/transform/share/buffer.hpp"

namespace halcyon::transform {
namespace {

std::mutex planner_mutex;  // FFTW's planner is global to the process

// FFTW_ESTIMATE makes no measurements, so that plans, and therefore all bits of results, are reproducible.
constexpr unsigned kFlags = FFTW_ESTIMATE;

fftw_complex* as_complex(double* values) {
  return reinterpret_cast<fftw_complex*>(values);
}
fftwf_complex* as_complex(float* values) {
  return reinterpret_cast<fftwf_complex*>(values);
}

bool is_aligned(const double* values) {
  return fftw_alignment_of(const_cast<double*>(values)) == 0;
}
bool is_aligned(const float* values) {
  return fftwf_alignment_of(const_cast<float*>(values)) == 0;
}

// FFTW has functions of its own for each precision.
void destroy(fftw_plan plan) {
  fftw_destroy_plan(plan);
}
void destroy(fftwf_plan plan) {
  fftwf_destroy_plan(plan);
}
fftw_plan plan_to_values(int length, double* waves, double* row) {
  return fftw_plan_dft_c2r_1d(length, as_complex(waves), row, kFlags);
}
fftwf_plan plan_to_values(int length, float* waves, float* row) {
  return fftwf_plan_dft_c2r_1d(length, as_complex(waves), row, kFlags);
}
fftw_plan plan_to_waves(int length, double* row, double* waves) {
  return fftw_plan_dft_r2c_1d(length, row, as_complex(waves), kFlags);
}
fftwf_plan plan_to_waves(int length, float* row, float* waves) {
  return fftwf_plan_dft_r2c_1d(length, row, as_complex(waves), kFlags);
}
void execute_to_values(fftw_plan plan, double* waves, double* row) {
  fftw_execute_dft_c2r(plan, as_complex(waves), row);
}
void execute_to_values(fftwf_plan plan, float* waves, float* row) {
  fftwf_execute_dft_c2r(plan, as_complex(waves), row);
}
void execute_to_waves(fftw_plan plan, double* row, double* waves) {
  fftw_execute_dft_r2c(plan, row, as_complex(waves));
}
void execute_to_waves(fftwf_plan plan, float* row, float* waves) {
  fftwf_execute_dft_r2c(plan, row, as_complex(waves));
}

/// FFTW plans for both directions of a transform.
template <class Plan>
struct PlanPair {
  PlanPair() = default;
  PlanPair(const PlanPair&) = delete;
  PlanPair& operator=(const PlanPair&) = delete;
  ~PlanPair() {
    const std::scoped_lock lock(planner_mutex);
    destroy(to_values);
    destroy(to_waves);
  }

  Plan to_values = nullptr, to_waves = nullptr;
};
template <class Real>
using PlansOf = PlanPair<std::conditional_t<std::is_same_v<Real, float>, fftwf_plan, fftw_plan>>;

}  // namespace

template <class Real>
struct BasicFft<Real>::Plans : PlansOf<Real> {
  explicit Plans(int n_values) : length(n_values), row(n_values) {
    BasicBuffer<Real> waves(2 * (length / 2 + 1));
    const std::scoped_lock lock(planner_mutex);
    this->to_values = plan_to_values(length, waves.data(), row.data());
    this->to_waves = plan_to_waves(length, row.data(), waves.data());
    require<InternalError>(this->to_values && this->to_waves, "FFTW has no plan for rows of {} values.",
                           length);
  }
  int length;
  BasicBuffer<Real> row;  ///< copy of a row that is not aligned as the plans require
};

template <class Real>
BasicFft<Real>::BasicFft(int length) : plans_(std::make_unique<Plans>(length)) {}
template <class Real>
BasicFft<Real>::~BasicFft() = default;
template <class Real>
BasicFft<Real>::BasicFft(BasicFft&&) noexcept = default;
template <class Real>
BasicFft<Real>& BasicFft<Real>::operator=(BasicFft&&) noexcept = default;

template <class Real>
void BasicFft<Real>::to_values(Real* waves, Real* values) const {
  Real* row = is_aligned(values) ? values : plans_->row.data();
  execute_to_values(plans_->to_values, waves, row);
  if (row != values) std::copy_n(row, plans_->length, values);
}

template <class Real>
void BasicFft<Real>::to_waves(const Real* values, Real* waves) const {
  Real* row = is_aligned(values) ? const_cast<Real*>(values) : plans_->row.data();
  if (row != values) std::copy_n(values, plans_->length, row);
  execute_to_waves(plans_->to_waves, row, waves);
}

template class BasicFft<double>;
template class BasicFft<float>;

struct ComplexFft::Plans : PlansOf<double> {
  explicit Plans(int length) {
    Buffer column(2 * static_cast<std::size_t>(length));
    auto* const values = as_complex(column.data());
    const std::scoped_lock lock(planner_mutex);
    to_values = fftw_plan_dft_1d(length, values, values, FFTW_BACKWARD, kFlags);
    to_waves = fftw_plan_dft_1d(length, values, values, FFTW_FORWARD, kFlags);
    require<InternalError>(to_values && to_waves, "FFTW has no plan for columns of {} values.", length);
  }
};

ComplexFft::ComplexFft(int length) : plans_(std::make_unique<Plans>(length)) {}
ComplexFft::~ComplexFft() = default;
ComplexFft::ComplexFft(ComplexFft&&) noexcept = default;
ComplexFft& ComplexFft::operator=(ComplexFft&&) noexcept = default;

void ComplexFft::to_values(double* column) const {
  fftw_execute_dft(plans_->to_values, as_complex(column), as_complex(column));
}

void ComplexFft::to_waves(double* column) const {
  fftw_execute_dft(plans_->to_waves, as_complex(column), as_complex(column));
}

}  // namespace halcyon::transform
