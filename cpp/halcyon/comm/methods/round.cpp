#include "halcyon/comm/methods/round.hpp"

#include "halcyon/base/error.hpp"
#include "halcyon/comm/methods/alltoallv.hpp"
#include "halcyon/comm/methods/neighborhood.hpp"
#include "halcyon/comm/methods/point_to_point.hpp"
#include "halcyon/comm/methods/shared.hpp"

namespace halcyon::comm {

Rounds make_rounds(const Communicator& comm, Method method, Program& program,
                   const std::vector<schedule::Buffer>& buffers) {
  switch (method) {
    case Method::isend_recv:
    case Method::isend_irecv:
    case Method::persistent:
      return point_to_point_rounds(comm, method, program);
    case Method::neighbor:
    case Method::ineighbor:
    case Method::neighbor_persistent:
      return neighborhood_rounds(comm, method, program);
    case Method::alltoallv:
    case Method::ialltoallv:
      return alltoallv_rounds(comm, method, program);
    case Method::shared:
      return shared_rounds(comm, program, buffers);
    default:
      throw InternalError(fmt::format("Method '{}' has no rounds of its own.", name_of(method)));
  }
}

}  // namespace halcyon::comm
