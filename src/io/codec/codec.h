// The messages of proto/sagbend/v1 as plain structs: packed into buffers of the caller's, and unpacked with
// every field checked. No sockets, no allocation.
#pragma once

#include "control/dp.h"
#include "core/base/status.h"
#include "core/signals/command.h"
#include "core/sim/sim.h"
#include "hil/frame.h"
#include "hil/names.h"
#include "hil/refusal.h"
#include "hil/run_mode.h"
#include "io/codec/wire_check.h"

#include <stddef.h>
#include <stdint.h>

enum {
  WIRE_PROTOCOL = 1,
  WIRE_MAX_ENVELOPE = 8192, // bytes; a longer one is malformed
  WIRE_MAX_PLAIN = 8192,    // bytes of any published message but the nodes
  WIRE_NODE_COLUMNS = 15,   // numbers that Nodes says of a node
  WIRE_NAME = 64            // bytes of session, controller_id, name with their final zero
};

// PLAIN: the message itself, for PUB. ENVELOPE: in an Envelope, for ROUTER and DEALER.
enum wire_form { WIRE_PLAIN, WIRE_ENVELOPE };

enum wire_kind {
  WIRE_NONE,
  WIRE_HELLO,
  WIRE_WELCOME,
  WIRE_COMMAND,
  WIRE_REFUSAL,
  WIRE_SENSORS,
  WIRE_EVENT,
  WIRE_END,
  WIRE_ORDER,
  WIRE_RECEIPT
};

struct wire_header {
  char session[WIRE_NAME];
  uint64_t sequence;
  uint64_t step;
  double time_s;
};

struct wire_hello {
  char controller_id[WIRE_NAME];
  char name[WIRE_NAME];
};

struct wire_instrument {
  char name[SIGNAL_NAME];
  enum instrument kind;
  double position_b_m[3], rate_hz, latency_s, share;
};

struct wire_welcome {
  char name[WIRE_NAME]; // of the configuration
  uint64_t config_hash;
  double step_s;
  double sensor_period_s;
  enum run_mode mode;
  int has_pipe;
  uint32_t node_count;
  double hold_wrench_b[6]; // N, N m
  double wrench_limit[6];  // N, N m
  double command_timeout_s;
  double command_max_age_s;
  int order; // of a step; 0: a received one does not say
  enum vessel_integrator integrator;
  struct plant_def plant; // a received one says nothing of losses in moving water and of start-up
  int accepts_wrench, has_setpoint, instrument_count;
  double setpoint[3]; // north, east, heading
  struct wire_instrument instrument[MAX_INSTRUMENTS];
  double mass_kg, inertia[36], added_mass[36];
  uint64_t sequence_above;
  char command_endpoint[128];
  char telemetry_endpoint[128];
};

struct wire_command {
  char controller_id[WIRE_NAME];
  struct command command; // its sequence is the header's
};

struct wire_refusal {
  enum refusal reason;
  uint64_t refused_sequence;
  char text[WIRE_MAX_TEXT + 1];
};

struct wire_sensors {
  struct dp_sensors dp;
  int has_pipe;
  enum command_state command_state;
  uint64_t command_sequence;
  uint64_t command_based_on_step;
};

struct wire_event { // and End, whose text says why
  char name[WIRE_MAX_TEXT + 1];
  char text[WIRE_MAX_TEXT + 1];
};

enum { WIRE_MAX_ACTIVE = 40 }; // faults in a receipt
enum wire_order_kind {
  WIRE_ORDER_NONE,
  WIRE_ORDER_FAULT = 3,
  WIRE_ORDER_CLEAR,
  WIRE_ORDER_LIST,
  WIRE_ORDER_STOP
};

struct wire_order {
  char operator_name[WIRE_NAME];
  enum wire_order_kind kind;
  struct fault_request fault; // as it was asked for, not yet checked
  double duration_s;
  char name[SIGNAL_NAME]; // of the fault to make, or to clear
};

struct wire_active {
  char name[SIGNAL_NAME];
  struct fault_request fault;
  double since_s;
};

struct wire_receipt {
  uint64_t received_sequence;
  char name[SIGNAL_NAME]; // of the fault that was made
  int active_count;       // active holds the first WIRE_MAX_ACTIVE of them
  struct wire_active active[WIRE_MAX_ACTIVE];
};

struct wire_message {
  enum wire_kind kind;
  struct wire_header header;
  union {
    struct wire_hello hello;
    struct wire_welcome welcome;
    struct wire_command command;
    struct wire_refusal refusal;
    struct wire_sensors sensors;
    struct wire_event event;
    struct wire_order order;
    struct wire_receipt receipt;
  } as;
};

// Reads an Envelope. kind is WIRE_NONE and header.sequence what could be read of it unless the result is
// WIRE_OK; why then says what was wrong.
enum wire_result wire_unpack(const void *data, size_t size, struct wire_message *out, struct reason *why);

// All pack functions return the bytes written, 0 if the message does not fit or fails wire_check.
size_t wire_pack_hello(const struct wire_header *h, const struct wire_hello *m, uint8_t *out,
                       size_t capacity);
size_t wire_pack_welcome(const struct wire_header *h, const struct wire_welcome *m, uint8_t *out,
                         size_t capacity);
size_t wire_pack_command(const struct wire_header *h, const struct wire_command *m, uint8_t *out,
                         size_t capacity);
size_t wire_pack_refusal(const struct wire_header *h, const struct wire_refusal *m, uint8_t *out,
                         size_t capacity);
size_t wire_pack_order(const struct wire_header *h, const struct wire_order *o, uint8_t *out,
                       size_t capacity);
size_t wire_pack_receipt(const struct wire_header *h, const struct wire_receipt *r, uint8_t *out,
                         size_t capacity);
size_t wire_pack_event(const struct wire_header *h, const char *name, const char *text, enum wire_form form,
                       uint8_t *out, size_t capacity);
size_t wire_pack_end(const struct wire_header *h, const char *why, enum wire_form form, uint8_t *out,
                     size_t capacity);
size_t wire_pack_sensors(const struct wire_header *h, const struct frame *f, enum wire_form form,
                         uint8_t *out, size_t capacity);
size_t wire_pack_truth(const struct wire_header *h, const struct frame *f, uint8_t *out, size_t capacity);
size_t wire_pack_ledger(const struct wire_header *h, const struct frame *f, uint8_t *out, size_t capacity);
size_t wire_pack_timing(const struct wire_header *h, const struct frame *f,
                        const struct command_counts *counts, uint8_t *out, size_t capacity);
// scratch: room for count * WIRE_NODE_COLUMNS numbers. capacity: at most wire_nodes_bytes(count) are needed.
size_t wire_pack_nodes(const struct wire_header *h, size_t count, const struct sim_node *nodes,
                       double *scratch, uint8_t *out, size_t capacity);
static inline size_t wire_nodes_bytes(size_t count) {
  return WIRE_MAX_PLAIN + count * WIRE_NODE_COLUMNS * sizeof(double);
}
