// OpenBridge's compass: heading and its set-point, course, wind and current; the numbers stand beside it.
import { CompassDirection, ObcCompass } from "@oicl/openbridge-webcomponents/dist/navigation-instruments/compass/compass.js";
import { VesselImage } from "@oicl/openbridge-webcomponents/dist/navigation-instruments/watch/vessel.js";
import { Priority } from "@oicl/openbridge-webcomponents/dist/navigation-instruments/types.js";
import { el, readout } from "../draw/dom.ts";
import { azimuth, currentOf, poseOf } from "../draw/geometry.ts";
import { bearing, fixed, RAD } from "../draw/units.ts";
import { frame, type Context, type Panel } from "./panel.ts";

const KNOTS = 1.943844;
const BEAUFORT_MPS = [0.5, 1.6, 3.4, 5.5, 8, 10.8, 13.9, 17.2, 20.8, 24.5, 28.5, 32.7]; // lower edges of forces 1 to 12

export function compass({ store, settings }: Context): Panel {
  const { element, body } = frame("compass", "Heading, wind and current");
  const rose = new ObcCompass();
  rose.priority = Priority.enhanced;
  rose.vesselImage = VesselImage.genericTop;
  rose.showLabels = true;
  const heading = readout("heading", "°", "heading_deg");
  const course = readout("course", "°", "course");
  const speed = readout("speed", "m/s", "speed_mps");
  const turn = readout("turn", "°/min", "turn");
  const wind = readout("wind from", "°", "wind_direction_deg");
  const windSpeed = readout("wind", "m/s", "wind_speed_mps");
  const current = readout("current to", "°", "current_direction");
  const currentSpeed = readout("current", "m/s", "current_speed");
  const list = el("div", { class: "readouts" });
  for (const item of [heading, course, speed, turn, wind, windSpeed, current, currentSpeed]) list.append(item.element);
  body.append(el("div", { class: "instrument" }, rose), list);

  function draw(): void {
    const { truth } = store.newest;
    if (!truth) return;
    const step = truth.header?.step;
    const pose = poseOf(truth);
    const [north, east] = velocityOf(pose.heading, truth.surgeMps, truth.swayMps);
    const speed_mps = Math.hypot(north, east);
    rose.heading = positive(pose.heading / RAD);
    rose.courseOverGround = positive((speed_mps > 0.05 ? azimuth(north, east) : pose.heading) / RAD);
    const setpoint = truth.route ? store.target() : store.setpoint();
    rose.headingSetpoint = setpoint ? positive(setpoint.headingRad / RAD) : null;
    rose.direction = settings.values.isHeadingUp ? CompassDirection.HeadingUp : CompassDirection.NorthUp;
    rose.rotationsPerMinute = truth.bodyRateYawRadps / RAD / 6;
    heading.set(bearing(pose.heading), step);
    course.set(speed_mps > 0.05 ? bearing(azimuth(north, east), 0) : "–", step);
    speed.set(fixed(speed_mps, 2), step);
    turn.set(fixed((truth.bodyRateYawRadps / RAD) * 60, 1), step);

    const weather = truth.weather;
    const water = currentOf(truth);
    const flow = water ? Math.hypot(water.northMps, water.eastMps) : 0;
    rose.windSpeed = weather ? BEAUFORT_MPS.filter((edge) => weather.windSpeedMps >= edge).length : null;
    rose.windFromDirection = weather ? positive(weather.windDirectionRad / RAD) : null;
    rose.currentSpeed = flow > 0.01 ? Math.max(1, Math.round(flow * KNOTS)) : null;
    const to = water ? azimuth(water.northMps, water.eastMps) : 0;
    rose.currentFromDirection = flow > 0.01 ? positive(to / RAD + 180) : null;
    wind.set(weather ? bearing(weather.windDirectionRad, 0) : "–", step);
    windSpeed.set(fixed(weather?.windSpeedMps, 1), step);
    current.set(flow > 0.01 ? bearing(to, 0) : "–", step);
    currentSpeed.set(water ? fixed(flow, 2) : "–", step);
  }

  return { element, needs: ["truth", "session", "settings"], draw };
}

function velocityOf(heading: number, surge: number, sway: number): [number, number] {
  return [surge * Math.cos(heading) - sway * Math.sin(heading), surge * Math.sin(heading) + sway * Math.cos(heading)];
}

function positive(degrees: number): number {
  return ((degrees % 360) + 360) % 360;
}
