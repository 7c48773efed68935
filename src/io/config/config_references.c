#include "io/config/config_references.h"
#include "io/config/bathymetry.h"
#include "io/files/regular_file.h"
#include "io/net/endpoint.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

// The DP file's path is relative to the folder of the file that contains it; in an override, to the folder of
// the configuration.
static void take_dp_file(struct loading *l, struct config *c) {
  const struct node *n = tree_find(l->tree.root, "controller.dp_file");
  if (!n || n->bad || !c->dp_file[0] || l->from_memory)
    return;

  char given[sizeof c->dp_file];
  struct regular_file file = {.descriptor = -1};
  struct reason why = {""};
  strcpy(given, c->dp_file);
  const char *path = n->at.source->path ? n->at.source->name : l->path;
  const char *slash = strrchr(path, '/');
  int folder = slash && given[0] != '/' ? (int)(slash - path) + 1 : 0;

  if (folder + strlen(given) >= sizeof c->dp_file) {
    error_add(&l->errors, n->at, "controller.dp_file: a path of at most %d bytes expected, got %zu",
              (int)sizeof c->dp_file - 1, folder + strlen(given));
    return;
  }
  snprintf(c->dp_file, sizeof c->dp_file, "%.*s%s", folder, path, given);
  if (regular_file_open(c->dp_file, LARGEST_CONFIG, &file, &why) != STATUS_OK)
    error_add(&l->errors, n->at, "controller.dp_file: a readable file expected, got %s: %s",
              quote(c->dp_file).text, why.text);
  else
    close(file.descriptor);
}

// An interface that does not exist, or a file in the place of a socket, is an error before anything is
// computed.
static void check_endpoint(struct loading *l, const char *key, const char *endpoint) {
  struct reason why;
  const struct node *n = tree_find(l->tree.root, key);

  if (n && !n->bad && !l->from_memory && endpoint_check(endpoint, ENDPOINT_LISTEN, &why) == STATUS_OK &&
      endpoint_check_here(endpoint, &why) != STATUS_OK)
    error_add(&l->errors, n->at, "%s: %s", key, why.text);
}

static void check_depth(struct loading *l, const struct config *c) {
  const struct bathymetry_def *grid = &c->sim.env.bathymetry;
  const struct node *depth = tree_find(l->tree.root, "environment.depth_m");
  double least = INFINITY, most = -INFINITY;

  for (size_t k = 0; k < (size_t)grid->north_nodes * (size_t)grid->east_nodes; k++) {
    least = fmin(least, grid->z_m[k]);
    most = fmax(most, grid->z_m[k]);
  }
  if (depth && !depth->bad && !(c->sim.env.depth_m >= least && c->sim.env.depth_m <= most))
    error_add(&l->errors, depth->at,
              "environment.depth_m: a depth within the bathymetry's, from %g to %g m, expected, got %s",
              least, most, node_found(depth).text);
}

static void take_bathymetry(struct loading *l, struct config *c) {
  const struct node *n = tree_find(l->tree.root, "environment.bathymetry_file");
  if (!n || n->bad || !c->bathymetry_file[0])
    return;

  const struct source *source;
  const struct config_file *file =
      config_files_take(&l->beside, n->at, c->bathymetry_file, BATHYMETRY_LARGEST_FILE, &source, &l->errors);
  if (file && bathymetry_read(file->text, file->size, source, c->bathymetry_origin_m, &c->sim.env.bathymetry,
                              &c->bathymetry_z_m, &l->errors))
    check_depth(l, c);
}

void config_take_references(struct loading *l, struct config *c) {
  take_dp_file(l, c);
  check_endpoint(l, "network.command_endpoint", c->net.command_endpoint);
  check_endpoint(l, "network.telemetry_endpoint", c->net.telemetry_endpoint);
  take_bathymetry(l, c);
}
