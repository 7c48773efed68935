// sagbend log: what a session's log holds, as a person wants to read it.
#include "app/commands.h"
#include "app/log_tools.h"
#include "cli/console.h"
#include "cli/options.h"
#include "hil/quantity.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FIELDS = 256, PATHS_TEXT = 4096 };

int log_complain(const struct reason *why) {
  fprintf(stderr, "sagbend log: %s\n", why->text);
  return EXIT_FAILED;
}

struct mcap_reader *log_open(const char *path, enum mcap_access access) {
  struct mcap_reader *r;
  struct reason why = {""};
  if (mcap_reader_open(path, access, &r, &why) != STATUS_OK)
    log_complain(&why);
  return r;
}

static int usage(const char *text, const char *found) {
  fprintf(stderr, "sagbend log: %s '%s'; see 'sagbend log --help'\n", text, found);
  return EXIT_USAGE;
}

static void select_times(struct mcap_reader *r, const struct options *o) {
  if (o->from_s > 0 || o->to_s > 0)
    mcap_reader_select(r, (uint64_t)(1e9 * o->from_s), o->to_s > 0 ? (uint64_t)(1e9 * o->to_s) : UINT64_MAX);
}

// Bits of the topics named in a list with commas; 0 after a complaint.
static unsigned topics_of(const char *list) {
  char text[256];
  unsigned topics = 0;
  if (!list)
    return ~0u;
  snprintf(text, sizeof text, "%s", list);
  for (char *name = strtok(text, ","); name; name = strtok(NULL, ",")) {
    enum log_topic t = log_topic_by_name(name);
    if (t == LOG_TOPIC_COUNT) {
      usage("no such topic:", name);
      return 0;
    }
    topics |= 1u << t;
  }
  if (!topics)
    usage("a topic was expected, not", list);
  return topics;
}

// Calls use for each message of the topics, in the file's order.
static int each_message(const struct options *o, unsigned topics,
                        void (*use)(void *context, const struct mcap_message *m,
                                    const ProtobufCMessage *content),
                        void *context) {
  struct mcap_reader *r = log_open(o->config_path, MCAP_STRICT);
  struct mcap_message m;
  struct reason why = {""};
  int more = 0, status = EXIT_DONE;
  if (!r)
    return EXIT_FAILED;
  select_times(r, o);
  while (status == EXIT_DONE && (more = mcap_reader_next(r, &m, &why)) > 0) {
    enum log_topic t = log_topic_of(m.channel);
    if (t < LOG_TOPIC_COUNT && !(topics & 1u << t))
      continue;
    ProtobufCMessage *content = log_unpack(&m, &why);
    if (content)
      use(context, &m, content);
    else
      status = log_complain(&why);
    log_free(content);
    if (ferror(stdout))
      break; // the end of the command says why, if it is a failure
  }
  if (more < 0)
    status = log_complain(&why);
  mcap_reader_close(r);
  return status;
}

static void print_line(void *context, const struct mcap_message *m, const ProtobufCMessage *content) {
  (void)context;
  printf("{\"topic\":\"%s\",\"time_s\":%.9g,\"message\":", m->channel->topic, 1e-9 * (double)m->log_time_ns);
  log_print_json(stdout, content);
  puts("}");
}

static int cat(const struct options *o) {
  unsigned topics = topics_of(o->topics);
  return topics ? each_message(o, topics, print_line, NULL) : EXIT_USAGE;
}

struct columns {
  const char *names[MAX_FIELDS]; // as the user gives them
  struct {
    char text[96];
  } paths[MAX_FIELDS]; // of the fields in the message
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
  printf("%.9g", 1e-9 * (double)m->log_time_ns);
  for (int i = 0; i < columns->count; i++) {
    char number[LOG_NUMBER_SIZE];
    const char *text = log_field(content, columns->paths[i].text, number);
    putchar(',');
    print_cell(text ? text : ""); // absent: an empty cell
  }
  putchar('\n');
}

// The path of a field in a message: the name itself, or the field of the output quantity of this name.
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

// Cuts the list of fields (it is changed) into columns that the topic has.
static int set_columns(struct columns *columns, enum log_topic t, char *list) {
  for (char *name = strtok(list, ","); name; name = strtok(NULL, ",")) {
    char path[sizeof columns->paths[0].text];
    find_path(log_descriptor(t), name, path, sizeof path);
    if (strlen(name) >= sizeof path || !log_path_is_valid(log_descriptor(t), path)) {
      char known[PATHS_TEXT];
      log_paths(log_descriptor(t), known, sizeof known);
      fprintf(stderr, "sagbend log: %s has no field '%s', but %s (and lists: name[0], ...)\n",
              log_topic_name(t), name, known);
      return EXIT_USAGE;
    }
    if (columns->count == MAX_FIELDS)
      return usage("too many fields, the last one is", name);
    columns->names[columns->count] = name;
    memcpy(columns->paths[columns->count++].text, path, sizeof path);
  }
  return columns->count ? EXIT_DONE : usage("fields were expected, not", list);
}

static int export_csv(const struct options *o) {
  struct columns columns = {.count = 0};
  char list[PATHS_TEXT];
  enum log_topic t = o->topics ? log_topic_by_name(o->topics) : LOG_TOPIC_COUNT;
  if (t == LOG_TOPIC_COUNT)
    return usage("export-csv: one --topic expected, not", o->topics ? o->topics : "none");
  if (o->fields && strlen(o->fields) >= sizeof list)
    return usage("too many fields:", o->fields);
  if (o->fields)
    snprintf(list, sizeof list, "%s", o->fields);
  else
    log_paths(log_descriptor(t), list, sizeof list);
  int status = set_columns(&columns, t, list);
  if (status != EXIT_DONE)
    return status;
  fputs("log_time_s", stdout);
  for (int i = 0; i < columns.count; i++)
    printf(",%s", columns.names[i]);
  putchar('\n');
  return each_message(o, 1u << t, print_row, &columns);
}

static int act(const char *action, const struct options *o) {
  int recovers = !strcmp(action, "recover");
  if (o->second_path && !recovers)
    return usage("one file expected, then found", o->second_path);
  if (!strcmp(action, "info"))
    return log_info(o->config_path, o->key_path);
  if (o->key_path)
    return usage("--key belongs to info, not to", action);
  if (!strcmp(action, "topics"))
    return log_topics(o->config_path);
  if (!strcmp(action, "cat"))
    return cat(o);
  if (!strcmp(action, "export-csv"))
    return export_csv(o);
  if (recovers)
    return o->second_path ? log_recover(o->config_path, o->second_path)
                          : usage("recover: a file to write is missing after", o->config_path);
  return usage("info, topics, cat, export-csv or recover expected, not", action);
}

int cmd_log(int argc, char **argv) {
  struct options options;
  int has_action = argc > 1 && *argv[1] != '-';
  int status =
      options_read(COMMAND_LOG, has_action ? argc - 1 : argc, has_action ? argv + 1 : argv, &options);
  if (status < 0)
    status = has_action
                 ? act(argv[1], &options)
                 : usage("info, topics, cat, export-csv or recover expected before", options.config_path);
  options_free(&options);
  return status == EXIT_USAGE ? status : console_finish_stdout("sagbend log", status);
}
