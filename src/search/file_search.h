// Searches one file: reads it, skips binary files, decodes UTF-16 and collects the hits.
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

// Searches many files with one reused buffer. Used by one thread; the constructor arguments must outlive it.
class FileSearch {
 public:
  FileSearch(const GrepQuery& query, const Pattern& pattern, const ShouldStop& should_stop,
             StopMonitor& monitor);

  struct Options {
    // Limit on hits in this file. One more may be found, to detect that there are more.
    std::size_t most_matches = 0;
    std::size_t after_line = 0;  // skip hits up to this line: an earlier answer had them
    bool as_text = false;        // search the file even if it is binary, because the caller named it
  };
  enum class Outcome { kSearched, kUnreadable, kBinary, kTooLarge, kStopped };

  // Adds the hits to `found`. It stays empty unless the outcome is kSearched, or kStopped with the hits so
  // far.
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
  // Returns false when enough was found or the search must stop.
  bool collect(std::string_view text, std::size_t from, const Options& options, HitCollector& collector,
               const FoundFile& found);
  // Calls `use` for each hit, or for each line without one if the query wants those, until it returns false.
  template <class Use>
  void for_each_hit(std::string_view text, std::size_t from, const Use& use);
  [[nodiscard]] std::size_t most_in_file() const;

  const GrepQuery& query_;
  const ShouldStop& should_stop_;
  LineSearch search_;
  Buffer buffer_;
  bool stopped_ = false;
  std::size_t passed_ = 0;  // hits of this file that an earlier answer contained
};

}  // namespace helve::search
