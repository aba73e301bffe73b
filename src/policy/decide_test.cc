#include "policy/decide.h"

#include <gtest/gtest.h>

#include "policy/testing.h"

namespace helve::policy {
namespace {

constexpr Mode kModes[] = {Mode::kAsk, Mode::kAcceptEdits, Mode::kPlan, Mode::kAuto, Mode::kFull};

std::string in_all_modes(const World& world, std::string_view tool, Effect effect,
                         const Json& arguments = {}) {
  std::string all;
  for (const Mode mode : kModes) all += name(world.tool(tool, effect, mode, arguments)) + " ";
  return all;
}

TEST(Decide, WithoutRulesTheModeDecides) {
  const World world;
  EXPECT_EQ(in_all_modes(world, "read", Effect::kRead), "allow allow allow allow allow ");
  EXPECT_EQ(in_all_modes(world, "write", Effect::kWrite), "ask allow deny deny allow ");
  EXPECT_EQ(in_all_modes(world, "exec", Effect::kExecute, JsonObject{{"command", "make"}}),
            "ask ask deny deny allow ");
  EXPECT_EQ(in_all_modes(world, "use_browser", Effect::kNetwork), "ask ask deny deny allow ");
  EXPECT_EQ(in_all_modes(world, "ask_user", Effect::kAsk), "allow allow allow allow allow ");
}

TEST(Decide, RulesInEachMode) {
  const JsonObject arguments{{"path", "x"}};
  EXPECT_EQ(in_all_modes(World().allow("edit"), "write", Effect::kWrite, arguments),
            "allow allow deny allow allow ");
  EXPECT_EQ(in_all_modes(World().ask("edit"), "write", Effect::kWrite, arguments),
            "ask ask deny deny allow ");
  EXPECT_EQ(in_all_modes(World().deny("edit"), "write", Effect::kWrite, arguments),
            "deny deny deny deny deny ");
  EXPECT_EQ(in_all_modes(World().ask("read(x)"), "read", Effect::kRead, arguments),
            "ask ask ask deny allow ");
  EXPECT_EQ(in_all_modes(World().deny("read(x)"), "read", Effect::kRead, arguments),
            "deny deny deny deny deny ");
}

TEST(Decide, StrictestRuleWinsInAnyOrder) {
  World world;
  world.allow("edit(/src/**)").deny("edit(/src/gen/**)").ask("edit(/src/api/**)").allow("edit(/src/gen/ok)");
  EXPECT_EQ(name(world.file("edit", "src/a.cc")), "allow");
  EXPECT_EQ(name(world.file("edit", "src/gen/a.cc")), "deny");
  EXPECT_EQ(name(world.file("edit", "src/gen/ok")), "deny");
  EXPECT_EQ(name(world.file("edit", "src/api/a.cc")), "ask");
  const Ruling ruling = world.file("edit", "src/gen/a.cc");
  EXPECT_EQ(ruling.rule, "edit(/src/gen/**)");
  EXPECT_EQ(ruling.reason, "the rule deny edit(/src/gen/**) (test, deny 2) matches src/gen/a.cc");
}

TEST(Decide, DenyingReadAppliesToAllFileTools) {
  World world;
  world.directory.write("work/secrets/key", "x");
  world.directory.link("secrets/key", "work/innocent");
  world.deny("read(./secrets/**)");
  for (const std::string_view tool :
       {"read", "grep", "ls", "find", "edit", "write", "multi_edit", "get_code_outline"}) {
    EXPECT_EQ(name(world.file(tool, "secrets/key", Mode::kFull)), "deny") << tool;
    EXPECT_EQ(name(world.file(tool, "src/../secrets/key", Mode::kFull)), "deny") << tool;
    EXPECT_EQ(name(world.file(tool, "innocent", Mode::kFull)), "deny") << tool;
    EXPECT_EQ(name(world.file(tool, world.directory.at("work/secrets/key"), Mode::kFull)), "deny") << tool;
    EXPECT_EQ(name(world.file(tool, "src/key", Mode::kFull)), "allow") << tool;
  }
  for (const std::string_view tool : {"ls", "find", "grep", "read"})
    EXPECT_EQ(name(world.file(tool, "secrets")), "deny") << tool;
  // A search above the hidden directory runs and leaves its files out; see HiddenPaths.
  EXPECT_EQ(name(world.file("grep", ".")), "allow");
}

TEST(Decide, EveryFileOfAPatchCounts) {
  World world;
  world.allow("edit(/src/**)").deny("edit(/src/secret)");
  const auto patched = [&](std::string_view path) {
    const std::string patch = "*** Begin Patch\n*** Add File: src/a\n+x\n*** Add File: " + std::string(path) +
                              "\n+y\n*** End Patch\n";
    return name(world.tool("apply_patch", Effect::kWrite, Mode::kAsk, JsonObject{{"patch", patch}}));
  };
  EXPECT_EQ(patched("src/b"), "allow");
  EXPECT_EQ(patched("docs/b"), "ask");
  EXPECT_EQ(patched("src/secret"), "deny");
  EXPECT_EQ(name(world.tool("apply_patch", Effect::kWrite, Mode::kAsk, JsonObject{{"patch", "no patch"}})),
            "ask");
}

TEST(Decide, NoModeWritesFilesOfHelve) {
  World world;
  world.allow("edit").allow("write(**)").allow("edit(~/**)").allow("exec");
  world.directory.make("home/.config/helve");
  world.directory.link("../home/.config/helve", "work/link");
  for (const Mode mode : kModes) {
    EXPECT_EQ(name(world.file("write", ".helve/config.toml", mode)), "deny");
    EXPECT_EQ(name(world.file("edit", "sub/.HELVE/x", mode)), "deny");
    EXPECT_EQ(name(world.file("write", "link/config.toml", mode)), "deny");
    EXPECT_EQ(name(world.file("write", world.directory.at("home/.config/helve/config.toml"), mode)), "deny");
    for (const std::string_view command :
         {"echo x > .helve/config.toml", "echo x | tee ~/.config/helve/config.toml", "cp a link/config.toml",
          "cd .helve && echo x > config.toml", "rm -rf .helve", "mv a .helve/x", "sed -i s/a/b/ .helve/x",
          "dd if=a of=.helve/x"})
      EXPECT_EQ(name(world.exec(command, mode)), "deny") << command;
  }
  EXPECT_EQ(name(world.exec("cat .helve/config.toml")), "allow");
}

TEST(Decide, RulesForServersAndTheirTools) {
  World world;
  world.allow("mcp__docs").deny("mcp__docs__delete").ask("mcp__docs__publish");
  EXPECT_EQ(name(world.tool("mcp__docs__search", Effect::kNetwork)), "allow");
  EXPECT_EQ(name(world.tool("mcp__docs__delete", Effect::kNetwork, Mode::kFull)), "deny");
  EXPECT_EQ(name(world.tool("mcp__docs__publish", Effect::kNetwork)), "ask");
  EXPECT_EQ(name(world.tool("mcp__other__search", Effect::kNetwork)), "ask");
  const PermissionRequest request{.tool = "search", .server = "docs", .effect = Effect::kNetwork};
  EXPECT_EQ(RequestedCall(request).tool, "mcp__docs__search");
}

TEST(Decide, ParsesALineLikeTheShellThatRunsIt) {
  World world;
  world.deny("exec(rm:*)");
  EXPECT_EQ(name(world.exec("noglob rm -rf build")), "ask");  // in bash, a program that nobody knows
  EXPECT_EQ(name(world.exec("repeat 1 ls", Mode::kFull)), "allow");
  world.surroundings.dialect = shell::Dialect::kZsh;
  EXPECT_EQ(name(world.exec("noglob rm -rf build", Mode::kFull)), "deny");
  EXPECT_EQ(name(world.exec("repeat 1 rm -rf build", Mode::kFull)), "deny");
}

TEST(Decide, ProcessActionsWithEffectsNeedApproval) {
  World world;
  const auto action = [&](std::string_view which, Mode mode = Mode::kAsk, Effect effect = Effect::kExecute) {
    return name(world.tool("process", effect, mode, JsonObject{{"action", which}, {"data", "git push\n"}}));
  };
  for (const std::string_view which : {"list", "poll", "log", "wait"})
    EXPECT_EQ(action(which, Mode::kPlan, Effect::kRead), "allow") << which;
  for (const std::string_view which : {"write", "kill", "clear", "remove"}) {
    EXPECT_EQ(action(which), "ask") << which;
    EXPECT_EQ(action(which, Mode::kPlan), "deny") << which;
  }
  world.allow("process(kill)");
  EXPECT_EQ(action("kill"), "allow");
  EXPECT_EQ(action("write"), "ask");
  world.allow("process").deny("exec(git push:*)");
  EXPECT_EQ(action("write"), "deny");
}

TEST(Decide, SpecOfAnUnknownToolRestrictsButNeverGrants) {
  EXPECT_EQ(name(World().deny("WebFetch(domain:a)").tool("WebFetch", Effect::kNetwork)), "ask");
  EXPECT_EQ(name(World().allow("WebFetch(domain:a)").tool("WebFetch", Effect::kNetwork)), "ask");
  EXPECT_EQ(name(World().allow("WebFetch").tool("WebFetch", Effect::kNetwork)), "allow");
}

TEST(Decide, ExplainsEachStep) {
  World world;
  world.allow("exec(ls:*)").deny("exec(rm:*)");
  const Ruling ruling = world.exec("ls && rm x");
  EXPECT_EQ(ruling.to_text(),
            "deny: the rule deny exec(rm:*) (test, deny 2) matches rm x\n"
            "  ls\n    allowed: the rule allow exec(ls:*) (test, allow 1) allows ls\n"
            "  rm x\n    denied: the rule deny exec(rm:*) (test, deny 2) matches rm x\n"
            "  rm x\n    asked: no rule allows rm x\n");
  const Json json = ruling.to_json();
  EXPECT_EQ(json.find("verdict")->as_string(), "deny");
  EXPECT_EQ(json.find("rule")->as_string(), "exec(rm:*)");
  EXPECT_EQ(json.find("steps")->as_array().size(), 3U);
}

TEST(Decide, EscapesInvisibleCharacters) {
  EXPECT_EQ(shown("a\x1b[31m\xe2\x80\xae"
                  "b\xf3\xa0\x81\x81"),
            "a\\x1b[31m\\u{202e}b\\u{e0041}");
  EXPECT_EQ(shown("Grüße …"), "Grüße …");
}

// Tools that are not built in: of plugins, of MCP servers and of programs that embed Helve.
TEST(Decide, NoOtherToolReadsWhatARuleKeepsFromReading) {
  World world;
  world.deny("read(./secrets/**)").deny("read(**/.env)").deny("edit(/locked/**)");
  const auto verdict = [&](std::string_view tool, Effect effect, const Json& arguments,
                           std::vector<std::string> files = {}) {
    return decide(PermissionRequest{.tool = std::string(tool),
                                    .effect = effect,
                                    .arguments = arguments,
                                    .files = std::move(files)},
                  Mode::kFull, world.rules, world.surroundings)
        .verdict;
  };
  for (const std::string_view tool : {"count_lines", "mcp__files__read_file"}) {
    EXPECT_EQ(verdict(tool, Effect::kRead, {}, {"secrets/key"}), Verdict::kDeny) << "declared by the tool";
    EXPECT_EQ(verdict(tool, Effect::kRead, {}, {"secrets"}), Verdict::kDeny) << "the directory of such files";
    EXPECT_EQ(verdict(tool, Effect::kRead, JsonObject{{"path", "secrets/key"}}), Verdict::kDeny);
    EXPECT_EQ(verdict(tool, Effect::kRead, JsonObject{{"inputFile", "a/.env"}}), Verdict::kDeny);
    EXPECT_EQ(verdict(tool, Effect::kWrite, JsonObject{{"paths", JsonArray{"a", "secrets/key"}}}),
              Verdict::kDeny);
    EXPECT_EQ(verdict(tool, Effect::kRead,
                      JsonObject{{"uri", concat("file://", world.surroundings.workspace, "/.env")}}),
              Verdict::kDeny);
    EXPECT_EQ(verdict(tool, Effect::kRead, JsonObject{{"edits", JsonArray{JsonObject{{"file", ".env"}}}}}),
              Verdict::kDeny);
    EXPECT_EQ(verdict(tool, Effect::kRead, JsonObject{{"path", "src/a.cc"}}, {"src/a.cc"}), Verdict::kAllow);
    EXPECT_EQ(verdict(tool, Effect::kWrite, JsonObject{{"path", "locked/a"}}), Verdict::kDeny);
    EXPECT_EQ(verdict(tool, Effect::kRead, JsonObject{{"path", "locked/a"}}), Verdict::kAllow);
  }
}

TEST(Decide, NoNameOfAnArgumentHidesAFileFromARule) {
  World world;
  world.deny("read(./secrets/**)").deny("read(**/.env)").deny("edit(/locked/**)").deny("read(/a/b/key)");
  world.directory.write("work/.env", "x");
  world.directory.write("work/secrets/key", "x");
  const std::string workspace = world.surroundings.workspace;
  Json deep = JsonObject{{"x", "secrets/key"}};
  for (int i = 0; i < 40; ++i) deep = JsonArray{JsonObject{{"x", std::move(deep)}}};
  for (const Json& arguments : std::vector<Json>{
           JsonObject{{"what", "secrets/key"}}, JsonObject{{"q", "./src/../secrets/key"}},
           JsonObject{{"q", concat(workspace, "/secrets/key")}},
           JsonObject{{"options", JsonObject{{"input", JsonArray{"a", ".env"}}}}},
           JsonObject{{"text", "file:///etc/passwd"},
                      {"x", concat("file://localhost", workspace, "/%2Eenv")}},
           JsonObject{{"url", concat("FILE:", workspace, "/.env?x")}},
           JsonObject{{"command", "cat secrets/key"}}, JsonObject{{"command", "cat <.env"}},
           JsonObject{{"argv", JsonArray{"cat", ".env"}}}, JsonObject{{"base", "secrets"}, {"name", "key"}},
           JsonObject{{"base", "src"}, {"name", "../secrets/key"}},
           JsonObject{{"parts", JsonArray{"a", "b", "key"}}},
           JsonObject{{"entries", JsonObject{{"secrets/key", true}}}},
           JsonObject{{"json", R"({"p":"secrets/key"})"}}, JsonObject{{"option", "--file=secrets/key"}},
           deep}) {
    const Ruling ruling = world.tool("mcp__any__do", Effect::kRead, Mode::kFull, arguments);
    EXPECT_EQ(name(ruling), "deny") << ruling.to_text();
    EXPECT_NE(name(world.tool("mcp__any__do", Effect::kRead, Mode::kAsk, arguments)), "allow");
    EXPECT_NE(name(world.tool("count_lines", Effect::kRead, Mode::kAsk, arguments)), "allow");
  }
  EXPECT_EQ(name(world.tool("mcp__any__do", Effect::kWrite, Mode::kFull, JsonObject{{"what", "locked/x"}})),
            "deny");
  std::string padded;
  for (int i = 0; i < 30'000; ++i) padded += concat("word", i, ".x ");
  const Json long_text = JsonObject{{"text", concat(padded, "cat secrets/key")}};
  EXPECT_EQ(name(world.tool("mcp__any__do", Effect::kRead, Mode::kFull, long_text)), "deny");
  EXPECT_EQ(name(World().tool("mcp__any__do", Effect::kRead, Mode::kFull, long_text)), "allow");
  for (const Json& arguments :
       std::vector<Json>{JsonObject{{"query", "how do secrets work"}}, JsonObject{{"title", "read env"}},
                         JsonObject{{"url", "https://example.org/env"}}, JsonObject{{"n", 5}, {"b", true}},
                         JsonObject{{"what", "src/main.cc"}, {"pattern", "key.*"}}})
    EXPECT_EQ(name(world.tool("mcp__any__do", Effect::kRead, Mode::kFull, arguments)), "allow")
        << arguments.as_object().begin()->first;
}

// A tool that nobody lists anywhere, as CONTRIBUTING.md describes.
TEST(Decide, TheEffectOfANewToolTellsWhichRulesHold) {
  const Json scribble = JsonObject{{"output", "src/a.txt"}};
  const auto verdict = [&](const World& world, Mode mode, Effect effect = Effect::kWrite) {
    return name(world.tool("scribble", effect, mode, scribble));
  };
  EXPECT_EQ(verdict(World(), Mode::kAsk), "ask");
  EXPECT_EQ(verdict(World(), Mode::kAcceptEdits), "allow");
  EXPECT_EQ(verdict(World(), Mode::kPlan), "deny");
  EXPECT_EQ(verdict(World(), Mode::kAuto), "deny");
  EXPECT_EQ(verdict(World(), Mode::kFull), "allow");
  for (const char* rule : {"edit", "edit(/src/**)", "edit(*.txt)", "write(/src/a.txt)", "read(./src/**)",
                           "scribble", "scribble(/src/**)"}) {
    EXPECT_EQ(verdict(World().deny(rule), Mode::kFull), "deny") << rule;
    EXPECT_EQ(verdict(World().ask(rule), Mode::kAcceptEdits), "ask") << rule;
  }
  EXPECT_EQ(verdict(World().deny("edit(/docs/**)"), Mode::kFull), "allow");
  EXPECT_EQ(verdict(World().deny("read"), Mode::kFull, Effect::kRead), "deny");
  EXPECT_EQ(verdict(World().deny("edit"), Mode::kFull, Effect::kRead), "allow");
  EXPECT_EQ(verdict(World().allow("edit"), Mode::kAsk), "ask") << "a rule allows the tools that it names";
  EXPECT_EQ(verdict(World().allow("scribble"), Mode::kAsk), "allow");
  const World world;
  EXPECT_EQ(name(world.tool("scribble", Effect::kWrite, Mode::kFull,
                            JsonObject{{"path", "~/.config/helve/config.toml"}})),
            "deny");
}

TEST(Decide, TextForTheUserIsNotAFile) {
  World world;
  world.deny("read(**/.env)").directory.write("work/.env", "x");
  EXPECT_EQ(
      name(world.tool("ask_user", Effect::kAsk, Mode::kFull, JsonObject{{"question", "Shall I read .env?"}})),
      "allow");
}

TEST(Decide, RulesOfOtherToolsCanNameFiles) {
  World world;
  world.deny("count_lines(./secrets/**)").allow("count_lines(/src/**)");
  const auto verdict = [&](std::string_view path) {
    return decide(PermissionRequest{.tool = "count_lines",
                                    .effect = Effect::kExecute,
                                    .arguments = JsonObject{{"path", path}}},
                  Mode::kAsk, world.rules, world.surroundings)
        .verdict;
  };
  EXPECT_EQ(verdict("secrets/key"), Verdict::kDeny);
  EXPECT_EQ(verdict("src/a.cc"), Verdict::kAllow);
  EXPECT_EQ(verdict("docs/a.md"), Verdict::kAsk);
}

}  // namespace
}  // namespace helve::policy
