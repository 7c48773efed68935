// The 3-D picture of three.js: seabed, sea surface, pipe coloured by its load, laid route, vessel, touchdown point, thrust, watch circles.
// Axes of the picture: x east, y up, z south, in metres from an origin below the vessel, so that single precision suffices.
import {
  AmbientLight, BufferAttribute, BufferGeometry, Color, DirectionalLight, DoubleSide, Group, Line, LineBasicMaterial, LineLoop,
  LineSegments, Mesh, MeshBasicMaterial, MeshLambertMaterial, PerspectiveCamera, Scene, SphereGeometry, WebGLRenderer,
  type Material, type Object3D,
} from "three";
import type { LaidPoint } from "../store/laid.ts";
import { directionOf, loadOf, outlineOf, pipeOf, seabedDown, type Load } from "../store/session.ts";
import type { Newest } from "../store/store.ts";
import type { Station } from "../stream/headed.ts";
import type { Nodes, Session, Truth } from "../stream/messages.ts";
import { largest, poseOf } from "./geometry.ts";
import { hullOf, tubeOf } from "./mesh.ts";
import { Orbit } from "./orbit.ts";
import { routeLine } from "./route.ts";
import { colours, loadColour, rgb } from "./palette.ts";

type Place = (north: number, east: number, down: number) => [number, number, number];
const SEABED_CELLS = 40;

export class View3 {
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly camera = new PerspectiveCamera(40, 1, 1, 20000);
  private readonly orbit: Orbit;
  private readonly observer: ResizeObserver;
  private moving = new Group(); // made anew for each picture
  private ground = new Group(); // made anew for another session or palette
  private groundKey = "";
  private origin: [number, number] | undefined; // north, east
  private readonly sun = new DirectionalLight(0xffffff, 2.2);

  /** Throws if there is no WebGL. */
  constructor(private readonly parent: HTMLElement, redraw: () => void) {
    const canvas = document.createElement("canvas");
    const context = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true, alpha: true });
    if (!context) throw new Error("no WebGL");
    this.renderer = new WebGLRenderer({ canvas, context, antialias: true, preserveDrawingBuffer: true, alpha: true });
    this.renderer.domElement.dataset["canvas"] = "scene";
    this.renderer.domElement.setAttribute("role", "img");
    this.renderer.domElement.setAttribute("aria-label", "3-D view of vessel, pipe and seabed");
    parent.append(this.renderer.domElement);
    this.sun.position.set(-0.6, 1, 0.4);
    this.scene.add(this.sun, new AmbientLight(0xffffff, 1.4), this.ground, this.moving);
    this.orbit = new Orbit(this.renderer.domElement, redraw);
    this.observer = new ResizeObserver(() => redraw());
    this.observer.observe(parent);
  }

  reset(): void {
    this.orbit.reset();
  }

  dispose(): void {
    this.observer.disconnect();
    empty(this.moving);
    empty(this.ground);
    this.renderer.dispose();
    this.renderer.forceContextLoss();
    this.renderer.domElement.remove();
  }

  draw(newest: Newest, setpoint: Station | undefined, laid: readonly LaidPoint[], wanted: Load["name"], palette: string): void {
    const [width, height] = [this.parent.clientWidth, this.parent.clientHeight];
    if (width < 10 || height < 10) return;
    const { truth, nodes, session } = newest;
    if (!truth && !nodes) return;
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    this.renderer.setSize(width, height, false);
    const start: [number, number] = [nodes?.northM[0] ?? truth?.positionNorthM ?? 0, nodes?.eastM[0] ?? truth?.positionEastM ?? 0];
    const size = sizeOf(truth, nodes, session);
    // The ground follows a vessel that moves on, in steps of a power of two of metres.
    const step = 2 ** Math.round(Math.log2(size / 4));
    const patch = [truth?.positionNorthM ?? start[0], truth?.positionEastM ?? start[1]].map((x) => Math.round(x / step));
    const key = `${palette} ${session?.header?.session ?? ""} ${session?.route?.part.length ?? 0} ${nodes ? "pipe" : ""} ${step} ${patch.join(" ")}`;
    if (key !== this.groundKey) this.origin = start;
    const origin = this.origin ?? start;
    const place: Place = (north, east, down) => [east - origin[1], -down, -(north - origin[0])];
    if (key !== this.groundKey) {
      empty(this.ground);
      const fixed = [...routeOf(session, place), ...groundOf(session, nodes, truth, size, place)];
      if (fixed.length) this.ground.add(...fixed); // three takes no empty list
      this.groundKey = key;
    }
    empty(this.moving);
    if (nodes && nodes.northM.length > 1) this.moving.add(pipeMesh(nodes, session, loadOf(nodes, session, wanted), size, place));
    if (nodes && laid.length) this.moving.add(laidLine(nodes, laid, place));
    if (truth) this.moving.add(...vesselOf(truth, session, place));
    this.moving.add(...marksOf(newest, setpoint, size, place));
    this.look(truth, nodes, size, place, width / height);
    this.renderer.setClearColor(new Color(colours().surface), 1);
    this.renderer.render(this.scene, this.camera);
  }

  private look(truth: Truth | undefined, nodes: Nodes | undefined, size: number, place: Place, aspect: number): void {
    const vessel: [number, number, number] = truth ? place(truth.positionNorthM, truth.positionEastM, truth.positionDownM) : [0, 0, 0];
    const foot: [number, number, number] = nodes ? place(nodes.northM[0] ?? 0, nodes.eastM[0] ?? 0, nodes.downM[0] ?? 0) : vessel;
    const centre = [0, 1, 2].map((i) => ((vessel[i] ?? 0) + (foot[i] ?? 0)) / 2 + size * (this.orbit.shift[i] ?? 0)) as [number, number, number];
    const away = size * 1.25 * this.orbit.distance * Math.max(1, 1.2 / aspect);
    const { azimuth, height } = this.orbit;
    this.camera.position.set(centre[0] + away * Math.cos(height) * Math.sin(azimuth), centre[1] + away * Math.sin(height),
                             centre[2] + away * Math.cos(height) * Math.cos(azimuth));
    this.camera.near = away / 100;
    this.camera.far = away + size * 10;
    this.camera.aspect = aspect;
    this.camera.updateProjectionMatrix();
    this.camera.lookAt(...centre);
  }
}

