#include "halcyon/transform/share/tuning.hpp"

#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings/transform/shared.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::transform;

/// Returns (groups, ahead, method, algorithm, index in choices.progress).
nb::tuple settings_tuple(const ExchangeSettings& settings, const TuningCandidates& choices) {
  const auto index = std::ranges::find(choices.progress, settings.progress) - choices.progress.begin();
  return nb::make_tuple(settings.groups, settings.ahead, settings.method->name,
                        schedule::name_of(settings.algorithm), index);
}

nb::list fastest_of(const comm::Communicator& comm, Rank largest_set, int max_groups, int n_components,
                    const std::vector<std::string>& methods, const std::vector<std::string>& algorithms,
                    std::vector<int> groups, std::vector<int> ahead,
                    const std::vector<std::shared_ptr<comm::Progress>>& progress, int repetitions,
                    const nb::callable& set_exchange, const nb::callable& work) {
  TuningCandidates choices{.methods = {},
                           .algorithms = {},
                           .groups = std::move(groups),
                           .ahead = std::move(ahead),
                           .progress = {progress.begin(), progress.end()},
                           .repetitions = repetitions};
  for (const auto& name : methods) choices.methods.push_back(comm::method_named(name));
  for (const auto& name : algorithms) choices.algorithms.push_back(schedule::alltoall_method_named(name));
  nb::list results;
  for (const auto& [settings, seconds] : fastest(
           comm, {.largest_set = largest_set, .max_groups = max_groups, .n_components = n_components},
           choices,
           [&](const ExchangeSettings& settings) { set_exchange(settings_tuple(settings, choices)); },
           [&] { work(); }))
    results.append(nb::make_tuple(settings_tuple(settings, choices), seconds));
  return results;
}

/// Returns the lists of values that `fastest` tries by default, by argument name.
nb::dict default_candidates() {
  const TuningCandidates all;
  nb::dict lists;
  lists["groups"] = nb::tuple(nb::cast(all.groups)), lists["ahead"] = nb::tuple(nb::cast(all.ahead));
  nb::list methods, algorithms;
  for (const auto method : all.methods) methods.append(method->name);
  for (const auto& algorithm : all.algorithms) algorithms.append(schedule::name_of(algorithm));
  nb::list progress;
  for (const auto mode : kAllProgress) progress.append(std::string(comm::name_of(mode)));
  lists["methods"] = nb::tuple(methods), lists["algorithms"] = nb::tuple(algorithms);
  lists["progress"] = nb::tuple(progress);
  return lists;
}

}  // namespace

void bind_tuning(nb::module_& m) {
  m.def("default_candidates", &default_candidates);
  m.def("fastest", &fastest_of, "comm"_a, "largest_set"_a, "max_groups"_a, "n_components"_a, "methods"_a,
        "algorithms"_a, "groups"_a, "ahead"_a, "progress"_a, "repetitions"_a, "set_exchange"_a, "work"_a,
        "Collective. Returns a list of (settings, seconds).");
  m.def(
      "algorithm",
      [](const std::string& name) { return schedule::name_of(schedule::alltoall_method_named(name)); },
      "name"_a, "Canonical name of an all-to-all: `ring-1` for `ring`.");
}
