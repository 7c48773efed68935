// The controllers of Paper III of Saefstroem's thesis (2009), section 4.4: PD leaves a steady-state offset,
// PID removes it.
#include "verify/harness/scenes.h"

#include "core/base/steps.h"
#include "verify/vessel/cases.h"

#include "control/dp.h"
#include "hil/dp_sensors.h"
#include "io/config/config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COORDINATES = 6 };
static const char *const COORDINATE[COORDINATES] = {"x, m",      "y, m",       "z, m",
                                                    "roll, rad", "pitch, rad", "yaw, rad"};

struct story {
  double start[COORDINATES]; // static equilibrium
  double mean[COORDINATES];  // over the last 20 s
  double pushed_n[2];        // over the last 20 s: pull of the pipe and the load w, north and east
  int late_samples;          // control samples in the last 20 s
};

static void pose_of(const struct sim_output *o, double pose[COORDINATES]) {
  memcpy(pose, o->position_n_m, sizeof o->position_n_m);
  memcpy(pose + 3, o->euler_rad, sizeof o->euler_rad);
}

static void draw_pipe(struct verify_result *r, struct verify_plot *side, struct verify_plot *above,
                      const struct sim *s, const char *label) {
  struct verify_series *a = verify_series(r, side, VERIFY_LINE, "%s", label),
                       *b = verify_series(r, above, VERIFY_LINE, "%s", label);
  for (int i = 0; i < s->model.pipe.nodes; i++) {
    verify_point(r, a, s->state.pipe.r_n[0][i], s->state.pipe.r_n[2][i]);
    verify_point(r, b, s->state.pipe.r_n[0][i], s->state.pipe.r_n[1][i]);
  }
}

struct paper_plots {
  struct verify_plot *side, *above;
  struct verify_series *pose[COORDINATES];
};

static struct paper_plots open_plots(const struct pid_def *law, struct verify_result *r) {
  struct paper_plots plots = {verify_plot(r, "Pipe in side view (Figure 4.2)", "north, m", "depth, m"),
                              verify_plot(r, "Pipe in plan view (Figure 4.2)", "north, m", "east, m"),
                              {NULL}};
  if (plots.side)
    plots.side->flip_y = 1;

  for (int c = 0; c < COORDINATES; c++) {
    char title[64];
    snprintf(title, sizeof title, "Vessel %s", COORDINATE[c]);
    struct verify_plot *plot = verify_plot(r, title, "time, s", COORDINATE[c]);
    plots.pose[c] = verify_series(r, plot, VERIFY_LINE, "vessel");
    if (law->kp[c] > 0) {
      struct verify_series *wanted = verify_series(r, plot, VERIFY_DASHED, "reference");
      verify_point(r, wanted, 30, law->reference[c]);
      verify_point(r, wanted, 200, law->reference[c]);
    }
  }
  return plots;
}

// Adds one control sample to the story: the last 20 s as sums, which average_late_samples divides.
static void add_sample(struct story *story, const struct sim_output *o, const double pose[COORDINATES]) {
  if (o->step == 0)
    memcpy(story->start, pose, sizeof story->start);
  if (o->time_s <= 180)
    return;

  story->late_samples++;
  for (int c = 0; c < COORDINATES; c++)
    story->mean[c] += pose[c];
  for (int c = 0; c < 2; c++) // w = (0, 600 kN) in the vessel's frame
    story->pushed_n[c] += o->hangoff_force_n_n[c] + 6e5 * (c == 0 ? -sin(pose[5]) : cos(pose[5]));
}

static void average_late_samples(struct story *story) {
  for (int c = 0; c < COORDINATES; c++)
    story->mean[c] /= story->late_samples;
  for (int c = 0; c < 2; c++)
    story->pushed_n[c] /= story->late_samples;
}

