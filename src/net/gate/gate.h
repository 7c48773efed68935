// The gate of commands: who is in command, why a command is refused, how events are reported.
#pragma once

#include "net/counts/counts.h"
#include "sagbend/base/base.h"
#include "sagbend/events/events.h"
#include "sagbend/faults/faults.h"
#include "sagbend/signals/signals.h"

#include <stdint.h>

// ------------------------------------------------------------
// The newest of what was refused. Equal refusals are one entry with a count: those of one peer, for one
// reason, with one text but for its numbers and the value that came. The first of them is worth an event, a
// flood is not.

enum {
  REFUSALS_KEPT = 16,
  REFUSALS_SHOWN = 3, // the newest of them, in Status and summary
  REFUSED_PEER = 256, // bytes with the final zero
  REFUSED_TEXT = 256
};

struct refused {
  uint64_t count; // 0: this entry is free
  uint64_t order; // of the newest of them among all refusals
  int64_t newest_ms;
  enum refusal reason;
  char peer[REFUSED_PEER]; // name and number of a controller, or an address
  char text[REFUSED_TEXT]; // of the newest: field, value and limit
};

struct refusals {
  struct refused entry[REFUSALS_KEPT];
  uint64_t count;
  struct budget budget[REFUSAL_COUNT];
  struct unreported unreported; // since the newest sum
};

// Keeps a refusal. Returns whether it is worth an event: the first of its kind, or the first after a minute.
int refusals_keep(struct refusals *refusals, const char *peer, enum refusal reason, const char *text);

// The newest entry but index; NULL: there are not so many.
const struct refused *refusals_newest(const struct refusals *refusals, int index);

// Counts one without an event.
void refusals_leave(struct refusals *refusals, enum refusal reason);
// A sentence with the counts of those without an event, if it is due. Returns 0 otherwise.
int refusals_sum(struct refusals *refusals, char *text, int size);

// ------------------------------------------------------------
// The gate of commands: the controllers that have joined, which of them is in command, and whether a command
// is accepted. Protocol server and field buses pass each command through it. It knows no sockets; its
// time-outs use the monotonic clock. One thread owns a gate.

enum {
  GATE_CONTROLLERS = 16,
  GATE_NAME = 64,         // bytes of an id or a name, with its final zero
  GATE_TEXT = 512,        // bytes of an event's text, with its final zero
  GATE_SILENCE_MS = 3000, // after so long without a message a controller is forgotten, except in lockstep
};

// Share of a thruster's full thrust by which a shadow command may differ from the command in use.
static const double GATE_DIFFERS = 0.1;

// Distance and difference of heading by which the estimate of a controller that stands by may differ from
// that of the one in command: several times the errors of sound references.
static const double GATE_APART_M = 5, GATE_APART_RAD = 0.0872664626; // 5 deg

// Why a controller that stands by is not ready although its shadow commands come; one bit each.
enum {
  FLAW_NO_COMMAND = 1, // it would ask for no thrust
  FLAW_POSITION = 2,   // it reports that it has no position reference
  FLAW_HEADING = 4,    // ... no heading reference
  FLAW_FROZEN = 8,     // its commands stay the same while those in use change
  FLAW_APART = 16,     // its position is another one than that of the one in command
  FLAW_TURNED = 32,    // its heading
  FLAW_TEXT = 256      // bytes of gate_flaw_text with the final zero
};

// What a controller reports of itself beside a command.
struct own_report {
  uint64_t based_on_step; // of the command
  int has_estimate;
  double estimate[3]; // north, east m, heading rad
  int alarms;         // without messages
  int no_position, no_heading;
  char worst[DP_ALARM_TEXT]; // text of the most severe alarm; "": none
};

