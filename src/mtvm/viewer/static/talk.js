// Talking to an agent: an instruction, a start, and steps by the agent or by whoever clicks.

import { ask, askStream, element, query } from "./api.js";

const $ = (name) => document.getElementById(name);
const PAUSE = 350; // milliseconds, so that a walk can be followed

export class Talk {
  constructor(agents, { redraw, complain, paneOf }) {
    Object.assign(this, { redraw, complain, paneOf, session: null, events: [], start: null, busy: false, awake: new Set(), original: null });
    $("agent").addEventListener("change", () => { this.fillBuildings(); this.choosing(); this.wake(); });
    $("building").addEventListener("change", () => this.choosing());
    $("start").addEventListener("change", () => this.restart());
    $("begin").addEventListener("click", () => this.guarded(() => this.begin()));
    $("go").addEventListener("click", () => this.guarded(() => this.walk()));
    $("one").addEventListener("click", () => this.act(null));
    this.forget(agents);
  }

  // Of another server nothing is known.
  forget(agents) {
    this.agents = agents;
    this.session = this.original = null;
    this.choosingMap = false;
    this.awake.clear();
    $("agent").replaceChildren(...agents.map((agent, number) => element("option", { value: number }, agent.name)));
    this.fillBuildings();
  }

  // The agent whose results these are.
  agentOf(source) {
    const number = this.agents.findIndex(({ name }) => source === name || source.startsWith(`${name} `));
    return number < 0 ? null : { number };
  }

  fillBuildings() {
    const agent = this.agents[Number($("agent").value)];
    $("building").replaceChildren(...(agent?.buildings ?? []).map((scan) => element("option", {}, scan)));
  }

  async open() {
    if (!this.session && !this.choosingMap) await this.choosing();
    this.wake();
  }

  // Take an episode over, to change its words: `walk` is how it went.
  prepare({ number }, { source, id, name, walk }) {
    this.end();
    $("agent").value = number;
    this.fillBuildings();
    $("building").value = walk.scan;
    $("instruction").value = walk.text;
    const first = walk.events[0];
    this.original = { source, id, name, walk, viewpoint: first.viewpoint, heading: first.heading };
    this.choosingMap = false;
  }

  // Load the agent while the visitor still thinks about what to say.
  async wake() {
    const agent = $("agent").value;
    if (this.awake.has(agent) || !this.agents[Number(agent)]) return;
    this.awake.add(agent);
    const said = `${this.agents[Number(agent)].name} is waking up…`;
    $("progress").textContent = said;
    try {
      await ask(`api/agents/${agent}/wake`, {});
      if ($("progress").textContent === said) $("progress").textContent = "It is awake.";
    } catch (error) {
      this.awake.delete(agent);
      $("progress").textContent = "";
      this.complain(error);
    }
  }

  // The map of the building, to choose where to start.
  async choosing() {
    this.end();
    const scan = $("building").value, original = this.original?.walk.scan === scan ? this.original : null;
    Object.assign(this, { events: [], start: null, choosingMap: true, original });
    $("beside").hidden = !original;
    $("beside").textContent = original ? `Change a word of episode ${original.id} and begin: both walks are shown side by side.` : "";
    this.enable();
    if (!scan) return;
    const pane = this.paneOf(0);
    pane.clear(`Where should it start in ${scan}?`);
    pane.picks = (viewpoint) => this.pick(viewpoint);
    await pane.drawMap(`api/buildings/${encodeURIComponent(scan)}/map.svg?${query({ agent: $("agent").value })}`, false);
    this.fillStarts();
    if (original) this.pick(original.viewpoint);
  }

  // Another start, chosen from the list; while a walk is shown, the map of the building comes back.
  async restart() {
    const viewpoint = $("start").value || null;
    if (this.session) await this.choosing();
    this.pick(viewpoint);
  }

  // Every viewpoint of the map by its room, so that one can choose without a mouse.
  fillStarts() {
    const options = [...this.paneOf(0).map.querySelectorAll(".viewpoint")].map(({ dataset }) => ({
      value: dataset.viewpoint, said: [dataset.room, dataset.viewpoint.slice(0, 8)].filter(Boolean).join(" · "),
    }));
    options.sort((a, b) => a.said.localeCompare(b.said));
    $("start").replaceChildren(
      element("option", { value: "" }, "anywhere"), ...options.map(({ value, said }) => element("option", { value }, said)),
    );
  }

