// The page: which episode and step are shown, and what happens when somebody clicks.
// The address after # names what is shown, so that a link reopens it.

import { ask, askDrawing, element, query } from "./api.js";
import { EpisodeList } from "./list.js";
import { Pane } from "./pane.js";
import { showPanorama, turnPanorama } from "./panorama.js";
import { Talk } from "./talk.js";

const $ = (name) => document.getElementById(name);
const PLAY = 900; // milliseconds a step

const state = { source: 0, other: null, id: null, step: 0, talking: false };
let overview, list, talk, walk, otherWalk, playing = null;
const panes = [new Pane({ act: (action) => talk.act(action) }), new Pane({})];
const tables = new Map();
const places = new Map();

async function start() {
  table(Number(new URLSearchParams(location.hash.slice(1)).get("source") ?? 0)).catch(() => null); // in the meantime
  overview = await ask("api/overview");
  list = new EpisodeList((id) => go({ id, step: 0 }));
  talk = new Talk(overview.agents, panes[0], { redraw, complain });
  fillSources();
  $("source").addEventListener("change", () => changeSource(Number($("source").value)));
  $("other").addEventListener("change", () => go({ other: $("other").value === "" ? null : Number($("other").value) }));
  $("differ").addEventListener("change", restrict);
  $("slider").addEventListener("input", () => go({ step: Number($("slider").value) }));
  $("back").addEventListener("click", () => move(-1));
  $("forward").addEventListener("click", () => move(1));
  $("play").addEventListener("click", togglePlay);
  $("watch-tab").addEventListener("click", () => go({ talking: false }));
  $("talk-tab").addEventListener("click", () => go({ talking: true }));
  $("talk-tab").disabled = overview.agents.length === 0;
  if (!overview.agents.length) $("talk-tab").title = "No agent is here: open a run instead of a result file.";
  document.addEventListener("keydown", key);
  window.addEventListener("hashchange", () => read());
  await read();
}

function fillSources() {
  const options = overview.sources.map((source, number) => element("option", { value: number }, source.name));
  $("source").replaceChildren(...options);
  $("other").replaceChildren(element("option", { value: "" }, "nothing"), ...options.map((option) => option.cloneNode(true)));
  $("other").disabled = overview.sources.length < 2;
}

const split = (source) => `${overview.sources[source].task} ${overview.sources[source].split}`;

// The same episode as before where the new source has it.
function changeSource(source) {
  const same = split(source) === split(state.source);
  return go({ source, other: same && state.other !== source ? state.other : null, ...(same ? {} : { id: null, step: 0 }) });
}

// The address is the state.
async function read() {
  const given = new URLSearchParams(location.hash.slice(1));
  const number = (name) => (given.get(name) === null || given.get(name) === "" ? null : Number(given.get(name)));
  const source = Math.min(Math.max(number("source") ?? 0, 0), overview.sources.length - 1);
  Object.assign(state, {
    source, other: number("other"), id: given.get("id"), step: number("step") ?? 0, talking: given.has("talk"),
  });
  if (state.other !== null && !overview.sources[state.other]) state.other = null;
  await update();
}

function go(changes) {
  Object.assign(state, changes);
  const address = query({
    source: state.source, other: state.other, id: state.id, step: state.step || null, talk: state.talking ? 1 : null,
  });
  history.replaceState(null, "", `#${address}`);
  return update();
}

let updates = 0;

async function update() {
  const mine = ++updates;
  let note = null;
  try {
    if (state.talking !== document.body.classList.contains("talking")) changeTask();
    $("talk").hidden = !state.talking;
    $("episodes").hidden = state.talking;
    $("watch-tab").setAttribute("aria-pressed", String(!state.talking));
    $("talk-tab").setAttribute("aria-pressed", String(state.talking));
    if (state.talking) {
      await talk.open();
    } else {
      note = await openSource();
      note = (await openEpisode()) ?? note;
    }
    if (mine !== updates) return; // a later click overtook this one
    await redraw();
    if (mine === updates) complain(note);
  } catch (error) {
    if (mine === updates) complain(error);
  }
}

// What was shown of the one task is drawn anew when its turn comes again.
function changeTask() {
  document.body.classList.toggle("talking", state.talking);
  if (playing) togglePlay();
  walk = otherWalk = null;
  $("matrix").replaceChildren();
}

function complain(error) {
  const said = error ? error.message : "";
  $("message").hidden = !error;
  $("message").textContent = said.charAt(0).toUpperCase() + said.slice(1);
}

function table(number) {
  if (!tables.has(number)) tables.set(number, ask(`api/sources/${number}/episodes`));
  return tables.get(number);
}

