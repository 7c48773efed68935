// One HTTP connection: the head of the request, the answer, the files of the page.
#include "view/server/server_internal.h"

#include "sagbend/v1/header.pb-c.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

// ------------------------------------------------------------
// ------------------------------------------------------------
#include "view/page/page_files.h"

enum { METRICS_BYTES = 1 << 18 };

static const char NO_PAGE[] =
    "sagbend-view was built without its page (npm was missing). It serves the live data to clients of the "
    "Foxglove WebSocket protocol, at this address.\n";

static const char PACKED[] = "Content-Encoding: gzip\r\nVary: Accept-Encoding\r\n";

// more: further fields, each with its line end.
static void begin(struct http_connection *c, int status, const char *name, const char *more, const char *type,
                  const void *body, size_t size) {
  // The page loads nothing from elsewhere, and no other page frames it or reads it. Its own socket is named
  // as well, because some browsers do not count it as 'self'. The host has been checked. Its instruments set
  // style attributes, which run nothing.
  int used = snprintf(
      c->answer, sizeof c->answer,
      "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\nCache-Control: "
      "no-cache\r\n"
      "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
      "style-src-attr 'unsafe-inline'; img-src 'self' data:; "
      "font-src 'self'; connect-src 'self'%s%s; base-uri 'none'; form-action 'none'; frame-ancestors "
      "'none'\r\n"
      "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n"
      "Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\n"
      "Permissions-Policy: camera=(), geolocation=(), microphone=()\r\n%s\r\n",
      status, name, type, size, status == 200 ? " ws://" : "", status == 200 ? c->request.host : "", more);
  c->answer_size = (size_t)used;
  c->body = body;
  c->body_size = c->request.method == HEAD_HEAD ? 0 : size;
  c->state = HTTP_WRITING;
}

static void refuse(struct http_connection *c, struct http_site *site, int status, const char *name,
                   const char *text) {
  const char *more = status == 405   ? "Allow: GET, HEAD\r\n"
                     : status == 426 ? "Sec-WebSocket-Version: 13\r\n"
                                     : "";
  site->refused++;
  begin(c, status, name, more, "text/plain; charset=utf-8", text, strlen(text));
}

static void answer_metrics(struct http_connection *c, struct http_site *site) {
  c->owned = malloc(METRICS_BYTES);
  if (!c->owned) {
    refuse(c, site, 503, "Service Unavailable", "out of memory\n");
    return;
  }
  size_t size = site->metrics(site->context, c->owned, METRICS_BYTES);
  begin(c, 200, "OK", "", "text/plain; version=0.0.4; charset=utf-8", c->owned, size);
}

// A picture or a link on a page of another site asks without an origin; the answer is not for it, but what it
// costs would be. It cannot send a field of its own.
static int is_costly(const char *name) {
  return !strcmp(name, "capability"); // seconds of a processor
}

// Returns 0 if there is no such data.
static int answer_data(struct http_connection *c, struct http_site *site, const char *name) {
  struct reason why = {""};
  enum status status =
      site->data ? site->data(site->data_context, name, c->request.query, &c->owned, &why) : STATUS_OK;
  if (c->owned)
    begin(c, 200, "OK", "", "application/json", c->owned, strlen(c->owned));
  else if (status == STATUS_BAD_INPUT)
    refuse(c, site, 400, "Bad Request", "the query is not valid: see docs/view.md\n");
  else if (status != STATUS_OK)
    refuse(c, site, 503, "Service Unavailable", "out of memory\n");
  return status != STATUS_OK || c->owned;
}

