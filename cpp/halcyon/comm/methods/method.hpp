#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "halcyon/options/option.hpp"

namespace halcyon::schedule {
struct Buffer;
}

namespace halcyon::comm {

class Communicator;
class Round;
struct Program;

using Rounds = std::vector<std::unique_ptr<Round>>;

/// Collective. Creates the rounds of a rank, in the order in which they start. Removes from the
/// program the copies that the method makes itself.
/// @param buffers of the schedule
/// @throws ConfigError, on all ranks, if the method does not support the schedule
using MakeRounds = Rounds (*)(const Communicator& comm, Program& program,
                              const std::vector<schedule::Buffer>& buffers);

struct MethodTraits {
  bool overlaps = false;        ///< messages may arrive between start and wait, while the rank computes
  bool collective = false;      ///< a round is one collective; it is blocking in `start` unless it overlaps
  bool in_node_memory = false;  ///< fields in NodeMemory are not packed
};

/// Registry entry of an exchange method, which determines how the messages of a round are sent. A method is
/// declared with its rounds, and listed in method.cpp. It supports all exchanges, or "halos" only
/// (`goes_with`).
struct MethodEntry : options::RegistryEntry, MethodTraits {
  MakeRounds make_rounds = nullptr;  ///< null: measurements at set-up choose one of the others
};

/// An element of methods().
using Method = const MethodEntry*;

/// All methods, in the order of the docs.
const std::vector<MethodEntry>& methods();

/// @throws ConfigError that lists the methods
Method method_named(std::string_view name);

}  // namespace halcyon::comm
