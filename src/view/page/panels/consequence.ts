// The consequence analysis of the controller: margin after the worst single failure, live and over the last minutes, the failure that is
// worst now, and the margin of each. Wind and current at present stand beside it. docs/consequence.md
import { el, resize, setData, setText } from "../draw/dom.ts";
import { SIGN } from "../draw/signs.ts";
import { bearing, fixed, words } from "../draw/units.ts";
import { frame, type Context, type Panel } from "./panel.ts";
import type { Truth } from "../stream/messages.ts";

const SPAN_S = 600;
const MOST = 2; // margin at the top of the strip; larger ones are drawn there
const NS = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [300, 60];

export function consequence({ store }: Context): Panel {
  const { element, body, note } = frame("consequence", "Consequence analysis");
  const value = el("output", { "data-quantity": "consequence_margin" });
  const worst = el("span", { class: "state", "data-role": "worst" });
  const weather = el("p", { class: "chips" });
  const strip = document.createElementNS(NS, "svg");
  const limit = document.createElementNS(NS, "line");
  const line = document.createElementNS(NS, "polyline");
  strip.append(limit, line);
  for (const [name, text] of Object.entries({ viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: "strip-of-margin", role: "img" })) strip.setAttribute(name, text);
  for (const [name, at] of Object.entries({ x1: 0, x2: WIDTH, y1: yOf(1), y2: yOf(1) })) limit.setAttribute(name, String(at));
  const list = el("ul", { class: "margins", "aria-label": "Margin after each failure" });
  body.append(el("p", { class: "margin" }, "margin ", value, " ", worst), strip, list, weather);
  body.tabIndex = 0; // with many failures it is longer than its room
  body.setAttribute("role", "group");
  body.setAttribute("aria-label", "Consequence analysis");
  element.hidden = true; // until a controller makes one
  const past: [number, number | undefined][] = []; // simulated time, margin
  let session = "";

  function remember(time_s: number, margin: number | undefined): void {
    const newest = past[past.length - 1];
    if (session !== store.session() || (newest && time_s < newest[0])) past.length = 0; // another session, or back in a log
    session = store.session();
    if (newest?.[0] !== time_s || !past.length) past.push([time_s, margin]);
    while (past.length > 2 && (past[0]?.[0] ?? 0) < time_s - SPAN_S) past.shift();
  }

  function draw(): void {
    const { dp, truth } = store.newest;
    const found = dp?.consequence;
    element.hidden = !found;
    if (!dp || !found) return;
    setData(element, "old", String(store.dpSilentSince() !== undefined));
    const time_s = dp.header?.timeS ?? 0;
    remember(time_s, found.known ? found.margin : undefined);
    setText(note, "load factor after the worst single failure, 10 min" + (found.unsolved ? ` \u00b7 ${found.unsolved} margins not found` : ""));
    setText(value, found.known ? fixed(found.margin, 2) : "–");
    setData(value, "step", String(dp.header?.step ?? ""));
    setText(worst, !found.known ? `${SIGN.off} not known yet` : `${found.alarm ? `${SIGN.alarm} not held` : found.margin < 1 ? SIGN.caution : SIGN.normal} ${found.failure ? `without ${words(found.failure)}` : "no failure takes anything away"}`);
    setData(worst, "state", !found.known ? "off" : found.alarm ? "alarm" : found.margin < 1 ? "caution" : "normal");
    line.setAttribute("points", past.filter(([, margin]) => margin !== undefined)
      .map(([at, margin]) => `${(WIDTH * (1 - (time_s - at) / SPAN_S)).toFixed(1)},${yOf(margin ?? 0).toFixed(1)}`).join(" "));
    strip.setAttribute("aria-label", found.known ? `Margin ${fixed(found.margin, 2)}, limit 1` : "Margin not known yet");
    const failures = [...found.failures].sort((a, b) => a.margin - b.margin);
    const rows = resize(list, failures.length, () => el("li", {}, el("span"), el("div", { class: "bar" }, el("div", { class: "fill" })), el("output")));
    failures.forEach((failure, i) => {
      const [name, bar, number] = Array.from((rows[i] as HTMLElement).children) as [HTMLElement, HTMLElement, HTMLOutputElement];
      setText(name, words(failure.name));
      setText(number, fixed(failure.margin, 2));
      setData(number, "quantity", `consequence.${failure.name}`);
      setData(number, "state", failure.alarm ? "alarm" : failure.margin < 1 ? "caution" : "normal");
      (bar.firstElementChild as HTMLElement).style.width = `${Math.min(100, (100 * failure.margin) / MOST)}%`;
    });
    setText(weather, weatherOf(truth));
  }

  return { element, needs: ["dp", "truth"], draw };
}

function yOf(margin: number): number {
  return 2 + (HEIGHT - 4) * (1 - Math.min(MOST, Math.max(0, margin)) / MOST);
}

function weatherOf(truth: Truth | undefined): string {
  const parts: string[] = [];
  const { weather, current } = truth ?? {};
  if (weather) parts.push(`wind ${fixed(weather.windSpeedMps, 1)} m/s from ${bearing(weather.windDirectionRad, 0)}°`);
  if (current) parts.push(`current ${fixed(Math.hypot(current.northMps, current.eastMps), 2)} m/s towards ${bearing(Math.atan2(current.eastMps, current.northMps), 0)}°`);
  return parts.join(", ");
}
