// A small MCP server that does what a test wants. PEER_PROTOCOL: the generation it speaks. PEER_TOOLS: the file
// with its tools, read again for each list. PEER_LOG: where it writes down the methods that it got.
// PEER_CONTENT: what it offers beside tools (resources, prompts). PEER_UNKNOWN: what it does with a method it does not know (error, silence, exit).
import { appendFileSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const { PEER_PROTOCOL: protocol, PEER_TOOLS: tools, PEER_LOG: log, PEER_CONTENT: content = "", PEER_UNKNOWN: unknown = "error" } = process.env;
const modern = protocol >= "2026-07-28";
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
const text = (value) => ({ content: [{ type: "text", text: value }], resultType: "complete" });
const capabilities = { tools: { listChanged: true } };
if (content.includes("resources")) capabilities.resources = {};
if (content.includes("prompts")) Object.assign(capabilities, { prompts: {}, completions: {} });
const list = (members) => ({ ...members, resultType: "complete", ttlMs: 0, cacheScope: "private" });
const subscription = "io.modelcontextprotocol/subscriptionId";
const pixel = "R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";
let listening = null;
let asked = null;

const changed = () => {
  const params = modern ? { _meta: { [subscription]: listening } } : undefined;
  if (!modern || listening !== null) send({ method: "notifications/tools/list_changed", params });
};

const account = { type: "object", properties: { account: { type: "string" } } };
const elicitation = (message, requestedSchema = account) => ({ method: "elicitation/create", params: { mode: "form", message, requestedSchema } });
const requires = (id, requestState, message) =>
  send({ id, result: { resultType: "input_required", requestState, inputRequests: { q: elicitation(message) } } });
// The server asks while the call is open, and answers the call with what it was told.
const asks = (id, params) => {
  asked = { id, answers: [], wanted: 1, tells: true };
  send({ id: "e", method: "elicitation/create", params });
};

const call = (id, { name, arguments: args, inputResponses, requestState }, line) => {
  if (name === "raw") return send({ id, result: text(line) });
  if (name.startsWith("slow")) return;
  if (name === "exit") process.exit(3);
  if (name === "shot") {
    const image = { type: "image", mimeType: "image/gif", data: pixel };
    return send({ id, result: { content: [{ type: "text", text: "taken" }, image], isError: args.fails === true, resultType: "complete" } });
  }
  if (name === "link") {
    const link = { type: "resource_link", uri: "memo://photo.gif", name: "Photo", mimeType: "image/gif" };
    return send({ id, result: { content: [link], resultType: "complete" } });
  }
  if (name === "change") {
    changed();
    return send({ id, result: text("changed") });
  }
  if (name === "ask_client") {
    asked = { id, answers: [] };
    send({ id: "p", method: "ping" });
    send({ id: "s", method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } });
    send({ id: "r", method: "roots/list" });
    send({ method: "notifications/whatever", params: {} });
    return;
  }
  if (name === "wants_input") {
    if (inputResponses) return send({ id, result: text(`${requestState} ${JSON.stringify(args)} ${JSON.stringify(inputResponses)}`) });
    return requires(id, "s1", "Which account?");
  }
  if (name === "wants_twice") {
    if (requestState === "s2") return send({ id, result: text(`${JSON.stringify(inputResponses)}`) });
    return requestState ? requires(id, "s2", "Which day?") : requires(id, "s1", "Which account?");
  }
  if (name === "leaks") return requires(id, `state ${process.env.KEY}`, "Which account?");
  if (name === "dies") {
    if (!inputResponses) return requires(id, "s1", "Which account?");
    const sent = readFileSync(log, "utf8").split("\n").filter((line) => line === "tools/call dies").length;
    return sent < 3 ? process.exit(3) : send({ id, result: text("done the second time") });
  }
  if (name === "asks_account") return asks(id, elicitation("Which account?").params);
  if (name === "asks_address") return asks(id, { mode: "url", message: "Log in.", url: "https://bank.example/login", elicitationId: "e1" });
  if (name === "busy") return send({ id, result: { resultType: "input_required", requestState: "later" } });
  if (name === "elicits") {
    asked = { id, answers: [], wanted: 1 };
    return send({ id: "e", method: "elicitation/create", params: { message: "Which account?", requestedSchema: { type: "object", properties: {} } } });
  }
  if (name === "fail") return send({ id, error: { code: Number(args.code), message: "no" } });
  send({ id, result: text(`${name} ${JSON.stringify(args)}`) });
};

