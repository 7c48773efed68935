// Inside of sagbend-fmu: the FMU's model description, the map, the FMU in a process of its own.
#pragma once

#include "net/messages/messages.h"
#include "sagbend/base/base.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { FMU_NAME = 128, FMU_PATH = 1024, FMU_MOST_VALUES = 512, FMU_TEXT_SIZE = 512 };

// ---- The FMU unpacked: archive.c ----

// Unpacks the archive into a new folder below TMPDIR. Release with archive_remove.
enum status archive_unpack(const char *path, char folder[FMU_PATH], struct reason *why);
void archive_remove(const char *folder);

// ---- The model description: model.c ----

enum value_type { VALUE_REAL, VALUE_INTEGER, VALUE_BOOLEAN, VALUE_OTHER };
struct model_value {
  char name[FMU_NAME];
  uint32_t vr;
  enum value_type type;
  char causality[24], unit[24], element[16];
};
struct fmu_model {
  int version;                                // of FMI: 1, 2, 3
  char token[128], identifier[128], name[64]; // token: guid or instantiationToken
  int is_co_simulation, has_fixed_step;
  double step_s;          // of the default experiment; 0: not stated
  double internal_step_s; // FMI 3: communication steps are whole multiples of it; 0: not stated
  struct model_value *value;
  size_t value_count;
};
enum status model_read(const char *folder, struct fmu_model *out, struct reason *why);
void model_free(struct fmu_model *model);
const struct model_value *model_find(const struct fmu_model *model, const char *name);

// ---- The map: map.c, sources.c ----

enum map_form { PLAIN = 0, FROM_START = 1, WRAPPED = 2 };
struct map_input {
  const struct model_value *to;
  char from[FMU_NAME]; // of the message Sensors
  double scale, offset;
  int form;
};
struct map_output {
  char to[FMU_NAME]; // surge_n, sway_n, yaw_nm, thruster/NAME/...
  const struct model_value *from;
  double scale, offset;
};
struct map_start {
  const struct model_value *to;
  double value;
};
struct map {
  double step_s, timeout_s;
  int begins_at_once;     // the FMU itself looks whether an instrument has measured
  int is_world;           // surge and sway are north and east
  char heading[FMU_NAME]; // by which they are turned: a source as of an input
  struct map_start start[FMU_MOST_VALUES];
  struct map_input input[FMU_MOST_VALUES];
  struct map_output output[FMU_MOST_VALUES];
  int start_count, input_count, output_count;
};
// Errors are lines on stderr. A map without inputs and outputs is by names.
enum status map_read(const char *path, const struct fmu_model *model, struct map *out);
// Adds what the FMU's variables are by their own names, those of the library's variables. 0: it has no output
// of a command, or states no step.
int map_by_names(const struct fmu_model *model, struct map *map);
void map_begin(struct map *map); // an empty one
int map_source_is_known(const char *from);
int map_input_of(const struct map *map, const char *from); // index of the input from there; -1: none
// The value of a source in a message. 0: the vessel has none. SOURCE_IS_SILENT: an instrument that has not
// measured yet.
enum { SOURCE_IS_SILENT = -1 };
int map_source(const char *from, const struct wire_sensors *s, const struct wire_welcome *w, double *out);

// What an output is a part of.
enum map_target_kind { NO_TARGET, TO_ENGAGED, TO_WRENCH, TO_THRUSTER, TO_TENSIONER };
struct map_target {
  enum map_target_kind kind;
  int index;
  char thruster[SIGNAL_NAME];
};
struct map_target map_target_of(const char *to);

// A command while its parts come: zero, but for a tensioner of {-1}.
struct map_command {
  struct command command;
  int is_left_out[MAX_THRUSTERS]; // the FMU does not command it
  double tensioner[3];            // mode (-1: no order), tension, speed
};
void map_put(struct map_command *m, const struct map_target *target, double value);
void map_finish(struct map_command *m);

// ---- The process of the FMU, from outside: slave.c ----

struct child {
  pid_t id; // 0: none runs
  int socket;
  double timeout_s;
};
// Starts the process. The FMU is loaded, instantiated and initialised by child_begin.
enum status child_start(struct child *c, const struct fmu_model *model, const char *folder,
                        const struct map *map, struct reason *why);
enum status child_begin(struct child *c, double start_s, struct reason *why);
enum status child_step(struct child *c, const double *inputs, int input_count, double at_s, double step_s,
                       double *outputs, int output_count, struct reason *why);
void child_end(struct child *c); // ends it in any case
