// modelDescription.xml of FMI 2.0 and 3.0.
#include "fmu/export/export_internal.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Text ----

static void put_escaped(FILE *out, const char *text) {
  for (; *text; text++) {
    const char *named = *text == '&'   ? "&amp;"
                        : *text == '<' ? "&lt;"
                        : *text == '>' ? "&gt;"
                        : *text == '"' ? "&quot;"
                                       : NULL;
    if (named)
      fputs(named, out);
    else
      fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
  }
}

static void put_text(FILE *out, const char *name, const char *value) {
  fprintf(out, " %s=\"", name);
  put_escaped(out, value);
  fputc('"', out);
}

// In the fewest digits that give the same number.
static void put_number(FILE *out, const char *name, double value) {
  char text[40];
  for (int digits = 6; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value)
      break;
  }
  put_text(out, name, text);
}

// ---- Units: what the standard asks for are the exponents of SI base units and a factor ----

enum { KG, M, S, RAD, BASES };
static const char *const BASE_NAMES[BASES] = {"kg", "m", "s", "rad"};
struct base {
  int exponent[BASES];
  double factor;
};
static const struct {
  const char *name;
  struct base base;
} SYMBOLS[] = {
    {"kg", {{1, 0, 0, 0}, 1}},
    {"m", {{0, 1, 0, 0}, 1}},
    {"s", {{0, 0, 1, 0}, 1}},
    {"rad", {{0, 0, 0, 1}, 1}},
    {"N", {{1, 1, -2, 0}, 1}},
    {"J", {{1, 2, -2, 0}, 1}},
    {"W", {{1, 2, -3, 0}, 1}},
    {"Pa", {{1, -1, -2, 0}, 1}},
    {"Hz", {{0, 0, -1, 0}, 1}},
    {"h", {{0, 0, 1, 0}, 3600}},
    {"deg", {{0, 0, 0, 1}, 3.14159265358979323846 / 180}},
    {"rpm", {{0, 0, -1, 1}, 3.14159265358979323846 / 30}},
};
enum { SYMBOL_COUNT = sizeof SYMBOLS / sizeof *SYMBOLS };

// One symbol with its exponent, such as "m2". Returns where it ends; NULL: it is none.
static const char *take_symbol(const char *at, int sign, struct base *out) {
  size_t letters = 0;
  while (isalpha((unsigned char)at[letters]))
    letters++;
  for (int i = 0; i < SYMBOL_COUNT; i++) {
    if (strlen(SYMBOLS[i].name) != letters || strncmp(SYMBOLS[i].name, at, letters) != 0)
      continue;
    const int has_exponent = isdigit((unsigned char)at[letters]);
    const int exponent = sign * (has_exponent ? at[letters] - '0' : 1);
    for (int k = 0; k < BASES; k++)
      out->exponent[k] += exponent * SYMBOLS[i].base.exponent[k];
    out->factor *= pow(SYMBOLS[i].base.factor, exponent);
    return at + letters + has_exponent;
  }
  return NULL;
}

// "N m s/rad", "kg/m3", "1/s". 0: it is something else, such as a list of units.
static int base_of(const char *unit, struct base *out) {
  int sign = 1;
  *out = (struct base){.factor = 1};
  if (unit[0] == '1' && unit[1] == '/') {
    sign = -1;
    unit += 2;
  }
  while (*unit) {
    unit = take_symbol(unit, sign, out);
    if (!unit)
      return 0;
    if (*unit == '/' && sign > 0)
      sign = -1;
    else if (*unit && *unit != ' ')
      return 0;
    if (*unit)
      unit++;
  }
  return 1;
}

// What people read instead: value in it = factor * value.
static const struct {
  const char *unit, *shown;
  double factor;
} SHOWN[] = {{"rad", "deg", 180 / 3.14159265358979323846},
             {"rad/s", "deg/s", 180 / 3.14159265358979323846},
             {"N", "kN", 1e-3}};
enum { SHOWN_COUNT = sizeof SHOWN / sizeof *SHOWN };

static int shown_of(const char *unit) {
  for (int i = 0; i < SHOWN_COUNT; i++)
    if (!strcmp(SHOWN[i].unit, unit))
      return i;
  return -1;
}

static int has_unit(const struct model_variable *v) {
  return v->type == SAGBEND_REAL && v->unit && *v->unit && strcmp(v->unit, "1") != 0;
}

