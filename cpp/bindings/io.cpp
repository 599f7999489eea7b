#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "halcyon/io/writer.hpp"

void bind_io(nb::module_& m) {
  using namespace halcyon;
  using namespace halcyon::io;
  nb::enum_<Type>(m, "Type")
      .value("int32", Type::int32)
      .value("float32", Type::float32)
      .value("float64", Type::float64);
  nb::class_<Placement>(m, "Placement")
      .def(
          "__init__",
          [](Placement* self, const Input<GlobalIndex>& ids) { new (self) Placement(span_of(ids)); },
          nb::arg("ids"))
      .def_prop_ro("n_runs", [](const Placement& p) { return p.runs().size(); });
  auto writer = nb::class_<Writer>(m, "Writer");
  writer
      .def(nb::init<const comm::Communicator&, std::string, bool>(), nb::arg("comm"), nb::arg("path"),
           nb::arg("large") = false)
      .def("dimension", &Writer::dimension, nb::arg("name"), nb::arg("size"))
      .def("variable", &Writer::variable, nb::arg("name"), nb::arg("type"), nb::arg("dimensions"))
      .def("attribute",
           nb::overload_cast<const std::string&, const std::string&, const std::string&>(&Writer::attribute))
      .def("attribute",
           nb::overload_cast<const std::string&, const std::string&, double, Type>(&Writer::attribute))
      .def("end_definitions", &Writer::end_definitions)
      .def(
          "write_from_root",
          [](Writer& self, const std::string& variable, GlobalIndex record, const Input<double>& values) {
            self.write(variable, record, span_of(values));
          },
          nb::arg("variable"), nb::arg("record"), nb::arg("values"))
      .def("sync", &Writer::sync)
      .def("close", &Writer::close);
  const auto bind_write = [&writer]<class T>(T) {
    writer.def(
        "write",
        [](Writer& self, const std::string& variable, GlobalIndex record, const Placement& placement,
           const Input<T>& values) { self.write(variable, record, placement, span_of(values)); },
        nb::arg("variable"), nb::arg("record"), nb::arg("placement"), nb::arg("values").noconvert());
  };
  bind_write(float{});
  bind_write(double{});
  bind_write(std::int32_t{});
}
