#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace halcyon::network {

/// An array of records of zeros, of which memory is used only where they are written. `T` needs no
/// construction and destruction.
template <class T>
class LazyArray {
 public:
  explicit LazyArray(std::size_t n) : bytes_(n * sizeof(T)) {
    if (n == 0) return;
    auto* const pages =
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    records_ = static_cast<T*>(pages);
  }
  ~LazyArray() {
    if (records_) munmap(records_, bytes_);
  }
  LazyArray(const LazyArray&) = delete;
  LazyArray& operator=(const LazyArray&) = delete;

  T& operator[](std::size_t i) { return records_[i]; }
  const T& operator[](std::size_t i) const { return records_[i]; }

 private:
  std::size_t bytes_;
  T* records_ = nullptr;
};

}  // namespace halcyon::network
