// The panorama around the agent: an image on the sphere or, where there is none, words in their directions.

import { element } from "./api.js";
import { called, describe, direction } from "./names.js";
import { corners } from "./said.js";

let made = null; // the library is large: loaded when the first panorama is shown

async function viewer(container, first) {
  if (!document.createElement("canvas").getContext("webgl2")) throw new Error("this browser has no WebGL 2");
  if (!made) {
    made = import("./vendor/panorama.js").then(({ Viewer, MarkersPlugin }) => {
      const shown = new Viewer({
        container,
        panorama: first ?? plainSphere(),
        navbar: false,
        keyboard: false,
        mousewheelCtrlKey: true,
        defaultZoomLvl: 0,
        maxFov: 100,
        loadingTxt: "",
        rendererParameters: { antialias: false },
        plugins: [[MarkersPlugin, {}]],
      });
      return new Promise((resolve) => {
        for (const moved of ["position-updated", "zoom-updated", "size-updated"]) shown.addEventListener(moved, () => uncover(container));
        shown.addEventListener("ready", () => resolve({ shown, markers: shown.getPlugin(MarkersPlugin) }), { once: true });
      });
    });
  }
  return made;
}

// A sphere with nothing on it but floor, walls, ceiling and the points of the compass.
function plainSphere() {
  const canvas = element("canvas", { width: 2048, height: 1024 });
  const draw = canvas.getContext("2d");
  const shade = draw.createLinearGradient(0, 0, 0, 1024);
  for (const [at, colour] of [[0, "#e9edf2"], [0.47, "#d5dbe3"], [0.5, "#b9c1cc"], [0.53, "#a49a8c"], [1, "#7d7468"]]) shade.addColorStop(at, colour);
  draw.fillStyle = shade;
  draw.fillRect(0, 0, 2048, 1024);
  draw.fillStyle = "#5a626d";
  draw.font = "26px sans-serif";
  draw.textAlign = "center";
  ["S", "W", "N", "E", "S"].forEach((name, number) => draw.fillText(name, 512 * number, 375)); // between two rows of captions
  return canvas.toDataURL("image/png");
}

const QUICK = 300, AGAIN = 700; // milliseconds until words are shown instead, and until the server is asked again
const ABOVE = 0.16; // radians by which captions are raised, because names of rooms are at the height of the eye
const LIKELY = 0.02; // as on the map
const LOW = 1; // metres below the eye at which candidates are marked, so that near ones are lower
let now, request = 0; // the address of the image that is shown, null for the plain sphere

// `picture` is where the server has the image; `event` what the agent thinks there; `say` is told what is shown.
export async function showPanorama(container, asked, say) {
  const mine = ++request, { place, picture } = asked;
  const draw = (shown) => drawSphere(container, asked, shown, () => mine !== request);
  if (!place.image) {
    say("no image here: names and captions in their directions");
    return draw(null);
  }
  const drawn = pictureAt(picture, () => mine !== request);
  const quick = await Promise.race([drawn, new Promise((resolve) => setTimeout(resolve, QUICK, "slow"))]);
  if (quick === "slow") {
    say("the image is being drawn; until then names in their directions");
    await draw(null);
  }
  if (await drawn) {
    await draw(picture);
    if (mine === request) say(null);
  }
}

// Whether the server has the image now, which the browser keeps then; it may have to be drawn first.
async function pictureAt(address, overtaken) {
  for (;;) {
    const answer = await fetch(address);
    if (overtaken()) return false;
    if (answer.status !== 202) {
      if (!answer.ok) throw new Error((await answer.json()).error);
      await answer.blob();
      return true;
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN));
  }
}

async function drawSphere(container, { place, plan, event, objects, act, hover }, picture, overtaken) {
  if (overtaken()) return;
  container.setAttribute("aria-label", description(place));
  if (now === undefined) now = picture;
  const { shown, markers } = await viewer(container, picture);
  if (overtaken()) return;
  const next = event.way?.[0] ?? event.candidates[event.action];
  const framed = objects.filter(({ view, box }) => Number.isInteger(view) && Array.isArray(box) && box.length === 4);
  const pointed = plan[next] ? undefined : (framed.find((one) => one.chosen) ?? framed.find((one) => one.target)); // where it stops it looks at its object
  const [yaw, pitch] = pointed ? middle(corners(pointed.view, pointed.box)) : [plan[next] ? direction(plan, event.viewpoint, next).heading : event.heading, picture ? -0.1 : 0];
  if (picture !== now) {
    now = picture;
    await shown.setPanorama(picture ?? plainSphere(), { transition: false, showLoader: false, position: { yaw, pitch: 0 } });
    if (overtaken()) return;
  }
  shown.rotate({ yaw, pitch });
  markers.setMarkers([...words(place, picture, framed), ...framed.flatMap(frame), ...candidates(place, plan, event, act, hover)]);
  uncover(container);
  container.dataset.ready = picture ? "image" : "words";
}

// The middle of a box: headings may lie on both sides of a half turn.
function middle(around) {
  const [first] = around[0], mean = (values) => values.reduce((sum, one) => sum + one, 0) / values.length;
  return [first + mean(around.map(([heading]) => Math.atan2(Math.sin(heading - first), Math.cos(heading - first)))), mean(around.map(([, elevation]) => elevation))];
}

