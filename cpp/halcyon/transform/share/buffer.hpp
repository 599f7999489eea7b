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
/// Doubles per block: one Fourier coefficient of one field at a stripe, as [real and imaginary part of even,
/// real and imaginary part of odd][lane]. In syntheses x(mu) = even + mu odd, x(-mu) = even - mu odd; in
/// analyses even = x(mu) + x(-mu), odd = mu (x(mu) - x(-mu)).
inline constexpr int kBlockSize = 4 * kLanes;

/// An uninitialized array of doubles, aligned to cache lines. Growing discards the contents; never shrinks.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) { reserve(size); }

  double* reserve(std::size_t size) {
    if (size > size_) {
      data_.reset();
      data_ = {LargePageAllocator<double>().allocate(size), Deleter{size}};
      size_ = size;
    }
    return data_.get();
  }
  double* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  struct Deleter {
    std::size_t size;
    void operator()(double* data) const { LargePageAllocator<double>().deallocate(data, size); }
  };
  std::unique_ptr<double, Deleter> data_;
  std::size_t size_ = 0;
};

}  // namespace halcyon::transform
