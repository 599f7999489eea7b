#pragma once

#include <array>
#include <compare>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "halcyon/transform/share/section.hpp"

namespace halcyon::transform {

/// @throws ConfigError unless there are V W ranks
void check_ranks(const comm::Communicator* comm, SetCounts counts);

/// The sections of a transform: one for each kind of call, made when it is first asked for.
class Sections {
 public:
  /// @param comm none for one rank alone
  /// @param group fields that are computed together, at most
  /// @throws ConfigError for less than one field together, and as `communicate`
  /// @param columns_of_coefficients V sets share the coefficients of all fields, not fields
  Sections(ExtentsPointer sets, std::optional<comm::Communicator> comm, int group,
           bool columns_of_coefficients, Communication how);

  /// What a section of so many arrays of values and of coefficients is made for.
  struct Call {
    Way way;
    int n_components, n_arrays, n_fields;
    auto operator<=>(const Call&) const = default;
  };

  /// Threads take turns, for all calls compute in the same memory: what `get` and its section are called
  /// within.
  std::unique_lock<std::mutex> turn() const { return std::unique_lock(*turns_); }
  /// Collective. From now on ranks exchange so.
  /// @throws ConfigError for fewer than 1 group
  void communicate(Communication how);
  /// Collective where it is new.
  Section& get(const Call& call);
  /// What a call of one array of either exchanges.
  /// @throws ConfigError for one rank, which exchanges nothing
  schedule::Pipeline schedule(Way way, int n_fields) const;

  /// Since the last `communicate`: of all calls.
  comm::Statistics statistics() const;
  Times times() const;
  /// What has been called since then, each once.
  std::vector<Call> calls() const;
  /// That so many fields can travel in, of each component: one a field of the largest V set.
  int most_groups(int n_fields) const { return FieldGroups{n_fields, sets_->counts().v, 1}.size(0); }
  /// Numbers of a field that change rank: of coefficients, of panels and at points.
  std::array<double, 3> sent() const;

 private:
  Passage passage(const Call& call) const;

  ExtentsPointer sets_;
  std::optional<comm::Communicator> comm_;
  int group_;
  bool columns_of_coefficients_;
  Communication how_;
  std::map<Call, std::unique_ptr<Section>> sections_;
  std::unique_ptr<std::mutex> turns_ = std::make_unique<std::mutex>();
};

}  // namespace halcyon::transform
