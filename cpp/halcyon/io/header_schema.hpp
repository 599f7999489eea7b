#pragma once

#include <string>

#include "halcyon/io/schema.hpp"
#include "halcyon/mesh/files/classic_file.hpp"

namespace halcyon::io {

/// What the header of a classic file holds, its attributes of text and single numbers with their values.
/// Types of 8 and 16 bits and unsigned ones are given as the next larger one here; variables of text are left
/// out.
/// @param bytes of the header
Schema schema_of(const mesh::ClassicHeader& header, const std::string& bytes);

}  // namespace halcyon::io
