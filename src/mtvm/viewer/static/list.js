// The list of episodes: filtered and sorted in memory, of which only the rows in sight exist.

import { element } from "./api.js";

const HEIGHT = 58;
const $ = (name) => document.getElementById(name);

// Whether a number is within the two fields of this name; an empty one sets no limit.
function range(name) {
  const least = $(name).value, most = $(`${name}-most`).value;
  return (value) => (least === "" || value >= Number(least)) && (most === "" || value <= Number(most));
}

export class EpisodeList {
  constructor(choose) {
    this.choose = choose;
    this.table = null;
    this.order = [];
    this.chosen = null;
    this.only = null;
    this.decimals = () => 1;
    $("list").addEventListener("scroll", () => this.draw(), { passive: true });
    $("list").addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe($("list"));
    for (const name of ["search", "success", "scan", "error", "error-most", "edges", "edges-most", "sort"]) {
      $(name).addEventListener("input", () => this.filter());
    }
  }

  show(table) {
    this.table = table;
    this.lower = table.text.map((text, row) => `${text} ${table.id[row]}`.toLowerCase());
    const scans = [...new Set(table.scan)].sort();
    $("scan").replaceChildren(element("option", { value: "" }, "all"), ...scans.map((scan) => element("option", {}, scan)));
    const names = Object.keys(table.metrics);
    const before = $("sort").value;
    $("sort").replaceChildren(
      element("option", { value: "" }, "file"), element("option", { value: "-edges" }, "edges ↓"), element("option", { value: "edges" }, "edges ↑"),
      ...names.flatMap((name) => [element("option", { value: `-${name}` }, `${name} ↓`), element("option", { value: name }, `${name} ↑`)]),
    );
    if ([...$("sort").options].some((option) => option.value === before)) $("sort").value = before;
    this.filter();
  }

  // Only these ids, or all.
  restrict(ids) {
    this.only = ids;
    this.filter();
  }

  filter() {
    if (!this.table) return;
    const { metrics, scan, edges, id } = this.table;
    const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const success = $("success").value, where = $("scan").value;
    const errors = range("error"), lengths = range("edges");
    const found = [];
    for (let row = 0; row < id.length; row++) {
      if (this.only && !this.only.has(id[row])) continue;
      if (where && scan[row] !== where) continue;
      if (success && metrics.SR && (metrics.SR[row] > 0) !== (success === "yes")) continue;
      if (metrics.NE && !errors(metrics.NE[row])) continue;
      if (!lengths(edges[row])) continue;
      if (words.length && !words.every((word) => this.lower[row].includes(word))) continue;
      found.push(row);
    }
    const sort = $("sort").value, name = sort.replace("-", "");
    const column = name === "edges" ? edges : metrics[name];
    if (column) {
      const sign = sort.startsWith("-") ? -1 : 1;
      found.sort((a, b) => sign * (column[a] - column[b]) || a - b);
    }
    this.order = found;
    $("count").textContent = `${found.length.toLocaleString("en")} of ${id.length.toLocaleString("en")} episodes`;
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
  }

  row(place) {
    const { id, text, scan, edges, metrics } = this.table, row = this.order[place];
    const chosen = id[row] === this.chosen;
    const good = metrics.SR ? metrics.SR[row] > 0 : null;
    const mark = element("span", { class: `mark ${good === null ? "" : good ? "good" : "bad"}` }, good === null ? "·" : good ? "✓" : "✗");
    const facts = [scan[row], `${edges[row]} edges`];
    if (metrics.NE) facts.push(`NE ${metrics.NE[row].toFixed(1)} m`);
    if (metrics.SPL) facts.push(`SPL ${metrics.SPL[row].toFixed(0)}`);
    const made = element(
      "div",
      { role: "option", id: `row-${place}`, class: "row", "aria-selected": String(chosen), "data-id": id[row], onclick: () => this.pick(place) },
      mark, element("span", { class: "text" }, text[row]), element("small", {}, facts.join(" · ")),
    );
    made.style.top = `${place * HEIGHT}px`;
    if (chosen) $("list").setAttribute("aria-activedescendant", made.id);
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
}
