#pragma once

#include <bit>
#include <cstdint>

#include "halcyon/base/index.hpp"
#include "halcyon/network/engine/pool.hpp"

namespace halcyon::network {

/// Up to 64 receives of messages of one size, from sources first, first + stride, ...
struct Run {
  std::int64_t bytes = 0;
  std::uint64_t open = 0;  ///< bit i: the one from first + i stride has not come yet
  Rank first = kNone;
  std::int32_t stride = 1;
  std::uint32_t next = kNobody;
  std::int32_t count = 0;

  /// Takes one more in, where it continues the run.
  bool append(Rank source, std::int64_t size) {
    if (count == 0) {
      *this = {.bytes = size, .first = source, .next = next};
    } else {
      if (size != bytes || count == 64) return false;
      if (count == 1) stride = source - first;
      if (stride == 0 || source != first + count * stride) return false;
    }
    open |= std::uint64_t{1} << count++;
    return true;
  }

  /// The bit of an open receive of that message; 0 where there is none.
  std::uint64_t match(Rank source, std::int64_t size) const {
    if (size != bytes || open == 0) return 0;
    const auto ahead = source - first;
    if (ahead == 0) return open & 1;
    const auto i = ahead / stride;
    return i > 0 && i < count && i * stride == ahead ? open & (std::uint64_t{1} << i) : 0;
  }
};

/// The receives of a round, as few numbers: those of an all-to-all take half a byte each.
class Receives {
 public:
  void add(Pool<Run>& runs, Rank source, std::int64_t bytes) {
    if (last(runs).append(source, bytes)) return;
    const auto fresh = runs.take();
    runs[fresh].append(source, bytes);
    last(runs).next = fresh;
    last_ = fresh;
  }

  /// Whether the message is awaited.
  bool awaits(const Pool<Run>& runs, Rank source, std::int64_t bytes) const {
    const auto matches = [&](const Run& run) { return run.match(source, bytes) != 0; };
    if (matches(first_)) return true;
    for (auto at = first_.next; at != kNobody; at = runs[at].next) {
      if (matches(runs[at])) return true;
    }
    return false;
  }

  /// Ticks the message off. Says whether it was awaited.
  bool tick_off(Pool<Run>& runs, Rank source, std::int64_t bytes) {
    for (auto* run = &first_;; run = &runs[run->next]) {
      if (const auto bit = run->match(source, bytes)) {
        run->open &= ~bit;
        return true;
      }
      if (run->next == kNobody) return false;
    }
  }

  void clear(Pool<Run>& runs) {
    for (auto at = first_.next; at != kNobody;) {
      const auto next = runs[at].next;
      runs.give_back(at);
      at = next;
    }
    first_ = {};
    last_ = kNobody;
  }

  /// Calls see(source, bytes) for what has not come.
  template <class See>
  void each_open(const Pool<Run>& runs, See see) const {
    for (const auto* run = &first_;; run = &runs[run->next]) {
      for (auto open = run->open; open != 0; open &= open - 1) {
        see(run->first + std::countr_zero(open) * run->stride, run->bytes);
      }
      if (run->next == kNobody) return;
    }
  }

 private:
  Run& last(Pool<Run>& runs) { return last_ == kNobody ? first_ : runs[last_]; }

  Run first_;
  std::uint32_t last_ = kNobody;
};

}  // namespace halcyon::network
