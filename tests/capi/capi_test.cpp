#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "capi/error_text.hpp"

using namespace halcyon::test;

namespace {

constexpr std::int64_t kItems = 10, kLevels = 2;  ///< sizes of the dimensions of the file

/// The handles of a file of the C interface; the destructor removes the file.
class IoHandles {
 public:
  explicit IoHandles(const char* name) : path_(std::filesystem::temp_directory_path() / name) {
    CHECK(halcyon_io_ranks_create(MPI_Comm_c2f(world()), nullptr, 0, &ranks) == HALCYON_OK);
    for (std::int64_t id = world_rank(); id < kItems; id += world_size()) ids.push_back(id);
    CHECK(halcyon_placement_create(ranks, size(), ids.data(), kItems, &placement) == HALCYON_OK);
    const std::vector<const char*> names{"time", "item", "level"};
    CHECK(halcyon_schema_create(&schema) == HALCYON_OK);
    CHECK(halcyon_schema_dimension(schema, "time", 0) == HALCYON_OK);
    CHECK(halcyon_schema_dimension(schema, "item", kItems) == HALCYON_OK);
    CHECK(halcyon_schema_dimension(schema, "level", kLevels) == HALCYON_OK);
    CHECK(halcyon_schema_variable(schema, "heat", HALCYON_FLOAT64, 3, names.data()) == HALCYON_OK);
    CHECK(halcyon_schema_variable(schema, "number", HALCYON_INT32, 1, &names[1]) == HALCYON_OK);
    CHECK(halcyon_schema_attribute_text(schema, "heat", "units", "J") == HALCYON_OK);
    CHECK(halcyon_schema_attribute_number(schema, "number", "step", 2, HALCYON_INT32) == HALCYON_OK);
  }
  ~IoHandles() {
    halcyon_writer_free(writer);
    halcyon_reader_free(reader);
    halcyon_schema_free(schema);
    halcyon_placement_free(placement);
    halcyon_io_ranks_free(ranks);
    MPI_Barrier(world());
    if (world_rank() == 0) std::filesystem::remove(path_);
    if (world_rank() == 0) std::filesystem::remove(path_ + ".part");
    MPI_Barrier(world());
  }

  std::int64_t size() const { return static_cast<std::int64_t>(ids.size()); }
  const char* path() const { return path_.c_str(); }

  /// Heat of this rank's items in a record (item, level): a value that identifies record, level and item.
  std::vector<double> heat(double record) const {
    std::vector<double> values;
    for (const auto id : ids)
      for (int level = 0; level < kLevels; ++level)
        values.push_back(100 * record + 10 * level + static_cast<double>(id));
    return values;
  }
  int write_heat(std::int64_t record) {
    const auto values = heat(static_cast<double>(record));
    const halcyon_values array{"heat", HALCYON_FLOAT64, values.data(), size() * kLevels};
    return halcyon_writer_write(writer, record, placement, 1, &array);
  }
  int write_number() {
    std::vector<std::int32_t> numbers(kItems);
    std::iota(numbers.begin(), numbers.end(), 5);
    const halcyon_values array{"number", HALCYON_INT32, numbers.data(), kItems};
    return halcyon_writer_write_root(writer, HALCYON_NO_RECORD, 1, &array);
  }
  void write_all() {
    CHECK(halcyon_writer_create(ranks, path(), schema, 0, 2, &writer) == HALCYON_OK);
    CHECK(write_number() == HALCYON_OK);
    CHECK(write_heat(0) == HALCYON_OK);
    CHECK(write_heat(1) == HALCYON_OK);
    CHECK(halcyon_writer_close(writer) == HALCYON_OK);
    CHECK(halcyon_writer_wait(writer) == HALCYON_OK);
  }

  halcyon_io_ranks* ranks = nullptr;
  halcyon_placement* placement = nullptr;
  halcyon_schema* schema = nullptr;
  halcyon_writer* writer = nullptr;
  halcyon_reader* reader = nullptr;
  std::vector<std::int64_t> ids;

 private:
  std::string path_;
};

}  // namespace

