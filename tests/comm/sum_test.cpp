#include <array>

#include "halcyon/comm/communicator.hpp"
#include "test.hpp"

namespace halcyon::comm {

TEST_CASE("comm: integers of all ranks are added up one by one") {
  const Communicator comm(test::world());
  std::array<std::int64_t, 3> values{1, comm.rank(), std::int64_t{1} << 40};
  comm.sum(values);
  const std::int64_t n = comm.size();
  CHECK(values == std::array<std::int64_t, 3>{n, n * (n - 1) / 2, n << 40});
}

}  // namespace halcyon::comm
