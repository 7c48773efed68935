// The controllers of Paper III of Saefstroem's thesis (2009), section 4.4: PD leaves a steady-state offset,
// PID removes it.
#include "verification/harness/harness.h"

#include "sagbend/base/base.h"

#include "sagbend/case/case.h"
#include "sagbend/rig/rig.h"

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
  double integral[COORDINATES],
      last[COORDINATES];             // of the error since 30 s by the trapezoidal rule; last pose
  double mean_integral[COORDINATES]; // over the last 20 s
  double first[2], speed[2];         // velocities north and east: at the beginning of the last 20 s, last
  double late_pose[COORDINATES];     // at the beginning of the last 20 s
  double drag_j;                     // work that Morison's formula takes
};

static void pose_of(const struct sim_output *o, double pose[COORDINATES]) {
  memcpy(pose, o->position_n_m, sizeof o->position_n_m);
  memcpy(pose + 3, o->euler_rad, sizeof o->euler_rad);
}

static void draw_pipe(struct verify_result *r, struct verify_plot *side, struct verify_plot *above,
                      const struct sim *s, const char *label) {
  struct verify_series *a = verify_series(r, side, VERIFY_LINE, "%s", label),
                       *b = verify_series(r, above, VERIFY_LINE, "%s", label);
  for (int i = 0; i < s->state.mesh.pipe.nodes; i++) {
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
static void add_sample(struct story *story, const struct sim_output *o, const double pose[COORDINATES],
                       const struct pid_def *law, double period_s) {
  if (o->step == 0)
    memcpy(story->start, pose, sizeof story->start);
  for (int c = 0; c < COORDINATES && o->time_s > law->start_s; c++)
    story->integral[c] += 0.5 * period_s * (story->last[c] + pose[c] - 2 * law->reference[c]);
  memcpy(story->last, pose, sizeof story->last);
  memcpy(story->speed, o->velocity_n_mps, sizeof story->speed);
  if (o->time_s <= 180) {
    memcpy(story->first, story->speed, sizeof story->first);
    memcpy(story->late_pose, pose, sizeof story->late_pose);
    return;
  }

  story->late_samples++;
  for (int c = 0; c < COORDINATES; c++)
    story->mean_integral[c] += story->integral[c];
  for (int c = 0; c < COORDINATES; c++)
    story->mean[c] += pose[c];
  const mat3 attitude = quat_matrix(quat_of_euler(o->euler_rad));
  for (int c = 0; c < 2; c++) // w = (0, 600 kN) in the vessel's frame
    story->pushed_n[c] += o->hangoff_force_n_n[c] + 6e5 * attitude.m[c][1];
}

static void average_late_samples(struct story *story) {
  for (int c = 0; c < COORDINATES; c++)
    story->mean[c] /= story->late_samples, story->mean_integral[c] /= story->late_samples;
  for (int c = 0; c < 2; c++)
    story->pushed_n[c] /= story->late_samples;
}

// Runs 200 s with the controller sampled every 0.1 s, as sagbend run does.
static void run_controlled(struct sim *s, double step_s, const struct dp_def *dp, struct story *story,
                           struct verify_result *r) {
  const int steps = (int)steps_nearest_to(200, step_s), period = (int)steps_nearest_to(0.1, step_s);
  struct paper_plots plots = open_plots(&dp->pid, r);
  struct dp_state state;
  struct dp_work work;
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
      add_sample(story, &o, pose, &dp->pid, period * step_s);

      dp_sensors_of_output(&o, &sensors);
      dp_sample(&state, dp, &sensors, &work, &command);

      for (int c = 0; c < COORDINATES && k % (5 * period) == 0; c++)
        verify_point(r, plots.pose[c], o.time_s, pose[c]);
      if (k == 0 || k == 30 * 10 * period || k == steps)
        draw_pipe(r, plots.side, plots.above, s, k == 0 ? "static" : k == steps ? "200 s" : "30 s");
    }
    if (k == steps)
      break;
    // The current of the paper jumps at 10 s: over a step it is that of its middle.
    const vec3 surface_n_mps = {0, (k + 0.5) * step_s > 10 ? -0.8 : 0, 0};
    story->drag_j += 0.5 * step_s * scene_drag_power_w(s, surface_n_mps);
    sim_step(s, &(struct sim_input){.wrench_b = command.standby ? NULL : command.wrench_b});
    story->drag_j += 0.5 * step_s * scene_drag_power_w(s, surface_n_mps);
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
  const struct error_sink errors = error_to(stderr);
  const struct config_request request = {.path = path};
  if (dp_config_read(&request, 0, &dp, NULL, NULL, &errors) != STATUS_OK) {
    verify_fail(r, "the DP file %s cannot be used; its errors are on stderr", path);
    return 0;
  }

  struct sim *s = scene_create(&def, r);
  if (!s)
    return 0;
  run_controlled(s, def.step_s, &dp.def, story, r);
  verify_add(r, VERIFY_ABSOLUTE, "", ledger_closure_rel(&s->run.ledger), 0, 1e-11, "ledger closure");
  verify_add(r, VERIFY_ABSOLUTE, "", (double)s->run.fault, 0, 0, "faults");
  verify_add(r, VERIFY_RELATIVE, "J", s->run.ledger.total_loss_j[LOSS_PIPE_DRAG], story->drag_j, 2e-4,
             "lost to drag of the pipe; reference: Morison's formula");
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
    verify_add(r, VERIFY_ABSOLUTE, "m", bias[c], t.pushed_n[c] / kp, 3e-4,
               "offset in %s over the last 20 s (nonzero in Figure 4.3), against pull and load over kp",
               axis[c]);
}

// What the integral action has not yet removed: it is slow (kp/ki = 400 s in x, 80 s in y). The balance of
// the last 20 s shows how much is left:
//   kp e + ki (integral of e) + kd v = pull and load - M dv/dt,  in the mean.
// e, its integral and v come from the vessel's path, not from the controller.
void verify_paper_pid(const struct verify_setup *setup, struct verify_result *r) {
  static const double kp = 0.4e6, kd[2] = {0.5e7, 0.4e7}, ki[2] = {0.1e4, 0.5e4}, mass_kg = 6.3622085e6,
                      reference[2] = {780, 0}, duration_s = 20;
  static const char *const axis[] = {"x", "y"};
  struct story t;
  if (!run_paper_case(setup, "paper-iii-dp", &t, r))
    return;
  for (int c = 0; c < 2; c++) {
    const double speed = (t.last[c] - t.late_pose[c]) / duration_s,
                 force_n = mass_kg * (t.speed[c] - t.first[c]) / duration_s;
    verify_add(r, VERIFY_ABSOLUTE, "m", t.mean[c] - reference[c],
               (t.pushed_n[c] - force_n - ki[c] * t.mean_integral[c] - kd[c] * speed) / kp, 3e-4,
               "%s over the last 20 s less the reference, against the balance of the controller", axis[c]);
    verify_show(r, "m", ki[c] * t.mean_integral[c] / kp, (double)NAN,
                "what the integral holds in %s, over kp", axis[c]);
  }
  // The clamp holds the vessel in yaw; the controller's gain is a small part of the pipe's stiffness.
  verify_show(r, "rad", t.mean[5], 0, "yaw over the last 20 s, at the reference");
}
