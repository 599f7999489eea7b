#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/capi/halcyon.h"
#include "halcyon/decomposition/from_lists.hpp"
#include "halcyon/halo/halo.hpp"
#include "halcyon/io/reader.hpp"
#include "halcyon/io/writer.hpp"
#include "halcyon/krylov/gcr.hpp"
#include "halcyon/krylov/helmholtz.hpp"
#include "halcyon/semi_lagrangian/advection.hpp"
#include "halcyon/transform/plane/bifourier.hpp"
#include "halcyon/transform/sphere/transform.hpp"

// The C++ objects behind the handles of halcyon.h, with the texts and lists that C functions return;
// conversion of arguments and results.

namespace halcyon::capi {

using transform::Complex;

inline constexpr double kDegreesPerRadian = 180 / kPi;

/// Communicator of the ranks that share a transform.
struct SharedRanks {
  comm::Communicator comm;
  comm::CoreBinding core;   ///< cores of progress threads
  std::string algorithm{};  ///< name of the all-to-all algorithm chosen by tuning
};

/// The started call of a transform, if any.
using StartedCall = std::optional<transform::SharedTransform::PendingCall>;

/// A field of a halo, against which arrays are checked.
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
  halcyon_decomposition(halcyon::comm::Communicator communicator,
                        halcyon::decomposition::Decomposition local_part)
      : comm(std::move(communicator)), part(std::move(local_part)) {
    for (const auto& neighbour : part.neighbours) neighbours.push_back(neighbour.rank);
  }

  halcyon::comm::Communicator comm;
  halcyon::decomposition::Decomposition part;
  std::vector<std::int32_t> neighbours;
};

struct halcyon_halo {
  halcyon::halo::Halo halo;
  std::vector<halcyon::capi::Field> fields;
  std::vector<std::span<std::byte>> arrays;                 ///< arrays of the pending exchange, per field
  std::vector<halcyon::halo::FieldMemory> memory{};         ///< allocated by halcyon_halo_allocate
  std::optional<halcyon::comm::PendingExchange> pending{};  ///< last, so that it is destroyed first
};

struct halcyon_grid {
  halcyon::transform::Grid grid;
};

struct halcyon_transform {
  explicit halcyon_transform(halcyon::transform::Transform object,
                             std::optional<halcyon::capi::SharedRanks> ranks = {})
      : transform(std::move(object)), shared(std::move(ranks)) {
    const int truncation = transform.triangle().truncation;
    const auto& sets = transform.sets();
    points = sets.points(transform.v(), transform.w());
    std::size_t i = 0;  // index of the coefficient among those of the W set
    const auto first = transform.first_coefficient(), end = first + transform.n_coefficients();
    for (const int m : sets.wavenumbers(transform.w()))
      for (int n = m; n <= truncation; ++n, ++i)
        if (i >= first && i < end) wavenumbers.push_back(m), degrees.push_back(n);
  }

  halcyon::transform::Transform transform;
  std::optional<halcyon::capi::SharedRanks> shared;
  std::vector<std::int64_t> points{};
  std::vector<std::int32_t> wavenumbers{}, degrees{};
  halcyon::capi::StartedCall pending{};  ///< last, so that it is destroyed first
};

struct halcyon_bifourier {
  explicit halcyon_bifourier(halcyon::transform::Bifourier object,
                             std::optional<halcyon::capi::SharedRanks> ranks = {})
      : bifourier(std::move(object)), shared(std::move(ranks)) {
    const auto& sets = bifourier.sets();
    points = sets.points(bifourier.v(), bifourier.w());
    for (const auto& wave : sets.waves(bifourier.v(), bifourier.w()))
      m.push_back(wave.m), n.push_back(wave.n);
  }

  halcyon::transform::Bifourier bifourier;
  std::optional<halcyon::capi::SharedRanks> shared;
  std::vector<std::int64_t> points{};
  std::vector<std::int32_t> m{}, n{};
  halcyon::capi::StartedCall pending{};  ///< last, so that it is destroyed first
};

struct halcyon_advection {
  halcyon_advection(halcyon::capi::SharedRanks ranks, const halcyon::transform::Grid& grid,
                    const halcyon::semi_lagrangian::Division& division,
                    const halcyon::semi_lagrangian::Options& options,
                    std::shared_ptr<const halcyon::comm::Progress> progress)
      : shared(std::move(ranks)),
        sizes(options.sizes),
        advection(shared.comm, grid, division, options, std::move(progress)) {
    for (const auto index : division.owned(shared.comm.rank())) points.push_back(division.id(index));
    for (const auto& [longitude, colatitude] : advection.arrivals()) {
      latitudes.push_back(90 - colatitude * halcyon::capi::kDegreesPerRadian);
      longitudes.push_back(longitude * halcyon::capi::kDegreesPerRadian);
    }
  }

