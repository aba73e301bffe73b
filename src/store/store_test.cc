// Tests that every implementation of Store must pass.
#include "store/store.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/strings.h"
#include "store/testing.h"

namespace helve::store {
namespace {

struct Kind {
  std::string name;
  std::function<Expected<std::unique_ptr<Store>>(const std::string& directory)> open;
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class StoreTest : public ::testing::TestWithParam<Kind> {
 protected:
  Store& store() {
    if (!store_) store_ = GetParam().open(directory_.path()).value();
    return *store_;
  }
  Snippets& snippets() { return store().snippets(); }
  SessionRecords& sessions() { return store().sessions(); }
  void reopen() { store_.reset(); }

  Snippet save(const SnippetDraft& draft) {
    auto saved = snippets().save(draft);
    if (!saved) ADD_FAILURE() << saved.error().message;
    return saved ? saved->snippet : Snippet{};
  }
  std::vector<std::string> found(const SnippetFilter& filter) {
    auto list = snippets().list(filter);
    if (!list) ADD_FAILURE() << list.error().message;
    if (!list) return {};
    EXPECT_EQ(list->total, list->snippets.size());
    return names_of(*list);
  }
  std::vector<std::string> matching(const std::string& query) { return found({.query = query}); }

  TestDirectory directory_;
  std::unique_ptr<Store> store_;
};

using Names = std::vector<std::string>;

TEST_P(StoreTest, LoadsSavedSnippetsAfterARestart) {
  const SnippetDraft draft{
      "retry", "for i in 1 2 3; do\n  try && break\ndone\n", "Three tries", "shellscript", {"loop", "net"}};
  const Snippet saved = save(draft);
  EXPECT_TRUE(saved.id.starts_with("snp_"));
  EXPECT_EQ(saved.created, saved.updated);
  reopen();
  EXPECT_EQ(snippets().load("retry").value(), saved);
  EXPECT_EQ(snippets().load(saved.id).value(), saved);
  EXPECT_EQ(saved.code, draft.code);
  EXPECT_EQ(saved.tags, draft.tags);
}

TEST_P(StoreTest, ReplacingASnippetKeepsItsIdAndCreationTime) {
  const Snippet first = save({.name = "a", .code = "one", .description = "first", .tags = {"x"}});
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  const auto second = snippets().save({.name = "a", .code = "two", .tags = {"y"}}).value();
  EXPECT_EQ(second.before, first);
  EXPECT_EQ(second.snippet.id, first.id);
  EXPECT_EQ(second.snippet.created, first.created);
  EXPECT_GT(second.snippet.updated, first.updated);
  EXPECT_EQ(second.snippet.description, "");
  EXPECT_EQ(snippets().load("a").value(), second.snippet);
  EXPECT_EQ(found({}), Names{"a"});
  // The words of the old code are no longer found.
  EXPECT_EQ(matching("one"), Names{});
  EXPECT_EQ(matching("two"), Names{"a"});
  EXPECT_EQ(found({.tags = {"x"}}), Names{});
}

TEST_P(StoreTest, APreviewSavesNothing) {
  save({.name = "a", .code = "one"});
  const auto preview = snippets().preview({.name = "a", .code = "two"}).value();
  EXPECT_EQ(preview.snippet.code, "two");
  EXPECT_EQ(preview.before->code, "one");
  ASSERT_TRUE(snippets().preview({.name = "b", .code = "x"}));
  EXPECT_EQ(snippets().load("a")->code, "one");
  EXPECT_EQ(found({}), Names{"a"});
}

TEST_P(StoreTest, ListsNewestFirstByTheLastSave) {
  for (const std::string name : {"a", "b", "c"}) save({.name = name, .code = name});
  save({.name = "a", .code = "again"});
  EXPECT_EQ(found({}), (Names{"a", "c", "b"}));
  const auto list = snippets().list({.most = 2}).value();
  EXPECT_EQ(names_of(list), (Names{"a", "c"}));
  EXPECT_EQ(list.total, 3U);
  EXPECT_EQ(list.snippets.front().bytes, 5U);
  EXPECT_EQ(list.snippets.front().lines, 1U);
}

TEST_P(StoreTest, FiltersByAllTagsAndLanguage) {
  save({.name = "a", .code = "1", .language = "python", .tags = {"Web", "http"}});
  save({.name = "b", .code = "2", .language = "cpp", .tags = {"http"}});
  EXPECT_EQ(found({.tags = {"http"}}), (Names{"b", "a"}));
  EXPECT_EQ(found({.tags = {"HTTP", "web"}}), Names{"a"});
  EXPECT_EQ(found({.languages = {"Python", "py"}}), Names{"a"});
  EXPECT_EQ(found({.tags = {"http"}, .languages = {"cpp"}}), Names{"b"});
  EXPECT_EQ(found({.tags = {"htt"}}), Names{});
  EXPECT_EQ(found({.tags = {"%"}}), Names{});
}

TEST_P(StoreTest, FindsWordsInNameDescriptionTagsAndCode) {
  save({.name = "camel", .code = "auto x = parseJson(text);"});
  save({.name = "snake_case_reader", .code = "def parse_json(text): pass"});
  save({.name = "third",
        .code = "x",
        .description = "Reads YAML documents",
        .language = "lua",
        .tags = {"config"}});
  EXPECT_EQ(matching("parse json"), (Names{"snake_case_reader", "camel"}));
  EXPECT_EQ(matching("parsejson"), (Names{"snake_case_reader", "camel"}));
  EXPECT_EQ(matching("PARSE_JSON"), (Names{"snake_case_reader", "camel"}));
  EXPECT_EQ(matching("case reader"), Names{"snake_case_reader"});
  EXPECT_EQ(matching("yaml"), Names{"third"});
  EXPECT_EQ(matching("config lua"), Names{"third"});
  EXPECT_EQ(matching("docu"), Names{"third"});  // a word prefix
  EXPECT_EQ(matching("json yaml"), Names{});    // all words must match
  EXPECT_EQ(matching("  "), (Names{"third", "snake_case_reader", "camel"}));
}

TEST_P(StoreTest, TreatsQueriesAsPlainText) {
  save({.name = "a", .code = "x = y => 100% of \"it\""});
  for (const std::string query :
       {"\"", "x AND", "NOT x", "name:x", "x*", "(x", "-x", "'; DROP TABLE snippets; --", "x^2", "{a b}",
        "NEAR(x y)", "%", "_", "\\", "*", "x + y"}) {
    const auto list = snippets().list({.query = query});
    EXPECT_TRUE(list) << query << ": " << (list ? "" : list.error().message);
  }
  EXPECT_EQ(matching("=>"), Names{"a"});  // operators match literally
  EXPECT_EQ(matching("==>"), Names{});
  EXPECT_EQ(matching("_"), Names{});
  EXPECT_EQ(found({}), Names{"a"});
}

TEST_P(StoreTest, FindsWordsOfOtherScripts) {
  save({.name = "größe", .code = "let größe = 数据库连接;"});
  EXPECT_EQ(matching("größe"), Names{"größe"});
  EXPECT_EQ(matching("据库"), Names{"größe"});
}

TEST_P(StoreTest, AcceptsUnusualNames) {
  const Names names{"'; DROP TABLE snippets; --",
                    "\"quoted\"",
                    "%",
                    "_",
                    "?",
                    ":name",
                    "../../etc/passwd",
                    "名前 🦀",
                    "a/b\\c",
                    "e\u0301",
                    "\u00e9",
                    "NULL",
                    "0"};
  for (const std::string& name : names) save({.name = name, .code = concat("code of ", name)});
  for (const std::string& name : names)
    EXPECT_EQ(snippets().load(name).value().code, concat("code of ", name));
  EXPECT_EQ(snippets().list({})->total, names.size());
  for (const std::string& name : names) EXPECT_TRUE(snippets().remove(name)) << name;
  EXPECT_EQ(snippets().list({})->total, 0U);
}

TEST_P(StoreTest, RejectsInvalidDrafts) {
  const auto message = [&](const SnippetDraft& draft) {
    const auto saved = snippets().save(draft);
    return saved ? std::string("saved") : saved.error().message;
  };
  EXPECT_EQ(message({.name = " ", .code = "x"}), "The snippet's name is empty.");
  EXPECT_EQ(message({.name = "a\nb", .code = "x"}),
            "The snippet's name or language has line breaks or control characters.");
  EXPECT_EQ(message({.name = "a", .code = ""}), "The snippet has no code.");
  EXPECT_EQ(message({.name = std::string(201, 'a'), .code = "x"}),
            "The snippet's name has 201 characters; the limit is 200.");
  EXPECT_EQ(message({.name = "a", .code = "\xff"}), "The snippet's code is not valid UTF-8.");
  EXPECT_EQ(message({.name = "a", .code = std::string(kMaxSnippetCode + 1, 'x')}),
            "The snippet's code has 8,388,609 bytes; the limit is 8,388,608.");
  EXPECT_EQ(message({.name = "a", .code = "x", .tags = Names(51, "t")}), "saved");  // duplicates count once
  const std::string id = snippets().load("a")->id;
  EXPECT_EQ(message({.name = id, .code = "x"}), concat(id, " is the id of a snippet and cannot be a name."));
}

TEST_P(StoreTest, StoresAMegabyteByteForByte) {
  std::string code;
  while (code.size() < (1U << 20)) code += concat("line ", code.size(), " with ünïcode and tabs\t\r\n");
  code.push_back('\0');
  code += "after a zero byte";
  save({.name = "large", .code = code});
  reopen();
  EXPECT_EQ(snippets().load("large").value().code, code);
  EXPECT_EQ(matching("ünïcode tabs"), Names{"large"});
  EXPECT_EQ(snippets().list({})->snippets.front().bytes, code.size());
}

TEST_P(StoreTest, SuggestsTheNearestNameForAMissingSnippet) {
  EXPECT_EQ(snippets().load("x").error().hint, "No snippets are saved yet. Save one with snippet_save.");
  save({.name = "parse-json", .code = "x"});
  save({.name = "read-file", .code = "x"});
  const Error error = snippets().load("parse-jsno").error();
  EXPECT_EQ(error.code, ErrorCode::kNotFound);
  EXPECT_EQ(error.message, "There is no snippet \"parse-jsno\".");
  EXPECT_EQ(error.hint, "Did you mean parse-json?");
  EXPECT_EQ(snippets().load("json parse").error().hint, "Did you mean parse-json?");
  EXPECT_EQ(snippets().remove("raed-file").error().hint, "Did you mean read-file?");
  EXPECT_EQ(snippets().load("quicksort").error().hint,
            "Use snippet_list to list or search the 2 saved snippets.");
}

TEST_P(StoreTest, RemovesASnippetCompletely) {
  const Snippet saved = save({.name = "a", .code = "unusualWord", .tags = {"t"}});
  EXPECT_EQ(snippets().remove("a").value(), saved);
  EXPECT_EQ(snippets().load(saved.id).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(matching("unusual"), Names{});
  EXPECT_EQ(found({.tags = {"t"}}), Names{});
  const Snippet again = save({.name = "a", .code = "b"});
  EXPECT_NE(again.id, saved.id);
  EXPECT_TRUE(snippets().remove(again.id));
}

TEST_P(StoreTest, ManyThreadsCanSaveConcurrently) {
  store();
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 10; ++i)
        EXPECT_TRUE(snippets().save({.name = concat("t", thread, "-", i), .code = "x"}));
    });

