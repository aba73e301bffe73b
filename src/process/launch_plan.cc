#include "process/launch_plan.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <concepts>
#include <cstdint>
#include <cstring>

#include "base/strings.h"

namespace helve::process {
namespace {

constexpr std::uint32_t kMagic = 0x484C4333;  // another build's launcher would misread the rest
constexpr std::size_t kMostBytes = std::size_t{16} << 20;
constexpr std::size_t kMostItems = 100'000;
constexpr int kSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

// One description of the order serves both ways.
class Writer {
 public:
  void number(std::uint64_t value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void field(std::uint64_t value) { number(value); }
  void field(bool value) { number(value ? 1 : 0); }
  void field(const std::string& text) {
    number(text.size());
    bytes_ += text;
  }
  template <class T>
    requires std::is_enum_v<T>
  void field(T value) {
    number(static_cast<std::uint64_t>(value));
  }
  template <class T>
  void field(const std::vector<T>& items) {
    number(items.size());
    for (const T& item : items) field(item);
  }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    if (rest_.size() < sizeof value) {
      good_ = false;
      return 0;
    }
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  void field(std::uint64_t& value) { value = number(); }
  void field(bool& value) {
    const std::uint64_t stored = number();
    good_ = good_ && stored <= 1;
    value = stored == 1;
  }
  void field(std::string& text) {
    const std::uint64_t size = number();
    if (size > rest_.size()) {
      good_ = false;
      return;
    }
    text = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }
  void field(sandbox::Level& level) { choice(level, sandbox::Level::kOff); }
  void field(sandbox::Part& part) { choice(part, sandbox::Part::kCgroup); }
  template <class T>
  void field(std::vector<T>& items) {
    const std::uint64_t count = number();
    if (count > kMostItems) good_ = false;
    for (std::uint64_t i = 0; good_ && i < count; ++i) field(items.emplace_back());
  }
  [[nodiscard]] bool finished() const { return good_ && rest_.empty(); }

 private:
  template <class T>
  void choice(T& value, T last) {
    const std::uint64_t stored = number();
    good_ = good_ && stored <= static_cast<std::uint64_t>(last);
    if (good_) value = static_cast<T>(stored);
  }

  std::string_view rest_;
  bool good_ = true;
};

template <class Way, class Plan>
void visit_plan(Way& way, Plan& plan) {
  way.field(plan.level);
  way.field(plan.workspace);
  way.field(plan.writable);
  way.field(plan.visible);
  way.field(plan.protected_paths);
  way.field(plan.pinned);
  way.field(plan.hidden);
  way.field(plan.temporary);
  way.field(plan.network);
  way.field(plan.network_holder);
  way.field(plan.limits.processes);
  way.field(plan.limits.memory_bytes);
  way.field(plan.limits.open_files);
  way.field(plan.limits.file_bytes);
  way.field(plan.limits.cpu_seconds);
  way.field(plan.limits.in_cgroup);
  way.field(plan.may_lack);
}

template <class Way, class Whole>
void visit(Way& way, Whole& launch) {
  way.field(launch.argv);
  way.field(launch.environment);
  way.field(launch.directory);
  way.field(launch.holds_network);
  way.field(launch.terminal);
  way.field(launch.usual_descriptors);
  way.field(launch.cgroups);
  visit_plan(way, launch.plan);
}

Expected<void> check_strings(const std::vector<std::string>& strings, std::string_view what) {
  for (const std::string& text : strings) {
    if (text.find('\0') != std::string::npos)
      return fail(ErrorCode::kInvalidArgument, concat("The ", what, " contains a NUL character."),
                  "Leave it out; no program can be given one.");
    if (text.size() > kLongestArgument)
      return fail(ErrorCode::kInvalidArgument,
                  concat("The ", what, " has ", with_thousands(text.size()),
                         " bytes; the system takes at most ", with_thousands(kLongestArgument), "."),
                  "Write it to a file and run that.");
  }
  return {};
}

}  // namespace

std::string encode_launch(const Launch& launch) {
  Writer writer;
  writer.number(kMagic);
  visit(writer, launch);
  return writer.take();
}

Expected<Launch> decode_launch(std::string_view bytes) {
  Reader reader(bytes);
  Launch launch;
  if (reader.number() == kMagic) {
    visit(reader, launch);
    if (reader.finished()) return launch;
  }
  return fail(ErrorCode::kExecutionFailed, "The launcher was given a plan that it does not understand.",
              "The program that started it may be of another version; restart it.");
}

Expected<UniqueFd> seal_launch(const Launch& launch) {
  if (auto checked = check_strings(launch.argv, "command"); !checked) return fail(checked.error());
  if (auto checked = check_strings(launch.environment, "environment"); !checked) return fail(checked.error());
  const std::string bytes = encode_launch(launch);
  if (bytes.size() > kMostBytes)
    return fail(ErrorCode::kInvalidArgument, "The command and its environment are too large to be started.",
                "Write the command to a file and run that.");
  UniqueFd fd(::memfd_create("helve-launch", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) return fail(system_error("Cannot make the launcher's plan", errno));
  if (auto written = write_all(fd.get(), bytes); !written) return fail(written.error());
  if (::fcntl(fd.get(), F_ADD_SEALS, kSeals) != 0)
    return fail(system_error("Cannot seal the launcher's plan", errno));
  return fd;
}

Expected<Launch> read_sealed_launch(int fd) {
  // A file that somebody can still change is none of ours.
  if (const int seals = ::fcntl(fd, F_GET_SEALS); seals < 0 || (seals & kSeals) != kSeals)
    return fail(ErrorCode::kExecutionFailed, "The launcher was started without a plan.",
                "It is started by Helve itself, not by hand.");
  struct stat status;
  if (::fstat(fd, &status) != 0 || status.st_size < 0 ||
      static_cast<std::size_t>(status.st_size) > kMostBytes)
    return fail(ErrorCode::kExecutionFailed, "The launcher's plan has no believable size.");
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t had = 0;
  while (had < bytes.size()) {
    const ssize_t got = ::pread(fd, bytes.data() + had, bytes.size() - had, static_cast<off_t>(had));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return fail(system_error("Cannot read the launcher's plan", got < 0 ? errno : EIO));
    had += static_cast<std::size_t>(got);
  }
  return decode_launch(bytes);
}

}  // namespace helve::process
