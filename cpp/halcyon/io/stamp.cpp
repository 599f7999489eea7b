#include "halcyon/io/stamp.hpp"

#include <algorithm>
#include <fstream>

#include "halcyon/base/error.hpp"
#include "halcyon/io/checksum.hpp"
#include "halcyon/io/verify.hpp"

namespace halcyon::io {
namespace {

mesh::ClassicHeader header_of(const std::string& path) {
  const auto header = mesh::read_classic_header(path);
  require<InputError>(header.has_value(), "{} is not a classic netCDF file (CDF-1, 2 or 5).", path);
  return *header;
}

std::uint64_t offset_of(const std::vector<mesh::ClassicAttribute>& attributes, const char* name,
                        const std::string& path) {
  const auto found = std::ranges::find(attributes, name, &mesh::ClassicAttribute::name);
  require<InputError>(found != attributes.end() && found->count == checksum_text(0).size(),
                      "{} has no attribute {} for a checksum.", path, name);
  return found->offset;
}

void put(std::fstream& file, std::uint64_t offset, std::uint64_t sum) {
  const auto text = checksum_text(sum);
  file.seekp(static_cast<std::streamoff>(offset));
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.flush();
}

}  // namespace

void stamp(const std::string& path, const std::vector<std::uint64_t>& checksums) {
  const auto header = header_of(path);
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  for (std::size_t v = 0; v < checksums.size(); ++v)
    put(file, offset_of(header.variables.at(v).attributes, kChecksum, path), checksums[v]);
  put(file, offset_of(header.attributes, kHeaderChecksum, path), header_checksum(path, header));
  require<RunError>(file.good(), "{}: cannot write its checksums. Check the disk.", path);
}

void stamp(const std::string& path) {
  const auto header = header_of(path);
  std::vector<std::uint64_t> checksums;
  for (const auto& variable : header.variables)
    checksums.push_back(file_checksum(path, header, variable, header.n_records));
  stamp(path, checksums);
}

}  // namespace halcyon::io
