#pragma once

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "halcyon/schedule/schedule.hpp"

namespace halcyon::schedule {

/// What one rank did in a run: exchanges, each described once, and when parts of them ran.
struct Record {
  /// A part of an exchange: its operations up to the first wait, or those from there on.
  using Part = std::vector<Operation>;
  /// A part that ran, after so much of the rank's own work.
  struct Event {
    std::int32_t part = 0;
    double compute_s = 0;
  };

  std::vector<std::int64_t> buffer_bytes;
  std::vector<Part> parts;
  std::vector<Event> events;
};

/// A run as a schedule: its messages, and its computation as the time that it took.
class Recorded final : public Schedule {
 public:
  /// @throws InputError where a rank's buffers or parts do not fit together
  Recorded(std::vector<Buffer> buffers, std::vector<Record> records);
  /// From a file that `write` made.
  /// @throws InputError where it is not there or is no record, with the line
  static Recorded read(const std::filesystem::path& path);

  Rank n_ranks() const override { return static_cast<Rank>(records_.size()); }
  const std::vector<Buffer>& buffers() const override { return buffers_; }
  std::int64_t buffer_bytes(Rank rank, std::int32_t buffer) const override {
    return records_[rank].buffer_bytes[buffer];
  }
  bool next(Rank rank, Cursor& cursor, Operation& operation) const override;

  /// As text, whole or not at all.
  /// @throws RunError where it cannot be written
  void write(const std::filesystem::path& path) const;

 private:
  std::vector<Buffer> buffers_;
  std::vector<Record> records_;
};

inline constexpr const char* kRecordTitle = "halcyon schedule 1";
/// The words of `Action`, in its order.
inline constexpr std::array kActionWords{"send", "receive", "start", "wait", "copy", "combine", "compute"};
inline constexpr double kLongestWork = 1e6;  ///< [s] that a rank may compute at a time

/// A file that appears under its name only when it is whole.
/// @throws RunError where it cannot be written
std::ofstream begin_file(const std::filesystem::path& path);
void finish_file(std::ofstream& out, const std::filesystem::path& path);

/// @throws RunError where `begin_file` would, or the name is that of a folder
void require_writable(const std::filesystem::path& path);

/// A record as text, a line an operation or event (docs/schedules.md).
void write_head(std::ostream& out, std::size_t n_ranks, const std::vector<Buffer>& buffers);
void write_rank(std::ostream& out, const Record& record);

/// @param name of the file, for errors
/// @throws InputError that names the line which is not of the format, or says what cannot be: a peer or
/// buffer that is not there, a block outside its buffer, a negative time, another number of ranks than said
Recorded read_record(std::istream& in, const std::string& name);

}  // namespace halcyon::schedule
