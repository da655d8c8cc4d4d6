// One agent's walk: instruction, map, what it thinks of its candidates, its memory and its metrics.

import { askDrawing, element, query } from "./api.js";

const mapPath = (address, step, other, all) => `api/walk/map.svg?${query({ ...address, step, other, here: all ? null : true })}`;

const FEW = 10, LIKELY = 0.005;

export class Pane {
  constructor({ act, pickViewpoint }) {
    this.act = act;
    this.pickViewpoint = pickViewpoint;
    this.request = 0;
    this.kept = new Map(); // drawings of the walk that is shown
    this.title = element("h2");
    this.metrics = element("p", { class: "metrics" });
    this.words = element("p", { class: "words" });
    this.map = element("div", { class: "map" });
    this.actions = element("ol", { class: "actions", "aria-label": "Candidates and their probabilities" });
    this.memory = element("div", { class: "memory" });
    const thought = element("div", { class: "thought" }, this.actions, this.memory);
    this.root = element("article", { class: "pane" }, this.title, this.words, this.map, thought, this.metrics);
  }

  // `address` names the walk to the server: { source, id } or { session }.
  async show(walk, address, step, { title, other = null, live = false, units }) {
    if (walk !== this.walk) this.kept.clear();
    this.walk = walk;
    this.title.textContent = title;
    const event = walk.events[step];
    this.drawWords(walk, event);
    this.drawActions(event, live);
    this.drawMemory(event);
    this.drawMetrics(walk, units);
    const path = (all) => mapPath(address, step, other, all);
    await this.drawMap(path(this.whole), live);
    const drawn = this.map.firstElementChild;
    if (drawn) this.offerWhole(path, live);
  }

  // Fetch the map of a step that may come next.
  ahead(address, step, other) {
    this.drawing(mapPath(address, step, other, this.whole)).catch(() => null);
  }

  drawing(path) {
    if (!this.kept.has(path)) this.kept.set(path, askDrawing(path));
    return this.kept.get(path).then((drawn) => drawn.cloneNode(true));
  }

  offerWhole(path, live) {
    const button = element("button", { type: "button", "aria-pressed": String(Boolean(this.whole)) }, "whole building");
    button.addEventListener("click", async () => {
      this.whole = !this.whole;
      await this.drawMap(path(this.whole), live);
      this.offerWhole(path, live);
    });
    this.map.append(button);
  }

  async drawMap(path, live) {
    const request = ++this.request;
    const drawing = await (live ? askDrawing(path) : this.drawing(path));
    if (request !== this.request) return; // a later step overtook this one
    drawing.removeAttribute("width");
    drawing.removeAttribute("height");
    if (live) {
      for (const shape of drawing.querySelectorAll("[data-action]")) {
        shape.classList.add("clickable");
        shape.addEventListener("click", () => this.act(Number(shape.dataset.action)));
      }
    }
    if (this.pickViewpoint) {
      for (const shape of drawing.querySelectorAll(".viewpoint")) {
        shape.classList.add("clickable");
        shape.addEventListener("click", () => this.pickViewpoint(shape.dataset.viewpoint));
      }
    }
    this.map.replaceChildren(drawing);
  }

  // Each word where it stands in the text, shaded by the attention on it.
  drawWords(walk, event) {
    const shades = event?.words ?? [];
    const most = Math.max(...shades.map(([, weight]) => weight), 1e-9);
    const text = walk.text, lower = text.toLowerCase(), parts = [];
    let at = 0;
    for (const [word, weight] of shades) {
      const found = word ? lower.indexOf(word.toLowerCase(), at) : -1;
      if (found < 0 || found - at > 12) continue;
      if (found > at) parts.push(text.slice(at, found));
      const span = element("mark", { title: `attention ${weight.toFixed(3)}` }, text.slice(found, found + word.length));
      span.style.setProperty("--share", (weight / most).toFixed(3));
      parts.push(span);
      at = found + word.length;
    }
    parts.push(text.slice(at));
    this.words.replaceChildren(...parts);
  }

  // An agent with a map has many candidates: those that it would hardly choose are only counted, unless they can be clicked.
  drawActions(event, live) {
    if (event && !event.probabilities && !live) {
      const said = event.action < event.candidates.length ? `Goes to candidate ${event.action + 1} of ${event.candidates.length}` : "Stops";
      this.actions.replaceChildren(element("li", { class: "alone" }, `${said}; probabilities were not recorded.`));
      return;
    }
    const all = event ? [...event.candidates.map((_, number) => `candidate ${number + 1}`), "stop"].map((name, action) => ({ name, action })) : [];
    const matters = ({ action }) => live || all.length <= FEW || action >= all.length - 1 || action === event.action || event.probabilities[action] >= LIKELY;
    const shown = all.filter(matters), hidden = all.length - shown.length;
    this.actions.replaceChildren(
      ...shown.map(({ name, action }) => this.action(event, name, action, live)),
      ...(hidden ? [element("li", { class: "alone" }, `and ${hidden} with less than ${100 * LIKELY}% each`)] : []),
    );
  }

  action(event, name, action, live) {
    const share = event.probabilities?.[action];
    const bar = element("span", { class: share === undefined ? "" : "bar" });
    bar.style.setProperty("--share", share ?? 0);
    const said = share === undefined ? "" : `${(100 * share).toFixed(1)}%`;
    const parts = [element("span", { class: "name" }, name), bar, element("span", { class: "share" }, said)];
    const inside = live
      ? element("button", { type: "button", onclick: () => this.act(action) }, ...parts)
      : element("div", {}, ...parts);
    const chosen = action === event.action;
    return element("li", { class: chosen ? "chosen" : "", "aria-current": chosen ? "true" : null }, inside);
  }

  drawMemory(event) {
    const tokens = event?.memory ?? [];
    const most = Math.max(...tokens, 1e-9);
    const strip = tokens.map((weight, number) => {
      const cell = element("span", { title: `memory token of step ${number}: attention ${weight.toFixed(3)}` }, String(number));
      cell.style.setProperty("--share", (weight / most).toFixed(3));
      return cell;
    });
    const said = event?.memory === null || !event ? "Memory: not recorded" : `Memory: ${tokens.length} ${tokens.length === 1 ? "token" : "tokens"}`;
    const spoken = tokens.map((weight, number) => `step ${number}: ${weight.toFixed(2)}`).join(", ");
    const cells = tokens.length ? element("div", { class: "strip", role: "img", "aria-label": `Attention on the memory of ${spoken}` }, ...strip) : null;
    this.memory.replaceChildren(...[element("small", {}, said), cells].filter(Boolean));
  }

  drawMetrics(walk, units) {
    const facts = Object.entries(walk.metrics).map(([name, value]) => {
      const unit = units[name]?.unit ?? "";
      return element("span", { title: units[name]?.meaning ?? "" }, `${name} ${value.toFixed(unit === "m" ? 2 : 1)}${unit === "m" ? " m" : ""}`);
    });
    if (walk.left_reference !== null && walk.left_reference !== undefined) {
      facts.push(element("span", { class: "bad" }, `left the reference path after step ${walk.left_reference}`));
    }
    this.metrics.replaceChildren(...facts);
  }
}
