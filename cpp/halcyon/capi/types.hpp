#pragma once

#include <cstdint>

#include "halcyon/base/error.hpp"
#include "halcyon/capi/halcyon.h"

namespace halcyon::capi {

/// @throws InternalError unless a type of the caller's is one
inline halcyon_type given_type(halcyon_type type) {
  require<InternalError>(type >= HALCYON_INT32 && type <= HALCYON_FLOAT64,
                         "The type {} is none of HALCYON_INT32, HALCYON_INT64, HALCYON_FLOAT32, "
                         "HALCYON_FLOAT64.",
                         static_cast<int>(type));
  return type;
}

/// Bytes of one number.
inline std::int64_t bytes_of(halcyon_type type) {
  return type == HALCYON_INT32 || type == HALCYON_FLOAT32 ? 4 : 8;
}

/// The caller's location as the number of a kind of entity. @throws InternalError unless it is one
inline int kind_of(halcyon_location location) {
  require<InternalError>(location >= HALCYON_CELL && location <= HALCYON_VERTEX,
                         "The location {} is none of HALCYON_CELL, HALCYON_EDGE, HALCYON_VERTEX.",
                         static_cast<int>(location));
  return location;
}

}  // namespace halcyon::capi
