// The 3-D view: what the picture shows, when it is drawn, and how a viewer turns it. Without WebGL the panel states that, and the rest
// of the page works. It is drawn on new data only, and can be switched off.
import { press, toggle } from "../draw/dom.ts";
import { el } from "../draw/dom.ts";
import { View3 } from "../draw/view3.ts";
import { frame, type Context, type Panel } from "./panel.ts";

export function scene({ store, settings }: Context): Panel {
  const { element, body, controls, note } = frame("scene", "3-D");
  const on = toggle("ON", "Draw the 3-D view, or switch it off", () => settings.set("isScene", !settings.values.isScene));
  const reset = toggle("RESET", "The view as at the start", () => { view?.reset(); draw(); });
  controls.append(reset, on);
  let view: View3 | undefined;
  let why = "";

  function draw(): void {
    const isOn = settings.values.isScene;
    press(on, isOn);
    on.textContent = isOn ? "ON" : "OFF";
    if (!isOn) {
      view?.dispose();
      view = undefined;
      why = "";
      body.replaceChildren(el("p", { class: "empty" }, "switched off"));
      return;
    }
    if (!view && !why) {
      try {
        body.replaceChildren();
        view = new View3(body, draw);
      } catch {
        why = "This browser has no WebGL: there is no 3-D view.";
        body.replaceChildren(el("p", { class: "empty" }, why));
      }
    }
    if (!view) return;
    note.textContent = "drag to turn, wheel to zoom";
    view.draw(store.newest, store.target(), store.laid.points, settings.values.load, settings.values.palette);
  }

  return { element, needs: ["nodes", "truth", "session", "settings"], draw };
}
