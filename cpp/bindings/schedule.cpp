#include "halcyon/schedule/schedule.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <ranges>

#include "arrays.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/schedule/collectives/allreduce.hpp"
#include "halcyon/schedule/collectives/collective.hpp"
#include "halcyon/schedule/groups.hpp"
#include "halcyon/schedule/halo/grid_halo.hpp"
#include "halcyon/schedule/halo/volumes.hpp"
#include "halcyon/schedule/in_process.hpp"
#include "halcyon/schedule/messages.hpp"
#include "halcyon/schedule/pipeline.hpp"
#include "halcyon/schedule/record/recorded.hpp"
#include "halcyon/schedule/record/replayed.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::schedule;
using Bytes = nb::ndarray<std::uint8_t, nb::numpy, nb::ndim<1>, nb::c_contig>;

Rank checked_rank(const Schedule& schedule, Rank rank) {
  require<ConfigError>(rank >= 0 && rank < schedule.n_ranks(),
                       "There is no rank {} in a schedule of {} ranks.", rank, schedule.n_ranks());
  return rank;
}

/// Returns one tuple per operation: action, stage, peer, round, block, target, work, seconds, where block and
/// target are (buffer, offset, bytes, count, stride).
nb::list operations_of(const Schedule& schedule, Rank rank) {
  const auto block_tuple = [](const Block& block) {
    const auto& [buffer, offset_bytes, size_bytes, count, stride_bytes] = block;
    return nb::make_tuple(buffer, offset_bytes, size_bytes, count, stride_bytes);
  };
  nb::list rows;
  Cursor cursor;
  for (Operation o; schedule.next(checked_rank(schedule, rank), cursor, o);)
    rows.append(nb::make_tuple(kActionNames[static_cast<std::size_t>(o.action)], schedule.stage(cursor),
                               o.peer, o.round, block_tuple(o.block), block_tuple(o.target), o.work,
                               o.seconds));
  return rows;
}

/// Returns arrays (rank): rounds, messages sent, bytes sent, bytes received, and seconds of computation.
auto counts_of(const Schedule& schedule, const std::vector<Rank>& ranks) {
  std::vector<std::int64_t> rounds, messages, sent, received;
  std::vector<double> compute_s;
  const auto append_zero = [](auto&... vectors) { (vectors.push_back(0), ...); };
  for (const auto rank : ranks) {
    append_zero(rounds, messages, sent, received, compute_s);
    Cursor cursor;
    for (Operation o; schedule.next(checked_rank(schedule, rank), cursor, o);) {
      rounds.back() += o.action == Action::start;
      messages.back() += o.action == Action::send;
      if (o.action == Action::send) sent.back() += o.block.size_bytes;
      if (o.action == Action::receive) received.back() += o.block.size_bytes;
      if (o.action == Action::compute) compute_s.back() += o.seconds;
    }
  }
  return to_tuple(std::move(rounds), std::move(messages), std::move(sent), std::move(received),
                  std::move(compute_s));
}

auto volumes_of(const Schedule& schedule, int threads) {
  auto result = without_gil([&] { return volumes(schedule, threads); });
  return to_tuple(std::move(result.offsets), std::move(result.peers), std::move(result.messages),
                  std::move(result.bytes));
}

/// Returns a numpy view of bytes, valid while a callback runs.
nb::object view_of(std::span<const std::byte> bytes) {
  const std::size_t shape[] = {bytes.size()};
  return nb::cast(nb::ndarray<nb::numpy, std::uint8_t>(
                      const_cast<void*>(static_cast<const void*>(bytes.data())), 1, shape, nb::handle()),
                  nb::rv_policy::reference);
}

void run(const Schedule& schedule, const std::vector<std::vector<Bytes>>& arrays, const nb::object& combine,
         const nb::object& work) {
  std::vector<Buffers> buffers;
  for (const auto& rank_arrays : arrays) {
    auto& spans = buffers.emplace_back();
    for (const auto& array : rank_arrays)
      spans.emplace_back(reinterpret_cast<std::byte*>(array.data()), array.size());
  }
  run_in_process(schedule, buffers, [&](Rank rank) {
    Callbacks callbacks;
    if (!combine.is_none()) {
      callbacks.combine = [&](std::span<std::byte> target, std::span<const std::byte> block) {
        combine(view_of(target), view_of(block));
      };
    }
    if (!work.is_none()) callbacks.work = [&work, rank](std::int32_t index) { work(rank, index); };
    return callbacks;
  });
}

template <class S>
SchedulePointer shared(S schedule) {
  return std::make_shared<S>(std::move(schedule));
}

SchedulePointer alltoall_of(Rank ranks, std::int64_t bytes, const std::string& algorithm, Rank size,
                            Rank stride) {
  return alltoall(ranks, {size, stride}, std::make_shared<UniformBlocks>(bytes),
                  alltoall_method_named(algorithm));
}

