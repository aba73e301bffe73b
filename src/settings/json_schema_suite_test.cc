// Runs the cases of the public JSON Schema test suite from a directory, if there is one on this machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "base/environment.h"
#include "base/file_io.h"
#include "base/json_parse.h"
#include "base/json_read.h"
#include "base/strings.h"
#include "settings/json_schema.h"

namespace helve::settings {
namespace {

namespace fs = std::filesystem;

// The directory of a draft, such as tests/draft2020-12 in the repository of the suite.
constexpr const char* kSuiteVariable = "HELVE_SCHEMA_SUITE";

TEST(JsonSchemaSuite, EveryRequiredCaseIsDecidedAsTheSuiteSays) {
  const std::string directory = environment_variable(kSuiteVariable);
  if (directory.empty())
    GTEST_SKIP() << "Set " << kSuiteVariable
                 << " to a directory of json-schema-org/JSON-Schema-Test-Suite, such as "
                 << "tests/draft2020-12.";
  std::size_t run = 0;
  std::size_t remote = 0;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.path().extension() != ".json") continue;
    const auto groups = parse_json(read_file(entry.path()).value());
    ASSERT_TRUE(groups) << entry.path() << groups.error().message;
    for (const Json& group : groups->as_array()) {
      const Json& source = *group.find("schema");
      const JsonSchema schema(source);
      const JsonArray& cases = group.find("tests")->as_array();
      // Other documents are not fetched.
      const bool leads_out = std::ranges::any_of(
          schema.doubts(), [](const std::string& doubt) { return doubt.starts_with("refers to"); });
      const bool has_own_dialect = string_in(source, "$schema").starts_with("http://localhost");
      if (leads_out || has_own_dialect) {
        remote += cases.size();
        continue;
      }
      for (const Json& each : cases) {
        ++run;
        const auto complaints = schema.check(*each.find("data"));
        EXPECT_EQ(complaints.empty(), each.find("valid")->as_bool())
            << entry.path().filename() << ": " << to_text(*group.find("description")) << ": "
            << to_text(*each.find("description")) << "\n"
            << to_text(source) << "\n"
            << to_text(*each.find("data")) << "\n"
            << join(schema.doubts(), "; ") << (complaints.empty() ? "" : complaints.front().problem);
      }
    }
  }
  std::cout << run << " cases, " << remote << " more need other documents\n";
  EXPECT_GT(run, 0U);
}

}  // namespace
}  // namespace helve::settings
