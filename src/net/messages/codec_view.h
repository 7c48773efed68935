// Messages for those who look on: Session, what the topic "status" adds to a Status, and ControllerView.
// Plain structs, packed and read as in messages.h.
#pragma once

#include "sagbend/rig/scenario.h"
#include "net/messages/messages.h"

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
