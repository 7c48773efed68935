#include "view/server/request_head.h"

#include <string.h>
#include <strings.h>

const char *subprotocol_name(enum subprotocol subprotocol) {
  static const char *const names[SUBPROTOCOL_COUNT] = {"", "foxglove.sdk.v1", "foxglove.websocket.v1"};
  return (unsigned)subprotocol < SUBPROTOCOL_COUNT ? names[subprotocol] : "";
}

// A part of the head.
struct span {
  const char *at;
  size_t size;
};

static int is_equal(struct span s, const char *text) {
  return s.size == strlen(text) && strncasecmp(s.at, text, s.size) == 0;
}

static struct span trimmed(struct span s) {
  while (s.size > 0 && (*s.at == ' ' || *s.at == '\t'))
    s.at++, s.size--;
  while (s.size > 0 && (s.at[s.size - 1] == ' ' || s.at[s.size - 1] == '\t'))
    s.size--;
  return s;
}

static int is_token(struct span s) {
  for (size_t i = 0; i < s.size; i++) {
    char c = s.at[i];
    int is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!is_letter && (c == '\0' || !strchr("!#$%&'*+-.^_`|~", c)))
      return 0;
  }
  return s.size > 0;
}

static int is_printable(struct span s) {
  for (size_t i = 0; i < s.size; i++)
    if (((unsigned char)s.at[i] < 0x20 && s.at[i] != '\t') || s.at[i] == 0x7f)
      return 0;
  return 1;
}

// What stands before the separator; *rest begins behind it.
static struct span cut(struct span *rest, char separator) {
  const char *end = memchr(rest->at, separator, rest->size);
  struct span part = {rest->at, end ? (size_t)(end - rest->at) : rest->size};
  size_t taken = part.size + (end != NULL);
  rest->at += taken;
  rest->size -= taken;
  return part;
}

static int is_listed(struct span list, const char *word) {
  while (list.size > 0)
    if (is_equal(trimmed(cut(&list, ',')), word))
      return 1;
  return 0;
}

// The weight of an entry of a list is 0: "q=0", "q=0.000".
static int is_weight_zero(struct span weight) {
  if (weight.size < 3 || (*weight.at != 'q' && *weight.at != 'Q') || weight.at[1] != '=')
    return 0;
  for (size_t i = 2; i < weight.size; i++)
    if (weight.at[i] != '0' && weight.at[i] != '.')
      return 0;
  return 1;
}

// Whether "gzip" stands in a list of encodings, and not with the weight 0.
static int is_gzip_listed(struct span list) {
  while (list.size > 0) {
    struct span weight = cut(&list, ','), name = cut(&weight, ';');
    if (is_equal(trimmed(name), "gzip"))
      return !is_weight_zero(trimmed(weight));
  }
  return 0;
}

static enum subprotocol first_known(struct span list) {
  while (list.size > 0) {
    struct span name = trimmed(cut(&list, ','));
    for (int p = SUBPROTOCOL_SDK; p < SUBPROTOCOL_COUNT; p++)
      if (name.size == strlen(subprotocol_name(p)) && !memcmp(name.at, subprotocol_name(p), name.size))
        return (enum subprotocol)p;
  }
  return SUBPROTOCOL_NONE;
}

// Copies a value that fits; a longer one leaves "?", which no allowed name equals.
static void keep_in(struct span value, char *out, size_t room) {
  int fits = value.size < room;
  memcpy(out, fits ? value.at : "?", fits ? value.size : 1);
  out[fits ? value.size : 1] = '\0';
}

static void keep(struct span value, char out[HEAD_NAME]) {
  keep_in(value, out, HEAD_NAME);
}

// A request with two of them has none: who sets a second one does not choose.
static void keep_cookie(struct span list, const char *name, struct request_head *out) {
  while (list.size > 0) {
    struct span value = trimmed(cut(&list, ';')), own = cut(&value, '=');
    if (own.size != strlen(name) || memcmp(own.at, name, own.size) != 0)
      continue;
    keep(value, out->cookie);
    if (out->cookies++)
      *out->cookie = '\0';
  }
}

