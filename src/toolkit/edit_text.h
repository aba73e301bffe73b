// Exact replacements in one file, for the tools edit and multi_edit.
#pragma once

#include <string>
#include <vector>

#include "helve/context.h"
#include "helve/files.h"
#include "helve/params.h"
#include "helve/result.h"

namespace helve::toolkit {

struct TextReplacement {
  std::string old_text;
  std::string new_text;
  bool replace_all = false;

  void describe(ParamSpec& p) {
    p.required("oldText", old_text, "Exact text to replace.");
    p.required("newText", new_text, "Replacement.");
    p.optional("replaceAll", replace_all, "Replace every match.");
  }
};

struct TextEdit {
  std::string tool;
  std::string path;
  std::vector<TextReplacement> replacements;  // in order; each applies to the result of the ones before
  bool first_only = false;                    // replace only the first of several matches
};

// All or nothing. If the file changes meanwhile, the edit is retried on the new text, and the result says so.
[[nodiscard]] Result edit_text(Context& context, const TextEdit& edit);

// The same for code that needs no text for a model, and without asking a language server about the result.
[[nodiscard]] Expected<FileChanged> apply_text_edit(Context& context, const TextEdit& edit);

}  // namespace helve::toolkit
