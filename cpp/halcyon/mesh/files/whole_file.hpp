#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace halcyon::mesh {

/// Makes a file that appears under its name only when it is whole: `write` makes `path`.part, which is then
/// brought to the disk and renamed. Where something fails, no part stays.
/// @param write gets the name of the part
/// @throws RunError if the disk or the folder refuses, and whatever `write` throws
void write_whole(const std::string& path, const std::function<void(const std::string&)>& write);

/// Checks that a file of so many bytes and a header fits on the disk of its folder, and that quotas and
/// limits let it be written: the bytes are allocated for a moment to a file without a name, where the file
/// system can do that.
/// @throws RunError that names what it needs, and what is free or the system's reason
void require_space(const std::string& path, std::uint64_t data_bytes);

}  // namespace halcyon::mesh
