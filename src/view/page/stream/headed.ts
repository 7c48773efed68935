// What messages of the telemetry have in common.
import type { Header, Target } from "./messages.ts";

export interface Headed {
  header?: Header;
}

export function timeOf(message: Headed | undefined): number {
  return message?.header?.timeS ?? 0;
}

/** Place and heading that a vessel keeps. */
export type Station = Pick<Target, "northM" | "eastM" | "headingRad">;
