#include "halcyon/io/verify.hpp"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>
#include <limits>

#include "halcyon/base/error.hpp"
#include "halcyon/io/checksum.hpp"
#include "halcyon/io/compressed.hpp"

namespace halcyon::io {
namespace {

using Attributes = std::vector<mesh::ClassicAttribute>;

constexpr std::uint64_t kBufferBytes = 4 << 20;
constexpr std::uint64_t kDigits = 16;  // length of a checksum attribute

/// A file opened for reading blocks.
class Input {
 public:
  explicit Input(const std::string& path) : path_(path), in_(path, std::ios::binary) {
    require<InputError>(in_.good(), "Cannot open {}. Check the path and the permissions.", path);
  }
  void read(std::uint64_t offset, void* to, std::uint64_t bytes) {
    in_.seekg(static_cast<std::streamoff>(offset));
    in_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
    require<InputError>(in_.good(), "{} cannot be read at byte {}. Copy it again.", path_, offset);
  }

 private:
  std::string path_;
  std::ifstream in_;
};

/// Converts a big-endian number of a file to the machine's byte order.
template <class T>
T from_big_endian(T value) {
  if constexpr (std::endian::native == std::endian::big || sizeof(T) == 1) return value;
  if constexpr (sizeof(T) == 2) return __builtin_bswap16(value);
  if constexpr (sizeof(T) == 4) return __builtin_bswap32(value);
  if constexpr (sizeof(T) == 8) return __builtin_bswap64(value);
}

/// Returns the checksum of `count` numbers at byte `offset`. @param first_index index in the variable
template <class T>
std::uint64_t sum_of(Input& in, std::uint64_t offset, std::uint64_t count, std::uint64_t first_index) {
  std::vector<T> values(std::min<std::uint64_t>(count, kBufferBytes / sizeof(T)));
  std::uint64_t sum = 0;
  for (std::uint64_t done = 0; done < count;) {
    const auto n = std::min<std::uint64_t>(count - done, values.size());
    in.read(offset + done * sizeof(T), values.data(), n * sizeof(T));
    for (std::uint64_t i = 0; i < n; ++i) sum += hash_of(from_big_endian(values[i]), first_index + done + i);
    done += n;
  }
  return sum;
}

std::uint64_t sum_of(Input& in, int type, std::uint64_t offset, std::uint64_t count, std::uint64_t index) {
  switch (mesh::classic_type_bytes(type)) {
    case 1:
      return sum_of<std::uint8_t>(in, offset, count, index);
    case 2:
      return sum_of<std::uint16_t>(in, offset, count, index);
    case 4:
      return sum_of<std::uint32_t>(in, offset, count, index);
    default:
      return sum_of<std::uint64_t>(in, offset, count, index);
  }
}

/// Returns the checksum attribute with the given name; null if there is none.
const mesh::ClassicAttribute* find_checksum(const Attributes& attributes, const char* name) {
  const auto found = std::ranges::find(attributes, name, &mesh::ClassicAttribute::name);
  return found == attributes.end() || found->count != kDigits ? nullptr : &*found;
}

std::string digits_at(Input& in, std::uint64_t offset) {
  std::string text(kDigits, '0');
  in.read(offset, text.data(), kDigits);
  return text;
}

Verification verify_netcdf4(const std::string& path) {
  const auto has_digest = verify_compressed(path);
  require<InputError>(has_digest.has_value(), "{} is not a netCDF file.", path);
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(path));
  constexpr auto kNoChecksums = std::numeric_limits<std::uint64_t>::max();  // more records than a file has
  Verification result{.format = "netCDF-4", .bytes = bytes, .header_checked = *has_digest};
  if (*has_digest)
    result.n_records = static_cast<std::int64_t>(compressed_checksums(path, kNoChecksums).n_records);
  return result;
}

mesh::ClassicHeader header_of(const std::string& path) {
  const auto header = mesh::read_classic_header(path);
  require<InputError>(header.has_value(), "{} is not a classic netCDF file (CDF-1, 2 or 5).", path);
  return *header;
}

/// Returns the byte at which a checksum attribute starts. @throws InputError if the attribute is missing
std::uint64_t offset_of(const Attributes& attributes, const char* name, const std::string& path) {
  const auto found = std::ranges::find(attributes, name, &mesh::ClassicAttribute::name);
  require<InputError>(found != attributes.end() && found->count == kDigits,
                      "{} has no attribute {} for a checksum.", path, name);
  return found->offset;
}

void write_checksum(std::fstream& file, std::uint64_t offset, std::uint64_t sum) {
  const auto text = checksum_text(sum);
  file.seekp(static_cast<std::streamoff>(offset));
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.flush();
}

}  // namespace

