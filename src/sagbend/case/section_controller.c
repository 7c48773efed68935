// The sections controller and hold_wrench.
#include "sagbend/case/config_sections.h"

static const struct key_def KEYS[] = {
    {"controller", AS_SECTION, .doc = "Controller of the vessel."},
    {"controller.kind", AS_WORD, .words = {"none", "continuous", "sampled", "external"},
     WORD_AT(out.sim.controller),
     .doc = "Controller type. none: the hold wrench only. continuous: a PID as part of the model. sampled: "
            "the built-in DP controller, from dp_file. external: another process over the network."},
    {"controller.dp_file", AS_TEXT, .size = 256, .optional = 1, AT(out.dp_file),
     .doc = "Path of the DP file, relative to this file's folder. Required for sampled; optional for "
            "external, which uses it for the set-point and for fast runs."},
    {"controller.pid", AS_SECTION, .optional = 1, .doc = "Nonlinear PID of a continuous controller."},
    {"hold_wrench", AS_VECTOR | AS_WORD, .size = 6, .fallback = "balance", .words = {"balance"},
     .word_first = 1, WORD_AT(out.sim.hold_balances_statics), AT(out.sim.hold_wrench_b), .unit = "N, N m",
     .doc = "Body-frame wrench that acts while no command is in force. balance: the wrench that holds the "
            "static equilibrium."},
};

static void check_controller(const struct check *c) {
  const char *file = "controller.dp_file", *pid = "controller.pid";
  enum controller_kind kind = c->draft->out.sim.controller;

  if (given(c, pid))
    check_one_of(c, "controller.pid.setpoint", "attitude_deg", "attitude_rad");
  if (!is_given_well(c, "controller.kind"))
    return;

  check_allowed(c, file, kind == CONTROLLER_SAMPLED || kind == CONTROLLER_EXTERNAL,
                "kind is sampled or external");
  check_allowed(c, pid, kind == CONTROLLER_CONTINUOUS, "kind is continuous");
  if (kind == CONTROLLER_SAMPLED && !given(c, file))
    report(c, file, "the path of a DP file for a sampled controller expected");
  if (kind == CONTROLLER_CONTINUOUS && !given(c, pid))
    report(c, pid, "a section for a continuous controller expected");
}

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {
    {.rows = &ROWS, .prefix = ""},
    {.rows = &PID_ROWS, .prefix = "controller.pid", .offset = offsetof(struct config_draft, out.sim.pid)}};
const struct config_section CONTROLLER_SECTION = {GROUPS, 2, check_controller, NULL, NULL};
