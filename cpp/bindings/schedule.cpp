#include "halcyon/schedule/schedule.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "core.hpp"
#include "halcyon/schedule/message_list.hpp"

namespace {

using namespace halcyon;
using schedule::MessageList;
using schedule::Schedule;
using Listed = std::tuple<std::int32_t, Rank, Rank, std::int64_t>;  // round, source, target, bytes

}  // namespace

void bind_schedule(nb::module_& m) {
  nb::class_<Schedule>(m, "Schedule", "What every rank does, one rank at a time and lazily.")
      .def_prop_ro("n_ranks", &Schedule::n_ranks);
  nb::class_<MessageList, Schedule>(m, "MessageList")
      .def(
          "__init__",
          [](MessageList* self, Rank n_ranks, const std::vector<Listed>& listed) {
            std::vector<schedule::Message> list;
            for (const auto& [round, source, target, bytes] : listed)
              list.push_back({round, source, target, bytes});
            new (self) MessageList(n_ranks, list);
          },
          nb::arg("n_ranks"), nb::arg("messages"),
          "Messages (round, source, target, bytes): of each round a rank posts its own, starts and awaits "
          "them.");
}
