// The line of what keeps the page from being right: another protocol version, no data, the newest warning of the server.
import { el, setData, setText } from "../draw/dom.ts";
import { SIGN } from "../draw/signs.ts";
import { wallClock } from "../draw/units.ts";
import { endOf, hasFailed } from "../store/session.ts";
import { PROTOCOL } from "../store/store.ts";
import type { Context, Panel } from "./panel.ts";

export function banner({ store }: Context): Panel {
  const element = el("div", { class: "banner", role: "status", hidden: "" });

  function draw(): void {
    const [text, kind] = words();
    setText(element, text);
    setData(element, "state", kind);
    element.hidden = !text;
  }

  function words(): [string, string] {
    if (store.foreignProtocol !== undefined) {
      return [`${SIGN.alarm} Another version of the protocol: ${store.foreignProtocol}. This page reads version ${PROTOCOL}; messages of others are left out.`, "alarm"];
    }
    const { end } = store.newest;
    if (end) {
      const gone = store.link === "closed" ? " There is no connection to sagbend-view any more." : "";
      return [`${hasFailed(end) ? SIGN.alarm : SIGN.off} The session has ${endOf(end)}. The page shows its last state.${gone}`, hasFailed(end) ? "alarm" : "off"];
    }
    if (store.link === "closed") return [`${SIGN.alarm} No connection to sagbend-view. The page connects again by itself. What it shows is old.`, "alarm"];
    if (store.source?.state === "no_data" && store.kind !== "log") {
      const rest = store.sessions ? "What the page shows is old." : "The page waits for a simulator.";
      return [`${SIGN.alarm} No data since ${wallClock(store.source.since_ms)}. ${rest}`, "alarm"];
    }
    if (store.warning) return [`${SIGN.caution} ${store.warning}`, "caution"];
    return ["", "off"];
  }

  return { element, needs: ["link", "source", "end"], draw };
}
