// The section validity: limits of the model.
#include "sagbend/case/config_sections.h"

static const struct key_def KEYS[] = {
    {"validity", AS_SECTION, .optional = 1,
     .doc = "Limits of the model. Beyond one an event is raised, which fails the run unless "
            "simulation.on_event says otherwise."},
    {"validity.angle_deg", AS_NUMBER, .range = LIMITED, .low = 1, .high = 180, .degrees = 1, .fallback = "45",
     AT(out.sim.validity.angle_rad), .unit = "deg",
     .doc = "Largest roll or pitch of a vessel with hydrostatics, which are linear."},
    {"validity.hangoff_depth_m", AS_NUMBER, .range = POSITIVE, .optional = 1,
     AT(out.sim.validity.hangoff_depth_m), .unit = "m",
     .doc =
         "Largest depth of the hang-off under the mean sea surface. Absent: a hang-off that starts more than "
         "1 m above the water stays above it, another one goes no deeper than twice the "
         "draught (vessel.hull.draft_m or vessel.waves.draft_m, without them 10 m)."},
    {"validity.strain", AS_NUMBER, .range = POSITIVE, .fallback = "0.05", AT(out.sim.validity.strain),
     .doc = "Largest longitudinal strain of the pipe's steel."},
    {"validity.brard_number", AS_NUMBER, .range = POSITIVE, .fallback = "0.25",
     AT(out.sim.validity.brard_number),
     .doc =
         "Largest horizontal speed through the water of a vessel with a hydro file in waves, times 2 pi/(g "
         "peak period): the file holds for a vessel without way."},
    {"validity.sinking_diameters", AS_NUMBER, .range = POSITIVE, .fallback = "0.5",
     AT(out.sim.validity.sinking_diameters),
     .doc = "Largest penetration of the pipe into the seabed, in outer diameters."},
};

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = ""}};
const struct config_section VALIDITY_SECTION = {GROUPS, 1, NULL, NULL, NULL};
