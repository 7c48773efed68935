// Offset, hang-off tension and largest curvature over simulated time; of a lay also the speed of the pay-out and the utilisation.
import uPlot from "uplot";
import { el, press, resize, toggle } from "../draw/dom.ts";
import { colours } from "../draw/palette.ts";
import { fixed } from "../draw/units.ts";
import { WINDOWS_S } from "../store/settings.ts";
import { limitOf } from "../store/session.ts";
import { frame, type Context, type Panel } from "./panel.ts";

interface Trend {
  name: string;
  label: string;
  scale: number;
  columns: readonly number[]; // of the store's series; the second is a set-point
  isLay?: boolean; // shown for a lay only
}
const TITLE_PX = 18;
const TRENDS: readonly Trend[] = [
  { name: "offset", label: "offset [m]", scale: 1, columns: [0] },
  { name: "tension", label: "hang-off tension [kN]", scale: 1e-3, columns: [1, 5] },
  { name: "curvature", label: "largest curvature [1/m]", scale: 1, columns: [2] },
  { name: "payout", label: "pay-out [m/s]", scale: 1, columns: [3], isLay: true },
  { name: "utilisation", label: "utilisation", scale: 1, columns: [4], isLay: true },
];

export function trends({ store, settings }: Context): Panel {
  const { element, body, controls, note } = frame("trends", "Trends");
  const buttons = WINDOWS_S.map((window_s) => {
    const button = toggle(window_s < 3600 ? `${window_s / 60} min` : `${window_s / 3600} h`, "Length of the trends", () => settings.set("window_s", window_s));
    controls.append(button);
    return button;
  });
  let shown = TRENDS.filter((trend) => !trend.isLay);
  let boxes = resize(body, shown.length, () => el("div", { class: "trend" }));
  let plots: uPlot[] = [];
  let drawnWith = "";
  const observer = new ResizeObserver(() => plots.forEach((plot, i) => plot.setSize(sizeOf(boxes[i]))));
  for (const box of boxes) observer.observe(box);

  function limits(trend: Trend): (number | undefined)[] {
    const session = store.newest.session;
    if (trend.name === "offset") return session?.watchCircleM ?? [];
    if (trend.name === "tension") return [(limitOf(session, "tensionN") ?? 0) * 1e-3];
    return trend.name === "curvature" ? [limitOf(session, "curvature1pm")] : trend.name === "utilisation" ? [1] : [];
  }

  function make(): void {
    for (const plot of plots) plot.destroy();
    boxes = resize(body, shown.length, () => {
      const box = el("div", { class: "trend" });
      observer.observe(box);
      return box;
    });
    plots = shown.map((trend, i) => new uPlot(optionsOf(trend, boxes[i], () => limits(trend)), [[], ...trend.columns.map(() => [])], boxes[i]));
  }

  function draw(): void {
    const { palette, window_s } = settings.values;
    WINDOWS_S.forEach((other, i) => press(buttons[i] as HTMLButtonElement, other === window_s));
    shown = TRENDS.filter((trend) => !trend.isLay || (store.isLay && (trend.name !== "utilisation" || store.newest.truth?.pipe?.codeCheck)));
    const look = `${palette} ${shown.length}`;
    if (drawnWith !== look) make();
    drawnWith = look;
    const series = window_s <= 120 ? store.fine : store.coarse;
    note.textContent = window_s <= 120 ? "" : "one value in 2 s";
    const [times, ...columns] = series.last(window_s);
    plots.forEach((plot, i) => {
      const { scale, columns: own } = shown[i] ?? { scale: 1, columns: [] };
      plot.setData([times, ...own.map((k) => (columns[k] ?? []).map((value) => (value === null ? null : value * scale)))]);
    });
  }

  return { element, needs: ["status", "session", "settings"], draw };
}

function sizeOf(box: HTMLElement | undefined): { width: number; height: number } {
  return { width: Math.max(80, box?.clientWidth ?? 0), height: Math.max(50, (box?.clientHeight ?? 0) - TITLE_PX) };
}

function optionsOf(trend: Trend, box: HTMLElement | undefined, limits: () => (number | undefined)[]): uPlot.Options {
  const c = colours();
  const axis = { stroke: c.muted, grid: { stroke: c.divider, width: 1 }, ticks: { stroke: c.divider, width: 1, size: 4 }, font: "10px system-ui, sans-serif" };
  return {
    ...sizeOf(box),
    title: trend.label,
    padding: [4, 10, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false } },
    scales: { x: { time: false }, y: { range: (_, low, high) => rangeOf(low, high) } },
    axes: [
      { ...axis, size: 22, space: 48, values: (_, values) => values.map((value) => `${fixed(value, 0)} s`) },
      { ...axis, size: 52, values: (_, values) => values.map((value) => fixed(value, decimalsOf(values))) },
    ],
    series: [{}, { stroke: c.strong2, width: 1.5, points: { show: false }, spanGaps: false },
             { stroke: c.second, width: 1.5, points: { show: false }, spanGaps: false }].slice(0, 1 + trend.columns.length),
    hooks: { draw: [(plot) => drawLimits(plot, limits())] },
  };
}

/** As many decimals as the labels of an axis need to differ. */
function decimalsOf(values: readonly number[]): number {
  const step = Math.abs((values[1] ?? 1) - (values[0] ?? 0));
  if (!(step > 0)) return 0;
  let decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
  if (Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) > 1e-6) decimals += 1; // 0.025
  return decimals;
}

function rangeOf(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [0, 1];
  const room = Math.max((high - low) * 0.1, Math.abs(high) * 0.01, 1e-6);
  return [low >= 0 && low < high * 0.5 ? 0 : low - room, high + room];
}

/** The limits that lie in the range, dashed, without changing it. */
function drawLimits(plot: uPlot, limits: (number | undefined)[]): void {
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
