#include "search/glob.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "base/ascii.h"
#include "base/strings.h"
#include "search/git_glob.h"
#include "search/glob_parse.h"
#include "search/glob_positions.h"

namespace helve::search {
namespace {

using Kind = GlobToken::Kind;
using Tokens = std::vector<GlobToken>;

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

char folded(char byte) { return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + ('a' - 'A')) : byte; }

bool can_take_slash(const Tokens& tokens) {
  return std::ranges::any_of(tokens, [](const GlobToken& token) {
    switch (token.kind) {
      case Kind::kByte: return token.byte == '/';
      case Kind::kCharacter:
      case Kind::kStar:
      case Kind::kExcept:
      case Kind::kByteSet: return false;
      case Kind::kAnyPrefix:
      case Kind::kAnyMiddle:
      case Kind::kAnySuffix:
      case Kind::kAnyBytes: return true;
      case Kind::kClass:
        return token.negated != std::ranges::any_of(token.ranges, [](const auto& range) {
                 return range.first <= '/' && '/' <= range.second;
               });
      case Kind::kAlternatives: return std::ranges::any_of(token.alternatives, can_take_slash);
    }
    return true;
  });
}

// A set of program positions, of any size.
class LargeStateSet {
 public:
  explicit LargeStateSet(std::size_t size) : bits_(size) {}
  [[nodiscard]] bool test(std::size_t state) const { return bits_[state]; }
  void set(std::size_t state) {
    bits_[state] = true;
    members_.push_back(static_cast<std::uint16_t>(state));
  }
  [[nodiscard]] bool none() const { return members_.empty(); }
  void clear() {
    for (const std::uint16_t state : members_) bits_[state] = false;
    members_.clear();
  }
  template <class Action>
  void for_each(const Action& action) const {
    for (const std::uint16_t state : members_) action(state);
  }

 private:
  std::vector<bool> bits_;
  std::vector<std::uint16_t> members_;
};

// A set of program positions below 64, which suffices for nearly all globs.
class SmallStateSet {
 public:
  static constexpr std::size_t kSize = 64;
  [[nodiscard]] bool test(std::size_t state) const { return ((bits_ >> state) & 1) != 0; }
  void set(std::size_t state) { bits_ |= std::uint64_t{1} << state; }
  [[nodiscard]] bool none() const { return bits_ == 0; }
  void clear() { bits_ = 0; }
  template <class Action>
  void for_each(const Action& action) const {
    for (std::uint64_t rest = bits_; rest != 0; rest &= rest - 1)
      action(static_cast<std::size_t>(std::countr_zero(rest)));
  }

 private:
  std::uint64_t bits_ = 0;
};

// A step consumes at most one character of four bytes.
constexpr std::size_t kSetsInFlight = 5;

}  // namespace

// Compiles tokens into the simplest form of a Glob.
class GlobCompiler {
 public:
  GlobCompiler(Tokens tokens, const GlobOptions& options) : tokens_(std::move(tokens)) {
    glob_.ignore_case_ = options.ignore_case;
  }

  Glob compile() {
    if (glob_.ignore_case_) fold(tokens_);
    if (tokens_.size() == 1 && tokens_.front().kind == Kind::kAnyPrefix) {
      glob_.shape_ = Glob::Shape::kEverything;
      return std::move(glob_);
    }
    find_requirements();
    const bool any_depth = !tokens_.empty() && tokens_.front().kind == Kind::kAnyPrefix;
    if (any_depth) {
      Tokens rest(std::make_move_iterator(tokens_.begin() + 1), std::make_move_iterator(tokens_.end()));
      if (!can_take_slash(rest)) {
        compile_name(std::move(rest));
        return std::move(glob_);
      }
      tokens_.erase(tokens_.begin() + 1, tokens_.end());
      tokens_.insert(tokens_.end(), rest.begin(), rest.end());
    } else if (std::ranges::all_of(tokens_, is_byte)) {
      glob_.shape_ = Glob::Shape::kPath;
      glob_.literal_ = text_of(tokens_);
      return std::move(glob_);
    }
    emit_all(std::move(tokens_));
    return std::move(glob_);
  }

