// What panels ask of the session: the seabed below a point, the pipe's state, watch circles and the zone of an offset.
import { largest } from "../draw/geometry.ts";
import type { End, Nodes, Session, ThrusterInfo, Touchdown } from "../stream/messages.ts";
import type { Newest } from "./store.ts";

/** Depth of the seabed at a point; undefined without a seabed or outside its grid. */
export function seabedDown(session: Session | undefined, north: number, east: number): number | undefined {
  const seabed = session?.seabed;
  if (!seabed) return undefined;
  const grid = seabed.grid;
  if (!grid || grid.northNodes < 2 || grid.eastNodes < 2) {
    return seabed.downM + seabed.slopeNorth * (north - seabed.northM) + seabed.slopeEast * (east - seabed.eastM);
  }
  const inside = (x: number, nodes: number) => Math.min(nodes - 1.000001, Math.max(0, x));
  const [r, c] = [inside((north - grid.northM) / grid.spacingNorthM, grid.northNodes), inside((east - grid.eastM) / grid.spacingEastM, grid.eastNodes)];
  const [i, j] = [Math.floor(r), Math.floor(c)];
  const at = (a: number, b: number) => grid.downM[a * grid.eastNodes + b] ?? 0;
  const [fr, fc] = [r - i, c - j];
  return (at(i, j) * (1 - fc) + at(i, j + 1) * fc) * (1 - fr) + (at(i + 1, j) * (1 - fc) + at(i + 1, j + 1) * fc) * fr;
}

/** How the session ended, with the result of a test. */
export function endOf({ why, result }: End): string {
  return `ended: ${why}${result ? `; ${result}` : ""}`;
}

export function hasFailed({ result }: End): boolean {
  return !!result?.startsWith("failed");
}

export interface PipeState {
  tensionN: number; // at the hang-off
  curvature1pm: number; // the largest
  step: bigint; // of these
  touchdown?: Touchdown;
  touchdownStep?: bigint;
}

/** The exact state of the pipe: from Truth and Sensors, or, where these contain measurements, from the nodes. */
export function pipeOf(newest: Newest): PipeState | undefined {
  const { truth } = newest;
  const rest = restOf(newest);
  if (!truth?.pipe?.hangoffTensionN) return rest;
  return { ...rest, tensionN: truth.pipe.hangoffTensionN, curvature1pm: truth.pipe.maxCurvature1pm, step: truth.header?.step ?? 0n };
}

function restOf({ sensors, nodes }: Newest): PipeState | undefined {
  if (sensors?.pipe) {
    const { hangoffTensionN, maxCurvature1pm, touchdown } = sensors.pipe;
    const step = sensors.header?.step ?? 0n;
    return { tensionN: hangoffTensionN, curvature1pm: maxCurvature1pm, step, touchdownStep: step, ...(touchdown && { touchdown }) };
  }
  const last = (nodes?.northM.length ?? 0) - 1;
  if (!nodes || last < 1) return undefined;
  const touchdown = touchdownOf(nodes);
  return {
    tensionN: nodes.effectiveTensionN[last] ?? 0,
    curvature1pm: largest(nodes.curvature1pm),
    step: nodes.header?.step ?? 0n,
    touchdownStep: nodes.header?.step ?? 0n,
    ...(touchdown && { touchdown }),
  };
}

/** Between the last node in contact and the next, where the penetration is zero. */
function touchdownOf(nodes: Nodes): Touchdown | undefined {
  let i = nodes.penetrationM.length - 2;
  while (i >= 0 && !((nodes.penetrationM[i] ?? 0) > 0)) i--;
  if (i < 0) return undefined;
  const [here, next] = [nodes.penetrationM[i] ?? 0, nodes.penetrationM[i + 1] ?? 0];
  const share = here / Math.max(here - next, 1e-12);
  const between = (list: number[]) => (list[i] ?? 0) + share * ((list[i + 1] ?? 0) - (list[i] ?? 0));
  const [northM, eastM, downM] = [between(nodes.northM), between(nodes.eastM), between(nodes.downM)];
  const last = nodes.northM.length - 1;
  const laybackM = Math.hypot((nodes.northM[last] ?? 0) - northM, (nodes.eastM[last] ?? 0) - eastM);
  return { northM, eastM, downM, arcLengthM: 0, laybackM };
}

export type Zone = "unknown" | "inside" | "warning" | "alarm";

/** Where an offset lies: inside the warning circle, beyond it, or beyond the alarm circle (the largest; with one circle, that one). */
export function zoneOf(session: Session | undefined, offset_m: number | undefined): Zone {
  const circles = session?.watchCircleM ?? [];
  const [warning, alarm] = [circles[0], circles.at(-1)];
  if (offset_m === undefined || warning === undefined || alarm === undefined) return "unknown";
  return offset_m > alarm ? "alarm" : offset_m > warning ? "warning" : "inside";
}

/** Stands for a vessel whose outline is not known; as in view/scene. */
const PLAIN: [number, number][] = [[50, 0], [35, 12], [-50, 12], [-50, -12], [35, -12]];

// What directs a thruster's thrust: sagbend.v1.ThrusterSteering. Older sessions state only the kind, and 1 to 3 mean the same there.
export const STEERING = { none: 1, turns: 2, rudder: 3 };
export function steeringOf(info: ThrusterInfo): number {
  return info.steered.case ? info.steered.value : info.kind;
}

export function isAcross(info: ThrusterInfo): boolean {
  return info.steered.case ? info.across : info.kind === 1;
}

// Direction of thrust, forward and starboard.
export function directionOf(info: ThrusterInfo, azimuth_rad: number): [number, number] {
  if (steeringOf(info) === STEERING.turns) return [Math.cos(azimuth_rad), Math.sin(azimuth_rad)];
  return isAcross(info) ? [0, 1] : [1, 0];
}

export function isOutlineKnown(session: Session | undefined): boolean {
  return (session?.outline.length ?? 0) > 2;
}

/** The outline as pairs (forward, starboard). */
export function outlineOf(session: Session | undefined): [number, number][] {
  return session && isOutlineKnown(session) ? session.outline.map((point) => [point.forwardM, point.starboardM]) : PLAIN;
}

/** What a watch circle means: beyond the largest is the alarm. */
export function circleName(session: Session | undefined, i: number): "warning" | "alarm" {
  return i + 1 === session?.watchCircleM.length ? "alarm" : "warning";
}

export interface Load {
  name: "curvature" | "utilisation";
  unit: string;
  values: readonly number[]; // of each node
  limit?: number;
  full: number; // the limit, or the present maximum
}

/** What the colour of the pipe shows: the curvature, or the utilisation of the code check where there is one. */
export function loadOf(nodes: Nodes, session: Session | undefined, wanted: "curvature" | "utilisation"): Load {
  if (wanted === "utilisation" && nodes.utilisation?.length) return { name: "utilisation", unit: "", values: nodes.utilisation, limit: 1, full: 1 };
  const limit = limitOf(session, "curvature1pm");
  return { name: "curvature", unit: " 1/m", values: nodes.curvature1pm, full: limit ?? (largest(nodes.curvature1pm) || 1), ...(limit && { limit }) };
}

/** A limit of the view; undefined if none is given. */
export function limitOf(session: Session | undefined, name: "curvature1pm" | "momentNm" | "tensionN"): number | undefined {
  return session?.limits?.[name] || undefined;
}
