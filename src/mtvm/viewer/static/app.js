// The page: which agents, episode and step are shown, and what happens when somebody clicks.
// The address after # names all of it, so that a link reopens it and the back button goes back.

import { Kept, ask, askFile, element, query } from "./api.js";
import { Insight } from "./insight.js";
import { EpisodeList } from "./list.js";
import { Overview } from "./overview.js";
import { Pane } from "./pane.js";
import { showPanorama, markPanorama, turnPanorama } from "./panorama.js";
import { objectsOf, wantedObjects } from "./said.js";
import { Tables } from "./tables.js";
import { Talk } from "./talk.js";

const $ = (name) => document.getElementById(name);
const PLAY = 900; // milliseconds a step

// `of` is the compared agent whose sight, attention and memory are shown; null: the first.
const state = { view: "watch", agents: [0], of: null, id: null, step: 0, tab: "words", scale: "row", layer: null, head: null };
const panes = [];
const tables = new Tables((table) => { list?.more(table); });
const walks = new Kept((key) => ask(`api/walk?${key}`));
const places = new Kept(ask);
const notes = new Kept((source) => ask(`api/sources/${source}/notes`));
const failed = new Map(); // why agents could not think the episode over again
let info, list, talk, insight, overview, watched = [], playing = null;

async function start() {
  const first = Number(new URLSearchParams(location.hash.slice(1)).get("source") ?? 0);
  tables.get(first).catch(() => null); // in the meantime
  info = await ask("api/overview");
  list = new EpisodeList((id) => go({ id, step: 0 }), () => go({}));
  overview = new Overview((filters) => { list.set(filters); go({ view: "watch", id: list.first(), step: 0 }); });
  insight = new Insight({ go, noted: (found) => { notes.found.set(state.agents[0], Promise.resolve(found)); list.annotate(found); } });
  talk = new Talk(info.agents, { redraw, complain, paneOf });
  fillSources();
  $("source").addEventListener("change", () => changeSource(Number($("source").value)));
  $("slider").addEventListener("input", () => go({ step: Number($("slider").value) }));
  $("back").addEventListener("click", () => move(-1));
  $("forward").addEventListener("click", () => move(1));
  $("play").addEventListener("click", togglePlay);
  $("csv").addEventListener("click", downloadList);
  $("of").addEventListener("change", () => go({ of: Number($("of").value) }));
  document.addEventListener("pointerdown", (event) => { if (!event.target.closest("#compare")) $("compare").open = false; });
  $("compare").addEventListener("keydown", (event) => { if (event.key === "Escape") closeCompare(); });
  $("reword").addEventListener("click", reword);
  for (const view of ["watch", "overview", "talk"]) $(`${view}-tab`).addEventListener("click", () => go({ view }));
  document.addEventListener("keydown", key);
  window.addEventListener("popstate", read);
  window.addEventListener("found", ({ detail }) => found(detail));
  window.addEventListener("pagehide", () => talk.leave());
  await read();
}

// The server answers again; another one knows nothing of what was here.
function found(said) {
  if (said.server !== info.server) {
    info = said;
    for (const one of [tables, walks, places, notes, overview, insight]) one.clear();
    list.tables = [];
    watched = [];
    talk.forget(info.agents);
    fillSources();
    return read();
  }
  return update();
}

function paneOf(number) {
  while (panes.length <= number) {
    const made = new Pane({ act: (action) => talk.act(action), hover: (action) => hover(action, made), whole, number: panes.length });
    made.view.moved = () => { for (const other of panes) if (other !== made) other.view.follow(made.view); };
    if (panes[0]?.all) made.showWhole(true);
    panes.push(made);
  }
  return panes[number];
}

// Compared maps show the same part of the building.
function whole(all) {
  return Promise.all(panes.map((pane) => pane.showWhole(all))).catch(complain);
}

// A candidate that the pointer is on is marked in the list, on the map and in the panorama.
function hover(action, pane) {
  pane.highlight(action);
  if (pane === scene().main?.pane) markPanorama(action);
}

