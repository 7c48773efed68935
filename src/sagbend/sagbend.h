// sagbend.h: the simulator as a library. C11 and C++. It prints nothing, exits nowhere, starts no thread,
// installs no signal handler and keeps no state that changes outside the two handles:
//
//   sagbend_case     a case, read and checked; constant: it serves any number of simulations and threads
//   sagbend_sim      a simulation of it; one thread at a time, different ones in different threads
//
// Units are SI and angles radians, in names too (heading_rad). Frames: world is north, east, down from the
// world's origin; body is forward, starboard, down from the vessel's reference point. The same case, inputs
// and build of the library give the same bits as `sagbend run`, whatever locale, rounding or flush-to-zero
// the host has set: every function computes in the C locale, rounds to nearest, and restores both.
//
// Errors: a function that can fail returns a status and fills *error, which may be NULL. Nothing has changed
// then, unless its comment states otherwise. Texts that a function returns live as long as the handle.
//
// Binary interface: a struct begins with its size, which the caller sets to the sizeof that it was compiled
// with; the library reads and writes no more than that, and later versions add members at the end only.
// Variables are asked for by name or number, so that a new one changes no struct; a number follows from the
// name alone.
#ifndef SAGBEND_H
#define SAGBEND_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#define SAGBEND_API __attribute__((visibility("default")))
#else
#define SAGBEND_API
#endif

#define SAGBEND_API_VERSION 3 // rises with every function or member that is added

typedef struct sagbend_case sagbend_case;
typedef struct sagbend_sim sagbend_sim;

typedef enum sagbend_status {
  SAGBEND_OK = 0,
  SAGBEND_BAD_INPUT = 1, // a file, a key, a name, a value, an order, a state
  SAGBEND_NO_MEMORY = 2,
  SAGBEND_NOT_CONVERGED = 3, // the case has no static equilibrium that was found
  SAGBEND_IO = 4,            // the journal cannot be written; a file that cannot be read is BAD_INPUT
  SAGBEND_FAULT = 5,         // the simulation has latched a fault and does not advance
  SAGBEND_WRONG_CALL = 6 // NULL, a struct without its size, a number that is no variable, too small an array
} sagbend_status;

typedef struct sagbend_error {
  size_t size;
  int32_t status;
  int32_t line, column; // from 1; 0: of no place in a file
  char file[256];       // "": of no file; "--set": of an override
  char key[96];         // "vessel.mass_kg"; "": none
  char text[512];       // for people; it contains the key
} sagbend_error;

// ---- Versions ----

SAGBEND_API uint32_t sagbend_api_version(void);
SAGBEND_API const char *sagbend_version(void); // "0.1.0"
SAGBEND_API const char *sagbend_build(void);   // id of the machine code that computes: same id, same bits
// "unknown": the program was linked without --build-id; its states serve this process only.
SAGBEND_API const char *sagbend_status_text(int status);

// ---- Cases ----

enum {
  SAGBEND_CONTROLLER_INSIDE = 0, // as `run --mode fast`: the controller of the case runs inside
  SAGBEND_CONTROLLER_CALLER = 1, // as `run --mode lockstep`: the caller is the controller (sagbend_set)
  // The controller without the vessel: inputs are what a vessel's simulation gives (sensor, feedback, power,
  // link and, without instruments, vessel and pipe), outputs are command. At each control sample within
  // sagbend_step it answers the present inputs as sagbend-dp does. It has no orders, events, verdicts, pipe
  // and journal; sagbend_hash is that of all its commands so far.
  SAGBEND_CONTROLLER_ALONE = 2
};

// Reads a case with its files. overrides: count texts "key.path=value", as --set (NULL with count 0); none of
// simulation.mode, which follows from controller.
// Sections that only a session needs (sockets, buses, log) are not read. On an error *out is either NULL or a
// case that contains the errors and serves nothing else; error is the first of them. Release *out with
// sagbend_case_close.
SAGBEND_API sagbend_status sagbend_case_open(const char *path, const char *const *overrides, size_t count,
                                             int controller, sagbend_case **out, sagbend_error *error);

// A file on which the steps depend. path: relative to the folder of the case, as the texts name it; "": the
// case itself.
typedef struct sagbend_file {
  size_t size;
  const char *path, *text;
  size_t bytes; // of text; it need not end with a zero
} sagbend_file;

// The same from memory; nothing is read from the disk. name: of the case in errors. files: at most 34, by the
// paths that sagbend_case_file gives; those that the case does not name are ignored.
SAGBEND_API sagbend_status sagbend_case_open_text(const char *name, const char *text, size_t bytes,
                                                  const sagbend_file *files, size_t file_count,
                                                  const char *const *overrides, size_t count, int controller,
                                                  sagbend_case **out, sagbend_error *error);