  threads.clear();
  EXPECT_EQ(snippets().list({})->total, 40U);
}

TEST_P(StoreTest, ASessionContinuesAfterARestart) {
  const auto created =
      sessions()
          .create({.title = "Fix it", .workspace = "/w", .model = "m1", .state = JsonObject{{"turn", 1}}})
          .value();
  EXPECT_TRUE(created.id.starts_with("ses_"));
  const std::string raw = "{\"b\": 1.50,  \"a\":\"\\u00e9\"}";  // spaces and key order must survive
  const auto after = sessions()
                         .append(created.id, {.events = {{"user", "{}"}, {"assistant", raw}},
                                              .after_seq = 0,
                                              .state = JsonObject{{"turn", 2}}})
                         .value();
  EXPECT_EQ(after.last_seq, 2U);
  reopen();
  EXPECT_EQ(sessions().load(created.id).value(), after);
  const auto events = sessions().events(created.id).value();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].seq, 1U);
  EXPECT_EQ(events[1].kind, "assistant");
  EXPECT_EQ(events[1].body, raw);
  EXPECT_EQ(sessions().events(created.id, 1).value().front(), events[1]);
  EXPECT_TRUE(sessions().events(created.id, 2)->empty());
}

TEST_P(StoreTest, AConflictingStepChangesNothing) {
  const std::string id = sessions().create({.title = "old"})->id;
  ASSERT_TRUE(sessions().append(id, {.events = {{"user", "1"}}, .after_seq = 0}));
  const auto lost = sessions().append(
      id, {.events = {{"user", "2"}}, .after_seq = 0, .title = "new", .state = JsonObject{{"x", 1}}});
  EXPECT_EQ(lost.error().code, ErrorCode::kConflict);
  EXPECT_EQ(lost.error().message,
            concat("Session ", id, " is at event 1, not 0: another process continued it."));
  const auto record = sessions().load(id).value();
  EXPECT_EQ(record.title, "old");
  EXPECT_EQ(record.state, Json(JsonObject()));
  EXPECT_EQ(sessions().events(id)->size(), 1U);
}

