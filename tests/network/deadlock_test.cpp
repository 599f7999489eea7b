#include <map>
#include <set>

#include "networks.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::network;
using test::for_all_routes;
using test::in_process;

namespace {

/// Dependency graph of resources (a channel of a link): an edge leads from each resource that a packet holds
/// to the next resource of its route, for which the packet waits. A cycle could be a deadlock.
class Dependencies {
 public:
  void add(const std::vector<Hop>& route) {
    for (std::size_t i = 1; i < route.size(); ++i)
      waits_[{route[i - 1].link, route[i - 1].channel}].insert({route[i].link, route[i].channel});
  }

  bool are_acyclic() {
    for (const auto& [resource, awaited] : waits_)
      if (!is_acyclic_from(resource)) return false;
    return true;
  }

 private:
  using Resource = std::pair<Link, int>;

  /// Whether no path from a resource reaches a cycle.
  bool is_acyclic_from(const Resource& resource) {
    const auto [seen, is_new] = state_.try_emplace(resource, 1);
    if (!is_new) return seen->second == 2;
    if (const auto found = waits_.find(resource); found != waits_.end())
      for (const Resource& next : found->second)
        if (!is_acyclic_from(next)) return false;
    state_[resource] = 2;
    return true;
  }

  std::map<Resource, std::set<Resource>> waits_;
  std::map<Resource, int> state_;  ///< 1: on the current path of the search, 2: done
};

}  // namespace

TEST_CASE("routing: what waits for what has no cycle" * in_process()) {
  for (const auto& topology : test::small_networks())
    for (const Method method : test::methods_of(*topology)) {
      INFO(topology->name(), ", ", name_of(method));
      Dependencies dependencies;
      for_all_routes(*make_routing(*topology, method), test::UnevenLoads(),
                     [&](Node, Node, const std::vector<Hop>& hops) { dependencies.add(hops); });
      CHECK(dependencies.are_acyclic());
    }
}

TEST_CASE("routing: without its channels a ring has a cycle, and the test sees it" * in_process()) {
  const Torus ring({5}, 1);
  Dependencies dependencies;
  for_all_routes(*make_routing(ring, Method::minimal), NoLinkLoads(), [&](Node, Node, std::vector<Hop> hops) {
    for (Hop& hop : hops) hop.channel = 0;
    dependencies.add(hops);
  });
  CHECK_FALSE(dependencies.are_acyclic());
}
