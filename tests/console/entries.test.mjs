// MCP servers, agents, HTTP tools and embeddings: made, tried, changed and removed in the settings, without a restart.

import assert from "node:assert/strict";
import { appendFileSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, afterEach, test } from "node:test";
import { close, leave, PHONE, screen, violations, visitor, WIDE } from "./browser.mjs";
import { Stage } from "./stage.mjs";

const SECRET = "TOP-SECRET-TOKEN-OF-ANN";

afterEach(leave);
after(close);

/** An MCP server with an address and one tool, and whom it answers. */
const tools = async () => {
  const heard = [];
  const server = createServer((request, answer) => {
    heard.push(request.headers.authorization ?? "");
    let text = "";
    request.on("data", (part) => (text += part));
    request.on("end", () => {
      if (request.method !== "POST") return answer.writeHead(405).end();
      const { id, method } = JSON.parse(text);
      if (id === undefined) return answer.writeHead(202).end();
      const result = {
        initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "web", version: "1" } },
        "tools/list": { tools: [{ name: "look", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }] },
      }[method];
      const said = result ? { result } : { error: { code: -32601, message: "unknown method" } };
      answer.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, ...said }));
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { heard, url: `http://127.0.0.1:${server.address().port}/mcp`, close: () => server.close() };
};

/** A server over a home with a rehearsed model, and a browser of its operator. */
const arrive = async (stage, how) => {
  stage.run("workspace", "create", "local:main", "--language", how.language ?? "en");
  stage.run("init", "--rehearsed");
  await stage.serve();
  const visit = await visitor(stage, how);
  await visit.page.goto(stage.login);
  await visit.page.click(".login .btn");
  await visit.page.waitForSelector("body.in .list");
  return visit;
};

const config = (stage) => readFileSync(join(stage.folder, ".config/entracte/config.toml"), "utf8");

/** Every file of the home that holds the secret. */
const holding = (folder) => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile() && readFileSync(join(one.parentPath, one.name)).includes(SECRET)).map((one) => join(one.parentPath, one.name));

