// Bump allocator over one block of memory. All memory of the simulator is taken when it is created; a step
// never allocates. To size the block, lay out with a NULL block first and read used, then lay out again over
// the real one.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/un.h>

struct arena {
  unsigned char *block; // borrowed; NULL: the arena only measures
  size_t size;          // bytes in block
  size_t used;          // bytes taken so far; each piece is aligned to 64 bytes
  int is_zero;          // 1: the block contains zeros, which need not be written again; arena_init sets 0
};

// Starts with nothing taken. The block must be aligned to 64 bytes and outlive everything taken from it.
void arena_init(struct arena *arena, void *block, size_t size);

// Memory for count items of item_size bytes, zeroed. NULL while measuring and when the block is full;
// arena_is_overflowed distinguishes the two.
void *arena_take(struct arena *arena, size_t count, size_t item_size);

// Whether more was taken than the block holds; 0 while measuring.
int arena_is_overflowed(const struct arena *arena);

// ------------------------------------------------------------
// Compiler attributes of the numerical kernels. KERNEL_CLONES compiles a function also for wider registers
// (AVX2) and for more of them (AVX-512, level 4 of x86-64), chosen when the program starts. All versions give
// the same bits: the code is element-wise and the build turns contraction to fused multiply-add off.
// KERNEL_WIDE is defined where a kernel may have a source path of its own for AVX-512. Sanitizers and clang
// get the plain version only.

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_THREAD__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__clang__) && !defined(SAGBEND_NO_CLONES)
#ifdef SAGBEND_NO_AVX512
#define KERNEL_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define KERNEL_CLONES __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#define KERNEL_WIDE
#endif
#else
#define KERNEL_CLONES
#endif

// A part of a kernel, inlined so that it is compiled for the same registers as its caller.
#define KERNEL_INLINE static inline __attribute__((always_inline))

// The path of a feature that most runs do not have, kept out of its caller.
#define RARE_PATH static __attribute__((noinline))

// ------------------------------------------------------------
// FNV-1a with 64 bits: hash of configurations, checkpoints and stream names. It detects damage, not
// tampering. Source: Noll, Vo, Eastlake and Hansen 2026, The FNV Non-Cryptographic Hash Algorithm (RFC 9923).

static const uint64_t FNV1A_START = UINT64_C(0xcbf29ce484222325); // hash of no bytes (offset basis)

// Hash of what hash already covers, followed by size bytes. Begin with FNV1A_START.
static inline uint64_t fnv1a(uint64_t hash, const void *bytes, size_t size) {
  const unsigned char *byte = (const unsigned char *)bytes;
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
  return hash;
}

// ------------------------------------------------------------
// Marks for the functions that the real-time thread runs: the step, the instruments, the hand-over to other
// threads.

// At the end of a declaration: the function allocates nothing, takes no lock and never waits. clang 20 and
// later checks this at compile time through every call (-Wfunction-effects; tools/check effects) and at run
// time with -fsanitize=realtime (tools/check realtime). A function that is called only within its file needs
// no mark. Other compilers ignore it.
//
// NONBLOCKING_EXEMPT(call); takes one call out of both checks. All exemptions and their reasons:
//   - clock_gettime in os_now_ns (os/process/threads.c) and os_clock_look (clocks.c): Linux reads the
//   monotonic clock, UTC and TAI without entering the kernel.
//   - The flows in sagbend/rigid/flows.c: those of the step carry the mark themselves (vessel_splitting.c);
//     those used in comparisons need not.
//   - vsnprintf in fail (sagbend/base/base.c) and snprintf in text.c: glibc neither allocates nor locks
//     when it writes numbers and names into an array. The step formats text only when it refuses a command or
//     an order.
//   - write in wake_ring (os/process/threads.c): the file is a counter in memory, opened so that writing
//   never waits.

#ifdef __clang__
#if __has_feature(realtime_sanitizer)
#include <sanitizer/rtsan_interface.h>
#define NONBLOCKING_UNWATCHED(call)                                                                          \
  __rtsan_disable();                                                                                         \
  call;                                                                                                      \
  __rtsan_enable()
#else
#define NONBLOCKING_UNWATCHED(call) call
#endif
#endif

