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

/// Memory of one field, set to zeros: private, or NodeMemory, which a compute node shares. Move-only.
class FieldMemory {
 public:
  /// Collective if `in_node_memory`.
  FieldMemory(const comm::Communicator& comm, std::int64_t bytes, bool in_node_memory) {
    if (in_node_memory) {
      node_memory_ = comm::NodeMemory(comm, bytes);
      std::ranges::fill(node_memory_.bytes(), std::byte{0});
      bytes_ = node_memory_.bytes();
    } else {
      private_memory_.resize(bytes);
      bytes_ = private_memory_;
    }
  }
  FieldMemory(FieldMemory&&) noexcept = default;
  FieldMemory& operator=(FieldMemory&&) noexcept = default;

  std::span<std::byte> bytes() const { return bytes_; }

 private:
  comm::NodeMemory node_memory_;
  LargeArray<std::byte> private_memory_;
  std::span<std::byte> bytes_;
};

/// The halo exchange of a group of fields of any type, shape and location, with one message per neighbour:
///
///     auto pending = halo.start(fields);
///     divergence(inner_cells, ...);     // overlapped with the exchange
///     pending.wait();
///     divergence(boundary_cells, ...);
class Halo {
 public:
  /// Collective. Plans the exchange. The decomposition is not needed afterwards.
  /// @param fields kind of entity (0 cells, 1 edges, 2 vertices) and bytes per entity of each field
  /// @param placement where the fields will be allocated, a hint to the method `auto`
  /// @param unpack whether messages are received into the fields or into staging buffers
  /// @throws ConfigError if the method does not support the exchange
  Halo(const comm::Communicator& comm, const decomposition::Decomposition& decomposition,
       std::vector<schedule::HaloField> fields, comm::Method method,
       comm::BufferPlacement placement = comm::BufferPlacement::anywhere,
       schedule::Unpack unpack = schedule::Unpack::none);

  /// Starts an exchange, which sends owned values and receives halo values, and ends when `wait` returns.
  /// Until then, owned values must not be written, and halo values must be neither read nor written.
  /// @param fields the memory of each field: values at all local entities, owned ones first
  comm::PendingExchange start(std::span<const std::span<std::byte>> fields);

  /// Progresses the messages in flight. A computation calls it from time to time, since many MPI libraries
  /// progress messages only within MPI calls.
  void progress() { exchange_.progress(); }

  /// Collective. Allocates memory for a field, initialized to zeros. With the method `shared` the memory is
  /// NodeMemory, so that the field is not packed; private memory if a node has too little shared memory,
  /// which `description` then tells. @param field index in the constructor's `fields`
  FieldMemory allocate(std::size_t field);
  std::size_t n_fields() const { return field_bytes_.size(); }

  /// The method in use: the given one, or the one that `auto` chose.
  comm::Method method() const { return exchange_.method(); }
  /// Name of the method; if `auto` chose it, the measured times; if fields lack shared memory, the reason.
  const std::string& description() const { return description_; }
  comm::Statistics statistics() const { return exchange_.statistics(); }

  /// Bytes that this rank receives per exchange.
  std::int64_t received_bytes() const { return received_bytes_; }

 private:
  Halo(const comm::Communicator& comm, const schedule::Halo& schedule, comm::Method method,
       comm::BufferPlacement placement);

  comm::Communicator comm_;
  std::vector<std::int64_t> field_bytes_;
  comm::Exchange exchange_;
  std::string description_;
  bool lacks_node_memory_ = false;
  std::vector<std::byte> send_, receive_;      ///< buffers for packed messages
  std::vector<std::span<std::byte>> buffers_;  ///< of the schedule: fields, `send_`, `receive_`
  std::int64_t received_bytes_ = 0;
};

/// Memory of all fields of a halo exchange, each an array (local item, ...) of the same number type.
template <class Real>
class FieldStorage {
 public:
  /// Collective.
  explicit FieldStorage(Halo& halo) {
    for (std::size_t i = 0; i < halo.n_fields(); ++i) memory_.push_back(halo.allocate(i));
    for (const auto& memory : memory_) fields_.push_back(memory.bytes());
  }

  std::span<Real> operator[](std::size_t field) const {
    const auto bytes = fields_[field];
    return {reinterpret_cast<Real*>(bytes.data()), bytes.size() / sizeof(Real)};
  }
  /// The argument of Halo::start.
  std::span<const std::span<std::byte>> fields() const { return fields_; }

 private:
  std::vector<FieldMemory> memory_;
  std::vector<std::span<std::byte>> fields_;
};

}  // namespace halcyon::halo
