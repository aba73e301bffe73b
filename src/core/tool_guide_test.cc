#include "core/tool_guide.h"

#include <gtest/gtest.h>

namespace helve::core {
namespace {

const Offers kAll = [](std::string_view) { return true; };

TEST(ToolGuide, NamesOnlyToolsThatAreThere) {
  EXPECT_EQ(intent_lines({}, {"grep", "edit"}),
            (std::vector<std::string>{"Find text in files → grep",
                                      "Change part of a file → read it first, then edit"}));
  EXPECT_TRUE(intent_lines({}, {}).empty());
}

TEST(ToolGuide, SettingsChangeAddAndTakeAwayLines) {
  GuideSettings guide;
  guide.intents = {{"Find text in files", "use my_search, never grep"},
                   {"Change part of a file", ""},
                   {"Call our service", "custom_api_call"},
                   {"Fly", "wings"}};
  EXPECT_EQ(intent_lines(guide, {"custom_api_call", "edit", "grep"}),
            (std::vector<std::string>{"Find text in files → use my_search, never grep",
                                      "Call our service → custom_api_call"}));
}

TEST(ToolGuide, AToolIsNamedAsAWordOnly) {
  GuideSettings guide;
  guide.intents = {{"Read it", "my_read"}};
  EXPECT_TRUE(intent_lines(guide, {"rea"}).empty());
  EXPECT_EQ(intent_lines(guide, {"my_read"}).size(), 1U);
}

TEST(ToolGuide, FallbacksAreDataThatSettingsChange) {
  EXPECT_EQ(fallbacks_of({}, "code_query", kAll), (std::vector<std::string>{"grep", "read"}));
  GuideSettings guide;
  guide.fallbacks = {{"code_query", {"find"}}, {"hover_info", {}}, {"exec", {"exec", "ask_user"}}};
  EXPECT_EQ(fallbacks_of(guide, "code_query", kAll), std::vector<std::string>{"find"});
  EXPECT_TRUE(fallbacks_of(guide, "hover_info", kAll).empty());
  EXPECT_EQ(fallbacks_of(guide, "exec", kAll), std::vector<std::string>{"ask_user"});
  EXPECT_EQ(fallback_lines({}, {"code_query", "grep"}), std::vector<std::string>{"code_query → grep"});
  EXPECT_EQ(fallback_lines({}, {"code_query", "find_symbols", "goto_definition", "grep", "read"}),
            (std::vector<std::string>{"code_query, find_symbols → grep, then read",
                                      "goto_definition → code_query, then grep"}));
}

TEST(ToolGuide, StatesTheOrderOfWorkAsFarAsTheToolsExist) {
  EXPECT_EQ(order_of_work({"edit", "find", "grep", "read", "write"}), "find/grep → read → edit/write");
  EXPECT_EQ(order_of_work({"grep", "read"}), "grep → read");
  EXPECT_EQ(order_of_work({"read"}), "");
}

TEST(ToolGuide, AnErrorSaysWhatToTryInsteadWhenAnotherToolCanHelp) {
  Error failed{ErrorCode::kUnavailable, "No parser.", "Install one."};
  add_fallbacks({}, "code_query", kAll, failed);
  EXPECT_EQ(failed.hint, "Install one. Try instead: grep, then read.");
  Error wrong{ErrorCode::kInvalidArgument, "query is missing"};
  add_fallbacks({}, "code_query", kAll, wrong);
  EXPECT_EQ(wrong.hint, "");
  Error denied{ErrorCode::kPermissionDenied, "no"};
  add_fallbacks({}, "code_query", kAll, denied);
  EXPECT_EQ(denied.hint, "");
  Error absent{ErrorCode::kNotFound, "There is no file x.cc.", "Did you mean y.cc?"};
  add_fallbacks({}, "code_query", kAll, absent);
  EXPECT_EQ(absent.hint, "Did you mean y.cc?");
  Error advised{ErrorCode::kUnavailable, "No parser.", "Use grep for its text."};
  add_fallbacks({}, "code_query", kAll, advised);
  EXPECT_EQ(advised.hint, "Use grep for its text.");
}

}  // namespace
}  // namespace helve::core
