// The four tools about snippets, through the whole path.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "tools/testing.h"

namespace helve {
namespace {

class SnippetTest : public testing::ToolTest {
 protected:
  Json data(const std::string& tool, JsonObject arguments) {
    const Answer answer = call(tool, std::move(arguments));
    EXPECT_TRUE(answer.ok()) << answer.result.error().message;
    return answer.ok() ? answer.result->data : Json();
  }
  std::string text(const Json& data, std::string_view key) { return data.find(key)->as_string(); }
};

TEST_F(SnippetTest, SavesAndLoadsByNameAndId) {
  const Answer saved = call("snippet_save", {{"name", "retry"},
                                             {"code", "for i in range(3):\n    pass\n"},
                                             {"description", "Three tries"},
                                             {"language", "Python"},
                                             {"tags", JsonArray{"loop"}}});
  ASSERT_TRUE(saved.ok()) << saved.result.error().message;
  EXPECT_EQ(saved.result->summary, "retry saved (Python, 2 lines)");
  const std::string id = text(saved.result->data, "id");
  const Json loaded = data("snippet_load", {{"name", "retry"}});
  EXPECT_EQ(text(loaded, "code"), "for i in range(3):\n    pass\n");
  EXPECT_EQ(text(loaded, "language"), "Python");
  EXPECT_EQ(*loaded.find("tags"), Json(JsonArray{"loop"}));
  EXPECT_EQ(data("snippet_load", {{"name", id}}), loaded);
  EXPECT_EQ(data("snippet_load", {{"id", id}}), loaded);
  EXPECT_EQ(call("snippet_load", {{"name", "retry"}}).result->summary,
            "retry (Python, 2 lines): Three tries");
  EXPECT_EQ(content("snippet_load", {{"name", "retry"}}), "for i in range(3):\n    pass\n");
}

TEST_F(SnippetTest, TheSameNameReplacesAndKeepsIdAndCreation) {
  const Json first = data("snippet_save", {{"name", "a"}, {"code", "1"}});
  const Answer second = call("snippet_save", {{"name", "a"}, {"code", "2"}});
  EXPECT_EQ(second.result->summary, "a replaced (1 line)");
  EXPECT_EQ(*second.result->data.find("id"), *first.find("id"));
  EXPECT_EQ(*second.result->data.find("created"), *first.find("created"));
  EXPECT_EQ(*second.result->data.find("replaced"), Json(true));
  EXPECT_EQ(content("snippet_load", {{"name", "a"}}), "2");
}

TEST_F(SnippetTest, GuessesTheLanguageWhereThatIsEasy) {
  const auto language = [&](const std::string& name, const std::string& code) {
    return text(data("snippet_save", {{"name", name}, {"code", code}}), "language");
  };
  EXPECT_EQ(language("a", "#!/usr/bin/env python3\n"), "python");
  EXPECT_EQ(language("b.rs", "fn main() {}"), "rust");
  EXPECT_EQ(language("c", "```js\nlet x;\n```"), "javascript");
  EXPECT_EQ(language("d", "anything"), "");
}

TEST_F(SnippetTest, ListsByTagsLanguageAndWords) {
  data("snippet_save",
       {{"name", "one"}, {"code", "parseJson()"}, {"language", "py"}, {"tags", JsonArray{"x", "y"}}});
  data("snippet_save", {{"name", "two"}, {"code", "b"}, {"language", "C++"}, {"tags", JsonArray{"x"}}});
  const Answer all = call("snippet_list", {});
  EXPECT_EQ(all.result->summary, "2 snippets");
  EXPECT_EQ(all.result->content, "two  (C++, 1 line)  #x\none  (py, 1 line)  #x #y\n");
  EXPECT_EQ(*all.result->data.find("count"), Json(2));
  EXPECT_EQ(content("snippet_list", {{"tags", JsonArray{"x", "y"}}}), "one  (py, 1 line)  #x #y\n");
  EXPECT_EQ(content("snippet_list", {{"language", "python"}}), "one  (py, 1 line)  #x #y\n");
  EXPECT_EQ(content("snippet_list", {{"language", "cpp"}}), "two  (C++, 1 line)  #x\n");
  EXPECT_EQ(content("snippet_list", {{"query", "parse json"}}), "one  (py, 1 line)  #x #y\n");
  EXPECT_EQ(call("snippet_list", {{"query", "nothing"}}).result->summary, "0 snippets");
}

TEST_F(SnippetTest, AListIsBounded) {
  for (int i = 0; i < 103; ++i) data("snippet_save", {{"name", concat("n", i)}, {"code", "x"}});
  const Answer list = call("snippet_list", {});
  EXPECT_EQ(list.result->summary, "103 snippets, the newest 100");
  EXPECT_TRUE(list.result->truncated);
  EXPECT_EQ(list.result->data.find("snippets")->as_array().size(), 100U);
  EXPECT_TRUE(list.result->content.ends_with("… and 3 older; narrow it with query, tags or language.\n"));
}

TEST_F(SnippetTest, AMissingOneNamesTheNearest) {
  data("snippet_save", {{"name", "read-lines"}, {"code", "x"}});
  const Error missing = error("snippet_load", {{"name", "raed-lines"}});
  EXPECT_EQ(missing.code, ErrorCode::kNotFound);
  EXPECT_EQ(missing.hint, "Did you mean read-lines?");
  EXPECT_EQ(error("snippet_delete", {{"name", "raed-lines"}}).hint, "Did you mean read-lines?");
  EXPECT_EQ(error("snippet_load", {}).code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error("snippet_load", {}).message, ::testing::HasSubstr("name is missing"));
  EXPECT_EQ(error("snippet_load", {{"name", "a"}, {"id", "b"}}).code, ErrorCode::kInvalidArgument);
}

TEST_F(SnippetTest, DeletesAndGivesBackWhatWasThere) {
  data("snippet_save", {{"name", "a"}, {"code", "precious"}});
  const Answer removed = call("snippet_delete", {{"name", "a"}});
  EXPECT_EQ(removed.result->summary, "a removed");
  EXPECT_EQ(text(removed.result->data, "code"), "precious");
  EXPECT_EQ(error("snippet_load", {{"name", "a"}}).code, ErrorCode::kNotFound);
}

TEST_F(SnippetTest, DryRunsChangeNothing) {
  const Answer saved = call("snippet_save", {{"name", "a"}, {"code", "1"}, {"dryRun", true}});
  EXPECT_EQ(saved.result->summary, "Dry run: a saved (1 line)");
  EXPECT_EQ(call("snippet_list", {}).result->summary, "0 snippets");
  data("snippet_save", {{"name", "a"}, {"code", "1"}});
  EXPECT_EQ(call("snippet_delete", {{"name", "a"}, {"dryRun", true}}).result->summary, "Dry run: a removed");
  EXPECT_EQ(call("snippet_save", {{"name", "a"}, {"code", "2"}, {"dryRun", true}}).result->summary,
            "Dry run: a replaced (1 line)");
  EXPECT_EQ(content("snippet_load", {{"name", "a"}}), "1");
}

TEST_F(SnippetTest, PlanModeReadsAndDoesNotSave) {
  options_.settings.mode = Mode::kPlan;
  EXPECT_EQ(error("snippet_save", {{"name", "a"}, {"code", "1"}}).code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(error("snippet_delete", {{"name", "a"}}).code, ErrorCode::kPermissionDenied);
  EXPECT_TRUE(call("snippet_list", {}).ok());
}

TEST_F(SnippetTest, CodeStaysOutOfTheAudit) {
  data("snippet_save", {{"name", "a"}, {"code", "very_private_code"}});
  std::ifstream audit(directory_.at("state/audit.jsonl"));
  const std::string records(std::istreambuf_iterator<char>(audit), {});
  EXPECT_THAT(records, ::testing::HasSubstr("snippet_save"));
  EXPECT_THAT(records, ::testing::Not(::testing::HasSubstr("very_private_code")));
}

TEST_F(SnippetTest, TheStoreIsOutOfReachForOtherTools) {
  options_.data_directory = path("data");
  data("snippet_save", {{"name", "a"}, {"code", "1"}});
  ASSERT_TRUE(exists("data/store/helve.db"));
  EXPECT_EQ(error("write", {{"path", "data/store/helve.db"}, {"content", "x"}}).code,
            ErrorCode::kPermissionDenied);
  const std::string seen = content("exec", {{"command", "cat data/store/helve.db; echo x > data/store/y"}});
  EXPECT_THAT(seen, ::testing::Not(::testing::HasSubstr("SQLite")));
  EXPECT_FALSE(exists("data/store/y"));
  EXPECT_TRUE(call("snippet_load", {{"name", "a"}}).ok());
}

TEST_F(SnippetTest, ReportsDamageOnEveryCallUntilItIsRepaired) {
  data("snippet_save", {{"name", "a"}, {"code", "1"}});
  restart();
  std::ofstream(directory_.at("data/store/helve.db"), std::ios::trunc)
      << "not a database, not at all, not even close";
  for (int i = 0; i < 2; ++i) {
    const Error damaged = error("snippet_save", {{"name", "b"}, {"code", "1"}});
    EXPECT_EQ(damaged.code, ErrorCode::kUnavailable);
    EXPECT_THAT(damaged.message, ::testing::HasSubstr("was found damaged"));
    EXPECT_THAT(damaged.hint, ::testing::HasSubstr("helve snippets restore"));
  }
  EXPECT_TRUE(call("ls", {{"path", "."}}).ok());  // the rest goes on
}

}  // namespace
}  // namespace helve