// A controller that has joined. Its id is a secret: another program that knew it could act in its place, so
// no message to others contains it. Controllers of the same name are distinguished by their numbers.
struct controller {
  int used;
  uint64_t number; // of controllers that joined, from 1
  char id[GATE_NAME];
  char name[GATE_NAME];
  char key[GATE_NAME]; // name of the key by which it is known; empty: it needed none
  int64_t heard_ms;
  int64_t joined_ms;
  int64_t tried_ms;       // when its last valid command came, used or not; 0: none came
  uint64_t last_sequence; // of its messages; joining starts a new sequence
  uint64_t commands;      // of it that were accepted
  int idle_reported;      // nonzero: that it has never commanded

  // Where the case lists controllers:
  int seat;                  // its place in the list; -1: it is not listed, or there is no list
  uint64_t shadows, standby; // shadow commands; commands that were refused because it stands by
  int64_t shadow_ms;         // when its newest shadow command came; 0: none
  uint64_t shadow_step;      // the newest step published then
  int is_announced;          // that it stands by ready has been reported
  int has_lived;             // it sent shadow commands, as last reported
  int claims;                // it commands although it knows that it stands by, as last reported
  double differs;            // its newest shadow command from the command in use, 0 to 2
  int64_t compared_ms;       // when that was found; 0: not since the one in command commands
  uint64_t compared_step;    // the newest step published then
  int64_t differs_ms;        // since when more than GATE_DIFFERS; 0: not now
  uint64_t differs_step;     // the newest step published then
  int differs_reported;
  int fell_silent;  // it was in command until it was silent for the time-out, and has shown nothing since
  int has_answered; // the Sensors of shadow.based_on_step, by a shadow command or as the one in command
  struct command shadow;
  struct own_report report; // beside its newest command of either kind
  // Why it is not ready (FLAW_...): now, and as of the Sensors before those of flaws_step.
  uint32_t flaws, flaws_before;
  uint64_t flaws_step;
  uint32_t flaws_reported; // those that have a line
  uint32_t flaws_seen;     // when they were looked at last, and since when they have been the same
  int64_t flaws_seen_ms;
  uint64_t flaws_seen_step;
  uint64_t effort, effort_in_use; // hashes of the two commands that were compared last
  uint64_t repeats, passed;       // comparisons since effort is the same; of them with another effort_in_use
  int is_apart_known;             // both estimates are
  double apart_m, apart_rad;
  int is_frozen; // by a fault: it repeats this
  struct command frozen;
};

struct gate_text {
  char text[2 * GATE_NAME + 48];
};

struct gate {
  // Set before use.
  struct command_def rules; // only its limits are used
  int lockstep;
  uint64_t timeout_ms;    // of the controller in command
  uint64_t timeout_steps; // time-out in simulated time, for lockstep
  uint64_t max_age_steps; // of the sensors that a command is based on
  // Called with each event; NULL only where no controllers join. The caller limits their number, but for that
  // of the events refused and refused_REASON.
  void (*on_event)(void *context, const char *name, const char *text);
  void *context;

  // Called at each changeover, after its event; NULL: nothing to do.
  void (*on_changeover)(void *context);

  int held;
  int64_t held_since_ms, held_ms; // of the present pause; sum of those that are over

  struct controller controller[GATE_CONTROLLERS];
  uint64_t newcomers; // controllers that have joined
  int in_command;     // index of controller; -1: none
  int64_t commanded_ms;
  uint64_t commanded_step;
  uint64_t beyond_limits;             // commands in a row that were out of range
  uint64_t commander_refused;         // commands out of range of controllers that have commanded
  struct gate_text idle;              // a controller that was reported as never commanding; empty: none
  uint64_t answered_step;             // lockstep: 1 + the newest step that accepts no further answer
  const struct dp_alarm_list *alarms; // of the command that is handed over at present; NULL: none
  struct command_counts counts;
  struct refusals refusals; // the newest, and events about them

