#pragma once

#include <algorithm>
#include <vector>

#include "halcyon/network/ranks.hpp"
#include "halcyon/network/walk.hpp"

namespace halcyon::network {

/// What waits for a link at a moment, as time [ps].
class Queues final : public Loads {
 public:
  explicit Queues(const World& world) : world_(world) {}
  void move_to(Time now) { now_ = now; }
  double queue(Link link) const override {
    return static_cast<double>(std::max<Time>(world_.links[link].free - now_, 0));
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
        calendar_(n_parts > 1 ? world.window : std::max<Time>(world.window, kShortestWindow)),
        ranks_(world, calendar_, part, gate),
        queues_(world) {}

  Calendar<Parcel>& calendar() { return calendar_; }
  Ranks& ranks() { return ranks_; }
  /// Parcels for another part.
  std::vector<Parcel>& outbox(int part) { return outbox_[part]; }

  /// Deals with all parcels of a window.
  void run(Calendar<Parcel>::Window window) {
    calendar_.open(window, [this](const Parcel& parcel) { fetch(parcel); });
    const bool is_long = calendar_.is_long();
    auto& events = ranks_.tally().counts.events;
    while (const Parcel* parcel = calendar_.pop()) {
      if (is_long) {
        if (const Parcel* later = calendar_.ahead(kAhead)) fetch(*later);
      }
      if (const Parcel* soon = calendar_.ahead(kSoon)) fetch_round(*soon);
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
      auto started = parcel;
      begin(started);
      self().enter(started);
    }
  }

 protected:
  static constexpr Time kShortestWindow = 10'000;
  static constexpr std::size_t kAhead = 12, kSoon = 2;

  Self& self() { return static_cast<Self&>(*this); }

  Switch first_switch(const Parcel& parcel) const {
    return routing_.topology().switch_of(world_.placement.node(parcel.source));
  }

  /// Chooses the way, once a message, and lets the NIC go on.
  void begin(Parcel& parcel) {
    if (!parcel.started) {
      queues_.move_to(parcel.time);
      auto route = route_of(world_, parcel);
      routing_.start(route, queues_);
      parcel.keep(route);
      parcel.started = true;
      auto first = parcel;
      head_on(first, first_switch(parcel));
      parcel.from = first.place;
    }
    if (parcel.kind == Kind::data) ranks_.follow(parcel);
  }

  /// Where the parcel goes from a switch.
  void head_on(Parcel& parcel, Switch at) {
    auto route = route_of(world_, parcel);
    if (route.arrived(at)) {
      parcel.place = world_.places.out(world_.nic(parcel.target));
      return;
    }
    const auto hop = routing_.next(at, route);
    parcel.place = hop.link;
    parcel.channel = hop.channel;
    parcel.keep(route);
  }

  /// Lets the parcel cross a link from `earliest` on and stand, with its next place chosen, at the other end.
  /// One that comes more slowly than the link is leaves time on it for others, byte between byte.
  /// @returns when its tail has left
  Time pass(Parcel& parcel, Time earliest) {
    auto& link = world_.links[parcel.place];
    const auto& speed = world_.speeds[link.kind];
    const auto takes = speed.pace(parcel.bytes);
    const auto start = parcel.bypass ? earliest : std::max(earliest, link.free);
    const auto end = std::max(start + takes, parcel.time + parcel.span);
    link.bytes += parcel.bytes;
    link.busy += takes;
    if (!parcel.bypass) link.free = start + takes;
    parcel.time = start + speed.latency;
    parcel.span = static_cast<std::uint32_t>(end - start);
    head_on(parcel, link.to);
    return end;
  }

  void dispatch(const Parcel& parcel, int part) {
    if (part == part_)
      calendar_.push(parcel);
    else
      outbox_[part].push_back(parcel);
  }

  /// Into the target's NIC. @returns when the tail has left the switch
  Time leave(const Parcel& parcel, std::int32_t number, Time span) {
    auto& nic = world_.nics[number];
    const auto start = std::max(parcel.time, nic.out_free);
    nic.out_free = start + world_.out.pace(parcel.bytes);
    const auto end = std::max(nic.out_free, parcel.time + span);
    if (parcel.last) ranks_.arrive(parcel, end + world_.out.latency);
    return end;
  }
  Time leave(const Parcel& parcel) { return leave(parcel, world_.places.nic(parcel.place), parcel.span); }

  /// Asks the memory for what a parcel will need.
  void fetch(const Parcel& parcel) const {
    if (world_.places.is_link(parcel.place)) {
      __builtin_prefetch(&world_.links[parcel.place], 1);
      return;
    }
    __builtin_prefetch(&world_.nics[world_.places.nic(parcel.place)], 1);
    if (parcel.last) fetch(world_.ranks[world_.places.is_out(parcel.place) ? parcel.target : parcel.source]);
    if (parcel.from != kNone && world_.places.is_link(parcel.from))
      __builtin_prefetch(&world_.links[parcel.from], 1);
  }
  static void fetch(const RankState& state) {
    __builtin_prefetch(&state, 1);
    __builtin_prefetch(reinterpret_cast<const char*>(&state) + 64, 1);
  }
  void fetch_round(const Parcel& parcel) const {
    if (parcel.last && !world_.places.is_link(parcel.place)) {
      ranks_.fetch_round(world_.places.is_out(parcel.place) ? parcel.target : parcel.source);
    }
  }

  World& world_;
  const R& routing_;
  int part_;
  std::vector<std::vector<Parcel>> outbox_;
  Calendar<Parcel> calendar_;
  Ranks ranks_;
  Queues queues_;
};

/// Chunks hop by hop in virtual cut-through, and room for all that waits.
template <class R>
class ChunkFabric final : public Fabric<ChunkFabric<R>, R> {
 public:
  using Fabric<ChunkFabric<R>, R>::Fabric;

  void enter(Parcel& parcel) {
    this->head_on(parcel, this->first_switch(parcel));
    if (this->world_.places.is_link(parcel.place))
      cross(parcel);
    else
      this->leave(parcel);
  }
  void deliver(const Parcel& parcel) { this->leave(parcel); }
  void cross(const Parcel& parcel) {
    auto crossed = parcel;
    const int part = this->world_.links[parcel.place].part;
    this->pass(crossed, parcel.time);
    this->dispatch(crossed, part);
  }
};

/// Messages that take their whole way when they are injected: with kReserve each link from when it is free,
/// else as if nobody else were there.
template <class R, bool kReserve>
class WholeFabric final : public Fabric<WholeFabric<R, kReserve>, R> {
 public:
  using Fabric<WholeFabric<R, kReserve>, R>::Fabric;

  void enter(Parcel& parcel) {
    auto& world = this->world_;
    Time span = world.in.pace(parcel.bytes);
    walk(world, this->routing_, route_of(world, parcel), this->first_switch(parcel), [&](Link number) {
      auto& link = world.links[number];
      const auto& speed = world.speeds[link.kind];
      const bool waits = kReserve && !parcel.bypass;
      const auto start = waits ? std::max(parcel.time, link.free) : parcel.time;
      const auto takes = speed.pace(parcel.bytes);
      const auto end = std::max(start + takes, parcel.time + span);
      if (waits) link.free = start + takes;
      link.busy += takes;
      link.bytes += parcel.bytes;
      parcel.time = start + speed.latency;
      span = end - start;
    });
    const auto nic = world.nic(parcel.target);
    if (!kReserve) world.nics[nic].out_free = 0;
    this->leave(parcel, nic, span);
  }
  void deliver(const Parcel&) {}
  void cross(const Parcel&) {}
};

}  // namespace halcyon::network
