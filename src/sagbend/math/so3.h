// Rotations. An attitude is a unit quaternion (Hamilton convention, scalar first) that takes vectors of the
// body frame to the world frame. The Cayley map needs no transcendental functions, so attitudes have the same
// bits on every processor.
#pragma once

#include "sagbend/base/nonblocking.h"
#include "sagbend/math/math.h"

typedef struct quat {
  double w, x, y, z;
} quat;

// R(q), body to world: its columns are the body axes in the world frame.
static inline mat3 quat_matrix(quat q) {
  double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return (mat3){{{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)},
                 {2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)},
                 {2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}}};
}

// Hamilton product: the rotation b followed by a.
static inline quat quat_mul(quat a, quat b) {
  return (quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

// q divided by its norm, which must not be 0.
static inline quat quat_unit(quat q) {
  double s = 1 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return (quat){s * q.w, s * q.x, s * q.y, s * q.z};
}

// Cayley map: cay(t) = I + (hat t + hat(t)^2 / 2) / (1 + |t|^2 / 4), as the unit quaternion (1, t/2) / norm.
static inline quat quat_cayley(vec3 t) {
  return quat_unit((quat){1, 0.5 * t.x, 0.5 * t.y, 0.5 * t.z});
}

// The attitude q after the rotation cay(t) about world axes: cay(t) q.
static inline quat quat_rotated(quat q, vec3 t) {
  return quat_unit(quat_mul(quat_cayley(t), q));
}

// (cay(t) - I) v without cancellation for small t.
static inline vec3 cayley_increment(vec3 t, vec3 v) {
  double s = 1 / (1 + 0.25 * vec3_dot(t, t));
  vec3 tv = vec3_cross(t, v);
  return vec3_scale(s, vec3_axpy(0.5, vec3_cross(t, tv), tv));
}

// Trivialised derivative: d(cay(t)) cay(t)' = hat(dcay(t) dt), dcay = (I + hat(t)/2) / (1 + |t|^2/4).
static inline vec3 cayley_derivative(vec3 t, vec3 dt) {
  double s = 1 / (1 + 0.25 * vec3_dot(t, t));
  return vec3_scale(s, vec3_axpy(0.5, vec3_cross(t, dt), dt));
}

// Inverse of cayley_derivative: I - hat(t)/2 + t t'/4.
static inline vec3 cayley_derivative_inverse(vec3 t, vec3 phi) {
  vec3 a = vec3_axpy(-0.5, vec3_cross(t, phi), phi);
  return vec3_axpy(0.25 * vec3_dot(t, phi), t, a);
}

// Cayley vector of half the rotation of cay(t): cay(half)^2 = cay(t).
static inline vec3 cayley_half(vec3 t) {
  double n = sqrt(1 + 0.25 * vec3_dot(t, t));
  return vec3_scale(1 / (1 + n), t);
}

// zyx Euler angles: euler_rad = (roll, pitch, yaw). For people, messages and the PID law only.
quat quat_of_euler(const double euler_rad[3]) NONBLOCKING;
void euler_of_quat(quat q, double euler_rad[3]) NONBLOCKING; // pitch in [-pi/2, pi/2]

// T in d(euler)/dt = T(euler) omega_b. It is singular at a pitch of +-90 degrees; within 1e-6 rad of that
// pitch the cosine of the pitch is held at 1e-6 so that the entries stay finite.
mat3 euler_rate_matrix(const double euler_rad[3]) NONBLOCKING;
