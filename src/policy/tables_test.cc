// Runs the tables of tests/policy: bypasses, false alarms, denied commands, catastrophes and later looks.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "base/strings.h"
#include "policy/testing.h"
#include "unit/places.h"

namespace helve::policy {
namespace {

struct TableRow {
  std::string set;
  std::string command;
  std::size_t line;
};

class Table {
 public:
  explicit Table(std::string_view name) {
    std::ifstream in(places::in_source(concat("tests/policy/", name)));
    EXPECT_TRUE(in) << name;
    world_.directory.make("work/src");
    for (const std::string_view part : {"HEAD", "objects/x", "refs/x"})
      world_.directory.write(concat("work/bare/", part), "x");
    std::string text;
    for (std::size_t number = 1; std::getline(in, text); ++number) read_line(text, number);
  }

  [[nodiscard]] const std::vector<TableRow>& rows() const { return rows_; }
  // The world with the rules of the set.
  [[nodiscard]] World& world(const std::string& set) {
    world_.rules = rules_[set];
    return world_;
  }

 private:
  void read_line(std::string_view text, std::size_t number) {
    if (trim(text).empty() || text.starts_with('#')) return;
    const std::size_t blank = text.find(' ');
    ASSERT_NE(blank, std::string_view::npos) << number;
    const std::string first(text.substr(0, blank));
    const std::string_view rest = text.substr(blank + 1);
    if (first != "rules") {
      rows_.push_back({first, unescaped(rest), number});
      return;
    }
    const std::vector<std::string_view> words = split(rest, ' ');
    ASSERT_GE(words.size(), 3U) << number;
    const std::string_view rule = rest.substr(words[0].size() + words[1].size() + 2);
    const Verdict verdict = words[1] == "deny"  ? Verdict::kDeny
                            : words[1] == "ask" ? Verdict::kAsk
                                                : Verdict::kAllow;
    const std::string set(words[0]);
    rules_[set] = world(set).add(rule, verdict).rules;
  }

  static std::string unescaped(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char next = i + 1 < text.size() ? text[i + 1] : '\0';
      const std::size_t found =
          text[i] == '\\' ? std::string_view("nrt\\x").find(next) : std::string_view::npos;
      if (next == '\0' || found == std::string_view::npos) {
        out += text[i];
      } else if (next == 'x') {
        out += static_cast<char>(std::stoi(std::string(text.substr(i + 2, 2)), nullptr, 16));
        i += 3;
      } else {
        out += "\n\r\t\\"[found];
        ++i;
      }
    }
    return out;
  }

  World world_;
  std::map<std::string, RuleSet> rules_;
  std::vector<TableRow> rows_;
};

TEST(PolicyTables, BypassesNeverRunUnasked) {
  Table table("bypasses.txt");
  EXPECT_GE(table.rows().size(), 400U);
  for (const TableRow& row : table.rows()) {
    const World& world = table.world(row.set);
    ASSERT_FALSE(world.rules.empty()) << row.set;
    const Ruling asked = world.exec(row.command);
    EXPECT_NE(asked.verdict, Verdict::kAllow) << "line " << row.line << ": " << row.command << "\n"
                                              << asked.to_text();
    EXPECT_EQ(name(world.exec(row.command, Mode::kAuto)), "deny")
        << "line " << row.line << ": " << row.command;
    EXPECT_EQ(name(world.exec(row.command, Mode::kPlan)), "deny")
        << "line " << row.line << ": " << row.command;
  }
}

TEST(PolicyTables, FalseAlarmsRunWithoutAsking) {
  Table table("false_alarms.txt");
  EXPECT_GE(table.rows().size(), 500U);
  for (const TableRow& row : table.rows()) {
    const World& world = table.world(row.set);
    ASSERT_FALSE(world.rules.empty()) << row.set;
    for (const Mode mode : {Mode::kAsk, Mode::kAuto, Mode::kFull}) {
      const Ruling ruling = world.exec(row.command, mode);
      EXPECT_EQ(name(ruling), "allow") << "line " << row.line << ": " << row.command << "\n"
                                       << ruling.to_text();
    }
  }
}

TEST(PolicyTables, DeniedCommandsStayDeniedInEverySpelling) {
  Table table("denied.txt");
  EXPECT_GE(table.rows().size(), 250U);
  for (TableRow row : table.rows()) {
    const bool may_ask = row.set.ends_with('?');
    if (may_ask) row.set.pop_back();
    const World& world = table.world(row.set);
    ASSERT_FALSE(world.rules.empty()) << row.set;
    const Ruling asked = world.exec(row.command);
    if (may_ask)
      EXPECT_NE(asked.verdict, Verdict::kAllow) << "line " << row.line << ": " << row.command << "\n"
                                                << asked.to_text();
    else
      EXPECT_EQ(name(asked), "deny") << "line " << row.line << ": " << row.command << "\n" << asked.to_text();
    for (const Mode mode : {Mode::kAcceptEdits, Mode::kAuto, Mode::kFull}) {
      const Ruling ruling = world.exec(row.command, mode);
      EXPECT_NE(ruling.verdict, Verdict::kAllow)
          << "line " << row.line << ", mode " << name_of(mode) << ": " << row.command << "\n"
          << ruling.to_text();
    }
  }
}

TEST(PolicyTables, NoModeRunsACatastrophe) {
  Table table("catastrophes.txt");
  EXPECT_GE(table.rows().size(), 200U);
  for (const TableRow& row : table.rows())
    for (const Mode mode : {Mode::kAsk, Mode::kFull})
      EXPECT_EQ(name(table.world(row.set).exec(row.command, mode)), "deny")
          << "line " << row.line << ", mode " << name_of(mode) << ": " << row.command;
}

// Rows have the verdicts in the modes ask and full before the command.
void expect_verdicts(std::string_view file, std::size_t least) {
  Table table(file);
  EXPECT_GE(table.rows().size(), least);
  for (const TableRow& row : table.rows()) {
    const std::size_t first = row.command.find(' ');
    const std::size_t second = row.command.find(' ', first + 1);
    ASSERT_NE(second, std::string::npos) << row.line;
    const std::string asked = row.command.substr(0, first);
    const std::string full = row.command.substr(first + 1, second - first - 1);
    const std::string command = row.command.substr(second + 1);
    const World& world = table.world(row.set);
    ASSERT_FALSE(world.rules.empty()) << row.set;
    EXPECT_EQ(name(world.exec(command)), asked) << "line " << row.line << ": " << command << "\n"
                                                << world.exec(command).to_text();
    EXPECT_EQ(name(world.exec(command, Mode::kFull)), full) << "line " << row.line << ": " << command << "\n"
                                                            << world.exec(command, Mode::kFull).to_text();
  }
}

TEST(PolicyTables, SecondLookFindsNoWayAround) { expect_verdicts("second_look.txt", 700); }

TEST(PolicyTables, ThirdLookFindsNoWayAround) { expect_verdicts("third_look.txt", 1200); }

}  // namespace
}  // namespace helve::policy
