#pragma once

#include <xmmintrin.h>

namespace halcyon {

/// While an object of this class exists, the processor treats subnormal numbers as zero: in the far tails of
/// a spectrum they would cost a hundred cycles per operation. The destructor restores the previous mode.
class FlushDenormals {
 public:
  FlushDenormals() : saved_(_mm_getcsr()) { _mm_setcsr(saved_ | kFlushToZero | kDenormalsAreZero); }
  ~FlushDenormals() { _mm_setcsr(saved_); }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  static constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;
  unsigned saved_;
};

}  // namespace halcyon
