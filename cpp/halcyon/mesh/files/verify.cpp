#include "halcyon/mesh/files/verify.hpp"

#include <netcdf.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "halcyon/base/checksum.hpp"
#include "halcyon/base/error.hpp"

namespace halcyon::mesh {
namespace {

using Attributes = std::vector<ClassicAttribute>;

constexpr std::uint64_t kBufferBytes = 4 << 20;
constexpr std::uint64_t kDigits = 16;  // length of a checksum attribute
constexpr std::array<char, 8> kHdf5 = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
constexpr std::string_view kDigestLabel = "halcyon digest ";
constexpr std::size_t kTrailerBytes = kDigestLabel.size() + kDigits;  // at the end of a netCDF-4 file

constexpr const char* kRemedy =
    "Make or copy it again; if you changed it on purpose, remove its checksums: "
    "ncatted -h -a checksum,,d,, -a header_checksum,global,d,, FILE.";

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
  switch (classic_type_bytes(type)) {
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
const ClassicAttribute* find_checksum(const Attributes& attributes, const char* name) {
  const auto found = std::ranges::find(attributes, name, &ClassicAttribute::name);
  return found == attributes.end() || found->count != kDigits ? nullptr : &*found;
}

std::string digits_at(Input& in, std::uint64_t offset) {
  std::string text(kDigits, '0');
  in.read(offset, text.data(), kDigits);
  return text;
}

ClassicHeader header_of(const std::string& path) {
  const auto header = read_classic_header(path);
  require<InputError>(header.has_value(), "{} is not a classic netCDF file (CDF-1, 2 or 5).", path);
  return *header;
}

/// Returns the byte at which a checksum attribute starts. @throws InputError if the attribute is missing
std::uint64_t offset_of(const Attributes& attributes, const char* name, const std::string& path) {
  const auto found = std::ranges::find(attributes, name, &ClassicAttribute::name);
  require<InputError>(found != attributes.end() && found->count == kDigits,
                      "{} has no attribute {} for a checksum.", path, name);
  return found->offset;
}

std::uint64_t digest_of(const std::string& path, std::uint64_t bytes) {
  std::ifstream in(path, std::ios::binary);
  std::vector<std::uint64_t> words(1 << 16);
  std::uint64_t sum = 0;
  for (std::uint64_t done = 0; done < bytes;) {
    const auto n = std::min<std::uint64_t>(words.size() * 8, bytes - done);
    words[(n - 1) / 8] = 0;  // the last word of the file can be incomplete
    in.read(reinterpret_cast<char*>(words.data()), static_cast<std::streamsize>(n));
    require<InputError>(in.good(), "{} cannot be read at byte {}. Copy it again.", path, done);
    sum += checksum<std::uint64_t>(std::span(words.data(), (n + 7) / 8), done / 8);
    done += n;
  }
  return sum;
}

/// Reads a little-endian 64-bit number.
std::uint64_t number_at(const std::array<char, 64>& bytes, std::size_t offset) {
  std::uint64_t value = 0;
  std::memcpy(&value, &bytes[offset], sizeof value);
  return value;
}

/// Returns the end-of-file address in an HDF5 superblock with 8-byte addresses (HDF5 File Format
/// Specification 3.0, II.A). Its position depends on the version of the superblock, byte 8.
std::uint64_t expected_bytes(const std::array<char, 64>& superblock) {
  return number_at(superblock, superblock[8] < 2 ? 40 : 28);
}

/// Checks the digest of a netCDF-4 file or, if it has no digest, the file's size against its superblock.
/// @returns whether the file has a digest; nullopt if it is not an HDF5 file
std::optional<bool> verify_hdf5(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  require<InputError>(in.good(), "Cannot open {}. Check the path and the permissions.", path);
  std::array<char, 64> superblock{};
  in.read(superblock.data(), superblock.size());
  if (!std::equal(kHdf5.begin(), kHdf5.end(), superblock.begin())) return std::nullopt;
  const auto size = static_cast<std::uint64_t>(std::filesystem::file_size(path));
  std::array<char, kTrailerBytes> trailer{};
  if (size > kTrailerBytes) {
    in.clear();
    in.seekg(-static_cast<std::streamoff>(kTrailerBytes), std::ios::end);
    in.read(trailer.data(), trailer.size());
  }
  const std::string_view text(trailer.data(), trailer.size());
  if (text.starts_with(kDigestLabel)) {
    require<InputError>(
        text.substr(kDigestLabel.size()) == checksum_text(digest_of(path, size - kTrailerBytes)),
        "{} is damaged: its contents changed after it was written. Make or copy it again.", path);
    return true;
  }
  require<InputError>(
      size >= expected_bytes(superblock),
      "{} was cut short: it has {} bytes, but its superblock expects {}. Make or copy it again.", path, size,
      expected_bytes(superblock));
  return false;
}

/// Returns the number of records of a netCDF-4 file.
std::int64_t records_of_netcdf4(const std::string& path) {
  int file = -1, dimension = -1;
  std::size_t n_records = 0;
  int status = nc_open(path.c_str(), NC_NOWRITE, &file);
  if (status == NC_NOERR) status = nc_inq_unlimdim(file, &dimension);
  if (status == NC_NOERR && dimension >= 0) status = nc_inq_dimlen(file, dimension, &n_records);
  if (file >= 0) nc_close(file);
  require<InputError>(status == NC_NOERR, "{} cannot be read as netCDF-4: {}. Make or copy it again.", path,
                      nc_strerror(status));
  return static_cast<std::int64_t>(n_records);
}

void write_digest(const std::string& path) {
  const auto sum = digest_of(path, std::filesystem::file_size(path));
  std::ofstream out(path, std::ios::binary | std::ios::app);
  out << kDigestLabel << checksum_text(sum);
  require<RunError>(static_cast<bool>(out.flush()), "{}: cannot write its digest. Check the disk.", path);
}

/// Checks the checksums of all variables. @returns how many have one
int check_variables(const std::string& path, const ClassicHeader& header) {
  Input in(path);
  int n_checked = 0;
  for (const auto& variable : header.variables) {
    const auto* attribute = find_checksum(variable.attributes, kChecksum);
    if (attribute == nullptr) continue;
    const auto sum = file_checksum(path, header, variable, header.n_records);
    require_equal_sum(digits_at(in, attribute->offset) == checksum_text(sum), path, variable.name);
    ++n_checked;
  }
  return n_checked;
}

void write_checksum(std::fstream& file, std::uint64_t offset, std::uint64_t sum) {
  const auto text = checksum_text(sum);
  file.seekp(static_cast<std::streamoff>(offset));
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.flush();
}

}  // namespace

void require_equal_sum(bool is_equal, const std::string& path, const std::string& variable) {
  require<InputError>(is_equal, "{} is damaged: the checksum of {} is wrong. {}", path, variable, kRemedy);
}

std::uint64_t header_checksum(const std::string& path, const ClassicHeader& header) {
  std::vector<std::uint8_t> bytes(header.bytes);
  Input(path).read(0, bytes.data(), bytes.size());
  if (const auto* attribute = find_checksum(header.attributes, kHeaderChecksum))
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(attribute->offset), kDigits, std::uint8_t{0});
  return checksum<std::uint8_t>(bytes, 0);
}

std::optional<ClassicHeader> checked_header(const std::string& path) {
  auto header = read_classic_header(path);
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
                        "{} is damaged: the checksum of its header is wrong. {}", path, kRemedy);
  }
  return header;
}