SchedulePointer alltoallv_of(Rank ranks, const std::vector<std::int64_t>& bytes, const std::string& algorithm,
                             Rank size, Rank stride) {
  return alltoall(ranks, {size, stride}, std::make_shared<VariableBlocks>(size, bytes),
                  alltoall_method_named(algorithm));
}

TransposedGrid transposed_grid(const std::array<std::int64_t, 3>& points, const std::array<Rank, 2>& ranks,
                               std::int64_t item_bytes) {
  const auto [nx, ny, nz] = points;
  return {.nx = nx, .ny = ny, .nz = nz, .cx = ranks[0], .cy = ranks[1], .item_bytes = item_bytes};
}

SchedulePointer grid_halo_of(const std::array<std::int64_t, 2>& columns, const std::array<Rank, 2>& ranks,
                             std::int64_t width, std::int64_t item_bytes, const std::string& order,
                             const std::array<bool, 2>& periodic) {
  require<ConfigError>(order == "sweeps" || order == "at_once", "order is '{}'. Use sweeps or at_once.",
                       order);
  const auto [nx, ny] = columns;
  const auto [px, py] = ranks;
  return shared(GridHalo({nx, ny, px, py, width, item_bytes, periodic},
                         order == "sweeps" ? HaloOrder::sweeps : HaloOrder::at_once));
}

SchedulePointer messages_of(std::span<const std::int64_t> offsets, std::span<const std::int64_t> peers,
                            std::span<const std::int64_t> bytes, const std::string& order,
                            std::vector<double> compute_s) {
  const std::array<std::string_view, 3> names{"at_once", "in_order", "unwaited"};
  const auto index = std::ranges::find(names, order) - names.begin();
  require<ConfigError>(index < std::ssize(names), "order is '{}'. Use at_once, in_order or unwaited.", order);
  Volumes volumes;
  volumes.offsets.assign(offsets.begin(), offsets.end());
  volumes.peers.assign(peers.begin(), peers.end());
  volumes.bytes.assign(bytes.begin(), bytes.end());
  volumes.messages.assign(volumes.peers.size(), 1);
  return shared(VolumeExchange(std::move(volumes), static_cast<MessageOrder>(index), std::move(compute_s)));
}

/// @param messages (round, source, target, bytes) of each message
SchedulePointer message_list_of(
    Rank ranks, const std::vector<std::tuple<std::int32_t, Rank, Rank, std::int64_t>>& messages) {
  std::vector<Message> list;
  for (const auto& [round, source, target, bytes] : messages) list.push_back({round, source, target, bytes});
  return shared(MessageList(ranks, list));
}

/// @param in, out (size, stride) of the groups of ranks in the all-to-alls before and after the computation
/// @param incoming, outgoing (group of fields) bytes per block in these all-to-alls
SchedulePointer pipeline_of(Rank ranks, const std::pair<Rank, Rank>& in, const std::pair<Rank, Rank>& out,
                            const std::vector<std::int64_t>& incoming,
                            const std::vector<std::int64_t>& outgoing, double compute_s,
                            int prefetched_groups) {
  std::vector<FieldGroup> groups;
  for (std::size_t g = 0; g < incoming.size(); ++g)
    groups.push_back({std::make_shared<UniformBlocks>(incoming[g]),
                      g < outgoing.size() ? std::make_shared<UniformBlocks>(outgoing[g]) : nullptr,
                      [compute_s](Rank) { return compute_s; }});
  return shared(
      Pipeline(ranks, {in.first, in.second}, {out.first, out.second}, std::move(groups), prefetched_groups));
}

SchedulePointer computation_of(const std::vector<double>& seconds, std::int32_t work) {
  const auto n_ranks = static_cast<Rank>(seconds.size());
  return std::make_shared<Computation>(n_ranks, work, [seconds](Rank rank) { return seconds[rank]; });
}

SchedulePointer collective_of(const std::string& operation, const std::string& algorithm, Rank ranks,
                              const std::vector<std::int64_t>& bytes, Rank root, std::int64_t segment_bytes,
                              std::int64_t item_bytes, Rank ranks_per_node) {
  return collective({operation, algorithm, ranks, bytes, root, segment_bytes, item_bytes, ranks_per_node});
}

