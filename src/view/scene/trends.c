// Trends of quantities over a session, for the page: kept thinned, written as JSON.
#include "view/scene/scene.h"

#include "net/messages/messages.h"

#include "sagbend/v1/telemetry.pb-c.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double WHOLE_S = 1; // first interval of the table of the whole session beside a fine one

// Rows in the order of their times. A ring, or a table that is thinned where it is full.
struct table {
  double *time_s;
  float (*row)[QUANTITY_COUNT];
  size_t capacity, first, count;
  double interval_s;
  int is_ring;
};

struct trends {
  struct table fine, whole; // fine of capacity 0: there is none
  double now[QUANTITY_COUNT];
  double now_s;    // NaN: nothing has come
  int is_measured; // Sensors contain measurements
  char has_value[QUANTITY_COUNT];
};

static int table_open(struct table *t, size_t capacity, double interval_s, int is_ring) {
  *t = (struct table){.capacity = capacity, .interval_s = interval_s, .is_ring = is_ring};
  t->time_s = calloc(capacity, sizeof *t->time_s); // memory is the system's until a row is written
  t->row = calloc(capacity, sizeof *t->row);
  return t->time_s && t->row;
}

static size_t place(const struct table *t, size_t i) {
  return (t->first + i) % t->capacity;
}

// Every second row stays.
static void thin(struct table *t) {
  for (size_t i = 0; 2 * i < t->count; i++) {
    t->time_s[i] = t->time_s[2 * i];
    memmove(t->row[i], t->row[2 * i], sizeof *t->row);
  }
  t->count = (t->count + 1) / 2;
  t->interval_s *= 2;
}

static int is_due(const struct table *t, double time_s) {
  return !t->count ||
         floor(time_s / t->interval_s) > floor(t->time_s[place(t, t->count - 1)] / t->interval_s);
}

static void table_add(struct table *t, double time_s, const double values[QUANTITY_COUNT]) {
  if (!t->capacity || !is_due(t, time_s))
    return;
  if (t->count == t->capacity && t->is_ring) {
    t->first = place(t, 1);
    t->count--;
  } else if (t->count == t->capacity) {
    thin(t);
    if (!is_due(t, time_s))
      return;
  }
  size_t at = place(t, t->count++);
  t->time_s[at] = time_s;
  for (int q = 0; q < QUANTITY_COUNT; q++)
    t->row[at][q] = (float)values[q];
}

struct trends *trends_create(int is_whole) {
  struct trends *t = calloc(1, sizeof *t);
  if (!t || (!is_whole && !table_open(&t->fine, TRENDS_FINE_ROWS, TRENDS_FINE_S, 1)) ||
      !table_open(&t->whole, TRENDS_WHOLE_ROWS, is_whole ? TRENDS_FINE_S : WHOLE_S, 0)) {
    trends_free(t);
    return NULL;
  }
  trends_begin_session(t);
  return t;
}

void trends_free(struct trends *t) {
  if (!t)
    return;
  free(t->fine.time_s);
  free(t->fine.row);
  free(t->whole.time_s);
  free(t->whole.row);
  free(t);
}

void trends_begin_session(struct trends *t) {
  t->fine.count = t->fine.first = t->whole.count = 0;
  t->whole.interval_s = t->fine.capacity ? WHOLE_S : TRENDS_FINE_S;
  t->now_s = NAN;
  t->is_measured = 0;
  memset(t->has_value, 0, sizeof t->has_value);
  for (int q = 0; q < QUANTITY_COUNT; q++)
    t->now[q] = NAN;
}

// A row is complete when a message of a later time comes.
static void go_to(struct trends *t, double time_s) {
  if (time_s < t->now_s)
    trends_begin_session(t);
  if (time_s > t->now_s) {
    table_add(&t->fine, t->now_s, t->now);
    table_add(&t->whole, t->now_s, t->now);
  }
  t->now_s = time_s;
}

static const ProtobufCMessageDescriptor *kind_of(const char *type) {
  static const ProtobufCMessageDescriptor *const kinds[] = {
      &sagbend__v1__truth__descriptor, &sagbend__v1__sensors__descriptor, &sagbend__v1__nodes__descriptor,
      &sagbend__v1__ledger__descriptor, &sagbend__v1__timing__descriptor};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (!strcmp(kinds[i]->name, type))
      return kinds[i];
  return NULL;
}

// Truth and Sensors give the time of a row. Of a log those between two rows are left out unread.
static int is_left_out(const struct trends *t, double time_s) {
  return !t->fine.capacity && time_s > t->now_s && t->whole.count && !is_due(&t->whole, time_s);
}

