// Along the pipe: tension, moment, curvature, utilisation, fatigue and clearance against arc length, now and between the extremes since the
// start of the session. A row of its own while the viewer wants it.
import uPlot from "uplot";
import { el, setText } from "../draw/dom.ts";
import { colours, rgb } from "../draw/palette.ts";
import { fixed } from "../draw/units.ts";
import { limitOf } from "../store/session.ts";
import type { Nodes, Session } from "../stream/messages.ts";
import { frame, type Context, type Panel } from "./panel.ts";
import { drawLimits, rangeOf, tickDecimals, tidy } from "./trend_plot.ts";

interface Extremes {
  min: (number | null)[];
  max: (number | null)[];
}
type Envelope = { time_s: number; arc_length_m: number[] } & Record<string, Extremes>;

interface Graph {
  name: string; // as the server's
  label: string;
  scale: number;
  values(nodes: Nodes): readonly number[];
  limit(session: Session | undefined): number | undefined;
}
const GRAPHS: readonly Graph[] = [
  { name: "tension_n", label: "effective tension [kN]", scale: 1e-3, values: (n) => n.effectiveTensionN, limit: (s) => limitOf(s, "tensionN") },
  { name: "moment_nm", label: "bending moment [kN m]", scale: 1e-3, values: (n) => n.bending2Nm.map((x, i) => Math.hypot(x, n.bending3Nm[i] ?? 0)), limit: (s) => limitOf(s, "momentNm") },
  { name: "curvature_1pm", label: "curvature [1/m]", scale: 1, values: (n) => n.curvature1pm, limit: (s) => limitOf(s, "curvature1pm") },
  { name: "utilisation", label: "utilisation", scale: 1, values: (n) => n.utilisation, limit: () => 1 },
  { name: "fatigue_damage", label: "fatigue damage", scale: 1, values: (n) => n.fatigueDamage, limit: () => undefined },
  { name: "clearance_m", label: "clearance of the seabed [m]", scale: 1, values: (n) => n.penetrationM.map((x) => -x), limit: () => undefined },
];
const ASK_MS = 2000; // for the extremes

export function range({ store, settings, history }: Context): Panel {
  const { element, body, note, controls } = frame("range", "Along the pipe");
  element.hidden = true;
  const close = el("button", { type: "button", title: "Hide the graphs along the pipe" }, "CLOSE");
  close.addEventListener("click", () => settings.set("isRange", false));
  controls.append(close);
  body.tabIndex = 0;
  body.setAttribute("role", "group");
  body.setAttribute("aria-label", "Graphs along the pipe; the arrow keys move the cursor");
  body.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20 }[event.key];
    if (by === undefined || event.target !== body) return;
    event.preventDefault();
    plots[0]?.step(event.shiftKey ? 10 * by : by);
  });
  let plots: RangePlot[] = [];
  let madeWith = "";
  let envelope: Envelope | undefined;
  let asked = { at: -Infinity, session: "", time_s: 0 };
  const observer = new ResizeObserver(() => plots.forEach((plot) => plot.fit()));

  function ask(): void {
    const time_s = store.kind === "log" ? (store.playback?.time_s ?? 0) : 0;
    const isOther = asked.session !== store.session() || time_s < asked.time_s;
    if (isOther) envelope = undefined;
    if (!isOther && performance.now() - asked.at < ASK_MS) return;
    asked = { at: performance.now(), session: store.session(), time_s };
    const of = asked;
    history.ask(store.kind === "log" ? `envelope?at=${time_s}` : "envelope").then((answer) => {
      if (of.session !== store.session()) return;
      envelope = answer as Envelope;
      store.touch("history");
    }, () => undefined); // the next question may succeed
  }

  function draw(): void {
    const { nodes, session, truth } = store.newest;
    element.hidden = !settings.values.isRange || !session?.pipe;
    if (element.hidden || !nodes || nodes.northM.length < 2) return;
    ask();
    const shown = GRAPHS.filter((graph) => graph.values(nodes).length === nodes.northM.length);
    const look = `${settings.values.palette} ${shown.map((graph) => graph.name).join()}`;
    if (look !== madeWith) {
      for (const plot of plots) plot.destroy();
      observer.disconnect();
      plots = shown.map((graph) => new RangePlot(graph, () => graph.limit(store.newest.session)));
      body.replaceChildren(...plots.map((plot) => plot.element));
      for (const plot of plots) observer.observe(plot.element);
    }
    madeWith = look;
    for (const plot of plots) plot.draw(nodes, envelope);
    const left = truth?.pipe?.fatigue ? `; standby ${fixed(truth.pipe.fatigue.standbyH, 1)}\u00a0h` : "";
    setText(note, (envelope ? `now, and between its extremes since the start (to ${fixed(envelope.time_s, 0)}\u00a0s)` : "now") + left);
  }

  return { element, needs: ["nodes", "truth", "session", "settings", "history", "playback"], draw };
}

/** Arc lengths from the lower end; older logs lack them. */
function arcLengths(nodes: Nodes): readonly number[] {
  if (nodes.arcLengthM.length === nodes.northM.length) return nodes.arcLengthM;
  let at = 0;
  return nodes.northM.map((north, i) => {
    if (i) at += Math.hypot(north - (nodes.northM[i - 1] ?? 0), (nodes.eastM[i] ?? 0) - (nodes.eastM[i - 1] ?? 0), (nodes.downM[i] ?? 0) - (nodes.downM[i - 1] ?? 0));
    return at;
  });
}

