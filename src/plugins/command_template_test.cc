#include "plugins/command_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"

namespace helve::plugins {
namespace {

using Words = std::vector<std::string>;

PluginParameter parameter(const std::string& name, ParameterType type) {
  PluginParameter made;
  made.name = name;
  made.type = type;
  return made;
}

class CommandTemplateTest : public ::testing::Test {
 protected:
  CommandTemplateTest() {
    tool_.parameters = {parameter("text", ParameterType::kString), parameter("path", ParameterType::kPath),
                        parameter("count", ParameterType::kInteger),
                        parameter("all", ParameterType::kBoolean), parameter("files", ParameterType::kArray)};
    tool_.parameters[3].flag = "--all";
    tool_.parameters[4].items = ParameterType::kPath;
  }
  Words filled(std::vector<Json> command, const JsonObject& arguments) {
    tool_.command = std::move(command);
    const auto made = CommandTemplate::parse(tool_);
    if (!made) return {"cannot parse: " + made.error().message};
    const auto filled = made->fill(arguments);
    return filled ? filled->arguments : Words{filled.error().message};
  }

  PluginTool tool_;
};

TEST_F(CommandTemplateTest, ValuesStayWithinTheirArgument) {
  for (const std::string nasty :
       {"a b", "$(rm -rf /)", "`x`", "; x", "' \" \\", "a\nb", "{path}", "{{", "*", "", "%s"})
    EXPECT_EQ(filled({"p", "{text}", "x={text}."}, {{"text", nasty}}),
              (Words{"p", nasty, "x=" + nasty + "."}));
}

TEST_F(CommandTemplateTest, AllowsLiteralBraces) {
  EXPECT_EQ(filled({"jq", "{{a: {text}}}"}, {{"text", "1"}}), (Words{"jq", "{a: 1}"}));
}

TEST_F(CommandTemplateTest, FillsNumbersFlagsAndArrays) {
  EXPECT_EQ(filled({"p", "-n{count}", "{all}", "{files}"},
                   {{"count", -3}, {"all", true}, {"files", JsonArray{"a", "-b"}}}),
            (Words{"p", "-n-3", "--all", "a", "./-b"}));
  EXPECT_EQ(filled({"p", "{all}", "{files}"}, {{"all", false}, {"files", JsonArray{}}}), Words{"p"});
}

TEST_F(CommandTemplateTest, OmitsGroupsWithoutAValue) {
  const std::vector<Json> command{"p", JsonArray{"--max", "{count}"}, "{text}", "end"};
  EXPECT_EQ(filled(command, {}), (Words{"p", "end"}));
  EXPECT_EQ(filled(command, {{"count", 2}, {"text", "x"}}), (Words{"p", "--max", "2", "x", "end"}));
  tool_.parameters[2].default_value = 7;
  EXPECT_EQ(filled(command, {}), (Words{"p", "--max", "7", "end"}));
}

TEST_F(CommandTemplateTest, RefusesValuesThatLookLikeOptions) {
  EXPECT_EQ(filled({"p", "{text}"}, {{"text", "--exec=x"}}),
            Words{"text begins with - and would be read as an option: --exec=x"});
  EXPECT_EQ(filled({"p", "{text}{path}"}, {{"text", ""}, {"path", "-x"}}), (Words{"p", "./-x"}));
  EXPECT_EQ(filled({"p", "{path}"}, {{"path", "-rf"}}), (Words{"p", "./-rf"}));
  EXPECT_EQ(filled({"p", "--text={text}"}, {{"text", "-x"}}), (Words{"p", "--text=-x"}));
  tool_.parameters[0].allow_dash = true;
  EXPECT_EQ(filled({"p", "{text}"}, {{"text", "-x"}}), (Words{"p", "-x"}));
}

TEST_F(CommandTemplateTest, RefusesInvalidCommandLines) {
  EXPECT_EQ(filled({"p", "{text}"}, {{"text", std::string("a\0b", 3)}}),
            Words{"An argument contains a zero byte, which command lines do not allow."});
  EXPECT_THAT(filled({"p", "x{files}"}, {}).front(), ::testing::HasSubstr("must be an element of its own"));
  EXPECT_THAT(filled({"p", "x{all}"}, {}).front(), ::testing::HasSubstr("must be an element of its own"));
}

TEST_F(CommandTemplateTest, FillsTheInputTheSameWay) {
  tool_.command = {"cat"};
  tool_.input = "{{{text}}}\n";
  EXPECT_EQ(CommandTemplate::parse(tool_)->fill(JsonObject{{"text", "-x"}})->input, "{-x}\n");
}

}  // namespace
}  // namespace helve::plugins
