// An instance: from the resources to a simulation, its phases, its steps, its orders.
#include "fmu/fmu_internal.h"

#include "sagbend/base/base.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const log_categories[LOG_CATEGORIES] = {
    [LOG_ERROR] = "logStatusError",
    [LOG_WARNING] = "logStatusWarning",
    [LOG_EVENTS] = "logEvents",
    [LOG_ORDERS] = "logOrders",
};

// ---- The importer's log ----

// Importers in Python see the format of a variadic function only. So the text is the format, with each % of
// its own doubled, and each #, which FMI 2 reserves for names of variables.
static void tell_fmi2(const struct instance *i, int status, enum log_category category, const char *text) {
  char doubled[2048], *to = doubled;
  for (; *text && to + 2 < doubled + sizeof doubled; *to++ = *text++)
    if (*text == '%' || *text == '#')
      *to++ = *text;
  *to = '\0';
  i->callbacks->logger(i->callbacks->environment, i->name ? i->name : "", status, log_categories[category],
                       doubled);
}

static void say_list(const struct instance *i, int status, enum log_category category, const char *format,
                     va_list list) {
  char text[1024];
  if (!i->logging || !(i->all_categories || (i->categories >> category & 1)))
    return;
  vsnprintf(text, sizeof text, format, list);
  if (i->version == 3 && i->log3)
    i->log3(i->environment, status, log_categories[category], text);
  if (i->version == 2 && i->callbacks && i->callbacks->logger)
    tell_fmi2(i, status, category, text);
}

void say(const struct instance *i, int status, enum log_category category, const char *format, ...) {
  va_list list;
  va_start(list, format);
  say_list(i, status, category, format, list);
  va_end(list);
}

int refuse(const struct instance *i, const char *format, ...) {
  va_list list;
  va_start(list, format);
  say_list(i, FMI_ERROR, LOG_ERROR, format, list);
  va_end(list);
  return FMI_ERROR;
}

int is_allowed(const struct instance *i, int phases, const char *function) {
  if (!i)
    return 0;
  if (i->state.phase & phases)
    return 1;
  refuse(i, "fmi%d%s is not allowed in this state", i->version, function);
  return 0;
}

int instance_set_logging(struct instance *i, int on, size_t n, const char *const category[]) {
  int status = FMI_OK;
  i->logging = on;
  i->all_categories = n == 0;
  i->categories = 0;
  for (size_t k = 0; k < n; k++) {
    int found = !strcmp(category[k], "logAll");
    i->all_categories |= found;
    for (int c = 0; c < LOG_CATEGORIES; c++)
      if (!strcmp(category[k], log_categories[c])) {
        i->categories |= 1u << c;
        found = 1;
      }
    if (!found)
      status = refuse(i, "log category '%s': one of those in the model description expected", category[k]);
  }
  return status;
}

// ---- The list of values by their references ----

static int by_vr(const void *left, const void *right) {
  const struct reference *a = left, *b = right;
  return a->vr < b->vr ? -1 : a->vr > b->vr;
}

// Makes the table of the references of s. 0: out of memory; the table is as before.
static int instance_index(struct instance *i, const sagbend_sim *s) {
  const size_t variables = sagbend_variable_count(s),
               most = variables + FMU_OWN_VARIABLES + i->list.parameter_count;
  struct reference *all = calloc(most, sizeof *all), *to = all;
  if (!all)
    return 0;
  for (size_t k = 0; k < variables; k++) {
    sagbend_variable v = {.size = sizeof v};
    if (sagbend_variable_at(s, k, &v) == SAGBEND_OK && (v.flags & SAGBEND_EXISTS))
      *to++ = (struct reference){
          v.id, v.type, v.kind == SAGBEND_INPUT, 0, strcmp(v.name, "time_s") != 0 ? OF_CASE : TIME_OF_CASE,
          0,    v.name};
  }
  for (int k = 0; k < FMU_OWN_VARIABLES; k++) {
    const struct fmu_own_variable *own = &fmu_own_variables[k];
    if (i->list.controller != SAGBEND_CONTROLLER_ALONE || own->of_controller)
      *to++ = (struct reference){own->vr, own->type, own->is_input, own->is_fixed, OF_FMU, 0, own->name};
  }
  for (size_t k = 0; k < i->list.parameter_count; k++) {
    const struct fmu_parameter *p = &i->list.parameter[k];
    *to++ = (struct reference){p->vr, p->type, 1, 1, PARAMETER, k, p->key};
  }
  free(i->reference);
  i->reference = all;
  i->reference_count = (size_t)(to - all);
  qsort(all, i->reference_count, sizeof *all, by_vr);
  return 1;
}