  // Where the case lists controllers (rules.controllers; seats.c):
  int seat;                    // whose controller is to command; -1: there is no list
  uint64_t term;               // stamped on each command (struct changeover)
  enum changeover_cause cause; // of the changeover that began it
  uint64_t changed_step;       // the newest step published then
  uint32_t seen;               // seats whose controller has joined in this session, one bit each
  uint32_t cut;                // seats that a fault keeps silent, one bit each
  struct budget claim_budget;  // of events split_brain
  int lost_reported;           // that nobody is left on the side of the switch that commands
  int has_left;                // the controller of the seat has been here and has gone
  uint64_t step;               // the newest step published, as of the last call
  struct command newest;       // accepted last
};

// While no steps are made (a pause) the clock of the gate stands: nobody is forgotten, and no time-out of the
// wall clock goes on. Commands are accepted as usual.
void gate_hold(struct gate *gate, int on);
int64_t gate_clock_ms(const struct gate *gate); // monotonic, without the time of pauses

// Empties the table of controllers and the counters.
void gate_init(struct gate *gate);

// ---- controllers ----

// A free place in the table; if there is none, the idlest controller makes way, but never the one in command.
int gate_make_place(struct gate *gate);
// The controller at this place, which is not in command, makes way for a new one; counted and reported.
void gate_displace(struct gate *gate, int place, int limit); // limit: how many there can be
// A new controller joins at this place (id empty: one without a Hello, on a field bus); one that stood there
// is forgotten. It takes over from a controller of its name that is in command: its predecessor, before a
// restart. step: the newest step published.
void gate_join(struct gate *gate, int place, const char *id, const char *name, uint64_t step);
// The same for a controller that is known by a key. A predecessor has the same key.
void gate_join_with_key(struct gate *gate, int place, const char *id, const char *key, const char *name,
                        uint64_t step);
void gate_heard(struct gate *gate, int place); // a message of this controller came
void gate_leave(struct gate *gate, int place);
// Forgets controllers that have been silent for GATE_SILENCE_MS; in lockstep none.
void gate_forget_silent(struct gate *gate);

// Whether it joined, or was given the command, longer ago than the time-out and none of its commands was
// accepted. In lockstep never: the step waits for it.
int gate_never_commanded(const struct gate *gate, int place);
// Reports each of them once, by the event never_commanded, while no other one is in command.
void gate_report_idle(struct gate *gate);

// The controller with this id and this key (empty: none). -1: unknown.
int gate_find_id(const struct gate *gate, const char *id, const char *key);
int gate_find_number(const struct gate *gate, uint64_t number); // -1: it has gone
// Another controller's place: it has this name and another key. -1: there is none.
int gate_find_namesake(const struct gate *gate, const char *name, const char *key);
// The controller with this number, if the text consists of digits; otherwise the only one of this name.
// STATUS_BAD_INPUT: there is none, or several have the name; why lists their numbers.
enum status gate_find_named(const struct gate *gate, const char *name_or_number, int *place,
                            struct reason *why);
void gate_take_command(struct gate *gate, int place, uint64_t step, const char *how);

struct gate_text gate_controller_text(const struct gate *gate, int place); // name, number, key, for people

// ---- commands ----

// Checks a command of the controller at this place: sequence, limits, who is in command, age.
// current_step: the newest step published. REFUSAL_COUNT: it is accepted, counted and stamped, and the
// controller is in command; otherwise the reason, to be passed to gate_refuse. why: filled if there is more
// to report.
enum refusal gate_admit(struct gate *gate, int place, uint64_t sequence, struct command *command,
                        uint64_t current_step, struct reason *why);

// Counts and keeps what was refused, and reports the first of its kind as an event.
// peer: who sent it, for people. text NULL: refusal_help.
void gate_refuse(struct gate *gate, const char *peer, enum refusal reason, const char *text);
// The same without an event.
void gate_refuse_silently(struct gate *gate, const char *peer, enum refusal reason, const char *text);
// An event with the number of those that had none, if it is due. To be called now and then.
void gate_report_refused(struct gate *gate);

