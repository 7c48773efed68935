// One plot of the trends: up to two quantities over simulated time, with limits, and the values under the cursor.
import uPlot from "uplot";
import { el, resize, setText } from "../draw/dom.ts";
import { colours } from "../draw/palette.ts";
import { fixed } from "../draw/units.ts";

export interface Curve {
  name: string; // of the quantity
  unit: string; // as shown
  scale: number; // from the unit of the outputs
}

/** Units of the plots: kilonewtons and kilowatts as people say them. */
export function curveOf(name: string, unit: string): Curve {
  return /^(N|N m|W|J)$/.test(unit) ? { name, unit: `k${unit}`, scale: 1e-3 } : { name, unit, scale: 1 };
}

const TITLE_PX = 20;
const SYNC = "trends"; // the cursor of all plots

export class TrendPlot {
  readonly element = el("div", { class: "trend" });
  private readonly legend = el("div", { class: "legend" });
  private plot: uPlot | undefined;

  /** choose: opens the choice of the quantities of this plot. */
  constructor(private readonly curves: readonly Curve[], limits: () => (number | undefined)[], choose: () => void) {
    const button = el("button", { type: "button", title: "Choose the quantities of this plot", "aria-label": `Choose the quantities of the plot of ${curves.map((one) => one.name).join(" and ")}` }, "…");
    button.addEventListener("click", choose);
    const values = el("span", { class: "values" });
    this.legend.append(values, button);
    resize(values, curves.length, (i) => el("span", { "data-curve": String(i + 1) }, el("span", { class: "label" }), el("output", { "data-quantity": `trend.${curves[i]?.name ?? ""}` })));
    curves.forEach((curve, i) => setText(values.children[i]?.firstElementChild as Element, labelOf(curve)));
    this.element.append(this.legend);
    this.limits = limits;
  }
  private readonly limits: () => (number | undefined)[];

  /** times, then a column for each curve. */
  draw(data: [number[], ...(number | null)[][]]): void {
    const scaled = data.map((column, i) => (i ? column.map((value) => (value === null ? null : value * (this.curves[i - 1]?.scale ?? 1))) : column));
    this.plot ??= new uPlot(this.options(), [[], ...this.curves.map(() => [])], this.element);
    this.plot.setData(scaled as uPlot.AlignedData);
    this.show();
  }

  fit(): void {
    this.plot?.setSize(this.size());
  }

  destroy(): void {
    this.plot?.destroy();
  }

  /** Moves the cursor of all plots by so many values; from the newest one. */
  step(by: number): void {
    if (!this.plot) return;
    const last = this.plot.data[0].length - 1;
    const to = Math.max(0, Math.min(last, (this.plot.cursor.idx ?? last) + by));
    const time = this.plot.data[0][to];
    if (time !== undefined) this.plot.setCursor({ left: this.plot.valToPos(time, "x"), top: 10 });
  }

  private size(): { width: number; height: number } {
    return { width: Math.max(80, this.element.clientWidth), height: Math.max(50, this.element.clientHeight - Math.max(TITLE_PX, this.legend.offsetHeight)) };
  }

  /** The values under the cursor, or else the newest. */
  private show(): void {
    if (!this.plot) return;
    const [times, ...columns] = this.plot.data;
    const at = this.plot.cursor.left !== undefined && this.plot.cursor.left >= 0 ? this.plot.cursor.idx : undefined;
    columns.forEach((column, i) => {
      const output = this.legend.querySelectorAll("output")[i] as HTMLOutputElement;
      const value = column[at ?? times.length - 1];
      setText(output, tidy(value));
      output.title = at === undefined || at === null ? "" : `at ${fixed(times[at], 1)} s`;
    });
    const when = at === undefined || at === null ? "" : fixed(times[at], 1);
    if (this.element.dataset["cursor"] !== when) this.element.dataset["cursor"] = when;
  }

  private options(): uPlot.Options {
    const c = colours();
    const axis = { stroke: c.muted, grid: { stroke: c.divider, width: 1 }, ticks: { stroke: c.divider, width: 1, size: 4 }, font: "10px system-ui, sans-serif" };
    const isApart = this.curves.length > 1 && this.curves[1]?.unit !== this.curves[0]?.unit;
    const values = (_: uPlot, ticks: number[]) => ticks.map((value) => fixed(value, tickDecimals(ticks)));
    const scale = { range: (_: uPlot, low: number | null, high: number | null) => rangeOf(low, high) };
    const strokes = [c.strong2, c.second];
    return {
      ...this.size(),
      padding: [4, isApart ? 0 : 10, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false }, sync: { key: SYNC, setSeries: false } },
      scales: { x: { time: false }, y: scale, ...(isApart && { y2: scale }) },
      axes: [
        { ...axis, size: 22, space: 48, values: (_, ticks) => ticks.map((value) => `${fixed(value, 0)}\u00a0s`) },
        { ...axis, size: 52, values },
        ...(isApart ? [{ ...axis, size: 52, values, side: 1, scale: "y2", grid: { show: false } }] : []),
      ],
      series: [{}, ...this.curves.map((_, i) => ({ stroke: strokes[i] ?? c.text, width: 1.5, points: { show: false }, spanGaps: false, scale: isApart && i ? "y2" : "y", ...(i && { dash: [6, 3] }) }))],
      hooks: { draw: [(plot) => drawLimits(plot, this.limits())], setCursor: [() => this.show()] },
    };
  }
}

/** "hangoff_tension_n" as "hangoff tension [kN]". */
function labelOf({ name, unit }: Curve): string {
  const words = name.replace(/_(1pm|\w{0,2}nm|n|m|s|w|j|kg|mps|deg|degps)$/, "").replaceAll("_", " ");
  return unit ? `${words} [${unit}]` : words;
}

/** A number with six figures at most. */
export function tidy(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-4 || size >= 1e7) ? value.toExponential(3) : fixed(value, size >= 100 ? 1 : size >= 1 ? 3 : 5);
}

/** As many decimals as the labels of an axis need to differ. */
export function tickDecimals(values: readonly number[]): number {
  const step = Math.abs((values[1] ?? 1) - (values[0] ?? 0));
  if (!(step > 0)) return 0;
  let decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
  if (Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) > 1e-6) decimals += 1; // 0.025
  return decimals;
}

export function rangeOf(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [0, 1];
  if (Math.max(Math.abs(low), Math.abs(high)) < 1e-9) return [-1, 1]; // nothing moves: labels of a few digits
  const room = Math.max((high - low) * 0.1, Math.abs(high) * 0.01, 1e-6);
  return [low >= 0 && low < high * 0.5 ? 0 : low - room, high + room];
}

/** The limits that lie in the range, dashed, without changing it. */
export function drawLimits(plot: uPlot, limits: (number | undefined)[]): void {
  const c = colours();
  const { ctx, bbox } = plot;
  limits.forEach((limit, i) => {
    if (!limit) return;
    const y = plot.valToPos(limit, "y", true);
    if (y < bbox.top || y > bbox.top + bbox.height) return;
    ctx.save();
    ctx.strokeStyle = i === limits.length - 1 ? c.alarm : c.caution;
    ctx.lineWidth = 1.5;
    ctx.setLineDash([6, 4]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.restore();
  });
}