function fillSources() {
  $("source").replaceChildren(...info.sources.map((source, number) => element("option", { value: number }, source.name)));
  $("others").replaceChildren(...info.sources.map((source, number) => {
    const box = element("input", { type: "checkbox", name: "other", value: number });
    box.addEventListener("change", () => go({ agents: [state.agents[0], ...[...$("others").querySelectorAll("input:checked")].map((one) => Number(one.value))] }));
    return element("label", {}, box, element("span", { class: "swatch" }), source.name);
  }));
  for (const name of ["watch-tab", "overview-tab"]) {
    $(name).disabled = info.sources.length === 0;
    $(name).title = info.sources.length ? "" : "No evaluation is here: 'mtvm eval RUN --attention' makes one.";
  }
  $("talk-tab").disabled = info.agents.length === 0;
  $("talk-tab").title = info.agents.length ? "" : "No agent is here: open a run instead of a result file.";
}

// What the metrics are; each task says what its own mean.
const unitsOf = (source) => info.sources[source]?.meanings ?? info.metrics;
const split = (source) => `${info.sources[source].task} ${info.sources[source].split}`;
const nameOf = (source) => info.sources[source].name;
// Where all that are compared are of one split, its name says nothing.
const shortName = (source) => nameOf(source).replace(` ${info.sources[source].task}/${info.sources[source].split}`, "") || nameOf(source);

// The same episode as before where the new source has it.
function changeSource(source) {
  const same = split(source) === split(state.agents[0]);
  const others = same ? state.agents.slice(1).filter((one) => one !== source) : [];
  return go({ agents: [source, ...others], ...(same ? {} : { id: null, step: 0 }) });
}

// The address is the state.
async function read() {
  const given = new URLSearchParams(location.hash.slice(1));
  const known = (number) => Number.isInteger(number) && Boolean(info.sources[number]);
  const source = Number(given.get("source") ?? 0), first = known(source) ? source : 0;
  const others = (given.get("other") ?? "").split(",").filter(Boolean).map(Number).filter((one) => known(one) && one !== first);
  const view = given.has("talk") || !info.sources.length ? "talk" : given.get("view") === "overview" ? "overview" : "watch";
  Object.assign(state, {
    agents: [first, ...new Set(others)], of: given.has("of") ? Number(given.get("of")) : null, id: given.get("id"), step: Number(given.get("step")) || 0, view,
    tab: given.get("tab") ?? "words", scale: given.get("scale") ?? "row", layer: given.get("layer"), head: given.get("head"),
  });
  list.set(Object.fromEntries(given));
  await update();
}

const subject = () => `${state.view} ${state.agents} ${state.id}`;
let remembered = null;

// What can be gone back to is another episode, other agents or another view; steps and filters replace the address.
function go(changes) {
  Object.assign(state, changes);
  remember();
  return update();
}

function remember() {
  const { agents, of, id, step, view, tab, scale, layer, head } = state;
  const address = `#${query({
    source: agents[0], other: agents.slice(1).join(",") || null, of, id, step: step || null, talk: view === "talk" ? 1 : null,
    view: view === "overview" ? view : null, tab: tab === "words" ? null : tab, scale: scale === "row" ? null : scale, layer, head, ...list.get(),
  })}`;
  if (remembered !== null && remembered !== subject()) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  remembered = subject();
}

let updates = 0;

async function update() {
  const mine = ++updates;
  let note = null;
  try {
    arrange();
    if (state.view === "talk") {
      await talk.open();
    } else {
      note = await openSources(mine);
      if (mine !== updates) return;
      if (state.view === "overview") await overview.show(state.agents, state.agents.map(shortName), unitsOf(state.agents[0]));
      else note = (await openEpisode(mine)) ?? note;
    }
    if (mine !== updates) return; // a later click overtook this one
    remembered = subject();
    if (state.view !== "overview") await redraw();
    else {
      tables.begin();
      document.body.dataset.shown = `overview ${state.agents}`;
    }
    if (mine === updates) complain(note);
    document.body.classList.toggle("stale", false);
  } catch (error) {
    if (mine !== updates) return;
    document.body.classList.add("stale"); // what is shown is not what was asked for
    complain(error);
  }
}

