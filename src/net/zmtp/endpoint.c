#define _GNU_SOURCE // struct ifreq
#include "net/zmtp/zmtp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/sock_diag.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 1024 };

// STATUS_OK if the path is free (*exists is 0) or holds a socket; otherwise why names what is there.
static enum status inspect_path(const char *path, int *exists, struct reason *why) {
  struct stat at;
  *exists = path[0] != '@' && lstat(path, &at) == 0;
  if (!*exists || S_ISSOCK(at.st_mode))
    return STATUS_OK;
  return fail(why, STATUS_BAD_INPUT, "ipc://%s: a free path or a socket expected, got %s", path,
              S_ISREG(at.st_mode)   ? "a file"
              : S_ISDIR(at.st_mode) ? "a folder"
              : S_ISLNK(at.st_mode) ? "a symbolic link"
                                    : "something else");
}

static socklen_t ipc_address(const char *path, struct sockaddr_un *out) {
  size_t length = strlen(path);
  *out = (struct sockaddr_un){.sun_family = AF_UNIX};
  memcpy(out->sun_path, path, length);
  if (path[0] != '@')
    return (socklen_t)sizeof *out;
  out->sun_path[0] = '\0';
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
}

// Removes the socket file of a program that has ended: connecting to it is refused. Any other file stays.
static enum status clear_path(const char *path, struct reason *why) {
  int exists;
  enum status status = inspect_path(path, &exists, why);
  if (status != STATUS_OK || !exists)
    return status;

  struct sockaddr_un address;
  socklen_t size = ipc_address(path, &address);
  int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  int stale =
      probe >= 0 && connect(probe, (const struct sockaddr *)&address, size) != 0 && errno == ECONNREFUSED;
  if (probe >= 0)
    close(probe);
  if (!stale)
    return fail(why, STATUS_IO, "ipc://%s: in use by another program, or a socket of another type", path);

  if (unlink(path) != 0)
    return fail(why, STATUS_IO, "ipc://%s: the socket file of an ended program cannot be removed: %s", path,
                strerror(errno));
  return STATUS_OK;
}

static enum status open_ipc(const struct endpoint_parts *parts, struct listener *out, struct reason *why) {
  struct sockaddr_un address;
  struct stat made;
  socklen_t size = ipc_address(parts->path, &address);
  enum status status = clear_path(parts->path, why);
  if (status != STATUS_OK)
    return status;
  if (bind(out->file, (const struct sockaddr *)&address, size) != 0 || listen(out->file, BACKLOG) != 0)
    return fail(why, STATUS_IO, "cannot bind ipc://%s: %s", parts->path, strerror(errno));

  if (parts->path[0] != '@' && lstat(parts->path, &made) == 0) {
    out->device = made.st_dev;
    out->inode = made.st_ino;
  }
  out->local = 1;
  snprintf(out->endpoint, sizeof out->endpoint, "ipc://%s", parts->path);
  return STATUS_OK;
}

// The IPv4 address of a host: numeric, localhost, * or the name of a network interface. Returns 0 if no
// interface of that name has one.
static int resolve(int file, const char *host, struct in_addr *out) {
  struct ifreq interface;
  if (strcmp(host, "*") == 0)
    out->s_addr = htonl(INADDR_ANY);
  else if (strcmp(host, "localhost") == 0)
    out->s_addr = htonl(INADDR_LOOPBACK);
  else if (inet_pton(AF_INET, host, out) != 1) {
    memset(&interface, 0, sizeof interface);
    memcpy(interface.ifr_name, host, strnlen(host, IFNAMSIZ - 1)); // is_host has checked its length
    if (ioctl(file, SIOCGIFADDR, &interface) != 0)
      return 0;
    struct sockaddr_in address;
    memcpy(&address, &interface.ifr_addr, sizeof address);
    *out = address.sin_addr;
  }
  return 1;
}

static enum status fail_interface(const char *text, struct reason *why) {
  return fail(why, STATUS_BAD_INPUT, "%s: no network interface of that name has an IPv4 address", text);
}

enum status endpoint_check_here(const char *text, struct reason *why) {
  struct endpoint_parts parts;
  struct in_addr address;
  int exists;
  enum status status = endpoint_read(text, ENDPOINT_LISTEN, &parts, why);
  if (status != STATUS_OK || parts.is_ipc)
    return status != STATUS_OK ? status : inspect_path(parts.path, &exists, why);
  int file = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  int resolves = file < 0 || resolve(file, parts.host, &address);
  if (file >= 0)
    close(file);
  return resolves ? STATUS_OK : fail_interface(text, why);
}

static int is_loopback(struct in_addr address) {
  return ntohl(address.s_addr) >> 24 == 127;
}

int endpoint_is_local(const char *text) {
  struct endpoint_parts parts;
  struct in_addr address;
  if (endpoint_read(text, ENDPOINT_LISTEN, &parts, NULL) != STATUS_OK)
    return 0;
  if (parts.is_ipc)
    return 1;
  int file = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  int is_local = file >= 0 && resolve(file, parts.host, &address) && is_loopback(address);
  if (file >= 0)
    close(file);
  return is_local;
}

