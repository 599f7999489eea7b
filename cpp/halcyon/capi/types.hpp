#pragma once

#include <cstdint>
#include <cstring>

#include "halcyon/base/error.hpp"
#include "halcyon/capi/halcyon.h"

namespace halcyon::capi {

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
  require<InternalError>(number >= HALCYON_INT32 && number <= HALCYON_FLOAT64,
                         "The type {} is none of HALCYON_INT32, HALCYON_INT64, HALCYON_FLOAT32, "
                         "HALCYON_FLOAT64.",
                         number);
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

}  // namespace halcyon::capi
