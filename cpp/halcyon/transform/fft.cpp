#include "halcyon/transform/fft.hpp"

#include <fftw3.h>

#include <mutex>
#include <vector>

#include "halcyon/base/error.hpp"

namespace halcyon::transform {
namespace {

std::mutex planning;  // FFTW's planner is one for the process

// Nothing is measured and nothing depends on an array's alignment, so that the bits are always the same.
constexpr unsigned kFlags = FFTW_ESTIMATE | FFTW_UNALIGNED;

fftw_complex* complex(double* at) { return reinterpret_cast<fftw_complex*>(at); }

}  // namespace

struct Fft::Plans {
  explicit Plans(int length) {
    std::vector<double> values(length), waves(2 * (length / 2 + 1));
    const std::scoped_lock lock(planning);
    to_values = fftw_plan_dft_c2r_1d(length, complex(waves.data()), values.data(), kFlags);
    to_waves = fftw_plan_dft_r2c_1d(length, values.data(), complex(waves.data()), kFlags);
    require<InternalError>(to_values && to_waves, "FFTW has no plan for rows of {} values.", length);
  }
  ~Plans() {
    const std::scoped_lock lock(planning);
    fftw_destroy_plan(to_values);
    fftw_destroy_plan(to_waves);
  }
  Plans(const Plans&) = delete;
  Plans& operator=(const Plans&) = delete;

  fftw_plan to_values, to_waves;
};

Fft::Fft(int length) : plans_(std::make_unique<Plans>(length)) {}
Fft::~Fft() = default;
Fft::Fft(Fft&&) noexcept = default;
Fft& Fft::operator=(Fft&&) noexcept = default;

void Fft::to_values(double* waves, double* values) const {
  fftw_execute_dft_c2r(plans_->to_values, complex(waves), values);
}

void Fft::to_waves(const double* values, double* waves) const {
  fftw_execute_dft_r2c(plans_->to_waves, const_cast<double*>(values), complex(waves));
}

}  // namespace halcyon::transform
