#include <algorithm>
#include <cmath>
#include <vector>

#include "halcyon/transform/sphere/transform.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;
using namespace halcyon::transform;

namespace {

constexpr int kFields = 5;
constexpr int kMaxW = 4;  ///< largest number of W sets: 32 rows have 4 stripes, and each set needs one

/// A transform, coefficients of two sets of fields, and their values from separate calls of synthesis.
struct Case {
  explicit Case(Transform&& built)
      : transform(std::move(built)), values(kFields * transform.n_points()), other_values(values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(1.3 * static_cast<double>(i));
    transform.analysis(values, coefficients);
    for (std::size_t i = 0; i < other_values.size(); ++i)
      other_values[i] = std::cos(0.7 * static_cast<double>(i));
    transform.analysis(other_values, other_coefficients);
    transform.synthesis(coefficients, values);
    transform.synthesis(other_coefficients, other_values);
  }

  Transform transform;
  std::vector<double> values, other_values;
  std::vector<Complex> coefficients = std::vector<Complex>(kFields * transform.n_coefficients()),
                       other_coefficients = coefficients;
};

Case shared_case(int w, int groups) {
  const Options options{.max_batch = 2, .share_coefficients = true};
  const comm::Communicator comm(world());
  return Case({comm, {world_size() / w, w}, Grid::full(32, 64), 21, options, {.groups = groups}});
}

}  // namespace

TEST_CASE("transform: values that come with winds and gradients have the bits of calls of their own") {
  for (int w = 1; w <= std::min(kMaxW, world_size()); ++w)
    for (const int groups : {1, 3}) {
      if (world_size() % w != 0) continue;
      CAPTURE(w);
      CAPTURE(groups);
      Case c = shared_case(w, groups);
      std::vector<double> u(c.values.size()), v = u, first = u, second = u, east = u, north = u;
      c.transform.winds(c.coefficients, c.other_coefficients, u, v);
      c.transform.synthesis_and_winds(c.coefficients, c.other_coefficients, first, second, east, north);
      CHECK(first == c.values);
      CHECK(second == c.other_values);
      CHECK(east == u);
      CHECK(north == v);
      std::vector<double> third(u.size());
      c.transform.synthesis_and_winds(c.coefficients, c.other_coefficients, c.coefficients, first, second,
                                      third, east, north);
      CHECK(first == c.values);
      CHECK(second == c.other_values);
      CHECK(third == c.values);
      CHECK(east == u);
      CHECK(north == v);
      const std::vector<Complex> none(c.other_coefficients.size());
      c.transform.winds(c.other_coefficients, none, u, v);
      c.transform.synthesis_and_winds(c.other_coefficients, first, east, north);
      CHECK(first == c.other_values);
      CHECK(east == u);
      CHECK(north == v);
      c.transform.gradient(c.other_coefficients, u, v);
      c.transform.synthesis_and_gradient(c.other_coefficients, first, east, north);
      CHECK(first == c.other_values);
      CHECK(east == u);
      CHECK(north == v);
    }
}
