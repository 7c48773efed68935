// sagbend log: shows what a session's log contains, exports it, recovers a damaged one.
#include "programs/sagbend/sagbend_program.h"
#include "programs/sagbend/sagbend_program_internal.h"

#include "log/log/log.h"
#include "log/mcap/mcap.h"
#include "os/cli/cli.h"
#include "os/files/files.h"
#include "run/hosted/hosted.h"
#include "sagbend/base/base.h"
#include "sagbend/rig/rig.h"
#include "sagbend/steel/steel.h"
#include "sagbend/v1/log.pb-c.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct log_options {
  const char *action, *path, *second_path; // NULL: missing
  int overwrites, wall_clock;
  const char *key_path, *topics, *fields, *without, *colour; // NULL: not given
  const char *log_key_path;                                  // of from-journal; NULL: not given
  struct option_texts journals;
  double from_s, to_s; // to 0: the end
  const char *curve;   // of fatigue; NULL: not given
  double scf, wall_m;  // 0: not given
  int in_air, from_nodes;
  const char *plot; // NULL: none
};

static const struct option_row OPTIONS[] = {
    {"overwrite", NULL, "Replace a log that exists already. Without this option it is an error.",
     FLAG(struct log_options, overwrites)},
    {"key", "PUBLIC",
     "Fail unless the log is signed by this public key (FILE.pub of 'sagbend keygen --log'). For replay "
     "--verify and log info.",
     TEXT(struct log_options, key_path)},
    {"log-key", "SECRET", "With from-journal: sign the logs with this secret key ('sagbend keygen --log').",
     TEXT(struct log_options, log_key_path)},
    {"journal", "FILE",
     "With from-journal: another journal of the same host, for states that one of its simulations saved and "
     "another one restored; may be repeated.",
     TEXTS(struct log_options, journals)},
    {"topic", "T,...", "With cat and export-csv: only these topics, such as /sensors.",
     TEXT(struct log_options, topics)},
    {"from", "S", "With cat and export-csv: first simulated time in seconds.",
     TIME(struct log_options, from_s)},
    {"to", "S", "With cat and export-csv: last simulated time in seconds.", TIME(struct log_options, to_s)},
    {"fields", "F,...",
     "With export-csv: columns, such as heading_rad,pipe.hangoff_tension_n, or names of 'sagbend outputs' "
     "(angles in radians). Default: all fields that are not lists.",
     TEXT(struct log_options, fields)},
    {"wall-clock", NULL, "With scene: log times are the time of the session's start plus the simulated time.",
     FLAG(struct log_options, wall_clock)},
    {"without", "T,...", "With scene: leave out these topics, such as /state_hash.",
     TEXT(struct log_options, without)},
    {"colour", "QUANTITY",
     "With scene: what the colour of the pipe shows: tension, curvature, moment, or nearest: the one that is "
     "nearest to its limit (view.limits); without limits the tension. Default: nearest.",
     TEXT(struct log_options, colour)},
    {"curve", "NAME", "With fatigue: S-N curve, one of" SN_CURVE_NAMES ". Default: that of the session.",
     TEXT(struct log_options, curve)},
    {"in-air", NULL, "With fatigue and --curve: the curve in air, not with cathodic protection.",
     FLAG(struct log_options, in_air)},
    {"scf", "FACTOR", "With fatigue: stress concentration factor.", FACTOR(struct log_options, scf)},
    {"wall", "M", "With fatigue: wall of the steel in metres. Default: that of the session.",
     FACTOR(struct log_options, wall_m)},
    {"from-nodes", NULL, "With fatigue: count the nodes' messages also where the session can be recomputed.",
     FLAG(struct log_options, from_nodes)},
    {"plot", "NAME", "With fatigue: write the damage along the pipe, NAME.gp and, with gnuplot, NAME.png.",
     TEXT(struct log_options, plot)},
    HELP_OPTION,
};

