// Simulated times of schedules on a fat tree by SimGrid's S4U (Casanova et al. 2014), for simgrid.py.
//
//   simgrid DOWN UP BANDWIDTH LATENCY WORKLOAD BYTES [--cfg=...]
//
// DOWN, UP: ports of the switches of each level, as in Halcyon's FatTree, such as 4,4 and 4 ("-" for none).
// All links, including node links, have BANDWIDTH [B s-1] in each direction and LATENCY [s]. WORKLOAD: `pair`
// (one message, from the first node to the last), `ring` (all-to-all; in round i each node sends to node +
// i), `allreduce` (recursive doubling; the number of nodes is a power of two). Prints the simulated time and
// the CPU time of the simulation [s].

#include <cstdio>
#include <ctime>
#include <functional>
#include <simgrid/s4u.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace sg = simgrid::s4u;

namespace {

using Numbers = std::vector<unsigned int>;

/// The numbers of a list such as 4,4; "-" is an empty list.
Numbers numbers(const std::string& list) {
  Numbers result;
  std::istringstream words(list == "-" ? "" : list);
  for (std::string word; std::getline(words, word, ',');) result.push_back(std::stoul(word));
  return result;
}

/// Adds a fat tree, whose nodes have one port up each. @returns the number of nodes
int add_tree(const Numbers& down, Numbers up, double bandwidth, double latency) {
  up.insert(up.begin(), 1);
  int n_nodes = 0;
  const auto node = [&n_nodes](sg::NetZone* zone, const std::vector<unsigned long>&, unsigned long) {
    auto* host = zone->create_host("node-" + std::to_string(n_nodes++), 1e9);
    return std::make_pair(host->get_netpoint(), static_cast<simgrid::kernel::routing::NetPoint*>(nullptr));
  };
  const unsigned int n_levels = down.size();
  sg::create_fatTree_zone("tree", nullptr, {n_levels, down, up, Numbers(n_levels, 1)},
                          sg::ClusterCallbacks(node), bandwidth, latency,
                          sg::Link::SharingPolicy::SPLITDUPLEX)
      ->seal();
  return n_nodes;
}

sg::CommPtr send(int from, int to, double bytes) {
  static int data = 0;
  auto* mailbox = sg::Mailbox::by_name(std::to_string(from) + " to " + std::to_string(to));
  return mailbox->put_async(&data, static_cast<uint64_t>(bytes));
}

sg::CommPtr receive(int from, int to) {
  static int* data = nullptr;
  return sg::Mailbox::by_name(std::to_string(from) + " to " + std::to_string(to))->get_async<int>(&data);
}

void exchange(int rank, int to, int from, double bytes) {
  auto in = receive(from, rank);
  auto out = send(rank, to, bytes);
  in->wait();
  out->wait();
}

void pair(int rank, int n, double bytes) {
  if (rank == 0) send(0, n - 1, bytes)->wait();
  if (rank == n - 1) receive(0, n - 1)->wait();
}

void ring(int rank, int n, double bytes) {
  for (int i = 1; i < n; ++i) exchange(rank, (rank + i) % n, (rank - i + n) % n, bytes);
}

void allreduce(int rank, int n, double bytes) {
  for (int distance = 1; distance < n; distance *= 2) exchange(rank, rank ^ distance, rank ^ distance, bytes);
}

}  // namespace

int main(int argc, char** argv) {
  sg::Engine engine(&argc, argv);
  const std::string workload = argv[5];
  const double bytes = std::stod(argv[6]);
  const int n = add_tree(numbers(argv[1]), numbers(argv[2]), std::stod(argv[3]), std::stod(argv[4]));
  const auto work = workload == "pair" ? pair : workload == "ring" ? ring : allreduce;
  for (int rank = 0; rank < n; ++rank) {
    auto* host = engine.host_by_name("node-" + std::to_string(rank));
    sg::Actor::create(std::to_string(rank), host, [=] { work(rank, n, bytes); });
  }
  const auto before = std::clock();
  engine.run();
  std::printf("%.12e %.6f\n", sg::Engine::get_clock(),
              static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
}
