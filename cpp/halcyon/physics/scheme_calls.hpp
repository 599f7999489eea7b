#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/base/index.hpp"
#include "halcyon/physics/scheme.hpp"

namespace halcyon::physics {

/// A failure of a scheme: it returned an error, or a result is not finite.
struct SchemeFailure {
  std::int64_t item = -1;  ///< the affected column or cell of lowest id; -1: no failure
  std::string scheme = {};
  std::string message = {};  ///< text of the error; empty if a result is not finite
  std::string result = {};   ///< name of the result
  int level = 0;             ///< level of a column, or bin of a spectrum
  double value = 0;
};

/// The StepFailure of a model, from a failure of a scheme.
/// @param item the model's index of the column  @param step number of steps before the failure
template <class StepFailure, class Item>
StepFailure step_failure(Item item, std::int64_t step, const SchemeFailure& failure) {
  return {item, step, failure.result, failure.level, failure.value, failure.scheme, failure.message};
}

/// Values that are kept from call to call for the columns or cells of a rank. A block has `width` of them,
/// and repeats the last one.
struct KeptValues {
  std::string name;
  std::size_t n_rows;        ///< 1, or the number of levels
  std::vector<double> rank;  ///< (item, row)

  /// Fills the block (row, item) of the n items from `first` on.
  void gather(std::size_t first, std::size_t n, std::span<double> block) const {
    const std::size_t width = block.size() / n_rows;
    for (std::size_t i = 0; i < width; ++i)
      for (std::size_t row = 0; row < n_rows; ++row)
        block[row * width + i] = rank[(first + std::min(i, n - 1)) * n_rows + row];
  }
  void scatter(std::size_t first, std::size_t n, std::span<const double> block) {
    const std::size_t width = block.size() / n_rows;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t row = 0; row < n_rows; ++row)
        rank[(first + i) * n_rows + row] = block[row * width + i];
  }
};

/// The calls of the schemes of a case on the blocks of a rank: clock, fields, failures. `Block` is
/// halcyon_columns or halcyon_spectra.
template <class Block>
class SchemeCalls {
 public:
  SchemeCalls(const SchemeCalls&) = delete;
  SchemeCalls& operator=(const SchemeCalls&) = delete;

  /// Sets the number of steps taken, and the time of the start of the run, since 1970-01-01 00:00 UTC [s].
  void set_clock(std::int64_t n_steps, double start_date) { n_steps_ = n_steps, start_date_ = start_date; }

  void begin_step(double dt) {
    failure_ = {};
    for (auto& call : calls_) {
      const double step = call.scheme.step;
      const auto period = step > 0 ? std::max<std::int64_t>(1, std::llround(step / dt)) : 1;
      call.is_due = n_steps_ % period == 0;
      call.block.time = static_cast<double>(n_steps_) * dt;
      call.block.date = start_date_ + call.block.time;
      call.block.step = static_cast<double>(period) * dt;
    }
    ++n_steps_;
  }

  /// The failure of the last step.
  const SchemeFailure& failure() const { return failure_; }

  /// The values (item, row) of a field or of a kept result. Empty for another name.
  std::span<double> values(const std::string& name) {
    for (auto& call : calls_)
      for (auto* all : {&call.fields, &call.kept})
        for (auto& kept : *all)
          if (kept.name == name) return kept.rank;
    return {};
  }

  std::int64_t memory_bytes() const {
    std::size_t n = 0;
    for (const auto& call : calls_)
      for (const auto* all : {&call.fields, &call.kept})
        for (const auto& kept : *all) n += kept.rank.size();
    return static_cast<std::int64_t>(n * sizeof(double));
  }

 protected:
  struct Call {
    Scheme<Block> scheme;
    Block block = {};
    std::vector<KeptValues> fields = {}, kept = {};  ///< kept: results of a scheme with a step of its own
    std::vector<std::vector<double>> field_blocks = {};
    std::vector<double*> field_pointers = {};
    bool is_due = true;
  };
  struct Result {
    const char* name;
    std::vector<double>* values;
  };