#if defined(__clang__) && __has_attribute(nonblocking)
#define NONBLOCKING __attribute__((nonblocking))
#define NONBLOCKING_EXEMPT(call)                                                                             \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wfunction-effects\"")                \
      NONBLOCKING_UNWATCHED(call);                                                                           \
  _Pragma("clang diagnostic pop")
#else
#define NONBLOCKING
#define NONBLOCKING_EXEMPT(call) call
#endif

// ------------------------------------------------------------
// Values at equal steps, as the text FIRST:LAST:STEP, or one number.

struct number_range {
  double first, last, step; // last as in the text; a single number is first and last
  int count;
};

// True if the text is a range of at most this many values: finite numbers, step > 0, last not below first.
int number_range_read(const char *text, int most, struct number_range *out);

static inline double number_range_at(const struct number_range *range, int i) {
  return range->first + i * range->step;
}

// ------------------------------------------------------------
// Numbers in messages for people.

struct number_text {
  char text[32]; // terminated by a zero
};

// Decimal text of x with the fewest significant digits, at least 6, that read back as exactly x. A value that
// exceeds a limit by little therefore never looks like the limit.
struct number_text number_text(double x) NONBLOCKING;

// ------------------------------------------------------------
// Names by which people distinguish controllers, operators and keys. Two that look alike are one name.

// Whether a name is printable ASCII without blanks at its ends, and not empty.

int peer_name_is_valid(const char *name);

// Whether two names are one: the case of letters does not count.
int peer_name_is_same(const char *a, const char *b);

// ------------------------------------------------------------
// Text from outside (names of files, of peers, in logs) as people may read it: on one line, and without a
// byte that acts on a terminal.

enum { SHOWN_PIECE = 12 }; // bytes of the longest piece with its final zero

// Takes the next character of *text, which is not at its end. A line break, a control character, a character
// that turns or hides text, and a byte that is not UTF-8 become \n, \t, \r, \xHH or \u{H}; all others stay.
// Returns the length of the piece.
size_t text_show_next(const char **text, char piece[SHOWN_PIECE]) NONBLOCKING;

// The same for a string of JSON, for bytes from 0x7f on: such a character becomes \uHHHH, a byte that is not
// UTF-8
// \ufffd. Other characters stay.
size_t text_show_next_json(const char **text, char piece[SHOWN_PIECE]);

// The whole text. Cut at size, between characters; out may not overlap text.
void text_show(const char *text, char *out, size_t size) NONBLOCKING;

struct shown_text {
  char text[1024];
};
struct shown_text shown(const char *text); // for use in an argument: shown(path).text

// ------------------------------------------------------------
// Computing time of a step, by stage. The clock belongs to the caller; results never depend on it.

// Enumerator and name of each stage.
#define STAGE_TABLE(X)                                                                                       \
  X(STAGE_DISSIPATIVE, "dissipative")                                                                        \
  X(STAGE_ASSEMBLE, "assemble")                                                                              \
  X(STAGE_SOLVE, "solve")                                                                                    \
  X(STAGE_LEDGER, "ledger")
#define X(name, text) name,
enum sim_stage { STAGE_TABLE(X) STAGE_COUNT };
#undef X

struct stage_clock {
  uint64_t (*now_ns)(void) NONBLOCKING; // monotonic clock, ns; NULL: nothing is measured
  uint64_t last_ns;                     // reading of now_ns at the last stage_begin or stage_end
  uint64_t stage_ns[STAGE_COUNT];       // time spent in each stage of the last step, ns
};

// Starts a step: clears stage_ns.
static inline void stage_begin(struct stage_clock *clock) {
  for (int i = 0; i < STAGE_COUNT; i++)
    clock->stage_ns[i] = 0;
  if (clock->now_ns)
    clock->last_ns = clock->now_ns();
}

// Adds the time since the last call of stage_begin or stage_end to a stage.
static inline void stage_end(struct stage_clock *clock, enum sim_stage stage) {
  if (!clock->now_ns)
    return;
  uint64_t now_ns = clock->now_ns();
  clock->stage_ns[stage] += now_ns - clock->last_ns;
  clock->last_ns = now_ns;
}

