#include "view/server/access.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

static int is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_';
}

// The number of characters of the name in "NAME" or "NAME:PORT"; 0: neither.
static size_t name_size(const char *host) {
  size_t size = 0;
  if (*host == '[') {
    size = strspn(host + 1, "0123456789abcdefABCDEF:.") + 1;
    size += host[size] == ']' ? 1 : 0;
    if (size < 3 || host[size - 1] != ']')
      return 0;
  } else {
    while (is_name_character(host[size]))
      size++;
  }
  const char *rest = host + size;
  if (*rest == ':')
    rest += 1 + strspn(rest + 1, "0123456789");
  return *rest ? 0 : size;
}

static int is_same(const char *name, size_t size, const char *other) {
  return size == strlen(other) && strncasecmp(name, other, size) == 0;
}

int access_is_host_known(const struct access *access, const char *host) {
  size_t size = name_size(host);
  if (size == 0)
    return 0;
  if (is_same(host, size, "localhost") || is_same(host, size, "127.0.0.1") || is_same(host, size, "[::1]"))
    return 1;
  for (int i = 0; i < access->host_count; i++)
    if (is_same(host, size, access->hosts[i]))
      return 1;
  return 0;
}

int access_is_own_origin(const char *origin, const char *host) {
  const char *rest = strncasecmp(origin, "http://", 7) == 0    ? origin + 7
                     : strncasecmp(origin, "https://", 8) == 0 ? origin + 8
                                                               : NULL;
  return rest && *rest && strcasecmp(rest, host) == 0;
}

int access_is_origin_known(const struct access *access, const char *origin, const char *host) {
  if (access_is_own_origin(origin, host))
    return 1;
  for (int i = 0; i < access->origin_count; i++)
    if (strcasecmp(origin, access->origins[i]) == 0)
      return 1;
  return 0;
}

int access_host_is_valid(const char *text) {
  size_t size = name_size(text);
  return size > 0 && size == strlen(text) && size < 250;
}

int access_origin_is_valid(const char *text) {
  const char *colon = strstr(text, "://");
  if (!colon || colon == text || strlen(text) >= 250)
    return 0;
  for (const char *c = text; c < colon; c++)
    if (!is_name_character(*c) && *c != '+')
      return 0;
  return name_size(colon + 3) > 0;
}
