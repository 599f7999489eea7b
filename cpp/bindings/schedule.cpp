#include "halcyon/schedule/schedule.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "halcyon/schedule/allreduce.hpp"
#include "halcyon/schedule/alltoall.hpp"
#include "halcyon/schedule/grid_halo.hpp"
#include "halcyon/schedule/message_list.hpp"
#include "halcyon/schedule/messages.hpp"
#include "halcyon/schedule/recorded.hpp"
#include "halcyon/schedule/sequence.hpp"
#include "halcyon/schedule/transposition.hpp"

namespace {

using namespace halcyon::schedule;
using halcyon::Rank;
using Made = std::shared_ptr<Schedule>;
using Listed = std::tuple<std::int32_t, Rank, Rank, std::int64_t>;  // round, source, target, bytes

template <class Kind>
Made made(Kind schedule) {
  return std::make_shared<Kind>(std::move(schedule));
}

Made message_list(Rank n_ranks, const std::vector<Listed>& listed) {
  std::vector<Message> list;
  for (const auto& [round, source, target, bytes] : listed) list.push_back({round, source, target, bytes});
  return made(MessageList(n_ranks, list));
}

Volumes volumes_of(const Input<std::int64_t>& offsets, const Input<Rank>& peers,
                   const Input<std::int64_t>& messages, const Input<std::int64_t>& bytes) {
  Volumes volumes;
  volumes.offsets.assign(offsets.data(), offsets.data() + offsets.size());
  volumes.peers.assign(peers.data(), peers.data() + peers.size());
  volumes.messages.assign(messages.data(), messages.data() + messages.size());
  volumes.bytes.assign(bytes.data(), bytes.data() + bytes.size());
  return volumes;
}

auto counted(const Schedule& schedule, int threads) {
  Volumes found;
  {
    const nb::gil_scoped_release released;
    found = volumes(schedule, threads);
  }
  return nb::make_tuple(to_numpy(std::move(found.offsets)), to_numpy(std::move(found.peers)),
                        to_numpy(std::move(found.messages)), to_numpy(std::move(found.bytes)));
}

void bind_collectives(nb::module_& m) {
  m.def(
      "alltoall",
      [](Rank n_ranks, std::int64_t block_bytes, const std::string& algorithm) {
        const auto blocks = std::make_shared<EvenBlocks>(block_bytes);
        const auto all = alltoall(n_ranks, {n_ranks, 1}, blocks, alltoall_named(algorithm));
        return std::const_pointer_cast<Schedule>(all);
      },
      nb::arg("n_ranks"), nb::arg("block_bytes"), nb::arg("algorithm"));
  m.def(
      "allreduce",
      [](Rank n_ranks, std::int64_t data_bytes, Rank radix) {
        return made(Allreduce(n_ranks, data_bytes, radix));
      },
      nb::arg("n_ranks"), nb::arg("data_bytes"), nb::arg("radix"));
  m.def(
      "gcr",
      [](Rank n_ranks, std::int32_t n_iterations, std::int32_t n_directions, Rank radix,
         std::int32_t n_numbers, double compute_s) {
        return made(gcr(n_ranks, {n_iterations, n_directions, radix, n_numbers, compute_s}));
      },
      nb::arg("n_ranks"), nb::arg("n_iterations"), nb::arg("n_directions"), nb::arg("radix"),
      nb::arg("n_numbers"), nb::arg("compute_s"));
  m.def(
      "transposition",
      [](std::array<std::int64_t, 3> grid, std::array<Rank, 2> shape, std::int64_t item_bytes,
         const std::string& algorithm, double item_s) {
        const TransposedGrid whole{grid[0], grid[1], grid[2], shape[0], shape[1], item_bytes};
        return made(transposition(whole, alltoall_named(algorithm), {item_s}));
      },
      nb::arg("grid"), nb::arg("shape"), nb::arg("item_bytes"), nb::arg("algorithm"), nb::arg("item_s"));
}

void bind_halos(nb::module_& m) {
  m.def(
      "grid_halo",
      [](std::array<std::int64_t, 2> grid, std::array<Rank, 2> shape, std::int64_t width,
         std::int64_t item_bytes, bool at_once) {
        const HaloGrid whole{grid[0], grid[1], shape[0], shape[1], width, item_bytes};
        return made(GridHalo(whole, at_once ? HaloOrder::at_once : HaloOrder::sweeps));
      },
      nb::arg("grid"), nb::arg("shape"), nb::arg("width"), nb::arg("item_bytes"), nb::arg("at_once"));
  m.def(
      "messages",
      [](const Input<std::int64_t>& offsets, const Input<Rank>& peers, const Input<std::int64_t>& messages,
         const Input<std::int64_t>& bytes, bool at_once) {
        return made(Messages(volumes_of(offsets, peers, messages, bytes),
                             at_once ? MessageOrder::at_once : MessageOrder::in_order));
      },
      nb::arg("offsets"), nb::arg("peers"), nb::arg("messages"), nb::arg("bytes"), nb::arg("at_once"));
}

}  // namespace

void bind_schedule(nb::module_& m) {
  nb::class_<Schedule>(m, "Schedule", "What every rank does, one rank at a time and lazily.")
      .def_prop_ro("n_ranks", &Schedule::n_ranks)
      .def_prop_ro("n_stages", &Schedule::n_stages);
  m.def("message_list", &message_list, nb::arg("n_ranks"), nb::arg("messages"));
  m.def("volumes", &counted, nb::arg("schedule"), nb::arg("threads") = 1);
  bind_collectives(m);
  bind_halos(m);
  m.def(
      "repeated",
      [](Made schedule, std::int64_t times) { return made(repeated(std::move(schedule), times)); },
      nb::arg("schedule"), nb::arg("times"));
  m.def("read_record", [](const std::string& path) { return made(Recorded::read(path)); }, nb::arg("path"));
}
