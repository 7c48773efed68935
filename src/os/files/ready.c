// --ready-fd: the lines of JSON by which a program tells who has started it where it listens.
#include "os/files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum status ready_check(int descriptor, struct reason *why) {
  if (descriptor <= STDERR_FILENO)
    return fail(why, STATUS_BAD_INPUT, "--ready-fd: a descriptor from 3 expected, got %d", descriptor);
  int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0)
    return fail(why, STATUS_BAD_INPUT, "--ready-fd: an open descriptor expected, got %d: %s", descriptor,
                strerror(errno));
  if ((flags & O_ACCMODE) == O_RDONLY)
    return fail(why, STATUS_BAD_INPUT, "--ready-fd: a descriptor open for writing expected, got %d",
                descriptor);
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return STATUS_OK;
}

static void add(cJSON *object, const char *name, const char *text) {
  if (*text)
    cJSON_AddStringToObject(object, name, text);
}

static void add_places(cJSON *object, const char *name, const char (*place)[READY_PLACE], int count) {
  cJSON *list = count ? cJSON_AddArrayToObject(object, name) : NULL;
  for (int i = 0; list && i < count; i++)
    cJSON_AddItemToArray(list, cJSON_CreateString(place[i]));
}

static char *line_of(const struct ready *ready) {
  cJSON *object = json_begin();
  cJSON_AddBoolToObject(object, "ready", !*ready->error);
  add(object, "commands", ready->commands);
  add(object, "commands_b", ready->commands_b);
  add(object, "telemetry", ready->telemetry);
  add(object, "telemetry_b", ready->telemetry_b);
  add(object, "port_offset", ready->port_offset);
  add(object, "modbus", ready->modbus);
  add(object, "modbus_b", ready->modbus_b);
  add_places(object, "nmea_in", ready->nmea_in, ready->nmea_in_count);
  add_places(object, "nmea_out", ready->nmea_out, ready->nmea_out_count);
  add(object, "session", ready->session);
  add(object, "error", ready->error);
  return json_end_in_line(object);
}

enum status ready_write(int descriptor, const struct ready *ready, struct reason *why) {
  char *text = line_of(ready), line[4096]; // a pipe takes so much at once, or nothing
  int size = text ? snprintf(line, sizeof line, "%s\n", text) : -1;
  struct pollfd room = {.fd = descriptor, .events = POLLOUT};
  cJSON_free(text);
  if (size < 0 || size >= (int)sizeof line)
    return fail(why, STATUS_NO_MEMORY, "--ready-fd: out of memory for the line");
  if (poll(&room, 1, 0) != 1 || !(room.revents & POLLOUT))
    return fail(why, STATUS_IO, "--ready-fd: nobody reads");
  ssize_t written = write(descriptor, line, (size_t)size);
  return written == size ? STATUS_OK
                         : fail(why, STATUS_IO, "--ready-fd: %s",
                                written < 0 ? strerror(errno) : "only a part of the line was written");
}

static enum status take(const cJSON *object, const char *name, char *out, size_t size) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
  *out = '\0';
  if (!item)
    return STATUS_OK;
  if (!cJSON_IsString(item) || strlen(item->valuestring) >= size)
    return STATUS_BAD_INPUT;
  memcpy(out, item->valuestring, strlen(item->valuestring) + 1);
  return STATUS_OK;
}

static enum status take_places(const cJSON *object, const char *name, char (*out)[READY_PLACE], int most,
                               int *count) {
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, name), *item;
  *count = 0;
  if (list && !cJSON_IsArray(list))
    return STATUS_BAD_INPUT;
  cJSON_ArrayForEach(item, list) {
    if (*count == most || !cJSON_IsString(item) || strlen(item->valuestring) >= READY_PLACE)
      return STATUS_BAD_INPUT;
    memcpy(out[(*count)++], item->valuestring, strlen(item->valuestring) + 1);
  }
  return STATUS_OK;
}

