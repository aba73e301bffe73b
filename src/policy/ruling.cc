#include "policy/ruling.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"
#include "workspace/path_check.h"

namespace helve::policy {
namespace {

std::string_view weight_name(Weight weight) {
  switch (weight) {
    case Weight::kGranted: return "allowed";
    case Weight::kDoubt:
    case Weight::kQuestion: return "asked";
    case Weight::kPossiblyForbidden: return "in doubt";
    case Weight::kForbidden: return "denied";
  }
  return "asked";
}

// Zero-width and direction characters, byte-order marks, and the tags that only machines see.
bool is_treacherous(char32_t c) {
  return (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) ||
         c == 0xFEFF || c == 0xAD || (c >= 0xE0000 && c <= 0xE0FFF) || (c >= 0x80 && c <= 0x9F);
}

}  // namespace

std::string shown(std::string_view text) {
  const std::string plain = printable_path(text);
  std::string out;
  for (std::string_view rest = plain; !rest.empty();) {
    const std::size_t length = utf8_character_length(rest);
    const char32_t character = utf8_code_point(rest.substr(0, length));
    if (is_treacherous(character)) {
      char digits[8];
      const auto end = std::to_chars(digits, digits + sizeof digits, std::uint32_t{character}, 16).ptr;
      out += concat("\\u{", std::string_view(digits, end), "}");
    } else {
      out += rest.substr(0, length);
    }
    rest.remove_prefix(length);
  }
  return out;
}

void Findings::add(Weight weight, std::string subject, std::string reason, const Rule* rule) {
  Finding finding{.weight = weight, .subject = std::move(subject), .reason = std::move(reason)};
  if (rule != nullptr) {
    finding.rule = rule->text();
    finding.origin = rule->origin;
  }
  all_.push_back(std::move(finding));
}

void Findings::add_restriction(const Rule& rule, Match match, std::string subject, std::string_view what) {
  if (match == Match::kNo) return;
  const bool denies = rule.verdict == Verdict::kDeny;
  if (match == Match::kYes)
    add(denies ? Weight::kForbidden : Weight::kQuestion, std::move(subject),
        concat(rule.describe(), " fits ", what), &rule);
  else
    add(denies ? Weight::kPossiblyForbidden : Weight::kQuestion, std::move(subject),
        concat("whether ", rule.describe(), " fits ", what, " cannot be told beforehand"), &rule);
}

const Finding* Findings::heaviest() const {
  const auto found = std::ranges::max_element(all_, {}, &Finding::weight);
  return found == all_.end() ? nullptr : &*found;
}

Json Ruling::to_json() const {
  JsonArray steps;
  for (const Finding& finding : findings) {
    JsonObject step{
        {"subject", finding.subject}, {"outcome", weight_name(finding.weight)}, {"reason", finding.reason}};
    if (!finding.rule.empty()) {
      step.append("rule", finding.rule);
      step.append("source", finding.origin.source);
      step.append("number", finding.origin.number);
    }
    steps.emplace_back(std::move(step));
  }
  JsonObject out{{"verdict", verdict_name(verdict)}, {"reason", reason}};
  if (!rule.empty()) {
    out.append("rule", rule);
    out.append("source", origin.source);
    out.append("number", origin.number);
  }
  out.append("steps", std::move(steps));
  return out;
}

std::string Ruling::to_text() const {
  std::string out = concat(verdict_name(verdict), ": ", reason, "\n");
  for (const Finding& finding : findings)
    out += concat("  ", finding.subject, "\n    ", weight_name(finding.weight), ": ", finding.reason, "\n");
  return out;
}

}  // namespace helve::policy
