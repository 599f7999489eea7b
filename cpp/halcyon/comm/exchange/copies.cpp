#include "halcyon/comm/exchange/copies.hpp"

#include <cstring>

namespace halcyon::comm {

Copies::Copies(const schedule::Operation& first) : from_(first.block.buffer), to_(first.target.buffer) {
  add(first);
}

bool Copies::add(const schedule::Operation& copy) {
  const auto &from = copy.block, &to = copy.target;
  if (from.buffer != from_ || to.buffer != to_) return false;
  for (std::int64_t i = 0; i < from.count && from.size_bytes > 0; ++i) {
    ranges_.push_back(
        {from.offset_bytes + i * from.stride_bytes, to.offset_bytes + i * to.stride_bytes, from.size_bytes});
  }
  return true;
}

void Copies::run(BufferSpans buffers) const {
  const std::byte* const source = buffers[from_].data();
  std::byte* const target = buffers[to_].data();
  for (const auto& range : ranges_) {
    switch (range.bytes) {  // a number of a known size is moved in one instruction
      case 4:
        std::memcpy(target + range.target, source + range.source, 4);
        break;
      case 8:
        std::memcpy(target + range.target, source + range.source, 8);
        break;
      default:
        std::memmove(target + range.target, source + range.source, range.bytes);
    }
  }
}

}  // namespace halcyon::comm
