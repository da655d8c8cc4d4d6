// Talking to an agent: an instruction, a start, and steps by the agent or by whoever clicks.

import { ask, askStream, element, query } from "./api.js";

const $ = (name) => document.getElementById(name);
const PAUSE = 350; // milliseconds, so that a walk can be followed

export class Talk {
  constructor(agents, pane, { redraw, complain }) {
    this.agents = agents;
    this.pane = pane;
    this.redraw = redraw;
    this.complain = complain;
    this.session = null;
    this.events = [];
    this.start = null;
    this.busy = false;
    this.awake = new Set();
    $("agent").replaceChildren(...agents.map((agent, number) => element("option", { value: number }, agent.name)));
    $("agent").addEventListener("change", () => { this.fillBuildings(); this.choosing(); this.wake(); });
    $("building").addEventListener("change", () => this.choosing());
    $("start").addEventListener("change", () => this.restart());
    $("begin").addEventListener("click", () => this.guarded(() => this.begin()));
    $("go").addEventListener("click", () => this.guarded(() => this.walk()));
    $("one").addEventListener("click", () => this.act(null));
    this.fillBuildings();
  }

  fillBuildings() {
    const agent = this.agents[Number($("agent").value)];
    $("building").replaceChildren(...(agent?.buildings ?? []).map((scan) => element("option", {}, scan)));
  }

  async open() {
    if (!this.session && !this.choosingMap) await this.choosing();
    this.wake();
  }

  // Load the agent while the visitor still thinks about what to say.
  async wake() {
    const agent = $("agent").value;
    if (this.awake.has(agent)) return;
    this.awake.add(agent);
    const said = `${this.agents[Number(agent)].name} is waking up…`;
    $("progress").textContent = said;
    await ask(`api/agents/${agent}/wake`, {}).catch(this.complain);
    if ($("progress").textContent === said) $("progress").textContent = "It is awake.";
  }

  // The map of the building, to choose where to start.
  async choosing() {
    this.session = null;
    this.events = [];
    this.start = null;
    this.choosingMap = true;
    this.enable();
    const scan = $("building").value;
    if (!scan) return;
    this.pane.title.textContent = `Where should it start in ${scan}?`;
    for (const part of [this.pane.words, this.pane.actions, this.pane.memory, this.pane.metrics]) part.replaceChildren();
    this.pane.pickViewpoint = (viewpoint) => this.pick(viewpoint);
    await this.pane.drawMap(`api/buildings/${encodeURIComponent(scan)}/map.svg?${query({ agent: $("agent").value })}`, false);
    this.fillStarts();
  }

  // Another start, chosen from the list; while a walk is shown, the map of the building comes back.
  async restart() {
    const viewpoint = $("start").value || null;
    if (this.session) await this.choosing();
    this.pick(viewpoint);
  }

  // Every viewpoint of the map by its room, so that one can choose without a mouse.
  fillStarts() {
    const options = [...this.pane.map.querySelectorAll(".viewpoint")].map(({ dataset }) => ({
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
    for (const shape of this.pane.map.querySelectorAll(".viewpoint")) shape.classList.toggle("start", shape.dataset.viewpoint === viewpoint);
  }

  async begin() {
    const answer = await ask("api/sessions", {
      text: $("instruction").value, agent: Number($("agent").value), building: $("building").value, viewpoint: this.start,
    });
    this.session = answer.session;
    this.choosingMap = false;
    this.pane.pickViewpoint = null;
    this.text = $("instruction").value;
    this.events = [answer.thought];
    this.done = false;
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
      this.complain(error);
    }
    this.busy = false;
    this.enable();
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

  title() {
    return `${this.agents[Number($("agent").value)].name} in ${$("building").value}`;
  }

  shown() {
    if (!this.session) return { walk: null };
    return {
      walk: { text: this.text, events: this.events, metrics: {}, left_reference: null },
      address: { session: this.session },
      place: { agent: $("agent").value },
    };
  }

  // The step to show: the newest one after each step, else the slider's.
  step(asked) {
    if (!this.following) return Math.min(asked, this.events.length - 1);
    this.following = false;
    return this.events.length - 1;
  }

  canAct(step) {
    return !this.done && step === this.events.length - 1;
  }
}