const struct cli_command log_command = {
    .name = "log",
    .arguments = "ACTION FILE [OUT]",
    .purpose =
        "info, topics, cat, export-csv: show or export the contents of a session log. fatigue: the "
        "fatigue of a session. recover: repair a log whose writer was killed. scene: copy a log with what "
        "3-D viewers draw. from-journal: make the log of what a host of libsagbend or an FMU ran.",
    .example = "sagbend log export-csv run.mcap --topic /sensors --fields heading_rad",
    .statuses = "0 done; 1 the log is damaged, cannot be read or is not signed by the key, or a journal is "
                "damaged or different; 2 wrong usage; 3 a journal is equal as far as it goes, but incomplete",
    .options = OPTIONS,
    .size = sizeof(struct log_options),
    .words = {WORD(ACTION_WORD, struct log_options, action), WORD(FILE_WORD, struct log_options, path),
              WORD(OPTIONAL_FILE, struct log_options, second_path)},
};

enum { MAX_FIELDS = 256, PATHS_TEXT = 4096 };

static enum status usage_error(struct reason *why, const char *text, const char *found) {
  return fail(why, STATUS_BAD_INPUT, "%s '%.120s'; see 'sagbend log --help'", text, found);
}

// Where simulated time 0 lies in a log whose times are those of the wall clock (scene --wall-clock); 0 of any
// other: simulated times are far below. The first message is the session's.
static enum status find_zero(const char *path, uint64_t *zero_ns, struct reason *why) {
  static const uint64_t WALL_CLOCK_NS = 1000000000000000000; // 2001
  struct mcap_reader *reader;
  struct mcap_message first = {.log_time_ns = 0};
  *zero_ns = 0;
  enum status status = log_open(path, MCAP_STRICT, &reader, why);
  if (status != STATUS_OK)
    return status;
  int more = mcap_reader_next(reader, &first, why);
  if (more > 0 && first.log_time_ns >= WALL_CLOCK_NS && log_topic_of(first.channel) == LOG_SESSION) {
    ProtobufCMessage *content;
    status = log_unpack(&first, &content, why) == STATUS_OK ? STATUS_OK : STATUS_IO;
    const Sagbend__V1__SessionRecord *record = (const Sagbend__V1__SessionRecord *)content;
    if (record)
      *zero_ns = first.log_time_ns - (uint64_t)(1e9 * (double)record->first_step * record->step_s);
    log_free(content);
  }
  mcap_reader_close(reader);
  return more < 0 ? STATUS_IO : status;
}

// --from and --to are simulated times, whatever the clock of the log.
static enum status select_times(struct mcap_reader *r, const struct log_options *o, struct reason *why) {
  uint64_t zero_ns;
  if (!(o->from_s > 0 || o->to_s > 0))
    return STATUS_OK;
  enum status status = find_zero(o->path, &zero_ns, why);
  if (status == STATUS_OK)
    mcap_reader_select(r, zero_ns + (uint64_t)(1e9 * o->from_s),
                       o->to_s > 0 ? zero_ns + (uint64_t)(1e9 * o->to_s) : UINT64_MAX);
  return status;
}

// All digits of a time in seconds, without zeros at the end: nine digits would give one second of the wall
// clock to many messages.
static void print_time(uint64_t time_ns) {
  char fraction[16];
  snprintf(fraction, sizeof fraction, ".%09u", (unsigned)(time_ns % 1000000000));
  size_t length = strlen(fraction);
  while (length > 1 && fraction[length - 1] == '0')
    length--;
  fraction[length > 1 ? length : 0] = '\0';
  printf("%" PRIu64 "%s", time_ns / 1000000000, fraction);
}

// Bits of the topics in a list with commas; NULL: all.
static enum status read_topics(const char *list, unsigned *topics, struct reason *why) {
  char text[256];
  *topics = list ? 0 : ~0u;
  if (!list)
    return STATUS_OK;
  snprintf(text, sizeof text, "%s", list);
  for (char *name = strtok(text, ","); name; name = strtok(NULL, ",")) {
    enum log_topic topic = log_topic_by_name(name);
    if (topic == LOG_TOPIC_COUNT)
      return fail(why, STATUS_BAD_INPUT, "unknown topic '%.120s'%s; see 'sagbend log topics FILE'", name,
                  log_topic_hint(name).text);
    *topics |= 1u << topic;
  }
  return *topics ? STATUS_OK : usage_error(why, "a topic expected, got", list);
}

