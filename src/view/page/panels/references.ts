// Position references of the controller: how far each is from the estimate, what weight it has, and whether it is in use. None of it is
// known to be true. docs/references.md
import { el, resize, setData, setText } from "../draw/dom.ts";
import { SIGN } from "../draw/signs.ts";
import { fixed, words } from "../draw/units.ts";
import { frame, type Context, type Panel } from "./panel.ts";
import type { InstrumentView, ReferenceView } from "../stream/messages.ts";

const USES = ["unknown", "in use", "absent", "invalid", "old", "frozen", "rejected"];
const IN_USE = 1;
const NS = "http://www.w3.org/2000/svg";
const HALF = 50; // of the drawing, in its units
const SCALES = [1, 2, 5, 10, 20, 50, 100]; // m, of the outer ring

interface Seen {
  name: string;
  principle: string;
  text: string; // status
  state: string; // and its kind
  view: ReferenceView;
}

export function references({ store }: Context): Panel {
  const { element, body, note } = frame("references", "Position references");
  const target = document.createElementNS(NS, "svg");
  const dots = document.createElementNS(NS, "g");
  const scale = shape("text", { x: 2 - HALF, y: HALF - 2, class: "state" });
  for (const [name, text] of Object.entries({ viewBox: `${-HALF} ${-HALF} ${2 * HALF} ${2 * HALF}`, class: "residuals", role: "img" })) target.setAttribute(name, text);
  target.append(shape("circle", { r: HALF - 2, class: "ring" }), shape("circle", { r: (HALF - 2) / 2, class: "ring" }),
                shape("path", { d: `M0 ${-HALF}V${HALF}M${-HALF} 0H${HALF}`, class: "ring" }), scale, dots);
  const list = el("tbody");
  const heads = ["reference", "principle", "forward", "starboard", "weight", "status"].map((text) => el("th", {}, text));
  body.append(target, el("table", { class: "references" }, el("thead", {}, el("tr", {}, ...heads)), list));
  body.tabIndex = 0; // with many references it is longer than its room
  body.setAttribute("role", "group");
  body.setAttribute("aria-label", "Position references");
  element.hidden = true; // until a controller shows some

  function draw(): void {
    const { dp } = store.newest;
    const all = seenOf(dp?.instrument ?? []);
    element.hidden = !all.length;
    if (!all.length) return;
    setData(element, "old", String(store.dpSilentSince() !== undefined));
    const used = all.filter((one) => one.view.weight > 0);
    const principles = new Set(used.map((one) => one.principle)).size;
    setText(note, `${used.length} of ${all.length} in use, ${principles} principle${principles === 1 ? "" : "s"}`);
    setData(note, "state", used.length ? "normal" : "alarm");
    drawTarget(all);
    const rows = resize(list, all.length, () => el("tr", {}, el("td"), el("td"), el("td", {}, el("output")), el("td", {}, el("output")), el("td", {}, el("output")), el("td", { class: "state" })));
    all.forEach((one, i) => drawRow(rows[i] as HTMLElement, one, String(dp?.header?.step ?? "")));
  }

  function drawRow(row: HTMLElement, one: Seen, step: string): void {
    const cells = Array.from(row.children) as HTMLElement[];
    const numbers: [number | undefined, number, string][] = [
      [one.view.known ? one.view.residualForwardM : undefined, 2, "forward"], [one.view.known ? one.view.residualStarboardM : undefined, 2, "starboard"],
      [100 * one.view.weight, 0, "weight"],
    ];
    setData(row, "reference", one.name);
    setText(cells[0] as Element, one.name);
    setText(cells[1] as Element, words(one.principle));
    numbers.forEach(([value, decimals, name], i) => {
      const output = cells[2 + i]?.firstElementChild as HTMLOutputElement;
      setText(output, value === undefined ? "–" : `${fixed(value, decimals)}\u00a0${name === "weight" ? "%" : "m"}`);
      setData(output, "quantity", `reference.${one.name}.${name}`);
      setData(output, "step", step);
    });
    setText(cells[5] as Element, one.text);
    setData(cells[5] as HTMLElement, "state", one.state);
  }

  /** Each residual as a dot: forward is up, its size the weight. */
  function drawTarget(all: readonly Seen[]): void {
    const known = all.filter((one) => one.view.known);
    const most = Math.max(0, ...known.map((one) => Math.hypot(one.view.residualForwardM, one.view.residualStarboardM)));
    const outer = SCALES.find((one) => one >= most) ?? SCALES[SCALES.length - 1] ?? 1;
    setText(scale, `${outer}\u00a0m`);
    target.setAttribute("aria-label", `Residuals: ${known.map((one) => `${one.name} ${fixed(Math.hypot(one.view.residualForwardM, one.view.residualStarboardM), 2)} m`).join(", ") || "none"}`);
    resize(dots, known.length, () => shape("circle", {})).forEach((dot, i) => {
      const { name, state, view } = known[i] as Seen;
      const share = Math.min(1, outer / Math.max(outer, Math.hypot(view.residualForwardM, view.residualStarboardM)));
      const at = { cx: (view.residualStarboardM / outer) * share, cy: (-view.residualForwardM / outer) * share };
      dot.setAttribute("cx", (at.cx * (HALF - 2)).toFixed(1));
      dot.setAttribute("cy", (at.cy * (HALF - 2)).toFixed(1));
      dot.setAttribute("r", (2 + 3 * Math.sqrt(view.weight)).toFixed(1));
      setData(dot as SVGElement, "dot", name);
      setData(dot as SVGElement, "state", state);
    });
  }

  return { element, needs: ["dp", "truth"], draw };
}

function shape(tag: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}

function seenOf(instruments: readonly InstrumentView[]): Seen[] {
  return instruments.flatMap((one) => (one.reference ? [{ name: one.name, principle: one.reference.principle, view: one.reference, ...statusOf(one, one.reference) }] : []));
}

function statusOf(one: InstrumentView, view: ReferenceView): { text: string; state: string } {
  if (view.weight > 0) return { text: `${SIGN.normal} in use`, state: "normal" };
  if (view.proving) return { text: `${SIGN.caution} proving`, state: "caution" };
  if (one.use === IN_USE) return { text: `${SIGN.caution} not counted`, state: "caution" }; // calibrating, or the other of two that differ
  return { text: `${SIGN.caution} ${USES[one.use] ?? "unknown"}`, state: "caution" };
}
