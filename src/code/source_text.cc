#include "code/source_text.h"

#include <algorithm>

#include "base/strings.h"
#include "text/language.h"
#include "text/text_encoding.h"

namespace helve::code {
namespace {

// Average line length in bytes above which a file is considered minified.
constexpr std::size_t kMinifiedAverage = 500;
constexpr std::size_t kMinifiedBytes = 8000;

}  // namespace

SourceText read_source(std::string_view path, std::string_view bytes) {
  SourceText source;
  if (bytes.size() > kLargestSource) {
    source.skipped = concat("it has more than ", kLargestSource >> 20, " MiB");
    return source;
  }
  const text::TextEncoding encoding = text::detect_encoding(bytes);
  if (!encoding.is_text()) {
    source.skipped = "it is a binary file";
    return source;
  }
  const std::string_view content = text::without_bom(bytes, encoding);
  source.text =
      encoding.charset == text::Charset::kUtf8 ? std::string(content) : text::decode(content, encoding);
  if (const auto language = text::language_of(path, std::string_view(source.text).substr(0, 1024)))
    source.language = language->id;
  const auto lines = static_cast<std::size_t>(std::ranges::count(source.text, '\n')) + 1;
  if (source.text.size() > kMinifiedBytes && source.text.size() / lines > kMinifiedAverage)
    source.skipped = concat("it looks minified or generated: its lines have ",
                            with_thousands(source.text.size() / lines), " bytes on average");
  return source;
}

}  // namespace helve::code
