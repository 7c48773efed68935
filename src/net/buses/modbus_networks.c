// Modbus on networks A and B: who a master is on both, which of its writes are one, whether a network brings
// requests, and what faults do to them. Transaction numbers are those of a connection, so the bytes of a
// write and its time tell whether the other network has brought it.
#include "net/buses/buses_internal.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

enum { COPY_MS = 500 }; // as of sentences (net/groups)

// "A=B": two numeric IPv4 addresses, host byte order.
static int read_pair(const char *word, uint32_t out[NETWORKS]) {
  char text[INET_ADDRSTRLEN];
  struct in_addr at;
  const size_t size = strcspn(word, "=");
  if (word[size] != '=' || size >= sizeof text)
    return 0;
  snprintf(text, sizeof text, "%.*s", (int)size, word);
  if (inet_pton(AF_INET, text, &at) != 1)
    return 0;
  out[0] = ntohl(at.s_addr);
  if (inet_pton(AF_INET, word + size + 1, &at) != 1)
    return 0;
  out[1] = ntohl(at.s_addr);
  return 1;
}

int modbus_masters_are_valid(const char *masters, char word[MODBUS_PAIR]) {
  uint32_t pair[NETWORKS];
  while (words_next(&masters, word, MODBUS_PAIR))
    if (!read_pair(word, pair))
      return 0;
  return 1;
}

uint32_t modbus_master_of(const struct modbus_server *server, int network, uint32_t address) {
  const char *masters = server->def.masters;
  char word[MODBUS_PAIR];
  uint32_t pair[NETWORKS];
  while (network == 1 && words_next(&masters, word, sizeof word))
    if (read_pair(word, pair) && pair[1] == address)
      return pair[0];
  return address;
}

// ------------------------------------------------------------
// Copies.

static uint64_t hash_of(const uint8_t *frame, int size) {
  return fnv1a(FNV1A_START, (const char *)frame + MODBUS_FRAME_HEADER, (size_t)(size - MODBUS_FRAME_HEADER));
}

// The newest one counts, and those before it are over: a master that changes the network loses one repetition
// at most.
const struct modbus_seen *modbus_find_copy(struct modbus_server *server,
                                           const struct modbus_connection *connection, const uint8_t *frame,
                                           int size) {
  struct modbus_client *client = &server->client[connection->client];
  struct modbus_seen *found = NULL;
  const uint64_t hash = hash_of(frame, size);
  const int64_t now_ms = clock_ms();
  for (int i = 1; i <= MODBUS_SEEN && modbus_networks(server) > 1; i++) {
    struct modbus_seen *seen = &client->seen[(client->seen_next + MODBUS_SEEN - i) % MODBUS_SEEN];
    if (!seen->at_ms || seen->network == connection->network || now_ms - seen->at_ms > COPY_MS)
      continue;
    if (found)
      seen->at_ms = 0;
    else if (seen->hash == hash)
      found = seen;
  }
  if (found) {
    found->at_ms = 0;
    server->gate->counts.buses.network[connection->network].requests_doubled++;
  }
  return found;
}

void modbus_note_write(struct modbus_server *server, const struct modbus_connection *connection,
                       const uint8_t *frame, int size, enum modbus_exception exception) {
  struct modbus_client *client = &server->client[connection->client];
  if (modbus_networks(server) < NETWORKS)
    return;
  client->seen[client->seen_next++ % MODBUS_SEEN] =
      (struct modbus_seen){clock_ms(), hash_of(frame, size), connection->network, exception};
}

// ------------------------------------------------------------
// Silence of a network.

static void note_lost(struct modbus_server *server) {
  for (int i = 0; i < NETWORKS; i++) {
    int is_lost = 0;
    for (int k = 0; k < MODBUS_CONNECTIONS; k++)
      is_lost |= server->client[k].connections > 0 && server->client[k].hearing.is_silent[i];
    server->gate->counts.buses.network[i].is_unasked = is_lost;
  }
}

static void tell(struct modbus_server *server, const struct modbus_client *client, int network, int is_lost) {
  char text[GATE_TEXT];
  snprintf(text, sizeof text,
           is_lost ? "network %s brings no requests of %s, and network %s does"
                   : "network %s brings requests of %s again",
           network_name(network), client->master.name, network_name(1 - network));
  note_lost(server);
  server->gate->on_event(server->gate->context,
                         is_lost ? EVENT_NAME(network_lost) : EVENT_NAME(network_again), text);
}

void modbus_note_request(struct modbus_server *server, const struct modbus_connection *connection) {
  struct modbus_client *client = &server->client[connection->client];
  const int network = connection->network;
  if (modbus_networks(server) < NETWORKS)
    return;
  server->gate->counts.buses.network[network].requests++;
  const int changed = network_heard(&client->hearing, network, clock_ms());
  if (changed & NETWORK_IS_BACK)
    tell(server, client, network, 0);
  if (changed & NETWORK_OTHER_LOST)
    tell(server, client, 1 - network, 1);
}

void modbus_forget_client(struct modbus_server *server, int client) {
  memset(server->client[client].hearing.is_silent, 0, sizeof server->client[client].hearing.is_silent);
  note_lost(server);
}

// ------------------------------------------------------------
// Faults. They act on whole requests and answers; what a network repeats TCP passes over.

struct later { // where a delayed message belongs
  int slot;
  uint64_t number;
};

static struct modbus_connection *connection_of(struct modbus_server *server, const void *where) {
  struct later later;
  memcpy(&later, where, sizeof later);
  struct modbus_connection *connection = &server->connection[later.slot];
  return connection->file >= 0 && connection->number == later.number ? connection : NULL;
}

static void answer_later(void *owner, const void *where, const void *data, size_t size) {
  struct modbus_server *server = owner;
  struct modbus_connection *connection = connection_of(server, where);
  if (connection && server->delivering &&
      !modbus_response(server, connection, data, (int)size, server->delivering))
    modbus_connection_close(server, connection);
}

static void send_later(void *owner, const void *where, const void *data, size_t size) {
  const struct modbus_connection *connection = connection_of(owner, where);
  if (connection) // one that does not take its answers is found by the next
    send(connection->file, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
}

int modbus_passes(struct modbus_server *server, const struct modbus_connection *connection, int is_answer,
                  const void *data, size_t size) {
  const struct later later = {(int)(connection - server->connection), connection->number};
  return !networks_act(server->networks, connection->network) ||
         networks_pass(server->networks,
                       &(struct network_message){.network = connection->network,
                                                 .direction = is_answer ? NETWORK_OUT : NETWORK_IN,
                                                 .data = data,
                                                 .size = size,
                                                 .deliver = is_answer ? send_later : answer_later,
                                                 .owner = server,
                                                 .where = &later,
                                                 .where_size = sizeof later}) > 0;
}
