// An instance of an exported FMU, for both standards.
#pragma once

#include "fmu/fmi.h"
#include "fmu/fmu.h"

// What both standards call states; several may be or-ed.
enum {
  PHASE_INSTANTIATED = 1,
  PHASE_INITIALISING = 2,
  PHASE_STEPPING = 4,
  PHASE_TERMINATED = 8,
  PHASE_FAILED = 16, // the parameters cannot be simulated
  PHASES_TO_SET = PHASE_INSTANTIATED | PHASE_INITIALISING | PHASE_STEPPING,
  PHASES_WITH_VALUES = PHASES_TO_SET | PHASE_TERMINATED,
  ALL_PHASES = PHASES_WITH_VALUES | PHASE_FAILED
};

enum log_category { LOG_ERROR, LOG_WARNING, LOG_EVENTS, LOG_ORDERS, LOG_CATEGORIES };
extern const char *const log_categories[LOG_CATEGORIES];

enum { ORDER_TEXT = 512, RESULT_TEXT = 640 };

// What a state of the FMU carries beside the state of the simulation.
struct instance_state {
  double start, stop;
  int32_t has_stop, phase;
  char order[ORDER_TEXT], done[ORDER_TEXT], result[RESULT_TEXT]; // done: the order that was carried out
};

// What a value reference is.
enum place { OF_CASE, TIME_OF_CASE, OF_FMU, PARAMETER };
struct reference {
  uint32_t vr;
  int type, is_input, is_fixed;
  enum place place;
  size_t index; // of a parameter
  const char *name;
};

struct instance {
  int version; // of FMI: 2, 3
  char *name;
  struct fmu_list list;
  double *parameter; // values, as last set
  int is_stale;      // they differ from those of the simulation
  sagbend_case *c;
  sagbend_sim *s;
  struct reference *reference; // sorted by vr
  size_t reference_count;
  struct instance_state state;
  char hash[17];
  char journal[ORDER_TEXT]; // path; "": none
  int has_journal;          // of the present simulation
  size_t events_logged;
  uint64_t refusals_logged;
  // How an importer is told: by the function of its standard.
  int logging, all_categories;
  unsigned categories; // a bit each
  const struct fmi2_callbacks *callbacks;
  fmi3_logger log3;
  void *environment;
};

// Name, token and folder of the resources (a path, or a URI) are the importer's. NULL after the reason has
// gone to its log, also with logging off.
struct instance *instance_make(const struct instance *from, const char *name, const char *token,
                               const char *resources);
void instance_free(struct instance *i); // accepts NULL

// Tells the importer, if it listens to this category. refuse also returns FMI_ERROR.
#if defined(__GNUC__)
#define LIKE_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define LIKE_PRINTF(text, first)
#endif
void say(const struct instance *i, int status, enum log_category category, const char *format, ...)
    LIKE_PRINTF(4, 5);
int refuse(const struct instance *i, const char *format, ...) LIKE_PRINTF(2, 3);
// Whether a function may be called in the present phase; otherwise it is refused.
int is_allowed(const struct instance *i, int phases, const char *function);

// Each of these returns a status of FMI, after telling the importer what it refuses.
int instance_set_logging(struct instance *i, int on, size_t n, const char *const category[]);
int instance_begin(struct instance *i, double start, int has_stop, double stop);
int instance_begun(struct instance *i); // end of the initialisation
int instance_reset(struct instance *i);
int instance_step(struct instance *i, double at, double step);
double instance_time(const struct instance *i);
int instance_has_fault(const struct instance *i);
// Makes the simulation of the present parameters, if they have changed.
int instance_refresh(struct instance *i);

// The value of a reference; NULL: there is none.
const struct reference *instance_find(const struct instance *i, uint32_t vr);
// type: that of the function's variables. Set: all of them, or none.
int instance_get(struct instance *i, int type, const uint32_t vr[], size_t n, double value[]);
int instance_set(struct instance *i, int type, const uint32_t vr[], size_t n, const double value[]);
int instance_get_text(struct instance *i, const uint32_t vr[], size_t n, const char *value[]);
int instance_set_text(struct instance *i, const uint32_t vr[], size_t n, const char *const value[]);

// States: one block of memory, which is its own serialised form.
int instance_state_get(struct instance *i, void **state);
int instance_state_set(struct instance *i, const void *state);
int instance_state_size(const struct instance *i, const void *state, size_t *size);
int instance_state_write(const struct instance *i, const void *state, void *out, size_t size);
int instance_state_read(const struct instance *i, const void *in, size_t size, void **state);
