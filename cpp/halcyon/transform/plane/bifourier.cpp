#include "halcyon/transform/plane/bifourier.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/transform/fft/fft.hpp"
#include "halcyon/transform/share/buffer.hpp"

namespace halcyon::transform {

namespace {

std::int64_t squared(std::int64_t x) {
  return x * x;
}

SetCounts checked(const Plane& plane, const PlaneTruncation& truncation, SetCounts counts) {
  require_sets(counts);
  const int n_wavenumbers = truncation.last_x() + 1, most = std::min(plane.ny, n_wavenumbers);
  require<ConfigError>(
      counts.w <= most,
      "{} W sets share {} rows, and {} wavenumbers along x. Give at most {}, and more V sets.", counts.w,
      plane.ny, n_wavenumbers, most);
  require<ConfigError>(counts.v <= plane.nx,
                       "{} V sets share rows of {} values. Give at most {}, and more W sets.", counts.v,
                       plane.nx, plane.nx);
  return counts;
}

std::shared_ptr<const PlaneSets> sets_of(const comm::Communicator* comm, SetCounts counts, const Plane& plane,
                                         const PlaneTruncation& truncation) {
  check_ranks(comm, counts);
  const auto& [nx, ny, length_x, length_y] = plane;
  require<ConfigError>(nx >= 1 && ny >= 1, "A plane of {} x {} values was asked for. Give 1 or more.", nx,
                       ny);
  require<ConfigError>(length_x > 0 && length_y > 0 && std::isfinite(length_x) && std::isfinite(length_y),
                       "A plane of {} m x {} m was asked for. Give more than 0 m.", length_x, length_y);
  const int last_x = truncation.last_x(), last_y = truncation.last_y();
  require<ConfigError>(nx >= 2 * last_x + 1 && ny >= 2 * last_y + 1,
                       "A plane of {} x {} values cannot hold the truncation {} x {}. Give {} x {} values or "
                       "more, or a truncation of at most {} x {}.",
                       nx, ny, last_x, last_y, 2 * last_x + 1, 2 * last_y + 1, (nx - 1) / 2, (ny - 1) / 2);
  return std::make_shared<PlaneSets>(plane, truncation, counts);
}

Complex turned(double factor, Complex x) {
  return {-factor * x.imag(), factor * x.real()};
}

}  // namespace

PlaneShape plane_shape_named(std::string_view name) {
  require<ConfigError>(name == "ellipse" || name == "rectangle",
                       "shape of a truncation is '{}'. Use ellipse or rectangle.", name);
  return name == "ellipse" ? PlaneShape::ellipse : PlaneShape::rectangle;
}

PlaneTruncation::PlaneTruncation(int last_x, int last_y, PlaneShape shape) {
  require<ConfigError>(last_x >= 0 && last_y >= 0,
                       "The truncation {} x {} was asked for. Give 0 or more along x and y.", last_x, last_y);
  const auto m2 = squared(last_x), n2 = squared(last_y);
  int last = last_y;
  for (int m = 0; m <= last_x; ++m) {
    while (shape == PlaneShape::ellipse && squared(m) * n2 + squared(last) * m2 > m2 * n2) --last;
    last_.push_back(last);
  }
}

std::vector<int> PlaneTruncation::counts() const {
  std::vector<int> found;
  for (int m = 0; m <= last_x(); ++m) found.push_back(count(m));
  return found;
}

std::size_t PlaneTruncation::size() const {
  std::size_t n = 0;
  for (int m = 0; m <= last_x(); ++m) n += count(m);
  return n;
}

PlaneSets::PlaneSets(const Plane& plane, const PlaneTruncation& truncation, SetCounts counts)
    : Extents(checked(plane, truncation, counts), truncation.counts(), 2),
      rows_(plane.ny, counts.w),
      parts_(plane.nx, counts.v),
      truncation_(truncation),
      wavenumbers_before_{0} {
  for (int w = 0; w < counts.w; ++w)
    wavenumbers_before_.push_back(wavenumbers_before_.back() + n_wavenumbers(w));
}

std::vector<PlaneWave> PlaneSets::waves(int v, int w) const {
  std::vector<PlaneWave> all;
  for (int m : wavenumbers(w))
    for (int n = -truncation_.last(m); n <= truncation_.last(m); ++n) all.push_back({m, n});
  const auto shares = coefficients(w);
  return {all.begin() + shares.begin(v), all.begin() + shares.begin(v + 1)};
}

std::vector<std::int64_t> PlaneSets::points(int v, int w) const {
  std::vector<std::int64_t> found;
  for (auto y = rows_.begin(w); y < rows_.begin(w + 1); ++y)
    for (auto x = parts_.begin(v); x < parts_.begin(v + 1); ++x) found.push_back(y * parts_.n + x);
  return found;
}

/// The zonal stage of a plane: between the values of the rows of a w and their Fourier coefficients of all m,
/// as blocks [w' that holds m][row][field][m of w'], complex. Each row of each field is transformed by
/// itself. Not for threads at once.
class Bifourier::Zonal {
 public:
  Zonal(const Plane& plane, std::shared_ptr<const PlaneSets> sets, int w)
      : sets_(std::move(sets)),
        w_(w),
        nx_(plane.nx),
        scale_(1.0 / static_cast<double>(plane.n_points())),
        fft_(plane.nx),
        waves_(nx_ + 2),
        whole_(nx_) {
    const auto& parts = sets_->parts();
    for (int row = 0; row < sets_->rows().size(w); ++row) {
      std::vector<std::size_t> starts;
      for (int v = 0; v < parts.parts; ++v) starts.push_back(row * parts.size(v));
      rows_.emplace_back(parts, std::move(starts));
    }
  }

