#include "io/bus/nmea_xdr.h"

#include <stdio.h>

// Packs transducers into sentences and keeps those of the wanted part.
struct packer {
  struct nmea_text *out;
  const char *name; // of what is measured
  int wanted, part;
  size_t used; // characters of the present part
};

// Type, value, unit, name of one transducer; the value is empty if it is not known. The generic type and that
// of a switch have no unit.
static void put(struct packer *p, int is_known, char type, int decimals, double value, const char *unit,
                const char *ending) {
  enum { FRAME = 6 + 5 }; // "$YXXDR" and "*hh\r\n"
  struct nmea_text number = {.size = 0}, group = {.size = 0};
  if (is_known)
    nmea_put_number(&number, decimals, value);
  else
    nmea_put(&number, ",");
  nmea_put(&group, ",%c%s,%s,%s%s", type, number.text, unit, p->name, ending);
  if (p->used > 0 && FRAME + p->used + group.size > NMEA_LINE) {
    p->part++;
    p->used = 0;
  }
  p->used += group.size;
  if (p->part == p->wanted)
    nmea_put(p->out, "%s", group.text);
}

static void put_angles(struct packer *p, int is_known, const double rad[2], int second_decimals,
                       const char *second) {
  put(p, is_known, 'A', 3, nmea_degrees(rad[0]), "D", "");
  put(p, is_known, 'A', second_decimals, nmea_degrees(rad[1]), "D", second);
}

// A slack wire has no angles of a straight one, but its length and tension.
static void put_wire(struct packer *p, const struct reading *reading) {
  enum { LENGTH = 2, TENSION };
  const double *v = reading->value;
  const int is_slack = instrument_is_slack(reading->kind, v);
  put_angles(p, reading->valid, v, 3, "_X");
  put(p, reading->valid || is_slack, 'D', 2, v[LENGTH], "M", "_L");
  put(p, reading->valid || is_slack, 'F', 0, v[TENSION], "N", "_T");
  put(p, 1, 'S', 0, is_slack, "", "_S");
}

void nmea_xdr_put_instrument(struct nmea_text *out, enum nmea_sentence sentence,
                             const struct reading *reading, int part) {
  static const char *const axes[] = {"_N", "_E", "_D"};
  struct packer p = {out, reading->name, part, 0, 0};
  const int is_known = reading->valid;
  const double *v = reading->value;
  if (sentence == NMEA_XDR_TENSION) {
    put(&p, is_known, 'F', 0, v[0], "N", "");
  } else if (sentence == NMEA_XDR_PAYOUT) {
    put(&p, is_known, 'D', 2, v[0], "M", "");
    put(&p, is_known, 'G', 3, v[1], "", "_V");
  } else if (sentence == NMEA_XDR_TENSIONER) {
    put(&p, is_known, 'F', 0, v[0], "N", "");
    put(&p, is_known, 'G', 0, v[1], "", "_M");
    put(&p, is_known, 'S', 0, v[2], "", "_B");
  } else if (sentence == NMEA_XDR_WIRE) {
    put_wire(&p, reading);
  } else if (sentence == NMEA_XDR_ANGLE) {
    put_angles(&p, is_known, v, 2, "_AZ");
  } else {
    for (int i = 0; i < 3; i++)
      put(&p, is_known, 'D', 2, v[i], "M", axes[i]);
  }
}

void nmea_xdr_put_power(struct nmea_text *out, const struct nmea_origin *origin,
                        const struct power_feedback *power, int index, int part) {
  struct packer p = {out, NULL, part, 0, 0};
  if (index < power->bus_count) {
    const struct bus_feedback *bus = &power->bus[index];
    p.name = bus->name;
    put(&p, 1, 'S', 0, (double)bus->supplied, "", "_BUS");
    put(&p, 1, 'G', 0, bus->available_w, "", "_BUS_A");
    put(&p, 1, 'G', 0, bus->load_w, "", "_BUS_P");
    put(&p, 1, 'F', 2, bus->frequency * origin->rated_hz, "H", "_BUS_F");
    put(&p, 1, 'U', 1, bus->voltage * origin->rated_v, "V", "_BUS_U");
    return;
  }
  index -= power->bus_count;
  if (index < power->generator_count) {
    p.name = power->generator[index].name;
    put(&p, 1, 'S', 0, (double)power->generator[index].closed, "", "_SET");
    put(&p, 1, 'G', 0, power->generator[index].load_w, "", "_SET_P");
    return;
  }
  index -= power->generator_count;
  p.name = power->tie[index].name;
  put(&p, 1, 'S', 0, (double)power->tie[index].closed, "", "_TIE");
}

int nmea_power_count(const struct power_feedback *power) {
  return power->bus_count + power->generator_count + power->tie_count;
}