enum status ready_read(const char *line, struct ready *out, struct reason *why) {
  cJSON *object = cJSON_ParseWithOpts(line, NULL, 1);
  const cJSON *is_ready = cJSON_GetObjectItemCaseSensitive(object, "ready");
  enum status status = cJSON_IsBool(is_ready) ? STATUS_OK : STATUS_BAD_INPUT;
  if (status == STATUS_OK)
    status = take(object, "commands", out->commands, sizeof out->commands);
  if (status == STATUS_OK)
    status = take(object, "commands_b", out->commands_b, sizeof out->commands_b);
  if (status == STATUS_OK)
    status = take(object, "telemetry", out->telemetry, sizeof out->telemetry);
  if (status == STATUS_OK)
    status = take(object, "telemetry_b", out->telemetry_b, sizeof out->telemetry_b);
  if (status == STATUS_OK)
    status = take(object, "port_offset", out->port_offset, sizeof out->port_offset);
  if (status == STATUS_OK)
    status = take(object, "modbus", out->modbus, sizeof out->modbus);
  if (status == STATUS_OK)
    status = take(object, "modbus_b", out->modbus_b, sizeof out->modbus_b);
  if (status == STATUS_OK)
    status = take_places(object, "nmea_in", out->nmea_in, READY_NMEA_IN, &out->nmea_in_count);
  if (status == STATUS_OK)
    status = take_places(object, "nmea_out", out->nmea_out, READY_NMEA_OUT, &out->nmea_out_count);
  if (status == STATUS_OK)
    status = take(object, "session", out->session, sizeof out->session);
  if (status == STATUS_OK)
    status = take(object, "error", out->error, sizeof out->error);
  if (status == STATUS_OK && cJSON_IsTrue(is_ready) == (*out->error != '\0'))
    status = STATUS_BAD_INPUT;
  cJSON_Delete(object);
  return status == STATUS_OK ? STATUS_OK
                             : fail(why, status, "a line of --ready-fd expected, got '%.160s'", line);
}

// "_2" of a further place, "_port" of the port alone, and the brace. Returns the size of all; 0: it is no
// mark.
static size_t read_suffix(const char *text, int *number, int *is_port) {
  const char *at = text;
  *number = 1;
  if (at[0] == '_' && at[1] >= '2' && at[1] <= '9') {
    *number = at[1] - '0';
    at += 2;
    if (*at >= '0' && *at <= '9')
      *number = 10 * *number + *at++ - '0';
  } else if (at[0] == '_' && at[1] == '1' && at[2] >= '0' && at[2] <= '9') {
    *number = 10 + at[2] - '0';
    at += 3;
  }
  *is_port = strncmp(at, "_port", 5) == 0;
  at += *is_port ? 5 : 0;
  return *at == '}' ? (size_t)(at + 1 - text) : 0;
}

struct ready_mark ready_mark_at(const char *text, const struct ready *ready) {
  const struct {
    const char *word, *places;
    size_t size; // of a place
    int count;
  } marks[] = {{"{endpoint", ready->commands, sizeof ready->commands, *ready->commands != '\0'},
               {"{endpoint_b", ready->commands_b, sizeof ready->commands_b, *ready->commands_b != '\0'},
               {"{port_offset", ready->port_offset, sizeof ready->port_offset, *ready->port_offset != '\0'},
               {"{modbus", ready->modbus, READY_PLACE, *ready->modbus != '\0'},
               {"{modbus_b", ready->modbus_b, READY_PLACE, *ready->modbus_b != '\0'},
               {"{nmea_in", ready->nmea_in[0], READY_PLACE, ready->nmea_in_count},
               {"{nmea_out", ready->nmea_out[0], READY_PLACE, ready->nmea_out_count}};
  struct ready_mark out = {.size = 0};
  for (size_t i = 0; i < sizeof marks / sizeof *marks && !out.size; i++) {
    const size_t word = strlen(marks[i].word);
    int number, is_port;
    const size_t suffix =
        strncmp(text, marks[i].word, word) == 0 ? read_suffix(text + word, &number, &is_port) : 0;
    if (!suffix)
      continue;
    out.size = word + suffix;
    if (number > marks[i].count)
      continue;
    const char *place = marks[i].places + (size_t)(number - 1) * marks[i].size, *colon = strrchr(place, ':');
    snprintf(out.text, sizeof out.text, "%s", is_port && colon ? colon + 1 : place);
  }
  return out;
}

struct ready_mark ready_mark_missing(const char *text, const struct ready *ready, int *any, const char **at) {
  struct ready_mark mark;
  for (const char *c = text; (c = strchr(c, '{')); c += mark.size ? mark.size : 1) {
    mark = ready_mark_at(c, ready);
    *any |= mark.size > 0;
    *at = c;
    if (mark.size && !*mark.text)
      return mark;
  }
  return (struct ready_mark){.size = 0};
}
