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
constexpr int kMostW = 4;  ///< number of stripes of 32 rows

/// A transform, coefficients of some fields, and the results of separate calls.
struct Case {
  explicit Case(Transform&& made)
      : transform(std::move(made)), values(kFields * transform.n_points()), others(values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(1.3 * static_cast<double>(i));
    transform.analysis(values, coefficients);
    for (std::size_t i = 0; i < others.size(); ++i) others[i] = std::cos(0.7 * static_cast<double>(i));
    transform.analysis(others, more);
    transform.synthesis(coefficients, values);
    transform.synthesis(more, others);
  }

  Transform transform;
  std::vector<double> values, others;
  std::vector<Complex> coefficients = std::vector<Complex>(kFields * transform.n_coefficients()),
                       more = coefficients;
};

Case on_sets(int w, int groups) {
  const Options options{.group = 2, .share_coefficients = true};
  const comm::Communicator comm(world());
  return Case({comm, {world_size() / w, w}, Grid::full(32, 64), 21, options, {.groups = groups}});
}

}  // namespace

TEST_CASE("transform: values that come with winds and gradients have the bits of calls of their own") {
  for (int w = 1; w <= std::min(kMostW, world_size()); ++w)
    for (const int groups : {1, 3}) {
      if (world_size() % w != 0) continue;
      CAPTURE(w);
      CAPTURE(groups);
      Case c = on_sets(w, groups);
      std::vector<double> u(c.values.size()), v = u, first = u, second = u, east = u, north = u;
      c.transform.winds(c.coefficients, c.more, u, v);
      c.transform.synthesis_and_winds(c.coefficients, c.more, first, second, east, north);
      CHECK(first == c.values);
      CHECK(second == c.others);
      CHECK(east == u);
      CHECK(north == v);
      std::vector<double> third(u.size());
      c.transform.synthesis_and_winds(c.coefficients, c.more, c.coefficients, first, second, third, east,
                                      north);
      CHECK(first == c.values);
      CHECK(second == c.others);
      CHECK(third == c.values);
      CHECK(east == u);
      CHECK(north == v);
      const std::vector<Complex> none(c.more.size());
      c.transform.winds(c.more, none, u, v);
      c.transform.synthesis_and_winds(c.more, first, east, north);
      CHECK(first == c.others);
      CHECK(east == u);
      CHECK(north == v);
      c.transform.gradient(c.more, u, v);
      c.transform.synthesis_and_gradient(c.more, first, east, north);
      CHECK(first == c.others);
      CHECK(east == u);
      CHECK(north == v);
    }
}
