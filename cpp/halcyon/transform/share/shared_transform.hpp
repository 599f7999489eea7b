#pragma once

#include <array>
#include <compare>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "halcyon/transform/share/section.hpp"

namespace halcyon::transform {

/// What transforms on the sphere and on a plane have in common. V x W sets of ranks may share one: each has
/// values of all fields at its points, and coefficients of its wavenumbers, of the fields of its V set, or of
/// all fields part v of these. Bits of a field depend neither on other fields nor on who shares or how ranks
/// exchange. Threads of one rank alone take turns.
class SharedTransform {
 public:
  virtual ~SharedTransform() = default;

  int v() const { return v_; }
  int w() const { return w_; }
  std::size_t n_points() const { return extents_->n_points(v_, w_); }  ///< that this rank holds
  /// Of a field, that this rank holds: part v of those of its w, or all of these for the fields of v.
  std::size_t n_coefficients() const { return parts_.size(v_); }
  /// The first of them among those of its w.
  std::size_t first_coefficient() const { return shares_coefficients() ? parts_.begin(v_) : 0; }
  /// Whether V sets share coefficients of all fields, so that these travel with each call.
  bool shares_coefficients() const { return parts_.parts > 1; }
  /// What any rank holds: points as the grid counts them, and the size of sets.
  const Extents& extents() const { return *extents_; }

  /// Values of fields; the number of fields follows from that of values.
  void synthesis(std::span<const Complex> coefficients, std::span<double> values);
  /// Coefficients of fields.
  void analysis(std::span<const double> values, std::span<Complex> coefficients);
  /// The work of a synthesis or analysis without its exchanges, on what lies there: for measurements.
  void compute(Way way, std::span<Complex> coefficients, std::span<double> values);

  /// Collective. From now on ranks exchange so.
  /// @throws ConfigError for fewer than 1 group
  void communicate(Communication how);
  /// What synthesis or analysis of so many fields exchange, for measurements and simulations.
  /// @throws ConfigError for one rank, which exchanges nothing
  schedule::Pipeline schedule(Way way, int n_fields) const;
  /// What all calls since the last `communicate` have exchanged and taken.
  comm::Statistics statistics() const;
  Times times() const;

  /// A kind of call: how many arrays of values and of coefficients it has, and fields of each.
  struct Call {
    Way way;
    int n_components, n_arrays, n_fields;
    auto operator<=>(const Call&) const = default;
  };
  /// What has been called since the last `communicate`, each once.
  std::vector<Call> calls() const;
  /// That so many fields can travel in, of each component: one a field of the largest V set.
  int most_groups(int n_fields) const { return FieldGroups{n_fields, extents_->counts().v, 1}.size(0); }
  /// Numbers of a field that change rank: of coefficients, of panels and at points.
  std::array<double, 3> sent() const;

 protected:
  /// Collective where ranks share it.
  /// @param comm none for one rank alone  @param group fields that are computed together, at most
  /// @param columns_of_coefficients V sets share the coefficients of all fields, not fields
  /// @throws ConfigError for less than one field together, and as `communicate`
  SharedTransform(ExtentsPointer extents, const comm::Communicator* comm, int group,
                  bool columns_of_coefficients, Communication how);
  SharedTransform(SharedTransform&&) = default;

  /// A stage of a synthesis or analysis of plain fields, of some of them.
  virtual void work_on(Way way, Section& section, const Piece& piece) = 0;

  /// Collective. Does work(section, piece) on all pieces of a call, in either stage.
  template <class Work>
  void run(const Call& call, const Arrays& arrays, const Work& work) {
    const auto turn = this->turn();
    auto& section = this->section(call);
    section.run(arrays, memory_, [&](const Piece& piece) { work(section, piece); });
  }
  /// @throws InputError unless there are as many values as coefficients of whole fields
  int n_fields(std::size_t n_values, std::size_t n_coefficients) const;
  /// Of two arrays of coefficients. @throws InputError unless both have as many, of whole fields
  std::size_t n_fields_of_coefficients(std::size_t n, std::size_t other) const;

 private:
  /// Threads take turns, for all calls compute in the same memory.
  std::unique_lock<std::mutex> turn() const { return std::unique_lock(*turns_); }
  Section& section(const Call& call);
  Passage passage(const Call& call) const;

  ExtentsPointer extents_;
  std::optional<comm::Communicator> comm_;
  int v_, w_, group_;
  schedule::Division parts_;  ///< of the coefficients of w, over the V sets that share them
  Communication how_;
  Buffer memory_;
  std::map<Call, std::unique_ptr<Section>> sections_;  ///< made when a call is first asked for
  std::unique_ptr<std::mutex> turns_ = std::make_unique<std::mutex>();
};

/// @throws ConfigError unless there are V W ranks
void check_ranks(const comm::Communicator* comm, SetCounts counts);

}  // namespace halcyon::transform