TEST_CASE("capi: what is written is read") {
  IoHandles io("halcyon_capi_round.nc");
  io.write_all();
  REQUIRE(halcyon_reader_open(io.ranks, io.path(), &io.reader) == HALCYON_OK);
  std::int64_t n_records = 0;
  CHECK(halcyon_reader_n_records(io.reader, &n_records) == HALCYON_OK);
  CHECK(n_records == 2);

  std::vector<double> heat(io.ids.size() * kLevels);
  const halcyon_target own_heat{"heat", HALCYON_FLOAT64, heat.data(), io.size() * kLevels};
  CHECK(halcyon_reader_read(io.reader, 1, io.placement, 1, &own_heat) == HALCYON_OK);
  CHECK(heat == io.heat(1));
  std::vector<std::int64_t> numbers(kItems);
  const halcyon_target all_numbers{"number", HALCYON_INT64, numbers.data(), kItems};
  CHECK(halcyon_reader_read_all(io.reader, HALCYON_NO_RECORD, 1, &all_numbers) == HALCYON_OK);
  CHECK(numbers[0] == 5);
  CHECK(numbers[9] == 14);
  CHECK(halcyon_reader_close(io.reader) == HALCYON_OK);
}

TEST_CASE("capi: a reader says names, shapes and texts") {
  IoHandles io("halcyon_capi_said.nc");
  io.write_all();
  REQUIRE(halcyon_reader_open(io.ranks, io.path(), &io.reader) == HALCYON_OK);
  std::int32_t n = 0;
  const char* const* names = nullptr;
  CHECK(halcyon_reader_names(io.reader, &n, &names) == HALCYON_OK);
  REQUIRE(n == 2);
  CHECK(std::string(names[0]) == "heat");
  CHECK(std::string(names[1]) == "number");
  const std::int64_t* sizes = nullptr;
  CHECK(halcyon_reader_shape(io.reader, "heat", &n, &sizes) == HALCYON_OK);
  REQUIRE(n == 2);
  CHECK(sizes[0] == kItems);
  CHECK(sizes[1] == kLevels);
  const char* text = nullptr;
  CHECK(halcyon_reader_text(io.reader, "heat", "units", &text) == HALCYON_OK);
  CHECK(std::string(text) == "J");
  CHECK(halcyon_reader_text(io.reader, "heat", "color", &text) == HALCYON_INPUT_ERROR);
  check_error_text("has no text attribute heat:color");
  CHECK(halcyon_reader_shape(io.reader, "cold", &n, &sizes) == HALCYON_INPUT_ERROR);
  check_error_text("has no numeric variable cold");
  CHECK(halcyon_reader_close(io.reader) == HALCYON_OK);
}

TEST_CASE("capi: a file is continued from a line of text") {
  IoHandles io("halcyon_capi_continued.nc");
  REQUIRE(halcyon_writer_create(io.ranks, io.path(), io.schema, 0, 2, &io.writer) == HALCYON_OK);
  CHECK(io.write_number() == HALCYON_OK);
  CHECK(io.write_heat(0) == HALCYON_OK);
  const char* line = nullptr;
  REQUIRE(halcyon_writer_sync(io.writer, &line) == HALCYON_OK);
  const std::string progress = line;
  CHECK(progress.size() == 1 + 2 * 17);
  halcyon_writer_free(io.writer);
  io.writer = nullptr;
  MPI_Barrier(world());
  const auto resume = [&](const std::string& saved) {
    return halcyon_writer_continue(io.ranks, io.path(), io.schema, 0, 2, saved.c_str(), &io.writer);
  };
  CHECK(resume("two records") == HALCYON_INPUT_ERROR);
  check_error_text("Invalid progress 'two records'");
  CHECK(resume("1 12 xyz") == HALCYON_INPUT_ERROR);
  REQUIRE(resume(progress) == HALCYON_OK);
  CHECK(io.write_heat(1) == HALCYON_OK);
  CHECK(halcyon_writer_close(io.writer) == HALCYON_OK);
  MPI_Barrier(world());
  halcyon_verified verified;
  REQUIRE(halcyon_verify(io.path(), &verified) == HALCYON_OK);
  CHECK(std::string(verified.format) == "CDF-2");
  CHECK(verified.bytes == static_cast<std::int64_t>(std::filesystem::file_size(io.path())));
  CHECK(verified.n_variables == 2);
  CHECK(verified.n_checked == 2);
  CHECK(verified.header_checked == 1);
}

