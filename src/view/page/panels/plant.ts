// One-line diagram of the power plant: sets with their breakers above the buses, ties between them, load and frequency below.
import { SIGN } from "../draw/signs.ts";
import { scaled, words } from "../draw/units.ts";
import type { BatteryTruth, BusTruth, GeneratorInfo, GeneratorTruth, PowerPlantInfo, Truth } from "../stream/messages.ts";

const ON_LINE = 4;
const PHASES: Record<number, string> = { 1: "stopped", 2: "starting", 3: "idle", 4: "on line" };
const SET = 76; // width of a set, in units of the drawing
const GAP = 40; // between buses
const BUS_Y = 72;
const HEIGHT = 118;

type Shape = readonly [tag: string, attributes: Record<string, string | number>, text?: string];

/** Draws the plant into an SVG element, if anything that it shows has changed. */
export function plantInto(svg: SVGSVGElement, info: PowerPlantInfo, truth: Truth): void {
  const shapes = shapesOf(info, truth);
  const key = JSON.stringify(shapes);
  if (svg.dataset["drawn"] === key) return;
  svg.dataset["drawn"] = key;
  svg.setAttribute("viewBox", `0 0 ${widthOf(info, truth)} ${HEIGHT + 14 * arcsOf(info, truth)}`);
  svg.setAttribute("aria-label", labelOf(info, truth));
  if (svg.parentElement) svg.parentElement.title = labelOf(info, truth);
  svg.replaceChildren(...shapes.map(([tag, attributes, text]) => {
    const shape = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) shape.setAttribute(name, String(value));
    if (text !== undefined) shape.textContent = text;
    return shape;
  }));
}

interface Place {
  from: number;
  to: number;
}

/** What feeds a bus: names of its sets, then of its batteries. */
function feeders(info: PowerPlantInfo, bus: string): string[] {
  return [...info.generator, ...info.battery].filter((one) => one.bus === bus).map((one) => one.name);
}

function placesOf(info: PowerPlantInfo, truth: Truth): Map<string, Place> {
  const places = new Map<string, Place>();
  let x = 4;
  for (const bus of truth.bus) {
    const width = SET * Math.max(1.5, feeders(info, bus.name).length);
    places.set(bus.name, { from: x, to: x + width });
    x += width + GAP;
  }
  return places;
}

function widthOf(info: PowerPlantInfo, truth: Truth): number {
  return Math.max(100, ...Array.from(placesOf(info, truth).values(), (place) => place.to + 4));
}

/** Ties between buses that are not neighbours hang below. */
function arcsOf(info: PowerPlantInfo, truth: Truth): number {
  return info.tie.filter((tie) => !areNeighbours(truth, tie.from, tie.to)).length;
}

function areNeighbours(truth: Truth, a: string, b: string): boolean {
  const at = (name: string) => truth.bus.findIndex((bus) => bus.name === name);
  return Math.abs(at(a) - at(b)) === 1;
}

function isDark(bus: BusTruth | undefined): boolean {
  return !bus || bus.frequency <= 0;
}

/** What a set does, and the kind of state that it is. */
export function stateOf(set: GeneratorTruth | undefined, info: GeneratorInfo): [string, string] {
  if (!set) return ["–", "off"];
  if (set.phase === ON_LINE) return [`${scaled(set.loadW, "W")}, ${Math.round((100 * set.loadW) / info.ratingW)}\u00a0%`, set.loadW > info.ratingW || set.loadW < 0 ? "caution" : "normal"];
  if (set.tripCount > 0n && set.trip) return [`${SIGN.alarm} tripped`, "alarm"];
  return [`${set.phase === 1 ? SIGN.off : SIGN.caution} ${PHASES[set.phase] ?? "unknown"}`, set.phase === 1 ? "off" : "caution"];
}

/** What a battery does, its charge, and the kind of state that it is. */
export function batteryState(battery: BatteryTruth | undefined): [string, string] {
  if (!battery) return ["–", "off"];
  const charge = `${Math.round(100 * battery.charge)}\u00a0%`;
  if (battery.powerW > 0) return [`${charge}, gives ${scaled(battery.powerW, "W")}`, battery.charge < 0.2 ? "alarm" : "caution"];
  if (battery.powerW < 0) return [`${charge}, takes ${scaled(-battery.powerW, "W")}`, "normal"];
  return [charge, battery.charge < 0.2 ? "caution" : "normal"];
}

function breaker(x: number, y: number, isClosed: boolean, name: string): Shape {
  return ["rect", { class: isClosed ? "closed" : "open", x: x - 5, y: y - 5, width: 10, height: 10, "data-breaker": name, "data-closed": String(isClosed) }];
}

