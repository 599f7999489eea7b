/// Truncated files of real runs, and files with flipped bits: `make test-faults` sets their folder and
/// runs this with ASan.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/communicator.hpp"
#include "halcyon/io/reader.hpp"
#include "halcyon/mesh/files/verify.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::io;
using halcyon::mesh::verify;
using halcyon::test::world;

namespace {

constexpr int kCuts = 200, kFlips = 1000;  // truncations and flipped bits per file
constexpr std::size_t kTrailer = 31;       // bytes of the digest after a netCDF-4 file; losing it is harmless

/// The netCDF files in the folder HALCYON_TEST_FILES.
std::vector<std::filesystem::path> files_of_runs() {
  const char* folder = std::getenv("HALCYON_TEST_FILES");
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".nc") found.push_back(entry.path());
  return found;
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Writes a copy with these bytes. @returns whether `verify` detects its damage. The copy is also opened and
/// read, which must not crash.
bool is_found(const Ranks& ranks, const std::string& copy, const std::string& bytes) {
  std::ofstream(copy, std::ios::binary) << bytes;
  try {
    Reader reader(ranks, copy);
    const auto& schema = reader.schema();
    for (const auto& variable : schema.variables) {
      const auto count = static_cast<std::size_t>(schema.count(variable));
      std::vector<std::byte> values(count * bytes_of(variable.type));
      const Target all{variable.name, variable.type, values.data(), count};
      reader.read_all(schema.is_record_variable(variable) ? 0 : -1, std::vector{all});
    }
    reader.close();
  } catch (const Error&) {
  }
  try {
    verify(copy);
  } catch (const InputError&) {
    return true;
  }
  return false;
}

}  // namespace

TEST_CASE("damage: a cut of a run's file is found, and most bits that are turned over" *
          doctest::skip(std::getenv("HALCYON_TEST_FILES") == nullptr)) {
  const comm::Communicator comm(world());
  const auto copy = (std::filesystem::temp_directory_path() / "halcyon_damaged.nc").string();
  const Ranks ranks(comm, {}, 0);
  const auto files = files_of_runs();
  REQUIRE(!files.empty());
  for (const auto& path : files) {
    INFO(path.string());
    const auto bytes = bytes_of(path);
    for (std::size_t size = 0; size + kTrailer < bytes.size(); size += 1 + bytes.size() / kCuts)
      CHECK(is_found(ranks, copy, bytes.substr(0, size)));
    std::mt19937_64 random(5);
    int found = 0;
    for (int i = 0; i < kFlips; ++i) {
      auto damaged = bytes;
      const auto bit = random() % (8 * bytes.size());
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
      found += is_found(ranks, copy, damaged);
    }
    CHECK(found > 0.7 * kFlips);
  }
  std::filesystem::remove(copy);
}
