#include "checkers/command.h"

#include <unistd.h>

#include <array>
#include <optional>

#include "base/strings.h"

namespace helve::checkers {
namespace {

std::string start_directory(const CheckerSpec& spec, const Subject& subject) {
  const auto relative = [&](const std::string& directory) {
    return directory.size() <= subject.workspace.size() ? std::string(".")
                                                        : directory.substr(subject.workspace.size() + 1);
  };
  for (const std::string& directory : subject.directories()) {
    if (spec.start_markers.empty()) return relative(directory);
    if (directory.size() <= subject.workspace.size()) break;
    for (const std::string_view marker : words_of(spec.start_markers))
      if (::access(concat(directory, "/", marker).c_str(), F_OK) == 0) return relative(directory);
  }
  return ".";
}

// `edition = "2021"` of the nearest Cargo.toml that has one: read from stdin, rustfmt takes the oldest.
std::string rust_edition(const Subject& subject) {
  constexpr std::size_t kMost = std::size_t{256} << 10;
  bool has_manifest = false;
  for (const std::string& directory : subject.directories()) {
    const std::string text = read_beginning(concat(directory, "/Cargo.toml"), kMost);
    if (text.empty()) continue;
    has_manifest = true;
    for (const std::string_view line : split(text, '\n')) {
      const std::string_view setting = trim(line);
      if (!setting.starts_with("edition")) continue;
      const std::size_t open = setting.find('"');
      if (open == std::string_view::npos) continue;  // edition.workspace = true
      const std::string_view year = setting.substr(open + 1, 4);
      if (year.size() == 4 && year.find_first_not_of("0123456789") == std::string_view::npos)
        return std::string(year);
    }
  }
  return has_manifest ? "2015" : "2021";
}

// Where the list of the compiler's flags lies.
std::optional<std::string> find_database(const Subject& subject) {
  constexpr auto kPlaces =
      std::to_array<std::string_view>({"", "/build", "/out", "/.build", "/cmake-build-debug"});
  for (const std::string& directory : subject.directories())
    for (const std::string_view place : kPlaces)
      for (const std::string_view name : {"/compile_commands.json", "/compile_flags.txt"})
        if (::access(concat(directory, place, name).c_str(), R_OK) == 0) return concat(directory, place);
  return std::nullopt;
}

}  // namespace

CheckerCommand make_command(const Chosen& chosen, const Subject& subject) {
  const CheckerSpec& spec = *chosen.spec;
  CheckerCommand command{.arguments = {chosen.program}, .directory = start_directory(spec, subject)};
  for (const std::string_view word : words_of(spec.arguments)) {
    if (word == "{edition}") {
      command.arguments.emplace_back("--edition");
      command.arguments.push_back(rust_edition(subject));
    } else if (word == "{database}") {
      if (const auto database = find_database(subject))
        command.arguments.push_back(concat("-p=", *database));
      else
        command.guesses_flags = true;
    } else {
      std::string argument = replace_all(word, "{language}", subject.language == "c" ? "c" : "c++");
      command.arguments.push_back(replace_all(argument, "{path}", subject.absolute_path()));
    }
  }
  if (command.guesses_flags) {
    command.arguments.emplace_back("--");  // does not look for a list, and no complaints about it
    command.notes.push_back(
        concat("There is no compile_commands.json, so ", spec.name,
               " does not know how the file is compiled. Make one (cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, "
               "or bear) for better findings."));
  }
  return command;
}

}  // namespace helve::checkers