  int n_rows() const { return static_cast<int>(rows_.size()); }
  /// x(x, y) = sum_m x_m(y) exp(2 pi i m x / Lx), of all m from -M to M; x_0 is taken as real.
  /// @param blocks of a group  @param parts (v) of the batch
  void synthesis(int row, const double* blocks, const Batch& batch, std::span<const Part<double>> parts) {
    double* const waves = waves_.data();
    for (int field = 0; field < batch.n; ++field) {
      std::fill_n(waves, 2 * (nx_ / 2 + 1), 0.0);
      for (int of = 0; of < sets_->counts().w; ++of) {
        const double* from = blocks + at(of, row, field, batch);
        for (int m : sets_->wavenumbers(of)) {
          waves[2 * m] = *from++;
          waves[2 * m + 1] = *from++;
        }
      }
      waves[1] = 0;
      if (parts.size() == 1) {
        fft_.to_values(waves, rows_[row].place(parts, 0, field));
      } else {
        fft_.to_values(waves, whole_.data());
        rows_[row].deal(whole_.data(), parts, field);
      }
    }
  }
  /// x_m(y) / ny, x_m = 1 / nx sum_k x(x_k, y) exp(-2 pi i m x_k / Lx).
  void analysis(int row, std::span<const Part<const double>> parts, const Batch& batch, double* blocks) {
    double* const waves = waves_.data();
    for (int field = 0; field < batch.n; ++field) {
      if (parts.size() == 1) {
        fft_.to_waves(rows_[row].place(parts, 0, field), waves);
      } else {
        rows_[row].collect(parts, field, whole_.data());
        fft_.to_waves(whole_.data(), waves);
      }
      for (int of = 0; of < sets_->counts().w; ++of) {
        double* to = blocks + at(of, row, field, batch);
        for (int m : sets_->wavenumbers(of)) {
          *to++ = scale_ * waves[2 * m];
          *to++ = scale_ * waves[2 * m + 1];
        }
      }
    }
  }

 private:
  /// Of a field of the batch, among the blocks of its group.
  std::size_t at(int of, int row, int field, const Batch& batch) const {
    const std::size_t n = batch.of_group, before = sets_->blocks_before(w_, of) * n;
    return 2 * (before + (row * n + batch.first + field) * sets_->n_wavenumbers(of));
  }

