#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "halcyon/io/placement.hpp"

namespace halcyon::io {

/// A buffer that is not initialized: setting it to zero, as std::vector does, costs as much as filling it.
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

/// The values of a field at this rank's items, `item_bytes` each, in the order of Placement::ids().
struct ConstField {
  const std::byte* values;
  std::size_t item_bytes;
};
struct Field {
  std::byte* values;
  std::size_t item_bytes;
};

/// Collective. Sends a slice (some items) of several fields to the I/O ranks, in one message to each.
/// @returns on an I/O rank, the rows (see Placement) of the first field, then of the second field, ...
Buffer send_to_io_ranks(const Placement& placement, const Slice& slice, std::span<const ConstField> fields);

/// Collective. The reverse of `send_to_io_ranks`: I/O ranks pass `rows` in the layout of its result, and each
/// rank receives the values at its items in `fields`.
void receive_from_io_ranks(const Placement& placement, const Slice& slice, std::span<const Field> fields,
                           const Buffer& rows);

}  // namespace halcyon::io
