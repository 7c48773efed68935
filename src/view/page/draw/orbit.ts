// A camera that turns around a point: drag to turn, with the right button or Shift to move, wheel to zoom. Calls back on changes.

export class Orbit {
  azimuth = -2.3; // rad, of the camera seen from the centre
  height = 0.35; // rad above the horizon
  distance = 1; // share of the picture's size
  shift: [number, number, number] = [0, 0, 0];

  constructor(element: HTMLElement, changed: () => void) {
    let last: [number, number] | undefined;
    element.addEventListener("pointerdown", (event) => {
      last = [event.clientX, event.clientY];
      element.setPointerCapture(event.pointerId);
    });
    element.addEventListener("pointerup", () => { last = undefined; });
    element.addEventListener("contextmenu", (event) => event.preventDefault());
    element.addEventListener("pointermove", (event) => {
      if (!last) return;
      const [dx, dy] = [event.clientX - last[0], event.clientY - last[1]];
      last = [event.clientX, event.clientY];
      if (event.shiftKey || event.buttons & 2) this.move(dx / element.clientHeight, dy / element.clientHeight);
      else this.turn(-dx * 0.008, dy * 0.006);
      changed();
    });
    element.tabIndex = 0;
    element.addEventListener("keydown", (event) => {
      if (!this.key(event)) return;
      event.preventDefault();
      changed();
    });
    element.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(event.deltaY > 0);
      changed();
    }, { passive: false });
  }

  reset(): void {
    [this.azimuth, this.height, this.distance, this.shift] = [-2.3, 0.35, 1, [0, 0, 0]];
  }

  /** Arrow keys turn, with Shift they move; + and - zoom, Home puts the view back. */
  private key(event: KeyboardEvent): boolean {
    const arrows: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const arrow = arrows[event.key];
    if (event.ctrlKey || event.altKey || event.metaKey) return false;
    if (arrow && event.shiftKey) this.move(arrow[0] * 0.05, arrow[1] * 0.05);
    else if (arrow) this.turn(arrow[0] * 0.12, arrow[1] * 0.09);
    else if (["+", "=", "-"].includes(event.key)) this.zoom(event.key === "-");
    else if (event.key === "Home") this.reset();
    else return false;
    return true;
  }

  private zoom(isOut: boolean): void {
    this.distance = Math.min(4, Math.max(0.03, this.distance * (isOut ? 1.15 : 1 / 1.15)));
  }

  private turn(around: number, up: number): void {
    this.azimuth += around;
    this.height = Math.min(1.55, Math.max(-0.2, this.height + up));
  }

  /** By shares of the picture's height, in the plane of the screen. */
  private move(right: number, down: number): void {
    const [s, c] = [Math.sin(this.azimuth), Math.cos(this.azimuth)];
    const scale = 1.2 * this.distance;
    this.shift[0] += scale * (-right * c + down * s * Math.sin(this.height));
    this.shift[1] += scale * (right * s + down * c * Math.sin(this.height));
    this.shift[2] += scale * down * Math.cos(this.height);
  }
}
