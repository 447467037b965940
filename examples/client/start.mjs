// Starts `entracte serve` in a folder of its own, with a model that plays a script, and chats with it as a client does.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chat } from "./chat.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const built = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "debug/entracte");
const program = resolve(process.env.ENTRACTE_PROGRAM ?? built);
const folder = mkdtempSync(join(tmpdir(), "entracte-client-"));
const env = { PATH: process.env.PATH ?? "", HOME: folder, USER: "ann", TZ: "UTC", ENTRACTE_DATA: "data" };

const config = `default_provider = "stage"

[providers.stage]
kind = "rehearsal"
script = "script.toml"
`;
const zone = { pre_text: "I make the zone.", actions: [{ type: "CREATE_ZONE", params: { name: "Health" } }] };
const script = `[[turn]]
envelope = '''${JSON.stringify({ ...zone, keep_control: true })}'''

[[turn]]
text = "Done."
`;

/** @param {string[]} words */
const run = (...words) => execFileSync(program, words, { cwd: folder, env, encoding: "utf8" });

writeFileSync(join(folder, "entracte.toml"), config);
writeFileSync(join(folder, "script.toml"), script);
run("trust", "--yes");
const scopes = ["read", "chat", "approve"].flatMap((scope) => ["--scope", scope]);
const token = JSON.parse(run("--json", "token", "create", "--person", "ann", ...scopes)).secret;

const server = spawn(program, ["--json", "serve", "--bind", "127.0.0.1:0"], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
const ended = new Promise((done) => server.once("exit", done));
try {
  /** @type {string} */
  const url = await new Promise((found, failed) => {
    createInterface({ input: server.stdout }).on("line", (line) => {
      if (line.includes("entracte.serve/1")) found(JSON.parse(line).url);
    });
    server.once("exit", (code) => failed(new Error(`the server ended with ${code}`)));
  });
  assert.deepEqual(await chat(url, token, "local:main"), ["Health"]);
} finally {
  server.kill("SIGTERM");
  await ended;
  rmSync(folder, { recursive: true, force: true });
}
