// Meshes of the 3-D view: a tube along points, and a hull from the vessel's outline.

type Point3 = readonly [number, number, number];

export interface Tube {
  points: number[];
  tints: number[]; // of each point: red, green, blue
  faces: number[];
}

/** A tube of `sides` sides along the points, each ring in the tint of its point. */
export function tubeOf(path: readonly Point3[], tints: readonly Point3[], radius: number, sides: number): Tube {
  const tube: Tube = { points: [], tints: [], faces: [] };
  path.forEach((point, i) => {
    const [a, b] = [path[Math.max(0, i - 1)] ?? point, path[Math.min(path.length - 1, i + 1)] ?? point];
    const along = unit([b[0] - a[0], b[1] - a[1], b[2] - a[2]]);
    const side = unit(cross(along, Math.abs(along[1]) < 0.99 ? [0, 1, 0] : [1, 0, 0]));
    const up = cross(side, along);
    for (let k = 0; k < sides; k++) {
      const [c, s] = [radius * Math.cos((2 * Math.PI * k) / sides), radius * Math.sin((2 * Math.PI * k) / sides)];
      tube.points.push(point[0] + c * side[0] + s * up[0], point[1] + c * side[1] + s * up[1], point[2] + c * side[2] + s * up[2]);
      tube.tints.push(...(tints[i] ?? [0, 0, 0]));
      if (i) {
        const [here, next] = [i * sides + k, i * sides + ((k + 1) % sides)];
        tube.faces.push(here - sides, here, next, here - sides, next, next - sides);
      }
    }
  });
  return tube;
}

export interface Hull {
  points: [number, number, number][]; // forward, starboard, down
  faces: number[];
  edges: number[];
}

/** A hull and a deck house over the outline. The heights are the drawing's choice: an outline is a plan. */
export function hullOf(outline: readonly [number, number][]): Hull {
  const hull: Hull = { points: [], faces: [], edges: [] };
  if (outline.length < 3) return hull;
  const bow = Math.max(...outline.map(([f]) => f));
  const stern = Math.min(...outline.map(([f]) => f));
  const width = 2 * Math.max(...outline.map(([, s]) => Math.abs(s)));
  const length = bow - stern;
  prism(hull, outline, -0.06 * length, 0.07 * length);
  const [front, back, half] = [bow - 0.16 * length, bow - 0.36 * length, 0.42 * width];
  prism(hull, [[front, -half * 0.8], [front, half * 0.8], [back, half], [back, -half]], -0.17 * length, -0.06 * length);
  return hull;
}

function prism(hull: Hull, outline: readonly [number, number][], top: number, bottom: number): void {
  const [first, n] = [hull.points.length, outline.length];
  for (const [f, s] of outline) hull.points.push([f, s, top]);
  for (const [f, s] of outline) hull.points.push([f, s, bottom]);
  for (let i = 0; i < n; i++) {
    const next = (i + 1) % n;
    hull.faces.push(first + i, first + next, first + n + i, first + n + i, first + next, first + n + next);
    hull.edges.push(first + i, first + next, first + n + i, first + n + next);
    if (i > 0 && i < n - 1) hull.faces.push(first, first + i, first + i + 1);
  }
}

function cross(a: Point3, b: Point3): [number, number, number] {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function unit(a: Point3): [number, number, number] {
  const length = Math.hypot(...a) || 1;
  return [a[0] / length, a[1] / length, a[2] / length];
}
