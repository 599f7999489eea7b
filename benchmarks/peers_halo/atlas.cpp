#include <atlas/array.h>
#include <atlas/library/Library.h>
#include <atlas/parallel/HaloExchange.h>
#include <eckit/runtime/Main.h>

#include "exchanger.hpp"

namespace halcyon::peers {

namespace {

void start_atlas() {
  static char name[] = "exchanges";
  static char* arguments[] = {name, nullptr};
  eckit::Main::initialise(1, arguments);
  atlas::Library::instance().initialise(1, arguments);
}

template <class Number>
class AtlasExchanger final : public Exchanger {
 public:
  explicit AtlasExchanger(const Task& task) : field_(static_cast<std::size_t>(task.field_bytes())) {
    const auto n_cells = task.part.cells().size();
    array_.reset(atlas::array::Array::wrap(reinterpret_cast<Number*>(field_.data()),
                                           atlas::array::make_shape(n_cells, task.n_values)));
    const std::vector<atlas::idx_t> indices(task.owner_indices.begin(), task.owner_indices.end());
    exchange_.setup(task.owners.data(), indices.data(), 0, n_cells);
  }
  std::span<std::byte> field() override { return field_; }
  void exchange() override { exchange_.execute<Number, 2>(*array_); }
  std::string description() const override { return "Atlas"; }

 private:
  std::vector<std::byte> field_;
  std::unique_ptr<atlas::array::Array> array_;
  atlas::parallel::HaloExchange exchange_;
};

}  // namespace

std::unique_ptr<Exchanger> atlas_exchanger(const Task& task) {
  start_atlas();
  if (task.single) return std::make_unique<AtlasExchanger<float>>(task);
  return std::make_unique<AtlasExchanger<double>>(task);
}

}  // namespace halcyon::peers
