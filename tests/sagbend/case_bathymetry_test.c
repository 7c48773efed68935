// Bathymetry files.
#include "case_suite.h"
#include "net/case/case.h"

START_TEST(bathymetry_is_read) {
  struct config c, again;
  ck_assert_int_eq(config_load(CONFIGS "jlay-uneven.yaml", NULL, 0, &c, stderr), STATUS_OK);
  const struct bathymetry_def *b = &c.sim.env.bathymetry;
  ck_assert(b->north_nodes == 81 && b->east_nodes == 31 && b->spacing_m == 20 && b->north_m == -200 &&
            b->east_m == -300);
  size_t size;
  char *grid = read_text(CONFIGS "uneven-900m.asc", &size), *last = grid + size - 1;
  ck_assert_double_eq(b->z_m[80 * 31],
                      -strtod(strstr(grid, "-9999") + 5, NULL)); // the first row is the northernmost
  while (last > grid && last[-1] != ' ')
    last--;
  ck_assert_double_eq(b->z_m[30], -strtod(last, NULL));
  ck_assert_int_eq(c.files.count, 2); // with the configuration that it extends
  ck_assert_str_eq(c.files.file[1].path, "uneven-900m.asc");
  ck_assert_int_eq(config_load_text("record", c.text, c.file_text_size, &c.files, NULL, 0, &again, stderr),
                   STATUS_OK);
  ck_assert(again.hash == c.hash && again.model_hash == c.model_hash);
  ck_assert_mem_eq(again.sim.env.bathymetry.z_m, b->z_m, 81 * 31 * sizeof(double));
  config_free(&again);
  strstr(c.files.file[1].text, "-917.17")[6] = '8'; // another seabed, another model
  ck_assert_int_eq(config_load_text("record", c.text, c.file_text_size, &c.files, NULL, 0, &again, stderr),
                   STATUS_OK);
  ck_assert(again.hash != c.hash && again.model_hash != c.model_hash);
  config_free(&again);
  config_free(&c);
  free(grid);
}
END_TEST

#define HEAD "ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 500\n"
static const struct {
  const char *grid, *expected;
} grids[] = {
    {HEAD "NODATA_value -9999\n-899 -900 -901\n-899 -900 -901\n", ""},
    {"NCOLS 3\nNROWS 2\r\nXLLCENTER 0\nYLLCENTER 0\nCELLSIZE 500\n\n -899 -900\t-901 \r\n\n-899 -9.00e2 -901",
     ""},
    {HEAD "-899 -900 -9O1\n-899 nan -901\n", "grid.asc:6:11: error: a number expected, got "
                                             "'-9O1'\ngrid.asc:7:6: error: a number expected, got 'nan'\n"},
    // Without data at a corner, as other programs write it; the number of the format where the header has
    // none.
    {HEAD "NODATA_value -9999\n-899 -900 -9999.0\n-899 -900 -901\n", ""},
    {HEAD "-899 -900 -9999\n-899 -900 -901\n", ""},
    {HEAD "NODATA_value nan\nnan -900 -NaN\n-899 -900 -901\n", ""},
    {"\xEF\xBB\xBF" HEAD "-899 -900 -901\n-899 -900 -901\n", ""},
    {HEAD "nodata_value -3.4028234663852886e+38\n-899 -900 -3.402823e+38\n-899 -900 -901\n", ""},
    {HEAD "NODATA_value -9999\n-9999 -9999 -9999\n-9999 -9999 -9999\n",
     "grid.asc:1:1: error: elevations expected, got NODATA_value only\n"},
    // Rows that are not lines: all in one, one in each, three lines of two, rows broken over lines.
    {HEAD "-899 -900 -901 -899 -900 -901\n", ""},
    {HEAD "-899\n-900\n-901\n-899\n-900\n-901\n", ""},
    {HEAD "-899 -900\n-901 -899\n-900 -901\n", ""},
    {HEAD "-899 -900\n-901\n-899\n-900 -901\n", ""},
    {HEAD "-899 -900 -901 -899\n-900\n", "grid.asc:6:1: error: a row of 3 elevations expected, got 4\n"
                                         "grid.asc:7:1: error: a row of 3 elevations expected, got 1\n"},
    // Cells as GDAL writes them, and those that are no squares of metres.
    {"ncols 3\nnrows 2\nxllcorner 0\nyllcenter 0\ndx 500.0\ndy 5e2\n-899 -900 -901\n-899 -900 -901\n", ""},
    {"ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ndx 500\ndy 250\n-899 -900 -901\n-899 -900 -901\n",
     "grid.asc:6:1: error: dy: square cells expected, got dx 500 and dy 250; resample the grid, as with "
     "gdalwarp "
     "-tr\n"},
    {"ncols 3\nnrows 2\nxllcorner 5.2\nyllcorner 60.6\ncellsize 0.00417\n-899 -900 -901\n-899 -900 -901\n",
     "grid.asc:5:1: error: cellsize: metres expected, got 0.00417 at 5.2, 60.6, which are degrees; project "
     "the "
     "grid, as with gdalwarp -t_srs\n"},
    {HEAD "-899 -900\n-899 -900 -901 -902\n", "grid.asc:6:1: error: a row of 3 elevations expected, got 2\n"
                                              "grid.asc:7:1: error: a row of 3 elevations expected, got 4\n"},
    {HEAD "-899 -900 -901\n", "grid.asc:7:1: error: 2 rows of elevations expected, got 1\n"},
    {HEAD "-899 -900 -901\n-899 -900 -901\n-899 -900 -901\n",
     "grid.asc:8:1: error: the end of the file behind 2 rows expected, got '-899'\n"},
    {HEAD "899 900 901\n899 900 901\n", "base: error: environment.depth_m: a depth within the bathymetry's, "
                                        "from -901 to -899 m, expected, got '900'\n"},
    {"ncols 3.5\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 0\n",
     "grid.asc:1:7: error: ncols: a whole number from 2 to 100000 expected, got '3.5'\n"
     "grid.asc:2:7: error: nrows: a whole number from 2 to 100000 expected, got '1'\n"
     "grid.asc:5:10: error: cellsize: a number from 0.001 to 1e6 expected, got '0'\n"},
    {"ncols 3\nnrows 2\nxllcorner 0\nxllcenter 0\ndx 5\nncols 3 4\nbits 8\n",
     "grid.asc:1:1: error: cellsize: a number expected, got nothing\n"
     "grid.asc:1:1: error: exactly one of xllcorner and xllcenter expected, got both\n"
     "grid.asc:1:1: error: exactly one of yllcorner and yllcenter expected, got neither\n"
     "grid.asc:6:1: error: ncols: duplicate key\n"
     "grid.asc:7:1: error: ncols, nrows, xllcorner, xllcenter, yllcorner, yllcenter, cellsize, dx, dy or "
     "NODATA_value of an ESRI ASCII grid expected, got 'bits'\n"},
    {"", "grid.asc:1:1: error: ncols: a number expected, got nothing\ngrid.asc:1:1: error: nrows: a number "
         "expected, got nothing\ngrid.asc:1:1: error: cellsize: a number expected, got nothing\n"
         "grid.asc:1:1: error: exactly one of xllcorner and xllcenter expected, got neither\n"
         "grid.asc:1:1: error: exactly one of yllcorner and yllcenter expected, got neither\n"},
};

