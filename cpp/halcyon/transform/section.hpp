#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "halcyon/comm/exchange.hpp"
#include "halcyon/transform/buffer.hpp"
#include "halcyon/transform/row.hpp"
#include "halcyon/transform/transpositions.hpp"

namespace halcyon::transform {

/// How ranks that share a transform exchange: no result depends on it.
struct Communication {
  schedule::AlltoallBy by{schedule::AlltoallAlgorithm::burst};
  comm::Method method = comm::Method::isend_irecv;
  std::shared_ptr<const comm::Progress> progress{};
  int groups = 1;  ///< into which fields are cut at least: all but one hide what they exchange
  int ahead = 1;   ///< groups that come to a stage while one is worked on
};

/// The fields of a V set that a group has of one of a call's arrays.
struct Piece {
  int component;
  int first, n;
};

/// The arrays of a call.
struct Arrays {
  std::span<double* const> values;  ///< (component) of all fields at the rank's points, (field, point)
  double* coefficients = nullptr;   ///< where V sets share them: of all fields, (field, number)
};

/// The stages of a call on one rank, ready to be run again and again: a pipeline, its exchange and where in
/// memory each group lies. One rank exchanges nothing: its stages work one after the other in the same
/// panels.
class Section {
 public:
  /// Collective where ranks share the transform.
  /// @param comm none for one rank alone
  Section(const Passage& passage, const std::optional<comm::Communicator>& comm, const Communication& how);
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;

  struct Work {
    /// Between coefficients and the blocks of the rank's wavenumbers. Where V sets share coefficients, a part
    /// of those of the piece belongs to each v; else there are no parts.
    std::function<void(const Piece&, double* panels, std::span<const Part<double>> parts)> meridional;
    /// Between the blocks of the rank's rows and their values, of which a part belongs to each v.
    std::function<void(const Piece&, double* blocks, std::span<const Part<double>> parts)> zonal;
  };
  /// Collective. What a synthesis or an analysis starts from is read.
  /// @param memory for what travels
  void run(const Arrays& arrays, const Work& work, Buffer& memory);
  /// The work alone, without what comes before it: for measurements.
  void compute(const Arrays& arrays, const Work& work, Buffer& memory);

  /// For work to call between its pieces: gives MPI a turn, where progress is by polls, if the last one was a
  /// nap of a progress thread ago.
  void progress();
  comm::Statistics statistics() const { return exchange_ ? exchange_->statistics() : comm::Statistics{}; }
  /// Wall times [s] of all runs.
  double zonal_s() const { return zonal_s_; }
  double meridional_s() const { return meridional_s_; }
  std::string description() const { return exchange_ ? exchange_->description() : "none"; }

 private:
  static constexpr std::int32_t kMemory = -1, kCoefficients = -2;
  struct Slot {
    std::int32_t array = kMemory;  ///< the component whose values these are, the coefficients, or memory
    std::size_t offset = 0, size = 0;
  };
  struct UserSide;

  UserSide user_side(int stage) const;
  void take_stage(const schedule::Pipeline& moves, int stage, int ahead);
  void set_out(const Arrays& arrays, const Work& work, Buffer& memory);
  std::span<double> numbers_of(const Slot& slot) const;
  void work_on(std::int32_t number);
  double* memory_at(int stage, int group, int buffer) const;
  std::vector<Part<double>> parts(const Piece& piece, int group) const;
  std::vector<Part<double>> coefficient_parts(const Piece& piece, int group) const;
  bool synthesises() const { return passage_.way == Way::synthesis; }

  Passage passage_;
  int v_ = 0, w_ = 0;
  std::size_t n_points_, n_terms_;
  std::unique_ptr<comm::Exchange> exchange_;
  std::vector<Slot> slots_;                                 ///< (buffer of the pipeline)
  std::array<std::vector<std::int32_t>, 3> first_buffers_;  ///< (stage, group)
  std::size_t size_ = 0;  ///< numbers of memory; panels that do not travel stand first
  std::vector<std::span<std::byte>> spans_;
  double* memory_ = nullptr;
  Arrays arrays_;
  const Work* work_ = nullptr;
  bool alone_ = false;
  std::chrono::steady_clock::time_point last_turn_{};
  double zonal_s_ = 0, meridional_s_ = 0;
};

}  // namespace halcyon::transform
