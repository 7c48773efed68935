// Checkpoints: everything that the following steps depend on, in one piece of memory. It is bound to the
// build and the configuration that made it, and ends with a hash over all of it. log/log/checkpoint_file.h
// writes and reads it as a file.
//
// Layout, in native byte order (only the same build reads it): struct checkpoint_head, struct
// closed_loop_state, the simulator's snapshot, the state of the sensor suite, 64-bit FNV-1a of all that. The
// bytes before the hash are called an image.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/sim/sim.h"
#include "sagbend/rig/closed_loop.h"
#include "sagbend/rig/sensor_suite.h"

// What a checkpoint belongs to. Names are padded with zeros: the struct is compared and written as bytes.
struct checkpoint_identity {
  uint64_t model_hash; // config.model_hash
  uint64_t dp_hash;    // dp_config.hash of the controller inside the program; 0: none
  char config_name[64];
  char version[24];
  char build[48];
  char session[24]; // that wrote it; not compared
};

// ---- making an image ----

size_t checkpoint_size(const struct sim *sim, const struct sensor_suite *suite); // of an image, bytes

// Fills image (checkpoint_size bytes) from the present state. Neither allocates nor does I/O, so the step
// thread may call it.
void checkpoint_fill(void *image, const struct checkpoint_identity *identity,
                     const struct closed_loop *loop) NONBLOCKING;

// What an image contains.
uint64_t checkpoint_step(const void *image); // steps done in it
uint64_t checkpoint_state_hash(const void *image);
struct checkpoint_identity checkpoint_identity_in(const void *image);
void checkpoint_loop_state(const void *image, struct closed_loop_state *out);
uint64_t checkpoint_file_hash(const void *image, size_t size); // that follows the image in a file

// ---- restoring ----

// Checks the bytes of a file (8-byte aligned) and copies the state into sim, suite and state.
// STATUS_BAD_INPUT and the reason: the file is truncated, damaged or of another format; another build or
// configuration wrote it; it has no state of the controller that runs inside now; or any count, index, flag,
// number or name is one that this session cannot have reached, because the hash is a checksum and not a
// signature. Nothing is changed then. identity->dp_hash 0: no controller runs inside now, and the state of
// one in the file is ignored.
enum status checkpoint_restore(const void *bytes, size_t size, const struct checkpoint_identity *identity,
                               const struct closed_loop_rules *rules, struct sim *sim,
                               struct sensor_suite *suite, struct closed_loop_state *state,
                               struct reason *why);
// The same into a closed loop, which goes on with it.
enum status checkpoint_resume(const void *bytes, size_t size, const struct checkpoint_identity *identity,
                              struct sim *sim, struct sensor_suite *suite, struct closed_loop *loop,
                              struct reason *why);

// The same checks without changing anything: whether checkpoint_restore would succeed.
enum status checkpoint_check(const void *bytes, size_t size, const struct checkpoint_identity *identity,
                             const struct closed_loop_rules *rules, const struct sim *sim,
                             const struct sensor_suite *suite, struct reason *why);

// ---- for tests that alter an image ----

// Puts the step and the hash of the altered state into the head, and returns the hash that belongs at the
// end of the file.
uint64_t checkpoint_seal(void *image, size_t size);

enum { CHECKPOINT_HEAD = 240 }; // bytes

struct checkpoint_parts { // where the parts of an image begin, bytes; end: its size
  size_t state, snapshot, suite, end;
};
struct checkpoint_parts checkpoint_parts_of(const struct sim *sim, const struct sensor_suite *suite);
