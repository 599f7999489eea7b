#include <algorithm>

#include "halcyon/capi/handles.hpp"
#include "halcyon/io/verify.hpp"

using namespace halcyon;
using namespace halcyon::capi;

namespace {

io::Reader& reader_of(halcyon_reader* handle) {
  return given(handle, "reader").reader;
}

}  // namespace

int halcyon_reader_open(const halcyon_io_ranks* ranks, const char* path, halcyon_reader** reader) {
  return guarded([&] {
    auto& into = given(reader, "reader");
    into = new halcyon_reader{io::Reader(given(ranks, "ranks").ranks, given_text(path, "path")), {}, {}, ""};
    for (const auto& variable : into->reader.schema().variables) into->names.push_back(variable.name.c_str());
  });
}

int halcyon_reader_n_records(const halcyon_reader* reader, int64_t* n_records) {
  return guarded([&] { given(n_records, "n_records") = given(reader, "reader").reader.n_records(); });
}

int halcyon_reader_names(const halcyon_reader* reader, int32_t* n, const char* const** names) {
  return guarded([&] {
    const auto& found = given(reader, "reader").names;
    given(n, "n") = static_cast<int32_t>(found.size());
    given(names, "names") = found.data();
  });
}

int halcyon_reader_shape(halcyon_reader* reader, const char* variable, int32_t* n, const int64_t** sizes) {
  return guarded([&] {
    const auto& found = reader_of(reader);
    reader->shape = found.schema().shape(found.variable(given_text(variable, "variable")));
    given(n, "n") = static_cast<int32_t>(reader->shape.size());
    given(sizes, "sizes") = reader->shape.data();
  });
}

int halcyon_reader_text(halcyon_reader* reader, const char* variable, const char* name, const char** text) {
  return guarded([&] {
    reader->text = reader_of(reader).text(given_text(variable, "variable"), given_text(name, "name"));
    given(text, "text") = reader->text.c_str();
  });
}

int halcyon_reader_read(halcyon_reader* reader, int64_t record, const halcyon_placement* placement, int32_t n,
                        const halcyon_target* targets) {
  return guarded([&] {
    reader_of(reader).read(record, given(placement, "placement").placement,
                           arrays_of<io::Target>(targets, n));
  });
}

int halcyon_reader_read_all(halcyon_reader* reader, int64_t record, int32_t n,
                            const halcyon_target* targets) {
  return guarded([&] { reader_of(reader).read_all(record, arrays_of<io::Target>(targets, n)); });
}

int halcyon_reader_close(halcyon_reader* reader) {
  return guarded([&] { reader_of(reader).close(); });
}

void halcyon_reader_free(halcyon_reader* reader) {
  delete reader;
}

int halcyon_verify(const char* path, halcyon_verified* verified) {
  return guarded([&] {
    const auto found = io::verify(given_text(path, "path"));
    auto& into = given(verified, "verified");
    into = {};
    found.format.copy(into.format, sizeof into.format - 1);
    into.bytes = found.bytes;
    into.n_variables = found.n_variables;
    into.n_checked = found.n_checked;
    into.header_checked = found.header_checked;
  });
}
