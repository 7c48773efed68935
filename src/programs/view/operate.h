// The operator's orders from the page: as `sagbend ctl` reads and sends them, one at a time.
#pragma once

#include "os/files/files.h"
#include "view/server/server.h"
#include "view/server/seat.h"

struct operate;

// endpoint: of the commands. keys: of an operator; NULL: none; they must live as long as it does.
enum status operate_open(const char *endpoint, const struct client_keys *keys, struct operate **out,
                         struct reason *why);
void operate_close(struct operate *operate); // accepts NULL
struct seat *operate_seat(struct operate *operate);

// Prints where the next operator enters, once for each token.
void operate_print(struct operate *operate, const struct gateway *gateway);

// Takes an order of a client that has the seat; it hears the answer later. Returns 0 if the order before has
// no answer yet.
int operate_order(struct operate *operate, int client, char *const *words, int count, int64_t now_ms);

// Takes the answer, and tells each client whether it operates when that changes.
void operate_turn(struct operate *operate, struct gateway *gateway, int64_t now_ms);

// JSON of the orders of a session and the kinds of faults with their parameters, as sagbend/rig/rig.h and
// sagbend/rig/fault.h list them. NULL: out of memory. The caller frees it.
char *operate_menu(void);
