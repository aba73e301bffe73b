#include "mcp/tool_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/builtin_tools.h"
#include "mcp/testing.h"

namespace helve::mcp {
namespace {

using rpc::Protocol;
using testing::RecordingResponder;
using testing::request;
using testing::text_of;

Json tool(std::string name, std::string description) {
  return JsonObject{{"name", std::move(name)},
                    {"description", std::move(description)},
                    {"inputSchema", JsonObject{{"type", "object"}}}};
}

std::string names(const std::vector<Json>& tools) {
  std::string all;
  for (const Json& one : tools) all += one.find("name")->as_string() + " ";
  return all;
}

TEST(ToolSearch, TheNameCountsMoreThanTheDescription) {
  const JsonArray tools{tool("grep", "Search the contents of files.\nUse find for names."),
                        tool("find", "Find files by name."), tool("exec", "Run a command."),
                        tool("rename_symbol", "Give a symbol another name everywhere.")};
  EXPECT_EQ(names(matching_tools(tools, "find a file", 5)), "find grep ");
  EXPECT_EQ(names(matching_tools(tools, "Renaming symbols", 5)), "rename_symbol ");
  EXPECT_EQ(names(matching_tools(tools, "running commands", 1)), "exec ");
  EXPECT_EQ(names(matching_tools(tools, "bake bread", 5)), "");
}

TEST(ToolSearch, FindsBuiltinToolsByCommonPhrases) {
  JsonArray all;
  for (const auto& one : core::builtin_tools())
    all.push_back(tool(one->definition().name, one->definition().description));
  const std::vector<std::pair<std::string, std::string>> tasks = {
      {"list files", "ls"},
      {"read the lines of a file", "read"},
      {"search for text in files", "grep"},
      {"run a shell command", "exec"},
      {"replace text in a file", "edit"},
      {"create a new file", "write"},
      {"apply a diff", "apply_patch"},
      {"take back my last change", "undo"},
      {"where is this function defined", "goto_definition"},
      {"stop a background command", "process"},
  };
  for (const auto& [task, name] : tasks)
    EXPECT_TRUE(names(matching_tools(all, task, 3)).contains(name))
        << task << ": " << names(matching_tools(all, task, 3));
  EXPECT_EQ(names(matching_tools(all, "list files", 1)), "ls ");
}

class ToolSearchTest : public ::testing::Test {
 protected:
  ToolSearchTest() {
    client_->set_info({.revision = "2025-11-25"});
    client_->set_outlet([this](const Json& message) { received_ += to_text(message); });
  }
  Json call(std::string method, Json params = JsonObject()) {
    const auto responder = std::make_shared<RecordingResponder>();
    server_.serve(client_, Protocol::kSessionBased, request(++id_, std::move(method), std::move(params)),
                  responder);
    return responder->answered();
  }
  std::string use(std::string_view name, Json arguments) {
    return text_of(call("tools/call", JsonObject{{"name", name}, {"arguments", std::move(arguments)}}));
  }
  std::string listed() {
    const Json answer = call("tools/list");
    const JsonArray& tools = answer.find("result")->find("tools")->as_array();
    return names({tools.begin(), tools.end()});
  }

  testing::TestTools all_;
  ToolSearch search_{all_};
  Server server_{{.version = "1"}, {.tools = &search_}};
  std::shared_ptr<Client> client_ = std::make_shared<Client>();
  std::string received_;
  int id_ = 0;
};

TEST_F(ToolSearchTest, ListsTwoToolsAndTheFoundOnes) {
  EXPECT_EQ(listed(), "find_tools use_tool ");
  EXPECT_TRUE(use("find_tools", JsonObject{{"query", "echo"}}).starts_with("echo: "));
  EXPECT_THAT(received_, ::testing::HasSubstr("notifications/tools/list_changed"));
  EXPECT_EQ(listed(), "find_tools use_tool echo ");
  EXPECT_EQ(use("echo", JsonObject{{"a", 1}}), R"({"a":1})");
  received_.clear();
  static_cast<void>(use("find_tools", JsonObject{{"query", "echo"}}));
  EXPECT_EQ(received_, "") << "no new tools";
}

TEST_F(ToolSearchTest, UsesToolsThatAreNotListed) {
  EXPECT_EQ(use("use_tool", JsonObject{{"tool", "echo"}, {"arguments", JsonObject{{"a", 1}}}}), R"({"a":1})");
  EXPECT_EQ(use("use_tool", JsonObject{{"tool", "ecco"}, {"arguments", JsonObject()}}),
            "UNKNOWN_TOOL: There is no tool \"ecco\". Search with find_tools.");
  EXPECT_TRUE(use("use_tool", JsonObject{{"tool", 7}}).starts_with("INVALID_ARGUMENT"));
  EXPECT_TRUE(use("find_tools", JsonObject()).starts_with("INVALID_ARGUMENT"));
}

TEST_F(ToolSearchTest, ListsAllToolsIfNoneMatches) {
  const std::string text = use("find_tools", JsonObject{{"query", "bake bread"}});
  EXPECT_TRUE(text.starts_with("No tool matches \"bake bread\". All tools:\n")) << text;
  EXPECT_THAT(text, ::testing::HasSubstr("\necho: "));
  EXPECT_EQ(listed(), "find_tools use_tool ");
}

}  // namespace
}  // namespace helve::mcp
