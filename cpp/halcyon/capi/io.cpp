#include <algorithm>
#include <sstream>

#include "halcyon/capi/handles.hpp"
#include "halcyon/mesh/files/verify.hpp"

using namespace halcyon;
using namespace halcyon::capi;

namespace {

/// Parses "name=value;name=value". @throws ConfigError for a part without "="
std::vector<std::pair<std::string, std::string>> parse_hints(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> hints;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ';');) {
    const auto equals = part.find('=');
    require<ConfigError>(equals != std::string::npos && equals > 0,
                         "io.hints contains '{}'. Give hints as name=value;name=value.", part);
    hints.emplace_back(part.substr(0, equals), part.substr(equals + 1));
  }
  return hints;
}

io::Options options_of(const halcyon_io_options& given) {
  return {.layout = io::layout_of(checked_text(given.layout, "io.layout")),
          .ranks = given.ranks,
          .group_size = given.group_size,
          .most_ranks = given.most_ranks,
          .most_requests = given.most_requests,
          .piece_bytes = given.piece,
          .background_bytes = given.buffer,
          .background = given.background != 0,
          .hints = parse_hints(checked_text(given.hints, "io.hints"))};
}

io::Schema& schema_of(halcyon_schema* handle) {
  return checked(handle, "schema").schema;
}

void add_attribute(halcyon_schema* schema, const char* variable, io::Attribute attribute) {
  schema_of(schema).add_attribute(checked_text(variable, "variable"), std::move(attribute));
}

io::Writer& writer_of(halcyon_writer* handle) {
  return checked(handle, "writer").writer;
}

/// Such as "2 0123456789abcdef 0123456789abcdef": the number of records, then the checksum of each variable.
std::string progress_text(const io::Progress& progress) {
  auto line = fmt::format("{}", progress.n_records);
  for (const auto sum : progress.checksums) line += fmt::format(" {:016x}", sum);
  return line;
}

io::Progress parse_progress(const std::string& line) {
  io::Progress progress;
  std::istringstream words(line);
  words >> progress.n_records >> std::hex;
  bool is_valid = !words.fail() && progress.n_records >= 0;
  for (std::uint64_t sum = 0; is_valid && words >> sum;) progress.checksums.push_back(sum);
  is_valid = is_valid && words.eof() && !progress.checksums.empty();
  require<InputError>(
      is_valid,
      "Invalid progress '{}': it must be the number of records and a checksum of 16 digits per "
      "variable. Give the text that halcyon_writer_sync returned.",
      line);
  return progress;
}

/// Creates a writer. @param progress nothing for a new file, or the progress from which it is continued
template <class... Progress>
void open(halcyon_writer** writer, const halcyon_io_ranks* ranks, const char* path,
          const halcyon_schema* schema, int32_t compression, int64_t n_records, const Progress&... progress) {
  auto& out = checked(writer, "writer");
  const io::FileSpec spec{checked(schema, "schema").schema, compression};
  out = new halcyon_writer{
      io::Writer(checked(ranks, "ranks").ranks, checked_text(path, "path"), spec, n_records, progress...),
      ""};
}

io::Reader& reader_of(halcyon_reader* handle) {
  return checked(handle, "reader").reader;
}

}  // namespace

void halcyon_io_options_default(halcyon_io_options* options) {
  const io::Options defaults;
  *options = {.layout = "auto",
              .ranks = defaults.ranks,
              .group_size = defaults.group_size,
              .most_ranks = defaults.most_ranks,
              .most_requests = defaults.most_requests,
              .background = defaults.background,
              .piece = defaults.piece_bytes,
              .buffer = defaults.background_bytes,
              .hints = ""};
}

int halcyon_io_ranks_create(int32_t comm, const halcyon_io_options* options, int64_t bytes,
                            halcyon_io_ranks** ranks) {
  return guarded([&] {
    auto& out = checked(ranks, "ranks");
    const auto requested = options == nullptr ? io::Options{} : options_of(*options);
    const auto duplicate = comm::Communicator::from_fortran(comm);
    out = new halcyon_io_ranks{io::Ranks(duplicate, requested, bytes)};
  });
}

int halcyon_io_ranks_description(const halcyon_io_ranks* ranks, const char** description) {
  return guarded([&] { checked(description, "description") = checked(ranks, "ranks").description.c_str(); });
}

int halcyon_placement_create(const halcyon_io_ranks* ranks, int64_t n_ids, const int64_t* ids,
                             int64_t n_items, halcyon_placement** placement) {
  return guarded([&] {
    const auto item_ids = checked_span(ids, n_ids, "ids");
    auto& out = checked(placement, "placement");
    out = new halcyon_placement{io::Placement(checked(ranks, "ranks").ranks, item_ids, n_items)};
  });
}

