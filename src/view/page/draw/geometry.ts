// Geometry of the vessel and the pipe for the pictures: world north-east-down, body forward-starboard-down.
import type { Truth } from "../stream/messages.ts";

export type Point = readonly [number, number];

export interface Pose {
  north: number;
  east: number;
  down: number;
  heading: number; // rad, clockwise from north
  toWorld(forward: number, starboard: number, down: number): [number, number, number]; // north, east, down
}

export function poseOf(truth: Truth): Pose {
  const [w, x, y, z] = [truth.quaternionW, truth.quaternionX, truth.quaternionY, truth.quaternionZ];
  const r = [
    1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
    2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
    2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
  ] as const;
  const [north, east, down] = [truth.positionNorthM, truth.positionEastM, truth.positionDownM];
  return {
    north, east, down,
    heading: Math.atan2(r[3], r[0]),
    toWorld: (f, s, d) => [
      north + r[0] * f + r[1] * s + r[2] * d,
      east + r[3] * f + r[4] * s + r[5] * d,
      down + r[6] * f + r[7] * s + r[8] * d,
    ],
  };
}

/** The largest element; 0 of none. */
export function largest(values: readonly number[]): number {
  let most = 0;
  for (const value of values) if (value > most) most = value;
  return most;
}

/** Direction of a vector, clockwise from north. */
export function azimuth(north: number, east: number): number {
  return Math.atan2(east, north);
}

/** The current at the surface; undefined: there is none. Older simulators state it with wind and waves only. */
export function currentOf({ current, weather }: Truth): { northMps: number; eastMps: number } | undefined {
  return current ?? (weather && { northMps: weather.currentNorthMps, eastMps: weather.currentEastMps });
}
