#include "patch/splice.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace helve::patch {
namespace {

using Pieces = std::vector<std::string_view>;

// Round trip with the splice and the bytes that only one side has.
void expect_round_trip(const std::string& old_content, const Pieces& pieces) {
  const Splice splice = find_splice(old_content, pieces);
  const std::string new_content = join_pieces(pieces);
  ASSERT_EQ(splice.size(SpliceSide::kOld), old_content.size());
  ASSERT_EQ(splice.size(SpliceSide::kNew), new_content.size());
  const std::string_view old_view = old_content;
  const SpliceCut old_cut = cut_content(splice, SpliceSide::kOld, std::span(&old_view, 1));
  const SpliceCut new_cut = cut_content(splice, SpliceSide::kNew, pieces);
  EXPECT_EQ(join_pieces(old_cut.kept), join_pieces(new_cut.kept));
  EXPECT_EQ(join_pieces(turn_content(splice, SpliceSide::kOld, old_content, join_pieces(new_cut.changed))),
            new_content);
  EXPECT_EQ(join_pieces(turn_content(splice, SpliceSide::kNew, new_content, join_pieces(old_cut.changed))),
            old_content);
}

TEST(Splice, TrimsCommonEnds) {
  EXPECT_EQ(find_splice("one two three", Pieces{"one 2 three"}), (Splice{{{4, 3, 1}}, 6}));
  EXPECT_EQ(find_splice("same", Pieces{"sa", "", "me"}), (Splice{{}, 4}));
  EXPECT_EQ(find_splice("", Pieces{"new"}), (Splice{{{0, 0, 3}}, 0}));
  EXPECT_EQ(find_splice("old", Pieces{}), (Splice{{{0, 3, 0}}, 0}));
  EXPECT_EQ(find_splice("", Pieces{}), Splice{});
  // Prefix and suffix may not overlap.
  EXPECT_EQ(find_splice("aaa", Pieces{"aaaaa"}), (Splice{{{3, 0, 2}}, 0}));
  EXPECT_EQ(find_splice("aaaaa", Pieces{"aaa"}), (Splice{{{3, 2, 0}}, 0}));
}

TEST(Splice, RecognizesPiecesOfTheOldContentByAddress) {
  const std::string text = "one two three two one";
  const std::string_view old = text;
  const Pieces pieces{old.substr(0, 4), "2", old.substr(7, 7), "2", old.substr(17)};
  EXPECT_EQ(find_splice(text, pieces), (Splice{{{4, 3, 1}, {7, 3, 1}}, 4}));
  expect_round_trip(text, pieces);
  // Out of order, they are ordinary text.
  const Pieces swapped{old.substr(8), old.substr(0, 8)};
  expect_round_trip(text, swapped);
}

TEST(Splice, RoundTripsAnyContents) {
  std::mt19937 random(1);
  const auto text = [&](std::size_t most) {
    std::string result(random() % (most + 1), ' ');
    for (char& c : result) c = static_cast<char>('a' + random() % 3);
    return result;
  };
  for (int round = 0; round < 3000; ++round) {
    const std::string old_content = text(random() % 50 == 0 ? 20'000 : 30);
    std::vector<std::string> own;
    for (int i = 0; i < 8; ++i) own.push_back(text(6));
    Pieces pieces;
    for (std::size_t i = random() % 8; i > 0; --i) {
      const std::size_t at = random() % (old_content.size() + 1);
      pieces.push_back(random() % 2 == 0 ? std::string_view(own[i])
                                         : std::string_view(old_content).substr(at, random() % 40));
    }
    expect_round_trip(old_content, pieces);
  }
}

}  // namespace
}  // namespace helve::patch
