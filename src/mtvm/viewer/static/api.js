// Asking the server. Everything that comes back is data: it is shown with textContent, never as markup.

export async function ask(path, body) {
  const options = body === undefined ? {} : {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  const answer = await fetch(path, options);
  if (!answer.ok) throw new Error(await complaint(answer));
  return answer.json();
}

async function complaint(answer) {
  try {
    return (await answer.json()).error ?? answer.statusText;
  } catch {
    return answer.statusText;
  }
}

// The server's own drawings; parsed as XML, in which nothing runs.
export async function askDrawing(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(await complaint(answer));
  const parsed = new DOMParser().parseFromString(await answer.text(), "image/svg+xml");
  return document.importNode(parsed.documentElement, true);
}

// The lines of a stream as they come.
export async function* askStream(path, body) {
  const answer = await fetch(path, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(await complaint(answer));
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

export function query(values) {
  const given = Object.entries(values).filter(([, value]) => value !== null && value !== undefined);
  return new URLSearchParams(given).toString();
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
