// The least that an MCP server over stdin and stdout can do: find the id and the path in a line, read the
// file, answer. It checks nothing and knows three methods; it shows what pipes and the reading of the file
// cost.
#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <string_view>

namespace {

// The text after `"name":`, up to a comma or brace; without quotes when it is a string.
std::string_view member(std::string_view line, std::string_view name) {
  std::size_t at = line.find(name);
  if (at == std::string_view::npos) return {};
  at += name.size();
  if (line[at] != '"') return line.substr(at, line.find_first_of(",}", at) - at);
  return line.substr(at + 1, line.find('"', at + 1) - at - 1);
}

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
}

std::string file_content(const std::string& path) {
  std::string content(std::size_t{64} << 10, '\0');
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const ssize_t count = fd < 0 ? 0 : ::read(fd, content.data(), content.size());
  if (fd >= 0) ::close(fd);
  content.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return content;
}

void answer(std::string& out, std::string_view line) {
  const std::string_view id = member(line, R"("id":)");
  if (id.empty()) return;
  ((out += R"({"jsonrpc":"2.0","id":)") += id) += R"(,"result":)";
  const std::string_view method = member(line, R"("method":)");
  if (method == "initialize") {
    out +=
        R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"echo","version":"1"}})";
  } else if (method == "tools/list") {
    out += R"({"tools":[{"name":"read","inputSchema":{"type":"object"}}]})";
  } else {
    out += R"({"content":[{"type":"text","text":")";
    append_escaped(out, file_content(std::string(member(line, R"("path":)"))));
    out += R"("}]})";
  }
  out += "}\n";
}

}  // namespace

int main() {
  std::string in;
  std::string out;
  char chunk[64 << 10];
  for (ssize_t count = 0; (count = ::read(STDIN_FILENO, chunk, sizeof chunk)) > 0;) {
    in.append(chunk, static_cast<std::size_t>(count));
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = in.find('\n', begin)) != std::string::npos; begin = end + 1) {
      out.clear();
      answer(out, std::string_view(in).substr(begin, end - begin));
      if (!out.empty() && ::write(STDOUT_FILENO, out.data(), out.size()) < 0) return 1;
    }
    in.erase(0, begin);
  }
}
