// The schema of a configuration. Units are in the key names; angles are given in degrees and stored in
// radians.
#include "io/config/config_draft.h"
#include "io/config/config_instruments.h"
#include "io/config/config_plant.h"
#include "io/config/config_scenario.h"
#include "io/config/config_weather.h"

#define AT(member)      .offset = offsetof(struct config_draft, member)
#define IN_LOAD(member) .offset = offsetof(struct load_draft, member)
#define IN_PORT(member) .offset = offsetof(struct nmea_port_def, member)
#define WORD_AT(member) .word_offset = offsetof(struct config_draft, member)

// One row a key reads best.
// clang-format off
#define PROFILE_KEYS(prefix, record, member)                                                                          \
  {prefix ".start_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", .offset = offsetof(record, member.start_s), .unit = "s", \
   .doc = "It is zero before."},                                                                                      \
  {prefix ".stop_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", .offset = offsetof(record, member.stop_s), .unit = "s", \
   .doc = "It is zero from here on; 0: never."},                                                                      \
  {prefix ".ramp_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", .offset = offsetof(record, member.ramp_s), .unit = "s", \
   .doc = "Length of the smooth ramps after start_s and before stop_s; 0: a jump."},                                  \
  {prefix ".variation", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", .offset = offsetof(record, member.variation), \
   .doc = "Amplitude of an oscillation about the value, as a fraction of it."},                                       \
  {prefix ".period_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", .offset = offsetof(record, member.period_s), .unit = "s", \
   .doc = "Period of the oscillation; 0: none."},                                                                      \
  {prefix ".table", AS_ITEMS, .size = MAX_PROFILE_ROWS, .optional = 1, .offset = offsetof(record, member.table),       \
   .item_size = sizeof(struct table_row), .count_offset = offsetof(record, member.rows),                              \
   .doc = "Instead of the keys above: factors at growing times, constant before the first and after the last."},      \
  {prefix ".table[].time_s", AS_NUMBER, .range = NOT_NEGATIVE, .offset = offsetof(struct table_row, time_s), .unit = "s", \
   .doc = "Simulated time."},                                                                                         \
  {prefix ".table[].factor", AS_NUMBER, .offset = offsetof(struct table_row, value), .doc = "On the value."},         \
  {prefix ".interpolation", AS_WORD, .words = {"linear", "spline"}, .fallback = "linear", .word_offset = offsetof(record, member.kind), \
   .doc = "Of the table. spline: cubic, smooth, at rest at both ends; it may swing beyond the rows' values."}

// What a stretch of pipe is made of. inherits: what is absent is the pipe's; zero: the fallback where it does not.
#define SECTION_KEYS(prefix, record, member, inherits, zero) \
  {prefix ".outer_diameter_m", AS_NUMBER, .range = POSITIVE, .optional = inherits, .offset = offsetof(record, member.outer_diameter_m), .unit = "m", .doc = "For buoyancy, drag and contact."}, \
  {prefix ".inner_diameter_m", AS_NUMBER, .range = NOT_NEGATIVE, .optional = inherits, .fallback = zero,               \
   .offset = offsetof(record, member.inner_diameter_m), .unit = "m", .doc = "For the content; 0: no content."},        \
  {prefix ".steel_diameter_m", AS_NUMBER, .range = NOT_NEGATIVE, .optional = inherits, .fallback = zero,               \
   .offset = offsetof(record, member.steel_diameter_m), .unit = "m", .doc = "Outer diameter of the steel, whose strain is reported; 0: the outer diameter."}, \
  {prefix ".mass_kgpm", AS_NUMBER, .range = POSITIVE, .optional = inherits, .offset = offsetof(record, member.mass_kgpm), .unit = "kg/m", .doc = "In air; with content where content_density_kgpm3 is 0."}, \
  {prefix ".inertia_kgm", AS_VECTOR, .size = 3, .range = POSITIVE, .optional = inherits, .offset = offsetof(record, member.inertia_kgm), .unit = "kg m", \
   .doc = "Moments of inertia per length: about the axis, then the two transverse ones."},                             \
  {prefix ".axial_stiffness_n", AS_NUMBER, .range = POSITIVE, .optional = inherits, .offset = offsetof(record, member.axial_stiffness_n), .unit = "N", .doc = "EA."}, \
  {prefix ".shear_stiffness_n", AS_NUMBER | AS_VECTOR, .size = 2, .range = POSITIVE, .optional = inherits, .offset = offsetof(record, member.shear_stiffness_n), .unit = "N", .doc = "GA2, GA3, or one for both."}, \
  {prefix ".torsion_stiffness_nm2", AS_NUMBER, .range = POSITIVE, .optional = inherits, .offset = offsetof(record, member.torsion_stiffness_nm2), .unit = "N m2", .doc = "GJ."}, \
  {prefix ".bending_stiffness_nm2", AS_NUMBER | AS_VECTOR, .size = 2, .range = POSITIVE, .optional = inherits, .offset = offsetof(record, member.bending_stiffness_nm2), .unit = "N m2", .doc = "EI2, EI3, or one for both."}, \
  {prefix ".curvature_1pm", AS_VECTOR, .size = 2, .optional = 1, .offset = offsetof(record, member.curvature_1pm), .unit = "1/m", \
   .doc = "Of the unstressed pipe, about its axes t2 and t3; none: straight."},                                        \
  {prefix ".drag_transverse", AS_NUMBER, .range = NOT_NEGATIVE, .optional = inherits, .offset = offsetof(record, member.drag_transverse), .doc = "Morison coefficient across the axis, on the outer diameter."}, \
  {prefix ".drag_axial", AS_NUMBER, .range = NOT_NEGATIVE, .optional = inherits, .offset = offsetof(record, member.drag_axial), .doc = "Morison coefficient along the axis, on the outer diameter."}, \
  {prefix ".added_mass_transverse", AS_NUMBER, .range = NOT_NEGATIVE, .optional = inherits, .fallback = zero,          \
   .offset = offsetof(record, member.added_mass_transverse), .doc = "Added mass across the axis, a share of the displaced water's."}, \
  {prefix ".added_mass_axial", AS_NUMBER, .range = NOT_NEGATIVE, .optional = inherits, .fallback = zero,               \
   .offset = offsetof(record, member.added_mass_axial), .doc = "Added mass along the axis, a share of the displaced water's."}, \
  {prefix ".rotational_damping_ns", AS_NUMBER | AS_VECTOR, .size = 3, .range = NOT_NEGATIVE, .optional = inherits, .offset = offsetof(record, member.rotational_damping_ns), .unit = "N s", \
   .doc = "Moment per length and rate (N m / m / (rad/s)) about the three section axes, or one for all."}

static const struct key_def keys[] = {
  {"name", AS_TEXT, .size = 64, AT(out.name), .doc = "What the case is called in messages and summaries."},
  {"extends", AS_TEXT, .size = 256, .optional = 1, AT(extends),
   .doc = "A configuration to begin with, relative to this file's folder: this file's keys are laid over its own, section by section; a list or a value replaces the other's, null takes it away."},

  {"simulation", AS_SECTION, .optional = 1, .doc = "Time and numerics."},
  {"simulation.step_s", AS_NUMBER, .range = LIMITED, .low = 1e-5, .high = 1, .fallback = "0.01", AT(out.sim.step_s), .unit = "s",
   .doc = "Length of a step."},
  {"simulation.duration_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", AT(out.run.duration_s), .unit = "s",
   .doc = "Simulated time of the run; 0: until stopped."},
  {"simulation.mode", AS_WORD, .words = {"realtime", "lockstep", "fast"}, .fallback = "realtime", WORD_AT(out.run.mode),
   .doc = "realtime: at wall-clock rate. lockstep: waits for the controller's command. fast: unpaced."},
  {"simulation.lockstep_timeout_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", AT(out.run.lockstep_timeout_s), .unit = "s",
   .doc = "Lockstep: a run that waits longer for the answer to its sensors, by the wall clock, has failed; 0: it waits as long as it takes."},
  {"simulation.lost_time_limit_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "1", AT(out.run.lost_time_limit_s), .unit = "s",
   .doc = "Realtime: a run with verdicts that lost more simulated time than this to the wall clock has failed; 0: no limit."},
  {"simulation.unsolved_share_max", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1, .fallback = "0.001",
   AT(out.run.unsolved_share_max), .doc = "A run has failed if Newton's method found no solution in more than this share of its steps; 1: no limit."},
  {"simulation.newton_max_iterations", AS_INTEGER, .range = LIMITED, .low = 1, .high = 100, .fallback = "20",
   AT(out.sim.newton_max_iterations), .doc = "Cap on Newton iterations in a step."},
  {"simulation.order", AS_INTEGER, .range = LIMITED, .low = 2, .high = 4, .fallback = "2", AT(out.sim.integrator.order),
   .doc = "Order of a step in time: 2, or 4 for a vessel without a pipe."},
  {"simulation.realtime_priority", AS_INTEGER, .range = LIMITED, .low = 0, .high = 99, .fallback = "50",
   AT(out.run.realtime_priority), .doc = "SCHED_FIFO priority of the step's thread; 0: do not ask for it."},
  {"simulation.cpu", AS_INTEGER, .range = LIMITED, .low = -1, .high = 1023, .fallback = "-1", AT(out.run.cpu),
   .doc = "Core of the step's thread; -1: any."},
  {"simulation.event_time_scale", AS_NUMBER, .range = POSITIVE, .fallback = "1", AT(out.run.time_scale_of_events),
   .doc = "Factor on the start, stop and ramp times and the tables of loads, end load, current, wind and waves, on the start of controller.pid, and on the times of events and verdicts: a shorter run of the same story."},

  {"environment", AS_SECTION, .doc = "The surroundings."},
  {"environment.gravity_mps2", AS_NUMBER, .range = NOT_NEGATIVE, AT(out.sim.env.gravity_mps2), .unit = "m/s2", .doc = "Gravity."},
  {"environment.water_density_kgpm3", AS_NUMBER, .range = NOT_NEGATIVE, AT(out.sim.env.water_density_kgpm3), .unit = "kg/m3",
   .doc = "Density of the water."},
  {"environment.depth_m", AS_NUMBER, .range = POSITIVE, AT(out.sim.env.depth_m), .unit = "m", .doc = "Level of the seabed below the surface; of a sloping one at its reference point, beside a bathymetry file one of its levels."},
  {"environment.seabed", AS_WORD, .words = {"none", "spring", "linear"}, WORD_AT(out.sim.env.seabed),
   .doc = "none: the pipe may sink below it. spring: the two-branch normal spring, at rest with an eighth of the diameter. linear: seabed_stiffness_npm3."},
  {"environment.seabed_stiffness_npm3", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", AT(out.sim.env.seabed_stiffness_npm3),
   .unit = "N/m3", .doc = "linear only: force per penetration, length and diameter."},
  {"environment.seabed_damping_nspm3", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", AT(out.sim.env.seabed_damping_nspm3),
   .unit = "N s/m3", .doc = "Normal damping while in contact, per length and diameter."},
  {"environment.seabed_suction", AS_FLAG, .fallback = "false", AT(out.sim.env.seabed_suction),
   .doc = "true: the damper also holds back a pipe that leaves the ground. false: spring and damper together never pull."},
  {"environment.seabed_friction_axial", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", AT(out.sim.env.friction_axial),
   .doc = "Coulomb coefficient along the pipe."},
  {"environment.seabed_friction_lateral", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", AT(out.sim.env.friction_lateral),
   .doc = "Coulomb coefficient across the pipe."},
  {"environment.seabed_friction_stiffness_npm2", AS_NUMBER, .range = POSITIVE, .fallback = "1e5", AT(out.sim.env.friction_stiffness_npm2),
   .unit = "N/m2", .doc = "Of the friction before it slips, per length of pipe."},
  {"environment.seabed_contact", AS_WORD, .words = {"underside", "axis"}, .fallback = "underside", WORD_AT(out.sim.env.seabed_contact),
   .doc = "What meets depth_m: the pipe's underside or its axis."},
  {"environment.seabed_slope", AS_SECTION, .optional = 1, .doc = "A seabed that is a sloping plane; none: level."},
  {"environment.seabed_slope.angle_deg", AS_NUMBER, .range = LIMITED, .low = 0, .high = 45, .degrees = 1, AT(out.sim.env.slope.angle_rad), .unit = "deg",
   .doc = "From the horizontal."},
  {"environment.seabed_slope.direction_deg", AS_NUMBER, .degrees = 1, AT(out.sim.env.slope.direction_rad), .unit = "deg",
   .doc = "Where it gets deeper, clockwise from north (x)."},
  {"environment.seabed_slope.reference_m", AS_VECTOR, .size = 2, .fallback = "0", AT(out.sim.env.slope.reference_m), .unit = "m",
   .doc = "x, y of a point where it lies at depth_m."},
  {"environment.bathymetry_file", AS_TEXT, .size = 256, .optional = 1, AT(out.bathymetry_file),
   .doc = "Uneven seabed: an ESRI ASCII grid of elevations, relative to this file's folder. Not beside seabed_slope."},
  {"environment.bathymetry_origin_m", AS_VECTOR, .size = 2, .fallback = "0", AT(out.bathymetry_origin_m), .unit = "m",
   .doc = "North and east (y and x) of the world's origin in the coordinates of bathymetry_file."},
  {"environment.current", AS_SECTION, .optional = 1, .doc = "Current: by points in depth, or linear from the surface to zero at the seabed."},
  {"environment.current.surface_mps", AS_NUMBER, .range = NOT_NEGATIVE, .optional = 1, AT(out.sim.env.current.surface_mps), .unit = "m/s",
   .doc = "Speed at the surface, falling linearly to zero at the seabed. Exactly one of surface_mps and points."},
  {"environment.current.direction_deg", AS_NUMBER, .degrees = 1, .optional = 1, AT(out.sim.env.current.direction_rad), .unit = "deg",
   .doc = "With surface_mps: where it flows to, clockwise from north (x)."},
  {"environment.current.points", AS_ITEMS, .size = MAX_CURRENT_POINTS, .optional = 1, AT(out.sim.env.current.points),
   .item_size = sizeof(struct current_point), .count_offset = offsetof(struct config_draft, out.sim.env.current.point_count),
   .doc = "By growing depth; the velocity is linear between them and constant beyond."},
  {"environment.current.points[].depth_m", AS_NUMBER, .range = NOT_NEGATIVE, .offset = offsetof(struct current_point, depth_m), .unit = "m", .doc = "Below the surface."},
  {"environment.current.points[].speed_mps", AS_NUMBER, .range = NOT_NEGATIVE, .offset = offsetof(struct current_point, speed_mps), .unit = "m/s", .doc = "Speed there."},
  {"environment.current.points[].direction_deg", AS_NUMBER, .degrees = 1, .offset = offsetof(struct current_point, direction_rad), .unit = "deg",
   .doc = "Where it flows to, clockwise from north (x)."},
  PROFILE_KEYS("environment.current", struct config_draft, out.sim.env.current.profile),
  {"environment.current.table[].direction_offset_deg", AS_NUMBER, .degrees = 1, .fallback = "0",
   .offset = offsetof(struct table_row, value) + sizeof(double), .unit = "deg", .doc = "Added to the directions, clockwise."},
  WEATHER_KEYS,

  {"loads", AS_ITEMS, .size = MAX_LOADS, .optional = 1, AT(loads), .item_size = sizeof(struct load_draft),
   .count_offset = offsetof(struct config_draft, out.sim.env.load_count), .doc = "Forces and moments on the vessel at its reference point."},
  {"loads[].name", AS_TEXT, .size = 64, .optional = 1, IN_LOAD(name), .doc = "For people; not used."},
  {"loads[].frame", AS_WORD, .words = {"world", "body"}, .word_offset = offsetof(struct load_draft, def.frame),
   .doc = "Frame of the wrench: world (north, east, down) or body (forward, starboard, down)."},
  {"loads[].wrench", AS_VECTOR, .size = 6, IN_LOAD(def.wrench), .unit = "N, N m", .doc = "Force, then moment."},
  PROFILE_KEYS("loads[]", struct load_draft, def.profile),

  INSTRUMENT_KEYS,

  {"vessel", AS_SECTION, .doc = "The vessel, about its reference point; body frame: x forward, y starboard, z down."},
  {"vessel.integrator", AS_WORD, .words = {"strang", "sp2", "sp4", "sp6"}, .fallback = "strang", WORD_AT(out.sim.integrator.vessel),
   .doc = "strang: the ordinary step. sp2, sp4, sp6: an exact splitting of order 2, 4, 6, for a vessel without a pipe (docs/rigid-bodies.md)."},
  {"vessel.mass_kg", AS_NUMBER, .range = POSITIVE, AT(out.sim.vessel.mass_kg), .unit = "kg", .doc = "Displacement mass."},
  {"vessel.inertia", AS_SECTION, .doc = "Rigid body and added mass; their sum is symmetric positive definite."},
  {"vessel.inertia.rigid_body", AS_MATRIX | AS_VECTOR, .size = 6, .optional = 1, AT(rigid_body), .unit = "kg, kg m, kg m2",
   .doc = "Full matrix or its diagonal. Exactly one of rigid_body and moments_kgm2."},
  {"vessel.inertia.moments_kgm2", AS_VECTOR, .size = 3, .range = POSITIVE, .optional = 1, AT(moments_kgm2), .unit = "kg m2",
   .doc = "Of roll, pitch, yaw: the rigid body is diag(mass_kg, mass_kg, mass_kg, moments)."},
  {"vessel.inertia.added_mass", AS_MATRIX | AS_VECTOR, .size = 6, .fallback = "0", AT(added_mass), .unit = "kg, kg m, kg m2",
   .doc = "Full matrix or its diagonal."},
  {"vessel.damping", AS_SECTION, .doc = "Damping on the velocity over ground, or through the water with current_acts."},
  {"vessel.damping.linear", AS_MATRIX | AS_VECTOR, .size = 6, AT(out.sim.vessel.damping_linear), .unit = "N s/m, N m s/rad",
   .doc = "Full matrix, symmetric positive semidefinite, or its diagonal."},
  {"vessel.damping.quadratic", AS_VECTOR, .size = 6, .range = NOT_NEGATIVE, .fallback = "0", AT(out.sim.vessel.damping_quadratic),
   .unit = "N s2/m2, N m s2/rad2", .doc = "Diagonal: force -d |v| v."},
  {"vessel.hydrostatics", AS_SECTION, .doc = "Restoring forces."},
  {"vessel.hydrostatics.waterplane_area_m2", AS_NUMBER, .range = NOT_NEGATIVE, AT(out.sim.vessel.waterplane_area_m2), .unit = "m2", .doc = "Waterplane area."},
  {"vessel.hydrostatics.gm_transverse_m", AS_NUMBER, .range = NOT_NEGATIVE, AT(out.sim.vessel.gm_transverse_m), .unit = "m", .doc = "Metacentric height, roll."},
  {"vessel.hydrostatics.gm_longitudinal_m", AS_NUMBER, .range = NOT_NEGATIVE, AT(out.sim.vessel.gm_longitudinal_m), .unit = "m", .doc = "Metacentric height, pitch."},
  {"vessel.hydrostatics.flotation_b_m", AS_VECTOR, .size = 3, .fallback = "0", AT(out.sim.vessel.flotation_b_m), .unit = "m", .doc = "Centre of flotation, body frame."},
  {"vessel.hydrostatics.equilibrium_z_m", AS_NUMBER, .fallback = "0", AT(out.sim.vessel.equilibrium_z_m), .unit = "m", .doc = "z of the centre of flotation at rest."},
  {"vessel.position_n_m", AS_VECTOR, .size = 3, AT(out.sim.vessel.position_n_m), .unit = "m",
   .doc = "Initial position of the reference point: north, east, down. With a pipe the statics overrule it."},
  {"vessel.attitude_deg", AS_VECTOR, .size = 3, .optional = 1, .degrees = 1, AT(out.sim.vessel.euler_rad), .unit = "deg",
   .doc = "Initial roll, pitch, yaw. Exactly one of attitude_deg and attitude_rad."},
  {"vessel.attitude_rad", AS_VECTOR, .size = 3, .optional = 1, AT(out.sim.vessel.euler_rad), .unit = "rad",
   .doc = "The same in radians, where degrees would round."},
  {"vessel.velocity_b", AS_VECTOR, .size = 6, .fallback = "0", AT(out.sim.vessel.velocity_b), .unit = "m/s, rad/s", .doc = "Initial velocity, body frame."},
  VESSEL_WEATHER_KEYS,
  {"vessel.hangoff_b_m", AS_VECTOR, .size = 3, .fallback = "0", AT(out.sim.vessel.hangoff_b_m), .unit = "m", .doc = "Where the pipe hangs, body frame."},
  PLANT_KEYS,

  {"pipe", AS_SECTION, .optional = 1, .doc = "The pipe; without this section there is none."},
  {"pipe.elements", AS_INTEGER, .range = LIMITED, .low = 2, .high = 100000, .optional = 1, AT(out.sim.pipe.elements),
   .doc = "Number of equal elements. Exactly one of elements and mesh."},
  {"pipe.mesh", AS_ITEMS, .size = MAX_MESH_PARTS, .optional = 1, AT(mesh), .item_size = sizeof(struct mesh_draft),
   .count_offset = offsetof(struct config_draft, out.sim.pipe.mesh_parts),
   .doc = "Stretches of equal elements from the lower end up, finer at touchdown and hang-off; their lengths sum to length_m."},
  {"pipe.mesh[].length_m", AS_NUMBER, .range = POSITIVE, .offset = offsetof(struct mesh_draft, part.length_m), .unit = "m", .doc = "Of the stretch."},
  {"pipe.mesh[].elements", AS_INTEGER, .range = LIMITED, .low = 1, .high = 100000, .offset = offsetof(struct mesh_draft, part.elements),
   .doc = "In the stretch."},
  {"pipe.mesh[].section", AS_TEXT, .size = SECTION_NAME, .optional = 1, .offset = offsetof(struct mesh_draft, section),
   .doc = "Name of one of sections; absent: the pipe itself."},
  {"pipe.length_m", AS_NUMBER, .range = POSITIVE, AT(out.sim.pipe.length_m), .unit = "m", .doc = "Unstretched length."},
  SECTION_KEYS("pipe", struct config_draft, out.sim.pipe.line, 0, "0"),
  {"pipe.sections", AS_ITEMS, .size = MAX_SECTIONS, .optional = 1, AT(sections), .item_size = sizeof(struct section_draft),
   .count_offset = offsetof(struct config_draft, out.sim.pipe.section_count),
   .doc = "Other pipe for parts of the mesh: buckle arrestors, coated pipe. What a section does not give is the pipe's."},
  {"pipe.sections[].name", AS_TEXT, .size = SECTION_NAME, .offset = offsetof(struct section_draft, name), .doc = "What parts of the mesh call it."},
  SECTION_KEYS("pipe.sections[]", struct section_draft, def, 1, NULL),
  {"pipe.content_density_kgpm3", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", AT(out.sim.pipe.content_density_kgpm3), .unit = "kg/m3",
   .doc = "Of what fills the inner diameter: its mass is added to mass_kgpm. 0: mass_kgpm is with content."},
  {"pipe.content_pressure_pa", AS_NUMBER, .fallback = "0", AT(out.sim.pipe.content_pressure_pa), .unit = "Pa",
   .doc = "Of the content at the level of the mean sea surface, above the atmosphere's. For the wall tension only."},
  {"pipe.water_inertia", AS_FLAG, .fallback = "true", AT(out.sim.pipe.water_inertia),
   .doc = "Water that accelerates in time pushes the pipe with the mass that it displaces and the added mass."},
  {"pipe.added_mass_form", AS_WORD, .words = {"kirchhoff", "morison"}, .fallback = "kirchhoff", WORD_AT(out.sim.pipe.added_mass_form),
   .doc = "kirchhoff: momentum of an ideal fluid, which turns with the pipe; it stores energy. morison: the added mass on the acceleration "
          "along and across the section, as in the industry's codes; it may supply energy."},
  {"pipe.structural_damping_s", AS_NUMBER, .range = NOT_NEGATIVE, AT(out.sim.pipe.structural_damping_s), .unit = "s", .doc = "eta of Kelvin-Voigt: stress += eta C d(strain)/dt."},
  {"pipe.strain_limit", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0.002", AT(out.sim.pipe.strain_limit),
   .doc = "A larger longitudinal strain of the steel (axial and bending) raises the event strain_limit; 0: no limit. The default is where line pipe begins to yield; the pipe is computed as elastic."},
  {"pipe.lower_end", AS_SECTION, .doc = "Where and how the pipe is held on the seabed."},
  {"pipe.lower_end.kind", AS_WORD, .words = {"clamped", "anchored"}, WORD_AT(out.sim.pipe.lower), .doc = "anchored: position held, rotation free."},
  {"pipe.lower_end.position_m", AS_VECTOR, .size = 2, AT(out.sim.pipe.anchor_n_m), .unit = "m", .doc = "x, y."},
  {"pipe.lower_end.height_m", AS_NUMBER | AS_WORD, .range = LIMITED, .low = -10, .high = 1000, .optional = 1, .words = {"resting", "ground"}, .word_first = 1,
   WORD_AT(out.sim.pipe.lower_height), AT(out.sim.pipe.lower_height_m), .unit = "m",
   .doc = "Height of its axis above the seabed, along the seabed's normal. resting: where the laid pipe comes to rest. ground: 0. Without this key: resting, or ground if seabed_contact is axis."},
  {"pipe.lower_end.azimuth_deg", AS_NUMBER, .degrees = 1, AT(out.sim.pipe.lay_azimuth_rad), .unit = "deg",
   .doc = "Of the pipe's axis there, towards the vessel, clockwise from north."},
  {"pipe.hangoff", AS_SECTION, .doc = "How the pipe is held by the vessel."},
  {"pipe.hangoff.kind", AS_WORD, .words = {"pinned", "clamped", "free", "moved"}, WORD_AT(out.sim.pipe.hangoff),
   .doc = "pinned: a free ball joint. free: nothing holds it. moved: pinned to an imposed path instead of the vessel."},
  {"pipe.hangoff.motion", AS_SECTION, .optional = 1, .doc = "moved only: a horizontal circle, or a table of offsets, about where the statics leaves the top."},
  {"pipe.hangoff.motion.radius_m", AS_NUMBER, .range = NOT_NEGATIVE, .optional = 1, AT(out.sim.pipe.motion.radius_m), .unit = "m",
   .doc = "Of the circle. Exactly one of radius_m and table."},
  {"pipe.hangoff.motion.period_s", AS_NUMBER, .range = POSITIVE, .optional = 1, AT(out.sim.pipe.motion.period_s), .unit = "s", .doc = "Time of a turn."},
  {"pipe.hangoff.motion.start_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", AT(out.sim.pipe.motion.start_s), .unit = "s", .doc = "Nothing moves before."},
  {"pipe.hangoff.motion.stop_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", AT(out.sim.pipe.motion.stop_s), .unit = "s", .doc = "Nothing moves after; 0: never."},
  {"pipe.hangoff.motion.ramp_s", AS_NUMBER, .range = POSITIVE, .fallback = "10", AT(out.sim.pipe.motion.ramp_s), .unit = "s",
   .doc = "The radius grows by half a cosine after the start, and shrinks before the stop."},
  {"pipe.hangoff.motion.table", AS_ITEMS, .size = TABLE_ROWS_MAX, .optional = 1, AT(out.sim.pipe.motion.table), .item_size = sizeof(struct table_row),
   .count_offset = offsetof(struct config_draft, out.sim.pipe.motion.rows),
   .doc = "Offsets at growing times, from 0; a cubic spline joins them, at rest at both ends."},
  {"pipe.hangoff.motion.table[].time_s", AS_NUMBER, .range = NOT_NEGATIVE, .offset = offsetof(struct table_row, time_s), .unit = "s", .doc = "Simulated time."},
  {"pipe.hangoff.motion.table[].north_m", AS_NUMBER, .offset = offsetof(struct table_row, value), .unit = "m", .doc = "Offset."},
  {"pipe.hangoff.motion.table[].east_m", AS_NUMBER, .offset = offsetof(struct table_row, value) + sizeof(double), .unit = "m", .doc = "Offset."},
  {"pipe.hangoff.motion.table[].down_m", AS_NUMBER, .offset = offsetof(struct table_row, value) + 2 * sizeof(double), .unit = "m", .doc = "Offset."},
  {"pipe.hangoff.end_load", AS_SECTION, .optional = 1, .doc = "free only: a dead load on the top; the statics takes it whole."},
  {"pipe.hangoff.end_load.force_n", AS_VECTOR, .size = 3, AT(out.sim.pipe.end_force_n), .unit = "N", .doc = "North, east, down."},
  {"pipe.hangoff.end_load.moment_nm", AS_VECTOR, .size = 3, AT(out.sim.pipe.end_moment_nm), .unit = "N m", .doc = "About north, east, down."},
  PROFILE_KEYS("pipe.hangoff.end_load", struct config_draft, out.sim.pipe.end_profile),
  {"pipe.hangoff.angle_deg", AS_NUMBER | AS_WORD, .range = LIMITED, .low = -180, .high = 180, .optional = 1, .degrees = 1, .words = {"auto"}, .word_first = 1,
   WORD_AT(out.sim.pipe.hangoff_angle_auto), AT(out.sim.pipe.hangoff_angle_rad), .unit = "deg",
   .doc = "clamped only: inclination of the pipe's axis above the vessel's x axis, in its x-z plane; auto: what the pinned pipe would have."},

  {"statics", AS_SECTION, .optional = 1, .doc = "The equilibrium that a run with a pipe starts from."},
  {"statics.horizontal_force_n", AS_NUMBER, .range = NOT_NEGATIVE, .optional = 1, AT(out.sim.statics.horizontal_force_n), .unit = "N",
   .doc = "Horizontal pull on the top along the lay azimuth. Exactly one of horizontal_force_n and hangoff_position_m."},
  {"statics.hangoff_position_m", AS_VECTOR, .size = 2, .optional = 1, AT(out.sim.statics.hangoff_position_m), .unit = "m", .doc = "x, y of the hang-off."},
  {"statics.ballast", AS_WORD, .words = {"none", "pipe"}, .fallback = "none", WORD_AT(out.sim.statics.weight_compensation),
   .doc = "pipe: a dead load at the hang-off carries the vertical force of the pipe at rest."},
  {"statics.current", AS_WORD, .words = {"initial", "none"}, .fallback = "initial", WORD_AT(out.sim.statics.current),
   .doc = "initial: the drag of the current at time 0 acts on the pipe. none: still water."},
  {"statics.friction", AS_WORD, .words = {"laid", "none"}, .fallback = "laid", WORD_AT(out.sim.statics.friction),
   .doc = "laid: the seabed's friction holds the pipe as it was laid, with the tension of the touchdown. none: the ground is smooth."},
  {"statics.unstable", AS_WORD, .words = {"refuse", "leave"}, .fallback = "refuse", WORD_AT(out.sim.statics.unstable),
   .doc = "What to do with an unstable equilibrium. refuse: the statics fail and say where it gives way. leave: they go on to a stable equilibrium beside it and say so."},

  SCENARIO_KEYS,

  {"controller", AS_SECTION, .doc = "Who commands the vessel."},
  {"controller.kind", AS_WORD, .words = {"none", "continuous", "sampled", "external"}, WORD_AT(out.sim.controller),
   .doc = "continuous: the PID as part of the model. sampled: the DP controller inside, from dp_file. external: another process. none: the hold wrench."},
  {"controller.dp_file", AS_TEXT, .size = 256, .optional = 1, AT(out.dp_file),
   .doc = "DP file, relative to this file's folder. sampled needs it; external may name it for its set-point and for fast runs."},
  {"controller.pid", AS_SECTION, .optional = 1, .doc = "continuous only: the nonlinear PID."},
  PID_LAW_KEYS("controller.pid", struct config_draft, out.sim.pid),

  {"hold_wrench", AS_VECTOR | AS_WORD, .size = 6, .words = {"balance"}, .word_first = 1, .fallback = "balance", WORD_AT(out.sim.hold_balances_statics),
   AT(out.sim.hold_wrench_b), .unit = "N, N m", .doc = "Body wrench while nothing is commanded; balance: what holds the static equilibrium."},

  {"network", AS_SECTION, .optional = 1, .doc = "Sockets and rates."},
  {"network.command_endpoint", AS_TEXT, .size = 128, .fallback = "tcp://127.0.0.1:47700", AT(out.net.command_endpoint), .doc = "ROUTER socket for controllers; port * lets the system choose."},
  {"network.telemetry_endpoint", AS_TEXT, .size = 128, .fallback = "tcp://127.0.0.1:47701", AT(out.net.telemetry_endpoint), .doc = "PUB socket for everybody."},
  {"network.sensor_period_s", AS_NUMBER, .range = POSITIVE, .optional = 1, AT(out.net.sensor_period_s), .unit = "s",
   .doc = "Of sensors, and so of control: a whole number of steps. Absent: 0.1 s, to the nearest whole number of steps."},
  {"network.truth_period_s", AS_NUMBER, .range = POSITIVE, .fallback = "0.1", AT(out.net.truth_period_s), .unit = "s", .doc = "Of the full vessel state."},
  {"network.nodes_period_s", AS_NUMBER, .range = POSITIVE, .fallback = "0.5", AT(out.net.nodes_period_s), .unit = "s", .doc = "Of the pipe's nodes."},
  {"network.ledger_period_s", AS_NUMBER, .range = POSITIVE, .fallback = "1", AT(out.net.ledger_period_s), .unit = "s", .doc = "Of the energy ledger."},
  {"network.timing_period_s", AS_NUMBER, .range = POSITIVE, .fallback = "1", AT(out.net.timing_period_s), .unit = "s", .doc = "Of the timing figures."},
  {"network.command_timeout_s", AS_NUMBER, .range = POSITIVE, .fallback = "1", AT(out.net.command_timeout_s), .unit = "s", .doc = "Without a command for longer: the reaction."},
  {"network.command_max_age_s", AS_NUMBER, .range = POSITIVE, .fallback = "0.5", AT(out.net.command_max_age_s), .unit = "s", .doc = "A command that answers older sensors is refused as stale."},
  {"network.reaction", AS_WORD, .words = {"hold_last", "hold_wrench", "zero"}, .fallback = "hold_wrench", WORD_AT(out.net.reaction), .doc = "When commands stop."},
  {"network.wrench_limit", AS_VECTOR, .size = 6, .range = NOT_NEGATIVE, .fallback = "0", AT(out.net.wrench_limit), .unit = "N, N m",
   .doc = "A command with a larger component is refused. 0: the default limit, the force that accelerates her by 5 m/s2, and for moments that force times her radius of gyration."},
  {"network.accept_wrench", AS_FLAG, .fallback = "false", AT(out.net.accept_wrench),
   .doc = "true: a vessel with thrusters also accepts a wrench from a controller. A vessel without thrusters always accepts one."},
  {"network.hold_release_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "30", AT(out.net.hold_release_s), .unit = "s",
   .doc = "While commands of thrusters rule, what the thrusters cannot make of the hold wrench goes in this time; after them it comes back in the same."},

  {"log", AS_SECTION, .optional = 1, .doc = "What a session log (--log) holds. Commands and events are always in it."},
  {"log.sensors_period_s", AS_NUMBER | AS_WORD, .range = NOT_NEGATIVE, .optional = 1, .words = {"off"}, .word_first = 1,
   WORD_AT(out.log.sensors.off), AT(out.log.sensors.period_s), .unit = "s", .doc = "Of sensors. Absent: as network.sensor_period_s. 0: every step."},
  {"log.truth_period_s", AS_NUMBER | AS_WORD, .range = NOT_NEGATIVE, .fallback = "0.1", .words = {"off"}, .word_first = 1,
   WORD_AT(out.log.truth.off), AT(out.log.truth.period_s), .unit = "s", .doc = "Of the full vessel state. 0: every step."},
  {"log.nodes_period_s", AS_NUMBER | AS_WORD, .range = NOT_NEGATIVE, .fallback = "0.5", .words = {"off"}, .word_first = 1,
   WORD_AT(out.log.nodes.off), AT(out.log.nodes.period_s), .unit = "s", .doc = "Of the pipe's nodes. 0: every step."},
  {"log.ledger_period_s", AS_NUMBER | AS_WORD, .range = NOT_NEGATIVE, .fallback = "1", .words = {"off"}, .word_first = 1,
   WORD_AT(out.log.ledger.off), AT(out.log.ledger.period_s), .unit = "s", .doc = "Of the energy ledger. 0: every step."},
  {"log.timing_period_s", AS_NUMBER | AS_WORD, .range = NOT_NEGATIVE, .fallback = "1", .words = {"off"}, .word_first = 1,
   WORD_AT(out.log.timing.off), AT(out.log.timing.period_s), .unit = "s", .doc = "Of the timing figures. 0: every step."},
  {"log.state_hash_period_s", AS_NUMBER | AS_WORD, .range = NOT_NEGATIVE, .fallback = "0", .words = {"off"}, .word_first = 1,
   WORD_AT(out.log.state_hash.off), AT(out.log.state_hash.period_s), .unit = "s", .doc = "Of the state's hash, which replay compares. 0: every step."},
  {"log.buffer_mib", AS_INTEGER, .range = LIMITED, .low = 1, .high = 1024, .fallback = "16", AT(out.log.buffer_mib), .unit = "MiB",
   .doc = "Memory between the step and the disk: a slow disk fills it before anything is dropped."},

  {"nmea", AS_SECTION, .optional = 1, .doc = "NMEA 0183 telegrams of the instruments."},
  {"nmea.origin_deg", AS_VECTOR, .size = 2, .range = LIMITED, .low = -180, .high = 180, .degrees = 1, .fallback = "0", AT(out.nmea.origin.latitude_rad), .unit = "deg",
   .doc = "Latitude (north) and longitude (east) of the world's origin, WGS 84."},
  {"nmea.start_utc", AS_TEXT, .size = 32, .fallback = "2026-01-01T00:00:00", AT(nmea_start_utc), .doc = "Date and time of simulated time 0, such as 2026-01-31T12:00:00."},
  {"nmea.ports", AS_ITEMS, .size = MAX_NMEA_PORTS, .optional = 1, AT(out.nmea.ports), .item_size = sizeof(struct nmea_port_def),
   .count_offset = offsetof(struct config_draft, out.nmea.port_count), .doc = "Where telegrams go."},
  {"nmea.ports[].udp", AS_TEXT, .size = 64, .optional = 1, IN_PORT(udp), .doc = "HOST:PORT, a numeric IPv4 address. Exactly one of udp and serial."},
  {"nmea.ports[].serial", AS_TEXT, .size = 108, .optional = 1, IN_PORT(serial), .doc = "A serial device."},
  {"nmea.ports[].baud", AS_INTEGER, .range = LIMITED, .low = 4800, .high = 115200, .fallback = "4800", IN_PORT(baud),
   .doc = "Of the serial line, 8 data bits, no parity, 1 stop bit: 4800, 9600, 19200, 38400, 57600 or 115200."},
  {"nmea.ports[].talker", AS_TEXT, .size = 3, .optional = 1, IN_PORT(talker), .doc = "Two letters; absent: the usual ones of each instrument's kind."},
  {"nmea.ports[].instruments", AS_TEXT, .size = NMEA_TEXT, IN_PORT(instruments),
   .doc = "Names of instruments, separated by blanks; thrusters stands for the thrusters' feedback."},
  {"nmea.ports[].sentences", AS_TEXT, .size = NMEA_TEXT, .optional = 1, IN_PORT(sentences),
   .doc = "Sentences, separated by blanks: GGA GST ZDA VTG RMC GBS HDT THS ROT PSXN PRDID PHTRO MWV MWVT VBW XDR TRD; absent: all that the instruments have."},
  {"nmea.ports[].thruster_period_s", AS_NUMBER, .range = POSITIVE, .fallback = "1", IN_PORT(thruster_period_s), .unit = "s", .doc = "Of the thrusters' feedback."},
};

const struct schema config_schema = {"Sagbend configuration", keys, sizeof keys / sizeof *keys};

#undef AT
#undef WORD_AT
#define AT(member) .offset = offsetof(struct dp_draft, member)
#define WORD_AT(member) .word_offset = offsetof(struct dp_draft, member)

#define IN_REFERENCE(member) .offset = offsetof(struct dp_instrument, member)
#define IN_ACTUATOR(member) .offset = offsetof(struct actuator_def, member)

static const struct key_def dp_keys[] = {
  {"name", AS_TEXT, .size = 64, AT(out.name), .doc = "What the controller is called in messages."},
  {"extends", AS_TEXT, .size = 256, .optional = 1, AT(extends), .doc = "A DP file to begin with, relative to this file's folder: this file's keys are laid over its own."},
  {"connect", AS_TEXT, .size = 128, .fallback = "tcp://127.0.0.1:47700", AT(out.connect), .doc = "The simulator's command endpoint."},
  {"event_time_scale", AS_NUMBER, .range = POSITIVE, .fallback = "1", AT(event_time_scale),
   .doc = "Factor on start_s and approach_s: a shorter run of the same story."},
  {"pid", AS_SECTION, .doc = "The nonlinear PID and its take-over."},
  PID_LAW_KEYS("pid", struct dp_draft, out.def.pid),
  {"pid.bumpless", AS_FLAG, .fallback = "true", AT(out.def.pid.bumpless), .doc = "Take over with the wrench that acts already."},
  {"pid.approach_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", AT(out.def.pid.approach_s), .unit = "s",
   .doc = "Move the reference smoothly from the pose at switch-on to the set-point in this time."},
  {"pid.tension_feedforward", AS_FLAG, .fallback = "false", AT(out.def.pid.tension_feedforward),
   .doc = "Add the horizontal tension of the pipe to the wrench."},
  {"instruments", AS_ITEMS, .size = MAX_INSTRUMENTS, .optional = 1, AT(out.def.navigation.instrument), .item_size = sizeof(struct dp_instrument),
   .count_offset = offsetof(struct dp_draft, out.def.navigation.count),
   .doc = "Those of the vessel's instruments that the controller uses."},
  {"instruments[].name", AS_TEXT, .size = SIGNAL_NAME, IN_REFERENCE(name), .doc = "As the vessel's configuration has it."},
  {"instruments[].kind", AS_WORD, .words = {"gnss", "gyro", "motion", "wind", "speed_log", "load_cell", "hangoff_angle", "touchdown"},
   .word_offset = offsetof(struct dp_instrument, kind), .doc = "What it is."},
  {"instruments[].position_b_m", AS_VECTOR, .size = 3, .fallback = "0", IN_REFERENCE(position_b_m), .unit = "m",
   .doc = "Of the antenna, as the controller knows it; body frame."},
  {"instruments[].sigma_m", AS_NUMBER, .range = POSITIVE, .optional = 1, IN_REFERENCE(sigma), .unit = "m",
   .doc = "gnss: its accuracy; absent: what it says itself."},
  {"instruments[].sigma_deg", AS_NUMBER, .range = POSITIVE, .degrees = 1, .optional = 1, IN_REFERENCE(sigma), .unit = "deg",
   .doc = "gyro: its accuracy; absent: observer.heading_sigma_deg."},
  {"instruments[].share", AS_NUMBER, .range = POSITIVE, .fallback = "1", IN_REFERENCE(share), .doc = "load_cell: of the tension, that it carries."},

  {"navigation", AS_SECTION, .optional = 1, .doc = "Which readings are believed."},
  {"navigation.position_limit_m", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "5", AT(out.def.navigation.position_limit_m), .unit = "m",
   .doc = "A position further from the prediction, or from the median of three or more, is rejected; 0: none is."},
  {"navigation.heading_limit_deg", AS_NUMBER, .range = NOT_NEGATIVE, .degrees = 1, .fallback = "3", AT(out.def.navigation.heading_limit_rad), .unit = "deg",
   .doc = "The same for headings."},
  {"navigation.angle_limit_deg", AS_NUMBER, .range = NOT_NEGATIVE, .degrees = 1, .fallback = "1", AT(out.def.navigation.angle_limit_rad), .unit = "deg",
   .doc = "Roll, pitch and the pipe's angle, from the median of three or more."},
  {"navigation.wind_limit_mps", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "5", AT(out.def.navigation.wind_limit_mps), .unit = "m/s",
   .doc = "Wind speed, from the median of three or more."},
  {"navigation.tension_limit_n", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", AT(out.def.navigation.tension_limit_n), .unit = "N",
   .doc = "Tension, from the median of three or more."},
  {"navigation.old_s", AS_NUMBER, .range = POSITIVE, .fallback = "5", AT(out.def.navigation.old_s), .unit = "s",
   .doc = "Without a new telegram for longer, an instrument is left out."},
  {"navigation.frozen_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "20", AT(out.def.navigation.frozen_s), .unit = "s",
   .doc = "With the very same numbers for longer, while another instrument's change, too; 0: never."},
  {"navigation.reaccept_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", AT(out.def.navigation.reaccept_s), .unit = "s",
   .doc = "Without a position for so long, the prediction gives way to what the references say; 0: never."},
  {"navigation.tension_fallback", AS_WORD, .words = {"last", "fixed", "none"}, .fallback = "last", WORD_AT(out.def.navigation.fallback),
   .doc = "Tension where no load cell is left: the last one, tension_fallback_n, or none."},
  {"navigation.tension_fallback_n", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", AT(out.def.navigation.fallback_n), .unit = "N", .doc = "fixed: the tension."},
  {"navigation.inclination_fallback_deg", AS_NUMBER, .degrees = 1, .fallback = "90", AT(out.def.navigation.fallback_inclination_rad), .unit = "deg",
   .doc = "Of the pipe at the hang-off, above the horizontal, where no angle sensor has ever said it."},
  {"navigation.azimuth_fallback_deg", AS_NUMBER, .degrees = 1, .fallback = "180", AT(out.def.navigation.fallback_azimuth_rad), .unit = "deg",
   .doc = "Of the pipe's pull, clockwise from the bow, likewise."},

  {"observer", AS_SECTION, .optional = 1, .doc = "Filters the motion with the waves out of position and heading; estimates velocity and bias. docs/controller.md"},
  {"observer.mass", AS_MATRIX | AS_VECTOR, .size = 3, AT(out.def.observer.mass), .unit = "kg, kg m, kg m2",
   .doc = "Of surge, sway, yaw, with added mass: full matrix or its diagonal."},
  {"observer.damping", AS_MATRIX | AS_VECTOR, .size = 3, .fallback = "0", AT(out.def.observer.damping), .unit = "N s/m, N m s/rad", .doc = "Linear: full matrix or its diagonal."},
  {"observer.wave_frequency_radps", AS_NUMBER, .range = POSITIVE, .fallback = "0.8", AT(out.def.observer.wave_frequency_radps), .unit = "rad/s",
   .doc = "Where the notch lies: the peak of the sea."},
  {"observer.wave_damping", AS_NUMBER, .range = LIMITED, .low = 0.01, .high = 0.9, .fallback = "0.1", AT(out.def.observer.wave_damping), .doc = "Its relative width."},
  {"observer.wave_motion", AS_VECTOR, .size = 3, .range = NOT_NEGATIVE, .fallback = "0.3", AT(out.def.observer.wave_sigma), .unit = "m, m, deg",
   .doc = "Standard deviation of surge, sway and yaw with the waves: the notch's depth."},
  {"observer.force_noise", AS_VECTOR, .size = 3, .range = NOT_NEGATIVE, .optional = 1, AT(out.def.observer.force_sigma), .unit = "N s^0.5, N m s^0.5",
   .doc = "White part of what the model leaves out. Absent: 0.01 m/s2 of the mass, 1e-4 rad/s2 of its moment."},
  {"observer.bias_noise", AS_VECTOR, .size = 3, .range = NOT_NEGATIVE, .optional = 1, AT(out.def.observer.bias_sigma), .unit = "N/s^0.5, N m/s^0.5",
   .doc = "Growth of the bias: of current, drift, pipe. Absent: a tenth of force_noise."},
  {"observer.bias_time_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", AT(out.def.observer.bias_time_s), .unit = "s", .doc = "Time constant with which the bias fades; 0: never."},
  {"observer.position_sigma_m", AS_NUMBER, .range = POSITIVE, .fallback = "0.5", AT(out.def.observer.position_sigma_m), .unit = "m", .doc = "Accuracy of a position that does not say it."},
  {"observer.heading_sigma_deg", AS_NUMBER, .range = POSITIVE, .degrees = 1, .fallback = "0.1", AT(out.def.observer.heading_sigma_rad), .unit = "deg", .doc = "Of a heading."},

  {"wind_feedforward", AS_SECTION, .optional = 1, .doc = "Adds the wind's wrench, by the wind sensors, before it moves the vessel."},
  {"wind_feedforward.frontal_area_m2", AS_NUMBER, .range = POSITIVE, AT(out.def.wind.frontal_area_m2), .unit = "m2", .doc = "A_F."},
  {"wind_feedforward.lateral_area_m2", AS_NUMBER, .range = POSITIVE, AT(out.def.wind.lateral_area_m2), .unit = "m2", .doc = "A_L."},
  {"wind_feedforward.length_m", AS_NUMBER, .range = POSITIVE, AT(out.def.wind.length_m), .unit = "m", .doc = "L."},
  {"wind_feedforward.air_density_kgpm3", AS_NUMBER, .range = POSITIVE, .fallback = "1.225", AT(out.def.wind.air_density_kgpm3), .unit = "kg/m3", .doc = "Of the air."},
  {"wind_feedforward.speed_factor", AS_NUMBER, .range = POSITIVE, .fallback = "1", AT(out.def.wind.speed_factor),
   .doc = "Wind at the coefficients' height over that at the sensors."},
  {"wind_feedforward.filter_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "10", AT(out.def.wind.filter_s), .unit = "s", .doc = "Time constant of the smoothing."},
  {"wind_feedforward.coefficients", AS_ITEMS, .size = MAX_WIND_FORCE_ROWS, AT(out.def.wind.row), .item_size = sizeof(struct wind_force_row),
   .count_offset = offsetof(struct dp_draft, out.def.wind.row_count),
   .doc = "By growing angle, from 0 to 180 degrees (mirrored) or to below 360; linear between."},
  {"wind_feedforward.coefficients[].angle_deg", AS_NUMBER, .range = LIMITED, .low = 0, .high = 360, .degrees = 1, .offset = offsetof(struct wind_force_row, angle_rad), .unit = "deg",
   .doc = "The relative wind comes from, clockwise from the bow."},
  {"wind_feedforward.coefficients[].c", AS_VECTOR, .size = 3, .offset = offsetof(struct wind_force_row, c), .doc = "CX, CY, CN."},

  {"thrusters", AS_ITEMS, .size = MAX_THRUSTERS, .optional = 1, AT(out.def.allocation.actuator), .item_size = sizeof(struct actuator_def),
   .count_offset = offsetof(struct dp_draft, out.def.allocation.actuator_count),
   .doc = "What the wrench is allocated to; none: the command is the wrench itself."},
  {"thrusters[].name", AS_TEXT, .size = SIGNAL_NAME, IN_ACTUATOR(name), .doc = "As the vessel's configuration has it."},
  {"thrusters[].kind", AS_WORD, .words = {"tunnel", "azimuth", "main"}, .word_offset = offsetof(struct actuator_def, kind),
   .doc = "tunnel: across, positive to starboard. azimuth: any direction, never astern. main: ahead and astern, with or without a rudder."},
  {"thrusters[].drive", AS_WORD, .words = {"revolutions", "pitch"}, .fallback = "revolutions", .word_offset = offsetof(struct actuator_def, controllable_pitch),
   .doc = "What the thrust is set by; thrust goes with its square."},
  {"thrusters[].position_b_m", AS_VECTOR, .size = 3, IN_ACTUATOR(position_b_m), .unit = "m", .doc = "Body frame."},
  {"thrusters[].thrust_max_n", AS_NUMBER, .range = POSITIVE, IN_ACTUATOR(thrust_max_n), .unit = "N", .doc = "Ahead; of a tunnel to starboard."},
  {"thrusters[].thrust_astern", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1, .fallback = "1", IN_ACTUATOR(thrust_astern),
   .doc = "The share of it astern, of a tunnel to port."},
  {"thrusters[].revolutions_max_rpm", AS_NUMBER, .range = POSITIVE, IN_ACTUATOR(revolutions_max_rpm), .unit = "rpm",
   .doc = "At full thrust; of a drive by pitch: its constant revolutions."},
  {"thrusters[].thrust_rate_nps", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN_ACTUATOR(thrust_rate_nps), .unit = "N/s",
   .doc = "Largest rate of the thrust's set-point; 0: any."},
  {"thrusters[].azimuth_rate_degps", AS_NUMBER, .range = NOT_NEGATIVE, .degrees = 1, .fallback = "0", IN_ACTUATOR(azimuth_rate_radps), .unit = "deg/s",
   .doc = "Largest rate of the set-point of an azimuth or a rudder; 0: any."},
  {"thrusters[].rudder_max_deg", AS_NUMBER, .range = LIMITED, .low = 0, .high = 60, .degrees = 1, .fallback = "0", IN_ACTUATOR(rudder_max_rad), .unit = "deg",
   .doc = "main: largest rudder angle; 0: no rudder."},
  {"thrusters[].rudder_lift", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN_ACTUATOR(rudder_lift), .doc = "main: side force a thrust ahead, at the sine of the rudder's angle."},
  {"thrusters[].rudder_drag", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1, .fallback = "0", IN_ACTUATOR(rudder_drag),
   .doc = "main: thrust ahead lost, at the sine's square."},
  {"thrusters[].forbidden", AS_ITEMS, .size = MAX_FORBIDDEN, .optional = 1, IN_ACTUATOR(forbidden), .item_size = sizeof(struct forbidden_sector),
   .count_offset = offsetof(struct actuator_def, forbidden_count), .doc = "azimuth: sectors into which it must not thrust."},
  {"thrusters[].forbidden[].from_deg", AS_NUMBER, .degrees = 1, .range = LIMITED, .low = -360, .high = 360, .offset = offsetof(struct forbidden_sector, from_rad),
   .unit = "deg", .doc = "Direction of the thrust, clockwise from the bow."},
  {"thrusters[].forbidden[].to_deg", AS_NUMBER, .degrees = 1, .range = LIMITED, .low = -360, .high = 360, .offset = offsetof(struct forbidden_sector, to_rad),
   .unit = "deg", .doc = "Clockwise from from_deg."},
  {"thrusters[].price", AS_NUMBER, .range = POSITIVE, .fallback = "1", IN_ACTUATOR(price), .doc = "Of its force, relative to its thrust, beside the others'."},
  {"thrusters[].bias_n", AS_VECTOR, .size = 2, .fallback = "0", IN_ACTUATOR(bias_n), .unit = "N",
   .doc = "Force forward and to starboard where nothing is asked for: a pair against each other turns less when little is asked for."},
  {"thrusters[].power_max_w", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN_ACTUATOR(power_max_w), .unit = "W", .doc = "At full thrust; 0: not counted."},
  {"thrusters[].bus", AS_TEXT, .size = SIGNAL_NAME, .optional = 1, IN_ACTUATOR(bus), .doc = "One of allocation.buses."},

  {"allocation", AS_SECTION, .optional = 1, .doc = "How the wrench is shared out."},
  {"allocation.error_weights", AS_VECTOR, .size = 3, .range = POSITIVE, .optional = 1, AT(out.def.allocation.error_weight),
   .doc = "Of surge, sway and yaw where they cannot all be met; yaw as a force at the longest arm. Absent: 1, 1, 10."},
  {"allocation.change_weight", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "1", AT(out.def.allocation.change_weight),
   .doc = "Price of the change of a force from sample to sample, beside the price of the force."},
  {"allocation.least_share", AS_NUMBER, .range = LIMITED, .low = 0, .high = 1, .fallback = "0.01", AT(out.def.allocation.least_share),
   .doc = "For less than this share of its thrust an azimuth does not turn."},
  {"allocation.deviation_share", AS_NUMBER, .range = POSITIVE, .fallback = "0.25", AT(out.def.allocation.deviation_share),
   .doc = "Of full thrust, between set-point and feedback: beyond, a thruster does not follow."},
  {"allocation.deviation_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "20", AT(out.def.allocation.deviation_s), .unit = "s",
   .doc = "One that does not follow for so long is counted with what its feedback says; 0: never."},
  {"allocation.hand_over_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "30", AT(out.def.allocation.hand_over_s), .unit = "s",
   .doc = "In this time the wrench that acts beside the thrusters at take-over goes over to them."},
  {"allocation.buses", AS_ITEMS, .size = MAX_BUSES, .optional = 1, AT(out.def.allocation.bus), .item_size = sizeof(struct allocation_bus),
   .count_offset = offsetof(struct dp_draft, out.def.allocation.bus_count), .doc = "Power for thrusters."},
  {"allocation.buses[].name", AS_TEXT, .size = SIGNAL_NAME, .offset = offsetof(struct allocation_bus, name), .doc = "As thrusters[].bus has it."},
  {"allocation.buses[].power_w", AS_NUMBER, .range = POSITIVE, .offset = offsetof(struct allocation_bus, power_w), .unit = "W", .doc = "For its thrusters together."},
};
// clang-format on

const struct schema dp_schema = {"Sagbend DP controller", dp_keys, sizeof dp_keys / sizeof *dp_keys};
