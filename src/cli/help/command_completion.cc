// helve completion: prints completion scripts, which call helve for candidates.
#include <unistd.h>

#include <array>

#include "base/strings.h"
#include "cli/command.h"
#include "cli/help/completion.h"
#include "cli/mcp_servers.h"
#include "core/shared_store.h"
#include "settings/directories.h"

namespace helve::cli {
namespace {

enum class ShellKind { kBash, kZsh, kFish, kQuery };
constexpr auto enum_names(ShellKind) {
  return std::to_array<std::string_view>({"bash", "zsh", "fish", "query"});
}

constexpr std::string_view kBash = R"(# helve completion for bash: source <(helve completion bash)
_helve() {
  local line files=
  COMPREPLY=()
  while IFS=$'\t' read -r line _; do
    if [[ $line == ':files' ]]; then files=1; continue; fi
    if [[ $line == *= ]]; then compopt -o nospace 2>/dev/null; else printf -v line %q "$line"; fi
    COMPREPLY+=("$line")
  done < <(helve completion query -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ $files ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
  fi
}
complete -F _helve helve
)";

constexpr std::string_view kZsh = R"(#compdef helve
# helve completion for zsh: source <(helve completion zsh)
_helve() {
  local -a entries assignments shown
  local line files=
  while IFS= read -r line; do
    if [[ $line == ':files' ]]; then files=1; continue; fi
    local text=${line%%$'\t'*} about=${line#*$'\t'}
    if [[ $text == *= ]]; then
      assignments+=("$text") shown+=("$text  $about")
    else
      entries+=("${text//:/\\:}:$about")
    fi
  done < <(helve completion query -- "${(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#entries )) && _describe -V helve entries
  (( $#assignments )) && compadd -l -S '' -d shown -a assignments
  [[ -n $files ]] && _files
}
# Installed in a directory of $fpath, this file is the function.
if [[ ${funcstack[1]-} == _helve ]]; then
  _helve "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _helve helve
fi
)";

constexpr std::string_view kFish = R"(# helve completion for fish: helve completion fish | source
function __helve_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (helve completion query -- $words[2..] 2>/dev/null)
        if test "$line" = ':files'
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c helve -f -a '(__helve_complete)'
)";

struct Completion {
  static constexpr std::string_view kName = "completion";
  static constexpr std::string_view kSummary = "Print the completion script for a shell";
  static constexpr std::string_view kDetails =
      "bash:  source <(helve completion bash)      in ~/.bashrc\n"
      "zsh:   source <(helve completion zsh)       in ~/.zshrc\n"
      "fish:  helve completion fish | source       in ~/.config/fish/config.fish";
  static constexpr auto kPositionals = std::to_array<std::string_view>({"shell", "words"});

  struct Options {
    ShellKind shell = ShellKind::kBash;
    std::vector<std::string> words;

    void describe(ParamSpec& p) {
      p.required("shell", shell, "The shell; query answers what can follow the words.");
      p.optional("words", words, "With query: the words after helve, the last one being typed.");
    }
  };

  int run(const app::Invocation& shell, const Options& options) const {
    switch (options.shell) {
      case ShellKind::kBash: shell.terminal().out(kBash); return app::kOk;
      case ShellKind::kZsh: shell.terminal().out(kZsh); return app::kOk;
      case ShellKind::kFish: shell.terminal().out(kFish); return app::kOk;
      case ShellKind::kQuery: return answer_query(shell, options.words);
    }
    return app::kUsage;
  }

 private:
  static std::vector<Suggestion> setting_names() {
    std::vector<Suggestion> names;
    const auto defaults = settings::load_config({});
    if (!defaults) return names;
    for (const settings::Config::Entry& entry : defaults->entries)
      names.push_back({entry.key, entry.description});
    return names;
  }

  static std::vector<Suggestion> snippet_names() {
    constexpr std::size_t kMost = 1000;
    std::vector<Suggestion> names;
    const auto data = settings::default_data_directory();
    // Nothing is made for somebody who only looks.
    if (!data || ::access(core::store_directory(*data).c_str(), F_OK) != 0) return names;
    core::SharedStore shared(core::store_directory(*data));
    const auto opened = shared.open();
    const auto found = opened ? (*opened)->snippets().list({.most = kMost}) : fail(opened.error());
    if (!found) return names;
    for (const store::SnippetEntry& entry : found->snippets)
      if (terminal::printable_line(entry.name) == entry.name)
        names.push_back({entry.name, replace_all(terminal::printable_line(entry.description), "\t", " ")});
    return names;
  }

  static int answer_query(const app::Invocation& shell, const std::vector<std::string>& words) {
    auto runtime = shell.runtime();
    if (!runtime) return app::kSetup;
    const auto servers = show_server_tools(shell, (*runtime)->tools(), ServerStart::kNever);
    const Suggestions found = complete(all_commands(), (*runtime)->tools(), words,
                                       {.settings = setting_names, .snippets = snippet_names});
    for (const Suggestion& entry : found.entries)
      shell.terminal().out(concat(entry.text, "\t",
                                  replace_all(terminal::printable_line(entry.description), "\t", " "), "\n"));
    if (found.files) shell.terminal().out(":files\n");
    return app::kOk;
  }
};

}  // namespace

std::unique_ptr<Command> make_completion_command() { return std::make_unique<TypedCommand<Completion>>(); }

}  // namespace helve::cli
