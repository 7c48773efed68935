// What a client asks in a text message. No sockets, no state.
#pragma once

#include "view/server/server.h"

enum operation_kind {
  OPERATION_BAD, // why states what is wrong
  OPERATION_SUBSCRIBE,
  OPERATION_UNSUBSCRIBE,
  OPERATION_PLAY,
  OPERATION_ORDER
};

enum { OPERATION_ENTRIES = 2 * GATEWAY_CHANNELS };

struct page_operation {
  enum operation_kind kind;
  int count; // subscriptions
  struct {
    uint32_t id, channel; // id: chosen by the client; channel: as advertised (unsubscribe: not given)
  } entry[OPERATION_ENTRIES];
  struct view_playback play;
  char word[ORDER_WORDS][ORDER_WORD]; // count: their number
};

// text needs no final zero. why is written if the kind is OPERATION_BAD.
void operation_parse(const char *text, size_t size, struct page_operation *out, struct reason *why);
