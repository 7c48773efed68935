// The plan: vessel, set-point, watch circles, trail, pipe, route with its way-points, laid pipe, wind and current, north up or heading up.
import { Surface, niceStep } from "../draw/canvas.ts";
import { press, setText, toggle } from "../draw/dom.ts";
import { azimuth, currentOf, largest, poseOf, type Pose } from "../draw/geometry.ts";
import { Pan } from "../draw/pan.ts";
import { colours } from "../draw/palette.ts";
import { routeLine } from "../draw/route.ts";
import { bearing, fixed } from "../draw/units.ts";
import { circleName, isOutlineKnown, outlineOf, pipeOf, zoneOf } from "../store/session.ts";
import type { LaidPoint } from "../store/laid.ts";
import { frame, type Context, type Panel } from "./panel.ts";
import type { Station } from "../stream/headed.ts";
import type { Nodes, Route, Session, Truth } from "../stream/messages.ts";

type Map = (north: number, east: number) => [number, number];

export function plan({ store, settings }: Context): Panel {
  const { element, body, controls, note } = frame("plan", "Plan");
  const up = toggle("HDG UP", "Heading up, or north up", () => settings.set("isHeadingUp", !settings.values.isHeadingUp));
  const whole = toggle("PIPE", "Show the whole pipe, or the vessel and its watch circles",
                       () => settings.set("plan", settings.values.plan === "pipe" ? "vessel" : "pipe"));
  const closer = toggle("+", "Closer", () => pan.zoomBy(1.5));
  const wider = toggle("−", "Wider", () => pan.zoomBy(1 / 1.5));
  controls.append(up, whole, closer, wider);
  const surface = new Surface(body, "plan", draw);
  const pan = new Pan(surface.canvas, draw);

  function draw(): void {
    press(up, settings.values.isHeadingUp);
    press(whole, settings.values.plan === "pipe");
    const { truth, session, nodes } = store.newest;
    const outline = session && !isOutlineKnown(session) ? "; outline not given" : "";
    setText(note, (settings.values.isHeadingUp ? "heading up" : "north up") + outline);
    if (!surface.begin()) return;
    const c = colours();
    if (!truth) {
      surface.text("no position yet", surface.width / 2, surface.height / 2, c.muted, "center");
      return;
    }
    const pose = poseOf(truth);
    const target = store.target();
    const away = target ? `, ${fixed(Math.hypot(pose.north - target.northM, pose.east - target.eastM), 1)} m from the target` : "";
    surface.describe(`Plan, ${settings.values.isHeadingUp ? "heading" : "north"} up: vessel at ${fixed(pose.north, 0)} m north, ${fixed(pose.east, 0)} m east${away}`);
    const [centre, radius] = extent();
    const scale = (Math.min(surface.width, surface.height) / 2 - 12) / radius * pan.zoom;
    const turn = settings.values.isHeadingUp ? pose.heading : 0;
    const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
    const map: Map = (north, east) => {
      const [dn, de] = [north - centre[0], east - centre[1]];
      return [surface.width / 2 + pan.right + scale * (de * cos - dn * sin), surface.height / 2 + pan.down - scale * (dn * cos + de * sin)];
    };

    const [ox, oy] = [pan.right / scale, pan.down / scale];
    drawGrid(surface, map, scale, [centre[0] + oy * cos + ox * sin, centre[1] + oy * sin - ox * cos]);
    drawRoute(surface, map, session?.route, truth);
    drawLaid(surface, map, store.laid.points, nodes);
    if (nodes) surface.line(nodes.northM.map((n, i) => map(n, nodes.eastM[i] ?? 0)), c.second, 2);
    drawCircles(surface, map, scale, session, target);
    surface.line(store.trail.map(([n, e]) => map(n, e)), c.first, 1.2);
    drawVessel(surface, map, pose, session);
    labelCircles(surface, map, scale, session, target);
    drawTarget(surface, map, target);
    drawDeviation(surface, map, pose, target, session);
    const touchdown = pipeOf(store.newest)?.touchdown;
    if (touchdown) drawTouchdown(surface, map(touchdown.northM, touchdown.eastM));
    drawWeather(surface, truth, turn);
    drawNorth(surface, turn);
    drawScale(surface, scale);

    function extent(): [[number, number], number] {
      const length = largest(outlineOf(session).map(([f, s]) => Math.hypot(f, s)));
      if (settings.values.plan === "pipe" && nodes && nodes.northM.length) {
        const laid = [...store.laid.points.map(([n, e]) => [n, e] as const), ...routeLine(session?.route)];
        const points = nodes.northM.map((n, i) => [n, nodes.eastM[i] ?? 0] as const).concat([[pose.north, pose.east]], laid);
        const middle = (values: number[]): number => (Math.min(...values) + Math.max(...values)) / 2;
        const [n, e] = [middle(points.map((p) => p[0])), middle(points.map((p) => p[1]))];
        return [[n, e], largest(points.map((p) => Math.hypot(p[0] - n, p[1] - e))) + length];
      }
      const at: [number, number] = target ? [target.northM, target.eastM] : [pose.north, pose.east];
      const away = Math.hypot(pose.north - at[0], pose.east - at[1]);
      return [at, Math.max(1.25 * largest((session?.watchCircleM ?? [])), 1.2 * length, away + length)];
    }
  }

  return { element, needs: ["truth", "nodes", "session", "status", "settings"], draw };
}