// What was shown in the one view is drawn anew when its turn comes again.
function arrange() {
  const before = document.body.dataset.view;
  document.body.dataset.view = state.view;
  document.body.classList.toggle("talking", state.view === "talk");
  for (const view of ["watch", "overview", "talk"]) $(`${view}-tab`).setAttribute("aria-pressed", String(state.view === view));
  $("talk").hidden = state.view !== "talk";
  $("episodes").hidden = state.view === "talk";
  $("overview").hidden = state.view !== "overview";
  document.querySelector("main").hidden = state.view === "overview";
  insight.choose(state.tab, state.scale, state.layer, state.head);
  if (before === state.view) return;
  $("compare").open = false;
  if (playing) togglePlay();
  watched = [];
  insight.clear();
}

function closeCompare() {
  $("compare").open = false;
  $("compare").querySelector("summary").focus();
}

function complain(error) {
  const said = error ? error.message : "";
  $("message").hidden = !error;
  $("message").textContent = said.charAt(0).toUpperCase() + said.slice(1);
}

// Returns what is wrong with the address, if something is shown all the same.
async function openSources(mine) {
  const first = state.agents[0];
  state.agents = state.agents.filter((one) => split(one) === split(first));
  if (!state.agents.slice(1).includes(state.of)) state.of = null;
  drawHeader();
  const found = await Promise.all(state.agents.map((one) => tables.get(one)));
  if (mine !== updates) return null;
  if (list.tables.length !== found.length || found.some((table, place) => table !== list.tables[place])) list.show(found, state.agents.map(shortName));
  const said = await notes.get(first).catch(() => ({}));
  if (mine !== updates) return null;
  if (list.notes !== said) list.annotate(said);
  const missing = state.id;
  if (missing !== null && !found[0].rows.has(missing)) {
    tables.begin();
    await found[0].complete;
  }
  if (missing !== null && found[0].rows.has(missing)) {
    if (list.chosen !== missing) list.mark(missing);
    return null;
  }
  state.id = list.first() ?? found[0].id[0];
  if (missing !== null) state.step = 0;
  list.mark(state.id);
  return missing === null ? null : new Error(`There is no episode ${missing.slice(0, 60)} in ${nameOf(first)}; this is another one.`);
}

function drawHeader() {
  $("source").value = state.agents[0];
  let offered = 0;
  for (const box of $("others").querySelectorAll("input")) {
    const number = Number(box.value), agent = state.agents.indexOf(number), here = number !== state.agents[0] && split(number) === split(state.agents[0]);
    box.checked = agent > 0;
    box.parentElement.hidden = !here;
    box.parentElement.className = agent > 0 ? `agent-${agent % 10}` : "";
    offered += here;
  }
  $("compare").hidden = !offered;
  $("compare").querySelector("summary").textContent = state.agents.length > 1 ? `Compare (${state.agents.length})` : "Compare";
  const many = state.agents.length > 1;
  $("of").replaceChildren(...state.agents.map((source) => element("option", { value: source }, shortName(source))));
  $("of").value = shown();
  $("means").replaceChildren(...state.agents.map((source, agent) => element("span", { class: `agent-${agent % 10}` }, ...(many ? [element("span", { class: "swatch" }), `${shortName(source)}  `] : []),
    Object.entries(info.sources[source].metrics).filter(([name]) => [...info.sources[source].headline, ...(many ? [] : ["NE", "SR", "nDTW"])].includes(name))
      .map(([name, value]) => `${name} ${value.toFixed(unitsOf(source)[name].unit === "m" ? 2 : 1)}`).join("  "))));
  const said = state.agents.flatMap((source) => info.sources[source].notes.map((one) => `${nameOf(source)}: ${one}`));
  $("source-notes").hidden = !said.length;
  $("source-notes").textContent = said.join(" ");
}

// The agent whose sight, attention and memory are shown.
const shown = () => state.of ?? state.agents[0];

const canRethink = (walk, source) => info.sources[source].can_rethink && !walk.events.some((event) => event.words);