std::uint64_t header_checksum(const std::string& path, const mesh::ClassicHeader& header) {
  std::vector<std::uint8_t> bytes(header.bytes);
  Input(path).read(0, bytes.data(), bytes.size());
  if (const auto* attribute = find_checksum(header.attributes, kHeaderChecksum))
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(attribute->offset), kDigits, std::uint8_t{0});
  return checksum<std::uint8_t>(bytes, 0);
}

std::optional<mesh::ClassicHeader> checked_header(const std::string& path) {
  auto header = mesh::read_classic_header(path);
  if (!header) return std::nullopt;
  const auto actual = std::filesystem::file_size(path);
  require<InputError>(actual >= header->expected_bytes(),
                      "{} was cut short: it has {} bytes, but its header expects {}. Make or copy it again.",
                      path, actual, header->expected_bytes());
  const auto* attribute = find_checksum(header->attributes, kHeaderChecksum);
  const bool has_checksums =
      attribute != nullptr || std::ranges::any_of(header->variables, [](const auto& variable) {
        return find_checksum(variable.attributes, kChecksum) != nullptr;
      });
  if (has_checksums) {
    Input in(path);
    require<InputError>(attribute != nullptr &&
                            digits_at(in, attribute->offset) == checksum_text(header_checksum(path, *header)),
                        "{} is damaged: the checksum of its header is wrong. Make or copy it again.", path);
  }
  return header;
}

std::uint64_t file_checksum(const std::string& path, const mesh::ClassicHeader& header,
                            const mesh::ClassicVariable& variable, std::uint64_t n_records) {
  Input in(path);
  if (!variable.is_record) return sum_of(in, variable.type, variable.begin, variable.n_values, 0);
  std::uint64_t sum = 0;
  for (std::uint64_t record = 0; record < n_records; ++record)
    sum += sum_of(in, variable.type, variable.begin + record * header.record_bytes(), variable.n_values,
                  record * variable.n_values);
  return sum;
}

bool has_records(const std::string& path, std::uint64_t n_records,
                 const std::vector<std::uint64_t>& checksums) {
  const auto header = checked_header(path);
  if (!header)
    return verify_compressed(path) == true && compressed_checksums(path, n_records).checksums == checksums;
  if (header->n_records < n_records || header->variables.size() != checksums.size()) return false;
  for (std::size_t v = 0; v < checksums.size(); ++v)
    if (file_checksum(path, *header, header->variables[v], n_records) != checksums[v]) return false;
  return true;
}

Verification verify(const std::string& path) {
  const auto header = checked_header(path);
  if (!header) return verify_netcdf4(path);
  Verification result{.format = fmt::format("CDF-{}", header->version),
                      .bytes = static_cast<std::int64_t>(std::filesystem::file_size(path)),
                      .n_records = static_cast<std::int64_t>(header->n_records),
                      .n_variables = static_cast<int>(header->variables.size()),
                      .header_checked = find_checksum(header->attributes, kHeaderChecksum) != nullptr};
  Input in(path);
  for (const auto& variable : header->variables) {
    const auto* attribute = find_checksum(variable.attributes, kChecksum);
    if (attribute == nullptr) continue;
    const auto sum = file_checksum(path, *header, variable, header->n_records);
    require<InputError>(digits_at(in, attribute->offset) == checksum_text(sum),
                        "{} is damaged: the checksum of {} is wrong. Make or copy it again.", path,
                        variable.name);
    ++result.n_checked;
  }
  return result;
}

void write_checksums(const std::string& path, const std::vector<std::uint64_t>& checksums) {
  const auto header = header_of(path);
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  for (std::size_t v = 0; v < checksums.size(); ++v)
    write_checksum(file, offset_of(header.variables.at(v).attributes, kChecksum, path), checksums[v]);
  write_checksum(file, offset_of(header.attributes, kHeaderChecksum, path), header_checksum(path, header));
  require<RunError>(file.good(), "{}: cannot write its checksums. Check the disk.", path);
}

void write_checksums(const std::string& path) {
  const auto header = header_of(path);
  std::vector<std::uint64_t> checksums;
  for (const auto& variable : header.variables)
    checksums.push_back(file_checksum(path, header, variable, header.n_records));
  write_checksums(path, checksums);
}

}  // namespace halcyon::io
