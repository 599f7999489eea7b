#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <ranges>

#include "arrays.hpp"
#include "halcyon/io/background.hpp"
#include "halcyon/io/reader.hpp"
#include "halcyon/io/writer.hpp"
#include "halcyon/mesh/files/verify.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::io;
using InputArray = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
// Any layout: with `c_contig`, nanobind would pass a copy of other arrays, and not fill these.
using OutputArray = nb::ndarray<nb::device::cpu>;
template <class Array>
using NamedArrays = std::vector<std::pair<std::string, Array>>;

template <class Array>
Type type_of_array(const Array& array) {
  const auto type = array.dtype();
  if (type == nb::dtype<std::int32_t>()) return Type::int32;
  if (type == nb::dtype<std::int64_t>()) return Type::int64;
  if (type == nb::dtype<float>()) return Type::float32;
  if (type == nb::dtype<double>()) return Type::float64;
  throw InternalError("Only arrays of int32, int64, float32 and float64 are read and written.");
}

bool is_contiguous(const OutputArray& array) {
  std::int64_t stride = 1;
  for (std::size_t i = array.ndim(); i-- > 0;) {
    if (array.shape(i) > 1 && array.stride(i) != stride) return false;
    stride *= static_cast<std::int64_t>(array.shape(i));
  }
  return true;
}

std::vector<Values> values_of(const NamedArrays<InputArray>& arrays) {
  std::vector<Values> values;
  for (const auto& [name, array] : arrays)
    values.push_back({name, type_of_array(array), array.data(), array.size()});
  return values;
}

std::vector<Target> targets_of(const NamedArrays<OutputArray>& arrays) {
  std::vector<Target> targets;
  for (const auto& [name, array] : arrays)
    targets.push_back(
        {name, type_of_array(array), is_contiguous(array) ? array.data() : nullptr, array.size()});
  return targets;
}

void bind_ranks(nb::module_& m) {
  nb::class_<Ranks>(m, "Ranks")
      .def(init_from([](const comm::Communicator& comm, const std::string& layout, Rank ranks,
                        Rank group_size, Rank most_ranks, int most_requests, std::int64_t piece_bytes,
                        std::int64_t background_bytes, bool background,
                        std::vector<std::pair<std::string, std::string>> hints, std::int64_t bytes) {
             return Ranks(comm,
                          {layout_of(layout), ranks, group_size, most_ranks, most_requests, piece_bytes,
                           background_bytes, background, std::move(hints)},
                          bytes);
           }),
           "comm"_a, "layout"_a, "ranks"_a, "group_size"_a, "most_ranks"_a, "most_requests"_a,
           "piece_bytes"_a, "background_bytes"_a, "background"_a, "hints"_a, "bytes"_a, ReleaseGil())
      .def_prop_ro("layout", [](const Ranks& ranks) { return name_of(ranks.layout()); })
      .def(properties<&Ranks::n_io, &Ranks::description>())
      .def_prop_ro("is_io", [](const Ranks& ranks) { return ranks.io_rank() != kNone; })
      .def_prop_ro("background", [](const Ranks& ranks) { return ranks.options().background; });
  nb::class_<Placement>(m, "Placement")
      .def(nb::init<const Ranks&, Ids, GlobalIndex>(), "ranks"_a, "ids"_a, "n_items"_a, ReleaseGil())
      .def_prop_ro("n_runs", [](const Placement& self) { return self.runs().size(); })
      .def_prop_ro("is_partition", &Placement::is_partition);
}

