// Lists the routes of the document. Everything that is read stays text.
const element = (name, text, ...children) => {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
};
const show = (api, path, method, operation) => {
  const scope = operation["x-scope"] ?? "no token";
  const head = element("summary", "", element("code", `${method.toUpperCase()} ${path}`), ` ${operation.description ?? operation.summary ?? ""}`);
  const parts = [element("p", `Scope: ${scope}`)];
  for (const parameter of operation.parameters ?? []) {
    parts.push(element("p", "", element("code", parameter.name), ` (${parameter.in}) ${parameter.description ?? ""}`));
  }
  const body = operation.requestBody?.content?.["application/json"]?.schema;
  if (body) parts.push(element("p", "Body:"), element("pre", JSON.stringify(resolve(api, body), null, 2)));
  for (const [status, answer] of Object.entries(operation.responses)) {
    const schema = answer.content?.["application/json"]?.schema;
    if (schema) parts.push(element("p", `Answer ${status}:`), element("pre", JSON.stringify(resolve(api, schema), null, 2)));
  }
  return element("details", "", head, ...parts);
};
const resolve = (api, schema) => {
  const name = schema.$ref?.split("/").pop();
  return name ? api.components.schemas[name] : schema;
};
const begin = async () => {
  const api = await (await fetch("v1/openapi.json")).json();
  document.getElementById("says").textContent = api.info.description;
  const list = document.getElementById("routes");
  for (const [path, item] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(item)) list.append(show(api, path, method, operation));
  }
};
begin().catch((error) => { document.getElementById("says").textContent = `The document cannot be read: ${error}`; });
