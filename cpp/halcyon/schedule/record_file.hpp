#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "halcyon/schedule/recorded.hpp"

namespace halcyon::schedule {

/// A file that appears under its name only when it is whole.
/// @throws RunError where it cannot be written
std::ofstream begin_file(const std::filesystem::path& path);
void finish_file(std::ofstream& out, const std::filesystem::path& path);

/// A record as text, a line an operation or event (docs/schedules.md).
void write_head(std::ostream& out, std::size_t n_ranks, const std::vector<Buffer>& buffers);
void write_rank(std::ostream& out, const Record& record);

/// @param name of the file, for errors
/// @throws InputError that names the line which is not of the format
Recorded read_record(std::istream& in, const std::string& name);

}  // namespace halcyon::schedule
