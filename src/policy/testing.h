// Test fixture: a workspace with rules, and short ways to ask for decisions.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/test_directory.h"
#include "policy/decide.h"

namespace helve::policy {

class World {
 public:
  World() {
    directory.make("work");
    directory.make("home");
    surroundings.workspace = directory.at("work");
    surroundings.home = directory.at("home");
    surroundings.own_directories = {directory.at("home/.config/helve"),
                                    directory.at("home/.local/state/helve")};
  }

  World& allow(std::string_view rule) { return add(rule, Verdict::kAllow); }
  World& ask(std::string_view rule) { return add(rule, Verdict::kAsk); }
  World& deny(std::string_view rule) { return add(rule, Verdict::kDeny); }
  World& add(std::string_view text, Verdict verdict) {
    auto rule = parse_rule(text, verdict, {.source = "test", .number = rules.size() + 1}, {surroundings});
    EXPECT_TRUE(rule) << text << ": " << (rule ? "" : rule.error().message);
    if (rule) rules.push_back(std::move(*rule));
    return *this;
  }

  [[nodiscard]] Ruling exec(std::string_view command, Mode mode = Mode::kAsk,
                            std::string_view cwd = "") const {
    JsonObject arguments{{"command", command}};
    if (!cwd.empty()) arguments.append("cwd", cwd);
    return decide(
        PermissionRequest{.tool = "exec", .effect = Effect::kExecute, .arguments = std::move(arguments)},
        mode, rules, surroundings);
  }
  [[nodiscard]] Ruling file(std::string_view tool, std::string_view path, Mode mode = Mode::kAsk) const {
    const bool reads = kind_of_tool(tool) == ToolKind::kReadsFiles;
    return decide(PermissionRequest{.tool = std::string(tool),
                                    .effect = reads ? Effect::kRead : Effect::kWrite,
                                    .arguments = JsonObject{{"path", path}}},
                  mode, rules, surroundings);
  }
  [[nodiscard]] Ruling tool(std::string_view name, Effect effect, Mode mode = Mode::kAsk,
                            Json arguments = {}) const {
    return decide(
        PermissionRequest{.tool = std::string(name), .effect = effect, .arguments = std::move(arguments)},
        mode, rules, surroundings);
  }

  TestDirectory directory;
  Surroundings surroundings;
  RuleSet rules;
};

inline std::string name(const Ruling& ruling) { return std::string(verdict_name(ruling.verdict)); }

}  // namespace helve::policy
