// An MCP server on standard input and output with tools of every kind, one of which asks a person by a form.

import { createInterface } from "node:readline";

const tool = (name, description, annotations) => ({ name, description, inputSchema: { type: "object", properties: { q: { type: "string" } } }, annotations });

const TOOLS = [
  tool("count", "Counts words.", { readOnlyHint: true, openWorldHint: false }),
  tool("erase", "Erases a page.", { destructiveHint: true }),
  tool("mark", "Marks a page.", { readOnlyHint: false, destructiveHint: false, openWorldHint: false }),
  tool("search", "Searches the web.", { readOnlyHint: true }),
  tool("book", "Books a room, after asking for the details.", { readOnlyHint: true, openWorldHint: false }),
];

const FORM = {
  message: "Which room shall I book?",
  requestedSchema: {
    type: "object",
    required: ["name", "mail", "nights", "room"],
    properties: {
      name: { type: "string", title: "Name of the guest", minLength: 2 },
      mail: { type: "string", title: "Mail", format: "email" },
      day: { type: "string", title: "First day", format: "date" },
      nights: { type: "integer", title: "Nights", minimum: 1, maximum: 14, default: 2 },
      room: { type: "string", title: "Room", oneOf: [{ const: "s", title: "Single" }, { const: "d", title: "Double" }] },
      meals: { type: "array", title: "Meals", minItems: 0, maxItems: 1, items: { anyOf: [{ const: "b", title: "Breakfast" }, { const: "l", title: "Lunch" }] } },
      quiet: { type: "boolean", title: "On the quiet side", default: true },
    },
  },
};

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
/** The call that waits for each question, by the id of the question. */
const asking = new Map();

const call = (id, name, given) => {
  if (name !== "book") return say({ id, result: { content: [{ type: "text", text: `${name} ${JSON.stringify(given ?? {})}` }] } });
  asking.set(`ask-${id}`, id);
  say({ id: `ask-${id}`, method: "elicitation/create", params: FORM });
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined && asking.has(id)) {
    const text = `booked ${result?.action} ${JSON.stringify(result?.content ?? null)}`;
    say({ id: asking.get(id), result: { content: [{ type: "text", text }] } });
  } else if (method === "initialize") {
    say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "web", version: "1" } } });
  } else if (method === "tools/list") say({ id, result: { tools: TOOLS } });
  else if (method === "tools/call") call(id, params.name, params.arguments);
  else if (method === "ping") say({ id, result: {} });
  else if (id !== undefined) say({ id, error: { code: -32601, message: `no method ${method}` } });
}).on("close", () => process.exit(0));
