#include "http/message.h"

#include <gtest/gtest.h>

namespace helve::http {
namespace {

TEST(Headers, AreFoundIgnoringCaseAndInOrder) {
  Headers headers{{"Content-Type", "a"}, {"X-One", "1"}};
  headers.add("content-TYPE", "b");
  ASSERT_NE(headers.find("CONTENT-TYPE"), nullptr);
  EXPECT_EQ(*headers.find("CONTENT-TYPE"), "a");
  EXPECT_EQ(headers.count("content-type"), 2U);
  EXPECT_EQ(headers.find("Content-Typ"), nullptr);
  EXPECT_EQ(headers.find("Content_Type"), nullptr);
  EXPECT_EQ(headers.count("X"), 0U);
  EXPECT_EQ((headers.end() - 1)->second, "b");
}

}  // namespace
}  // namespace helve::http
