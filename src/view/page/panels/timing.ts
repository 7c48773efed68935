// Real-time health: histograms of step and wake-up, the stages of the newest step, late steps, lag.
import { Surface } from "../draw/canvas.ts";
import { el, resize, setText } from "../draw/dom.ts";
import { colours } from "../draw/palette.ts";
import { count, fixed, words } from "../draw/units.ts";
import { frame, type Context, type Panel } from "./panel.ts";
import type { Histogram, Percentiles, RigClock, StageTime, Timing } from "../stream/messages.ts";

const BARS_A_DECADE = 12;

export function timing({ store }: Context): Panel {
  const { element, body, note } = frame("timing", "Real time");
  const steps = chart(body, "step", "step-histogram");
  const wakes = chart(body, "wake-up", "wakeup-histogram");
  const stages = el("tbody");
  const counts = el("tbody");
  body.append(el("div", { class: "stages" }, el("table", {}, el("caption", {}, "stages of the newest step"), stages)),
              el("div", { class: "counts" }, el("table", {}, counts)));

  function draw(): void {
    const now = store.newest.timing;
    const period = store.newest.session?.welcome?.stepS;
    if (!now) return;
    setText(note, now.rate > 0 ? `rate ${fixed(now.rate, 1)}` : "not paced");
    steps(now.stepHistogram, now.step, period && period * 1e6 / (now.rate || 1));
    wakes(now.wakeupHistogram, now.wakeup, undefined);
    drawStages(stages, now.stage);
    drawCounts(counts, now);
  }

  return { element, needs: ["timing", "session", "settings"], draw };
}

type Draw = (histogram: Histogram | undefined, percentiles: Percentiles | undefined, deadline_us: number | undefined) => void;

function chart(parent: HTMLElement, title: string, name: string): Draw {
  const caption = el("div", { class: "caption" });
  const place = el("div", { class: "place" });
  parent.append(el("div", { class: "chart" }, caption, place));
  let newest: Parameters<Draw> = [undefined, undefined, undefined];
  const surface = new Surface(place, name, () => drawBars(surface, newest[0], newest[2]));
  return (...parts) => {
    newest = parts;
    const p = parts[1];
    setText(caption, p && (parts[0] || p.maxUs > 0) ? `${title} [µs]: p50 ${fixed(p.p50Us, 0)}, p99 ${fixed(p.p99Us, 0)}, max ${fixed(p.maxUs, 0)}` : `${title}: none`);
    drawBars(surface, parts[0], parts[2]);
  };
}

/** Counts on a logarithmic scale over times on a logarithmic scale. */
function drawBars(surface: Surface, histogram: Histogram | undefined, deadline_us: number | undefined): void {
  if (!surface.begin()) return;
  const c = colours();
  if (!histogram || histogram.upperUs.length === 0) {
    surface.text("no histogram", surface.width / 2, surface.height / 2, c.muted, "center");
    return;
  }
  const low = Math.floor(Math.log10(Math.max(1, histogram.upperUs[0] ?? 1)));
  const high = Math.max(low + 2, Math.ceil(Math.log10(Math.max(histogram.upperUs.at(-1) ?? 1, deadline_us ?? 1)) + 0.05));
  const bars = new Array<number>((high - low) * BARS_A_DECADE).fill(0);
  histogram.upperUs.forEach((upper, i) => {
    const at = Math.floor((Math.log10(Math.max(1, upper)) - low) * BARS_A_DECADE);
    const bar = Math.min(bars.length - 1, Math.max(0, at));
    bars[bar] = (bars[bar] ?? 0) + Number(histogram.counts[i] ?? 0n);
  });
  const most = Math.log10(Math.max(...bars, 1)) + 0.3;
  const [floor, width] = [surface.height - 15, surface.width / bars.length];
  for (let decade = low; decade <= high; decade++) {
    const x = ((decade - low) / (high - low)) * surface.width;
    surface.line([[x, 0], [x, floor]], c.divider);
    const align = decade === low ? "left" : decade === high ? "right" : "center";
    surface.text(decade >= 6 ? `${10 ** (decade - 6)} s` : decade >= 3 ? `${10 ** (decade - 3)} ms` : `${10 ** decade} µs`, x, floor + 8, c.muted, align);
  }
  bars.forEach((n, i) => {
    if (!n) return;
    const height = ((Math.log10(n) + 0.3) / most) * (floor - 6);
    surface.fill([[i * width + 1, floor], [i * width + 1, floor - height], [(i + 1) * width - 1, floor - height], [(i + 1) * width - 1, floor]], c.strong2);
  });
  surface.line([[0, floor], [surface.width, floor]], c.outline);
  if (deadline_us) {
    const x = ((Math.log10(deadline_us) - low) / (high - low)) * surface.width;
    surface.line([[x, 0], [x, floor]], c.caution, 1.5, [5, 3]);
    surface.text("period", x - 4, 7, c.text, "right", c.surface);
  }
}

