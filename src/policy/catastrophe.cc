#include "policy/catastrophe.h"

#include <algorithm>
#include <map>

#include "base/ascii.h"
#include "base/strings.h"
#include "policy/catastrophe_code.h"
#include "policy/catastrophe_containers.h"
#include "policy/catastrophe_pipes.h"
#include "policy/catastrophe_programs.h"
#include "policy/catastrophe_scripts.h"
#include "policy/command_words.h"
#include "policy/possible_commands.h"
#include "shell/arguments.h"
#include "shell/options.h"
#include "shell/runners.h"

namespace helve::policy {
namespace {

using shell::lists;
using shell::Redirection;
using shell::SimpleCommand;
using shell::Word;

constexpr int kDeepestInner = 6;
constexpr std::size_t kMostTexts = 200;
constexpr std::string_view kShells = "sh bash zsh dash ash ksh mksh rbash yash fish csh tcsh";
// Programs whose arguments can hold a command line, often after a mark such as `!`.
constexpr std::string_view kCarriers =
    "git tar bsdtar gtar ssh rsync scp sftp vim vi nvim view ex less more man make gmake gdb lldb expect ed "
    "sqlite3 psql mysql tmux screen emacs fzf script zip su runuser parallel nix-shell socat nc ncat watch";

class CatastropheSearch {
 public:
  CatastropheSearch(const Surroundings& surroundings, std::string input)
      : surroundings_(surroundings), input_(std::move(input)) {}

  void judge_text(std::string_view text, const std::string& directory, const LineValues* outer, int depth);
  [[nodiscard]] std::vector<Catastrophe> take() { return std::move(found_); }

 private:
  // One line, while it is judged.
  struct Line {
    std::string text;
    shell::CommandLine parsed;
    LineValues values;
    int depth;
    std::size_t here = std::string::npos;  // the last here-text of a group of commands
    std::vector<std::size_t> places = {};  // of the commands in the text; npos for those of inner texts
    std::map<std::string, std::string> files = {};  // that the line writes, and their texts

    [[nodiscard]] PipedLine pipe() const { return {text, parsed, places, values}; }
  };

  void judge_command(Line& line, std::size_t at);
  void judge_words(Line& line, const SimpleCommand& command, const std::string& subject);
  void judge_input(Line& line, std::size_t at, const std::string& subject);
  void judge_xargs(Line& line, std::size_t at, const std::string& subject);
  void judge_elsewhere(Line& line, const SimpleCommand& command, const std::string& subject);
  static void remember_file(Line& line, std::size_t at);
  void judge_shell_text(Line& line, const SimpleCommand& command);
  void judge_inner_code(Line& line, const SimpleCommand& command, std::string_view code,
                        const std::string& subject);
  void judge_broken(Line& line);
  [[nodiscard]] std::optional<Fields> piped_fields(const Line& line, std::size_t at, bool loops) const;
  [[nodiscard]] const SimpleCommand* piped_from(const Line& line, std::size_t at, bool loops) const;
  void add(const std::string& subject, std::string what) {
    if (std::ranges::find(found_, what, &Catastrophe::what) == found_.end())
      found_.push_back({.subject = subject, .what = std::move(what)});
  }

