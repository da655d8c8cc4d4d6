// A map to look at closely: zoom, pan, a scale bar that fits, and candidates that speak.

import { element } from "./api.js";

const LARGEST = 12, STEP = 1.3, METRES = [0.5, 1, 2, 5, 10, 20, 50];
const NEAR = 26; // in the drawing's own units

export class MapView {
  constructor() {
    this.zoom = 1;
    this.middle = null; // in the drawing's own units; null: all of it
    this.box = element("div", { class: "drawing", tabindex: 0, role: "group", "aria-label": "Map: plus and minus zoom, arrows move it" });
    this.bar = element("span", { class: "scale", "aria-hidden": "true" });
    const button = (label, said, act) => element("button", { type: "button", "aria-label": label, title: label, onclick: act }, said);
    this.tools = element("div", { class: "tools" },
      button("Zoom in", "+", () => this.scaleBy(STEP)), button("Zoom out", "−", () => this.scaleBy(1 / STEP)), button("Show all of the map", "⤢", () => this.reset()));
    this.storey = element("span", { class: "storey" });
    this.root = element("div", { class: "map" }, this.box, this.bar);
    this.foot = element("div", { class: "foot" }, this.storey, this.tools); // below the map: nothing on it is covered
    this.box.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.box.addEventListener("pointerdown", (event) => this.grab(event));
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.box.addEventListener("dblclick", () => this.scaleBy(STEP * STEP));
    new ResizeObserver(() => this.fitted()).observe(this.box);
  }

  get svg() {
    return this.box.querySelector("svg");
  }

  show(drawing, keep) {
    const { width, height } = drawing.viewBox.baseVal;
    if (!keep || this.width !== width || this.height !== height) Object.assign(this, { zoom: 1, middle: null });
    Object.assign(this, { width, height, metre: Number(drawing.dataset.metre) });
    drawing.removeAttribute("width");
    drawing.removeAttribute("height");
    this.storey.textContent = drawing.dataset.storey ?? "";
    this.marks = marksOf(drawing);
    this.box.replaceChildren(drawing);
    this.frame();
  }

  clear() {
    this.box.replaceChildren();
    this.storey.textContent = "";
    this.bar.hidden = true;
  }

  reset() {
    Object.assign(this, { zoom: 1, middle: null });
    this.turned();
  }

  scaleBy(factor, at = null) {
    const before = this.zoom, middle = this.middle ?? [this.width / 2, this.height / 2];
    this.zoom = Math.min(Math.max(this.zoom * factor, 1), LARGEST);
    const share = 1 - before / this.zoom; // what is under the pointer stays there
    this.middle = this.zoom === 1 ? null : at ? middle.map((value, axis) => value + (at[axis] - value) * share) : middle;
    this.turned();
  }

  move(dx, dy) {
    if (this.zoom === 1) return;
    const [x, y] = this.middle;
    this.middle = [Math.min(Math.max(x + dx, 0), this.width), Math.min(Math.max(y + dy, 0), this.height)];
    this.turned();
  }

  // Maps of the same place are moved together.
  turned() {
    this.frame();
    this.moved?.();
  }

  follow({ width, height, zoom, middle }) {
    if (this.width !== width || this.height !== height) return;
    Object.assign(this, { zoom, middle });
    this.frame();
  }

  frame() {
    if (!this.svg) return;
    const wide = this.width / this.zoom, high = this.height / this.zoom;
    const [x, y] = this.middle ?? [this.width / 2, this.height / 2];
    this.svg.setAttribute("viewBox", `${x - wide / 2} ${y - high / 2} ${wide} ${high}`);
    this.box.classList.toggle("zoomed", this.zoom > 1);
    this.fitted();
  }

  fitted() {
    this.drawBar();
    if (!this.svg || !this.box.clientWidth) return;
    const shrink = Math.min(1, 1 / this.fit); // marks and words do not grow with the map, so that near ones come apart
    this.svg.classList.toggle("enlarged", shrink < 1);
    for (const [part, x, y] of this.marks) part.setAttribute("transform", `translate(${x} ${y}) scale(${shrink.toFixed(4)}) translate(${-x} ${-y})`);
  }