  pick(viewpoint) {
    this.start = viewpoint;
    $("start").value = viewpoint ?? "";
    for (const shape of this.paneOf(0).map.querySelectorAll(".viewpoint")) shape.classList.toggle("start-here", shape.dataset.viewpoint === viewpoint);
  }

  async begin() {
    const original = this.original && this.start === this.original.viewpoint ? this.original : null;
    const before = this.session;
    const answer = await ask("api/sessions", {
      text: $("instruction").value, agent: Number($("agent").value), building: $("building").value, viewpoint: this.start,
      ...(original ? { heading: original.heading } : {}),
    });
    this.close(before);
    this.paneOf(0).picks = null;
    Object.assign(this, { session: answer.session, original, choosingMap: false, text: $("instruction").value, events: [answer.thought], done: false });
    await this.latest();
  }

  // Take one step; `action` null is the agent's own.
  act(action) {
    return this.guarded(async () => {
      const answer = await ask("api/act", { session: this.session, action });
      this.events[this.events.length - 1] = answer.done;
      if (answer.thought) this.events.push(answer.thought);
      else this.done = true;
      await this.latest();
    });
  }

  async walk() {
    for await (const event of askStream("api/walk", { session: this.session })) {
      if (event.step < this.events.length) this.events[event.step] = event;
      else this.events.push(event);
      this.done = event.action === event.candidates.length && event.step === this.events.length - 1;
      await this.latest();
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
    this.done = true;
    await this.latest();
  }

  async guarded(work) {
    if (this.busy) return;
    this.busy = true;
    this.enable();
    try {
      await work();
      this.complain(null);
    } catch (error) {
      if (error.status === 410) this.session = this.session && !this.done ? null : this.session; // the server has ended it
      this.complain(error);
    }
    this.busy = false;
    this.enable();
  }

  // A session lasts as long as somebody looks at it.
  end() {
    if (this.session) $("progress").textContent = "";
    this.close(this.session);
    this.session = null;
  }

  close(session) {
    if (session) ask("api/sessions/end", { session }).catch(() => null);
  }

  leave() {
    if (this.session) navigator.sendBeacon("api/sessions/end", new Blob([JSON.stringify({ session: this.session })], { type: "application/json" }));
  }

  async latest() {
    const last = this.events.length - 1;
    const way = `${last} ${last === 1 ? "step" : "steps"} so far`;
    $("progress").textContent = this.done ? `It stopped after ${last} ${last === 1 ? "step" : "steps"}.` : way;
    this.following = true;
    await this.redraw();
  }

  enable() {
    document.body.classList.toggle("busy", this.busy);
    $("go").disabled = $("one").disabled = this.busy || !this.session || this.done;
    $("begin").disabled = this.busy;
  }

  // Beside the live walk, the one whose words were changed.
  scene() {
    if (!this.session) return { parts: [], main: null };
    const { original, session } = this, agent = $("agent").value;
    const walk = { id: "", scan: $("building").value, text: this.text, events: this.events, metrics: {}, left_reference: null, mistake: "" };
    const both = original ? { session, source: original.source, id: original.id } : { session };
    const main = {
      walk, pane: this.paneOf(original ? 1 : 0), live: true, place: { agent }, address: both,
      title: original ? "with other words" : `${this.agents[Number(agent)].name} in ${$("building").value}`,
    };
    if (!original) return { parts: [main], main };
    const first = {
      walk: original.walk, pane: this.paneOf(0), title: original.name, live: false, place: { source: original.source },
      address: { ...both, own: "source" },
    };
    return { parts: [first, main], main };
  }

  // The step to show: the newest one after each step, else the slider's.
  step(asked, last) {
    if (!this.following) return Math.min(asked, last);
    this.following = false;
    return this.events.length - 1;
  }

  canAct(step) {
    return !this.done && step === this.events.length - 1;
  }
}
