// The keys name, extends, simulation and real_time.
#include "sagbend/case/case.h"
#include "sagbend/case/case_internal.h"

// A key for each event of the simulator but those that latch a fault.
#define ON_EVENT_REPORT(event, name, text) ON_EVENT_KEY(event, name, "report", text)
#define ON_EVENT_FAIL(event, name, text)   ON_EVENT_KEY(event, name, "fail", text)
#define ON_EVENT_FAULT(event, name, text)
#define ON_EVENT_KEY(event, name, default_, text)                                                            \
  {"simulation.on_event." name,                                                                              \
   AS_WORD,                                                                                                  \
   .words = {"report", "fail"},                                                                              \
   .fallback = default_,                                                                                     \
   WORD_AT(out.run.on_event[event]),                                                                         \
   .doc = "Reaction to the event " name " (" text "). fail: the run fails."},

static const struct key_def KEYS[] = {
    {"name", AS_TEXT, .size = 64, AT(out.name), .doc = "Name of the case in messages, summaries and logs."},
    {"extends", AS_TEXT, .size = 256, .optional = 1, AT(extends),
     .doc = "Path of the configuration that this file extends, relative to this file's folder. Sections are "
            "merged key by key; a list or a value replaces the inherited one; null removes it."},
    {"meant", AS_TEXT, .outside_model = 1, .size = 512, .optional = 1, AT(out.meant),
     .doc = "Keys of this file or of its DP file, separated by spaces, whose unusual values are meant: "
            "nothing is "
            "said of them and of what they contain, such as pid.setpoint.position_m."},
    {"simulation", AS_SECTION, .optional = 1, .doc = "Time step, run mode and numerical limits of the run."},
    {"simulation.step_s", AS_NUMBER, .range = LIMITED, .low = 1e-5, .high = 1, .fallback = "0.01",
     AT(out.sim.step_s), .unit = "s", .doc = "Length of a time step."},
    {"simulation.duration_s", AS_NUMBER, .outside_model = 1, .range = NOT_NEGATIVE, .fallback = "0",
     AT(out.run.duration_s), .unit = "s",
     .doc = "Simulated time of the run. 0 runs until the program is stopped."},
    {"simulation.mode", AS_WORD, .outside_model = 1, .words = {"realtime", "lockstep", "fast"},
     .fallback = "realtime", WORD_AT(out.run.mode),
     .doc = "Pacing of the run. realtime: at wall-clock rate. lockstep: waits for the controller's answer to "
            "each sensor message. fast: as fast as possible."},
    {"simulation.lockstep_timeout_s", AS_NUMBER, .outside_model = 1, .range = NOT_NEGATIVE, .fallback = "0",
     AT(out.run.lockstep_timeout_s), .unit = "s",
     .doc = "Wall-clock limit in mode lockstep for the controller's answer to a sensor message. A run that "
            "waits longer fails. 0: no limit."},
    {"simulation.lost_time_limit_s", AS_NUMBER, .outside_model = 1, .range = NOT_NEGATIVE, .fallback = "1",
     AT(out.run.lost_time_limit_s), .unit = "s",
     .doc = "Limit in mode realtime on the simulated time lost against the wall clock. A run with verdicts "
            "that loses more fails. 0: no limit."},
    {"simulation.overrun", AS_WORD, .outside_model = 1, .words = {"count", "halt"}, .fallback = "count",
     WORD_AT(out.run.overrun),
     .doc = "Policy of mode realtime for late steps. count: they are counted, and the run goes on. halt: at "
            "simulation.overrun_limit simulated time stops until an operator resumes the run."},
    {"simulation.overrun_limit", AS_INTEGER, .outside_model = 1, .range = LIMITED, .low = 1, .high = 1000000,
     .fallback = "10", AT(out.run.overrun_limit),
     .doc = "Number of periods in a row without a step that ends on time at which simulation.overrun: halt "
            "halts the run. Lost periods count. 1: the first late step."},
    {"simulation.not_converged_share_max", AS_NUMBER, .outside_model = 1, .range = LIMITED, .low = 0,
     .high = 1, .fallback = "0.001", AT(out.run.not_converged_share_max),
     .doc = "Largest share of steps in which Newton's method may fail to converge. A run with a larger share "
            "fails. 1: no limit."},
    {"simulation.on_event", AS_SECTION, .outside_model = 1, .optional = 1,
     .doc = "Reactions of a run to events of the simulator. report: the event is written to console, log and "
            "summary. fail: the run fails as well, with exit status 1 at its end."},
#define SIM_EVENT(id, name, grade, reaction, meaning, advice) ON_EVENT_##reaction(EVENT_##id, name, meaning)
#include "sagbend/events/events.inc"
    {"simulation.newton_max_iterations", AS_INTEGER, .range = LIMITED, .low = 1, .high = 100,
     .fallback = "20", AT(out.sim.newton_max_iterations),
     .doc = "Largest number of Newton iterations in a step."},
    {"simulation.order", AS_INTEGER, .range = LIMITED, .low = 2, .high = 4, .fallback = "2",
     AT(out.sim.integrator.order),
     .doc = "Order of accuracy of the time step: 2, or 4 for a vessel without a pipe. With a hydro file the "
            "memory "
            "of the radiation is of order 2, and so is the motion."},
    {"simulation.realtime_priority", AS_INTEGER, .outside_model = 1, .range = LIMITED, .low = 0, .high = 99,
     .fallback = "50", AT(out.run.realtime_priority),
     .doc = "SCHED_FIFO priority that the step thread requests. 0: none is requested."},
    {"simulation.serving_priority", AS_INTEGER, .outside_model = 1, .range = LIMITED, .low = 0, .high = 98,
     .fallback = "1", AT(out.run.serving_priority),
     .doc =
         "SCHED_FIFO priority that the main thread requests in mode realtime, once the step thread has its "
         "own. It stays below simulation.realtime_priority. 0: none is requested."},
    {"simulation.cpu", AS_INTEGER, .outside_model = 1, .range = LIMITED, .low = -1, .high = 1023,
     .fallback = "-1", AT(out.run.cpu), .doc = "Processor core of the step thread. -1: any core."},
    {"simulation.serving_cpu", AS_INTEGER, .outside_model = 1, .range = LIMITED, .low = -1, .high = 1023,
     .fallback = "-1", AT(out.run.serving_cpu),
     .doc =
         "Processor core of the main thread in mode realtime. -1: any core. The core of the step thread "
         "hands Sensors over soonest where other programs keep the other cores busy; a step thread that is "
         "always late then keeps the sockets waiting."},
    {"simulation.keep_cpus_awake", AS_FLAG, .outside_model = 1, .fallback = "true",
     AT(out.run.keep_cpus_awake),
     .doc = "Holds /dev/cpu_dma_latency at 0 during a run in mode realtime, so that the processors enter no "
            "sleep states. Threads wake up earlier; the machine needs more power."},
    {"simulation.spin_s", AS_NUMBER, .outside_model = 1, .range = LIMITED, .low = 0, .high = 0.001,
     .fallback = "0", AT(out.run.spin_s), .unit = "s",
     .doc = "Mode realtime: the step thread sleeps until this time before a step is due, and then reads the "
            "clock until it is, so that a late wake-up does not delay the step. At most half of "
            "simulation.step_s. Its processor computes for this time in each period. 0: it sleeps until the "
            "step is due."},
    {"simulation.event_time_scale", AS_NUMBER, .range = POSITIVE, .fallback = "1",
     AT(out.run.time_scale_of_events),
     .doc = "Factor on all event times: start, stop and ramp times and tables of loads, end load, current, "
            "wind and waves; the start of controller.pid; events and verdicts. A factor below 1 runs the "
            "same scenario in a shorter time."},
    {"real_time", AS_SECTION, .outside_model = 1, .optional = 1,
     .doc = "Clock of a rig in mode realtime (docs/rig-time.md)."},
    {"real_time.clock", AS_WORD, .outside_model = 1, .words = {RIG_CLOCK_WORDS}, .fallback = "monotonic",
     WORD_AT(out.run.clock),
     .doc =
         "Clock that the steps of mode realtime follow. monotonic: that of this machine alone. utc: the UTC "
         "that a rig shares by NTP or PTP; steps begin at whole multiples of simulation.step_s of it. tai: "
         "the same without leap seconds, where the kernel knows the offset of TAI."},
};

