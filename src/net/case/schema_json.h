// The schema of a file as a JSON Schema, for editors.
#pragma once

#include "sagbend/yaml/yaml.h"

#include <stdio.h>

// Writes the JSON Schema. STATUS_NO_MEMORY, also of a schema for which schema_add had none: nothing is
// written.
enum status schema_write_json(const struct schema *schema, FILE *out, struct reason *why);
