#include "halcyon/mesh/files/classic_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "halcyon/base/error.hpp"

namespace halcyon::mesh {
namespace {

/// Sizes [bytes] of netCDF's external types 1..11: byte, char, short, int, float, double, ubyte, ... uint64.
constexpr std::uint64_t kTypeBytes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
constexpr std::uint64_t kMaxSize = std::uint64_t{1} << 60;  // largest plausible size [bytes]
constexpr std::uint64_t kMaxNameLength = 1 << 16, kMaxItems = 1 << 20;

constexpr std::uint64_t padded(std::uint64_t bytes) {
  return (bytes + 3) / 4 * 4;
}

/// Parses the header of a classic netCDF file.
class HeaderReader {
 public:
  HeaderReader(std::istream& in, const std::string& path) : path_(path), in_(in) {}

  std::optional<ClassicHeader> read() {
    char magic[4] = {};
    if (!in_.read(magic, 4) || std::string(magic, 3) != "CDF") return std::nullopt;
    header_.version = magic[3];
    if (header_.version != 1 && header_.version != 2 && header_.version != 5) return std::nullopt;
    header_.n_records = read_count();
    for (auto n = read_list_length(); n > 0; --n) {
      auto text = read_name();
      header_.dimensions.push_back({std::move(text), read_count()});
    }
    header_.attributes = read_attributes();
    for (auto n = read_list_length(); n > 0; --n) header_.variables.push_back(read_variable());
    header_.bytes = position();
    require_sound(header_.n_records < kMaxSize / std::max<std::uint64_t>(1, header_.record_bytes()),
                  "number of records", header_.n_records);
    return header_;
  }

 private:
  void require_sound(bool sound, const char* field, std::uint64_t value) const {
    require<InputError>(sound, "{} has a broken header ({} = {}). Make or copy it again.", path_, field,
                        value);
  }

  std::uint64_t position() { return static_cast<std::uint64_t>(in_.tellg()); }

  std::uint64_t read_big_endian(int bytes) {
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) {
      const int byte = in_.get();
      require<InputError>(byte >= 0, "{} ends within its header: it was cut short. Make or copy it again.",
                          path_);
      value = value << 8 | static_cast<std::uint64_t>(byte);
    }
    return value;
  }
  std::uint64_t read_count() { return read_big_endian(header_.version == 5 ? 8 : 4); }

  /// Reads the tag of a list and returns its number of items.
  std::uint64_t read_list_length() {
    read_big_endian(4);
    const auto n = read_count();
    require_sound(n < kMaxItems, "length of a list", n);
    return n;
  }

  std::string read_name() {
    const auto length = read_count();
    require_sound(length < kMaxNameLength, "length of a name", length);
    std::string text(length, '\0');
    require<InputError>(static_cast<bool>(in_.read(text.data(), static_cast<std::streamsize>(length))),
                        "{} ends within its header: it was cut short. Make or copy it again.", path_);
    in_.seekg(static_cast<std::streamoff>(padded(length) - length), std::ios::cur);
    return text;
  }

  int read_type() {
    const auto value = read_big_endian(4);
    require_sound(value >= 1 && value <= 11, "type of a value", value);
    return static_cast<int>(value);
  }

  std::vector<ClassicAttribute> read_attributes() {
    std::vector<ClassicAttribute> attributes;
    for (auto n = read_list_length(); n > 0; --n) {
      ClassicAttribute attribute;
      attribute.name = read_name();
      attribute.type = read_type();
      attribute.count = read_count();
      require_sound(attribute.count < kMaxSize, "length of an attribute", attribute.count);
      attribute.offset = position();
      const auto bytes = padded(kTypeBytes[attribute.type] * attribute.count);
      in_.seekg(static_cast<std::streamoff>(bytes), std::ios::cur);
      attributes.push_back(std::move(attribute));
    }
    return attributes;
  }

  ClassicVariable read_variable() {
    ClassicVariable variable;
    variable.name = read_name();
    const auto n_dimensions = read_count();
    require_sound(n_dimensions < kMaxItems, "number of dimensions of a variable", n_dimensions);
    for (std::uint64_t d = 0; d < n_dimensions; ++d) {
      const auto id = read_count();
      require_sound(id < header_.dimensions.size(), "index of a dimension", id);
      variable.dimensions.push_back(id);
      const auto length = header_.dimensions[id].size;
      variable.is_record = variable.is_record || length == 0;
      if (length == 0) continue;
      require_sound(variable.n_values < kMaxSize / length, "length of a dimension", length);
      variable.n_values *= length;
    }
    variable.attributes = read_attributes();
    variable.type = read_type();
    read_count();  // skips vsize, which is redundant and not always correct
    variable.begin = read_big_endian(header_.version == 1 ? 4 : 8);
    require_sound(variable.begin < kMaxSize, "offset of a variable", variable.begin);
    return variable;
  }

  const std::string& path_;
  std::istream& in_;
  ClassicHeader header_;
};

}  // namespace

std::uint64_t classic_type_bytes(int type) {
  return kTypeBytes[type];
}

std::uint64_t ClassicVariable::bytes() const {
  return n_values * kTypeBytes[type];
}

std::uint64_t ClassicHeader::record_bytes() const {
  std::uint64_t sum = 0, n = 0, unpadded = 0;
  for (const auto& variable : variables)
    if (variable.is_record) {
      sum += padded(variable.bytes());
      unpadded = variable.bytes();
      ++n;
    }
  return n == 1 ? unpadded : sum;  // a single record variable is not padded
}

std::uint64_t ClassicHeader::expected_bytes() const {
  std::uint64_t end = bytes;
  for (const auto& variable : variables) {
    const auto skipped = variable.is_record && n_records > 0 ? (n_records - 1) * record_bytes() : 0;
    if (!variable.is_record || n_records > 0)
      end = std::max(end, variable.begin + skipped + variable.bytes());
  }
  return end;
}

std::optional<ClassicHeader> read_classic_header(std::istream& in, const std::string& path) {
  return HeaderReader(in, path).read();
}

std::optional<ClassicHeader> read_classic_header(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  require<InputError>(in.good(), "Cannot open {}. Check the path and the permissions.", path);
  return read_classic_header(in, path);
}

std::optional<std::uint64_t> expected_bytes(const std::string& path) {
  const auto header = read_classic_header(path);
  if (!header) return std::nullopt;
  return header->expected_bytes();
}

void set_record_count(const std::string& path, const ClassicHeader& header, std::uint64_t n_records) {
  const int bytes = header.version == 5 ? 8 : 4;
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text.push_back(static_cast<char>(n_records >> 8 * i & 0xFF));
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(4);  // after the magic number
  file.write(text.data(), bytes);
  require<RunError>(static_cast<bool>(file.flush()), "Cannot write {}. Check the disk.", path);
}

void require_complete(const std::string& path) {
  const auto expected = expected_bytes(path);
  if (!expected) return;
  const auto actual = std::filesystem::file_size(path);
  require<InputError>(actual >= *expected,
                      "{} was cut short: it has {} bytes, but its header expects {}. Make or copy it again.",
                      path, actual, *expected);
}

}  // namespace halcyon::mesh
