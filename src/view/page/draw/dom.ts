// Small helpers for the document. Text is always set as text, never as markup.

type Attributes = Record<string, string>;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Sets the text only if it differs, so that an unchanged number costs no layout. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function setData(element: HTMLElement | SVGElement, name: string, value: string): void {
  if (element.dataset[name] !== value) element.dataset[name] = value;
}

/** Makes a list of children as long as `length`; each new one comes from `make`. */
export function resize<T extends Element>(parent: Element, length: number, make: (i: number) => T): T[] {
  while (parent.children.length > length) parent.lastElementChild?.remove();
  while (parent.children.length < length) parent.append(make(parent.children.length));
  return Array.from(parent.children) as T[];
}

export interface Readout {
  element: HTMLElement;
  value: HTMLOutputElement;
  set(text: string, step?: bigint): void;
}

/** A labelled number with its unit. `name` is the output quantity (docs/outputs.md) and marks the element for whoever reads it. */
export function readout(label: string, unit: string, name: string, size = ""): Readout {
  const value = el("output", { "data-quantity": name });
  const element = el("div", { class: `readout ${size}` }, el("span", { class: "label" }, label), value, el("span", { class: "unit" }, unit));
  return {
    element,
    value,
    set(text, step) {
      setText(value, text);
      if (step !== undefined) setData(value, "step", String(step));
    },
  };
}

/** A button that shows whether it is pressed. */
export function toggle(label: string, title: string, act: () => void): HTMLButtonElement {
  const button = el("button", { type: "button", title, "aria-pressed": "false" }, label);
  button.addEventListener("click", act);
  return button;
}

export function press(button: HTMLButtonElement, pressed: boolean): void {
  const text = String(pressed);
  if (button.getAttribute("aria-pressed") !== text) button.setAttribute("aria-pressed", text);
}
