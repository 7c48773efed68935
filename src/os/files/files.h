// Files: their names and claims, whole output files, JSON, keys.
#pragma once

#include "sagbend/base/base.h"

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

// ------------------------------------------------------------
// Which file a path names, whatever its spelling.

// Path of the file that opening this path would reach: links are followed, also one to a file that does not
// exist yet. Owned by the caller; NULL: out of memory.
char *file_target(const char *path);

// The folder of a path, as the path is written; "." of a name alone. Owned by the caller; NULL: out of
// memory.
char *file_folder(const char *path);

// Identity of a file: of the file itself, or of the folder and the name that it would have.
struct file_place {
  dev_t device;
  ino_t inode;
  char *name; // owned; NULL: the file exists
};

// ------------------------------------------------------------
// The files that a command reads and writes. No two of them may be the same file, whatever the spelling of
// their paths, and while the command runs no other program may write what it writes. All of this is checked
// before the first file is opened for writing. Pipes, terminals and devices are exempt.

enum file_use {
  FILE_UNUSED,    // not a file
  FILE_READ,      // an input
  FILE_RESUMED,   // an input that may also be a FILE_KEPT
  FILE_WRITTEN,   // written in place; replaces what is there
  FILE_COMPLETED, // appears when it is complete (output_file_open_atomic); replaces what is there
  FILE_KEPT,      // a checkpoint, replaced again and again
  FILE_LOGGED,    // a log, which replaces nothing unless the user asks for it
  FILE_PRINTED,   // standard output or standard error
};

struct file_claim {
  enum file_use use;
  char *what, *path; // option or role of the file, for messages
  char *lock_path;   // of the file that is locked; NULL: none
  int lock;          // descriptor of the lock; -1: not locked
  int created;       // the lock was taken on a new file
  int place_count;
  struct file_place place[3]; // of the file and of those that are written beside it
};

// Zeroed: nothing is claimed.
struct file_claims {
  struct file_claim *list;
  int count;
};

// Adds a file; path NULL or "-": does nothing. STATUS_BAD_INPUT: another file of the list is the same one;
// why names both.
enum status file_claims_add(struct file_claims *claims, enum file_use use, const char *what, const char *path,
                            struct reason *why);

// Takes the locks of all files that the command writes. What is to be written in place now exists, perhaps
// empty; nothing has lost its content. STATUS_BAD_INPUT: another program writes one of them, which why names,
// or a log exists already (replaces_logs 0). Also removes what crashed runs have left beside them.
enum status file_claims_take(struct file_claims *claims, int replaces_logs, struct reason *why);

// Adds a file and takes its lock, while the command runs. After a failure the list is as before.
enum status file_claims_extend(struct file_claims *claims, enum file_use use, const char *what,
                               const char *path, int replaces_logs, struct reason *why);

// Takes the newest file from the list again.
void file_claims_retract(struct file_claims *claims);

// The path of the first file whose file system knows no locks, so that nothing keeps a second program from
// it; NULL: there is none.
const char *file_claims_unlocked(const struct file_claims *claims);

// The descriptor of the lock of a FILE_COMPLETED, for the file that is written; -1: none.
int file_claims_lock_of(const struct file_claims *claims, const char *path);

// The command has begun to write: files that it created stay, even if they are empty.
void file_claims_keep(struct file_claims *claims);

void file_claims_release(struct file_claims *claims);

// ------------------------------------------------------------
// The digest of a piece of a file.

enum { FILE_DIGEST = 32 }; // bytes: BLAKE2b

// Digests at most size bytes from offset on. *covered: how many there are. STATUS_IO: the file cannot be
// read.
enum status file_digest(int file, uint64_t offset, uint64_t size, uint8_t digest[FILE_DIGEST],
                        uint64_t *covered, struct reason *why);

// ------------------------------------------------------------
// Locks that keep a second program from a file. A lock ends with its process, however that ends.

