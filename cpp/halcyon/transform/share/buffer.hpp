#pragma once

#include <complex>
#include <cstddef>
#include <memory>

#include "halcyon/base/large_pages.hpp"

namespace halcyon::transform {

using Complex = std::complex<double>;

inline constexpr int kLanes = 4;
inline constexpr int kPair = 2 * kLanes;  ///< latitudes of a pair of stripes
/// Doubles per field, wavenumber and stripe: [real and imaginary part of the even part, then of the odd part]
/// [lane], with x(mu) = even + odd, x(-mu) = even - odd.
inline constexpr int kBlock = 4 * kLanes;

/// An uninitialized array of doubles, aligned to cache lines, in large pages if it is large. Grows but never
/// shrinks; growing discards the contents.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) { reserve(size); }

  double* reserve(std::size_t size) {
    if (size > size_) {
      data_.reset();
      data_ = {LargePageAllocator<double>().allocate(size), Free{size}};
      size_ = size;
    }
    return data_.get();
  }
  double* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  struct Free {
    std::size_t size;
    void operator()(double* at) const { LargePageAllocator<double>().deallocate(at, size); }
  };
  std::unique_ptr<double, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace halcyon::transform
