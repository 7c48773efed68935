// A UDP port or group at which the telegrams of one instrument arrive: its lines, and who sends them.
#pragma once

#include "programs/dp/dp_program.h"

#include "net/buses/buses.h"
#include "net/groups/groups.h"
#include "net/messages/messages.h"
#include "net/server/server.h"
#include "net/zmtp/zmtp.h"
#include "sagbend/base/base.h"
#include "sagbend/case/case.h"
#include "sagbend/dp/dp.h"
#include "sagbend/signals/signals.h"

#include <netinet/in.h>
#include <stdint.h>

enum { PORT_SENDERS = 4 };

struct telegram_sender {
  struct sockaddr_in at;
  int count; // measurements
  double last_s;
};

struct telegram_port {
  int file;                 // socket; -1: none
  char begin[TELEGRAM_MAX]; // of a telegram whose end has not come yet
  size_t begun;             // length of the message that has begun
  struct telegram_sender sender[PORT_SENDERS];
  uint32_t overrun; // datagrams for which the socket had no room
  // Of a group on the ship's network:
  struct group_reader *reader; // NULL: a UDP port
  struct group_receiver receiver;
};

// What a port gives its owner: a line without its end, or, with line NULL, what is wrong.
struct telegram_sink {
  void (*take)(void *owner, const char *line, size_t size, const char *wrong);
  // Whether this line is a telegram by itself.
  int (*is_whole)(void *owner, const char *line, size_t size);
  void *owner;
};

// ------------------------------------------------------------
// Instruments that sagbend-dp reads from telegrams by UDP.

// An instrument and its port.
struct telegram_instrument {
  struct telegram_port port;
  const struct dp_instrument *def;
  const struct dp_telegram_def *telegram;
  struct reading newest;
  char target[TELEGRAM_TARGET]; // whose telegrams count; "": not known yet
  int values_alone;             // since the newest with the rate beside them
  double smooth[2], smooth_s;   // value of which the rate is taken
  uint64_t received, refused;
  uint64_t others;   // whole sentences of other formatters, passed over
  char other[8];     // the newest of them
  char problem[300]; // of the newest refused one
};

// The vessel as the controller last saw it.
struct telegram_pose {
  double heading_rad, down_m;
};

struct dp_telegrams {
  const struct dp_config *config;
  struct network_def network; // on which groups are joined
  struct telegram_instrument instrument[MAX_DP_TELEGRAMS];
  int has_sample; // in this session
  double time_s;  // of the sample
  struct telegram_pose pose;
};

// Opens the ports of the DP file: UDP ports at the loopback interface, groups at nmea.interface of the file.
enum status dp_telegrams_open(struct dp_telegrams *t, const struct dp_config *config, struct reason *why);
void dp_telegrams_close(struct dp_telegrams *t);

// Another session begins: what has come before counts no more.
void dp_telegrams_begin(struct dp_telegrams *t);

// Takes what has come and puts it in place of the readings of these instruments.
void dp_telegrams_take(struct dp_telegrams *t, double time_s, const struct telegram_pose *pose,
                       struct readings *readings);

// ------------------------------------------------------------
// The link between the two controllers of a pair in hot standby (pair.c). Each sends its state after every
// sample; the one that stands by takes the state of the one in command, so that its next sample is the one
// that the other would have computed. Who sends is the project's own publisher, as others may reach it.

// As it is sent, in native byte order: only the same build reads it.
struct pair_message {
  char magic[16], build[48];
  char session[WIRE_NAME], name[WIRE_NAME];
  uint64_t size, def_hash;
  uint64_t step, in_command, follows, setpoint_order, track_order;
  struct dp_state state;
  struct command answer;
  uint64_t hash; // FNV-1a of all before
};

enum { PAIR_HELD = 8 }; // of two machines one may be some samples ahead

struct dp_pair {
  struct publisher *out;       // NULL: no pair
  struct telemetry_reader *in; // likewise
  struct client_keys keys;     // of the link: the own secret, the other's public one
  int has_keys;
  struct pair_message *room;  // for one to send or check, and behind it PAIR_HELD that have come
  struct pair_message *heard; // the newest one of this session; NULL: none
  struct pair_message *held;  // the others before it, in a ring
  int next_held;              // place in it
  uint64_t def_hash;          // of the definition of the controller
  char other[WIRE_NAME];      // name of the other
  int64_t first_ms;           // by the clock, as a link takes its time to open, and
  double first_s;             // simulated: of the first own sample, then of the first state of the other
  int was_heard;              // at the newest own sample
  int has_sample;             // in this session:
  uint64_t own_step, followed_step;    // of the newest own sample; of the newest state followed
  int has_followed;                    // the other one, in this session, or it has had the time for it
  uint64_t has_follower_at;            // own step at which the other one followed, or had not to
  uint64_t followed_at;                // own step at which this one followed, or had not to
  uint64_t followed, equal, different; // states
  uint64_t refused, elsewhere, denied; // messages not taken, of another session; connections
  uint64_t denied_for[ZMTP_WRONG_MESSAGE + 1]; // by reason, enum zmtp_failure
  char problem[40];                            // begin of the newest one that had a line
  int64_t problem_ms;
  int in_a_row, elsewhere_in_a_row;  // samples that differ; messages of another session
  int is_following;                  // it has taken a state of the other since that is in command
  int is_silent, differs, is_behind; // as last reported
};

