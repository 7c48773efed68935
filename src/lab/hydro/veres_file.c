#include "lab/hydro/veres_file.h"

#include <math.h>

enum { TITLES = 6 };

double veres_heading(double degrees) {
  return (180 - degrees) * (3.14159265358979323846 / 180);
}

static enum status read_counts(struct text_file *file, int counts, struct veres_head *head,
                               struct reason *why) {
  static const char what[] = "numbers of speeds, headings, frequencies and degrees of freedom";
  double row[6];
  int count;
  enum status status = text_file_need(file, what, why);
  if (status == STATUS_OK)
    status = text_file_numbers(file, 2, 4, row, &count, what, why);
  if (status == STATUS_OK && count == 2) { // version 2 of .re7: -1 and the version
    if (row[0] != -1 || row[1] != 2)
      return text_file_fail(file, why, "version 1 or 2");
    head->version = 2;
    status = text_file_row(file, counts, row, what, why);
    count = counts;
  }
  if (status != STATUS_OK)
    return status;
  if (count != counts)
    return text_file_fail(file, why, "%d counts", counts);
  if (!text_is_whole(row[0], 1, 100) || !text_is_whole(row[1], 1, MAX_HYDRO_HEADINGS) ||
      !text_is_whole(row[2], 1, MAX_RAW_FREQUENCIES) || (counts == 4 && row[3] != 6))
    return text_file_fail(file, why, "speeds, 1 to %d headings, 1 to %d frequencies%s", MAX_HYDRO_HEADINGS,
                          MAX_RAW_FREQUENCIES, counts == 4 ? ", 6 degrees of freedom" : "");
  if (row[0] != 1)
    return text_file_fail(file, why, "one speed, which is zero,");
  head->headings = (int)row[1];
  head->frequencies = (int)row[2];
  return STATUS_OK;
}

enum status veres_read_head(struct text_file *file, int has_gravity_centre, int counts,
                            struct veres_head *head, struct reason *why) {
  double row[3];
  enum status status = STATUS_OK;
  *head = (struct veres_head){.version = 1};
  for (int i = 0; i < TITLES && status == STATUS_OK; i++)
    status = text_file_need(file, "a title", why);
  if (status == STATUS_OK)
    status = text_file_row(file, 2, row, "density of the water and gravity", why);
  if (status != STATUS_OK)
    return status;
  if (!(row[0] > 500 && row[0] < 2000 && row[1] > 5 && row[1] < 15))
    return text_file_fail(file, why, "density of the water in kg/m3 and gravity in m/s2");
  head->water_density_kgpm3 = row[0];
  head->gravity_mps2 = row[1];
  status = text_file_row(file, 3, row, "length, breadth and draught", why);
  if (status != STATUS_OK)
    return status;
  if (!(row[0] > 0 && row[1] > 0 && row[2] > 0))
    return text_file_fail(file, why, "length, breadth and draught above 0");
  head->length_m = row[0];
  head->breadth_m = row[1];
  head->draught_m = row[2];
  if (has_gravity_centre)
    status = text_file_row(file, 2, row, "longitudinal and vertical centre of gravity", why);
  return status == STATUS_OK ? read_counts(file, counts, head, why) : status;
}

enum status veres_check_speed(const struct text_file *file, double speed_mps, struct reason *why) {
  return speed_mps == 0 ? STATUS_OK : text_file_fail(file, why, "the speed 0");
}

enum status veres_read_heading(struct text_file *file, double *heading_rad, struct reason *why) {
  double degrees;
  enum status status = text_file_row(file, 1, &degrees, "a heading in degrees", why);
  if (status != STATUS_OK)
    return status;
  if (!(fabs(degrees) <= 360))
    return text_file_fail(file, why, "a heading in degrees");
  *heading_rad = veres_heading(degrees);
  return STATUS_OK;
}