const struct reference *instance_find(const struct instance *i, uint32_t vr) {
  const struct reference key = {.vr = vr};
  return bsearch(&key, i->reference, i->reference_count, sizeof key, by_vr);
}

// ---- Parameters -> simulation ----

// Inputs that have been set, so that another simulation can take them over.
struct kept_inputs {
  uint32_t *id;
  double *value;
  size_t count;
};

static int keep_inputs(const sagbend_sim *s, struct kept_inputs *kept) {
  const size_t most = sagbend_variable_count(s);
  *kept = (struct kept_inputs){calloc(most + 1, sizeof *kept->id), calloc(most + 1, sizeof *kept->value), 0};
  if (!kept->id || !kept->value)
    return 0;
  for (size_t k = 0; k < most; k++) {
    sagbend_variable v = {.size = sizeof v};
    if (sagbend_variable_at(s, k, &v) == SAGBEND_OK && v.kind == SAGBEND_INPUT && (v.flags & SAGBEND_EXISTS))
      kept->id[kept->count++] = v.id;
  }
  return sagbend_get(s, kept->id, kept->count, kept->value) == SAGBEND_OK;
}

static void say_case_errors(const struct instance *i, const sagbend_case *c, const sagbend_error *first) {
  const size_t count = c ? sagbend_case_error_count(c) : 0;
  if (!count)
    refuse(i, "%s", first->text);
  for (size_t k = 0; k < count; k++) {
    sagbend_error e = {.size = sizeof e};
    sagbend_case_error(c, k, &e);
    refuse(i, "%s:%d:%d: %s", e.file, (int)e.line, (int)e.column, e.text);
  }
}

// The overrides of the export, whose texts are the list's, then the parameters.
static char **overrides_of(const struct instance *i, size_t *count) {
  const struct fmu_list *l = &i->list;
  char **all = calloc(l->override_count + l->parameter_count + 1, sizeof *all);
  for (size_t k = 0; all && k < l->override_count; k++)
    all[k] = l->override[k];
  for (size_t k = 0; all && k < l->parameter_count; k++)
    all[l->override_count + k] = fmu_parameter_text(l->parameter[k].key, i->parameter[k]);
  *count = l->override_count + l->parameter_count;
  return all;
}

static void free_overrides(const struct instance *i, char **all) {
  for (size_t k = 0; all && k < i->list.parameter_count; k++)
    free(all[i->list.override_count + k]);
  free(all);
}

static int open_simulation(const struct instance *i, sagbend_case **c, sagbend_sim **s) {
  const struct fmu_list *l = &i->list;
  sagbend_error e = {.size = sizeof e};
  size_t count;
  char **overrides = overrides_of(i, &count);
  *c = NULL;
  *s = NULL;
  for (size_t k = 0; k < count; k++)
    if (!overrides || !overrides[k]) {
      free_overrides(i, overrides);
      return refuse(i, "out of memory for the parameters");
    }
  const sagbend_status status =
      sagbend_case_open_text(l->name, l->file[0].text, l->file[0].bytes, l->file + 1, l->file_count - 1,
                             (const char *const *)overrides, count, l->controller, c, &e);
  free_overrides(i, overrides);
  if (status != SAGBEND_OK)
    say_case_errors(i, *c, &e);
  else if (sagbend_open(*c, s, &e) != SAGBEND_OK)
    refuse(i, "%s", e.text);
  if (*s)
    return FMI_OK;
  sagbend_case_close(*c);
  *c = NULL;
  return FMI_ERROR;
}

// The new simulation takes the place of the old one, with its inputs. Without one the old one stays.
static int rebuild(struct instance *i) {
  sagbend_case *c;
  sagbend_sim *s;
  struct kept_inputs kept = {0};
  sagbend_error e = {.size = sizeof e};
  if (open_simulation(i, &c, &s) != FMI_OK)
    return FMI_ERROR;
  int status = FMI_OK;
  if (i->s &&
      (!keep_inputs(i->s, &kept) || sagbend_set(s, kept.id, kept.count, kept.value, &e) != SAGBEND_OK))
    status = refuse(i, "the inputs with these parameters: %s", kept.count ? e.text : "out of memory");
  free(kept.id);
  free(kept.value);
  if (!instance_index(i, s)) {
    sagbend_close(s);
    sagbend_case_close(c);
    return refuse(i, "out of memory for the variables");
  }
  sagbend_close(i->s);
  sagbend_case_close(i->c);
  i->c = c;
  i->s = s;
  i->is_stale = i->has_journal = 0;
  i->events_logged = 0;
  return status;
}

