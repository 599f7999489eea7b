#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "halcyon/base/large_pages.hpp"
#include "halcyon/comm/node.hpp"

namespace halcyon::halo {

/// The memory of one field, zeros at first: where the other ranks of the node read it, or this rank's alone.
/// Move-only.
class FieldMemory {
 public:
  /// Collective where `near`: in NodeMemory.
  FieldMemory(const comm::Communicator& comm, std::int64_t bytes, bool near) {
    if (near) {
      near_ = comm::NodeMemory(comm, bytes);
      std::ranges::fill(near_.bytes(), std::byte{0});
      bytes_ = near_.bytes();
    } else {
      own_.resize(bytes);
      bytes_ = own_;
    }
  }
  FieldMemory(FieldMemory&&) noexcept = default;
  FieldMemory& operator=(FieldMemory&&) noexcept = default;

  std::span<std::byte> bytes() const { return bytes_; }

 private:
  comm::NodeMemory near_;
  Large<std::byte> own_;
  std::span<std::byte> bytes_;
};

}  // namespace halcyon::halo
