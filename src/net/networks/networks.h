// What faults do to the two networks of a ship: messages are lost, come later, again, or not at all. They act
// between the sockets and what reads and writes them, on each network by itself, and never on the physics.
#pragma once

#include "sagbend/base/base.h"
#include "sagbend/faults/faults.h"

#include <stddef.h>
#include <stdint.h>

struct networks;

// seed: of what is lost by chance. NULL: out of memory. Release with networks_close.
struct networks *networks_open(uint64_t seed);
void networks_close(struct networks *networks); // accepts NULL

// The faults that are active now.
void networks_take_faults(struct networks *networks, const struct fault_set *faults);

enum network_direction { NETWORK_OUT, NETWORK_IN };
enum { NETWORK_WHERE = 256 }; // bytes of a place

// A message on its way by a network (0: A). What comes later is copied, and given to deliver with its place.
struct network_message {
  int network;
  enum network_direction direction;
  const void *data;
  size_t size;
  void (*deliver)(void *owner, const void *where, const void *data, size_t size);
  void *owner;
  const void *where; // at most NETWORK_WHERE bytes
  size_t where_size;
};

// How often a message passes at once: 1; 2: the network repeats it; 0: it is lost, or comes later. NULL
// networks: 1.
int networks_pass(struct networks *networks, const struct network_message *message);

// Whether a fault acts on this network. Accepts NULL networks.
int networks_act(const struct networks *networks, int network);

// Delivers the messages of this owner that are due. Accepts NULL networks.
void networks_deliver(struct networks *networks, const void *owner);
// Forgets those that wait for this owner, which ends.
void networks_forget(struct networks *networks, const void *owner);

// Datagrams a second of a storm on a network; 0: none.
double networks_storm_hz(const struct networks *networks, int network);

// When one sender was heard by each network. A network is silent where it has brought nothing of that sender
// for NETWORK_SILENT_MS and the other one has brought NETWORK_SILENT_MESSAGES meanwhile.
enum { NETWORK_SILENT_MS = 500, NETWORK_SILENT_MESSAGES = 3 };
struct network_hearing {
  int64_t heard_ms[NETWORKS]; // 0: none has come, and it is not waited for
  uint64_t behind[NETWORKS];  // messages that the other one has brought since
  int is_silent[NETWORKS];
};
enum { NETWORK_IS_BACK = 1, NETWORK_OTHER_LOST = 2 };
// A message has come by this network. Returns the sum of what has changed: the network is back, the other one
// has fallen silent.
int network_heard(struct network_hearing *hearing, int network, int64_t now_ms);

struct networks_counts { // of messages, by faults
  uint64_t lost, delayed, repeated;
};
struct networks_counts networks_counts(const struct networks *networks, int network);
