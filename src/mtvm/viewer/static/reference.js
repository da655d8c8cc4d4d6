// The API for people to read, made of its OpenAPI description.

import { ask, element } from "./api.js";

const $ = (name) => document.getElementById(name);

// The type of a value, as short as it can be said.
function kind(schema) {
  if (!schema) return "";
  if (schema.$ref) return schema.$ref.split("/").pop();
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return either.map(kind).join(" or ");
  if (schema.type === "array") return `list of ${kind(schema.items) || "anything"}`;
  return schema.type ?? "anything";
}

const content = (part) => Object.values(part?.content ?? {})[0]?.schema;

function table(rows) {
  const cells = rows.map((row) => element("tr", {}, ...row.map((said) => element("td", {}, said))));
  return rows.length ? element("table", {}, element("tbody", {}, ...cells)) : null;
}

function operation(method, path, said, schemas) {
  const given = (said.parameters ?? []).map(({ name, required, schema }) => [name, kind(schema), required ? "required" : ""]);
  const body = schemas[kind(content(said.requestBody))];
  const fields = Object.entries(body?.properties ?? {})
    .map(([name, schema]) => [name, kind(schema), body.required?.includes(name) ? "required" : ""]);
  const answer = content(said.responses["200"])?.$ref?.split("/").pop();
  return element(
    "section", { class: "pane" },
    element("h2", {}, `${method.toUpperCase()} ${path}`), element("p", {}, said.description ?? ""),
    table([...given, ...fields]), answer ? element("p", { class: "hint" }, `Answers with ${answer}.`) : null,
  );
}

function schema(name, { description, properties, required }) {
  const rows = Object.entries(properties ?? {}).map(([field, said]) => [field, kind(said), required?.includes(field) ? "required" : ""]);
  return element("section", { class: "pane" }, element("h2", {}, name), element("p", {}, description ?? ""), table(rows));
}

async function start() {
  const { paths, components } = await ask("api/openapi.json");
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, said]) => operation(method, path, said, components.schemas)));
  const parts = Object.entries(components.schemas).filter(([name]) => !name.includes("Validation")).map(([name, said]) => schema(name, said));
  $("operations").replaceChildren(...operations, ...parts);
}

start().catch((error) => {
  $("message").hidden = false;
  $("message").textContent = error.message;
});
