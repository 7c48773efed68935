#include "net/buses/nmea_xdr.h"

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

static struct packer packer_of(struct nmea_text *out, const struct nmea_material *from, const char *name) {
  return (struct packer){out, name, from->part, 0, 0};
}

// A slack wire has no angles of a straight one, but its length and tension.
void nmea_xdr_put_wire(struct nmea_text *out, const struct nmea_material *from) {
  enum { LENGTH = 2, TENSION };
  const struct reading *r = from->reading;
  struct packer p = packer_of(out, from, r->name);
  const int is_slack = instrument_is_slack(r->kind, r->value);
  put_angles(&p, r->valid, r->value, 3, "_X");
  put(&p, r->valid || is_slack, 'D', 2, r->value[LENGTH], "M", "_L");
  put(&p, r->valid || is_slack, 'F', 0, r->value[TENSION], "N", "_T");
  put(&p, 1, 'S', 0, is_slack, "", "_S");
}

void nmea_xdr_put_tension(struct nmea_text *out, const struct nmea_material *from) {
  struct packer p = packer_of(out, from, from->reading->name);
  put(&p, from->reading->valid, 'F', 0, from->reading->value[0], "N", "");
}

void nmea_xdr_put_angle(struct nmea_text *out, const struct nmea_material *from) {
  struct packer p = packer_of(out, from, from->reading->name);
  put_angles(&p, from->reading->valid, from->reading->value, 2, "_AZ");
}

void nmea_xdr_put_touchdown(struct nmea_text *out, const struct nmea_material *from) {
  static const char *const axes[] = {"_N", "_E", "_D"};
  struct packer p = packer_of(out, from, from->reading->name);
  for (int i = 0; i < 3; i++)
    put(&p, from->reading->valid, 'D', 2, from->reading->value[i], "M", axes[i]);
}

void nmea_xdr_put_payout(struct nmea_text *out, const struct nmea_material *from) {
  const struct reading *r = from->reading;
  struct packer p = packer_of(out, from, r->name);
  put(&p, r->valid, 'D', 2, r->value[0], "M", "");
  put(&p, r->valid, 'G', 3, r->value[1], "", "_V");
}

void nmea_xdr_put_tensioner(struct nmea_text *out, const struct nmea_material *from) {
  const struct reading *r = from->reading;
  struct packer p = packer_of(out, from, r->name);
  put(&p, r->valid, 'F', 0, r->value[0], "N", "");
  put(&p, r->valid, 'G', 0, r->value[1], "", "_M");
  put(&p, r->valid, 'S', 0, r->value[2], "", "_B");
}

void nmea_xdr_put_power(struct nmea_text *out, const struct nmea_material *from) {
  const struct power_feedback *power = &from->all->power;
  int index = from->index;
  struct packer p = packer_of(out, from, NULL);
  if (index < power->bus_count) {
    const struct bus_feedback *bus = &power->bus[index];
    p.name = bus->name;
    put(&p, 1, 'S', 0, (double)bus->supplied, "", "_BUS");
    put(&p, 1, 'G', 0, bus->available_w, "", "_BUS_A");
    put(&p, 1, 'G', 0, bus->load_w, "", "_BUS_P");
    put(&p, 1, 'F', 2, bus->frequency * from->origin->rated_hz, "H", "_BUS_F");
    put(&p, 1, 'U', 1, bus->voltage * from->origin->rated_v, "V", "_BUS_U");
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
