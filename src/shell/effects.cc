#include "shell/effects.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "shell/arguments.h"
#include "shell/names.h"
#include "shell/options.h"
#include "shell/runners.h"

namespace helve::shell {
namespace {

struct EffectRow {
  std::string_view programs;         // separated by spaces
  std::string_view letters = {};     // risky one-letter options
  std::string_view long_names = {};  // risky options with two dashes
  std::string_view words = {};       // other risky words; a closing * matches any ending
  bool assignments = false;          // words such as SHELL=x are risky, unless they only set a number
  std::string_view always = {};      // the effect that it has with any arguments
  bool options_first = false;        // options end at the first operand; the rest belongs to a script
  bool dashes_end_options = true;
};

constexpr EffectRow kEffects[] = {
    {.programs = "find",
     .words = "-exec -execdir -ok -okdir -delete -fprint* -fls",
     .dashes_end_options = false},
    {.programs = "fd fdfind", .letters = "xX", .long_names = "exec exec-batch"},
    {.programs = "rg", .letters = "z", .long_names = "pre hostname-bin search-zip"},
    {.programs = "ag ack", .long_names = "pager output ackrc"},
    {.programs = "bat batcat", .long_names = "pager config-file config-dir diagnostic lessopen"},
    {.programs = "fzf",
     .long_names = "preview bind execute listen",
     .always = "runs a program for its input"},
    {.programs = "tar bsdtar gtar",
     .letters = "IF",
     .long_names =
         "checkpoint-action to-command use-compress-program info-script new-volume-script rsh-command "
         "rmt-command"},
    {.programs = "cpio", .letters = "OF", .long_names = "rsh-command file"},
    {.programs = "rsync",
     .letters = "e",
     .long_names = "rsh rsync-path config log-file write-batch only-write-batch"},
    {.programs = "scp sftp", .letters = "SoFDb"},
    {.programs = "ssh", .letters = "oFIESwRLD"},
    {.programs = "curl",
     .letters = "oOKJDcTw",
     .long_names =
         "output output-dir remote-name remote-name-all remote-header-name config dump-header cookie-jar "
         "trace "
         "trace-ascii stderr libcurl hsts etag-save alt-svc engine create-dirs upload-file write-out"},
    {.programs = "wget wget2",
     .letters = "Ooaei",
     .long_names =
         "use-askpass output-document output-file append-output execute config input-file save-cookies "
         "hsts-file warc-file"},
    {.programs = "sort", .letters = "oT", .long_names = "output compress-program temporary-directory"},
    {.programs = "shuf iconv", .letters = "o", .long_names = "output"},
    {.programs = "tree", .letters = "oR"},
    {.programs = "split", .long_names = "filter"},
    {.programs = "yq", .letters = "i", .long_names = "inplace in-place"},
    {.programs = "less more most",
     .letters = "oOkP",
     .long_names = "log-file lesskey-file lesskey-src lesskey-content",
     .words = "+*"},
    {.programs = "man", .letters = "PHC", .long_names = "pager html config-file"},
    {.programs = "vi vim nvim view ex gvim vimdiff emacs nano",
     .letters = "cSuswWl",
     .long_names = "cmd eval load script batch funcall execute",
     .words = "+*"},
    {.programs = "make gmake",
     .letters = "fEIC",
     .long_names = "eval file makefile include-dir directory",
     .assignments = true,
     .dashes_end_options = false},
    {.programs = "cmake", .words = "-P -E"},
    {.programs = "ninja", .letters = "f"},
    {.programs = "go",
     .words =
         "-exec* -toolexec* -vettool* -overlay* -modfile* -C --exec* --toolexec* --vettool* run generate"},
    {.programs = "cargo", .letters = "C", .long_names = "config manifest-path"},
    {.programs = "npm pnpm yarn",
     .letters = "C",
     .long_names = "script-shell node-options prefix userconfig globalconfig git cwd shell config dir"},
    {.programs = "pytest", .letters = "pc", .long_names = "config-file rootdir confcutdir"},
    {.programs = "xxd", .letters = "r"},
    {.programs = "file", .letters = "C", .long_names = "compile"},
    {.programs = "gcc g++ cc c++ clang clang++ cpp gfortran",
     .words = "-B* -wrapper* -fplugin* -specs* --specs* @* -Xclang -load"},
    {.programs = "zip", .letters = "T", .long_names = "unzip-command test"},
    {.programs = "7z 7za 7zr 7zz", .letters = "ow"},
    {.programs = "patch", .letters = "oreb", .long_names = "output reject-file ed"},
    {.programs = "nc ncat netcat", .letters = "eco", .long_names = "exec sh-exec lua-exec output hex-dump"},
    {.programs = "ip", .letters = "b", .long_names = "batch", .words = "netns vrf"},
    {.programs = "openssl", .words = "-engine -out -provider -config -writerand"},
    {.programs = "pandoc",
     .letters = "oFLHBA",
     .long_names = "output filter lua-filter pdf-engine extract-media"},
    {.programs = "python python2 python3 pypy pypy3", .letters = "cmix", .options_first = true},
    {.programs = "node nodejs bun deno",
     .letters = "eprci",
     .long_names = "eval print require import loader experimental-loader env-file interactive inspect watch",
     .options_first = true},
    {.programs = "perl", .letters = "eEMmIidxDS", .options_first = true},
    {.programs = "ruby", .letters = "erIiSxC", .long_names = "encoding", .options_first = true},
    {.programs = "php", .letters = "rBREFdaczS", .options_first = true},
    {.programs = "lua luajit", .letters = "eliO", .options_first = true},
    {.programs = "gdb lldb", .always = "runs programs and commands"},
    {.programs = "expect socat m4 dc ed sqlite3 psql mysql mariadb ftp telnet", .always = "can run commands"},
    {.programs = "time", .letters = "oa", .long_names = "output append"},
    {.programs = "strace ltrace", .letters = "oE", .long_names = "output env"},
    {.programs = "script", .always = "writes a file"},
    {.programs = "ldd", .always = "can run the program that it inspects"},
    {.programs = "tee sponge", .always = "writes files"},
    {.programs = "dd", .words = "of=*"},
    {.programs = "hg", .long_names = "config config-file program option", .words = "extdiff"},
    {.programs = "svn", .long_names = "diff-cmd diff3-cmd editor-cmd config-option config-dir"},
    {.programs = "jj", .long_names = "config config-toml config-file tool"},
    {.programs = "bzr brz", .long_names = "using diff-options"},
    {.programs = "apt apt-get apt-cache aptitude", .letters = "oc", .long_names = "option config-file"},
    {.programs = "dpkg", .long_names = "pre-invoke post-invoke status-logger"},
    {.programs = "dnf yum", .long_names = "setopt config"},
    {.programs = "pacman", .long_names = "config hookdir"},
    {.programs = "gs", .always = "runs PostScript, which can run programs"},
    {.programs = "brew", .words = "ruby irb sh exec command"},
    {.programs = "mail mailx mutt sendmail", .words = "-S* -e* - -C*"},
    {.programs = "redis-cli", .long_names = "eval", .words = "eval EVAL"},
    {.programs = "just",
     .letters = "c",
     .long_names = "shell shell-arg command chooser choose justfile working-directory"},
    {.programs = "rustc", .letters = "C", .long_names = "codegen"},
    {.programs = "sbt rake", .letters = "eE", .long_names = "execute", .words = "!*"},
};

bool fits(std::string_view pattern, std::string_view word) {
  return pattern.ends_with('*') ? word.starts_with(pattern.substr(0, pattern.size() - 1)) : word == pattern;
}

bool is_risky(const EffectRow& row, std::string_view word) {
  if (detail::is_one_of(word, row.letters, row.long_names)) return true;
  if (const std::size_t equals = word.find('='); row.assignments && equals != std::string_view::npos) {
    const std::string_view value = word.substr(equals + 1);
    const bool sets_number = equals > 0 && is_word_character(word[equals - 1]) && !value.empty() &&
                             value.find_first_not_of("0123456789") == std::string_view::npos;
    if (!sets_number) return true;
  }
  const auto patterns = split(row.words, ' ');
  return !row.words.empty() &&
         std::ranges::any_of(patterns, [&](std::string_view pattern) { return fits(pattern, word); });
}

std::optional<std::string> row_effect(const EffectRow& row, const SimpleCommand& command,
                                      std::size_t covered) {
  const std::string_view program = program_name(command.words.front().text);
  if (!row.always.empty() && (program != "tee" || command.words.size() > 1 || command.open_ended))
    return concat(program, " ", row.always);
  bool options = true;
  for (std::size_t i = 1; i < command.words.size() && options; ++i) {
    const Word& word = command.words[i];
    if (word.literal && word.text == "--" && row.dashes_end_options) {
      options = false;
    } else if (word.literal &&
               (is_risky(row, word.text) ||
                // tar also accepts its letters without a dash.
                (i == 1 && program.ends_with("tar") && is_risky(row, concat("-", word.text))))) {
      if (i >= covered)
        return concat(program, " with ", shortened(word.text, 80), " can run programs or write files");
      if (row.options_first) return std::nullopt;  // the rest belongs to the script that the rule names
    } else if (!word.literal && i >= covered && may_be_option(word)) {
      return concat("an argument of ", program,
                    " is not literal and could be an option: ", shortened(word.text, 80));
    } else if (row.options_first && !may_be_option(word)) {
      // After an option it can be that option's value.
      options = i > 1 && may_be_option(command.words[i - 1]);
    }
  }
  if (options && command.open_ended)
    return concat("arguments of ", program, " are unknown and could be options");
  return std::nullopt;
}

std::optional<std::string> uniq_effect(const SimpleCommand& command) {
  std::size_t operands = 0;
  for (const Word& word : std::span(command.words).subspan(1)) {
    operands += may_be_option(word) && word.literal && word.text != "-" ? 0U : 1U;
    if (!is_one_word(word)) operands = 2;
  }
  if (operands < 2 && !command.open_ended) return std::nullopt;
  return "uniq writes to its second file";
}

}  // namespace

namespace detail {

bool is_one_of(std::string_view word, std::string_view letters, std::string_view long_names) {
  if (word.size() < 2 || word[0] != '-') return false;
  if (word[1] != '-') return word.find_first_of(letters) != std::string_view::npos;
  const std::string_view name =
      word.substr(2, word.find('=') == std::string_view::npos ? word.npos : word.find('=') - 2);
  if (name.empty()) return false;
  const auto names = split(long_names, ' ');
  return std::ranges::any_of(names, [&](std::string_view risky) { return risky.starts_with(name); });
}

}  // namespace detail

std::optional<std::string> known_effect(const SimpleCommand& command, std::size_t covered) {
  for (const Assignment& assignment : command.assignments)
    if (is_risky_assignment(assignment)) return concat(assignment.name, " changes which programs run");
  if (command.words.empty() || !command.words.front().literal) return std::nullopt;
  const std::string_view program = program_name(command.words.front().text);
  if (program == "git") return detail::git_effect(command, covered);
  if (program == "sed" || program == "gsed") return detail::sed_effect(command);
  if (lists("awk gawk mawk nawk", program)) return detail::awk_effect(command);
  if (program == "uniq") return uniq_effect(command);
  std::string_view family = program;  // python3.12 is python
  if (family.starts_with("python")) family = "python";
  if (family.starts_with("perl5")) family = "perl";
  for (const EffectRow& row : kEffects)
    if (lists(row.programs, family)) return row_effect(row, command, covered);
  return std::nullopt;
}

std::optional<std::string> runs_more(const SimpleCommand& command, std::size_t covered) {
  const auto runner = find_runner(command.words);
  if (runner && !runner->elsewhere && covered > runner->command) {
    // The rule names the program behind the runner: `python3 -m pytest`, `npx tsc`.
    SimpleCommand inner = command;
    inner.words.erase(inner.words.begin(),
                      inner.words.begin() + static_cast<std::ptrdiff_t>(runner->command));
    return runs_more(inner, covered - runner->command);
  }
  if (auto effect = known_effect(command, covered)) return effect;
  return unlisted_argument(command, covered);
}

}  // namespace helve::shell
