// The command line: options, help, console.
#pragma once

#include "os/files/files.h"
#include "os/process/process.h"
#include "sagbend/base/base.h"

#include <getopt.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// ------------------------------------------------------------
// The configuration file of a command and the keys that its command line overrides.

enum { MAX_OVERRIDES = 256 };

struct case_options {
  const char *config_path;
  char *overrides[MAX_OVERRIDES]; // "key.path=value", in the order given
  int override_count;
  int binds_sockets; // 1: one of the overrides is an endpoint to bind
};
void case_options_free(struct case_options *o);

// ------------------------------------------------------------
// The description of a program or command, written in one of two forms: the text that --help prints, or a
// page of the manual (man(7)). A description is a function that calls these, first help_begin, last
// help_examples.

enum help_form { HELP_TEXT, HELP_MANUAL };

enum { HELP_OPTION_COLUMN = 30 };

struct help {
  FILE *out;
  enum help_form form;
  const char *release; // manual: date of the version, "2026-11-22"
  int section;         // manual: 1 for a program, 5 for a file
  int column;          // text: where the right side of a row starts
};

// Name, purpose and usage. program: "sagbend run"; purpose: one sentence or more; usages: what follows the
// program's name, ends with NULL; none for a file.
void help_begin(struct help *h, const char *program, const char *purpose, const char *const *usages);

void help_text(struct help *h, const char *paragraph);

// A list. column: where the right side of its rows starts in the text.
void help_heading(struct help *h, const char *title, int column);
void help_row(struct help *h, const char *left, const char *right);

// A row "-c, --name VALUE"; value NULL: none.
void help_option(struct help *h, char letter, const char *name, const char *value, const char *help);

// statuses: "0 success; 1 the run failed"
void help_statuses(struct help *h, const char *statuses);

// lines: complete commands, ends with NULL
void help_examples(struct help *h, const char *const *lines);

// ------------------------------------------------------------
// Command lines by tables. Each command has a struct of its own for its options, and one table whose rows
// name an option, its value, its help and the member that it sets. Reading, --help, the pages of the manual
// and the completion of the shell follow the table. An option that names a configuration key becomes an
// override, so that the session's record contains it.

enum option_action {
  SHOW_HELP,
  SET_FLAG,    // int
  SET_TEXT,    // const char *
  ADD_TEXT,    // struct option_texts: the option may be repeated
  SET_SECONDS, // double above 0
  SET_FACTOR,  // double above 0
  SET_TIME,    // double: a simulated time from 0
  SET_COUNT,   // int from 1
  ADD_SETTING, // struct case_options: KEY=VALUE
  ADD_KEY      // struct case_options: a value for the row's key
};

struct option_row {
  const char *name;
  const char *value; // its name in the help; NULL: the option takes none
  const char *help;
  enum option_action action;
  size_t member;     // of the struct of the command
  const char *key;   // ADD_KEY: the configuration key
  enum file_use use; // of the file that a SET_TEXT names
  char letter;       // of the short form; 0: none
};

enum { MAX_OPTION_TEXTS = 64 };

struct option_texts {
  const char *text[MAX_OPTION_TEXTS]; // in the order given
  int count;
};

struct option_files {
  char *const *path;
  int count;
};

// The words of a command line that are not options, in their order.
enum word_kind {
  NO_WORD,
  ACTION_WORD,   // the first word, if it is not an option; NULL: missing
  FILE_WORD,     // a file
  OPTIONAL_FILE, // a file, or NULL
  FILE_WORDS     // struct option_files: at least one
};

struct word_row {
  enum word_kind kind;
  size_t member;
};
enum { MAX_WORDS = 3 };

struct cli_command {
  const char *name, *arguments, *purpose, *example;
  const char *statuses;             // meanings of the exit statuses
  const struct option_row *options; // NULL: the command reads and describes its own
  size_t size;                      // of its struct
  struct word_row words[MAX_WORDS];
};

// Reads argv, which begins with the command's name, into options, a struct of the command that it clears
// first. 0: the command is not to run; *exit_status: after an error on stderr, or after the help.
int command_begin(const struct cli_command *command, int argc, char **argv, void *options, int *exit_status);

// Adds the files that the command line names to claims. STATUS_BAD_INPUT: two of them are the same file.
enum status command_claim(const struct cli_command *command, const void *options, struct file_claims *claims,
                          struct reason *why);

void command_describe(struct help *h, const struct cli_command *command); // for --help and for the manual

// ------------------------------------------------------------
// Private to the console: what a line consists of, and the thread that writes lines, so that the caller never
// waits for whoever reads standard error.

enum console_kind { CONSOLE_LINE, CONSOLE_STATUS, CONSOLE_END }; // status: the live line; end: leaves it

struct console_item {
  enum console_kind kind;
  enum journal_priority priority;
  int is_event;
  uint64_t step; // of an event
  char event[32], session[24];
  char text[]; // without a line break
};

// What stands on the terminal; of the thread that writes.
struct console_screen {
  int journal;
  int status_shown;
};

