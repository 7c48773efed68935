// Where panels stand: rows of panels for the width of the window, in the order in which they are read. A panel that has nothing to show
// is hidden, and its neighbours take its room; a row without panels goes.
import { el } from "./draw/dom.ts";

/** A panel's name and its share of the row's width; several names stand above each other. */
type Place = readonly [string | readonly string[], number];

const LAYOUTS: readonly { from_px: number; name: string; rows: readonly (readonly Place[])[] }[] = [
  {
    from_px: 1840, name: "widest",
    rows: [
      [["plan", 6], ["elevation", 8], ["scene", 6], ["lay", 5], ["alarms", 6]],
      [["trends", 8], ["range", 9], ["verdicts", 6]],
      [["thrusters", 9], ["compass", 6], [["power", "controller"], 5], ["timeline", 6]],
      [["timing", 8], ["ledger", 5], ["link", 4]],
      [["references", 6], ["consequence", 5], ["capability", 5]],
    ],
  },
  {
    from_px: 1500, name: "wide",
    rows: [
      [["plan", 6], ["elevation", 8], ["scene", 6], ["alarms", 6]],
      [["trends", 9], ["lay", 5], ["verdicts", 7]],
      [["range", 1]],
      [["thrusters", 9], ["compass", 6], [["power", "controller"], 5], ["timeline", 5]],
      [["timing", 8], ["ledger", 5], ["link", 4]],
      [["references", 6], ["consequence", 5], ["capability", 5]],
    ],
  },
  {
    from_px: 1120, name: "medium",
    rows: [
      [["plan", 6], ["elevation", 7], ["alarms", 6]],
      [["trends", 7], ["lay", 4], ["verdicts", 7]],
      [["range", 1]],
      [["thrusters", 8], ["compass", 5], [["power", "controller"], 5]],
      [["scene", 6], ["timeline", 6]],
      [["timing", 8], ["ledger", 5]],
      [["link", 4], ["references", 6], ["consequence", 5]],
      [["capability", 1]],
    ],
  },
  {
    from_px: 760, name: "narrow",
    rows: [
      [["plan", 5], ["alarms", 5]], [["elevation", 5], ["verdicts", 6]], [["trends", 6], ["lay", 4]], [["range", 1]], [["thrusters", 7], ["compass", 5]],
      [["scene", 5], [["power", "controller"], 5]], [["timeline", 5]], [["timing", 6], ["ledger", 4]], [["references", 5]], [["link", 4], ["consequence", 5]], [["capability", 1]],
    ],
  },
  {
    from_px: 0, name: "single",
    rows: ["alarms", "plan", "verdicts", "elevation", "range", "lay", "trends", "compass", "thrusters", "power", "controller", "references", "consequence", "capability", "scene", "timeline", "timing", "ledger", "link"]
      .map((name) => [[name, 1]]),
  },
];

/** Places the panels in `main`, now and whenever the window becomes wider or narrower than a layout permits. */
export function arrange(main: HTMLElement, panels: readonly HTMLElement[]): void {
  const byName = new Map(panels.map((panel) => [panel.dataset["panel"] ?? "", panel]));
  let placed = "";
  const place = () => {
    const layout = LAYOUTS.find(({ from_px }) => window.innerWidth >= from_px) ?? LAYOUTS[LAYOUTS.length - 1];
    if (!layout || layout.name === placed) return;
    placed = layout.name;
    main.dataset["layout"] = layout.name;
    main.replaceChildren(...layout.rows.map((row) => el("div", { class: "row" }, ...row.map(([names, share]) => boxOf(byName, names, share)))));
  };
  place();
  window.addEventListener("resize", place);
}

function boxOf(byName: Map<string, HTMLElement>, names: string | readonly string[], share: number): HTMLElement {
  const list = typeof names === "string" ? [names] : names;
  const box = el("div", { class: "box" });
  box.style.flexGrow = String(share);
  for (const name of list) {
    const panel = byName.get(name);
    if (!panel) throw new Error(`the layout names a panel that does not exist: ${name}`);
    box.append(panel);
  }
  return box;
}
