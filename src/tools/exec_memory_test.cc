// A command that uses more memory than it may.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/testing.h"

namespace helve {
namespace {

using testing::ToolTest;

TEST_F(ToolTest, NoCommandThatTheKernelKilledForItsMemoryLooksLikeAnother) {
  options_.settings.sandbox.memory_megabytes = 64;
  // tail keeps the whole line.
  const Answer answer = call("exec", {{"command", "head -c 400000000 /dev/zero | tail -n 1 | wc -c"}});
  ASSERT_TRUE(answer.ok()) << answer.result.error().message;
  const Json* lacks = answer.result->data.find("sandboxLacks");
  if (lacks != nullptr && to_text(*lacks).contains("cgroup"))
    GTEST_SKIP() << "needs a cgroup that Helve may use";
  const Json* killed = answer.result->data.find("outOfMemory");
  ASSERT_NE(killed, nullptr) << to_text(answer.result->data);
  EXPECT_EQ(*killed, Json(true));
  EXPECT_THAT(answer.result->content, ::testing::HasSubstr("because the memory was full"));
  EXPECT_TRUE(call("exec", {{"command", "echo on"}}).ok()) << "Helve goes on";
}

}  // namespace
}  // namespace helve