  const Surroundings& surroundings_;
  std::string input_;
  std::size_t texts_ = 0;
  std::vector<Catastrophe> found_ = {};
};

std::string joined_fields(const Fields& fields) {
  std::vector<std::string> texts;
  for (const std::string& field : fields) texts.push_back(unescaped(field));
  return join(texts, " ");
}

std::string subject_of(const SimpleCommand& command) {
  return command.text.empty() ? spell_out(command.words) : command.text;
}

// Whether the command reads a script from stdin: `sh`, `bash -s`, `python3 -`.
bool reads_script(const SimpleCommand& command) {
  if (command.words.empty()) return false;
  const std::string_view program = program_name(command.words.front().text);
  if (lists("at batch", program)) return true;
  if (!lists(kShells, program) && !is_interpreter(program) && !lists("source . ssh", program)) return false;
  if (lists("xargs env sudo nohup nice timeout time watch exec command eval parallel flock stdbuf", program))
    return false;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string& word = command.words[i].text;
    if (word == "-s" || word == "-" || word == "/dev/stdin" || word == "/proc/self/fd/0") return true;
    if (word.starts_with('-') && !word.starts_with("--") && word.ends_with('c')) return false;
    if (word.starts_with("<(")) return true;
    if (!word.starts_with('-')) return program == "ssh" && command.words.size() <= i + 1;
  }
  return program != "ssh";
}

bool is_wrapped(const shell::CommandLine& line, std::size_t at) {
  return at + 1 < line.commands.size() &&
         line.commands[at + 1].wrappers.size() > line.commands[at].wrappers.size();
}

const SimpleCommand* CatastropheSearch::piped_from(const Line& line, std::size_t at, bool loops) const {
  const auto source = source_in_pipe(line.pipe(), at, loops);
  if (!source) return nullptr;
  // Programs that only pass their input on.
  const SimpleCommand& command = line.parsed.commands[*source];
  const bool passes = !command.words.empty() &&
                      lists("cat tee sort uniq tac head tail", program_name(command.words.front().text)) &&
                      command.redirections.empty();
  const SimpleCommand* origin = passes ? piped_from(line, *source, false) : nullptr;
  return origin != nullptr ? origin : &command;
}

std::optional<Fields> CatastropheSearch::piped_fields(const Line& line, std::size_t at, bool loops) const {
  const SimpleCommand* source = piped_from(line, at, loops);
  if (source == nullptr || source->words.empty()) return std::nullopt;
  const bool finds = program_name(source->words.front().text) == "find";
  if (finds && !finds_everything(line.values.expand_command(*source))) return std::nullopt;
  return line.values.output_of(*source);
}

void CatastropheSearch::judge_words(Line& line, const SimpleCommand& command, const std::string& subject) {
  const Fields fields = line.values.expand_command(command);
  if (fields.empty() || fields.front() == LineValues::kUnknownField || has_active_wildcard(fields.front()))
    return;
  SimpleCommand known;
  for (const std::string& field : fields) known.words.push_back({.text = field});
  known.words.front().text = unescaped(fields.front());
  const CatastrophePlaces places(line.values.directory_of(command), surroundings_);
  for (const Words& reading : readings_of(known, surroundings_.workspace)) {
    Fields words;
    for (const Word& word : reading) words.push_back(word.text);
    if (auto what = judge_program(words, places)) add(subject, std::move(*what));
  }
  for (const Redirection& redirection : command.redirections) {
    using Kind = Redirection::Kind;
    if (redirection.kind != Kind::kWrite && redirection.kind != Kind::kAppend &&
        redirection.kind != Kind::kReadWrite)
      continue;
    for (const std::string& file : line.values.expand(redirection.target))
      if (auto what = judge_written_file(file, places)) add(subject, std::move(*what));
  }
}

void CatastropheSearch::judge_inner_code(Line& line, const SimpleCommand& command, std::string_view code,
                                         const std::string& subject) {
  const CatastrophePlaces places(line.values.directory_of(command), surroundings_);
  const CodeReview review = review_code(code, line.values, places);
  if (review.disaster) add(subject, *review.disaster);
  for (const std::string& text : review.texts)
    judge_text(text, line.values.directory_of(command), &line.values, line.depth + 1);
}

// Texts that the parser could not follow because they have expansions: sh -c "$x", eval $x.
void CatastropheSearch::judge_shell_text(Line& line, const SimpleCommand& command) {
  const std::string_view program = program_name(command.words.front().text);
  Fields texts;
  if (program == "eval") {
    SimpleCommand words = command;
    words.words.erase(words.words.begin());
    texts.push_back(escape_pattern(joined_fields(line.values.expand_command(words))));
  } else {
    for (std::size_t i = 1; i + 1 < command.words.size(); ++i) {
      const std::string& option = command.words[i].text;
      if (!option.starts_with('-') || option.starts_with("--") || !option.ends_with('c')) continue;
      const Word& text = command.words[i + 1];
      if (text.literal)
        texts.push_back(escape_pattern(text.text));
      else
        texts = line.values.expand(text);
      break;
    }
  }
  for (const std::string& text : texts)
    judge_text(unescaped(text), line.values.directory_of(command), &line.values, line.depth + 1);
}

// Scripts that the command reads: here-texts, a pipe, the input of the call.
void CatastropheSearch::judge_input(Line& line, std::size_t at, const std::string& subject) {
  const SimpleCommand& command = line.parsed.commands[at];
  if (command.words.empty()) return;
  const auto names_file = [&](const Word& word) { return line.files.contains(word.text); };
  const std::string_view program = program_name(command.words.front().text);
  if (names_file(command.words.front()))  // ./x
    judge_text(line.files[command.words.front().text], line.values.directory_of(command), &line.values,
               line.depth + 1);
  const bool runs_file = (lists(kShells, program) || is_interpreter(program) || lists("source .", program)) &&
                         std::ranges::any_of(command.words, names_file);
  const bool sed = std::ranges::any_of(command.words, [&](const Word& word) {
    return lists("sed gsed", program) && read_sed_script(word.text).runs_input;
  });
  if (!reads_script(command) && !runs_file && !sed) return;
  std::vector<std::string> scripts;
  for (const Redirection& redirection : command.redirections) {
    const Word& target = redirection.target;
    if (redirection.kind != Redirection::Kind::kHereString &&
        redirection.kind != Redirection::Kind::kHereDocument)
      continue;
    if (target.literal)
      scripts.push_back(target.text);
    else
      for (const std::string& field : line.values.expand(target)) scripts.push_back(unescaped(field));
  }
  if (const SimpleCommand* source = piped_from(line, at, false)) {
    if (const auto fields = line.values.output_of(*source)) scripts.push_back(joined_fields(*fields));
    if (auto text = text_into(line.pipe(), at)) scripts.push_back(std::move(*text));
    for (const Redirection& redirection : source->redirections)
      if (redirection.kind == Redirection::Kind::kHereDocument) scripts.push_back(redirection.target.text);
  }
  if (!input_.empty()) scripts.push_back(input_);
  const bool code = !lists(kShells, program) && !lists("source . ssh at batch sed gsed", program);
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string& text = command.words[i].text;
    if (const auto file = line.files.find(text); file != line.files.end()) scripts.push_back(file->second);
    // bash <(echo …)
    if (command.words[i].literal || !text.starts_with("<(") || !text.ends_with(')')) continue;
    for (const std::string& field : line.values.expand(substitution_of(text)))
      scripts.push_back(unescaped(field));
  }
  for (const Redirection& redirection : command.redirections)
    if (const auto file = line.files.find(redirection.target.text);
        file != line.files.end() && redirection.kind == Redirection::Kind::kRead)
      scripts.push_back(file->second);
  for (const std::string& script : scripts) {
    if (code) judge_inner_code(line, command, script, subject);
    if (!code || program == "tclsh")
      judge_text(replace_all(script, "\\n", "\n"), line.values.directory_of(command), &line.values,
                 line.depth + 1);
  }
}

