// What a panel is: an element, the parts of the store that it shows, and a function that draws them.
import { el } from "../draw/dom.ts";
import type { History } from "../store/history.ts";
import type { Settings } from "../store/settings.ts";
import type { Part, Store } from "../store/store.ts";

export interface Panel {
  readonly element: HTMLElement;
  readonly needs: readonly Part[];
  draw(): void;
}

/** What a panel may read, and what it may order. */
export interface Context {
  store: Store;
  settings: Settings;
  history: History;
}

export interface Frame {
  element: HTMLElement;
  body: HTMLElement;
  controls: HTMLElement;
  note: HTMLElement; // a short text at the right of the title
}

/** The frame of a panel: title, note, controls, body. `name` is how the style sheet knows it. */
export function frame(name: string, title: string): Frame {
  const body = el("div", { class: "body" });
  const controls = el("div", { class: "controls" });
  const note = el("span", { class: "note" });
  const element = el("section", { class: "panel", "data-panel": name, "aria-label": title },
                     el("header", {}, el("h2", {}, title), note, controls), body);
  return { element, body, controls, note };
}
