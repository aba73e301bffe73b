#include "tools/grep_report.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"
#include "toolkit/search_text.h"
#include "workspace/path_check.h"

namespace helve::tools {
namespace {

using search::FoundFile;
using search::FoundLine;
using search::GrepAnswer;
using search::GrepQuery;
using Wanted = search::GrepQuery::Wanted;

std::string describe_counts(const search::GrepQuery& query, const search::GrepAnswer& answer) {
  if (query.wanted == Wanted::kFilesWithout)
    return concat(answer.more || answer.stopped ? "at least " : "", count_of(answer.files_found, "file"),
                  " without a match");
  return concat(answer.more || answer.stopped ? "at least " : "", with_thousands(answer.matches),
                answer.matches == 1 ? " matching line" : " matching lines",
                query.invert ? " (inverted) in " : " in ", with_thousands(answer.files_found),
                answer.files_found == 1 ? " file" : " files");
}

std::string summary_of(const search::GrepQuery& query, const search::GrepAnswer& answer) {
  const std::string searched =
      answer.files_searched ? concat(" (", count_of(*answer.files_searched, "file"), " searched)") : "";
  std::string summary;
  const std::string pattern = concat("\"", shortened(query.pattern, 100), "\"");
  if (answer.files_found == 0 && query.wanted == Wanted::kFilesWithout)
    summary = concat("Every file has a ", query.invert ? "line without " : "match for ", pattern, searched);
  else if (answer.files_found == 0 && query.invert)
    summary = concat("Every line matches ", pattern, searched);
  else if (answer.files_found == 0)
    summary = concat("No match for ", pattern, searched);
  else if (answer.more)
    summary = concat("The first ", describe_counts(query, answer).substr(9), "; there are more");
  else
    summary = concat("Found ", describe_counts(query, answer), searched);
  if (answer.stopped) summary += "; stopped early, because the time was up";
  return summary;
}

// Groups context lines with their matches.
JsonArray context_of(const search::FoundFile& file, std::size_t first, std::size_t last) {
  JsonArray lines;
  for (const search::FoundLine& line : file.lines) {
    if (line.number >= first && line.number <= last) lines.emplace_back(line.text);
  }
  return lines;
}

JsonObject match_json(const search::GrepQuery& query, const search::FoundFile& file,
                      const search::FoundLine& line) {
  JsonArray submatches;
  for (const search::Submatch& match : line.matches)
    if (!query.invert) submatches.emplace_back(JsonObject{{"start", match.begin}, {"end", match.end}});
  JsonObject json{{"file", to_valid_utf8(file.path)},
                  {"line", line.number},
                  {"column", line.matches.front().begin + 1},
                  {"text", line.text},
                  {"submatches", std::move(submatches)}};
  // Positions refer to the whole line; the text may be a part of it.
  if (line.bytes > query.longest_line) json.append("textStart", line.text_begin);
  if (query.lines_before > 0 || query.lines_after > 0) {
    const std::size_t before = std::min(query.lines_before, line.number - 1);
    json.append("before", context_of(file, line.number - before, line.number - 1));
    json.append("after", context_of(file, line.last_number + 1, line.last_number + query.lines_after));
  }
  return json;
}

Json data_of(const search::GrepQuery& query, const search::GrepAnswer& answer, const std::string& cursor) {
  JsonObject data;
  if (query.wanted == Wanted::kMatches) {
    JsonArray matches;
    for (const search::FoundFile& file : answer.files) {
      for (const search::FoundLine& line : file.lines) {
        if (line.is_match()) matches.emplace_back(match_json(query, file, line));
      }
    }
    data.append("matches", std::move(matches));
  }
  if (query.wanted != Wanted::kTotals) {
    JsonArray files;
    for (const search::FoundFile& file : answer.files)
      files.emplace_back(JsonObject{{"file", to_valid_utf8(file.path)}, {"matches", file.matches}});
    data.append("files", std::move(files));
  }
  data.append("totalMatches", answer.matches);
  data.append("totalFiles", answer.files_found);
  data.append("complete", !answer.more && !answer.stopped);
  if (answer.files_searched) data.append("filesSearched", *answer.files_searched);
  data.append("engine", answer.engine);
  if (!cursor.empty()) data.append("cursor", cursor);
  return data;
}

void append_lines(std::string& out, const search::FoundFile& file) {
  out += concat(workspace::printable_path(file.path), "\n");
  std::size_t last = 0;
  for (const search::FoundLine& line : file.lines) {
    if (last != 0 && line.number > last + 1 && file.lines.size() > file.matches) out += "--\n";
    std::string text = line.text;
    if (text.find('\n') != std::string::npos) text = replace_all(text, "\n", concat("\n", "    "));
    out += concat(line.number, line.is_match() ? ": " : "- ", text, "\n");
    last = line.last_number;
  }
}

std::string search_notes(const search::GrepQuery& query, const search::GrepAnswer& answer,
                         const std::string& cursor) {
  std::string notes;
  const auto say = [&](const std::string& note) {
    if (!note.empty()) notes += note + "\n";
  };
  std::vector<std::string> wanted = query.file_globs;
  std::erase_if(wanted, [](const std::string& glob) {
    return search::is_exclusion(glob, {.syntax = search::GlobOptions::Syntax::kExtended});
  });
  if (answer.files_searched == 0 && !wanted.empty())
    say(concat("No file matches filePattern ", join(wanted, ", "), "."));
  else if (answer.files_searched == 0 && !query.types.wanted.empty())
    say(concat("No file has that type: ", shortened(join(query.types.wanted, ", "), 100), "."));
  if (answer.files_found == 0) say(toolkit::describe_left_out(answer.walk));
  if (answer.binary_files > 0)
    say(concat(count_of(answer.binary_files, "binary file"), answer.binary_files == 1 ? " has" : " have",
               " a match too; name it as path to search it."));
  say(toolkit::describe_unreadable(answer.walk));
  if (answer.unreadable_files > 0)
    say(concat(count_of(answer.unreadable_files, "file"), " could not be read."));
  if (answer.files_too_large > 0)
    say(concat(count_of(answer.files_too_large, "file"),
               " too large for a pattern that goes over lines; search them without multiline."));
  if (!cursor.empty())
    say(concat("For more, repeat the call with cursor \"", cursor,
               "\", or narrow it with path, filePattern or pattern; output \"count\" counts all."));
  return notes;
}

}  // namespace

Output describe_grep(const search::GrepQuery& query, const search::GrepAnswer& answer,
                     const std::string& cursor) {
  Output output{.summary = summary_of(query, answer),
                .data = data_of(query, answer, cursor),
                .truncated = answer.more || answer.stopped};
  for (const search::FoundFile& file : answer.files) {
    if (query.wanted == Wanted::kMatches) {
      if (!output.content.empty()) output.content += '\n';
      append_lines(output.content, file);
    } else if (query.wanted == Wanted::kFilesWithout) {
      output.content += concat(workspace::printable_path(file.path), "\n");
    } else {
      output.content +=
          concat(workspace::printable_path(file.path), ": ", with_thousands(file.matches), "\n");
    }
  }
  if (query.wanted == Wanted::kTotals || answer.files.empty()) output.content += output.summary + "\n";
  const std::string notes = search_notes(query, answer, cursor);
  if (!notes.empty()) output.content += concat(output.content.empty() ? "" : "\n", notes);
  return output;
}

}  // namespace helve::tools
