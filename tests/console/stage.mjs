// A folder with a configuration, and the real server in it, whose models play scripts.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, "../..");
export const PROGRAM = process.env.ENTRACTE_PROGRAM ?? join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "debug/entracte");
export const W = "local:main";
/** Milliseconds that a server may take for what it does by itself. A machine that does much else stands still for seconds. */
const PATIENCE = 60_000;

/** One turn of a model that answers with an envelope. */
export const turn = (envelope, more = "") => `[[turn]]\n${more}\nenvelope = '''${JSON.stringify(envelope)}'''\n`;
export const says = (text, more = "") => `[[turn]]\n${more}\ntext = ${JSON.stringify(text)}\n`;
export const acts = (pre_text, ...actions) => turn({ pre_text, actions: actions.map(([type, params]) => ({ type, params })), keep_control: true });
export const asks = (question, options, allow_other = false) => turn({ pre_text: "One thing first.", question: { type: "MultipleChoice", question, options, allow_other } });

/** The address outside that some commands call: it answers at once, and counts. */
export const outside = async () => {
  const calls = [];
  const server = createServer((request, answer) => {
    let body = "";
    request.on("data", (part) => (body += part));
    request.on("end", () => {
      calls.push({ url: request.url, method: request.method, body });
      // One invoice that nobody knows.
      if (request.url.endsWith("/broken")) return answer.writeHead(404, { "content-type": "application/json" }).end('{"error": "unknown"}');
      answer.writeHead(200, { "content-type": "application/json" }).end('{"ok": true}');
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { calls, port: server.address().port, close: () => server.close() };
};

const tool = (port) => `
[tools.http]
allow = ["127.0.0.1"]
[[tools.http.tool]]
name = "invoices.update"
method = "POST"
url = "http://127.0.0.1:${port}/v1/invoices/{id}"
body = "json"
doc = "Changes an invoice and sends its reminder."
[tools.http.tool.arguments]
type = "object"
required = ["id", "status"]
additionalProperties = false
[tools.http.tool.arguments.properties]
id = { type = "string", description = "Number of the invoice." }
status = { enum = ["sent", "reminded", "paid"] }
due_date = { type = "string", format = "date" }
penalty_rate = { type = "number", minimum = 0, maximum = 15 }
urgent = { type = "boolean" }
labels = { type = "array", items = { type = "string" } }
contact = { type = "string" }
message = { type = "string", maxLength = 4000 }
amount = { type = "number" }
[[tools.http.tool]]
name = "orders.place"
method = "POST"
url = "http://127.0.0.1:${port}/v1/orders"
body = "json"
doc = "Places an order."
[tools.http.tool.arguments]
type = "object"
required = ["lines", "deliver_to"]
additionalProperties = false
[tools.http.tool.arguments.properties.lines]
type = "array"
minItems = 1
items = { type = "object", required = ["article", "count"], additionalProperties = false, properties = { article = { enum = ["oak", "ash", "beech"] }, count = { type = "integer", minimum = 1 }, price = { type = "number" }, due = { type = "string", format = "date" } } }
[tools.http.tool.arguments.properties.deliver_to]
type = "object"
required = ["city"]
additionalProperties = false
properties = { city = { type = "string" }, floor = { enum = [0, 1, 2] }, at = { type = "string", format = "date-time" } }
[tools.http.tool.arguments.properties.bill_to]
type = "object"
required = ["city"]
additionalProperties = false
properties = { city = { type = "string" } }
`;

let given = 0;

/** A free address whose port the system gives to nobody by itself: a server that begins there anew finds it free. */
export const freeAddress = async () => {
  for (;;) {
    // Each process of a test run begins elsewhere.
    const port = 20_000 + ((process.pid * 31 + given++) % 12_000);
    const probe = createServer();
    const isFree = await new Promise((told) => probe.once("error", () => told(false)).listen(port, "127.0.0.1", () => probe.close(() => told(true))));
    if (isFree) return `127.0.0.1:${port}`;
  }
};

export class Stage {
  /**
   * @param {Record<string, string>} scripts by the provider's name; the first is the default; none: nothing is configured
   * @param {{ port?: number, config?: string }} [how]
   */
  constructor(scripts, { port = 0, config = "" } = {}) {
    this.folder = mkdtempSync(join(tmpdir(), "entracte-console-"));
    /** Where it listens, from its first start on. */
    this.bind = "";
    const names = Object.keys(scripts);
    // A home with nothing in it.
    if (names.length === 0) return;
    // Nobody reads as fast as a test that looks at every view.
    let text = `default_provider = "${names[0]}"\nserver.requests_per_minute = 100000\n${config}\n`;
    for (const name of names) {
      text += `[providers.${name}]\nkind = "rehearsal"\nscript = "${name}.toml"\n`;
      writeFileSync(join(this.folder, `${name}.toml`), scripts[name]);
    }
    if (port) text += tool(port);
    writeFileSync(join(this.folder, "entracte.toml"), text);
    this.run("trust", "--yes");
  }

  get env() {
    return { PATH: process.env.PATH, HOME: this.folder, USER: "ann", TZ: "UTC", ENTRACTE_DATA: "data" };
  }

  /** Runs a command to its end. */
  run(...words) {
    const done = spawnSync(PROGRAM, words, { cwd: this.folder, env: this.env, encoding: "utf8" });
    if (done.error) throw done.error;
    return { code: done.status, out: done.stdout, err: done.stderr };
  }

  /** Starts the server; a second time it is where it was. */
  async serve(...more) {
    this.bind ||= await freeAddress();
    this.process = spawn(PROGRAM, ["--json", "serve", "--bind", this.bind, ...more], { cwd: this.folder, env: this.env });
    this.process.stderr.on("data", (part) => (this.told = (this.told ?? "") + part));
    const line = await new Promise((found, failed) => {
      let out = "";
      this.process.stdout.on("data", (part) => {
        out += part;
        const whole = out.split("\n").find((one) => one.includes("entracte.serve/1"));
        if (whole) found(whole);
      });
      this.process.once("exit", (code) => failed(new Error(`the server ended with ${code}: ${this.told}`)));
    });
    const told = JSON.parse(line);
    this.url = told.url;
    // Without a terminal the link is in a file.
    this.login = readFileSync(told.login_file, "utf8").trim();
    return this;
  }

  /** Kills it as a power cut does. */
  async kill() {
    const ended = new Promise((done) => this.process.once("exit", done));
    this.process.kill("SIGKILL");
    await ended;
  }

  token(person, ...scopes) {
    const made = this.run("--json", "token", "create", "--person", person, "--scope", scopes.join(","));
    return JSON.parse(made.out).secret;
  }

  /** A request of a program. */
  async ask(token, method, path, body, headers = {}) {
    const answer = await fetch(`${this.url}/v1/workspaces/${W}${path}`, { method, headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": crypto.randomUUID(), ...headers }, body: body === undefined ? undefined : JSON.stringify(body) });
    const text = await answer.text();
    const told = text ? JSON.parse(text) : null;
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return told;
  }

  /** A chat with one message sent; gives its id. */
  async chat(token, name, text, more = {}) {
    const made = await this.ask(token, "POST", "/sessions", { name, require_validation: true, ...more });
    await this.ask(token, "POST", `/sessions/${made.id}/messages`, { text });
    return made.id;
  }

  /** Asks until something holds. */
  async until(token, path, holds) {
    for (const end = Date.now() + PATIENCE; ; ) {
      const found = await this.ask(token, "GET", path);
      if (holds(found)) return found;
      if (Date.now() > end) throw new Error(`${path} never came to it: ${JSON.stringify(found).slice(0, 1000)}`);
      await new Promise((done) => setTimeout(done, 25));
    }
  }

  async close() {
    // Until it has ended it still writes there.
    if (this.process && this.process.exitCode === null && this.process.signalCode === null) await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
