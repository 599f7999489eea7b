#include "halcyon/base/error.hpp"

#include <type_traits>

#include "test.hpp"

using namespace halcyon;

TEST_CASE("require: a condition that holds does nothing") {
  CHECK_NOTHROW(require<InputError>(true, "never said"));
}

TEST_CASE("require: what was given is in the text") {
  CHECK_THROWS_WITH_AS(
      require<ConfigError>(false, "io.group_size = {} but the run has {} ranks. Set it to 1..{}.", 9, 2, 2),
      "io.group_size = 9 but the run has 2 ranks. Set it to 1..2.", ConfigError);
}

TEST_CASE_TEMPLATE("errors: each kind is an Error and no other kind", E, ConfigError, InputError, RunError,
                   InternalError) {
  static_assert(std::is_base_of_v<Error, E>);
  CHECK_THROWS_AS(require<E>(false, "text"), E);
  CHECK(std::is_same_v<E, InputError> == std::is_base_of_v<InputError, E>);
}
