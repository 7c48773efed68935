// A case -> its variables, its files, the token, and the archive of all of it.
#include "fmu/export/export_internal.h"

#include "os/process/process.h"
#include "sagbend/case/case.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#if defined(__x86_64__)
static const char *const PLATFORM[2] = {"linux64", "x86_64-linux"};
#elif defined(__aarch64__)
static const char *const PLATFORM[2] = {"aarch64-linux", "aarch64-linux"};
#else
#error "the folder of the binaries of this machine, as the FMI standards name it, is missing here"
#endif

// What is exported: owned, but for the texts that belong to c and s.
struct export {
  const struct fmu_request *request;
  struct fmu_list list;
  struct key_number *key; // of each parameter
  sagbend_case *c;
  sagbend_sim *s;
  char build[OS_BUILD_ID_SIZE], token[FMU_TOKEN];
  struct description model;
};

// ---- The case ----

static enum status out_of_memory(struct reason *why) {
  return fail(why, STATUS_NO_MEMORY, "out of memory for an FMU");
}

static enum status find_parameters(struct export *e, struct reason *why) {
  const struct fmu_request *r = e->request;
  const struct config_request request = {
      .path = r->path, .overrides = r->overrides, .override_count = (int)r->override_count};
  enum status status = STATUS_OK;
  if (r->parameter_count > FMU_MOST_PARAMETERS)
    return fail(why, STATUS_BAD_INPUT, "at most %d parameters expected", FMU_MOST_PARAMETERS);
  e->list.parameter = calloc(r->parameter_count + 1, sizeof *e->list.parameter);
  e->key = calloc(r->parameter_count + 1, sizeof *e->key);
  if (!e->list.parameter || !e->key)
    return out_of_memory(why);
  for (size_t i = 0; i < r->parameter_count && status == STATUS_OK; i++) {
    for (size_t k = 0; k < i; k++)
      if (!strcmp(r->parameters[i], r->parameters[k]))
        return fail(why, STATUS_BAD_INPUT, "--parameter: %s once expected, got it twice", r->parameters[i]);
    struct reason reason = {""};
    status = config_key_number(&request, r->parameters[i], &e->key[i], &reason);
    if (status != STATUS_OK)
      return fail(why, status, "--parameter %s", reason.text);
    e->list.parameter[e->list.parameter_count++] = (struct fmu_parameter){
        FMU_FIRST_PARAMETER + (uint32_t)i, e->key[i].is_whole ? SAGBEND_INTEGER : SAGBEND_REAL,
        e->key[i].value, strdup(r->parameters[i])};
    if (!e->list.parameter[i].key)
      status = out_of_memory(why);
  }
  return status;
}

static enum status report_errors(const sagbend_case *c, const sagbend_error *first, FILE *errors,
                                 struct reason *why) {
  const size_t count = c ? sagbend_case_error_count(c) : 0;
  for (size_t i = 0; i < count; i++) {
    sagbend_error e = {.size = sizeof e};
    sagbend_case_error(c, i, &e);
    if (e.line)
      fprintf(errors, "%s:%d:%d: error: %s\n", e.file, (int)e.line, (int)e.column, e.text);
    else
      fprintf(errors, "%s\n", e.text);
  }
  return count ? STATUS_BAD_INPUT : fail(why, STATUS_BAD_INPUT, "%s", first->text);
}

// The case as it will be in the FMU: with the parameters at their start values.
static enum status open_case(struct export *e, FILE *errors, struct reason *why) {
  const struct fmu_request *r = e->request;
  const size_t count = r->override_count + e->list.parameter_count;
  sagbend_error error = {.size = sizeof error};
  e->list.override = calloc(count + 1, sizeof *e->list.override);
  for (size_t i = 0; e->list.override && i < count; i++) {
    char **to = &e->list.override[e->list.override_count];
    if (i < r->override_count)
      *to = strdup(r->overrides[i]);
    else
      *to = fmu_parameter_text(e->list.parameter[i - r->override_count].key,
                               e->list.parameter[i - r->override_count].start);
    e->list.override_count += *to != NULL;
  }
  if (e->list.override_count != count)
    return out_of_memory(why);
  e->list.controller = r->controller;
  if (sagbend_case_open(r->path, (const char *const *)e->list.override, count, r->controller, &e->c,
                        &error) != SAGBEND_OK)
    return report_errors(e->c, &error, errors, why);
  if (sagbend_open(e->c, &e->s, &error) != SAGBEND_OK)
    return fail(why, STATUS_BAD_INPUT, "%s", error.text);
  return STATUS_OK;
}

