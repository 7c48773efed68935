// What binary and exporter have in common: own variables, the list in the resources, the token.
#include "fmu/fmu.h"

#include "sagbend/base/base.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct fmu_own_variable fmu_own_variables[FMU_OWN_VARIABLES] = {
    {FMU_ORDER, FMU_TEXT, 1, 0, 0, "order",
     "an operator's order in the words of sagbend ctl, such as fault no_output --target gnss-1; a changed "
     "text is "
     "carried out once, at the next step; a # and a number behind it make the same order another text"},
    {FMU_ORDER_RESULT, FMU_TEXT, 0, 0, 0, "order_result", "what became of the newest order"},
    {FMU_STATE_HASH, FMU_TEXT, 0, 0, 1, "state_hash",
     "hash of the state, as sagbend run --hashes writes it, of a controller alone that of all its commands: "
     "16 "
     "hexadecimal digits"},
    {FMU_EVENTS_COUNT, SAGBEND_INTEGER, 0, 0, 0, "events_count",
     "number of events since the start; the log has their texts"},
    {FMU_VERDICTS_FAILED, SAGBEND_INTEGER, 0, 0, 0, "verdicts_failed", "number of verdicts that have failed"},
    {FMU_COMMANDS_REFUSED, SAGBEND_INTEGER, 0, 0, 0, "commands_refused",
     "number of commands that the vessel has refused; the log says why"},
    {FMU_JOURNAL, FMU_TEXT, 1, 1, 0, "journal",
     "a new file, into which the FMU writes what the importer does, for sagbend log from-journal; empty: "
     "none"},
};

char *fmu_parameter_text(const char *key, double value) {
  const size_t size = strlen(key) + 40;
  char *text = malloc(size);
  if (text)
    snprintf(text, size, "%s=%.17g", key, value);
  return text;
}

// ---- The list ----

// A whole file, with a zero behind it. NULL: errno says why.
static char *read_file(const char *folder, const char *name, size_t *bytes) {
  char path[4096];
  errno = ENAMETOOLONG;
  FILE *file =
      snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path ? fopen(path, "rb") : NULL;
  char *text = file ? stream_read(file, SIZE_MAX, bytes) : NULL;
  if (text && ferror(file)) {
    free(text);
    text = NULL;
  }
  if (file)
    fclose(file);
  return text;
}

// Room for one more item of a list of count items; items point into what is owned elsewhere.
static void *one_more(void *list, size_t count, size_t size) {
  return realloc(list, (count + 1) * size);
}

static int add_override(struct fmu_list *l, const char *text) {
  char **more = one_more(l->override, l->override_count, sizeof *more);
  if (!more)
    return 0;
  l->override = more;
  more[l->override_count] = strdup(text);
  if (!more[l->override_count])
    return 0;
  l->override_count++;
  return 1;
}

static int add_parameter(struct fmu_list *l, const char *text) {
  struct fmu_parameter p = {0};
  char *end;
  p.vr = (uint32_t)strtoul(text, &end, 10);
  p.type = (int)strtol(end, &end, 10);
  p.start = strtod(end, &end);
  if (*end != ' ')
    return 0;
  struct fmu_parameter *more = one_more(l->parameter, l->parameter_count, sizeof *more);
  if (!more)
    return 0;
  l->parameter = more;
  p.key = strdup(end + 1);
  if (!p.key)
    return 0;
  more[l->parameter_count++] = p;
  return 1;
}

// The files stand beside the list under names of their own: a path of the case may lead out of its folder.
static int add_file(struct fmu_list *l, const char *folder, const char *text) {
  const char *space = strchr(text, ' ');
  char stored[64];
  sagbend_file file = {.size = sizeof file};
  if (!space || snprintf(stored, sizeof stored, "%.*s", (int)(space - text), text) >= (int)sizeof stored ||
      strchr(stored, '/'))
    return 0;
  sagbend_file *more = one_more(l->file, l->file_count, sizeof *more);
  if (!more)
    return 0;
  l->file = more;
  file.text = read_file(folder, stored, &file.bytes);
  file.path = strdup(space + 1);
  l->file[l->file_count++] = file;
  return file.text && file.path;
}

