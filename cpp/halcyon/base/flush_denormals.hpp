#pragma once

#include <xmmintrin.h>

namespace halcyon {

/// While an object of this class exists, the processor treats subnormal numbers as zero: in the far tails of
/// a spectrum, and where cloud and rain decay, they would cost a hundred cycles per operation. The destructor
/// restores the previous mode.
class FlushDenormals {
 public:
  /// @param flush false: as IEEE 754 has it, for code of others
  explicit FlushDenormals(bool flush = true) : saved_(_mm_getcsr()) {
    constexpr unsigned kBoth = kFlushToZero | kDenormalsAreZero;
    _mm_setcsr(flush ? saved_ | kBoth : saved_ & ~kBoth);
  }
  ~FlushDenormals() { _mm_setcsr(saved_); }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  static constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;
  unsigned saved_;
};

}  // namespace halcyon
