// Rows that several sections contain: the keys of a time profile, which loads, current, wind, waves and end
// load share, and those of a PID controller.
#include "sagbend/case/section.h"

static const struct key_def PROFILE_KEYS[] = {
    {"start_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(time_profile, start_s), .unit = "s",
     .doc = "Simulated time at which the quantity switches on. It is zero before."},
    {"stop_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(time_profile, stop_s), .unit = "s",
     .doc = "Simulated time from which the quantity is zero again. 0: never."},
    {"ramp_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(time_profile, ramp_s), .unit = "s",
     .doc = "Duration of the smooth ramps after start_s and before stop_s. 0: a jump."},
    {"variation", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(time_profile, variation),
     .doc = "Amplitude of a sinusoidal variation about the value, as a fraction of the value. Requires "
            "period_s."},
    {"period_s", AS_NUMBER, .range = NOT_NEGATIVE, .fallback = "0", IN(time_profile, period_s), .unit = "s",
     .doc = "Period of the sinusoidal variation. 0: no variation."},
    {"table", AS_ITEMS, .size = MAX_PROFILE_ROWS, .optional = 1,
     ITEMS_IN(time_profile, table, table_row, rows),
     .doc = "Table of factors over time, in place of start_s, stop_s, ramp_s, variation and period_s. The "
            "factor is constant before the first and after the last row."},
    {"table[].time_s", AS_NUMBER, .range = NOT_NEGATIVE, IN(table_row, time_s), .unit = "s",
     .doc = "Simulated time of the row. Times increase from row to row."},
    {"table[].factor", AS_NUMBER, IN(table_row, value), .doc = "Factor on the quantity at this time."},
    {"interpolation", AS_WORD, .fallback = "linear", .words = {"linear", "spline"},
     WORD_IN(time_profile, kind),
     .doc = "Interpolation between the rows of table. linear: straight lines. spline: cubic spline with zero "
            "slope at both ends, which may overshoot the rows."},
};
const struct key_rows PROFILE_ROWS = KEY_ROWS(PROFILE_KEYS);

static const struct key_def PID_KEYS[] = {
    {"kp", AS_VECTOR, .size = 6, .range = NOT_NEGATIVE, IN(pid_def, kp), .unit = "N/m, N m/rad",
     .doc = "Proportional gains for x, y, z, roll, pitch and yaw (diagonal of Kp)."},
    {"kd", AS_VECTOR, .size = 6, .range = NOT_NEGATIVE, IN(pid_def, kd), .unit = "N s/m, N m s/rad",
     .doc = "Derivative gains for x, y, z, roll, pitch and yaw (diagonal of Kd)."},
    {"ki", AS_VECTOR, .size = 6, .range = NOT_NEGATIVE, IN(pid_def, ki), .unit = "N/(m s), N m/(rad s)",
     .doc = "Integral gains for x, y, z, roll, pitch and yaw (diagonal of Ki)."},
    {"setpoint", AS_SECTION, .doc = "Set-point: the pose to keep."},
    {"setpoint.position_m", AS_VECTOR, .size = 3, IN(pid_def, reference), .unit = "m",
     .doc = "Set-point of the vessel's reference point: x (north), y (east), z (down)."},
    {"setpoint.attitude_deg", AS_VECTOR, .size = 3, .optional = 1, .degrees = 1,
     IN(pid_def, reference) + 3 * sizeof(double), .unit = "deg",
     .doc = "Set-point of roll, pitch and yaw. Exactly one of attitude_deg and attitude_rad."},
    {"setpoint.attitude_rad", AS_VECTOR, .size = 3, .optional = 1,
     IN(pid_def, reference) + 3 * sizeof(double), .unit = "rad",
     .doc = "Set-point of roll, pitch and yaw in radians, where a value in degrees would be rounded. Exactly "
            "one of attitude_deg and attitude_rad."},
    {"integral_limit", AS_VECTOR, .size = 6, .range = NOT_NEGATIVE, .fallback = "0",
     IN(pid_def, integral_limit), .unit = "N, N m",
     .doc = "Limit of |Ki x integral|, for each component. 0: no limit."},
    {"start_s", AS_NUMBER, .range = NOT_NEGATIVE, IN(pid_def, start_s), .unit = "s",
     .doc = "Simulated time at which the controller switches on."},
    {"wrench_limit", AS_VECTOR, .size = 6, .range = NOT_NEGATIVE, .fallback = "0", IN(pid_def, wrench_limit),
     .unit = "N, N m",
     .doc = "Limit of the commanded wrench in the body frame, for each component. 0: no limit."},
};
const struct key_rows PID_ROWS = KEY_ROWS(PID_KEYS);