std::uint64_t file_checksum(const std::string& path, const ClassicHeader& header,
                            const ClassicVariable& variable, std::uint64_t n_records) {
  Input in(path);
  if (!variable.is_record) return sum_of(in, variable.type, variable.begin, variable.n_values, 0);
  std::uint64_t sum = 0;
  for (std::uint64_t record = 0; record < n_records; ++record)
    sum += sum_of(in, variable.type, variable.begin + record * header.record_bytes(), variable.n_values,
                  record * variable.n_values);
  return sum;
}

std::vector<std::uint64_t> checksum_shares(const std::string& path, Rank part, Rank n_parts) {
  Input in(path);
  std::vector<std::uint64_t> sums;
  for (const auto& variable : header_of(path).variables) {
    const std::uint64_t n = variable.n_values, first = n * part / n_parts, end = n * (part + 1) / n_parts;
    const auto offset = variable.begin + first * classic_type_bytes(variable.type);
    sums.push_back(sum_of(in, variable.type, offset, end - first, first));
  }
  return sums;
}

bool require_undamaged(const std::string& path) {
  const auto header = checked_header(path);
  if (!header) return verify_hdf5(path).value_or(false);
  return check_variables(path, *header) > 0;
}

Verification verify(const std::string& path) {
  const auto header = checked_header(path);
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(path));
  if (!header) {
    const auto has_digest = verify_hdf5(path);
    require<InputError>(has_digest.has_value(), "{} is not a netCDF file.", path);
    return {.format = "netCDF-4",
            .bytes = bytes,
            .n_records = *has_digest ? records_of_netcdf4(path) : 0,
            .header_checked = *has_digest};
  }
  return {.format = fmt::format("CDF-{}", header->version),
          .bytes = bytes,
          .n_records = static_cast<std::int64_t>(header->n_records),
          .n_variables = static_cast<int>(header->variables.size()),
          .n_checked = check_variables(path, *header),
          .header_checked = find_checksum(header->attributes, kHeaderChecksum) != nullptr};
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
  if (verify_hdf5(path)) return write_digest(path);
  const auto header = header_of(path);
  std::vector<std::uint64_t> checksums;
  for (const auto& variable : header.variables)
    checksums.push_back(file_checksum(path, header, variable, header.n_records));
  write_checksums(path, checksums);
}

}  // namespace halcyon::mesh
