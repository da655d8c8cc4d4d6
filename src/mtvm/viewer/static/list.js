// The list of episodes: filtered and sorted in memory, of which only the rows in sight exist.

import { element } from "./api.js";
import { inOneLine } from "./names.js";

const HEIGHT = 58;
const $ = (name) => document.getElementById(name);
export const RANGES = ["error", "edges", "length", "words", "storeys"];
const CHOICES = ["search", "success", "scan", "mistake", "tag", "outcome", "sort"];

// Whether a number is within the two fields of this name; an empty one sets no limit.
function range(name) {
  const least = $(name).value, most = $(`${name}-most`).value;
  if (least === "" && most === "") return null;
  return (value) => (least === "" || value >= Number(least)) && (most === "" || value <= Number(most));
}

// What is asked of the successes of several agents: all, none, differ, only:K, or win:I:J.
function outcome(asked) {
  if (asked === "all") return (won) => won.every((one) => one === true);
  if (asked === "none") return (won) => won.every((one) => one === false);
  if (asked === "differ") return (won) => won.includes(true) && won.includes(false);
  const [kind, one, other] = asked.split(":");
  if (kind === "only") return (won) => won.every((success, agent) => success === (agent === Number(one)));
  if (kind === "win") return (won) => won[Number(one)] === true && won[Number(other)] === false;
  return null;
}

// Which mistake of which agent is asked for: KIND of the first, or PLACE:KIND.
function mistakeOf(asked) {
  const [, place, kind] = /^(?:(\d+):)?(.*)$/.exec(asked);
  return { agent: Number(place ?? 0), kind };
}

export class EpisodeList {
  constructor(choose, changed) {
    this.choose = choose;
    this.changed = changed;
    this.tables = [];
    this.order = [];
    this.chosen = null;
    this.notes = {};
    $("list").addEventListener("scroll", () => this.draw(), { passive: true });
    $("list").addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe($("list"));
    for (const name of [...CHOICES, ...RANGES.flatMap((one) => [one, `${one}-most`])]) {
      $(name).addEventListener("input", () => { this.filter(); this.changed(); });
    }
    $("clear").addEventListener("click", () => { this.set({}); this.changed(); });
  }

  get table() {
    return this.tables[0];
  }

  // The first table is the list; the others are of agents that are compared.
  show(tables, names) {
    const fresh = tables[0] !== this.table;
    this.tables = tables;
    this.names = names;
    if (fresh) {
      this.lower = [];
      const metrics = Object.keys(this.table.metrics), options = (name) => [element("option", { value: `-${name}` }, `${name} ↓`), element("option", { value: name }, `${name} ↑`)];
      this.fill("sort", ["edges", "length", "words", "storeys", ...metrics].flatMap(options), "file");
    }
    const many = tables.length > 1;
    $("outcome-label").hidden = !many;
    this.fill("outcome", many ? [["all", "all succeed"], ["none", "none succeeds"], ["differ", "they differ"],
      ...names.map((name, agent) => [`only:${agent}`, `only ${name} succeeds`]),
      ...(names.length > 2 ? names.flatMap((one, i) => names.map((other, j) => [`win:${i}:${j}`, `${one} succeeds, ${other} does not`, i === j])) : [])]
      .filter(([, , skip]) => !skip).map(([value, said]) => element("option", { value }, said)) : [], "any");
    this.grown();
  }

  // More rows of a table have come; those of other agents change the list only if it is filtered by their successes.
  more(table) {
    if (table === this.table) this.grown();
    else if (this.tables.includes(table)) {
      this.fillMistakes();
      $("outcome").value || mistakeOf($("mistake").value).agent ? this.filter() : this.draw();
    }
  }

  grown() {
    const { id, text, scan } = this.table;
    for (let row = this.lower.length; row < id.length; row++) this.lower.push(`${text[row]} ${id[row]}`.toLowerCase());
    this.rows = this.tables.map((table) => table.rows);
    this.fill("scan", [...new Set(scan)].sort().map((one) => element("option", {}, one)), "all");
    this.fillMistakes();
    this.filter();
  }

