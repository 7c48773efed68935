#include "view/server/server_internal.h"

#include <string.h>

void received_join(struct gateway *g, int client) {
  struct client *c = &g->client[client];
  client_clear(c);
  client_greet(c, g->info, g->advertise);
  if (g->socket[client].wants_notes)
    for (int i = 0; i < NOTE_COUNT; i++)
      parcel_replace(&c->note[i], parcel_share(g->note[i]));
  c->has_time = g->has_time;
  c->time_ns = g->time_ns;
  g->counts.joined++;
  g->counts.clients++;
  if (g->hooks.joined)
    g->hooks.joined(g->hooks.context, client);
}

void received_leave(struct gateway *g, int client) {
  g->counts.dropped += g->client[client].dropped;
  g->counts.clients--;
  if (g->hooks.left)
    g->hooks.left(g->hooks.context, client);
  client_clear(&g->client[client]);
}

static void blame(struct gateway *g, int client, const char *text) {
  g->counts.received_bad++;
  client_blame(&g->client[client], text);
}

static void subscribe(struct gateway *g, int client, const struct page_operation *o) {
  struct client *c = &g->client[client];
  for (int i = 0; i < o->count; i++) {
    struct reason why = {""};
    if (client_subscribe(c, o->entry[i].id, o->entry[i].channel, g->channel_count, &why) != STATUS_OK) {
      blame(g, client, why.text);
      continue;
    }
    int channel = (int)o->entry[i].channel - 1;
    history_offer(&g->history, channel, c, g->now_ms);
    if (g->hooks.subscribed)
      g->hooks.subscribed(g->hooks.context, client, channel);
  }
}

static void unsubscribe(struct client *c, const struct page_operation *o) {
  for (int i = 0; i < o->count; i++) // one of the session before may have been replaced since
    if (!client_unsubscribe(c, o->entry[i].id))
      client_say(c, LEVEL_WARNING, "unsubscribe: there is no such subscription");
}

static void order(struct gateway *g, int client, struct page_operation *o) {
  char *words[ORDER_WORDS];
  if (!g->hooks.order || !gateway_is_operator(g, client)) {
    blame(g, client, "sagbendOrder: this client observes only");
    return;
  }
  for (int i = 0; i < o->count; i++)
    words[i] = o->word[i];
  if (!g->hooks.order(g->hooks.context, client, words, o->count))
    blame(g, client, "sagbendOrder: not sent, the order before has no answer yet");
}

void received_text(struct gateway *g, int client, const char *text, size_t size) {
  struct page_operation operation;
  struct reason why = {""};
  if (g->client[client].is_closing)
    return;
  operation_parse(text, size, &operation, &why);
  if (operation.kind == OPERATION_SUBSCRIBE)
    subscribe(g, client, &operation);
  else if (operation.kind == OPERATION_UNSUBSCRIBE)
    unsubscribe(&g->client[client], &operation);
  else if (operation.kind == OPERATION_BAD)
    blame(g, client, why.text);
  else if (operation.kind == OPERATION_ORDER)
    order(g, client, &operation);
  else if (!g->hooks.play)
    blame(g, client, "sagbendPlayback: this is not a log");
  else
    g->hooks.play(g->hooks.context, client, &operation.play);
}
