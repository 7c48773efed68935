// The weather that the vessel holds, by the static balance of sagbend capability at level 2 with the present current: the limiting wind in
// each direction, intact and after each failure, the wind and the current now. The server computes it when the current has changed.
// docs/capability.md
import { el, resize, setData, setText } from "../draw/dom.ts";
import { currentOf, poseOf } from "../draw/geometry.ts";
import { SIGN } from "../draw/signs.ts";
import { fixed, words } from "../draw/units.ts";
import { frame, type Context, type Panel } from "./panel.ts";
import type { Truth } from "../stream/messages.ts";

const ASK_MS = 2000; // between questions
const NS = "http://www.w3.org/2000/svg";
const HALF = 50; // of the drawing, in its units; the rim is the largest wind
const RIM = HALF - 6;
const RINGS_MPS = [10, 20, 30];
const MOST_MPS = 35;

interface Case {
  name: string;
  limit_wind_mps: number[];
  beyond_table: boolean[];
}

interface Answer {
  state: "ready" | "computing" | "failed" | "none"; // none: the server has no configuration
  reason?: string;
  model_hash?: string;
  dynamic_factor?: number;
  external?: string;
  current?: { speed_mps: number; from_deg: number };
  cases?: Case[];
}

/** Wind and current as the vessel meets them: speed in m/s, and degrees clockwise from the bow, from where they come. */
interface Met {
  wind: [number, number];
  current: [number, number];
}