static enum status open_tcp(const struct endpoint_parts *parts, const char *text, struct listener *out,
                            struct reason *why) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)parts->port)};
  socklen_t size = sizeof address;
  int yes = 1;
  char host[INET_ADDRSTRLEN];
  if (!resolve(out->file, parts->host, &address.sin_addr))
    return fail_interface(text, why);
  setsockopt(out->file, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(out->file, (const struct sockaddr *)&address, sizeof address) != 0 ||
      listen(out->file, BACKLOG) != 0 || getsockname(out->file, (struct sockaddr *)&address, &size) != 0)
    return fail(why, STATUS_IO, "cannot bind %s: %s", text, strerror(errno));
  out->local = is_loopback(address.sin_addr);
  inet_ntop(AF_INET, &address.sin_addr, host, sizeof host);
  snprintf(out->endpoint, sizeof out->endpoint, "tcp://%s:%d", host, (int)ntohs(address.sin_port));
  return STATUS_OK;
}

enum status listener_open(const char *text, struct listener *out, struct reason *why) {
  struct endpoint_parts parts;
  *out = (struct listener){.file = -1};
  enum status status = endpoint_read(text, ENDPOINT_LISTEN, &parts, why);
  if (status != STATUS_OK)
    return status;
  out->file = socket(parts.is_ipc ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (out->file < 0)
    return fail(why, STATUS_IO, "cannot open a socket for %s: %s", text, strerror(errno));
  status = parts.is_ipc ? open_ipc(&parts, out, why) : open_tcp(&parts, text, out, why);
  if (status != STATUS_OK)
    listener_close(out);
  return status;
}

// A filter that lets no packet pass acts on the listening socket only, not on connections that it has
// accepted.
int listener_shut(const struct listener *listener, int shut) {
  struct sock_filter drop_all = {BPF_RET | BPF_K, 0, 0, 0};
  const struct sock_fprog program = {1, &drop_all};
  const int none = 0;
  if (strncmp(listener->endpoint, "tcp://", 6) != 0)
    return 0;
  return shut ? setsockopt(listener->file, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0
              : setsockopt(listener->file, SOL_SOCKET, SO_DETACH_FILTER, &none, sizeof none) == 0;
}

uint64_t listener_dropped(const struct listener *listener) {
  uint32_t counts[SK_MEMINFO_VARS] = {0};
  socklen_t size = sizeof counts;
  if (getsockopt(listener->file, SOL_SOCKET, SO_MEMINFO, counts, &size) != 0)
    return 0;
  return counts[SK_MEMINFO_DROPS];
}

void listener_close(struct listener *listener) {
  struct stat at;
  const char *path = listener->endpoint + 6;
  if (listener->inode && lstat(path, &at) == 0 && at.st_dev == listener->device &&
      at.st_ino == listener->inode)
    unlink(path);
  if (listener->file >= 0)
    close(listener->file);
  *listener = (struct listener){.file = -1};
}

// ------------------------------------------------------------
enum { PROBES = 3 };

int peer_socket_accept(int listener, int *is_short) {
  *is_short = 0;
  for (;;) {
    int file = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (file >= 0)
      return file;
    *is_short = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
    if (errno != EINTR && errno != ECONNABORTED)
      return -1;
  }
}

void peer_socket_limit(int file, const struct peer_socket_limits *limits) {
  const struct {
    int level, option, value;
  } options[] = {{SOL_SOCKET, SO_SNDBUF, limits->send_buffer},
                 {SOL_SOCKET, SO_RCVBUF, limits->receive_buffer},
                 {SOL_SOCKET, SO_KEEPALIVE, 1},
                 {IPPROTO_TCP, TCP_NODELAY, 1},
                 {IPPROTO_TCP, TCP_KEEPIDLE, limits->keepalive_s},
                 {IPPROTO_TCP, TCP_KEEPINTVL, limits->keepalive_s},
                 {IPPROTO_TCP, TCP_KEEPCNT, PROBES},
                 {IPPROTO_TCP, TCP_USER_TIMEOUT, limits->unacknowledged_ms}};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) // TCP options have no effect on ipc sockets
    if (options[i].value)
      setsockopt(file, options[i].level, options[i].option, &options[i].value, sizeof options[i].value);
}

void peer_socket_address(int file, char out[PEER_ADDRESS]) {
  struct sockaddr_storage address = {.ss_family = AF_UNSPEC};
  socklen_t size = sizeof address;
  char host[INET_ADDRSTRLEN] = "";
  out[0] = '\0';
  if (getpeername(file, (struct sockaddr *)&address, &size) != 0)
    return;
  if (address.ss_family == AF_INET) {
    struct sockaddr_in in;
    memcpy(&in, &address, sizeof in);
    inet_ntop(AF_INET, &in.sin_addr, host, sizeof host);
    snprintf(out, PEER_ADDRESS, "%s:%d", host, (int)ntohs(in.sin_port));
  } else {
    snprintf(out, PEER_ADDRESS, "this machine");
  }
}
