#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "halcyon/network/engine/fetch.hpp"
#include "halcyon/network/engine/ranks.hpp"
#include "halcyon/network/engine/walk.hpp"

namespace halcyon::network {

/// What waits for a link at a moment, as time [ps].
class Queues final : public Loads {
 public:
  explicit Queues(const World& world) : world_(world) {}
  void move_to(Time now) { now_ = now; }
  double queue(Link link) const override {
    const auto waiting = world_.waiting.empty() ? 0 : world_.waiting[link];
    return static_cast<double>(std::max<Time>(world_.links[link].free - now_, 0) + waiting);
  }

 private:
  const World& world_;
  Time now_ = 0;
};

/// One part of the network: its calendar and what its fidelities share. `Self` says what becomes of a parcel
/// at its first switch (`enter`) and at a link (`cross`).
template <class Self, class R>
class Fabric {
 public:
  Fabric(World& world, const R& routing, int part, int n_parts, Gate* gate = nullptr)
      : world_(world),
        routing_(routing),
        part_(part),
        outbox_(n_parts),
        posted_{outbox_, outbox_},
        calendar_(n_parts > 1 ? world.window : width_for(world)),
        ranks_(world, calendar_, part, gate),
        queues_(world) {}

  Ranks& ranks() { return ranks_; }

  /// Leaves parcels for other parts to be collected. @returns the first window that anything here is due in
  Calendar<Parcel>::Window post(int turn) {
    auto window = calendar_.earliest();
    for (const auto& box : outbox_) {
      for (const auto& parcel : box) window = std::min(window, calendar_.window(parcel.time));
    }
    posted_[turn].swap(outbox_);
    return window;
  }
  std::vector<Parcel>& post_box(int turn, int part) { return posted_[turn][part]; }
  void collect(std::vector<Parcel>& box) {
    for (const auto& parcel : box) calendar_.push(parcel);
    box.clear();
  }

  /// Deals with all parcels of a window.
  void run(Calendar<Parcel>::Window window) {
    calendar_.open(window, [this](const Parcel& parcel) { fetch(parcel); });
    const bool is_long = calendar_.is_long();
    auto& events = ranks_.tally().counts.events;
    while (const Parcel* parcel = calendar_.pop()) {
      if (is_long) {
        calendar_.fetch(8 * kAhead);
        if (const Parcel* later = calendar_.ahead(kAhead)) fetch(*later);
      }
      if (const Parcel* soon = calendar_.ahead(kSoon)) fetch_early(*soon);
      ++events;
      self().take(*parcel);
    }
  }

  void take(const Parcel& parcel) {
    if (parcel.kind == Kind::resume) {
      ranks_.resume(parcel);
    } else if (world_.places.is_link(parcel.place)) {
      self().cross(parcel);
    } else if (world_.places.is_out(parcel.place)) {
      self().deliver(parcel);
    } else {
      come_in(parcel);
    }
  }

 protected:
  static constexpr Time kShortestWindow = 10'000, kEasyRanks = 32768;
  static constexpr std::size_t kAhead = 12, kSoon = 4;

  static constexpr bool kWhole = false;  // whether messages take their whole way at once

  Self& self() { return static_cast<Self&>(*this); }
  const Self& self() const { return static_cast<const Self&>(*this); }

  /// A window that many ranks do not crowd: what is in it stays in the cache.
  static Time width_for(const World& world) {
    const auto n_ranks = std::max<Time>(std::ssize(world.ranks), kEasyRanks);
    const auto longest = std::numeric_limits<Time>::max() / kEasyRanks;
    return std::clamp<Time>(world.window, kShortestWindow, longest) * kEasyRanks / n_ranks;
  }

  /// Where a parcel stands: at a place, with a route from there on.
  struct Stand {
    Route route;
    std::int32_t place = kNone;
    std::uint8_t channel = 0;
    Switch to = kNone;  ///< the switch at the link's end
  };

  /// A parcel stands at the end of a link, its tail has left the beginning at `end`.
  struct Step {
    Stand stand;
    Time time = 0, end = 0;
  };

  /// Chooses the way, once a message, lets the NIC go on, and the parcel enter.
  void come_in(const Parcel& parcel) {
    const Switch at = routing_.topology().switch_of(world_.placement.node(parcel.source));
    if (parcel.started) {
      ranks_.follow(parcel);
      self().enter(parcel, stand(parcel, route_of(world_, parcel), at));
      return;
    }
    queues_.move_to(parcel.time);
    auto route = route_of(world_, parcel);
    routing_.start(route, queues_);
    auto started = parcel;
    started.keep(route);
    started.started = true;
    const auto first = stand(parcel, route, at);
    started.from = first.place;
    if (parcel.kind == Kind::data) ranks_.follow(started);
    self().enter(started, first);
  }

  /// Where a parcel goes from a switch.
  [[gnu::always_inline]] Stand stand(const Parcel& parcel, Route route, Switch at) const {
    if (route.arrived(at)) return {route, world_.places.out(world_.nic(parcel.target)), 0};
    const auto hop = routing_.next(at, route);
    return {route, hop.link, hop.channel, hop.to};
  }
  /// Where one stands that is due at a link.
  Stand at_link(const Parcel& parcel) const {
    return {route_of(world_, parcel), parcel.place, parcel.channel,
            routing_.topology().ends(parcel.place).to};
  }