  SchemeCalls(std::vector<Scheme<Block>> schemes, std::vector<GlobalIndex> ids, std::size_t n_levels,
              std::size_t width)
      : ids_(std::move(ids)), message_(HALCYON_MESSAGE_SIZE, '\0') {
    calls_.reserve(schemes.size());  // schemes hold the addresses of their blocks
    for (auto& scheme : schemes) {
      auto& call = calls_.emplace_back(Call{.scheme = std::move(scheme)});
      for (const auto& field : call.scheme.fields) {
        const std::size_t n_rows = field.has_levels ? n_levels : 1;
        call.fields.push_back({field.name, n_rows, std::vector<double>(ids_.size() * n_rows)});
        call.field_blocks.emplace_back(width * n_rows);
      }
      for (auto& block : call.field_blocks) call.field_pointers.push_back(block.data());
    }
  }

  /// Sets the members of a block that are not of columns or spectra.
  void set_common(Call& call) {
    call.block.n_options = static_cast<std::int32_t>(call.scheme.options.size());
    call.block.n_fields = static_cast<std::int32_t>(call.fields.size());
    call.block.options = call.scheme.options.data();
    call.block.fields = call.field_pointers.data();
    call.block.message = message_.data();
    call.block.context = call.scheme.context;
  }

  /// @param noun what error texts call a scheme  @param variables of the schemes
  /// @throws ConfigError if two schemes, variables, or a variable and one of the model have the same name
  void check_names(const char* noun, const std::vector<fields::Variable>& variables,
                   const std::vector<fields::Variable>& model_variables) const {
    std::set<std::string> names;
    for (const auto& call : calls_)
      require<ConfigError>(names.insert("scheme " + call.scheme.name()).second,
                           "The {} '{}' is listed twice. Leave out one.", noun, call.scheme.name());
    for (const auto& variable : model_variables) names.insert(variable.name);
    for (const auto& variable : variables)
      require<ConfigError>(names.insert(variable.name).second,
                           "A {} declares the field '{}', but there is already a variable of this name. Give "
                           "the field another name.",
                           noun, variable.name);
  }

  /// Calls a scheme for the n items from `first` on, and records its failure. Replaces results that are not
  /// finite by zeros, so that the state stays finite until the ranks have agreed on the failure; where the
  /// state is not finite, they are a failure of the model.
  /// @param place place(index) returns the item of the block, and the level or bin, of a result
  /// @param is_finite is_finite(item, index): whether the state is finite
  template <class Place, class IsFinite>
  void invoke(Call& call, std::size_t first, std::size_t n, const std::vector<Result>& results,
              const Place& place, const IsFinite& is_finite) {
    for (const auto& result : results) std::ranges::fill(*result.values, 0.0);
    for (std::size_t f = 0; f < call.fields.size(); ++f)
      call.fields[f].gather(first, n, call.field_blocks[f]);
    message_[0] = '\0';
    if (const int status = call.scheme.function(&call.block); status != 0) {
      record(first, {.scheme = call.scheme.name(), .message = error_text(message_.c_str(), status)});
      for (const auto& result : results) std::ranges::fill(*result.values, 0.0);
    }
    for (const auto& [name, values] : results) {
      if (are_finite(*values)) continue;
      for (std::size_t index = 0; index < values->size(); ++index) {
        double& value = (*values)[index];
        if (std::isfinite(value)) continue;
        const auto [item, level] = place(index);
        if (item < n && is_finite(item, index))
          record(first + item,
                 {.scheme = call.scheme.name(), .result = name, .level = level, .value = value});
        value = 0;
      }
    }
    for (std::size_t f = 0; f < call.fields.size(); ++f)
      call.fields[f].scatter(first, n, call.field_blocks[f]);
  }

  std::vector<Call> calls_;

 private:
  void record(std::size_t item, SchemeFailure failure) {
    if (failure_.item >= 0 && ids_[failure_.item] <= ids_[item]) return;
    failure.item = static_cast<std::int64_t>(item);
    failure_ = std::move(failure);
  }

  std::vector<GlobalIndex> ids_;  ///< (item)
  std::string message_;
  SchemeFailure failure_;
  std::int64_t n_steps_ = 0;
  double start_date_ = 0;
};

}  // namespace halcyon::physics