// The command that xargs runs, with what its input names.
void CatastropheSearch::judge_xargs(Line& line, std::size_t at, const std::string& subject) {
  const SimpleCommand& command = line.parsed.commands[at];
  if (command.words.empty() || program_name(command.words.front().text) != "xargs" ||
      !is_wrapped(line.parsed, at))
    return;
  std::optional<Fields> given = piped_fields(line, at, false);
  for (const Redirection& redirection : command.redirections)
    if (redirection.kind == Redirection::Kind::kHereString ||
        redirection.kind == Redirection::Kind::kHereDocument)
      given = line.values.output_of({.redirections = {redirection}});
  if (!given && !input_.empty()) given = split_words(input_);
  std::string mark;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string& word = command.words[i].text;
    if (word.starts_with("<(")) given = line.values.expand(substitution_of(word));
    if (word.starts_with("-I") && mark.empty())
      mark = word.size() > 2 ? word.substr(2) : i + 1 < command.words.size() ? command.words[i + 1].text : "";
  }
  if (!given) return;
  const CatastrophePlaces places(line.values.directory_of(command), surroundings_);
  for (std::size_t i = at + 1; i < line.parsed.commands.size(); ++i) {
    if (line.parsed.commands[i].wrappers.size() <= command.wrappers.size()) break;
    // The text of a shell with its mark: xargs -I% sh -c 'rm -rf %'
    for (const Word& word : line.parsed.commands[i].words)
      if (!mark.empty() && word.text.contains(mark) && word.text.contains(' '))
        judge_text(replace_all(word.text, mark, joined_fields(*given)), line.values.directory_of(command),
                   &line.values, line.depth + 1);
    Fields words = line.values.expand_command(line.parsed.commands[i]);
    // `find` names every file below its starting points.
    const SimpleCommand* source = piped_from(line, at, false);
    if (source != nullptr && program_name(source->words.front().text) == "find") words.emplace_back("-r");
    words.insert(words.end(), given->begin(), given->end());
    if (auto what = judge_program(words, places)) add(subject, std::move(*what));
  }
}

