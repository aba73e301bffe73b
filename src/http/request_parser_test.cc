#include "http/request_parser.h"

#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"

namespace helve::http {
namespace {

using namespace std::string_view_literals;

int status_of(std::string_view head) {
  const auto parsed = parse_request_head(head);
  if (parsed) return 200;
  EXPECT_FALSE(parsed.error().reason.empty());
  return parsed.error().status;
}

int status_with(std::string_view fields) {
  return status_of(concat("POST / HTTP/1.1\r\nHost: a\r\n", fields, "\r\n"));
}

TEST(RequestHead, ParsesMethodTargetAndFields) {
  const auto head = parse_request_head(
      "POST /mcp/a%20b?x=1&y=?2 HTTP/1.1\r\nHost: localhost:80\r\nX-A:\t b \t\r\nX-Empty:\r\nContent-Length: "
      "12\r\n\r\n");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->request.method, "POST");
  EXPECT_EQ(head->request.path, "/mcp/a%20b");
  EXPECT_EQ(head->request.query, "x=1&y=?2");
  EXPECT_EQ(*head->request.headers.find("x-a"), "b");
  EXPECT_EQ(*head->request.headers.find("x-empty"), "");
  EXPECT_EQ(head->length, 12U);
  EXPECT_TRUE(head->keep_alive);
  EXPECT_FALSE(head->chunked);
  EXPECT_FALSE(head->http_1_0);
}

TEST(RequestHead, DecidesWhetherToKeepTheConnection) {
  const auto keeps = [](std::string_view version, std::string_view field) {
    const auto head = parse_request_head(concat("GET / ", version, "\r\nHost: a\r\n", field, "\r\n"));
    return head && head->keep_alive;
  };
  EXPECT_TRUE(keeps("HTTP/1.1", ""));
  EXPECT_FALSE(keeps("HTTP/1.1", "Connection: Close\r\n"));
  EXPECT_FALSE(keeps("HTTP/1.1", "Connection: foo, close\r\n"));
  EXPECT_FALSE(keeps("HTTP/1.0", ""));
  EXPECT_TRUE(keeps("HTTP/1.0", "Connection: Keep-Alive\r\n"));
}

TEST(RequestHead, UsesTheHostOfAnAbsoluteTarget) {
  const auto head =
      parse_request_head("GET HTTP://LocalHost:8080?q HTTP/1.1\r\nHost: localhost:8080\r\n\r\n");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->request.path, "/");
  EXPECT_EQ(head->request.query, "q");
  EXPECT_EQ(status_of("GET http://evil/ HTTP/1.1\r\nHost: localhost\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET http://localhost:1/ HTTP/1.1\r\nHost: localhost\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET http://localhost@evil/ HTTP/1.1\r\nHost: localhost@evil\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET http:/// HTTP/1.1\r\nHost: \r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET ftp://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n"), 400);
  const auto old = parse_request_head("GET http://evil/x HTTP/1.0\r\n\r\n");
  ASSERT_TRUE(old);
  EXPECT_EQ(*old->request.headers.find("host"), "evil");
}

TEST(RequestHead, RequiresExactlyOneValidHost) {
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a, b\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: u@a\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n"), 200);
  EXPECT_EQ(status_of("GET / HTTP/1.0\r\n\r\n"), 200);
}

