// The messages of the protocol: packing, unpacking with a check of every field, JSON.
#pragma once

#include "net/counts/counts.h"
#include "net/fields/fields.h"
#include "sagbend/base/base.h"
#include "sagbend/dp/dp.h"
#include "sagbend/events/events.h"
#include "sagbend/faults/faults.h"
#include "sagbend/loop/loop.h"
#include "sagbend/orders/orders.h"
#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"
#include "sagbend/sim/sim.h"
#include "sagbend/v1/command.pb-c.h"
#include "sagbend/v1/header.pb-c.h"
#include "sagbend/v1/manager.pb-c.h"
#include "sagbend/v1/operator.pb-c.h"
#include "sagbend/v1/telemetry.pb-c.h"

#include <cjson/cJSON.h>
#include <protobuf-c/protobuf-c.h>
#include <stddef.h>
#include <stdint.h>

// ------------------------------------------------------------
// The messages of proto/sagbend/v1 as plain structs: packed into the caller's buffers, and unpacked with
// every field checked. No sockets, no memory allocation, no state: any thread may call.

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
enum { WIRE_KINDS = WIRE_CONTROLLER_VIEW + 1 };

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

struct wire_redundancy { // message Redundancy
  int in_command;
  char commander[SIGNAL_NAME], next[SIGNAL_NAME];
  int rank; // 0: not listed
  int is_backup;
};

struct wire_welcome {
  char name[WIRE_NAME]; // of the configuration
  uint64_t config_hash;
  double step_s;
  double sensor_period_s;
  enum run_mode mode;
  int has_pipe;
  uint32_t node_count;
  double initial_holding_force_b[6]; // acts before the first command and on standby; N, N m
  double wrench_limit[6];            // of each component; N, N m
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
  int has_redundancy;              // the case lists controllers, and:
  struct wire_redundancy redundancy;
};

struct wire_command {
  char controller_id[WIRE_NAME];
  struct command command; // its sequence is header.sequence
  struct dp_alarm_list alarms;
  int is_shadow;
  char hand_over[SIGNAL_NAME]; // "": to nobody
  int has_estimate;
  double estimate[3]; // where the controller believes the vessel to be: north, east m, heading rad
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

struct wire_status; // below

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
  char command_endpoint_b[WIRE_FILE_NAME], telemetry_endpoint_b[WIRE_FILE_NAME];
  double running_s, silent_s;
  int has_last;
  struct wire_session_end last;
};

enum manager_response { MANAGER_NONE, MANAGER_STATUS, MANAGER_CASES, MANAGER_LOGS, MANAGER_PIECE };

