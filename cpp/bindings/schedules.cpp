#include "schedules.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "arrays.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/schedule/collectives/allreduce.hpp"
#include "halcyon/schedule/halo/grid_halo.hpp"
#include "halcyon/schedule/messages.hpp"
#include "halcyon/schedule/pipeline.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::schedule;

/// As all of Python's schedules are held.
template <class S>
SchedulePointer kept(S schedule) {
  return std::make_shared<S>(std::move(schedule));
}

SchedulePointer alltoall_of(Rank ranks, std::int64_t bytes, const std::string& algorithm, Rank size,
                            Rank stride) {
  return alltoall(ranks, {size, stride}, std::make_shared<EvenBlocks>(bytes), alltoall_named(algorithm));
}

SchedulePointer alltoallv_of(Rank ranks, const std::vector<std::int64_t>& bytes, const std::string& algorithm,
                             Rank size, Rank stride) {
  return alltoall(ranks, {size, stride}, std::make_shared<GivenBlocks>(size, bytes),
                  alltoall_named(algorithm));
}

TransposedGrid grid_of(const std::array<std::int64_t, 3>& points, const std::array<Rank, 2>& ranks,
                       std::int64_t item_bytes) {
  return {points[0], points[1], points[2], ranks[0], ranks[1], item_bytes};
}

SchedulePointer grid_halo_of(const std::array<std::int64_t, 2>& columns, const std::array<Rank, 2>& ranks,
                             std::int64_t width, std::int64_t item_bytes, const std::string& order,
                             const std::array<bool, 2>& periodic) {
  require<ConfigError>(order == "sweeps" || order == "at_once", "order is '{}'. Use sweeps or at_once.",
                       order);
  return kept(GridHalo({columns[0], columns[1], ranks[0], ranks[1], width, item_bytes, periodic},
                       order == "sweeps" ? HaloOrder::sweeps : HaloOrder::at_once));
}

SchedulePointer messages_of(const Input<std::int64_t>& offsets, const Input<std::int64_t>& peers,
                            const Input<std::int64_t>& bytes, const std::string& order,
                            std::vector<double> compute_s) {
  const std::array<std::string_view, 3> names{"at_once", "in_order", "unwaited"};
  const auto at = std::ranges::find(names, order) - names.begin();
  require<ConfigError>(at < std::ssize(names), "order is '{}'. Use at_once, in_order or unwaited.", order);
  Volumes volumes;
  volumes.offsets.assign(offsets.data(), offsets.data() + offsets.size());
  volumes.peers.assign(peers.data(), peers.data() + peers.size());
  volumes.bytes.assign(bytes.data(), bytes.data() + bytes.size());
  volumes.messages.assign(volumes.peers.size(), 1);
  return kept(Messages(std::move(volumes), static_cast<MessageOrder>(at), std::move(compute_s)));
}

SchedulePointer message_list_of(
    Rank ranks, const std::vector<std::tuple<std::int32_t, Rank, Rank, std::int64_t>>& listed) {
  std::vector<Message> list;
  for (const auto& [round, source, target, bytes] : listed) list.push_back({round, source, target, bytes});
  return kept(MessageList(ranks, list));
}

SchedulePointer pipeline_of(Rank ranks, const std::pair<Rank, Rank>& in, const std::pair<Rank, Rank>& out,
                            const std::vector<std::int64_t>& incoming,
                            const std::vector<std::int64_t>& outgoing, double compute_s, int ahead) {
  std::vector<PipelineGroup> groups;
  for (std::size_t g = 0; g < incoming.size(); ++g) {
    groups.push_back({std::make_shared<EvenBlocks>(incoming[g]),
                      g < outgoing.size() ? std::make_shared<EvenBlocks>(outgoing[g]) : nullptr,
                      [compute_s](Rank) { return compute_s; }});
  }
  return kept(Pipeline(ranks, {in.first, in.second}, {out.first, out.second}, std::move(groups), ahead));
}

SchedulePointer computation_of(const std::vector<double>& seconds, std::int32_t work) {
  const auto n = static_cast<Rank>(seconds.size());
  return std::make_shared<Computation>(n, work, [seconds](Rank rank) { return seconds[rank]; });
}

}  // namespace

void bind_schedules(nb::module_& m) {
  m.def("alltoall", &alltoall_of);
  m.def("alltoallv", &alltoallv_of);
  m.def("transposition", [](const std::array<std::int64_t, 3>& points, const std::array<Rank, 2>& ranks,
                            const std::string& algorithm, std::int64_t item_bytes, double item_s, bool back) {
    return kept((back ? transposition_back : transposition)(grid_of(points, ranks, item_bytes),
                                                            alltoall_named(algorithm), item_s));
  });
  m.def("box", [](const std::array<std::int64_t, 3>& points, const std::array<Rank, 2>& ranks, int state,
                  Rank rank) {
    const auto box = box_at(grid_of(points, ranks, 1), state, rank);
    return nb::make_tuple(box.begin, box.size);
  });
  m.def("spectral_pipeline", [](const std::array<std::int64_t, 3>& points, const std::array<Rank, 2>& ranks,
                                int groups, std::int64_t item_bytes, double item_s, int ahead) {
    return kept(spectral_pipeline(grid_of(points, ranks, item_bytes), groups, item_s, ahead));
  });
  m.def("pipeline", &pipeline_of);
  m.def("allreduce",
        [](Rank ranks, std::int64_t bytes, Rank radix) { return kept(Allreduce(ranks, bytes, radix)); });
  m.def("gcr", [](Rank ranks, std::int32_t iterations, std::int32_t directions, Rank radix,
                  std::int32_t numbers, double compute_s) {
    return kept(gcr(ranks, {iterations, directions, radix, numbers, compute_s}));
  });
  m.def("grid_halo", &grid_halo_of);
  m.def("messages", &messages_of);
  m.def("message_list", &message_list_of);
  m.def("computation", &computation_of);
  m.def("sequence", [](std::vector<SchedulePointer> parts, std::int64_t repetitions) {
    return kept(Sequence(std::move(parts), repetitions));
  });
}
