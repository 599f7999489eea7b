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

/// Collective. Makes a rank's rounds ready, in the order in which they start. Copies that the method does
/// itself leave the program.
/// @param buffers of the schedule
/// @throws ConfigError, on all ranks, where the method cannot carry them
using MakeRounds = Rounds (*)(const Communicator& comm, Program& program,
                              const std::vector<schedule::Buffer>& buffers);

struct MethodTraits {
  bool overlaps = false;        ///< messages may come between start and wait, while the rank computes
  bool collective = false;      ///< a round is one collective; without overlap all of it happens in start
  bool in_node_memory = false;  ///< fields that lie in NodeMemory are not packed
};

/// How the messages of a round travel. A method is declared once, beside its rounds, and listed in
/// method.cpp. It goes with any exchange, or with "halos" only.
struct MethodEntry : options::Choice, MethodTraits {
  MakeRounds make_rounds = nullptr;  ///< none: measurements at set-up choose among the others
};

/// One of methods().
using Method = const MethodEntry*;

/// All methods, in the order in which users see them.
const std::vector<MethodEntry>& methods();

/// @throws ConfigError that lists the methods
Method method_named(std::string_view name);

}  // namespace halcyon::comm