test("mcp_server_is_made_tried_changed_and_removed_in_settings", async () => {
  const [stage, far, other] = [new Stage({}), await tools(), await tools()];
  try {
    const visit = await arrive(stage, { viewport: WIDE });
    const { page } = visit;
    await page.goto(`${stage.url}/settings/tools`);
    await page.click('button:has-text("Add an MCP server")');
    // A field that is needed says so, and nothing is sent.
    await page.fill("#e-name", "web");
    await page.click("[data-entry-form] .go");
    await page.waitForSelector("#e-url-fault");
    await page.fill("#e-url", far.url);
    await page.fill("#e-secret", SECRET);
    await screen(page, "entries-form");
    await page.click("[data-entry-form] .go");
    const line = page.locator('[data-entry-name="web"]');
    await line.waitFor();
    await page.waitForSelector('.tool-server[aria-label="web"] code:text-is("look")');
    assert.ok(far.heard.every((one) => one === `Bearer ${SECRET}`), far.heard.join());
    const [kept, ...others] = holding(stage.folder);
    assert.deepEqual([kept.endsWith("keys/mcp-servers-web-authorization.key"), statSync(kept).mode & 0o777, others], [true, 0o600, []]);
    assert.match(config(stage), /\[mcp\.web\]/);
    await line.locator('button:has-text("Check")').click();
    await line.locator('.ok:has-text("1 tool")').waitFor();
    // One value is changed; its secret stays.
    await line.locator('button:has-text("Change")').click();
    await page.fill("#e-call_timeout_seconds", "30");
    await page.click("[data-entry-form] .go");
    await page.locator("[data-entry-form]").waitFor({ state: "detached" });
    assert.match(config(stage), /call_timeout_seconds = 30/);
    // The secret goes nowhere else.
    await line.locator('button:has-text("Change")').click();
    await page.fill("#e-url", other.url);
    await page.click("[data-entry-form] .go");
    await page.waitForSelector('[role="alert"]:has-text("another address")');
    assert.deepEqual(other.heard, []);
    assert.equal(await page.inputValue("#e-url"), other.url, "what was typed stays");
    await page.click('[data-entry-form] button:has-text("Cancel")');
    assert.ok(!(await page.content()).includes(SECRET));
    await line.locator('button:has-text("Remove")').click();
    await line.locator('button:has-text("Press again")').click();
    await line.waitFor({ state: "detached" });
    assert.deepEqual(holding(stage.folder), [], "its secret is gone with it");
    assert.doesNotMatch(config(stage), /\[mcp/);
    assert.deepEqual([visit.faults, visit.elsewhere, await violations(page)], [[], [], []]);
  } finally {
    far.close();
    other.close();
    await stage.close();
  }
});

test("agent_and_http_tool_are_made_in_settings", async () => {
  const stage = new Stage({});
  try {
    const visit = await arrive(stage, { viewport: WIDE });
    const { page } = visit;
    await page.goto(`${stage.url}/settings/agents`);
    await page.click('button:has-text("Add an agent")');
    await page.fill("#e-name", "Clerk");
    await page.fill("#e-description", "Keeps the books.");
    await page.fill("#e-instructions_role", "You keep the books.\nYou never guess.");
    await page.fill("#e-commands", "tool_data.*");
    await page.click("[data-entry-form] .go");
    const clerk = page.locator('[data-entry-name="Clerk"]');
    await clerk.waitFor();
    await page.waitForSelector('.meta code:text-is("tool_data.*")');
    await clerk.locator('button:has-text("Check")').click();
    await clerk.locator(".ok").waitFor();
    await page.goto(`${stage.url}/settings/http-tools`);
    await page.click('button:has-text("Add an HTTP tool")');
    await page.fill("#e-name", "shop.price");
    await page.selectOption("#e-method", "GET");
    await page.fill("#e-url", "https://shop.example/price");
    await page.fill("#e-doc", "The price of a thing.");
    await page.click("[data-entry-form] .go");
    await page.locator('[data-entry-name="shop.price"]').waitFor();
    await page.goto(`${stage.url}/settings/commands`);
    await page.waitForSelector('.lines code:text-is("shop.price")');
    assert.match(config(stage), /\[agents\.Clerk\][\s\S]*\[\[tools\.http\.tool\]\]/);
    // A number that no browser holds stays as it is written.
    const large = '[[tools.http.tool]]\nname = "shop.stock"\nmethod = "GET"\nurl = "https://shop.example/stock/{id}"\ndoc = "The stock."\n'
      + 'arguments = { type = "object", properties = { id = { type = "integer", maximum = 9007199254740993 } }, required = ["id"], additionalProperties = false }\n';
    appendFileSync(join(stage.folder, ".config/entracte/config.toml"), `\n${large}`);
    await page.goto(`${stage.url}/settings/http-tools`);
    // What was written by hand is named before it counts with the next change.
    await page.waitForSelector('[data-pending]:has-text("tools.http.tool.shop.stock")');
    const stock = page.locator('[data-entry-name="shop.stock"]');
    await stock.locator('button:has-text("Change")').click();
    await page.fill("#e-doc", "How many are there.");
    await page.click("[data-entry-form] .go");
    await page.locator("[data-entry-form]").waitFor({ state: "detached" });
    await page.locator("[data-pending]").waitFor({ state: "detached" });
    assert.match(config(stage), /How many are there/);
    assert.match(config(stage), /maximum = 9007199254740993 /);
    assert.deepEqual([visit.faults, visit.elsewhere, await violations(page)], [[], [], []]);
  } finally {
    await stage.close();
  }
});

test("french_form_of_embeddings_fits_a_phone", async () => {
  const stage = new Stage({});
  try {
    const visit = await arrive(stage, { viewport: PHONE, isPhone: true, language: "fr" });
    const { page } = visit;
    await page.goto(`${stage.url}/settings/embeddings`);
    await page.click('button:has-text("Trouver les documents selon le sens")');
    await page.fill("#e-provider", "rehearsed");
    await page.fill("#e-model", "e");
    await page.fill("#e-dims", "8");
    await screen(page, "entries-embeddings-fr");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing scrolls sideways");
    await page.click("[data-entry-form] .go");
    await page.locator('[data-entry-name="embeddings"]').waitFor();
    assert.match(config(stage), /\[embeddings\]/);
    assert.deepEqual([visit.faults, await violations(page)], [[], []]);
  } finally {
    await stage.close();
  }
});