void CatastropheSearch::judge_command(Line& line, std::size_t at) {
  const SimpleCommand& command = line.parsed.commands[at];
  const std::string subject = subject_of(command);
  if (command.words.empty()) {
    // The here-text of a loop belongs to the `read` in it.
    for (const Redirection& redirection : command.redirections)
      if (redirection.kind == Redirection::Kind::kHereString ||
          redirection.kind == Redirection::Kind::kHereDocument || redirection.target.text.starts_with("<("))
        line.here = at;
    judge_words(line, {.words = {{.text = ":"}}, .redirections = command.redirections}, subject);
    return;
  }
  judge_words(line, command, subject);
  judge_xargs(line, at, subject);
  judge_input(line, at, subject);
  judge_elsewhere(line, command, subject);
  remember_file(line, at);
  const std::string_view program = program_name(command.words.front().text);
  if (lists(kShells, program) || program == "eval") judge_shell_text(line, command);
  const auto runner = shell::find_runner(command.words);
  const bool elsewhere = runner && runner->elsewhere && program != "ssh" && program != "mosh";
  if (!elsewhere)
    for (const SimpleCommand& possible : possible_commands(command, !is_wrapped(line.parsed, at)))
      judge_words(line, possible, subject);
  const bool interprets = is_interpreter(program) && !lists(kShells, program);
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const Word& word = command.words[i];
    std::string_view text = word.text;
    if (interprets && word.literal && text.size() > 3) judge_inner_code(line, command, text, subject);
    if (!lists(kCarriers, program) || !word.literal) continue;
    if (const std::size_t mark = text.rfind('!'); mark != text.npos) text.remove_prefix(mark + 1);
    if (const std::size_t equals = text.find('='); equals != text.npos && equals < text.find(' '))
      text.remove_prefix(equals + 1);
    for (const std::string_view lead : {"exec=", "shell ", ":"})
      if (text.starts_with(lead)) text.remove_prefix(lead.size());
    // Of git, less and man, most texts are messages and patterns.
    const bool careful = lists("git less more man", program);
    const bool runs = word.text.contains("=!") || word.text.starts_with("!") || word.text.starts_with("+!") ||
                      word.text.starts_with("--exec=") ||
                      lists(
                          "-c -x -P --exec --extcmd --tree-filter --index-filter "
                          "--msg-filter --env-filter foreach run",
                          command.words[i - 1].text);
    if (text.contains(' ') && (!careful || runs))
      judge_text(text, line.values.directory_of(command), &line.values, line.depth + 1);
  }
}

// Commands that run for a script of sed, or on mounts of a container.
void CatastropheSearch::judge_elsewhere(Line& line, const SimpleCommand& command,
                                        const std::string& subject) {
  const std::string_view program = program_name(command.words.front().text);
  const std::string directory = line.values.directory_of(command);
  if (lists("sed gsed", program))
    for (const Word& word : command.words)
      for (const std::string& text : read_sed_script(word.text).commands)
        judge_text(text, directory, &line.values, line.depth + 1);
  if (!lists("docker podman nerdctl", program)) return;
  const CatastrophePlaces places(directory, surroundings_);
  const HostCommands host = commands_on_host(line.values.expand_command(command));
  for (const Fields& words : host.commands)
    if (auto what = judge_program(words, places)) add(subject, std::move(*what));
  for (const std::string& text : host.texts) judge_text(text, directory, &line.values, line.depth + 1);
}

// Keeps the text that the command writes to a file, which a later command may run.
void CatastropheSearch::remember_file(Line& line, std::size_t at) {
  const SimpleCommand& command = line.parsed.commands[at];
  for (const Redirection& redirection : command.redirections) {
    if (redirection.kind != Redirection::Kind::kWrite && redirection.kind != Redirection::Kind::kAppend)
      continue;
    auto text = text_of_command(line.pipe(), at);
    if (!text || !redirection.target.literal) continue;
    const std::string& name = redirection.target.text;
    line.files[name] += concat(*text, "\n");
    if (!name.contains('/')) line.files[concat("./", name)] = line.files[name];
  }
}

