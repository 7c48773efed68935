// The route of a session as a line, from its legs and arcs.
import type { Route } from "../stream/messages.ts";

const ARC_STEP_RAD = 0.05;

/** Points (north, east) from its begin to its end; close enough on arcs that a line through them looks round. */
export function routeLine(route: Route | undefined): [number, number][] {
  const points: [number, number][] = [];
  for (const { northM, eastM, courseRad, lengthM, curvature1pm } of route?.part ?? []) {
    const steps = Math.max(1, Math.min(400, Math.ceil((Math.abs(curvature1pm) * lengthM) / ARC_STEP_RAD)));
    for (let i = 0; i <= steps; i++) {
      const along = (lengthM * i) / steps;
      const turn = curvature1pm * along;
      if (!turn) points.push([northM + along * Math.cos(courseRad), eastM + along * Math.sin(courseRad)]);
      else {
        points.push([northM + (Math.sin(courseRad + turn) - Math.sin(courseRad)) / curvature1pm,
                     eastM - (Math.cos(courseRad + turn) - Math.cos(courseRad)) / curvature1pm]);
      }
    }
  }
  return points;
}
