#include "halcyon/semi_lagrangian/column_halo.hpp"

#include <algorithm>
#include <array>

#include "halcyon/base/error.hpp"

namespace halcyon::semi_lagrangian {

void ColumnHalo::Sizes::check() const {
  require<ConfigError>(n_fields >= 1 && n_levels >= 1,
                       "{} fields of {} levels are to be carried. Give 1 or more of both.", n_fields,
                       n_levels);
  require<ConfigError>(n_groups >= 1 && n_groups <= n_levels, "{} levels in {} groups. Give 1 to {} groups.",
                       n_levels, n_groups, n_levels);
}

ColumnHalo::ColumnHalo(const comm::Communicator& comm, const Division& division, const Columns& columns,
                       Sizes sizes, comm::Method method,
                       const std::shared_ptr<const comm::Progress>& progress)
    : sizes_(sizes), columns_(columns), pending_(std::max(sizes.n_groups, 0)) {
  sizes.check();
  const auto partners = neighbours(comm, division, columns);
  n_neighbours_ = static_cast<int>(partners.size());
  for (int group = 0; group < sizes.n_groups; ++group) {
    const auto item = static_cast<std::size_t>(sizes.n_fields) * levels(group).size();
    const auto item_bytes = static_cast<std::int64_t>(item * sizeof(double));
    const schedule::Halo schedule(comm.size(), {{.item_bytes = item_bytes}},
                                  [&](Rank) -> const schedule::Halo::Neighbours& { return partners; });
    values_.emplace_back(item * columns.n_local());
    for (const auto buffer : {schedule.send_buffer(), schedule.receive_buffer()})
      staging_.emplace_back(schedule.buffer_bytes(comm.rank(), buffer));
    exchanges_.emplace_back(comm, schedule, method, schedule::Actors{}, comm::Placement::anywhere, progress);
    received_bytes_ += item_bytes * static_cast<std::int64_t>(columns.halo().size());
  }
}

Range ColumnHalo::levels(int group) const {
  const auto begin = [this](int g) {
    return static_cast<int>(std::int64_t{sizes_.n_levels} * g / sizes_.n_groups);
  };
  return {begin(group), begin(group + 1)};
}

void ColumnHalo::start(int group, std::span<const std::span<const double>> fields) {
  const auto [begin, end] = levels(group);
  auto to = values_[group].begin();
  for (LocalIndex column = 0; column < columns_.n_owned(); ++column)
    for (const auto& field : fields) {
      const auto first = std::size_t(column) * sizes_.n_levels;
      to = std::ranges::copy(field.subspan(first + begin, end - begin), to).out;
    }
  const std::array buffers{std::as_writable_bytes(std::span(values_[group])), std::span(staging_[2 * group]),
                           std::span(staging_[2 * group + 1])};
  pending_[group].emplace(exchanges_[group].start(buffers));
}

View<const double, 3> ColumnHalo::values(int group) const {
  return {values_[group].data(),
          {std::size_t(columns_.n_local()), std::size_t(sizes_.n_fields), std::size_t(levels(group).size())}};
}

}  // namespace halcyon::semi_lagrangian
