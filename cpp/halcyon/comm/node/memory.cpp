#include "halcyon/comm/node/memory.hpp"

#include <utility>

namespace halcyon::comm {

NodeMemory::NodeMemory(const Communicator& comm, std::int64_t bytes)
    : node_(comm.node()), window_(node_->allocate(bytes)), bytes_(node_->mine(window_).first(bytes)) {}

NodeMemory& NodeMemory::operator=(NodeMemory&& other) noexcept {
  if (this == &other) return *this;
  give_back();
  node_ = std::move(other.node_);
  window_ = std::exchange(other.window_, -1);
  bytes_ = std::exchange(other.bytes_, {});
  return *this;
}

void NodeMemory::give_back() {
  if (node_) node_->windows_[window_].given_back = true;
}

}  // namespace halcyon::comm
