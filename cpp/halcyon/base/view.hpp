#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace halcyon {

/// A non-owning row-major view of an N-dimensional array; the last index varies fastest.
template <class T, std::size_t N>
class View {
 public:
  View() = default;
  View(T* data, std::array<std::size_t, N> shape) : data_(data), shape_(shape) {}

  template <class... I>
    requires(sizeof...(I) == N)
  T& operator()(I... index) const {
    return data_[offset(index...)];
  }

  /// The contiguous row at the first N - 1 indices.
  template <class... I>
    requires(sizeof...(I) == N - 1)
  std::span<T> row(I... index) const {
    return {data_ + offset(index..., 0), shape_[N - 1]};
  }

  std::size_t extent(std::size_t dimension) const { return shape_[dimension]; }
  T* data() const { return data_; }
  std::size_t size() const {
    std::size_t n = 1;
    for (auto extent : shape_) n *= extent;
    return n;
  }

  operator View<const T, N>() const { return {data_, shape_}; }

 private:
  template <class... I>
  std::size_t offset(I... index) const {
    std::size_t offset = 0, dimension = 0;
    ((offset = offset * shape_[dimension++] + static_cast<std::size_t>(index)), ...);
    return offset;
  }

  T* data_ = nullptr;
  std::array<std::size_t, N> shape_{};
};

}  // namespace halcyon
