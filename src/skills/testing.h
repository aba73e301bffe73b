// Test fixture with a workspace, a home directory and helpers that create skills in them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/strings.h"
#include "base/test_directory.h"
#include "skills/discover.h"
#include "workspace/root.h"

namespace helve::skills {

class SkillsTest : public testing::Test {
 protected:
  SkillsTest() {
    files_.make("work");
    files_.make("home");
  }

  // Creates a valid skill named after its directory.
  void make_skill(std::string_view folder, std::string_view description, std::string_view more = "",
                  std::string_view body = "Do it.") const {
    const std::string_view name = folder.substr(folder.rfind('/') + 1);
    files_.write(concat(folder, "/SKILL.md"), concat("---\nname: ", name, "\ndescription: ", description,
                                                     "\n", more, "---\n", body, "\n"));
  }

  [[nodiscard]] const workspace::Root& workspace() {
    if (!root_) {
      auto opened = workspace::Root::open(files_.at("work"));
      EXPECT_TRUE(opened) << opened.error().message;
      root_.emplace(*std::move(opened));
    }
    return *root_;
  }

  [[nodiscard]] SkillSet discover(bool trusted = true) {
    return discover_skills({.workspace = workspace(),
                            .project_trusted = trusted,
                            .config_directory = files_.at("home/.config/helve"),
                            .home = files_.at("home")});
  }

  // One line per skill and per problem, without the path of the test's directory.
  [[nodiscard]] std::string found(bool trusted = true) {
    const SkillSet set = discover(trusted);
    std::string out;
    for (const Skill& skill : set.skills)
      out += concat(skill.name, ": ", skill.description, " (", skill.location, ")\n");
    for (const SkillProblem& problem : set.problems) out += concat(to_text(problem), "\n");
    return replace_all(out, files_.path(), "");
  }

  TestDirectory files_;
  std::optional<workspace::Root> root_;
};

}  // namespace helve::skills