struct console_writer;

// ------------------------------------------------------------
// Lines on stderr, above one live status line if stderr is a terminal. Where the systemd journal reads stderr
// they become entries with the fields PRIORITY, SAGBEND_SESSION, SAGBEND_STEP and SAGBEND_EVENT.

struct console {
  int terminal;
  const char *session;           // of the entries in the journal; "": none
  struct console_screen screen;  // while no thread writes
  struct console_writer *writer; // NULL: the caller writes itself, and waits for stderr
  uint64_t lost, lost_reported;  // lines that found no room in its queue; those that a line states
};

void console_init(struct console *c);
// From now on a thread of its own writes, and none of the calls below waits for whoever reads stderr. A full
// queue drops lines and counts them. One thread only may call.
enum status console_start_writer(struct console *c, struct reason *why);
// Waits until all lines are written, at most a second. Stop: ends the thread, too.
void console_settle(struct console *c);
void console_stop_writer(struct console *c);
uint64_t console_lost(const struct console *c); // lines dropped, or still not written
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void console_line(struct console *c, const char *format, ...); // prints "sagbend: ..."
// Prints "sagbend: t = 1.000 s: name: text". The name gives the priority in the journal.
void console_event(struct console *c, uint64_t step, double time_s, const char *name, const char *text);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void console_status(struct console *c, const char *format, ...); // has no effect unless stderr is a terminal
// Flushes standard output at the end of a program and returns its exit status: exit_status, or 1 after an
// error line on stderr (prefixed with program) if the output could not be written.
int console_finish_stdout(const char *program, int exit_status);

// Characters that a status line on standard error may have: one more would wrap, and each rewrite would
// scroll.
int console_status_columns(void);

// Prints a text in lines of at most so many columns. The cursor is at column indent; further lines start
// there.
void print_wrapped(FILE *out, const char *text, int indent, int columns);

// Prints a line of results on standard output: a label, padded to so many columns, and the text (printf
// format). On a terminal the text wraps at its width and continues below itself; elsewhere it is one line.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void print_labelled(int column, const char *label, const char *format, ...);

void console_end(struct console *c); // ends the status line and leaves it visible

// ------------------------------------------------------------
// Exit statuses of the programs, and the one place where the status of a function becomes one.
//
// Convention of the rooms session, run, replay, app and dp: a function that can fail returns an enum status
// and fills a struct reason; only the command prints it and returns the exit status. A failure with an empty
// reason has already been reported, as the list of errors in a configuration has.

enum {
  EXIT_DONE = 0,
  EXIT_FAILED = 1, // the run failed, or a comparison found a difference
  EXIT_USAGE = 2,  // wrong usage or input
  EXIT_INCOMPLETE =
      3 // replay --verify: no difference, trials: no open finding; but the log, the trials are not complete
};

// STATUS_OK: EXIT_DONE; STATUS_BAD_INPUT: EXIT_USAGE; any other status: EXIT_FAILED.
int exit_status_of(enum status status);

// Prints "who: why" on stderr, unless status is STATUS_OK or the reason is empty. Returns the exit status.
int exit_with_reason(const char *who, enum status status, const struct reason *why);

// ------------------------------------------------------------
// gnuplot, if it is installed.

// Runs a script in its folder; NULL: the working directory. Its exit status; negative: it cannot be started.
int gnuplot_run(const char *folder, const char *script);

// The same; returns 1 if it has drawn, else a notice names the script as `shown`.
int gnuplot_draw(const char *folder, const char *script, const char *shown);

// Writes a text in single quotes.
void gnuplot_quoted(FILE *out, const char *text);

// ------------------------------------------------------------
// report.pdf in a folder from its page, by WeasyPrint. Returns 1 if it is there; else a notice of `who` on
// stderr has said why, and no failure of it makes a command fail.
int report_pdf(const char *who, const char *folder, const char *page);

// ------------------------------------------------------------
// The commands that sagbend hands over to a program beside it: X(word, its help). Verification is a
// program of its own, the others are sagbend-lab.

#define LAB_PROGRAM    "sagbend-lab"
#define VERIFY_PROGRAM "sagbend-verify"
#define VERIFY_PURPOSE "Run the verification cases, each against an independent reference."
#define SWEEP_PURPOSE                                                                                        \
  "Run many variants of a configuration, one for each processor at a time, and collect their results "       \
  "(docs/sweeps.md)."
#define HYDRO_PURPOSE                                                                                        \
  "Import the files of a diffraction code, ShipX/VERES, WAMIT, Nemoh, Capytaine or OrcaFlex: check them, "   \
  "fit the memory of the radiation, and write one hydro file (docs/hydro.md)."
#define RAO_PURPOSE                                                                                          \
  "Compute the motions of a vessel with a hydro file in regular waves, in the time domain, and compare "     \
  "them with the linear answer and with the file's own motions (docs/hydro.md)."

#define TRIALS_PURPOSE                                                                                       \
  "Try every failure of a DP system in every condition of a plan, judge each run against the one without a " \
  "failure, and write the report (docs/trials.md)."