  // Pixels of the screen for one unit of the drawing.
  get fit() {
    return Math.min(this.box.clientWidth / (this.width / this.zoom), this.box.clientHeight / (this.height / this.zoom));
  }

  drawBar() {
    this.bar.hidden = !this.svg || !this.metre || !this.box.clientWidth;
    if (this.bar.hidden) return;
    const metre = this.metre * this.fit, metres = METRES.find((one) => one * metre >= 40) ?? METRES.at(-1);
    this.bar.style.width = `${metres * metre}px`;
    this.bar.textContent = `${metres} m`;
  }

  place(event) {
    const inverse = this.svg.getScreenCTM().inverse();
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(inverse);
    return [x, y];
  }

  wheel(event) {
    if (!this.svg) return;
    event.preventDefault();
    this.scaleBy(event.deltaY < 0 ? STEP : 1 / STEP, this.place(event));
  }

  // One finger or the mouse moves the map, two fingers zoom it.
  grab(event) {
    if (!this.svg || (event.pointerType === "mouse" && event.button !== 0)) return;
    this.fingers ??= new Map();
    this.fingers.set(event.pointerId, event);
    if (this.fingers.size > 1) return;
    const moved = (next) => {
      if (!this.fingers.has(next.pointerId)) return;
      const before = this.fingers.get(next.pointerId), others = [...this.fingers.values()].filter((one) => one.pointerId !== next.pointerId);
      if (others.length) {
        const apart = (one) => Math.hypot(one.clientX - others[0].clientX, one.clientY - others[0].clientY);
        this.scaleBy(apart(next) / Math.max(apart(before), 1), this.place(next));
      } else {
        this.move((before.clientX - next.clientX) / this.fit, (before.clientY - next.clientY) / this.fit);
      }
      this.fingers.set(next.pointerId, next);
    };
    const ended = (next) => {
      this.fingers.delete(next.pointerId);
      if (this.fingers.size) return;
      window.removeEventListener("pointermove", moved);
      window.removeEventListener("pointerup", ended);
      window.removeEventListener("pointercancel", ended);
    };
    window.addEventListener("pointermove", moved);
    window.addEventListener("pointerup", ended);
    window.addEventListener("pointercancel", ended);
  }

  key(event) {
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.key === "+" || event.key === "=") this.scaleBy(STEP);
    else if (event.key === "-") this.scaleBy(1 / STEP);
    else if (event.key === "0") this.reset();
    else if (event.key in moves && this.zoom > 1) this.move(...moves[event.key].map((way) => (way * this.width) / this.zoom / 8));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

// Marks and words of a map, each with the place that it belongs to: its candidate, else a viewpoint that is near.
function marksOf(drawing) {
  const circles = [...drawing.querySelectorAll("circle:not(.goal)")], number = (shape, ...names) => names.map((name) => Number(shape.getAttribute(name)));
  const places = circles.map((circle) => number(circle, "cx", "cy"));
  const candidates = new Map(circles.map(({ dataset }, at) => [dataset.action, places[at]]));
  candidates.delete(undefined);
  const near = ([x, y]) => {
    const apart = ([left, top]) => Math.hypot(left - x, top - y);
    const best = places.reduce((one, other) => (apart(other) < apart(one) ? other : one), [Infinity, Infinity]);
    return apart(best) < NEAR ? best : [x, y];
  };
  const words = [...drawing.querySelectorAll("text")].map((text) => [text, ...(candidates.get(text.dataset.action) ?? near(number(text, "x", "y")))]);
  const agents = [...drawing.querySelectorAll("polygon")].map((shape) => [shape, ...near(shape.getAttribute("points").split(" ")[2].split(",").map(Number))]);
  const starts = [...drawing.querySelectorAll("rect.start")].map((shape) => {
    const [x, y, side] = number(shape, "x", "y", "width");
    return [shape, x + side / 2, y + side / 2];
  });
  return [...circles.map((circle, at) => [circle, ...places[at]]), ...words, ...agents, ...starts];
}
