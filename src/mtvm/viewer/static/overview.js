// What many episodes say: means, differences, groups, mistakes and buildings. Whatever is clicked filters the list.

import { Kept, ask, element, query } from "./api.js";

const $ = (name) => document.getElementById(name);
const NS = "http://www.w3.org/2000/svg";
const BAR = 16, GAP = 26, HIGH = 130, LEFT = 34, LETTER = 6.4;

export class Overview {
  constructor(filter) {
    this.filter = filter; // shows the list with these filters
    this.kept = new Kept((agents) => ask(`api/summary?${query({ agents: agents.split(",") })}`));
    this.metric = "SR";
    $("bar-metric").addEventListener("change", () => { this.metric = $("bar-metric").value; this.drawGroups(); });
  }

  clear() {
    this.kept.clear();
  }

  async show(agents, names, metrics) {
    const key = agents.join(",");
    if (this.key === key && this.found) return;
    $("overview-title").textContent = "Counting…";
    const found = await this.kept.get(key);
    Object.assign(this, { key, found, names, metrics });
    $("overview-title").textContent = `${found.episodes.toLocaleString("en")} episodes in ${found.buildings.length} ${found.buildings.length === 1 ? "building" : "buildings"}`;
    $("overview-hint").textContent = `${found.buildings.length === 1 ? "No intervals: they resample buildings, and here is one." : "95% intervals, by resampling whole buildings."} Click a bar, a number or a name to see its episodes.`;
    this.drawMeans();
    this.drawWins();
    this.drawGroups();
    this.drawMistakes();
    this.drawBuildings();
  }

  value(name, value) {
    return value === null ? "?" : value.toFixed(this.metrics[name].unit === "m" ? 2 : 1);
  }

  swatch(agent) {
    return element("span", { class: `swatch agent-${agent % 10}` });
  }

  // Each agent's means with their intervals, and how much the others differ from the first.
  drawMeans() {
    const names = Object.keys(this.found.means[0]);
    const head = element("tr", {}, element("th", { scope: "col" }, "Agent"), ...names.map((name) => element("th", { scope: "col", title: this.metrics[name].meaning }, name, element("small", {}, this.metrics[name].unit))));
    const cell = (name, [value, low, high]) => element("td", {}, this.value(name, value), element("small", {}, low === null ? "" : `${this.value(name, low)} to ${this.value(name, high)}`));
    const rows = this.found.means.map((means, agent) => element("tr", {}, element("th", { scope: "row" }, this.swatch(agent), this.names[agent]), ...names.map((name) => cell(name, means[name]))));
    const more = this.found.differences.map((difference, place) => element("tr", { class: "difference" },
      element("th", { scope: "row" }, this.names[place + 1], element("small", {}, `minus ${this.names[0]}`)),
      ...names.map((name) => {
        const { gain: [value, low, high], verdict } = difference[name], sign = (one) => `${one > 0 ? "+" : ""}${this.value(name, one)}`;
        return element("td", { class: verdict.replace(" ", "-") || null, title: verdict || null }, sign(value), element("small", {}, low === null ? "" : `${sign(low)} to ${sign(high)}`));
      })));
    $("means-table").replaceChildren(element("thead", {}, head), element("tbody", {}, ...rows, ...more));
  }

  // In how many episodes the agent of the row succeeds and that of the column does not.
  drawWins() {
    const { wins } = this.found, many = wins.length > 1;
    $("wins").hidden = !many;
    if (!many) return;
    const head = element("tr", {}, element("td", {}), ...this.names.map((name) => element("th", { scope: "col" }, `${name} fails`)));
    const cell = (count, i, j) => element("td", {}, i === j ? "–" : element("button", { type: "button", onclick: () => this.filter({ outcome: wins.length === 2 ? `only:${i}` : `win:${i}:${j}` }) }, String(count)));
    const rows = wins.map((row, i) => element("tr", {}, element("th", { scope: "row" }, this.swatch(i), `${this.names[i]} succeeds`), ...row.map((count, j) => cell(count, i, j))));
    $("wins-table").replaceChildren(element("thead", {}, head), element("tbody", {}, ...rows));
  }

  drawGroups() {
    $("groups").replaceChildren(...this.found.groups.map((group) => this.group(group)));
  }

