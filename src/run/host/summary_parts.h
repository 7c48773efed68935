// Private to the summary: what its files share. summary_add_NAME adds the object NAME, or what its comment
// says.
#pragma once

#include "run/host/host.h"

#include <cjson/cJSON.h>

// Add one member. cJSON writes a number that is not finite as null.
void summary_number(cJSON *to, const char *name, double value);
void summary_text(cJSON *to, const char *name, const char *text);
// Adds an object to a list and returns it.
cJSON *summary_item(cJSON *list);

// ---- summary_state.c ----
// Steps, simulated time, wall clock, lateness, and the object real_time: what the system did to the step
// thread, the late steps.
void summary_add_times(cJSON *root, const struct host *host);
void summary_print_times(const struct host *host);
void summary_print_real_time(const struct host *host);
void summary_add_pauses(cJSON *root, const struct host *host);
void summary_add_waits(cJSON *root, const struct host *host); // of mode lockstep
// step_us, wakeup_us and the object latency with their histograms.
void summary_add_latency(cJSON *root, const struct host *host);
void summary_print_latency(const struct host *host);

// ---- host_summary_state.c ----
// The state at the end. Quantities: those of sagbend/rig/quantities.inc, each in the object of its group; without a
// pipe the object "pipe" is null.
void summary_add_state(cJSON *root, const struct host *host);
void summary_add_energy(cJSON *root, const struct ledger *l);
void summary_add_quantities(cJSON *root, const struct host *host);
// The object hydro: how well the memory of a hydro file fits its data; printed where it is worth a notice.
void summary_add_hydro(cJSON *root, const struct host *host);
void summary_print_hydro(const struct host *host);

// ---- summary_peers.c ----
// Commands, orders and peers. Counts: those of the server and of the controller inside.
struct command_counts summary_counts_of(const struct host *host);
void summary_print_refused(const struct host *host);   // by reason; nothing if there are none
void summary_print_commanded(const struct host *host); // and the notices
void summary_add_commands(cJSON *root, const struct host *host);
void summary_add_alarms(cJSON *root, const struct host *host); // of the controller
void summary_print_alarms(const struct host *host);
void summary_add_orders(cJSON *root, const struct host *host);
void summary_add_nmea(cJSON *root, const struct host *host);
void summary_add_telemetry(cJSON *root, const struct host *host);
void summary_add_security(cJSON *root, const struct host *host);
void summary_add_buses(cJSON *root, const struct host *host); // the object field_buses
