#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/capi/halcyon.h"
#include "halcyon/decomposition/from_lists.hpp"
#include "halcyon/halo/halo.hpp"
#include "halcyon/io/reader.hpp"
#include "halcyon/io/writer.hpp"
#include "halcyon/transform/plane/bifourier.hpp"
#include "halcyon/transform/sphere/transform.hpp"

// What stands behind the handles of halcyon.h, each by the name of its handle, with the texts and lists that
// they hand out; and what the calls give and get.

namespace halcyon::capi {

using transform::Complex;

/// That share a transform.
struct Ranks {
  comm::Communicator comm;
  comm::CoreBinding core;          ///< of threads
  std::string algorithm{};  ///< that tuning chose
};

/// A field of a halo, to which arrays are held.
struct Field {
  std::string variable;
  halcyon_type type;
  std::int32_t levels;
  std::int64_t n_local;

  std::int64_t count() const { return levels * n_local; }
};

}  // namespace halcyon::capi

struct halcyon_io_ranks {
  halcyon::io::Ranks ranks;
  std::string description = ranks.description();
};

struct halcyon_placement {
  halcyon::io::Placement placement;
};

struct halcyon_schema {
  halcyon::io::Schema schema;
};

struct halcyon_writer {
  halcyon::io::Writer writer;
  std::string progress;
};

struct halcyon_reader {
  halcyon::io::Reader reader;
  std::vector<const char*> names;
  std::vector<std::int64_t> shape;
  std::string text;
};

struct halcyon_topology {
  halcyon::decomposition::Topology topology;
};

struct halcyon_slice {
  halcyon::decomposition::Slice slice;
};

struct halcyon_decomposition {
  halcyon_decomposition(halcyon::comm::Communicator over, halcyon::decomposition::Decomposition found)
      : comm(std::move(over)), part(std::move(found)) {
    for (const auto& neighbour : part.neighbours) neighbours.push_back(neighbour.rank);
  }

  halcyon::comm::Communicator comm;
  halcyon::decomposition::Decomposition part;
  std::vector<std::int32_t> neighbours;
};

struct halcyon_halo {
  halcyon::halo::Halo halo;
  std::vector<halcyon::capi::Field> fields;
  std::vector<std::span<std::byte>> arrays;          ///< of the exchange under way
  std::vector<halcyon::halo::FieldMemory> memory{};  ///< that was allocated
  std::optional<halcyon::comm::PendingExchange> pending{};   ///< ends before the rest
};

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
      : bifourier(std::move(made)), over(std::move(ranks)) {
    const auto& sets = bifourier.sets();
    points = sets.points(bifourier.v(), bifourier.w());
    for (const auto& wave : sets.waves(bifourier.v(), bifourier.w()))
      m.push_back(wave.m), n.push_back(wave.n);
  }

  halcyon::transform::Bifourier bifourier;
  std::optional<halcyon::capi::Ranks> over;
  std::vector<std::int64_t> points{};
  std::vector<std::int32_t> m{}, n{};
};

namespace halcyon::capi {

/// Keeps the text of the exception that is being handled. @returns its status
int status_of_exception() noexcept;

/// Runs a call of the C ABI, which lets no exception through. @returns its status
template <class Call>
int guarded(const Call& call) noexcept {
  try {
    call();
    return 0;
  } catch (...) {
    return status_of_exception();
  }
}

/// What a pointer of the caller's points to. @throws InternalError if it is NULL
template <class T>
T& given(T* pointer, std::string_view name) {
  require<InternalError>(pointer != nullptr, "NULL is given for {}.", name);
  return *pointer;
}

inline std::string given_text(const char* text, std::string_view name) {
  return &given(text, name);
}

/// `n` things of the caller's; NULL may stand for none.
template <class T>
std::span<T> given_list(T* first, std::int64_t n, std::string_view name) {
  require<InternalError>(n >= 0, "The count of {} is {}, but must be at least 0.", name, n);
  if (n > 0) given(first, name);
  return {first, static_cast<std::size_t>(n)};
}

/// What a caller gave for an enumeration, of which it may be no value.
template <class Enumeration>
int number_of(const Enumeration& given) {
  int number = 0;
  static_assert(sizeof(number) == sizeof(given));
  std::memcpy(&number, &given, sizeof(number));
  return number;
}

/// @throws InternalError unless a type of the caller's is one
inline halcyon_type given_type(const halcyon_type& type) {
  const int number = number_of(type);
  require<InternalError>(
      number >= HALCYON_INT32 && number <= HALCYON_FLOAT64,
      "The type {} is none of HALCYON_INT32, HALCYON_INT64, HALCYON_FLOAT32, HALCYON_FLOAT64.", number);
  return type;
}

/// Bytes of one number.
inline std::int64_t bytes_of(halcyon_type type) {
  return type == HALCYON_INT32 || type == HALCYON_FLOAT32 ? 4 : 8;
}

/// The caller's location as the number of a kind of entity. @throws InternalError unless it is one
inline int kind_of(const halcyon_location& location) {
  const int number = number_of(location);
  require<InternalError>(number >= HALCYON_CELL && number <= HALCYON_VERTEX,
                         "The location {} is none of HALCYON_CELL, HALCYON_EDGE, HALCYON_VERTEX.", number);
  return number;
}

inline io::Type type_of(const halcyon_type& type) {
  return static_cast<io::Type>(given_type(type));
}

/// The caller's halcyon_values or halcyon_targets as `io` takes them.
template <class Into, class From>
std::vector<Into> arrays_of(const From* arrays, std::int32_t n) {
  std::vector<Into> found;
  for (const auto& each : given_list(arrays, n, "variables")) {
    const auto variable = given_text(each.variable, "a variable's name");
    const auto name = fmt::format("the numbers of {}", variable);
    const auto numbers = given_list(static_cast<const std::byte*>(each.data), each.count, name);
    found.push_back({variable, type_of(each.type), each.data, numbers.size()});
  }
  return found;
}

/// `n` coefficients, of real and imaginary part, at numbers of the caller's.
inline std::span<Complex> coefficients_of(double* at, std::int64_t n, std::string_view name) {
  return given_list(reinterpret_cast<Complex*>(at), n, name);
}
inline std::span<const Complex> coefficients_of(const double* at, std::int64_t n, std::string_view name) {
  return given_list(reinterpret_cast<const Complex*>(at), n, name);
}

/// Results as C has them.
template <class T>
T to_c(T number) {
  return number;
}
inline const char* to_c(const std::string& text) {
  return text.c_str();
}
inline halcyon_statistics to_c(const comm::Statistics& ours) {
  return {.pack_s = ours.pack_s,
          .transfer_s = ours.transfer_s,
          .wait_s = ours.wait_s,
          .unpack_s = ours.unpack_s,
          .n_exchanges = ours.n_exchanges,
          .n_sent = ours.n_sent,
          .n_received = ours.n_received,
          .sent_bytes = ours.sent_bytes,
          .received_bytes = ours.received_bytes};
}

}  // namespace halcyon::capi
