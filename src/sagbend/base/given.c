// What a person names: files to read, addresses, who may connect.
#define _DEFAULT_SOURCE // IFNAMSIZ
#include "sagbend/base/base.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *kind_of(mode_t mode) {
  return S_ISDIR(mode)                    ? "a directory"
         : S_ISFIFO(mode)                 ? "a FIFO"
         : S_ISSOCK(mode)                 ? "a socket"
         : S_ISCHR(mode) || S_ISBLK(mode) ? "a device"
                                          : "something else";
}

static enum status check(const struct stat *found, uint64_t largest_bytes, struct reason *why) {
  if (!S_ISREG(found->st_mode))
    return fail(why, STATUS_BAD_INPUT, "a regular file expected, got %s", kind_of(found->st_mode));
  if ((uint64_t)found->st_size > largest_bytes)
    return fail(why, STATUS_BAD_INPUT, "a file of at most %" PRIu64 " bytes expected, got %" PRIu64,
                largest_bytes, (uint64_t)found->st_size);
  return STATUS_OK;
}

enum status regular_file_open(const char *path, uint64_t largest_bytes, struct regular_file *out,
                              struct reason *why) {
  struct stat found;
  *out = (struct regular_file){.descriptor = -1};
  if (stat(path, &found))
    return fail(why, STATUS_BAD_INPUT, "%s", strerror(errno));
  if (check(&found, largest_bytes, why) != STATUS_OK) // before opening, which can act on a device
    return STATUS_BAD_INPUT;

  int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0 || fstat(file, &found)) {
    fail(why, STATUS_BAD_INPUT, "%s", strerror(errno));
  } else if (check(&found, largest_bytes, why) == STATUS_OK) { // the path may name another file by now
    *out = (struct regular_file){file, (uint64_t)found.st_size, (found.st_mode & S_IROTH) != 0};
    return STATUS_OK;
  }

  if (file >= 0)
    close(file);
  return STATUS_BAD_INPUT;
}

static const size_t STREAM_FIRST_BYTES = 1 << 14;

char *stream_read(FILE *file, size_t largest, size_t *size) {
  size_t room = STREAM_FIRST_BYTES;
  char *text = NULL;
  *size = 0;
  for (;;) {
    char *more = realloc(text, room + 1);
    if (!more)
      break;
    text = more;
    *size += fread(text + *size, 1, room - *size, file);
    if (*size < room || *size > largest) {
      text[*size] = '\0';
      return text;
    }
    room *= 2;
  }

  free(text);
  errno = ENOMEM;
  return NULL;
}

// ------------------------------------------------------------
enum { LARGEST_PORT = 65535 };

const char *network_name(int network) {
  static const char *const names[NETWORKS] = {"A", "B"};
  return (unsigned)network < NETWORKS ? names[network] : NULL;
}

int endpoint_port(const char *digits) {
  size_t length = strlen(digits);
  if (length == 0 || length > 5 || strspn(digits, "0123456789") != length)
    return -1;
  int port = atoi(digits);
  return port <= LARGEST_PORT ? port : -1;
}

static enum status read_path(const char *text, const char *path, struct endpoint_parts *out,
                             struct reason *why) {
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

enum status endpoint_read(const char *text, enum endpoint_use use, struct endpoint_parts *out,
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
  if (length < ENDPOINT_HOST)
    memcpy(out->host, text + 6, length);
  if (!is_host(out->host, use))
    return fail(why, STATUS_BAD_INPUT, "HOST: %s expected, got '%s'",
                use == ENDPOINT_LISTEN ? "*, an IPv4 address, localhost or a network interface"
                                       : "an IPv4 address or a name",
                text);
  int any_port = use == ENDPOINT_LISTEN && strcmp(colon + 1, "*") == 0;
  out->port = any_port ? 0 : endpoint_port(colon + 1);
  if (out->port < (use == ENDPOINT_CONNECT))
    return fail(why, STATUS_BAD_INPUT, "PORT: %s to %d expected, got '%s'",
                use == ENDPOINT_CONNECT ? "1" : "* or 0", LARGEST_PORT, text);
  return STATUS_OK;
}

enum status endpoint_check(const char *text, enum endpoint_use use, struct reason *why) {
  struct endpoint_parts parts;
  return endpoint_read(text, use, &parts, why);
}

// ------------------------------------------------------------
struct network {
  uint32_t address, mask; // host byte order
};

// Parses "10.0.0.5", "10.0.0.0/24" or "any".
static int parse(const char *word, struct network *out) {
  char text[64];
  struct in_addr address;
  long bits = 32;
  if (strcmp(word, "any") == 0) {
    *out = (struct network){0, 0};
    return 1;
  }
  if (strlen(word) >= sizeof text)
    return 0;
  strcpy(text, word);
  char *slash = strchr(text, '/');
  if (slash) {
    char *end;
    *slash = 0;
    if (!slash[1] || strspn(slash + 1, "0123456789") != strlen(slash + 1))
      return 0;
    bits = strtol(slash + 1, &end, 10);
  }
  if (inet_pton(AF_INET, text, &address) != 1 || bits > 32)
    return 0;
  out->mask = bits == 0 ? 0 : UINT32_MAX << (32 - bits);
  out->address = ntohl(address.s_addr) & out->mask;
  return 1;
}

int clients_are_valid(const char *list) {
  char word[64];
  struct network network;
  int count = 0;
  for (; words_next(&list, word, sizeof word); count++)
    if (!parse(word, &network))
      return 0;
  return count > 0;
}

int clients_admit(const char *list, uint32_t address) {
  char word[64];
  struct network network;
  if (address >> 24 == 127)
    return 1;
  while (words_next(&list, word, sizeof word))
    if (parse(word, &network) && (address & network.mask) == network.address)
      return 1;
  return 0;
}