TEST_P(StoreTest, ReadsEventsInPortions) {
  const std::string id = sessions().create({})->id;
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(sessions().append(id, {.events = {{"e", std::string(1000, 'x')}}}));
  EXPECT_EQ(sessions().events(id, 0, 2)->size(), 2U);
  EXPECT_EQ(sessions().events(id, 0, 100, 2500)->size(), 2U);
  EXPECT_EQ(sessions().events(id, 0, 100, 10)->size(), 1U);  // at least one event
  EXPECT_EQ(sessions().events(id, 3)->front().seq, 4U);
}

TEST_P(StoreTest, ListsSessionsNewestFirst) {
  for (const std::string id : {"one", "two", "three"})
    ASSERT_TRUE(sessions().create(
        {.id = id, .title = "About 100% of " + id, .workspace = id == "two" ? "/b" : "/a"}));
  ASSERT_TRUE(sessions().append("one", {.events = {{"user", "x"}}}));
  const auto ids = [&](const SessionFilter& filter) {
    Names found;
    const auto list = sessions().list(filter).value();
    for (const SessionRecord& record : list.sessions) found.push_back(record.id);
    return found;
  };
  EXPECT_EQ(ids({}), (Names{"one", "three", "two"}));
  EXPECT_EQ(ids({.workspace = "/a"}), (Names{"one", "three"}));
  EXPECT_EQ(ids({.query = "100% of t"}), (Names{"three", "two"}));
  EXPECT_EQ(ids({.query = "10_%"}), Names{});
  EXPECT_EQ(ids({.most = 1, .skip = 1}), Names{"three"});
  EXPECT_EQ(sessions().list({.most = 1})->total, 3U);
}

