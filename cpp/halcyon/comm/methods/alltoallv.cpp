#include "halcyon/comm/methods/alltoallv.hpp"

#include <mpi.h>

#include <utility>

#include "halcyon/comm/methods/collective.hpp"
#include "halcyon/comm/methods/round_group.hpp"

namespace halcyon::comm {

namespace {

using GroupPointer = std::shared_ptr<const RoundGroup>;

/// What the rounds of both methods have in common.
class Alltoallv : public Round {
 public:
  Alltoallv(GroupPointer group, const RoundMessages& messages)
      : group_(std::move(group)),
        send_(messages.sends, group_->ranks()),
        receive_(messages.receives, group_->ranks()) {}

  void wait() override { check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait"); }
  bool test() override { return has_ended(request_); }

 protected:
  GroupPointer group_;
  CollectiveSide send_, receive_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

class Blocking final : public Alltoallv {
 public:
  using Alltoallv::Alltoallv;
  void start(BufferSpans buffers) override {
    check(MPI_Alltoallv(send_.base(buffers), send_.counts.data(), send_.places.data(), send_.type(),
                        receive_.base(buffers), receive_.counts.data(), receive_.places.data(),
                        receive_.type(), group_->get()),
          "MPI_Alltoallv");
  }
};

class Nonblocking final : public Alltoallv {
 public:
  using Alltoallv::Alltoallv;
  void start(BufferSpans buffers) override {
    check(MPI_Ialltoallv(send_.base(buffers), send_.counts.data(), send_.places.data(), send_.type(),
                         receive_.base(buffers), receive_.counts.data(), receive_.places.data(),
                         receive_.type(), group_->get(), &request_),
          "MPI_Ialltoallv");
  }
};

template <class Kind>
Rounds rounds_of(const Communicator& comm, const Program& program) {
  require_collectives(comm, program);
  const auto groups = round_groups(comm, program.rounds);
  Rounds made;
  for (std::size_t r = 0; r < groups.size(); ++r)
    made.push_back(std::make_unique<Kind>(groups[r], program.rounds[r]));
  return made;
}

}  // namespace

Rounds alltoallv_rounds(const Communicator& comm, Method method, const Program& program) {
  return method == Method::alltoallv ? rounds_of<Blocking>(comm, program)
                                     : rounds_of<Nonblocking>(comm, program);
}

}  // namespace halcyon::comm