 private:
  using Step = Glob::Step;

  static bool is_byte(const GlobToken& token) { return token.kind == Kind::kByte; }
  static bool is_byte_or_star(const GlobToken& token) {
    return token.kind == Kind::kByte || token.kind == Kind::kStar;
  }

  static std::string text_of(std::span<const GlobToken> tokens) {
    std::string text;
    for (const GlobToken& token : tokens) text += static_cast<char>(token.byte);
    return text;
  }

  static void fold(Tokens& tokens) {
    for (GlobToken& token : tokens) {
      token.byte = static_cast<std::uint8_t>(folded(static_cast<char>(token.byte)));
      for (Tokens& alternative : token.alternatives) fold(alternative);
    }
  }

  // Derives the required name or extension from the literals at the end of the glob.
  void find_requirements() {
    std::size_t begin = tokens_.size();
    while (begin > 0 && is_byte(tokens_[begin - 1])) --begin;
    const std::string tail = text_of(std::span(tokens_).subspan(begin));
    const bool whole_component = tail.contains('/') || begin == 0 ||
                                 tokens_[begin - 1].kind == Kind::kAnyPrefix ||
                                 tokens_[begin - 1].kind == Kind::kAnyMiddle;
    if (whole_component)
      glob_.required_name_ = name_of(tail);
    else if (tail.contains('.'))
      glob_.required_extension_ = tail.substr(tail.rfind('.'));
  }

  void compile_name(Tokens rest) {
    if (std::ranges::all_of(rest, is_byte)) {
      glob_.shape_ = Glob::Shape::kName;
      glob_.literal_ = text_of(rest);
    } else if (std::ranges::all_of(rest, is_byte_or_star)) {
      compile_stars(rest);
    } else {
      glob_.only_name_ = true;
      emit_all(std::move(rest));
    }
  }

  void compile_stars(const Tokens& rest) {
    glob_.shape_ = Glob::Shape::kStars;
    glob_.pieces_.emplace_back();
    for (const GlobToken& token : rest) {
      if (token.kind == Kind::kStar)
        glob_.pieces_.emplace_back();
      else
        glob_.pieces_.back() += static_cast<char>(token.byte);
    }
    const std::string& last = glob_.pieces_.back();
    if (glob_.pieces_.size() == 2 && glob_.pieces_.front().empty() && last.starts_with('.') &&
        last.rfind('.') == 0) {
      glob_.shape_ = Glob::Shape::kExtension;
      glob_.literal_ = last;
    }
  }

  std::uint16_t here() const { return static_cast<std::uint16_t>(glob_.program_.size()); }
  void add(Step step, std::uint8_t byte = 0, std::uint16_t first = 0) {
    glob_.program_.push_back({step, byte, first});
  }
  std::size_t add_split() {
    add(Step::kSplit);
    return glob_.program_.size() - 1;
  }

  // The longest run of literals outside of alternatives.
  void find_needle(const Tokens& tokens) {
    std::string run;
    for (const GlobToken& token : tokens) {
      if (is_byte(token))
        run += static_cast<char>(token.byte);
      else
        run.clear();
      if (run.size() > glob_.needle_.size()) glob_.needle_ = run;
    }
  }

  void emit_all(Tokens tokens) {
    find_needle(tokens);
    if (has_exception(tokens)) {
      glob_.tokens_ = std::make_shared<const Tokens>(std::move(tokens));
      return;
    }
    emit(tokens);
    add(Step::kMatch);
  }

  // Matches nothing, or anything that ends with a slash.
  void emit_directories() {
    const std::size_t split = add_split();
    glob_.program_[split].first = here();
    add(Step::kAnyBytes);
    add(Step::kByte, '/');
    glob_.program_[split].second = here();
  }

