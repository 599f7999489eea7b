#include <string>

#include "halcyon/base/error.hpp"
#include "halcyon/mesh/geometry/cut.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::mesh;

namespace {

/// A grid of square cells with neighbours across their sides, given as text: '#' cells are kept. A neighbour
/// beyond the edge is kNone.
struct Picture {
  std::vector<LocalIndex> offsets{0}, neighbours;
  Flags keep;

  Picture(std::initializer_list<std::string> rows) {
    const auto n_rows = static_cast<LocalIndex>(rows.size());
    const auto n = static_cast<LocalIndex>(rows.begin()->size());
    for (LocalIndex i = 0; i < n_rows; ++i) {
      for (LocalIndex j = 0; j < n; ++j) {
        const LocalIndex cell = i * n + j;
        for (const LocalIndex other : {j > 0 ? cell - 1 : kNone, j + 1 < n ? cell + 1 : kNone,
                                       i > 0 ? cell - n : kNone, i + 1 < n_rows ? cell + n : kNone})
          neighbours.push_back(other);
        offsets.push_back(static_cast<LocalIndex>(neighbours.size()));
        keep.push_back(rows.begin()[i][j] == '#');
      }
    }
  }
  graph::NeighbourLists lists() const { return {offsets, neighbours}; }
};

}  // namespace

TEST_CASE("boundary: the largest part, and of equals the first") {
  const Picture picture{"##..#",  //
                        ".#..#",  //
                        "....#",  //
                        "#...."};
  CHECK(largest_component(picture.lists(), picture.keep) == Picture{"##...", ".#...", ".....", "....."}.keep);
}

TEST_CASE("boundary: inlets are filled up to where the sea is wide") {
  // Cells with fewer than two kept neighbours are dropped, until none is left.
  const Picture picture{"#####",  //
                        "..##.",  //
                        ".###.",  //
                        "..#..",  //
                        "..##."};
  const Picture expected{"..##.",  //
                         "..##.",  //
                         "..##.",  //
                         ".....",  //
                         "....."};
  CHECK(without_dead_ends(picture.lists(), picture.keep) == expected.keep);
}

TEST_CASE("boundary: straits of one cell stay open") {
  const Picture picture{"##..##",  //
                        "######",  //
                        "##..##"};
  CHECK(clean_selection(picture.lists(), picture.keep) == picture.keep);
}

TEST_CASE("boundary: a part is chosen before its dead ends go, and one that is all dead ends goes whole") {
  const Picture picture{"##.####",  //
                        "##....."};
  CHECK(clean_selection(picture.lists(), picture.keep) ==
        Picture{"##.....", "##....."}.keep);  // of equals the first
  const Picture longer{"##.#####",            //
                       "##......"};
  CHECK(clean_selection(longer.lists(), longer.keep) == Flags(16, 0));
  CHECK(clean_selection(longer.lists(), Flags(16, 0)) == Flags(16, 0));
}

TEST_CASE("boundary: flags of another length are refused") {
  const Picture picture{"##", "##"};
  CHECK_THROWS_WITH_AS(clean_selection(picture.lists(), Flags(3, 1)),
                       "keep has 3 entries, but the mesh has 4 cells. Give one per cell.", InputError);
}