// Runs 200 s with the controller sampled every 0.1 s, as sagbend run does.
static void run_controlled(struct sim *s, double step_s, const struct dp_def *dp, struct story *story,
                           struct verify_result *r) {
  const int steps = (int)steps_nearest_to(200, step_s), period = (int)steps_nearest_to(0.1, step_s);
  struct paper_plots plots = open_plots(&dp->pid, r);
  struct dp_state state;
  struct command command = {0};
  memset(story, 0, sizeof *story);
  dp_init(&state);

  for (int k = 0; k <= steps; k++) {
    if (k % period == 0) {
      struct sim_output o;
      struct dp_sensors sensors;
      double pose[COORDINATES];
      sim_get_output(s, &o);
      pose_of(&o, pose);
      add_sample(story, &o, pose);

      dp_sensors_of_output(&o, &sensors);
      dp_sample(&state, dp, &sensors, &command);

      for (int c = 0; c < COORDINATES && k % (5 * period) == 0; c++)
        verify_point(r, plots.pose[c], o.time_s, pose[c]);
      if (k == 0 || k == 30 * 10 * period || k == steps)
        draw_pipe(r, plots.side, plots.above, s, k == 0 ? "static" : k == steps ? "200 s" : "30 s");
    }
    if (k < steps)
      sim_step(s, &(struct sim_input){.wrench_b = command.standby ? NULL : command.wrench_b});
  }
  average_late_samples(story);
}

static int run_paper_case(const struct verify_setup *setup, const char *dp_name, struct story *story,
                          struct verify_result *r) {
  struct sim_def def;
  struct dp_config dp;
  char path[1024];
  verify_run_with(r, "configs/paper-iii.yaml: 48 elements, steps of 10 ms, control every 0.1 s, 200 s");
  snprintf(path, sizeof path, "%s/%s.yaml", setup->configs, dp_name);
  if (!scene_load(setup, "paper-iii", 0, NULL, &def, r))
    return 0;
  if (dp_config_load(path, NULL, 0, &dp, stderr) != STATUS_OK) {
    verify_fail(r, "the DP file %s cannot be used; its errors are on stderr", path);
    return 0;
  }

  struct sim *s = scene_create(&def, r);
  if (!s)
    return 0;
  run_controlled(s, def.step_s, &dp.def, story, r);
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(&s->run.ledger), 0, 1e-8, "ledger closure");
  verify_add(r, VERIFY_ABSOLUTE, "", (double)s->run.fault, 0, 0, "faults");
  scene_free(s);
  return 1;
}

void verify_paper_pd(const struct verify_setup *setup, struct verify_result *r) {
  struct story t;
  if (!run_paper_case(setup, "paper-iii-pd-dp", &t, r))
    return;
  verify_add(r, VERIFY_ABSOLUTE, "m", t.start[0], 729.96, 0.02,
             "static equilibrium of the vessel, x (the weight is chosen to obtain it)");
  verify_add(r, VERIFY_ABSOLUTE, "rad", t.start[4], 0.13, 0.015, "pitch in the static equilibrium");
  static const char *const axis[] = {"x", "y"};
  const double kp = 0.5e6, bias[2] = {t.mean[0] - 780, t.mean[1]};
  for (int c = 0; c < 2; c++)
    verify_add(r, VERIFY_ABSOLUTE, "m", bias[c], t.pushed_n[c] / kp, 8e-3,
               "offset in %s over the last 20 s (nonzero in Figure 4.3), against pull and load over kp",
               axis[c]);
}

void verify_paper_pid(const struct verify_setup *setup, struct verify_result *r) {
  struct story t;
  if (!run_paper_case(setup, "paper-iii-dp", &t, r))
    return;
  verify_add(r, VERIFY_ABSOLUTE, "m", t.mean[0], 780, 0.45, "x over the last 20 s, at the reference");
  verify_add(r, VERIFY_ABSOLUTE, "m", t.mean[1], 0, 0.2, "y over the last 20 s, at the reference");
  verify_add(r, VERIFY_ABSOLUTE, "rad", t.mean[5], 0, 0.04, "yaw over the last 20 s, at the reference");
}
