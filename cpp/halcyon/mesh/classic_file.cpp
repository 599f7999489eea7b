#include "halcyon/mesh/classic_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "halcyon/base/error.hpp"

namespace halcyon::mesh {
namespace {

/// Bytes of a value of external type 1..11: byte, char, short, int, float, double, ubyte, ... uint64.
constexpr std::uint64_t kTypeBytes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};

constexpr std::uint64_t padded(std::uint64_t bytes) {
  return (bytes + 3) / 4 * 4;
}

/// Walks through the header of a classic file.
class Header {
 public:
  explicit Header(const std::string& path) : path_(path), in_(path, std::ios::binary) {
    require<InputError>(in_.good(), "Cannot open {}. Check the path and the permissions.", path);
  }

  std::optional<std::uint64_t> promised_bytes() {
    char magic[4] = {};
    if (!in_.read(magic, 4) || std::string(magic, 3) != "CDF") return std::nullopt;
    version_ = magic[3];
    if (version_ != 1 && version_ != 2 && version_ != 5) return std::nullopt;
    n_records_ = count();
    read_dimensions();
    skip_attributes();
    return end_of_variables();
  }

 private:
  std::uint64_t big_endian(int bytes) {
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) {
      const int byte = in_.get();
      require<InputError>(byte >= 0, "{} ends within its header: it was cut short. Make or copy it again.",
                          path_);
      value = value << 8 | static_cast<std::uint64_t>(byte);
    }
    return value;
  }
  std::uint64_t count() { return big_endian(version_ == 5 ? 8 : 4); }
  void skip(std::uint64_t bytes) { in_.seekg(static_cast<std::streamoff>(bytes), std::ios::cur); }
  void skip_name() { skip(padded(count())); }

  std::uint64_t type_bytes() {
    const auto type = big_endian(4);
    require<InputError>(type >= 1 && type <= 11, "{} has a broken header (type {}). Make or copy it again.",
                        path_, type);
    return kTypeBytes[type];
  }

  void read_dimensions() {
    big_endian(4);  // tag
    for (std::uint64_t n = count(); n > 0; --n) {
      skip_name();
      dimensions_.push_back(count());
    }
  }

  void skip_attributes() {
    big_endian(4);  // tag
    for (std::uint64_t n = count(); n > 0; --n) {
      skip_name();
      const auto bytes = type_bytes();
      skip(padded(bytes * count()));
    }
  }

  std::uint64_t dimension(std::uint64_t id) {
    require<InputError>(id < dimensions_.size(),
                        "{} has a broken header (dimension {}). Make or copy it again.", path_, id);
    return dimensions_[id];
  }

  std::uint64_t end_of_variables() {
    big_endian(4);  // tag
    std::uint64_t end = 0, last_record = 0, record_bytes = 0;
    for (std::uint64_t n = count(); n > 0; --n) {
      skip_name();
      std::uint64_t values = 1;
      bool is_record = false;
      for (std::uint64_t d = count(); d > 0; --d) {
        const auto length = dimension(count());
        is_record = is_record || length == 0;
        if (length != 0) values *= length;
      }
      skip_attributes();
      const auto bytes = values * type_bytes();
      count();  // vsize, redundant and not always right
      const auto begin = big_endian(version_ == 1 ? 4 : 8);
      if (is_record) record_bytes += padded(bytes);
      (is_record ? last_record : end) = std::max(is_record ? last_record : end, begin + bytes);
    }
    if (n_records_ == 0 || record_bytes == 0) return end;
    return std::max(end, last_record + (n_records_ - 1) * record_bytes);
  }

  std::string path_;
  std::ifstream in_;
  int version_ = 0;
  std::uint64_t n_records_ = 0;
  std::vector<std::uint64_t> dimensions_;  // 0 for the record dimension
};

}  // namespace

std::optional<std::uint64_t> promised_bytes(const std::string& path) {
  return Header(path).promised_bytes();
}

void require_whole(const std::string& path) {
  const auto promised = promised_bytes(path);
  if (!promised) return;
  const auto found = std::filesystem::file_size(path);
  require<InputError>(found >= *promised,
                      "{} was cut short: it has {} bytes, its header promises {}. Make or copy it again.",
                      path, found, *promised);
}

}  // namespace halcyon::mesh