// In lockstep: the session does not wait for an answer to this step, and refuses one that comes as stale.
void gate_refuse_answers(struct gate *gate, uint64_t step);

// ------------------------------------------------------------
// Redundant controllers: the case lists them by name and rank. One seat is to command; only the commands of
// its controller are accepted, those of the others are refused as standby. It changes by an operator's order,
// by a message of the one in command, or when that one has gone or is silent for the time-out: then the ready
// one of the least rank takes over, or, if none is ready, the connected one of the least rank, last of all
// one that was in command before and fell silent. With a backup in the list (class 3) only those on its side
// of the main/backup switch follow by message or loss; orders and events of the scenario move the switch.
// Whoever is in command stays in command: a controller that comes back stands by, and of two that command at
// once the one in command is obeyed. docs/redundancy.md.

int gate_has_seats(const struct gate *gate);

// Begins with this seat (from 0; -1: that of the least rank) in this term, as a state has them.
void gate_begin_seats(struct gate *gate, int seat, uint64_t term);

// The seat that would take over now; -1: none.
int gate_next_seat(const struct gate *gate);

// Whether it stands by, its newest shadow command is not too old, and it has no flaw.
int gate_is_ready(const struct gate *gate, int place);
// Whether it is ready, and its newest shadow command differs by at most GATE_DIFFERS from the command in use.
int gate_follows(const struct gate *gate, int place);
int gate_has_shown_life(const struct gate *gate, int place); // its newest shadow command is not too old

// ---- whether it could command (readiness.c) ----

// What a controller reports beside a command that comes next; estimate NULL: none.
void gate_take_report(struct gate *gate, int place, uint64_t based_on_step,
                      const struct dp_alarm_list *alarms, const double *estimate);
// Two answers to the same Sensors, or a shadow command alone.
void gate_compare(struct gate *gate, struct controller *c);
int gate_is_compared(const struct gate *gate, const struct controller *c); // not too long ago
// Why it is not ready, FLAW_...; 0: nothing is known against it. In lockstep as of the Sensors before, whose
// answers have all come.
uint32_t gate_flaws(const struct gate *gate, const struct controller *c);
// The same for people: "no position reference; its position is 12.3 m from that of dp-a". "": none.
void gate_flaw_text(const struct gate *gate, const struct controller *c, char text[FLAW_TEXT]);
int gate_is_over(const struct gate *gate, int64_t since_ms, uint64_t since_step); // the time-out

// An operator's order of this number gives the command to the controller of this seat. If that one is in
// command nothing changes.
void gate_give_by_order(struct gate *gate, int seat, uint64_t order, uint64_t step, const char *how);
// An event of the scenario has given it to this seat (from 1; 0: it has not) in this term.
void gate_give_by_event(struct gate *gate, uint64_t seat, uint64_t term, uint64_t step);

// Seat of the listed controller of this name or number; -1: none.
int gate_find_listed(const struct gate *gate, const char *name);
int gate_place_at(const struct gate *gate, int seat); // of its controller; -1: none has joined
// Whether the seat is on the other side of the main/backup switch than the one that commands.
int gate_is_behind_switch(const struct gate *gate, int seat);

// Now and then: changes the command if its controller is lost, and reports who stands by.
void gate_watch_seats(struct gate *gate, uint64_t step);

// Whether the controller at this place may command. REFUSAL_COUNT: it may.
enum refusal gate_check_seat(struct gate *gate, int place, const struct command *command,
                             uint64_t current_step, struct reason *why);

// A shadow command: nothing acts. REFUSAL_COUNT: it is counted.
enum refusal gate_take_shadow(struct gate *gate, int place, uint64_t sequence, const struct command *command,
                              uint64_t current_step, struct reason *why);

