#include "halcyon/network/topology/graph.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>

#include "halcyon/base/error.hpp"

namespace halcyon::network {
namespace {

constexpr std::uint8_t kUnreached = 255;
constexpr int kMaxDistance = 100;  // so that the channels of a route with two legs fit into 8 bits

void require_valid(const Cable& cable, std::size_t number, Switch n_switches, std::size_t n_kinds) {
  for (const Switch end : {cable.a, cable.b})
    require<InputError>(end >= 0 && end < n_switches,
                        "Cable {} ends at switch {}, but the switches are 0 to {}.", number, end,
                        n_switches - 1);
  require<InputError>(cable.a != cable.b, "Cable {} connects switch {} with itself. Leave it out.", number,
                      cable.a);
  require<InputError>(cable.kind >= 0 && static_cast<std::size_t>(cable.kind) < n_kinds,
                      "Cable {} is of kind {}, but the kinds are 0 to {}.", number, cable.kind, n_kinds - 1);
}

}  // namespace

Graph::Graph(std::vector<std::int32_t> nodes, const std::vector<Cable>& cables,
             std::vector<std::string> kinds) {
  n_switches_ = static_cast<Switch>(nodes.size());
  kinds_ = std::move(kinds);
  require<ConfigError>(std::ssize(nodes) <= kMaxSwitches,
                       "A network given by lists has {} switches, more than the maximum of {}. Describe it "
                       "as a torus, fat tree, dragonfly or HyperX.",
                       nodes.size(), kMaxSwitches);
  require<ConfigError>(std::ssize(kinds_) <= kMaxKinds,
                       "The network has {} kinds of cables, more than the maximum of {}. Use one kind for "
                       "cables of equal speed.",
                       kinds_.size(), kMaxKinds);
  for (std::size_t i = 0; i < cables.size(); ++i) require_valid(cables[i], i, n_switches_, kinds_.size());
  list_nodes(nodes);
  list_links(cables);
  distances_.assign(nodes.size() * nodes.size(), kUnreached);
  for (Switch to = 0; to < n_switches_; ++to) compute_distances_to(to);
}

std::string Graph::name() const {
  return fmt::format("network of {}, {} and {}", count_with_noun(n_switches_, "switch", "es"),
                     count_with_noun(std::ssize(links_) / 2, "cable"), count_with_noun(n_nodes(), "node"));
}

void Graph::list_nodes(const std::vector<std::int32_t>& nodes) {
  std::int64_t total = 0;
  for (Switch number = 0; number < n_switches_; ++number) {
    require<InputError>(nodes[number] >= 0, "Switch {} has {} nodes. Give 0 or more.", number, nodes[number]);
    if (nodes[number] > 0) edge_switches_.push_back(number);
    total += nodes[number];
  }
  require<InputError>(total > 0, "The network of {} switches has no nodes. Add nodes to some switches.",
                      n_switches_);
  n_nodes_ = checked_count(total, "nodes");
  switch_of_node_.reserve(n_nodes_);
  for (Switch number = 0; number < n_switches_; ++number) {
    node_offsets_.push_back(node_offsets_.back() + nodes[number]);
    switch_of_node_.resize(node_offsets_.back(), number);
  }
}

void Graph::list_links(const std::vector<Cable>& cables) {
  for (const Cable& cable : cables) {
    links_.push_back({cable.a, cable.b, cable.kind});
    links_.push_back({cable.b, cable.a, cable.kind});
  }
  n_links_ = checked_count(std::ssize(links_), "links");
  std::ranges::stable_sort(links_, {},
                           [](const DirectedLink& link) { return std::pair(link.from, link.to); });
  for (Switch from = 0; from <= n_switches_; ++from)
    link_offsets_.push_back(
        static_cast<Link>(std::ranges::lower_bound(links_, from, {}, &DirectedLink::from) - links_.begin()));
}

// Breadth-first search from `to`, along the reverse direction of each link.
void Graph::compute_distances_to(Switch to) {
  std::uint8_t* hops_left = &distances_[static_cast<std::size_t>(to) * n_switches_];
  std::vector<Switch> reached{to};
  hops_left[to] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const Switch current = reached[i];
    require<InputError>(hops_left[current] <= kMaxDistance,
                        "Switch {} is more than {} links away from switch {}. Add shorter connections.",
                        current, kMaxDistance, to);
    diameter_ = std::max<int>(diameter_, hops_left[current]);
    for (Link link = link_offsets_[current]; link < link_offsets_[current + 1]; ++link) {
      const Switch next = links_[link].to;
      if (hops_left[next] != kUnreached) continue;
      hops_left[next] = static_cast<std::uint8_t>(hops_left[current] + 1);
      reached.push_back(next);
    }
  }
  const auto unreached = std::find(hops_left, hops_left + n_switches_, kUnreached) - hops_left;
  require<InputError>(unreached == n_switches_,
                      "Switch {} is not connected to switch {}. Add cables between the parts of the network.",
                      unreached, to);
}

namespace {

using Words = std::vector<std::string>;

constexpr const char* kSyntax =
    "Lines are 'switches N', 'nodes N', 'nodes SWITCH N' and 'cable A B [KIND]'; # begins a comment.";

std::optional<std::int32_t> parse_number(const std::string& word) {
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size() || number < 0) return std::nullopt;
  return number;
}

