#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "halcyon/base/view.hpp"
#include "halcyon/comm/exchange/exchange.hpp"
#include "halcyon/semi_lagrangian/columns.hpp"

namespace halcyon::semi_lagrangian {

/// Fields of the columns that a rank holds, in groups of levels that travel one by one: a group is an array
/// (column, field, level of the group), so that what a neighbour sends of it arrives in place.
class ColumnHalo {
 public:
  struct Sizes {
    int n_fields = 1, n_levels = 1, n_groups = 1;

    /// @throws ConfigError for sizes below 1, and more groups than levels
    void check() const;
  };

  /// Collective. @param columns, which must stay
  /// @throws ConfigError as Sizes::check and comm::Exchange
  ColumnHalo(const comm::Communicator& comm, const Division& division, const Columns& columns, Sizes sizes,
             comm::Method method, const std::shared_ptr<const comm::Progress>& progress = {});

  int n_groups() const { return sizes_.n_groups; }
  Range levels(int group) const;
  /// Takes a group's levels of the fields, (owned column, level) each, and sends them off.
  void start(int group, std::span<const std::span<const double>> fields);
  void wait(int group) { pending_[group].reset(); }
  /// What a computation calls between its pieces (comm::Exchange::progress), of all groups under way.
  void progress();
  /// (column, field, level of the group), after `wait`.
  View<const double, 3> values(int group) const;

  std::int64_t received_bytes() const { return received_bytes_; }
  int n_neighbours() const { return n_neighbours_; }
  const std::string& description() const { return exchanges_.front().description(); }

 private:
  Sizes sizes_;
  const Columns& columns_;
  std::int64_t received_bytes_ = 0;
  int n_neighbours_ = 0;
  std::vector<std::vector<double>> values_;            ///< (group)
  std::vector<std::vector<std::byte>> staging_;        ///< (group, send and receive)
  std::vector<comm::Exchange> exchanges_;              ///< (group)
  std::vector<std::optional<comm::Pending>> pending_;  ///< (group)
};

}  // namespace halcyon::semi_lagrangian
