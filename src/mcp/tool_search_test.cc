#include "mcp/tool_search.h"

#include <gtest/gtest.h>

#include "core/builtin_tools.h"
#include "mcp/testing.h"

namespace helve::mcp {
namespace {

using rpc::Era;
using testing::Remembering;
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

TEST(ToolSearch, TheNameSaysMoreThanTheDescription) {
  const JsonArray tools{tool("grep", "Search the contents of files.\nUse find for names."),
                        tool("find", "Find files by name."), tool("exec", "Run a command."),
                        tool("rename_symbol", "Give a symbol another name everywhere.")};
  EXPECT_EQ(names(fitting_tools(tools, "find a file", 5)), "find grep ");
  EXPECT_EQ(names(fitting_tools(tools, "Renaming symbols", 5)), "rename_symbol ");
  EXPECT_EQ(names(fitting_tools(tools, "running commands", 1)), "exec ");
  EXPECT_EQ(names(fitting_tools(tools, "bake bread", 5)), "");
}

TEST(ToolSearch, FindsTheToolForWhatPeopleSay) {
  JsonArray all;
  for (const auto& one : builtin_tools())
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
    EXPECT_TRUE(names(fitting_tools(all, task, 3)).contains(name))
        << task << ": " << names(fitting_tools(all, task, 3));
  EXPECT_EQ(names(fitting_tools(all, "list files", 1)), "ls ");
}

class ToolSearchTest : public ::testing::Test {
 protected:
  ToolSearchTest() {
    client_->set_info({.revision = "2025-11-25"});
    client_->set_outlet([this](const Json& message) { heard_ += to_text(message); });
  }
  Json call(std::string method, Json params = JsonObject()) {
    const auto responder = std::make_shared<Remembering>();
    server_.serve(client_, Era::kOld, request(++id_, std::move(method), std::move(params)), responder);
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

  testing::SmallOffer all_;
  ToolSearch search_{all_};
  Server server_{{.version = "1"}, {.tools = &search_}};
  std::shared_ptr<Client> client_ = std::make_shared<Client>();
  std::string heard_;
  int id_ = 0;
};

TEST_F(ToolSearchTest, ListsTwoToolsAndThoseThatWereFound) {
  EXPECT_EQ(listed(), "find_tools use_tool ");
  EXPECT_TRUE(use("find_tools", JsonObject{{"query", "echo"}}).starts_with("echo: "));
  EXPECT_NE(heard_.find("notifications/tools/list_changed"), std::string::npos);
  EXPECT_EQ(listed(), "find_tools use_tool echo ");
  EXPECT_EQ(use("echo", JsonObject{{"a", 1}}), R"({"a":1})");
  heard_.clear();
  static_cast<void>(use("find_tools", JsonObject{{"query", "echo"}}));
  EXPECT_EQ(heard_, "") << "nothing is new";
}

TEST_F(ToolSearchTest, UsesWhatIsNotListed) {
  EXPECT_EQ(use("use_tool", JsonObject{{"tool", "echo"}, {"arguments", JsonObject{{"a", 1}}}}), R"({"a":1})");
  EXPECT_EQ(use("use_tool", JsonObject{{"tool", "ecco"}, {"arguments", JsonObject()}}),
            "UNKNOWN_TOOL: there is no tool \"ecco\". find_tools finds those that there are.");
  EXPECT_TRUE(use("use_tool", JsonObject{{"tool", 7}}).starts_with("INVALID_ARGUMENT"));
  EXPECT_TRUE(use("find_tools", JsonObject()).starts_with("INVALID_ARGUMENT"));
}

TEST_F(ToolSearchTest, WhenNothingFitsAllAreNamed) {
  const std::string text = use("find_tools", JsonObject{{"query", "bake bread"}});
  EXPECT_TRUE(text.starts_with("No tool fits \"bake bread\". These are all:\n")) << text;
  EXPECT_NE(text.find("\necho: "), std::string::npos) << text;
  EXPECT_EQ(listed(), "find_tools use_tool ");
}

}  // namespace
}  // namespace helve::mcp
