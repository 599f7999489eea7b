#include "halcyon/schedule/blocks.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::schedule {

Rank Division::part_of(std::int64_t point) const {
  const auto less = n / parts, more = n % parts;
  const auto in_larger = more * (less + 1);
  return static_cast<Rank>(point < in_larger ? point / (less + 1) : more + (point - in_larger) / less);
}

EvenBlocks::EvenBlocks(std::int64_t block_bytes) : bytes_(block_bytes) {
  require<ConfigError>(block_bytes >= 0, "A block has {} bytes, but must have 0 or more.", block_bytes);
}

GivenBlocks::GivenBlocks(Rank size, const std::vector<std::int64_t>& bytes) : size_(size) {
  require<ConfigError>(size > 0 && std::ssize(bytes) == size_ * size_,
                       "{} ranks need {} block sizes, one a pair, but {} were given.", size, size_ * size_,
                       bytes.size());
  for (std::int64_t one = 0; one < size_; ++one) {
    std::int64_t sent = 0, received = 0;
    for (std::int64_t other = 0; other < size_; ++other) {
      const auto block = bytes[one * size_ + other];
      require<ConfigError>(block >= 0, "The block from rank {} to rank {} has {} bytes. Give 0 or more.", one,
                           other, block);
      largest_ = std::max(largest_, block);
      send_offsets_.push_back(sent);
      receive_offsets_.push_back(received);
      sent += block;
      received += bytes[other * size_ + one];
    }
    send_offsets_.push_back(sent);
    receive_offsets_.push_back(received);
  }
}

}  // namespace halcyon::schedule
