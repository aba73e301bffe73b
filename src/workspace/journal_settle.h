// Takes a change set back that was not completed, or finds that it was.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "helve/error.h"
#include "workspace/durability.h"
#include "workspace/history_record.h"
#include "workspace/journal_look.h"
#include "workspace/root.h"

namespace helve {

enum class SettleWish {
  kFinishOrTakeBack,  // after a crash: a change set whose last file is changed counts as made
  kTakeBack,          // the call failed and says so
};

struct Settled {
  RecoveredChange::Outcome outcome = RecoveredChange::Outcome::kRolledBack;
  std::vector<std::string> foreign = {};
  std::vector<std::string> notes = {};
};

struct SettleContext {
  const Root& root;
  const FingerprintKey& key;
  FetchBytes fetch;
  Durability durability = Durability::kFull;
};

// Looks at the first `count` files of the record and brings them to one state. Files are changed in order, so
// a changed last one shows that all were; else those that still are as Helve made them go back, the last
// first. Files that somebody else changed since stay as they are: then the outcome is kKeptAside. May be
// interrupted and repeated at any point. On an error some files may be back and others not; try again later.
[[nodiscard]] Expected<Settled> settle(const SettleContext& context, const ChangeRecord& record,
                                       SettleWish wish, std::size_t count);

}  // namespace helve
