// Where a viewer has moved a flat picture: drag or arrow keys move it, the wheel, + and - zoom, Home puts it back. Calls back on changes.
const STEP_PX = 30;

export class Pan {
  zoom = 1;
  right = 0; // px that the picture has been moved
  down = 0;

  constructor(canvas: HTMLCanvasElement, private readonly changed: () => void) {
    canvas.tabIndex = 0;
    canvas.setAttribute("aria-keyshortcuts", "ArrowLeft ArrowRight ArrowUp ArrowDown + - Home");
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("wheel", (event) => { event.preventDefault(); this.zoomBy(event.deltaY < 0 ? 1.2 : 1 / 1.2); }, { passive: false });
    let last: [number, number] | undefined;
    canvas.addEventListener("pointerdown", (event) => { last = [event.clientX, event.clientY]; canvas.setPointerCapture(event.pointerId); });
    canvas.addEventListener("pointerup", () => { last = undefined; });
    canvas.addEventListener("pointermove", (event) => {
      if (!last) return;
      this.move(event.clientX - last[0], event.clientY - last[1]);
      last = [event.clientX, event.clientY];
    });
  }

  zoomBy(factor: number): void {
    const zoom = Math.min(20, Math.max(0.1, this.zoom * factor));
    [this.right, this.down] = [this.right * (zoom / this.zoom), this.down * (zoom / this.zoom)];
    this.zoom = zoom;
    this.changed();
  }

  reset(): void {
    [this.zoom, this.right, this.down] = [1, 0, 0];
    this.changed();
  }

  private move(right: number, down: number): void {
    this.right += right;
    this.down += down;
    this.changed();
  }

  private key(event: KeyboardEvent): void {
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [STEP_PX, 0], ArrowRight: [-STEP_PX, 0], ArrowUp: [0, STEP_PX], ArrowDown: [0, -STEP_PX],
    };
    const move = moves[event.key];
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (move) this.move(...move);
    else if (event.key === "+" || event.key === "=") this.zoomBy(1.2);
    else if (event.key === "-") this.zoomBy(1 / 1.2);
    else if (event.key === "Home") this.reset();
    else return;
    event.preventDefault();
  }
}