function setShapes(x: number, name: string, letter: string, state: [string, string], isClosed: boolean | undefined): Shape[] {
  const shapes: Shape[] = [
    ["text", { x, y: 10, class: "name", "data-set": name, "data-state": state[1] }, words(name)],
    ["text", { x, y: 21, class: `state ${state[1]}`, "data-load": name }, state[0]],
    ["line", { x1: x, y1: 44, x2: x, y2: BUS_Y, class: "wire" }],
    ["circle", { cx: x, cy: 35, r: 9, class: state[1] === "normal" || state[1] === "caution" ? "live" : "dead" }],
    ["text", { x, y: 38.5, class: "letter" }, letter],
  ];
  if (isClosed !== undefined) shapes.push(breaker(x, 58, isClosed, name));
  return shapes;
}

function shapesOf(info: PowerPlantInfo, truth: Truth): Shape[] {
  const shapes: Shape[] = [];
  const places = placesOf(info, truth);
  const sets = new Map((truth.powerPlant?.generator ?? []).map((set) => [set.name, set]));
  const batteries = new Map((truth.powerPlant?.battery ?? []).map((one) => [one.name, one]));
  truth.bus.forEach((bus, b) => {
    const place = places.get(bus.name) as Place;
    const names = feeders(info, bus.name);
    names.forEach((name, i) => {
      const x = place.from + ((place.to - place.from) * (i + 0.5)) / names.length;
      const generator = info.generator.find((one) => one.name === name);
      const set = sets.get(name);
      if (generator) shapes.push(...setShapes(x, name, "G", stateOf(set, generator), set?.phase === ON_LINE));
      else shapes.push(...setShapes(x, name, "B", batteryState(batteries.get(name)), undefined));
    });
    const dark = isDark(bus);
    const x = (place.from + place.to) / 2;
    shapes.push(["line", { x1: place.from, y1: BUS_Y, x2: place.to, y2: BUS_Y, class: dark ? "busbar dark" : "busbar", "data-bus": bus.name }]);
    const what = dark ? `${SIGN.alarm} dark` : `${bus.limited ? SIGN.caution : SIGN.normal} f ${bus.frequency.toFixed(3)}, V ${bus.voltage.toFixed(3)}`;
    shapes.push(["text", { x, y: BUS_Y + 15, class: "name" }, words(bus.name)]);
    shapes.push(["text", { x, y: BUS_Y + 27, class: `state ${dark ? "alarm" : bus.limited ? "caution" : "normal"}`, "data-frequency": bus.name }, what]);
    const hotel = dark ? 0 : info.hotelW[b] ?? 0;
    shapes.push(["text", { x, y: BUS_Y + 39, class: "state", "data-load-of": bus.name }, `${scaled(bus.usedW, "W")} drives${hotel ? ` + ${scaled(hotel, "W")} hotel` : ""}`]);
  });
  let arcs = 0;
  info.tie.forEach((tie, i) => {
    const [a, b] = [places.get(tie.from), places.get(tie.to)];
    if (!a || !b) return;
    const [left, right] = a.from < b.from ? [a, b] : [b, a];
    const isClosed = truth.powerPlant?.tie[i]?.closed ?? false;
    if (areNeighbours(truth, tie.from, tie.to)) {
      shapes.push(["line", { x1: left.to, y1: BUS_Y, x2: right.from, y2: BUS_Y, class: "wire" }], breaker((left.to + right.from) / 2, BUS_Y, isClosed, tie.name));
      shapes.push(["text", { x: (left.to + right.from) / 2, y: BUS_Y - 10, class: "name" }, words(tie.name)]);
      return;
    }
    const y = HEIGHT + 14 * arcs++;
    shapes.push(["path", { d: `M${left.to - 6} ${BUS_Y}V${y}H${right.from + 6}V${BUS_Y}`, class: "wire" }], breaker((left.to + right.from) / 2, y, isClosed, tie.name));
    shapes.push(["text", { x: (left.to + right.from) / 2 + 24, y: y - 4, class: "name" }, words(tie.name)]);
  });
  return shapes;
}

function labelOf(info: PowerPlantInfo, truth: Truth): string {
  const running = truth.powerPlant?.generatorsRunning ?? 0;
  const dark = truth.bus.filter(isDark).map((bus) => words(bus.name));
  const tripped = (truth.powerPlant?.generator ?? []).filter((set) => set.phase !== ON_LINE && set.trip).map((set) => `${words(set.name)} tripped: ${words(set.trip)}`);
  return `One-line diagram: ${running} of ${info.generator.length} sets on line${dark.length ? `, dark: ${dark.join(", ")}` : ""}${tripped.map((text) => `; ${text}`).join("")}`;
}