// ---- Variables ----

static int is_identifier(const char *text, size_t size) {
  int is = size > 0 && !isdigit((unsigned char)*text);
  for (size_t i = 0; i < size; i++)
    is = is && (isalnum((unsigned char)text[i]) || text[i] == '_');
  return is;
}

// Names of instruments and thrusters are people's: "sensor.gnss-1.north_m" -> "sensor.'gnss-1'.north_m".
static char *structured(const char *name) {
  static const char *const before[] = {"sensor.",    "feedback.",        "command.thruster.",
                                       "power.bus.", "power.generator.", "power.tie."};
  const char *last = strrchr(name, '.');
  const size_t size = strlen(name) + 3;
  char *out = malloc(size);
  for (size_t i = 0; out && i < sizeof before / sizeof *before; i++) {
    const size_t n = strlen(before[i]);
    if (strncmp(name, before[i], n) != 0 || is_identifier(name + n, (size_t)(last - name) - n))
      continue;
    snprintf(out, size, "%s'%.*s'%s", before[i], (int)(last - name - (long)n), name + n, last);
    return out;
  }
  if (out)
    snprintf(out, size, "%s", name);
  return out;
}

static struct model_variable *next_variable(struct description *m) {
  return &m->variable[m->variable_count++];
}

static void add_of_case(struct export *e, const sagbend_variable *v) {
  struct model_variable *to = next_variable(&e->model);
  const int is_input = v->kind == SAGBEND_INPUT;
  *to = (struct model_variable){.vr = v->id,
                                .type = v->type,
                                .causality = is_input ? INPUT : OUTPUT,
                                .name = structured(v->name),
                                .unit = v->unit,
                                .meaning = v->meaning,
                                .is_continuous = v->type == SAGBEND_REAL && v->kind != SAGBEND_READING,
                                .can_be_undefined = v->flags & SAGBEND_CAN_BE_UNDEFINED,
                                .least = v->least,
                                .most = v->most};
  if (!strcmp(v->name, "time_s"))
    to->causality = INDEPENDENT;
  if (is_input)
    sagbend_get(e->s, &v->id, 1, &to->start);
}

static int by_causality_and_name(const void *left, const void *right) {
  const struct model_variable *a = left, *b = right;
  return a->causality != b->causality ? (int)a->causality - (int)b->causality : strcmp(a->name, b->name);
}

static void add_own_and_parameters(struct export *e) {
  for (int i = 0; i < FMU_OWN_VARIABLES; i++) {
    const struct fmu_own_variable *own = &fmu_own_variables[i];
    if (e->request->controller == SAGBEND_CONTROLLER_ALONE && !own->of_controller)
      continue;
    *next_variable(&e->model) = (struct model_variable){.vr = own->vr,
                                                        .type = own->type,
                                                        .causality = own->is_fixed   ? PARAMETER
                                                                     : own->is_input ? INPUT
                                                                                     : OUTPUT,
                                                        .name = strdup(own->name),
                                                        .meaning = own->meaning};
  }
  for (size_t i = 0; i < e->list.parameter_count; i++) {
    const struct fmu_parameter *p = &e->list.parameter[i];
    char *name = malloc(strlen(p->key) + sizeof "parameter.");
    if (name)
      sprintf(name, "parameter.%s", p->key);
    *next_variable(&e->model) = (struct model_variable){.vr = p->vr,
                                                        .type = p->type,
                                                        .causality = PARAMETER,
                                                        .name = name,
                                                        .unit = e->key[i].unit,
                                                        .meaning = e->key[i].doc,
                                                        .start = p->start,
                                                        .least = e->key[i].least,
                                                        .most = e->key[i].most};
  }
}

static enum status collect(struct export *e, struct reason *why) {
  struct description *m = &e->model;
  const size_t count = sagbend_variable_count(e->s);
  m->variable = calloc(count + FMU_OWN_VARIABLES + e->list.parameter_count, sizeof *m->variable);
  if (!m->variable)
    return out_of_memory(why);
  for (size_t i = 0; i < count; i++) {
    sagbend_variable v = {.size = sizeof v};
    if (sagbend_variable_at(e->s, i, &v) != SAGBEND_OK || !(v.flags & SAGBEND_EXISTS))
      continue;
    if (v.id <= FMU_LAST_OWN)
      return fail(why, STATUS_BAD_INPUT, "%s: its number is one of the FMU's own; rename what it belongs to",
                  v.name);
    add_of_case(e, &v);
  }
  size_t inputs = 0;
  for (size_t i = 0; i < m->variable_count; i++)
    inputs += m->variable[i].causality == INPUT;
  if (e->request->controller == SAGBEND_CONTROLLER_CALLER && !inputs)
    return fail(why, STATUS_BAD_INPUT,
                "--controller caller is not allowed: this case takes no commands (controller.kind)");
  add_own_and_parameters(e);
  for (size_t i = 0; i < m->variable_count; i++)
    if (!m->variable[i].name)
      return out_of_memory(why);
  qsort(m->variable, m->variable_count, sizeof *m->variable, by_causality_and_name);
  return STATUS_OK;
}

