#include "halcyon/transform/share/sections.hpp"

#include <algorithm>
#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::transform {

void check_ranks(const comm::Communicator* comm, SetCounts counts) {
  const Rank n_ranks = comm ? comm->size() : 1;
  require<ConfigError>(
      counts.v >= 1 && counts.w >= 1 && counts.n_ranks() == n_ranks,
      "{} x {} sets are not the {} ranks of the communicator. Give V and W whose product is.", counts.v,
      counts.w, n_ranks);
}

Sections::Sections(ExtentsPointer sets, std::optional<comm::Communicator> comm, int group,
                   bool columns_of_coefficients, Communication how)
    : sets_(std::move(sets)),
      comm_(std::move(comm)),
      group_(group),
      columns_of_coefficients_(columns_of_coefficients) {
  require<ConfigError>(group >= 1, "{} fields are to be computed together. Give 1 or more.", group);
  communicate(std::move(how));
}

void Sections::communicate(Communication how) {
  require<ConfigError>(how.groups >= 1 && how.ahead >= 0,
                       "Fields in {} groups, of which {} come while one is worked on. Give 1 or more groups, "
                       "and 0 or more that come.",
                       how.groups, how.ahead);
  const auto turn = this->turn();
  how_ = std::move(how);
  sections_.clear();
}

/// Where nothing travels, what is computed together is a group: panels of no more are in memory.
Passage Sections::passage(const Call& call) const {
  const bool alone = sets_->counts().n_ranks() == 1;
  const FieldGroups travelling{call.n_fields, sets_->counts().v,
                               std::min(how_.groups, most_groups(call.n_fields))};
  return {call.way,          sets_,         alone ? in_batches(call.n_fields, group_) : travelling,
          call.n_components, call.n_arrays, columns_of_coefficients_};
}

Section& Sections::get(const Call& call) {
  auto found = sections_.find(call);
  if (found == sections_.end())
    found = sections_.emplace(call, std::make_unique<Section>(passage(call), group_, comm_, how_)).first;
  return *found->second;
}

schedule::Pipeline Sections::schedule(Way way, int n_fields) const {
  require<ConfigError>(sets_->counts().n_ranks() > 1, "One rank exchanges nothing. Give more.");
  require<ConfigError>(n_fields >= 1, "{} fields make no schedule. Give 1 or more.", n_fields);
  const auto turn = this->turn();
  return pipeline(passage({way, 1, 1, n_fields}), how_.by, how_.ahead);
}

comm::Statistics Sections::statistics() const {
  const auto turn = this->turn();
  comm::Statistics sum;
  for (const auto& [key, section] : sections_) sum += section->statistics();
  return sum;
}

Times Sections::times() const {
  const auto turn = this->turn();
  Times sum;
  for (const auto& [key, section] : sections_) sum += section->times();
  return sum;
}

std::vector<Sections::Call> Sections::calls() const {
  const auto turn = this->turn();
  std::vector<Call> found;
  for (const auto& [call, section] : sections_) found.push_back(call);
  return found;
}

std::array<double, 3> Sections::sent() const {
  const auto [n_v, n_w] = sets_->counts();
  const double leaving = 1 - 1.0 / n_v;  // the share of what V sets have of each other's fields
  double n_coefficients = 0, n_blocks = 0, n_points = 0;
  for (int w = 0; w < n_w; ++w) {
    n_coefficients += 2.0 * static_cast<double>(sets_->coefficients(w).n);
    n_points += static_cast<double>(sets_->points_before(n_v, w));
    for (int other = 0; other < n_w; ++other)
      if (other != w) n_blocks += static_cast<double>(sets_->n_blocks(w, other));
  }
  return {columns_of_coefficients_ ? leaving * n_coefficients : 0, n_blocks * sets_->block_numbers(),
          leaving * n_points};
}

}  // namespace halcyon::transform