static void write_unit(FILE *out, const char *unit) {
  struct base base;
  const int shown = shown_of(unit);
  fputs("    <Unit", out);
  put_text(out, "name", unit);
  if (!base_of(unit, &base) && shown < 0) {
    fputs("/>\n", out);
    return;
  }
  fputs(">\n      <BaseUnit", out);
  for (int k = 0; k < BASES; k++)
    if (base.exponent[k])
      fprintf(out, " %s=\"%d\"", BASE_NAMES[k], base.exponent[k]);
  if (base.factor != 1)
    put_number(out, "factor", base.factor);
  fputs("/>\n", out);
  if (shown >= 0) {
    fprintf(out, "      <DisplayUnit name=\"%s\"", SHOWN[shown].shown);
    put_number(out, "factor", SHOWN[shown].factor);
    fputs("/>\n", out);
  }
  fputs("    </Unit>\n", out);
}

// Each unit once.
static void write_units(FILE *out, const struct description *model) {
  fputs("  <UnitDefinitions>\n", out);
  for (size_t i = 0; i < model->variable_count; i++) {
    const struct model_variable *v = &model->variable[i];
    int is_new = has_unit(v);
    for (size_t k = 0; k < i && is_new; k++)
      is_new = !has_unit(&model->variable[k]) || strcmp(model->variable[k].unit, v->unit) != 0;
    if (is_new)
      write_unit(out, v->unit);
  }
  fputs("  </UnitDefinitions>\n", out);
}

// ---- Variables ----

static const char *const CAUSALITIES[] = {
    [INDEPENDENT] = "independent", [PARAMETER] = "parameter", [INPUT] = "input", [OUTPUT] = "output"};
static const char *const ELEMENTS[2][FMU_TEXT + 1] = {{[SAGBEND_REAL] = "Real",
                                                       [SAGBEND_INTEGER] = "Integer",
                                                       [SAGBEND_BOOLEAN] = "Boolean",
                                                       [FMU_TEXT] = "String"},
                                                      {[SAGBEND_REAL] = "Float64",
                                                       [SAGBEND_INTEGER] = "Int32",
                                                       [SAGBEND_BOOLEAN] = "Boolean",
                                                       [FMU_TEXT] = "String"}};

static void put_common(FILE *out, const struct model_variable *v) {
  put_text(out, "name", v->name);
  fprintf(out, " valueReference=\"%u\"", (unsigned)v->vr);
  fputs(" description=\"", out);
  put_escaped(out, v->meaning ? v->meaning : "");
  fprintf(out, "%s\" causality=\"%s\" variability=\"%s\"",
          v->can_be_undefined ? "; NaN where it is undefined" : "", CAUSALITIES[v->causality],
          v->causality == PARAMETER                         ? "fixed"
          : v->is_continuous || v->causality == INDEPENDENT ? "continuous"
                                                            : "discrete");
  if (v->causality == PARAMETER || v->causality == OUTPUT)
    fprintf(out, " initial=\"%s\"", v->causality == OUTPUT ? "calculated" : "exact");
}

static void put_start(FILE *out, const struct model_variable *v) {
  if (v->type == SAGBEND_BOOLEAN)
    put_text(out, "start", v->start != 0 ? "true" : "false");
  else
    put_number(out, "start", v->start);
}

// What belongs to the type: unit, limits, start.
static void put_typed(FILE *out, const struct model_variable *v) {
  const int can_be_set = v->causality == PARAMETER || v->causality == INPUT;
  if (has_unit(v)) {
    put_text(out, "unit", v->unit);
    if (shown_of(v->unit) >= 0)
      put_text(out, "displayUnit", SHOWN[shown_of(v->unit)].shown);
  }
  if (!can_be_set)
    return;
  if (v->type != SAGBEND_BOOLEAN && isfinite(v->least))
    put_number(out, "min", v->least);
  if (v->type != SAGBEND_BOOLEAN && isfinite(v->most))
    put_number(out, "max", v->most);
  put_start(out, v);
}

static void write_variable(FILE *out, const struct description *model, const struct model_variable *v) {
  const char *element = ELEMENTS[model->fmi == 3][v->type];
  const int is_set_text = v->type == FMU_TEXT && v->causality != OUTPUT;
  if (model->fmi == 2) {
    fputs("    <ScalarVariable", out);
    put_common(out, v);
    fprintf(out, "><%s", element);
    if (is_set_text)
      fputs(" start=\"\"", out);
    else if (v->type != FMU_TEXT)
      put_typed(out, v);
    fputs("/></ScalarVariable>\n", out);
    return;
  }
  fprintf(out, "    <%s", element);
  put_common(out, v);
  if (v->type != FMU_TEXT)
    put_typed(out, v);
  fprintf(out, is_set_text ? "><Start value=\"\"/></%s>\n" : "/>\n", element);
}

