// Private to the codec: packing (wire_fill_...) and reading (wire_read_...) of parts of messages. What fill
// writes points into its arguments, which must live until the message is packed. Every read function returns
// STATUS_BAD_INPUT with the field at fault.
#pragma once

#include "net/counts/counts.h"
#include "net/messages/messages.h"
#include "sagbend/rig/rig.h"
#include "sagbend/signals/signals.h"

#include "sagbend/v1/operator.pb-c.h"
#include "sagbend/v1/security.pb-c.h"
#include "sagbend/v1/session.pb-c.h"
#include "sagbend/v1/telemetry.pb-c.h"

// Sets the fields of a message, or of a part of one, that the rows of sagbend/rig/quantities.inc name.
// view->target is read by those of the group ROUTE only. Fields of other quantities are left as they are.
void wire_fill_quantities(void *part, enum quantity_message message, const struct loop_view *view);
// The values of those fields; NaN of each where there is no part (NULL).

// Both add to out.
enum status wire_read_instruments(const Sagbend__V1__Instruments *message, struct readings *out,
                                  struct reason *why);
enum status wire_read_power(const Sagbend__V1__Sensors *message, struct power_feedback *out,
                            struct reason *why);
enum status wire_read_thrusters(const Sagbend__V1__Sensors *message, struct readings *out,
                                struct reason *why);

// What the system did to the simulation thread.
struct late_step_message {
  Sagbend__V1__LateStep message;
  Sagbend__V1__StageTime stage[STEP_STAGE_COUNT], *stages[STEP_STAGE_COUNT];
};
struct real_time_message {
  struct late_step_message newest, worst;
};
void wire_fill_real_time(const struct real_time *from, struct real_time_message *parts,
                         Sagbend__V1__Timing *out);
void wire_fill_clock(const struct rig_time *from, Sagbend__V1__RigClock *out);
// UTC of a simulated time; 0: the frame knows none.
uint64_t wire_utc_ns(const struct frame *frame, double time_s);
// Stage times and histograms; times may be NULL.
struct times_message {
  Sagbend__V1__StageTime stage[STEP_STAGE_COUNT], *stages[STEP_STAGE_COUNT];
  Sagbend__V1__Histogram step, wakeup;
};
void wire_fill_times(const struct timing *timing, const struct wire_times *times, struct times_message *parts,
                     Sagbend__V1__Timing *out);
void wire_fill_security(const struct security_counts *counts, Sagbend__V1__Security *out);

enum status wire_read_hold(const Sagbend__V1__Pause *message, struct wire_hold *out, struct reason *why);

enum status wire_read_controller_view(const Sagbend__V1__ControllerView *message,
                                      struct wire_controller_view *out, struct reason *why);

// The tensioner in Truth and Sensors, in a Welcome.
void wire_fill_tensioner_state(const struct tensioner_output *from, Sagbend__V1__TensionerState *out);
// The present operation. out contains the name of from.
void wire_fill_operation(struct operation_output *from, Sagbend__V1__OperationState *out);
void wire_fill_tensioner_info(const struct wire_tensioner *from, Sagbend__V1__TensionerInfo *out);
void wire_read_tensioner_info(const Sagbend__V1__TensionerInfo *message, struct wire_tensioner *out);

// A session manager's part of a Receipt.
struct manager_message {
  Sagbend__V1__ManagerResponse message;
  Sagbend__V1__ManagerStatus status;
  Sagbend__V1__SessionEnd last;
  char *lines[WIRE_LINES];
  Sagbend__V1__CaseInfo case_item[WIRE_LISTED], *cases[WIRE_LISTED];
  Sagbend__V1__LogInfo log_item[WIRE_LISTED], *logs[WIRE_LISTED];
  Sagbend__V1__LogPiece piece;
};
void wire_fill_manager(const struct wire_manager *from, struct manager_message *out);
// Thrusters and buses in a Welcome.
struct plant_message {
  Sagbend__V1__ThrusterInfo thruster[MAX_THRUSTERS];
  Sagbend__V1__ThrusterInfo *thrusters[MAX_THRUSTERS];
  Sagbend__V1__ForbiddenZone sector[MAX_THRUSTERS][MAX_SECTORS];
  Sagbend__V1__ForbiddenZone *sectors[MAX_THRUSTERS][MAX_SECTORS];
  Sagbend__V1__BusInfo bus[MAX_BUSES];
  Sagbend__V1__BusInfo *buses[MAX_BUSES];
};
void wire_fill_plant(const struct plant_def *def, struct plant_message *out, Sagbend__V1__Welcome *welcome);
enum status wire_read_plant(const Sagbend__V1__Welcome *welcome, struct plant_def *out, struct reason *why);

// Instruments, set-point and vessel in a Welcome.
void wire_fill_track(const struct wire_track *from, Sagbend__V1__Track *out);
enum status wire_read_track(const Sagbend__V1__Track *message, struct wire_track *out, struct reason *why);

struct welcome_message {
  Sagbend__V1__InstrumentInfo instrument[MAX_INSTRUMENTS];
  Sagbend__V1__InstrumentInfo *instruments[MAX_INSTRUMENTS];
  Sagbend__V1__Setpoint setpoint;
  Sagbend__V1__Track track;
  Sagbend__V1__VesselInfo vessel;
  Sagbend__V1__TensionerInfo tensioner;
  Sagbend__V1__Redundancy redundancy;
  double inertia[36], added_mass[36];
};
void wire_fill_welcome(const struct wire_welcome *from, struct welcome_message *out,
                       Sagbend__V1__Welcome *welcome);
enum status wire_read_welcome(const Sagbend__V1__Welcome *welcome, struct wire_welcome *out,
                              struct reason *why);

// A Welcome with all its parts, without a header.
struct whole_welcome_message {
  Sagbend__V1__Welcome message;
  Sagbend__V1__BodyWrench hold, limit;
  Sagbend__V1__Integrator integrator;
  struct plant_message plant;
  struct welcome_message parts;
};
void wire_fill_whole_welcome(const struct wire_welcome *welcome, struct whole_welcome_message *out);

// Thrusters and buses in a Truth.
struct plant_truth_message {
  Sagbend__V1__BodyWrench wrench;
  Sagbend__V1__ThrusterTruth thruster[MAX_THRUSTERS];
  Sagbend__V1__ThrusterTruth *thrusters[MAX_THRUSTERS];
  Sagbend__V1__BusTruth bus[MAX_BUSES];
  Sagbend__V1__BusTruth *buses[MAX_BUSES];
  Sagbend__V1__PowerPlant power;
  Sagbend__V1__GeneratorTruth generator[MAX_GENERATORS];
  Sagbend__V1__GeneratorTruth *generators[MAX_GENERATORS];
  Sagbend__V1__TieTruth tie[MAX_TIES];
  Sagbend__V1__TieTruth *ties[MAX_TIES];
  Sagbend__V1__BatteryTruth battery[MAX_BATTERIES];
  Sagbend__V1__BatteryTruth *batteries[MAX_BATTERIES];
};
void wire_fill_plant_truth(const struct loop_view *view, const struct readings *told,
                           struct plant_truth_message *out, Sagbend__V1__Truth *truth);
