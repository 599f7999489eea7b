#include <sstream>

#include "halcyon/capi/handles.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::capi;

/// "name=value;name=value" @throws ConfigError for a part without "="
std::vector<std::pair<std::string, std::string>> hints_of(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> hints;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ';');) {
    const auto at = part.find('=');
    require<ConfigError>(at != std::string::npos && at > 0,
                         "io.hints has the part '{}', but must be like name=value;name=value.", part);
    hints.emplace_back(part.substr(0, at), part.substr(at + 1));
  }
  return hints;
}

io::Options options_of(const halcyon_io_options& given) {
  return {.layout = io::layout_of(given_text(given.layout, "io.layout")),
          .ranks = given.ranks,
          .group_size = given.group_size,
          .most_ranks = given.most_ranks,
          .most_requests = given.most_requests,
          .piece_bytes = given.piece,
          .background_bytes = given.buffer,
          .background = given.background != 0,
          .hints = hints_of(given_text(given.hints, "io.hints"))};
}

}  // namespace

void halcyon_io_options_default(halcyon_io_options* options) {
  const io::Options ours;
  *options = {.layout = "auto",
              .ranks = ours.ranks,
              .group_size = ours.group_size,
              .most_ranks = ours.most_ranks,
              .most_requests = ours.most_requests,
              .background = ours.background,
              .piece = ours.piece_bytes,
              .buffer = ours.background_bytes,
              .hints = ""};
}

int halcyon_io_ranks_create(int32_t comm, const halcyon_io_options* options, int64_t bytes,
                            halcyon_io_ranks** ranks) {
  return guarded([&] {
    auto& into = given(ranks, "ranks");
    const auto wanted = options == nullptr ? io::Options{} : options_of(*options);
    const auto duplicate = comm::Communicator::from_fortran(comm);
    into = new halcyon_io_ranks{io::Ranks(duplicate, wanted, bytes)};
  });
}

int halcyon_io_ranks_description(const halcyon_io_ranks* ranks, const char** description) {
  return guarded([&] { given(description, "description") = given(ranks, "ranks").description.c_str(); });
}

void halcyon_io_ranks_free(halcyon_io_ranks* ranks) {
  delete ranks;
}

int halcyon_placement_create(const halcyon_io_ranks* ranks, int64_t n_ids, const int64_t* ids,
                             int64_t n_items, halcyon_placement** placement) {
  return guarded([&] {
    const auto mine = given_list(ids, n_ids, "ids");
    auto& into = given(placement, "placement");
    into = new halcyon_placement{io::Placement(given(ranks, "ranks").ranks, mine, n_items)};
  });
}

int halcyon_placement_is_partition(const halcyon_placement* placement, int32_t* is_partition) {
  return guarded(
      [&] { given(is_partition, "is_partition") = given(placement, "placement").placement.is_partition(); });
}

void halcyon_placement_free(halcyon_placement* placement) {
  delete placement;
}