// The walks of all agents in the episode; returns what is wrong if one is missing.
async function openEpisode(mine) {
  const { id, agents } = state;
  const asked = agents.map((source) => walks.get(query({ source, id })));
  const settled = await Promise.allSettled(asked);
  if (mine !== updates) return null;
  if (settled[0].status === "rejected") throw settled[0].reason;
  if (watched[0]?.walk.id !== id) failed.clear();
  const before = new Map(watched.map((one) => [`${one.source} ${one.walk.id}`, one.walk]));
  watched = agents.flatMap((source, number) => (settled[number].status === "rejected" ? [] : [{ source, number, walk: before.get(`${source} ${id}`) ?? settled[number].value }]));
  for (const one of watched) if (canRethink(one.walk, one.source)) think(one.source, id);
  insight.showNote(agents[0], id, list.notes);
  state.step = Math.min(Math.max(state.step, 0), Math.max(...watched.map(({ walk }) => walk.events.length)) - 1);
  return settled.find((one) => one.status === "rejected")?.reason ?? null;
}

// The attention may have to be computed; the rest of the page does not wait for it.
async function think(source, id) {
  if (source === shown()) insight.waiting();
  let thought = null;
  try {
    thought = await walks.get(query({ source, id, attention: true }));
  } catch (error) {
    if (state.id === id) failed.set(source, error.message);
  }
  const mine = watched.find((one) => one.source === source && one.walk.id === id);
  if (!mine || state.view !== "watch" || state.id !== id) return;
  if (thought) mine.walk = thought;
  await redraw().catch(complain);
}

// What is drawn: a pane for each walk, and the one whose candidates are in the panorama.
function scene() {
  if (state.view === "talk") return talk.scene();
  const parts = watched.map(({ source, number, walk }) => ({
    walk, pane: paneOf(number), title: state.agents.length > 1 ? shortName(source) : nameOf(source), live: false, place: { source },
    address: { source, id: state.id, ...(state.agents.length > 1 ? { agents: state.agents } : {}) },
  }));
  return { parts, main: parts.find(({ place }) => place.source === state.of) ?? parts[0] };
}

function arrangePanes(parts) {
  document.body.classList.toggle("choosing", state.view === "talk" && !parts.length);
  document.body.classList.toggle("comparing", parts.length > 1);
  $("panes").replaceChildren(...(parts.length ? parts.map(({ pane }) => pane.root) : [paneOf(0).root]));
  $("panes").style.setProperty("--panes", Math.max(parts.length, 1));
}

let draws = 0;

async function redraw() {
  const asked = ++draws, { parts, main } = scene();
  $("of-label").hidden = state.view === "talk" || parts.length < 2;
  $("reword").hidden = state.view === "talk" || !talk.agentOf(nameOf(state.agents[0]));
  if (!main) return arrangePanes([]);
  const last = Math.max(...parts.map(({ walk }) => walk.events.length)) - 1;
  const step = state.view === "talk" ? talk.step(state.step, last) : state.step;
  $("slider").max = last;
  $("slider").value = step;
  $("step").textContent = `step ${step} of ${last}`;
  $("slider").setAttribute("aria-valuetext", $("step").textContent);
  drawExports(main.address, step);
  const [plans, sights] = await Promise.all([Promise.all(parts.map(planOf)), Promise.all(parts.map((part) => sightsOf(part, step)))]);
  if (asked !== draws) return; // a later step overtook this one
  arrangePanes(parts);
  const names = [];
  for (const { pane, title } of parts) names[pane.number] = title;
  const mine = Math.min(step, main.walk.events.length - 1);
  await Promise.all([
    ...parts.map((part, number) => part.pane.show(part.walk, part.address, step, { title: part.title, live: part.live && talk.canAct(step), units: unitsOf(part.place.source), plan: plans[number], sights: sights[number], names })),
    look(main, main.walk.events[mine], main.live && talk.canAct(step), plans[parts.indexOf(main)], parts.length > 1),
    insight.draw(main.walk, main.address, step, failed.get(main.place.source), state.view === "talk" || info.sources[main.place.source].can_rethink),
  ]);
  insight.mark(step);
  if (state.view === "watch") {
    for (const { walk, pane, address } of parts) if (step + 1 < walk.events.length) pane.ahead(address, step + 1);
    if (mine + 1 < main.walk.events.length) lookAhead(main.walk, main.walk.events[mine + 1], main.place).catch(() => null);
  }
  tables.begin();
  if (!document.body.dataset.shown) performance.mark("first view"); // for those who measure
  document.body.dataset.shown = `${main.address.session ?? `${state.agents[0]} ${main.walk.id}`} ${step}`;
}