// ---- The archive ----

// A name of its own in the resources: "3-osv-83m.yaml".
static void stored_name(size_t index, const char *path, char *out, size_t size) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const int n = snprintf(out, size, "%zu-%.40s", index, name);
  for (int i = 0; i < n && out[i]; i++)
    if (!isalnum((unsigned char)out[i]) && !strchr(".-_", out[i]))
      out[i] = '_';
}

struct zip;

static enum status zip_add(struct zip *zip, const char *name, const void *bytes, size_t size,
                           struct reason *why);

static enum status add_list(struct export *e, struct zip *zip, struct reason *why) {
  char *text = NULL, stored[64];
  size_t size = 0;
  const struct fmu_list *l = &e->list;
  const char *path = e->request->path, *slash = strrchr(path, '/');
  FILE *f = text_stream_open(&text, &size);
  if (!f)
    return out_of_memory(why);
  fprintf(f, "token %s\ncase %s\ncontroller %d\n", e->token, slash ? slash + 1 : path, l->controller);
  for (size_t i = 0; i < sagbend_case_file_count(e->c); i++) {
    sagbend_file file = {.size = sizeof file};
    sagbend_case_file(e->c, i, &file);
    stored_name(i, i ? file.path : path, stored, sizeof stored);
    fprintf(f, "file %s %s\n", stored, i ? file.path : ".");
  }
  for (size_t i = 0; i < e->request->override_count; i++)
    fprintf(f, "override %s\n", l->override[i]);
  for (size_t i = 0; i < l->parameter_count; i++)
    fprintf(f, "parameter %u %d %.17g %s\n", (unsigned)l->parameter[i].vr, l->parameter[i].type,
            l->parameter[i].start, l->parameter[i].key);
  enum status status = fclose(f) ? out_of_memory(why) : zip_add(zip, "resources/" FMU_LIST, text, size, why);
  free(text);
  return status;
}

static enum status add_files(struct export *e, struct zip *zip, struct reason *why) {
  enum status status = add_list(e, zip, why);
  for (size_t i = 0; i < sagbend_case_file_count(e->c) && status == STATUS_OK; i++) {
    sagbend_file file = {.size = sizeof file};
    char stored[64], name[96];
    sagbend_case_file(e->c, i, &file);
    if (strchr(file.path, '\n'))
      return fail(why, STATUS_BAD_INPUT, "paths of files in one line expected");
    stored_name(i, i ? file.path : e->request->path, stored, sizeof stored);
    snprintf(name, sizeof name, "resources/%s", stored);
    status = zip_add(zip, name, file.text, file.bytes, why);
  }
  return status;
}

static enum status add_binary(const struct export *e, struct zip *zip, struct reason *why) {
  char name[64];
  const char *path = e->request->binary;
  FILE *f = fopen(path, "rb");
  size_t size = 0;
  char *bytes = f ? stream_read(f, SIZE_MAX, &size) : NULL;
  const int is_whole = bytes && size && !ferror(f);
  if (f)
    fclose(f);
  snprintf(name, sizeof name, "binaries/%s/" FMU_MODEL ".so", PLATFORM[e->request->fmi == 3]);
  enum status status = is_whole ? zip_add(zip, name, bytes, size, why)
                                : fail(why, STATUS_IO, "the binary of an FMU expected in %s, got none", path);
  free(bytes);
  return status;
}

static enum status add_description(const struct export *e, struct zip *zip, struct reason *why) {
  char *text = NULL;
  size_t size = 0;
  FILE *f = text_stream_open(&text, &size);
  enum status status = f ? description_write(f, &e->model) : STATUS_NO_MEMORY;
  if (f && fclose(f))
    status = STATUS_NO_MEMORY;
  status = status == STATUS_OK ? zip_add(zip, "modelDescription.xml", text, size, why) : out_of_memory(why);
  free(text);
  return status;
}

