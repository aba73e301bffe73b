#include "code/name_match.h"

#include <gtest/gtest.h>

namespace helve::code {
namespace {

std::string fit(std::string_view query, std::string_view name, std::string_view container = "") {
  const auto score = NameQuery(query).match(name, container);
  return score ? std::string(to_string(score->fit)) : "no";
}
int score(std::string_view query, std::string_view name) {
  const auto found = NameQuery(query).match(name, "");
  return found ? found->score : -1;
}

TEST(NameMatch, ExactComesBeforeEverything) {
  EXPECT_EQ(fit("parse", "parse"), "exact");
  EXPECT_EQ(fit("parse", "Parse"), "same letters");
  EXPECT_EQ(fit("get_user_name", "getUserName"), "same letters");
  EXPECT_EQ(fit("get user name", "getUserName"), "same letters");
}

TEST(NameMatch, PrefixHumpsPartsAndTypos) {
  EXPECT_EQ(fit("parse", "parseConfig"), "prefix");
  EXPECT_EQ(fit("SymInd", "SymbolIndex"), "humps");
  EXPECT_EQ(fit("si", "SymbolIndex"), "humps");
  EXPECT_EQ(fit("si", "symbol_index"), "humps");
  EXPECT_EQ(fit("hs", "HTTPServer"), "humps");
  EXPECT_EQ(fit("config", "parseConfig"), "part");
  EXPECT_EQ(fit("smblidx", "symbolIndex"), "loose");
  EXPECT_EQ(fit("parseCnofig", "parseConfig"), "typo");
  EXPECT_EQ(fit("render", "parseConfig"), "no");
  EXPECT_EQ(fit("si", "missing"), "no");  // two letters inside a word do not match
}

TEST(NameMatch, BetterFitsScoreHigher) {
  EXPECT_GT(score("parse", "parse"), score("parse", "Parse"));
  EXPECT_GT(score("parse", "Parse"), score("parse", "parseConfig"));
  EXPECT_GT(score("parse", "parseAll"), score("parse", "parseConfigurationFile"));
  EXPECT_GT(score("conf", "Config"), score("conf", "readConfig"));
  EXPECT_GT(score("config", "readConfig"), score("config", "reconfigure"));
}

TEST(NameMatch, ContainersNarrowItDown) {
  EXPECT_EQ(fit("Store.open", "open", "db.Store"), "exact");
  EXPECT_EQ(fit("Store::open", "open", "db::Store"), "exact");
  EXPECT_EQ(fit("store/open()", "open", "Store"), "exact");
  EXPECT_EQ(fit("Store.open", "open", "File"), "no");
  EXPECT_EQ(fit("Store.open", "open", "Restore"), "no");
}

TEST(NameMatch, AnEmptyQueryFindsNothing) {
  EXPECT_EQ(fit("", "open"), "no");
  EXPECT_EQ(fit("   ", "open"), "no");
  EXPECT_EQ(fit("___", "open"), "no");
}

TEST(NameMatch, LongNamesDoNotTakeExponentialTime) {
  const std::string name(300, 'a');
  std::string humps;
  for (int i = 0; i < 120; ++i) humps += "Aa";
  humps += "xb";  // all letters exist, but the last does not begin a word
  EXPECT_EQ(fit(std::string(40, 'a') + "b", humps), "no");
  EXPECT_EQ(fit(std::string(40, 'a'), name), "prefix");
}

TEST(NameMatch, FileNamesKeepTheirDots) {
  EXPECT_EQ(NameQuery::of_file("read.cc").match("read.cc", "")->fit, NameFit::kExact);
}

}  // namespace
}  // namespace helve::code
