// The elastic rod as a constrained Hamiltonian system with a multi-symplectic integrator: E. Celledoni, N.
// Saefstroem, Hamiltonian and multi-symplectic structure of a rod model using quaternions (Paper V of
// Saefstroem's thesis, 2009), which gives the equations (6.35)-(6.39) and no scheme; its (6.38), (6.63) have
// the wrong sign: d_t p_phi = [w, D_N] gamma + D_N gamma'. It serves comparisons only; the simulator does not
// link it.
//
// Space, as its section 6.1 suggests: the Hamiltonian (6.30) on nodes. An element of length l between the
// nodes i and j takes its frame from the middle of its quaternions, m = (q_i + q_j)/|q_i + q_j|, its strains
// from their differences,
//     Gamma = E(m)' (phi_j - phi_i)/l - e1,   Omega = 2 Im(m^c (q_j - q_i))/l,   W = l/2 (Gamma' C_N Gamma +
//     Omega' C_M Omega);
// masses are lumped. Time: the variational integrator of the action whose potential stands at the nodes in
// time,
//     h [(m/2) |(x1 - x0)/h|^2 + (2/h^2) f' J f - W],   (f0, f) = q0^c q1 on S3:
// impulses from W, then x += h p/m and a turn (f0, f) of each node by the discrete Moser-Veselov equations.
// The angular momentum pi of a node, in space, stands for the conjugate p = 2 (0, pi) q of (6.29); |q| = 1
// needs no multiplier, since q turns.
//
// One scheme for two kinds of number: double, and double complex, where the imaginary part carries an exact
// first variation (a complex step, too small to be rounded into the real part).
#pragma once

#include <complex.h>

enum { HAMILTONIAN_ROD_NODES = 401 };

struct hamiltonian_rod_section {
  double mass_kgpm, inertia_kgm[3]; // J_rho per length, in the section frame
  double stretch_n[3], bend_nm2[3]; // C_N = (EA, GA, GA), C_M = (GJ, EI, EI), (6.5)
};

// All vectors in space. Neighbouring quaternions have a positive product; their signs matter.
#define HAMILTONIAN_ROD(rod, number)                                                                         \
  struct rod##_node {                                                                                        \
    number x_m[3], q[4];             /* phi; the section's attitude, scalar first */                         \
    number p_ns[3], pi_nms[3];       /* momentum; angular momentum about the node */                         \
    number force_n[3], moment_nm[3]; /* of the elements at it, up to date after start and drift */           \
  };                                                                                                         \
  struct rod {                                                                                               \
    struct hamiltonian_rod_section section;                                                                  \
    int elements;                                                                                            \
    double element_m;                                                                                        \
    int held[2];                  /* the first and the last node stay where they are */                      \
    double load_n[3], load_nm[3]; /* on the last node, at the time of the next kick */                       \
    int newton_iterations;        /* the most a node took so far */                                          \
    struct rod##_node node[HAMILTONIAN_ROD_NODES];                                                           \
  };                                                                                                         \
  struct rod##_slope { /* of an element's W by the poses of its two nodes; by q as an element of R4 */       \
    number x_n[2][3], q_nm[2][4];                                                                            \
  };                                                                                                         \
  void rod##_start(struct rod *r); /* after the nodes have been set */                                       \
  void rod##_kick(struct rod *r, double h);                                                                  \
  void rod##_drift(struct rod *r, double h);                                                                 \
  number rod##_element(const struct rod *r, int element, struct rod##_slope *slope); /* W in J */

HAMILTONIAN_ROD(hamiltonian_rod, double)
HAMILTONIAN_ROD(varied_rod, double complex)

// kick, drift, kick; a load may change between the two kicks only if the caller takes them one by one.
void hamiltonian_rod_step(struct hamiltonian_rod *r, double h);

struct hamiltonian_rod_totals {
  double kinetic_j, potential_j;
  double linear_ns[3], angular_nms[3]; // angular momentum about the origin
};
// At the nodes in time, that is between steps.
struct hamiltonian_rod_totals hamiltonian_rod_totals(const struct hamiltonian_rod *r);

double hamiltonian_rod_lump_m(int elements, double element_m, int node); // length of rod that a node carries
