// One loading of a configuration or of a DP file: from files and overrides to a checked tree.
#pragma once

#include "io/config/config_files.h"
#include "io/yaml/schema.h"

#include <stdint.h>

enum { LARGEST_CONFIG = 1 << 20 }; // bytes

struct config;

struct loading {
  int from_memory; // the text is there already
  int is_beside;   // a configuration names the file
  int is_dp;       // a DP file is expected; otherwise a configuration
  const char *path;
  const char *const *overrides;       // "key.path=value"
  const char *const *override_places; // where each override stands in a file; NULL: on the command line
  int override_count;
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

// Prints the errors and releases everything. STATUS_BAD_INPUT if there was any error.
enum status loading_finish(struct loading *l, FILE *errors);

// Position at the start of the main file.
struct position loading_start(const struct loading *l);

// Continues a 64-bit FNV-1a hash with path and text of each of the files; without any it stays as it is.
uint64_t hash_files(uint64_t hash, const struct config_files *files);
// Hash of the main file's text, the overrides and the files beside it; model_only: without the overrides on
// which no step depends.
uint64_t loading_hash(const struct loading *l, int model_only);

// What a configuration refers to outside its text: the DP file, sockets of this machine, a bathymetry. Reads
// or checks each of them and writes paths and grid to c, a copy of the draft's definition. Adds errors. A
// text from memory refers to nothing but the files of its record.
void config_take_references(struct loading *l, struct config *c);
