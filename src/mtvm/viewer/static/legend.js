// What the lines and marks of a map mean: those that are in the drawing.

import { element } from "./api.js";

const NS = "http://www.w3.org/2000/svg";
const MARKS = [["reference", "reference path"], ["start", "start"], ["goal-mark", "goal"], ["goal", "within this, stopping is right"], ["candidate-mark", "candidate"],
  ["chosen-mark", "chosen candidate"], ["left", "left the reference path for good"], ["viewpoint", "viewpoint"], ["stairs", "stairs"]];
const ROOMY = window.matchMedia("(min-height: 900px)").matches;
let open = null; // of all maps together, once somebody has chosen; until then where there is room for it

export class Legend {
  constructor() {
    this.list = element("ul");
    const summary = element("summary", {}, "Legend");
    this.root = element("details", { class: "legend" }, summary, this.list);
    summary.addEventListener("click", () => {
      open = !this.root.open; // the browser opens this one itself
      for (const other of document.querySelectorAll(".legend")) if (other !== this.root) other.open = open;
    });
  }

  // `own` is the number of the agent whose map it is, `names` those of all that are drawn.
  show(drawing, own, names) {
    this.root.open = open ?? (ROOMY && names.length < 2);
    const there = (look) => drawing.querySelector(`.${look}`) !== null;
    const agents = Object.entries(names).filter(([number]) => there(`path-${number}`) || there(`other-${number}`) || there(`ahead-${number}`))
      .map(([number, name]) => entry(Number(number) === own ? `path-${number}` : `other-${number}`, names.length > 1 ? name : "the agent's way"));
    const ahead = there(`ahead-${own}`) ? [entry(`ahead-${own}`, "where it goes next")] : [];
    this.list.replaceChildren(...agents, ...ahead, ...MARKS.filter(([look]) => there(look)).map(([look, said]) => entry(look, said)));
    this.root.hidden = !this.list.children.length;
  }
}

function entry(look, said) {
  const mark = document.createElementNS(NS, "svg"), line = /^(path|ahead|other|reference|stairs)/.test(look), square = look === "start";
  const shape = document.createElementNS(NS, line ? "line" : square ? "rect" : "circle");
  const style = STYLES[look.replace(/-\d+$/, "")] ?? {};
  const size = line ? { x1: 1, x2: 23, y1: 7, y2: 7 } : square ? { x: 7, y: 2, width: 10, height: 10 } : { cx: 12, cy: 7, r: look === "viewpoint" ? 3 : look === "goal-mark" ? 4 : 5.5 };
  for (const [name, value] of Object.entries({ ...size, ...style })) shape.setAttribute(name, value);
  shape.setAttribute("class", look);
  mark.setAttribute("viewBox", "0 0 24 14");
  mark.setAttribute("aria-hidden", "true");
  mark.append(shape);
  return element("li", {}, mark, said);
}

// As the server draws them; the colours are the page's.
const STYLES = {
  path: { "stroke-width": 3 }, ahead: { "stroke-width": 2, "stroke-dasharray": "2 5" }, other: { "stroke-width": 2.5, "stroke-dasharray": "7 4" }, reference: { "stroke-width": 6, "stroke-opacity": 0.45 },
  stairs: { "stroke-width": 1, "stroke-dasharray": "3 3" }, start: { "stroke-width": 2 }, goal: { fill: "none", "stroke-width": 1.5, "stroke-dasharray": "3 2" },
  "candidate-mark": { fill: "#e69f00" }, "chosen-mark": { fill: "#b84400" }, left: { fill: "none", stroke: "#d55e00", "stroke-width": 2.5 },
};
