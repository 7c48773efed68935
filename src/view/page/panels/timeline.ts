// Events and faults: a strip over simulated time, and the list of events, the newest first.
import { Surface, niceStep } from "../draw/canvas.ts";
import { el, resize, setData, setText } from "../draw/dom.ts";
import { colours } from "../draw/palette.ts";
import { SIGN } from "../draw/signs.ts";
import { clock, fixed, words } from "../draw/units.ts";
import { frame, type Context, type Panel } from "./panel.ts";
import { timeOf } from "../stream/headed.ts";
import type { Event } from "../stream/messages.ts";

const MAX_LINES = 200;

export function timeline({ store }: Context): Panel {
  const { element, body, note } = frame("timeline", "Events and faults");
  const strip = el("div", { class: "strip" });
  const active = el("ul", { class: "faults", "aria-label": "Active faults" });
  const list = el("ol", { class: "events", "aria-label": "Events", tabindex: "0" });
  body.append(strip, active, list);
  const surface = new Surface(strip, "timeline", drawStrip);
  let drawn = -1; // events that the list shows
  let drawnLast: Event | undefined;

  function draw(): void {
    const status = store.newest.status;
    setText(note, `${store.eventCount} events, ${status?.faultCount ?? 0} active faults`);
    const items = resize(active, status?.fault.length ?? 0, () => el("li"));
    status?.fault.forEach((fault, i) => {
      const item = items[i] as HTMLElement;
      setText(item, `${SIGN.caution} ${fault.name}: ${words(fault.kind)}${fault.target ? ` of ${words(fault.target)}` : ""}, since ${fixed(fault.sinceS, 1)} s`);
      setData(item, "fault", fault.name);
    });
    drawList();
    drawStrip();
  }

  function drawList(): void {
    if (drawn === store.eventCount && drawnLast === store.events.at(-1)) return;
    drawn = store.eventCount;
    drawnLast = store.events.at(-1);
    const shown = store.events.slice(-MAX_LINES).reverse();
    const lines = resize(list, shown.length, () => el("li", {}, el("time"), el("b"), el("span")));
    shown.forEach((event, i) => {
      const [time, name, text] = Array.from(lines[i]?.children ?? []) as [HTMLElement, HTMLElement, HTMLElement];
      setText(time, clock(timeOf(event)));
      setText(name, words(event.name));
      setText(text, event.text);
      setData(lines[i] as HTMLElement, "event", event.name);
    });
  }

  function drawStrip(): void {
    if (!surface.begin()) return;
    const c = colours();
    const now = Math.max(timeOf(store.newest.status), timeOf(store.newest.truth), store.events.length ? timeOf(store.events.at(-1)) : 0);
    const log = store.playback;
    const [from, to] = log ? [log.start_s, log.end_s] : [0, Math.max(store.newest.session?.durationS ?? 0, now, 1)];
    const x = (time: number) => 6 + ((time - from) / Math.max(1e-9, to - from)) * (surface.width - 12);
    const floor = surface.height - 14;
    surface.line([[6, floor], [surface.width - 6, floor]], c.outline);
    const step = niceStep(to - from, 6);
    for (let time = Math.ceil(from / step) * step; time <= to; time += step) {
      surface.line([[x(time), floor], [x(time), floor + 4]], c.outline);
      surface.text(`${fixed(time, step < 1 ? 1 : 0)} s`, Math.max(14, Math.min(x(time), surface.width - 16)), floor + 9, c.muted, "center");
    }
    for (const event of store.events) surface.line([[x(timeOf(event)), floor - 8], [x(timeOf(event)), floor]], c.strong2, 1);
    drawSpans();
    surface.line([[x(now), 2], [x(now), floor]], c.text, 1.5);

    /** Each in the first lane that is free at its begin; its name stands behind it if there is room. */
    function drawSpans(): void {
      const lanes: { from: number; to: number; name: string }[][] = [[], [], []];
      for (const span of store.faults.spans) {
        const [from, to] = [x(span.from), Math.max(x(span.to ?? now), x(span.from) + 2)];
        const free = lanes.find((lane) => (lane.at(-1)?.to ?? -1) < from) ?? lanes[2];
        free?.push({ from, to, name: span.name });
      }
      lanes.forEach((lane, k) => lane.forEach(({ from, to, name }, i) => {
        const y = 4 + k * 9;
        surface.fill([[from, y], [to, y], [to, y + 6], [from, y + 6]], c.caution);
        if (to + 6 + surface.context.measureText(name).width < (lane[i + 1]?.from ?? surface.width)) surface.text(name, to + 3, y + 3, c.text, "left", c.surface);
      }));
    }
  }

  return { element, needs: ["event", "status", "session", "playback", "settings"], draw };
}
