#include "halcyon/transform/fft/fft.hpp"

#include <fftw3.h>

#include <algorithm>
#include <mutex>

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

bool is_aligned(const double* values) {
  return fftw_alignment_of(const_cast<double*>(values)) == 0;
}

/// FFTW plans for both directions of a transform.
struct PlanPair {
  PlanPair() = default;
  PlanPair(const PlanPair&) = delete;
  PlanPair& operator=(const PlanPair&) = delete;
  ~PlanPair() {
    const std::scoped_lock lock(planner_mutex);
    fftw_destroy_plan(to_values);
    fftw_destroy_plan(to_waves);
  }

  fftw_plan to_values = nullptr, to_waves = nullptr;
};

}  // namespace

struct Fft::Plans : PlanPair {
  explicit Plans(int n_values) : length(n_values), row(n_values) {
    Buffer waves(2 * (length / 2 + 1));
    const std::scoped_lock lock(planner_mutex);
    to_values = fftw_plan_dft_c2r_1d(length, as_complex(waves.data()), row.data(), kFlags);
    to_waves = fftw_plan_dft_r2c_1d(length, row.data(), as_complex(waves.data()), kFlags);
    require<InternalError>(to_values && to_waves, "FFTW has no plan for rows of {} values.", length);
  }
  int length;
  Buffer row;  ///< copy of a row that is not aligned as the plans require
};

Fft::Fft(int length) : plans_(std::make_unique<Plans>(length)) {}
Fft::~Fft() = default;
Fft::Fft(Fft&&) noexcept = default;
Fft& Fft::operator=(Fft&&) noexcept = default;

void Fft::to_values(double* waves, double* values) const {
  double* row = is_aligned(values) ? values : plans_->row.data();
  fftw_execute_dft_c2r(plans_->to_values, as_complex(waves), row);
  if (row != values) std::copy_n(row, plans_->length, values);
}

void Fft::to_waves(const double* values, double* waves) const {
  double* row = is_aligned(values) ? const_cast<double*>(values) : plans_->row.data();
  if (row != values) std::copy_n(values, plans_->length, row);
  fftw_execute_dft_r2c(plans_->to_waves, row, as_complex(waves));
}

struct ComplexFft::Plans : PlanPair {
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
