#pragma once

#include <filesystem>
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

}  // namespace halcyon::schedule
