#include <fstream>

#include "halcyon/base/error.hpp"
#include "halcyon/network/machine.hpp"
#include "halcyon/network/topology/topologies.hpp"
#include "networks.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::network;
using test::in_process;

namespace {

/// A network file, deleted by the destructor.
class File {
 public:
  explicit File(const std::string& text) { std::ofstream(path) << text; }
  ~File() { std::remove(path.c_str()); }
  const std::string path = "network_of_a_test.txt";
};

}  // namespace

TEST_CASE("network: sizes that make none" * in_process()) {
  CHECK_THROWS_WITH_AS(Torus({4, 0, 3}, 1), "The size of dimension 2 of 3 is 0. Give 1 or more.",
                       ConfigError);
  CHECK_THROWS_WITH_AS(HyperX({}, 1), "The network has 0 dimensions. Give the sizes of 1 to 64 dimensions.",
                       ConfigError);
  CHECK_THROWS_WITH_AS(Torus({4}, 0), "A switch has 0 nodes. Give 1 or more.", ConfigError);
  CHECK_THROWS_WITH_AS(
      Torus({50000, 50000}, 1),
      "The network would have 2500000000 switches, more than the maximum of 2147483647. Make it smaller.",
      ConfigError);
  CHECK_THROWS_AS(HyperX({30000, 30000}, 1), ConfigError);
  CHECK_THROWS_AS(Torus({40000, 40000}, 2), ConfigError);
}

TEST_CASE("network: names of one and of many" * in_process()) {
  CHECK(Torus({4, 4}, 1).name() == "torus 4 x 4 with 1 node per switch");
  CHECK(HyperX({3, 2}, 2).name() == "HyperX 3 x 2 with 2 nodes per switch");
  CHECK(HyperX({1}, 100).name() == "crossbar of 100 nodes");
  CHECK(HyperX({1, 1}, 1).name() == "crossbar of 1 node");
  CHECK(FatTree({1}, {}).name() == "single switch with 1 node");
  CHECK(Graph({1, 0}, {{0, 1}}).name() == "network of 2 switches, 1 cable and 1 node");
  CHECK(Graph({2}, {}).name() == "network of 1 switch, 0 cables and 2 nodes");
  CHECK(Dragonfly({{1}, 2, 1, 1}).name() ==
        "dragonfly of 2 groups of 1 switch, 1 global link (absolute) and 1 node per switch");
  CHECK(Dragonfly({{3, 2}, 1, 2, 4}).name() ==
        "dragonfly of 1 group of 3 x 2 switches, 2 global links (absolute) and 4 nodes per switch");
}

TEST_CASE("network: fat trees that are none" * in_process()) {
  CHECK_THROWS_WITH_AS(
      FatTree({2, 2}, {2, 2}),
      "up has 2 entries, but a fat tree of 2 levels needs 1: one per level except the highest.", ConfigError);
  CHECK_THROWS_WITH_AS(FatTree({2, 0}, {2}), "The number of down-ports of level 2 of 2 is 0. Give 1 or more.",
                       ConfigError);
  CHECK_THROWS_AS(FatTree({}, {}), ConfigError);
  CHECK_THROWS_WITH_AS(FatTree::of_radix(3, 25, 4),
                       "The 25 ports of a switch cannot be divided into equal numbers of up- and down-ports. "
                       "Give an even number.",
                       ConfigError);
  CHECK_THROWS_WITH_AS(FatTree::of_radix(3, 8, 2),
                       "The 8 ports of a leaf switch cannot be divided into 2 times as many down-ports as "
                       "up-ports. Give a multiple of 3.",
                       ConfigError);
  CHECK_THROWS_AS(FatTree::of_radix(0, 8), ConfigError);
  CHECK_THROWS_AS(FatTree::of_radix(2, 8, 0), ConfigError);
}

TEST_CASE("network: dragonflies that are none" * in_process()) {
  CHECK_THROWS_WITH_AS(Dragonfly({{4}, 10, 2, 1}),
                       "A group of 4 switches with 2 global links each cannot reach 9 other groups. Give "
                       "each switch 3 or more, or use fewer groups.",
                       ConfigError);
  CHECK_THROWS_WITH_AS(Dragonfly({{2, 2, 2}, 2, 2, 1}),
                       "A dragonfly's group has 3 dimensions. Give one size (fully connected) or two.",
                       ConfigError);
  CHECK_THROWS_AS(Dragonfly({{2}, 0, 2, 1}), ConfigError);
  CHECK_THROWS_AS(Dragonfly({{2}, 2, -1, 1}), ConfigError);
}

TEST_CASE("network: lists that make none" * in_process()) {
  const std::vector<Cable> pair{{0, 1}};
  CHECK_THROWS_WITH_AS(Graph({1, 1, 1}, pair),
                       "Switch 2 is not connected to switch 0. Add cables between the parts of the network.",
                       InputError);
  CHECK_THROWS_WITH_AS(Graph({1, 1}, {{0, 2}}), "Cable 0 ends at switch 2, but the switches are 0 to 1.",
                       InputError);
  CHECK_THROWS_WITH_AS(Graph({1, 1}, {{0, 1}, {1, 1}}),
                       "Cable 1 connects switch 1 with itself. Leave it out.", InputError);
  CHECK_THROWS_WITH_AS(Graph({1, 1}, {{0, 1, 3}}), "Cable 0 is of kind 3, but the kinds are 0 to 0.",
                       InputError);
  CHECK_THROWS_WITH_AS(Graph({1, -1}, pair), "Switch 1 has -1 nodes. Give 0 or more.", InputError);
  CHECK_THROWS_AS(Graph({0, 0}, pair), InputError);
  CHECK_THROWS_AS(Graph(std::vector(20000, 1), {}), ConfigError);
  CHECK(Graph({1, 1}, pair, std::vector<std::string>(256, "kind")).kinds().size() == 256);
  CHECK_THROWS_WITH_AS(Graph({1, 1}, pair, std::vector<std::string>(257, "kind")),
                       "The network has 257 kinds of cables, more than the maximum of 256. Use one kind for "
                       "cables of equal speed.",
                       ConfigError);
  std::vector<Cable> chain;
  for (Switch i = 0; i < 150; ++i) chain.push_back({i, i + 1});
  CHECK_THROWS_WITH_AS(Graph(std::vector(151, 1), chain),
                       "Switch 101 is more than 100 links away from switch 0. Add shorter connections.",
                       InputError);
}