// End of the name under which a file is written before it takes its own name; a crash may leave one.
#define PARTIAL_SUFFIX ".sagbend-part"

enum file_lock_mode {
  FILE_LOCK_EXISTING, // the content stays
  FILE_LOCK_EMPTY,    // the content is discarded, once the lock is taken
};

struct file_lock {
  int descriptor; // of the file, for reading and writing; -1: not open
  int is_new;     // the file did not exist
  int is_held;    // 0: its file system knows no locks
};

// Opens path, creates it if necessary, and locks it. STATUS_BAD_INPUT: another program has the lock; why
// names it. STATUS_IO: the file cannot be opened. why does not begin with the path.
enum status file_lock_take(const char *path, enum file_lock_mode mode, struct file_lock *out,
                           struct reason *why);
// Whether path still names the file that is open as descriptor.
int file_lock_is_at(int descriptor, const char *path);

// Removes the files in the folder of path that a crash has left: those with PARTIAL_SUFFIX that nobody locks.
void file_lock_remove_left(const char *path);

// ------------------------------------------------------------
// A new file, or a new name of one, is on the disk only after its folder is synced.

// Syncs the folder of the file at path. Returns 0, or the errno of what failed. A file system that does not
// know this, and a folder that this user may not read, are no failure.

int folder_sync(const char *path);

// ------------------------------------------------------------
// Members of JSON that another program, or this one before, has written. What is missing, or is of another
// kind, reads as nothing.

const cJSON *json_item(const cJSON *object, const char *key);  // NULL: none
const char *json_string(const cJSON *object, const char *key); // "": none
double json_number(const cJSON *object, const char *key);      // NaN: none

// ------------------------------------------------------------
// JSON that a program prints. cJSON leaves out silently what it has no memory for; a text from here is whole.

// An object, or a list, that a text begins with, or a part of one. Only one thread of a program makes texts.
cJSON *json_begin(void);
cJSON *json_begin_list(void);

// The text with line breaks, or in one line, to be released with cJSON_free. NULL: there was no memory for a
// part of it. Deletes root.
char *json_end(cJSON *root);
char *json_end_in_line(cJSON *root);

// Print the text of root on stdout and delete root. STATUS_NO_MEMORY: nothing was printed.
enum status json_put(cJSON *root, struct reason *why);
enum status json_put_in_line(cJSON *root, struct reason *why);

// ------------------------------------------------------------
// The two files of a pair of keys: the secret one, and the public one beside it.

enum { KEY_PATH = 4096 };

// Before a pair is made: sets the path of its public part, "PATH.pub". STATUS_BAD_INPUT: a key is there.
enum status key_pair_begin(const char *path, char public_path[KEY_PATH], struct reason *why);

// Writes a file that does not exist yet; STATUS_BAD_INPUT: it does.
enum status key_write_new(const char *path, mode_t mode, const char *text, struct reason *why);

// ------------------------------------------------------------
// Escapes text for XML and HTML.

// Writes text to out with &, <, > and " replaced by entities, and what XML does not allow as
// text_show shows it (sagbend/base/base.h). Write errors show in ferror(out).
void markup_put(FILE *out, const char *text);

// ------------------------------------------------------------
// A result file of a program. It is opened before the run starts, so that a bad path fails early.

struct output_pipe;

struct output_file {
  FILE *stream;             // NULL: this output was not requested, and every call below does nothing
  const char *path;         // as given by the user; borrowed
  char *temporary_path;     // owned; NULL: the file is written in place
  char *target;             // owned: path with links followed, where the temporary file goes
  struct output_pipe *pipe; // belongs to the stream; NULL: the path is no pipe
};

// Both accept path NULL (not requested) and "-" (standard output). why names the path. On failure file needs
// no further call.
//
// In place: lines appear under the path as they are written.
enum status output_file_open(struct output_file *file, const char *path, struct reason *why);
// Atomic: the content appears under the path when the file is closed, complete or not at all; of a link, in
// the place of the file that it names. A path that names a pipe or a device is written in place.
// STATUS_BAD_INPUT: another program writes this file.
enum status output_file_open_atomic(struct output_file *file, const char *path, struct reason *why);
// The same for a file that the command has claimed.
enum status output_file_open_claimed(struct output_file *file, const struct file_claims *claims,
                                     const char *path, struct reason *why);

