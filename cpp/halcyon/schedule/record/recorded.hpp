#pragma once

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "halcyon/base/atomic_file.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::schedule {

/// Record of one rank: its exchanges, each cut into parts and described once, and the runs of the parts.
struct RankRecord {
  /// A part of an exchange, which is cut before its first wait and at each compute operation.
  using Part = std::vector<Operation>;
  /// One execution of a part, after a computation of the rank that lasts `compute_s`.
  struct Event {
    std::int32_t part = 0;
    double compute_s = 0;
  };

  std::vector<std::int64_t> buffer_bytes;  ///< (buffer)
  std::vector<Part> parts;
  std::vector<Event> events;  ///< in the order of execution
};

/// A recorded run as a schedule: its messages, and its computation as measured times.
class RecordedSchedule final : public Schedule {
 public:
  /// @throws InputError for inconsistent buffers or parts of a rank
  RecordedSchedule(std::vector<Buffer> buffers, std::vector<RankRecord> records);
  /// Reads a file written by `write`.
  /// @throws InputError naming the line if the file is missing or is not a record
  static RecordedSchedule read(const std::filesystem::path& path);

  Rank n_ranks() const override { return static_cast<Rank>(records_.size()); }
  const std::vector<Buffer>& buffers() const override { return buffers_; }
  std::int64_t buffer_bytes(Rank rank, std::int32_t buffer) const override {
    return records_[rank].buffer_bytes[buffer];
  }
  bool next(Rank rank, Cursor& cursor, Operation& operation) const override;

  /// Writes a text file atomically. @throws RunError if it cannot be written
  void write(const std::filesystem::path& path) const;

 private:
  std::vector<Buffer> buffers_;
  std::vector<RankRecord> records_;
};

inline constexpr const char* kRecordTitle = "halcyon schedule 1";
/// Names of the actions in record files, in the order of `Action`.
inline constexpr std::array kActionNames{"send", "receive", "start", "wait", "copy", "combine", "compute"};
inline constexpr double kMaxComputeSeconds = 1e6;  ///< of one computation

/// A record file that is written with a temporary name, so that only complete files have the path.
class RecordFile {
 public:
  /// @throws RunError if it cannot be written
  explicit RecordFile(const std::filesystem::path& path);
  std::ostream& out() { return out_; }
  void finish();

 private:
  TemporaryFile part_;
  std::ofstream out_;
};

/// @throws RunError if the file cannot be written, or if the path is a folder
void require_writable(const std::filesystem::path& path);

/// Write the two sections of a record file (docs/schedules.md): the header, and one rank.
void write_header(std::ostream& out, std::size_t n_ranks, const std::vector<Buffer>& buffers);
void write_rank(std::ostream& out, const RankRecord& record);

/// Reads a record file. @param name of the file, for errors
/// @throws InputError naming the line of a syntax error, an unknown peer or buffer, a block outside its
/// buffer, a negative time, or a wrong number of ranks
RecordedSchedule read_record(std::istream& in, const std::string& name);

}  // namespace halcyon::schedule
