// Options, settings and subcommands with which git runs other programs or writes elsewhere.
#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"
#include "shell/arguments.h"
#include "shell/effects.h"
#include "shell/options.h"

namespace helve::shell {
namespace {

// Settings that cannot make git run a program; a closing * matches any ending. All other settings are
// doubted, because many of them name a program.
constexpr std::string_view kSafeSettings =
    "user.name user.email color.* advice.* log.* status.* column.* core.quotepath core.autocrlf core.eol "
    "core.safecrlf core.abbrev core.filemode core.ignorecase core.precomposeunicode core.longpaths "
    "core.symlinks "
    "core.commentchar core.preloadindex core.untrackedcache commit.gpgsign tag.gpgsign push.gpgsign "
    "commit.verbose "
    "diff.renames diff.renamelimit diff.algorithm diff.noprefix diff.mnemonicprefix diff.context "
    "diff.colormoved "
    "diff.wserrorhighlight merge.conflictstyle merge.ff merge.renames rebase.autostash rebase.autosquash "
    "pull.rebase "
    "pull.ff push.default push.autosetupremote push.followtags init.defaultbranch protocol.version "
    "fetch.prune "
    "fetch.parallel rerere.enabled gc.auto http.postbuffer http.lowspeedlimit http.lowspeedtime http.version "
    "pack.threads index.threads checkout.defaultremote branch.autosetuprebase format.pretty grep.linenumber "
    "submodule.recurse feature.manyfiles";
// Settings that are safe with this value.
constexpr std::string_view kSafeValues =
    "core.pager=cat core.pager= core.fsmonitor=false core.fsmonitor=0 core.hookspath=/dev/null "
    "core.editor=true "
    "sequence.editor=true sequence.editor=: core.editor=: credential.helper= core.askpass=true "
    "diff.external=";

bool is_safe_setting(std::string_view setting) {
  const std::string key = to_lower(setting.substr(0, setting.find('=')));
  const std::string whole = concat(key, setting.substr(std::min(setting.find('='), setting.size())));
  if (lists(kSafeValues, whole)) return true;
  const auto patterns = split(kSafeSettings, ' ');
  return std::ranges::any_of(patterns, [&](std::string_view pattern) {
    return pattern.ends_with('*') ? key.starts_with(pattern.substr(0, pattern.size() - 1)) : key == pattern;
  });
}

struct GitOptions {
  std::optional<std::string> reason = {};
  std::size_t subcommand = 0;  // index in the words
};

GitOptions read_git_options(const SimpleCommand& command, std::size_t covered) {
  constexpr OptionTable kOptions{
      .flags = "Pvh",
      .values = "Cc",
      .long_flags =
          "no-pager no-replace-objects no-optional-locks no-lazy-fetch no-advice literal-pathspecs "
          "glob-pathspecs noglob-pathspecs icase-pathspecs bare version help html-path man-path info-path"};
  const OptionsRead options = read_options(command.words, 1, kOptions);
  if (!options.understood) {
    const bool consumed = options.next >= command.words.size() || command.words[options.next].literal;
    const Word& word = command.words[options.next - (consumed ? 1 : 0)];
    return {.reason = concat("an option of git can run other programs: ", shortened(word.text, 80)),
            .subcommand = options.next};
  }
  for (const FoundOption& option : options.found) {
    if (option.name != "c") continue;
    if (options.next <= covered && option.value.literal && covered > 1) continue;  // the rule names it
    if (!option.value.literal || !is_safe_setting(option.value.text))
      return {.reason = concat("git -c ", shortened(option.value.text, 80), " can run other programs"),
              .subcommand = options.next};
  }
  return {.subcommand = options.next};
}

struct SubcommandRow {
  std::string_view names;
  std::string_view letters = {};
  std::string_view long_names = {};
  std::string_view words = {};
  bool always = false;
};

constexpr SubcommandRow kSubcommands[] = {
    {.names = "grep", .letters = "O", .long_names = "open-files-in-pager textconv ext-grep"},
    {.names = "archive", .letters = "o", .long_names = "exec remote output add-file"},
    {.names = "format-patch bundle", .letters = "o", .long_names = "output output-directory"},
    {.names = "rebase", .letters = "x", .long_names = "exec strategy"},
    {.names = "bisect", .words = "run visualize view"},
    {.names = "submodule", .words = "foreach add update"},
    {.names = "clone", .letters = "uc", .long_names = "upload-pack config template"},
    {.names = "init", .long_names = "template separate-git-dir"},
    {.names = "cat-file", .long_names = "textconv filters batch-command"},
    {.names = "hook", .words = "run"},
    {.names = "merge pull", .letters = "s", .long_names = "strategy upload-pack"},
    {.names = "help", .letters = "wi", .long_names = "web info"},
    {.names = "fast-export", .long_names = "export-marks"},
    {.names =
         "difftool mergetool filter-branch for-each-repo instaweb web--browse daemon shell send-email "
         "imap-send "
         "http-backend credential credential-store credential-cache upload-pack receive-pack upload-archive "
         "p4 svn "
         "cvsimport cvsserver cvsexportcommit quiltimport citool gui gitk maintenance remote-ext remote-fd "
         "fast-import merge-index",
     .always = true},
};

constexpr std::string_view kKnown =
    "add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap "
    "check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit commit-graph "
    "commit-tree config "
    "count-objects describe diff diff-files diff-index diff-tree fast-export fetch fetch-pack fmt-merge-msg "
    "for-each-ref "
    "format-patch fsck gc get-tar-commit-id grep hash-object help hook index-pack init interpret-trailers "
    "log ls-files "
    "ls-remote ls-tree mailinfo mailsplit merge merge-base merge-file merge-tree mktag mktree mv "
    "name-rev "
    "notes pack-objects pack-refs patch-id prune prune-packed pull push range-diff read-tree rebase reflog "
    "remote repack "
    "replace request-pull rerere reset restore rev-list rev-parse revert rm shortlog show show-branch "
    "show-index show-ref "
    "sparse-checkout stage stash status stripspace submodule switch symbolic-ref tag unpack-file "
    "unpack-objects "
    "update-index update-ref update-server-info var verify-commit verify-pack verify-tag version whatchanged "
    "worktree "
    "write-tree";

// Checked for every subcommand, because most pass options on to others.
constexpr std::string_view kRiskyOptions =
    "upload-pack receive-pack exec output output-directory open-files-in-pager ext-diff textconv extcmd "
    "exec-path "
    "trailer-command";
// Subcommands that take the address of a repository; in X::Y, git runs the program git-remote-X.
constexpr std::string_view kRemote =
    "archive clone fetch fetch-pack ls-remote pull push remote request-pull submodule";
// Safe options that look like an abbreviation of a risky one.
constexpr std::string_view kSafeOptions = "--text";

bool is_reading_config(const SimpleCommand& command, std::size_t subcommand) {
  if (subcommand + 1 >= command.words.size()) return true;
  const Word& word = command.words[subcommand + 1];
  return word.literal && lists("--get --get-all --get-regexp --get-urlmatch --list -l get list", word.text);
}

// Whether the word is the value of the option before it: commit -m "$text".
bool is_value(const SimpleCommand& command, std::size_t index) {
  const Word& before = command.words[index - 1];
  return before.literal && is_one_word(command.words[index]) &&
         lists("-m -am --message -F --file --author --date --title --body", before.text);
}

}  // namespace

std::optional<std::string> git_options_effect(const SimpleCommand& command) {
  return read_git_options(command, 1).reason;
}

std::optional<std::string> detail::git_effect(const SimpleCommand& command, std::size_t covered) {
  const GitOptions options = read_git_options(command, covered);
  if (options.reason) return options.reason;
  if (options.subcommand >= command.words.size())
    return command.open_ended ? std::optional<std::string>("the git subcommand is unknown") : std::nullopt;
  const Word& subcommand = command.words[options.subcommand];
  if (!subcommand.literal)
    return concat("the git subcommand is not literal: ", shortened(subcommand.text, 80));
  const std::string name = concat("git ", shortened(subcommand.text, 40));
  const auto row = std::ranges::find_if(
      kSubcommands, [&](const SubcommandRow& candidate) { return lists(candidate.names, subcommand.text); });
  const bool found = row != std::end(kSubcommands);
  const bool named = options.subcommand < covered;
  if (found && row->always && !named) return concat(name, " can run other programs");
  const bool known = lists(kKnown, subcommand.text);
  if (!known && !named) return concat(name, " may be an alias or an external program");
  if (subcommand.text == "config" && !is_reading_config(command, options.subcommand))
    return "git config can set what later commands run";

  for (std::size_t i = options.subcommand + 1; i < command.words.size(); ++i) {
    const Word& word = command.words[i];
    if (word.literal && word.text == "--") return std::nullopt;
    if (i < covered) continue;
    if (!word.literal) {
      if (may_be_option(word) && !is_value(command, i))
        return concat("an argument of ", name,
                      " is not literal and could be an option: ", shortened(word.text, 80));
      continue;
    }
    const bool risky = is_one_of(word.text, {}, kRiskyOptions) && !lists(kSafeOptions, word.text);
    const bool risky_here =
        found && (is_one_of(word.text, row->letters, row->long_names) || lists(row->words, word.text));
    if (risky || risky_here || (word.text.contains("::") && lists(kRemote, subcommand.text)))
      return concat(name, " with ", shortened(word.text, 80), " can run programs or write files");
  }
  if (command.open_ended) return concat("arguments of ", name, " are unknown and could be options");
  if (known) return std::nullopt;
  SimpleCommand external = command;
  external.words.erase(external.words.begin(),
                       external.words.begin() + static_cast<std::ptrdiff_t>(options.subcommand));
  external.words.front().text.insert(0, "git-");
  return unlisted_argument(external, covered - options.subcommand);
}

}  // namespace helve::shell
