#include "mcp/modern_seats.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace helve::mcp {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

struct TestSeat final : SeatHolder::Seat {
  explicit TestSeat(bool goes_on) : busy(goes_on) {}
  [[nodiscard]] bool is_busy() const override { return busy; }
  bool busy;
};

std::weak_ptr<SeatHolder::Seat> sit(ModernSeats& seats, const std::string& name, bool busy = false) {
  return seats.find(name)->seat([&] { return std::make_shared<TestSeat>(busy); });
}

TEST(ModernSeats, ClientsOfOneNameShareASeat) {
  ModernSeats seats;
  EXPECT_EQ(sit(seats, "a").lock(), sit(seats, "a").lock());
  EXPECT_NE(sit(seats, "a").lock(), sit(seats, "b").lock());
}

TEST(ModernSeats, AreForgottenWhenNobodyUsesThem) {
  ModernSeats seats;
  const auto idle = sit(seats, "idle");
  const auto used = sit(seats, "used");
  const auto busy = sit(seats, "busy", true);
  const auto request = seats.find("used");
  seats.forget_idle(hours(1));
  EXPECT_EQ(seats.count(), 3U) << "not yet";
  seats.forget_idle(milliseconds(-1));
  EXPECT_TRUE(idle.expired());
  EXPECT_FALSE(used.expired()) << "a request is under way";
  EXPECT_FALSE(busy.expired()) << "a command runs";
  EXPECT_EQ(seats.count(), 2U);
  static_cast<TestSeat&>(*busy.lock()).busy = false;
  seats.forget_idle(milliseconds(-1));
  EXPECT_TRUE(busy.expired()) << "as soon as it has ended";
}

TEST(ModernSeats, NamesWithoutEndShareOne) {
  ModernSeats seats;
  for (int i = 0; i < 1000; ++i) static_cast<void>(seats.find(concat("made-up-", i)));
  EXPECT_EQ(seats.count(), 65U);
  EXPECT_EQ(seats.find("another"), seats.find("yet another"));
  seats.forget_idle(milliseconds(-1));
  EXPECT_NE(seats.find("another"), seats.find("yet another")) << "and there is room again";
}

}  // namespace
}  // namespace helve::mcp
