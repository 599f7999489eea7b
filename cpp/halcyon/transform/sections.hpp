#pragma once

#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "halcyon/transform/section.hpp"

namespace halcyon::transform {

/// @throws ConfigError unless there are V W ranks
void check_ranks(const comm::Communicator* comm, SetCounts counts);

/// The sections of a transform: one for each kind of call, made when it is first asked for.
class Sections {
 public:
  /// @param comm none for one rank alone
  /// @param group fields that go through the stages together, at most
  /// @throws ConfigError for groups of less than one field, and as `communicate`
  Sections(ExtentsPointer sets, std::optional<comm::Communicator> comm, int group, Communication how);

  /// Collective. From now on ranks exchange so.
  /// @throws ConfigError for fewer than 1 group
  void communicate(Communication how);
  /// Collective where it is new.
  Section& get(Way way, int n_components, int n_fields);
  /// What a call of one component exchanges.
  /// @throws ConfigError for one rank, which exchanges nothing
  schedule::Pipeline schedule(Way way, int n_fields) const;

  /// Of all sections since the last `communicate`.
  comm::Statistics statistics() const;
  double zonal_s() const;
  double meridional_s() const;

 private:
  Passage passage(Way way, int n_components, int n_fields) const;

  ExtentsPointer sets_;
  std::optional<comm::Communicator> comm_;
  int group_;
  Communication how_;
  std::map<std::tuple<Way, int, int>, std::unique_ptr<Section>> sections_;
};

}  // namespace halcyon::transform
