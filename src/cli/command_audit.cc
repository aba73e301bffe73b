// helve audit: shows and verifies the audit log.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ranges>
#include <set>

#include "app/progress_line.h"
#include "base/file_io.h"
#include "base/json_parse.h"
#include "base/strings.h"
#include "cli/command.h"
#include "core/audit.h"
#include "core/audit_parts.h"
#include "settings/directories.h"

namespace helve::cli {
namespace {

enum class AuditAction { kShow, kVerify };
constexpr auto enum_names(AuditAction) { return std::to_array<std::string_view>({"show", "verify"}); }

std::string field_text(const Json& record, std::string_view key) {
  const Json* value = record.find(key);
  if (value == nullptr) return {};
  return value->is_string() ? value->as_string() : to_text(*value);
}

struct AuditCommand {
  static constexpr std::string_view kName = "audit";
  static constexpr std::string_view kSummary = "Show or verify the audit log";
  static constexpr std::string_view kDetails =
      "helve audit show      the newest calls with time, tool and outcome\n"
      "helve audit verify    check that no record was changed, removed or added; print the last hash";
  static constexpr auto kPositionals = std::to_array<std::string_view>({"action"});

  struct Options {
    AuditAction action = AuditAction::kShow;
    std::string file;
    int last = 20;

    void describe(ParamSpec& p) {
      p.optional("action", action, "What to do.");
      p.optional("file", file, "Audit file to use instead of your own.");
      p.optional("last", last, "Number of newest calls to show; each has two records.",
                 {.min = 1, .max = 1'000'000});
    }
  };

  int run(const app::Invocation& shell, const Options& options) const {
    std::string path = options.file;
    if (path.empty()) {
      const auto state = settings::default_state_directory();
      if (!state) return shell.report(state.error(), app::kSetup);
      path = concat(*state, "/audit.jsonl");
    } else if (auto named = check_named(path); !named) {
      return shell.report(named.error(), app::kToolError);
    }
    return options.action == AuditAction::kVerify ? verify(shell, path)
                                                  : show(shell, path, static_cast<std::size_t>(options.last));
  }

 private:
  // A missing default file means no records; a file given by the user must exist.
  static Expected<void> check_named(const std::string& path) {
    constexpr std::string_view kHint = "Name an audit file, or omit --file to use your own.";
    struct stat facts{};
    if (::stat(path.c_str(), &facts) != 0 || ::access(path.c_str(), R_OK) != 0) {
      Error error = system_error(concat("Cannot open ", terminal::printable_line(path)), errno);
      error.hint = kHint;
      return fail(std::move(error));
    }
    if (!S_ISDIR(facts.st_mode)) return {};
    return fail(ErrorCode::kInvalidArgument, concat(terminal::printable_line(path), " is a directory."),
                std::string(kHint));
  }

  static int verify(const app::Invocation& shell, const std::string& path) {
    app::ProgressLine progress(shell.terminal(), shell.options().quiet);
    progress.begin("Checking records");
    auto report = core::verify_audit(
        path, [&](std::size_t records) { progress.report({.done = static_cast<double>(records)}); });
    progress.end();
    if (!report && report.error().code == ErrorCode::kNotFound)
      return shell.report(
          {ErrorCode::kNotFound,
           concat("There is no audit to verify: ", terminal::printable_line(path), " does not exist."),
           "Helve creates it with the first call. If there were calls, it was removed, or "
           "audit.enabled is false."},
          app::kToolError);
    if (!report) return shell.report(report.error(), app::kToolError);
    if (shell.options().json) {
      shell.print_json(JsonObject{{"records", report->records},
                                  {"tornLines", report->torn_lines},
                                  {"lastHash", report->last_hash},
                                  {"files", report->files},
                                  {"lostInCrash", report->lost_in_crash},
                                  {"beginsLater", report->begins_later}});
      return app::kOk;
    }
    std::string text = concat(shell.terminal().paint(terminal::Colour::kGreen, "sound"), ": ",
                              count_of(report->records, "record"));
    if (report->files > 1) text += concat(" in ", report->files, " files");
    if (report->begins_later) text += ", older ones were removed";
    if (report->torn_lines > 0) text += concat(", ", count_of(report->torn_lines, "line"), " cut by a crash");
    if (!report->lost_in_crash.empty())
      text += concat("\nthe newest records (up to hash ", report->lost_in_crash,
                     ") are missing since the machine restarted: a power failure, or somebody cut the file");
    if (report->records > 0)
      text += concat("\nlast hash ", report->last_hash, " (store it elsewhere to detect a truncated file)");
    shell.terminal().out(text + "\n");
    return app::kOk;
  }

