#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace halcyon::io {

/// The file `path.part` that becomes `path` when it is whole; used by one rank. While it lives no other
/// process may write the same file, where the file system has locks.
class PartFile {
 public:
  explicit PartFile(std::string path);
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  ~PartFile();

  const std::string& path() const { return path_; }
  const std::string& part() const { return part_; }

  /// Checks that nobody else writes it, and that so many bytes fit on the disk.
  /// @throws RunError that names what it needs and what is free
  void prepare(std::int64_t bytes);
  /// Takes the lock of the part, which exists now, and reserves its bytes.
  void hold(std::int64_t bytes);
  /// Checks that the part has the size that its header promises, and puts in the checksums.
  /// @param checksums of the variables, in the header's order
  void stamp(const std::vector<std::uint64_t>& checksums);
  /// Brings the part to the disk and gives it its name.
  void finish();
  /// Brings another file to the disk, gives it the name, and removes the part.
  void finish_with(const std::string& other);

 private:
  void sync(const std::string& file) const;
  void name(const std::string& file);

  std::string path_, part_;
  int lock_ = -1;
};

}  // namespace halcyon::io
