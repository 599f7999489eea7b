#pragma once

#include <complex>
#include <cstddef>
#include <memory>

#include "halcyon/base/large_pages.hpp"

namespace halcyon::transform {

using Complex = std::complex<double>;

/// A stripe (`Stripes`, sphere/sets.hpp) is four northern latitudes and their mirror images in the south, one
/// latitude per lane (element of a SIMD register).
inline constexpr int kLanes = 4;
inline constexpr int kStripePair = 2 * kLanes;  ///< northern latitudes of two stripes
/// Numbers per block: one Fourier coefficient of one field at a stripe, as [real and imaginary part of even,
/// real and imaginary part of odd][lane]. In syntheses x(mu) = even + mu odd, x(-mu) = even - mu odd; in
/// analyses even = x(mu) + x(-mu), odd = mu (x(mu) - x(-mu)).
inline constexpr int kBlockSize = 4 * kLanes;

/// An uninitialized array of numbers, aligned to cache lines. Growing discards the contents; never shrinks.
template <class Real>
class BasicBuffer {
 public:
  BasicBuffer() = default;
  explicit BasicBuffer(std::size_t size) { reserve(size); }

  Real* reserve(std::size_t size) {
    if (size > size_) {
      data_.reset();
      data_ = {LargePageAllocator<Real>().allocate(size), Deleter{size}};
      size_ = size;
    }
    return data_.get();
  }
  Real* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  struct Deleter {
    std::size_t size;
    void operator()(Real* data) const { LargePageAllocator<Real>().deallocate(data, size); }
  };
  std::unique_ptr<Real, Deleter> data_;
  std::size_t size_ = 0;
};
using Buffer = BasicBuffer<double>;

}  // namespace halcyon::transform
