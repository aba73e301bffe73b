// What in a git directory makes git run programs: its hooks and its settings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helve::repository {

// Paths that a command may not change, existing or not, for the git directory at this absolute path; those of
// its submodules and worktrees too, and the hooks and settings elsewhere in the workspace that its settings
// name.
[[nodiscard]] std::vector<std::string> armed_parts(const std::string& git_directory,
                                                   const std::string& workspace);

// Gives settings that have a second name a file of their own, since a command could write them through that
// name.
void break_hard_links(const std::string& git_directory);

// The settings that git can be trusted with whoever wrote them. `dropped` gets the names of the others.
[[nodiscard]] std::string harmless_settings(std::string_view configuration,
                                            std::vector<std::string>& dropped);

}  // namespace helve::repository