/** What a list over `places` is at another place; null outside of it. Both rise. */
export function between(places: readonly number[], values: readonly (number | null)[], at: readonly number[]): (number | null)[] {
  let i = 1;
  return at.map((place) => {
    while (i < places.length - 1 && (places[i] ?? 0) < place) i++;
    const [a, b, low, high] = [places[i - 1] ?? 0, places[i] ?? 0, values[i - 1], values[i]];
    if (place < a - 1e-9 || place > b + 1e-9 || low === null || high === null || low === undefined || high === undefined) return null;
    return b > a ? low + ((place - a) / (b - a)) * (high - low) : low;
  });
}

class RangePlot {
  readonly element = el("div", { class: "trend range" });
  private readonly values = el("span", { class: "values" });
  private plot: uPlot | undefined;

  constructor(private readonly graph: Graph, private readonly limit: () => number | undefined) {
    const output = (what: string) => el("output", { "data-quantity": `range.${graph.name}.${what}` });
    this.values.append(el("span", { class: "label" }, graph.label), output("now"), el("span", { class: "extremes" }, output("min"), " … ", output("max")));
    this.element.append(el("div", { class: "legend" }, this.values));
  }

  /** At the places of the nodes and, beyond the pipe of now, at those of the envelope. */
  draw(nodes: Nodes, envelope: Envelope | undefined): void {
    const { name, scale } = this.graph;
    const own = arcLengths(nodes);
    const now = this.graph.values(nodes);
    const others = envelope?.arc_length_m ?? [];
    const places = [...others.filter((s) => s < (own[0] ?? 0)), ...own, ...others.filter((s) => s > (own.at(-1) ?? 0))];
    const values = between(own, now, places);
    const extreme = (which: "min" | "max") => {
      const past = envelope?.[name] ? between(others, envelope[name][which], places) : places.map(() => null);
      return places.map((_, i) => {
        const [a, b] = [past[i] ?? null, values[i] ?? null];
        return a === null || b === null ? (a ?? b) : which === "min" ? Math.min(a, b) : Math.max(a, b);
      });
    };
    const scaled = [values, extreme("min"), extreme("max")].map((list) => list.map((value) => (value === null ? null : value * scale)));
    this.plot ??= new uPlot(this.options(), [[], [], [], []], this.element);
    this.plot.setData([places, ...scaled]);
    this.show();
  }

  fit(): void {
    this.plot?.setSize(this.size());
  }

  destroy(): void {
    this.plot?.destroy();
  }

  step(by: number): void {
    if (!this.plot) return;
    const places = this.plot.data[0];
    const to = Math.max(0, Math.min(places.length - 1, (this.plot.cursor.idx ?? 0) + by));
    this.plot.setCursor({ left: this.plot.valToPos(places[to] ?? 0, "x"), top: 10 });
  }

  private size(): { width: number; height: number } {
    return { width: Math.max(80, this.element.clientWidth), height: Math.max(50, this.element.clientHeight - 20) };
  }

  /** Under the cursor; without one the extremes over the whole pipe, and no value of now. */
  private show(): void {
    if (!this.plot) return;
    const [places, now, low, high] = this.plot.data as [number[], (number | null)[], (number | null)[], (number | null)[]];
    const at = (this.plot.cursor.left ?? -1) >= 0 ? this.plot.cursor.idx : undefined;
    const isAt = at !== undefined && at !== null;
    const known = (list: (number | null)[]) => list.filter((value) => value !== null);
    const shown = isAt ? [now[at], low[at], high[at]] : [null, Math.min(...known(low)), Math.max(...known(high))];
    this.values.querySelectorAll("output").forEach((output, i) => {
      setText(output, !isAt && !i ? "" : tidy(Number.isFinite(shown[i]) ? shown[i] : null));
    });
    this.element.title = isAt ? `at ${fixed(places[at], 1)} m` : "";
    const where = isAt ? fixed(places[at], 1) : "";
    if (this.element.dataset["cursor"] !== where) this.element.dataset["cursor"] = where;
  }

  private options(): uPlot.Options {
    const c = colours();
    const [r, g, b] = rgb(c.strong2);
    const axis = { stroke: c.muted, grid: { stroke: c.divider, width: 1 }, ticks: { stroke: c.divider, width: 1, size: 4 }, font: "10px system-ui, sans-serif" };
    const thin = { stroke: c.weak, width: 1, points: { show: false } };
    return {
      ...this.size(),
      padding: [4, 10, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false }, sync: { key: "range", setSeries: false } },
      scales: { x: { time: false }, y: { range: (_, low, high) => rangeOf(low, high) } },
      axes: [
        { ...axis, size: 22, space: 48, values: (_, ticks) => ticks.map((value) => `${fixed(value, 0)}\u00a0m`) },
        { ...axis, size: 48, values: (_, ticks) => ticks.map((value) => fixed(value, tickDecimals(ticks))) },
      ],
      series: [{}, { stroke: c.strong2, width: 2, points: { show: false } }, thin, thin],
      bands: [{ series: [3, 2], fill: `rgba(${r},${g},${b},0.18)` }],
      hooks: { draw: [(plot) => drawLimits(plot, [(this.limit() ?? 0) * this.graph.scale])], setCursor: [() => this.show()] },
    };
  }
}
