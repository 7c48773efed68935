#include "hydro/hydro_checks_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const HYDRO_DOF[6] = {"surge", "sway", "heave", "roll", "pitch", "yaw"};

const char *hydro_check_name(enum hydro_check check) {
#define X(name, text) text,
  static const char *const names[] = {HYDRO_CHECK_TABLE(X)};
#undef X
  return names[check];
}

void damping_peaks(const struct hydro_raw *raw, double peak[6]) {
  for (int i = 0; i < 6; i++) {
    peak[i] = 0;
    for (int f = 0; f < raw->frequencies; f++)
      if (!raw->is_left_out[f])
        peak[i] = fmax(peak[i], raw->damping[f][i][i]);
  }
}

enum status hydro_checks(struct hydro_raw *raw, const int is_accepted[HYDRO_CHECK_COUNT],
                         struct hydro_report *report, struct reason *why) {
  static int (*const checks[HYDRO_CHECK_COUNT])(struct hydro_raw *, struct hydro_report *,
                                                struct reason *) = {
      check_mass, check_passivity, check_kramers_kronig, check_symmetry, check_long_waves, check_motions};
  struct reason first = {""};
  char others[80] = "";
  const char *refused = NULL;
  for (int k = 0; k < HYDRO_CHECK_COUNT; k++) {
    const char *name = hydro_check_name((enum hydro_check)k);
    struct reason found = {""};
    if (checks[k](raw, report, &found))
      continue;
    report_line(report, "check %s: FAILED%s: %s", name, is_accepted[k] ? ", accepted" : "", found.text);
    if (is_accepted[k])
      continue;
    if (refused)
      snprintf(others + strlen(others), sizeof others - strlen(others), "%s%s",
               *others ? ", " : "; failed too: ", name);
    else
      refused = name, first = found;
  }
  return refused ? fail(why, STATUS_BAD_INPUT, "%.190s; '--accept %s' imports it nevertheless%s", first.text,
                        refused, others)
                 : STATUS_OK;
}
