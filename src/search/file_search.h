// Searches one file: reads it, leaves binaries alone, decodes UTF-16, collects the hits.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/file_io.h"
#include "search/grep.h"
#include "search/hit_collector.h"
#include "search/line_search.h"
#include "search/pattern.h"

namespace helve::search {

// One thread's search of many files, with a buffer that it keeps; what it is made of must outlive it.
class FileSearch {
 public:
  FileSearch(const GrepQuery& query, const Pattern& pattern, const ShouldStop& should_stop, StopWatch& watch);

  struct Options {
    // Of hits in this file; one more is found, to know that there are more.
    std::size_t most_matches = 0;
    std::size_t after_line = 0;  // hits up to this line were given before
    bool as_text = false;        // named by the caller, so searched even if it is binary
  };
  enum class Outcome { kSearched, kUnreadable, kBinary, kTooLarge, kStopped };

  // `found` gets the hits; it has none unless the outcome is kSearched, or kStopped with those so far.
  Outcome search(int directory, const char* name, const Options& options, FoundFile& found);
  Outcome search(int file, const Options& options, FoundFile& found);

 private:
  struct Buffer {
    std::unique_ptr<char[]> bytes;
    std::size_t capacity = 0;
    std::size_t size = 0;

    [[nodiscard]] std::string_view text() const { return {bytes.get(), size}; }
  };
  enum class Filled { kEnd, kFull, kError };

  void reserve(std::size_t capacity);
  Filled fill(int file);
  Outcome search_text(std::string_view text, const Options& options, FoundFile& found);
  Outcome search_utf16(int file, const Options& options, FoundFile& found);
  Outcome search_pieces(int file, const Options& options, FoundFile& found);
  // False when enough was found or it is time to stop.
  bool collect(std::string_view text, std::size_t from, const Options& options, HitCollector& collector,
               const FoundFile& found);

  const GrepQuery& query_;
  const ShouldStop& should_stop_;
  LineSearch search_;
  Buffer buffer_;
  bool stopped_ = false;
};

}  // namespace helve::search
