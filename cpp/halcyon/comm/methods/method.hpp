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

/// Collective. Creates the rounds of this rank, in the order of their starts. Removes from the program the
/// copies that the method makes itself.
/// @param buffers all buffers of the schedule
/// @throws ConfigError, on all ranks, if the method does not support the schedule
using MakeRounds = Rounds (*)(const Communicator& comm, Program& program,
                              const std::vector<schedule::Buffer>& buffers);

struct MethodTraits {
  bool overlaps = false;    ///< messages can arrive while the rank computes between start and wait
  bool collective = false;  ///< a round is one MPI collective, which blocks in `start` unless `overlaps`
  bool copies_from_node_memory = false;  ///< receivers copy fields in NodeMemory directly, without packing
};

/// Registry entry of an exchange method, which determines the MPI calls that send and receive the messages of
/// a round; defined next to its Round class. All support halo exchanges and transpositions; case files offer
/// those with the trait "halos_only" for halos alone; `auto` leaves out those with "by_name_only".
struct MethodEntry : options::RegistryEntry, MethodTraits {
  MakeRounds make_rounds = nullptr;  ///< null: the method `auto`, which measures and chooses
};

using Method = const MethodEntry*;  ///< an element of methods()

/// All methods, in the order of the docs.
const std::vector<MethodEntry>& methods();

/// @throws ConfigError that lists the methods
Method method_named(std::string_view name);

}  // namespace halcyon::comm
