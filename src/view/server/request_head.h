// The head of an HTTP/1 request, parsed strictly. No sockets, no state.
#pragma once

#include <stddef.h>

enum { HEAD_MAX = 8192, HEAD_NAME = 256, HEAD_QUERY = 512, HEAD_KEY = 24 };

enum head_result {
  HEAD_INCOMPLETE, // the empty line has not come yet
  HEAD_OK,
  HEAD_MALFORMED
};

enum head_method { HEAD_GET, HEAD_HEAD, HEAD_OTHER };

enum subprotocol { SUBPROTOCOL_NONE, SUBPROTOCOL_SDK, SUBPROTOCOL_WEBSOCKET, SUBPROTOCOL_COUNT };
const char *subprotocol_name(enum subprotocol subprotocol); // "foxglove.sdk.v1"

struct request_head {
  size_t size; // bytes, with the empty line
  enum head_method method;
  char path[HEAD_NAME];   // without the query; "": longer than any that exists
  char cookie[HEAD_NAME]; // value of the cookie asked for; "": none, or more than one
  int cookies;
  char query[HEAD_QUERY];                  // behind the question mark; "?": longer than any that is known
  int wants_notes;                         // the query is "sagbend": operations of Sagbend's own as well
  char host[HEAD_NAME], origin[HEAD_NAME]; // "": none
  int has_host, has_origin;
  int is_of_page;               // it has the field X-Sagbend, which a page of another site cannot send
  int takes_gzip;               // as the encoding of an answer
  int is_upgrade;               // to WebSocket
  int is_version_known;         // version 13
  char key[HEAD_KEY + 1];       // Sec-WebSocket-Key; "": none that is valid
  enum subprotocol subprotocol; // first of the client's list that is known
};

// cookie: name of the one whose value is wanted; NULL: none.
enum head_result request_head_parse(const char *bytes, size_t size, const char *cookie,
                                    struct request_head *out);
