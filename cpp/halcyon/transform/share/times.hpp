#pragma once

#include <cstdint>

namespace halcyon::transform {

/// What transforms took of this rank, wall times [s], and what they sent.
struct Times {
  double fourier_s = 0;   ///< of rows
  double legendre_s = 0;  ///< of sums over n or latitudes; on a plane of columns along y
  double exchange_s = 0;
  std::int64_t n_sent = 0, sent_bytes = 0;  ///< messages, and what is in them

  Times& operator+=(const Times& more) {
    fourier_s += more.fourier_s, legendre_s += more.legendre_s, exchange_s += more.exchange_s;
    n_sent += more.n_sent, sent_bytes += more.sent_bytes;
    return *this;
  }
  Times operator-(const Times& less) const {
    return {fourier_s - less.fourier_s, legendre_s - less.legendre_s, exchange_s - less.exchange_s,
            n_sent - less.n_sent, sent_bytes - less.sent_bytes};
  }
};

}  // namespace halcyon::transform
