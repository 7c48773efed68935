// A checkpoint file: everything that the next steps depend on. Written whole or not at all, bound to the
// build and the configuration that wrote it, closed by a hash over all of it.
//
// Layout, native byte order (the build is the same on both sides): struct head of 8-byte words and names,
// struct closed_loop_state, the simulator's snapshot, the rig's state, 64-bit FNV-1a of all that.
#pragma once

#include "core/base/nonblocking.h"
#include "core/sim/sim.h"
#include "hil/closed_loop.h"
#include "hil/sensor_suite.h"

// What a checkpoint belongs to. Names are zero-padded: the struct is compared and written as bytes.
struct checkpoint_identity {
  uint64_t model_hash; // config.model_hash
  uint64_t dp_hash;    // dp_config.hash of the controller inside; 0: none inside
  char config_name[64];
  char version[24];
  char build[48];
};

// The file's bytes without the hash at its end.
size_t checkpoint_size(const struct sim *sim, const struct sensor_suite *suite);

// Fills image, checkpoint_size bytes, from the present state. No allocation, no I/O: fit for the step's
// thread.
void checkpoint_fill(void *image, const struct checkpoint_identity *identity, uint64_t step,
                     const struct closed_loop_state *controls, const struct sim *sim,
                     const struct sensor_suite *suite) NONBLOCKING;

uint64_t checkpoint_step(const void *image);

// Puts an image and its hash under path: into path.partial, synced, then renamed over what was there, the
// folder synced. The old file stays whole whatever fails.
enum status checkpoint_write(const char *path, const void *image, size_t size, struct reason *why);
// Whether path can be written at all, before there is anything to write.
enum status checkpoint_try_path(const char *path, struct reason *why);

// A whole file's bytes. Release with free.
enum status checkpoint_read(const char *path, void **bytes, size_t *size, struct reason *why);

// Checks the bytes of a file (8-byte aligned) and puts the state into sim, rig and controls. Refused
// (STATUS_BAD_INPUT and the reason): truncated, damaged, another format, another build, another
// configuration, a controller inside that it holds no state of; and every count, index, flag, number or name
// that this session cannot have come to, whoever wrote it: the hash is a checksum, not a signature. Nothing
// is changed then. identity->dp_hash 0: the state of a controller inside is not asked for, and is left out.
enum status checkpoint_restore(const void *bytes, size_t size, const struct checkpoint_identity *identity,
                               const struct closed_loop_rules *rules, struct sim *sim,
                               struct sensor_suite *suite, struct closed_loop_state *controls,
                               struct reason *why);

// For who alters an image behind the hashes (tests): puts the step and the state's hash into its head anew,
// and returns the hash that belongs behind it. Where the parts of an image lie.
uint64_t checkpoint_seal(void *image, size_t size);
enum { CHECKPOINT_HEAD = 216 }; // bytes; the controls follow
struct checkpoint_parts {
  size_t controls, snapshot, suite, end;
};
struct checkpoint_parts checkpoint_parts_of(const struct sim *sim, const struct sensor_suite *suite);