static void check_simulation(const struct check *c) {
  if (is_readable(c, "simulation.order") && c->draft->out.sim.integrator.order == 3)
    report(c, "simulation.order", "2 or 4 expected");
  if (is_readable(c, "simulation.spin_s") && is_readable(c, "simulation.step_s") &&
      c->draft->out.run.spin_s > 0.5 * c->draft->out.sim.step_s)
    report(c, "simulation.spin_s", "at most half of simulation.step_s (%g s) expected",
           c->draft->out.sim.step_s);
}

static void scale_profile(struct time_profile *profile, double factor) {
  profile->start_s *= factor;
  profile->stop_s *= factor;
  profile->ramp_s *= factor;
  for (int i = 0; i < profile->rows; i++)
    profile->table[i].time_s *= factor;
}

void config_scale_event_times(struct config *out) {
  double factor = out->run.time_scale_of_events;

  scale_profile(&out->sim.env.current.profile, factor);
  scale_profile(&out->sim.env.wind.profile, factor);
  scale_profile(&out->sim.env.waves.profile, factor);
  for (int i = 0; i < out->sim.env.load_count; i++)
    scale_profile(&out->sim.env.loads[i].profile, factor);
  scale_profile(&out->sim.pipe.end_profile, factor);
  out->sim.pid.start_s *= factor;

  for (int i = 0; i < out->scenario.event_count; i++) {
    out->scenario.event[i].at_s *= factor;
    out->scenario.event[i].duration_s *= factor;
  }
  struct scene_def *scene = &out->suite.instruments.scene;
  for (int i = 0; i < scene->obstruction_count; i++) {
    scene->obstruction[i].from_s *= factor;
    scene->obstruction[i].to_s *= factor;
  }
  for (int i = 0; i < out->scenario.verdict_count; i++) {
    out->scenario.verdict[i].from_s *= factor;
    out->scenario.verdict[i].to_s *= factor;
    out->scenario.verdict[i].alarm.within_s *= factor;
  }
}

void config_check_integrator(const struct check *c, const struct config *out) {
  const char *key;
  struct reason why;

  if (sim_check_integrator(&out->sim, &key, &why) != STATUS_OK)
    report_text(c, key, why.text);
}

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {{.rows = &ROWS, .prefix = ""}};
const struct config_section SIMULATION_SECTION = {GROUPS, 1, check_simulation, NULL, NULL};