export function capability({ store, history }: Context): Panel {
  const { element, body, note } = frame("capability", "Capability");
  const plot = document.createElementNS(NS, "svg");
  const curves = shape("g", {});
  const held = shape("path", { class: "held" });
  const wind = shape("g", { class: "wind" }, shape("line", {}), shape("circle", { r: 2.4 }));
  const current = shape("path", { class: "current" });
  const labels = RINGS_MPS.map(() => shape("text", {}));
  labels.forEach((made, i) => (made.textContent = String(RINGS_MPS[i])));
  for (const [name, text] of Object.entries({ viewBox: `${-HALF} ${-HALF} ${2 * HALF} ${2 * HALF}`, class: "holds", role: "img" })) plot.setAttribute(name, text);
  plot.append(held, ...RINGS_MPS.map((speed) => shape("circle", { r: radius(speed), class: "ring" })), shape("path", { d: "M-2 3L0 -4L2 3Z", class: "hull" }),
              ...labels, curves, current, wind);
  const facts = el("dl", { class: "facts" });
  const list = el("ul", { class: "margins", "aria-label": "Limiting wind from the present direction" });
  const assumed = el("p", { class: "chips" });
  body.append(plot, facts, list, assumed);
  body.tabIndex = 0; // with many failures it is longer than its room
  body.setAttribute("role", "group");
  body.setAttribute("aria-label", "Capability");
  element.hidden = true; // until the server has a configuration
  let answer: Answer | undefined;
  let asked_ms = -ASK_MS;

  function draw(): void {
    const { truth, session } = store.newest;
    const met = metOf(truth);
    if (session && truth?.thruster.length && met && answer?.state !== "none") void ask(met, session.pipe !== undefined);
    element.hidden = !answer || answer.state === "none" || !met;
    if (element.hidden || !answer || !met) return;
    const hash = session?.modelHash; // 0: of an older program, which tells none
    const stranger = answer.model_hash !== undefined && !!hash && BigInt(`0x${answer.model_hash}`) !== hash;
    const trouble = stranger ? "the session has another model than the configuration of --config and --set"
      : answer.state === "failed" ? (answer.reason ?? "no answer") : "";
    const cases = trouble || !answer.cases ? [] : answer.cases;
    setText(note, trouble ? `${SIGN.caution} not known` : answer.state === "computing" ? "computing" : `wind in m/s, current ${fixed(answer.current?.speed_mps ?? 0, 2)} m/s`);
    setData(note, "state", trouble ? "caution" : "normal");
    setText(assumed, trouble || `level 2, static: waves grow with the wind and come with it; factor ${answer.dynamic_factor ?? ""} on wind, waves and current${answer.external === "pipe" ? "; pull of the pipe" : ""}${hash ? "" : "; the session does not state whether this is its configuration"}`);
    drawPlot(cases, met);
    drawList(cases, met, String(truth?.header?.step ?? ""));
  }

  /** Asks the server again at intervals, unless it has no configuration. */
  async function ask(met: Met, hasPipe: boolean): Promise<void> {
    const now = performance.now();
    if (now - asked_ms < ASK_MS) return;
    asked_ms = now;
    const [speed, from] = met.current;
    try {
      answer = (await history.ask(`capability?current=${speed.toFixed(2)},${from.toFixed(0)}&external=${hasPipe ? "pipe" : "none"}`)) as Answer;
      store.touch("truth");
    } catch {
      // what is there stays
    }
  }

  function drawPlot(cases: readonly Case[], met: Met): void {
    const least = leastOf(cases);
    held.setAttribute("d", cases.length ? outline(least) : "");
    resize(curves, cases.length, () => shape("path", {})).forEach((curve, i) => {
      const one = cases[i] as Case;
      curve.setAttribute("d", outline(one.limit_wind_mps));
      setData(curve as SVGElement, "case", one.name);
      setData(curve as SVGElement, "kind", i === 0 ? "intact" : "failure");
    });
    const [x, y] = at(met.wind[1], met.wind[0]);
    const [line, dot] = Array.from(wind.children) as SVGElement[];
    for (const [name, value] of Object.entries({ x1: 0, y1: 0, x2: x, y2: y })) line?.setAttribute(name, value.toFixed(1));
    dot?.setAttribute("cx", x.toFixed(1));
    dot?.setAttribute("cy", y.toFixed(1));
    setData(wind as SVGElement, "state", stateOf(cases, met));
    current.setAttribute("d", met.current[0] > 0.005 ? arrow(met.current[1]) : "");
    placeLabels(labels, met);
    const worst = worstOf(cases, met.wind[1]);
    plot.setAttribute("aria-label", `Wind ${fixed(met.wind[0], 1)} m/s from ${fixed(met.wind[1], 0)} degrees off the bow; ` +
      (cases.length ? `the intact vessel holds ${limitText(cases[0] as Case, met.wind[1])} m/s there${worst ? `, without ${words(worst.name)} ${limitText(worst, met.wind[1])}` : ""}` : "limits not known"));
  }

  function drawList(cases: readonly Case[], met: Met, step: string): void {
    const terms: [string, string, string][] = [
      ["wind", `${fixed(met.wind[0], 1)} m/s from ${fixed(met.wind[1], 0)}° off the bow`, "wind"],
      ["current", met.current[0] > 0.005 ? `${fixed(met.current[0], 2)} m/s from ${fixed(met.current[1], 0)}° off the bow` : "none", "current"],
    ];
    resize(facts, 2 * terms.length, (i) => el(i % 2 ? "dd" : "dt", {})).forEach((element, i) => {
      const [name, text, quantity] = terms[i >> 1] ?? ["", "", ""];
      setText(element, i % 2 ? text : name);
      if (i % 2) setData(element as HTMLElement, "quantity", `capability.${quantity}`);
    });
    const order = cases.map((one, i) => ({ one, i })).sort((a, b) => (a.i === 0 ? -1 : b.i === 0 ? 1 : limitAt(a.one, met.wind[1]) - limitAt(b.one, met.wind[1])));
    const rows = resize(list, order.length, () => el("li", {}, el("span"), el("div", { class: "bar" }, el("div", { class: "fill" })), el("output")));
    order.forEach(({ one }, i) => {
      const [name, bar, number] = Array.from((rows[i] as HTMLElement).children) as [HTMLElement, HTMLElement, HTMLOutputElement];
      const limit = limitAt(one, met.wind[1]);
      const share = limit > 0 ? met.wind[0] / limit : Infinity;
      setText(name, words(one.name));
      setText(number, limitText(one, met.wind[1]));
      setData(number, "quantity", `capability.${one.name}`);
      setData(number, "step", step);
      setData(number, "state", share > 1 ? "caution" : "normal");
      (bar.firstElementChild as HTMLElement).style.width = `${Math.min(100, 100 * share)}%`;
    });
  }

  return { element, needs: ["truth", "session"], draw };
}

