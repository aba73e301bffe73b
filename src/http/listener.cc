#include "http/listener.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/file_lock.h"
#include "base/strings.h"

namespace helve::http {
namespace {

constexpr int kBacklog = 512;

struct Address {
  sockaddr_storage storage = {};
  socklen_t size = 0;

  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

Expected<Address> parse_address(std::string text, std::uint16_t port) {
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  if (text == "localhost") text = "127.0.0.1";
  Address address;
  sockaddr_in four{};
  sockaddr_in6 six{};
  if (::inet_pton(AF_INET, text.c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    four.sin_port = htons(port);
    std::memcpy(&address.storage, &four, sizeof four);
    address.size = sizeof four;
  } else if (::inet_pton(AF_INET6, text.c_str(), &six.sin6_addr) == 1) {
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(port);
    std::memcpy(&address.storage, &six, sizeof six);
    address.size = sizeof six;
  } else {
    return fail(ErrorCode::kInvalidArgument, concat("Cannot listen on '", text, "': it is not an IP address"),
                "Use 127.0.0.1, ::1, or another address of this machine.");
  }
  return address;
}

std::uint16_t port_of(int socket) {
  Address bound;
  bound.size = sizeof bound.storage;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&bound.storage), &bound.size) != 0) return 0;
  sockaddr_in four{};
  sockaddr_in6 six{};
  if (bound.storage.ss_family == AF_INET6) {
    std::memcpy(&six, &bound.storage, sizeof six);
    return ntohs(six.sin6_port);
  }
  std::memcpy(&four, &bound.storage, sizeof four);
  return ntohs(four.sin_port);
}

// Prevents two servers from replacing the same dead socket. Gives up after half a second, because no Helve
// server holds the lock that long.
UniqueFd lock_directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd) static_cast<void>(wait_for_lock(fd.get(), LOCK_EX, std::chrono::milliseconds(500)));
  return fd;
}

Expected<void> remove_dead_socket(const std::string& path, const sockaddr_un& address) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return {};
    return fail(system_error(concat("Cannot listen on ", path), errno));
  }
  if (!S_ISSOCK(info.st_mode))
    return fail(ErrorCode::kConflict,
                concat("Cannot listen on ", path, ": the file exists and is not a socket"),
                "Choose another path, or move the file.");
  const UniqueFd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!probe) return fail(system_error(concat("Cannot listen on ", path), errno));
  const int connected = ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  // EAGAIN means a live server with a full queue, and EACCES one of another user.
  if (connected == 0 || errno != ECONNREFUSED)
    return fail(ErrorCode::kConflict,
                concat("Cannot listen on ", path, ": another server is listening there"),
                "Choose another path, or stop the other server.");
  if (::unlink(path.c_str()) != 0 && errno != ENOENT)
    return fail(system_error(concat("Cannot replace the socket ", path), errno));
  return {};
}

}  // namespace

Listener::Listener(Listener&& other) noexcept
    : socket_(std::move(other.socket_)),
      port_(other.port_),
      path_(std::exchange(other.path_, {})),
      device_(other.device_),
      inode_(other.inode_) {}

Listener::~Listener() {
  if (path_.empty()) return;
  const UniqueFd lock = lock_directory_of(path_);
  struct stat info{};
  if (::lstat(path_.c_str(), &info) == 0 && info.st_dev == device_ && info.st_ino == inode_)
    ::unlink(path_.c_str());
}

Expected<Listener> Listener::open(const ServerOptions& options) {
  return options.unix_path.empty() ? open_address(options.address, options.port)
                                   : open_path(options.unix_path);
}

Expected<Listener> Listener::open_address(const std::string& text, std::uint16_t port) {
  const auto address = parse_address(text, port);
  if (!address) return fail(address.error());
  const std::string what = concat("Cannot listen on ", text, " port ", port);
  Listener listener;
  listener.socket_ =
      UniqueFd(::socket(address->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP));
  if (!listener.socket_) return fail(system_error(what, errno));
  const int yes = 1;
  ::setsockopt(listener.socket(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  // Connections inherit these.
  const int idle_seconds = 60;
  const int interval_seconds = 15;
  ::setsockopt(listener.socket(), SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
  ::setsockopt(listener.socket(), IPPROTO_TCP, TCP_KEEPIDLE, &idle_seconds, sizeof idle_seconds);
  ::setsockopt(listener.socket(), IPPROTO_TCP, TCP_KEEPINTVL, &interval_seconds, sizeof interval_seconds);
  ::setsockopt(listener.socket(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (::bind(listener.socket(), address->get(), address->size) != 0 ||
      ::listen(listener.socket(), kBacklog) != 0) {
    Error error = system_error(what, errno);
    if (errno == EADDRINUSE) {
      error.code = ErrorCode::kConflict;
      error.hint = "Another program uses this port. Choose another one, or 0 for any free port.";
    } else if (errno == EACCES) {
      error.hint = "Choose a port above 1023, or 0 for any free port.";
    } else if (errno == EADDRNOTAVAIL) {
      error.hint = "Choose an address of this machine, such as 127.0.0.1.";
    }
    return fail(std::move(error));
  }
  listener.port_ = port_of(listener.socket());
  return listener;
}

Expected<Listener> Listener::open_path(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path || path.contains('\0'))
    return fail(ErrorCode::kInvalidArgument,
                concat("Cannot listen on ", path, ": a socket path may have at most ",
                       sizeof address.sun_path - 1, " bytes"),
                "Choose a shorter path.");
  std::memcpy(address.sun_path, path.data(), path.size());
  const std::string what = concat("Cannot listen on ", path);
  const UniqueFd lock = lock_directory_of(path);
  if (auto removed = remove_dead_socket(path, address); !removed) return fail(std::move(removed.error()));
  Listener listener;
  listener.socket_ = UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener.socket_) return fail(system_error(what, errno));
  // Before bind(), which copies the socket's mode to the file, so that other users can never connect.
  if (::fchmod(listener.socket(), S_IRUSR | S_IWUSR) != 0 ||
      ::bind(listener.socket(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return fail(system_error(what, errno));
  struct stat info{};
  const bool is_ours = ::lstat(path.c_str(), &info) == 0;
  if (!is_ours || (info.st_mode & 0777) != (S_IRUSR | S_IWUSR) ||
      ::listen(listener.socket(), kBacklog) != 0) {
    const int error = errno;
    if (is_ours) ::unlink(path.c_str());
    return fail(system_error(what, error));
  }
  listener.path_ = path;
  listener.device_ = info.st_dev;
  listener.inode_ = info.st_ino;
  return listener;
}

}  // namespace helve::http
