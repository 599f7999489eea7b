#pragma once

#include <optional>
#include <string>
#include <vector>

#include "halcyon/capi/guard.hpp"
#include "halcyon/capi/halcyon.h"
#include "halcyon/transform/plane/bifourier.hpp"
#include "halcyon/transform/sphere/transform.hpp"

// What stands behind the handles of grids, transforms and bifouriers in halcyon.h.

namespace halcyon::capi {

/// That share a transform.
struct Ranks {
  comm::Communicator comm;
  comm::Core core;          ///< of threads
  std::string algorithm{};  ///< that tuning chose
};

}  // namespace halcyon::capi

struct halcyon_grid {
  halcyon::transform::Grid grid;
};

struct halcyon_transform {
  explicit halcyon_transform(halcyon::transform::Transform made,
                             std::optional<halcyon::capi::Ranks> ranks = {})
      : transform(std::move(made)), over(std::move(ranks)) {
    const int last = transform.triangle().last;
    const auto& sets = transform.sets();
    points = sets.points(transform.v(), transform.w());
    for (const int m : sets.wavenumbers(transform.w()))
      for (int n = m; n <= last; ++n) wavenumbers.push_back(m), degrees.push_back(n);
  }

  halcyon::transform::Transform transform;
  std::optional<halcyon::capi::Ranks> over;
  std::vector<std::int64_t> points{};
  std::vector<std::int32_t> wavenumbers{}, degrees{};
};

struct halcyon_bifourier {
  explicit halcyon_bifourier(halcyon::transform::Bifourier made,
                             std::optional<halcyon::capi::Ranks> ranks = {})
      : transform(std::move(made)), over(std::move(ranks)) {
    const auto& sets = transform.sets();
    points = sets.points(transform.v(), transform.w());
    for (const auto& wave : sets.waves(transform.v(), transform.w()))
      m.push_back(wave.m), n.push_back(wave.n);
  }

  halcyon::transform::Bifourier transform;
  std::optional<halcyon::capi::Ranks> over;
  std::vector<std::int64_t> points{};
  std::vector<std::int32_t> m{}, n{};
};