function drawGrid(surface: Surface, map: Map, scale: number, centre: [number, number]): void {
  const c = colours();
  const half = Math.hypot(surface.width, surface.height) / scale / 2;
  const step = niceStep(half * 2, 8);
  for (let i = -Math.ceil(half / step); i <= Math.ceil(half / step); i++) {
    const [n, e] = [(Math.round(centre[0] / step) + i) * step, (Math.round(centre[1] / step) + i) * step];
    surface.line([map(n, centre[1] - half), map(n, centre[1] + half)], c.divider, 1);
    surface.line([map(centre[0] - half, e), map(centre[0] + half, e)], c.divider, 1);
  }
}

/** The route, a ring at each way-point, and from the vessel's point to the nearest point of the route the cross-track error. */
function drawRoute(surface: Surface, map: Map, route: Route | undefined, truth: Truth): void {
  if (!route) return;
  const c = colours();
  surface.line(routeLine(route).map(([n, e]) => map(n, e)), c.third, 1.5, [12, 4, 2, 4]);
  route.waypoints.forEach(({ northM, eastM }, i) => {
    const [x, y] = map(northM, eastM);
    surface.circle(x, y, 4, c.third, 1.5);
    surface.text(String(i + 1), x + 8, y - 8, c.text, "left", c.surface);
  });
  if (!truth.route) return;
  const [n, e] = poseOf(truth).toWorld(route.pointForwardM, route.pointStarboardM, 0);
  const { northM, eastM, headingRad } = truth.route;
  const [cos, sin] = [Math.cos(headingRad), Math.sin(headingRad)];
  const foot = map(northM + cos * route.pointForwardM - sin * route.pointStarboardM, eastM + sin * route.pointForwardM + cos * route.pointStarboardM);
  surface.line([map(n, e), foot], c.third, 2);
  surface.dot(...foot, 3, c.third);
}

/** Laid pipe that has left the computation: to the present lower end, with a mark at each end. */
function drawLaid(surface: Surface, map: Map, points: readonly LaidPoint[], nodes: Nodes | undefined): void {
  if (!points.length) return;
  const c = colours();
  const line = points.map(([n, e]) => map(n, e));
  if (nodes?.northM.length) line.push(map(nodes.northM[0] ?? 0, nodes.eastM[0] ?? 0));
  surface.line(line, c.second, 2, [7, 4]);
  for (const [x, y] of [line[0], line.at(-1)] as [number, number][]) surface.dot(x, y, 3, c.second);
}

/** The warning circle is dashed, the alarm circle solid. */
function drawCircles(surface: Surface, map: Map, scale: number, session: Session | undefined, target: Station | undefined): void {
  if (!target) return;
  const c = colours();
  const circles = (session?.watchCircleM ?? []);
  const [x, y] = map(target.northM, target.eastM);
  circles.forEach((radius, i) => {
    const isAlarm = circleName(session, i) === "alarm";
    surface.circle(x, y, radius * scale, c.outline, isAlarm ? 2 : 1.5, isAlarm ? [] : [7, 5]);
  });
}

function labelCircles(surface: Surface, map: Map, scale: number, session: Session | undefined, target: Station | undefined): void {
  if (!target) return;
  const c = colours();
  const circles = session?.watchCircleM ?? [];
  const [x, y] = map(target.northM, target.eastM);
  circles.forEach((radius, i) => {
    const at = radius * scale * Math.SQRT1_2;
    const side = i % 2 ? 1 : -1; // neighbours are labelled on different sides
    surface.text(`${circleName(session, i)} ${fixed(radius, radius < 10 ? 1 : 0)} m`, x + side * (at + 5), y - at - 7, c.text, side > 0 ? "left" : "right", c.surface);
  });
}

