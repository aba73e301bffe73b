#include "helve/params.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/json_parse.h"

namespace helve::settings {
namespace {

enum class Order { kPath, kNewest };
constexpr auto enum_names(Order) { return std::to_array<std::string_view>({"path", "newest"}); }

struct Edit {
  std::string old_text;
  std::string new_text;
  bool replace_all = false;

  void describe(ParamSpec& p) {
    p.required("oldText", old_text, "Text to replace.", {.min_length = 1});
    p.required("newText", new_text, "Text to put there.");
    p.optional("replaceAll", replace_all, "Replace all places.");
  }
};

struct Everything {
  std::string path;
  int limit = 2000;
  std::uint8_t small = 1;
  double ratio = 0.5;
  Order order = Order::kNewest;
  std::optional<int> maybe;
  std::vector<Edit> edits;
  std::map<std::string, std::string> variables;
  Json anything;
  std::string code;

  void describe(ParamSpec& p) {
    p.required("path", path, "File.", {.min_length = 1, .max_length = 20});
    p.optional("limit", limit, "Lines.", {.min = 1, .max = 5000});
    p.optional("small", small, "A byte.");
    p.optional("ratio", ratio, "A ratio.", {.min = 0, .max = 1});
    p.optional("order", order, "Order of results.");
    p.optional("maybe", maybe, "Perhaps a number.");
    p.optional("edits", edits, "Edits.", {.max_length = 3});
    p.optional("variables", variables, "Environment.");
    p.optional("anything", anything, "Any value.");
    p.optional("code", code, "A code.", {.pattern = "^[a-z]{3}$"});
  }
};

std::vector<Complaint> complaints_about(std::string_view json) {
  return validate(params_of<Everything>(), parse_json(json).value());
}

std::string only_complaint(std::string_view json) {
  const auto complaints = complaints_about(json);
  return complaints.size() == 1 ? complaints[0].path + " " + complaints[0].problem
                                : std::to_string(complaints.size()) + " complaints";
}

TEST(Params, FillEveryKindOfField) {
  const auto arguments =
      parse_json(R"({"path":"a.txt","limit":7,"small":255,"ratio":1,"order":"path","maybe":3,
      "edits":[{"oldText":"a","newText":"","replaceAll":true}],"variables":{"A":"1"},"anything":[null],"code":"abc"})");
  ASSERT_TRUE(validate(params_of<Everything>(), *arguments).empty());
  const auto params = fill_params<Everything>(*arguments);
  EXPECT_EQ(params.path, "a.txt");
  EXPECT_EQ(params.limit, 7);
  EXPECT_EQ(params.small, 255);
  EXPECT_EQ(params.ratio, 1.0);
  EXPECT_EQ(params.order, Order::kPath);
  EXPECT_EQ(params.maybe, 3);
  ASSERT_EQ(params.edits.size(), 1U);
  EXPECT_TRUE(params.edits[0].replace_all);
  EXPECT_EQ(params.variables.at("A"), "1");
  EXPECT_EQ(params.anything, Json(JsonArray{Json()}));
}

TEST(Params, KeepDefaultsForWhatIsLeftOut) {
  const auto params = fill_params<Everything>(JsonObject{{"path", "x"}});
  EXPECT_EQ(params.limit, 2000);
  EXPECT_EQ(params.order, Order::kNewest);
  EXPECT_FALSE(params.maybe);
}

TEST(Params, ReportAllProblemsAtOnceWithTheirPaths) {
  const auto complaints = complaints_about(
      R"({"limit":0,"edits":[{"oldText":"a","newText":"b"},{"oldText":"","newTxt":"b"}],"bogus":1})");
  std::vector<std::string> lines;
  for (const Complaint& complaint : complaints) lines.push_back(complaint.path + " " + complaint.problem);
  EXPECT_EQ(lines,
            (std::vector<std::string>{
                "path is missing; it is required: File.",
                "limit must lie between 1 and 5000, but is 0",
                "edits[1].oldText must not be empty",
                "edits[1].newText is missing; it is required: Text to put there.",
                "edits[1].newTxt is not a known parameter; did you mean newText?",
                "bogus is not a known parameter; known are path, limit, small, ratio, order, maybe, edits, "
                "variables, anything and code",
            }));
}

TEST(Params, RefuseWrongTypesWithoutGuessing) {
  EXPECT_EQ(only_complaint(R"({"path":5})"), "path must be a string, but is 5");
  EXPECT_EQ(only_complaint(R"({"path":"x","limit":"7"})"),
            "limit must be a whole number, but is \"7\"; write it without the quotes");
  EXPECT_EQ(only_complaint(R"({"path":"x","limit":7.5})"), "limit must be a whole number, but is 7.5");
  EXPECT_EQ(only_complaint(R"({"path":"x","limit":null})"),
            "limit must be a whole number, but is null; omit it instead");
  EXPECT_EQ(only_complaint(R"({"path":"x","edits":{}})"), "edits must be an array, but is an object");
  EXPECT_EQ(only_complaint(R"([])"), " must be an object, but is an array");
}

struct Save {
  std::string code;
  std::vector<std::string> tags;
  std::vector<Edit> edits;