class GraphReader {
 public:
  explicit GraphReader(std::string path) : path_(std::move(path)) {}

  void parse_line(const Words& words, int line) {
    line_ = line;
    const std::string& keyword = words[0];
    const auto arguments = words.size() - 1;
    if (keyword == "switches" && arguments == 1)
      set_switch_count(argument(words[1]));
    else if (keyword == "nodes" && arguments == 1)
      std::ranges::fill(node_counts(), argument(words[1]));
    else if (keyword == "nodes" && arguments == 2)
      node_counts()[switch_number(words[1])] = argument(words[2]);
    else if (keyword == "cable" && (arguments == 2 || arguments == 3))
      add_cable(switch_number(words[1]), switch_number(words[2]), arguments == 3 ? words[3] : "cable");
    else
      throw InputError(fmt::format("{}:{}: unknown line '{}'. {}", path_, line_, keyword, kSyntax));
  }

  Graph graph() {
    require<InputError>(nodes_.has_value(), "{} has no line 'switches N'. {}", path_, kSyntax);
    if (kinds_.empty()) kinds_.emplace_back("cable");
    try {
      return {*nodes_, cables_, kinds_};
    } catch (const Error& error) {  // an error of the network as a whole, reported at its first line
      throw InputError(fmt::format("{}:{}: {}", path_, switches_line_, error.what()));
    }
  }

 private:
  std::int32_t argument(const std::string& word) const {
    const auto value = parse_number(word);
    require<InputError>(value.has_value(), "{}:{}: '{}' is not a non-negative integer. {}", path_, line_,
                        word, kSyntax);
    return *value;
  }

  void set_switch_count(std::int32_t n) {
    require<InputError>(!nodes_.has_value(),
                        "{}:{}: the number of switches is given twice, first in line {}.", path_, line_,
                        switches_line_);
    require<InputError>(n >= 1 && n <= Graph::kMaxSwitches,
                        "{}:{}: the number of switches is {}. Give 1 to {}.", path_, line_, n,
                        Graph::kMaxSwitches);
    nodes_.emplace(n, 0);
    switches_line_ = line_;
  }

  void add_cable(Switch a, Switch b, const std::string& kind_name) {
    require<InputError>(a != b, "{}:{}: the cable connects switch {} with itself. Leave it out.", path_,
                        line_, a);
    cables_.push_back({a, b, find_or_add_kind(kind_name)});
  }

  std::vector<std::int32_t>& node_counts() {
    require<InputError>(nodes_.has_value(), "{}:{}: a line 'switches N' must come first. {}", path_, line_,
                        kSyntax);
    return *nodes_;
  }

  Switch switch_number(const std::string& word) {
    const Switch value = argument(word);
    require<InputError>(value < std::ssize(node_counts()), "{}:{}: there is no switch {}, only 0 to {}.",
                        path_, line_, value, node_counts().size() - 1);
    return value;
  }

  std::int32_t find_or_add_kind(const std::string& name) {
    const auto index = std::ranges::find(kinds_, name) - kinds_.begin();
    if (index < std::ssize(kinds_)) return static_cast<std::int32_t>(index);
    require<InputError>(
        index < Graph::kMaxKinds,
        "{}:{}: '{}' exceeds the maximum of {} kinds of cables. Use one kind for cables of equal speed.",
        path_, line_, name, Graph::kMaxKinds);
    kinds_.push_back(name);
    return static_cast<std::int32_t>(index);
  }

  std::string path_;
  int line_ = 0, switches_line_ = 0;
  std::optional<std::vector<std::int32_t>> nodes_;  // nodes_[switch]: number of nodes of the switch
  std::vector<Cable> cables_;
  std::vector<std::string> kinds_;
};

}  // namespace

Choices Graph::choices() {
  return {{{.name = "graph",
            .text = "Any network, read from a file.",
            .options = {type_option("graph", "Type of network: read from a file."),
                        {.name = "file",
                         .value = std::string(),
                         .text = "File of the network's switches and cables.",
                         .allowed = "the name of a file",
                         .required = true}}},
           [](const options::Values& values) -> std::unique_ptr<Topology> {
             return std::make_unique<Graph>(read_graph(std::get<std::string>(values.at("file"))));
           }}};
}

Graph read_graph(const std::string& path) {
  std::ifstream in(path);
  require<InputError>(in.good(), "Cannot read the network file {}. Check the path and its permissions.",
                      path);
  GraphReader reader(path);
  std::string line;
  for (int line_number = 1; std::getline(in, line); ++line_number) {
    std::istringstream text(line.substr(0, line.find('#')));
    const Words words{std::istream_iterator<std::string>(text), {}};
    const auto is_text = [](char c) { return static_cast<unsigned char>(c) >= ' ' || std::isspace(c) != 0; };
    require<InputError>(std::ranges::all_of(line, is_text), "{}:{}: not a text file. {}", path, line_number,
                        kSyntax);
    if (!words.empty()) reader.parse_line(words, line_number);
  }
  return reader.graph();
}

}  // namespace halcyon::network