TEST_P(StoreTest, RemovesSessionsWithTheirEventsAndSuggestsTheNearestId) {
  ASSERT_TRUE(sessions().create({.id = "blue-fox"}));
  ASSERT_TRUE(sessions().append("blue-fox", {.events = {{"user", "x"}}}));
  EXPECT_EQ(sessions().create({.id = "blue-fox"}).error().code, ErrorCode::kConflict);
  EXPECT_EQ(sessions().create({.id = "../x"}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(sessions().load("blue-fix").error().hint, "Did you mean blue-fox?");
  ASSERT_TRUE(sessions().remove("blue-fox"));
  EXPECT_EQ(sessions().events("blue-fox").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(sessions().remove("blue-fox").error().code, ErrorCode::kNotFound);
  ASSERT_TRUE(sessions().create({.id = "blue-fox"}));
  EXPECT_TRUE(sessions().events("blue-fox")->empty());
}

TEST_P(StoreTest, FindsActionsByWorkspaceAndWords) {
  ASSERT_TRUE(sessions().create({.id = "s1", .workspace = "/w"}));
  ASSERT_TRUE(sessions().create({.id = "s2", .workspace = "/v"}));
  const auto did = [&](const char* session, Action action) {
    ASSERT_TRUE(sessions().append(session, {.actions = {std::move(action)}}));
  };
  did("s1", {.kind = "call", .subject = "src/parser.cc", .text = "edit: parseJson"});
  did("s2", {.kind = "command", .subject = "make", .text = "make test"});
  did("s2", {.kind = "call", .subject = "src/parser.cc", .text = "write"});
  // A refused step records no actions.
  ASSERT_FALSE(sessions().append("s1", {.actions = {{.kind = "call"}}, .after_seq = 9}));
  const auto numbers = [&](const HistoryFilter& filter) {
    std::vector<std::uint64_t> found;
    const auto listed = store().history().find(filter).value();
    for (const HistoryEntry& entry : listed) found.push_back(entry.number);
    return found;
  };
  using Numbers = std::vector<std::uint64_t>;
  EXPECT_EQ(numbers({}), (Numbers{3, 2, 1}));
  EXPECT_EQ(numbers({.workspace = "/w"}), Numbers{1});
  EXPECT_EQ(numbers({.query = "parse json"}), Numbers{1});
  EXPECT_EQ(numbers({.query = "./src/Parser.cc."}), (Numbers{3, 1}));
  EXPECT_EQ(numbers({.query = "parse.cc"}), Numbers{});
  EXPECT_EQ(store().history().find({.most = 1})->front().action.text, "write");
  ASSERT_TRUE(sessions().remove("s2"));
  EXPECT_EQ(numbers({}), Numbers{1});
}

TEST_P(StoreTest, ABackupIsCompleteAndNeverOverwritten) {
  const Snippet saved = save({.name = "a", .code = "x"});
  const std::string path = directory_.at("copy.db");
  EXPECT_EQ(store().back_up(path).value(), path);
  EXPECT_EQ(store().back_up(path).error().code, ErrorCode::kConflict);
  ASSERT_TRUE(snippets().remove("a"));
  const std::string own = store().back_up().value();
  EXPECT_NE(own, path);
  EXPECT_TRUE(store().check()->problems.empty());
  EXPECT_EQ(store().check()->snippets, 0U);
}

INSTANTIATE_TEST_SUITE_P(All, StoreTest,
                         ::testing::Values(Kind{"Sqlite",
                                                [](const std::string& directory) {
                                                  return open_sqlite_store({.directory = directory});
                                                }},
                                           Kind{"SqliteWithoutFullTextSearch",
                                                [](const std::string& directory) {
                                                  return open_sqlite_store(
                                                      {.directory = directory, .full_text_search = false});
                                                }}),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace helve::store
