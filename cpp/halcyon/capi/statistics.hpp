#pragma once

#include "halcyon/capi/halcyon.h"
#include "halcyon/comm/exchange/exchange.hpp"

namespace halcyon::capi {

inline halcyon_statistics statistics_of(const comm::Statistics& ours) {
  return {.pack_s = ours.pack_s,
          .transfer_s = ours.transfer_s,
          .wait_s = ours.wait_s,
          .unpack_s = ours.unpack_s,
          .n_exchanges = ours.n_exchanges,
          .n_sent = ours.n_sent,
          .n_received = ours.n_received,
          .sent_bytes = ours.sent_bytes,
          .received_bytes = ours.received_bytes};
}

}  // namespace halcyon::capi
