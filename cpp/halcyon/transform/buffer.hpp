#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace halcyon::transform {

/// Numbers on a boundary of a cache line, not set to anything; grows, never shrinks, keeps nothing as it
/// grows.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) { reserve(size); }

  double* reserve(std::size_t size) {
    if (size > size_) {
      data_.reset();
      data_.reset(static_cast<double*>(::operator new(size * sizeof(double), kAlignment)));
      size_ = size;
    }
    return data_.get();
  }
  double* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(double* at) const { ::operator delete(at, kAlignment); }
  };
  std::unique_ptr<double, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace halcyon::transform