// Returns what is wrong with the address, if something is shown all the same.
async function openSource() {
  $("source").value = state.source;
  for (const option of $("other").options) {
    const number = Number(option.value);
    option.disabled = option.value !== "" && (number === state.source || split(number) !== split(state.source));
  }
  $("other").value = state.other ?? "";
  const source = overview.sources[state.source];
  $("means").textContent = Object.entries(source.metrics)
    .filter(([name]) => ["NE", "SR", "SPL", "nDTW"].includes(name))
    .map(([name, value]) => `${name} ${value.toFixed(overview.metrics[name].unit === "m" ? 2 : 1)}`).join("  ");
  const found = await table(state.source);
  if (list.table !== found) list.show(found);
  $("differ-label").hidden = state.other === null;
  if (restricted !== restriction()) await restrict();
  if (state.id === null || !found.id.includes(state.id)) {
    const missing = state.id;
    state.id = list.first() ?? found.id[0];
    if (missing !== null) state.step = 0;
    if (list.chosen !== state.id) list.mark(state.id);
    return missing === null ? null : new Error(`There is no episode ${missing.slice(0, 60)} in ${source.name}; this is another one.`);
  }
  if (list.chosen !== state.id) list.mark(state.id);
  return null;
}

let restricted = "";

function restriction() {
  return state.other === null || !$("differ").checked ? "" : `${state.source} ${state.other}`;
}

async function restrict() {
  restricted = restriction();
  if (!restricted) return list.restrict(null);
  const found = await ask(`api/differences?${query({ first: state.source, second: state.other })}`);
  list.restrict(new Set(found.different.map((one) => one.id)));
}

async function openEpisode() {
  const key = `${state.source} ${state.id}`;
  if (walk?.key !== key) {
    const source = state.source, id = state.id;
    const found = await ask(`api/walk?${query({ source, id })}`);
    if (state.source !== source || state.id !== id) return null;
    walk = { key, ...found };
    $("matrix").replaceChildren();
    think(source, id, key);
  }
  const problem = await openOther();
  const last = Math.max(walk.events.length, otherWalk?.events?.length ?? 0) - 1;
  state.step = Math.min(Math.max(state.step, 0), last);
  return problem;
}

// The walk to compare with; returns what is wrong if there is none.
async function openOther() {
  if (state.other === null) {
    otherWalk = null;
    return null;
  }
  const key = `${state.other} ${state.id}`, source = state.other, id = state.id;
  if (otherWalk?.key !== key) {
    const found = await ask(`api/walk?${query({ source, id })}`).catch((missing) => ({ missing }));
    if (state.other !== source || state.id !== id) return null;
    otherWalk = { key, ...found };
    if (!otherWalk.missing) thinkOther(source, id, key);
  }
  return otherWalk.missing ?? null;
}

// The attention may have to be computed; the rest of the page does not wait for it.
async function think(source, id, key) {
  if (canRethink(walk, source)) $("matrix").replaceChildren(element("p", { class: "hint" }, "The agent is thinking this walk over again…"));
  const thought = await rethought(walk, source, id);
  if (walk?.key !== key) return;
  if (thought) {
    walk = { key, ...thought };
    await redraw();
  }
  await drawMatrix();
}

async function thinkOther(source, id, key) {
  const thought = await rethought(otherWalk, source, id);
  if (otherWalk?.key !== key || !thought) return;
  otherWalk = { key, ...thought };
  await redraw();
}

const canRethink = (known, source) => overview.sources[source].can_walk && !known.events.some((event) => event.words);

// The walk with what the agent thinks along it; null if that is known already, or cannot be.
async function rethought(known, source, id) {
  if (!canRethink(known, source)) return null;
  return ask(`api/walk?${query({ source, id, attention: true })}`).catch(() => null);
}

function shown() {
  return state.talking ? talk.shown() : { walk, address: { source: state.source, id: state.id }, place: { source: state.source } };
}