// Parameters become texts and are read again: with a point and to the nearest, whatever the host has set.
static int rebuild_from_host(struct instance *i) {
  const struct host_settings host = host_settings_begin();
  const int status = rebuild(i);
  host_settings_end(&host);
  return status;
}

int instance_refresh(struct instance *i) {
  return i->is_stale ? rebuild_from_host(i) : FMI_OK;
}

// ---- Begin and end ----

// A path as FMI 3 gives it, or a URI of FMI 2: "file:///a%20b", "file:/a", "file://localhost/a".
static int folder_of(const char *given, char *out, size_t size) {
  size_t n = 0;
  const int is_uri = given && !strncmp(given, "file:", 5);
  const char *at = is_uri ? given + 5 : given;
  if (is_uri && !strncmp(at, "//", 2)) {
    const char *slash = strchr(at + 2, '/');
    at = slash ? slash : at + 2;
  }
  for (; at && *at && n + 1 < size; n++) {
    char code[3] = {0}, *end = code;
    if (is_uri && *at == '%') {
      snprintf(code, sizeof code, "%.2s", at + 1);
      out[n] = (char)strtol(code, &end, 16);
    }
    if (end == code + 2)
      at += 3;
    else
      out[n] = *at++;
  }
  while (n > 1 && out[n - 1] == '/')
    n--;
  out[n] = '\0';
  return n > 0 && !*at;
}

static int check_token(const struct instance *i, const char *given) {
  char own[FMU_TOKEN];
  if (!given || strcmp(given, i->list.token) != 0)
    return refuse(i, "token %s expected, got %s: the model description and the resources are not of one FMU",
                  i->list.token, given ? given : "none");
  fmu_token(sagbend_build(), &i->list, i->c, i->s, own);
  if (strcmp(own, given) != 0)
    return refuse(i,
                  "token %s expected, got %s: the binary or a file of the resources is not the one that was "
                  "exported",
                  own, given);
  return FMI_OK;
}

static int start(struct instance *i, const char *token, const char *resources) {
  char folder[4096], why[512];
  if (!*i->name)
    return refuse(i, "a name of the instance expected, got none");
  if (!folder_of(resources, folder, sizeof folder))
    return refuse(i, "a folder of resources expected, got %s", resources ? resources : "none");
  if (fmu_list_read(folder, &i->list, why, sizeof why))
    return refuse(i, "%s", why);
  i->parameter = calloc(i->list.parameter_count + 1, sizeof *i->parameter);
  for (size_t k = 0; i->parameter && k < i->list.parameter_count; k++)
    i->parameter[k] = i->list.parameter[k].start;
  if (!i->parameter)
    return refuse(i, "out of memory for the parameters");
  return rebuild(i) == FMI_OK ? check_token(i, token) : FMI_ERROR;
}

struct instance *instance_make(const struct instance *from, const char *name, const char *token,
                               const char *resources) {
  struct instance *i = malloc(sizeof *i);
  if (!i)
    return NULL;
  *i = *from;
  const int logging = i->logging;
  i->logging = i->all_categories = 1; // why there is no instance is said in any case
  i->state = (struct instance_state){.phase = PHASE_INSTANTIATED};
  i->name = strdup(name ? name : "");
  const struct host_settings host = host_settings_begin();
  const int status = i->name ? start(i, token, resources) : FMI_ERROR;
  host_settings_end(&host);
  i->logging = logging;
  if (status == FMI_OK)
    return i;
  instance_free(i);
  return NULL;
}

void instance_free(struct instance *i) {
  if (!i)
    return;
  sagbend_close(i->s);
  sagbend_case_close(i->c);
  fmu_list_free(&i->list);
  free(i->reference);
  free(i->parameter);
  free(i->name);
  free(i);
}

static void log_events(struct instance *i) {
  for (; i->events_logged < sagbend_event_count(i->s); i->events_logged++) {
    sagbend_event e = {.size = sizeof e};
    if (sagbend_event_at(i->s, i->events_logged, &e) == SAGBEND_OK)
      say(i, FMI_OK, LOG_EVENTS, "%.3f s: %s: %s", i->state.start + e.time_s, e.name, e.text);
  }
}

int instance_begin(struct instance *i, double from, int has_stop, double stop) {
  if (!isfinite(from) || (has_stop && !(stop > from)))
    return refuse(i, "start time %.9g s, stop time %.9g s: a stop after the start expected", from, stop);
  i->state.start = from;
  i->state.has_stop = has_stop;
  i->state.stop = has_stop ? stop : 0;
  return FMI_OK;
}

