// Files beside a configuration, from disk or from a pool; its hashes.
#include "sagbend/case/case.h"
#include "sagbend/case/case_internal.h"

#include "sagbend/base/base.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *refuse(struct position at, struct error_list *errors, const char *path, const char *why) {
  if (!strcmp(path, at.source->name)) // the file itself
    error_add(errors, at, "a readable file expected, got none: %s", why);
  else
    error_add(errors, at, "a readable file expected, got %s: %s", quote(path).text, why);
  return NULL;
}

// Reads the file that the user names, which may be a pipe.
static char *read_main(const char *path, size_t largest, size_t *size, struct position at,
                       struct error_list *errors) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return refuse(at, errors, path, strerror(errno));
  errno = 0;
  char *text = stream_read(file, largest, size);
  int failed = !text || ferror(file), error = errno;
  fclose(file);
  if (!failed && *size <= largest)
    return text;
  free(text);
  if (failed)
    return refuse(at, errors, path, strerror(error));
  error_add(errors, at, "a file of at most %zu bytes expected, got a larger one", largest);
  return NULL;
}

char *config_files_read(const char *path, size_t largest, size_t *size, struct position at,
                        struct source *beside, struct error_list *errors) {
  struct regular_file found;
  struct reason why = {""};
  if (!beside)
    return read_main(path, largest, size, at, errors);
  if (regular_file_open(path, largest, &found, &why) != STATUS_OK)
    return refuse(at, errors, path, why.text);
  beside->withheld = !found.others_may_read;
  FILE *file = fdopen(found.descriptor, "rb");
  if (!file) {
    close(found.descriptor);
    return refuse(at, errors, path, strerror(errno));
  }

  char *text = stream_read(file, largest, size);
  int failed = !text || ferror(file) || *size > largest;
  fclose(file);
  if (!failed)
    return text;
  free(text);
  return refuse(at, errors, path, "it cannot be read");
}

// Length of the folder part of a path with its slash; 0 if it has none.
static int folder_size(const char *path) {
  const char *slash = path ? strrchr(path, '/') : NULL;
  return slash ? (int)(slash - path) + 1 : 0;
}

static char *joined(const char *beside, const char *given) {
  int folder = given[0] == '/' ? 0 : folder_size(beside);
  size_t bytes = (size_t)folder + strlen(given) + 1;
  char *path = malloc(bytes);
  if (path)
    snprintf(path, bytes, "%.*s%s", folder, beside ? beside : "", given);
  return path;
}

// Copies the text of a file that the caller has given. NULL: there is none of that path.
static char *copy_from_pool(const struct file_reader *reader, const char *given, size_t largest,
                            size_t *size) {
  const struct config_pool *pool = reader->pool;
  char *path = joined(reader->pool_path, given), *found = NULL;
  for (int i = 0; path && i < pool->count && !found; i++) {
    const struct config_file *file = &pool->file[i];
    if (strcmp(file->path, path) != 0 || file->size > largest || !(found = malloc(file->size + 1)))
      continue;
    memcpy(found, file->text, file->size);
    found[file->size] = '\0';
    *size = file->size;
  }
  free(path);
  return found;
}

static const struct config_file *add(struct file_reader *reader, struct position at, const char *path,
                                     char *on_disk, size_t largest, struct error_list *errors) {
  if (reader->files.count == MAX_CONFIG_FILES) {
    error_add(errors, at, "at most %d files beside the configuration expected, got another",
              MAX_CONFIG_FILES);
    return NULL;
  }

  struct config_file *file = &reader->files.file[reader->files.count];
  file->text = reader->pool ? copy_from_pool(reader, path, largest, &file->size)
                            : config_files_read(on_disk, largest, &file->size, at,
                                                &reader->sources[reader->files.count], errors);
  if (!file->text && reader->pool)
    refuse(at, errors, path, "it is not among the files that were given, or too large");
  if (!file->text)
    return NULL;
  file->path = strdup(path);
  if (!file->path) {
    free(file->text);
    error_add(errors, at, "out of memory");
    return NULL;
  }

  reader->files.count++;
  return file;
}

const struct config_file *config_files_take(struct file_reader *reader, struct position at, const char *given,
                                            size_t largest, const struct source **source,
                                            struct error_list *errors) {
  char *path = joined(at.source->path, given), *on_disk = path ? joined(reader->main_path, path) : NULL;
  const struct config_file *file = NULL;
  for (int i = 0; on_disk && i < reader->files.count && !file; i++)
    if (!strcmp(reader->files.file[i].path, path))
      file = &reader->files.file[i];
  if (!on_disk)
    error_add(errors, at, "out of memory");
  else if (!file && reader->from_record)
    refuse(at, errors, path, "it is not in the session's record");
  else if (!file)
    file = add(reader, at, path, on_disk, largest, errors);
  if (file) {
    struct source *source_of_file = &reader->sources[file - reader->files.file];
    if (!source_of_file->name) { // kept until the errors are printed
      *source_of_file = (struct source){.name = on_disk,
                                        .path = file->path,
                                        .withheld = source_of_file->withheld,
                                        .order = (int)(file - reader->files.file) - MAX_CONFIG_FILES};
      on_disk = NULL;
    }
    *source = source_of_file;
  }
  free(path);
  free(on_disk);
  return file;
}

char *config_file_on_disk(const char *main_path, const struct config_file *file) {
  return joined(main_path, file->path);
}

enum status config_files_copy(const struct config_files *from, struct config_files *to) {
  to->defaults_behind = from ? from->defaults_behind : 0;
  to->has_former_names = from && from->has_former_names;
  for (int i = 0; from && i < from->count; i++) {
    struct config_file *copy = &to->file[i];
    *copy = (struct config_file){.path = strdup(from->file[i].path),
                                 .text = malloc(from->file[i].size + 1),
                                 .size = from->file[i].size};
    to->count++;
    if (!copy->path || !copy->text)
      return STATUS_NO_MEMORY;
    memcpy(copy->text, from->file[i].text, copy->size);
    copy->text[copy->size] = '\0';
  }
  return STATUS_OK;
}

void config_files_free(struct config_files *files) {
  for (int i = 0; i < files->count; i++) {
    free(files->file[i].path);
    free(files->file[i].text);
  }
  files->count = 0;
}

// ------------------------------------------------------------
// Hashes of a configuration: of all that was read, and of what the steps depend on.

uint64_t hash_files(uint64_t hash, const struct config_files *files) {
  for (int i = 0; i < files->count; i++) { // with the final zeros, so that "ab", "c" differs from "a", "bc"
    hash = fnv1a(hash, files->file[i].path, strlen(files->file[i].path) + 1);
    hash = fnv1a(hash, files->file[i].text, files->file[i].size + 1);
  }
  return hash;
}

uint64_t loading_hash(const struct loading *loading, int model_only) {
  size_t size = loading->text_size;
  while (size && loading->text[size - 1] == '\n') // the record may have added one
    size--;

  uint64_t hash = fnv1a(FNV1A_START, loading->text, size);
  for (int i = 0; i < loading->override_count; i++)
    if (!model_only || !schema_is_outside_model(&loading->schema, loading->overrides[i],
                                                strcspn(loading->overrides[i], "=")))
      hash = fnv1a(hash, loading->overrides[i], strlen(loading->overrides[i]) + 1);
  return hash_files(hash, &loading->beside.files);
}
