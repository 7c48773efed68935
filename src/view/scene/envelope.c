// The extremes along the pipe: what each quantity was at most and at least, at a time or over a session.
#include "view/scene/scene.h"
#include "view/scene/scene_internal.h"

#include "sagbend/v1/telemetry.pb-c.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_PLACES = 400 }; // over the pipe as it is at the start
#define LONGEST_M 1e7        // what is longer is no pipe

#define X(name, value) COLUMN_##name,
enum column { ENVELOPE_TABLE(X) COLUMN_COUNT };
#undef X
static const char *const NAMES[COLUMN_COUNT] = {
#define X(name, value) #name,
    ENVELOPE_TABLE(X)
#undef X
};

struct extremes {
  float low[COLUMN_COUNT], high[COLUMN_COUNT]; // low above high: no node has been here
};

struct moment { // places up to a moment, the first count of them
  double time_s, start_m, spacing_m;
  int count;
  struct extremes *place;
};

struct envelope {
  struct moment now;
  struct moment kept[ENVELOPE_MOMENTS];
  int kept_count, keeps_moments;
  double every_s; // between kept moments
};

static int moment_open(struct moment *m) {
  m->place = calloc(ENVELOPE_PLACES, sizeof *m->place); // memory is the system's until it is written
  return m->place != NULL;
}

void envelope_free(struct envelope *e) {
  if (!e)
    return;
  free(e->now.place);
  for (int i = 0; i < ENVELOPE_MOMENTS; i++)
    free(e->kept[i].place);
  free(e);
}

struct envelope *envelope_create(int keeps_moments) {
  struct envelope *e = calloc(1, sizeof *e);
  int is_open = e && moment_open(&e->now);
  for (int i = 0; is_open && keeps_moments && i < ENVELOPE_MOMENTS; i++)
    is_open = moment_open(&e->kept[i]);
  if (!is_open) {
    envelope_free(e);
    return NULL;
  }
  e->keeps_moments = keeps_moments;
  envelope_begin_session(e);
  return e;
}

void envelope_begin_session(struct envelope *e) {
  e->now.count = e->kept_count = 0;
  e->now.time_s = NAN;
  e->every_s = 1;
}

// ---- places ----

static void clear(struct extremes *x) {
  for (int k = 0; k < COLUMN_COUNT; k++) {
    x->low[k] = HUGE_VALF;
    x->high[k] = -HUGE_VALF;
  }
}

static void join(struct extremes *x, const struct extremes *other) {
  for (int k = 0; k < COLUMN_COUNT; k++) {
    x->low[k] = fminf(x->low[k], other->low[k]);
    x->high[k] = fmaxf(x->high[k], other->high[k]);
  }
}

// Makes room up to an arc length; where there is none left, two places become one.
static void reach(struct moment *m, double to_m) {
  while ((to_m - m->start_m) / m->spacing_m > ENVELOPE_PLACES - 1) {
    for (int i = 0; 2 * i < m->count; i++) {
      m->place[i] = m->place[2 * i];
      if (2 * i + 1 < m->count)
        join(&m->place[i], &m->place[2 * i + 1]);
    }
    m->count = (m->count + 1) / 2;
    m->spacing_m *= 2;
  }
  const double last = floor((to_m - m->start_m) / m->spacing_m); // not an int: a lie can be below all of them
  for (; m->count <= last; m->count++)
    clear(&m->place[m->count]);
}

// Column k of place i is at arc length start_m + i spacing_m, between two nodes.
static void take_element(struct moment *m, double a_m, double b_m, const double a[COLUMN_COUNT],
                         const double b[COLUMN_COUNT]) {
  const double first = fmax(0, ceil((a_m - m->start_m) / m->spacing_m - 1e-9));
  for (int i = first < m->count ? (int)first : m->count; i < m->count; i++) {
    double s_m = m->start_m + i * m->spacing_m, share = (s_m - a_m) / fmax(b_m - a_m, 1e-9);
    if (share > 1 + 1e-9)
      return;
    for (int k = 0; k < COLUMN_COUNT; k++) {
      float value = (float)(a[k] + share * (b[k] - a[k]));
      m->place[i].low[k] = fminf(m->place[i].low[k], value);
      m->place[i].high[k] = fmaxf(m->place[i].high[k], value);
    }
  }
}

static void values_at(const Sagbend__V1__Nodes *n, size_t i, double out[COLUMN_COUNT]) {
#define X(name, value) out[COLUMN_##name] = value;
  ENVELOPE_TABLE(X)
#undef X
}

