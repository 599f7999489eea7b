#include "halcyon/halo/halo.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "halcyon/base/error.hpp"

namespace {

using namespace halcyon;
using decomposition::Decomposition;
using AnyArray = nb::ndarray<nb::c_contig, nb::device::cpu>;
/// Kind of entity (0 cells, 1 edges, 2 vertices), bytes per entity, number of halo layers.
using Field = std::tuple<int, std::int64_t, int>;

/// The numpy arrays of a group of fields, converted to spans once for many exchanges.
class Arrays {
 public:
  explicit Arrays(std::vector<AnyArray> arrays) : arrays_(std::move(arrays)) {
    for (auto& array : arrays_)
      spans_.emplace_back(static_cast<std::byte*>(array.data()), array.size() * array.itemsize());
  }
  std::span<const std::span<std::byte>> spans() const { return spans_; }

 private:
  std::vector<AnyArray> arrays_;
  std::vector<std::span<std::byte>> spans_;
};

/// Allocates the memory of a field. Returns a numpy array of bytes that owns the memory.
auto allocate(halo::Halo& self, std::size_t field) {
  auto* memory = new halo::FieldMemory(self.allocate(field));
  nb::capsule owner(memory, [](void* p) noexcept { delete static_cast<halo::FieldMemory*>(p); });
  return numpy_view<std::uint8_t>(owner, reinterpret_cast<std::uint8_t*>(memory->bytes().data()),
                                  memory->bytes().size());
}

schedule::Unpack unpack_named(const std::string& name) {
  if (name == "none") return schedule::Unpack::none;
  if (name == "together") return schedule::Unpack::together;
  require<ConfigError>(name == "singly", "unpack is '{}'. Use none, together or singly.", name);
  return schedule::Unpack::singly;
}

}  // namespace

void bind_halo(nb::module_& m) {
  nb::class_<halo::Halo>(m, "Halo")
      .def(init_from([](const comm::Communicator& comm, const Decomposition& part,
                        const std::vector<Field>& fields, const std::string& method, bool node_memory,
                        const std::string& unpack) {
             std::vector<schedule::HaloField> halo_fields;
             for (const auto& [entity, bytes, layers] : fields)
               halo_fields.push_back({.entity = entity, .item_bytes = bytes, .layers = layers});
             const auto placement =
                 node_memory ? comm::BufferPlacement::node_memory : comm::BufferPlacement::anywhere;
             const auto unpack_mode = unpack_named(unpack);
             const nb::gil_scoped_release released;
             return halo::Halo(comm, part, halo_fields, comm::method_named(method), placement, unpack_mode);
           }),
           "comm"_a, "decomposition"_a, "fields"_a, "method"_a, "node_memory"_a, "unpack"_a)
      .def(properties<&halo::Halo::description, &halo::Halo::statistics>())
      .def("allocate", &allocate, "field"_a)
      .def_prop_ro("received_bytes", &halo::Halo::received_bytes)
      .def(
          "start", [](halo::Halo& self, const Arrays& arrays) { return self.start(arrays.spans()); },
          "arrays"_a, nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>())
      .def("progress", &halo::Halo::progress, ReleaseGil())
      .def(
          "exchange", [](halo::Halo& self, const Arrays& arrays) { self.start(arrays.spans()).wait(); },
          "arrays"_a, ReleaseGil());
  nb::class_<Arrays>(m, "Arrays").def(nb::init<std::vector<AnyArray>>());
  nb::class_<comm::PendingExchange>(m, "PendingExchange")
      .def("wait", &comm::PendingExchange::wait, ReleaseGil());
}
