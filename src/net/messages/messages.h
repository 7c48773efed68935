// The messages of proto/sagbend/v1 as plain structs: packed into the caller's buffers, and unpacked with
// every field checked. No sockets, no memory allocation, no state: any thread may call.
#pragma once

#include "sagbend/dp/dp.h"
#include "sagbend/base/status.h"
#include "sagbend/signals/signals.h"
#include "sagbend/signals/dp_alarm.h"
#include "sagbend/sim/sim.h"
#include "sagbend/rig/denial.h"
#include "sagbend/rig/frame.h"
#include "sagbend/rig/names.h"
#include "sagbend/rig/node_columns.h"
#include "sagbend/rig/rig.h"
#include "sagbend/rig/refusal.h"
#include "sagbend/rig/run_mode.h"
#include "net/messages/wire_check.h"

#include <stddef.h>
#include <stdint.h>

enum {
  WIRE_PROTOCOL = 1,
  WIRE_MAX_ENVELOPE = 8192, // bytes of an Envelope; a longer one is malformed
  WIRE_MAX_PLAIN = 8192,    // bytes of any published message except those with a number of their own
  WIRE_NAME = 64,           // bytes of session, controller_id and name, with their final zero
  WIRE_KEY_NAME = 24        // of the name of a key
};

enum wire_form {
  WIRE_PLAIN,   // the message itself, as the PUB socket sends it
  WIRE_ENVELOPE // the message in an Envelope, as ROUTER and DEALER sockets exchange it
};

enum wire_kind { // numbered as Envelope.message
  WIRE_NONE,
  WIRE_HELLO,
  WIRE_WELCOME,
  WIRE_COMMAND,
  WIRE_REFUSAL,
  WIRE_SENSORS,
  WIRE_EVENT,
  WIRE_END,
  WIRE_ORDER,
  WIRE_RECEIPT,
  WIRE_STATUS,
  WIRE_CONTROLLER_VIEW
};

struct wire_header {
  char session[WIRE_NAME];
  uint64_t sequence; // of the sender, per kind of message
  uint64_t step;     // completed when the message was sent
  double time_s;     // simulated
};

struct wire_hello {
  char controller_id[WIRE_NAME];
  char name[WIRE_NAME];
};

struct wire_instrument {
  char name[SIGNAL_NAME];
  enum instrument kind;
  double position_b_m[3]; // in the vessel's frame: forward, starboard, down
  double rate_hz, latency_s;
  double share; // of the tension, that a load cell measures
};

struct wire_track { // message Track
  struct track_orders orders;
  uint64_t order; // number of the newest; 0: none
};

struct wire_tensioner { // message TensionerInfo
  int accepts_commands;
  double tension_max_n, speed_max_mps, grip_n, brake_n, motor_n, motor_w, dead_band_n;
};

struct wire_welcome {
  char name[WIRE_NAME]; // of the configuration
  uint64_t config_hash;
  double step_s;
  double sensor_period_s;
  enum run_mode mode;
  int has_pipe;
  uint32_t node_count;
  double hold_wrench_b[6]; // acts before the first command and on standby; N, N m
  double wrench_limit[6];  // of each component; N, N m
  double command_timeout_s;
  double command_max_age_s;
  int order; // of the integrator; 0: a received message does not state it
  enum vessel_integrator integrator;
  struct plant_def plant; // a received one lacks thrust losses in moving water and start-up times
  int accepts_wrench, has_setpoint, instrument_count;
  double setpoint[3];      // north, east in m, heading in rad
  uint64_t setpoint_order; // number of the operator's order that set it; 0: as configured
  struct wire_track track;
  struct wire_instrument instrument[MAX_INSTRUMENTS];
  double mass_kg, inertia[36], added_mass[36]; // 6 x 6, row by row
  uint64_t sequence_above;                     // commands must have a larger header.sequence
  char command_endpoint[128];
  char telemetry_endpoint[128];
  int has_tensioner;
  struct wire_tensioner tensioner;
  double controller_view_period_s; // between messages of a controller; 0: it must not send them
};

struct wire_command {
  char controller_id[WIRE_NAME];
  struct command command; // its sequence is header.sequence
  struct dp_alarm_list alarms;
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
};

struct wire_event { // also for End: text states why the session ended
  char name[WIRE_MAX_TEXT + 1];
  char text[WIRE_MAX_TEXT + 1];
};

enum { WIRE_MAX_ACTIVE = 40, WIRE_MAX_ACTIVE_BESIDE_STATUS = 10 }; // faults in a receipt, at most

