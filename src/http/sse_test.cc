#include "http/sse.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace helve::http {
namespace {

std::string show(const SentEvent& event) {
  std::string text = event.event + "|" + event.data;
  if (event.id) text += "|id=" + *event.id;
  if (event.retry_ms) text += "|retry=" + std::to_string(*event.retry_ms);
  return text;
}

std::vector<std::string> read(std::string_view text, std::size_t piece_size) {
  std::vector<std::string> events;
  SseReader reader;
  for (std::size_t i = 0; i < text.size(); i += piece_size)
    EXPECT_TRUE(
        reader.feed(text.substr(i, piece_size), [&](SentEvent&& event) { events.push_back(show(event)); }));
  return events;
}

// Expects the same events however the bytes are split.
void expect_events(std::string_view text, const std::vector<std::string>& wanted) {
  for (std::size_t piece_size = 1; piece_size <= text.size(); ++piece_size)
    ASSERT_EQ(read(text, piece_size), wanted) << "in pieces of " << piece_size;
}

TEST(SseReader, ReadsEventsHoweverTheyAreSplit) {
  expect_events("event: a\ndata: 1\nid: 7\nretry: 250\n\ndata: 2\n\n", {"a|1|id=7|retry=250", "|2"});
}

TEST(SseReader, AcceptsAllLineEndings) {
  expect_events("data: 1\r\n\r\ndata: 2\r\rdata: 3\n\ndata: 4\r\n\ndata: 5\n\r\ndata: 6\r\r\n",
                {"|1", "|2", "|3", "|4", "|5", "|6"});
}

TEST(SseReader, JoinsLinesOfData) {
  expect_events("data: one\ndata:\ndata:  two\ndata\n\n", {"|one\n\n two\n"});
}

TEST(SseReader, SkipsOneByteOrderMarkAtTheStartOnly) {
  expect_events(
      "\xEF\xBB\xBF"
      "data: 1\n\n\xEF\xBB\xBF"
      "data: 2\n\n",
      {"|1"});
}

TEST(SseReader, IgnoresCommentsAndUnknownFields) {
  expect_events(": keep-alive\n\n:\ndata: x\nDATA: y\n data: z\ncolour: red\n\n", {"|x"});
}

TEST(SseReader, DeliversEmptyDataButNotMissingData) {
  expect_events("event: a\n\ndata:\n\nevent: b\nid: 1\n\ndata: c\n\n", {"|", "|c"});
}

TEST(SseReader, RemembersIdAndRetryOfAnEventWithoutData) {
  SseReader reader;
  EXPECT_FALSE(reader.last_id());
  ASSERT_TRUE(reader.feed("id: 12\nretry: 30\n\n", [](SentEvent&&) { FAIL(); }));
  EXPECT_EQ(reader.last_id(), "12");
  EXPECT_EQ(reader.retry_ms(), 30);
  ASSERT_TRUE(reader.feed("id\n", [](SentEvent&&) { FAIL(); }));
  EXPECT_EQ(reader.last_id(), "");
}

TEST(SseReader, IgnoresIdsWithNulAndInvalidRetries) {
  using namespace std::string_view_literals;
  expect_events("id: a\0b\ndata: 1\n\n"sv, {"|1"});
  for (const std::string retry : {"", "-1", "+1", "1e3", "1 ", "x", "99999999999999999999999"})
    expect_events("retry: " + retry + "\ndata: 1\n\n", {"|1"});
}

TEST(SseReader, OmitsAnUnfinishedEvent) { expect_events("data: 1\n\ndata: 2\n", {"|1"}); }

TEST(SseReader, StopsPermanentlyAtTheLimit) {
  const auto ignore = [](SentEvent&&) {};
  SseReader line(16);
  EXPECT_TRUE(line.feed("data: 0123456789", ignore));
  EXPECT_FALSE(line.feed("a", ignore));
  EXPECT_FALSE(line.feed("\n\n", ignore));
  EXPECT_FALSE(line.feed("data: 1\n\n", [](SentEvent&&) { FAIL(); }));
  SseReader lines(32);
  std::string many;
  for (int i = 0; i < 12; ++i) many += "data: 123\n";
  EXPECT_FALSE(lines.feed(many, ignore));
  // The limit applies to one event, not to the stream.
  SseReader stream(16);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(stream.feed("data: 12345\n\n", ignore));
}

TEST(SseWriter, WritesWhatTheReaderReads) {
  const SentEvent event{
      .event = "message", .data = "one\ntwo\r\nthree\rfour\n", .id = "a-1", .retry_ms = 500};
  EXPECT_EQ(to_text(event),
            "event: message\nid: a-1\nretry: 500\ndata: one\ndata: two\ndata: three\ndata: four\ndata: \n\n");
  EXPECT_EQ(read(to_text(event), 1),
            (std::vector<std::string>{"message|one\ntwo\nthree\nfour\n|id=a-1|retry=500"}));
  EXPECT_EQ(to_text({}), "data: \n\n");
  EXPECT_EQ(read(to_text({.data = "  leading"}), 3), (std::vector<std::string>{"|  leading"}));
}

TEST(SseWriter, PreventsFieldInjection) {
  EXPECT_EQ(to_text({.event = "a\ndata: evil\r\n", .data = "x"}), "event: a data: evil  \ndata: x\n\n");
  EXPECT_EQ(to_text({.data = "x", .id = "1\ndata: evil"}), "data: x\n\n");
  EXPECT_EQ(to_text({.data = "x", .id = std::string("1\0", 2)}), "data: x\n\n");
}

}  // namespace
}  // namespace helve::http