// 16 bytes in base64.
static void keep_key(struct span value, char out[HEAD_KEY + 1]) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  *out = '\0';
  if (value.size != HEAD_KEY || value.at[22] != '=' || value.at[23] != '=')
    return;
  for (int i = 0; i < 22; i++)
    if (value.at[i] == '\0' || !strchr(digits, value.at[i]))
      return;
  memcpy(out, value.at, HEAD_KEY);
  out[HEAD_KEY] = '\0';
}

struct seen {
  const char *cookie; // its name
  int upgrade, connection, key, version, protocol;
};

// Returns 0 if the field must not stand in a request that this server takes.
static int take_field(struct span name, struct span value, struct request_head *out, struct seen *seen) {
  if (is_equal(name, "Host")) {
    keep(value, out->host);
    return out->has_host++ == 0;
  }
  if (is_equal(name, "Origin")) {
    keep(value, out->origin);
    return out->has_origin++ == 0;
  }
  if (is_equal(name, "Cookie") && seen->cookie)
    keep_cookie(value, seen->cookie, out);
  else if (is_equal(name, "X-Sagbend"))
    out->is_of_page = 1;
  else if (is_equal(name, "Accept-Encoding"))
    out->takes_gzip |= is_gzip_listed(value);
  else if (is_equal(name, "Upgrade"))
    seen->upgrade |= is_listed(value, "websocket");
  else if (is_equal(name, "Connection"))
    seen->connection |= is_listed(value, "upgrade");
  else if (is_equal(name, "Sec-WebSocket-Version")) {
    out->is_version_known = is_equal(value, "13");
    return seen->version++ == 0;
  } else if (is_equal(name, "Sec-WebSocket-Key")) {
    keep_key(value, out->key);
    return seen->key++ == 0;
  } else if (is_equal(name, "Sec-WebSocket-Protocol") && out->subprotocol == SUBPROTOCOL_NONE)
    out->subprotocol = first_known(value);
  return 1;
}

static int take_request_line(struct span line, struct request_head *out) {
  struct span method = cut(&line, ' '), target = cut(&line, ' ');
  if (!is_token(method) || target.size == 0 || memchr(line.at, ' ', line.size) ||
      (!is_equal(line, "HTTP/1.1") && !is_equal(line, "HTTP/1.0")))
    return 0;
  for (size_t i = 0; i < target.size; i++)
    if ((unsigned char)target.at[i] <= 0x20 || (unsigned char)target.at[i] >= 0x7f)
      return 0;
  out->method = is_equal(method, "GET") ? HEAD_GET : is_equal(method, "HEAD") ? HEAD_HEAD : HEAD_OTHER;
  struct span path = cut(&target, '?');
  keep(path, out->path);
  keep_in(target, out->query, HEAD_QUERY);
  out->wants_notes = is_equal(target, "sagbend");
  return 1;
}

// The next line without its end. Returns 0 if it does not end with CR LF or contains a CR.
static int take_line(struct span *rest, struct span *line) {
  *line = cut(rest, '\n');
  if (line->size == 0 || line->at[line->size - 1] != '\r')
    return 0;
  line->size--;
  return is_printable(*line);
}

enum head_result request_head_parse(const char *bytes, size_t size, const char *cookie,
                                    struct request_head *out) {
  struct seen seen = {.cookie = cookie};
  struct span line, rest = {bytes, size};
  size_t end = 0;
  memset(out, 0, sizeof *out);
  while (end + 4 <= size && memcmp(bytes + end, "\r\n\r\n", 4) != 0)
    end++;
  if (end + 4 > size)
    return HEAD_INCOMPLETE;
  out->size = end + 4;
  rest.size = end + 2;
  if (!take_line(&rest, &line) || !take_request_line(line, out))
    return HEAD_MALFORMED;
  while (rest.size > 0) {
    if (!take_line(&rest, &line) || !memchr(line.at, ':', line.size))
      return HEAD_MALFORMED;
    struct span name = cut(&line, ':');
    if (!is_token(name) || !take_field(name, trimmed(line), out, &seen))
      return HEAD_MALFORMED;
  }
  out->is_upgrade = seen.upgrade && seen.connection;
  return HEAD_OK;
}