  /// Lets a parcel cross a link from `earliest` on. One that comes more slowly than the link is leaves time
  /// on it for others, byte between byte.
  Step pass(const Parcel& parcel, const Stand& at, Time earliest) {
    auto& link = world_.links[at.place];
    const auto& speed = world_.speeds[link.kind];
    const auto takes = speed.pace(parcel.bytes);
    const auto turn = turn_before(parcel, at.place, parcel.time);
    auto start = std::max(earliest, turn.begin);
    if (!parcel.bypass) start = std::max(start, link.free);
    load(at.place, parcel, start + takes);
    if (!parcel.bypass && world_.history.on()) {
      world_.history.add(at.place, parcel.time, start, takes, parcel.bytes);
    }
    return {stand(parcel, at.route, at.to), start + speed.latency,
            std::max({start + takes, turn.end, parcel.time + parcel.span})};
  }

  /// The link has a parcel, until `end`; one that bypasses the network is only counted.
  void load(Link number, const Parcel& parcel, Time end) {
    if (parcel.bypass) {
      ranks_.tally().counts.byte_hops += parcel.bytes;
      return;
    }
    auto& link = world_.links[number];
    const auto bytes = link.bytes + parcel.bytes;
    if (bytes > LinkState::kMostBytes) [[unlikely]]
      world_.refuse_load(number);
    link.free = end;
    link.bytes = bytes & LinkState::kMostBytes;
  }

  /// On the crossbar, before a link or the target's NIC.
  Turn turn_before(const Parcel& parcel, Link link, Time now) {
    if (world_.crossbars.empty()) return {};
    return world_.turn(parcel, routing_.topology().ends(link).from, now);
  }
  Turn turn_before_target(const Parcel& parcel, Time now) {
    if (world_.crossbars.empty()) return {};
    return world_.turn(parcel, routing_.topology().switch_of(world_.placement.node(parcel.target)), now);
  }

  /// Puts the parcel on the calendar of a part, after a step over the link `at`. `also` changes more of it.
  template <class Also>
  void dispatch(const Parcel& parcel, const Stand& at, const Step& step, Also also) {
    const auto& speed = world_.speeds[world_.links[at.place].kind];
    const auto part = world_.part(at.to);
    const auto move = [&](Parcel& moved) {
      moved.time = step.time;
      moved.span = static_cast<std::uint32_t>(step.end - step.time + speed.latency);
      moved.place = step.stand.place;
      moved.channel = step.stand.channel;
      moved.keep(step.stand.route);
      also(moved);
    };
    if (part == part_)
      calendar_.push(parcel, step.time, move);
    else
      move(outbox_[part].emplace_back(parcel));
  }

  /// Into the target's NIC. @returns when the tail has left the switch
  Time leave(const Parcel& parcel, std::int32_t number, Time span, const Turn& turn) {
    auto& nic = world_.nics[number];
    const auto start = std::max({parcel.time, nic.out_free, turn.begin});
    nic.out_free = start + world_.out.pace(parcel.bytes);
    const auto end = std::max({nic.out_free, turn.end, parcel.time + span});
    if (end >= kEndOfTime) [[unlikely]]
      world_.refuse_way(parcel, end);
    if (parcel.last) ranks_.arrive(parcel, end + world_.out.latency);
    return end;
  }
  Time leave(const Parcel& parcel, std::int32_t place) {
    return leave(parcel, world_.places.nic(place), parcel.span, turn_before_target(parcel, parcel.time));
  }

  /// Asks the memory for what a parcel will need.
  void fetch(const Parcel& parcel) const {
    if (world_.places.is_link(parcel.place)) {
      fetch_lines(world_.links[parcel.place]);
      return;
    }
    fetch_lines(world_.nics[world_.places.nic(parcel.place)]);
    if (world_.places.is_out(parcel.place)) {
      if (parcel.last) fetch_lines(world_.ranks[parcel.target]);
      return;
    }
    if (parcel.last) fetch_lines(world_.ranks[parcel.source]);
    if (parcel.from != kNone && world_.places.is_link(parcel.from)) fetch_lines(world_.links[parcel.from]);
    if (arrives_at_once(parcel)) {
      fetch_lines(world_.nics[world_.nic(parcel.target)]);
      if (parcel.last) fetch_lines(world_.ranks[parcel.target]);
      self().fetch_way(parcel);
    }
  }
  void fetch_early(const Parcel& parcel) const {
    if (!parcel.last || world_.places.is_link(parcel.place)) return;
    const bool comes_in = !world_.places.is_out(parcel.place);
    if (comes_in) ranks_.fetch_early(parcel.source);
    if (!comes_in || arrives_at_once(parcel)) ranks_.fetch_early(parcel.target);
  }
  /// Whether the parcel stands in the target's NIC as soon as it has come to its first switch.
  bool arrives_at_once(const Parcel& parcel) const {
    const auto& topology = routing_.topology();
    return Self::kWhole || topology.switch_of(world_.placement.node(parcel.source)) ==
                               topology.switch_of(world_.placement.node(parcel.target));
  }
  void fetch_way(const Parcel&) const {}

  World& world_;
  const R& routing_;
  int part_;
  std::vector<std::vector<Parcel>> outbox_;                 // (part)
  std::array<std::vector<std::vector<Parcel>>, 2> posted_;  // (turn, part)
  Calendar<Parcel> calendar_;
  Ranks ranks_;
  Queues queues_;
};

}  // namespace halcyon::network
