// A fixture for tests of the dispatcher, and tools for it that are one function each.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/testing.h"

namespace helve::core {

using Function = std::function<Result(Context&, const Json&)>;

inline std::unique_ptr<Tool> tool(std::string name, Effect effect, Function function,
                                  bool honours_stop = false) {
  ToolDefinition definition{
      .name = std::move(name), .description = "For tests.", .effect = effect, .honours_stop = honours_stop};
  definition.params.open = true;
  return make_tool(std::move(definition), std::move(function));
}

inline Result says(const std::string& text) { return Output{.summary = text, .content = text}; }

class DispatcherTest : public testing::RuntimeFixture {
 protected:
  void add(std::unique_ptr<Tool> tool) { ASSERT_TRUE(runtime().add(std::move(tool))); }
  Answer call(std::string name, JsonObject arguments = {}) {
    return runtime().call({.tool = std::move(name), .arguments = std::move(arguments)});
  }
  std::vector<std::string> event_kinds() {
    std::vector<std::string> kinds;
    for (const auto& event : runtime().default_session().events().after(0).events)
      if (const Json json = event->to_json(); json.find("tool_call") != nullptr)
        kinds.push_back(json.find("tool_call")->as_string());
    return kinds;
  }
};

}  // namespace helve::core