  // Those that each agent made, under its name if there are several.
  fillMistakes() {
    const many = this.tables.length > 1;
    this.fill("mistake", this.tables.flatMap(({ mistake }, agent) => {
      const kinds = [...new Set(mistake ?? [])].filter(Boolean).sort().map((one) => element("option", { value: agent ? `${agent}:${one}` : one }, one));
      return many && kinds.length ? [element("optgroup", { label: this.names[agent] }, ...kinds)] : kinds;
    }), "all");
  }

  annotate(notes) {
    this.notes = notes;
    this.fill("tag", [...new Set(Object.values(notes).flatMap((one) => one.tags))].sort().map((tag) => element("option", {}, tag)), "all");
    $("tag-label").hidden = !Object.keys(notes).length;
    if (this.table) this.filter();
  }

  // New options, of which the chosen one stays chosen; one that has not come yet is kept until it comes.
  fill(name, options, all) {
    const before = $(name).value || this.wanted?.[name] || "";
    $(name).replaceChildren(element("option", { value: "" }, all), ...options);
    if ([...$(name).options].some((option) => option.value === before)) $(name).value = before;
  }

  // The filters as they stand in the address.
  get() {
    const found = {};
    for (const name of CHOICES) if ($(name).value) found[name] = $(name).value;
    for (const name of RANGES) {
      const ends = [$(name).value, $(`${name}-most`).value];
      if (ends.some(Boolean)) found[name] = ends.join("..");
    }
    return found;
  }

  set(wanted) {
    this.wanted = wanted;
    for (const name of CHOICES) {
      $(name).value = wanted[name] ?? "";
      if (wanted[name] && !$(name).value) $(name).append(element("option", {}, wanted[name])); // its rows are on their way
      $(name).value = wanted[name] ?? "";
    }
    for (const name of RANGES) [$(name).value, $(`${name}-most`).value] = [...(wanted[name] ?? "").split(".."), ""];
    if (RANGES.slice(2).some((name) => wanted[name])) $("more").open = true;
    this.filter();
  }

  // Whether each agent succeeds in an episode; null if that is not known.
  won(identity) {
    return this.tables.map((table, agent) => {
      const row = this.rows[agent].get(identity);
      return row === undefined || !table.metrics.SR ? null : table.metrics.SR[row] > 0;
    });
  }

  filter() {
    if (!this.table) return;
    const { metrics, scan, id } = this.table;
    const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const success = $("success").value, where = $("scan").value, tag = $("tag").value;
    const together = this.tables.length > 1 ? outcome($("outcome").value) : null;
    const columns = RANGES.map((name) => [name === "error" ? metrics.NE : this.table[name], range(name)]).filter(([column, inside]) => column && inside);
    const wrong = mistakeOf($("mistake").value), mistakes = this.tables[wrong.agent]?.mistake;
    const found = [];
    for (let row = 0; row < id.length; row++) {
      if (where && scan[row] !== where) continue;
      if (success && metrics.SR && (metrics.SR[row] > 0) !== (success === "yes")) continue;
      if (wrong.kind && mistakes?.[wrong.agent ? this.rows[wrong.agent].get(id[row]) : row] !== wrong.kind) continue;
      if (columns.some(([column, inside]) => !inside(column[row]))) continue;
      if (tag && !this.notes[id[row]]?.tags.includes(tag)) continue;
      if (together && !together(this.won(id[row]))) continue;
      if (words.length && !words.every((word) => this.lower[row].includes(word))) continue;
      found.push(row);
    }
    const sort = $("sort").value, name = sort.replace("-", "");
    const column = metrics[name] ?? this.table[name];
    if (sort && column) {
      const sign = sort.startsWith("-") ? -1 : 1;
      found.sort((a, b) => sign * (column[a] - column[b]) || a - b);
    }
    this.order = found;
    const all = this.table.total, coming = id.length < all ? `, ${id.length.toLocaleString("en")} loaded` : "";
    $("count").textContent = `${found.length.toLocaleString("en")} of ${all.toLocaleString("en")} episodes${coming}`;
    $("clear").hidden = !Object.keys(this.get()).some((one) => one !== "sort");
    $("rows").style.height = `${found.length * HEIGHT}px`;
    this.draw();
  }