// The lists of the resources are lines.
static enum status check_lines(const struct fmu_request *r, struct reason *why) {
  for (size_t i = 0; i < r->override_count; i++)
    if (strchr(r->overrides[i], '\n'))
      return fail(why, STATUS_BAD_INPUT, "--set %zu: a value in one line expected", i + 1);
  return strchr(r->path, '\n') ? fail(why, STATUS_BAD_INPUT, "a path in one line expected") : STATUS_OK;
}

static enum status prepare(struct export *e, FILE *errors, struct reason *why) {
  enum status status = check_lines(e->request, why);
  if (status == STATUS_OK)
    status = find_parameters(e, why);
  if (status == STATUS_OK)
    status = open_case(e, errors, why);
  if (status == STATUS_OK)
    status = collect(e, why);
  if (status != STATUS_OK)
    return status;
  os_build_id_of(e->request->binary, e->build);
  fmu_token(e->build, &e->list, e->c, e->s, e->token);
  e->model.fmi = e->request->fmi;
  e->model.name = sagbend_case_name(e->c);
  e->model.about = e->request->controller == SAGBEND_CONTROLLER_ALONE
                       ? "the DP controller of a pipelay vessel, by sagbend"
                       : "a pipelay vessel and its pipe, simulated by sagbend";
  e->model.token = e->token;
  e->model.step_s = sagbend_step_s(e->s);
  e->model.period_s = sagbend_period_s(e->s);
  e->model.duration_s = sagbend_duration_s(e->s);
  return STATUS_OK;
}

static struct zip *zip_begin(FILE *out);

static void zip_abandon(struct zip *zip);

static enum status zip_end(struct zip *zip, size_t *size, struct reason *why);

static enum status pack(struct export *e, FILE *out, size_t *bytes, struct reason *why) {
  struct zip *zip = zip_begin(out);
  enum status status = zip ? add_description(e, zip, why) : out_of_memory(why);
  if (status == STATUS_OK)
    status = add_binary(e, zip, why);
  if (status == STATUS_OK)
    status = add_files(e, zip, why);
  if (status == STATUS_OK)
    return zip_end(zip, bytes, why);
  zip_abandon(zip);
  return status;
}

static void release(struct export *e) {
  for (size_t i = 0; i < e->model.variable_count; i++)
    free(e->model.variable[i].name);
  free(e->model.variable);
  sagbend_close(e->s);
  sagbend_case_close(e->c);
  fmu_list_free(&e->list);
  free(e->key);
}

enum status fmu_export(const struct fmu_request *request, FILE *out, FILE *errors, struct fmu_report *report,
                       struct reason *why) {
  struct export e = {.request = request};
  *report = (struct fmu_report){0};
  enum status status = prepare(&e, errors, why);
  if (status == STATUS_OK)
    status = pack(&e, out, &report->bytes, why);
  for (size_t i = 0; i < e.model.variable_count; i++) {
    const enum causality causality = e.model.variable[i].causality;
    report->inputs += causality == INPUT;
    report->parameters += causality == PARAMETER;
    report->outputs += causality == OUTPUT;
  }
  report->files = sagbend_case_file_count(e.c);
  release(&e);
  return status;
}

// ------------------------------------------------------------
// A zip archive, written in one pass: deflated files without times, so that the same FMU has the same bytes.
// Source: APPNOTE.TXT - .ZIP File Format Specification 6.3.10 (PKWARE 2022), sections 4.3.7, 4.3.12, 4.3.16.

enum {
  VERSION = 20,
  MADE_BY_UNIX = 3 << 8,
  DEFLATED = 8,
  DAY = 1 << 5 | 1,
  NAMES_UTF8 = 1 << 11
}; // 1980-01-01
static const size_t MOST_BYTES = 0xfffffffeu; // more needs Zip64

struct entry {
  char *name;
  uint32_t crc, packed, size, at;
};

struct zip {
  FILE *out;
  struct entry *entry;
  size_t count, bytes;
};

struct record {
  unsigned char byte[64];
  size_t size;
};

static void put(struct record *r, uint32_t value, int bytes) {
  for (int i = 0; i < bytes; i++)
    r->byte[r->size++] = (unsigned char)(value >> 8 * i);
}

// What the header of a file and its row in the list have in common.
static void put_entry(struct record *r, const struct entry *e) {
  put(r, VERSION, 2);
  put(r, NAMES_UTF8, 2);
  put(r, DEFLATED, 2);
  put(r, 0, 2); // time
  put(r, DAY, 2);
  put(r, e->crc, 4);
  put(r, e->packed, 4);
  put(r, e->size, 4);
  put(r, (uint32_t)strlen(e->name), 2);
  put(r, 0, 2); // no extra field
}

