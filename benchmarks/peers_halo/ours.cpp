#include "exchanger.hpp"
#include "halcyon/comm/node.hpp"
#include "halcyon/halo/halo.hpp"

namespace halcyon::peers {

namespace {

class HalcyonExchanger final : public Exchanger {
 public:
  HalcyonExchanger(const Task& task, comm::Method method, comm::BufferPlacement placement)
      : halo_(task.comm, task.part, {{0, task.item_bytes()}}, method, placement) {
    if (placement == comm::BufferPlacement::node_memory) {
      shared_ = comm::NodeMemory(task.comm, task.field_bytes());
      field_ = shared_.bytes();
    } else {
      private_.resize(static_cast<std::size_t>(task.field_bytes()));
      field_ = private_;
    }
  }
  std::span<std::byte> field() override { return field_; }
  void exchange() override { halo_.start({&field_, 1}).wait(); }
  std::string description() const override { return halo_.description(); }

 private:
  halo::Halo halo_;
  comm::NodeMemory shared_;
  std::vector<std::byte> private_;
  std::span<std::byte> field_;
};

}  // namespace

std::unique_ptr<Exchanger> halcyon_exchanger(const Task& task, const std::string& name) {
  const auto method = comm::method_named(name);
  const bool in_node_memory = method == comm::method_named("shared") || method == comm::method_named("auto");
  return std::make_unique<HalcyonExchanger>(
      task, method, in_node_memory ? comm::BufferPlacement::node_memory : comm::BufferPlacement::anywhere);
}

}  // namespace halcyon::peers
