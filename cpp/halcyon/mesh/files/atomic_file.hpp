#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace halcyon::mesh {

/// Writes a file atomically: `write` writes the temporary file `path`.part, which is then flushed to the disk
/// and renamed to `path`. On failure the temporary file is removed.
/// @param write takes the path of the temporary file
/// @throws RunError if the file cannot be written, and whatever `write` throws
void write_atomically(const std::string& path, const std::function<void(const std::string&)>& write);

/// Checks that a file of `data_bytes` and a header fits on the disk, and that quotas and limits permit it:
/// the bytes are allocated temporarily to an unnamed file, if the file system supports this.
/// @throws RunError that states the needed bytes, and the free bytes or the system's reason
void require_space(const std::string& path, std::uint64_t data_bytes);

}  // namespace halcyon::mesh