#define CAPABILITY_PURPOSE                                                                                   \
  "Find the weather in which a vessel holds its position, in every direction, intact and after every "       \
  "failure (docs/capability.md)."

#define VERIFY_COMMAND_TABLE(X) X(verify, VERIFY_PURPOSE)
#define LAB_COMMAND_TABLE(X)                                                                                 \
  X(sweep, SWEEP_PURPOSE)                                                                                    \
  X(hydro, HYDRO_PURPOSE) X(rao, RAO_PURPOSE) X(trials, TRIALS_PURPOSE) X(capability, CAPABILITY_PURPOSE)

// ------------------------------------------------------------
// How a table of options names members.

// The end of a row: options is the struct of the command. A member of another type does not compile.
#define OPTION_MEMBER(options, member, type) _Generic(((options *)0)->member, type: offsetof(options, member))
#define OPTION_END                           NULL, FILE_UNUSED, 0
#define FLAG(options, member)                SET_FLAG, OPTION_MEMBER(options, member, int), OPTION_END
#define TEXT(options, member)    SET_TEXT, OPTION_MEMBER(options, member, const char *), OPTION_END
#define TEXTS(options, member)   ADD_TEXT, OPTION_MEMBER(options, member, struct option_texts), OPTION_END
#define SECONDS(options, member) SET_SECONDS, OPTION_MEMBER(options, member, double), OPTION_END
#define FACTOR(options, member)  SET_FACTOR, OPTION_MEMBER(options, member, double), OPTION_END
#define TIME(options, member)    SET_TIME, OPTION_MEMBER(options, member, double), OPTION_END
#define COUNT(options, member)   SET_COUNT, OPTION_MEMBER(options, member, int), OPTION_END
#define KEY(options, member, key)                                                                            \
  ADD_KEY, OPTION_MEMBER(options, member, struct case_options), key, FILE_UNUSED, 0
#define FILE_NAME(options, member, use) SET_TEXT, OPTION_MEMBER(options, member, const char *), NULL, use, 0

// Rows that several commands have. The last one ends the table.
#define SET_OPTION(options, member)                                                                          \
  {"set",                                                                                                    \
   "KEY=VALUE",                                                                                              \
   "Override a configuration key; may be repeated. The value is checked like the file.",                     \
   ADD_SETTING,                                                                                              \
   OPTION_MEMBER(options, member, struct case_options),                                                      \
   OPTION_END}
#define JSON_OPTION(options, member) {"json", NULL, "Print JSON instead of a table.", FLAG(options, member)}
#define HELP_OPTION                  {"help", NULL, "Print this help.", SHOW_HELP, 0, OPTION_END}, {0}

// The words that are not options.
#define WORD(kind, options, member) {kind, OPTION_MEMBER(options, member, const char *)}
#define WORDS(options, member)      {FILE_WORDS, OPTION_MEMBER(options, member, struct option_files)}

// ------------------------------------------------------------
// A program whose first word is a command: sagbend, sagbend-lab and sagbend-verify.

struct command_entry {
  const struct cli_command *command;
  int (*run)(int argc, char **argv); // argv begins with the command's name; NULL: beyond the last entry
};

struct cli_program {
  const char *name, *purpose;
  const char *statuses; // meanings of the exit statuses
  const char *example;
  const struct command_entry *commands; // in the order of the help
};

// Finds the command that the first word names and runs it. Returns the exit status of the program.
int program_main(const struct cli_program *program, int argc, char **argv);

void program_describe(struct help *h, const struct cli_program *program); // for --help and for the manual

// ------------------------------------------------------------
// The options of sagbend run.

struct run_options {
  struct case_options given;

  // Of the process.
  const char *summary_path, *junit_path; // NULL: not asked for
  int ends_with_parent;
  int ready_descriptor; // takes a line as soon as the run is ready; 0: none

  // Of each of its sessions. NULL and 0: not asked for, or the default.
  const char *record_path, *shapes_path, *laid_route_path, *hashes_path;
  double record_every_s, shapes_every_s;
  const char *log_path, *log_folder;
  const char *log_key_path; // secret key that signs the log
  int overwrites;           // a log that exists
  const char *checkpoint_path, *resume_path;
  double checkpoint_every_s;
  int resumes_if_present;      // from checkpoint_path, if there is one
  const char *snapshot_folder; // NULL: beside the log or the checkpoint
};

extern const struct cli_command run_command;

// ------------------------------------------------------------
// Identity of the program: the version, and the build for bit-exact replay and checkpoints.

const char *program_version(void); // "0.1.0"

// Build id. Programs with the same build id have the same machine code and therefore compute the same bits.
struct build_id {
  char text[OS_BUILD_ID_SIZE];
};
struct build_id program_build(void);
struct build_id program_build_beside(const char *name); // of the program of this name beside the running one

// ", did you mean --NAME?" of an option that is not in the table, as it was given; or an empty text. options
// ends with a row without a name.
struct nearest_hint option_hint(const struct option *options, const char *given);
