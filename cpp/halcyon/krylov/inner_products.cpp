#include "halcyon/krylov/inner_products.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"
#include "halcyon/base/exact_sum.hpp"
#include "halcyon/base/timer.hpp"
#include "halcyon/schedule/collectives/allreduce.hpp"

namespace halcyon::krylov {
namespace {

constexpr std::size_t kSumLimbs = ExactSum::kLimbs + 1;

/// sum_i a_i b_i, (item)
ExactSum sum_of(const Factors& factors) {
  ExactSum sum;
  sum.add_products(factors.one, factors.other);
  return sum;
}

}  // namespace

InnerProducts::InnerProducts(const comm::Communicator& comm, std::size_t n_most, Rank radix)
    : limbs_(n_most * kSumLimbs + 1), values_(n_most) {
  const auto bytes = std::as_writable_bytes(std::span(limbs_));
  const schedule::Allreduce allreduce(comm.size(), std::ssize(bytes), radix);
  arrived_.resize(allreduce.buffer_bytes(comm.rank(), 1));
  buffers_ = {bytes, arrived_};
  exchange_ = std::make_unique<comm::Exchange>(comm, allreduce, comm::method_named("isend_irecv"),
                                               schedule::Actors{schedule::sum_of<std::int64_t>(), {}});
}

void InnerProducts::start(std::span<const Factors> wanted, bool failed) {
  require<InternalError>(!pending_ && wanted.size() <= values_.size(),
                         "{} inner products are wanted of {}, or others are on their way.", wanted.size(),
                         values_.size());
  n_wanted_ = wanted.size();
  std::ranges::fill(limbs_, 0);
  for (std::size_t p = 0; p < n_wanted_; ++p)
    std::ranges::copy(sum_of(wanted[p]).limbs(), limbs_.begin() + static_cast<std::ptrdiff_t>(p * kSumLimbs));
  limbs_.back() = failed;
  pending_.emplace(exchange_->start(buffers_));
}

std::span<const double> InnerProducts::wait() {
  {
    const ScopedTimer timer(waited_s_);
    pending_->wait();
  }
  pending_.reset();
  for (std::size_t p = 0; p < n_wanted_; ++p) {
    ExactSum::Limbs limbs;
    std::copy_n(limbs_.begin() + static_cast<std::ptrdiff_t>(p * kSumLimbs), kSumLimbs, limbs.begin());
    values_[p] = ExactSum(limbs).value();
  }
  return std::span(values_).first(n_wanted_);
}

namespace {

constexpr std::size_t kBlock = 1024;  // items: what is added to stays in the first cache

}  // namespace

void Directions::make(Kind kind, std::span<const double> v, std::span<const double> beta) {
  const auto made = vector(kind, n_kept_);
  for (std::size_t begin = 0; begin < n_items_; begin += kBlock) {
    const auto end = std::min(begin + kBlock, n_items_);
    for (auto i = begin; i < end; ++i) made[i] = v[i];
    for (std::size_t j = 0; j < n_kept_; ++j) {
      const auto kept = vector(kind, j);
      const auto b = beta[j];
      for (auto i = begin; i < end; ++i) made[i] += b * kept[i];
    }
  }
}

void Directions::keep() {
  if (n_kept_ < k_)
    ++n_kept_;
  else
    oldest_ = slot(1);
}

}  // namespace halcyon::krylov
