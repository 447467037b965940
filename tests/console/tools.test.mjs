// What a person decides before something runs: a tool of an MCP server that changed, and a dry run of an automation.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, afterEach, before, test } from "node:test";
import { close, counts, leave, login, reads, screen, violations, visitor } from "./browser.mjs";
import { acts, says, Stage } from "./stage.mjs";

const SERVER = fileURLToPath(new URL("changing-tool.mjs", import.meta.url));
const DECLARATION = join(tmpdir(), `entracte-tool-${process.pid}.json`);

/** What the tool says of itself. */
const declare = (description, properties) => writeFileSync(DECLARATION, JSON.stringify({ name: "send", description, inputSchema: { type: "object", properties, required: Object.keys(properties) } }));

let stage;
let ann;

before(async () => {
  declare("Sends a letter.", { to: { type: "string" } });
  const config = `server.stream_beat = "500ms"\n[limits]\ncompletion_delay = "1ms"\nclosing_delay = "1ms"\n[mcp.post]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(SERVER)}, ${JSON.stringify(DECLARATION)}]\n`;
  const letter = acts("I write to her.", ["post.send", { to: "Ms Larribe" }]);
  const done = `[[turn]]\nenvelope = '''{"pre_text": "It is on its way.", "completed": true}'''\n`;
  stage = new Stage({ letters: letter + done, plain: says("Good.") }, { config });
  // Whoever meets a server first takes its tools as they are.
  stage.run("command", "list");
  stage.run("command", "accept");
  await stage.serve();
  ann = stage.token("ann", "read", "chat", "approve", "admin");
});

afterEach(leave);

after(async () => {
  await close();
  await stage.close();
});

const visit = async (how) => {
  await stage.kill();
  return login(await visitor(await stage.serve(), how));
};

const look = async (page) => {
  await page.goto(`${stage.url}/settings/commands`);
  await page.fill("#of", "post.send");
  await page.click('button:has-text("Review")');
};

test("a_tool_that_changed_is_accepted_with_the_difference_before_ones_eyes", async () => {
  const at = await visit();
  const { page } = at;
  await look(page);
  await page.waitForSelector('p:has-text("It is accepted as it is offered.")');
  // The server says something else of its tool from now on, and is met anew.
  declare("Sends a letter, and a copy to its author.", { to: { type: "string" }, copy: { type: "boolean" } });
  stage.run("command", "accept");
  await look(page);
  await page.waitForSelector('button:has-text("Accept it as it is offered")');
  const shown = await page.locator("form .snippet").innerText();
  assert.match(shown, /Sends a letter, and a copy to its author\./);
  assert.match(shown, /copy/);
  await screen(page, "accept-tool");
  // What is accepted is what was read: it changes once more before the press.
  declare("Sends a letter to everybody.", { to: { type: "string" } });
  stage.run("command", "accept");
  await page.click('button:has-text("Accept it as it is offered")');
  await page.waitForSelector(".box.bad, .problem, [role=alert]");
  await look(page);
  await page.waitForSelector('.snippet:has-text("to everybody")');
  await page.click('button:has-text("Accept it as it is offered")');
  await page.waitForSelector('p:has-text("It is accepted as it is offered.")');
  const left = JSON.parse(stage.run("--json", "command", "accept").out);
  assert.deepEqual(left.tools, [], "nothing waits any more");
  assert.deepEqual(at.elsewhere, []);
  assert.deepEqual(await violations(page), []);
});

test("a_dry_run_says_whether_it_would_work_tonight", async () => {
  const made = await stage.ask(ann, "POST", "/automations", { name: "Write to Larribe", trigger: { type: "every", interval_ms: 3_600_000 }, message: "Write to Ms Larribe.", provider: "letters" });
  const before = await stage.ask(ann, "GET", "/sessions");
  const at = await visit();
  const { page } = at;
  await page.goto(`${stage.url}/automations/${made.id}`);
  await page.click('button:has-text("Dry run")');
  await page.waitForSelector('.dry b:has-text("A run would do its work")');
  await reads(page, ".dry", /no earlier run/);
  await page.click('summary:has-text("What the model is asked first")');
  await page.waitForSelector('.dry .snippet:has-text("Write to Ms Larribe.")');
  // With a script it does what a model might do; the letter is not sent.
  await page.click('summary:has-text("What if")');
  await page.fill("#dry-script", `[[turn]]\nenvelope = '''{"pre_text": "I write.", "actions": [{"type": "post.send", "params": {"to": "Ms Larribe"}}], "keep_control": true}'''\n[[turn]]\nenvelope = '''{"pre_text": "Done.", "completed": true}'''\n`);
  await page.click('button:has-text("Dry run")');
  await page.waitForSelector('.dry .lines code:has-text("post.send")');
  const told = await page.locator(".dry").innerText();
  assert.match(told, /needs your approval/);
  assert.match(told, /not carried out/);
  await screen(page, "dry-run");
  await page.fill("#dry-script", "[[turn]]\ntxt = 1");
  await page.click('button:has-text("Dry run")');
  await page.waitForSelector(':text("line 2")');
  const after = await stage.ask(ann, "GET", "/sessions");
  assert.deepEqual(after.items.map((one) => one.id), before.items.map((one) => one.id), "no run was made");
  assert.deepEqual((await stage.ask(ann, "GET", "/inbox")).items, [], "nobody is asked anything");
  assert.deepEqual(at.elsewhere, []);
  assert.deepEqual(await violations(page), []);
});

test("open_settings_show_what_others_change", async () => {
  const at = await visit();
  const { page } = at;
  await page.goto(`${stage.url}/settings/tokens`);
  await page.waitForSelector(".lines");
  await counts(page, '.lines b:has-text("bea")', 0);
  // Of another person: on the machine of the server.
  assert.equal(stage.run("token", "create", "--person", "bea", "--name", "her laptop", "--scope", "read").code, 0);
  await page.waitForSelector('.lines:has-text("her laptop")');
  await page.goto(`${stage.url}/settings/secrets`);
  await page.waitForSelector(".empty");
  await stage.ask(ann, "PUT", "/me/secrets/github", { secret: "hush-hush" });
  await page.waitForSelector('.lines code:has-text("github")');
  // What another process changes is seen too.
  await page.goto(`${stage.url}/settings/targets`);
  await page.waitForSelector(".empty");
  assert.equal(stage.run("notify", "add", "My desk", "--command", "/bin/true").code, 0);
  await page.waitForSelector('.lines b:has-text("My desk")');
  assert.deepEqual(await violations(page), []);
});