void bind_schema(nb::module_& m) {
  nb::enum_<Type>(m, "Type")
      .value("int32", Type::int32)
      .value("int64", Type::int64)
      .value("float32", Type::float32)
      .value("float64", Type::float64);
  nb::class_<Schema>(m, "Schema")
      .def(nb::init<>())
      .def("dimension", &Schema::add_dimension, "name"_a, "size"_a)
      .def("variable", &Schema::add_variable, "name"_a, "type"_a, "dimensions"_a)
      .def("attribute", [](Schema& self, const std::string& variable, const std::string& name,
                           const std::string& value) { self.add_attribute(variable, {name, value}); })
      .def("attribute",
           [](Schema& self, const std::string& variable, const std::string& name, std::int64_t value,
              Type type) { self.add_attribute(variable, {name, value, type}); })
      .def("attribute", [](Schema& self, const std::string& variable, const std::string& name, double value,
                           Type type) { self.add_attribute(variable, {name, value, type}); })
      .def("bytes", &Schema::bytes, "n_records"_a)
      .def_prop_ro(
          "names",
          [](const Schema& self) { return texts(self.variables | std::views::transform(&Variable::name)); })
      .def(
          "shape",
          [](const Schema& self, const std::string& name) {
            return self.shape(self.variables[self.find(name)]);
          },
          "variable"_a);
}

void bind_writer(nb::module_& m) {
  nb::class_<Progress>(m, "Progress")
      .def(nb::init<GlobalIndex, std::vector<std::uint64_t>>(), "n_records"_a, "checksums"_a)
      .def(properties<&Progress::n_records, &Progress::checksums>());
  nb::class_<Writer>(m, "Writer")
      .def(init_from([](const Ranks& ranks, const std::string& path, const Schema& schema,
                        GlobalIndex n_records, const Progress* progress, int compression) {
             const FileSpec spec{schema, compression};
             return progress == nullptr ? Writer(ranks, path, spec, n_records)
                                        : Writer(ranks, path, spec, n_records, *progress);
           }),
           "ranks"_a, "path"_a, "schema"_a, "n_records"_a, "progress"_a.none() = nb::none(),
           "compression"_a = 0, ReleaseGil())
      .def(
          "write",
          [](Writer& self, GlobalIndex record, const Placement& placement,
             const NamedArrays<InputArray>& arrays) {
            without_gil([&, values = values_of(arrays)] { self.write(record, placement, values); });
          },
          "record"_a, "placement"_a, "arrays"_a)
      .def(
          "write_root",
          [](Writer& self, GlobalIndex record, const NamedArrays<InputArray>& arrays) {
            without_gil([&, values = values_of(arrays)] { self.write_root(record, values); });
          },
          "record"_a, "arrays"_a)
      .def(methods<&Writer::sync, &Writer::sync_in_background, &Writer::close, &Writer::check,
                   &Writer::wait>(),
           ReleaseGil())
      .def(properties<&Writer::is_complete, &Writer::path, &Writer::waited_s, &Writer::worked_s>());
}

void bind_reader(nb::module_& m) {
  nb::class_<Reader>(m, "Reader")
      .def(nb::init<const Ranks&, std::string>(), "ranks"_a, "path"_a, ReleaseGil())
      .def(properties<&Reader::schema, &Reader::n_records>())
      .def("text", &Reader::text, "variable"_a, "name"_a)
      .def(
          "read",
          [](Reader& self, GlobalIndex record, const Placement& placement,
             const NamedArrays<OutputArray>& arrays) {
            without_gil([&, targets = targets_of(arrays)] { self.read(record, placement, targets); });
          },
          "record"_a, "placement"_a, "arrays"_a)
      .def(
          "read_all",
          [](Reader& self, GlobalIndex record, const NamedArrays<OutputArray>& arrays) {
            without_gil([&, targets = targets_of(arrays)] { self.read_all(record, targets); });
          },
          "record"_a, "arrays"_a)
      .def("close", &Reader::close, ReleaseGil());
}

}  // namespace

void bind_io(nb::module_& m) {
  bind_ranks(m);
  bind_schema(m);
  bind_writer(m);
  bind_reader(m);
  nb::class_<mesh::Verification>(m, "Verification")
      .def(properties<&mesh::Verification::format, &mesh::Verification::bytes, &mesh::Verification::n_records,
                      &mesh::Verification::n_variables, &mesh::Verification::n_checked,
                      &mesh::Verification::header_checked>());
  m.def("finish_background", [] { BackgroundThread::instance().finish(); }, ReleaseGil());
  m.def("verify", &mesh::verify, "path"_a, ReleaseGil());
  m.def(
      "has_records", &has_records, "path"_a, "progress"_a, ReleaseGil(),
      "Returns whether the first records of a file have the checksums of a `Progress` that `sync` returned.");
}
