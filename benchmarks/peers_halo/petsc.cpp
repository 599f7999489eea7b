#include <petscsf.h>

#include "exchanger.hpp"
#include "halcyon/base/error.hpp"

namespace halcyon::peers {

namespace {

void check(PetscErrorCode code) {
  require<RunError>(code == 0, "PETSc failed with error code {}.", static_cast<int>(code));
}

/// A star forest, whose roots are the owned cells of all ranks, and whose leaves are the halo cells of this
/// rank in the same field.
class PetscExchanger final : public Exchanger {
 public:
  PetscExchanger(const Task& task, const std::string& type)
      : type_(type), field_(static_cast<std::size_t>(task.field_bytes())) {
    check(PetscInitializeNoArguments());
    comm::check(MPI_Type_contiguous(task.n_values, task.single ? MPI_FLOAT : MPI_DOUBLE, &unit_), "MPI_Type");
    comm::check(MPI_Type_commit(&unit_), "MPI_Type_commit");
    const auto n_owned = task.part.cells().n_owned, n_leaves = task.part.cells().size() - n_owned;
    std::vector<PetscInt> leaves;
    std::vector<PetscSFNode> roots;
    for (LocalIndex i = n_owned; i < n_owned + n_leaves; ++i) {
      leaves.push_back(i);
      roots.push_back({task.owners[i], task.owner_indices[i]});
    }
    check(PetscSFCreate(task.comm.get(), &forest_));
    check(PetscSFSetType(forest_, type.c_str()));
    check(PetscSFSetGraph(forest_, n_owned, n_leaves, leaves.data(), PETSC_COPY_VALUES, roots.data(),
                          PETSC_COPY_VALUES));
    check(PetscSFSetUp(forest_));
  }
  ~PetscExchanger() override {
    PetscSFDestroy(&forest_);
    MPI_Type_free(&unit_);
  }
  std::span<std::byte> field() override { return field_; }
  void exchange() override {
    check(PetscSFBcastBegin(forest_, unit_, field_.data(), field_.data(), MPI_REPLACE));
    check(PetscSFBcastEnd(forest_, unit_, field_.data(), field_.data(), MPI_REPLACE));
  }
  std::string description() const override { return "PETSc " + type_; }

 private:
  std::string type_;
  std::vector<std::byte> field_;
  MPI_Datatype unit_ = MPI_DATATYPE_NULL;
  PetscSF forest_ = nullptr;
};

}  // namespace

std::unique_ptr<Exchanger> petsc_exchanger(const Task& task, const std::string& type) {
  return std::make_unique<PetscExchanger>(task, type);
}

}  // namespace halcyon::peers