  draw() {
    if (!this.table) return;
    const list = $("list");
    const first = Math.max(0, Math.floor(list.scrollTop / HEIGHT) - 3);
    const last = Math.min(this.order.length, Math.ceil((list.scrollTop + list.clientHeight) / HEIGHT) + 3);
    const rows = [];
    for (let place = first; place < last; place++) rows.push(this.row(place));
    $("rows").replaceChildren(...rows);
    const chosen = rows.find((row) => row.dataset.id === this.chosen);
    if (chosen) list.setAttribute("aria-activedescendant", chosen.id);
    else list.removeAttribute("aria-activedescendant"); // it is not in sight
  }

  row(place) {
    const { id, text, scan, edges, metrics, mistake } = this.table, row = this.order[place], identity = id[row];
    const chosen = identity === this.chosen;
    const marks = this.won(identity).map((won, agent) => element("span",
      { class: `mark ${won === null ? "" : won ? "good" : "bad"} agent-${agent % 10}`, title: `${this.names[agent]}: ${won === null ? "not known" : won ? "success" : "failure"}` },
      won === null ? "·" : won ? "✓" : "✗"));
    const facts = [`${edges[row]} edges`];
    if (metrics.NE) facts.push(`NE ${metrics.NE[row].toFixed(1)} m`);
    if (metrics.SPL) facts.push(`SPL ${metrics.SPL[row].toFixed(0)}`);
    facts.push(mistake?.[row] || scan[row], ...(this.notes[identity]?.tags ?? []).map((tag) => `#${tag}`));
    const made = element(
      "div",
      { role: "option", id: `row-${place}`, class: "row", "aria-selected": String(chosen), "data-id": identity, onclick: () => this.pick(place) },
      element("span", { class: `marks ${marks.length > 8 ? "many" : ""}` }, ...marks), element("span", { class: "text" }, inOneLine(text[row])), element("small", {}, facts.join(" · ")),
    );
    made.style.top = `${place * HEIGHT}px`;
    return made;
  }

  pick(place) {
    if (place < 0 || place >= this.order.length) return;
    this.mark(this.table.id[this.order[place]]);
    this.choose(this.chosen);
  }

  mark(id) {
    this.chosen = id;
    const place = this.order.findIndex((row) => this.table.id[row] === id);
    const list = $("list");
    if (place >= 0) {
      const top = place * HEIGHT;
      if (top < list.scrollTop) list.scrollTop = top;
      else if (top + HEIGHT > list.scrollTop + list.clientHeight) list.scrollTop = top + HEIGHT - list.clientHeight;
    }
    this.draw();
  }

  first() {
    return this.order.length ? this.table.id[this.order[0]] : null;
  }

  key(event) {
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8, Home: -Infinity, End: Infinity };
    if (!(event.key in moves)) return;
    event.preventDefault();
    const now = this.order.findIndex((row) => this.table.id[row] === this.chosen);
    this.pick(Math.min(Math.max(now + moves[event.key], 0), this.order.length - 1));
  }

  // The filtered list as a table for other programs: what the episodes are like, and each agent's metrics.
  csv() {
    const facts = ["scan", "length", "words", "storeys"], metrics = Object.keys(this.table.metrics);
    const each = (agent, name) => (this.tables.length > 1 ? `${this.names[agent]} ${name}` : name);
    const head = ["id", ...facts, ...this.tables.flatMap((_, agent) => ["edges", "mistake", ...metrics].map((name) => each(agent, name))), "tags", "note", "text"];
    const lines = this.order.map((row) => {
      const identity = this.table.id[row], own = this.notes[identity];
      const measured = this.tables.flatMap((table, agent) => {
        const there = this.rows[agent].get(identity);
        if (there === undefined) return ["", "", ...metrics.map(() => "")];
        return [table.edges[there], table.mistake?.[there] ?? "", ...metrics.map((name) => table.metrics[name]?.[there] ?? "")];
      });
      return [identity, ...facts.map((name) => this.table[name][row]), ...measured, (own?.tags ?? []).join(" "), own?.note ?? "", this.table.text[row]];
    });
    const field = (value) => (/[",\r\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value));
    return [head, ...lines].map((line) => line.map(field).join(",")).join("\r\n");
  }
}
