// What an agent says of a step: its thought, what it was asked and what that cost, and the objects that it chooses from.

import { element } from "./api.js";

const MOST = 8; // objects in the list
const KNOWN = ["objects", "places", "prompt", "reply", "model", "tokens", "cost", "seconds", "problem"];
const open = new Set(); // what was unfolded stays so at the next step

export function drawSaid(box, walk, event) {
  const { details } = event ?? {}, answer = answerOf(walk, event), parts = [];
  if (event?.thought) parts.push(element("blockquote", { class: "thought-words" }, event.thought));
  if (answer && !walk.target && !details?.objects) parts.push(element("p", {}, `Answer: ${answer}`));
  if (details) {
    const facts = factsOf(details), rest = Object.entries(details).filter(([name]) => !KNOWN.includes(name));
    if (details.problem) parts.push(element("p", { class: "bad" }, String(details.problem)));
    if (facts.length) parts.push(element("p", { class: "facts" }, facts.join(" · ")));
    if (details.prompt) parts.push(folded("Prompt", turnsOf(details.prompt)));
    if (details.reply) parts.push(folded("Reply", [element("pre", {}, textOf(details.reply))]));
    if (rest.length) parts.push(folded("Details", rest.map(([name, value]) => element("pre", {}, `${name}: ${textOf(value)}`))));
  }
  box.hidden = !parts.length;
  box.replaceChildren(...parts);
}

function factsOf({ model, tokens, cost, seconds }) {
  const count = (value) => (typeof value === "number" ? value.toLocaleString("en") : value);
  return [
    model && String(model),
    tokens && (typeof tokens === "object" ? Object.entries(tokens).map(([name, value]) => `${name} ${count(value)}`).join(" + ") : count(tokens)) + " tokens",
    typeof cost === "number" && `$${cost < 0.1 ? cost.toPrecision(2) : cost.toFixed(2)}`,
    typeof seconds === "number" && `${seconds.toFixed(1)} s`,
  ].filter(Boolean);
}

const textOf = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 1));

// A prompt is a text, or messages with roles.
function turnsOf(prompt) {
  if (!Array.isArray(prompt)) return [element("pre", {}, textOf(prompt))];
  return prompt.flatMap((one) => [element("b", {}, String(one?.role ?? "")), element("pre", {}, textOf(one?.content ?? one))]);
}

function folded(title, inside) {
  const made = element("details", { open: open.has(title) }, element("summary", {}, title), element("div", { class: "folded", tabindex: 0, role: "group", "aria-label": title }, ...inside));
  made.addEventListener("toggle", () => open[made.open ? "add" : "delete"](title));
  return made;
}

// The objects of a step: those it chooses from with their probabilities, the one it answers with, and the one it should
// find. `sights` are what the data folder says of the viewpoint.
export function objectsOf(walk, event, sights) {
  const answer = answerOf(walk, event), given = event?.details?.objects;
  const known = new Map(sights.filter((sight) => sight.id !== null && sight.id !== undefined).map((sight) => [sight.id, sight]));
  const offered = (Array.isArray(given) ? given : []).filter((one) => one && typeof one === "object").map((one) => ({ ...one, id: String(one.id) }));
  const ids = [...new Set([...offered.map(({ id }) => id), answer, walk.target].filter((one) => one !== null && one !== undefined))];
  const found = ids.map((id) => {
    const own = offered.find((one) => one.id === id) ?? {}, { text, view, box } = known.get(id) ?? {};
    const share = typeof own.probability === "number" ? own.probability : null;
    return { id, name: own.name ?? text ?? walk.objects?.[id] ?? "object", view: own.view ?? view ?? null, box: own.box ?? box ?? null, share, chosen: id === answer, target: id === walk.target };
  });
  return found.sort((a, b) => (b.share ?? -1) - (a.share ?? -1));
}

// What it answers with at this step; a result file says it of the end only.
function answerOf(walk, event) {
  return event?.answer ?? (event && event === walk.events.at(-1) ? walk.answer : null) ?? null;
}

// What the server should name, however small it is.
export function wantedObjects(walk, event) {
  return objectsOf(walk, event, []).map(({ id }) => id);
}

export function drawObjects(box, walk, event, sights) {
  const found = objectsOf(walk, event, sights), chosen = found.find((one) => one.chosen), target = found.find((one) => one.target);
  const offered = found.filter(({ share }) => share !== null), shown = offered.filter((one, place) => place < MOST || one.chosen || one.target);
  const said = (one) => [`${one.name} `, element("code", {}, one.id)];
  const line = [];
  if (target) line.push(element("span", { class: "object target" }, "Target: ", ...said(target), target.view === null ? ", not in view here" : ""));
  if (chosen) line.push(element("span", { class: "object chosen" }, "Chosen: ", ...said(chosen), target ? (chosen.target ? element("b", { class: "good" }, " ✓") : element("b", { class: "bad" }, " ✗")) : ""));
  box.hidden = !line.length && !shown.length;
  box.replaceChildren(
    ...(line.length ? [element("p", {}, ...line)] : []),
    ...(shown.length ? [element("ol", { class: "actions", tabindex: 0, "aria-label": "Objects and their probabilities" }, ...shown.map(row))] : []),
    ...(shown.length < offered.length ? [element("small", {}, `and ${offered.length - shown.length} less probable ones`)] : []),
  );
}

function row({ id, name, share, chosen, target }) {
  const bar = element("span", { class: "bar" });
  bar.style.setProperty("--share", share);
  const label = element("span", { class: "name", title: name }, `${name} `, element("code", {}, id), target ? " (target)" : "");
  return element("li", { class: chosen ? "chosen" : "" }, element("div", {}, label, bar, element("span", { class: "share" }, `${(100 * share).toFixed(1)}%`)));
}

const FOCAL = 240 / Math.tan(Math.PI / 6); // of the views' 640x480 images, 60 degrees high

// The corners of a box in a view, as heading and elevation.
export function corners(view, [left, top, wide, high]) {
  const heading = ((view % 12) * Math.PI) / 6, elevation = (Math.floor(view / 12) - 1) * (Math.PI / 6);
  return [[left, top], [left + wide, top], [left + wide, top + high], [left, top + high]].map(([x, y]) => {
    const right = (x - 320) / FOCAL, up = (240 - y) / FOCAL;
    const ahead = Math.cos(elevation) - up * Math.sin(elevation), above = Math.sin(elevation) + up * Math.cos(elevation);
    return [heading + Math.atan2(right, ahead), Math.atan2(above, Math.hypot(ahead, right))];
  });
}
