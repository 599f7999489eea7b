#pragma once

#include <functional>
#include <vector>

#include "halcyon/transform/section.hpp"

namespace halcyon::transform {

/// How ranks exchange, and how long that took [s].
struct Tried {
  Communication how;
  comm::ProgressBy by = comm::ProgressBy::none;
  double seconds = 0;
};

/// Collective. What is fastest here for some work: 1 to 4 groups, the methods isend_irecv, ialltoallv and
/// alltoallv, and progress none, poll and thread, this where MPI was started with MPI_THREAD_MULTIPLE, are
/// tried by so many repetitions each. The slowest rank counts, and of its times the best; all ranks find the
/// same. The rest is as given, which is what comes back from one rank.
/// @param communicate says how ranks exchange from now on  @param work collective
/// @throws ConfigError, on all ranks, for fewer than 1 repetition on any
Tried fastest(const comm::Communicator& comm, const Communication& given, int repetitions,
              const std::function<void(const Communication&)>& communicate,
              const std::function<void()>& work);

/// Collective. From now on the ranks of a transform exchange as is fastest for round trips of so many fields.
/// @param n_coefficients of all fields that this rank holds coefficients of
/// @throws ConfigError, on all ranks, for fewer than 1 field or repetition on any
template <class Transform>
Tried tune(Transform& transform, const comm::Communicator& comm, const Communication& given, int n_fields,
           std::size_t n_coefficients, int repetitions) {
  comm.agree([&] { require<ConfigError>(n_fields >= 1, "{} fields were given. Give 1 or more.", n_fields); });
  std::vector<double> values(n_fields * transform.n_points());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 7);
  std::vector<Complex> coefficients(n_coefficients);
  const auto communicate = [&](const Communication& how) { transform.communicate(how); };
  const auto found = fastest(comm, given, repetitions, communicate, [&] {
    transform.analysis(values, coefficients);
    transform.synthesis(coefficients, values);
  });
  transform.communicate(found.how);
  return found;
}

}  // namespace halcyon::transform
