// A canvas that fills its element at the resolution of the screen, and a few strokes that panels share.

export class Surface {
  readonly canvas = document.createElement("canvas");
  readonly context: CanvasRenderingContext2D;
  width = 0; // in CSS pixels
  height = 0;

  constructor(parent: HTMLElement, name: string, redraw: () => void) {
    this.canvas.setAttribute("data-canvas", name);
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", name);
    parent.append(this.canvas);
    const context = this.canvas.getContext("2d");
    if (!context) throw new Error("this browser has no canvas");
    this.context = context;
    new ResizeObserver(() => {
      const ratio = window.devicePixelRatio || 1;
      this.width = parent.clientWidth;
      this.height = parent.clientHeight;
      this.canvas.width = Math.round(this.width * ratio);
      this.canvas.height = Math.round(this.height * ratio);
      redraw();
    }).observe(parent);
  }

  /** What the picture shows, in words. */
  describe(text: string): void {
    if (this.canvas.getAttribute("aria-label") !== text) this.canvas.setAttribute("aria-label", text);
  }

  /** Clears it; false if it has no size. */
  begin(): boolean {
    const ratio = window.devicePixelRatio || 1;
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.clearRect(0, 0, this.width, this.height);
    this.context.font = "11px system-ui, 'Noto Sans', 'DejaVu Sans', sans-serif";
    this.context.lineWidth = 1;
    this.context.setLineDash([]);
    this.context.textBaseline = "middle";
    this.context.textAlign = "left";
    return this.width > 20 && this.height > 20;
  }

  line(points: readonly (readonly [number, number])[], colour: string, width = 1, dash: number[] = [], isClosed = false): void {
    const c = this.context;
    c.beginPath();
    points.forEach(([x, y], i) => (i ? c.lineTo(x, y) : c.moveTo(x, y)));
    if (isClosed) c.closePath();
    c.strokeStyle = colour;
    c.lineWidth = width;
    c.setLineDash(dash);
    c.stroke();
    c.setLineDash([]);
  }

  fill(points: readonly (readonly [number, number])[], colour: string): void {
    const c = this.context;
    c.beginPath();
    points.forEach(([x, y], i) => (i ? c.lineTo(x, y) : c.moveTo(x, y)));
    c.closePath();
    c.fillStyle = colour;
    c.fill();
  }

  circle(x: number, y: number, radius: number, colour: string, width = 1, dash: number[] = []): void {
    const c = this.context;
    c.beginPath();
    c.arc(x, y, radius, 0, 2 * Math.PI);
    c.strokeStyle = colour;
    c.lineWidth = width;
    c.setLineDash(dash);
    c.stroke();
    c.setLineDash([]);
  }

  dot(x: number, y: number, radius: number, colour: string): void {
    this.context.beginPath();
    this.context.arc(x, y, radius, 0, 2 * Math.PI);
    this.context.fillStyle = colour;
    this.context.fill();
  }

  text(text: string, x: number, y: number, colour: string, align: CanvasTextAlign = "left", halo = ""): void {
    const c = this.context;
    c.textAlign = align;
    if (halo) {
      c.lineJoin = "round";
      c.lineWidth = 3;
      c.strokeStyle = halo;
      c.strokeText(text, x, y);
    }
    c.fillStyle = colour;
    c.fillText(text, x, y);
  }

  /** An arrow from (x, y), `length` long, in a direction clockwise from up. */
  arrow(x: number, y: number, angle: number, length: number, colour: string, width = 2): void {
    const [dx, dy] = [Math.sin(angle), -Math.cos(angle)];
    const [tx, ty] = [x + dx * length, y + dy * length];
    const head = Math.min(8, length / 2);
    this.line([[x, y], [tx - dx * head, ty - dy * head]], colour, width);
    this.fill(
      [[tx, ty], [tx - dx * head - dy * head * 0.45, ty - dy * head + dx * head * 0.45],
       [tx - dx * head + dy * head * 0.45, ty - dy * head - dx * head * 0.45]],
      colour,
    );
  }
}

/** A round step of 1, 2 or 5 times a power of ten, for about `count` steps in `range`. */
export function niceStep(range: number, count: number): number {
  const raw = Math.max(range, 1e-9) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = raw / power;
  return (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10) * power;
}