function empty(group: Group): void {
  group.traverse((one: Object3D) => {
    const drawn = one as Partial<Mesh>;
    drawn.geometry?.dispose();
    (drawn.material as Material | undefined)?.dispose();
  });
  group.clear();
}

/** The extent of what is shown, m. */
function sizeOf(truth: Truth | undefined, nodes: Nodes | undefined, session: Session | undefined): number {
  const vessel = largest(outlineOf(session).map(([f, s]) => Math.hypot(f, s)));
  if (!nodes || !truth) return 4 * vessel;
  const reach = Math.hypot(truth.positionNorthM - (nodes.northM[0] ?? 0), truth.positionEastM - (nodes.eastM[0] ?? 0));
  return Math.hypot(reach, largest(nodes.downM)) + vessel;
}

function groundOf(session: Session | undefined, nodes: Nodes | undefined, truth: Truth | undefined, size: number, place: Place): Object3D[] {
  const c = colours();
  const [n, e] = [nodes?.northM[0] ?? truth?.positionNorthM ?? 0, nodes?.eastM[0] ?? truth?.positionEastM ?? 0];
  const [tn, te] = [truth?.positionNorthM ?? n, truth?.positionEastM ?? e];
  const [cn, ce, half] = [(n + tn) / 2, (e + te) / 2, size * 0.62];
  const parts: Object3D[] = [];
  const cells = SEABED_CELLS;
  const deepest = nodes ? largest(nodes.downM) : undefined;
  const at = (i: number, j: number): [number, number, number] | undefined => {
    const [north, east] = [cn - half + (2 * half * i) / cells, ce - half + (2 * half * j) / cells];
    const down = seabedDown(session, north, east) ?? deepest;
    return down === undefined ? undefined : place(north, east, down);
  };
  if (at(0, 0)) {
    const points: number[] = [];
    const faces: number[] = [];
    const lines: number[] = [];
    for (let i = 0; i <= cells; i++) for (let j = 0; j <= cells; j++) points.push(...(at(i, j) ?? [0, 0, 0]));
    const index = (i: number, j: number) => i * (cells + 1) + j;
    for (let i = 0; i < cells; i++) {
      for (let j = 0; j < cells; j++) faces.push(index(i, j), index(i, j + 1), index(i + 1, j), index(i + 1, j), index(i, j + 1), index(i + 1, j + 1));
    }
    for (let i = 0; i <= cells; i += 4) for (let j = 0; j < cells; j++) lines.push(index(i, j), index(i, j + 1), index(j, i), index(j + 1, i));
    const shape = geometry(points, faces);
    shape.computeVertexNormals();
    parts.push(new Mesh(shape, new MeshLambertMaterial({ color: c.seabed, side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 2 })));
    parts.push(new LineSegments(geometry(points, lines), new LineBasicMaterial({ color: c.outline, transparent: true, opacity: 0.5 })));
  }
  const corners = [[-1, -1], [-1, 1], [1, 1], [1, -1]].map(([a, b]) => place(cn + half * (a ?? 0), ce + half * (b ?? 0), 0)).flat();
  parts.push(new Mesh(geometry(corners, [0, 1, 2, 0, 2, 3]), new MeshBasicMaterial({ color: c.first, transparent: true, opacity: 0.16, side: DoubleSide, depthWrite: false })));
  parts.push(new LineLoop(geometry(corners), new LineBasicMaterial({ color: c.first })));
  return parts;
}

