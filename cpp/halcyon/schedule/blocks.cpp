#include "halcyon/schedule/blocks.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::schedule {

UniformBlocks::UniformBlocks(std::int64_t block_bytes) : bytes_(block_bytes) {
  require<ConfigError>(block_bytes >= 0, "A block has {} bytes, but must have 0 or more.", block_bytes);
}

VariableBlocks::VariableBlocks(Rank size, const std::vector<std::int64_t>& bytes) : size_(size) {
  require<ConfigError>(size > 0 && std::ssize(bytes) == size_ * size_,
                       "{} ranks need {} block sizes, one per pair, but {} were given.", size, size_ * size_,
                       bytes.size());
  for (std::int64_t rank = 0; rank < size_; ++rank) {
    std::int64_t sent = 0, received = 0;
    for (std::int64_t other = 0; other < size_; ++other) {
      const auto block = bytes[rank * size_ + other];
      require<ConfigError>(block >= 0, "The block from rank {} to rank {} has {} bytes. Give 0 or more.",
                           rank, other, block);
      largest_ = std::max(largest_, block);
      sent_.push_back({sent, block});
      received_.push_back({received, bytes[other * size_ + rank]});
      sent = sent_.back().end();
      received = received_.back().end();
    }
  }
}

}  // namespace halcyon::schedule
