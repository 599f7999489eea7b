#include "halcyon/network/clock.hpp"

#include "halcyon/base/error.hpp"

namespace halcyon::network {

void refuse_time(std::string_view what, Time time) {
  throw InputError(fmt::format(
      "{} until {:.3g} s of simulated time or longer, but it ends at {:.3g} s (53 days). Let ranks "
      "compute, copy or send less, or give the machine more bandwidth.",
      what, to_seconds(time), to_seconds(kEndOfTime)));
}

}  // namespace halcyon::network