  void describe(ParamSpec& p) {
    p.required("code", code, "The code.");
    p.optional("tags", tags, "Words.");
    p.optional("edits", edits, "Edits.");
  }
};

std::vector<std::string> problems_of_save(std::string_view json) {
  std::vector<std::string> lines;
  for (const Complaint& complaint : validate(params_of<Save>(), parse_json(json).value()))
    lines.push_back(complaint.path + " " + complaint.problem);
  return lines;
}

TEST(Params, ShowHowAListIsWritten) {
  EXPECT_EQ(
      problems_of_save(R"({"code":"x","tags":"net, http"})"),
      std::vector<std::string>{R"(tags must be an array, but is "net, http"; write it as ["net", "http"])"});
  EXPECT_EQ(
      problems_of_save(R"({"code":"x","tags":"[\"net\"]"})"),
      std::vector<std::string>{R"(tags must be an array, but is "[\"net\"]"; write it without the quotes)"});
  EXPECT_EQ(problems_of_save(R"({"code":"x","edits":"all"})"),
            std::vector<std::string>{R"(edits must be an array, but is "all"; write it as […])"});
}

TEST(Params, KnowWhatOthersCallTheSame) {
  const std::string missing = "code is missing; it is required: The code.";
  EXPECT_EQ(problems_of_save(R"({"content":"x"})"),
            (std::vector<std::string>{missing, "content is not a known parameter; did you mean code?"}));
  // One thing is missing and another left over.
  EXPECT_EQ(problems_of_save(R"({"zzz":"x"})"),
            (std::vector<std::string>{missing, "zzz is not a known parameter; did you mean code?"}));
  EXPECT_EQ(
      problems_of_save(R"({"zzz":7})"),
      (std::vector<std::string>{missing, "zzz is not a known parameter; known are code, tags and edits"}));
  std::vector<std::string> lines;
  for (const Complaint& complaint :
       validate(params_of<Edit>(), parse_json(R"({"old_string":"a","new_str":"b","Replace_All":1})").value()))
    lines.push_back(complaint.path + " " + complaint.problem);
  EXPECT_EQ(lines,
            (std::vector<std::string>{"oldText is missing; it is required: Text to replace.",
                                      "newText is missing; it is required: Text to put there.",
                                      "old_string is not a known parameter; did you mean oldText?",
                                      "new_str is not a known parameter; did you mean newText?",
                                      "Replace_All is not a known parameter; did you mean replaceAll?"}));
}

TEST(Params, AcceptAWholeNumberWrittenWithAPoint) {
  EXPECT_TRUE(complaints_about(R"({"path":"x","limit":7.0})").empty());
}

TEST(Params, RefuseOverflow) {
  EXPECT_EQ(only_complaint(R"({"path":"x","small":256})"), "small must lie between 0 and 255, but is 256");
  EXPECT_EQ(only_complaint(R"({"path":"x","small":-1})"), "small must lie between 0 and 255, but is -1");
  EXPECT_EQ(only_complaint(R"({"path":"x","maybe":2147483648})"),
            "maybe must lie between -2147483648 and 2147483647, but is 2147483648");
  EXPECT_EQ(only_complaint(R"({"path":"x","maybe":1e300})").substr(0, 22), "maybe must lie between");
  EXPECT_EQ(only_complaint(R"({"path":"x","limit":18446744073709551615})"),
            "limit must lie between 1 and 5000, but is 18446744073709551615");
}

TEST(Params, RefuseNumbersThatAreNone) {
  const auto complaints =
      validate(params_of<Everything>(), JsonObject{{"path", "x"}, {"ratio", std::nan("")}});
  ASSERT_EQ(complaints.size(), 1U);
  EXPECT_EQ(complaints[0].path, "ratio");
}

TEST(Params, SuggestTheEnumValueThatWasMeant) {
  EXPECT_EQ(only_complaint(R"({"path":"x","order":"newst"})"),
            "order must be path or newest, but is \"newst\"; did you mean newest?");
}

TEST(Params, CountCharactersNotBytes) {
  EXPECT_TRUE(complaints_about(R"({"path":"ääääääääääääääääääää"})").empty());
  EXPECT_EQ(only_complaint(R"({"path":"ääääääääääääääääääääX"})"),
            "path must have at most 20 characters, but has 21");
}

TEST(Params, CheckPatterns) {
  EXPECT_EQ(only_complaint(R"({"path":"x","code":"ABC"})"), "code must match ^[a-z]{3}$, but is \"ABC\"");
  EXPECT_TRUE(only_complaint(R"({"path":"x","code":")" + std::string(100'000, 'a') + "\"}")
                  .starts_with("code must match ^[a-z]{3}$"));
}

TEST(Params, RefuseInvalidUtf8FromProgramsToo) {
  EXPECT_EQ(validate(params_of<Everything>(), JsonObject{{"path", std::string("\xFF")}})[0].problem,
            "is not valid UTF-8 (byte 1)");
}

TEST(Params, DoNotWriteABookAboutAHostileCall) {
  JsonObject hostile{{"path", "x"}};
  for (int i = 0; i < 10'000; ++i) hostile.append("unknown" + std::to_string(i), 1);
  EXPECT_EQ(validate(params_of<Everything>(), hostile).size(), 50U);
}

TEST(Params, BecomeJsonSchema) {
  EXPECT_EQ(
      to_text(params_of<Edit>().to_schema()),
      R"({"type":"object","properties":{"oldText":{"type":"string","minLength":1,"description":"Text to replace."},)"
      R"("newText":{"type":"string","description":"Text to put there."},)"
      R"("replaceAll":{"type":"boolean","description":"Replace all places."}},)"
      R"("required":["oldText","newText"],"additionalProperties":false})");
  const Json schema = params_of<Everything>().to_schema();
  const Json* properties = schema.find("properties");
  EXPECT_EQ(
      to_text(*properties->find("order")),
      R"({"type":"string","enum":["path","newest"],"description":"Order of results.","default":"newest"})");
  EXPECT_EQ(to_text(*properties->find("variables")),
            R"({"type":"object","additionalProperties":{"type":"string"},"description":"Environment."})");
  EXPECT_EQ(to_text(*properties->find("limit")),
            R"({"type":"integer","minimum":1,"maximum":5000,"description":"Lines.","default":2000})");
  EXPECT_EQ(to_text(*properties->find("anything")), R"({"description":"Any value."})");
}

TEST(Params, ShowTheirValues) {
  Edit edit;
  edit.old_text = "a";
  EXPECT_EQ(to_text(show_params(edit)), R"({"oldText":"a","newText":"","replaceAll":false})");
}

}  // namespace
}  // namespace helve::settings
