// Where the names of the curves stand in a plot: at the ends of the lines, right of the frame; else beside
// the curves, clear of all of them and of each other; else beside a short line that leads to the curve; else
// right of the frame, further from the ends, to which lines lead.
//
// The frame is a grid of cells. For each curve a cell knows how far the curve is from it, so that the least
// over the cells of a name is the clearance of that name.
#include "verification/report/report_internal.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Lengths are in pixels of the SVG.
#define CELL           4.0
#define LETTER         7.8 // of the widest font that a reader may have for sans-serif
#define NAME_HEIGHT    16.0
#define MOST_SHIFT     34.0  // of a name from the end of its line, right of the frame
#define MOST_LED_SHIFT 110.0 // the same, with a line between them
#define LED_GAP        24.0  // between the frame and the names, for these lines
#define LEAST_END      0.97  // of the frame: where a line ends that has its name at its end
#define LEAST_LED_END  0.9   // the same, with a line between them
#define LEAST_GAP      5.0   // between a name and any curve
#define NEAR_GAP       12.0  // beyond it a line leads from the name to the curve
#define CLEARER        1.6   // another curve is further from a name than its own by this
#define BETWEEN_NAMES  7.0   // names
#define LONGEST_LINE   110.0 // that leads to a curve
#define LEAST_CLEAR    6.0   // of another curve from the end of such a line
#define LEAST_CROSSING 3.0   // of another curve from such a line
#define ANCHORS        160   // places of a curve to which such a line may lead
#define FAR            1e4F  // further than any cell
enum { COLUMNS = 160, ROWS = 100, CELLS = COLUMNS * ROWS };

struct grid {
  int columns, rows;
  float from[VERIFY_SERIES][CELLS]; // the distance of the curve
  float other[CELLS];               // of the nearest other curve
  float alike[CELLS]; // of the nearest other one of its kind: points hide points, lines hide lines
  float name[CELLS];  // of the nearest name
  float own_least[CELLS], other_least[CELLS], name_least[CELLS], row_least[CELLS];
};

struct pixel {
  double x, y;
};

static void stretch(struct plot_range *r, double value) {
  if (isfinite(value) && (!r->is_log || value > 0)) {
    r->low = fmin(r->low, value);
    r->high = fmax(r->high, value);
  }
}

static double place_in(const struct plot_range *r, double value) {
  return r->is_log ? log(value / r->low) / log(r->high / r->low) : (value - r->low) / (r->high - r->low);
}

static void widen(struct plot_range *r, double part) {
  const double step = r->is_log ? pow(r->high / r->low, part) : part * (r->high - r->low);
  r->low = r->is_log ? r->low / step : r->low - step;
  r->high = r->is_log ? r->high * step : r->high + step;
}

static int find_ranges(const struct verify_plot *p, struct curve_names *n) {
  n->x = n->y = (struct plot_range){HUGE_VAL, -HUGE_VAL, p->log_axes};
  for (int s = 0; s < p->series_count; s++)
    for (int i = 0; i < p->series[s].count; i++)
      if (isfinite(p->series[s].y[i])) {
        stretch(&n->x, p->series[s].x[i]);
        stretch(&n->y, p->series[s].y[i]);
      }
  if (!(n->x.low < n->x.high) || !(n->y.low < n->y.high))
    return 0;
  widen(&n->y, 0.06);
  return 1;
}

int curve_leader(const struct verify_plot *p, int series) {
  for (int s = 0; s < series; s++)
    if (!strcmp(p->series[s].label, p->series[series].label))
      return s;
  return series;
}

static int is_shown(const struct verify_plot *p, const struct verify_series *s, int i) {
  return isfinite(s->x[i]) && isfinite(s->y[i]) && (!p->log_axes || (s->x[i] > 0 && s->y[i] > 0));
}

static double width_of(const char *label) {
  return LETTER * (double)strlen(label) + 2;
}

// ------------------------------------------------------------
// At the ends of the lines

