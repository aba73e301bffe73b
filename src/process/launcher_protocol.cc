#include "process/launcher_protocol.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "base/strings.h"
#include "base/utf8.h"

namespace helve::process {
namespace {

constexpr std::uint32_t kMagic =
    0x484C4334;  // changes with the format: another build's launcher would misread the rest
constexpr std::size_t kMostBytes = std::size_t{16} << 20;
constexpr std::size_t kMostItems = 100'000;
constexpr int kSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

// Writer and Reader share visit(), so that both use the same field order.
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

template <class Codec, class Plan>
void visit_plan(Codec& codec, Plan& plan) {
  codec.field(plan.level);
  codec.field(plan.workspace);
  codec.field(plan.writable);
  codec.field(plan.visible);
  codec.field(plan.protected_paths);
  codec.field(plan.pinned);
  codec.field(plan.hidden);
  codec.field(plan.temporary);
  codec.field(plan.network);
  codec.field(plan.network_holder);
  codec.field(plan.limits.processes);
  codec.field(plan.limits.memory_bytes);
  codec.field(plan.limits.open_files);
  codec.field(plan.limits.file_bytes);
  codec.field(plan.limits.cpu_seconds);
  codec.field(plan.limits.in_cgroup);
  codec.field(plan.may_lack);
}

template <class Codec, class AnyLaunch>
void visit(Codec& codec, AnyLaunch& launch) {
  codec.field(launch.argv);
  codec.field(launch.environment);
  codec.field(launch.directory);
  codec.field(launch.holds_network);
  codec.field(launch.terminal);
  codec.field(launch.watched);
  codec.field(launch.usual_descriptors);
  codec.field(launch.cgroups);
  visit_plan(codec, launch.plan);
}

Expected<void> check_strings(const std::vector<std::string>& strings, std::string_view what) {
  for (const std::string& text : strings) {
    if (text.find('\0') != std::string::npos)
      return fail(ErrorCode::kInvalidArgument, concat("The ", what, " contains a NUL character."),
                  "Remove it; program arguments cannot contain NUL.");
    if (text.size() > kLongestArgument)
      return fail(ErrorCode::kInvalidArgument,
                  concat("The ", what, " has ", with_thousands(text.size()),
                         " bytes; the system allows at most ", with_thousands(kLongestArgument), "."),
                  "Write it to a file and run that.");
  }
  return {};
}

static_assert(std::is_trivially_copyable_v<LauncherMessage> && std::is_trivially_copyable_v<SignalRequest>);

void copy_text(std::span<char> to, std::string_view text) {
  const std::string_view fitting = utf8_prefix(text, to.size() - 1);
  std::ranges::copy(fitting, to.begin());
}

std::string_view text_of(std::span<const char> from) {
  return {from.data(), ::strnlen(from.data(), from.size())};
}

template <class Packet>
void send_packet(int socket, const Packet& packet) {
  while (::send(socket, &packet, sizeof packet, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno == EINTR) {
  }
}

// A packet and room for one descriptor.
struct Envelope {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  iovec part{};
  msghdr head{};

  Envelope(void* bytes, std::size_t size) : part{.iov_base = bytes, .iov_len = size} {
    head.msg_iov = &part;
    head.msg_iovlen = 1;
    head.msg_control = control.data();
    head.msg_controllen = control.size();
  }
  Envelope(const Envelope&) = delete;  // contains pointers into itself
  Envelope& operator=(const Envelope&) = delete;
};

UniqueFd descriptor_in(msghdr& head) {
  const cmsghdr* const part = CMSG_FIRSTHDR(&head);
  if (part == nullptr || part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) return {};
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(part), sizeof fd);
  return UniqueFd(fd);
}

template <class Packet>
Received receive_packet(int socket, Packet& packet) {
  for (;;) {
    const ssize_t got = ::recv(socket, &packet, sizeof packet, MSG_DONTWAIT | MSG_TRUNC);
    if (got == static_cast<ssize_t>(sizeof packet)) return Received::kPacket;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Received::kNothing;
    if (got <= 0) return Received::kHangUp;
    // Ignore packets of any other size.
  }
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
  return fail(ErrorCode::kExecutionFailed, "The launcher cannot read its launch plan.",
              "Helve may have been updated while running; restart it.");
}

Expected<UniqueFd> seal_launch(const Launch& launch) {
  if (auto checked = check_strings(launch.argv, "command"); !checked) return fail(checked.error());
  if (auto checked = check_strings(launch.environment, "environment"); !checked) return fail(checked.error());
  const std::string bytes = encode_launch(launch);
  if (bytes.size() > kMostBytes)
    return fail(ErrorCode::kInvalidArgument, "The command and its environment are too large to be started.",
                "Write the command to a file and run that.");
  UniqueFd fd(::memfd_create("helve-launch", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) return fail(system_error("Cannot create the launch plan", errno));
  if (auto written = write_all(fd.get(), bytes); !written) return fail(written.error());
  if (::fcntl(fd.get(), F_ADD_SEALS, kSeals) != 0)
    return fail(system_error("Cannot seal the launch plan", errno));
  return fd;
}

Expected<Launch> read_sealed_launch(int fd) {
  // Without seals the file could still be changed, so it is not from seal_launch().
  if (const int seals = ::fcntl(fd, F_GET_SEALS); seals < 0 || (seals & kSeals) != kSeals)
    return fail(ErrorCode::kExecutionFailed, "The launcher was started without a plan.",
                "Do not start the launcher by hand; Helve starts it.");
  struct stat status;
  if (::fstat(fd, &status) != 0 || status.st_size < 0 ||
      static_cast<std::size_t>(status.st_size) > kMostBytes)
    return fail(ErrorCode::kExecutionFailed, "The launch plan has an invalid size.");
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t had = 0;
  while (had < bytes.size()) {
    const ssize_t got = ::pread(fd, bytes.data() + had, bytes.size() - had, static_cast<off_t>(had));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return fail(system_error("Cannot read the launch plan", got < 0 ? errno : EIO));
    had += static_cast<std::size_t>(got);
  }
  return decode_launch(bytes);
}

LauncherMessage failure_message(const Error& error) {
  LauncherMessage message;
  message.kind = LauncherMessage::Kind::kFailed;
  message.error_code = static_cast<std::uint32_t>(error.code);
  copy_text(message.message, error.message);
  copy_text(message.hint, error.hint);
  return message;
}

Error error_of(const LauncherMessage& message) {
  const bool known = message.error_code <= static_cast<std::uint32_t>(ErrorCode::kOutcomeUnknown);
  return {known ? static_cast<ErrorCode>(message.error_code) : ErrorCode::kExecutionFailed,
          std::string(text_of(message.message)), std::string(text_of(message.hint))};
}

std::uint32_t part_bits(const std::vector<sandbox::Part>& parts) {
  std::uint32_t bits = 0;
  for (const sandbox::Part part : parts) bits |= 1U << static_cast<unsigned>(part);
  return bits;
}

std::vector<sandbox::Part> parts_of(std::uint32_t bits) {
  std::vector<sandbox::Part> parts;
  for (unsigned i = 0; i <= static_cast<unsigned>(sandbox::Part::kCgroup); ++i)
    if ((bits >> i & 1U) != 0) parts.push_back(static_cast<sandbox::Part>(i));
  return parts;
}

void send_message(int socket, const LauncherMessage& message) { send_packet(socket, message); }
void send_signal(int socket, const SignalRequest& request) { send_packet(socket, request); }
int send_listener(int socket, int listener) {
  LauncherMessage message;
  message.kind = LauncherMessage::Kind::kWatching;
  Envelope envelope(&message, sizeof message);
  cmsghdr* const part = CMSG_FIRSTHDR(&envelope.head);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof listener);
  std::memcpy(CMSG_DATA(part), &listener, sizeof listener);
  while (::sendmsg(socket, &envelope.head, MSG_NOSIGNAL) < 0)
    if (errno != EINTR) return errno;
  return 0;
}

Received receive_message(int socket, LauncherMessage& message, UniqueFd* listener) {
  for (;;) {
    Envelope envelope(&message, sizeof message);
    const ssize_t got = ::recvmsg(socket, &envelope.head, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Received::kNothing;
    if (got <= 0) return Received::kHangUp;
    UniqueFd descriptor = descriptor_in(envelope.head);
    if (got != static_cast<ssize_t>(sizeof message)) continue;  // not from a launcher of this version
    if (listener != nullptr) *listener = std::move(descriptor);
    return Received::kPacket;
  }
}
Received receive_signal(int socket, SignalRequest& request) { return receive_packet(socket, request); }

}  // namespace helve::process
