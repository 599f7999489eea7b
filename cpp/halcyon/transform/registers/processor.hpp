#pragma once

namespace halcyon::transform {

/// Whether the processor has registers of 8 numbers (AVX-512).
inline bool has_wide_registers() {
  return __builtin_cpu_supports("avx512f");
}

}  // namespace halcyon::transform
