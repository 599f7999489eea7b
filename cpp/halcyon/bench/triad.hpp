#pragma once

#include <span>

namespace halcyon::bench {

/// a = b + s c of STREAM (McCalpin 1995), on arrays of one length: what memory gives.
void triad(std::span<float> a, std::span<const float> b, std::span<const float> c, float s);

}  // namespace halcyon::bench
