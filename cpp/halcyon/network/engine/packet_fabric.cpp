#include <algorithm>
#include <deque>
#include <vector>

#include "halcyon/network/engine/fabric.hpp"

namespace halcyon::network {
namespace {

/// The places that the buffer at the end of a link holds for a channel, as the link's beginning knows them: a
/// packet may start when it has heard of one that has become free. What has to wait stands in line.
struct Buffer {
  std::int32_t unused = 0;    ///< places that no packet has taken yet
  std::vector<Time> credits;  ///< when it hears, or will hear, of places that are given back
  Time look = kNever;         ///< when those in line will look again
  std::uint32_t line = kNobody, line_end = kNobody;

  /// When it hears of the next place; kNever where none will be given back.
  Time next() const { return credits.empty() ? kNever : *std::ranges::min_element(credits); }

  /// Takes the place that is free first, up to a time. @returns from when on, or kNever where there is none
  Time take(Time latest) {
    if (unused > 0) return --unused, 0;
    const auto first = std::ranges::min_element(credits);
    if (first == credits.end() || *first > latest) return kNever;
    const auto free = *first;
    *first = credits.back();
    credits.pop_back();
    return free;
  }
};

/// Packets hop by hop in virtual cut-through, into buffers of so many packets for each incoming link and
/// channel. A packet frees its place when its tail has left; the link's beginning hears of it a latency later
/// (credits after Kung and Chapman 1993, SIGCOMM). The crossbar delays nobody.
template <class R>
class PacketFabric final : public Fabric<PacketFabric<R>, R>, private Gate {
  using Base = Fabric<PacketFabric<R>, R>;
  friend Base;
  using typename Base::Stand;

 public:
  PacketFabric(World& world, const R& routing, int part, int n_parts)
      : Base(world, routing, part, n_parts, this),
        n_channels_(routing.n_channels()),
        index_(static_cast<std::size_t>(world.places.n_links) * n_channels_ + world.places.n_nics, kNobody) {
    world.waiting.resize(world.places.n_links);
  }

  void enter(const Packet& packet, const Stand& at) {
    auto entered = packet;
    entered.place = at.place;
    entered.channel = at.channel;
    entered.keep(at.route);
    entered.from = this->world_.places.in(this->world_.nic(packet.source));
    if (this->world_.places.is_link(at.place))
      cross(entered);
    else
      deliver(entered);
  }

  void deliver(const Packet& packet) { give_back(packet, this->leave(packet, packet.place)); }

  void cross(const Packet& packet) {
    if (packet.kind == Kind::credit) return hear(packet);
    auto& buffer = this->buffer(packet.place, packet.channel);
    if (buffer.line == kNobody && go(packet, buffer, packet.time)) return;
    if (buffer.line == kNobody) look_again(packet.place, packet.channel, buffer);
    const auto at = waiting_.take_raw();
    waiting_[at] = {packet, kNobody};
    (buffer.line == kNobody ? buffer.line : waiting_[buffer.line_end].next) = at;
    buffer.line_end = at;
    this->world_.waiting[packet.place] += time_on_link(packet);
  }

  /// A packet that leaves its NIC: the NIC sees the buffer of its switch.
  void inject(const Packet& packet) override {
    if (needs_no_place(packet)) return enter_at(packet, 0);
    auto& buffer = this->buffer(packet.place, 0);
    const auto free = buffer.take(kNever - 1);
    if (free == kNever) {
      buffer.line = waiting_.take_raw();
      waiting_[buffer.line] = {packet, kNobody};
    } else {
      enter_at(packet, free);
    }
  }

 private:
  struct Waiting {
    Packet packet;
    std::uint32_t next = kNobody;
  };

  static bool needs_no_place(const Packet& packet) { return packet.bytes == 0 || packet.bypass; }

  Time time_on_link(const Packet& packet) const {
    return this->world_.speeds[this->world_.links[packet.place].kind].pace(packet.bytes);
  }

