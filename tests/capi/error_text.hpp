#pragma once

#include <string>

#include "halcyon/capi/halcyon.h"
#include "test.hpp"

namespace halcyon::test {

/// Checks that the last error text contains `part` on every rank.
inline void check_error_text(const std::string& part) {
  const std::string error_text = halcyon_error_message();
  CAPTURE(error_text);
  CHECK(error_text.find(part) != std::string::npos);
}

}  // namespace halcyon::test