static struct curve_name name_at_end(double height, struct pixel end, int is_led) {
  static const double margin = 0.012, gap = LED_GAP / PLOT_WIDTH;
  return (struct curve_name){.x = 1 + margin + (is_led ? gap : 0),
                             .y = height,
                             .end = -1,
                             .is_led = is_led,
                             .from_x = 1 + 0.6 * margin + gap,
                             .from_y = height,
                             .to_x = end.x + 0.3 * margin,
                             .to_y = end.y};
}

// Moves the heights, which stand in their order, so far apart as names need, as little as that allows:
// what is too close shares the mean of its shifts (pooling of adjacent violators, Ayer et al. 1955).
static void spread_heights(const int *order, int count, double step, double *height) {
  double mean[VERIFY_SERIES] = {0};
  int size[VERIFY_SERIES] = {0}, groups = 0;
  for (int k = 0; k < count; k++) {
    mean[groups] = height[order[k]] - k * step, size[groups++] = 1;
    for (; groups > 1 && mean[groups - 2] > mean[groups - 1]; groups--) {
      const int both = size[groups - 2] + size[groups - 1];
      mean[groups - 2] = (mean[groups - 2] * size[groups - 2] + mean[groups - 1] * size[groups - 1]) / both;
      size[groups - 2] = both;
    }
  }
  for (int g = 0, k = 0; g < groups; g++) // none above or below the frame
    for (int i = 0; i < size[g]; i++, k++)
      height[order[k]] = fmax(0, fmin(mean[g], 1 - (count - 1) * step)) + k * step;
}

// With is_led lines lead from the names to the ends.
static int place_at_ends(const struct verify_plot *p, struct curve_names *n, int is_led) {
  int order[VERIFY_SERIES] = {0}, count = 0;
  double height[VERIFY_SERIES], longest = 0;
  struct pixel end[VERIFY_SERIES]; // in parts of the frame
  for (int s = 0; s < p->series_count; s++) {
    const struct verify_series *series = &p->series[s];
    if (curve_leader(p, s) != s)
      continue;
    int last = series->count - 1, at = count++;
    while (last >= 0 && !is_shown(p, series, last))
      last--;
    if (last < 0 || place_in(&n->x, series->x[last]) < (is_led ? LEAST_LED_END : LEAST_END))
      return 0;
    longest = fmax(longest, width_of(series->label));
    end[s] = (struct pixel){place_in(&n->x, series->x[last]), place_in(&n->y, series->y[last])};
    end[s].y = height[s] = p->flip_y ? 1 - end[s].y : end[s].y;
    for (; at > 0 && height[order[at - 1]] > height[s]; at--)
      order[at] = order[at - 1];
    order[at] = s;
  }
  const double step = NAME_HEIGHT / (PLOT_HEIGHT * (PLOT_TOP - PLOT_BOTTOM));
  spread_heights(order, count, step, height);
  n->right = 1 - (longest + 12 + (is_led ? LED_GAP : 0)) / PLOT_WIDTH;
  for (int k = 0; k < count; k++) {
    const int s = order[k];
    if (fabs(height[s] - end[s].y) > (is_led ? MOST_LED_SHIFT : MOST_SHIFT) / NAME_HEIGHT * step)
      return 0;
    n->at[s] = name_at_end(height[s], end[s], is_led);
  }
  return n->right > 0.62;
}

// ------------------------------------------------------------
// Beside the curves

static struct pixel pixel_of(const struct verify_plot *p, const struct curve_names *n, double x, double y) {
  const double high = place_in(&n->y, y);
  return (struct pixel){place_in(&n->x, x) * PLOT_WIDTH * (n->right - PLOT_LEFT),
                        (p->flip_y ? 1 - high : high) * PLOT_HEIGHT * (PLOT_TOP - PLOT_BOTTOM)};
}

static void mark(struct grid *g, float *from, struct pixel at, float distance) {
  const int c = (int)floor(at.x / CELL), r = (int)floor(at.y / CELL);
  if (c >= 0 && c < g->columns && r >= 0 && r < g->rows)
    from[r * COLUMNS + c] = fminf(from[r * COLUMNS + c], distance);
}