TEST_CASE("capi: what is wrong on one rank is the same error on all") {
  IoHandles io("halcyon_capi_wrong.nc");
  halcyon_writer* writer = nullptr;
  CHECK(halcyon_writer_create(io.ranks, "/nowhere/a.nc", io.schema, 0, 1, &writer) == HALCYON_RUN_ERROR);
  check_error_text("/nowhere/a.nc: cannot create it");
  CHECK(writer == nullptr);
  CHECK(halcyon_reader_open(io.ranks, "/nowhere/a.nc", &io.reader) == HALCYON_INPUT_ERROR);
  check_error_text("/nowhere/a.nc");

  REQUIRE(halcyon_writer_create(io.ranks, io.path(), io.schema, 0, 1, &io.writer) == HALCYON_OK);
  const bool is_last = world_rank() == world_size() - 1;
  const auto values = io.heat(0);
  const halcyon_values array{"heat", HALCYON_FLOAT64, values.data(), io.size() * kLevels - is_last};
  CHECK(halcyon_writer_write(io.writer, 0, io.placement, 1, &array) == HALCYON_INTERNAL_ERROR);
  check_error_text("heat needs ");
  CHECK(halcyon_writer_write(io.writer, 0, nullptr, 1, &array) == HALCYON_INTERNAL_ERROR);
  check_error_text("NULL is given for placement.");
}

TEST_CASE("capi: a damaged file is refused on all ranks") {
  IoHandles io("halcyon_capi_damaged.nc");
  io.write_all();
  MPI_Barrier(world());
  if (world_rank() == 0) {
    std::fstream file(io.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-3, std::ios::end);
    file.put('\x55');
  }
  MPI_Barrier(world());
  halcyon_verified verified;
  CHECK(halcyon_verify(io.path(), &verified) == HALCYON_INPUT_ERROR);
  check_error_text("heat");
  MPI_Barrier(world());
  if (world_rank() == 0) std::filesystem::resize_file(io.path(), 300);
  MPI_Barrier(world());
  CHECK(halcyon_reader_open(io.ranks, io.path(), &io.reader) == HALCYON_INPUT_ERROR);
  check_error_text("halcyon_capi_damaged.nc");
}

TEST_CASE("capi: options") {
  halcyon_io_options options;
  halcyon_io_options_default(&options);
  CHECK(std::string(options.layout) == "auto");
  halcyon_io_ranks* ranks = nullptr;
  const auto create = [&] {
    return halcyon_io_ranks_create(MPI_Comm_c2f(world()), &options, 1 << 20, &ranks);
  };
  options.layout = "box";
  options.ranks = 2;
  options.hints = "nc_header_align_size=512;romio_cb_write=disable";
  REQUIRE(create() == HALCYON_OK);
  const char* description = nullptr;
  CHECK(halcyon_io_ranks_description(ranks, &description) == HALCYON_OK);
  const int n = std::min(2, world_size());
  CHECK(std::string(description).starts_with("box: " + std::to_string(n) + " of "));
  halcyon_io_ranks_free(ranks);

  options.hints = "fast";
  CHECK(create() == HALCYON_INPUT_ERROR);
  check_error_text("io.hints contains 'fast'");
  options.hints = "";
  options.layout = "circle";
  CHECK(create() == HALCYON_INPUT_ERROR);
  check_error_text("io.layout is 'circle'");
}

TEST_CASE("capi: pointers, counts and types are checked" * in_process()) {
  halcyon_schema* schema = nullptr;
  CHECK(halcyon_schema_create(nullptr) == HALCYON_INTERNAL_ERROR);
  REQUIRE(halcyon_schema_create(&schema) == HALCYON_OK);
  CHECK(halcyon_schema_dimension(schema, "x", -1) == HALCYON_INTERNAL_ERROR);
  check_error_text("The dimension x has the size -1");
  CHECK(halcyon_schema_dimension(schema, nullptr, 1) == HALCYON_INTERNAL_ERROR);
  check_error_text("NULL is given for name.");
  CHECK(halcyon_schema_dimension(schema, "x", 3) == HALCYON_OK);
  const char* x = "x";
  CHECK(halcyon_schema_variable(schema, "v", static_cast<halcyon_type>(4), 1, &x) == HALCYON_INTERNAL_ERROR);
  check_error_text("Unknown type 4. Give HALCYON_INT32");
  CHECK(halcyon_schema_variable(schema, "v", HALCYON_INT32, -1, &x) == HALCYON_INTERNAL_ERROR);
  check_error_text("The number of dimensions is -1");
  CHECK(halcyon_schema_variable(schema, "v", HALCYON_INT32, 1, &x) == HALCYON_OK);
  std::int64_t bytes = 0;
  CHECK(halcyon_schema_bytes(schema, 1, &bytes) == HALCYON_OK);
  CHECK(bytes == 12);
  halcyon_schema_free(schema);
  halcyon_schema_free(nullptr);
  CHECK(std::string(halcyon_version()) == "0.1.0");
}
