// Runs the unit tests, which lie beside the code as *_test.cc.
//
//   helve_tests [--module=NAME] [GoogleTest flags]
//
// With --module, only the tests in src/NAME run; --gtest_filter selects among those.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "helve/launcher.h"

namespace {

// The tests in one module that the filter lets through, as a filter of full names; empty when there are none.
std::string filter_for(std::string_view module) {
  const std::string folder = "/src/" + std::string(module) + "/";
  const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  std::string filter;
  for (int suite = 0; suite < tests.total_test_suite_count(); ++suite) {
    const testing::TestSuite& each = *tests.GetTestSuite(suite);
    for (int test = 0; test < each.total_test_count(); ++test) {
      const testing::TestInfo& info = *each.GetTestInfo(test);
      if (std::string_view(info.file()).find(folder) == std::string_view::npos) continue;
      filter.append(filter.empty() ? "" : ":").append(each.name()).append(".").append(info.name());
    }
  }
  return filter;
}

// GoogleTest decides which tests run from its filter alone, so a given filter is kept as exclusions.
std::string without(const std::string& filter, const std::string& given) {
  const std::size_t exclusions = given.find('-');
  return exclusions == std::string::npos ? filter : filter + given.substr(exclusions);
}

}  // namespace

int main(int argc, char** argv) {
  // Commands that tests run are started by this program, as the helve program starts them.
  if (const auto code = helve::launch_if_asked(argc, argv)) return *code;
  testing::InitGoogleMock(&argc, argv);
  constexpr std::string_view kModule = "--module=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (!argument.starts_with(kModule)) {
      std::fprintf(stderr, "%s: unknown argument. Use --module=NAME or GoogleTest flags.\n", argv[i]);
      return 2;
    }
    const std::string filter = filter_for(argument.substr(kModule.size()));
    if (filter.empty()) {
      std::fprintf(stderr, "%s: no such module, or it has no tests.\n", argv[i]);
      return 2;
    }
    const std::string given = testing::GTEST_FLAG(filter);
    if (given == "*" || given.starts_with('-')) testing::GTEST_FLAG(filter) = without(filter, given);
  }
  return RUN_ALL_TESTS();
}
