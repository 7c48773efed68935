#include "io/files/ready.h"

#include "io/files/json_text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum status ready_check(int descriptor, struct reason *why) {
  if (descriptor <= STDERR_FILENO)
    return fail(why, STATUS_BAD_INPUT, "--ready-fd: a descriptor from 3 expected, not %d", descriptor);
  int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0)
    return fail(why, STATUS_BAD_INPUT, "--ready-fd: an open descriptor expected, not %d: %s", descriptor,
                strerror(errno));
  if ((flags & O_ACCMODE) == O_RDONLY)
    return fail(why, STATUS_BAD_INPUT, "--ready-fd: a descriptor open for writing expected, not %d",
                descriptor);
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return STATUS_OK;
}

static void add(cJSON *object, const char *name, const char *text) {
  if (*text)
    cJSON_AddStringToObject(object, name, text);
}

static char *line_of(const struct ready *ready) {
  cJSON *object = json_begin();
  cJSON_AddBoolToObject(object, "ready", !*ready->error);
  add(object, "commands", ready->commands);
  add(object, "telemetry", ready->telemetry);
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

enum status ready_read(const char *line, struct ready *out, struct reason *why) {
  cJSON *object = cJSON_ParseWithOpts(line, NULL, 1);
  const cJSON *is_ready = cJSON_GetObjectItemCaseSensitive(object, "ready");
  enum status status = cJSON_IsBool(is_ready) ? STATUS_OK : STATUS_BAD_INPUT;
  if (status == STATUS_OK)
    status = take(object, "commands", out->commands, sizeof out->commands);
  if (status == STATUS_OK)
    status = take(object, "telemetry", out->telemetry, sizeof out->telemetry);
  if (status == STATUS_OK)
    status = take(object, "session", out->session, sizeof out->session);
  if (status == STATUS_OK)
    status = take(object, "error", out->error, sizeof out->error);
  if (status == STATUS_OK && cJSON_IsTrue(is_ready) == (*out->error != '\0'))
    status = STATUS_BAD_INPUT;
  cJSON_Delete(object);
  return status == STATUS_OK ? STATUS_OK
                             : fail(why, status, "a line of --ready-fd expected, not '%.160s'", line);
}
