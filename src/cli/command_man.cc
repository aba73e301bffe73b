// helve man: the manual pages, for man(1) and for packages.
#include <array>
#include <filesystem>
#include <fstream>

#include "base/find_program.h"
#include "base/strings.h"
#include "cli/all_tools.h"
#include "cli/command.h"
#include "cli/editor.h"
#include "cli/man_page.h"
#include "cli/man_text.h"

namespace helve::cli {
namespace {

struct Man {
  static constexpr std::string_view kName = "man";
  static constexpr std::string_view kSummary = "Show a manual page, or write all of them";
  static constexpr std::string_view kDetails =
      "helve man                      the page of helve itself\n"
      "helve man grep                 that of a command or tool\n"
      "helve man grep >helve-grep.1   the same for man, in its own format\n"
      "helve man --directory DIR      all of them, as make install and packages have them";
  static constexpr auto kPositionals = std::to_array<std::string_view>({"page"});

  struct Options {
    std::string page;
    std::string directory;

    void describe(ParamSpec& p) {
      p.optional("page", page, "A command, a tool, or settings; helve itself when there is none.");
      p.optional("directory", directory, "Write all pages there, in man1 and man5.");
    }
  };

  int run(const Shell& shell, const Options& options) const {
    // Pages must be the same on every machine.
    const auto tools = all_builtin_tools();
    if (!tools) return shell.report(tools.error(), kSetup);
    const auto defaults = load_config({});
    if (!defaults) return shell.report(defaults.error(), kSetup);
    const std::vector<ManPage> pages = manual_pages(all_commands(), (*tools)->list(), *defaults);
    if (!options.directory.empty()) return write(shell, pages, options.directory);
    std::vector<std::string> names;
    // As man(1) would call it.
    const std::string_view wanted =
        options.page == "helve" ? std::string_view()
        : options.page.starts_with("helve-")
            ? std::string_view(options.page).substr(std::string_view("helve-").size())
            : std::string_view(options.page);
    for (const ManPage& page : pages) {
      const std::string name = page.name == "helve" ? ""
                               : page.section == 5  ? "settings"
                                                    : page.name.substr(std::string_view("helve-").size());
      if (name == wanted) {
        show(shell, page);
        return kOk;
      }
      names.push_back(name);
    }
    const auto near = nearest(wanted, names);
    return shell.report(
        {ErrorCode::kNotFound, concat("There is no manual page for ", options.page, "."),
         near.empty() ? "helve --help lists the commands." : concat("Did you mean ", near.front(), "?")},
        kUsage);
  }

 private:
  // On a terminal as man shows it, or as plain text where there is no man.
  static void show(const Shell& shell, const ManPage& page) {
    const Terminal& terminal = shell.terminal();
    if (!terminal.out_is_terminal()) return terminal.out(page.text);
    if (find_program("man")) {
      const auto file = EditedText::create(page.file_name(), page.text);
      const auto code = file ? run_on_file("man -l", file->path()) : fail(file.error());
      if (code && *code == 0) return;
    }
    terminal.out(manual_text(terminal, page.text));
  }

  static int write(const Shell& shell, const std::vector<ManPage>& pages, const std::string& directory) {
    namespace fs = std::filesystem;
    for (const ManPage& page : pages) {
      const fs::path folder = fs::path(directory) / concat("man", page.section);
      std::error_code problem;
      fs::create_directories(folder, problem);
      std::ofstream file(folder / page.file_name(), std::ios::binary | std::ios::trunc);
      file << page.text;
      file.close();
      if (!file)
        return shell.report({ErrorCode::kExecutionFailed,
                             concat("Cannot write ", (folder / page.file_name()).string(), "."), ""},
                            kSetup);
    }
    return kOk;
  }
};

}  // namespace

std::unique_ptr<Command> make_man_command() { return std::make_unique<TypedCommand<Man>>(); }

}  // namespace helve::cli