struct dp;
// Opens the sockets, if the DP file has section pair.
enum status dp_pair_open(struct dp *d, struct reason *why);
void dp_pair_close(struct dp_pair *pair);
int dp_pair_is_followed(const struct dp *d); // the other one has the state of this one
// Whether the one in command is the other of the pair, which has not been heard yet or is there: what this
// one computes by itself stays beside what that one commands, also where a state comes too late.
int dp_pair_has_commander(const struct dp *d);
void dp_pair_begin(struct dp *d); // another session begins
void dp_pair_serve(struct dp *d); // admits and sends what waits, often
// Takes what has come: before each sample, of this step, the state of the other, of the sample before.
void dp_pair_take(struct dp *d, uint64_t step);
void dp_pair_follow(struct dp *d); // the second half of it
// One message that has come, of any bytes.
void dp_pair_take_message(struct dp *d, const void *bytes, size_t size);
// After each sample: adds alarms about the other one, and sends the own state.
void dp_pair_report(struct dp *d, double time_s);
void dp_pair_send(struct dp *d);
void dp_pair_fill(const struct dp *d, struct pair_message *out); // what it sends
void dp_pair_seal(struct pair_message *m);                       // its hash

// ------------------------------------------------------------
// State of sagbend-dp, and what it prints on stderr: notices, a status line on a terminal, a summary.

struct dp {
  const struct dp_options *options;
  struct dp_config config;
  struct client *client;
  struct dp_telegrams telegrams;
  struct dp_pair pair;
  int has_redundancy; // the case lists controllers, and:
  struct wire_redundancy redundancy;
  int is_handing_over; // a command with hand_over has gone, and no Welcome has come since
  char name[WIRE_NAME];
  struct dp_state state;
  struct dp_work work;
  char session[WIRE_NAME];
  uint64_t setpoint_order;    // operator's order whose set-point is adopted; 0: that of the DP file
  uint64_t track_order;       // newest operator's order for the route that is adopted; 0: none
  double ordered_setpoint[3]; // of these orders
  struct track_orders ordered_track;
  int paused;          // the simulator makes no steps, as last reported
  int standby, active; // what was last reported to people
  int has_answer;      // in this session:
  struct command answer;
  uint64_t returned_step, unseen_step; // behind the newest gap; there, the newest one without a reference
  int is_returning;                    // behind a gap, until references have shown the vessel for a while
  int has_estimate;                    // of the newest sample, where controllers are listed:
  double estimate[3];                  // north, east, heading
  uint64_t sent, refused;
  struct dp_alarm_list alarms, reported;       // of the newest sample; those that have a line
  int reported_consequence, reported_analysis; // alarm, known
  uint64_t reported_unsolved;                  // margins that its search has not found
  double unsolved_s;                           // of the line about them
  int32_t reported_phase, reported_joints;     // of the route
  uint64_t reckoned, saturated;                // samples
  double view_period_s;                        // between messages ControllerView; 0: the simulator takes none
  uint64_t view_ns;                            // when the newest was sent, monotonic clock
  int status_shown;
  int64_t status_ms;
  int64_t heard_ms; // the newest message of the simulator; at first the start of the program
  int silence_reported;
};

// Prints a line, above the status line. Nothing with --quiet.
void notices_line(struct dp *d, const char *text, const char *more);

// Whether a message has come: prints a line when none has come for a while, and when messages come again.
void notices_report_silence(struct dp *d, int has_come);

// Prints a line for each alarm that begins or ends, and for each change on the route and of the
// consequence analysis.
void notices_report_changes(struct dp *d, const struct wire_sensors *s, const struct command *c);

// Updates the status line, a few times a second. Nothing unless stderr is a terminal.
void notices_show_status(struct dp *d, const struct wire_sensors *s, const struct command *c);

// Prints the counts of the session.
void notices_report_summary(struct dp *d);

// ------------------------------------------------------------
// What sagbend-dp reports about itself (message ControllerView), for spectators.

// Where the controller believes the vessel to be after a sample: north, east m, heading rad. 0: not known.
int view_estimate(const struct dp *d, const struct dp_sensors *sensors, double eta[3]);

// Sends what the controller believed and wanted at its newest sample, when it is due by the wall clock and
// the simulator takes it. Never waits; nothing depends on whether it arrives.
void view_send_if_due(struct dp *d, const struct wire_sensors *sensors, const struct command *command);
