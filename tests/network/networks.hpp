#pragma once

#include <memory>
#include <string>
#include <vector>

#include "halcyon/network/routing/topology_routing.hpp"

namespace halcyon::test {

using network::Arrangement;
using network::Method;
using network::Topology;

using Networks = std::vector<std::unique_ptr<Topology>>;

/// Appends a network that is built from the arguments.
template <class Network, class... Args>
void add(Networks& networks, Args... args) {
  networks.push_back(std::make_unique<Network>(std::move(args)...));
}

/// A ring of five switches with a chord and a doubled cable; switch 2 has no nodes.
inline network::Graph ring_with_chord() {
  using network::Cable;
  const std::vector<Cable> cables{{0, 1, 0}, {1, 2, 0}, {2, 3, 0}, {3, 4, 0},
                                  {4, 0, 0}, {1, 3, 1}, {3, 4, 0}};
  return {{2, 1, 0, 1, 2}, cables, {"ring", "chord"}};
}

/// Small networks of every type: with sizes of one and two, uneven sizes and surplus links.
inline Networks small_networks() {
  using namespace network;
  using Sizes = std::vector<std::int32_t>;
  Networks all;
  for (const Sizes& sizes : {Sizes{5}, Sizes{2, 1, 3}, Sizes{4, 3}, Sizes{3, 4, 5}, Sizes{2, 2, 2, 2}}) {
    add<Torus>(all, sizes, 2);
    add<HyperX>(all, sizes, 2);
  }
  add<HyperX>(all, Sizes{1}, 3);
  add<FatTree>(all, Sizes{3}, Sizes{});
  add<FatTree>(all, Sizes{2, 2, 2}, Sizes{2, 2});
  add<FatTree>(all, Sizes{4, 3, 2}, Sizes{2, 3});
  add<FatTree>(all, Sizes{2, 3, 2, 4}, Sizes{3, 1, 2});
  all.push_back(std::make_unique<FatTree>(FatTree::of_radix(3, 4)));
  for (const auto arrangement : {Arrangement::absolute, Arrangement::relative, Arrangement::circulant})
    for (const DragonflyShape& shape :
         {DragonflyShape{{4}, 5, 1, 2}, DragonflyShape{{4}, 9, 2, 2}, DragonflyShape{{3, 2}, 5, 2, 1},
          DragonflyShape{{2, 3}, 4, 3, 2}, DragonflyShape{{1}, 6, 5, 2}, DragonflyShape{{2, 2}, 6, 2, 1},
          DragonflyShape{{3}, 1, 0, 2}}) {
      DragonflyShape arranged = shape;
      arranged.arrangement = arrangement;
      add<Dragonfly>(all, arranged);
    }
  all.push_back(std::make_unique<Graph>(ring_with_chord()));
  return all;
}

/// The routing methods that a topology supports.
inline std::vector<Method> methods_of(const Topology& topology) {
  std::vector<Method> methods{Method::minimal, Method::valiant, Method::ugal, Method::ugal_g,
                              Method::ugal_of_sstmacro};
  if (dynamic_cast<const network::FatTree*>(&topology))
    methods.insert(methods.end(), {Method::d_mod_k, Method::adaptive});
  return methods;
}

/// Pseudo-random queue lengths, so that UGAL takes both minimal and non-minimal routes.
class UnevenLoads final : public network::LinkLoads {
 public:
  double queue(network::Link link) const override {
    return static_cast<double>(network::random_number(7, static_cast<std::uint32_t>(link), 0) % 16);
  }
};

/// The hops of a message from the switch of its source to the switch of its target; stops after 200 hops.
inline std::vector<network::Hop> hops_between(const network::Routing& routing, network::Node source,
                                              network::Node target, std::uint32_t flow,
                                              const network::LinkLoads& loads = network::NoLinkLoads()) {
  network::Route route{.source = source, .target = target, .path_selector = flow};
  routing.start(route, loads);
  std::vector<network::Hop> hops;
  network::Switch current = routing.topology().switch_of(source);
  while (!route.has_arrived(current) && hops.size() <= 200) {
    const auto hop = routing.next(current, route);
    hops.push_back(routing.adapt(current, route, hop, loads));
    current = routing.topology().ends(hops.back().link).to;
  }
  return hops;
}

/// Calls visit(source, target, hops) for messages between all pairs of nodes, six per pair.
template <class Visit>
void for_all_routes(const network::Routing& routing, const network::LinkLoads& loads, Visit visit) {
  const network::Node n = routing.topology().n_nodes();
  for (network::Node source = 0; source < n; ++source)
    for (network::Node target = 0; target < n; ++target)
      for (std::uint32_t flow = 0; flow < 6; ++flow)
        visit(source, target, hops_between(routing, source, target, flow, loads));
}

}  // namespace halcyon::test