// The address that the console prints. A page of another site does not know the token; one that frames this
// or fetches it gets no further either, since the cookie is SameSite=Strict.
static void answer_seat(struct http_connection *c, struct http_site *site) {
  char more[240];
  int is_token = !strncmp(c->request.query, "token=", 6) && !c->request.has_origin;
  if (c->request.method != HEAD_GET || !is_token || !seat_take(site->seat, c->request.query + 6)) {
    refuse(c, site, 403, "Forbidden",
           "this token is not valid: each is good for one browser, and the console of sagbend-view has "
           "printed the "
           "next one\n");
    return;
  }
  snprintf(more, sizeof more, "Location: /\r\nSet-Cookie: %s=%s; HttpOnly; SameSite=Strict; Path=/\r\n",
           site->seat->name, site->seat->cookie);
  begin(c, 303, "See Other", more, "text/plain; charset=utf-8", "", 0);
}

static void answer_file(struct http_connection *c, struct http_site *site) {
  const char *name = c->request.path[0] == '/' ? c->request.path + 1 : "?";
  if (!*name)
    name = "index.html";
  if (!strcmp(name, "metrics") && site->metrics) {
    answer_metrics(c, site);
    return;
  }
  if (!strcmp(name, "operate") && site->seat) {
    answer_seat(c, site);
    return;
  }
  if (is_costly(name) && !c->request.is_of_page) {
    refuse(c, site, 403, "Forbidden",
           "this is computed for the page itself: a request with the field 'X-Sagbend: 1' expected\n");
    return;
  }
  if (answer_data(c, site, name))
    return;
  for (size_t i = 0; i < page_file_count; i++)
    if (!strcmp(page_files[i].name, name)) {
      const struct page_file *f = &page_files[i];
      if (f->packed && c->request.takes_gzip)
        begin(c, 200, "OK", PACKED, f->type, f->packed, f->packed_size);
      else
        begin(c, 200, "OK", f->packed ? "Vary: Accept-Encoding\r\n" : "", f->type, f->bytes, f->size);
      return;
    }
  if (page_file_count == 0 && !strcmp(c->request.path, "/"))
    begin(c, 200, "OK", "", "text/plain; charset=utf-8", NO_PAGE, sizeof NO_PAGE - 1);
  else
    refuse(c, site, 404, "Not Found", "there is nothing at this path\n");
}

int http_is_operator(const struct http_site *site, const struct request_head *request) {
  return site->seat && request->has_origin && access_is_own_origin(request->origin, request->host) &&
         seat_is_held(site->seat, request->cookie);
}

static void answer_upgrade(struct http_connection *c, struct http_site *site) {
  const struct request_head *r = &c->request;
  if (r->method != HEAD_GET)
    refuse(c, site, 405, "Method Not Allowed", "GET expected\n");
  else if (strcmp(r->path, "/") != 0)
    refuse(c, site, 404, "Not Found", "the WebSocket is at /\n");
  else if (!r->is_version_known)
    refuse(c, site, 426, "Upgrade Required", "version 13 of the WebSocket protocol expected\n");
  else if (!*r->key || c->head_size != r->size)
    refuse(c, site, 400, "Bad Request", "this is not a WebSocket handshake\n");
  else if (r->subprotocol == SUBPROTOCOL_NONE)
    refuse(c, site, 400, "Bad Request", "subprotocol foxglove.sdk.v1 or foxglove.websocket.v1 expected\n");
  else if (site->is_full && !http_is_operator(site, r))
    refuse(c, site, 503, "Service Unavailable", "there are as many clients as are permitted\n");
  else
    c->state = HTTP_UPGRADE;
}

void http_response(struct http_connection *c, struct http_site *site) {
  const struct request_head *r = &c->request;
  enum head_result result =
      request_head_parse(c->head, c->head_size, site->seat ? site->seat->name : NULL, &c->request);
  if (result == HEAD_INCOMPLETE && c->head_size < HEAD_MAX)
    return;
  if (result == HEAD_INCOMPLETE)
    refuse(c, site, 431, "Request Header Fields Too Large", "the head of the request is too long\n");
  else if (result == HEAD_MALFORMED)
    refuse(c, site, 400, "Bad Request", "this is not an HTTP request that this server takes\n");
  else if (!access_is_host_known(&site->access, r->host))
    refuse(c, site, 403, "Forbidden",
           "this name of the server is not known: see sagbend-view --allow-host\n");
  else if (r->has_origin && !access_is_origin_known(&site->access, r->origin, r->host))
    refuse(c, site, 403, "Forbidden",
           "pages of this origin may not connect: see sagbend-view --allow-origin\n");
  else if (r->is_upgrade)
    answer_upgrade(c, site);
  else if (r->method == HEAD_OTHER)
    refuse(c, site, 405, "Method Not Allowed", "GET expected\n");
  else
    answer_file(c, site);
}

