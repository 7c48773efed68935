// The folder of a sweep, and in it a folder for each point:
//
//   sweep.txt                  the plan, in lines that can be compared
//   lock                       held while points run
//   points/000017/output.txt   what the run of point 17 printed; its first line is the command
//   points/000017/summary.json its summary
//   points/000017/record.csv   its time series, if its level asks for one
//   points/000017/run.mcap     its log, if the plan asks for one
//   points/000017/point.json   how it ended; it appears last, and makes the point a finished one
#pragma once

#include "lab/sweep/sweep.h"

enum { SWEEP_PATH = 4096 };

enum sweep_lock { SWEEP_ALONE, SWEEP_WITH_OTHER_POINTS };

struct sweep_folder {
  char path[SWEEP_PATH];
  int lock; // descriptor; -1: none
};

// Opens or creates the folder for the plan and takes its lock. STATUS_BAD_INPUT: the folder is of something
// else or of another plan (differences are printed on errors), or another sweep runs in it; STATUS_IO: it
// cannot be written.
enum status sweep_folder_open(struct sweep_folder *f, const char *path, const struct plan *plan,
                              enum sweep_lock lock, FILE *errors, struct reason *why);
// The same for reading: it must exist, and no lock is taken.
enum status sweep_folder_read(struct sweep_folder *f, const char *path, const struct plan *plan, FILE *errors,
                              struct reason *why);
int sweep_folder_exists(const char *path); // as the folder of a sweep
void sweep_folder_close(struct sweep_folder *f);

// Path of a file of a point; name "": its folder.
struct sweep_path {
  char text[SWEEP_PATH + 64];
};
struct sweep_path sweep_point_path(const struct sweep_folder *f, int point, const char *name);

// Takes a lock file, and writes who holds it. STATUS_BAD_INPUT: another process does, named in why. Where the
// file system knows no locks, *out is -1 and a notice is printed.
enum status sweep_lock_take(const char *path, int shared, int *out, struct reason *why);
// The same, and alone; where the process that is named there has ended, and what it has started still has the
// lock, it waits for patience_s at most.
enum status sweep_lock_take_after(const char *path, double patience_s, int *out, struct reason *why);

// STATUS_BAD_INPUT: the folder contains a link to a file, or to nothing. A sweep writes into its folder only.
enum status sweep_refuse_links(const char *path, struct reason *why);

enum point_outcome { POINT_MISSING, POINT_PASSED, POINT_FAILED, POINT_BROKEN };
const char *point_outcome_word(enum point_outcome outcome);

// Who made a point end otherwise than passed: its controller (it crashed, ended early, gave no answer), the
// machine (a taken port, a full disk, a kill), the run itself (a verdict, an event, a fault of the
// simulation).
enum point_cause { CAUSE_NONE, CAUSE_RUN, CAUSE_CONTROLLER, CAUSE_MACHINE };

// How a point ended. broken: it has no result, because its process was killed or could not run.
struct point_record {
  enum point_outcome outcome;
  enum point_cause cause;
  char reason[512]; // "": passed
  char *inputs;     // lines "hash path" of the files that it read; owned
  int is_foreign;   // read: it is of another point, or the summary beside it is not that of its run
  double wall_s;
};

// Reads the record of a point; POINT_MISSING if there is none. STATUS_IO: it cannot be read.
enum status point_record_read(const struct sweep_folder *f, int point, struct point_record *out,
                              struct reason *why);
enum status point_record_write(const struct sweep_folder *f, const struct plan_point *point,
                               const struct point_record *record, struct reason *why);
// What the folder contains that is not of this plan: "points/000007: ..."; "": nothing.
void sweep_find_stranger(const struct sweep_folder *f, const struct plan *plan, char *out, size_t size);
void point_record_free(struct point_record *record);

// A whole file as text with a final zero; the caller frees it. *size: bytes before that zero. NULL: it cannot
// be read, and *error is the error number.
char *sweep_read_file(const char *path, size_t *size, int *error);
char *sweep_read_text(const char *path, int *error); // the same without the size