  std::shared_ptr<const PlaneSets> sets_;
  int w_, nx_;
  double scale_;
  Fft fft_;
  std::vector<RowParts> rows_;
  Buffer waves_, whole_;
};

/// The meridional stage of a plane: between panels [y][field][m held], complex, and coefficients, for the m
/// that a w holds. Each column of each field is transformed by itself. Not for threads at once.
class Bifourier::Meridional {
 public:
  /// @param wavenumbers m that are held
  Meridional(const Plane& plane, const PlaneTruncation& truncation, const std::vector<int>& wavenumbers)
      : ny_(plane.ny),
        pitch_((2 * static_cast<std::size_t>(ny_) + 7) / 8 * 8 + 8),  // no power of 2, on cache lines
        fft_(plane.ny),
        tile_(kTile * pitch_) {
    for (int m : wavenumbers) {
      held_.push_back({truncation.last(m), n_coefficients_});
      n_coefficients_ += truncation.count(m);
    }
  }

  /// Called now and then, for what else wants a turn.
  using Between = std::function<void()>;
  /// x_m(y) = sum_n X_mn exp(2 pi i n y / Ly), of the n that are kept.
  /// @param coefficients (field of the batch, coefficient of w)  @param panels of a group
  void synthesis(const Complex* coefficients, const Batch& batch, double* panels, const Between& between) {
    const int n_held = static_cast<int>(held_.size());
    const std::size_t width = 2 * static_cast<std::size_t>(batch.of_group) * n_held;
    panels += 2 * batch.first * n_held;
    for_tiles(batch.n, between, [&](int first, int n) {
      for (int c = 0; c < n; ++c) {
        const auto& [last, at] = held_[(first + c) % n_held];
        const std::size_t field = (first + c) / n_held;
        const auto* run = reinterpret_cast<const double*>(coefficients + field * n_coefficients_ + at);
        double* const waves = column(c);  // n = 0 .. last, nothing, -last .. -1
        std::copy_n(run + 2 * last, 2 * (last + 1), waves);
        std::fill(waves + 2 * (last + 1), waves + 2 * (ny_ - last), 0.0);
        std::copy_n(run, 2 * last, waves + 2 * (ny_ - last));
        fft_.to_values(waves);
      }
      for (int y = 0; y < ny_; ++y) {
        double* to = panels + y * width + 2 * first;
        for (int c = 0; c < n; ++c) to[2 * c] = column(c)[2 * y], to[2 * c + 1] = column(c)[2 * y + 1];
      }
    });
  }
  /// X_mn = sum_k x_m(y_k) exp(-2 pi i n y_k / Ly).
  void analysis(const double* panels, const Batch& batch, Complex* coefficients, const Between& between) {
    const int n_held = static_cast<int>(held_.size());
    const std::size_t width = 2 * static_cast<std::size_t>(batch.of_group) * n_held;
    panels += 2 * batch.first * n_held;
    for_tiles(batch.n, between, [&](int first, int n) {
      for (int y = 0; y < ny_; ++y) {
        const double* from = panels + y * width + 2 * first;
        for (int c = 0; c < n; ++c) column(c)[2 * y] = from[2 * c], column(c)[2 * y + 1] = from[2 * c + 1];
      }
      for (int c = 0; c < n; ++c) {
        const auto& [last, at] = held_[(first + c) % n_held];
        const std::size_t field = (first + c) / n_held;
        auto* run = reinterpret_cast<double*>(coefficients + field * n_coefficients_ + at);
        double* const waves = column(c);
        fft_.to_waves(waves);
        std::copy_n(waves + 2 * (ny_ - last), 2 * last, run);
        std::copy_n(waves, 2 * (last + 1), run + 2 * last);
      }
    });
  }

 private:
  static constexpr int kTile = 8;  ///< columns at a time, so that whole cache lines are read
  struct Held {
    int last;           ///< n
    std::size_t first;  ///< coefficient among those of w
  };

