#define _DEFAULT_SOURCE // struct ifreq
#include "io/net/endpoint.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/sock_diag.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 1024, LARGEST_PORT = 65535, HOST_SIZE = 100 };

struct parts { // of an endpoint
  int is_ipc;
  char path[sizeof((struct sockaddr_un *)0)->sun_path]; // of ipc; with @ first it is an abstract name, not a
                                                        // file
  char host[HOST_SIZE];
  int port; // 0: the system chooses
};

int endpoint_port(const char *digits) {
  size_t length = strlen(digits);
  if (length == 0 || length > 5 || strspn(digits, "0123456789") != length)
    return -1;
  int port = atoi(digits);
  return port <= LARGEST_PORT ? port : -1;
}

static enum status read_path(const char *text, const char *path, struct parts *out, struct reason *why) {
  if (!*path || strcmp(path, "*") == 0 || strcmp(path, "@") == 0)
    return fail(why, STATUS_BAD_INPUT, "ipc://PATH expected, got '%s'", text);
  if (strlen(path) >= sizeof out->path)
    return fail(why, STATUS_BAD_INPUT, "a path of at most %zu bytes expected in ipc://PATH, got %zu",
                sizeof out->path - 1, strlen(path));
  strcpy(out->path, path);
  out->is_ipc = 1;
  return STATUS_OK;
}

static int is_host(const char *host, enum endpoint_use use) {
  static const char *const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  struct in_addr address;
  size_t length = strlen(host);
  if (strcmp(host, "*") == 0)
    return use == ENDPOINT_LISTEN;
  if (!length || strspn(host, letters) != length || strchr(".-", host[0]))
    return 0;
  if (strspn(host, "0123456789.") == length) // digits and dots are an address, never a name
    return inet_pton(AF_INET, host, &address) == 1;
  return use == ENDPOINT_CONNECT || strcmp(host, "localhost") == 0 || length < IFNAMSIZ;
}

static enum status read_parts(const char *text, enum endpoint_use use, struct parts *out,
                              struct reason *why) {
  memset(out, 0, sizeof *out);
  if (strlen(text) >= ENDPOINT_TEXT)
    return fail(why, STATUS_BAD_INPUT, "at most %d characters expected, got %zu", ENDPOINT_TEXT - 1,
                strlen(text));
  if (strncmp(text, "ipc://", 6) == 0)
    return read_path(text, text + 6, out, why);
  const char *colon = strrchr(text, ':');
  if (strncmp(text, "tcp://", 6) != 0 || colon < text + 6)
    return fail(why, STATUS_BAD_INPUT, "tcp://HOST:PORT or ipc://PATH expected, got '%s'", text);
  size_t length = (size_t)(colon - (text + 6));
  if (length < HOST_SIZE)
    memcpy(out->host, text + 6, length);
  if (!is_host(out->host, use))
    return fail(why, STATUS_BAD_INPUT, "%s expected as HOST, got '%s'",
                use == ENDPOINT_LISTEN ? "*, an IPv4 address, localhost or a network interface"
                                       : "an IPv4 address or a name",
                text);
  int any_port = use == ENDPOINT_LISTEN && strcmp(colon + 1, "*") == 0;
  out->port = any_port ? 0 : endpoint_port(colon + 1);
  if (out->port < (use == ENDPOINT_CONNECT))
    return fail(why, STATUS_BAD_INPUT, "%s to %d expected as PORT, got '%s'",
                use == ENDPOINT_CONNECT ? "1" : "* or 0", LARGEST_PORT, text);
  return STATUS_OK;
}

enum status endpoint_check(const char *text, enum endpoint_use use, struct reason *why) {
  struct parts parts;
  return read_parts(text, use, &parts, why);
}

// STATUS_OK if the path is free (*exists is 0) or holds a socket; otherwise why names what is there.
static enum status inspect_path(const char *path, int *exists, struct reason *why) {
  struct stat at;
  *exists = path[0] != '@' && lstat(path, &at) == 0;
  if (!*exists || S_ISSOCK(at.st_mode))
    return STATUS_OK;
  return fail(why, STATUS_BAD_INPUT, "ipc://%s: a free path or a socket expected, but there is %s", path,
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

static enum status open_ipc(const struct parts *parts, struct listener *out, struct reason *why) {
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
  struct parts parts;
  struct in_addr address;
  int exists;
  enum status status = read_parts(text, ENDPOINT_LISTEN, &parts, why);
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
  struct parts parts;
  struct in_addr address;
  if (read_parts(text, ENDPOINT_LISTEN, &parts, NULL) != STATUS_OK)
    return 0;
  if (parts.is_ipc)
    return 1;
  int file = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  int is_local = file >= 0 && resolve(file, parts.host, &address) && is_loopback(address);
  if (file >= 0)
    close(file);
  return is_local;
}

static enum status open_tcp(const struct parts *parts, const char *text, struct listener *out,
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
  struct parts parts;
  *out = (struct listener){.file = -1};
  enum status status = read_parts(text, ENDPOINT_LISTEN, &parts, why);
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