/** The route at the surface, with a mast at each way-point. */
function routeOf(session: Session | undefined, place: Place): Object3D[] {
  const route = session?.route;
  if (!route) return [];
  const material = new LineBasicMaterial({ color: colours().third });
  const masts = route.waypoints.flatMap(({ northM, eastM }) => [...place(northM, eastM, 0), ...place(northM, eastM, -15)]);
  return [new Line(geometry(routeLine(route).flatMap(([n, e]) => place(n, e, 0))), material), new LineSegments(geometry(masts), material)];
}

/** Laid pipe that has left the computation, to the present lower end. */
function laidLine(nodes: Nodes, laid: readonly LaidPoint[], place: Place): Object3D {
  const points = laid.flatMap((point) => place(...point)).concat(place(nodes.northM[0] ?? 0, nodes.eastM[0] ?? 0, nodes.downM[0] ?? 0));
  return new Line(geometry(points), new LineBasicMaterial({ color: colours().second }));
}

function pipeMesh(nodes: Nodes, session: Session | undefined, load: Load, size: number, place: Place): Object3D {
  const points = nodes.northM.map((n, i) => place(n, nodes.eastM[i] ?? 0, nodes.downM[i] ?? 0));
  const tints = load.values.map((k) => rgb(loadColour(k / load.full, load.limit !== undefined)));
  const radius = Math.max((session?.pipe?.outerDiameterM ?? 0.5) / 2, size / 210); // at least visible
  const tube = tubeOf(points, tints, radius, 8);
  const shape = geometry(tube.points, tube.faces);
  shape.setAttribute("color", new BufferAttribute(new Float32Array(tube.tints.map((x) => (x / 255) ** 2.2)), 3));
  shape.computeVertexNormals();
  return new Mesh(shape, new MeshLambertMaterial({ vertexColors: true }));
}

function vesselOf(truth: Truth, session: Session | undefined, place: Place): Object3D[] {
  const c = colours();
  const pose = poseOf(truth);
  const hull = hullOf(outlineOf(session));
  const corners = hull.points.map(([f, s, d]) => place(...pose.toWorld(f, s, d))).flat();
  const parts: Object3D[] = [];
  if (corners.length) {
    const shape = geometry(corners, hull.faces).toNonIndexed();
    shape.computeVertexNormals();
    parts.push(new Mesh(shape, new MeshLambertMaterial({ color: c.weak, side: DoubleSide })));
    parts.push(new LineSegments(geometry(corners, hull.edges), new LineBasicMaterial({ color: c.strong })));
  }
  const infos = session?.welcome?.thruster ?? [];
  const thrust: number[] = [];
  for (const one of truth.thruster) {
    const info = infos.find((other) => other.name === one.name);
    if (!info) continue;
    const [f, s] = directionOf(info, one.azimuthRad);
    const length = (one.thrustN / (info.thrustMaxN || 1)) * 40; // m at full thrust
    const at = (along: number, aside: number) =>
      place(...pose.toWorld(info.forwardM + length * (f * along - s * aside), info.starboardM + length * (s * along + f * aside), 4));
    for (const [from, to] of [[at(0, 0), at(1, 0)], [at(1, 0), at(0.75, 0.12)], [at(1, 0), at(0.75, -0.12)]] as const) thrust.push(...from, ...to);
  }
  parts.push(new LineSegments(geometry(thrust), new LineBasicMaterial({ color: c.third })));
  return parts;
}

function marksOf(newest: Newest, setpoint: Station | undefined, size: number, place: Place): Object3D[] {
  const c = colours();
  const parts: Object3D[] = [];
  const touchdown = pipeOf(newest)?.touchdown;
  if (touchdown) {
    const ball = new Mesh(new SphereGeometry(size / 110, 16, 12), new MeshLambertMaterial({ color: c.strong2 }));
    ball.position.set(...place(touchdown.northM, touchdown.eastM, touchdown.downM));
    parts.push(ball);
  }
  if (setpoint) {
    for (const radius of newest.session?.watchCircleM ?? []) {
      const ring = Array.from({ length: 64 }, (_, i) => {
        const angle = (i * Math.PI) / 32;
        return place(setpoint.northM + radius * Math.cos(angle), setpoint.eastM + radius * Math.sin(angle), 0);
      }).flat();
      parts.push(new LineLoop(geometry(ring), new LineBasicMaterial({ color: c.outline })));
    }
    const { northM, eastM } = setpoint;
    parts.push(new Line(geometry([...place(northM, eastM, -20), ...place(northM, eastM, 20)]), new LineBasicMaterial({ color: c.text })));
  }
  return parts;
}

function geometry(points: number[], index?: number[]): BufferGeometry {
  const shape = new BufferGeometry();
  shape.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
  if (index) shape.setIndex(index);
  return shape;
}
