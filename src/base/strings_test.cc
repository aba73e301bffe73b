#include "base/strings.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "base/clock.h"
#include "base/sha256.h"
#include "base/utf8.h"

namespace helve {
namespace {

TEST(Strings, ConvertsNamesToSnakeAndKebabCase) {
  EXPECT_EQ(to_snake_case("ReadFile"), "read_file");
  EXPECT_EQ(to_snake_case("LS"), "ls");
  EXPECT_EQ(to_snake_case("HTTPServer"), "http_server");
  EXPECT_EQ(to_kebab_case("oldText"), "old-text");
  EXPECT_EQ(to_kebab_case("max_results"), "max-results");
}

TEST(Strings, NearestFindsMisspelledNames) {
  const std::vector<std::string> tools{"read", "write", "edit", "multi_edit", "find", "grep", "ls", "exec"};
  EXPECT_EQ(nearest("read_file", tools), std::vector<std::string>{"read"});
  EXPECT_EQ(nearest("raed", tools), std::vector<std::string>{"read"});
  EXPECT_EQ(nearest("Grep", tools), std::vector<std::string>{"grep"});
  EXPECT_EQ(nearest("zzz", tools), std::vector<std::string>{});
  const std::vector<std::string> parameters{"oldText", "newText", "path"};
  EXPECT_EQ(nearest("old_text", parameters), std::vector<std::string>{"oldText"});
}

TEST(Strings, FormatsCountsAndLists) {
  EXPECT_EQ(count_of(1, "file"), "1 file");
  EXPECT_EQ(count_of(1234, "match", "matches"), "1,234 matches");
  EXPECT_EQ(enumerate(std::vector<std::string>{"a", "b", "c"}), "a, b and c");
}

TEST(Utf8, CutsOnlyBetweenCharacters) {
  EXPECT_EQ(utf8_prefix("aé", 2), "a");
  EXPECT_EQ(utf8_suffix("é€", 4), "€");
  EXPECT_EQ(utf8_prefix(std::string_view("\x80\x80\x80\x80\x80\x80\x80\x80", 8), 7).size(), 3U);
  EXPECT_EQ(to_valid_utf8("ok \xC3\x28"), "ok \xEF\xBF\xBD(");
}

TEST(Clock, WritesUtcWithMilliseconds) {
  const auto at = [](std::int64_t milliseconds) {
    return utc_timestamp(std::chrono::system_clock::time_point(std::chrono::milliseconds(milliseconds)));
  };
  EXPECT_EQ(at(1'000'000'000'123), "2001-09-09T01:46:40.123Z");
  EXPECT_EQ(at(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(at(-1), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(at(1'709'207'999'007), "2024-02-29T11:59:59.007Z");
}

TEST(Clock, IdsDiffer) { EXPECT_NE(random_id("call"), random_id("call")); }

// A forked child must not repeat its parent's ids, because ids name temporary files.
TEST(Clock, IdsDifferAfterAFork) {
  EXPECT_NE(random_id("first"), "");
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(::pipe(pipe_ends.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string id = random_id("id");
    ::_exit(::write(pipe_ends[1], id.data(), id.size()) == static_cast<ssize_t>(id.size()) ? 0 : 1);
  }
  ::waitpid(child, nullptr, 0);
  std::string childs(19, ' ');
  ASSERT_EQ(::read(pipe_ends[0], childs.data(), childs.size()), 19);
  EXPECT_TRUE(childs.starts_with("id_"));
  EXPECT_NE(childs, random_id("id"));
  ::close(pipe_ends[0]);
  ::close(pipe_ends[1]);
}

TEST(Sha256, MatchesTheKnownVector) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const std::string million(1'000'000, 'a');
  EXPECT_EQ(sha256_hex(million), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  Sha256 in_pieces;
  for (std::size_t at = 0; at < million.size(); at += 777)
    in_pieces.add(std::string_view(million).substr(at, 777));
  EXPECT_EQ(in_pieces.hex(), sha256_hex(million));
}

}  // namespace
}  // namespace helve
