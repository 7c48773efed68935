#include "io/config/config_plant.h"

#include "core/math/trig.h"

#include <math.h>
#include <string.h>

struct checking {
  const struct node *root;
  struct error_list *errors;
  int thruster;
};

static struct node *node_at(const struct checking *c, const char *list, int index, const char *key) {
  char path[128];
  snprintf(path, sizeof path, "%s.%d.%s", list, index, key);
  struct node *n = tree_find(c->root, path);
  return n && !node_is_null(n) ? n : NULL;
}

static const struct node *given(const struct checking *c, const char *key) {
  return node_at(c, "vessel.thrusters", c->thruster, key);
}

static void refuse(const struct checking *c, const struct node *n, const char *expected) {
  if (n->kind == NODE_SCALAR && n->text)
    error_add(c->errors, n->at, "%s: %s, got %s", node_path(n).text, expected, quote(n->text).text);
  else
    error_add(c->errors, n->at, "%s: %s", node_path(n).text, expected);
}

static void only_where(const struct checking *c, const char *key, int fits, const char *where) {
  const struct node *n = given(c, key);
  char text[160];
  snprintf(text, sizeof text, "only expected where %s", where);
  if (n && !fits)
    refuse(c, n, text);
}

static int plain_name(const char *name) {
  return name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.")] == '\0';
}

// Names of a list, all different, of letters that messages carry.
static void check_names(const struct checking *c, const char *list, const char *const *names, int count) {
  for (int i = 0; i < count; i++) {
    const struct node *own = node_at(c, list, i, "name");
    if (own && !own->bad && !plain_name(names[i]))
      refuse(c, own, "letters, digits, _, - and . expected");
    for (int k = 0; k < i; k++) {
      const struct node *n = node_at(c, list, i, "name");
      char text[160];
      snprintf(text, sizeof text, "a name of its own expected, %s.%d has it already", list, k);
      if (n && !n->bad && *names[i] && strcmp(names[i], names[k]) == 0) {
        refuse(c, n, text);
        break;
      }
    }
  }
}

static double turn(double from_rad, double to_rad) { // clockwise, in [0, 2 pi)
  double x = trig_wrap(to_rad - from_rad);
  return x < 0 ? x + 2 * TRIG_PI : x;
}

static void check_sectors(const struct checking *c, const struct thruster_def *t) {
  for (int i = 0; i < t->sector_count; i++) {
    const struct sector *a = &t->sector[i];
    double width = turn(a->from_rad, a->to_rad);
    char key[64];
    snprintf(key, sizeof key, "forbidden.%d.to_deg", i);
    const struct node *n = given(c, key);
    snprintf(key, sizeof key, "forbidden.%d.from_deg", i);
    const struct node *from = given(c, key);
    if (!n || n->bad || !from || from->bad)
      continue;
    if (width < 1e-9 || width > 2 * TRIG_PI - 1e-9)
      refuse(c, n, "another direction than from_deg expected");
    for (int k = 0; k < i; k++) {
      const struct sector *b = &t->sector[k];
      double gap = turn(a->from_rad, b->from_rad), back = turn(b->from_rad, a->from_rad);
      if (gap < width - 1e-9 || back < turn(b->from_rad, b->to_rad) - 1e-9) {
        refuse(c, n, "sectors that do not overlap expected");
        break;
      }
    }
  }
}

static void check_bus(const struct checking *c, const struct plant_def *plant, struct thruster_def *t) {
  const struct node *n = given(c, "bus");
  t->bus = -1;
  if (!n || n->bad)
    return;
  for (int i = 0; i < plant->bus_count; i++)
    if (strcmp(plant->bus[i].name, t->bus_name) == 0)
      t->bus = i;
  if (t->bus < 0)
    refuse(c, n, "a name of vessel.power.buses expected");
  else if (!(t->power_max_w > 0) && !(given(c, "power_max_w") && given(c, "power_max_w")->bad))
    refuse(c, n, "a power_max_w > 0 expected beside it");
}

static void check_thruster(const struct checking *c, const struct plant_def *plant, struct thruster_def *t) {
  check_bus(c, plant, t);
  const struct node *kind = given(c, "kind"), *drive = given(c, "drive");
  if (kind && !kind->bad) {
    int azimuth = t->kind == THRUSTER_AZIMUTH, main = t->kind == THRUSTER_MAIN;
    only_where(c, "forbidden", azimuth, "kind is azimuth");
    only_where(c, "rudder", main, "kind is main");
    only_where(c, "speed_half_mps", t->kind == THRUSTER_TUNNEL, "kind is tunnel");
    only_where(c, "azimuth_lag_s", azimuth || main, "kind is azimuth or main");
    only_where(c, "azimuth_rate_degps", azimuth || main, "kind is azimuth or main");
    if (azimuth)
      check_sectors(c, t);
  }
  if (!drive || !drive->bad) {
    int pitch = t->drive == DRIVE_CPP;
    only_where(c, "pitch_lag_s", pitch, "drive is pitch");
    only_where(c, "pitch_rate_1ps", pitch, "drive is pitch");
    only_where(c, "power_zero_pitch", pitch, "drive is pitch");
  }
}

void config_check_plant(const struct node *root, struct plant_def *plant, struct error_list *errors) {
  struct checking c = {root, errors, 0};
  const char *names[MAX_THRUSTERS], *buses[MAX_BUSES];
  for (int i = 0; i < plant->thruster_count; i++)
    names[i] = plant->thruster[i].name;
  for (int i = 0; i < plant->bus_count; i++)
    buses[i] = plant->bus[i].name;
  check_names(&c, "vessel.thrusters", names, plant->thruster_count);
  check_names(&c, "vessel.power.buses", buses, plant->bus_count);
  for (c.thruster = 0; c.thruster < plant->thruster_count; c.thruster++)
    check_thruster(&c, plant, &plant->thruster[c.thruster]);
}
