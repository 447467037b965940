// The first minutes with a server that has nothing yet: no workspace, no model, no key. By the keyboard alone.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, afterEach, test } from "node:test";
import { close, comes, counts, leave, PHONE, screen, violations, visitor, WIDE } from "./browser.mjs";
import { Stage } from "./stage.mjs";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const KEY = "sk-TOP-SECRET-KEY";
const ANSWER = "Hello from the service.";

afterEach(leave);
after(close);

/** A service that speaks Chat Completions, and whom it answers. */
const service = async () => {
  const heard = [];
  const server = createServer((request, answer) => {
    heard.push(`${request.method} ${request.url} ${request.headers.authorization ?? ""}`);
    if (request.headers.authorization !== `Bearer ${KEY}`) return answer.writeHead(401, { "content-type": "application/json" }).end('{"error":{"message":"unknown key"}}');
    if (request.method === "GET") return answer.writeHead(200, { "content-type": "application/json" }).end('{"object":"list","data":[{"id":"embed-1"},{"id":"small"}]}');
    request.resume().on("end", () => {
      answer.writeHead(200, { "content-type": "text/event-stream" });
      const piece = (delta, finish_reason = null) => answer.write(`data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model: "small", choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
      piece({ role: "assistant", content: ANSWER });
      piece({}, "stop");
      answer.end("data: [DONE]\n\n");
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { heard, url: `http://127.0.0.1:${server.address().port}/v1`, close: () => server.close() };
};

/** Presses Tab until the element has the focus. */
const reach = async (page, selector) => {
  for (let times = 0; times < 60; times += 1) {
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`no Tab reaches ${selector}`);
};

/** Logs in with the link that the server printed, and waits for the first page. */
const arrive = async (stage, how) => {
  const visit = await visitor(stage, how);
  const { page } = visit;
  await page.goto(stage.login);
  await page.waitForSelector(".login .btn");
  await reach(page, ".login .btn");
  await page.keyboard.press("Enter");
  await comes(visit, ".first");
  return visit;
};

/** What is drawn fits, and is for everybody. */
const look = async (page, name) => {
  await screen(page, name);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing scrolls sideways");
  await page.addScriptTag({ path: AXE });
  const faults = await page.evaluate(async () => (await globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"] })).violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join()}`));
  assert.deepEqual(faults, []);
};

/** Writes a message in the chat that has begun, and waits for the answer. */
const converse = async (visit, answer) => {
  const { page } = visit;
  await comes(visit, "#message");
  await reach(page, "#message");
  await page.keyboard.type("Hello");
  await page.keyboard.press("Enter");
  await comes(visit, `.ai:not(.live) .said:has-text("${answer}")`);
};

/** Every file of the home that holds the key. */
const holding = (folder) => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile() && readFileSync(join(one.parentPath, one.name)).includes(KEY)).map((one) => join(one.parentPath, one.name));

const SCREENS = [
  ["wide", "en", { viewport: WIDE, bypassCSP: true }],
  ["phone", "fr", { viewport: PHONE, isPhone: true, language: "fr", bypassCSP: true }],
];

for (const [name, language, how] of SCREENS) {
  test(`first_run_page_leads_to_an_answer: rehearsed, ${name}, ${language}`, async () => {
    const stage = new Stage({});
    try {
      await stage.serve();
      const visit = await arrive(stage, how);
      const { page } = visit;
      await counts(page, ".first .box", 3, "three choices");
      await page.waitForSelector(language === "fr" ? 'h2:has-text("D’où viennent les réponses")' : 'h2:has-text("Where do the answers come from")');
      await look(page, `first-run-${name}`);
      await reach(page, '[data-choice="rehearsed"] .go');
      await page.keyboard.press("Enter");
      await converse(visit, language === "fr" ? "je récite" : "I only recite");
      assert.equal(await page.evaluate(() => document.documentElement.lang), language);
      assert.ok(!readFileSync(join(stage.folder, ".config/entracte/config.toml"), "utf8").includes("key"));
      assert.deepEqual([visit.faults, visit.elsewhere], [[], []]);
    } finally {
      await stage.close();
    }
  });

  test(`first_run_page_leads_to_an_answer: a key, ${name}, ${language}`, async () => {
    const [stage, far] = [new Stage({}), await service()];
    try {
      await stage.serve();
      const visit = await arrive(stage, { ...how, bypassCSP: false });
      const { page } = visit;
      const type = async (selector, text) => {
        await reach(page, selector);
        await page.keyboard.press("Control+a");
        await page.keyboard.type(text);
      };
      await type("#m-key", "sk-wrong");
      await reach(page, "#m-kind");
      // The last one: another service, at an address, whose field is there then.
      await page.keyboard.press("End");
      await type("#m-base", far.url);
      await page.keyboard.press("Enter");
      await comes(visit, '[data-choice="key"] [role="alert"]');
      assert.deepEqual(holding(stage.folder), []);
      assert.equal(await page.inputValue("#m-base"), far.url, "what was typed stays");
      await page.evaluate(() => document.querySelector("#m-key").focus());
      await type("#m-key", KEY);
      assert.equal(await page.inputValue("#m-key"), KEY);
      await page.keyboard.press("Enter");
      await converse(visit, ANSWER);
      const [kept, ...others] = holding(stage.folder);
      assert.deepEqual([kept.endsWith(".config/entracte/keys/compatible.key"), statSync(kept).mode & 0o777, others], [true, 0o600, []]);
      assert.ok(!(await page.content()).includes(KEY));
      assert.deepEqual(await violations(page), []);
      assert.deepEqual([visit.faults, visit.elsewhere], [[], []]);
    } finally {
      far.close();
      await stage.close();
    }
  });
}

// Input: a key that is typed and sent before the page is drawn again. Expected: it is the one that is asked with.
test("key_typed_last_is_the_one_that_is_sent", async () => {
  const [stage, far] = [new Stage({}), await service()];
  try {
    await stage.serve();
    const { page } = await arrive(stage, { viewport: WIDE });
    await page.waitForSelector("#m-key");
    const asked = page.waitForRequest((one) => one.method() === "POST" && one.url().endsWith("/v1/providers"));
    await page.evaluate((url) => {
      const put = (selector, text, event) => {
        const field = document.querySelector(selector);
        field.value = text;
        field.dispatchEvent(new Event(event, { bubbles: true }));
      };
      put("#m-kind", "compatible", "change");
      put("#m-base", url, "input");
      put("#m-key", "sk-typed-last", "input");
      document.querySelector("#m-key").form.requestSubmit();
    }, far.url);
    const { key, kind, base_url } = (await asked).postDataJSON();
    assert.deepEqual([key, kind, base_url], ["sk-typed-last", "compatible", far.url]);
  } finally {
    far.close();
    await stage.close();
  }
});

// A window that is covered, or a machine that does much else: no frame comes.
test("page_without_frames_is_drawn", async () => {
  const stage = new Stage({});
  try {
    await stage.serve();
    const visit = await visitor(stage, { viewport: WIDE });
    await visit.page.addInitScript(() => {
      globalThis.requestAnimationFrame = () => 0;
    });
    await visit.page.goto(stage.login);
    await comes(visit, ".login .btn");
    await visit.page.evaluate(() => document.querySelector(".login .btn").click());
    await comes(visit, ".first");
    assert.deepEqual(visit.faults, []);
  } finally {
    await stage.close();
  }
});

// The view behind the first page is loaded only after a person has begun to write.
test("first_page_keeps_the_focus_beside_a_late_view", async () => {
  const stage = new Stage({});
  try {
    await stage.serve();
    let loads = () => {};
    const isHeld = new Promise((done) => (loads = done));
    const visit = await visitor(stage, { viewport: WIDE });
    const { page } = visit;
    await page.route(/\/views\/inbox\.js$/, async (route) => {
      await isHeld;
      await route.fallback();
    });
    await page.goto(stage.login);
    await page.click(".login .btn");
    await comes(visit, ".first");
    await reach(page, "#m-key");
    await page.keyboard.type("sk-");
    loads();
    await page.evaluate(async () => {
      const main = [...document.scripts].find((one) => one.src.endsWith("/main.js"));
      await import(new URL("views/inbox.js", main.src).href);
      for (let turn = 0; turn < 3; turn += 1) await new Promise((done) => setTimeout(done, 20));
    });
    await page.keyboard.type("late");
    assert.equal(await page.inputValue("#m-key"), "sk-late");
    assert.deepEqual([visit.faults, await violations(page)], [[], []]);
  } finally {
    await stage.close();
  }
});

test("new_chat_offers_a_model_where_there_is_none", async () => {
  const stage = new Stage({});
  try {
    stage.run("workspace", "create", "local:main", "--language", "en");
    await stage.serve();
    const visit = await visitor(stage, { viewport: WIDE });
    const { page } = visit;
    await page.goto(stage.login);
    await page.click(".login .btn");
    await page.waitForSelector("body.in .list");
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.waitForSelector(".sessions");
    await page.keyboard.press("n");
    await page.waitForSelector(".pane .first");
    await counts(page, "#message", 0, "nobody would answer");
    await reach(page, '[data-choice="rehearsed"] .go');
    await page.keyboard.press("Enter");
    await converse(visit, "I only recite");
    assert.deepEqual([visit.faults, visit.elsewhere, await violations(page)], [[], [], []]);
  } finally {
    await stage.close();
  }
});

test("providers_are_added_and_changed_in_settings", async () => {
  const [stage, far, other] = [new Stage({}), await service(), await service()];
  try {
    stage.run("workspace", "create", "local:main", "--language", "en");
    stage.run("init", "--rehearsed");
    await stage.serve();
    const visit = await visitor(stage, { viewport: WIDE });
    const { page } = visit;
    await page.goto(stage.login);
    await page.click(".login .btn");
    await page.waitForSelector("body.in .list");
    await page.goto(`${stage.url}/settings/providers`);
    await page.click('.pane button:has-text("Add a provider")');
    await page.fill("#m-key", KEY);
    await page.selectOption("#m-kind", "compatible");
    await page.fill("#m-base", far.url);
    await page.click('[data-choice="key"] .go');
    const line = page.locator('[data-provider="compatible"]');
    await line.locator('.chip:has-text("default")').waitFor();
    assert.match(await line.innerText(), /compatible · small/);
    await line.locator('button:has-text("Check")').click();
    await line.locator(".ok").waitFor();
    // Another address needs its key again.
    await line.locator('button:has-text("Change")').click();
    await page.fill("#p-base", other.url);
    await page.waitForSelector('.hint:has-text("A key is not sent to another address")');
    await page.fill("#p-key", KEY);
    await page.fill("#p-model", "small");
    await line.locator('button:has-text("Save")').click();
    await line.locator(`code:has-text("${other.url}")`).waitFor();
    // The other one takes over, and this one goes.
    const first = page.locator('[data-provider="rehearsed"]');
    await first.locator('button:has-text("Use for new chats")').click();
    await first.locator('.chip:has-text("default")').waitFor();
    await line.locator('button:has-text("Remove")').click();
    await line.locator('button:has-text("Press again")').click();
    await line.waitFor({ state: "detached" });
    assert.deepEqual(holding(stage.folder), [], "its key is gone with it");
    const text = readFileSync(join(stage.folder, ".config/entracte/config.toml"), "utf8");
    assert.match(text, /default_provider = "rehearsed"/);
    assert.deepEqual([visit.faults, visit.elsewhere, await violations(page)], [[], [], []]);
  } finally {
    far.close();
    other.close();
    await stage.close();
  }
});
