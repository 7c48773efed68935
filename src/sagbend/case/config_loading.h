// One loading of a configuration or of a DP file: from files and overrides to a checked tree.
#pragma once

#include "sagbend/case/config_files.h"
#include "sagbend/yaml/yaml.h"

#include <stdint.h>

enum { LARGEST_CONFIG = 1 << 20 }; // bytes

struct config;
struct config_sections;

struct loading {
  int from_memory; // the text is there already
  int is_beside;   // a configuration names the file
  int is_dp;       // a DP file is expected; otherwise a configuration
  const char *path;
  const char *const *overrides;       // "key.path=value"
  const char *const *override_places; // where each override stands in a file; NULL: on the command line
  int override_count;
  const struct config_sections *more; // of the program; NULL: none
  struct schema schema;

  struct tree tree;
  struct source file;
  struct source *override_sources;
  struct error_list errors;
  char *text;
  size_t text_size;
  struct file_reader beside; // files that the text refers to
};

// Files and overrides -> record. The tree remains for the checks between keys. A failure, with errors added,
// means that there is nothing to check; errors in values are no failure.
enum status loading_read(struct loading *l, void *record);

// Passes on the errors and releases everything. STATUS_BAD_INPUT if there was any error.
enum status loading_finish(struct loading *l, const struct error_sink *errors);

// Position at the start of the main file.
struct position loading_start(const struct loading *l);

// Continues a 64-bit FNV-1a hash with path and text of each of the files; without any it stays as it is.
uint64_t hash_files(uint64_t hash, const struct config_files *files);
// Hash of the main file's text, the overrides and the files beside it; model_only: without the overrides on
// which no step depends.
uint64_t loading_hash(const struct loading *l, int model_only);

// What a configuration refers to outside its text: the DP file, a bathymetry, coefficients of a hull, and
// what the sections of the program add. Reads or checks each of them and writes paths and grid to c, a copy
// of the draft's definition. Adds errors. A text from memory refers to nothing but the files of its record.
void config_take_references(struct loading *l, struct config *c);

// Turns the path of a file that is not part of the record into one from the working directory. It is relative
// to the folder of the file that contains it; in an override, to the folder of the configuration. A text from
// memory keeps it. is_read_now: a file that cannot be read is an error.
enum { CONFIG_PATH = 512 };
void config_take_path(struct loading *l, const char *key, int is_read_now, char path[CONFIG_PATH]);