  static Expected<std::string> read_regular_file(const std::string& path, std::size_t most) {
    const auto file = open_regular_file(path);
    if (!file) return fail(file.error());
    return read_all(file->get(), most);
  }

  // The current file and as many older ones as needed for `last` calls.
  static Expected<std::string> newest_text(const std::string& path, std::size_t calls) {
    constexpr std::size_t kLargest = std::size_t{1} << 30;
    auto text = read_regular_file(path, kLargest);
    if (!text && text.error().code == ErrorCode::kNotFound) text = std::string();
    for (const core::AuditPart& part : core::older_audit_parts(path) | std::views::reverse) {
      // One more file, so that the oldest call has its first record.
      if (!text || newest_calls(split(*text, '\n'), calls + 1).size() > calls) break;
      auto older = read_regular_file(part.path, kLargest);
      if (!older) return older;
      *text = *older + *text;
    }
    return text;
  }

  // Finds the id without parsing the JSON: it precedes all text that a call controls.
  static std::string_view call_of(std::string_view line) {
    constexpr std::string_view kCall = R"("call":")";
    const std::size_t at = line.find(kCall);
    if (at == std::string_view::npos) return {};
    line.remove_prefix(at + kCall.size());
    return line.substr(0, line.find('"'));
  }

  static std::set<std::string_view> newest_calls(const std::vector<std::string_view>& lines,
                                                 std::size_t most) {
    std::set<std::string_view> calls;
    for (auto line = lines.rbegin(); line != lines.rend() && calls.size() < most; ++line)
      if (const std::string_view call = call_of(*line); !call.empty()) calls.insert(call);
    return calls;
  }

  static int show(const app::Invocation& shell, const std::string& path, std::size_t last) {
    const auto text = newest_text(path, last);
    if (!text) return shell.report(text.error(), app::kToolError);
    std::vector<std::string_view> lines = split(*text, '\n');
    while (!lines.empty() && lines.back().empty()) lines.pop_back();
    const std::set<std::string_view> calls = newest_calls(lines, last);
    // Lines without a call, such as damaged ones, are shown between the calls.
    bool begun = calls.size() < last;
    for (const std::string_view line : lines) {
      const bool shown = calls.contains(call_of(line));
      begun = begun || shown;
      if (!shown && !(begun && call_of(line).empty())) continue;
      if (shell.options().json)
        shell.terminal().out(concat(line, "\n"));
      else
        print_record(shell.terminal(), line);
    }
    return app::kOk;
  }

  static void print_record(const app::Printer& terminal, std::string_view line) {
    const auto record = parse_json(line);
    if (!record) return terminal.out(concat(terminal.paint(terminal::Colour::kRed, "(damaged line)"), "\n"));
    if (field_text(*record, "kind") == "continued") return;
    const std::string kind = field_text(*record, "kind");
    const bool intent = kind == "intent" || kind == "preview";
    const std::string outcome = kind == "preview" ? "preview" : intent ? "…" : field_text(*record, "outcome");
    const terminal::Colour colour = intent            ? terminal::Colour::kDim
                                    : outcome == "ok" ? terminal::Colour::kGreen
                                                      : terminal::Colour::kRed;
    std::string what = intent ? field_text(*record, "arguments") : field_text(*record, "summary");
    if (const std::string why = field_text(*record, "explanation"); !why.empty())
      what += concat("  (", why, ")");
    terminal.out(concat(terminal.paint(terminal::Colour::kDim, field_text(*record, "time")), "  ",
                        terminal::printable_line(field_text(*record, "tool")), "  ",
                        terminal.paint(colour, outcome), "  ", terminal::printable_line(what), "\n"));
  }
};

}  // namespace

std::unique_ptr<Command> make_audit_command() { return std::make_unique<TypedCommand<AuditCommand>>(); }

}  // namespace helve::cli