int instance_begun(struct instance *i) {
  if (instance_refresh(i) != FMI_OK) {
    i->state.phase = PHASE_FAILED;
    return FMI_ERROR;
  }
  sagbend_error e = {.size = sizeof e};
  if (*i->journal && !i->has_journal && sagbend_journal(i->s, i->journal, &e) != SAGBEND_OK) {
    i->state.phase = PHASE_FAILED;
    return refuse(i, "journal: %s", e.text);
  }
  i->has_journal = *i->journal != '\0'; // also where a state of before brings back the initialisation
  i->state.phase = PHASE_STEPPING;
  log_events(i);
  return FMI_OK;
}

int instance_reset(struct instance *i) {
  sagbend_error e = {.size = sizeof e};
  int changed = i->is_stale || *i->journal; // another simulation ends the journal
  for (size_t k = 0; k < i->list.parameter_count; k++) {
    changed |= i->parameter[k] != i->list.parameter[k].start;
    i->parameter[k] = i->list.parameter[k].start;
  }
  i->state = (struct instance_state){.phase = PHASE_INSTANTIATED};
  i->events_logged = 0;
  i->refusals_logged = 0;
  i->is_stale = 0;
  *i->journal = '\0';
  if (sagbend_reset(i->s, &e) != SAGBEND_OK) // first, so that no input is taken over
    return refuse(i, "%s", e.text);
  return changed ? rebuild_from_host(i) : FMI_OK;
}

// ---- Steps ----

double instance_time(const struct instance *i) {
  return i->state.start + sagbend_time(i->s);
}

int instance_has_fault(const struct instance *i) {
  return sagbend_step(i->s, 0, NULL) == SAGBEND_FAULT;
}

// " #2" at the end makes the same order another text.
static void words_of(const char *order, char words[ORDER_TEXT]) {
  snprintf(words, ORDER_TEXT, "%s", order);
  char *mark = strrchr(words, '#');
  if (!mark || (mark > words && mark[-1] != ' ') || mark[1 + strspn(mark + 1, "0123456789")])
    return;
  while (mark > words && mark[-1] == ' ')
    mark--;
  *mark = '\0';
}

static void carry_out_order(struct instance *i) {
  struct instance_state *state = &i->state;
  char words[ORDER_TEXT];
  uint64_t number = 0;
  sagbend_error e = {.size = sizeof e};
  if (!strcmp(state->order, state->done))
    return;
  memcpy(state->done, state->order, sizeof state->done);
  words_of(state->order, words);
  if (!*words)
    return;
  const int accepted = sagbend_order(i->s, words, &number, &e) == SAGBEND_OK;
  if (accepted)
    snprintf(state->result, sizeof state->result, "accepted as order %llu: %s", (unsigned long long)number,
             words);
  else
    snprintf(state->result, sizeof state->result, "refused: %s", e.text);
  say(i, accepted ? FMI_OK : FMI_WARNING, accepted ? LOG_ORDERS : LOG_WARNING, "order '%s': %s", words,
      state->result);
}

static void log_refusals(struct instance *i) {
  sagbend_error why = {.size = sizeof why};
  const uint64_t refused = sagbend_commands_refused(i->s, &why);
  if (refused > i->refusals_logged)
    say(i, FMI_WARNING, LOG_WARNING, "%.3f s: command refused: %s", instance_time(i), why.text);
  i->refusals_logged = refused;
}

static int is_near(double a, double b, double scale) {
  return fabs(a - b) <= 1e-6 * scale;
}

int instance_step(struct instance *i, double at, double step) {
  const double own = sagbend_step_s(i->s), count = floor(step / own + 0.5);
  if (!is_near(at, instance_time(i), own)) // importers add steps of 0.1 up
    return refuse(i, "communication point %.9g s: this FMU stands at %.9g s", at, instance_time(i));
  if (!(count >= 1 && count < 1e15) || !is_near(count * own, step, own))
    return refuse(i, "communication step %.9g s: a whole multiple of the step of the case, %.9g s, expected",
                  step, own);
  if (i->state.has_stop && at + step > i->state.stop + 1e-6 * own)
    return refuse(i, "communication step to %.9g s: beyond the stop time %.9g s", at + step, i->state.stop);
  carry_out_order(i);
  const sagbend_status status = sagbend_step(i->s, (uint64_t)count, NULL);
  log_events(i);
  log_refusals(i);
  if (status == SAGBEND_FAULT) {
    say(i, FMI_DISCARD, LOG_ERROR, "the simulation has latched a fault at %.9g s", instance_time(i));
    return FMI_DISCARD;
  }
  if (status != SAGBEND_OK)
    say(i, FMI_WARNING, LOG_WARNING, "%s: %s",
        status == SAGBEND_IO ? "the journal ends before this step" : "an event could not be kept",
        sagbend_status_text(status));
  return status == SAGBEND_OK ? FMI_OK : FMI_WARNING;
}
