#include "cli/flags.h"

#include <gtest/gtest.h>

#include "app/invocation.h"
#include "app/printer.h"

namespace helve::cli {
namespace {

struct Edit {
  std::string path;
  std::string old_text;
  bool replace_all = false;
  int limit = 3;
  std::vector<std::string> names;
  std::vector<std::string> tags;

  void describe(ParamSpec& p) {
    p.required("path", path, "File.");
    p.required("oldText", old_text, "Text.");
    p.optional("replaceAll", replace_all, "All.");
    p.optional("limit", limit, "Most.", {.min = 1});
    p.optional("names", names, "Names.");
    p.optional("tags", tags, "Tags.");
  }
};

ParsedFlags parse(std::vector<std::string> words) {
  return parse_flags(flags_of_tool(params_of<Edit>()), params_of<app::GlobalOptions>(), words);
}

std::vector<std::string> complaints(std::vector<std::string> words) {
  std::vector<std::string> lines;
  for (const Complaint& complaint : parse(std::move(words)).complaints)
    lines.push_back(complaint.path + " " + complaint.problem);
  return lines;
}

TEST(Flags, AcceptEveryUsualForm) {
  const ParsedFlags parsed = parse({"--path=a", "--old-text", "-x", "--replace-all", "--names", "p,q",
                                    "--names", "r", "--names", "[\"s\"]", "--limit=5"});
  EXPECT_TRUE(parsed.complaints.empty());
  EXPECT_EQ(to_text(parsed.values),
            R"({"path":"a","oldText":"-x","replaceAll":true,"names":["p,q","r","s"],"limit":5})");
  EXPECT_EQ(to_text(parse({"a", "b", "--no-replace-all"}).values),
            R"({"path":"a","oldText":"b","replaceAll":false})");
  EXPECT_EQ(to_text(parse({"--oldText", "b", "a"}).values), R"({"oldText":"b","path":"a"})");
  EXPECT_EQ(to_text(parse({"--", "--a", "-b"}).values), R"({"path":"--a","oldText":"-b"})");
}

TEST(Flags, TakeSeveralTagsWithCommas) {
  EXPECT_EQ(to_text(parse({"a", "b", "--tags", "p, q", "--tags", "r"}).values),
            R"({"path":"a","oldText":"b","tags":["p","q","r"]})");
}

TEST(Flags, FindGlobalOnesAmongTheirOwn) {
  const ParsedFlags parsed = parse({"a", "b", "--workspace", "/tmp", "--json"});
  EXPECT_TRUE(parsed.complaints.empty());
  EXPECT_EQ(to_text(parsed.globals), R"({"workspace":"/tmp","json":true})");
}

TEST(Flags, TakeValuesThatLookLikeFlagsAsTheyAre) {
  EXPECT_EQ(to_text(parse({"a", "--old-text", "-v"}).values), R"({"path":"a","oldText":"-v"})");
  EXPECT_EQ(to_text(parse({"a", "--old-text", "--set"}).values), R"({"path":"a","oldText":"--set"})");
  EXPECT_FALSE(parse({"a", "--old-text", "-h"}).help);
  EXPECT_TRUE(parse({"a", "-h"}).help);
  EXPECT_EQ(to_text(parse({"a", "b", "-v"}).globals), R"({"verbose":true})");
}

TEST(Flags, ReportAllMistakesAtOnce) {
  EXPECT_EQ(
      complaints({"a", "b", "--mode", "bogus"}),
      std::vector<std::string>{"--mode must be ask, accept-edits, plan, auto or full, but is \"bogus\""});
  EXPECT_EQ(
      complaints({"a", "b", "--bogus", "1", "--limit", "0"}),
      (std::vector<std::string>{"--bogus is not a known flag", "--limit must be at least 1, but is 0"}));
  EXPECT_EQ(complaints({"a", "b", "--limt=3\n4"}),
            std::vector<std::string>{"--limt is not a known flag; did you mean --limit?"});
  EXPECT_EQ(complaints({"a", "--- a/x\n+++ b/x = 1\n"}),
            std::vector<std::string>{"\"--- a/x…\" is text, not a flag; pass it on stdin with - (- <FILE), "
                                     "or write -- before it"});
  EXPECT_EQ(complaints({"a", "b", "--limt", "3", "--limit", "many"}),
            (std::vector<std::string>{"--limt is not a known flag; did you mean --limit?",
                                      "--limit must be a whole number, but is \"many\""}));
  EXPECT_EQ(complaints({"--limt=3", "a", "b", "c"}).size(), 2);  // also the word that is too many
  EXPECT_EQ(complaints({"a"}), std::vector<std::string>{"oldText is missing; it is required: Text."});
  EXPECT_EQ(complaints({"a", "b", "--limit", "0"}),
            std::vector<std::string>{"--limit must be at least 1, but is 0"});
  EXPECT_EQ(complaints({"a", "b", "--path"}), std::vector<std::string>{"--path needs a value"});
}

struct Change {
  std::string text;
  void describe(ParamSpec& p) { p.required("text", text, "Text."); }
};

struct ManyChanges {
  std::string path;
  std::string note;
  std::string other;
  std::vector<Change> edits;

