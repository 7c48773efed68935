// Hashes of a configuration: of all that was read, and of what the steps depend on.
#include "sagbend/case/config_loading.h"

#include "sagbend/base/fnv.h"

#include <string.h>

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