// A message that is not the simulator's own can have lists of any lengths, and any numbers in them.
static int is_whole(const Sagbend__V1__Nodes *n) {
  size_t count = n->n_arc_length_m;
  for (size_t i = 0; i < count; i++)
    if (!(fabs(n->arc_length_m[i]) <= LONGEST_M && (!i || n->arc_length_m[i] >= n->arc_length_m[i - 1])))
      return 0;
  return count > 1 && n->n_effective_tension_n == count && n->n_bending_2_nm == count &&
         n->n_bending_3_nm == count && n->n_curvature_1pm == count &&
         (!n->n_utilisation || n->n_utilisation == count) &&
         (!n->n_penetration_m || n->n_penetration_m == count);
}

static void take_nodes(struct moment *m, const Sagbend__V1__Nodes *n) {
  size_t last = n->n_arc_length_m - 1;
  double values[2][COLUMN_COUNT];
  if (!m->count) {
    m->start_m = n->arc_length_m[0];
    m->spacing_m = fmax((n->arc_length_m[last] - m->start_m) / FIRST_PLACES, 1e-3);
  }
  reach(m, n->arc_length_m[last]);
  values_at(n, 0, values[0]);
  for (size_t i = 1; i <= last; i++) {
    values_at(n, i, values[i % 2]);
    take_element(m, n->arc_length_m[i - 1], n->arc_length_m[i], values[(i - 1) % 2], values[i % 2]);
  }
}

// ---- moments ----

static void copy(struct moment *to, const struct moment *from) {
  struct extremes *place = to->place;
  *to = *from;
  to->place = place;
  memcpy(place, from->place, (size_t)from->count * sizeof *place);
}

// Where there is no room, every second kept moment goes.
static void keep(struct envelope *e) {
  if (!e->keeps_moments || !e->now.count ||
      (e->kept_count && e->now.time_s - e->kept[e->kept_count - 1].time_s < e->every_s))
    return;
  if (e->kept_count == ENVELOPE_MOMENTS) {
    for (int i = 0; 2 * i < ENVELOPE_MOMENTS; i++)
      if (i)
        copy(&e->kept[i], &e->kept[2 * i]);
    e->kept_count = ENVELOPE_MOMENTS / 2;
    e->every_s *= 2;
  }
  copy(&e->kept[e->kept_count++], &e->now);
}

void envelope_take(struct envelope *e, const char *type, const void *data, size_t size, uint64_t time_ns) {
  double time_s = 1e-9 * (double)time_ns;
  if (strcmp(type, sagbend__v1__nodes__descriptor.name) != 0)
    return;
  Sagbend__V1__Nodes *nodes = sagbend__v1__nodes__unpack(NULL, size, data);
  if (nodes && is_whole(nodes)) {
    if (time_s < e->now.time_s)
      envelope_begin_session(e);
    e->now.time_s = time_s;
    take_nodes(&e->now, nodes);
    keep(e);
  }
  if (nodes)
    sagbend__v1__nodes__free_unpacked(nodes, NULL);
}

// ---- the answer ----

static size_t put_list(char *out, const struct moment *m, int column, int is_high) {
  size_t size = 0;
  out[size++] = '[';
  for (int i = 0; i < m->count; i++) {
    const struct extremes *x = &m->place[i];
    double value = column < 0 ? m->start_m + i * m->spacing_m
                   : is_high  ? (double)x->high[column]
                              : (double)x->low[column];
    if (i)
      out[size++] = ',';
    size += (size_t)(isfinite(value) ? sprintf(out + size, column < 0 ? "%.8g" : "%.6g", value)
                                     : sprintf(out + size, "null"));
  }
  out[size++] = ']';
  return size;
}

static const struct moment *moment_at(const struct envelope *e, double at_s) {
  const struct moment *found = &e->now;
  for (int i = 0; i < e->kept_count && at_s < e->now.time_s; i++)
    if (!i || e->kept[i].time_s <= at_s)
      found = &e->kept[i];
  return found;
}

char *envelope_write(const struct envelope *e, double at_s) {
  const struct moment *m = moment_at(e, at_s);
  char *out = malloc(256 + (size_t)m->count * (2 * COLUMN_COUNT + 1) * 16 + COLUMN_COUNT * 64);
  if (!out)
    return NULL;
  size_t size = (size_t)sprintf(out, "{\"time_s\":%.10g,\"arc_length_m\":", m->count ? m->time_s : 0);
  size += put_list(out + size, m, -1, 0);
  for (int k = 0; k < COLUMN_COUNT; k++) {
    size += (size_t)sprintf(out + size, ",\"%s\":{\"min\":", NAMES[k]);
    size += put_list(out + size, m, k, 0);
    size += (size_t)sprintf(out + size, ",\"max\":");
    size += put_list(out + size, m, k, 1);
    out[size++] = '}';
  }
  sprintf(out + size, "}\n");
  return out;
}