// What is written to a pipe from now on, also by another thread that waits for its reader already, waits for
// at most 5 s without progress: then it is given up, and output_file_close reports it. Before, there is no
// limit.
void output_file_hurry(struct output_file *file);

// Flushes and closes the file, and renames an atomic one to its path. STATUS_IO: the content is not complete
// on the disk; why names the path. A pipe whose reader has closed it is not an error.
enum status output_file_close(struct output_file *file, struct reason *why);

// Closes the file without reporting errors and removes the temporary file.
void output_file_abandon(struct output_file *file);

// Flushes standard output at the end of a program. STATUS_IO: some of it could not be written. A pipe whose
// reader has closed it (as `head` does) is not an error.
enum status output_flush_stdout(struct reason *why);

// ------------------------------------------------------------
// Z85, the text form of keys of ZeroMQ (https://rfc.zeromq.org/spec/32): 40 printable characters for 32
// bytes.

enum { Z85_KEY_BYTES = 32, Z85_KEY_TEXT = 41 }; // the text with its final zero

void z85_write_key(const uint8_t key[Z85_KEY_BYTES], char out[Z85_KEY_TEXT]);

// Reads exactly 40 characters and a final zero. Returns 0 if the text is anything else; out is zero then.
int z85_read_key(const char *text, uint8_t out[Z85_KEY_BYTES]);

// ------------------------------------------------------------
// Keys by which programs prove on the network who they are (Curve25519, for the mechanism CURVE of ZeroMQ). A
// key has a role, which decides what its owner may do, and a name, by which messages call it.
//
// A secret file contains four lines, "role ROLE", "name NAME", "public KEY", "secret KEY", in this order;
// only its owner may read it. The public part is one line, "ROLE NAME KEY": a list of those whom a server
// admits consists of such lines. A KEY is 40 characters of Z85. Empty lines and lines that begin with "# "
// are comments.

#define PEER_ROLE_TABLE(X)                                                                                   \
  X(ROLE_CONTROLLER, "controller")                                                                           \
  X(ROLE_OPERATOR, "operator")                                                                               \
  X(ROLE_OBSERVER, "observer")                                                                               \
  X(ROLE_SERVER, "server")
enum peer_role {
#define X(id, text) id,
  PEER_ROLE_TABLE(X)
#undef X
      PEER_ROLE_COUNT
};
const char *peer_role_name(enum peer_role role);
int peer_role_find(const char *name); // -1: none

enum { PEER_KEY = Z85_KEY_BYTES, PEER_KEY_NAME = 24, MAX_ADMITTED = 256 };

struct peer_key {
  enum peer_role role;
  char name[PEER_KEY_NAME]; // 1 to 23 letters, digits, '.', '_', '-'
  uint8_t bytes[PEER_KEY];
};

struct peer_secret {
  struct peer_key key;
  uint8_t bytes[PEER_KEY];
};

struct admitted_keys { // names and keys differ; none is a server's
  int count;
  struct peer_key key[MAX_ADMITTED];
};

struct server_keys { // keys by which a server knows its peers
  struct peer_secret own;
  struct admitted_keys admitted;
};

struct client_keys { // keys of a client
  struct peer_secret own;
  uint8_t server[PEER_KEY];
};

int peer_key_name_is_valid(const char *name);

// "ROLE NAME KEY", the public part.
struct peer_key_text {
  char text[PEER_KEY_NAME + Z85_KEY_TEXT + 16];
};
struct peer_key_text peer_key_text(const struct peer_key *key);