// ------------------------------------------------------------
// Errors. The whole project follows one convention:
//   - A function that can fail returns enum status. Where a person will read the cause it also fills a struct
//     reason through a pointer why, which may be NULL. Results go out through pointers and mean nothing
//     unless the status is STATUS_OK.
//   - A predicate returns 1 (yes) or 0 (no) and its name contains "is" (..._is_...). Checks of data from a
//     file also state why a value is refused.
//   - A count is named a count and is never an error code.
//   - A search returns a pointer, NULL if there is no match, or an index whose comment states that -1 means
//     "none".
//   - assert is for errors in this program, a status for everything that users, files or the network can
//     cause.

// Code and text of each status.
#define STATUS_TABLE(X)                                                                                      \
  X(STATUS_OK, "ok")                                                                                         \
  X(STATUS_BAD_INPUT, "the input does not describe a valid case")                                            \
  X(STATUS_NO_MEMORY, "out of memory")                                                                       \
  X(STATUS_SINGULAR, "the system of equations is singular")                                                  \
  X(STATUS_NOT_CONVERGED, "the equilibrium was not found")                                                   \
  X(STATUS_IO, "input or output failed")                                                                     \
  X(STATUS_FAULT, "the simulation latched a fault")

enum status {
#define X(name, text) name,
  STATUS_TABLE(X)
#undef X
      STATUS_COUNT
};

// The text of a status for a message; "unknown status" outside the enum.
const char *status_text(enum status status);

// Why something failed, for a person: one line without a newline. Written on failure only.
struct reason {
  char text[256];
};

// Returns status after writing the reason (printf format), as text_show shows it and
// cut off at the size of the text; why may be NULL.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
enum status fail(struct reason *why, enum status status, const char *format, ...) NONBLOCKING;

// ------------------------------------------------------------
// Seconds as whole steps. The functions differ in how they round a time that lies between two steps, and the
// bits of recorded sessions depend on each: choose by meaning and do not exchange one for another. Times are
// >= 0, steps > 0, both in s. Every result is at most STEPS_MOST.

// Steps in a period or time-out: the nearest number, of two equally near ones the even one, at least 1. For
// everything that repeats: messages, records, control periods.
uint64_t steps_in_period(double period_s, double step_s);

// The same, but 0 for a period of 0 or below, which switches the repetition off.
uint64_t steps_in_period_or_off(double period_s, double step_s);

// The step nearest to a time (0 is the start), of two equally near ones the later. For instants and durations
// of scenario events, faults and verdicts.
uint64_t steps_nearest_to(double time_s, double step_s) NONBLOCKING;

// The first step at or after a time. An excess of at most STEPS_TOLERANCE of a step over a whole number
// counts as rounding error. For latencies.
uint64_t steps_up(double time_s, double step_s);

// Whole steps that fit into a time.
uint64_t steps_down(double time_s, double step_s);

// Whether a time is a whole number of steps, to within STEPS_TOLERANCE of a step; steps_nearest_to is that
// number.
int steps_is_whole(double time_s, double step_s);

static const double STEPS_TOLERANCE = 1e-3; // of a step

// No session is longer: doubles represent every whole number up to here.
static const uint64_t STEPS_MOST = UINT64_C(1) << 53;

// ------------------------------------------------------------
// Checks of a state that comes from a file, field by field, before any of it is used. Each check returns 1 if
// the value is valid; otherwise 0 after writing into why the field, what was expected and the value. A room
// that defines a state offers ..._state_is_valid beside it: extend that check with every field added.

// All count values finite. With count > 1 the message names field[i].
int valid_finite(const double *x, size_t count, const char *field, struct reason *why);

// low <= x <= high; a NaN is outside.
int valid_range(double x, double low, double high, const char *field, struct reason *why);

// low <= x <= high for a count or step number.
int valid_whole(uint64_t x, uint64_t low, uint64_t high, const char *field, struct reason *why);

// low <= x <= high for an index or enumerator.
int valid_index(int64_t x, int64_t low, int64_t high, const char *field, struct reason *why);

// 0 or 1.
int valid_flag(int64_t x, const char *field, struct reason *why);

// Norm 1 to within a millionth.
int valid_unit_quaternion(const double q[4], const char *field, struct reason *why);

