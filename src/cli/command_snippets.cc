// helve snippets: manages saved code snippets.
#include <algorithm>
#include <array>
#include <filesystem>
#include <ranges>

#include "base/file_io.h"
#include "base/strings.h"
#include "cli/command.h"
#include "cli/editor.h"
#include "cli/snippet_files.h"
#include "cli/snippet_upkeep.h"
#include "core/shared_store.h"
#include "settings/directories.h"
#include "store/snippets.h"
#include "terminal/highlight.h"
#include "toolkit/snippet_report.h"

namespace helve::cli {
namespace {

enum class SnippetAction { kList, kShow, kEdit, kImport, kExport, kDelete, kBackup, kRestore, kCheck };
constexpr auto enum_names(SnippetAction) {
  return std::to_array<std::string_view>(
      {"list", "show", "edit", "import", "export", "delete", "backup", "restore", "check"});
}

struct SnippetsCommand {
  static constexpr std::string_view kName = "snippets";
  static constexpr std::string_view kSummary = "List, show, edit, import and export code snippets";
  static constexpr std::string_view kDetails =
      "helve snippets list              newest first; filter with --query, --tags and --language\n"
      "helve snippets show NAME…        the code, in colours on a terminal\n"
      "helve snippets edit NAME         open in $VISUAL or $EDITOR; creates a new name\n"
      "helve snippets import FILE…      save files, or a directory written by export\n"
      "helve snippets export            all of them as JSON\n"
      "helve snippets export DIR        all of them as files in DIR\n"
      "helve snippets export NAME…      single ones as files in the current directory\n"
      "helve snippets delete NAME…      delete; --json prints what was deleted\n"
      "helve snippets backup [FILE]     copy the whole store\n"
      "helve snippets restore [BACKUP]  recover from damage, or restore a backup\n"
      "helve snippets check             check for damage";
  static constexpr auto kPositionals = std::to_array<std::string_view>({"action", "names"});

  struct Options {
    SnippetAction action = SnippetAction::kList;
    std::vector<std::string> names;
    std::vector<std::string> tags;
    std::string language;
    std::string query;
    int most = 100;
    bool force = false;
    bool anew = false;

