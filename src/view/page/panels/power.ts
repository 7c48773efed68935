// The buses: power in use of the power available, breaker, load limit. With a power plant its one-line diagram instead.
import { el, resize, setData, setText } from "../draw/dom.ts";
import { SIGN } from "../draw/signs.ts";
import { scaled, words } from "../draw/units.ts";
import { frame, type Context, type Panel } from "./panel.ts";
import { plantInto } from "./plant.ts";
import type { BusTruth } from "../stream/messages.ts";

export function power({ store }: Context): Panel {
  const { element, body, note } = frame("power", "Power");
  const list = el("div", { class: "rows" });
  const diagram = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  diagram.setAttribute("class", "plant");
  diagram.setAttribute("role", "img");
  body.append(diagram, list);

  function draw(): void {
    const buses = store.newest.truth?.bus ?? [];
    const step = String(store.newest.truth?.header?.step ?? "");
    element.hidden = !buses.length;
    const { truth, session } = store.newest;
    const info = session?.powerPlant;
    diagram.style.display = info ? "" : "none";
    list.hidden = !!info;
    setText(note, truth?.powerPlant ? `${scaled(truth.powerPlant.reserveW, "W")} in reserve on line` : "");
    if (info && truth) return plantInto(diagram, info, truth);
    const rows = resize(list, buses.length, row);
    buses.forEach((bus, i) => fill(rows[i] as HTMLElement, bus, step));
  }

  return { element, needs: ["truth", "session"], draw };
}

function row(): HTMLElement {
  return el("div", { class: "bus" }, el("span", { class: "name" }), el("span", { class: "state" }),
            el("div", { class: "bar" }, el("div", { class: "fill" })), el("output"));
}

function fill(element: HTMLElement, bus: BusTruth, step: string): void {
  const [name, state, bar, value] = Array.from(element.children) as [HTMLElement, HTMLElement, HTMLElement, HTMLOutputElement];
  const what = !bus.closed ? "open" : bus.limited ? "load limit" : bus.availableW <= 0 ? "dark" : "closed";
  setText(name, words(bus.name));
  setText(state, `${what === "closed" ? SIGN.normal : what === "load limit" ? SIGN.caution : SIGN.alarm} ${what}`);
  setData(state, "state", what === "closed" ? "normal" : what === "load limit" ? "caution" : "alarm");
  const share = bus.availableW > 0 ? Math.min(1, bus.usedW / bus.availableW) : 0;
  (bar.firstElementChild as HTMLElement).style.width = `${100 * share}%`;
  setData(value, "quantity", `bus.${bus.name}`);
  setData(value, "step", step);
  setText(value, `${scaled(bus.usedW, "W")} of ${scaled(bus.availableW, "W")}`);
}
