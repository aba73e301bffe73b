// Code queries (definition, references, rename, …), answered by the file's language server.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lsp/confirmation.h"
#include "lsp/servers.h"
#include "lsp/symbol_finder.h"

namespace helve::lsp {

// The symbol or position that a query is about.
struct Target {
  std::string path;                       // as given by the caller
  std::optional<Position> position = {};  // in UTF-16 columns
  std::string symbol = {};                // instead of a position
};

// A place in a file, with the text to show.
struct Spot {
  std::string path;         // relative to the workspace; absolute if outside
  bool outside = false;     // the file is outside the workspace, so its text is not shown
  Range range;              // in UTF-16 columns
  std::size_t column = 1;   // in characters, starting at 1
  std::string text = {};    // the trimmed line
  std::string symbol = {};  // the enclosing symbol
};

// Which server answered, and how complete the answer is.
struct AnswerInfo {
  std::string server = {};
  bool partial = false;   // the server was still indexing
  std::string work = {};  // the server's current task
  std::vector<std::string> notes = {};
};

struct FoundPlaces {
  AnswerInfo info;
  Spot asked;                    // the target of the query
  std::vector<Spot> spots = {};  // at most Options::most_spots, sorted by file
  std::size_t total = 0;
  std::size_t files = 0;
  // Places in code that have the name, and that the server neither reported nor knows to be something else.
  std::vector<Spot> unconfirmed = {};
  std::size_t unconfirmed_total = 0;
  std::size_t unchecked_files = 0;  // over the limits

  // Whether all uses are known.
  [[nodiscard]] bool is_whole() const { return !info.partial && unconfirmed_total + unchecked_files == 0; }
};

struct HoverText {
  AnswerInfo info;
  Spot asked;
  std::string text = {};  // Markdown; may be empty
};

struct FoundDiagnostic {
  Spot spot;
  Diagnostic diagnostic;
};
struct FileDiagnostics {
  AnswerInfo info;
  std::string path;
  std::vector<FoundDiagnostic> diagnostics = {};
};

struct FoundSymbol {
  Spot spot;
  SymbolEntry symbol;
};
struct FoundSymbols {
  AnswerInfo info;
  std::vector<FoundSymbol> symbols = {};
  std::size_t total = 0;
};

// Proposed edits, not applied yet.
struct PlannedEdits {
  AnswerInfo info;
  ColumnUnit unit = ColumnUnit::kUtf16;
  std::string old_name = {};
  std::vector<FileEdits> files = {};
  // The text of each open file as the server had it, by path.
  std::map<std::string, std::shared_ptr<const std::string>> texts = {};
};

// Created per call; not thread-safe. The objects in Options must outlive it.
class Questions {
 public:
  struct Options {
    Servers& servers;
    Logger& logger;
    search::EngineChoice engine = {};
    // Whether permission rules forbid reading a file. `path` is relative to the workspace.
    std::function<bool(const std::string& path)> hides = {};
    // Resolves symbol names. The default is make_grep_symbol_finder().
    std::function<SymbolFinder(Server&)> symbol_finder = {};
    std::size_t most_spots = 100;
    // Set once the hint about compile_commands.json was shown, to show it only once. May be null.
    std::atomic<bool>* compile_hint_shown = nullptr;
  };
  explicit Questions(Options options) : options_(std::move(options)) {}

  [[nodiscard]] Expected<FoundPlaces> definition(const Target& target, const WaitLimit& limit);
  [[nodiscard]] Expected<FoundPlaces> references(const Target& target, const WaitLimit& limit);
  [[nodiscard]] Expected<HoverText> hover(const Target& target, const WaitLimit& limit);
  [[nodiscard]] Expected<FileDiagnostics> diagnostics(const std::string& path, const WaitLimit& limit);
  // Without a query the symbols of the file, otherwise the projects' symbols that match the query.
  [[nodiscard]] Expected<FoundSymbols> symbols(const std::string& query, const std::string& path,
                                               const WaitLimit& limit);
  // kRefuse: fails with CONFLICT and details.places if places that have the name are not confirmed.
  enum class AtUnconfirmed { kRefuse, kLeave };
  [[nodiscard]] Expected<PlannedEdits> rename(const Target& target, const std::string& new_name,
                                              AtUnconfirmed at_unconfirmed, const WaitLimit& limit);
  [[nodiscard]] Expected<PlannedEdits> format(const std::string& path, const WaitLimit& limit);
  // The diagnostics that the file did not have with its old text. Fails with TIMEOUT if they are not known
  // yet.
  [[nodiscard]] Expected<FileDiagnostics> new_diagnostics(const std::string& path,
                                                          const std::string& old_text,
                                                          const WaitLimit& limit);