  void emit(const Tokens& tokens) {
    for (const GlobToken& token : tokens) {
      switch (token.kind) {
        case Kind::kByte: add(Step::kByte, token.byte); break;
        case Kind::kCharacter: add(Step::kCharacter); break;
        case Kind::kStar: add(Step::kNameBytes); break;
        case Kind::kAnyPrefix: emit_directories(); break;
        case Kind::kAnyMiddle:
          add(Step::kByte, '/');
          emit_directories();
          break;
        case Kind::kAnySuffix:
          add(Step::kByte, '/');
          add(Step::kAnyBytes);
          break;
        case Kind::kClass:
          add(Step::kClass, 0, static_cast<std::uint16_t>(glob_.classes_.size()));
          glob_.classes_.push_back({token.negated, token.ranges});
          break;
        case Kind::kByteSet:
          add(Step::kByteSet, 0, static_cast<std::uint16_t>(glob_.byte_sets_.size()));
          glob_.byte_sets_.push_back(token.bytes);
          break;
        case Kind::kAnyBytes: add(Step::kAnyBytes); break;
        case Kind::kAlternatives: emit_group(token); break;
        case Kind::kExcept: break;  // has no program
      }
    }
  }

  void emit_group(const GlobToken& token) {
    const std::uint16_t begin = here();
    const bool optional = token.repeat == '?' || token.repeat == '*';
    const std::size_t skip = optional ? add_split() : 0;
    if (optional) glob_.program_[skip].first = here();
    emit_alternatives(token.alternatives);
    if (token.repeat == '*' || token.repeat == '+') {
      const std::size_t again = add_split();
      glob_.program_[again].first = begin;
      glob_.program_[again].second = here();
    }
    if (optional) glob_.program_[skip].second = here();
  }

  void emit_alternatives(const std::vector<Tokens>& alternatives) {
    std::vector<std::size_t> jumps;
    for (std::size_t i = 0; i < alternatives.size(); ++i) {
      const bool is_last = i + 1 == alternatives.size();
      const std::size_t split = is_last ? 0 : add_split();
      if (!is_last) glob_.program_[split].first = here();
      emit(alternatives[i]);
      if (is_last) break;
      jumps.push_back(add_split());
      glob_.program_[split].second = here();
    }
    for (const std::size_t jump : jumps) glob_.program_[jump].first = glob_.program_[jump].second = here();
  }

  Tokens tokens_;
  Glob glob_;
};

Expected<Glob> Glob::compile(std::string_view pattern, const GlobOptions& options) {
  if (options.syntax == GlobOptions::Syntax::kGitName || options.syntax == GlobOptions::Syntax::kGitPath) {
    const bool whole_path = options.syntax == GlobOptions::Syntax::kGitPath;
    auto tokens = parse_git_glob(pattern, options);
    if (!tokens) return fail(ErrorCode::kInvalidArgument, "The pattern matches nothing.");
    if (!whole_path) tokens->insert(tokens->begin(), {Kind::kAnyPrefix});
    return GlobCompiler(std::move(*tokens), options).compile();
  }
  auto tokens = parse_glob(pattern, options);
  if (!tokens) return fail(tokens.error());
  return GlobCompiler(std::move(*tokens), options).compile();
}

bool Glob::matches(std::string_view path, std::string_view name) const {
  if (!ignore_case_) return matches_folded(path, name);
  std::string lower(path);
  std::ranges::transform(lower, lower.begin(), folded);
  return matches_folded(lower, std::string_view(lower).substr(path.size() - name.size()));
}

bool Glob::matches_folded(std::string_view path, std::string_view name) const {
  switch (shape_) {
    case Shape::kEverything: return true;
    case Shape::kName: return name == literal_;
    case Shape::kPath: return path == literal_;
    case Shape::kExtension: return name.ends_with(literal_);
    case Shape::kStars: return matches_pieces(name);
    case Shape::kGeneral: return run(only_name_ ? name : path);
  }
  return false;
}