// Whether 'sagbend log scene' added the channel. Its messages are for viewers; cat and export-csv leave them
// out.
static int is_picture(const struct mcap_channel *channel) {
  for (int i = 0; i < SCENE_CHANNEL_COUNT; i++)
    if (channel->schema && !strcmp(channel->schema->name, scene_channel_type((enum scene_channel)i)))
      return 1;
  return 0;
}

typedef void use_message(void *context, const struct mcap_message *m, const ProtobufCMessage *content);

// Calls use for each message of the topics, in the order of the file.
static enum status each_message(const struct log_options *o, unsigned topics, use_message *use, void *context,
                                struct reason *why) {
  struct mcap_reader *reader;
  struct mcap_message message;
  int more = 0;
  enum status status = log_open(o->path, MCAP_STRICT, &reader, why);
  if (status != STATUS_OK)
    return status;

  status = select_times(reader, o, why);
  while (status == STATUS_OK && (more = mcap_reader_next(reader, &message, why)) > 0) {
    enum log_topic topic = log_topic_of(message.channel);
    if (topic < LOG_TOPIC_COUNT ? !(topics & 1u << topic) : is_picture(message.channel))
      continue;
    ProtobufCMessage *content;
    status = log_unpack(&message, &content, why) == STATUS_OK ? STATUS_OK : STATUS_IO;
    if (content)
      use(context, &message, content);
    log_free(content);
    if (ferror(stdout))
      break; // console_finish_stdout reports it
  }
  mcap_reader_close(reader);
  return more < 0 ? STATUS_IO : status;
}

static void print_line(void *context, const struct mcap_message *m, const ProtobufCMessage *content) {
  (void)context;
  printf("{\"topic\":\"%s\",\"time_s\":", m->channel->topic);
  print_time(m->log_time_ns);
  printf(",\"message\":");
  log_print_json(stdout, content);
  puts("}");
}

static enum status cat(const struct log_options *o, struct reason *why) {
  unsigned topics;
  enum status status = read_topics(o->topics, &topics, why);
  return status == STATUS_OK ? each_message(o, topics, print_line, NULL, why) : status;
}

struct columns {
  const char *names[MAX_FIELDS]; // as the user gives them
  struct {
    char text[96];
  } paths[MAX_FIELDS]; // fields of the message
  int count;
};

static void print_cell(const char *text) {
  if (!strpbrk(text, ",\"\n\r")) {
    fputs(text, stdout);
    return;
  }
  putchar('"');
  for (; *text; text++) {
    if (*text == '"')
      putchar('"');
    putchar(*text);
  }
  putchar('"');
}

static void print_row(void *context, const struct mcap_message *m, const ProtobufCMessage *content) {
  const struct columns *columns = context;
  print_time(m->log_time_ns);
  for (int i = 0; i < columns->count; i++) {
    char number[LOG_NUMBER_SIZE];
    const char *text = log_field(content, columns->paths[i].text, number);
    putchar(',');
    print_cell(text ? text : ""); // absent: an empty cell
  }
  putchar('\n');
}

// Path of a field in a message: the name itself, or the field of the output quantity of this name.
static void find_path(const ProtobufCMessageDescriptor *message, const char *name, char *path, size_t size) {
  size_t length = strlen(message->short_name);
  snprintf(path, size, "%s", name);
  for (int q = 0; q < QUANTITY_COUNT && !log_path_is_valid(message, path); q++) {
    const struct quantity_info *info = &quantity_table[q];
    const char *part = quantity_message_path(info->message); // "Truth.pipe"
    if (!strcmp(info->name, name) && !strncmp(part, message->short_name, length) &&
        (part[length] == '.' || !part[length]))
      snprintf(path, size, "%s%s%s", part[length] ? part + length + 1 : "", part[length] ? "." : "",
               info->field);
  }
}

