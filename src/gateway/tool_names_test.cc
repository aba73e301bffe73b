#include "gateway/tool_names.h"

#include <gtest/gtest.h>

namespace helve::gateway {
namespace {

using Names = std::vector<std::string>;

TEST(ToolNames, ArePrefixedWithTheServer) {
  EXPECT_EQ(tool_names("git", {"log", "push-all"}), (Names{"mcp__git__log", "mcp__git__push-all"}));
}

TEST(ToolNames, HaveOnlyCharactersThatModelsAccept) {
  EXPECT_EQ(tool_names("git", {"a.b/c", "ä"}), (Names{"mcp__git__a_b_c", "mcp__git____"}));
}

TEST(ToolNames, ThatWouldClashEndInAHash) {
  const Names names = tool_names("git", {"a_b", "a.b", "a/b"});
  EXPECT_EQ(names[0], "mcp__git__a_b");
  EXPECT_NE(names[1], names[2]);
  EXPECT_TRUE(names[1].starts_with("mcp__git__a_b_"));
  // Whatever other tools there are.
  EXPECT_EQ(tool_names("git", {"a.b", "a_b"})[0], names[1]);
}

TEST(ToolNames, ThatAreTooLongEndInAHash) {
  const std::string base(80, 'x');
  const Names names = tool_names("server", {base + "1", base + "2"});
  EXPECT_EQ(names[0].size(), kLongestToolName);
  EXPECT_NE(names[0], names[1]);
}

TEST(ServerLabels, HaveNoDoubleUnderscore) {
  EXPECT_EQ(server_labels({"a__b", "my server"}), (Names{"a_b", "my_server"}));
  EXPECT_EQ(server_labels({"a____b"}), Names{"a_b"});
}

TEST(ServerLabels, AreDifferent) {
  const Names labels = server_labels({"my_server", "my server"});
  EXPECT_EQ(labels[0], "my_server");
  EXPECT_NE(labels[1], labels[0]);
}

}  // namespace
}  // namespace helve::gateway
