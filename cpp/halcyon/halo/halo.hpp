#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "halcyon/base/large_pages.hpp"
#include "halcyon/comm/exchange/exchange.hpp"
#include "halcyon/comm/node.hpp"
#include "halcyon/decomposition/decomposition.hpp"

namespace halcyon::halo {

/// The memory of one field, zeros at first: where the other ranks of the node read it, or this rank's alone.
/// Move-only.
class FieldMemory {
 public:
  /// Collective where `near`: in NodeMemory.
  FieldMemory(const comm::Communicator& comm, std::int64_t bytes, bool near) {
    if (near) {
      near_ = comm::NodeMemory(comm, bytes);
      std::ranges::fill(near_.bytes(), std::byte{0});
      bytes_ = near_.bytes();
    } else {
      own_.resize(bytes);
      bytes_ = own_;
    }
  }
  FieldMemory(FieldMemory&&) noexcept = default;
  FieldMemory& operator=(FieldMemory&&) noexcept = default;

  std::span<std::byte> bytes() const { return bytes_; }

 private:
  comm::NodeMemory near_;
  Large<std::byte> own_;
  std::span<std::byte> bytes_;
};

/// The halo exchange of a group of fields of any type, shape and location, in one message to a neighbour:
///
///     auto pending = halo.start(fields);
///     divergence(inner_cells, ...);     // meanwhile
///     pending.wait();
///     divergence(boundary_cells, ...);
class Halo {
 public:
  /// Collective. A plan for fields of these sizes; the decomposition is read once and not kept.
  /// @param fields the kind of entity (0 cells, 1 edges, 2 vertices) and bytes at one of them, field by field
  /// @param placement of the fields to come, by which `automatic` chooses
  /// @param unpack where messages arrive
  /// @throws ConfigError where the method cannot be used
  Halo(const comm::Communicator& comm, const decomposition::Decomposition& decomposition,
       std::vector<schedule::HaloField> fields, comm::Method method,
       comm::Placement placement = comm::Placement::anywhere,
       schedule::Unpack unpack = schedule::Unpack::none);

  /// Starts an exchange: owned values leave, halo values arrive until `wait`.
  /// @param fields the memory of each field: all local entities, owned then halo. Owned values may be read
  ///        but not written, halo values not touched, before `wait` has returned.
  comm::Pending start(std::span<const std::span<std::byte>> fields);

  /// For a computation to call between its pieces: gives MPI a turn to move what is under way, which else
  /// many an MPI does only where it is waited for.
  void progress() { exchange_.progress(); }

  /// Collective. Memory for a field of the group, zeros at first. By the method `shared` it is NodeMemory,
  /// from which nothing is packed. @param field its number in the group
  FieldMemory allocate(std::size_t field) const;
  std::size_t n_fields() const { return field_bytes_.size(); }

  /// The method that was given, or chosen.
  comm::Method method() const { return exchange_.method(); }
  /// The method, and why it was chosen if it was.
  const std::string& description() const { return exchange_.description(); }
  comm::Statistics statistics() const { return exchange_.statistics(); }

  /// The bytes that this rank receives in one exchange.
  std::int64_t received_bytes() const { return received_bytes_; }

 private:
  Halo(const comm::Communicator& comm, const schedule::Halo& schedule, comm::Method method,
       comm::Placement placement);

  comm::Communicator comm_;
  std::vector<std::int64_t> field_bytes_;
  comm::Exchange exchange_;
  std::vector<std::byte> send_, receive_;
  std::vector<std::span<std::byte>> buffers_;
  std::int64_t received_bytes_ = 0;
};

/// Memory for the fields of a group, all of one kind of number, each (local item, ...), in the order of the
/// halo's fields.
template <class Real>
class Group {
 public:
  /// Collective.
  explicit Group(const Halo& halo) {
    for (std::size_t i = 0; i < halo.n_fields(); ++i) memory_.push_back(halo.allocate(i));
    for (const auto& each : memory_) fields_.push_back(each.bytes());
  }

  std::span<Real> operator[](std::size_t field) const {
    const auto bytes = fields_[field];
    return {reinterpret_cast<Real*>(bytes.data()), bytes.size() / sizeof(Real)};
  }
  /// What an exchange takes.
  std::span<const std::span<std::byte>> fields() const { return fields_; }

 private:
  std::vector<FieldMemory> memory_;
  std::vector<std::span<std::byte>> fields_;
};

}  // namespace halcyon::halo