static const char *subprotocol_name(enum subprotocol subprotocol);

size_t http_upgrade_head(const struct request_head *request, char out[UPGRADE_HEAD]) {
  int size =
      snprintf(out, UPGRADE_HEAD,
               "GET / HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
               "Sec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: %s\r\n\r\n",
               request->host, request->key, subprotocol_name(request->subprotocol));
  return (size_t)size;
}

// ------------------------------------------------------------
enum { READ_MS = 10000, WRITE_MS = 30000, END_MS = 2000 };

void http_begin(struct http_connection *c, int file, int64_t now_ms) {
  memset(c, 0, sizeof *c);
  c->file = file;
  c->state = HTTP_READING;
  c->until_ms = now_ms + READ_MS;
  c->moved_ms = now_ms;
}

void http_close(struct http_connection *c) {
  if (c->state == HTTP_FREE)
    return;
  if (c->state != HTTP_UPGRADE)
    close(c->file);
  free(c->owned);
  c->owned = NULL;
  c->state = HTTP_FREE;
}

short http_events(const struct http_connection *c) {
  return c->state == HTTP_WRITING ? POLLOUT : POLLIN;
}

static int is_to_try_later(void) {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

static void read_head(struct http_connection *c, struct http_site *site, int64_t now_ms) {
  ssize_t count = recv(c->file, c->head + c->head_size, HEAD_MAX - c->head_size, 0);
  if (count == 0 || (count < 0 && !is_to_try_later())) {
    http_close(c);
    return;
  }
  c->head_size += count > 0 ? (size_t)count : 0;
  c->moved_ms = count > 0 ? now_ms : c->moved_ms;
  http_response(c, site);
  if (c->state == HTTP_WRITING)
    c->until_ms = now_ms + WRITE_MS;
}

static void write_answer(struct http_connection *c, int64_t now_ms) {
  while (c->sent < c->answer_size + c->body_size) {
    int is_head = c->sent < c->answer_size;
    const char *at = is_head ? c->answer + c->sent : (const char *)c->body + (c->sent - c->answer_size);
    size_t size = is_head ? c->answer_size - c->sent : c->answer_size + c->body_size - c->sent;
    ssize_t count = send(c->file, at, size, MSG_NOSIGNAL);
    if (count < 0 && is_to_try_later())
      return;
    if (count <= 0) {
      http_close(c);
      return;
    }
    c->sent += (size_t)count;
    c->moved_ms = now_ms;
  }
  // What still comes is read, so that the system does not discard the answer.
  shutdown(c->file, SHUT_WR);
  c->state = HTTP_ENDING;
  c->until_ms = now_ms + END_MS;
}

static void read_rest(struct http_connection *c) {
  char rest[4096];
  ssize_t count = recv(c->file, rest, sizeof rest, 0);
  if (count == 0 || (count < 0 && !is_to_try_later()))
    http_close(c);
}

void http_work(struct http_connection *c, struct http_site *site, int64_t now_ms) {
  if (c->state == HTTP_READING)
    read_head(c, site, now_ms);
  if (c->state == HTTP_WRITING)
    write_answer(c, now_ms);
  else if (c->state == HTTP_ENDING)
    read_rest(c);
  if (now_ms >= c->until_ms && c->state != HTTP_UPGRADE)
    http_close(c);
}

// ------------------------------------------------------------
static const char *subprotocol_name(enum subprotocol subprotocol) {
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
  const char *cookie; // name of the cookie
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