enum {
  WIRE_FILE_NAME = ORDER_FILE, // of a case or a log, with its final zero
  WIRE_PIECE = 6144,           // bytes of a log in one answer
  WIRE_DIGESTED = 1 << 20,
  WIRE_DIGEST = 32,
  WIRE_LISTED = 12, // cases or logs in one answer
  WIRE_LINES = 12
};

struct wire_active {
  char name[SIGNAL_NAME];
  struct fault_request fault;
  double since_s; // simulated time of its start
  int pending;    // nonzero: in effect from the next step on
};

struct wire_hold { // of a message Status, as a controller reads it
  int is_paused;   // 0: steps are made, and the rest is empty
  char why[WIRE_MAX_TEXT + 1];
  char operator_name[WIRE_NAME]; // "": the simulator
};

enum { WIRE_MAX_PEERS = 16, WIRE_MAX_REFUSED = 3 };

struct wire_status; // net/messages/status_message.h

struct wire_case {
  char name[WIRE_FILE_NAME];
  char error[WIRE_MAX_TEXT + 1]; // "": none
};

struct wire_log_info {
  char name[WIRE_FILE_NAME];
  uint64_t size;
  char changed_at[32];
  int growing;
};

struct wire_piece {
  uint64_t offset, covered, size;
  size_t data_size; // 0: none
  uint8_t data[WIRE_PIECE];
  int has_digest;
  uint8_t digest[WIRE_DIGEST];
};

enum manager_state { // numbered as ManagerState
  MANAGER_EMPTY = 1,
  MANAGER_LOADED,
  MANAGER_STARTING,
  MANAGER_RUNNING,
  MANAGER_ENDING
};

struct wire_session_end {
  char case_name[WIRE_FILE_NAME];
  uint32_t exit_status, signal; // signal 0: it ended by itself
  char text[WIRE_MAX_TEXT + 1];
  double ended_s_ago;
  int line_count;
  char line[WIRE_LINES][WIRE_MAX_TEXT + 1];
};

struct wire_manager_status { // message ManagerStatus
  enum manager_state state;
  char case_name[WIRE_FILE_NAME];
  char folder[WIRE_MAX_TEXT + 1], log_folder[WIRE_MAX_TEXT + 1];
  uint64_t started, process;
  char command_endpoint[WIRE_FILE_NAME], telemetry_endpoint[WIRE_FILE_NAME], session[WIRE_NAME];
  double running_s, silent_s;
  int has_last;
  struct wire_session_end last;
};

enum manager_answer { MANAGER_NONE, MANAGER_STATUS, MANAGER_CASES, MANAGER_LOGS, MANAGER_PIECE };

struct wire_manager {
  enum manager_answer kind; // MANAGER_NONE: not from a session manager
  uint32_t total;           // of cases or logs
  int count;                // of those in this answer
  union {
    struct wire_manager_status status;
    struct wire_case cases[WIRE_LISTED];
    struct wire_log_info logs[WIRE_LISTED];
    struct wire_piece piece;
  } as;
};

struct wire_receipt { // as it is sent; ctl reads the message itself
  uint64_t received_sequence;
  uint64_t number;        // of the order; 0: it changes nothing
  char name[SIGNAL_NAME]; // of the fault that was started
  int active_count;       // of all active faults; active contains at most WIRE_MAX_ACTIVE of them
  struct wire_active active[WIRE_MAX_ACTIVE];
  const struct wire_status *status; // answer to ORDER_STATUS; NULL: none
  struct wire_manager manager;
};

struct wire_pose {
  double eta[3]; // north, east m, heading rad
  double nu[3];  // surge, sway m/s, yaw rad/s
};

struct wire_instrument_view {
  char name[SIGNAL_NAME];
  enum instrument kind;
  enum instrument_use use;
  int is_reference; // of position; the rest is set then
  char principle[SIGNAL_NAME];
  int is_known, is_proving;
  double residual_b_m[2], weight; // forward, starboard; share, 0 to 1
};

struct wire_thruster_view {
  char name[SIGNAL_NAME];
  enum actuator_state use;
  double thrust_n, azimuth_rad;
};

// The failures of a consequence analysis.
struct consequence_failure_view {
  char name[CONSEQUENCE_NAME];
  double margin;
  int alarm;
};
enum { MAX_CONSEQUENCE_VIEWS = MAX_THRUSTERS + MAX_BUSES + MAX_CONSEQUENCE_GROUPS };
struct consequence_list {
  int count;
  struct consequence_failure_view failure[MAX_CONSEQUENCE_VIEWS];
};