/// @param steps (step, 5): kind, peer, round, collective, bytes
SchedulePointer replayed(std::span<const std::int64_t> offsets, std::span<const std::int64_t> steps,
                         std::span<const double> seconds,
                         std::vector<std::pair<SchedulePointer, std::vector<Rank>>> collectives) {
  std::vector<ReplayStep> list(seconds.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto* step = &steps[5 * i];
    list[i] = {static_cast<ReplayStep::Kind>(step[0]),
               static_cast<Rank>(step[1]),
               static_cast<std::int32_t>(step[2]),
               static_cast<std::int32_t>(step[3]),
               step[4],
               seconds[i]};
  }
  std::vector<ReplayedTrace::Collective> shared_collectives;
  for (auto& [schedule, members] : collectives)
    shared_collectives.push_back({std::move(schedule), std::move(members)});
  return std::make_shared<ReplayedTrace>(std::vector(offsets.begin(), offsets.end()), std::move(list),
                                         std::move(shared_collectives));
}

/// @param groups (members, schedule)
SchedulePointer in_groups(Rank ranks, std::vector<std::pair<std::vector<Rank>, SchedulePointer>> groups) {
  std::vector<InGroups::Group> list;
  for (auto& [members, schedule] : groups) list.push_back({std::move(members), std::move(schedule)});
  return std::make_shared<InGroups>(ranks, std::move(list));
}

}  // namespace

void bind_schedule(nb::module_& m) {
  nb::class_<Schedule>(m, "Schedule",
                       "The operations of every rank of a run, generated when they are read. Created by the "
                       "functions of halcyon.schedule.")
      .def_prop_ro("n_ranks", &Schedule::n_ranks)
      .def_prop_ro("n_stages", &Schedule::n_stages, "Number of stages distinguished in reports.")
      .def_prop_ro(
          "buffers",
          [](const Schedule& self) { return texts(self.buffers() | std::views::transform(&Buffer::name)); },
          "Names of the buffers, the same on every rank.")
      .def(
          "buffer_bytes",
          [](const Schedule& self, Rank rank) {
            std::vector<std::int64_t> bytes;
            for (std::int32_t b = 0; b < std::ssize(self.buffers()); ++b)
              bytes.push_back(self.buffer_bytes(checked_rank(self, rank), b));
            return bytes;
          },
          "rank"_a, "Minimum sizes of a rank's buffers [bytes], in the order of `buffers`.");
  m.def("operations", &operations_of, "schedule"_a, "rank"_a);
  m.def("counts", &counts_of, "schedule"_a, "ranks"_a);
  m.def("volumes", &volumes_of, "schedule"_a, "threads"_a);
  m.def(
      "check", [](const Schedule& self, Rank rank) { check(self, checked_rank(self, rank)); }, "schedule"_a,
      "rank"_a);
  m.def("run", &run, "schedule"_a, "buffers"_a, "combine"_a.none(), "work"_a.none());
  m.def(
      "read_record",
      [](const std::string& path) -> std::shared_ptr<const Schedule> {
        return std::make_shared<RecordedSchedule>(RecordedSchedule::read(path));
      },
      "path"_a);
  m.def("alltoall", &alltoall_of);
  m.def("alltoallv", &alltoallv_of);
  m.def("transposition",
        [](const std::array<std::int64_t, 3>& points, const std::array<Rank, 2>& ranks,
           const std::string& algorithm, std::int64_t item_bytes, double item_s, bool is_reverse) {
          return shared((is_reverse ? reverse_transposition : transposition)(
              transposed_grid(points, ranks, item_bytes), alltoall_method_named(algorithm), item_s));
        });
  m.def("box", [](const std::array<std::int64_t, 3>& points, const std::array<Rank, 2>& ranks, int state,
                  Rank rank) {
    const auto box = box_at(transposed_grid(points, ranks, 1), state, rank);
    return nb::make_tuple(box.begin, box.size);
  });
  m.def("spectral_pipeline", [](const std::array<std::int64_t, 3>& points, const std::array<Rank, 2>& ranks,
                                int groups, std::int64_t item_bytes, double item_s, int prefetched_groups) {
    return shared(
        spectral_pipeline(transposed_grid(points, ranks, item_bytes), groups, item_s, prefetched_groups));
  });
  m.def("pipeline", &pipeline_of);
  m.def("allreduce",
        [](Rank ranks, std::int64_t bytes, Rank radix) { return shared(Allreduce(ranks, bytes, radix)); });
  m.def("gcr", [](Rank ranks, std::int32_t iterations, std::int32_t directions, Rank radix,
                  std::int32_t numbers, double compute_s) {
    return shared(gcr(ranks, {iterations, directions, radix, numbers, compute_s}));
  });
  m.def("collective", &collective_of);
  m.def("collective_operations", &collective_operations);
  m.def("algorithms_of", &algorithms_of);
  m.def("replayed", &replayed);
  m.def("in_groups", &in_groups);
  m.def("grid_halo", &grid_halo_of);
  m.def("messages", &messages_of);
  m.def("message_list", &message_list_of);
  m.def("computation", &computation_of);
  m.def("sequence", [](std::vector<SchedulePointer> parts, std::int64_t repetitions) {
    return shared(Sequence(std::move(parts), repetitions));
  });
}
