#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace halcyon::io {

/// Bytes that are about to be filled: unlike a vector's they are not set to zero first, which would cost as
/// much as filling them.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t size)
      : bytes_(std::make_unique_for_overwrite<std::byte[]>(size)), size_(size) {}

  std::byte* data() { return bytes_.get(); }
  const std::byte* data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_ = 0;
};

}  // namespace halcyon::io
