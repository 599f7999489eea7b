#pragma once

#include <array>
#include <string>
#include <string_view>

namespace halcyon::comm {

/// How the messages of a round travel.
enum class Method {
  isend_recv,           ///< MPI_Isend in start; MPI_Recv, one after the other, in wait
  isend_irecv,          ///< MPI_Irecv, MPI_Isend
  persistent,           ///< MPI_Recv_init, MPI_Send_init; MPI_Start
  neighbor,             ///< MPI_Neighbor_alltoallv on a distributed graph (all of it happens in start)
  ineighbor,            ///< MPI_Ineighbor_alltoallv on a distributed graph
  neighbor_persistent,  ///< MPI_Neighbor_alltoallv_init on a distributed graph
  alltoallv,            ///< MPI_Alltoallv of the ranks that a round joins (all of it happens in start)
  ialltoallv,           ///< MPI_Ialltoallv of the same ranks
  shared,               ///< the memory of a node, isend_irecv between nodes
  automatic,            ///< what measurements at set-up prefer (tuning.hpp)
};

struct MethodName {
  std::string_view name;
  Method method;
};

/// All methods by the names that users give them.
inline constexpr std::array kMethods{
    MethodName{"isend_recv", Method::isend_recv},
    MethodName{"isend_irecv", Method::isend_irecv},
    MethodName{"persistent", Method::persistent},
    MethodName{"neighbor", Method::neighbor},
    MethodName{"ineighbor", Method::ineighbor},
    MethodName{"neighbor_persistent", Method::neighbor_persistent},
    MethodName{"alltoallv", Method::alltoallv},
    MethodName{"ialltoallv", Method::ialltoallv},
    MethodName{"shared", Method::shared},
    MethodName{"auto", Method::automatic},
};

std::string_view name_of(Method method);

/// Whether messages may come between start and wait, while the rank computes.
bool overlaps(Method method);

/// @throws ConfigError that lists the methods
Method method_named(std::string_view name);

}  // namespace halcyon::comm
