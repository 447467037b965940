// Runs the agent of `@openai/codex` with `entracte mcp` as its server, against a model that is a script: the first
// request is answered with a call of zones_list, the second ends the turn. Prints what the second request contains
// as the output of the call. Arguments: the program codex, a home folder, and entracte with its arguments.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";

const [codex, home, command, ...args] = process.argv.slice(2);
const item = (body) => {
  const outputs = (body.input ?? []).filter((part) => part.type === "function_call_output");
  if (outputs.length > 0) return { type: "message", id: "m", role: "assistant", content: [{ type: "output_text", text: "done" }] };
  const names = (body.tools ?? []).flatMap((tool) => [tool, ...(tool.tools ?? []).map((each) => ({ ...each, namespace: tool.name }))]);
  const tool = names.find((each) => each.name?.endsWith("zones_list"));
  if (!tool) return undefined;
  return { type: "function_call", id: "f", call_id: "c1", name: tool.name, namespace: tool.namespace, arguments: "{}" };
};
let output;
const server = createServer((request, response) => {
  let text = "";
  request.on("data", (piece) => (text += piece)).on("end", () => {
    if (request.method !== "POST") return response.writeHead(404).end();
    const body = JSON.parse(text);
    output ??= (body.input ?? []).find((part) => part.type === "function_call_output")?.output;
    const done = item(body);
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    const events = [
      { type: "response.created", response: { id: "r" } },
      ...(done ? [{ type: "response.output_item.done", item: done }] : []),
      { type: "response.completed", response: { id: "r", usage } },
    ];
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
  });
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
mkdirSync(home, { recursive: true });
const text = (value) => JSON.stringify(value);
const env = Object.entries(process.env).filter(([name]) => ["HOME", "TZ", "USER"].includes(name) || name.startsWith("ENTRACTE_"));
writeFileSync(`${home}/config.toml`, `model = "m"
model_provider = "script"
[model_providers.script]
name = "script"
base_url = "http://127.0.0.1:${server.address().port}/v1"
wire_api = "responses"
[mcp_servers.entracte]
command = ${text(command)}
args = [${args.map(text).join(", ")}]
env = { ${env.map(([name, value]) => `${name} = ${text(value)}`).join(", ")} }
`);
const agent = spawn(codex, ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "list the zones"], {
  env: { ...process.env, CODEX_HOME: home },
  cwd: home,
  stdio: ["ignore", "inherit", "inherit"].map((way, index) => (index === 1 ? process.stderr : way)),
});
agent.on("close", () => {
  console.log(JSON.stringify({ output }));
  process.exit(output === undefined ? 1 : 0);
});