void trends_take(struct trends *t, const char *type, const void *data, size_t size, uint64_t time_ns) {
  const ProtobufCMessageDescriptor *kind = kind_of(type);
  double time_s = 1e-9 * (double)time_ns;
  int is_timed = kind == &sagbend__v1__truth__descriptor || kind == &sagbend__v1__sensors__descriptor;
  if (!kind || (is_timed && is_left_out(t, time_s)) ||
      (kind == &sagbend__v1__nodes__descriptor && !t->is_measured))
    return;
  ProtobufCMessage *message = protobuf_c_message_unpack(kind, NULL, size, data);
  if (!message)
    return;
  if (is_timed)
    go_to(t, time_s);
  if (kind == &sagbend__v1__sensors__descriptor)
    t->is_measured = ((const Sagbend__V1__Sensors *)(const void *)message)->instruments != NULL;
  quantities_of_message(message, t->now);
  for (int q = 0; q < QUANTITY_COUNT; q++)
    t->has_value[q] |= !isnan(t->now[q]);
  protobuf_c_message_free_unpacked(message, NULL);
}

// ---- answers ----

static const double DEG_PER_RAD = 180 / 3.14159265358979323846;

static double shown_factor(int q) {
  return strcmp(quantity_table[q].name, quantity_table[q].shown_name) != 0 ? DEG_PER_RAD : 1;
}

char *trends_list(const struct trends *t) {
  cJSON *list = cJSON_CreateArray();
  for (int q = 0; list && q < QUANTITY_COUNT; q++) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", quantity_table[q].shown_name);
    cJSON_AddStringToObject(object, "unit", quantity_table[q].shown_unit);
    cJSON_AddStringToObject(object, "meaning", quantity_table[q].meaning);
    cJSON_AddBoolToObject(object, "is_here", t->has_value[q]);
    cJSON_AddItemToArray(list, object);
  }
  char *text = list ? cJSON_PrintUnformatted(list) : NULL;
  cJSON_Delete(list);
  return text;
}

struct text {
  char *at;
  size_t size, capacity;
};

static void put_number(struct text *t, double value, const char *format, int is_first) {
  if (!is_first)
    t->at[t->size++] = ',';
  int length =
      isfinite(value) ? snprintf(t->at + t->size, 24, format, value) : snprintf(t->at + t->size, 24, "null");
  t->size += (size_t)length;
}

// The rows of both tables above a time, one table after the other.
struct rows {
  const struct table *table[2];
  size_t begin[2], end[2];
};

static struct rows choose_rows(const struct trends *t, double from_s) {
  struct rows rows = {.table = {&t->whole, &t->fine}};
  double fine_s = INFINITY;
  if (t->fine.count)
    fine_s = t->fine.time_s[t->fine.first];
  for (int k = 0; k < 2; k++) {
    const struct table *table = rows.table[k];
    while (rows.begin[k] < table->count && table->time_s[place(table, rows.begin[k])] <= from_s)
      rows.begin[k]++;
    rows.end[k] = table->count;
  }
  while (rows.end[0] > rows.begin[0] && t->whole.time_s[rows.end[0] - 1] >= fine_s)
    rows.end[0]--;
  return rows;
}

static void put_column(struct text *out, const struct rows *rows, int q) {
  double factor = q < 0 ? 1 : shown_factor(q);
  int is_first = 1;
  for (int k = 0; k < 2; k++)
    for (size_t i = rows->begin[k]; i < rows->end[k]; i++, is_first = 0) {
      const struct table *table = rows->table[k];
      size_t at = place(table, i);
      put_number(out, q < 0 ? table->time_s[at] : factor * (double)table->row[at][q],
                 q < 0 ? "%.10g" : "%.7g", is_first);
    }
}

static int find(const char *name) {
  for (int q = 0; q < QUANTITY_COUNT; q++)
    if (!strcmp(quantity_table[q].shown_name, name))
      return q;
  return -1;
}

enum status trends_write(const struct trends *t, const char *const *names, int count, double from_s,
                         char **out, struct reason *why) {
  struct rows rows = choose_rows(t, from_s);
  size_t row_count = rows.end[0] - rows.begin[0] + rows.end[1] - rows.begin[1];
  struct text text = {.capacity = 64 + (size_t)(count + 1) * (16 * row_count + 96)};
  for (int i = 0; i < count; i++)
    if (find(names[i]) < 0)
      return fail(why, STATUS_BAD_INPUT, "names of output quantities expected, got '%.60s'", names[i]);
  text.at = malloc(text.capacity);
  if (!text.at)
    return fail(why, STATUS_NO_MEMORY, "out of memory");
  text.size = (size_t)snprintf(text.at, text.capacity, "{\"times\":[");
  put_column(&text, &rows, -1);
  text.size += (size_t)snprintf(text.at + text.size, 16, "],\"values\":{");
  for (int i = 0; i < count; i++) {
    text.size += (size_t)snprintf(text.at + text.size, 80, "%s\"%s\":[", i ? "," : "", names[i]);
    put_column(&text, &rows, find(names[i]));
    text.at[text.size++] = ']';
  }
  text.size += (size_t)snprintf(text.at + text.size, 4, "}}\n");
  *out = text.at;
  return STATUS_OK;
}