  halcyon::capi::SharedRanks shared;
  halcyon::semi_lagrangian::HaloSizes sizes;
  halcyon::semi_lagrangian::Advection advection;
  std::vector<std::int64_t> points{};
  std::vector<double> latitudes{}, longitudes{};  ///< [degrees] (point)
};

struct halcyon_map {
  std::size_t size;
  /// Computes y = A x, and returns 0, or the status of an error in the caller's function.
  std::function<int(std::span<const double> x, std::span<double> y)> apply;
};

struct halcyon_helmholtz {
  std::shared_ptr<halcyon::krylov::Helmholtz> helmholtz;
};

struct halcyon_gcr {
  halcyon::comm::Communicator comm;
  std::size_t n_owned;
  halcyon::krylov::Gcr gcr;
  halcyon::krylov::Result result{};  ///< of the last solution
  std::string explanation{};
};

namespace halcyon::capi {

/// Stores the text of the current exception for halcyon_error_message. @returns its status
int status_of_exception() noexcept;

/// Runs the body of a C function and converts exceptions to a status. @returns the status
template <class Call>
int guarded(const Call& call) noexcept {
  try {
    call();
    return 0;
  } catch (...) {
    return status_of_exception();
  }
}

/// Dereferences an argument. @throws InternalError if it is NULL
template <class T>
T& checked(T* pointer, std::string_view name) {
  require<InternalError>(pointer != nullptr, "NULL is given for {}.", name);
  return *pointer;
}

inline std::string checked_text(const char* text, std::string_view name) {
  return &checked(text, name);
}

/// An array argument of `n` items, which may be NULL if n = 0.
template <class T>
std::span<T> checked_span(T* first, std::int64_t n, std::string_view name) {
  require<InternalError>(n >= 0, "The number of {} is {}, but must be at least 0.", name, n);
  if (n > 0) checked(first, name);
  return {first, static_cast<std::size_t>(n)};
}

/// The integer of an enumeration argument, whose value may be invalid.
template <class Enumeration>
int int_value(const Enumeration& value) {
  int number = 0;
  static_assert(sizeof(number) == sizeof(value));
  std::memcpy(&number, &value, sizeof(number));
  return number;
}

/// @throws InternalError for an invalid type
inline halcyon_type checked_type(const halcyon_type& type) {
  const int number = int_value(type);
  require<InternalError>(
      number >= HALCYON_INT32 && number <= HALCYON_FLOAT64,
      "Unknown type {}. Give HALCYON_INT32, HALCYON_INT64, HALCYON_FLOAT32 or HALCYON_FLOAT64.", number);
  return type;
}

inline std::int64_t bytes_of(halcyon_type type) {
  return type == HALCYON_INT32 || type == HALCYON_FLOAT32 ? 4 : 8;
}

/// Index of a location: 0 cell, 1 edge, 2 vertex. @throws InternalError for an invalid location
inline int index_of(const halcyon_location& location) {
  const int number = int_value(location);
  require<InternalError>(number >= HALCYON_CELL && number <= HALCYON_VERTEX,
                         "Unknown location {}. Give HALCYON_CELL, HALCYON_EDGE or HALCYON_VERTEX.", number);
  return number;
}

inline io::Type type_of(const halcyon_type& type) {
  return static_cast<io::Type>(checked_type(type));
}

/// Converts halcyon_values or halcyon_targets to arrays of `io`.
template <class Into, class From>
std::vector<Into> arrays_of(const From* arrays, std::int32_t n) {
  std::vector<Into> converted;
  for (const auto& each : checked_span(arrays, n, "variables")) {
    const auto variable = checked_text(each.variable, "a variable's name");
    const auto name = fmt::format("the values of {}", variable);
    const auto values = checked_span(static_cast<const std::byte*>(each.data), each.count, name);
    converted.push_back({variable, type_of(each.type), each.data, values.size()});
  }
  return converted;
}

/// `n` complex coefficients, stored as real and imaginary parts.
inline std::span<Complex> coefficients_of(double* first, std::int64_t n, std::string_view name) {
  return checked_span(reinterpret_cast<Complex*>(first), n, name);
}
inline std::span<const Complex> coefficients_of(const double* first, std::int64_t n, std::string_view name) {
  return checked_span(reinterpret_cast<const Complex*>(first), n, name);
}

/// Conversion of results to C.
template <class T>
T to_c(T value) {
  return value;
}
inline const char* to_c(const std::string& text) {
  return text.c_str();
}
inline halcyon_statistics to_c(const comm::Statistics& totals) {
  return {.pack_s = totals.pack_s,
          .transfer_s = totals.transfer_s,
          .wait_s = totals.wait_s,
          .unpack_s = totals.unpack_s,
          .n_exchanges = totals.n_exchanges,
          .n_sent = totals.n_sent,
          .n_received = totals.n_received,
          .sent_bytes = totals.sent_bytes,
          .received_bytes = totals.received_bytes};
}

}  // namespace halcyon::capi
