#include "view/server/http_connection.h"

#include "view/page/page_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void http_answer(struct http_connection *c, struct http_site *site) {
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

size_t http_upgrade_head(const struct request_head *request, char out[UPGRADE_HEAD]) {
  int size =
      snprintf(out, UPGRADE_HEAD,
               "GET / HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
               "Sec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: %s\r\n\r\n",
               request->host, request->key, subprotocol_name(request->subprotocol));
  return (size_t)size;
}
