// What can be asked about code, answered by the file's language server in the terms of the workspace.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lsp/servers.h"
#include "lsp/symbol_finder.h"

namespace helve::lsp {

// Where a question points to.
struct Target {
  std::string path;                       // a file as the caller names it
  std::optional<Position> position = {};  // in UTF-16 columns
  std::string symbol = {};                // instead of a position
};

// A place in a file, ready to be shown.
struct Spot {
  std::string path;         // relative to the workspace; absolute when it lies outside
  bool outside = false;     // of the workspace: nothing of it is shown
  Range range;              // in UTF-16 columns
  std::size_t column = 1;   // in characters, counting from 1, for people
  std::string text = {};    // the line without the white space around it
  std::string symbol = {};  // what it is in
};

// What every answer says about itself.
struct Told {
  std::string server = {};
  bool partial = false;   // the server was still reading the project
  std::string work = {};  // what it was doing
  std::vector<std::string> notes = {};
};

struct FoundPlaces {
  Told told;
  Spot asked;                    // where the question pointed to
  std::vector<Spot> spots = {};  // the first ones, by file
  std::size_t total = 0;
  std::size_t files = 0;
};

struct HoverText {
  Told told;
  Spot asked;
  std::string text = {};  // Markdown; empty when the server has nothing to say
};

struct FoundDiagnostic {
  Spot spot;
  Diagnostic diagnostic;
};
struct FileDiagnostics {
  Told told;
  std::string path;
  std::vector<FoundDiagnostic> diagnostics = {};
};

struct FoundSymbol {
  Spot spot;
  SymbolEntry symbol;
};
struct FoundSymbols {
  Told told;
  std::vector<FoundSymbol> symbols = {};
  std::size_t total = 0;
};

// Edits to files, none of them made yet.
struct PlannedEdits {
  Told told;
  ColumnUnit unit = ColumnUnit::kUtf16;
  std::string old_name = {};
  std::vector<FileEdits> files = {};
  // The texts that the server had, of those files that it had open, by path.
  std::map<std::string, std::shared_ptr<const std::string>> texts = {};
};

// Made for one call, used by one thread. What it refers to must outlive it.
class Questions {
 public:
  struct Options {
    Servers& servers;
    Logger& logger;
    search::EngineChoice engine = {};
    // Whether rules keep a file, named relative to the workspace, from being read.
    std::function<bool(const std::string& path)> hides = {};
    // Who turns names into places; the grep one unless given.
    std::function<SymbolFinder(Server&)> symbol_finder = {};
    std::size_t most_spots = 100;
    // Whether who asks has been told how a server that has to guess can be helped; null: nobody remembers.
    std::atomic<bool>* was_told_of_guesses = nullptr;
  };
  explicit Questions(Options options) : options_(std::move(options)) {}

  [[nodiscard]] Expected<FoundPlaces> definition(const Target& target, const Patience& patience);
  [[nodiscard]] Expected<FoundPlaces> references(const Target& target, const Patience& patience);
  [[nodiscard]] Expected<HoverText> hover(const Target& target, const Patience& patience);
  [[nodiscard]] Expected<FileDiagnostics> diagnostics(const std::string& path, const Patience& patience);
  // With a file and no query its own symbols, otherwise those of the projects that fit the query.
  [[nodiscard]] Expected<FoundSymbols> symbols(const std::string& query, const std::string& path,
                                               const Patience& patience);
  [[nodiscard]] Expected<PlannedEdits> rename(const Target& target, const std::string& new_name,
                                              const Patience& patience);
  [[nodiscard]] Expected<PlannedEdits> format(const std::string& path, const Patience& patience);
  // The diagnostics of a file that were not there when it had the old text. TIMEOUT: not known yet.
  [[nodiscard]] Expected<FileDiagnostics> new_diagnostics(const std::string& path,
                                                          const std::string& old_text,
                                                          const Patience& patience);

 private:
  enum class Ambiguity { kTakeFirst, kRefuse };
  // A document that is ready to be asked about, and the place in it.
  struct Asked {
    std::shared_ptr<Server> server;
    Document document;
    Position position;              // in the server's columns
    bool is_at_definition = false;  // known before the server is asked
    Spot spot;
    Told told;
  };

  template <class Ask>
  auto with_restart(const Ask& ask) -> decltype(ask());
  Expected<std::string> absolute(const std::string& path) const;
  Expected<Asked> open(const std::string& path, const Patience& patience);
  Expected<Asked> aim(const Target& target, Ambiguity ambiguity, const Patience& patience);
  static bool are_one(Server& server, const std::vector<SymbolPlace>& places, Ambiguity ambiguity,
                      const Patience& patience);
  Expected<void> aim_at_symbol(Asked& asked, const Target& target, Ambiguity ambiguity,
                               const Patience& patience);
  static void stay_at_definition(const Asked& asked, std::vector<Location>& found, const Patience& patience);
  Expected<FoundPlaces> places(const Target& target, std::string_view method, const Patience& patience);
  Expected<FoundSymbols> file_symbols(const std::string& query, const std::string& path,
                                      const Patience& patience);
  [[nodiscard]] std::vector<std::string> examples_below(const std::string& directory,
                                                        const Patience& patience) const;
  void add_spots(FoundPlaces& found, Server& server, std::vector<Location> locations,
                 const Patience& patience);
  [[nodiscard]] Spot spot_of(const Location& location, ColumnUnit unit) const;
  [[nodiscard]] bool is_hidden(const std::string& absolute_path) const;
  [[nodiscard]] std::string relative(const std::string& absolute_path) const;
  void finish(Told& told, const Server& server) const;

  Options options_;
};

// Runs it again when the server ended meanwhile, once.
template <class Ask>
auto Questions::with_restart(const Ask& ask) -> decltype(ask()) {
  auto answer = ask();
  if (answer) return answer;
  const Json* state = answer.error().details.find("state");
  return state != nullptr && *state == Json("crashed") ? ask() : std::move(answer);
}

}  // namespace helve::lsp
