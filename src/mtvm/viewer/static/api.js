// Asking the server. Everything that comes back is data: it is shown with textContent, never as markup.

const SLOW = 250, AGAIN = 1500; // milliseconds until a sign says that something is loading, and until a lost server is asked again
let pending = 0, sign = null, lost = false;

// The server said no; `status` is HTTP's.
export class Refused extends Error {
  constructor(said, status) {
    super(said);
    this.status = status;
  }
}

async function request(path, options) {
  pending += 1;
  sign ??= setTimeout(() => document.body.classList.add("loading"), SLOW);
  try {
    const answer = await fetch(path, options);
    if (!answer.ok) throw new Refused(await complaint(answer), answer.status);
    return answer;
  } catch (error) {
    if (error instanceof TypeError) lose(); // fetch's own error: no answer at all
    throw error instanceof TypeError ? new Error("the server does not answer.") : error;
  } finally {
    pending -= 1;
    if (!pending) {
      clearTimeout(sign);
      sign = null;
      document.body.classList.remove("loading");
    }
  }
}

// Until the server answers again, what is shown is from before.
function lose() {
  if (lost) return;
  lost = true;
  document.body.classList.add("lost");
  document.getElementById("lost").hidden = false;
  setTimeout(look, AGAIN);
}

async function look() {
  try {
    const overview = await (await fetch("api/overview")).json();
    lost = false;
    document.body.classList.remove("lost");
    document.getElementById("lost").hidden = true;
    window.dispatchEvent(new CustomEvent("found", { detail: overview }));
  } catch {
    setTimeout(look, AGAIN);
  }
}

const asJson = (body) => ({ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

export async function ask(path, body) {
  return (await request(path, body === undefined ? {} : asJson(body))).json();
}

async function complaint(answer) {
  try {
    return (await answer.json()).error ?? answer.statusText;
  } catch {
    return answer.statusText;
  }
}

// A file to keep, and its name.
export async function askFile(path) {
  const answer = await request(path, {});
  const [, name] = /filename="([^"]+)"/.exec(answer.headers.get("content-disposition") ?? "") ?? [];
  return { name: name ?? new URL(answer.url).pathname.split("/").at(-1), content: await answer.blob() };
}

// The server's own drawings; parsed as XML, in which nothing runs.
export async function askDrawing(path) {
  const answer = await request(path, {});
  const parsed = new DOMParser().parseFromString(await answer.text(), "image/svg+xml");
  return document.importNode(parsed.documentElement, true);
}

// The lines of a stream as they come.
export async function* askStream(path, body) {
  const answer = await request(path, asJson(body));
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines.filter(Boolean)) {
      const parsed = JSON.parse(line);
      if (parsed.error) throw new Error(parsed.error);
      yield parsed;
    }
  }
}

// What was answered is kept; what failed is asked for again.
export class Kept {
  constructor(make) {
    this.make = make;
    this.found = new Map();
  }

  get(key) {
    if (!this.found.has(key)) {
      const asked = this.make(key);
      this.found.set(key, asked);
      asked.catch(() => { if (this.found.get(key) === asked) this.found.delete(key); });
    }
    return this.found.get(key);
  }

  clear() {
    this.found.clear();
  }
}

// Lists are repeated, what is null is left out.
export function query(values) {
  const pairs = Object.entries(values).flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((one) => [name, one]));
  return new URLSearchParams(pairs.filter(([, value]) => value !== null && value !== undefined)).toString();
}

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") made.addEventListener("click", value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}
