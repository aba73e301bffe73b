#include "checkers/find_checker.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/file_io.h"
#include "base/find_program.h"
#include "base/rustup.h"
#include "base/strings.h"

namespace helve::checkers {
namespace {

constexpr auto kEnvironments = std::to_array<std::string_view>({".venv", "venv", "env"});

std::string without_comment_lines(std::string_view text) {
  std::string kept;
  for (const std::string_view line : split(text, '\n'))
    if (!line.substr(std::min(line.find_first_not_of(" \t"), line.size())).starts_with('#'))
      kept += concat(line, "\n");
  return kept;
}

// Some programs ignore the case of keys.
bool has_word(const std::string& path, std::string_view words, Doubtful doubtful) {
  constexpr std::size_t kMost = std::size_t{256} << 10;
  std::string text = to_lower(read_beginning(path, kMost));
  if (doubtful == Doubtful::kIsSign && (text.size() == kMost || text.find("\\u") != std::string::npos))
    return true;
  if (doubtful == Doubtful::kIsNoSign) text = without_comment_lines(text);
  return std::ranges::any_of(
      words_of(words), [&](std::string_view word) { return text.find(to_lower(word)) != std::string::npos; });
}

std::optional<std::string> find_in_project(const std::string& name, const Subject& subject) {
  for (const std::string& directory : subject.directories()) {
    if (!is_within(directory, subject.workspace)) break;
    if (std::string program = concat(directory, "/node_modules/.bin/", name); is_program(program))
      return program;
    for (const std::string_view environment : kEnvironments)
      if (std::string program = concat(directory, "/", environment, "/bin/", name); is_program(program))
        return program;
  }
  return std::nullopt;
}

std::optional<std::string> find_checker_program(const CheckerSpec& spec, const Subject& subject) {
  for (const std::string_view word : words_of(spec.programs)) {
    const std::string name(word);
    if (auto program = find_in_project(name, subject)) return program;
    if (!subject.virtual_environment.empty())
      if (std::string program = concat(subject.virtual_environment, "/bin/", name);
          program.starts_with('/') && is_program(program))
        return program;
    if (auto program = find_program(name); program && behind_rustup(*program)) return program;
  }
  return std::nullopt;
}

std::string why_project_code(const CheckerSpec& spec, const std::string& program, const Subject& subject) {
  // The project also controls a symlink in node_modules/.bin that leads out of the workspace.
  if (is_within(program, subject.workspace) ||
      is_within(real_path(program).value_or(program), subject.workspace))
    return concat("the program is part of the project (", program, ")");
  const SignSeen code = look_for(spec.code, subject, Doubtful::kIsSign);
  if (!code.seen) return {};
  return code.file.empty() ? concat(spec.name, " runs the project's configuration and plugins")
                           : concat(code.file, " can make ", spec.name, " run project code");
}

Json install_details(Purpose purpose, const std::vector<const CheckerSpec*>& missing) {
  JsonArray names;
  for (const CheckerSpec* spec : missing) names.emplace_back(spec->name);
  return JsonObject{{"state", "did-not-run"},
                    {"reason", "not-installed"},
                    {purpose == Purpose::kFormat ? "formatters" : "linters", std::move(names)},
                    {"install", missing.front()->install}};
}

std::unexpected<Error> not_installed(Purpose purpose, const CheckerSpec& spec, std::string_view because,
                                     std::string_view otherwise) {
  return fail(ErrorCode::kUnavailable, concat(spec.name, " is not installed", because, "."),
              concat("Install it: ", spec.install, ".", otherwise), install_details(purpose, {&spec}));
}

std::string names_of(const std::vector<const CheckerSpec*>& specs, std::string_view joint) {
  std::vector<std::string> names;
  for (const CheckerSpec* spec : specs) names.emplace_back(spec->name);
  return enumerate(names, joint);
}

Expected<Chosen> ready(const CheckerSpec& spec, std::string program, const Subject& subject) {
  std::string project_code = why_project_code(spec, program, subject);
  return Chosen{.spec = &spec, .program = std::move(program), .project_code = std::move(project_code)};
}

Expected<Chosen> choose_wanted(Purpose purpose, std::string_view wanted, const Subject& subject,
                               const std::vector<const CheckerSpec*>& fitting) {
  const auto found = std::ranges::find(fitting, wanted, &CheckerSpec::name);
  if (found == fitting.end()) {
    const auto all = checkers_for(purpose, "");
    const bool known = std::ranges::find(all, wanted, &CheckerSpec::name) != all.end();
    return fail(ErrorCode::kInvalidArgument,
                known ? concat(wanted, " is not a ", noun_of(purpose), " for ", subject.path, ".")
                      : concat("There is no ", noun_of(purpose), " ", wanted, "."),
                concat("Use ", names_of(fitting, " or "), ", or leave ", noun_of(purpose), " out."));
  }
  auto program = find_checker_program(**found, subject);
  if (!program) return not_installed(purpose, **found, "", "");
  return ready(**found, *std::move(program), subject);
}

// Those that the project configures; the nearest configuration first.
std::vector<const CheckerSpec*> configured_checkers(const std::vector<const CheckerSpec*>& fitting,
                                                    const Subject& subject) {
  std::vector<std::pair<std::size_t, const CheckerSpec*>> found;
  for (const CheckerSpec* spec : fitting)
    if (!spec->configuration.empty())
      if (const SignSeen sign = look_for(spec->configuration, subject, Doubtful::kIsNoSign); sign.seen)
        found.emplace_back(sign.file.rfind('/'), spec);
  std::ranges::stable_sort(found, std::greater<>(), &std::pair<std::size_t, const CheckerSpec*>::first);
  std::vector<const CheckerSpec*> specs;
  for (const auto& [depth, spec] : found) specs.push_back(spec);
  return specs;
}

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

// The edition in the nearest Cargo.toml that has one. rustfmt uses the oldest edition for text from stdin.
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

// Finds the directory of the compilation database.
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

std::string Subject::absolute_path() const { return concat(workspace, "/", path); }

std::vector<std::string> Subject::directories() const {
  std::vector<std::string> found;
  std::string at = absolute_path();
  for (std::size_t slash = at.rfind('/'); slash != std::string::npos && slash > 0; slash = at.rfind('/')) {
    at.resize(slash);
    found.push_back(at);
  }
  found.emplace_back("");  // the file system root; callers append "/name"
  return found;
}

std::string read_beginning(const std::string& path, std::size_t most) {
  // Do not block on a named pipe.
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  std::string bytes(most, '\0');
  std::size_t filled = 0;
  while (filled < most) {
    const ssize_t got = ::read(file.get(), bytes.data() + filled, most - filled);
    if (got <= 0) break;
    filled += static_cast<std::size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

SignSeen look_for(std::span<const Sign> signs, const Subject& subject, Doubtful doubtful) {
  for (const Sign& sign : signs)
    if (sign.files.empty()) return {.seen = true};
  for (const std::string& directory : subject.directories()) {
    for (const Sign& sign : signs) {
      for (const std::string_view name : words_of(sign.files)) {
        const std::string path = concat(directory, "/", name);
        if (!path_exists(path)) continue;
        if (sign.words.empty() || has_word(path, sign.words, doubtful)) return {true, path};
      }
    }
  }
  return {};
}

Expected<Chosen> choose_checker(Purpose purpose, std::string_view wanted, const Subject& subject) {
  const auto fitting = checkers_for(purpose, subject.language);
  if (fitting.empty() || subject.language.empty())
    return fail(ErrorCode::kInvalidArgument,
                concat("There is no ", noun_of(purpose), " for ", subject.path,
                       subject.language.empty() ? ", whose language is unknown."
                                                : concat(" (", subject.language, ").")),
                purpose == Purpose::kFormat ? "Format it by hand with edit."
                                            : "Use get_diagnostics, or the project's own check with exec.");
  if (!wanted.empty() && wanted != "auto") return choose_wanted(purpose, wanted, subject, fitting);

  const std::vector<const CheckerSpec*> configured = configured_checkers(fitting, subject);
  std::vector<std::string> notes;
  for (const CheckerSpec* spec : configured) {
    if (auto program = find_checker_program(*spec, subject)) {
      auto chosen = ready(*spec, *std::move(program), subject);
      if (chosen) chosen->notes = std::move(notes);
      return chosen;
    }
    // Another formatter would undo the changes of the configured one. A project can have several linters.
    if (purpose == Purpose::kFormat) break;
    notes.push_back(concat("The project is also configured for ", spec->name,
                           ", which is not installed. Install it: ", spec->install, "."));
  }
  if (!configured.empty())
    return not_installed(purpose, *configured.front(), ", and the project is configured for it",
                         fitting.size() > 1 ? concat(" Or name another one in ", noun_of(purpose), ".") : "");

  std::vector<const CheckerSpec*> usual = fitting;
  std::erase_if(usual, &CheckerSpec::needs_configuration);
  std::ranges::stable_partition(usual, [&](const CheckerSpec* spec) {
    return !spec->preference.empty() && look_for(spec->preference, subject, Doubtful::kIsNoSign).seen;
  });
  for (const CheckerSpec* spec : usual)
    if (auto program = find_checker_program(*spec, subject))
      return ready(*spec, *std::move(program), subject);
  if (usual.empty()) usual = fitting;
  if (usual.size() == 1) return not_installed(purpose, *usual.front(), "", "");
  return fail(ErrorCode::kUnavailable,
              concat("No ", noun_of(purpose), " for ", subject.path,
                     " is installed. Supported: ", names_of(usual, " or "), "."),
              concat("Install one: ", usual.front()->install, "."), install_details(purpose, usual));
}

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
      argument = replace_all(argument, "{extension}", subject.path.substr(subject.path.rfind('.') + 1));
      command.arguments.push_back(replace_all(argument, "{path}", subject.absolute_path()));
    }
  }
  if (command.guesses_flags) {
    command.arguments.emplace_back("--");  // no search for a database, and no warning about it
    command.notes.push_back(concat(
        "There is no compile_commands.json, so ", spec.name,
        " does not know how the file is compiled. Create one (cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, "
        "or bear) for better findings."));
  }
  return command;
}

}  // namespace helve::checkers