// The first piece must be at the front and the last at the end; each other piece matches as early as
// possible.
bool Glob::matches_pieces(std::string_view name) const {
  if (!name.starts_with(pieces_.front())) return false;
  name.remove_prefix(pieces_.front().size());
  if (!name.ends_with(pieces_.back())) return false;
  name.remove_suffix(pieces_.back().size());
  for (std::size_t i = 1; i + 1 < pieces_.size(); ++i) {
    const std::size_t found = name.find(pieces_[i]);
    if (found == std::string_view::npos) return false;
    name.remove_prefix(found + pieces_[i].size());
  }
  return true;
}

bool Glob::run(std::string_view text) const {
  // Reject most paths by a literal that the glob contains or begins with.
  if (!needle_.empty() && !text.contains(needle_)) return false;
  if (tokens_ != nullptr) return matches_by_positions(*tokens_, text, ignore_case_);
  std::size_t begin = 0;
  while (program_[begin].step == Step::kByte) {
    if (begin == text.size() || static_cast<std::uint8_t>(text[begin]) != program_[begin].byte) return false;
    ++begin;
  }
  if (program_.size() <= SmallStateSet::kSize) {
    std::array<SmallStateSet, kSetsInFlight> sets{};
    return simulate(text, begin, sets.data());
  }
  std::vector<LargeStateSet> sets(kSetsInFlight, LargeStateSet(program_.size()));
  return simulate(text, begin, sets.data());
}

template <class StateSet>
void Glob::add_state(StateSet& states, std::size_t state) const {
  // Also adds the states that are reachable without consuming a byte, each of them once.
  if (states.test(state)) return;
  states.set(state);
  const Instruction& instruction = program_[state];
  if (instruction.step == Step::kNameBytes || instruction.step == Step::kAnyBytes) {
    add_state(states, state + 1);
  } else if (instruction.step == Step::kSplit) {
    add_state(states, instruction.first);
    add_state(states, instruction.second);
  }
}

// The literal before `begin` already matched. `sets` is a ring of state sets for this byte and the next few.
template <class StateSet>
bool Glob::simulate(std::string_view text, std::size_t begin, StateSet* sets) const {
  add_state(sets[begin % kSetsInFlight], begin);
  for (std::size_t place = begin; place < text.size(); ++place) {
    StateSet& states = sets[place % kSetsInFlight];
    if (states.none()) {
      // A state may be waiting for the end of a multi-byte character.
      bool others = false;
      for (std::size_t i = 0; i < kSetsInFlight; ++i) others = others || !sets[i].none();
      if (!others) return false;
      continue;
    }
    const auto byte = static_cast<std::uint8_t>(text[place]);
    const GlobCharacter character = glob_character_at(text, place);
    StateSet& next = sets[(place + 1) % kSetsInFlight];
    StateSet& after_character = sets[(place + character.length) % kSetsInFlight];
    states.for_each([&](std::size_t state) {
      const Instruction& instruction = program_[state];
      switch (instruction.step) {
        case Step::kByte:
          if (byte == instruction.byte) add_state(next, state + 1);
          break;
        case Step::kCharacter:
          if (byte != '/') add_state(after_character, state + 1);
          break;
        case Step::kClass:
          if (class_contains(classes_[instruction.first].ranges, classes_[instruction.first].negated,
                             character.value, ignore_case_))
            add_state(after_character, state + 1);
          break;
        case Step::kByteSet:
          if (byte_sets_[instruction.first][byte]) add_state(next, state + 1);
          break;
        case Step::kNameBytes:
          if (byte != '/') add_state(next, state);
          break;
        case Step::kAnyBytes: add_state(next, state); break;
        case Step::kSplit:
        case Step::kMatch: break;
      }
    });
    states.clear();
  }
  return sets[text.size() % kSetsInFlight].test(program_.size() - 1);
}

}  // namespace helve::search
