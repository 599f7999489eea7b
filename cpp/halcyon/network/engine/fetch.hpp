#pragma once

#include <cstddef>

namespace halcyon::network {

/// Asks for the lines that a record lies in, to be written.
template <class State>
void fetch_lines(const State& state) {
  const auto* bytes = reinterpret_cast<const char*>(&state);
  for (std::size_t at = 0; at < sizeof(State); at += 64) __builtin_prefetch(bytes + at, 1);
  if constexpr (alignof(State) < 64 && alignof(State) < sizeof(State))
    __builtin_prefetch(bytes + sizeof(State) - 1, 1);
}

}  // namespace halcyon::network
