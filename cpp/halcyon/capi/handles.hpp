#pragma once

#include <string>
#include <vector>

#include "halcyon/capi/guard.hpp"
#include "halcyon/capi/types.hpp"
#include "halcyon/io/reader.hpp"
#include "halcyon/io/writer.hpp"

// What stands behind the handles of halcyon.h, with the texts that they hand out.

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

namespace halcyon::capi {

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

}  // namespace halcyon::capi
