#pragma once

#include <cstdint>

namespace halcyon::comm {

/// What the exchanges of a plan have cost and moved on this rank so far. Times are wall times. A method that
/// copies messages itself does so in `transfer` and `wait`.
struct Statistics {
  double pack_s = 0;      ///< copies of what is to be sent
  double transfer_s = 0;  ///< starting rounds
  double wait_s = 0;
  double unpack_s = 0;  ///< copies and combinations of what has arrived
  std::int64_t n_exchanges = 0;
  std::int64_t n_sent = 0, n_received = 0;  ///< messages
  std::int64_t sent_bytes = 0, received_bytes = 0;

  Statistics& operator+=(const Statistics& more) {
    pack_s += more.pack_s, transfer_s += more.transfer_s, wait_s += more.wait_s, unpack_s += more.unpack_s;
    n_exchanges += more.n_exchanges, n_sent += more.n_sent, n_received += more.n_received;
    sent_bytes += more.sent_bytes, received_bytes += more.received_bytes;
    return *this;
  }
  double total_s() const { return pack_s + transfer_s + wait_s + unpack_s; }
};

}  // namespace halcyon::comm
