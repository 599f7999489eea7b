#include "halcyon/schedule/schedule.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/schedule/halo/volumes.hpp"
#include "halcyon/schedule/in_process.hpp"
#include "halcyon/schedule/record/recorded.hpp"
#include "schedules.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::schedule;
using Bytes = nb::ndarray<std::uint8_t, nb::numpy, nb::ndim<1>, nb::c_contig>;

constexpr std::array kActions{"send", "receive", "start", "wait", "copy", "combine", "compute"};

Rank checked(const Schedule& schedule, Rank rank) {
  require<ConfigError>(rank >= 0 && rank < schedule.n_ranks(), "There is no rank {} in a schedule of {}.",
                       rank, schedule.n_ranks());
  return rank;
}

/// A row an operation: action, stage, peer, round, block and target (buffer, offset, bytes, count, stride),
/// work, seconds.
nb::list operations_of(const Schedule& schedule, Rank rank) {
  const auto numbers = [](const Block& b) {
    return nb::make_tuple(b.buffer, b.offset_bytes, b.size_bytes, b.count, b.stride_bytes);
  };
  nb::list rows;
  Cursor cursor;
  for (Operation o; schedule.next(checked(schedule, rank), cursor, o);) {
    rows.append(nb::make_tuple(kActions[static_cast<std::size_t>(o.action)], schedule.stage(cursor), o.peer,
                               o.round, numbers(o.block), numbers(o.target), o.work, o.seconds));
  }
  return rows;
}

/// What ranks do, summed: rounds, messages and bytes sent, bytes received, seconds of computation.
auto counts_of(const Schedule& schedule, const std::vector<Rank>& ranks) {
  std::vector<std::int64_t> rounds, messages, sent, received;
  std::vector<double> compute_s;
  const auto zero = [](auto&... all) { (all.push_back(0), ...); };
  for (const auto rank : ranks) {
    zero(rounds, messages, sent, received, compute_s);
    Cursor cursor;
    for (Operation o; schedule.next(checked(schedule, rank), cursor, o);) {
      rounds.back() += o.action == Action::start;
      messages.back() += o.action == Action::send;
      if (o.action == Action::send) sent.back() += o.block.size_bytes;
      if (o.action == Action::receive) received.back() += o.block.size_bytes;
      if (o.action == Action::compute) compute_s.back() += o.seconds;
    }
  }
  return nb::make_tuple(to_numpy(std::move(rounds)), to_numpy(std::move(messages)), to_numpy(std::move(sent)),
                        to_numpy(std::move(received)), to_numpy(std::move(compute_s)));
}

auto volumes_of(const Schedule& schedule, int threads) {
  Volumes found;
  {
    const nb::gil_scoped_release released;
    found = volumes(schedule, threads);
  }
  return nb::make_tuple(to_numpy(std::move(found.offsets)), to_numpy(std::move(found.peers)),
                        to_numpy(std::move(found.messages)), to_numpy(std::move(found.bytes)));
}

nb::object view_of(std::span<const std::byte> bytes) {
  const std::size_t shape[] = {bytes.size()};
  return nb::cast(nb::ndarray<nb::numpy, std::uint8_t>(
                      const_cast<void*>(static_cast<const void*>(bytes.data())), 1, shape, nb::handle()),
                  nb::rv_policy::reference);
}

void run(const Schedule& schedule, const std::vector<std::vector<Bytes>>& arrays, const nb::object& combine,
         const nb::object& work) {
  std::vector<Buffers> buffers;
  for (const auto& of_rank : arrays) {
    auto& spans = buffers.emplace_back();
    for (const auto& array : of_rank)
      spans.emplace_back(reinterpret_cast<std::byte*>(array.data()), array.size());
  }
  run_in_process(schedule, buffers, [&](Rank rank) {
    Actors actors;
    if (!combine.is_none()) {
      actors.combine = [&](std::span<std::byte> target, std::span<const std::byte> block) {
        combine(view_of(target), view_of(block));
      };
    }
    if (!work.is_none()) actors.work = [&work, rank](std::int32_t number) { work(rank, number); };
    return actors;
  });
}

}  // namespace

void bind_schedule(nb::module_& m) {
  nb::class_<Schedule>(m, "Schedule",
                       "What every rank of a run does, one rank at a time and lazily. Made by the functions "
                       "of halcyon.schedule.")
      .def_prop_ro("n_ranks", &Schedule::n_ranks)
      .def_prop_ro("n_stages", &Schedule::n_stages, "Parts that reports tell apart.")
      .def_prop_ro(
          "buffers",
          [](const Schedule& self) {
            std::vector<std::string> names;
            for (const auto& buffer : self.buffers()) names.push_back(buffer.name);
            return names;
          },
          "Names, the same on every rank.")
      .def(
          "buffer_bytes",
          [](const Schedule& self, Rank rank) {
            std::vector<std::int64_t> bytes;
            for (std::int32_t b = 0; b < std::ssize(self.buffers()); ++b)
              bytes.push_back(self.buffer_bytes(checked(self, rank), b));
            return bytes;
          },
          nb::arg("rank"), "What a rank's buffers must have at least, in their order.");
  m.def("operations", &operations_of, nb::arg("schedule"), nb::arg("rank"));
  m.def("counts", &counts_of, nb::arg("schedule"), nb::arg("ranks"));
  m.def("volumes", &volumes_of, nb::arg("schedule"), nb::arg("threads"));
  m.def(
      "check", [](const Schedule& self, Rank rank) { check(self, checked(self, rank)); }, nb::arg("schedule"),
      nb::arg("rank"));
  m.def("run", &run, nb::arg("schedule"), nb::arg("buffers"), nb::arg("combine").none(),
        nb::arg("work").none());
  m.def(
      "read_record",
      [](const std::string& path) -> std::shared_ptr<const Schedule> {
        return std::make_shared<Recorded>(Recorded::read(path));
      },
      nb::arg("path"));
  bind_schedules(m);
}