SAGBEND_API void sagbend_case_close(sagbend_case *c); // after its simulations; accepts NULL

SAGBEND_API size_t sagbend_case_error_count(const sagbend_case *c); // 0: the case can be simulated
SAGBEND_API sagbend_status sagbend_case_error(const sagbend_case *c, size_t index, sagbend_error *out);
SAGBEND_API size_t sagbend_case_file_count(const sagbend_case *c); // the case itself is the first
SAGBEND_API sagbend_status sagbend_case_file(const sagbend_case *c, size_t index, sagbend_file *out);
SAGBEND_API const char *sagbend_case_name(const sagbend_case *c);
SAGBEND_API uint64_t sagbend_case_hash(const sagbend_case *c); // of all on which the steps depend

// ---- Simulations ----

// Begins at the static equilibrium. c must outlive the simulation. Release with sagbend_close.
SAGBEND_API sagbend_status sagbend_open(const sagbend_case *c, sagbend_sim **out, sagbend_error *error);
// The same beside a simulation of the same case that has made no step: its equilibrium serves, and what no
// step changes is shared, which saves most of the time and half of the memory. first may be closed before;
// what is shared goes with the last of them.
SAGBEND_API sagbend_status sagbend_open_beside(const sagbend_sim *first, sagbend_sim **out,
                                               sagbend_error *error);
SAGBEND_API void sagbend_close(sagbend_sim *s); // accepts NULL

// Back to step 0, without inputs, and with the events of step 0 alone.
SAGBEND_API sagbend_status sagbend_reset(sagbend_sim *s, sagbend_error *error);

// Makes so many steps with the present inputs. *done (may be NULL): steps made. SAGBEND_FAULT: a fault has
// been latched, now or before. SAGBEND_NO_MEMORY: the steps are made, and an event since the last call
// could not be kept. SAGBEND_IO: the steps are made, and the journal lacks what was done since; told once.
SAGBEND_API sagbend_status sagbend_step(sagbend_sim *s, uint64_t steps, uint64_t *done);

SAGBEND_API double sagbend_time(const sagbend_sim *s);    // simulated, s
SAGBEND_API uint64_t sagbend_steps(const sagbend_sim *s); // made since the start
SAGBEND_API double sagbend_step_s(const sagbend_sim *s);
SAGBEND_API double sagbend_period_s(const sagbend_sim *s);   // of control: measurements and commands
SAGBEND_API double sagbend_duration_s(const sagbend_sim *s); // as the case states it; 0: without an end
SAGBEND_API uint64_t sagbend_hash(const sagbend_sim *s);     // of the state, as `run --hashes` writes it
SAGBEND_API size_t
sagbend_memory(const sagbend_sim *s); // bytes of this simulation, without its case and what it shares

// ---- Variables ----

enum { SAGBEND_OUTPUT, SAGBEND_READING, SAGBEND_INPUT };   // kinds
enum { SAGBEND_REAL, SAGBEND_INTEGER, SAGBEND_BOOLEAN };   // types; values are doubles in every case
enum { SAGBEND_CAN_BE_UNDEFINED = 1, SAGBEND_EXISTS = 2 }; // flags: NaN at times; this case has it

// Outputs are the quantities of docs/outputs.md ("pipe.hangoff_tension_n") and the ledger
// ("ledger.work.wind_j"); readings "sensor.NAME.CHANNEL", "feedback.THRUSTER.VALUE", "power.bus.NAME.VALUE"
// and, where the caller is the controller, "link.VALUE", what a message to it has beside them. Inputs are a
// controller's command: "command.engaged", "command.wrench.surge_n", "command.thruster.NAME.revolutions_rpm",
// "command.tensioner.mode"; there are none with the controller inside.
typedef struct sagbend_variable {
  size_t size;
  uint32_t id; // 31-bit FNV-1a of name, never 0
  int32_t kind, type, flags;
  const char *name, *unit, *meaning; // unit "1": a number without one
  double least, most;                // of an input; infinite: no limit
} sagbend_variable;

SAGBEND_API size_t sagbend_variable_count(const sagbend_sim *s);
SAGBEND_API sagbend_status sagbend_variable_at(const sagbend_sim *s, size_t index, sagbend_variable *out);
SAGBEND_API uint32_t sagbend_find(const sagbend_sim *s, const char *name); // number of a variable; 0: none

// Values of count variables. What this case does not have is NaN.
SAGBEND_API sagbend_status sagbend_get(const sagbend_sim *s, const uint32_t *ids, size_t count,
                                       double *values);