function drawVessel(surface: Surface, map: Map, pose: Pose, session: Session | undefined): void {
  const c = colours();
  const outline = outlineOf(session);
  const at = (f: number, s: number): [number, number] => {
    const [n, e] = pose.toWorld(f, s, 0);
    return map(n, e);
  };
  const points = outline.map(([f, s]) => at(f, s));
  surface.context.globalAlpha = 0.75;
  surface.fill(points, c.weak);
  surface.context.globalAlpha = 1;
  surface.line(points, c.strong, 1.5, isOutlineKnown(session) ? [] : [4, 4], true);
  const bow = Math.max(...outline.map(([f]) => f));
  surface.line([at(0, 0), at(bow * 1.35, 0)], c.strong, 1.2);
}

/** From the target to the reference point, in the colour of its zone; a ring inside the warning circle, a triangle beyond it, a square
    beyond the alarm circle. */
function drawDeviation(surface: Surface, map: Map, pose: Pose, target: Station | undefined, session: Session | undefined): void {
  const c = colours();
  const [x, y] = map(pose.north, pose.east);
  const zone = zoneOf(session, target && Math.hypot(pose.north - target.northM, pose.east - target.eastM));
  const colour = { unknown: c.strong, inside: c.normal, warning: c.caution, alarm: c.alarm }[zone];
  if (target) surface.line([map(target.northM, target.eastM), [x, y]], colour, 2.5);
  if (zone === "warning") surface.fill([[x, y - 8], [x + 7, y + 5], [x - 7, y + 5]], colour);
  else if (zone === "alarm") surface.fill([[x - 6, y - 6], [x + 6, y - 6], [x + 6, y + 6], [x - 6, y + 6]], colour);
  else surface.circle(x, y, 5, colour, 2.5);
}

function drawTarget(surface: Surface, map: Map, target: Station | undefined): void {
  if (!target) return;
  const c = colours();
  const [x, y] = map(target.northM, target.eastM);
  surface.line([[x - 9, y], [x + 9, y]], c.text, 1.5);
  surface.line([[x, y - 9], [x, y + 9]], c.text, 1.5);
  const [hx, hy] = map(target.northM + Math.cos(target.headingRad), target.eastM + Math.sin(target.headingRad));
  const angle = Math.atan2(hx - x, y - hy);
  surface.line([[x, y], [x + 26 * Math.sin(angle), y - 26 * Math.cos(angle)]], c.text, 1, [3, 3]);
}

function drawTouchdown(surface: Surface, [x, y]: [number, number]): void {
  const c = colours();
  surface.line([[x, y - 6], [x + 6, y], [x, y + 6], [x - 6, y]], c.second, 2, [], true);
}

function drawWeather(surface: Surface, truth: Truth, turn: number): void {
  const weather = truth.weather, water = currentOf(truth);
  const c = colours();
  const y = surface.height - 34;
  if (weather) {
    surface.arrow(26 + 14 * Math.sin(weather.windDirectionRad - turn), y - 14 * Math.cos(weather.windDirectionRad - turn),
                  weather.windDirectionRad - turn + Math.PI, 28, c.first, 2);
    surface.text("wind", 26, surface.height - 8, c.muted, "center");
  }
  if (water && Math.hypot(water.northMps, water.eastMps) > 1e-3) {
    const towards = azimuth(water.northMps, water.eastMps) - turn;
    surface.arrow(76 - 14 * Math.sin(towards), y + 14 * Math.cos(towards), towards, 28, c.third, 3);
    surface.text("current", 76, surface.height - 8, c.muted, "center");
  }
}

function drawNorth(surface: Surface, turn: number): void {
  const c = colours();
  const [x, y] = [24, 30];
  surface.arrow(x + 14 * Math.sin(turn), y + 14 * Math.cos(turn), -turn, 28, c.text, 1.5);
  surface.text("N", x - 20 * Math.sin(turn), y - 20 * Math.cos(turn), c.text, "center");
  if (turn) surface.text(`${bearing(turn, 0)}°`, surface.width / 2, 9, c.text, "center", c.surface);
}

function drawScale(surface: Surface, scale: number): void {
  const c = colours();
  const step = niceStep(surface.width / scale, 7);
  const [x, y] = [surface.width - 14, surface.height - 12];
  surface.line([[x - step * scale, y - 4], [x - step * scale, y], [x, y], [x, y - 4]], c.text, 1.5);
  surface.text(`${step < 1 ? fixed(step, 1) : fixed(step, 0)} m`, x - (step * scale) / 2, y - 9, c.text, "center", c.surface);
}
