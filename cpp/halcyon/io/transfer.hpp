#pragma once

#include <cstddef>
#include <span>

#include "halcyon/io/buffer.hpp"
#include "halcyon/io/placement.hpp"

namespace halcyon::io {

/// A field of a rank: `item_bytes` for each item of a placement, in the rank's own order.
struct ConstField {
  const std::byte* values;
  std::size_t item_bytes;
};
struct Field {
  std::byte* values;
  std::size_t item_bytes;
};

/// Collective. Moves a slice of several fields to the I/O ranks, one message to each.
/// @returns on an I/O rank the rows, sorted by id: those of the first field, of the second, ...
Buffer to_io(const Placement& placement, const Slice& slice, std::span<const ConstField> fields);

/// Collective. The way back: I/O ranks give rows as `to_io` returns them, fields get their items.
void from_io(const Placement& placement, const Slice& slice, std::span<const Field> fields,
             const Buffer& rows);

}  // namespace halcyon::io