// The seat to which a command hands over, from 1. STATUS_BAD_INPUT: there is no such controller.
enum status gate_find_hand_over(const struct gate *gate, const char *name, uint64_t *seat,
                                struct reason *why);

// In lockstep a session begins when all that the case lists are there. Name of one that has never come; NULL:
// none is missing.
const char *gate_awaits_listed(const struct gate *gate);

// In lockstep: whether a controller that stands by has not answered the Sensors of this step yet; the same of
// one of them.
int gate_awaits_shadow(const struct gate *gate, uint64_t step);
int gate_awaits_shadow_of(const struct gate *gate, int place, uint64_t step);

// After a command was accepted: stamps it, compares it with the shadow commands, and hands over if it says
// so.
void gate_stamp(struct gate *gate, struct command *command, uint64_t current_step);

// What the faults of the present state do to a command of the controller at this place. 0: it does not come.
int gate_apply_faults(struct gate *gate, int place, const struct fault_set *faults, struct command *command);
// Which seats the faults keep silent.
void gate_take_faults(struct gate *gate, const struct fault_set *faults);
int gate_is_cut(const struct gate *gate, int seat);

// A controller has joined or left.
void gate_seat_joined(struct gate *gate, int place, uint64_t step);
void gate_seat_left(struct gate *gate, int place);

// Whether a controller that is connected holds the seat of this name; who: for people.
int gate_seat_is_taken(const struct gate *gate, const char *name, const char *id, struct gate_text *who);

// ------------------------------------------------------------
// A master on a field bus: a controller without messages of the protocol. It writes values, and each accepted
// write becomes one command that names every thruster which this master has written since it joined, and
// contains the tensioner's order if it has written that. A
// command replaces the one before it in the same step, so it must be complete. A repeated value and a
// heartbeat make a command too: they show that the master is alive.

// Bit of a set of thrusters that stands for the tensioner.
#define BUS_TENSIONER (UINT32_C(1) << 31)

// Of a set-point that came before the session began.
#define BUS_OF_BEFORE "it came before this session began, and was meant for the one before"

// What a bus last accepted; it keeps the values that a write leaves out.
struct bus_image {
  int thruster_count;
  struct thruster_setpoint setpoint[MAX_THRUSTERS];
  struct tensioner_setpoint tensioner; // mode, and the set-points of all modes
  int standby;                         // 1: commands ask for nothing
};

struct bus_master {
  char name[GATE_NAME]; // of the controller, such as "modbus:10.0.0.5"
  uint64_t number;      // of the controller at the gate; 0: it has not joined
  struct dp_alarm_list
      alarms;       // alarms that the controller has reported as in force: each command brings them
  uint32_t written; // thrusters that it has written, one bit each, and BUS_TENSIONER
};

// Where a write goes.
struct bus_inbox {
  struct gate *gate;
  uint64_t current_step; // the newest step published
  void (*on_command)(void *context, const struct command *command);
  void *context;
};

// Place of the master at the gate; -1: it has not joined, or has been forgotten.
int bus_master_place(const struct bus_master *master, const struct gate *gate);
// It has sent something. Of one that the gate has forgotten meanwhile nothing is kept.
void bus_master_heard(struct bus_master *master, struct gate *gate);
void bus_master_leave(struct bus_master *master, struct gate *gate); // its connection has gone

// A write that leads from *image to *next and writes these thrusters. The master joins if necessary. Returns
// REFUSAL_COUNT: accepted; *image is *next, and on_command has been called. Otherwise the reason, which has
// been counted and reported with why.
enum refusal bus_master_write(struct bus_master *master, struct bus_image *image,
                              const struct bus_image *next, uint32_t thrusters, uint64_t based_on_step,
                              const struct bus_inbox *inbox, struct reason *why);

// A write with a value that cannot be used: counts and reports it. The master joins if necessary.
enum refusal bus_master_refuse(struct bus_master *master, enum refusal reason, const struct bus_inbox *inbox,
                               const struct reason *why);
