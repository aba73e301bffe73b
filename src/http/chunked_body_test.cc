#include "http/chunked_body.h"

#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"

namespace helve::http {
namespace {

using namespace std::string_view_literals;

// The body and what was left over, or the status of the refusal.
std::string decode(std::string_view text, std::size_t piece_size, std::size_t limit = 100) {
  ChunkedBody chunks(limit);
  std::string body;
  std::size_t used = 0;
  for (std::size_t i = 0; i < text.size() && !chunks.done(); i += piece_size) {
    const auto taken = chunks.take(text.substr(i, piece_size), body);
    if (!taken) return std::to_string(taken.error().status);
    used += *taken;
  }
  return concat(body, chunks.done() ? "." : "…", text.substr(used));
}

void expect_decoded(std::string_view text, std::string_view wanted, std::size_t limit = 100) {
  for (std::size_t piece_size = 1; piece_size <= text.size(); ++piece_size)
    ASSERT_EQ(decode(text, piece_size, limit), wanted) << text << " in pieces of " << piece_size;
}

TEST(ChunkedBody, JoinsChunksHoweverTheyAreCut) {
  expect_decoded("3\r\nabc\r\n00A\r\n0123456789\r\n0\r\n\r\n", "abc0123456789.");
  expect_decoded("0\r\n\r\n", ".");
}

TEST(ChunkedBody, LeavesWhatFollows) {
  EXPECT_EQ(decode("1\r\na\r\n0\r\n\r\nGET /", 100), "a.GET /");
  EXPECT_EQ(decode("1\r\na\r\n0\r\n\r\nGET /", 1), "a.GET /");
}

TEST(ChunkedBody, DropsExtensionsAndTrailers) {
  expect_decoded("3;a=b;c=\"d\"\r\nabc\r\n0;x\r\nX-Sum: 1\r\nY: 2\r\n\r\n", "abc.");
}

TEST(ChunkedBody, RefusesBadSizes) {
  for (const std::string_view text : {"\r\n"sv,
                                      "g\r\n"sv,
                                      "0x1\r\na\r\n"sv,
                                      "-1\r\n"sv,
                                      "+1\r\n"sv,
                                      " 1\r\n"sv,
                                      "1 \r\na"sv,
                                      "1 ;a\r\n"sv,
                                      ";a\r\n"sv,
                                      "1\na\r\n"sv,
                                      "1\r\na\n"sv,
                                      "1\r\nab"sv,
                                      "1\r\naXX"sv,
                                      "1\r\ra\r\n"sv,
                                      "00000000000000001\r\na"sv,
                                      "1;\x01\r\na"sv,
                                      "1;a\rb\r\na"sv,
                                      "0\r\nX\r\n\r\n"sv,
                                      "0\r\nX : 1\r\n\r\n"sv,
                                      "0\r\n X: 1\r\n\r\n"sv,
                                      "0\r\n\n"sv,
                                      "0\r\nX: \0\r\n\r\n"sv,
                                      "1\r\na\r\r\n0\r\n\r\n"sv})
    expect_decoded(text, "400");
}

TEST(ChunkedBody, EndsAtTheLimit) {
  expect_decoded("5\r\nabcde\r\n0\r\n\r\n", "abcde.", 5);
  expect_decoded("6\r\n", "413", 5);
  expect_decoded("3\r\nabc\r\n3\r\n", "413", 5);
  expect_decoded("ffffffffffffffff\r\n", "413", 5);
  EXPECT_EQ(decode("1;" + std::string(5000, 'a') + "\r\n", 1), "400");
  std::string extended;
  for (int i = 0; i < 20; ++i) extended += "1;" + std::string(1000, 'a') + "\r\nx\r\n";
  EXPECT_EQ(decode(extended, 100), "400");
  std::string trailers = "0\r\n";
  for (int i = 0; i < 20; ++i) trailers += "X: " + std::string(1000, 'a') + "\r\n";
  EXPECT_EQ(decode(trailers, 100), "431");
}

}  // namespace
}  // namespace helve::http
