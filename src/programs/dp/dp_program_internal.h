// State of sagbend-dp, and what it prints on stderr: notices, a status line on a terminal, a summary.
#pragma once

#include "programs/dp/dp_program.h"
#include "programs/dp/telegrams.h"

#include "sagbend/dp/dp.h"
#include "sagbend/case/config.h"
#include "net/server/client.h"

struct dp {
  const struct dp_options *options;
  struct dp_config config;
  struct client *client;
  struct dp_telegrams telegrams;
  struct dp_state state;
  struct dp_work work;
  char session[WIRE_NAME];
  uint64_t setpoint_order; // operator's order whose set-point is adopted; 0: that of the DP file
  uint64_t track_order;    // newest operator's order for the route that is adopted; 0: none
  int paused;              // the simulator makes no steps, as last reported
  int standby, active;     // what was last reported to people
  int has_answer;          // in this session:
  struct command answer;
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
