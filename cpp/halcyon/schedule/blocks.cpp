#include "halcyon/schedule/blocks.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::schedule {

UniformBlocks::UniformBlocks(std::int64_t block_bytes) : bytes_(block_bytes) {
  require<ConfigError>(block_bytes >= 0, "A block has {} bytes, but must have 0 or more.", block_bytes);
}

VariableBlocks::VariableBlocks(Rank group_size, const std::vector<std::int64_t>& bytes)
    : group_size_(group_size) {
  require<ConfigError>(group_size > 0 && std::ssize(bytes) == group_size_ * group_size_,
                       "{} ranks need {} block sizes, one per pair, but {} were given.", group_size,
                       group_size_ * group_size_, bytes.size());
  for (std::int64_t member = 0; member < group_size_; ++member) {
    std::int64_t sent_offset = 0, received_offset = 0;
    for (std::int64_t other = 0; other < group_size_; ++other) {
      const auto block_bytes = bytes[member * group_size_ + other];
      require<ConfigError>(block_bytes >= 0,
                           "The block from rank {} to rank {} has {} bytes. Give 0 or more.", member, other,
                           block_bytes);
      largest_bytes_ = std::max(largest_bytes_, block_bytes);
      sent_.push_back({sent_offset, block_bytes});
      received_.push_back({received_offset, bytes[other * group_size_ + member]});
      sent_offset = sent_.back().end();
      received_offset = received_.back().end();
    }
  }
}

}  // namespace halcyon::schedule
