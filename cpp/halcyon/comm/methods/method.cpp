#include "halcyon/comm/methods/method.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::comm {

namespace {

std::string all_names() {
  std::string list(kMethods.front().name);
  for (std::size_t i = 1; i < kMethods.size(); ++i) {
    list += fmt::format("{}{}", i + 1 < kMethods.size() ? ", " : " or ", kMethods[i].name);
  }
  return list;
}

}  // namespace

std::string_view name_of(Method method) {
  return std::ranges::find(kMethods, method, &MethodName::method)->name;
}

bool overlaps(Method method) {
  return method != Method::isend_recv && method != Method::neighbor && method != Method::alltoallv &&
         method != Method::shared;
}

Method method_named(std::string_view name) {
  const auto* found = std::ranges::find(kMethods, name, &MethodName::name);
  require<ConfigError>(found != kMethods.end(), "There is no exchange method '{}'. Use {}.", name,
                       all_names());
  return found->method;
}

}  // namespace halcyon::comm