// Makes a pair: the secret file path (mode 0600), its public part in path.pub. STATUS_BAD_INPUT: one of the
// files exists already, which is never replaced. why names the path, here and below, and where there is one
// the line.
enum status peer_key_make(const char *path, enum peer_role role, const char *name, struct peer_key *made,
                          struct reason *why);

// The secret file of a key. STATUS_BAD_INPUT: it cannot be read, it contains no such key, or others than its
// owner may read it.
enum status peer_secret_read(const char *path, struct peer_secret *out, struct reason *why);
void peer_secret_forget(struct peer_secret *secret); // erases it from memory

// The list of those whom a server admits. STATUS_BAD_INPUT: also for a list without a key.
enum status admitted_keys_read(const char *path, struct admitted_keys *out, struct reason *why);
// The entry of a key; NULL: it is not admitted. The time that this takes does not depend on the key.
const struct peer_key *admitted_keys_find(const struct admitted_keys *keys, const uint8_t key[PEER_KEY]);

// Both files of a server, or both keys of a client. STATUS_BAD_INPUT: also for a key in the wrong role.
enum status server_keys_read(const char *own_path, const char *admitted_path, struct server_keys *out,
                             struct reason *why);
enum status client_keys_read(const char *own_path, const char *server_key, struct client_keys *out,
                             struct reason *why);

// ------------------------------------------------------------
// What a process reports to the one that started it, as lines of JSON at a descriptor: that it is ready, or
// why it is not. `sagbend run --ready-fd` writes them, `serve` and `sweep` read them.

enum { READY_NMEA_IN = 4, READY_NMEA_OUT = 20, READY_PLACE = 64 };

struct ready {
  char session[32], commands[128], telemetry[128]; // name, endpoints; "": none
  char commands_b[128];                            // of network B
  char telemetry_b[128];
  char port_offset[8];      // of groups and multicast addresses; "": there are none
  char modbus[READY_PLACE]; // where Modbus masters connect, "HOST:PORT"; "": nowhere
  char modbus_b[READY_PLACE];
  int nmea_in_count, nmea_out_count;
  char nmea_in[READY_NMEA_IN][READY_PLACE];   // where UDP commands are received
  char nmea_out[READY_NMEA_OUT][READY_PLACE]; // where UDP sentences are sent, so that a controller listens
                                              // there
  char error[256];                            // why the start failed; "": it is ready
};

// Whether lines can be written to a descriptor that the process was started with. Processes that it starts do
// not get the descriptor. STATUS_BAD_INPUT: one of the standard streams, not open, or not open for writing.
enum status ready_check(int descriptor, struct reason *why);

// Writes one line:
// {"ready":true,"commands":"tcp://...","commands_b":"tcp://...","telemetry":"tcp://...",
// "telemetry_b":"tcp://...","port_offset":"N","modbus":"HOST:PORT","modbus_b":"HOST:PORT",
// "nmea_in":["HOST:PORT"],"nmea_out":["HOST:PORT"],"session":"..."}, without what is "" or has no items, or
// {"ready":false,"error":"..."}. Never waits. STATUS_IO: it is not written, as when nobody reads.
enum status ready_write(int descriptor, const struct ready *ready, struct reason *why);

// STATUS_BAD_INPUT: the line is no such line.
enum status ready_read(const char *line, struct ready *out, struct reason *why);

// A mark in the command of a controller, for which a place of the session is put: {endpoint} (commands),
// {endpoint_b} (of network B), {port_offset} (of groups),
// {modbus}, {modbus_b}, {nmea_in}, {nmea_out}, of a further one {nmea_out_2}, and of the port alone
// {nmea_out_2_port}.
struct ready_mark {
  size_t size;                // of the mark in the text; 0: none begins there
  char text[READY_PLACE * 2]; // what is put for it; "": the session has no such place
};
struct ready_mark ready_mark_at(const char *text, const struct ready *ready);
// The first mark of a text that the session does not have; size 0: it has all. *any: the text has a mark.
struct ready_mark ready_mark_missing(const char *text, const struct ready *ready, int *any, const char **at);