// Printable ASCII that ends with a zero within size bytes. Bytes behind the zero are not read.
int valid_text(const char *text, size_t size, const char *field, struct reason *why);

// For conditions that no check above covers: writes the reason (printf format) and returns 0. why may be
// NULL.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int valid_fail(struct reason *why, const char *format, ...);

// After a check has failed: puts the place of the field in front of the reason, as in "thruster[3]." +
// "pitch: ...", and returns 0.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int valid_fail_in(struct reason *why, const char *format, ...);

// Highest step number of a session. Doubles represent every whole number up to here.
static const uint64_t VALID_MOST_STEPS = UINT64_C(1) << 53;

// ------------------------------------------------------------
// Words of a text, separated by blanks: lists of names in configurations.

// Copies the next word from *text, cut to size, and moves *text behind it. Returns 0 at the end of the text.
int words_next(const char **text, char *word, size_t size);

// Whether text contains this word.
int words_contain(const char *text, const char *wanted);

// ------------------------------------------------------------
// Negative zeros. Protobuf does not transmit the sign of a zero. Everything that passes between simulator and
// controller is therefore cleared of it, so that a controller behind the protocol computes the same bits as
// one inside the simulator.

// Turns every -0 into +0 and leaves all other values as they are.

static inline void unsign_zeros(double *values, int count) {
  for (int i = 0; i < count; i++)
    values[i] += 0.0;
}

// ------------------------------------------------------------
// Lists of addresses that may send or connect: IPv4 addresses, networks such as 10.0.0.0/24, or any,
// separated by blanks. For protocols that have no security of their own.

// Whether the list has at least one word and each word is an address, a network or any.
int clients_are_valid(const char *list);
// Whether the list contains this address (host byte order). Addresses of the loopback interface always are.
int clients_admit(const char *list, uint32_t address);

// ------------------------------------------------------------
// The texts of endpoints, "tcp://HOST:PORT" or "ipc://PATH". They are parsed strictly here, because ZeroMQ
// accepts port 99999 as another port on all interfaces, and replaces any file at an ipc path with its socket.
// Nothing here opens a socket or asks the system.

enum { ENDPOINT_TEXT = 128 }; // size of a buffer for an endpoint, with its final zero

enum endpoint_use {
  ENDPOINT_LISTEN, // tcp HOST: *, a numeric IPv4 address, localhost or the name of a network interface;
                   // PORT: 1 to 65535, or 0 or * to let the system choose
  ENDPOINT_CONNECT // tcp HOST: an IPv4 address or a host name; PORT: 1 to 65535
};

// Checks the form of an endpoint. STATUS_BAD_INPUT: why names the part at fault and what it must be.
enum status endpoint_check(const char *text, enum endpoint_use use, struct reason *why);

// Parses a port number, 0 to 65535, from digits only. Returns -1 if the text is anything else.
int endpoint_port(const char *digits);

// The networks of a ship: what is sent and received may come by two of them.
enum { NETWORKS = 2 };
const char *network_name(int network); // "A", "B"; NULL beyond

enum { ENDPOINT_HOST = 100 };

struct endpoint_parts {
  int is_ipc;
  char path[sizeof((struct sockaddr_un *)0)->sun_path]; // of ipc; with @ first it is an abstract name, not a
                                                        // file
  char host[ENDPOINT_HOST];
  int port; // 0: the system chooses
};

// Checks the form of an endpoint, and takes it apart.
enum status endpoint_read(const char *text, enum endpoint_use use, struct endpoint_parts *out,
                          struct reason *why);

// ------------------------------------------------------------
// What a host has done to its thread: the locale, the rounding mode, flush-to-zero. A function that a host
// calls and that computes or reads text begins and ends with these, since its bits must not depend on them.
struct host_settings {
  int rounding;
  unsigned control; // MXCSR of x86: flush-to-zero is no part of the rounding mode
  void *locale;     // locale_t, which a header for all standards does not know
};
struct host_settings host_settings_begin(void); // the C locale, rounding to nearest, no flush-to-zero
void host_settings_end(const struct host_settings *was);

// ------------------------------------------------------------
// Opens a file whose path comes from outside (a configuration, the command line): a regular file of bounded
// size only. A FIFO without a writer would block, and reading a device may never end.

