#pragma once

#include <cstddef>
#include <span>

#include "halcyon/base/timer.hpp"
#include "halcyon/halo/halo.hpp"

namespace halcyon::halo {

/// Collective. Brings the halo of fields: compute(true) runs while it travels, or after it without `overlap`,
/// and compute(false) after it.
/// @param exchange_s grows by what start and wait take [s]
template <class Compute>
void with_halo(Halo& halo, std::span<const std::span<std::byte>> fields, bool overlap, double& exchange_s,
               const Compute& compute) {
  auto pending = [&] {
    const ScopedTimer timer(exchange_s);
    return halo.start(fields);
  }();
  const auto wait = [&] {
    const ScopedTimer timer(exchange_s);
    pending.wait();
  };
  if (!overlap) wait();
  compute(true);
  if (overlap) wait();
  compute(false);
}

}  // namespace halcyon::halo
