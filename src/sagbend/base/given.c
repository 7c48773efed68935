#define _DEFAULT_SOURCE // IFNAMSIZ
#include "sagbend/base/endpoint_text.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_PORT = 65535 };

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
  struct endpoint_parts parts;
  return endpoint_read(text, use, &parts, why);
}