// The distance from the marked cells in two passes over the grid (Borgefors 1986, chamfer 3-4, within 8 %).
static void spread(const struct grid *g, float *from) {
  static const float near = (float)CELL * 0.96F, aside = (float)CELL * 1.36F;
  for (int pass = 0; pass < 2; pass++) {
    const int d = pass ? -1 : 1;
    for (int k = 0; k < g->rows; k++)
      for (int m = 0; m < g->columns; m++) {
        const int r = pass ? g->rows - 1 - k : k, c = pass ? g->columns - 1 - m : m;
        float *here = &from[r * COLUMNS + c];
        const int before = c - d >= 0 && c - d < g->columns, after = c + d >= 0 && c + d < g->columns;
        if (before)
          *here = fminf(*here, from[r * COLUMNS + c - d] + near);
        if (r - d < 0 || r - d >= g->rows)
          continue;
        const float *last = &from[(r - d) * COLUMNS];
        *here = fminf(*here, last[c] + near);
        if (before)
          *here = fminf(*here, last[c - d] + aside);
        if (after)
          *here = fminf(*here, last[c + d] + aside);
      }
  }
}

static void clear(float *from) {
  for (int i = 0; i < CELLS; i++)
    from[i] = FAR;
}

static void draw_curve(struct grid *g, const struct verify_plot *p, const struct curve_names *n, int s) {
  const struct verify_series *series = &p->series[s];
  const int lead = curve_leader(p, s);
  struct pixel last = {0};
  int has_last = 0;
  for (int i = 0; i < series->count; i++) {
    if (!is_shown(p, series, i)) {
      has_last = 0;
      continue;
    }
    const struct pixel at = pixel_of(p, n, series->x[i], series->y[i]);
    if (has_last && series->style != VERIFY_POINTS) {
      const int steps = 1 + (int)(hypot(at.x - last.x, at.y - last.y) / (0.5 * CELL));
      for (int k = 0; k <= steps; k++)
        mark(g, g->from[lead],
             (struct pixel){last.x + (at.x - last.x) * k / steps, last.y + (at.y - last.y) * k / steps}, 0);
    }
    for (int k = -1; k <= 1 && series->style == VERIFY_POINTS; k++) { // a circle of 4 pixels around it
      mark(g, g->from[lead], (struct pixel){at.x + k * CELL, at.y}, 0);
      mark(g, g->from[lead], (struct pixel){at.x, at.y + k * CELL}, 0);
    }
    last = at, has_last = 1;
  }
}

// The least value over the cells of a name whose lower left corner is a cell.
static void least_over(struct grid *g, const float *from, int wide, int high, float *least) {
  for (int r = 0; r < g->rows; r++)
    for (int c = 0; c + wide <= g->columns; c++) {
      float value = FAR;
      for (int k = 0; k < wide; k++)
        value = fminf(value, from[r * COLUMNS + c + k]);
      g->row_least[r * COLUMNS + c] = value;
    }
  for (int r = 0; r + high <= g->rows; r++)
    for (int c = 0; c + wide <= g->columns; c++) {
      float value = FAR;
      for (int k = 0; k < high; k++)
        value = fminf(value, g->row_least[(r + k) * COLUMNS + c]);
      least[r * COLUMNS + c] = value;
    }
}

static void prepare(struct grid *g, const struct verify_plot *p, int s, int wide, int high) {
  const int is_points = p->series[s].style == VERIFY_POINTS;
  clear(g->other);
  clear(g->alike);
  for (int o = 0; o < p->series_count; o++) {
    if (o == s || curve_leader(p, o) != o)
      continue;
    const int is_alike = (p->series[o].style == VERIFY_POINTS) == is_points;
    for (int i = 0; i < CELLS; i++) {
      g->other[i] = fminf(g->other[i], g->from[o][i]);
      if (is_alike)
        g->alike[i] = fminf(g->alike[i], g->from[o][i]);
    }
  }
  least_over(g, g->from[s], wide, high, g->own_least);
  least_over(g, g->other, wide, high, g->other_least);
  least_over(g, g->name, wide, high, g->name_least);
}

static int is_beside(const struct grid *g, int i) {
  return g->own_least[i] >= (float)LEAST_GAP && g->own_least[i] <= (float)NEAR_GAP &&
         g->other_least[i] >= (float)(CLEARER * NEAR_GAP) && g->name_least[i] >= (float)BETWEEN_NAMES;
}