static int take_line(struct fmu_list *l, const char *folder, const char *word, const char *rest) {
  if (!strcmp(word, "token"))
    return !l->token && (l->token = strdup(rest));
  if (!strcmp(word, "case"))
    return !l->name && (l->name = strdup(rest));
  if (!strcmp(word, "controller")) {
    l->controller = atoi(rest);
    return 1;
  }
  if (!strcmp(word, "override"))
    return add_override(l, rest);
  if (!strcmp(word, "parameter"))
    return add_parameter(l, rest);
  return !strcmp(word, "file") && add_file(l, folder, rest);
}

int fmu_list_read(const char *folder, struct fmu_list *out, char *why, size_t size) {
  size_t bytes;
  int number = 0;
  memset(out, 0, sizeof *out);
  char *text = read_file(folder, FMU_LIST, &bytes), *rest = NULL;
  if (!text)
    return snprintf(why, size, "%s/%s:1:1: a readable file expected: %s", folder, FMU_LIST, strerror(errno));
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    char *space = strchr(line, ' ');
    number++;
    if (space)
      *space = '\0';
    if (space && take_line(out, folder, line, space + 1))
      continue;
    snprintf(why, size,
             "%s/%s:%d:1: a line of an exported FMU and the file that it names expected, got '%.60s %.200s'",
             folder, FMU_LIST, number, line, space ? space + 1 : "");
    free(text);
    return 1;
  }
  free(text);
  if (out->token && out->name && out->file_count)
    return 0;
  return snprintf(why, size, "%s/%s:1:1: token, case and file expected, got none", folder, FMU_LIST);
}

void fmu_list_free(struct fmu_list *l) {
  for (size_t i = 0; i < l->override_count; i++)
    free(l->override[i]);
  for (size_t i = 0; i < l->parameter_count; i++)
    free(l->parameter[i].key);
  for (size_t i = 0; i < l->file_count; i++) {
    free((char *)l->file[i].path);
    free((char *)l->file[i].text);
  }
  free(l->override);
  free(l->parameter);
  free(l->file);
  free(l->token);
  free(l->name);
  memset(l, 0, sizeof *l);
}

// ---- The token ----

static uint64_t hash_text(uint64_t hash, const char *text) {
  return fnv1a(hash, text, strlen(text) + 1);
}

// The variables, as a model description states them.
static uint64_t hash_table(uint64_t hash, const sagbend_sim *s) {
  for (size_t i = 0; i < sagbend_variable_count(s); i++) {
    sagbend_variable v = {.size = sizeof v};
    if (sagbend_variable_at(s, i, &v) != SAGBEND_OK)
      continue;
    const int32_t numbers[3] = {v.kind, v.type, v.flags};
    const double limits[2] = {v.least, v.most};
    hash = hash_text(hash_text(hash, v.name), v.unit);
    hash = fnv1a(fnv1a(hash, numbers, sizeof numbers), limits, sizeof limits);
  }
  return hash;
}

static uint64_t hash_all(uint64_t hash, const char *build, const struct fmu_list *l, const sagbend_case *c,
                         const sagbend_sim *s) {
  const uint64_t case_hash = sagbend_case_hash(c);
  hash = fnv1a(hash_text(hash, build), &case_hash, sizeof case_hash);
  hash = fnv1a(hash, &l->controller, sizeof l->controller);
  for (size_t i = 0; i < l->parameter_count; i++) {
    const struct fmu_parameter *p = &l->parameter[i];
    hash = fnv1a(hash_text(hash, p->key), &p->vr, sizeof p->vr);
    hash = fnv1a(fnv1a(hash, &p->type, sizeof p->type), &p->start, sizeof p->start);
  }
  return hash_table(hash, s);
}

void fmu_token(const char *build, const struct fmu_list *list, const sagbend_case *c, const sagbend_sim *s,
               char out[FMU_TOKEN]) {
  const uint64_t a = hash_all(FNV1A_START, build, list, c, s), b = hash_all(a, build, list, c, s);
  snprintf(out, FMU_TOKEN, "{%08x-%04x-%04x-%04x-%012llx}", (unsigned)(a >> 32), (unsigned)(a >> 16 & 0xffff),
           (unsigned)(a & 0xffff), (unsigned)(b >> 48), (unsigned long long)(b & 0xffffffffffffULL));
}
