// The elevation: the vertical section through the pipe's lower end and the hang-off. Same scale in both directions.
import { Surface, niceStep } from "../draw/canvas.ts";
import { press, toggle } from "../draw/dom.ts";
import { Pan } from "../draw/pan.ts";
import { largest, poseOf } from "../draw/geometry.ts";
import { colours, loadColour } from "../draw/palette.ts";
import { fixed } from "../draw/units.ts";
import { loadOf, outlineOf, pipeOf, seabedDown, type Load } from "../store/session.ts";
import { frame, type Context, type Panel } from "./panel.ts";
import type { Nodes, Session, Truth } from "../stream/messages.ts";

const MARGIN = { left: 46, right: 16, top: 26, bottom: 24 };

interface View {
  x(along: number): number; // m from the lower end
  y(down: number): number;
  scale: number;
}

export function elevation({ store, settings }: Context): Panel {
  const { element, body, controls, note } = frame("elevation", "Elevation");
  const check = toggle("CODE CHECK", "Colour the pipe by the utilisation of the code check, or by curvature",
                       () => settings.set("load", settings.values.load === "utilisation" ? "curvature" : "utilisation"));
  check.hidden = true; // without a code check
  const along = toggle("GRAPHS", "Show tension, moment, curvature, utilisation and clearance along the pipe", () => settings.set("isRange", !settings.values.isRange));
  controls.append(check, along);
  const surface = new Surface(body, "elevation", draw);
  const pan = new Pan(surface.canvas, draw);

  function draw(): void {
    const { nodes, truth, session } = store.newest;
    element.hidden = !nodes && !session?.pipe;
    if (!surface.begin()) return;
    const c = colours();
    check.hidden = !nodes?.utilisation?.length;
    press(along, settings.values.isRange);
    press(check, settings.values.load === "utilisation");
    if (!nodes || nodes.northM.length < 2) {
      surface.text("no shape of the pipe yet", surface.width / 2, surface.height / 2, c.muted, "center");
      return;
    }
    const section = sectionOf(nodes);
    const view = fit(section, session, surface, pan);
    surface.describe(`Elevation of the pipe: ${nodes.northM.length} nodes, lower end at ${fixed(section.down[0], 0)} m depth`);
    drawWater(surface, view, section, session);
    const load = loadOf(nodes, session, settings.values.load);
    drawPipe(surface, view, section, load);
    drawSupports(surface, view, section, truth, session);
    drawVessel(surface, view, section, truth, session);
    drawTouchdown(surface, view, section, session, store.newest);
    drawLegend(surface, load);
    const top = store.isLay ? nodes.arcLengthM?.at(-1) : undefined;
    note.textContent = `${nodes.northM.length} nodes` + (top === undefined ? "" : `, ${fixed(nodes.arcLengthM[0], 0)} to ${fixed(top, 0)} m of the pipe`);
  }

  return { element, needs: ["nodes", "truth", "session", "settings"], draw };
}

interface Section {
  along: number[]; // of the nodes
  down: readonly number[];
  place(north: number, east: number): number;
  north: number; // unit vector of the plane
  east: number;
  from: [number, number];
}

function sectionOf(nodes: Nodes): Section {
  const last = nodes.northM.length - 1;
  const [n0, e0] = [nodes.northM[0] ?? 0, nodes.eastM[0] ?? 0];
  const [dn, de] = [(nodes.northM[last] ?? 0) - n0, (nodes.eastM[last] ?? 0) - e0];
  const length = Math.hypot(dn, de) || 1;
  const [north, east] = [dn / length, de / length];
  const place = (n: number, e: number) => (n - n0) * north + (e - e0) * east;
  return { along: nodes.northM.map((n, i) => place(n, nodes.eastM[i] ?? 0)), down: nodes.downM, place, north, east, from: [n0, e0] };
}

function fit(section: Section, session: Session | undefined, surface: Surface, pan: Pan): View {
  const vessel = largest(outlineOf(session).map(([f, s]) => Math.hypot(f, s)));
  const end = section.along.at(-1) ?? 0;
  const [low, high] = [Math.min(0, ...section.along) - 10, end + 1.6 * vessel];
  const floor = largest(section.down) * 1.08 + 5;
  const roof = -Math.max(18, floor * 0.08);
  const width = surface.width - MARGIN.left - MARGIN.right;
  const height = surface.height - MARGIN.top - MARGIN.bottom;
  const scale = Math.min(width / (high - low), height / (floor - roof)) * pan.zoom;
  const left = MARGIN.left + (width - scale * (high - low)) / 2 + pan.right;
  const top = MARGIN.top + (height - scale * (floor - roof)) / 2 + pan.down;
  return { x: (along) => left + (along - low) * scale, y: (down) => top + (down - roof) * scale, scale };
}

