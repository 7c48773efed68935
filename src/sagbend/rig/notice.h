// Notices: mistakes of a controller that the simulator recognises by what the commands do to the vessel. Each
// kind is raised once, and again only after the mistake was gone for a while. They follow from commands and
// states alone, so that a replay raises them at the same steps. Plain data.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/base/status.h"
#include "sagbend/signals/readings.h"

#include <stddef.h>
#include <stdint.h>

// Notices by kind; the table makes enum, names of events and what a person should ask.
#define NOTICE_TABLE(X)                                                                                      \
  X(NOTICE_WEAK_WRENCH, "command_weak", "is it in N?",                                                       \
    "The force is far too small while the vessel drifts away. Send newtons and newton metres, not kilo.")    \
  X(NOTICE_WEAK_THRUSTERS, "thrusters_weak", "revolutions are in rpm, pitch is a share from -1 to 1",        \
    "As command_weak, of thrusters: revolutions in rpm, pitch as a share from -1 to 1.")                     \
  X(NOTICE_AZIMUTH, "azimuth_units", "is it in rad, not in degrees?", "Send the azimuth in rad.")            \
  X(NOTICE_FEEDBACK, "positive_feedback", "is a sign wrong?",                                                \
    "The force drives the vessel on instead of back. Compare the sign of error and force.")                  \
  X(NOTICE_FRAME, "command_frame", "are surge and sway in body axes, forward and starboard?",                \
    "The force is right in size and wrong in direction. Turn it into body axes by the heading.")             \
  X(NOTICE_YAW_FEEDBACK, "yaw_feedback", "is its sign right, positive bow to starboard?",                    \
    "The moment drives the heading on. Positive turns the bow to starboard.")
#define X(name, text, question, advice) name,
enum notice_kind { NOTICE_TABLE(X) NOTICE_COUNT };
#undef X

// What was found when the notice was raised last.
struct notice {
  uint64_t count;  // times raised; 0: never
  uint64_t step;   // at which it was raised last
  uint64_t active; // 1: what raised it still goes on
  uint64_t gone;   // steps for which it has not, while active
  // Commanded and expected: force N (weak wrench), largest share of full stroke (weak thrusters), azimuth rad
  // and full turns (azimuth); distance from the target, m, and heading, rad (weak wrench and thrusters).
  // Feedback and frame: angle of the force, rad, heading, rad, direction of the motion from north, rad, and
  // deviation, m or rad.
  double value[4];
  int64_t thruster; // its index, where value is of one; -1: none
};

struct notices {
  struct notice kind[NOTICE_COUNT];
};

const char *notice_name(int kind); // "positive_feedback": the name of its event; "unknown" outside the table
const char *notice_question(int kind); // "is a sign wrong?"
int notice_find(const char *name);     // -1: no notice has this name

// What a person reads: at most 159 characters. name: of the thruster with an index.
void notice_text(int kind, const struct notice *notice, const char *thruster, char *out, size_t size);

// Raises a notice that is not active, with its values; keeps one active that is. Not raised for
// NOTICE_QUIET_S: it is active no more.
void notice_raise(struct notice *notice, uint64_t step, const double value[4], int64_t thruster) NONBLOCKING;
void notice_rest(struct notice *notice, uint64_t quiet_steps) NONBLOCKING;
static const double NOTICE_QUIET_S = 60;

// Whether notices from a file are possible at this step (sagbend/base/base.h).
int notices_are_valid(const struct notices *notices, uint64_t step, struct reason *why);
