// An MCP server on standard input and output with one tool, whose declaration stands in a file: node changing-tool.mjs FILE

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [file] = process.argv.slice(2);

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "changing", version: "1" } }),
  ping: () => ({}),
  "tools/list": () => ({ tools: [JSON.parse(readFileSync(file, "utf8"))] }),
  "tools/call": () => ({ content: [{ type: "text", text: "It was sent." }] }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = ANSWERS[method];
  const said = answer ? { result: answer(params ?? {}) } : { error: { code: -32601, message: `no method ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...said })}\n`);
}).on("close", () => process.exit(0));