struct wire_manager {
  enum manager_response kind; // MANAGER_NONE: not from a session manager
  uint32_t total;             // of cases or logs
  int count;                  // of those in this answer
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
  char warning[160];      // what the operator should know of the order; "": nothing
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
    uint64_t received_sequence; // of a Receipt, whose rest is not read
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
// Of instruments only those that have their bit in received.
size_t wire_pack_sensors_of(const struct wire_header *header, const struct frame *frame, uint32_t received,
                            enum wire_form form, uint8_t *out, size_t capacity);
size_t wire_pack_sensors(const struct wire_header *header, const struct frame *frame, enum wire_form form,
                         uint8_t *out, size_t capacity);
size_t wire_pack_truth(const struct wire_header *header, const struct frame *frame, uint8_t *out,
                       size_t capacity);
size_t wire_pack_ledger(const struct wire_header *header, const struct frame *frame, uint8_t *out,
                        size_t capacity);

// Times in buckets (os/process/process.h), those without a count left out.
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

// ------------------------------------------------------------
// Messages for those who look on: Session, what the topic "status" adds to a Status, and ControllerView.
// Plain structs, packed and read as in messages.h.

// ---- Session ----

enum { WIRE_GRID = 64, WIRE_OUTLINE = 64, WIRE_CIRCLES = 8 };

struct wire_pipe {
  int node_count; // 0: no pipe
  double outer_diameter_m, lay_azimuth_rad, hangoff_b_m[3], contact_offset_m;
  const double *arc_length_m;       // of each node
  const double *element_diameter_m; // one less; NULL: outer_diameter_m everywhere
  int support_count;                // of a stinger
  double support_b_m[3]
                    [MAX_STINGER_SUPPORTS]; // forward, starboard, down: the axis of a pipe that just touches
};

struct wire_seabed {
  int is_there;
  double north_m, east_m, down_m, slope_north, slope_east;
  int north_nodes, east_nodes; // of the grid; 0: a plane
  double grid_north_m, grid_east_m, spacing_north_m, spacing_east_m;
  const double *grid_down_m; // [north][east]
};

struct wire_session {
  const char *version; // of the program
  uint64_t model_hash; // of the configuration
  double duration_s;   // 0: until stopped
  double start[3];     // north, east in m, heading in rad
  struct wire_pipe pipe;
  struct wire_seabed seabed;
  int outline_count;
  double outline_b_m[WIRE_OUTLINE][2]; // forward, starboard
  int circle_count;
  double circle_m[WIRE_CIRCLES];
  double limit_curvature_1pm, limit_moment_nm, limit_tension_n; // 0: none
  const struct scenario_def *scenario;                          // for verdicts and route
  const struct power_def *power;                                // NULL: no power plant
};

// Bytes that are always enough for a Session.
static inline size_t wire_session_bytes(int node_count) {
  return (size_t)WIRE_MAX_ENVELOPE + WIRE_MAX_PLAIN + MAX_WAYPOINTS * 32 + MAX_ROUTE_PARTS * 50 +
         (size_t)(WIRE_GRID * WIRE_GRID) * sizeof(double) + 2 * (size_t)node_count * sizeof(double) +
         sizeof(((struct wire_pipe *)0)->support_b_m);
}
// The set-point in force is that of welcome.
size_t wire_pack_session(const struct wire_header *header, const struct wire_welcome *welcome,
                         const struct wire_session *session, uint8_t *out, size_t capacity);

// ---- What the topic "status" adds ----

// Verdicts and active faults of a frame.
struct wire_judged {
  const struct frame *frame;
  const struct scenario_def *scenario;
};
enum { WIRE_MAX_STATUS = 2 * WIRE_MAX_PLAIN + MAX_FAULTS * 256 };
// As wire_pack_status in the form WIRE_PLAIN, with verdicts and faults.
size_t wire_pack_whole_status(const struct wire_status *status, const struct wire_judged *judged,
                              uint8_t *out, size_t capacity);

// ---- ControllerView (struct wire_controller_view: messages.h) ----

size_t wire_pack_controller_view(const struct wire_header *header, const struct wire_controller_view *view,
                                 enum wire_form form, uint8_t *out, size_t capacity);

// ---- Alarms ----

// Of the controller, as those who look on see them.
struct wire_alarms {
  const struct dp_alarm_state *state;
  uint64_t suppressed; // AlarmCounts.suppressed
  double step_s;       // of a step of the session
};
size_t wire_pack_alarms(const struct wire_header *header, const struct wire_alarms *alarms, uint8_t *out,
                        size_t capacity);

// ------------------------------------------------------------
// Parts that messages of the protocol and records of a log have in common, as protobuf messages. What these
// functions return or fill points into their arguments, which must live until the message is packed.

// The generated structs contain char *, which packing only reads.
static inline char *text_of(const char *text) {
  return (char *)(uintptr_t)text;
}

// Orders for the tensioner. A message that is NULL is no order.
struct tensioner_command_message {
  Sagbend__V1__TensionerCommand message;
  Sagbend__V1__TensionerBrake brake;
};
void wire_fill_tensioner_command(const struct tensioner_setpoint *order,
                                 struct tensioner_command_message *out);
enum status wire_read_tensioner_command(const Sagbend__V1__TensionerCommand *message,
                                        struct tensioner_setpoint *out, struct reason *why);
struct tensioner_order_message {
  Sagbend__V1__TensionerOrder message;
  Sagbend__V1__TensionerBrake brake;
  Sagbend__V1__TensionerRelease release;
};
// An order that is not given releases the tensioner.
void wire_fill_tensioner_order(const struct tensioner_setpoint *order, struct tensioner_order_message *out);
enum status wire_read_tensioner_order(const Sagbend__V1__TensionerOrder *message,
                                      struct tensioner_setpoint *out, struct reason *why);

// Where the vessel is on the route; returns 0 without one.
int wire_fill_route_position(const struct loop_view *view, Sagbend__V1__RoutePosition *out);
// A route: NULL if the track has none.
struct route_message {
  Sagbend__V1__Route message;
  Sagbend__V1__RouteWaypoint waypoint[MAX_WAYPOINTS], *waypoints[MAX_WAYPOINTS];
};
Sagbend__V1__Route *wire_fill_route(const struct track_def *track, struct route_message *out);

struct track_order_message {
  Sagbend__V1__TrackOrder message;
  Sagbend__V1__TrackStop stop;
  Sagbend__V1__TrackGo go;
};
void wire_fill_track_order(const struct track_order *order, struct track_order_message *out);
enum status wire_read_track_order(const Sagbend__V1__TrackOrder *message, struct track_order *out,
                                  struct reason *why);

Sagbend__V1__Header wire_header_message(const struct wire_header *header);
// Whether messages of a type have a field `header`; the header of a message, NULL: it has none.
int wire_has_header(const ProtobufCMessageDescriptor *type);
Sagbend__V1__Header *wire_header_in(const ProtobufCMessage *message);
Sagbend__V1__BodyWrench wire_wrench_message(const double wrench_b[6]);

// The consequence analysis. fill: NULL where there is none. list NULL: none is written, and none expected.
struct consequence_message {
  Sagbend__V1__Consequence message;
  Sagbend__V1__ConsequenceFailure failure[MAX_CONSEQUENCE_VIEWS], *failures[MAX_CONSEQUENCE_VIEWS];
};
Sagbend__V1__Consequence *wire_fill_consequence(const struct consequence_report *report,
                                                const struct consequence_list *list,
                                                struct consequence_message *out);
enum status wire_read_consequence(const Sagbend__V1__Consequence *message, struct consequence_report *out,
                                  struct consequence_list *list, struct reason *why);

// Unpacks any message; to be freed as a message of protobuf-c. NULL: it is none of this type, or memory ran
// out, which *is_no_memory tells.
ProtobufCMessage *wire_unpack_any(const ProtobufCMessageDescriptor *type, const void *data, size_t size,
                                  int *is_no_memory);

// Packs any message. Returns the bytes written; 0: it fails wire_check or does not fit.
size_t wire_pack(const ProtobufCMessage *message, uint8_t *out, size_t capacity);

// The thruster commands of a command. read: STATUS_BAD_INPUT names the field at fault.
struct thruster_commands_message {
  Sagbend__V1__ThrusterCommands message;
  Sagbend__V1__BodyWrench extra;
  Sagbend__V1__ThrusterCommand item[MAX_THRUSTERS];
  Sagbend__V1__ThrusterCommand *list[MAX_THRUSTERS];
};
void wire_fill_thruster_commands(const struct command *command, struct thruster_commands_message *out);
enum status wire_read_thruster_commands(const Sagbend__V1__ThrusterCommands *message, struct command *out,
                                        struct reason *why);

// The emergency stops of a command, as a list of names that point into stops. read: STATUS_BAD_INPUT names
// the field.
struct stops_message {
  char *name[MAX_THRUSTERS];
};
size_t wire_fill_stops(const struct thruster_stops *stops, struct stops_message *out);
enum status wire_read_stops(char *const *names, size_t count, struct thruster_stops *out, struct reason *why);
// Alarms: fill sets item and list, of as many as there are. read: STATUS_BAD_INPUT names the field at fault.
struct alarms_message {
  Sagbend__V1__Alarm item[MAX_DP_ALARMS], *list[MAX_DP_ALARMS];
};
void wire_fill_alarms(const struct dp_alarm_list *alarms, struct alarms_message *out);
enum status wire_read_alarms(Sagbend__V1__Alarm *const *from, size_t count, struct dp_alarm_list *out,
                             struct reason *why);

// What a command carries, in the message of a controller and in that of a log.
struct command_parts {
  Sagbend__V1__BodyWrench wrench;
  Sagbend__V1__Standby standby;
  struct thruster_commands_message thrusters;
  struct tensioner_command_message tensioner;
  struct stops_message stops;
  size_t stop_count;
  struct consequence_message consequence_room;
  Sagbend__V1__Consequence *consequence; // NULL: none
  struct alarms_message alarms;
};
void wire_fill_command(const struct command *command, const struct dp_alarm_list *alarms,
                       struct command_parts *parts);

// Sets in the message at to what both messages have, from a command and its filled parts. EFFORT: how the
// names of its cases begin.
#define WIRE_TAKE_COMMAND(to, EFFORT, command, alarm_list, parts)                                            \
  do {                                                                                                       \
    (to)->based_on_step = (command)->based_on_step;                                                          \
    if ((command)->standby) {                                                                                \
      (to)->effort_case = EFFORT##_STANDBY;                                                                  \
      (to)->standby = &(parts)->standby;                                                                     \
    } else if ((command)->thruster_count > 0) {                                                              \
      (to)->effort_case = EFFORT##_THRUSTERS;                                                                \
      (to)->thrusters = &(parts)->thrusters.message;                                                         \
    } else {                                                                                                 \
      (to)->effort_case = EFFORT##_WRENCH;                                                                   \
      (to)->wrench = &(parts)->wrench;                                                                       \
    }                                                                                                        \
    (to)->tensioner = (command)->tensioner.given ? &(parts)->tensioner.message : NULL;                       \
    (to)->n_emergency_stop = (parts)->stop_count;                                                            \
    (to)->emergency_stop = (parts)->stops.name;                                                              \
    (to)->consequence = (parts)->consequence;                                                                \
    (to)->n_alarm = (size_t)(alarm_list)->count;                                                             \
    (to)->alarm = (parts)->alarms.list;                                                                      \
  } while (0)

// The alarms in force, for those who look on.
struct wire_alarms;
struct active_alarms_message {
  Sagbend__V1__ActiveAlarm item[MAX_DP_ALARMS], *list[MAX_DP_ALARMS];
  Sagbend__V1__AlarmCounts counts;
};
void wire_fill_active_alarms(const struct wire_alarms *alarms, struct active_alarms_message *out);

// A request for a fault. read: STATUS_BAD_INPUT names the field at fault.
struct fault_order_message {
  Sagbend__V1__FaultOrder message;
  Sagbend__V1__FaultParameter item[FAULT_PARAMETERS], *list[FAULT_PARAMETERS];
};
void wire_fill_fault_order(const struct fault_request *request, const char *name, double duration_s,
                           struct fault_order_message *out);

// An order for a piece of a log (manager.proto). read: STATUS_BAD_INPUT names the field at fault.
void wire_fill_piece_order(const struct manager_order *order, Sagbend__V1__FetchOrder *out);
enum status wire_read_piece_order(const Sagbend__V1__FetchOrder *message, struct manager_order *out,
                                  struct reason *why);

// What an order carries, as the oneof of Order contains it. order->kind is one of ORDER_TABLE
// (sagbend/orders/orders.h). read: STATUS_BAD_INPUT names the field at fault, or states what is expected
// (order_check_values).
struct order_message {
  union {
    struct fault_order_message fault;
    struct tensioner_order_message tensioner;
    struct track_order_message track;
    Sagbend__V1__SetpointOrder setpoint;
    Sagbend__V1__FetchOrder piece;
    Sagbend__V1__RateOrder other; // and all that carry nothing or one field, none of them larger
  } as;
};
enum status wire_read_order_payload(const ProtobufCMessage *message, struct order *out, struct reason *why);

// An Order but for its header. What fill writes points into order and room.
void wire_fill_order_message(const struct order *order, struct order_message *room, Sagbend__V1__Order *out);
enum status wire_read_order(const Sagbend__V1__Order *message, struct order *out, struct reason *why);

// ------------------------------------------------------------
// Output quantities out of messages of the telemetry: the other direction of sagbend/rig/quantities.inc.

// What offsets count from: north, east, heading of the route's point, or of the set-point; an operator's
// set-point ends the route. 0: the message states neither, and pose stays as it is.
int wire_station_of(const Sagbend__V1__Truth *truth, double pose[3]);

// Sets those of the values, in SI units and radians, that a Truth, Sensors, Ledger or Timing contains; NaN
// where the part that would contain one is absent. Others stay as they are: drift_m, heave_m,
// controller_in_command and ledger_closure stand in no message. Where Sensors contain measurements, what
// Truth has counts. of Nodes: the touchdown point and the lay-back, for that case only.
void quantities_of_message(const ProtobufCMessage *message, double values[QUANTITY_COUNT]);

// ------------------------------------------------------------
// The answer to an operator's order, as the message itself.

typedef struct Sagbend__V1__Receipt Sagbend__V1__Receipt; // sagbend/v1/operator.pb-c.h

// Of an Envelope that wire_unpack has accepted as a Receipt. NULL: out of memory.
Sagbend__V1__Receipt *wire_open_receipt(const void *data, size_t size);
void wire_free_receipt(Sagbend__V1__Receipt *receipt); // accepts NULL

// ------------------------------------------------------------
// The message Status, as the program that sends it fills it.

enum { WIRE_MAX_NOTICES = 3 }; // in a Status, the newest first

// A Status with room for its parts, which refer to each other: it cannot be copied. Who fills a part lets the
// message point to it; what is not there stays NULL.
struct wire_status {
  Sagbend__V1__Status message;
  Sagbend__V1__Header header;
  Sagbend__V1__Pause pause;
  Sagbend__V1__Setpoint setpoint;
  Sagbend__V1__Track track;
  Sagbend__V1__ListedStatus listed[MAX_CONTROLLERS];
  Sagbend__V1__PeerStatus peer[WIRE_MAX_PEERS], *peers[WIRE_MAX_PEERS];
  Sagbend__V1__LogStatus log;
  Sagbend__V1__CheckpointStatus checkpoint;
  Sagbend__V1__OrderStatus orders;
  Sagbend__V1__EarlierSessions earlier;
  Sagbend__V1__Security security;
  Sagbend__V1__StationStatus station;
  Sagbend__V1__RoutePosition route;
  Sagbend__V1__TensionerStatus tensioner;
  Sagbend__V1__OperationState operation;
  Sagbend__V1__RefusedCount reason[REFUSAL_COUNT], *reasons[REFUSAL_COUNT];
  Sagbend__V1__Refused refused[WIRE_MAX_REFUSED], *refusals[WIRE_MAX_REFUSED];
  Sagbend__V1__CommandStatus command;
  Sagbend__V1__NoticeStatus notice[WIRE_MAX_NOTICES], *notices[WIRE_MAX_NOTICES];
  struct active_alarms_message alarms;
  Sagbend__V1__RigClock clock;
  size_t text_size;
  char text[7424];
};

// An empty Status, with header, orders and security.
void wire_begin_status(struct wire_status *status);

// How the steps follow their clock; nothing where they are not paced.
void wire_status_clock(struct wire_status *status, const struct rig_time *from);

// A copy of a text, as messages may contain it, which lives as long as the status.
char *wire_status_text(struct wire_status *status, const char *text);

void wire_status_header(struct wire_status *status, const struct wire_header *header);
void wire_status_security(struct wire_status *status, const struct security_counts *counts);
void wire_status_setpoint(struct wire_status *status, const double setpoint[3], uint64_t order);
void wire_status_track(struct wire_status *status, const struct wire_track *track);
// The next peer, to be filled; NULL: no room.
Sagbend__V1__PeerStatus *wire_status_peer(struct wire_status *status);
// Of the newest peer, which the case lists. NULL: there are too many.
Sagbend__V1__ListedStatus *wire_status_listed(struct wire_status *status);
// Counts of commands, those refused by reason.
void wire_status_commands(struct wire_status *status, const struct command_counts *counts);
// The next refusal, to be filled; NULL: no room.
Sagbend__V1__Refused *wire_status_refused(struct wire_status *status);
// The command in use beside the initial holding force, and the notices raised so far.
void wire_status_commanded(struct wire_status *status, const struct frame *frame,
                           const double initial_holding_force_b[6]);
// Tensioner and operation of a step, where they exist.
void wire_status_tensioner(struct wire_status *status, const struct sim_output *output);
// The alarms of the controller in force, and their counts. What alarms points to must live until the message
// is packed. An envelope that has no room beside the rest has their counts only.
void wire_status_alarms(struct wire_status *status, const struct wire_alarms *alarms);

// ------------------------------------------------------------
// The rows of sagbend/rig/status.inc.

enum status_message_kind { STATUS_OF_STATUS, STATUS_OF_TIMING, STATUS_OF_TRUTH, STATUS_OF_LEDGER };

struct status_row {
  enum status_message_kind message;
  const char *line;        // of the text; "": none
  const char *field;       // path in the message
  const char *unit;        // of the text
  const char *text;        // phrase; "": none
  const char *type;        // of the metric: "counter", "gauge"; "": no metric
  const char *name, *help; // of the metric
};
extern const struct status_row STATUS_ROWS[];
extern const int STATUS_ROW_COUNT;
