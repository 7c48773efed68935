// The list of alarms: what it is, its worst value against its limit, when it began, whether its cause is there, and the button with which
// a viewer acknowledges it. Each is acknowledged by itself, as IEC 62923-1 asks.
import { el, resize, setData, setText } from "../draw/dom.ts";
import { quantityOf, shown } from "../draw/quantities.ts";
import { SIGN } from "../draw/signs.ts";
import { clock, count, fixed, words } from "../draw/units.ts";
import type { AlarmLine } from "../store/alarms.ts";
import type { Session } from "../stream/messages.ts";
import { frame, type Context, type Panel } from "./panel.ts";
import { boundsIn, valueIn } from "./verdicts.ts";

export function alarms({ store }: Context): Panel {
  const { element, body, note } = frame("alarms", "Alarms");
  const list = el("ol", { class: "alarms", "aria-label": "Alarms, those to acknowledge first", tabindex: "0" });
  const none = el("p", { class: "empty" }, "no alarm in this session");
  const spoken = el("p", { class: "spoken", role: "status" });
  body.append(none, list, spoken);

  function draw(): void {
    const lines = store.alarmLines();
    const open = lines.filter((line) => !line.isAcknowledged);
    const active = lines.filter((line) => line.isActive);
    setText(note, !lines.length ? "" : `${open.length} to acknowledge, ${active.length} active${store.alarms.leftOut ? `, ${count(store.alarms.leftOut)} older left out` : ""}`);
    const says = open.length ? `${open.length} to acknowledge: ${open.slice(0, 3).map(nameOf).join(", ")}` : "";
    setText(spoken, says);
    none.hidden = lines.length > 0;
    list.hidden = !lines.length;
    const items = resize(list, lines.length, () => row((line) => { store.acknowledge(line); }));
    lines.forEach((line, i) => fill(items[i] as Row, line, store.newest.session));
  }

  return { element, needs: ["alarms", "playback", "session", "timing", "end"], draw };
}

type Row = HTMLLIElement & { line?: AlarmLine };

function row(acknowledge: (line: AlarmLine) => void): Row {
  const button = el("button", { type: "button", title: "Acknowledge, in this browser" }, "ACK");
  const item: Row = el("li", {}, el("span", { class: "sign", "aria-hidden": "true" }), el("b"), el("time"), el("span", { class: "value" }), el("span", { class: "word" }), button);
  button.addEventListener("click", () => { if (item.line) acknowledge(item.line); });
  return item;
}

function fill(item: Row, line: AlarmLine, session: Session | undefined): void {
  item.line = line;
  const { kind, category, name, from_s } = line.newest;
  const [sign, title, time, value, word, button] = Array.from(item.children) as [HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLButtonElement];
  setData(item, "alarm", name);
  setData(item, "kind", kind);
  setData(item, "category", category);
  setData(item, "active", String(line.isActive));
  setData(item, "acknowledged", category === "caution" ? "none" : String(line.isAcknowledged));
  setText(sign, SIGN[category]);
  setText(title, nameOf(line));
  const isOver = kind === "controller" && !line.isActive;
  setText(time, isOver ? `${clock(from_s)} to ${clock(line.newest.to_s)}` : clock(from_s));
  setText(value, valueOf(line, session));
  const state = line.isActive ? "active" : "rectified";
  setText(word, `${category}, ${state}${category === "caution" ? "" : line.isAcknowledged ? ", acknowledged" : ""}`);
  item.title = line.newest.text;
  button.hidden = line.isAcknowledged;
  const label = `ACK ${nameOf(line)}`; // it begins with the word on the button
  if (button.getAttribute("aria-label") !== label) button.setAttribute("aria-label", label);
}

export function nameOf({ newest }: AlarmLine): string {
  if (newest.kind === "late") return "Late steps";
  if (newest.kind === "controller") return `DP: ${newest.name.replaceAll("_", " ")}`;
  const text = quantityOf(newest.name)?.label ?? words(newest.name);
  return newest.kind === "verdict" ? `Verdict: ${text}` : newest.kind === "fault" ? `Fault: ${text}` : text.charAt(0).toUpperCase() + text.slice(1);
}

function valueOf(line: AlarmLine, session: Session | undefined): string {
  const { newest, worst, times, count: number } = line;
  const parts: string[] = [];
  const at = worst ? ` at ${clock(worst.time_s)}` : "";
  if (newest.kind === "late") {
    if (number !== undefined) parts.push(`${count(number)} late or lost`);
    if (worst) parts.push(`worst ${fixed(worst.value * 1e3, 1)} ms${at}`);
    return parts.join(", ");
  }
  const quantity = newest.kind === "limit" ? quantityOf(newest.name) : undefined;
  if (quantity) parts.push(`${shown(quantity, worst?.value)} ${quantity.unit}${at}`, `limit ${shown(quantity, newest.limit)}`);
  else if (newest.kind === "verdict") {
    const info = session?.verdict.find((one) => one.name === newest.name);
    if (worst) parts.push(`worst ${valueIn(info, worst.value)}${at}`);
    if (info) parts.push(`bounds ${boundsIn(info)}`);
    if (newest.text) parts.push(newest.text);
  } else if (newest.text) parts.push(newest.text);
  const repeats = newest.kind === "event" ? number ?? 1 : times;
  if (repeats > 1) parts.unshift(`${count(repeats)} times`);
  return parts.join(", ");
}
