#include "halcyon/transform/share/tuning.hpp"

#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings/transform/shared.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::transform;

/// Groups, ahead, method, algorithm, and the place of the progress in its list.
nb::tuple told(const Communication& how, const Choices& choices) {
  const auto place = std::ranges::find(choices.progress, how.progress) - choices.progress.begin();
  return nb::make_tuple(how.groups, how.ahead, how.method->name, schedule::name_of(how.by), place);
}

nb::list fastest_of(const comm::Communicator& comm, Rank largest_set, int most_groups, int n_components,
                    const std::vector<std::string>& methods, const std::vector<std::string>& algorithms,
                    std::vector<int> groups, std::vector<int> ahead,
                    const std::vector<std::shared_ptr<comm::Progress>>& progress, int repetitions,
                    const nb::callable& communicate, const nb::callable& work) {
  Choices choices{.methods = {},
                  .algorithms = {},
                  .groups = std::move(groups),
                  .ahead = std::move(ahead),
                  .progress = {progress.begin(), progress.end()},
                  .repetitions = repetitions};
  for (const auto& name : methods) choices.methods.push_back(comm::method_named(name));
  for (const auto& name : algorithms) choices.algorithms.push_back(schedule::alltoall_named(name));
  nb::list found;
  for (const auto& [how, seconds] : fastest(
           comm, {largest_set, most_groups, n_components}, choices,
           [&](const Communication& how) { communicate(told(how, choices)); }, [&] { work(); }))
    found.append(nb::make_tuple(told(how, choices), seconds));
  return found;
}

/// What is tried unless it is said, by the names of `fastest`.
nb::dict choices() {
  const Choices all;
  nb::dict found;
  found["groups"] = nb::tuple(nb::cast(all.groups)), found["ahead"] = nb::tuple(nb::cast(all.ahead));
  nb::list methods, algorithms;
  for (const auto method : all.methods) methods.append(method->name);
  for (const auto& by : all.algorithms) algorithms.append(schedule::name_of(by));
  nb::list progress;
  for (const auto by : kAllProgress) progress.append(std::string(comm::name_of(by)));
  found["methods"] = nb::tuple(methods), found["algorithms"] = nb::tuple(algorithms);
  found["progress"] = nb::tuple(progress);
  return found;
}

}  // namespace

void bind_tuning(nb::module_& m) {
  m.def("choices", &choices);
  m.def("fastest", &fastest_of, "comm"_a, "largest_set"_a, "most_groups"_a, "n_components"_a, "methods"_a,
        "algorithms"_a, "groups"_a, "ahead"_a, "progress"_a, "repetitions"_a, "communicate"_a, "work"_a,
        "Collective.");
  m.def(
      "algorithm", [](const std::string& name) { return schedule::name_of(schedule::alltoall_named(name)); },
      "name"_a, "The name of an all-to-all as it is told: `ring-1` for `ring`.");
}
