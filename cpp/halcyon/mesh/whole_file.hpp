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

/// Checks that a file of so many bytes fits on the disk of its folder.
/// @throws RunError that names what it needs and what is free
void require_space(const std::string& path, std::uint64_t bytes);

}  // namespace halcyon::mesh
