// One agent's walk: instruction, map, what it thinks of its candidates, its memory and its metrics.

import { Kept, askDrawing, element, query } from "./api.js";
import { Legend } from "./legend.js";
import { MapView } from "./map.js";
import { ROLES, SPEAKERS, called, describe } from "./names.js";
import { drawObjects, drawSaid } from "./said.js";

const mapPath = (address, step, all) => `api/walk/map.svg?${query({ ...address, step, here: all ? null : true })}`;
const LIKELY = 0.005;

export class Pane {
  constructor({ act, hover, whole, number }) {
    this.act = act;
    this.number = number;
    this.hover = hover;
    this.request = 0;
    this.all = false; // the whole building
    this.kept = new Kept(askDrawing); // drawings of the walk that is shown
    this.title = element("h2");
    this.metrics = element("p", { class: "metrics" });
    this.words = element("div", { class: "words" });
    this.said = element("div", { class: "said" });
    this.objects = element("div", { class: "objects" });
    this.view = new MapView();
    this.map = this.view.root;
    this.whole = element("button", { type: "button", class: "whole", "aria-pressed": "false", onclick: () => whole(!this.all) }, "whole building");
    this.view.tools.append(this.whole);
    this.legend = new Legend();
    this.view.foot.append(this.legend.root);
    this.actions = element("ol", { class: "actions", tabindex: 0, "aria-label": "Candidates and their probabilities" });
    this.memory = element("div", { class: "memory" });
    const thought = element("div", { class: "thought" }, this.said, this.actions, this.objects, this.memory);
    this.root = element("article", { class: `pane agent-${number % 10}`, "data-agent": number }, this.title, this.words, element("div", { class: "framed" }, this.map, this.view.foot), thought, this.metrics);
    for (const part of [this.map, this.actions]) {
      part.addEventListener("pointerover", (event) => this.hover?.(this.actionAt(event)));
      part.addEventListener("pointerleave", () => this.hover?.(null));
      part.addEventListener("focusin", (event) => this.hover?.(this.actionAt(event)));
    }
  }

  actionAt(event) {
    return event.target.closest?.("[data-action]")?.dataset.action ?? null;
  }

  // Mark a candidate wherever it is shown.
  highlight(action) {
    for (const part of this.root.querySelectorAll("[data-action]")) part.classList.toggle("hovered", action !== null && part.dataset.action === action);
  }

  // `address` names the walk to the server; `plan` is where the building's viewpoints are, `sights` what is at this one.
  async show(walk, address, step, { title, live = false, units, plan, sights = [], names = [title] }) {
    const same = this.walk && walk.id === this.walk.id && walk.scan === this.walk.scan;
    if (walk !== this.walk || live) this.kept.clear();
    const last = walk.events.length - 1, mine = Math.min(step, last), ended = step > last;
    Object.assign(this, { walk, address, live, plan, names, step: mine });
    this.root.classList.toggle("ended", ended);
    const event = walk.events[mine], done = event?.action === event?.candidates.length;
    this.title.replaceChildren(element("span", { class: "swatch" }), title, ...(walk.id && !live ? [element("code", { title: "the episode" }, walk.id)] : []),
      ...(ended ? [element("strong", { class: "over" }, `${done ? "stopped" : "ended"} at step ${last}`)] : []));
    this.drawWords(walk, event);
    drawSaid(this.said, walk, event);
    this.drawActions(event, live);
    drawObjects(this.objects, walk, event, sights);
    this.drawMemory(event);
    this.drawMetrics(walk, units);
    await this.drawMap(mapPath(address, mine, this.all), same);
  }

  // Fetch the map of a step that may come next.
  ahead(address, step) {
    this.kept.get(mapPath(address, step, this.all)).catch(() => null);
  }

  async showWhole(all) {
    this.all = all;
    this.whole.setAttribute("aria-pressed", String(all));
    if (this.walk && this.root.isConnected) await this.drawMap(mapPath(this.address, this.step, all), false);
  }

  async drawMap(path, keep) {
    const request = ++this.request;
    const drawing = (await this.kept.get(path)).cloneNode(true);
    if (request !== this.request) return; // a later step overtook this one
    const event = this.walk?.events[this.step];
    for (const shape of drawing.querySelectorAll("[data-action]")) {
      const action = Number(shape.dataset.action), named = event && this.named(event, action);
      if (named) shape.append(Object.assign(document.createElementNS("http://www.w3.org/2000/svg", "title"), { textContent: named }));
      if (!this.live || this.picks) continue;
      shape.classList.add("clickable");
      shape.addEventListener("click", () => this.act(action));
    }
    for (const shape of drawing.querySelectorAll(".viewpoint")) {
      if (!this.picks) continue;
      shape.classList.add("clickable");
      shape.addEventListener("click", () => this.picks(shape.dataset.viewpoint));
    }
    this.view.show(drawing, keep);
    this.legend.show(drawing, this.walk ? this.number : null, this.walk ? this.names : []);
  }

  // What a candidate is, in words.
  named(event, action) {
    if (action === event.candidates.length) return "stop";
    const share = event.probabilities?.[action];
    return [`candidate ${called(event, action)}`, describe(this.plan, event, event.candidates[action]), share === undefined ? "" : `${(100 * share).toFixed(1)}%`].filter(Boolean).join(": ");
  }

