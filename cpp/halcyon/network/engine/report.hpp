#pragma once

#include <vector>

#include "halcyon/network/engine/engine.hpp"
#include "halcyon/network/engine/ranks.hpp"

namespace halcyon::network {

/// @throws InputError that names ranks and messages, unless all ranks are done and nothing is left over
void require_finished(const World& world, const std::vector<Ranks*>& parts);

/// Writes what has been counted.
void report(World& world, const std::vector<Ranks*>& parts, Result& result);

}  // namespace halcyon::network