 private:
  enum class Ambiguity { kTakeFirst, kRefuse };
  // An open document and the position that the query is about.
  struct Asked {
    std::shared_ptr<Server> server;
    Document document;
    Position position;              // in the server's columns
    bool is_at_definition = false;  // known from the symbol finder
    Spot spot;
    AnswerInfo info;
  };

  template <class Ask>
  auto with_restart(const Ask& ask) -> decltype(ask());
  Expected<std::string> absolute(const std::string& path) const;
  Expected<Asked> open(const std::string& path, const WaitLimit& limit);
  Expected<Asked> resolve_target(const Target& target, Ambiguity ambiguity, const WaitLimit& limit);
  static bool are_same_symbol(Server& server, const std::vector<SymbolPlace>& places, Ambiguity ambiguity,
                              const WaitLimit& limit);
  Expected<std::vector<SymbolPlace>> find_symbol(const Asked& asked, const std::string& symbol,
                                                 const WaitLimit& limit) const;
  [[nodiscard]] std::vector<SymbolPlace> places_meant(const Asked& asked,
                                                      const std::vector<std::string>& parts,
                                                      const WaitLimit& limit) const;
  [[nodiscard]] std::optional<Position> place_of_name(const Location& location, const std::string& name,
                                                      ColumnUnit unit) const;
  Expected<void> resolve_symbol(Asked& asked, const Target& target, Ambiguity ambiguity,
                                const WaitLimit& limit);
  Expected<void> move_to_definition(Asked& asked, const WaitLimit& limit);
  static Error indexing_error(const Asked& asked);
  static Expected<std::vector<FileEdits>> rename_edits(Server& server, const Asked& asked,
                                                       const std::string& name, const std::string& new_name,
                                                       const WaitLimit& limit);
  Expected<void> check_rename(Asked& asked, const PlannedEdits& planned, Confirmation& confirmation,
                              const Reported& reported, const std::string& new_name,
                              const WaitLimit& limit) const;
  Expected<Confirmation> confirmation_of(const Asked& asked, const WaitLimit& limit);
  // Fills the reported places anew.
  using AskServer = std::function<Expected<void>()>;
  static Expected<std::vector<Unconfirmed>> ask_until_confirmed(Confirmation& confirmation, Asked& asked,
                                                                bool renames, Reported& reported,
                                                                const AskServer& ask, const WaitLimit& limit);
  [[nodiscard]] Error unconfirmed_error(const Asked& asked, const std::string& name,
                                        const std::vector<Unconfirmed>& places, std::size_t unchecked) const;
  static void stay_at_definition(const Asked& asked, std::vector<Location>& found, const WaitLimit& limit);
  Expected<FoundPlaces> places(const Target& target, std::string_view method, const WaitLimit& limit);
  Expected<FoundSymbols> file_symbols(const std::string& query, const std::string& path,
                                      const WaitLimit& limit);
  [[nodiscard]] std::vector<std::string> sample_files(const std::string& directory,
                                                      const WaitLimit& limit) const;
  void add_spots(FoundPlaces& found, Server& server, std::vector<Location> locations, const WaitLimit& limit);
  [[nodiscard]] Spot spot_of(const Location& location, ColumnUnit unit) const;
  [[nodiscard]] bool is_hidden(const std::string& absolute_path) const;
  [[nodiscard]] std::string relative(const std::string& absolute_path) const;
  void finish(AnswerInfo& info, const Server& server) const;

  Options options_;
};

// Retries once if the server crashed.
template <class Ask>
auto Questions::with_restart(const Ask& ask) -> decltype(ask()) {
  auto answer = ask();
  if (answer || answer.error().kind != ErrorKind::kServerCrashed) return answer;
  return ask();
}

}  // namespace helve::lsp