// Sets inputs, all of them or, on an error, none: each must be finite and within its limits, and the vessel
// must accept them together as a command. While command.engaged is 1 they reach the vessel at each control
// sample, through the checks, the faults of the link and the time-outs of any controller's command, and act
// in the next step. Until it is first 1 no command comes, and the wrench of the equilibrium holds the vessel;
// 0 after that: standby. A thruster is commanded while command.thruster.NAME.commanded is 1.
SAGBEND_API sagbend_status sagbend_set(sagbend_sim *s, const uint32_t *ids, size_t count,
                                       const double *values, sagbend_error *error);
// Commands that were refused after all, such as a wrench beyond the hand-over; newest: why the newest was.
SAGBEND_API uint64_t sagbend_commands_refused(const sagbend_sim *s, sagbend_error *newest);
// 1: a controller would now receive measurements and answer with a command.
SAGBEND_API int sagbend_sensors_due(const sagbend_sim *s);

// ---- Orders ----

// An operator's order to the vessel in the words of `sagbend ctl`: "fault no_output --target gnss_1 --for
// 20", "set-point --north 20", "tensioner tension 1.5e6", "clear all". It is in effect from the next step on.
// *number (may be NULL): counts orders from 1. Orders to a run (pause, restore, stop) are refused.
SAGBEND_API sagbend_status sagbend_order(sagbend_sim *s, const char *words, uint64_t *number,
                                         sagbend_error *error);

// ---- Events and verdicts ----

typedef struct sagbend_event {
  size_t size;
  uint64_t step;
  double time_s;
  char name[32], text[256]; // docs/events.md
} sagbend_event;
SAGBEND_API size_t sagbend_event_count(const sagbend_sim *s); // since step 0
SAGBEND_API sagbend_status sagbend_event_at(const sagbend_sim *s, size_t index, sagbend_event *out);

enum { SAGBEND_PASSED, SAGBEND_FAILED, SAGBEND_NOT_JUDGED };
typedef struct sagbend_verdict {
  size_t size;
  const char *name;
  int32_t result;         // so far
  uint64_t violated_step; // UINT64_MAX: not violated
  double worst_value, worst_margin;
} sagbend_verdict;
SAGBEND_API size_t sagbend_verdict_count(const sagbend_sim *s);
SAGBEND_API sagbend_status sagbend_verdict_at(const sagbend_sim *s, size_t index, sagbend_verdict *out);

// ---- The pipe ----

// Rows of the nodes from the lower end to the hang-off: north, east, down (m, world), arc length (m),
// effective tension (N), utilisation (NaN without a code check). Their number changes where pipe is paid out.
enum { SAGBEND_NODE_COLUMNS = 6 };
SAGBEND_API size_t sagbend_node_count(const sagbend_sim *s); // 0: no pipe
// rows: room for row_count rows of SAGBEND_NODE_COLUMNS; at least sagbend_node_count of them.
SAGBEND_API sagbend_status sagbend_nodes(const sagbend_sim *s, double *rows, size_t row_count);

// ---- States ----

// A state with its inputs, in bytes that any process with this build of the library and this case can
// restore. They end with a hash, which finds damage and not intent. With a journal (sagbend_journal) the call
// writes to it: not at the same time as another one on s.
SAGBEND_API size_t sagbend_snapshot_size(const sagbend_sim *s);
SAGBEND_API sagbend_status sagbend_snapshot(const sagbend_sim *s, void *bytes, size_t size);
// Events of later steps are forgotten; those of orders given at the very step of the state stay. Everything
// is checked first: after an error the state is as before.
SAGBEND_API sagbend_status sagbend_restore(sagbend_sim *s, const void *bytes, size_t size,
                                           sagbend_error *error);

// ---- Many steps ----

// For each k < rows: sets inputs[k][0..input_count), makes `every` steps, gets outputs[k][0..output_count).
// Arrays are contiguous, row by row. *done (may be NULL): rows whose steps are made and whose outputs are
// there. It ends at the first error. One thread; who wants more opens a simulation for each.
SAGBEND_API sagbend_status sagbend_rollout(sagbend_sim *s, size_t rows, uint64_t every,
                                           const uint32_t *input_ids, size_t input_count,
                                           const double *inputs, const uint32_t *output_ids,
                                           size_t output_count, double *outputs, size_t *done,
                                           sagbend_error *error);

// ---- The journal ----

// From now on writes into a new file what the host does to s: the case with its files, commands, orders,
// states saved and restored, and the hash of the state after each step. sagbend_close ends it; a journal
// without that end counts as incomplete. `sagbend log from-journal` computes the steps again, compares and
// writes session logs. s must be at its start: no step, order or state. SAGBEND_IO: the file cannot be made,
// or exists.
SAGBEND_API sagbend_status sagbend_journal(sagbend_sim *s, const char *path, sagbend_error *error);

#ifdef __cplusplus
}
#endif
#endif