function drawStages(table: HTMLElement, stages: StageTime[]): void {
  const shown = [...stages].filter((stage) => stage.us > 0).sort((a, b) => b.us - a.us).slice(0, 7);
  const most = shown[0]?.us ?? 1;
  const rows = resize(table, shown.length, () => el("tr", {}, el("td"), el("td", {}, el("div", { class: "bar" }, el("div", { class: "fill" }))), el("td")));
  shown.forEach((stage, i) => {
    const [name, bar, value] = Array.from(rows[i]?.children ?? []) as [HTMLElement, HTMLElement, HTMLElement];
    setText(name, words(stage.stage));
    (bar.querySelector(".fill") as HTMLElement).style.width = `${(100 * stage.us) / most}%`;
    setText(value, `${fixed(stage.us, 1)} µs`);
  });
}

function clockOf(clock: RigClock | undefined): string {
  if (!clock) return "–";
  const jumps = clock.jumps > 0n ? `, set ${count(clock.jumps)} times` : "";
  return `${clock.name}: ${fixed(1e6 * clock.offsetMeanS, 0)}\u00a0µs, worst ${fixed(1e6 * clock.offsetWorstS, 0)}\u00a0µs${jumps}`;
}

function kernelOf(clock: RigClock | undefined): string {
  if (!clock?.source) return "–";
  const tai = clock.taiOffsetS ? `, TAI ${fixed(clock.taiOffsetS, 0)}\u00a0s` : "";
  return `${clock.synchronised ? "" : "not "}synchronised, error ${fixed(1e3 * clock.estimatedErrorS, 3)}\u00a0ms${tai}`;
}

function drawCounts(table: HTMLElement, now: Timing): void {
  const worst = now.worstLateStep;
  const lines: [string, string, string][] = [
    ["late steps", count(now.lateSteps), "late_steps"],
    ["lost periods", count(now.lostPeriods), "lost_periods"],
    ["lag", `${fixed(now.lagS, 3)}\u00a0s`, "timing.lag_s"],
    ["latest step", worst ? `${fixed(worst.lateUs / 1e3, 1)}\u00a0ms at ${fixed(worst.timeS, 0)}\u00a0s: ${words(worst.cause)}` : "–", "worst"],
    ["pauses and halts", `${count(now.pauses)}, ${count(now.halts)}`, "pauses"],
    ["commands used, refused", `${count(now.commandsAccepted)}, ${count(now.commandsRefused)}`, "commands"],
    ["clock", clockOf(now.clock), "timing.clock"],
    ["UTC by the kernel", kernelOf(now.clock), "timing.kernel"],
    ["frames dropped", count(now.droppedFrames), "dropped_frames"],
  ];
  if (now.nmeaLines)
    lines.push(["group lines, lost, doubled, late", [now.nmeaLines, now.nmeaLinesLost, now.nmeaLinesDoubled, now.nmeaLinesLate].map(count).join(", "), "group_lines"],
               ["groups incomplete, dropped", `${count(now.nmeaIncomplete)}, ${count(now.nmeaDropped)}`, "group_incomplete"]);
  for (const network of now.network)
    lines.push([`network ${network.name}`, `${network.lost ? "lost" : network.lines || network.messages ? "good" : "nothing has come"}; ${count(network.lines)} lines, ${count(network.messages)} messages`, `network_${network.name}`]);
  const rows = resize(table, lines.length, () => el("tr", {}, el("td"), el("td", {}, el("output"))));
  lines.forEach(([name, value, quantity], i) => {
    const output = rows[i]?.querySelector("output") as HTMLOutputElement;
    setText(rows[i]?.firstElementChild as Element, name);
    setText(output, value);
    output.dataset["quantity"] = quantity;
    output.dataset["step"] = String(now.header?.step ?? "");
  });
}