  Buffer& buffer(std::int32_t place, int channel) {
    const auto& places = this->world_.places;
    const auto slot = places.is_link(place)
                          ? static_cast<std::size_t>(place) * n_channels_ + channel
                          : static_cast<std::size_t>(places.n_links) * n_channels_ + places.nic(place);
    if (index_[slot] == kNobody) {
      index_[slot] = static_cast<std::uint32_t>(buffers_.size());
      buffers_.push_back({.unused = this->world_.machine.buffer_packets, .credits = {}});
    }
    return buffers_[index_[slot]];
  }

  void enter_at(const Packet& packet, Time free) {
    const auto when = std::max(packet.time, free);
    this->events_.push(packet, when, [when](Packet& later) { later.time = when; });
  }

  /// Lets a packet cross its link if there is a place for it. Messages of the protocol need none.
  bool go(const Packet& packet, Buffer& buffer, Time now) {
    if (!needs_no_place(packet) && buffer.take(now) == kNever) return false;
    const auto at = this->at_link(packet);
    const auto step = this->pass(packet, at, now);
    this->dispatch(packet, at, step, [&packet](Packet& moved) {
      moved.from = packet.place;
      moved.from_channel = packet.channel;
    });
    give_back(packet, step.end);
    return true;
  }

  /// The place that the packet held is free from `when` on, and the link's beginning hears so a latency
  /// later.
  void give_back(const Packet& packet, Time when) {
    if (needs_no_place(packet)) return;
    const auto& world = this->world_;
    if (!world.places.is_link(packet.from)) return give_back_to_nic(packet.from, when);
    const auto latency = world.speeds[world.links[packet.from].kind].latency;
    const bool whole = this->outbox_.size() == 1;
    const int part = whole ? 0 : world.part(this->routing_.topology().ends(packet.from).from);
    Packet credit;
    credit.kind = Kind::credit;
    credit.place = packet.from;
    credit.channel = packet.from_channel;
    credit.time = credit.sent = when + latency;
    if (part != this->part_) {
      this->outbox_[part].push_back(credit);
      return;
    }
    auto& buffer = this->buffer(packet.from, packet.from_channel);
    buffer.credits.push_back(credit.time);
    if (buffer.line != kNobody) look_again(packet.from, packet.from_channel, buffer);
  }

  void give_back_to_nic(std::int32_t place, Time when) {
    auto& buffer = this->buffer(place, 0);
    if (buffer.line == kNobody) {
      buffer.credits.push_back(when);
      return;
    }
    const auto at = std::exchange(buffer.line, kNobody);
    enter_at(waiting_[at].packet, when);
    waiting_.give_back(at);
  }

  /// A credit without a place of its own, for when the next place is heard of.
  void look_again(std::int32_t place, std::uint8_t channel, Buffer& buffer) {
    const auto when = buffer.next();
    if (when >= buffer.look) return;
    buffer.look = when;
    Packet credit;
    credit.kind = Kind::credit;
    credit.place = place;
    credit.channel = channel;
    credit.time = when;
    credit.sent = kNever;
    this->events_.push(credit);
  }

  void hear(const Packet& credit) {
    auto& buffer = this->buffer(credit.place, credit.channel);
    if (credit.sent != kNever)
      buffer.credits.push_back(credit.sent);
    else if (credit.time != buffer.look)
      return;
    else
      buffer.look = kNever;
    while (buffer.line != kNobody) {
      const auto at = buffer.line;
      if (!go(waiting_[at].packet, buffer, credit.time))
        return look_again(credit.place, credit.channel, buffer);
      this->world_.waiting[credit.place] -= time_on_link(waiting_[at].packet);
      buffer.line = waiting_[at].next;
      waiting_.give_back(at);
    }
  }

  int n_channels_;
  std::vector<std::uint32_t> index_;  // (link, channel), then (nic)
  std::deque<Buffer> buffers_;
  FreeList<Waiting> waiting_;
};

}  // namespace

FidelityEntry packet_fidelity() {
  return {{.name = "packet",
           .text = "packets go hop by hop into buffers that have an end",
           .goes_with = {"threads"}},
          [](World& world, Result& result) {
            world.options.back_pressure ? run<PacketFabric>(world, result)
                                        : chunk_fidelity().run(world, result);
          }};
}

}  // namespace halcyon::network