// Returns the cell of the best place beside the curve, -1: there is none; *places: how many there are.
static int find_beside(const struct grid *g, int wide, int high, int *places) {
  int best = -1;
  double most = -DBL_MAX;
  *places = 0;
  for (int r = 1; r + high < g->rows; r++)
    for (int c = 1; c + wide < g->columns; c++) {
      const int i = r * COLUMNS + c;
      if (!is_beside(g, i))
        continue;
      const double worth =
          fmin((double)g->other_least[i], 40) - 2 * (double)g->own_least[i] + 12.0 * c / g->columns;
      ++*places;
      if (worth > most)
        most = worth, best = i;
    }
  return best;
}

static float value_at(const struct grid *g, const float *from, struct pixel at) {
  const int c = (int)floor(at.x / CELL), r = (int)floor(at.y / CELL);
  return c >= 0 && c < g->columns && r >= 0 && r < g->rows ? from[r * COLUMNS + c] : FAR;
}

static int is_free_line(const struct grid *g, struct pixel from, struct pixel to) {
  const double length = hypot(to.x - from.x, to.y - from.y);
  for (double way = 0; way < length - 2 * LEAST_CLEAR; way += 2) {
    const struct pixel at = {from.x + (to.x - from.x) * way / length,
                             from.y + (to.y - from.y) * way / length};
    if (value_at(g, g->other, at) < (float)LEAST_CROSSING || value_at(g, g->name, at) < 2)
      return 0;
  }
  return 1;
}

// The places of a curve that no other one of its kind hides.
static int find_anchors(const struct grid *g, const struct verify_plot *p, const struct curve_names *n,
                        const struct verify_series *series, struct pixel anchor[ANCHORS]) {
  int count = 0;
  const int stride = 1 + series->count / (ANCHORS / 2);
  const int between = series->style != VERIFY_POINTS && series->count > 1
                          ? 1 + ANCHORS / 2 / series->count // of a line also places between its points
                          : 1;
  struct pixel last = {0};
  for (int i = 0, has_last = 0; i < series->count; i += stride) {
    if (!is_shown(p, series, i)) {
      has_last = 0;
      continue;
    }
    const struct pixel at = pixel_of(p, n, series->x[i], series->y[i]);
    for (int k = has_last ? 1 : between; k <= between && count < ANCHORS; k++) {
      const double part = (double)k / between;
      const struct pixel place = {last.x + (at.x - last.x) * part, last.y + (at.y - last.y) * part};
      if (value_at(g, g->alike, place) >= (float)LEAST_CLEAR)
        anchor[count++] = place;
    }
    last = at, has_last = 1;
  }
  return count;
}

static int find_led(const struct grid *g, const struct verify_plot *p, const struct curve_names *n,
                    const struct verify_series *series, int wide, int high, struct pixel line[2]) {
  struct pixel anchor[ANCHORS];
  const int count = find_anchors(g, p, n, series, anchor);
  double shortest = LONGEST_LINE;
  int best = -1;
  for (int r = 1; r + high < g->rows; r++)
    for (int c = 1; c + wide < g->columns; c += 2) {
      const int i = r * COLUMNS + c;
      if (g->own_least[i] < (float)LEAST_GAP || (double)g->own_least[i] > shortest ||
          g->other_least[i] < (float)LEAST_GAP || g->name_least[i] < (float)BETWEEN_NAMES)
        continue;
      for (int k = 0; k < count; k++) {
        const struct pixel from = {fmin(fmax(anchor[k].x, CELL * c), CELL * (c + wide)),
                                   fmin(fmax(anchor[k].y, CELL * r), CELL * (r + high))};
        const double length = hypot(anchor[k].x - from.x, anchor[k].y - from.y);
        if (length >= shortest || !is_free_line(g, from, anchor[k]))
          continue;
        shortest = length, best = i;
        line[0] = from, line[1] = anchor[k];
      }
    }
  return best;
}

