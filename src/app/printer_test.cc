#include "app/printer.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <string>
#include <utility>

#include "app/testing.h"
#include "base/file_io.h"

namespace helve::app {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

TEST(Wrap, BreaksAtSpacesAndIndentsTheRest) {
  EXPECT_EQ(wrap("", 20, 2), "");
  EXPECT_EQ(wrap("one two three", 9, 0), "one two\nthree");
  EXPECT_EQ(wrap("one two three", 9, 2), "one two\n  three") << "the first line begins after the indent, too";
  EXPECT_EQ(wrap("one\ntwo", 20, 2), "one\n  two");
  EXPECT_EQ(wrap("a word_that_is_longer_than_the_line b", 10, 1),
            "a\n word_that_is_longer_than_the_line\n b");
  EXPECT_EQ(wrap("äöü äöü äöü", 7, 0), "äöü äöü\näöü") << "counts characters, not bytes";
}

// The terminal's end that read_line reads, and the user's.
std::pair<UniqueFd, UniqueFd> typed(std::string_view text) {
  int ends[2];
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  EXPECT_TRUE(write_all(ends[1], text));
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

TEST(ReadLine, ReturnsOneLineAtATime) {
  auto [terminal, user] = typed("first\n\nlast");
  user.reset();
  EXPECT_EQ(read_line(terminal.get(), {}), "first");
  EXPECT_EQ(read_line(terminal.get(), {}), "\n") << "an empty line is not the end";
  EXPECT_EQ(read_line(terminal.get(), {}), "") << "without its line break it was not sent";
}

TEST(ReadLine, EndsOnAStopRequestAndAtItsLimit) {
  const auto [terminal, user] = typed("not yet");
  EXPECT_EQ(read_line(terminal.get(), {}, steady_clock::now() + milliseconds(1)), "");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(read_line(terminal.get(), stop.get_token()), "");
}

TEST(Printer, PaintsNothingIntoAFile) {
  std::optional<Printer> printer;
  int columns = 0;
  {
    const Redirected out(STDOUT_FILENO);
    const Redirected err(STDERR_FILENO);
    printer.emplace();
    columns = printer->columns();
  }
  EXPECT_FALSE(printer->out_is_terminal());
  EXPECT_EQ(printer->paint(Colour::kRed, "x"), "x");
  EXPECT_EQ(printer->paint_err(Colour::kBold, "x"), "x");
  EXPECT_EQ(columns, 100);
}

TEST(Printer, WritesToBothStreamsAndKeepsJsonAsItIs) {
  std::string result;
  std::string notes;
  bool failed = true;
  {
    const Redirected out(STDOUT_FILENO);
    const Redirected err(STDERR_FILENO);
    const Printer printer;
    printer.out("result\n");
    printer.out_json(R"({"a":"\u001b"})");
    printer.err("note\n");
    result = out.text();
    notes = err.text();
    failed = printer.out_failed();
  }
  EXPECT_EQ(result, "result\n{\"a\":\"\\u001b\"}\n");
  EXPECT_EQ(notes, "note\n");
  EXPECT_FALSE(failed);
}

TEST(Printer, NoticesAFullDiskButNotAReaderThatHasSeenEnough) {
  const Printer printer;
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  ::close(ends[0]);
  const auto before = std::signal(SIGPIPE, SIG_IGN);  // as in the program
  {
    const Redirected out(STDOUT_FILENO, UniqueFd(ends[1]));
    printer.out("to nobody");
  }
  std::signal(SIGPIPE, before);
  EXPECT_FALSE(printer.out_failed());
  {
    const Redirected out(STDOUT_FILENO, UniqueFd(::open("/dev/full", O_WRONLY | O_CLOEXEC)));
    printer.out("too much");
  }
  EXPECT_TRUE(printer.out_failed());
}

}  // namespace
}  // namespace helve::app
