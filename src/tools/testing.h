// Helpers for the tests of tools: a workspace with files, and calls through the whole path.
#pragma once

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "core/testing.h"
#include "helve/runtime.h"
#include "settings/json_schema.h"

namespace helve::testing {

class ToolTest : public RuntimeFixture {
 protected:
  ToolTest() : RuntimeFixture(/*built_in_tools=*/true) {}

  // Also checks that the data has the declared shape.
  Answer call(const std::string& tool, JsonObject arguments) {
    Answer answer = runtime().call({.tool = tool, .arguments = std::move(arguments)});
    const auto known = runtime().tools().find(tool);
    if (!answer.ok() || !known) return answer;
    const settings::JsonSchema schema((*known)->definition.data_schema());
    for (const Complaint& complaint : schema.check(answer.result->data, "member"))
      ADD_FAILURE() << tool << ": " << complaint.path << " " << complaint.problem << " in "
                    << to_text(answer.result->data);
    return answer;
  }
  // The content of a successful answer; the error's message otherwise.
  std::string content(const std::string& tool, JsonObject arguments) {
    const Answer answer = call(tool, std::move(arguments));
    return answer.ok() ? answer.result->content : "error: " + answer.result.error().message;
  }
  Error error(const std::string& tool, JsonObject arguments) {
    const Answer answer = call(tool, std::move(arguments));
    if (answer.ok()) ADD_FAILURE() << tool << " succeeded: " << answer.result->summary;
    return answer.ok() ? Error{} : answer.result.error();
  }

  std::string path(const std::string& name) const { return directory_.at("workspace/" + name); }
  void put(const std::string& name, std::string_view bytes) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary | std::ios::trunc) << bytes;
  }
  std::string get(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return file ? std::string(std::istreambuf_iterator<char>(file), {}) : "(no such file)";
  }
  bool exists(const std::string& name) const {
    return std::filesystem::exists(std::filesystem::symlink_status(path(name)));
  }
  // Every path in the workspace.
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path("")))
      found.push_back(std::filesystem::relative(entry.path(), path("")).string());
    std::ranges::sort(found);
    return found;
  }
};

}  // namespace helve::testing
