// The model description of an FMU: what its version, its capabilities and its variables are.
#include "programs/fmu/fmu_program_internal.h"

#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parsing {
  struct fmu_model *model;
  int in_variables, out_of_memory;
};

static const char *attribute(const char **list, const char *name) {
  for (; list[0]; list += 2)
    if (!strcmp(list[0], name))
      return list[1];
  return NULL;
}

static void copy(char *out, size_t size, const char *text) {
  snprintf(out, size, "%s", text ? text : "");
}

static int is_true(const char *text) {
  return text && (!strcmp(text, "true") || !strcmp(text, "1"));
}

static enum value_type type_of(const char *element) {
  if (!strcmp(element, "Real") || !strncmp(element, "Float", 5))
    return VALUE_REAL;
  if (!strcmp(element, "Integer") || !strcmp(element, "Enumeration") || strstr(element, "Int"))
    return VALUE_INTEGER;
  return !strcmp(element, "Boolean") ? VALUE_BOOLEAN : VALUE_OTHER;
}

static void add_variable(struct parsing *r, const char **list) {
  struct fmu_model *m = r->model;
  struct model_value *more = realloc(m->value, (m->value_count + 1) * sizeof *more);
  const char *vr = attribute(list, "valueReference");
  if (!more) {
    r->out_of_memory = 1;
    return;
  }
  m->value = more;
  struct model_value *v = &m->value[m->value_count++];
  *v = (struct model_value){.vr = vr ? (uint32_t)strtoul(vr, NULL, 10) : 0, .type = VALUE_OTHER};
  copy(v->name, sizeof v->name, attribute(list, "name"));
  copy(v->causality, sizeof v->causality, attribute(list, "causality"));
}

static void take_type(struct model_value *v, const char *element, const char **list) {
  v->type = type_of(element);
  copy(v->element, sizeof v->element, element);
  copy(v->unit, sizeof v->unit, attribute(list, "unit"));
}

static void take_root(struct fmu_model *m, const char **list) {
  const char *version = attribute(list, "fmiVersion"), *token = attribute(list, "guid");
  m->version = version ? atoi(version) : 0;
  copy(m->token, sizeof m->token, token ? token : attribute(list, "instantiationToken"));
  copy(m->name, sizeof m->name, attribute(list, "modelName"));
  copy(m->identifier, sizeof m->identifier, attribute(list, "modelIdentifier")); // FMI 1
}

static void take_co_simulation(struct fmu_model *m, const char **list) {
  const char *varies = attribute(list, "canHandleVariableCommunicationStepSize"),
             *fixed = attribute(list, "fixedInternalStepSize"),
             *identifier = attribute(list, "modelIdentifier");
  m->is_co_simulation = 1;
  if (m->version == 1 && !varies)
    return;
  m->has_fixed_step = !is_true(varies);
  if (fixed)
    m->internal_step_s = strtod(fixed, NULL);
  if (identifier)
    copy(m->identifier, sizeof m->identifier, identifier);
}

static void on_start(void *context, const char *element, const char **list) {
  struct parsing *r = context;
  struct fmu_model *m = r->model;
  if (!strcmp(element, "fmiModelDescription"))
    take_root(m, list);
  else if (!strcmp(element, "CoSimulation") || !strncmp(element, "CoSimulation_", 13) ||
           (m->version == 1 && !strcmp(element, "Capabilities")))
    take_co_simulation(m, list);
  else if (!strcmp(element, "DefaultExperiment") && attribute(list, "stepSize"))
    m->step_s = strtod(attribute(list, "stepSize"), NULL);
  else if (!strcmp(element, "ModelVariables"))
    r->in_variables = 1;
  else if (r->in_variables && !strcmp(element, "ScalarVariable"))
    add_variable(r, list);
  else if (r->in_variables && m->version == 3 && attribute(list, "valueReference")) {
    add_variable(r, list);
    if (!r->out_of_memory)
      take_type(&m->value[m->value_count - 1], element, list);
  } else if (r->in_variables && m->version < 3 && m->value_count && type_of(element) != VALUE_OTHER)
    take_type(&m->value[m->value_count - 1], element, list);
}

static void on_end(void *context, const char *element) {
  struct parsing *r = context;
  if (!strcmp(element, "ModelVariables"))
    r->in_variables = 0;
}

static enum status check(const struct fmu_model *m, struct reason *why) {
  if (m->version < 1 || m->version > 3)
    return fail(why, STATUS_BAD_INPUT, "modelDescription.xml: FMI 1.0, 2.0 or 3.0 expected, got %d",
                m->version);
  if (!m->is_co_simulation)
    return fail(why, STATUS_BAD_INPUT,
                "modelDescription.xml: an FMU for co-simulation expected, got one without");
  return *m->identifier && !strchr(m->identifier, '/')
             ? STATUS_OK
             : fail(why, STATUS_BAD_INPUT, "modelDescription.xml: a modelIdentifier expected");
}

enum status model_read(const char *folder, struct fmu_model *out, struct reason *why) {
  char path[FMU_PATH + 32], piece[16384];
  struct parsing r = {.model = out};
  *out = (struct fmu_model){.version = 0};
  snprintf(path, sizeof path, "%s/modelDescription.xml", folder);
  FILE *file = fopen(path, "rb");
  if (!file)
    return fail(why, STATUS_BAD_INPUT, "modelDescription.xml expected, got none");
  XML_Parser parser = XML_ParserCreate(NULL);
  enum status status = parser ? STATUS_OK : fail(why, STATUS_NO_MEMORY, "out of memory for the description");
  if (parser) {
    XML_SetUserData(parser, &r);
    XML_SetElementHandler(parser, on_start, on_end);
  }
  for (size_t size = sizeof piece; status == STATUS_OK && size == sizeof piece;) {
    size = fread(piece, 1, sizeof piece, file);
    if (ferror(file))
      status = fail(why, STATUS_IO, "modelDescription.xml: cannot be read");
    else if (XML_Parse(parser, piece, (int)size, size < sizeof piece) == XML_STATUS_ERROR)
      status = fail(why, STATUS_BAD_INPUT, "modelDescription.xml:%lu: XML expected: %s",
                    XML_GetCurrentLineNumber(parser), XML_ErrorString(XML_GetErrorCode(parser)));
  }
  if (parser)
    XML_ParserFree(parser);
  fclose(file);
  if (status == STATUS_OK)
    status =
        r.out_of_memory ? fail(why, STATUS_NO_MEMORY, "out of memory for the variables") : check(out, why);
  return status;
}

void model_free(struct fmu_model *m) {
  free(m->value);
  m->value = NULL;
}

const struct model_value *model_find(const struct fmu_model *m, const char *name) {
  for (size_t i = 0; i < m->value_count; i++)
    if (!strcmp(m->value[i].name, name))
      return &m->value[i];
  return NULL;
}
