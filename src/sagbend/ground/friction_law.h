// The laws of friction between pipe and seabed, once. All are springs whose elongation is bounded; a law
// states by what. A row without its function friction_<word> in sagbend/pipe/friction.c does not compile.
#pragma once

// X(LAW, word, needs_soil, remembers, meaning)
//   needs_soil  1: only on a seabed that is a soil
//   remembers   1: the state keeps how far each node has slipped since it touched down
//   meaning     in the description of environment.seabed_friction_law
#define FRICTION_LAW_TABLE(X)                                                                                \
  X(COULOMB, coulomb, 0, 0, "at most the coefficient times the normal force")                                \
  X(BREAKOUT, breakout, 1, 1, "of a soil: a peak that falls to the coefficient as the pipe slips")

// FRICTION_OF_SEABED: breakout on a soil, coulomb on another seabed. No pipe has it.
#define FRICTION_LAW_ENUMERATOR(LAW, ...) FRICTION_##LAW,
enum friction_law { FRICTION_OF_SEABED, FRICTION_LAW_TABLE(FRICTION_LAW_ENUMERATOR) FRICTION_LAW_COUNT };
#undef FRICTION_LAW_ENUMERATOR

// Friction as configured, and of a pipe. A law that has parameters adds its own.
struct friction_def {
  enum friction_law law;
  double coefficient[2]; // along and across the pipe; both 0: no friction
  double stiffness_npm2; // of the elastic part, per length of pipe
};

// For the row of the key: the words, and a sentence about each.
#define FRICTION_LAW_WORD(LAW, word, ...)                           #word,
#define FRICTION_LAW_DOC(LAW, word, needs_soil, remembers, meaning) " " #word ": " meaning "."

#define FRICTION_LAW_NEEDS_SOIL(LAW, word, needs_soil, remembers, ...) | (needs_soil) << FRICTION_##LAW
static inline int friction_needs_soil(enum friction_law law) {
  return ((0 FRICTION_LAW_TABLE(FRICTION_LAW_NEEDS_SOIL)) >> law) & 1;
}

#define FRICTION_LAW_REMEMBERS(LAW, word, needs_soil, remembers, ...) | (remembers) << FRICTION_##LAW
static inline int friction_remembers(enum friction_law law) {
  return ((0 FRICTION_LAW_TABLE(FRICTION_LAW_REMEMBERS)) >> law) & 1;
}
