// Water in the pipe. It fills a share of the bore of a range of elements, beside the content. Mass and weight
// of nodes and elements, and the pressure inside, are linear in this share.
#pragma once

#include "sagbend/pipe/pipe.h"

// Elements that always stay dry: the uppermost ones, which the feed changes.
enum { PIPE_DRY_ELEMENTS = 2 };

// Floods so. Returns the energy that the water brings along, with the place and the velocity of the pipe that
// it fills, J; negative for water that leaves.
double pipe_set_flood(struct pipe_mesh *p, const struct pipe_state *s, struct pipe_flood flood) NONBLOCKING;

// Adds the present flood after elements and nodes have been filled as of dry pipe.
void pipe_refill_flood(struct pipe_mesh *p) NONBLOCKING;

// Mass of the water in the pipe beyond that of the content it replaces, kg.
double pipe_flood_mass(const struct pipe_mesh *p) NONBLOCKING;
