// The scheme of rivals.h for one kind of number: NUMBER, with NAME(x) the names of its functions.
// Included by rods.c once for each kind, and by nothing else.

struct NAME(quat) {
  NUMBER w, v[3];
};

static NUMBER NAME(dot)(const NUMBER a[3], const NUMBER b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void NAME(cross)(const NUMBER a[3], const NUMBER b[3], NUMBER c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static struct NAME(quat) NAME(times)(struct NAME(quat) a, struct NAME(quat) b) { // (6.13)
  struct NAME(quat) c = {.w = a.w * b.w - NAME(dot)(a.v, b.v)};
  NAME(cross)(a.v, b.v, c.v);
  for (int k = 0; k < 3; k++)
    c.v[k] += a.w * b.v[k] + b.w * a.v[k];
  return c;
}

static struct NAME(quat) NAME(conjugate)(struct NAME(quat) q) {
  return (struct NAME(quat)){q.w, {-q.v[0], -q.v[1], -q.v[2]}};
}
static struct NAME(quat) NAME(pure)(const NUMBER v[3]) {
  return (struct NAME(quat)){0, {v[0], v[1], v[2]}};
}
static struct NAME(quat) NAME(read)(const NUMBER q[4]) {
  return (struct NAME(quat)){q[0], {q[1], q[2], q[3]}};
}
static void NAME(write)(struct NAME(quat) q, NUMBER to[4]) {
  to[0] = q.w;
  for (int k = 0; k < 3; k++)
    to[1 + k] = q.v[k];
}

static struct NAME(quat) NAME(sum)(struct NAME(quat) a, double s, struct NAME(quat) b) { // a + s b
  a.w += s * b.w;
  for (int k = 0; k < 3; k++)
    a.v[k] += s * b.v[k];
  return a;
}
static struct NAME(quat) NAME(scaled)(NUMBER s, struct NAME(quat) a) {
  return (struct NAME(quat)){s * a.w, {s * a.v[0], s * a.v[1], s * a.v[2]}};
}

// dW = x_n . d(phi) + q_nm . dq, with dq tangential to S3. By m: -2 (r m N) - 4 d (0, M); by d: 4 m (0, M)
// / 2.
NUMBER NAME(element)(const struct ROD *rod, int element, struct SLOPE *slope) {
  const struct hamiltonian_rod_section *s = &rod->section;
  struct NAME(quat) a = NAME(read)(rod->node[element].q), b = NAME(read)(rod->node[element + 1].q);
  struct NAME(quat) both = NAME(sum)(a, 1, b), turn = NAME(sum)(b, -1, a);
  NUMBER size = NAME_ROOT(both.w * both.w + NAME(dot)(both.v, both.v)), r[3], n[3], m[3], potential = 0;
  struct NAME(quat) mid = NAME(scaled)(1 / size, both), back = NAME(conjugate)(mid);
  for (int k = 0; k < 3; k++)
    r[k] = rod->node[element + 1].x_m[k] - rod->node[element].x_m[k];
  struct NAME(quat) line = NAME(times)(NAME(times)(back, NAME(pure)(r)), mid), bend = NAME(times)(back, turn);
  for (int k = 0; k < 3; k++) {
    NUMBER gamma = line.v[k] / rod->element_m - (k == 0), omega = 2 * bend.v[k] / rod->element_m;
    n[k] = s->stretch_n[k] * gamma;
    m[k] = s->bend_nm2[k] * omega;
    potential += 0.5 * rod->element_m * (n[k] * gamma + m[k] * omega);
  }
  struct NAME(quat) force = NAME(times)(mid, NAME(pure)(n)), couple = NAME(times)(mid, NAME(pure)(m));
  struct NAME(quat) by_mid =
      NAME(sum)(NAME(scaled)(-2, NAME(times)(NAME(pure)(r), force)), -2, NAME(times)(turn, NAME(pure)(m)));
  NUMBER along = mid.w * by_mid.w + NAME(dot)(mid.v, by_mid.v);
  struct NAME(quat) by_sum = NAME(scaled)(1 / size, NAME(sum)(by_mid, -1, NAME(scaled)(along, mid)));
  NAME(write)(NAME(sum)(by_sum, -2, couple), slope->q_nm[0]);
  NAME(write)(NAME(sum)(by_sum, 2, couple), slope->q_nm[1]);
  struct NAME(quat) inner = NAME(times)(force, back);
  for (int k = 0; k < 3; k++) {
    slope->x_n[0][k] = -inner.v[k];
    slope->x_n[1][k] = inner.v[k];
  }
  return potential;
}

static void NAME(forces)(struct ROD *rod) {
  for (int i = 0; i <= rod->elements; i++)
    for (int k = 0; k < 3; k++)
      rod->node[i].force_n[k] = rod->node[i].moment_nm[k] = 0;
  for (int e = 0; e < rod->elements; e++) {
    struct SLOPE slope;
    NAME(element)(rod, e, &slope);
    for (int side = 0; side < 2; side++) { // dq = (0, theta) q/2: the moment is -Im(dW/dq q^c)/2
      struct NODE *node = &rod->node[e + side];
      struct NAME(quat) g = NAME(times)(NAME(read)(slope.q_nm[side]), NAME(conjugate)(NAME(read)(node->q)));
      for (int k = 0; k < 3; k++) {
        node->force_n[k] -= slope.x_n[side][k];
        node->moment_nm[k] -= 0.5 * g.v[k];
      }
    }
  }
}

void NAME(start)(struct ROD *rod) {
  rod->newton_iterations = 0;
  NAME(forces)(rod);
}

static int NAME(stays)(const struct ROD *rod, int node) {
  return (node == 0 && rod->held[0]) || (node == rod->elements && rod->held[1]);
}

void NAME(kick)(struct ROD *rod, double h) {
  for (int i = 0; i <= rod->elements; i++) {
    struct NODE *node = &rod->node[i];
    if (NAME(stays)(rod, i))
      continue;
    for (int k = 0; k < 3; k++) {
      node->p_ns[k] += h * (node->force_n[k] + (i == rod->elements ? rod->load_n[k] : 0));
      node->pi_nms[k] += h * (node->moment_nm[k] + (i == rod->elements ? rod->load_nm[k] : 0));
    }
  }
}

static void NAME(solve)(NUMBER a[3][3], const NUMBER b[3], NUMBER x[3]) {
  NUMBER c[3][3];
  for (int i = 0; i < 3; i++)
    NAME(cross)(a[(i + 1) % 3], a[(i + 2) % 3], c[i]); // rows of the adjoint's transpose
  NUMBER det = NAME(dot)(a[0], c[0]);
  for (int k = 0; k < 3; k++)
    x[k] = (b[0] * c[0][k] + b[1] * c[1][k] + b[2] * c[2][k]) / det;
}

// f0 J f + f x J f = b on |f0|^2 + |f|^2 = 1 by Newton's method: what is left is of the square of the last
// change.
static int NAME(turn)(const double inertia[3], const NUMBER b[3], struct NAME(quat) * turn) {
  enum { CAP = 12 };
  NUMBER f[3];
  for (int k = 0; k < 3; k++)
    f[k] = b[k] / inertia[k];
  for (int iteration = 1;; iteration++) {
    NUMBER f0 = NAME_ROOT(1 - NAME(dot)(f, f)), jf[3], turning[3], rest[3], slope[3][3], df[3];
    double change = 0;
    for (int k = 0; k < 3; k++)
      jf[k] = inertia[k] * f[k];
    NAME(cross)(f, jf, turning);
    for (int i = 0; i < 3; i++) { // d(f x J f) = f x J df - J f x df
      int j = (i + 1) % 3, k = (i + 2) % 3;
      rest[i] = f0 * jf[i] + turning[i] - b[i];
      for (int c = 0; c < 3; c++)
        slope[i][c] = -jf[i] * f[c] / f0;
      slope[i][i] += f0 * inertia[i];
      slope[i][j] += jf[k] - f[k] * inertia[j];
      slope[i][k] += f[j] * inertia[k] - jf[j];
    }
    NAME(solve)(slope, rest, df);
    for (int k = 0; k < 3; k++) {
      f[k] -= df[k];
      change += creal(df[k]) * creal(df[k]);
    }
    if (change < 1e-20 || iteration == CAP) {
      *turn = (struct NAME(quat)){NAME_ROOT(1 - NAME(dot)(f, f)), {f[0], f[1], f[2]}};
      return iteration;
    }
  }
}

void NAME(drift)(struct ROD *rod, double h) {
  const struct hamiltonian_rod_section *s = &rod->section;
  for (int i = 0; i <= rod->elements; i++) {
    struct NODE *node = &rod->node[i];
    double lump = hamiltonian_rod_lump_m(rod->elements, rod->element_m, i);
    if (NAME(stays)(rod, i))
      continue;
    struct NAME(quat) q = NAME(read)(node->q), turn;
    struct NAME(quat) body = NAME(times)(NAME(times)(NAME(conjugate)(q), NAME(pure)(node->pi_nms)), q);
    for (int k = 0; k < 3; k++) {
      node->x_m[k] += h * node->p_ns[k] / (lump * s->mass_kgpm);
      body.v[k] *= 0.5 * h / lump;
    }
    int iterations = NAME(turn)(s->inertia_kgm, body.v, &turn);
    if (iterations > rod->newton_iterations)
      rod->newton_iterations = iterations;
    NAME(write)(NAME(times)(q, turn), node->q);
  }
  NAME(forces)(rod);
}
