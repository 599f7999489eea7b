#include <map>
#include <set>

#include "networks.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::network;
using test::in_process;
using test::walk_all;

namespace {

/// Dependency graph of links and channels: an edge from each resource that a packet holds to the one it waits
/// for.
class Dependencies {
 public:
  void add(const std::vector<Hop>& route) {
    for (std::size_t i = 1; i < route.size(); ++i)
      waits_[{route[i - 1].link, route[i - 1].channel}].insert({route[i].link, route[i].channel});
  }

  bool are_acyclic() {
    for (const auto& [resource, next] : waits_)
      if (!ends(resource)) return false;
    return true;
  }

 private:
  using Resource = std::pair<Link, int>;

  bool ends(const Resource& resource) {
    const auto [seen, is_new] = state_.try_emplace(resource, 1);
    if (!is_new) return seen->second == 2;
    if (const auto at = waits_.find(resource); at != waits_.end())
      for (const Resource& next : at->second)
        if (!ends(next)) return false;
    state_[resource] = 2;
    return true;
  }

  std::map<Resource, std::set<Resource>> waits_;
  std::map<Resource, int> state_;  // 1: on the current path of the search, 2: done
};

}  // namespace

TEST_CASE("routing: what waits for what has no cycle" * in_process()) {
  for (const auto& topology : test::small_networks())
    for (const Method method : test::methods_of(*topology)) {
      INFO(topology->name(), ", ", name_of(method));
      Dependencies dependencies;
      walk_all(*make_routing(*topology, method), test::UnevenLoads(),
               [&](Node, Node, const std::vector<Hop>& hops) { dependencies.add(hops); });
      CHECK(dependencies.are_acyclic());
    }
}

TEST_CASE("routing: without its channels a ring has a cycle, and the test sees it" * in_process()) {
  const Torus ring({5}, 1);
  Dependencies dependencies;
  walk_all(*make_routing(ring, Method::minimal), NoLinkLoads(), [&](Node, Node, std::vector<Hop> hops) {
    for (Hop& hop : hops) hop.channel = 0;
    dependencies.add(hops);
  });
  CHECK_FALSE(dependencies.are_acyclic());
}