// When a line cannot be parsed, a shell may still run parts of it: looks at what is between its operators,
// and for redirections to disks.
void CatastropheSearch::judge_broken(Line& line) {
  if (!line.parsed.is_misread) return;
  char quote = '\0';
  const CatastrophePlaces places(line.values.directory_of({}), surroundings_);
  std::size_t piece = 0;
  const auto judge_piece = [&](std::size_t end) {
    std::string_view text = trim(std::string_view(line.text).substr(piece, end - piece));
    piece = end + 1;
    for (const std::string_view keyword : {"then ", "do ", "else ", "if ", "while ", "until ", "! "})
      if (text.starts_with(keyword)) text.remove_prefix(keyword.size());
    if (text.size() < line.text.size())
      judge_text(text, line.values.directory_of({}), &line.values, line.depth + 1);
  };
  for (std::size_t i = 0; i < line.text.size(); ++i) {
    const char c = line.text[i];
    if (c == '\\') {
      ++i;
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = '\0';
    } else if (quote == '\0' && std::string_view(";&|\n(){}").contains(c)) {
      judge_piece(i);
    } else if (c == '>' && quote == '\0') {
      const std::size_t begin = line.text.find_first_not_of(">|&! \t", i);
      if (begin == std::string::npos) return;
      const std::size_t end = std::min(line.text.find_first_of(" \t\n;|&()<>", begin), line.text.size());
      for (const std::string& file :
           line.values.expand({.text = line.text.substr(begin, end - begin), .literal = false}))
        if (auto what = judge_written_file(file, places)) add(line.text, std::move(*what));
    }
  }
  judge_piece(line.text.size());
}

void CatastropheSearch::judge_text(std::string_view text, const std::string& directory,
                                   const LineValues* outer, int depth) {
  if (depth > kDeepestInner || ++texts_ > kMostTexts || text.empty()) return;
  Line line{.text = std::string(text),
            .parsed = shell::parse_command_line(text, surroundings_.dialect),
            .values = LineValues(text, directory, surroundings_),
            .depth = depth};
  if (outer != nullptr) line.values.inherit(*outer);
  std::size_t place = 0;
  for (const SimpleCommand& command : line.parsed.commands) {
    const std::size_t found = command.text.empty() ? std::string::npos : line.text.find(command.text, place);
    line.places.push_back(command.wrappers.empty() ? found : std::string::npos);
    if (found != std::string::npos && command.wrappers.empty()) place = found + 1;
  }
  if (starts_endless_processes(text, line.parsed)) add(std::string(text), "start processes without end");
  // Twice: a function is defined before the call that gives it its parameters.
  for (int round = 0; round < 2; ++round) {
    if (round == 1) line.values.restart(directory);
    for (std::size_t i = 0; i < line.parsed.commands.size(); ++i) {
      const SimpleCommand& command = line.parsed.commands[i];
      line.values.follow(command);
      if (!command.words.empty() && lists("read mapfile readarray", command.words.front().text)) {
        if (line.here != std::string::npos)
          if (const auto fields =
                  line.values.output_of({.redirections = line.parsed.commands[line.here].redirections}))
            line.values.feed_readers(*fields);
        if (const auto fields = piped_fields(line, i, true)) line.values.feed_readers(*fields);
        for (const std::size_t reader : {i, line.here == std::string::npos ? i : line.here})
          for (const Redirection& redirection : line.parsed.commands[reader].redirections)
            if (redirection.target.text.starts_with("<("))
              line.values.feed_readers(line.values.expand(substitution_of(redirection.target.text)));
        if (const auto fields = line.values.output_of({.redirections = command.redirections}))
          line.values.feed_readers(*fields);
      }
      judge_command(line, i);
    }
    if (!line.values.has_functions()) break;
  }
  judge_broken(line);
  if (const std::string simpler = without_extended_patterns(text); simpler != text)
    judge_text(simpler, directory, outer, depth + 1);
}

}  // namespace

std::vector<Catastrophe> find_catastrophes(std::string_view text, const std::string& directory,
                                           const std::string& input, const Surroundings& surroundings) {
  using shell::Dialect;
  if (surroundings.dialect == Dialect::kPowerShell || surroundings.dialect == Dialect::kCmd) return {};
  CatastropheSearch search(surroundings, input);
  search.judge_text(text, directory, nullptr, 0);
  return search.take();
}

}  // namespace helve::policy