START_TEST(bathymetry_errors) {
  static const char top[] =
      "extends: " CONFIGS "jlay-900m.yaml\nname: x\nenvironment:\n  bathymetry_file: grid.asc\n";
  char expected[2000] = "", prefix[200];
  int errors;
  write_file(top, sizeof top - 1);
  write_beside("grid.asc", grids[_i].grid);
  char *got = messages(path, NULL, 0, 0, &errors);
  snprintf(prefix, sizeof prefix, "%s/", folder);
  for (const char *line = grids[_i].expected, *next; *line; line = next) { // the folder before each
    next = strchr(line, '\n') + 1;
    if (strncmp(line, "grid.asc", 8) == 0)
      strcat(expected, prefix);
    strncat(expected, line, (size_t)(next - line));
  }
  if (strncmp(grids[_i].expected, "base: ", 6) == 0) // in the file that is extended
    ck_assert_msg(strstr(got, grids[_i].expected + 6) != NULL, "%s", got);
  else
    ck_assert_str_eq(got, expected);
  free(got);
  remove_beside("grid.asc");
}
END_TEST

// Nodes without data take the level of their neighbours; a pipe that lies there is refused, one beside it is
// not.
START_TEST(bathymetry_without_data) {
  struct config c;
  size_t size;
  char *grid = read_text(CONFIGS "uneven-900m.asc", &size);
  write_file(
      "extends: " CONFIGS "jlay-uneven.yaml\nname: x\nenvironment: {bathymetry_file: grid.asc}\n",
      strlen("extends: " CONFIGS "jlay-uneven.yaml\nname: x\nenvironment: {bathymetry_file: grid.asc}\n"));
  char *first = strstr(grid, "-9999") + 5; // the north-western node
  while (*first == '\n' || *first == ' ')
    first++;
  memcpy(first, "-9999  ", 7);
  write_beside("grid.asc", grid);
  ck_assert_int_eq(config_load(path, NULL, 0, &c, stderr), STATUS_OK);
  const struct bathymetry_def *b = &c.sim.env.bathymetry;
  ck_assert_ptr_nonnull(b->is_missing);
  int missing = 0;
  for (int k = 0; k < 81 * 31; k++)
    missing += b->is_missing[k];
  ck_assert(missing == 1 && b->is_missing[80 * 31] && b->z_m[80 * 31] == b->z_m[79 * 31]);
  config_free(&c);
  remove_beside("grid.asc");
  free(grid);
}
END_TEST

static void add(TCase *tests) {
  tcase_add_test(tests, bathymetry_without_data);
  tcase_add_test(tests, bathymetry_is_read);
  tcase_add_loop_test(tests, bathymetry_errors, 0, (int)(sizeof grids / sizeof *grids));
}

int main(void) {
  return run_config_suite("io_config_bathymetry", add);
}
