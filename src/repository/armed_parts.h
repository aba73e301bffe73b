// What in a git directory makes git run programs: its hooks and its settings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helve::repository {

// Paths that a command may not change, existing or not, for the git directory at this absolute path; those of
// its submodules and worktrees too.
[[nodiscard]] std::vector<std::string> armed_parts(const std::string& git_directory);

// The settings that git can be trusted with whoever wrote them; everything else may name a program to run.
// Without comments, in the form in which git itself writes them. `dropped` gets the names of the others.
[[nodiscard]] std::string harmless_settings(std::string_view configuration,
                                            std::vector<std::string>& dropped);

}  // namespace helve::repository
