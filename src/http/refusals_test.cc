#include "http/server.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "http/response_text.h"

namespace helve::http {
namespace {

TEST(Refusals, CountsAllAndLogsTheFirstOfAFlood) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  Logger logger(LogLevel::kWarning, Logger::Format::kJson, ends[1]);
  Refusals refusals(logger);
  const Refused refused{.peer = "192.0.2.1:40000", .method = "POST", .path = "/" + std::string(5000, 'p')};
  for (int i = 0; i < 200; ++i) refusals.add(error_response(401, "The token is not valid."), refused);
  refusals.add(error_response(413, "Too long."));
  EXPECT_EQ(refusals.counts(), (std::map<int, std::uint64_t>{{401, 200}, {413, 1}}));
  ::close(ends[1]);
  std::string log(1 << 20, '\0');
  const ssize_t size = ::read(ends[0], log.data(), log.size());
  ASSERT_GT(size, 0);
  log.resize(static_cast<std::size_t>(size));
  ::close(ends[0]);
  EXPECT_LT(std::ranges::count(log, '\n'), 10) << log;  // more than one second may pass
  EXPECT_TRUE(log.contains("The token is not valid.")) << log;
  EXPECT_TRUE(log.contains("401")) << log;
  EXPECT_TRUE(log.contains(R"("peer":"192.0.2.1:40000")")) << log;
  EXPECT_TRUE(log.contains("\"path\":\"/" + std::string(199, 'p') + "\"")) << log;
  EXPECT_TRUE(log.contains(R"("method":"POST")")) << log;
}

}  // namespace
}  // namespace helve::http
