#include "halcyon/comm/methods/method.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::comm {

// Defined in the other source files of this folder.
MethodEntry isend_recv(), isend_irecv(), persistent(), neighbor(), ineighbor(), neighbor_persistent(),
    alltoallv(), ialltoallv(), shared(), put();

const std::vector<MethodEntry>& methods() {
  static const std::vector<MethodEntry> all{
      isend_recv(),
      isend_irecv(),
      persistent(),
      neighbor(),
      ineighbor(),
      neighbor_persistent(),
      alltoallv(),
      ialltoallv(),
      shared(),
      put(),
      {{.name = "auto",
        .text = "the fastest method, measured at set-up, or one within 10 % of it that overlaps with "
                "computation"},
       {},
       /*make_rounds=*/nullptr},
  };
  return all;
}

Method method_named(std::string_view name) {
  const auto found = std::ranges::find(methods(), name, &MethodEntry::name);
  if (found != methods().end()) return &*found;
  const auto names = options::names_of(methods());
  throw ConfigError(fmt::format("There is no exchange method '{}'. Use {} or {}.", name,
                                fmt::join(names.begin(), names.end() - 1, ", "), names.back()));
}

}  // namespace halcyon::comm