struct wire_controller_view {
  char controller[WIRE_NAME]; // the simulator sets it
  uint64_t based_on_step;
  int in_command; // the simulator sets it
  int active;
  int has_estimate, has_reference, has_setpoint, has_demanded, has_allocated, has_wind, has_bias;
  struct wire_pose estimate, reference;
  double setpoint[3]; // north, east m, heading rad
  uint64_t setpoint_order;
  double demanded_b[6], allocated_b[6], wind_b[6], bias_b[6]; // N, N m
  double tension_n;
  int dead_reckoning, tension_lost, saturated, power_limited;
  uint64_t rejected;
  int instrument_count, thruster_count;
  struct wire_instrument_view instrument[MAX_INSTRUMENTS];
  struct wire_thruster_view thruster[MAX_THRUSTERS];
  struct consequence_report consequence;
  struct consequence_list consequences;
};

struct wire_message {
  enum wire_kind kind;
  enum wire_kind meant; // kind of a message that is not accepted, as far as it could be read
  struct wire_header header;
  union {
    struct wire_hello hello;
    struct wire_welcome welcome;
    struct wire_command command;
    struct wire_refusal refusal;
    struct wire_sensors sensors;
    struct wire_event event;
    struct order order;         // not numbered, its fault not found
    uint64_t received_sequence; // of a Receipt, whose rest is not read: net/messages/receipt.h
    struct wire_hold hold;      // of a Status
    struct wire_controller_view view;
  } as;
};

// Unpacks and checks an Envelope. Unless the result is WIRE_OK, why names the field at fault, out->kind is
// WIRE_NONE, out->header.sequence is 0 or what could be read, and out->as is undefined.
enum wire_result wire_unpack(const void *data, size_t size, struct wire_message *out, struct reason *why);

// All functions below write at most capacity bytes to out and return the bytes written; 0: the message does
// not fit or fails wire_check.
size_t wire_pack_hello(const struct wire_header *header, const struct wire_hello *hello, uint8_t *out,
                       size_t capacity);
size_t wire_pack_welcome(const struct wire_header *header, const struct wire_welcome *welcome, uint8_t *out,
                         size_t capacity);
size_t wire_pack_command(const struct wire_header *header, const struct wire_command *command, uint8_t *out,
                         size_t capacity);
size_t wire_pack_refusal(const struct wire_header *header, const struct wire_refusal *refusal, uint8_t *out,
                         size_t capacity);
size_t wire_pack_order(const struct wire_header *header, const struct order *order, uint8_t *out,
                       size_t capacity);
size_t wire_pack_receipt(const struct wire_header *header, const struct wire_receipt *receipt, uint8_t *out,
                         size_t capacity);
size_t wire_pack_status(const struct wire_status *status, enum wire_form form, uint8_t *out, size_t capacity);
size_t wire_pack_event(const struct wire_header *header, const char *name, const char *text,
                       enum wire_form form, uint8_t *out, size_t capacity);
// result: of a test, whether it passed, in words; "": the run is no test.
size_t wire_pack_end(const struct wire_header *header, const char *why, const char *result,
                     enum wire_form form, uint8_t *out, size_t capacity);
size_t wire_pack_sensors(const struct wire_header *header, const struct frame *frame, enum wire_form form,
                         uint8_t *out, size_t capacity);
size_t wire_pack_truth(const struct wire_header *header, const struct frame *frame, uint8_t *out,
                       size_t capacity);
size_t wire_pack_ledger(const struct wire_header *header, const struct frame *frame, uint8_t *out,
                        size_t capacity);

// Times in buckets (os/process/histogram.h), those without a count left out.
enum { WIRE_BUCKETS = 512 };
struct wire_histogram {
  uint64_t count;
  int buckets;
  double upper_us[WIRE_BUCKETS]; // the longest time that counts in the bucket; ascending
  uint64_t counts[WIRE_BUCKETS];
};
struct wire_times {
  struct wire_histogram step, wakeup; // wakeup.count 0: the steps are not paced
};
enum { WIRE_MAX_TIMING = WIRE_MAX_PLAIN + 2 * WIRE_BUCKETS * 20 };
// security: NULL in a log. times: NULL: not known.
size_t wire_pack_timing(const struct wire_header *header, const struct frame *frame,
                        const struct command_counts *counts, const struct security_counts *security,
                        const struct wire_times *times, uint8_t *out, size_t capacity);
// scratch: count * NODE_COLUMN_COUNT numbers. wire_nodes_bytes(count) is always enough capacity.
size_t wire_pack_nodes(const struct wire_header *header, size_t count, const struct sim_node *nodes,
                       double *scratch, uint8_t *out, size_t capacity);
static inline size_t wire_nodes_bytes(size_t count) {
  return WIRE_MAX_PLAIN + count * NODE_COLUMN_COUNT * sizeof(double);
}
