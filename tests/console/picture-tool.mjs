// An MCP server on standard input and output whose tool answers with a picture.

import { createInterface } from "node:readline";
import { png } from "./pictures.mjs";

const TOOL = { name: "shot", description: "Takes a picture like another one.", inputSchema: { type: "object", properties: { like: { type: "string" } } } };

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "camera", version: "1" } }),
  ping: () => ({}),
  "tools/list": () => ({ tools: [TOOL] }),
  "tools/call": () => ({ content: [{ type: "text", text: "It was taken." }, { type: "image", mimeType: "image/png", data: png(320, 200, [30, 120, 60]).toString("base64") }] }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = ANSWERS[method];
  const said = answer ? { result: answer(params ?? {}) } : { error: { code: -32601, message: `no method ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...said })}\n`);
}).on("close", () => process.exit(0));
