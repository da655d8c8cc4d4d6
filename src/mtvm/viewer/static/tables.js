// The episodes of the sources, which come in pages: the first is shown at once, the others come one after the other as
// soon as `begin` was called.

import { Kept, ask, query } from "./api.js";

const FIRST = 1000, MORE = 6000;

export class Tables {
  constructor(grown) {
    this.grown = grown;
    this.line = new Promise((begin) => { this.begin = begin; }); // a browser has few connections: what is looked at goes first
    this.kept = new Kept((number) => this.load(number));
  }

  get(number) {
    return this.kept.get(number);
  }

  clear() {
    this.kept.clear();
  }

  async load(number) {
    const table = await ask(`api/sources/${number}/episodes?${query({ first: 0, count: FIRST })}`);
    table.rows = new Map(table.id.map((id, row) => [id, row]));
    table.complete = table.id.length >= table.total ? Promise.resolve() : (this.line = this.line.catch(() => null).then(() => this.more(number, table)));
    table.complete.catch(() => this.kept.found.delete(number));
    return table;
  }

  async more(number, table) {
    while (table.id.length < table.total) {
      const page = await ask(`api/sources/${number}/episodes?${query({ first: table.id.length, count: MORE })}`);
      page.id.forEach((id, place) => table.rows.set(id, table.id.length + place));
      for (const [name, column] of Object.entries(page)) {
        if (Array.isArray(column)) append(table[name], column);
      }
      for (const [name, column] of Object.entries(page.metrics)) append(table.metrics[name], column);
      this.grown(table);
    }
  }
}

function append(column, more) {
  for (const value of more) column.push(value);
}
