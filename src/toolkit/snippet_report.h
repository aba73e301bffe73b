// Shared by the tools and commands for snippets: languages, and the display of snippets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helve/json.h"
#include "helve/tool.h"
#include "patch/change_report.h"
#include "store/snippets.h"

namespace helve::toolkit {

// Detects a snippet's language from a code fence, its first line or an extension in its name; else empty.
[[nodiscard]] std::string guess_language(std::string_view name, std::string_view code);
// All spellings of a language: py, python and Python for any of them.
[[nodiscard]] std::vector<std::string> language_names(std::string_view given);
// The language's id in text/language.h; unknown names stay as they are.
[[nodiscard]] std::string language_id(std::string_view given);
// The file extension of the language, with the dot; ".txt" when unknown.
[[nodiscard]] std::string extension_of(std::string_view language);

[[nodiscard]] Json to_json(const store::Snippet& snippet);
[[nodiscard]] Json to_json(const store::SnippetEntry& entry);

// "python, 12 lines"
[[nodiscard]] std::string describe_code(std::string_view language, std::size_t lines);
// name  (python, 12 lines)  What it is for  #tag #tag
[[nodiscard]] std::string describe_entry(const store::SnippetEntry& entry);

// The change of its code. A snippet without a name stands for none.
[[nodiscard]] patch::ChangeReport change_of_snippet(const store::Snippet& before,
                                                    const store::Snippet& after);

// The changes of everything else, in words.
[[nodiscard]] JsonArray notes_on_snippet(const store::Snippet& before, const store::Snippet& after);

// Calls for snippets wait only for each other.
[[nodiscard]] std::vector<Resource> snippet_resources(Resource::Use use);

}  // namespace helve::toolkit