// Cuts the list of fields, which it changes, into columns that the topic has.
static enum status set_columns(struct columns *columns, enum log_topic topic, char *list,
                               struct reason *why) {
  for (char *name = strtok(list, ","); name; name = strtok(NULL, ",")) {
    char path[sizeof columns->paths[0].text];
    find_path(log_descriptor(topic), name, path, sizeof path);
    if (strlen(name) >= sizeof path || !log_path_is_valid(log_descriptor(topic), path)) {
      char known[PATHS_TEXT];
      log_paths(log_descriptor(topic), known, sizeof known);
      char present[sizeof path];
      const int was = former_parts(FORMER_FIELD, name, ".[", present, sizeof present);
      fprintf(stderr, "sagbend log: %s has no field '%s'%s%s, but %s (and lists: name[0], ...)\n",
              log_topic_name(topic), name, was ? ", its present name is " : "", was ? present : "",
              known); // too long for a reason
      return STATUS_BAD_INPUT;
    }
    if (columns->count == MAX_FIELDS)
      return usage_error(why, "too many fields, the last one is", name);
    columns->names[columns->count] = name;
    memcpy(columns->paths[columns->count++].text, path, sizeof path);
  }
  return columns->count ? STATUS_OK : usage_error(why, "fields expected, got", list);
}

static enum status export_csv(const struct log_options *o, struct reason *why) {
  struct columns columns = {.count = 0};
  char list[PATHS_TEXT];
  enum log_topic topic = o->topics ? log_topic_by_name(o->topics) : LOG_TOPIC_COUNT;
  if (topic == LOG_TOPIC_COUNT)
    return usage_error(why, "export-csv: one --topic expected, got", o->topics ? o->topics : "none");
  if (o->fields && strlen(o->fields) >= sizeof list)
    return usage_error(why, "too many fields:", o->fields);

  if (o->fields)
    snprintf(list, sizeof list, "%s", o->fields);
  else
    log_paths(log_descriptor(topic), list, sizeof list);
  enum status status = set_columns(&columns, topic, list, why);
  if (status != STATUS_OK)
    return status;

  fputs("log_time_s", stdout);
  for (int i = 0; i < columns.count; i++)
    printf(",%s", columns.names[i]);
  putchar('\n');
  return each_message(o, 1u << topic, print_row, &columns, why);
}

static enum status scene(const struct log_options *o, struct reason *why) {
  static const char *const colours[] = {"nearest", "tension", "curvature", "moment"}; // enum scene_colour
  int colour = 0;
  while (o->colour && colour < 4 && strcmp(o->colour, colours[colour]) != 0)
    colour++;
  if (colour == 4)
    return usage_error(why, "--colour: nearest, tension, curvature or moment expected, got", o->colour);
  return log_scene(&(struct log_scene_order){.path = o->path,
                                             .out_path = o->second_path,
                                             .without = o->without,
                                             .wall_clock = o->wall_clock,
                                             .colour = (enum scene_colour)colour},
                   why);
}

// Writes a copy of the log to a second file.
static enum status copy(const struct log_options *o, struct reason *why) {
  struct file_claims claims = {0};
  int is_scene = !strcmp(o->action, "scene");
  enum status status = file_claims_add(&claims, FILE_READ, "the log", o->path, why);
  if (status == STATUS_OK)
    status = file_claims_extend(&claims, FILE_LOGGED, o->action, o->second_path, o->overwrites, why);
  if (status == STATUS_OK)
    status = is_scene ? scene(o, why) : log_recover(o->path, o->second_path, why);
  file_claims_release(&claims);
  return status;
}

static void report_hosted(const struct log_options *o, const struct hosted_report *report) {
  static const char *const results[] = {
      [HOSTED_EQUAL] = "equal", [HOSTED_INCOMPLETE] = "incomplete", [HOSTED_DIFFERENT] = "different"};
  printf("%-14s %s", "journal", o->path);
  for (int i = 0; i < o->journals.count; i++)
    printf(", %s", o->journals.text[i]);
  printf(", libsagbend %s\n", report->library);
  printf("%-14s %" PRIu64 ", each with the hash of the host%s\n", "steps", report->steps,
         report->result == HOSTED_DIFFERENT ? " but the last" : "");
  printf("%-14s %" PRIu64 ", from %s on%s\n", "logs", report->logs, o->second_path,
         o->log_key_path ? ", signed" : "");
  printf("%-14s %s%s%s\n", "result", results[report->result], *report->because.text ? ": " : "",
         report->because.text);
}

