#include <algorithm>
#include <array>
#include <cmath>

#include "halcyon/base/error.hpp"
#include "halcyon/wave/model.hpp"

namespace halcyon::wave {

namespace {

/// Keeps what owned cells have of a field, zero where it is empty.
void keep(std::span<const float> field, std::vector<float>& kept) {
  std::ranges::fill(kept, 0.f);
  std::copy_n(field.begin(), std::min(field.size(), kept.size()), kept.begin());
}

}  // namespace

/// Of the owned cells for which something holds that of the lowest global id, or kNone.
LocalIndex Model::lowest(const std::function<bool(LocalIndex)>& is_bad) const {
  const auto& ids = decomposition_.cells().to_global;
  LocalIndex found = kNone;
  for (LocalIndex cell = 0; cell < n_owned(); ++cell) {
    if (is_bad(cell) && (found == kNone || ids[cell] < ids[found])) found = cell;
  }
  return found;
}

LocalIndex Model::set_water(std::span<const float> level, std::span<const float> eastward,
                            std::span<const float> northward) {
  const auto n_local = static_cast<std::size_t>(decomposition_.cells().size());
  const std::array fields{level, eastward, northward};
  for (const auto& field : fields) {
    require<InputError>(field.empty() || field.size() == n_local,
                        "A field of the water has {} values; the model has {} local cells.", field.size(),
                        n_local);
  }
  require<InputError>(eastward.empty() == northward.empty(),
                      "A current needs both its components: {} values eastward, {} northward.",
                      eastward.size(), northward.size());
  const auto bad = lowest([&](LocalIndex cell) {
    return std::ranges::any_of(
        fields, [&](const auto& field) { return !field.empty() && !std::isfinite(field[cell]); });
  });
  if (bad != kNone) return bad;
  if (!std::ranges::equal(level, level_)) {
    level_.assign(level.begin(), level.end());
    std::vector<double> depth = bottom_depth_;
    for (std::size_t cell = 0; cell < level_.size(); ++cell)
      depth[cell] = std::max(depth[cell] + level_[cell], least_depth_);
    tables_ = DispersionTables(grid_, depth);
  }
  transport_.set_water(eastward, northward);
  keep(level, water_level_);
  keep(eastward, eastward_current_);
  keep(northward, northward_current_);
  return kNone;
}

LocalIndex Model::set_ice(std::span<const float> fraction) {
  require<InputError>(fraction.empty() || fraction.size() >= static_cast<std::size_t>(n_owned()),
                      "The ice has {} values; the model has {} owned cells.", fraction.size(), n_owned());
  if (fraction.empty()) {
    is_iced_.clear();
    keep(fraction, ice_fraction_);
    return kNone;
  }
  const auto bad = lowest([&](LocalIndex cell) { return !std::isfinite(fraction[cell]); });
  if (bad != kNone) return bad;
  keep(fraction, ice_fraction_);
  is_iced_.resize(n_owned());
  for (LocalIndex cell = 0; cell < n_owned(); ++cell) is_iced_[cell] = fraction[cell] > ice_threshold_;
  clear_ice(action_, {0, grid_.n_frequencies, 1});
  return kNone;
}

/// No waves under ice: what came is absorbed.
void Model::clear_ice(std::vector<float>& action, const Band& band) {
  const auto n = static_cast<std::size_t>(grid_.n_directions);
  for (std::size_t cell = 0; cell < is_iced_.size(); ++cell) {
    if (is_iced_[cell])
      std::fill_n(&action[cell * grid_.n_bins() + n * band.first], n * (band.end - band.first), 0.f);
  }
}

void Model::hold_cells(std::span<const LocalIndex> cells) {
  for (const LocalIndex cell : cells) {
    require<InputError>(cell >= 0 && cell < n_owned(), "Cell {} is none of the {} that this rank owns.", cell,
                        n_owned());
  }
  held_.assign(cells.begin(), cells.end());
}

/// A step of a band leaves the spectra of held cells as they were before it.
void Model::keep_held(const std::vector<float>& from, std::vector<float>& to, const Band& band) const {
  const auto n = static_cast<std::size_t>(grid_.n_directions);
  for (const auto cell : held_) {
    const auto at = static_cast<std::size_t>(cell) * grid_.n_bins() + n * band.first;
    std::copy_n(&from[at], n * (band.end - band.first), &to[at]);
  }
}

}  // namespace halcyon::wave