// Which end of a name is next to its curve: -1 the left, 1 the right, 0 the middle.
static int near_end(const struct grid *g, int s, int cell, int wide, int high) {
  float least = FAR;
  int at = 0;
  for (int c = 0; c < wide; c++)
    for (int r = 0; r < high; r++)
      if (g->from[s][cell + r * COLUMNS + c] < least)
        least = g->from[s][cell + r * COLUMNS + c], at = c;
  return 3 * at < wide ? -1 : 3 * at < 2 * wide ? 0 : 1;
}

static void cover(struct grid *g, int cell, int wide, int high) {
  for (int r = 0; r < high; r++)
    for (int c = 0; c < wide; c++)
      g->name[cell + r * COLUMNS + c] = 0;
  spread(g, g->name);
}

static int place_one(struct grid *g, const struct verify_plot *p, struct curve_names *n, int s) {
  const int wide = (int)ceil(width_of(p->series[s].label) / CELL), high = (int)(NAME_HEIGHT / CELL);
  struct pixel line[2] = {{0, 0}, {0, 0}};
  int places, is_led = 0;
  prepare(g, p, s, wide, high);
  int cell = find_beside(g, wide, high, &places);
  if (cell < 0) {
    cell = find_led(g, p, n, &p->series[s], wide, high, line);
    is_led = 1;
  }
  if (cell < 0)
    return 0;
  cover(g, cell, wide, high);
  const double width = PLOT_WIDTH * (n->right - PLOT_LEFT), height = PLOT_HEIGHT * (PLOT_TOP - PLOT_BOTTOM);
  const int row = cell / COLUMNS;
  struct curve_name *name = &n->at[s];
  *name = (struct curve_name){.y = CELL * (row + 0.5 * high) / height, .is_led = is_led};
  name->end = near_end(g, s, cell, wide, high);
  if (is_led) {
    const double part = (line[0].x / CELL - cell % COLUMNS) / wide;
    name->end = part < 0.35 ? -1 : part < 0.65 ? 0 : 1;
    name->from_x = line[0].x / width, name->from_y = line[0].y / height;
    name->to_x = line[1].x / width, name->to_y = line[1].y / height;
  }
  name->x = CELL * (cell % COLUMNS + 0.5 * (1 + name->end) * wide) / width;
  return 1;
}

// The curve that has the fewest places is placed first.
static int place_inside(struct grid *g, const struct verify_plot *p, struct curve_names *n) {
  int order[VERIFY_SERIES] = {0}, places[VERIFY_SERIES] = {0}, count = 0;
  n->right = PLOT_RIGHT;
  g->columns = (int)(PLOT_WIDTH * (n->right - PLOT_LEFT) / CELL);
  g->rows = (int)(PLOT_HEIGHT * (PLOT_TOP - PLOT_BOTTOM) / CELL);
  for (int s = 0; s < p->series_count; s++)
    clear(g->from[s]);
  clear(g->name);
  for (int s = 0; s < p->series_count; s++)
    draw_curve(g, p, n, s);
  for (int s = 0; s < p->series_count; s++)
    spread(g, g->from[s]);
  for (int s = 0; s < p->series_count; s++) {
    if (curve_leader(p, s) != s)
      continue;
    const int wide = (int)ceil(width_of(p->series[s].label) / CELL), high = (int)(NAME_HEIGHT / CELL);
    if (wide + 2 > g->columns)
      return 0;
    prepare(g, p, s, wide, high);
    (void)find_beside(g, wide, high, &places[s]);
    int at = count++;
    for (; at > 0 && places[order[at - 1]] > places[s]; at--)
      order[at] = order[at - 1];
    order[at] = s;
  }
  for (int k = 0; k < count; k++)
    if (!place_one(g, p, n, order[k]))
      return 0;
  return 1;
}

int curve_names_place(const struct verify_plot *p, struct curve_names *n) {
  *n = (struct curve_names){.right = PLOT_RIGHT};
  if (!find_ranges(p, n))
    return 0;
  if (place_at_ends(p, n, 0))
    return 1;
  const struct plot_range x = n->x;
  widen(&n->x, 0.03);
  struct grid *g = malloc(sizeof *g);
  const int placed = g && place_inside(g, p, n);
  free(g);
  if (placed)
    return 1;
  n->x = x;
  return place_at_ends(p, n, 1);
}