  // Each word where it stands in the text, shaded by the attention on it; a dialog's turns one below the other.
  drawWords(walk, event) {
    const shades = event?.words ?? [];
    const most = Math.max(...shades.map(([, weight]) => weight), 1e-9);
    const text = walk.text, lower = text.toLowerCase(), parts = [];
    const markers = [...text.matchAll(/<(NAV|ORA|TAR)>/g)].map((found) => [found.index, found.index + found[0].length]);
    let at = 0;
    for (const [word, weight] of shades) {
      const found = word ? lower.indexOf(word.toLowerCase(), at) : -1;
      if (found < 0 || found - at > 12 || markers.some(([first, end]) => found >= first && found < end)) continue;
      if (found > at) parts.push(text.slice(at, found));
      const span = element("mark", { title: `attention ${weight.toFixed(3)}` }, text.slice(found, found + word.length));
      span.style.setProperty("--share", (weight / most).toFixed(3));
      parts.push(span);
      at = found + word.length;
    }
    parts.push(text.slice(at));
    this.words.replaceChildren(...inTurns(parts));
  }

  // Likely ones first; of those that an agent would hardly choose only the number is said, unless they can be clicked.
  drawActions(event, live) {
    if (event && !event.probabilities && !live) {
      const named = event.action < event.candidates.length ? describe(this.plan, event, event.candidates[event.action]) : "";
      const said = event.action < event.candidates.length ? event.candidates[event.action] === event.viewpoint ? "Turns on the spot" : `Goes to candidate ${called(event, event.action)}${named ? ` (${named})` : ""}, one of ${event.candidates.length}` : "Stops";
      this.actions.replaceChildren(element("li", { class: "alone" }, `${said}; probabilities were not recorded.`));
      return;
    }
    const all = event ? [...event.candidates.map((name, action) => ({ name, action })), { name: null, action: event.candidates.length }] : [];
    const share = ({ action }) => event.probabilities?.[action] ?? 0;
    all.sort((a, b) => share(b) - share(a) || a.action - b.action);
    const shown = all.filter((one) => live || all.length <= 10 || one.name === null || one.action === event.action || share(one) >= LIKELY);
    const hidden = all.length - shown.length;
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
    const named = name === null ? "stop" : describe(this.plan, event, name) || `candidate ${called(event, action)}`;
    const label = element("span", { class: "name", title: named }, name === null ? "" : element("b", {}, `${called(event, action)} `), named);
    const parts = [label, bar, element("span", { class: "share" }, said)];
    const inside = live
      ? element("button", { type: "button", onclick: () => this.act(action) }, ...parts)
      : element("div", {}, ...parts);
    const chosen = action === event.action;
    return element("li", { class: chosen ? "chosen" : "", "aria-current": chosen ? "true" : null, "data-action": action }, inside);
  }

  drawMemory(event) {
    const tokens = event?.memory ?? [];
    const most = Math.max(...tokens, 1e-9);
    const strip = tokens.map((weight, number) => {
      const cell = element("span", { title: `memory token of step ${number}: attention ${weight.toFixed(3)}` }, String(number));
      cell.style.setProperty("--share", (weight / most).toFixed(3));
      return cell;
    });
    const said = !event?.memory ? "Memory: not recorded" : `Memory: ${tokens.length} ${tokens.length === 1 ? "token" : "tokens"}`;
    const spoken = tokens.map((weight, number) => `step ${number}: ${weight.toFixed(2)}`).join(", ");
    const cells = tokens.length ? element("div", { class: "strip", role: "img", "aria-label": `Attention on the memory of ${spoken}` }, ...strip) : null;
    this.memory.replaceChildren(...[element("small", {}, said), cells].filter(Boolean));
  }

  drawMetrics(walk, units) {
    const facts = Object.entries(walk.metrics).map(([name, value]) => {
      const unit = units[name]?.unit ?? "";
      return element("span", { title: units[name]?.meaning ?? "" }, `${name} ${value.toFixed(unit === "m" ? 2 : 1)}${unit === "m" ? " m" : ""}`);
    });
    const left = walk.left_reference;
    if (walk.mistake) facts.push(element("span", { class: "bad" }, walk.mistake === "wrong turn" && left !== null ? `wrong turn at step ${left}` : walk.mistake));
    else if (left !== null && left !== undefined) facts.push(element("span", {}, `left the reference path at step ${left}`));
    this.metrics.replaceChildren(...facts);
  }

  clear(title) {
    this.title.textContent = title;
    this.walk = null;
    this.view.clear();
    for (const part of [this.words, this.actions, this.memory, this.metrics]) part.replaceChildren();
    this.said.hidden = this.objects.hidden = true;
  }
}

// Texts with role markers as turns; others as they are.
function inTurns(parts) {
  if (!parts.some((part) => typeof part === "string" ? ROLES.test(part) : ROLES.test(part.textContent))) return parts;
  const turns = [element("p")];
  for (const part of parts) {
    if (typeof part !== "string") {
      turns.at(-1).append(part);
      continue;
    }
    part.split(ROLES).forEach((piece, place) => {
      if (place % 2) turns.push(element("p", { class: "turn" }, element("b", {}, `${SPEAKERS[piece]}: `)));
      else if (piece) turns.at(-1).append(piece);
    });
  }
  return turns.filter((turn) => turn.textContent);
}
