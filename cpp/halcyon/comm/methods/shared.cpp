#include "halcyon/comm/methods/shared.hpp"

#include <thread>
#include <utility>

#include "halcyon/comm/methods/point_to_point.hpp"
#include "halcyon/comm/node/traffic.hpp"

namespace halcyon::comm {

namespace {

/// The messages of a round with partners on other nodes.
RoundMessages between_nodes(const Node& node, RoundMessages round) {
  const auto near = [&](const Message& message) { return node.node_rank_of(message.peer) != kNone; };
  std::erase_if(round.sends, near);
  std::erase_if(round.receives, near);
  return round;
}

class Shared final : public Round {
 public:
  Shared(const Communicator& comm, RoundMessages far, Tag tag, std::shared_ptr<NodeTraffic> near,
         std::size_t number)
      : far_(comm, std::move(far), std::move(tag)), near_(std::move(near)), number_(number) {}

  void start(BufferSpans buffers) override {
    far_.start(buffers);
    near_->start(number_, buffers);
  }

  /// Both are looked after all the time: a partner may need either to get on.
  void wait() override {
    constexpr int kPatience = 500;  // turns before others may have the core
    for (int turns = 0; !test(); ++turns) {
      if (turns > kPatience) std::this_thread::yield();
    }
  }

  bool test() override {
    const bool near_done = near_->advance(number_);
    return far_.test() && near_done;
  }

 private:
  IsendIrecv far_;
  std::shared_ptr<NodeTraffic> near_;
  std::size_t number_;
};

}  // namespace

Rounds shared_rounds(const Communicator& comm, Program& program,
                     const std::vector<schedule::Buffer>& buffers) {
  const auto tag = comm.new_tag();  // before anything may fail on this rank alone
  const auto node = comm.node();
  const auto folded =
      fold_copies(program, buffers, [&](Rank rank) { return node->node_rank_of(rank) != kNone; });
  const auto near = std::make_shared<NodeTraffic>(comm, program.rounds, folded, buffers.size());
  Rounds made;
  for (std::size_t r = 0; r < program.rounds.size(); ++r) {
    made.push_back(std::make_unique<Shared>(comm, between_nodes(*node, program.rounds[r]), tag, near, r));
  }
  return made;
}

}  // namespace halcyon::comm
