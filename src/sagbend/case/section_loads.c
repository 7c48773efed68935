// The section loads.
#include "sagbend/case/config_sections.h"

static const struct key_def KEYS[] = {
    {"loads", AS_ITEMS, .size = MAX_LOADS, .optional = 1,
     ITEMS_IN(config_draft, loads, load_draft, out.sim.env.load_count),
     .doc = "External forces and moments on the vessel at its reference point."},
    {"loads[].name", AS_TEXT, .size = 64, .optional = 1, IN(load_draft, name),
     .doc = "Name of the load for the reader. The program does not use it."},
    {"loads[].frame", AS_WORD, .words = {"world", "body"}, WORD_IN(load_draft, def.frame),
     .doc = "Frame of the wrench. world: north, east, down. body: forward, starboard, down."},
    {"loads[].wrench", AS_VECTOR, .size = 6, IN(load_draft, def.wrench), .unit = "N, N m",
     .doc = "Force (x, y, z) and moment (about x, y, z) of the load."},
};

static void check_loads(const struct check *c) {
  for (int i = 0; i < c->draft->out.sim.env.load_count; i++)
    check_profile(c, key_path("loads.%d", i).text, &c->draft->loads[i].def.profile);
}

static void resolve_loads(const struct check *c, struct config *out) {
  for (int i = 0; i < out->sim.env.load_count; i++)
    out->sim.env.loads[i] = c->draft->loads[i].def;
}

static const struct key_rows ROWS = KEY_ROWS(KEYS);
static const struct key_group GROUPS[] = {
    {.rows = &ROWS, .prefix = ""},
    {.rows = &PROFILE_ROWS, .prefix = "loads[]", .offset = offsetof(struct load_draft, def.profile)}};
const struct config_section LOADS_SECTION = {GROUPS, 2, check_loads, resolve_loads, NULL};