TEST(RequestHead, RefusesBadRequestLines) {
  for (const std::string_view line :
       {"GET /"sv, "GET  / HTTP/1.1"sv, "GET / HTTP/1.1 "sv, " GET / HTTP/1.1"sv, "GET\t/ HTTP/1.1"sv,
        "GET / HTTP/1.1x"sv, "GET / http/1.1"sv, "GET / HTTP/11"sv, "G(T / HTTP/1.1"sv, "GET x HTTP/1.1"sv,
        "GET * HTTP/1.1"sv, "GET /a#b HTTP/1.1"sv, "GET /\xC3\xA9 HTTP/1.1"sv, "GET /\x01 HTTP/1.1"sv,
        "GET /\0 HTTP/1.1"sv, "GET / / HTTP/1.1"sv, ""sv, "\rGET / HTTP/1.1"sv})
    EXPECT_EQ(status_of(concat(line, "\r\nHost: a\r\n\r\n")), 400) << line;
  EXPECT_EQ(status_of("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), 505);
  EXPECT_EQ(status_of("PRI * HTTP/2.0\r\n\r\n"), 505);
  EXPECT_EQ(status_of("GET / HTTP/1.2\r\nHost: a\r\n\r\n"), 505);
  EXPECT_EQ(status_of("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n"), 501);
  EXPECT_EQ(status_of(concat(std::string(33, 'A'), " / HTTP/1.1\r\nHost: a\r\n\r\n")), 501);
  EXPECT_EQ(status_of("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"), 200);
}

TEST(RequestHead, RefusesBadFields) {
  for (const std::string_view field :
       {"X : 1\r\n"sv, " X: 1\r\n"sv, "\tX: 1\r\n"sv, "X: 1\r\n 2\r\n"sv, "X\r\n"sv, ": 1\r\n"sv,
        "X: a\0b\r\n"sv, "X: a\rb\r\n"sv, "X: \x01\r\n"sv, "X: \x7f\r\n"sv, "X Y: 1\r\n"sv, "X\xC3: 1\r\n"sv,
        "(X): 1\r\n"sv})
    EXPECT_EQ(status_with(field), 400) << field;
  EXPECT_EQ(status_with("X: caf\xC3\xA9\t!\r\n"), 200);
  std::string many;
  for (int i = 0; i < 127; ++i) many += "X: 1\r\n";
  EXPECT_EQ(status_with(many), 200);
  EXPECT_EQ(status_with(many + "X: 1\r\n"), 431);
}

TEST(RequestHead, RefusesRequestSmuggling) {
  for (const std::string_view fields : {"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"sv,
                                        "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n"sv,
                                        "Content-Length: 1\r\nContent-Length: 1\r\n"sv,
                                        "Content-Length: 1, 1\r\n"sv,
                                        "Content-Length: +1\r\n"sv,
                                        "Content-Length: -1\r\n"sv,
                                        "Content-Length: 0x1\r\n"sv,
                                        "Content-Length: 1 1\r\n"sv,
                                        "Content-Length:\r\n"sv,
                                        "Content-Length: 1e3\r\n"sv,
                                        "Content-Length: \xD9\xA1\r\n"sv,
                                        "Transfer-Encoding: gzip, chunked\r\n"sv,
                                        "Transfer-Encoding: chunked, chunked\r\n"sv,
                                        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"sv,
                                        "Transfer-Encoding: xchunked\r\n"sv,
                                        "Transfer-Encoding: \"chunked\"\r\n"sv,
                                        "Transfer-Encoding:\r\n"sv,
                                        "Transfer-Encoding: identity\r\n"sv,
                                        "Transfer-Encoding: chunked;q=1\r\n"sv,
                                        "Transfer-Encoding : chunked\r\n"sv,
                                        "Transfer-Encoding: \x0B"
                                        "chunked\r\n"sv})
    EXPECT_EQ(status_with(fields), 400) << fields;
  EXPECT_EQ(status_of("POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
  EXPECT_EQ(status_with("Content-Length: 99999999999999999999999\r\n"), 413);
  EXPECT_EQ(status_with("Transfer-Encoding:  Chunked \r\n"), 200);
}

TEST(RequestHead, RequiresALengthFromHttp10AndSupportsOneExpectation) {
  EXPECT_EQ(status_of("POST / HTTP/1.0\r\n\r\n"), 411);
  EXPECT_EQ(status_with(""), 200);
  EXPECT_EQ(status_with("Expect: 100-Continue\r\n"), 200);
  EXPECT_EQ(status_with("Expect: tea\r\n"), 417);
}

TEST(HeadScanner, FindsTheEndHoweverTheHeadIsSplit) {
  const std::string text = "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET";
  HeadScanner scanner;
  for (std::size_t size = 0; size < text.size() - 3; ++size) {
    const auto end = scanner.find_end(text.substr(0, size));
    ASSERT_TRUE(end);
    EXPECT_FALSE(*end) << size;
  }
  const auto end = scanner.find_end(text);
  ASSERT_TRUE(end);
  EXPECT_EQ(*end, text.size() - 3);
}

TEST(HeadScanner, RefusesALineFeedAlone) {
  for (const std::string_view text :
       {"GET / HTTP/1.1\n", "\n", "GET / HTTP/1.1\r\nA: b\n\n", "GET / HTTP/1.1\r\n\n"}) {
    HeadScanner scanner;
    EXPECT_FALSE(scanner.find_end(text)) << text;
  }
}

using namespace std::string_view_literals;

// The body and the unused rest, or the status of the refusal.
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

TEST(ChunkedBody, JoinsChunksHoweverTheyAreSplit) {
  expect_decoded("3\r\nabc\r\n00A\r\n0123456789\r\n0\r\n\r\n", "abc0123456789.");
  expect_decoded("0\r\n\r\n", ".");
}

TEST(ChunkedBody, LeavesTheBytesAfterTheBody) {
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

TEST(ChunkedBody, RefusesBodiesOverTheLimit) {
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
