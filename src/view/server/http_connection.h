// One HTTP connection: reads one request, answers it, closes; or it becomes a WebSocket. The socket does not
// block.
#pragma once

#include "sagbend/base/status.h"

#include "view/server/access.h"
#include "view/server/request_head.h"
#include "view/server/seat.h"

#include <stdint.h>

enum http_state { HTTP_FREE, HTTP_READING, HTTP_WRITING, HTTP_ENDING, HTTP_UPGRADE };

struct http_connection {
  enum http_state state;
  int file;
  int64_t until_ms; // it is closed then
  int64_t moved_ms; // when something was read or written
  char head[HEAD_MAX + 1];
  size_t head_size;
  char answer[2048]; // its head, and its body if that is short
  size_t answer_size;
  const void *body;
  size_t body_size, sent;
  char *owned; // a body to free; NULL: none
  struct request_head request;
};

// What the server can answer.
struct http_site {
  struct access access;
  int is_full; // no client more
  uint64_t refused;
  size_t (*metrics)(void *context, char *out, size_t capacity); // as of struct gateway_hooks; so is the next
  enum status (*data)(void *context, const char *path, const char *query, char **out, struct reason *why);
  void *context, *data_context;
  struct seat *seat; // NULL: nobody operates
};

void http_begin(struct http_connection *c, int file, int64_t now_ms);
void http_close(struct http_connection *c);

short http_events(const struct http_connection *c); // to poll for

// Goes on as far as possible without waiting. In state HTTP_UPGRADE the caller takes the file over.
void http_work(struct http_connection *c, struct http_site *site, int64_t now_ms);

// A head with nothing in it but what the WebSocket library needs of the request. Returns its size.
enum { UPGRADE_HEAD = 768 };
size_t http_upgrade_head(const struct request_head *request, char out[UPGRADE_HEAD]);

// Whether a request comes from the page itself, with the cookie of the seat.
int http_is_operator(const struct http_site *site, const struct request_head *request);

// The answer to a request, as far as it needs no socket: fills answer, body and state.
void http_answer(struct http_connection *c, struct http_site *site);