static int write_bytes(struct zip *zip, const void *bytes, size_t size) {
  zip->bytes += size;
  return zip->bytes <= MOST_BYTES && fwrite(bytes, 1, size, zip->out) == size;
}

static struct zip *zip_begin(FILE *out) {
  struct zip *zip = calloc(1, sizeof *zip);
  if (zip)
    zip->out = out;
  return zip;
}

// accepts NULL
static void zip_abandon(struct zip *zip) {
  for (size_t i = 0; zip && i < zip->count; i++)
    free(zip->entry[i].name);
  if (zip)
    free(zip->entry);
  free(zip);
}

// *packed is owned by the caller; NULL: out of memory.
static unsigned char *deflated(const void *bytes, size_t size, size_t *packed_size) {
  z_stream z = {0};
  // Level 9 takes five times as long for 3 % less.
  if (deflateInit2(&z, 4, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return NULL;
  const size_t room = deflateBound(&z, (uLong)size);
  unsigned char *packed = malloc(room);
  z.next_in = (unsigned char *)bytes;
  z.avail_in = (uInt)size;
  z.next_out = packed;
  z.avail_out = (uInt)room;
  const int done = packed && deflate(&z, Z_FINISH) == Z_STREAM_END;
  *packed_size = z.total_out;
  deflateEnd(&z);
  if (done)
    return packed;
  free(packed);
  return NULL;
}

static enum status zip_add(struct zip *zip, const char *name, const void *bytes, size_t size,
                           struct reason *why) {
  struct record head = {.size = 0};
  struct entry *more = realloc(zip->entry, (zip->count + 1) * sizeof *more);
  if (!more)
    return fail(why, STATUS_NO_MEMORY, "out of memory for the archive");
  zip->entry = more;
  if (size > MOST_BYTES / 2 || zip->count == 0xfffe)
    return fail(why, STATUS_BAD_INPUT, "%s: at most %zu bytes expected, got %zu", name, MOST_BYTES / 2, size);
  size_t packed_size;
  unsigned char *packed = deflated(bytes, size, &packed_size);
  char *copy = strdup(name);
  if (!packed || !copy) {
    free(packed);
    free(copy);
    return fail(why, STATUS_NO_MEMORY, "out of memory for the archive");
  }
  struct entry *e = &zip->entry[zip->count++];
  *e = (struct entry){copy, (uint32_t)crc32(0, bytes, (uInt)size), (uint32_t)packed_size, (uint32_t)size,
                      (uint32_t)zip->bytes};
  put(&head, 0x04034b50, 4);
  put_entry(&head, e);
  const int written = write_bytes(zip, head.byte, head.size) && write_bytes(zip, name, strlen(name)) &&
                      write_bytes(zip, packed, packed_size);
  free(packed);
  return written ? STATUS_OK : fail(why, STATUS_IO, "the archive could not be written");
}

static int write_row(struct zip *zip, const struct entry *e) {
  struct record row = {.size = 0};
  put(&row, 0x02014b50, 4);
  put(&row, MADE_BY_UNIX | VERSION, 2);
  put_entry(&row, e);
  put(&row, 0, 2);              // no comment
  put(&row, 0, 2);              // disk
  put(&row, 0, 2);              // internal attributes
  put(&row, 0100644u << 16, 4); // a file that all may read
  put(&row, e->at, 4);
  return write_bytes(zip, row.byte, row.size) && write_bytes(zip, e->name, strlen(e->name));
}

// Writes the list of the files and releases zip. *size: bytes of the archive.
static enum status zip_end(struct zip *zip, size_t *size, struct reason *why) {
  struct record end = {.size = 0};
  const size_t at = zip->bytes;
  int written = 1;
  for (size_t i = 0; i < zip->count; i++)
    written = written && write_row(zip, &zip->entry[i]);
  put(&end, 0x06054b50, 4);
  put(&end, 0, 4); // disks
  put(&end, (uint32_t)zip->count, 2);
  put(&end, (uint32_t)zip->count, 2);
  put(&end, (uint32_t)(zip->bytes - at), 4);
  put(&end, (uint32_t)at, 4);
  put(&end, 0, 2); // no comment
  written = written && write_bytes(zip, end.byte, end.size);
  *size = zip->bytes;
  zip_abandon(zip);
  return written ? STATUS_OK : fail(why, STATUS_IO, "the archive could not be written");
}