struct regular_file {
  int descriptor;      // read only; the caller closes it. -1: not open
  uint64_t size;       // bytes
  int others_may_read; // the file's mode lets every user read it
};

// Opens path without blocking. STATUS_BAD_INPUT: it is missing, not a regular file, or larger than
// largest_bytes; why states which, without the path.
enum status regular_file_open(const char *path, uint64_t largest_bytes, struct regular_file *out,
                              struct reason *why);

// A stream into memory, as open_memstream makes it, but none of its text is lost unseen: fclose is not 0, and
// *text NULL, if memory ran out on the way. *text and *size are set by fclose; the caller frees *text. NULL:
// out of memory.
FILE *text_stream_open(char **text, size_t *size);

// Reads a stream to its end, or until it has had more than largest bytes: a pipe has no size to query. *size:
// bytes read, behind which stands a zero. NULL: out of memory (errno). The caller frees it, and asks ferror.
char *stream_read(FILE *file, size_t largest, size_t *size);

// ------------------------------------------------------------
// Names that are no longer used, and the names that took their places: one table, former_names.inc. Who
// refuses a name that it does not know says its present one; what a log of an earlier program contains is
// read through the same table. No name of the table is in use again for another thing of its kind. What a
// name is of. The order is that of the list in CHANGELOG.md.
enum former_kind {
  FORMER_NONE,
  FORMER_CASE_KEY, // path in a case: "rig", "vessel.thrusters[].ventilation"; the present name is that of the
                   // last step
  FORMER_DP_KEY,   // likewise in a DP file
  FORMER_TRIALS_KEY, // likewise in a plan of trials
  FORMER_WORD,       // a value of a key
  FORMER_OUTPUT,     // output quantity, as record and summary have it
  FORMER_FAULT,      // kind of fault, and the failure mode of trials of that name
  FORMER_PARAMETER,  // of a fault
  FORMER_EVENT,      // event of a run
  FORMER_FIELD,      // field of a message, or of the summary and of results.json
  FORMER_MEASURE,    // of the runs of trials, in results.json
  FORMER_STATE,      // state of the command
  FORMER_METRIC,     // of sagbend-view
  FORMER_OPTION,     // of a command line, without "--"
  FORMER_KIND_COUNT
};

struct former_name {
  enum former_kind kind;
  const char *was, *now;
};
extern const struct former_name former_names[];
extern const int former_name_count;

// The present name of what was called so; NULL: nothing of this kind was.
const char *former_name(enum former_kind kind, const char *was);

// What was called so before; NULL: nothing else of this kind.
const char *former_name_of(enum former_kind kind, const char *now);

// ", its present name is NOW", or an empty text.
struct former_hint {
  char text[96];
};
struct former_hint former_hint(enum former_kind kind, const char *was);

// Writes text with the present names of its parts in place of former ones, parts being what stands between
// characters of separators, such as "/" and "-". Returns whether there were any; otherwise out is text, cut
// to size.
int former_parts(enum former_kind kind, const char *text, const char *separators, char *out, size_t size);

// ---- the nearest word ----

// The word of a list that a wrong one was meant to be, for "did you mean ...?": keys, words of keys, options,
// commands, orders, topics.

// Start with nearest_to, pass each word of the list, then read word: NULL if none is near. A word that
// differs in digits only, as gyro-1 from gyro-3, is another one of the list. The texts must last as long as
// the search.
struct nearest {
  const char *wanted, *word;
  int distance;     // of word
  int is_beginning; // word only begins with wanted
};
struct nearest nearest_to(const char *wanted);
void nearest_try(struct nearest *search, const char *word);

// ", did you mean WORD?", or an empty text.
struct nearest_hint {
  char text[96];
};
struct nearest_hint nearest_hint(const struct nearest *search);

// Changes from a to b: letters replaced, left out, added, or exchanged with their neighbour (Damerau and
// Levenshtein, each place at most once). Capitals and small letters are equal, as are '-', '_' and ' '.
// LONG_WORDS for words of 64 characters and more.
enum { LONG_WORDS = 64 };
int nearest_distance(const char *a, const char *b);
