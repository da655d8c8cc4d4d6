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
    $("agent").replaceChildren(...agents.map((agent, number) => element("option", { value: number }, agent.name)));
    $("agent").addEventListener("change", () => { this.fillBuildings(); this.choosing(); });
    $("building").addEventListener("change", () => this.choosing());
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
    await this.pane.drawMap(`/api/buildings/${encodeURIComponent(scan)}/map.svg?${query({ agent: $("agent").value })}`, false);
  }

  pick(viewpoint) {
    this.start = viewpoint;
    for (const shape of this.pane.map.querySelectorAll(".viewpoint")) shape.classList.toggle("start", shape.dataset.viewpoint === viewpoint);
    $("progress").textContent = `It starts at viewpoint ${viewpoint.slice(0, 8)}.`;
  }

  async begin() {
    const answer = await ask("/api/sessions", {
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
      const answer = await ask("/api/act", { session: this.session, action });
      this.events[this.events.length - 1] = answer.done;
      if (answer.thought) this.events.push(answer.thought);
      else this.done = true;
      await this.latest();
    });
  }

  async walk() {
    for await (const event of askStream("/api/walk", { session: this.session })) {
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
