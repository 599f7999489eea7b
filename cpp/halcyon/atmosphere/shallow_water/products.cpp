#include "halcyon/atmosphere/shallow_water/shallow_water.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/comm/collectives.hpp"

namespace halcyon::atmosphere {

namespace {

enum Integral { kMass, kEnergy, kEnstrophy, kAngularMomentum, kIntegrals };

}  // namespace

/// Collective. Brings the halo of the present state, and what follows from it around the owned cells.
template <class Real>
void ShallowWater<Real>::diagnose() {
  refresh();
  look(now_);
  const auto thickness = [&](const auto& rows) { return rows(now_.h); };
  for (const bool is_early : {true, false})
    potential_vorticity(part_.mesh, sweeps_.vertices.part(is_early), kLevels, part_.coriolis, thickness,
                        now_.u, vorticity_, pv_);
}

/// Every product, in the order of the table of variables. To add one is to add its row here.
template <class Real>
auto ShallowWater<Real>::product_rows() -> const std::vector<Product<Point>>& {
  const auto map = [](const char* name, const char* units, const char* standard_name, const char* long_name) {
    return output_row(name, {"cell"}, units, standard_name, long_name);
  };
  static const Block<Real, 1> layer(kLevels, 0);
  static const std::vector<Product<Point>> rows = {
      {map("height", "m", "", "height of the fluid's surface"),
       [](const Point& at) { return double{at.core.now_.h[at.cell]} + at.core.ground_[at.cell]; }},
      {map("thickness", "m", "", "thickness of the fluid"),
       [](const Point& at) { return double{at.core.now_.h[at.cell]}; }},
      {map("eastward_wind", "m s-1", "eastward_wind", "eastward wind"),
       [](const Point& at) { return at.wind()[0]; }},
      {map("northward_wind", "m s-1", "northward_wind", "northward wind"),
       [](const Point& at) { return at.wind()[1]; }},
      {map("vorticity", "s-1", "atmosphere_relative_vorticity", "relative vorticity"),
       [](const Point& at) {
         return double{at_cell(at.core.part_.mesh, layer(at.core.vorticity_), at.cell)};
       }},
      {map("potential_vorticity", "m-1 s-1", "", "potential vorticity"),
       [](const Point& at) { return double{at_cell(at.core.part_.mesh, layer(at.core.pv_), at.cell)}; }},
      {map("divergence", "s-1", "divergence_of_wind", "divergence of the wind"),
       [](const Point& at) {
         return double{operators::divergence(at.core.part_.mesh, layer(at.core.now_.u), at.cell)};
       }},
      {map("kinetic_energy", "m2 s-2", "", "kinetic energy of a unit of mass"),
       [](const Point& at) {
         return double{kinetic_energy(at.core.part_.energy, layer(at.core.now_.u), at.cell)};
       }},
  };
  return rows;
}

const std::vector<fields::Variable>& shallow_water_variables() {
  static const auto table = [] {
    std::vector<fields::Variable> rows = {
        state_row("layer_thickness", {"cell"}, "m", "thickness of the fluid"),
        state_row("ground", {"cell"}, "m", "height of the ground"),
        state_row("normal_wind", {"edge"}, "m s-1",
                  "wind across the edges, from their first cell to their second"),
    };
    for (const auto& product : ShallowWater<double>::product_rows()) rows.push_back(product.variable);
    rows.push_back(topography_row());
    return rows;
  }();
  return table;
}

const std::vector<fields::Variable>& integral_variables() {
  static const std::vector<fields::Variable> table = {
      integral_row("mass", "m3", "volume of the fluid"),
      integral_row("energy", "m5 s-2", "kinetic and potential energy over density"),
      integral_row("potential_enstrophy", "m s-2",
                   "half the thickness times the potential vorticity squared"),
      integral_row("angular_momentum", "m5 s-1",
                   "angular momentum around the axis of the planet over density"),
  };
  return table;
}

template <class Real>
std::vector<std::vector<double>> ShallowWater<Real>::products(const std::vector<std::string>& wanted) {
  diagnose();
  std::vector<std::vector<double>> found;
  for (const auto& name : wanted) {
    const auto& product = product_named(product_rows(), name, "atmosphere");
    auto& values = found.emplace_back(part_.n_cells);
    for (LocalIndex i = 0; i < part_.n_cells; ++i) values[i] = product.value({*this, i});
  }
  return found;
}

/// M = sum_i A_i h_i,  E = sum_i A_i h_i (K_i + g (h_i/2 + b_i)),  Z = sum_v A_v h_v q_v^2 / 2,
/// L = sum_i A_i h_i a . (r x u + r^2 Omega): along the axis a
template <class Real>
std::vector<double> ShallowWater<Real>::integrals() {
  diagnose();
  const Block<Real, 1> rows(kLevels, 0);
  const auto& planet = part_.options.planet;
  std::array<ExactSum, kIntegrals> sums;
  for (LocalIndex i = 0; i < part_.n_cells; ++i) {
    const double h = now_.h[i], mass = part_.mesh.cell_area[i] * h;
    const double kinetic = kinetic_energy(part_.mesh, rows(now_.u), i);
    const auto wind = part_.eastward_northward(now_.u, kLevels, i, 0);
    sums[kMass].add(mass);
    sums[kEnergy].add(mass * (kinetic + planet.gravity * (h / 2 + ground_[i])));
    sums[kAngularMomentum].add(mass * part_.angular_momentum(i, wind));
  }
  for (LocalIndex v = 0; v < part_.n_vertices; ++v) {
    const double h = at_vertex(part_.mesh, rows(now_.h), v), q = pv_[v];
    sums[kEnstrophy].add(part_.mesh.vertex_area[v] * h * q * q / 2);
  }
  return comm::totals(part_.comm, sums);
}

template <class Real>
Numbers ShallowWater<Real>::prognostic(const std::string& name) {
  if (name == "layer_thickness") return now_.h.first(part_.n_cells);
  if (name == "ground") return std::span<Real>(ground_).first(part_.n_cells);
  require<InternalError>(name == "normal_wind", "'{}' is no state of shallow water.", name);
  return now_.u.first(part_.n_edges);
}

template <class Real>
std::int64_t ShallowWater<Real>::memory_bytes() const {
  const auto states = 3 * (now_.h.size() + now_.u.size());
  const auto dissipation = dissipation_ ? dissipation_->memory_bytes() : 0;
  const auto curvature = curvature_ ? curvature_->memory_bytes() : 0;
  const auto implicit = implicit_ ? implicit_->memory_bytes() : 0;
  return static_cast<std::int64_t>((states + second_derivatives_.size()) * sizeof(Real)) + memory_bytes_ +
         curvature + dissipation + part_.mesh.memory_bytes() + implicit;
}

template class ShallowWater<double>;
template class ShallowWater<float>;

}  // namespace halcyon::atmosphere