// Computes the journal of a host again, and writes its logs.
static enum status from_journal(const struct log_options *o, int *exit_status, struct reason *why) {
  const char *journals[1 + sizeof o->journals.text / sizeof *o->journals.text] = {o->path};
  static const int statuses[] = {
      [HOSTED_EQUAL] = EXIT_SUCCESS, [HOSTED_INCOMPLETE] = 3, [HOSTED_DIFFERENT] = EXIT_FAILURE};
  const struct hosted_order order = {.journals = journals,
                                     .journal_count = 1 + (size_t)o->journals.count,
                                     .log_path = o->second_path,
                                     .key_path = o->log_key_path,
                                     .overwrites = o->overwrites};
  struct file_claims claims = {0};
  struct hosted_report report;
  enum status status = file_claims_add(&claims, FILE_READ, "the journal", o->path, why);
  for (int i = 0; i < o->journals.count && status == STATUS_OK; i++) {
    journals[1 + i] = o->journals.text[i];
    status = file_claims_add(&claims, FILE_READ, "--journal", o->journals.text[i], why);
  }
  if (status == STATUS_OK)
    status = file_claims_add(&claims, FILE_READ, "--log-key", o->log_key_path, why);
  if (status == STATUS_OK)
    status = hosted_log(&order, &claims, stderr, &report, why);
  file_claims_release(&claims);
  if (status != STATUS_OK)
    return status;
  report_hosted(o, &report);
  *exit_status = statuses[report.result];
  return STATUS_OK;
}

static int writes_second(const char *action) {
  return !strcmp(action, "recover") || !strcmp(action, "scene") || !strcmp(action, "from-journal");
}

// Whether the words and options fit the action.
static enum status check_words(const struct log_options *o, struct reason *why) {
  if (!o->action)
    return usage_error(why, "what to do is missing before", o->path);
  if (o->second_path && !writes_second(o->action))
    return usage_error(why, "one file expected, got also", o->second_path);
  if (!o->second_path && writes_second(o->action))
    return fail(why, STATUS_BAD_INPUT,
                "%s: a file to write is missing after '%.120s'; see 'sagbend log --help'", o->action,
                o->path);
  if (o->log_key_path && strcmp(o->action, "from-journal") != 0)
    return usage_error(why, "--log-key is not allowed with", o->action);
  if (o->journals.count && strcmp(o->action, "from-journal") != 0)
    return usage_error(why, "--journal is not allowed with", o->action);
  return STATUS_OK;
}

static enum status act(const struct log_options *o, int *exit_status, struct reason *why) {
  static const char *const actions[] = {"info",    "topics",  "cat",   "export-csv",
                                        "fatigue", "recover", "scene", "from-journal"};
  const char *action = o->action;
  const enum status status = check_words(o, why);
  if (status != STATUS_OK)
    return status;
  if (!strcmp(action, "info"))
    return log_info(o->path, o->key_path, why);
  if (o->key_path)
    return usage_error(why, "--key is not allowed with", action);

  if (!strcmp(action, "topics"))
    return log_topics(o->path, why);
  if (!strcmp(action, "cat"))
    return cat(o, why);
  if (!strcmp(action, "export-csv"))
    return export_csv(o, why);
  if (!strcmp(action, "fatigue"))
    return log_fatigue(&(struct log_fatigue_order){.path = o->path,
                                                   .curve = o->curve,
                                                   .scf = o->scf,
                                                   .wall_m = o->wall_m,
                                                   .in_air = o->in_air,
                                                   .from_nodes = o->from_nodes,
                                                   .plot = o->plot},
                       why);
  if (!strcmp(action, "recover") || !strcmp(action, "scene"))
    return copy(o, why);
  if (!strcmp(action, "from-journal"))
    return from_journal(o, exit_status, why);
  struct nearest nearest = nearest_to(action);
  for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
    nearest_try(&nearest, actions[i]);
  return fail(why, STATUS_BAD_INPUT, "unknown action '%.120s'%s; see 'sagbend log --help'", action,
              nearest_hint(&nearest).text);
}

static int show_log(const struct log_options *options) {
  struct reason why = {""};
  int own = EXIT_SUCCESS;
  int exit_status = exit_with_reason("sagbend log", act(options, &own, &why), &why);
  if (exit_status == EXIT_SUCCESS)
    exit_status = own;
  return exit_status == EXIT_USAGE ? exit_status : console_finish_stdout("sagbend log", exit_status);
}

int cmd_log(int argc, char **argv) {
  struct log_options options;
  int exit_status;
  return command_begin(&log_command, argc, argv, &options, &exit_status) ? show_log(&options) : exit_status;
}
