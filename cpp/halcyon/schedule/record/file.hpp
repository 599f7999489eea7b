#pragma once

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "halcyon/schedule/record/recorded.hpp"

namespace halcyon::schedule {

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
