// An answer that takes files until it is full, the same for both engines.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

#include "search/grep.h"
#include "search/hit_collector.h"

namespace helve::search {

// Files are given by one thread at a time; how much room is left may be asked by all.
class AnswerFiller {
 public:
  AnswerFiller(const GrepQuery& query, GrepAnswer& answer)
      : query_(query), answer_(answer), room_(query.most_matches) {}

  // How many more hits, or files when their counts are wanted.
  [[nodiscard]] std::size_t room() const { return room_; }

  // False when the answer is full.
  bool take(FoundFile file) {
    if (file.matches == 0) return true;
    if (query_.wanted != GrepQuery::Wanted::kTotals && room_ == 0) {
      answer_.more = true;
      return false;
    }
    if (query_.wanted == GrepQuery::Wanted::kMatches && file.matches > room_) {
      keep_first(file, room_, query_.context_lines);
      answer_.more = true;
    }
    answer_.matches += file.matches;
    ++answer_.files_with_matches;
    if (query_.wanted == GrepQuery::Wanted::kTotals) return true;
    room_ -= query_.wanted == GrepQuery::Wanted::kCounts ? 1 : file.matches;
    answer_.files.push_back(std::move(file));
    return !answer_.more;
  }

 private:
  const GrepQuery& query_;
  GrepAnswer& answer_;
  std::atomic<std::size_t> room_;
};

}  // namespace helve::search
