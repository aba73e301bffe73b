#include "mcp/http_sessions.h"

#include <gtest/gtest.h>

namespace helve::mcp {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

struct TestContent final : ClientSessionSlot::Content {
  explicit TestContent(bool is_busy) : busy(is_busy) {}
  [[nodiscard]] bool is_busy() const override { return busy; }
  bool busy;
};

std::weak_ptr<ClientSessionSlot::Content> content_of(StatelessSessions& sessions,
                                                     const StatelessSessions::Origin& origin,
                                                     bool busy = false) {
  return sessions.find(origin)->slot->get([&] { return std::make_shared<TestContent>(busy); });
}

TEST(StatelessSessions, OthersDoNotGetTheSessionOfAConnection) {
  StatelessSessions sessions;
  const auto own = sessions.find({.credential = "a", .connection = 1})->slot;
  EXPECT_EQ(sessions.find({.credential = "a", .connection = 1})->slot, own);
  EXPECT_NE(sessions.find({.credential = "a", .connection = 2})->slot, own);
  EXPECT_NE(sessions.find({.credential = "b", .connection = 1})->slot, own) << "through a proxy";
  const auto shared = sessions.find({.credential = "a"})->slot;
  EXPECT_NE(sessions.find({.credential = "a"})->slot, shared) << "no connection tells clients apart";
}

TEST(StatelessSessions, AHandleContinuesTheSessionButOnlyWithItsCredential) {
  StatelessSessions sessions;
  const auto own = *sessions.find({.credential = "a", .connection = 1});
  EXPECT_EQ(sessions.find({.credential = "a", .connection = 2, .handle = own.handle})->slot, own.slot);
  for (const auto& wrong :
       {StatelessSessions::Origin{.credential = "b", .connection = 1, .handle = own.handle},
        StatelessSessions::Origin{.credential = "a", .connection = 1, .handle = "guess"}}) {
    const auto refused = sessions.find(wrong);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kNotFound);
  }
}

TEST(StatelessSessions, DropsIdleSessions) {
  StatelessSessions sessions;
  const auto idle = content_of(sessions, {.connection = 1});
  const auto used = content_of(sessions, {.connection = 2});
  const auto busy = content_of(sessions, {.connection = 3}, true);
  const auto request = sessions.find({.connection = 2});
  sessions.forget_idle(hours(1));
  EXPECT_EQ(sessions.count(), 3U) << "not yet";
  sessions.forget_idle(milliseconds(-1));
  EXPECT_TRUE(idle.expired());
  EXPECT_FALSE(used.expired()) << "a request uses it";
  EXPECT_FALSE(busy.expired()) << "a command runs";
  EXPECT_EQ(sessions.count(), 2U);
  static_cast<TestContent&>(*busy.lock()).busy = false;
  sessions.forget_idle(milliseconds(-1));
  EXPECT_TRUE(busy.expired()) << "the command has ended";
}

TEST(StatelessSessions, SessionsBeyondTheLimitAreNeverShared) {
  StatelessSessions sessions(2);
  const auto used = sessions.find({.connection = 1});
  const auto oldest = content_of(sessions, {.connection = 2});
  const auto another = sessions.find({.connection = 3});
  ASSERT_TRUE(another);
  EXPECT_NE(another->slot, used->slot);
  EXPECT_TRUE(oldest.expired()) << "it made space";
  const auto refused = sessions.find({.connection = 4});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable) << "both are in use";
}

}  // namespace
}  // namespace helve::mcp