TEST_CASE("network: a file is read, and its mistakes are named with their line" * in_process()) {
  const File good(
      "# four in a ring\nswitches 4\nnodes 2\nnodes 3 0\ncable 0 1\ncable 1 2 # far\n"
      "\ncable 2 3 optical\ncable 3 0\n");
  const Graph graph = read_graph(good.path);
  CHECK(graph.n_nodes() == 6);
  CHECK(graph.n_links() == 8);
  CHECK(graph.kinds() == std::vector<std::string>{"cable", "optical"});
  CHECK(graph.distance(0, 2) == 2);
  const auto check_error = [](const std::string& text, const std::string& part) {
    const File file(text);
    CHECK_THROWS_WITH_AS(read_graph(file.path), doctest::Contains(part.c_str()), InputError);
  };
  check_error("switches 4\nnodes 1\ncabel 0 1\n",
              ":3: unknown line 'cabel'. Lines are 'switches N', 'nodes N'");
  check_error("switches 4\ncable 0\n", ":2: unknown line 'cable'.");
  check_error("switches 4\ncable 0 4\n", ":2: there is no switch 4, only 0 to 3.");
  check_error("switches 4\nnodes -1\n", ":2: '-1' is not a non-negative integer.");
  check_error("switches 4\nnodes 1x\n", ":2: '1x' is not a non-negative integer");
  check_error("nodes 1\n", ":1: a line 'switches N' must come first.");
  check_error("# nothing\n", "has no line 'switches N'.");
  check_error("# two\nswitches 2\nnodes 1\n", ":2: Switch 1 is not connected to switch 0.");
  check_error("switches 2\ncable 0 1\n", ":1: The network of 2 switches has no nodes.");
  check_error("switches 3\nnodes 2000000000\ncable 0 1\ncable 1 2\n",
              ":1: The network would have 6000000000 nodes");
  check_error("switches 2\nnodes 1\ncable 1 1\n", ":3: the cable connects switch 1 with itself.");
  check_error("switches 2\nnodes 1\nswitches 2\n",
              ":3: the number of switches is given twice, first in line 1.");
  check_error("switches 20000\n", ":1: the number of switches is 20000. Give 1 to 16384.");
  check_error("switches 0\n", ":1: the number of switches is 0. Give 1 to 16384.");
  std::string kinds = "switches 2\nnodes 1\n";
  for (int i = 0; i < 256; ++i) kinds += "cable 0 1 kind" + std::to_string(i) + "\n";
  CHECK(read_graph(File(kinds).path).kinds().size() == 256);
  check_error(
      kinds + "cable 0 1\n",
      ":259: 'cable' exceeds the maximum of 256 kinds of cables. Use one kind for cables of equal speed.");
  CHECK_THROWS_WITH_AS(read_graph("nowhere.txt"),
                       "Cannot read the network file nowhere.txt. Check the path and its permissions.",
                       InputError);
}

TEST_CASE("network: routings that are none" * in_process()) {
  const Torus torus({3, 3}, 1);
  CHECK_THROWS_WITH_AS(
      make_routing(torus, Method::d_mod_k),
      "Routing d_mod_k is for fat trees, but the network is a torus 3 x 3 with 1 node per switch. Use "
      "minimal, valiant or ugal.",
      ConfigError);
  CHECK_THROWS_WITH_AS(
      method_named("vali"),
      "There is no routing 'vali'. Use minimal, valiant, ugal, ugal_g, ugal_of_sstmacro, d_mod_k, adaptive.",
      ConfigError);
  CHECK(method_named("ugal_of_sstmacro") == Method::ugal_of_sstmacro);
}

TEST_CASE("network: machines that are none" * in_process()) {
  const Dragonfly dragonfly({{2}, 3, 1, 1});
  Machine machine = named_machine("reference");
  CHECK_NOTHROW(require_valid(machine, dragonfly));
  machine.links.resize(3);
  CHECK_THROWS_WITH_AS(require_valid(machine, dragonfly),
                       "The machine has 3 link speeds, but the network has 2 kinds of links: local, global. "
                       "Give one speed for all links, or one per kind.",
                       ConfigError);
  machine.links = {{.bandwidth = 1e9}, {.bandwidth = 0}};
  CHECK_THROWS_WITH_AS(require_valid(machine, dragonfly),
                       "The machine's links[1].bandwidth is 0. Give 1000 or more.", ConfigError);
  machine = {};
  machine.ejection_latency = -1;
  CHECK_THROWS_WITH_AS(require_valid(machine, dragonfly),
                       "The machine's ejection_latency is -1. Give 0 to 1000 [s].", ConfigError);
  machine = {};
  machine.packet_bytes = 0;
  CHECK_THROWS_WITH_AS(require_valid(machine, dragonfly), "The machine's packet_bytes is 0. Give 1 or more.",
                       ConfigError);
  CHECK_THROWS_WITH_AS(named_machine("fast"), "There is no machine 'fast'. Use reference, zheng2018.",
                       ConfigError);
}