  // Bars with whiskers, one of each agent for each part of the episodes; a click shows these episodes.
  group({ name, title, unit, bars }) {
    const agents = this.names.length, parts = bars.map(between), widest = Math.max(...parts.map((said) => said.length)) * LETTER;
    const each = Math.max(BAR * agents + GAP, widest + 10), width = LEFT + each * bars.length + 6;
    const svg = shape("svg", { viewBox: `0 0 ${width} ${HIGH + 44}`, width, height: HIGH + 44, role: "group", "aria-label": `${this.metric} by ${title.toLowerCase()}` });
    const y = (value) => 10 + HIGH * (1 - Math.max(value, 0) / 100);
    for (const value of [0, 50, 100]) {
      svg.append(shape("line", { x1: LEFT, x2: width, y1: y(value), y2: y(value), class: "grid" }), text(String(value), LEFT - 5, y(value) + 4, "end"));
    }
    bars.forEach((bar, place) => {
      const left = LEFT + each * (place + 0.5) - (BAR * agents) / 2, said = `${parts[place]}${unit ? ` ${unit}` : ""}`;
      const show = () => this.filter({ [name]: `${bar.from ?? ""}..${bar.to ?? ""}` });
      const values = bar.agents.map((found) => found[this.metric]);
      const spoken = values.map(([value, low, high], agent) => `${this.names[agent]} ${value.toFixed(1)}${low === null ? "" : ` (${low.toFixed(1)} to ${high.toFixed(1)})`}`).join(", ");
      const group = shape("g", { class: "bar", tabindex: 0, role: "button", "aria-label": `${said} ${bar.episodes} episodes, ${this.metric}: ${spoken}` });
      group.append(Object.assign(shape("title", {}), { textContent: `${said} ${bar.episodes} episodes, ${this.metric}: ${spoken}` }));
      group.append(shape("rect", { x: left - 4, y: 0, width: BAR * agents + 8, height: HIGH + 40, class: "catch" }));
      values.forEach(([value, low, high], agent) => {
        const x = left + BAR * agent;
        group.append(shape("rect", { x, y: y(value), width: BAR - 3, height: Math.max(y(0) - y(value), 1), class: `agent-${agent % 10}` }));
        const middle = x + (BAR - 3) / 2;
        if (low !== null) group.append(shape("line", { x1: middle, x2: middle, y1: y(Math.min(high, 100)), y2: y(low), class: "whisker" }));
      });
      group.append(text(parts[place], left + (BAR * agents) / 2, HIGH + 26), text(String(bar.episodes), left + (BAR * agents) / 2, HIGH + 40, "middle", "muted"));
      group.addEventListener("click", show);
      group.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); show(); } });
      svg.append(group);
    });
    return element("figure", {}, element("figcaption", {}, `${title}${unit ? ` (${unit})` : ""}`), element("div", { class: "scroll" }, svg));
  }

  drawMistakes() {
    const head = element("tr", {}, element("th", { scope: "col" }, "Mistake"), ...this.names.map((name, agent) => element("th", { scope: "col" }, this.swatch(agent), name)));
    const failed = this.names.map((_, agent) => this.found.mistakes.reduce((sum, one) => sum + one.agents[agent], 0));
    const button = (said, mistake) => element("button", { type: "button", onclick: () => this.filter({ mistake }) }, said), many = this.names.length > 1;
    const rows = this.found.mistakes.filter(({ agents }) => agents.some(Boolean)).map(({ name, meaning, agents }) => element("tr", { title: meaning },
      element("th", { scope: "row" }, many ? name : button(name, name), element("small", {}, meaning)),
      ...agents.map((count, agent) => {
        const bar = element("span", { class: `share-bar agent-${agent % 10}` });
        bar.style.width = `${failed[agent] ? (100 * count) / failed[agent] : 0}%`;
        return element("td", {}, count ? button(String(count), agent ? `${agent}:${name}` : name) : "0", bar);
      })));
    $("mistakes-table").replaceChildren(element("thead", {}, head), element("tbody", {}, ...rows));
  }

  drawBuildings() {
    const columns = ["NE", "SR", "SPL"];
    const sort = this.sort ?? { by: "scan", sign: 1 };
    const value = (row) => (sort.by === "scan" ? row.scan : sort.by === "episodes" ? row.episodes : row.agents[sort.agent][sort.by]);
    const rows = [...this.found.buildings].sort((a, b) => sort.sign * (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0));
    const button = (said, by, agent) => element("button", { type: "button", onclick: () => {
      this.sort = { by, agent, sign: sort.by === by && sort.agent === agent ? -sort.sign : 1 };
      this.drawBuildings();
    } }, said);
    const agents = element("tr", {}, element("td", { colspan: 2 }), ...this.names.map((name, agent) => element("th", { scope: "colgroup", colspan: columns.length }, this.swatch(agent), name)));
    const head = element("tr", {}, element("th", { scope: "col" }, button("Building", "scan")), element("th", { scope: "col" }, button("Episodes", "episodes")),
      ...this.names.flatMap((name, agent) => columns.map((column) => element("th", { scope: "col" }, button(column, column, agent)))));
    const body = rows.map(({ scan, episodes, agents }) => element("tr", {},
      element("th", { scope: "row" }, element("button", { type: "button", onclick: () => this.filter({ scan }) }, scan)), element("td", {}, String(episodes)),
      ...agents.flatMap((means) => columns.map((column) => element("td", {}, this.value(column, means[column]))))));
    $("buildings-table").replaceChildren(element("thead", {}, ...(this.names.length > 1 ? [agents] : []), head), element("tbody", {}, ...body));
  }
}

function between({ from, to }) {
  const low = from === null ? null : Math.floor(from);
  if (from === to) return String(to);
  if (from === null) return `to ${to}`;
  return to === null ? `${from === low ? "from" : "over"} ${low}` : `${low} to ${to}`;
}

function shape(tag, attributes) {
  const made = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function text(said, x, y, anchor = "middle", kind = "") {
  return Object.assign(shape("text", { x, y, "text-anchor": anchor, class: kind }), { textContent: said });
}
