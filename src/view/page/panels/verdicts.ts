// The verdicts of the scenario: state, value, margin to the nearer bound, and the worst so far.
import { el, resize, setData, setText } from "../draw/dom.ts";
import { SIGN } from "../draw/signs.ts";
import { fixed, RAD } from "../draw/units.ts";
import { frame, type Context, type Panel } from "./panel.ts";
import type { VerdictInfo, VerdictStatus } from "../stream/messages.ts";

const OUTSIDE = 3;
const VIOLATED = 4;
const STATES: Record<number, string> = { 0: "unknown", 1: "not judged yet", 2: "within", 3: "outside", 4: "violated" };

export function verdicts({ store }: Context): Panel {
  const { element, body, note } = frame("verdicts", "Verdicts");
  const rows = el("ul", { class: "verdicts", "aria-label": "Verdicts", tabindex: "0" });
  element.hidden = true; // until there are verdicts
  body.append(rows);

  function draw(): void {
    const { status, session } = store.newest;
    const list = status?.verdict ?? [];
    const passing = list.filter((verdict) => verdict.passes).length;
    const isOver = store.newest.end !== undefined;
    setText(note, !list.length ? "this case has none" : isOver ? `${passing} of ${list.length} passed` : `${passing} of ${list.length} would pass now`);
    setData(note, "state", isOver && passing < list.length ? "alarm" : "off");
    element.hidden = !list.length;
    const items = resize(rows, list.length, () => el("li", {}, el("span"), el("span", { class: "state" }), el("span", { class: "rest" })));
    list.forEach((verdict, i) => fill(items[i] as HTMLElement, verdict, session?.verdict.find((info) => info.name === verdict.name), isOver));
  }

  return { element, needs: ["status", "session", "end"], draw };
}

function fill(row: HTMLElement, verdict: VerdictStatus, info: VerdictInfo | undefined, isOver: boolean): void {
  const [name, state, rest] = Array.from(row.children) as [HTMLElement, HTMLElement, HTMLElement];
  const isBad = verdict.state >= OUTSIDE;
  const isExpected = info?.expectViolated ?? false;
  const hasFailed = isOver && !verdict.passes; // also one that was never judged, or was not violated as expected
  const kind = hasFailed ? "alarm" : verdict.state <= 1 ? "off" : isBad && !isExpected ? (verdict.state === OUTSIDE ? "caution" : "alarm") : verdict.passes ? "normal" : "off";
  const sign = SIGN[kind];
  setData(row, "verdict", verdict.name);
  setText(name, verdict.name);
  setText(state, `${sign} ${hasFailed && verdict.state !== VIOLATED ? "failed: " : ""}${STATES[verdict.state] ?? "unknown"}`);
  setData(state, "state", kind);
  const parts = [`now ${verdict.present.value === undefined ? "–" : valueIn(info, verdict.present.value)}`];
  if (info) parts.push(`bounds ${boundsIn(info)}`);
  if (verdict.presentMargin.value !== undefined) parts.push(`margin ${valueIn(info, verdict.presentMargin.value)}`);
  if (verdict.worst.value !== undefined) parts.push(`worst ${valueIn(info, verdict.worst.value)} at ${fixed(verdict.worstTimeS, 0)}\u00a0s`);
  setText(rest, parts.join(", "));
  row.title = info ? `${info.expectViolated ? "passes if violated: " : ""}${info.quantity}${info.afterEvent ? `, after ${info.afterEvent}` : ""}, from ${fixed(info.fromS, 0)} s${info.toS ? ` to ${fixed(info.toS, 0)} s` : ""}` : "";
}

function factorOf(info: VerdictInfo | undefined): number {
  return info?.unit === "rad" ? 1 / RAD : 1;
}

/** A value of a verdict's quantity with its unit. */
export function valueIn(info: VerdictInfo | undefined, value: number): string {
  const unit = info?.unit === "rad" || info?.unit === "deg" ? "°" : (info?.unit ?? "");
  return `${tidy(value * factorOf(info))}\u00a0${unit}`.trim();
}

/** "< 10", "0 … 10": within them the verdict passes; "not < 10": outside. */
export function boundsIn(info: VerdictInfo): string {
  const factor = factorOf(info);
  const low = info.lower.case === undefined ? undefined : info.lower.value * factor;
  const high = info.upper.case === undefined ? undefined : info.upper.value * factor;
  const not = info.expectViolated ? "not " : "";
  if (low === undefined) return high === undefined ? "" : `${not}< ${tidy(high)}`;
  return not + (high === undefined ? `> ${tidy(low)}` : `${tidy(low)} … ${tidy(high)}`);
}

/** Three significant digits without an exponent where that is readable. */
function tidy(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e6 || size < 1e-3)) return value.toExponential(2);
  return String(Number(value.toPrecision(3)));
}