// ---- What depends on what ----

// A reference to variable i: its index from 1 in FMI 2, its number in FMI 3.
static unsigned reference(const struct description *model, size_t i) {
  return model->fmi == 2 ? (unsigned)i + 1 : (unsigned)model->variable[i].vr;
}

// A command acts in the next step, so that no output depends on an input at the same time; at the start an
// output depends on the parameters.
static void write_unknowns(FILE *out, const struct description *model, const char *element, int at_start) {
  for (size_t i = 0; i < model->variable_count; i++) {
    if (model->variable[i].causality != OUTPUT)
      continue;
    fprintf(out, "    %s<%s %s=\"%u\" dependencies=\"", model->fmi == 2 ? "  " : "", element,
            model->fmi == 2 ? "index" : "valueReference", reference(model, i));
    const char *space = "";
    for (size_t k = 0; at_start && k < model->variable_count; k++)
      if (model->variable[k].causality == PARAMETER && model->variable[k].type != FMU_TEXT) {
        fprintf(out, "%s%u", space, reference(model, k));
        space = " ";
      }
    fputs("\"/>\n", out);
  }
}

static void write_structure(FILE *out, const struct description *model) {
  fputs("  <ModelStructure>\n", out);
  if (model->fmi == 2) {
    fputs("    <Outputs>\n", out);
    write_unknowns(out, model, "Unknown", 0);
    fputs("    </Outputs>\n    <InitialUnknowns>\n", out);
    write_unknowns(out, model, "Unknown", 1);
    fputs("    </InitialUnknowns>\n", out);
  } else {
    write_unknowns(out, model, "Output", 0);
    write_unknowns(out, model, "InitialUnknown", 1);
  }
  fputs("  </ModelStructure>\n", out);
}

// ---- The whole ----

static void write_head(FILE *out, const struct description *model) {
  char tool[64];
  fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"%d.0\"",
          model->fmi);
  put_text(out, "modelName", model->name);
  put_text(out, model->fmi == 2 ? "guid" : "instantiationToken", model->token);
  put_text(out, "description", model->about);
  snprintf(tool, sizeof tool, "sagbend %s", sagbend_version());
  put_text(out, "generationTool", tool);
  put_text(out, "variableNamingConvention", "structured");
  if (model->fmi == 2)
    fputs(" numberOfEventIndicators=\"0\"", out);
  fputs(">\n  <CoSimulation modelIdentifier=\"" FMU_MODEL
        "\" canHandleVariableCommunicationStepSize=\"true\"",
        out);
  if (model->fmi == 2)
    fputs(" canNotUseMemoryManagementFunctions=\"true\" canGetAndSetFMUstate=\"true\" "
          "canSerializeFMUstate=\"true\"/>\n",
          out);
  else {
    fputs(" canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\"", out);
    put_number(out, "fixedInternalStepSize", model->step_s);
    fputs("/>\n", out);
  }
}

static void write_experiment(FILE *out, const struct description *model) {
  static const char *const categories[][2] = {
      {"logStatusError", "what is refused, and why"},
      {"logStatusWarning", "orders and commands that the vessel refuses"},
      {"logEvents", "events of the simulation"},
      {"logOrders", "orders that are carried out"},
  };
  fputs("  <LogCategories>\n", out);
  for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
    fprintf(out, "    <Category name=\"%s\" description=\"%s\"/>\n", categories[i][0], categories[i][1]);
  fputs("  </LogCategories>\n  <DefaultExperiment startTime=\"0\"", out);
  if (model->duration_s > 0)
    put_number(out, "stopTime", model->duration_s);
  put_number(out, "stepSize", model->period_s);
  fputs("/>\n", out);
}

enum status description_write(FILE *out, const struct description *model) {
  write_head(out, model);
  write_units(out, model);
  write_experiment(out, model);
  fputs("  <ModelVariables>\n", out);
  for (size_t i = 0; i < model->variable_count; i++)
    write_variable(out, model, &model->variable[i]);
  fputs("  </ModelVariables>\n", out);
  write_structure(out, model);
  fputs("</fmiModelDescription>\n", out);
  return ferror(out) ? STATUS_NO_MEMORY : STATUS_OK;
}