  /// work(first column, columns): columns are [field][m held].
  template <class Work>
  void for_tiles(int n_fields, const Between& between, const Work& work) {
    const int n = n_fields * static_cast<int>(held_.size());
    for (int first = 0; first < n; first += kTile) {
      work(first, std::min(kTile, n - first));
      between();
    }
  }
  double* column(int of_tile) const { return tile_.data() + of_tile * pitch_; }

  int ny_;
  std::size_t pitch_, n_coefficients_ = 0;
  ComplexFft fft_;
  std::vector<Held> held_;
  Buffer tile_;
};

Bifourier::Bifourier(const Plane& plane, const PlaneTruncation& truncation, int group)
    : Bifourier(sets_of(nullptr, {}, plane, truncation), nullptr, plane, truncation, group, {}) {}

Bifourier::Bifourier(const comm::Communicator& comm, SetCounts counts, const Plane& plane,
                     const PlaneTruncation& truncation, int group, Communication how)
    : Bifourier(sets_of(&comm, counts, plane, truncation), &comm, plane, truncation, group, std::move(how)) {}

Bifourier::Bifourier(std::shared_ptr<const PlaneSets> sets, const comm::Communicator* comm,
                     const Plane& plane, const PlaneTruncation& truncation, int group, Communication how)
    : SharedTransform(sets, comm, group, true, std::move(how)),
      plane_(plane),
      truncation_(truncation),
      sets_(std::move(sets)),
      waves_(sets_->waves(v(), w())),
      zonal_(std::make_unique<Zonal>(plane, sets_, w())),
      meridional_(std::make_unique<Meridional>(plane, truncation, sets_->wavenumbers(w()))) {}

Bifourier::Bifourier(Bifourier&&) = default;
Bifourier::~Bifourier() = default;

void Bifourier::work_on(Way way, Section& section, const Piece& piece) {
  const auto between = [&section] { section.progress(); };
  const auto& [meridional, component, batch, blocks, spectra, parts] = piece;
  if (meridional) {
    if (way == Way::synthesis) return meridional_->synthesis(spectra[0], batch, blocks, between);
    return meridional_->analysis(blocks, batch, spectra[0], between);
  }
  const auto read = to_read(parts);
  for (int row = 0; row < zonal_->n_rows(); ++row) {
    way == Way::synthesis ? zonal_->synthesis(row, blocks, batch, parts)
                          : zonal_->analysis(row, read, batch, blocks);
    between();
  }
}

/// y = factor(k, l, x), field after field.
template <class Factor>
void Bifourier::multiply(std::span<const Complex> x, std::span<Complex> y, const Factor& factor) const {
  const std::size_t n = waves_.size(), n_fields = n_fields_of_coefficients(x.size(), y.size());
  const double unit_x = kTwoPi / plane_.length_x, unit_y = kTwoPi / plane_.length_y;
  for (std::size_t f = 0; f < n_fields; ++f)
    for (std::size_t i = 0; i < n; ++i)
      y[f * n + i] = factor(unit_x * waves_[i].m, unit_y * waves_[i].n, x[f * n + i]);
}

void Bifourier::x_derivative(std::span<const Complex> coefficients, std::span<Complex> derivative) const {
  multiply(coefficients, derivative, [](double k, double, Complex x) { return turned(k, x); });
}

void Bifourier::y_derivative(std::span<const Complex> coefficients, std::span<Complex> derivative) const {
  multiply(coefficients, derivative, [](double, double l, Complex x) { return turned(l, x); });
}

void Bifourier::laplacian(std::span<const Complex> coefficients, std::span<Complex> laplacian) const {
  multiply(coefficients, laplacian, [](double k, double l, Complex x) { return -(k * k + l * l) * x; });
}

void Bifourier::inverse_laplacian(std::span<const Complex> laplacian, std::span<Complex> coefficients) const {
  multiply(laplacian, coefficients, [](double k, double l, Complex x) {
    const double squared = k * k + l * l;
    return squared > 0 ? -(1 / squared) * x : 0;
  });
}

}  // namespace halcyon::transform