// The box of an object that the agent may answer with, and its name.
function frame({ id, name, view, box, share, chosen, target }) {
  const kind = `object-box ${chosen ? "chosen" : ""} ${target ? "target" : ""}`, around = corners(view, box);
  const said = `${name}${share === null ? "" : ` ${(100 * share).toFixed(0)}%`}${target ? " (target)" : ""}`;
  const polygon = { id: `box-${id}`, polygon: around, className: kind, svgStyle: { fill: "transparent" }, zIndex: 2 };
  if (!chosen && !target) return [polygon];
  const label = { id: `box-name-${id}`, element: element("span", { class: kind.replace("object-box", "object-name") }, said), position: { yaw: around[0][0], pitch: around[0][1] }, anchor: "bottom left", zIndex: 8 };
  return [polygon, label];
}

function words(place, picture, framed) {
  const own = new Set(framed.filter(({ chosen, target }) => chosen || target).map(({ id }) => id)); // have a name of their own
  const sights = (picture ? place.sights.filter((sight) => sight.kind === "room") : place.sights).filter(({ id }) => !own.has(id));
  return sights.map((sight, number) => ({
    id: `word-${number}`,
    element: element("span", { class: `sight ${sight.kind}` }, sight.text),
    position: { yaw: sight.heading, pitch: sight.elevation + (sight.kind === "caption" ? ABOVE : 0) },
    anchor: "center center",
    zIndex: { caption: 1, object: 5, room: 6 }[sight.kind],
  }));
}

// An agent with a map may go to places that are not next to this one: the likely ones are marked too.
function candidates(place, plan, event, act, hover) {
  const near = new Set(place.candidates.map((candidate) => candidate.viewpoint));
  const marked = event.candidates.map((name, action) => ({ name, action, share: event.probabilities?.[action], far: !near.has(name) }))
    .filter(({ name, action, share, far }) => plan[name] && name !== event.viewpoint && (!far || action === event.action || share >= LIKELY));
  return marked.map(({ name, action, share, far }) => {
    const { heading, elevation, distance } = direction(plan, event.viewpoint, name);
    const said = [called(event, action), ...(share === undefined ? [] : [element("span", { class: "share" }, ` · ${(100 * share).toFixed(0)}%`)])];
    const label = `candidate ${called(event, action)}: ${describe(plan, event, name)}${share === undefined ? "" : `, probability ${(100 * share).toFixed(0)} percent`}`;
    const kind = `candidate ${action === event.action ? "chosen" : ""} ${far ? "far" : ""}`;
    const made = element(act ? "button" : "span", { class: kind, "aria-label": label, role: act ? null : "img", title: label, type: act ? "button" : null, "data-action": action, "data-share": share ?? 0 }, ...said);
    if (act) made.addEventListener("click", () => act(action));
    made.addEventListener("pointerenter", () => hover(String(action)));
    made.addEventListener("pointerleave", () => hover(null));
    return {
      id: `candidate-${action}`,
      element: made,
      position: { yaw: heading, pitch: Math.atan2(distance * Math.sin(elevation) - LOW, distance * Math.cos(elevation)) },
      anchor: "center center",
      zIndex: action === event.action ? 11 : 10,
    };
  });
}

// Mark the candidate that the pointer is on elsewhere.
export function markPanorama(action) {
  for (const part of document.querySelectorAll("#panorama [data-action]")) part.classList.toggle("hovered", part.dataset.action === action);
}

let looking = 0;
const WORDS = [".object-name", ".sight.room", ".sight.object", ".sight.caption"]; // the most important first

// A candidate that would lie over a likelier one is only its number. Words that would lie over a candidate, or over more important words, give way; asked again whenever the view moves.
function uncover(container) {
  cancelAnimationFrame(looking);
  looking = requestAnimationFrame(() => {
    const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
    const taken = [];
    for (const part of [...container.querySelectorAll(".candidate")].sort((a, b) => b.dataset.share - a.dataset.share)) {
      part.classList.remove("narrow");
      part.classList.toggle("narrow", taken.some((other) => !apart(part.getBoundingClientRect(), other)));
      taken.push(part.getBoundingClientRect());
    }
    for (const word of WORDS.flatMap((kind) => [...container.querySelectorAll(kind)])) {
      const box = word.getBoundingClientRect(), free = taken.every((other) => apart(box, other));
      word.classList.toggle("covers", !free);
      if (free && box.width) taken.push(box);
    }
  });
}

// What is all around, for those who cannot see it.
function description(place) {
  const names = [...new Set(place.sights.filter((sight) => sight.kind !== "caption").map((sight) => sight.text))];
  return `Panorama${place.room ? `, ${place.room}` : ""}. Around: ${names.join(", ") || "nothing that has a name"}.`;
}

const TURN = 0.35; // radians
const TURNS = { ArrowLeft: [-TURN, 0], ArrowRight: [TURN, 0], ArrowUp: [0, TURN], ArrowDown: [0, -TURN] };

// Turn the panorama by an arrow key; false if it is another key.
export function turnPanorama(key) {
  if (!(key in TURNS)) return false;
  made?.then(({ shown }) => {
    const { yaw, pitch } = shown.getPosition(), [right, up] = TURNS[key];
    shown.rotate({ yaw: yaw + right, pitch: Math.min(Math.max(pitch + up, -1.4), 1.4) });
  });
  return true;
}
