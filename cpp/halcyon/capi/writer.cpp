#include <sstream>

#include "halcyon/capi/handles.hpp"

using namespace halcyon;
using namespace halcyon::capi;

namespace {

io::Writer& writer_of(halcyon_writer* handle) {
  return given(handle, "writer").writer;
}

/// "2 0123456789abcdef 0123456789abcdef": the records, then the checksum of each variable.
std::string line_of(const io::Progress& progress) {
  auto line = fmt::format("{}", progress.n_records);
  for (const auto sum : progress.checksums) line += fmt::format(" {:016x}", sum);
  return line;
}

io::Progress progress_of(const std::string& line) {
  io::Progress found;
  std::istringstream words(line);
  words >> found.n_records >> std::hex;
  bool is_sound = !words.fail() && found.n_records >= 0;
  for (std::uint64_t sum = 0; is_sound && words >> sum;) found.checksums.push_back(sum);
  is_sound = is_sound && words.eof() && !found.checksums.empty();
  require<InputError>(is_sound,
                      "'{}' is not a line of progress: a number of records, and a checksum of 16 digits for "
                      "each variable. Give what halcyon_writer_sync gave.",
                      line);
  return found;
}

template <class... More>
void open(halcyon_writer** writer, const halcyon_io_ranks* ranks, const char* path,
          const halcyon_schema* schema, int32_t compression, int64_t n_records, const More&... more) {
  auto& into = given(writer, "writer");
  const io::FileKind kind{given(schema, "schema").schema, compression};
  into = new halcyon_writer{
      io::Writer(given(ranks, "ranks").ranks, given_text(path, "path"), kind, n_records, more...), ""};
}

}  // namespace

int halcyon_writer_create(const halcyon_io_ranks* ranks, const char* path, const halcyon_schema* schema,
                          int32_t compression, int64_t n_records, halcyon_writer** writer) {
  return guarded([&] { open(writer, ranks, path, schema, compression, n_records); });
}

int halcyon_writer_continue(const halcyon_io_ranks* ranks, const char* path, const halcyon_schema* schema,
                            int32_t compression, int64_t n_records, const char* progress,
                            halcyon_writer** writer) {
  return guarded([&] {
    open(writer, ranks, path, schema, compression, n_records, progress_of(given_text(progress, "progress")));
  });
}

int halcyon_writer_write(halcyon_writer* writer, int64_t record, const halcyon_placement* placement,
                         int32_t n, const halcyon_values* values) {
  return guarded([&] {
    writer_of(writer).write(record, given(placement, "placement").placement,
                            arrays_of<io::Values>(values, n));
  });
}

int halcyon_writer_write_root(halcyon_writer* writer, int64_t record, int32_t n,
                              const halcyon_values* values) {
  return guarded([&] { writer_of(writer).write_root(record, arrays_of<io::Values>(values, n)); });
}

int halcyon_writer_sync(halcyon_writer* writer, const char** progress) {
  return guarded([&] {
    const auto reached = writer_of(writer).sync();
    writer->progress = line_of(reached);
    if (progress != nullptr) *progress = writer->progress.c_str();
  });
}

int halcyon_writer_close(halcyon_writer* writer) {
  return guarded([&] { writer_of(writer).close(); });
}

int halcyon_writer_wait(halcyon_writer* writer) {
  return guarded([&] { writer_of(writer).wait(); });
}

int halcyon_writer_waited(const halcyon_writer* writer, double* waited_s) {
  return guarded([&] { given(waited_s, "waited_s") = given(writer, "writer").writer.waited_s(); });
}

void halcyon_writer_free(halcyon_writer* writer) {
  delete writer;
}