const buildingPath = (scan) => `api/buildings/${encodeURIComponent(scan)}`;
const pathOf = (event) => `${buildingPath(event.scan)}/${encodeURIComponent(event.viewpoint)}`;

async function planOf({ walk, place }) {
  const scan = walk.events[0]?.scan;
  return scan ? (await places.get(`${buildingPath(scan)}?${query(place)}`)).viewpoints : null;
}

// What is at the viewpoint of a step, among it the objects that the agent chooses from.
function placeOf(walk, event, where) {
  return places.get(`${pathOf(event)}?${query({ ...where, objects: wantedObjects(walk, event) })}`);
}

// Only where there are objects to choose from.
async function sightsOf({ walk, place }, step) {
  const event = walk.events[Math.min(step, walk.events.length - 1)];
  return event && wantedObjects(walk, event).length ? (await placeOf(walk, event, place)).sights : [];
}

// What the next step needs is fetched while this one is looked at.
async function lookAhead(walk, event, where) {
  const place = await placeOf(walk, event, where);
  if (place.image) await fetch(`${pathOf(event)}/sphere.jpg?${query(where)}`); // asks for it, if it has to be drawn
}

async function look({ walk, title, place: where }, event, live, plan, several) {
  if (!event) return;
  const place = await placeOf(walk, event, where);
  const say = (note) => { $("room").textContent = [several ? title : null, place.room, note].filter(Boolean).join(" · "); };
  const picture = `${pathOf(event)}/sphere.jpg?${query(where)}`;
  showPanorama($("panorama"), { place, plan, picture, event, objects: objectsOf(walk, event, place.sights), act: live ? (action) => talk.act(action) : null, hover: (action) => hover(action, scene().main.pane) }, say)
    .catch((error) => say(`The panorama cannot be drawn (${error.message}).`));
}

function drawExports(address, step) {
  const made = (href, title) => element("a", { href, download: "", onclick: (event) => download(event, title) }, title);
  const link = (name, title, more = {}) => made(`api/walk/${name}?${query({ ...address, ...more })}`, title);
  const { agents, ...alone } = address;
  $("exports").replaceChildren(link("walk.gif", "GIF"), link("frames.zip", "PNGs"), link("walk.html", "HTML"), link("map.svg", "map SVG", { step, legend: true }),
    made(`api/walk/matrix.svg?${query({ ...alone, scale: state.scale, layer: state.layer, head: state.head })}`, "matrix SVG"), link("curves.svg", "curves SVG"),
    made(`api/walk/strip.svg?${query(alone)}`, "views SVG"));
}

// Some are drawn for many seconds, and may be refused: the page says so while the browser would say nothing.
async function download(event, title) {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  const { href } = event.currentTarget;
  if (making.has(href)) return;
  making.set(href, title);
  sayMaking();
  try {
    const { name, content } = await askFile(href);
    save(name, content);
  } catch (error) {
    complain(new Error(`${title}: ${error.message}`));
  }
  making.delete(href);
  sayMaking();
}

const making = new Map(); // the exports that are under way, by their addresses

function sayMaking() {
  $("making").hidden = !making.size;
  $("making").textContent = `${[...making.values()].join(", ")}: on the way…`;
}

function save(name, content) {
  const file = URL.createObjectURL(content);
  element("a", { href: file, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(file), 10_000);
}

async function downloadList() {
  tables.begin();
  await Promise.all(list.tables.map((table) => table.complete));
  save("episodes.csv", new Blob([list.csv()], { type: "text/csv" }));
}

// The instruction of this episode, to change a word of it; both walks are then seen side by side.
function reword() {
  const { source, walk } = watched[0];
  talk.prepare(talk.agentOf(nameOf(source)), { source, id: state.id, name: shortName(source), walk });
  return go({ view: "talk" });
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
  if (event.target.closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey || state.view === "overview") return;
  if (event.shiftKey) {
    if (!turnPanorama(event.key)) return;
  } else if (event.key === "ArrowLeft") move(-1);
  else if (event.key === "ArrowRight") move(1);
  else if (event.key === " " && !event.target.closest("button, summary")) togglePlay();
  else return;
  event.preventDefault();
}

start().catch(complain);