function metOf(truth: Truth | undefined): Met | undefined {
  if (!truth) return undefined;
  const { weather } = truth;
  const current = currentOf(truth);
  const headingRad = poseOf(truth).heading;
  const degrees = (rad: number) => ((((rad * 180) / Math.PI) % 360) + 360) % 360;
  const flow = [current?.northMps ?? 0, current?.eastMps ?? 0] as const;
  return {
    wind: [weather?.windSpeedMps ?? 0, degrees((weather?.windDirectionRad ?? 0) - headingRad)],
    current: [Math.hypot(...flow), degrees(Math.atan2(-flow[1], -flow[0]) - headingRad)],
  };
}

/** Limit in a direction, linear between those of the table. */
function limitAt(one: Case, from_deg: number): number {
  const { length } = one.limit_wind_mps;
  const place = (from_deg / 360) * length;
  const i = Math.floor(place) % length;
  const [a, b] = [one.limit_wind_mps[i] ?? 0, one.limit_wind_mps[(i + 1) % length] ?? 0];
  return a + (place - Math.floor(place)) * (b - a);
}

function limitText(one: Case, from_deg: number): string {
  const { length } = one.limit_wind_mps;
  const i = Math.floor((from_deg / 360) * length) % length;
  const isBeyond = one.beyond_table[i] && one.beyond_table[(i + 1) % length];
  return `${fixed(limitAt(one, from_deg), 1)}${isBeyond ? "+" : ""}`;
}

function worstOf(cases: readonly Case[], from_deg: number): Case | undefined {
  return [...cases.slice(1)].sort((a, b) => limitAt(a, from_deg) - limitAt(b, from_deg))[0];
}

function stateOf(cases: readonly Case[], met: Met): string {
  const [intact] = cases;
  const worst = worstOf(cases, met.wind[1]);
  if (!intact) return "off";
  return met.wind[0] > limitAt(intact, met.wind[1]) ? "alarm" : worst && met.wind[0] > limitAt(worst, met.wind[1]) ? "caution" : "normal";
}

function leastOf(cases: readonly Case[]): number[] {
  return (cases[0]?.limit_wind_mps ?? []).map((_, d) => Math.min(...cases.map((one) => one.limit_wind_mps[d] ?? 0)));
}

function radius(speed_mps: number): number {
  return (RIM * Math.min(speed_mps, MOST_MPS)) / MOST_MPS;
}

/** The bow is up, directions count clockwise. */
function at(from_deg: number, speed_mps: number): [number, number] {
  const angle = (from_deg * Math.PI) / 180;
  return [radius(speed_mps) * Math.sin(angle), -radius(speed_mps) * Math.cos(angle)];
}

function outline(limits: readonly number[]): string {
  return `${limits.map((limit, i) => `${i ? "L" : "M"}${at((360 * i) / limits.length, limit).map((v) => v.toFixed(1)).join(" ")}`).join("")}Z`;
}

/** Flows in from the rim. */
function arrow(from_deg: number): string {
  const [x, y] = at(from_deg, MOST_MPS);
  const [u, v] = [x / RIM, y / RIM];
  const [ex, ey] = [x - 14 * u, y - 14 * v];
  const wing = (side: number) => `${(ex + 4 * u + side * 3 * v).toFixed(1)} ${(ey + 4 * v - side * 3 * u).toFixed(1)}`;
  return `M${x.toFixed(1)} ${y.toFixed(1)}L${ex.toFixed(1)} ${ey.toFixed(1)}M${wing(1)}L${ex.toFixed(1)} ${ey.toFixed(1)}L${wing(-1)}`;
}

/** The speeds of the rings stand inside them, ahead, abeam or astern: where neither wind nor current comes from. */
function placeLabels(labels: readonly SVGElement[], { wind, current }: Met): void {
  const apart = (a: number, b: number) => Math.abs(((((a - b) % 360) + 540) % 360) - 180);
  const room = (side: number) => Math.min(apart(side, wind[1]), current[0] > 0.005 ? apart(side, current[1]) : 180);
  const side = [0, 180, 90, 270].reduce((best, next) => (room(next) > room(best) + 1 ? next : best));
  labels.forEach((made, i) => {
    const [x, y] = at(side, RINGS_MPS[i] ?? 0);
    made.setAttribute("x", (x + (side === 90 ? -6 : 1)).toFixed(1));
    made.setAttribute("y", (y + (side === 0 ? 5 : -1)).toFixed(1));
  });
}

function shape(tag: string, attributes: Record<string, string | number>, ...children: SVGElement[]): SVGElement {
  const made = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}
