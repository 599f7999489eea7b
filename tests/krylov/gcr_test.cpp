#include "halcyon/krylov/gcr.hpp"

#include <cmath>

#include "halcyon/krylov/helmholtz.hpp"
#include "halcyon/krylov/inner_products.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::krylov;

namespace {

/// Returns this rank's items of the vector sin(i^2), i = 0 .. n - 1, distributed over all ranks.
std::vector<double> local_items(const comm::Communicator& comm, std::int64_t n) {
  std::vector<double> part;
  for (std::int64_t i = comm.rank() * n / comm.size(); i < (comm.rank() + 1) * n / comm.size(); ++i)
    part.push_back(std::sin(static_cast<double>(i * i)));
  return part;
}

const Apply kIdentity = [](std::span<const double> x, std::span<double> y) {
  std::ranges::copy(x, y.begin());
};

}  // namespace

TEST_CASE("krylov: inner products have the same bits on any number of ranks and with any radix") {
  const comm::Communicator comm(test::world()), one_rank(MPI_COMM_SELF);
  const auto part = local_items(comm, 1000), whole = local_items(one_rank, 1000);
  InnerProducts products_of_whole(one_rank, 2, 2);
  const std::array<VectorPair, 2> pairs_of_whole{VectorPair{whole, whole}, VectorPair{whole, whole}};
  products_of_whole.start(pairs_of_whole, false);
  const auto expected = products_of_whole.wait()[0];
  double sum = 0;
  for (const auto x : whole) sum += x * x;
  CHECK(expected == doctest::Approx(sum).epsilon(1e-12));
  for (const Rank radix : {2, 3, 4, 32}) {
    InnerProducts products(comm, 3, radix);
    for (int repeat = 0; repeat < 3; ++repeat) {
      products.start(std::array{VectorPair{part, part}, VectorPair{part, part}},
                     comm.rank() == 1 && repeat == 1);
      const auto values = products.wait();
      REQUIRE(values.size() == 2);
      CHECK(values[0] == expected);
      CHECK(values[1] == expected);
      CHECK(products.any_failed() == (repeat == 1 && comm.size() > 1));
    }
  }
}

TEST_CASE("krylov: GCR solves a Helmholtz equation in the iterations that are known, by every variant") {
  const comm::Communicator comm(test::world());
  Helmholtz helmholtz(comm, 64, 128, 0.01);
  const auto line = helmholtz.zonal_line();
  const Apply a = [&](auto x, auto y) { helmholtz.apply(x, y); };
  const Apply m = [&](auto x, auto y) { line.apply(x, y); };
  std::vector<double> b(helmholtz.size());
  const double half_pi = std::acos(0.0);
  for (std::int64_t j = 0; j < helmholtz.n_rows(); ++j) {
    const auto latitude = (static_cast<double>(helmholtz.first_row() + j) + .5) / 32 * half_pi - half_pi;
    for (std::int64_t i = 0; i < 128; ++i) {
      const auto longitude = (static_cast<double>(i) + .5) / 32 * half_pi;
      b[j * 128 + i] = 1.3 * std::pow(std::cos(latitude), 4) * std::sin(latitude) * std::cos(4 * longitude);
    }
  }
  for (const auto& named : kVariants) {
    CAPTURE(named.name);
    Gcr gcr(comm, b.size(), {.variant = named.variant, .tolerance = 1e-10});
    std::vector<double> x(b.size());
    const auto result = gcr.solve(a, m, b, x);
    CHECK(result.outcome == Outcome::converged);
    CHECK(result.n_iterations() == 26);
    CHECK(result.n_exposed == (named.variant == Variant::pipelined ? 1 : result.n_allreduces));
  }
}

TEST_CASE("krylov: what a map throws on one rank is thrown on all, of its type") {
  const comm::Communicator comm(test::world());
  const std::vector<double> b(5, 1.0);
  const Rank failing_rank = comm.size() - 1;
  for (const auto& named : kVariants) {
    Gcr gcr(comm, b.size(), {.variant = named.variant});
    int calls = 0;
    const Apply fails_at_second_call = [&](auto x, auto y) {
      if (++calls == 2 && comm.rank() == failing_rank) throw InputError("The ice is thin.");
      for (std::size_t i = 0; i < x.size(); ++i) y[i] = (1 + static_cast<double>(i)) * x[i];
    };
    std::vector<double> x(b.size());
    CHECK_THROWS_WITH_AS(gcr.solve(fails_at_second_call, kIdentity, b, x), "The ice is thin.", InputError);
    CHECK_THROWS_WITH_AS(gcr.solve(fails_at_second_call, kIdentity, b, std::span(x).first(3)),
                         "The right side has 5 items and the solution 3, but GCR was made for 5.",
                         InternalError);
    x.assign(b.size(), 0);
    CHECK(gcr.solve(fails_at_second_call, kIdentity, b, x).outcome == Outcome::converged);
  }
}
