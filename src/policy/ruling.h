// What was decided about a call and how it came to that, for the call itself and for `helve explain`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helve/permissions.h"
#include "policy/rule.h"

namespace helve::policy {

// How much one finding says, the weakest first.
enum class Weight {
  kGranted,            // a rule or the mode allows this part
  kDoubt,              // nothing allows it, or something about it cannot be told
  kQuestion,           // an ask rule fits, or may fit
  kPossiblyForbidden,  // a deny rule may fit; nobody can tell from the text
  kForbidden,          // a deny rule fits, or the place is Helve's own
};

struct Finding {
  Weight weight = Weight::kGranted;
  std::string subject = {};  // the simple command, path or tool that it is about, fit to be shown
  std::string reason = {};   // a clause: "no rule allows it"
  std::string rule = {};     // the text of the rule behind it; may be empty
  Origin origin = {};        // of that rule
};

struct Ruling {
  Verdict verdict = Verdict::kAsk;
  std::string reason = {};
  std::string rule = {};  // that decided; empty when it was the mode or a doubt
  Origin origin = {};
  std::vector<Finding> findings = {};  // everything that was looked at, in order

  [[nodiscard]] Decision to_decision() const { return {verdict, reason}; }
  [[nodiscard]] Json to_json() const;
  // Lines for a person.
  [[nodiscard]] std::string to_text() const;
};

// Collects findings while a call is looked at. Used by one thread.
class Findings {
 public:
  void add(Weight weight, std::string subject, std::string reason, const Rule* rule = nullptr);
  // For a rule that restricts and fits, or may.
  void add_restriction(const Rule& rule, Match match, std::string subject, std::string_view what);

  [[nodiscard]] const std::vector<Finding>& all() const { return all_; }
  // The first of the heaviest; null when there are none.
  [[nodiscard]] const Finding* heaviest() const;
  [[nodiscard]] std::vector<Finding> take() { return std::move(all_); }

 private:
  std::vector<Finding> all_;
};

// A piece of a command or path as it may be shown to a person: control characters and those that hide or
// reorder text are spelled out, long ones shortened.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace helve::policy
