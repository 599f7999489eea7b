#pragma once

#include <string>

#include "halcyon/capi/halcyon.h"
#include "test.hpp"

namespace halcyon::test {

/// Whether every rank has the last error's text in it.
inline void all_say(const std::string& part) {
  const std::string said = halcyon_error_message();
  CAPTURE(said);
  CHECK(said.find(part) != std::string::npos);
}

}  // namespace halcyon::test
