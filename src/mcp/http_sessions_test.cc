#include "mcp/http_sessions.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace helve::mcp {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

struct TestContent final : ClientSessionSlot::Content {
  explicit TestContent(bool is_busy) : busy(is_busy) {}
  [[nodiscard]] bool is_busy() const override { return busy; }
  bool busy;
};

std::weak_ptr<ClientSessionSlot::Content> content_of(StatelessClients& clients, const std::string& name,
                                                     bool busy = false) {
  return clients.find(name)->get([&] { return std::make_shared<TestContent>(busy); });
}

TEST(StatelessClients, ClientsOfTheSameNameShareASlot) {
  StatelessClients clients;
  EXPECT_EQ(content_of(clients, "a").lock(), content_of(clients, "a").lock());
  EXPECT_NE(content_of(clients, "a").lock(), content_of(clients, "b").lock());
}

TEST(StatelessClients, DropsIdleSlots) {
  StatelessClients clients;
  const auto idle = content_of(clients, "idle");
  const auto used = content_of(clients, "used");
  const auto busy = content_of(clients, "busy", true);
  const auto request = clients.find("used");
  clients.forget_idle(hours(1));
  EXPECT_EQ(clients.count(), 3U) << "not yet";
  clients.forget_idle(milliseconds(-1));
  EXPECT_TRUE(idle.expired());
  EXPECT_FALSE(used.expired()) << "a request uses it";
  EXPECT_FALSE(busy.expired()) << "a command runs";
  EXPECT_EQ(clients.count(), 2U);
  static_cast<TestContent&>(*busy.lock()).busy = false;
  clients.forget_idle(milliseconds(-1));
  EXPECT_TRUE(busy.expired()) << "the command has ended";
}

TEST(StatelessClients, NamesBeyondTheLimitShareASlot) {
  StatelessClients clients;
  for (int i = 0; i < 1000; ++i) static_cast<void>(clients.find(concat("made-up-", i)));
  EXPECT_EQ(clients.count(), 65U);
  EXPECT_EQ(clients.find("another"), clients.find("yet another"));
  clients.forget_idle(milliseconds(-1));
  EXPECT_NE(clients.find("another"), clients.find("yet another")) << "there is space again";
}

}  // namespace
}  // namespace helve::mcp