const methods = {
  initialize: (id) => send({ id, result: { protocolVersion: protocol, capabilities, serverInfo: { name: "peer", version: "1" } } }),
  "tools/list": (id) => send({ id, result: { tools: JSON.parse(readFileSync(tools)), resultType: "complete", ttlMs: 60000, cacheScope: "private" } }),
  "tools/call": (id, params, line) => call(id, params, line),
  "resources/list": (id, params) => {
    if (params?.cursor === "2") return send({ id, result: list({ resources: [{ uri: "memo://b", name: "B" }] }) });
    const resources = [{ uri: "memo://a", name: "A", mimeType: "text/plain", description: "The first\nmemo." }];
    send({ id, result: list({ resources, nextCursor: "2" }) });
  },
  "resources/templates/list": (id) => send({ id, result: list({ resourceTemplates: [{ uriTemplate: "memo://{name}", name: "memo" }] }) }),
  "resources/read": (id, { uri }) => {
    if (uri === "memo://a") return send({ id, result: list({ contents: [{ uri, mimeType: "text/plain", text: "Buy milk." }] }) });
    if (uri === "memo://b") return send({ id, result: list({ contents: [{ uri, mimeType: "image/png", blob: "AAAAAA==" }] }) });
    if (uri === "memo://photo.gif") return send({ id, result: list({ contents: [{ uri, mimeType: "image/gif", blob: pixel }] }) });
    if (uri === "memo://asks") return requires(id, "s1", "Which account?");
    send({ id, error: { code: -32602, message: `no resource ${uri}` } });
  },
  "prompts/list": (id) => {
    const letter = { name: "letter", description: "Writes a\nletter.", arguments: [{ name: "to", required: true }, { name: "tone" }] };
    send({ id, result: list({ prompts: [letter, { name: "talk" }, { name: "long" }, { name: "asks" }] }) });
  },
  "prompts/get": (id, { name, arguments: args }) => {
    const user = (value) => ({ role: "user", content: { type: "text", text: value } });
    if (name === "letter") return send({ id, result: { resultType: "complete", messages: [user(`Write to ${args.to}.\u200b`)] } });
    if (name === "long") return send({ id, result: { resultType: "complete", messages: [user("x".repeat(70_000))] } });
    if (name === "asks") return requires(id, "s1", "Which account?");
    const messages = [user("Hello."), { role: "assistant", content: { type: "text", text: "Hi." } }];
    send({ id, result: { resultType: "complete", messages } });
  },
  "completion/complete": (id, { argument }) => send({ id, result: { resultType: "complete", completion: { values: [`${argument.name} Ann`, "Bob"] } } }),
};
if (modern) {
  delete methods.initialize;
  methods["server/discover"] = (id) => send({ id, result: { resultType: "complete", supportedVersions: [protocol], capabilities, ttlMs: 0, cacheScope: "private" } });
  methods["subscriptions/listen"] = (id, params) => {
    listening = id;
    send({ method: "notifications/subscriptions/acknowledged", params: { _meta: { [subscription]: id }, notifications: params.notifications } });
  };
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.method === undefined) {
    if (asked.tells) return send({ id: asked.id, result: text(JSON.stringify(message.result ?? message.error)) });
    asked.answers.push(`${message.id}: ${message.error ? `${message.error.code} ${message.error.message}` : "ok"}`);
    if (asked.answers.length === (asked.wanted ?? 3)) send({ id: asked.id, result: text(asked.answers.sort().join(", ")) });
    return;
  }
  const about = message.method === "tools/call" ? ` ${message.params.name}` : "";
  appendFileSync(log, `${message.method}${about}\n`);
  if (message.id === undefined) return;
  const method = methods[message.method];
  if (method) return method(message.id, message.params, line);
  if (unknown === "exit") process.exit(1);
  if (unknown === "error") send({ id: message.id, error: { code: -32601, message: "Method not found" } });
}).on("close", () => process.exit(0));