  void describe(ParamSpec& p) {
    p.required("path", path, "File.");
    p.required("note", note, "Note.", {.whole_text = true});
    p.required("edits", edits, "Edits.");
    p.optional("other", other, "Other.", {.whole_text = true});
  }
};

class GivenElsewhere : public ::testing::Test {
 protected:
  ParsedFlags parse(std::vector<std::string> words) {
    const ReadText read = [&](const std::string& given) -> Expected<std::string> {
      asked_.push_back(given);
      if (given == "@nowhere") return fail(ErrorCode::kNotFound, "Cannot open nowhere.");
      return given == "-" ? stdin_ : R"([{"text": "from a file"}])";
    };
    return parse_flags(flags_of_tool(params_of<ManyChanges>()), params_of<app::GlobalOptions>(), words, read);
  }
  std::string complaint(std::vector<std::string> words) {
    const auto parsed = parse(std::move(words));
    if (parsed.complaints.size() != 1) return std::to_string(parsed.complaints.size());
    return parsed.complaints.front().path + " " + parsed.complaints.front().problem;
  }
  std::string stdin_;
  std::vector<std::string> asked_;
};

TEST_F(GivenElsewhere, ObjectsMayComeFromStdinOrAFile) {
  stdin_ = R"([{"text": "one"}, {"text": "two"}])";
  EXPECT_EQ(to_text(parse({"a", "b", "--edits", "-"}).values),
            R"({"path":"a","note":"b","edits":[{"text":"one"},{"text":"two"}]})");
  EXPECT_EQ(to_text(parse({"a", "@b", "--edits=@list.json"}).values),
            R"({"path":"a","note":"@b","edits":[{"text":"from a file"}]})");
  EXPECT_EQ(complaint({"a", "b", "--edits", "@nowhere"}), "--edits cannot be read: Cannot open nowhere.");
  stdin_ = R"([{"txt": "one"}])";
  EXPECT_EQ(parse({"a", "b", "--edits", "-"}).complaints.size(), 2);  // what is missing and what is unknown
  stdin_ = "[";
  EXPECT_TRUE(complaint({"a", "b", "--edits", "-"}).starts_with("--edits must be JSON."));
}

TEST_F(GivenElsewhere, OnlyOneTakesStdinAndOnlyWhenAllElseIsRight) {
  stdin_ = "words";
  EXPECT_EQ(to_text(parse({"-", "-", "--edits", "[]"}).values), R"({"path":"-","note":"words","edits":[]})");
  asked_.clear();
  EXPECT_EQ(complaint({"a", "-", "--edits", "-"}), "--edits cannot use stdin, which note uses already");
  EXPECT_EQ(complaint({"a", "-", "--edits", "[]", "--bogus"}), "--bogus is not a known flag");
  EXPECT_TRUE(parse({"a", "-", "--edits", "-", "--help"}).help);
  EXPECT_TRUE(asked_.empty());
}

struct Search {
  std::string pattern;
  std::string path = ".";
  int limit = 3;

  void describe(ParamSpec& p) {
    p.required("pattern", pattern, "Text.");
    p.optional("limit", limit, "Most.");
    p.optional("path", path, "Where.");
  }
};

TEST(Flags, TakeWordsForWhatIsRequiredAndForThePathOnly) {
  EXPECT_EQ(complaints({"a", "b", "c"}),
            std::vector<std::string>{
                R"("c" is an unexpected argument; oldText is a single argument, so quote it: 'b c')"});
  EXPECT_EQ(complaints({"a", "b", "7", "c", "--limit", "1"}),
            std::vector<std::string>{
                R"("7 c" are unexpected arguments; oldText is a single argument, so quote it: 'b 7 c')"});
  const FlagSet search = flags_of_tool(params_of<Search>());
  EXPECT_EQ(search.positionals, (std::vector<std::string>{"pattern", "path"}));
  const std::vector<std::string> words{"TODO", "src", "README.md"};
  const ParsedFlags parsed = parse_flags(search, params_of<app::GlobalOptions>(), words);
  EXPECT_EQ(to_text(parsed.values), R"({"pattern":"TODO","path":"src"})");
  ASSERT_EQ(parsed.complaints.size(), 1);
  EXPECT_EQ(parsed.complaints.front().path, "\"README.md\"");
  EXPECT_EQ(parsed.complaints.front().problem, "is an unexpected argument; path takes one file or directory");
}

TEST(Terminal, ShowsControlCharactersInsteadOfObeyingThem) {
  EXPECT_EQ(terminal::printable("a\x1b[2Jb\r\n\tc\x7f"), "a^[[2Jb^M\n\tc^?");
  EXPECT_EQ(terminal::printable("a\u009B1mb\u202Ec\xFF\U000E0041"), "a\uFFFD1mb\uFFFDc\uFFFD\uFFFD");
  EXPECT_EQ(terminal::printable_line("a\nb"), "a⏎b");
}

TEST(Terminal, WrapsAtSpaces) {
  EXPECT_EQ(app::wrap("one two three four", 12, 3), "one two\n   three\n   four");
}

}  // namespace
}  // namespace helve::cli