    void describe(ParamSpec& p) {
      p.optional("action", action, "What to do.");
      p.optional("names", names, "Names or ids of snippets, or files.");
      p.optional("tags", tags, "list: only with all these tags. import, edit: tags to set.");
      p.optional("language", language, "list: only this language. import, edit: language to set.");
      p.optional("query", query, "list: only with all these words.");
      p.optional("most", most, "list: how many at most.", {.min = 1, .max = 100'000});
      p.optional("force", force, "import, export: replace existing ones.");
      p.optional("anew", anew, "restore: start with an empty store.");
    }
  };

  int run(const app::Invocation& shell, const Options& options) const {
    const auto data = settings::default_data_directory();
    if (!data) return shell.report(data.error(), app::kSetup);
    const std::string directory = core::store_directory(*data);
    if (options.action == SnippetAction::kRestore)
      return restore_store(shell, directory, options.names, options.anew);
    core::SharedStore shared(directory);
    const auto opened = shared.open();
    if (!opened) return shell.report(opened.error(), app::kSetup);
    return Work{shell, options, **opened, (*opened)->snippets()}.run();
  }

 private:
  // One run of the command.
  struct Work {
    const app::Invocation& shell;
    const Options& options;
    store::Store& store;
    store::Snippets& snippets;

    int run() const {
      switch (options.action) {
        case SnippetAction::kList: return list();
        case SnippetAction::kShow: return for_each_name(&Work::show);
        case SnippetAction::kEdit: return for_each_name(&Work::edit);
        case SnippetAction::kImport: return for_each_name(&Work::import);
        case SnippetAction::kExport: return export_some();
        case SnippetAction::kDelete: return for_each_name(&Work::remove);
        case SnippetAction::kBackup: return back_up_store(shell, store, options.names);
        case SnippetAction::kCheck: return check_store(shell, store);
        case SnippetAction::kRestore: break;
      }
      return app::kUsage;
    }

    // Tries every name, even after an error.
    int for_each_name(int (Work::*act)(const std::string&) const) const {
      if (options.names.empty()) {
        const std::string_view action = name_of(options.action);
        return shell.report(
            {ErrorCode::kInvalidArgument, concat("helve snippets ", action, " needs a name."),
             concat("helve snippets ", action, " NAME; helve snippets list shows the names.")},
            app::kUsage);
      }
      int worst = app::kOk;
      for (const std::string& name : options.names) worst = std::max(worst, (this->*act)(name));
      return worst;
    }

    // The store's hints name the tools for models; name commands instead.
    int report(Error error) const {
      error.hint = replace_all(error.hint, "snippet_list", "helve snippets list");
      error.hint =
          replace_all(error.hint, "Save one with snippet_save", "Import one with helve snippets import FILE");
      return shell.report(error, app::kToolError);
    }

    int list() const {
      store::SnippetFilter filter{
          .tags = options.tags, .query = options.query, .most = static_cast<std::size_t>(options.most)};
      // helve snippets list parse json
      filter.query += concat(" ", join(options.names, " "));
      if (!options.language.empty()) filter.languages = toolkit::language_names(options.language);
      const auto found = snippets.list(filter);
      if (!found) return shell.report(found.error(), app::kToolError);
      if (shell.options().json) {
        JsonArray entries;
        for (const store::SnippetEntry& entry : found->snippets) entries.push_back(toolkit::to_json(entry));
        shell.print_json(JsonObject{{"count", found->total}, {"snippets", std::move(entries)}});
        return app::kOk;
      }
      const app::Printer& terminal = shell.terminal();
      for (const store::SnippetEntry& entry : found->snippets) {
        const std::string line = terminal::printable_line(toolkit::describe_entry(entry));
        const std::string name = terminal::printable_line(entry.name);
        terminal.out(concat(terminal.paint(terminal::Colour::kBold, name), line.substr(name.size()), "\n"));
      }
      if (found->total > found->snippets.size())
        terminal.err(
            concat("… and ", found->total - found->snippets.size(), " older; use --most to see more.\n"));
      if (found->total == 0 && !shell.options().quiet) terminal.err(concat(none_found(filter), "\n"));
      return app::kOk;
    }

    std::string none_found(const store::SnippetFilter& filter) const {
      const auto all = snippets.list({.most = 1});
      if (!all || all->total == 0) return "There are no snippets yet. Save one with helve snippet_save.";
      std::vector<std::string> wanted;
      if (const std::string_view words = trim(filter.query); !words.empty())
        wanted.push_back(concat("with ", terminal::printable_line(words)));
      if (!options.tags.empty())
        wanted.push_back(concat("tagged ", terminal::printable_line(join(options.tags, ", "))));
      if (!options.language.empty())
        wanted.push_back(concat("in ", terminal::printable_line(options.language)));
      return concat("No snippet ", join(wanted, " and "), "; there ", all->total == 1 ? "is " : "are ",
                    count_of(all->total, "snippet"), " in all.");
    }

    int show(const std::string& name) const {
      const auto snippet = snippets.load(name);
      if (!snippet) return report(snippet.error());
      if (shell.options().json) {
        shell.print_json(toolkit::to_json(*snippet));
        return app::kOk;
      }
      const app::Printer& terminal = shell.terminal();
      if (!terminal.out_is_terminal()) {
        // A pipe gets exactly the bytes of the code.
        terminal.out(snippet->code);
        return app::kOk;
      }
      const store::SnippetEntry entry{.name = snippet->name,
                                      .description = {},
                                      .language = snippet->language,
                                      .tags = snippet->tags,
                                      .lines = store::count_lines(snippet->code)};
      terminal.err(concat(terminal.paint_err(terminal::Colour::kDim,
                                             terminal::printable_line(toolkit::describe_entry(entry))),
                          "\n"));
      if (!snippet->description.empty())
        terminal.err(concat(
            terminal.paint_err(terminal::Colour::kDim, terminal::printable(snippet->description)), "\n"));
      const std::string code = terminal::printable(snippet->code);
      terminal.out(terminal::highlight(
          code, toolkit::language_id(snippet->language),
          [&](terminal::Colour colour, std::string_view text) { return terminal.paint(colour, text); }));
      if (!code.ends_with('\n')) terminal.out("\n");
      return app::kOk;
    }

    int edit(const std::string& name) const {
      const auto found = snippets.load(name);
      if (!found && found.error().code != ErrorCode::kNotFound)
        return shell.report(found.error(), app::kToolError);
      const store::Snippet before =
          found ? *found : store::Snippet{.name = name, .language = options.language, .tags = options.tags};
      auto file = EditedText::create(file_name_for(before), before.code);
      if (!file) return shell.report(file.error(), app::kSetup);
      const auto code = file->edit();
      if (!code) return shell.report(code.error(), app::kToolError);
      if (*code == before.code || trim(*code).empty()) {
        shell.terminal().out(concat(terminal::printable_line(before.name), " unchanged\n"));
        return app::kOk;
      }
      auto saved = save_edited(before, *code, found.has_value());
      if (saved) return saved_message(*saved);
      saved.error().hint = concat("Your text is in ", file->keep(), ". ", saved.error().hint);
      return shell.report(saved.error(), app::kToolError);
    }

    Expected<store::SavedSnippet> save_edited(const store::Snippet& before, const std::string& code,
                                              bool existed) const {
      // The snippet may have changed while the editor was open.
      const auto now = snippets.load(before.name);
      if (now.has_value() != existed || (now && now->updated != before.updated))
        return fail(ErrorCode::kConflict,
                    concat(before.name, " has changed since you opened it; nothing was saved."),
                    "Edit it again to see the current version.");
      const std::string language =
          before.language.empty() ? toolkit::guess_language(before.name, code) : before.language;
      return snippets.save({before.name, code, before.description, language, before.tags});
    }

    int saved_message(const store::SavedSnippet& saved) const {
      const auto lines =
          static_cast<std::size_t>(toolkit::to_json(saved.snippet).find("lines")->as_integer());
      if (!shell.options().quiet)
        shell.terminal().out(concat(terminal::printable_line(saved.snippet.name),
                                    saved.before ? " replaced (" : " saved (",
                                    toolkit::describe_code(saved.snippet.language, lines), ")\n"));
      return app::kOk;
    }

    int import(const std::string& path) const {
      const auto drafts = import_file(path);
      if (!drafts) return shell.report(drafts.error(), app::kToolError);
      int worst = app::kOk;
      // Imported in reverse, so that the newest stays the newest.
      for (store::SnippetDraft draft : *drafts | std::views::reverse) {
        if (!options.language.empty()) draft.language = options.language;
        draft.tags.insert(draft.tags.end(), options.tags.begin(), options.tags.end());
        worst = std::max(worst, import_one(draft));
      }
      return worst;
    }

    int import_one(const store::SnippetDraft& draft) const {
      const auto there = snippets.load(draft.name);
      if (there && there->name == draft.name && !options.force) {
        if (there->code == draft.code) {
          shell.terminal().out(concat(terminal::printable_line(draft.name), " already exists\n"));
          return app::kOk;
        }
        return shell.report({ErrorCode::kConflict, concat("Another snippet named ", draft.name, " exists."),
                             "Use --force to replace it, or rename the file."},
                            app::kToolError);
      }
      const auto saved = snippets.save(draft);
      return saved ? saved_message(*saved) : shell.report(saved.error(), app::kToolError);
    }

    int export_some() const {
      if (options.names.empty()) return export_to_stdout();
      // A single name that is not a snippet is the target directory.
      std::vector<store::Snippet> chosen;
      Error missing;
      for (const std::string& name : options.names) {
        auto snippet = snippets.load(name);
        if (snippet)
          chosen.push_back(*std::move(snippet));
        else
          missing = snippet.error();
      }
      const bool all = chosen.empty() && options.names.size() == 1 && missing.code == ErrorCode::kNotFound &&
                       (std::filesystem::is_directory(options.names.front()) ||
                        options.names.front().find('/') != std::string::npos);
      if (!all && chosen.size() < options.names.size()) {
        if (options.names.size() == 1)
          missing.hint += concat(" To export all snippets into a new directory, write it as ./",
                                 options.names.front(), ".");
        return report(missing);
      }
      if (all) {
        auto everything = load_all();
        if (!everything) return shell.report(everything.error(), app::kToolError);
        chosen = *std::move(everything);
      }
      const auto files = export_files(all ? options.names.front() : ".", chosen, all, options.force);
      if (!files) return shell.report(files.error(), app::kToolError);
      if (all)
        shell.terminal().out(concat(count_of(files->size(), "snippet"), " in ",
                                    terminal::printable_line(options.names.front()), "\n"));
      else
        for (const ExportedFile& file : *files)
          shell.terminal().out(
              concat(terminal::printable_line(file.name), " in ", terminal::printable_line(file.path), "\n"));
      return app::kOk;
    }

    int export_to_stdout() const {
      const auto everything = load_all();
      if (!everything) return shell.report(everything.error(), app::kToolError);
      JsonArray list;
      for (const store::Snippet& snippet : *everything) list.push_back(toolkit::to_json(snippet));
      shell.terminal().out_json(to_pretty_text(JsonObject{{"snippets", std::move(list)}}));
      return app::kOk;
    }

    Expected<std::vector<store::Snippet>> load_all() const {
      const auto list = snippets.list({.most = 1'000'000});
      if (!list) return fail(list.error());
      std::vector<store::Snippet> all;
      for (const store::SnippetEntry& entry : list->snippets) {
        auto snippet = snippets.load(entry.id);
        // Another process has deleted it.
        if (!snippet && snippet.error().code == ErrorCode::kNotFound) continue;
        if (!snippet) return fail(std::move(snippet).error());
        all.push_back(*std::move(snippet));
      }
      return all;
    }

    int remove(const std::string& name) const {
      const auto removed = snippets.remove(name);
      if (!removed) return report(removed.error());
      if (shell.options().json)
        shell.print_json(toolkit::to_json(*removed));
      else if (!shell.options().quiet)
        shell.terminal().out(concat(terminal::printable_line(removed->name), " removed\n"));
      return app::kOk;
    }
  };
};

}  // namespace

std::unique_ptr<Command> make_snippets_command() { return std::make_unique<TypedCommand<SnippetsCommand>>(); }

}  // namespace helve::cli
