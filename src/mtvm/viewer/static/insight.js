// Below the walk: attention on words, memory by step, curves, and one's own notes.

import { Kept, ask, askDrawing, element, query } from "./api.js";

const $ = (name) => document.getElementById(name);
const TABS = ["words", "memory", "curves", "notes"];
const MISSING = "No attention was recorded, and no agent is here to think it over again.";

export class Insight {
  constructor({ go, noted }) {
    this.go = go;
    this.noted = noted;
    this.kept = new Kept(askDrawing);
    this.tab = "words";
    for (const tab of TABS) $(`tab-${tab}`).addEventListener("click", () => go({ tab }));
    $("scale").addEventListener("change", () => go({ scale: $("scale").checked ? "common" : "row" }));
    $("by-head").addEventListener("click", () => this.offerHeads());
    for (const name of ["layer", "head"]) $(name).addEventListener("change", () => go({ [name]: $(name).value || null }));
    $("note-form").addEventListener("submit", (event) => { event.preventDefault(); this.save(); });
  }

  choose(tab, scale, layer, head) {
    this.tab = TABS.includes(tab) ? tab : "words";
    Object.assign(this, { scale, layer, head });
    $("scale").checked = scale === "common";
    for (const one of TABS) {
      $(`tab-${one}`).setAttribute("aria-selected", String(one === this.tab));
      $(`panel-${one}`).hidden = one !== this.tab;
    }
    $("scale-label").hidden = !["words", "memory"].includes(this.tab);
    this.showHeads();
  }

  // Which layers and heads there are is asked when somebody wants them: the agent walks the episode again for that.
  async offerHeads() {
    const asked = this.agent;
    try {
      this.heads = await ask(`api/walk/heads?${query(this.shown)}`);
      this.headsOf = asked;
      this.showHeads();
    } catch (error) {
      $("by-head").title = error.message;
      $("by-head").disabled = true;
    }
  }

  showHeads() {
    const offered = ["words", "memory"].includes(this.tab), known = this.heads && this.headsOf === this.agent;
    $("by-head").hidden = !offered || known || !this.rethinks;
    $("heads").hidden = !offered || !known;
    if (!known) return;
    const fill = (name, count, all, now) => {
      $(name).replaceChildren(element("option", { value: "" }, all), ...Array.from({ length: count }, (_, place) => element("option", { value: place + 1 }, String(place + 1))));
      $(name).value = now ?? "";
    };
    fill("layer", this.heads.layers, "last", this.layer);
    fill("head", this.heads.heads, "mean", this.head);
  }

  waiting() {
    $("matrix").replaceChildren(element("p", { class: "hint" }, "The agent is thinking this walk over again…"));
    this.kept.clear();
  }

  clear() {
    this.drawn = null;
    this.kept.clear();
    for (const name of ["matrix", "memories", "curves"]) $(name).replaceChildren();
  }

  // What the chosen tab shows of a walk; `failed` says why its attention could not be had.
  async draw(walk, address, step, failed, rethinks) {
    const agent = String(address.session ?? address.source);
    if (agent !== this.agent) $("by-head").disabled = false;
    Object.assign(this, { agent, rethinks, shown: address.session ? { session: address.session } : { source: address.source, id: address.id } });
    this.showHeads();
    if ((this.layer || this.head) && this.headsOf !== agent && rethinks) await this.offerHeads(); // a link has named them
    const mine = (this.request = (this.request ?? 0) + 1);
    const known = { words: walk.events.some((event) => event.words), memory: walk.events.some((event) => event.memory?.length), curves: true }[this.tab];
    const [place, file] = { words: ["matrix", "matrix"], memory: ["memories", "memory"], curves: ["curves", "curves"] }[this.tab] ?? [];
    if (!place) return;
    if (!known) {
      $(place).replaceChildren(element("p", { class: "hint" }, failed ? `The agent could not think this walk over again: ${failed}` : MISSING));
      return;
    }
    const asked = file === "curves" ? address : { ...this.shown, scale: this.scale, ...(rethinks ? { layer: this.layer, head: this.head } : {}) };
    const key = `${file} ${walk.events.length} ${query(asked)}`;
    if (this.drawn !== key) {
      const path = `api/walk/${file}.svg?${query(asked)}`;
      const drawing = await this.kept.get(path).catch((error) => element("p", { class: "hint" }, error.message));
      if (address.session) this.kept.clear(); // it goes on
      if (mine !== this.request) return;
      for (const cell of drawing.querySelectorAll("[data-step]")) cell.addEventListener("click", () => this.go({ step: Number(cell.dataset.step) }));
      $(place).replaceChildren(drawing);
      this.drawn = key;
    }
    this.mark(step);
  }

  // Show which step the slider is at.
  mark(step) {
    for (const place of ["matrix", "memories"]) {
      for (const cell of $(place).querySelectorAll("text[data-step]")) {
        const current = Number(cell.dataset.step) === step;
        cell.classList.toggle("current", current);
        if (current) $(place).scrollTop = cell.getAttribute("y") - $(place).clientHeight + 20;
      }
    }
    for (const mark of $("curves").querySelectorAll("[data-step]")) {
      mark.classList.toggle("current", Number(mark.dataset.step) === step);
    }
  }

  // Notes on an episode, kept beside the results.
  showNote(source, id, notes) {
    if (this.editing !== `${source} ${id}`) {
      $("tags").value = (notes[id]?.tags ?? []).join(", ");
      $("note").value = notes[id]?.note ?? "";
      $("noted").textContent = "";
    }
    this.editing = `${source} ${id}`;
    Object.assign(this, { source, id });
  }

  async save() {
    const body = { id: this.id, tags: $("tags").value.split(","), note: $("note").value };
    try {
      this.noted(await ask(`api/sources/${this.source}/notes`, body));
      $("noted").textContent = "Saved beside the results.";
    } catch (error) {
      $("noted").textContent = error.message;
    }
  }
}
