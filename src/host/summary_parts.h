// Private to the summary: its parts, a file each. summary_add_NAME adds the object NAME, or what its comment
// says.
#pragma once

#include "host/host.h"

#include <cjson/cJSON.h>

// Add one member. cJSON writes a number that is not finite as null.
void summary_number(cJSON *to, const char *name, double value);
void summary_text(cJSON *to, const char *name, const char *text);
void summary_hex(cJSON *to, const char *name, uint64_t value);

// What ran, and the sessions of the process (summary_session.c).
void summary_add_session(cJSON *root, const struct host *host);
void summary_add_sessions(cJSON *root, const struct host *host);

// Steps, simulated time, wall clock, lateness; pauses; waits of mode lockstep (summary_times.c).
void summary_add_times(cJSON *root, const struct host *host);
void summary_print_times(const struct host *host);
void summary_add_pauses(cJSON *root, const struct host *host);
void summary_add_waits(cJSON *root, const struct host *host);

// The object real_time: what the system did to the step thread, and the late steps (summary_real_time.c).
void summary_add_real_time(cJSON *root, const struct host *host);
void summary_print_real_time(const struct host *host);

// step_us, wakeup_us and the object latency with their histograms (summary_latency.c).
void summary_add_latency(cJSON *root, const struct host *host);
void summary_print_latency(const struct host *host);

// The state at the end. Quantities: those of hil/quantities.inc, each in the object of its group; without a
// pipe the object "pipe" is null (summary_state.c).
void summary_add_state(cJSON *root, const struct host *host);
void summary_add_energy(cJSON *root, const struct ledger *l);
void summary_add_quantities(cJSON *root, const struct host *host);

// The object hydro: how well the memory of a hydro file fits its data; printed where it is worth a notice
// (summary_hydro.c).
void summary_add_hydro(cJSON *root, const struct host *host);
void summary_print_hydro(const struct host *host);

// Commands, orders and peers (summary_peers.c). Counts: those of the server and of the controller inside.
struct command_counts summary_counts_of(const struct host *host);
void summary_print_refused(const struct host *host);   // by reason; nothing if there are none
void summary_print_commanded(const struct host *host); // and the notices
void summary_add_commands(cJSON *root, const struct host *host);
void summary_add_alarms(cJSON *root, const struct host *host); // of the controller (summary_alarms.c)
void summary_print_alarms(const struct host *host);
void summary_add_orders(cJSON *root, const struct host *host);
void summary_add_nmea(cJSON *root, const struct host *host);
void summary_add_telemetry(cJSON *root, const struct host *host);
void summary_add_security(cJSON *root, const struct host *host);
void summary_add_buses(cJSON *root, const struct host *host); // summary_buses.c

// Files and events (summary_files.c).
void summary_add_checkpoints(cJSON *root, struct host *host);
void summary_add_log(cJSON *root, const struct host *host);
void summary_add_record(cJSON *root, const struct host *host);
void summary_add_console(cJSON *root, const struct host *host);
void summary_add_events(cJSON *root, const struct host *host);
void summary_print_log(const struct host *host);