int halcyon_schema_create(halcyon_schema** schema) {
  return guarded([&] { checked(schema, "schema") = new halcyon_schema; });
}

int halcyon_schema_dimension(halcyon_schema* schema, const char* name, int64_t size) {
  return guarded([&] {
    require<InternalError>(size >= 0, "The dimension {} has the size {}, but must have at least 0.",
                           checked_text(name, "name"), size);
    schema_of(schema).add_dimension(checked_text(name, "name"), size);
  });
}

int halcyon_schema_variable(halcyon_schema* schema, const char* name, halcyon_type type, int32_t n_dimensions,
                            const char* const* dimensions) {
  return guarded([&] {
    std::vector<std::string> names;
    for (const char* each : checked_span(dimensions, n_dimensions, "dimensions"))
      names.push_back(checked_text(each, "a dimension's name"));
    schema_of(schema).add_variable(checked_text(name, "name"), type_of(type), names);
  });
}

int halcyon_schema_attribute_text(halcyon_schema* schema, const char* variable, const char* name,
                                  const char* text) {
  return guarded([&] {
    add_attribute(schema, variable,
                  {checked_text(name, "name"), checked_text(text, "text"), io::Type::int32});
  });
}

int halcyon_schema_attribute_number(halcyon_schema* schema, const char* variable, const char* name,
                                    double number, halcyon_type type) {
  return guarded(
      [&] { add_attribute(schema, variable, {checked_text(name, "name"), number, type_of(type)}); });
}

int halcyon_schema_attribute_integer(halcyon_schema* schema, const char* variable, const char* name,
                                     int64_t number, halcyon_type type) {
  return guarded(
      [&] { add_attribute(schema, variable, {checked_text(name, "name"), number, type_of(type)}); });
}

int halcyon_writer_create(const halcyon_io_ranks* ranks, const char* path, const halcyon_schema* schema,
                          int32_t compression, int64_t n_records, halcyon_writer** writer) {
  return guarded([&] { open(writer, ranks, path, schema, compression, n_records); });
}

int halcyon_writer_continue(const halcyon_io_ranks* ranks, const char* path, const halcyon_schema* schema,
                            int32_t compression, int64_t n_records, const char* progress,
                            halcyon_writer** writer) {
  return guarded([&] {
    open(writer, ranks, path, schema, compression, n_records,
         parse_progress(checked_text(progress, "progress")));
  });
}

int halcyon_writer_sync(halcyon_writer* writer, const char** progress) {
  return guarded([&] {
    writer->progress = progress_text(writer_of(writer).sync());
    if (progress != nullptr) *progress = writer->progress.c_str();
  });
}

int halcyon_writer_waited(const halcyon_writer* writer, double* waited_s) {
  return guarded([&] { checked(waited_s, "waited_s") = checked(writer, "writer").writer.waited_s(); });
}

int halcyon_reader_open(const halcyon_io_ranks* ranks, const char* path, halcyon_reader** reader) {
  return guarded([&] {
    auto& out = checked(reader, "reader");
    out =
        new halcyon_reader{io::Reader(checked(ranks, "ranks").ranks, checked_text(path, "path")), {}, {}, ""};
    for (const auto& variable : out->reader.schema().variables) out->names.push_back(variable.name.c_str());
  });
}

int halcyon_reader_names(const halcyon_reader* reader, int32_t* n, const char* const** names) {
  return guarded([&] {
    const auto& variable_names = checked(reader, "reader").names;
    checked(n, "n") = static_cast<int32_t>(variable_names.size());
    checked(names, "names") = variable_names.data();
  });
}

int halcyon_reader_shape(halcyon_reader* reader, const char* variable, int32_t* n, const int64_t** sizes) {
  return guarded([&] {
    const auto& file = reader_of(reader);
    reader->shape = file.schema().shape(file.variable(checked_text(variable, "variable")));
    checked(n, "n") = static_cast<int32_t>(reader->shape.size());
    checked(sizes, "sizes") = reader->shape.data();
  });
}

int halcyon_reader_text(halcyon_reader* reader, const char* variable, const char* name, const char** text) {
  return guarded([&] {
    reader->text = reader_of(reader).text(checked_text(variable, "variable"), checked_text(name, "name"));
    checked(text, "text") = reader->text.c_str();
  });
}

int halcyon_verify(const char* path, halcyon_verified* verified) {
  return guarded([&] {
    const auto result = mesh::verify(checked_text(path, "path"));
    auto& out = checked(verified, "verified");
    out = {};
    result.format.copy(out.format, sizeof out.format - 1);
    out.bytes = result.bytes;
    out.n_variables = result.n_variables;
    out.n_checked = result.n_checked;
    out.header_checked = result.header_checked;
  });
}