async function redraw() {
  const { walk: current, address, place } = shown();
  document.body.classList.toggle("choosing", state.talking && !current);
  if (state.talking && !current) {
    document.body.classList.remove("comparing");
    $("panes").replaceChildren(panes[0].root);
    return;
  }
  const step = state.talking ? talk.step(state.step) : state.step;
  const comparing = Boolean(otherWalk?.events) && !state.talking;
  document.body.classList.toggle("comparing", comparing);
  $("panes").replaceChildren(panes[0].root, ...(comparing ? [panes[1].root] : []));
  const last = Math.max(current.events.length, comparing ? otherWalk.events.length : 0) - 1;
  $("slider").max = last;
  $("slider").value = step;
  $("step").textContent = `step ${step} of ${last}`;
  $("slider").setAttribute("aria-valuetext", $("step").textContent);
  drawExports(address);
  const units = overview.metrics;
  const mine = Math.min(step, current.events.length - 1), theirs = comparing ? Math.min(step, otherWalk.events.length - 1) : 0;
  const live = state.talking && talk.canAct(mine);
  const title = state.talking ? talk.title() : overview.sources[state.source].name;
  const drawn = [
    panes[0].show(current, address, mine, { title, live, units, other: comparing ? state.other : null }),
    look(current.events[mine], place, live),
  ];
  if (comparing) {
    const there = { source: state.other, id: state.id };
    drawn.push(panes[1].show(otherWalk, there, theirs, { title: overview.sources[state.other].name, units, other: state.source }));
  }
  await Promise.all(drawn);
  if (state.talking) await drawMatrix();
  frameMatrix(step);
  if (!state.talking && mine + 1 < current.events.length) {
    lookAhead(current.events[mine + 1], place).catch(() => null);
    panes[0].ahead(address, mine + 1, comparing ? state.other : null);
  }
  if (!document.body.dataset.shown) performance.mark("first view"); // for those who measure
  document.body.dataset.shown = `${current.key ?? address.session} ${step}`;
}

const pathOf = (event) => `api/buildings/${encodeURIComponent(event.scan)}/${encodeURIComponent(event.viewpoint)}`;

function placeOf(event, where) {
  const key = `${pathOf(event)}?${query(where)}`;
  if (!places.has(key)) places.set(key, ask(key));
  return places.get(key);
}

// What the next step needs is fetched while this one is looked at.
async function lookAhead(event, where) {
  if (!event) return;
  const place = await placeOf(event, where);
  if (place.image) await fetch(`${pathOf(event)}/sphere.jpg?${query(where)}`); // asks for it, if it has to be drawn
}

async function look(event, where, live) {
  if (!event) return;
  const path = pathOf(event);
  const place = await placeOf(event, where);
  const say = (note) => { $("room").textContent = [place.room, note].filter(Boolean).join(" · "); };
  showPanorama($("panorama"), place, `${path}/sphere.jpg?${query(where)}`, event, live ? (action) => talk.act(action) : null, say)
    .catch((error) => say(`The panorama cannot be drawn (${error.message}).`));
}

async function drawMatrix() {
  const { walk: current, address } = shown();
  if (!current?.events.some((event) => event.words)) {
    $("matrix").replaceChildren(element("p", { class: "hint" }, "No attention was recorded, and no agent is here to think it over again."));
    return;
  }
  const drawing = await askDrawing(`api/walk/matrix.svg?${query(address)}`);
  for (const cell of drawing.querySelectorAll("[data-step]")) {
    cell.addEventListener("click", () => go({ step: Number(cell.dataset.step) }));
  }
  $("matrix").replaceChildren(drawing);
  frameMatrix(state.step);
}

function frameMatrix(step) {
  for (const cell of $("matrix").querySelectorAll("text[data-step]")) {
    const current = Number(cell.dataset.step) === step;
    cell.classList.toggle("current", current);
    if (current) $("matrix").scrollTop = cell.getAttribute("y") - $("matrix").clientHeight + 20;
  }
}

function drawExports(address) {
  const link = (name, title) => element("a", { href: `api/walk/${name}?${query(address)}`, download: "" }, title);
  $("exports").replaceChildren(link("walk.gif", "GIF"), link("frames.zip", "PNGs"), link("walk.html", "HTML"), link("map.svg", "map SVG"), link("matrix.svg", "matrix SVG"), link("strip.svg", "views SVG"));
}

function move(by) {
  const step = Math.min(Math.max(Number($("slider").value) + by, 0), Number($("slider").max));
  return go({ step });
}

function togglePlay() {
  if (playing) {
    clearInterval(playing);
    playing = null;
  } else {
    if ($("slider").value === $("slider").max) go({ step: 0 });
    playing = setInterval(() => ($("slider").value === $("slider").max ? togglePlay() : move(1)), PLAY);
  }
  $("play").textContent = playing ? "❚❚ Pause" : "▶ Play";
  $("play").setAttribute("aria-label", playing ? "Pause" : "Play");
}

function key(event) {
  if (event.target.closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.shiftKey) {
    if (!turnPanorama(event.key)) return;
  } else if (event.key === "ArrowLeft") move(-1);
  else if (event.key === "ArrowRight") move(1);
  else if (event.key === " " && event.target.tagName !== "BUTTON") togglePlay();
  else return;
  event.preventDefault();
}

start().catch(complain);