function drawWater(surface: Surface, view: View, section: Section, session: Session | undefined): void {
  const c = colours();
  const [left, right] = [MARGIN.left, surface.width - MARGIN.right];
  const sea = view.y(0);
  const along = (x: number) => (x - view.x(0)) / view.scale;
  const profile: [number, number][] = [];
  for (let x = left; x <= right; x += 4) {
    const a = along(x);
    const down = seabedDown(session, section.from[0] + a * section.north, section.from[1] + a * section.east) ?? largest(section.down);
    profile.push([x, Math.min(view.y(down), surface.height - MARGIN.bottom)]);
  }
  surface.fill([[left, sea], [right, sea], ...[...profile].reverse()], c.water);
  surface.fill([...profile, [right, surface.height - MARGIN.bottom], [left, surface.height - MARGIN.bottom]], c.seabed);
  surface.line(profile, c.outline, 1.5);
  surface.line([[left, sea], [right, sea]], c.first, 1.5);

  const step = niceStep((surface.height - MARGIN.top - MARGIN.bottom) / view.scale, 5);
  for (let down = 0; view.y(down) < surface.height - MARGIN.bottom; down += step) {
    surface.line([[left - 4, view.y(down)], [left, view.y(down)]], c.muted);
    surface.text(fixed(down, 0), left - 7, view.y(down), c.muted, "right");
  }
  const across = niceStep((right - left) / view.scale, 7);
  for (let a = Math.ceil(along(left) / across) * across; view.x(a) <= right; a += across) {
    surface.line([[view.x(a), surface.height - MARGIN.bottom], [view.x(a), surface.height - MARGIN.bottom + 4]], c.muted);
    surface.text(fixed(a, 0), view.x(a), surface.height - 11, c.muted, "center");
  }
  surface.text("depth [m]", 4, 11, c.muted);
  surface.text("from the lower end [m]", right, surface.height - MARGIN.bottom - 9, c.muted, "right", c.seabed);
}

function drawPipe(surface: Surface, view: View, section: Section, load: Load): void {
  for (let i = 1; i < section.along.length; i++) {
    const share = Math.max(load.values[i - 1] ?? 0, load.values[i] ?? 0) / load.full;
    surface.line(
      [[view.x(section.along[i - 1] ?? 0), view.y(section.down[i - 1] ?? 0)], [view.x(section.along[i] ?? 0), view.y(section.down[i] ?? 0)]],
      loadColour(share, !!load.limit), load.limit && share > 1 ? 5 : 3,
    );
  }
}

/** The supports of a stinger below the pipe: filled where the pipe presses on them. */
function drawSupports(surface: Surface, view: View, section: Section, truth: Truth | undefined, session: Session | undefined): void {
  const pipe = session?.pipe;
  if (!truth || !pipe?.supportForwardM?.length) return;
  const c = colours();
  const pose = poseOf(truth);
  const radius = Math.max(2, Math.min(5, view.scale));
  pipe.supportForwardM.forEach((forward, k) => {
    const [north, east, down] = pose.toWorld(forward, pipe.supportStarboardM[k] ?? 0, pipe.supportDownM[k] ?? 0);
    const [x, y] = [view.x(section.place(north, east)), view.y(down) + radius + 1.5];
    if ((truth.pipe?.stinger?.supportReactionN[k] ?? 0) > 0) surface.dot(x, y, radius, c.strong2);
    else surface.circle(x, y, radius, c.strong2);
  });
}

function drawVessel(surface: Surface, view: View, section: Section, truth: Truth | undefined, session: Session | undefined): void {
  if (!truth) return;
  const c = colours();
  const pose = poseOf(truth);
  const at = (f: number, d: number): [number, number] => {
    const [n, e, down] = pose.toWorld(f, 0, d);
    return [view.x(section.place(n, e)), view.y(down)];
  };
  const outline = outlineOf(session);
  const bow = Math.max(...outline.map(([f]) => f));
  const stern = Math.min(...outline.map(([f]) => f));
  const depth = (bow - stern) / 16; // the drawing's choice: the outline is a plan
  const hull = [at(stern, -depth * 0.7), at(bow, -depth), at(bow - depth, depth), at(stern + depth * 0.6, depth)];
  const house = [at(bow - 6 * depth, -depth * 0.8), at(bow - 6 * depth, -depth * 2.4), at(bow - 3 * depth, -depth * 2.4), at(bow - 2.4 * depth, -depth * 0.9)];
  surface.fill(house, c.weak);
  surface.fill(hull, c.weak);
  surface.line(house, c.strong, 1.2);
  surface.line(hull, c.strong, 1.2, [], true);
  const pipe = truth.pipe;
  if (pipe) surface.dot(view.x(section.place(pipe.hangoffNorthM, pipe.hangoffEastM)), view.y(pipe.hangoffDownM), 3.5, c.strong);
}

function drawTouchdown(surface: Surface, view: View, section: Section, session: Session | undefined, newest: Context["store"]["newest"]): void {
  const touchdown = pipeOf(newest)?.touchdown;
  if (!touchdown) return;
  const c = colours();
  const [x, y] = [view.x(section.place(touchdown.northM, touchdown.eastM)), view.y(touchdown.downM)];
  surface.fill([[x, y + 3], [x - 6, y + 14], [x + 6, y + 14]], c.strong);
  const text = `touchdown, lay-back ${fixed(touchdown.laybackM, 1)} m`;
  surface.text(text, Math.max(x - 12, MARGIN.left + 4 + surface.context.measureText(text).width), y - 14, c.text, "right", session ? c.water : "");
}

function drawLegend(surface: Surface, load: Load): void {
  const c = colours();
  const decimals = load.name === "curvature" ? 4 : 2;
  const text = `${fixed(load.full, decimals)}${load.unit}, ${load.limit ? "the limit" : "the present maximum"}`;
  const width = 60;
  const x = surface.width - 10 - surface.context.measureText(text).width - width - 6;
  for (let i = 0; i < width; i += 2) surface.fill([[x + i, 7], [x + i + 2, 7], [x + i + 2, 15], [x + i, 15]], loadColour(i / width, !!load.limit));
  surface.text(`${load.name} 0`, x - 6, 11, c.muted, "right");
  surface.text(text, x + width + 6, 11, c.muted);
}
