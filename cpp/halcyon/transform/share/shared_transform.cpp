#include "halcyon/transform/share/shared_transform.hpp"

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

SharedTransform::SharedTransform(ExtentsPointer extents, const comm::Communicator* comm, int group,
                                 bool columns_of_coefficients, Communication how)
    : extents_(std::move(extents)),
      comm_(comm ? std::optional(*comm) : std::nullopt),
      v_(comm ? extents_->v_of(comm->rank()) : 0),
      w_(comm ? extents_->w_of(comm->rank()) : 0),
      group_(group),
      parts_(extents_->coefficients(w_).n, columns_of_coefficients ? extents_->counts().v : 1) {
  require<ConfigError>(group >= 1, "{} fields are to be computed together. Give 1 or more.", group);
  communicate(std::move(how));
}

int SharedTransform::n_fields(std::size_t n_values, std::size_t n_coefficients) const {
  const std::size_t size = this->n_coefficients();
  const bool shares_fields = extents_->counts().v > parts_.parts;
  const FieldGroups fields{static_cast<int>(n_values / n_points()), shares_fields ? extents_->counts().v : 1,
                           1};
  require<InputError>(
      fields.n * n_points() == n_values && fields.size(shares_fields ? v_ : 0) * size == n_coefficients,
      "There are {} values and {} coefficients. A field has {} and {} here: give whole fields, "
      "of both as many{}.",
      n_values, n_coefficients, n_points(), size,
      shares_fields ? ", coefficients of this V set's alone" : "");
  return fields.n;
}

std::size_t SharedTransform::n_fields_of_coefficients(std::size_t n, std::size_t other) const {
  const std::size_t size = n_coefficients(), n_fields = size > 0 ? n / size : 0;
  require<InputError>(n == other && n_fields * size == n,
                      "There are {} and {} coefficients. A field has {} here: give whole fields, of both as "
                      "many.",
                      n, other, size);
  return n_fields;
}

void SharedTransform::synthesis(std::span<const Complex> coefficients, std::span<double> values) {
  const int n = n_fields(values.size(), coefficients.size());
  if (n == 0) return;
  run({Way::synthesis, 1, 1, n},
      {std::array{values.data()}, std::array{const_cast<Complex*>(coefficients.data())}},
      [&](Section& section, const Piece& piece) { work_on(Way::synthesis, section, piece); });
}

void SharedTransform::analysis(std::span<const double> values, std::span<Complex> coefficients) {
  const int n = n_fields(values.size(), coefficients.size());
  if (n == 0) return;
  run({Way::analysis, 1, 1, n},
      {std::array{const_cast<double*>(values.data())}, std::array{coefficients.data()}},
      [&](Section& section, const Piece& piece) { work_on(Way::analysis, section, piece); });
}

void SharedTransform::compute(Way way, std::span<Complex> coefficients, std::span<double> values) {
  const int n = n_fields(values.size(), coefficients.size());
  if (n == 0) return;
  const auto turn = this->turn();
  auto& section = this->section({way, 1, 1, n});
  section.compute({std::array{values.data()}, std::array{coefficients.data()}}, memory_,
                  [&](const Piece& piece) { work_on(way, section, piece); });
}

void SharedTransform::communicate(Communication how) {
  require<ConfigError>(how.groups >= 1 && how.ahead >= 0,
                       "Fields in {} groups, of which {} come while one is worked on. Give 1 or more groups, "
                       "and 0 or more that come.",
                       how.groups, how.ahead);
  const auto turn = this->turn();
  how_ = std::move(how);
  sections_.clear();
}

/// Where nothing travels, what is computed together is a group: panels of no more are in memory.
Passage SharedTransform::passage(const Call& call) const {
  const auto counts = extents_->counts();
  const FieldGroups travelling{call.n_fields, counts.v, std::min(how_.groups, most_groups(call.n_fields))};
  return {call.way,
          extents_,
          counts.n_ranks() == 1 ? in_batches(call.n_fields, group_) : travelling,
          call.n_components,
          call.n_arrays,
          shares_coefficients()};
}

/// Collective where it is new.
Section& SharedTransform::section(const Call& call) {
  auto found = sections_.find(call);
  if (found == sections_.end())
    found = sections_.emplace(call, std::make_unique<Section>(passage(call), group_, comm_, how_)).first;
  return *found->second;
}

schedule::Pipeline SharedTransform::schedule(Way way, int n_fields) const {
  require<ConfigError>(extents_->counts().n_ranks() > 1, "One rank exchanges nothing. Give more.");
  require<ConfigError>(n_fields >= 1, "{} fields make no schedule. Give 1 or more.", n_fields);
  const auto turn = this->turn();
  return pipeline(passage({way, 1, 1, n_fields}), how_.by, how_.ahead);
}

comm::Statistics SharedTransform::statistics() const {
  const auto turn = this->turn();
  comm::Statistics sum;
  for (const auto& [call, section] : sections_) sum += section->statistics();
  return sum;
}

Times SharedTransform::times() const {
  const auto turn = this->turn();
  Times sum;
  for (const auto& [call, section] : sections_) sum += section->times();
  return sum;
}

std::vector<SharedTransform::Call> SharedTransform::calls() const {
  const auto turn = this->turn();
  std::vector<Call> found;
  for (const auto& [call, section] : sections_) found.push_back(call);
  return found;
}

std::array<double, 3> SharedTransform::sent() const {
  const auto [n_v, n_w] = extents_->counts();
  const double leaving = 1 - 1.0 / n_v;  // the share of what V sets have of each other's fields
  double n_coefficients = 0, n_blocks = 0, n_points = 0;
  for (int w = 0; w < n_w; ++w) {
    n_coefficients += 2.0 * static_cast<double>(extents_->coefficients(w).n);
    n_points += static_cast<double>(extents_->points_before(n_v, w));
    for (int other = 0; other < n_w; ++other)
      if (other != w) n_blocks += static_cast<double>(extents_->n_blocks(w, other));
  }
  return {shares_coefficients() ? leaving * n_coefficients : 0, n_blocks * extents_->block_numbers(),
          leaving * n_points};
}

}  // namespace halcyon::transform
