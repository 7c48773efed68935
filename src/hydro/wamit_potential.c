// .pot in its first form has a line of depth and XBODY, five numbers; in its second the depth in the second
// line, and XBODY, four numbers, after the name of the geometry's file. A depth that is not positive:
// infinite.
#include "hydro/text_file.h"
#include "hydro/wamit.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

struct found {
  double depth_m, body_m[4];
  int has_depth, has_body;
};

static int is_geometry(const char *line) {
  size_t length = strcspn(line, " \t");
  return length > 4 && strncasecmp(line + length - 4, ".gdf", 4) == 0;
}

static void find(struct text_file *file, struct found *out) {
  double n[5];
  int is_after_geometry = 0;
  while (text_file_next(file) && !out->has_body) {
    const char *line = file->buffer + strspn(file->buffer, " \t");
    int count = sscanf(line, "%lf %lf %lf %lf %lf", &n[0], &n[1], &n[2], &n[3], &n[4]);
    if (file->line == 2 && count >= 1)
      out->depth_m = n[0], out->has_depth = 1;
    if ((file->line == 3 || file->line == 4) && count == 5) {
      out->depth_m = n[0], out->has_depth = 1;
      memcpy(out->body_m, n + 1, sizeof out->body_m);
      out->has_body = 1;
    }
    if (is_after_geometry && count >= 4) {
      memcpy(out->body_m, n, sizeof out->body_m);
      out->has_body = 1;
    }
    is_after_geometry = is_geometry(line);
  }
}

enum status wamit_read_pot(const char *path, struct hydro_raw *raw, struct hydro_report *report,
                           struct reason *why) {
  struct text_file file;
  struct found found = {.has_body = 0};
  enum status status = text_file_open(&file, path, why);
  if (status == STATUS_OK) {
    find(&file, &found);
    if (found.has_body && found.body_m[3] != 0)
      status = fail(why, STATUS_BAD_INPUT,
                    "%.100s:%d: a body that is not turned expected (XBODY(4) = 0), got %g deg", path,
                    file.line, found.body_m[3]);
  }
  if (status == STATUS_OK && file.is_unended && !found.has_body)
    status = fail(why, STATUS_BAD_INPUT,
                  "%.100s:%d: XBODY expected, got the end of the file and no end of the line: was it cut?",
                  path, file.line);
  if (status == STATUS_OK && (!found.has_depth || !found.has_body))
    report_line(report, "warning: %s: depth and XBODY not found: deep water, and phases at the body's origin",
                path);
  else if (status == STATUS_OK) {
    raw->depth_m = found.depth_m > 0 ? found.depth_m : 0;
    raw->wave_point_m[0] = found.body_m[0];
    raw->wave_point_m[1] = -found.body_m[1];
    report_line(report,
                "%s: %s, body origin %g m forward and %g m to starboard of the point to which phases refer",
                path, raw->depth_m > 0 ? "finite depth" : "deep water", raw->wave_point_m[0] + 0.0,
                raw->wave_point_m[1] + 0.0);
  }
  text_file_close(&file, report);
  return status;
}
