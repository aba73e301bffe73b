// helve man: the manual pages, for man(1) and for packages.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "base/find_program.h"
#include "base/strings.h"
#include "cli/all_tools.h"
#include "cli/command.h"
#include "cli/editor.h"
#include "cli/help/man_page.h"

namespace helve::cli {
namespace {

// The plain text of a line of roff.
std::string unescaped(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\' || i + 1 == line.size()) {
      out += line[i];
      continue;
    }
    switch (line[++i]) {
      case 'f': ++i; break;
      case '&': break;
      case 'e': out += '\\'; break;
      case '(': {
        const std::string_view name = line.substr(i + 1, 2);
        out += name == "aq" ? '\'' : name == "ha" ? '^' : name == "ti" ? '~' : '`';
        i += 2;
        break;
      }
      default: out += line[i];
    }
  }
  return out;
}

class ManualText {
 public:
  explicit ManualText(const app::Printer& terminal)
      : terminal_(terminal), columns_(static_cast<std::size_t>(std::clamp(terminal.columns(), 40, 100))) {}

  std::string of(std::string_view roff) && {
    for (const std::string_view line : split(roff, '\n')) {
      if (line.starts_with('.'))
        request(line);
      else if (!line.empty() || preformatted_)
        text(unescaped(line));
    }
    end_paragraph();
    return std::move(out_);
  }

 private:
  void request(std::string_view line) {
    if (line == ".nf" || line == ".fi" || line == ".TP" || line == ".PP" || line == ".br" ||
        line.starts_with(".SH "))
      end_paragraph();
    if (line.starts_with(".SH ")) {
      out_ +=
          concat(out_.empty() ? "" : "\n", terminal_.paint(terminal::Colour::kBold, line.substr(4)), "\n");
      indent_ = kText;
      begun_ = true;
    } else if (line == ".PP") {
      if (!begun_) out_ += '\n';
      indent_ = kText;
    } else if (line == ".TP") {
      term_is_next_ = true;
    } else if (line == ".nf" || line == ".fi") {
      preformatted_ = line == ".nf";
    }
  }

  void text(const std::string& line) {
    if (term_is_next_) {
      out_ += concat(std::string(kText, ' '), terminal_.paint(terminal::Colour::kBold, line), "\n");
      term_is_next_ = false;
      indent_ = kUnderTerm;
    } else if (preformatted_) {
      out_ += concat(line.empty() ? "" : std::string(kText + 2, ' '), line, "\n");
    } else {
      paragraph_ += concat(paragraph_.empty() ? "" : " ", line);
    }
    begun_ = false;
  }

  void end_paragraph() {
    if (!paragraph_.empty())
      out_ += concat(std::string(indent_, ' '), app::wrap(paragraph_, columns_, indent_), "\n");
    paragraph_.clear();
  }

  static constexpr std::size_t kText = 2;
  static constexpr std::size_t kUnderTerm = 6;

  const app::Printer& terminal_;
  std::size_t columns_;
  std::string out_;
  std::string paragraph_;
  std::size_t indent_ = kText;
  bool begun_ = false;  // there is text below the heading
  bool term_is_next_ = false;
  bool preformatted_ = false;
};

// A page of cli/help/man_page.h as plain text, for machines without man(1).
std::string manual_text(const app::Printer& terminal, std::string_view roff) {
  return ManualText(terminal).of(roff);
}

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
      p.optional("page", page, "A command, a tool, or settings; default: helve itself.");
      p.optional("directory", directory, "Write all pages there, in man1 and man5.");
    }
  };

  int run(const app::Invocation& shell, const Options& options) const {
    // Built-in tools only: pages must be the same on every machine.
    const auto tools = all_builtin_tools();
    if (!tools) return shell.report(tools.error(), app::kSetup);
    const auto defaults = settings::load_config({});
    if (!defaults) return shell.report(defaults.error(), app::kSetup);
    const std::vector<ManPage> pages = manual_pages(all_commands(), (*tools)->list(), *defaults);
    if (!options.directory.empty()) return write(shell, pages, options.directory);
    std::vector<std::string> names;
    // Accept the name that man(1) uses.
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
        return app::kOk;
      }
      names.push_back(name);
    }
    const auto near = nearest(wanted, names);
    return shell.report(
        {ErrorCode::kNotFound, concat("There is no manual page for ", options.page, "."),
         near.empty() ? "helve --help lists the commands." : concat("Did you mean ", near.front(), "?")},
        app::kUsage);
  }

 private:
  // Shows the page with man(1), or as plain text if man is missing.
  static void show(const app::Invocation& shell, const ManPage& page) {
    const app::Printer& terminal = shell.terminal();
    if (!terminal.out_is_terminal()) return terminal.out(page.text);
    if (find_program("man")) {
      const auto file = EditedText::create(page.file_name(), page.text);
      const auto code = file ? run_on_file("man -l", file->path()) : fail(file.error());
      if (code && *code == 0) return;
    }
    terminal.out(manual_text(terminal, page.text));
  }

  static int write(const app::Invocation& shell, const std::vector<ManPage>& pages,
                   const std::string& directory) {
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
                            app::kSetup);
    }
    return app::kOk;
  }
};

}  // namespace

std::unique_ptr<Command> make_man_command() { return std::make_unique<TypedCommand<Man>>(); }

}  // namespace helve::cli
