// A thousand things wait: how much a page and a decision move over the wire, how far Tab has to go, and how many of them are
// decided together.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { close, counts, leave, login, PHONE, reads, screen, visitor, WIDE } from "./browser.mjs";
import { scene } from "./scene.mjs";
import { acts, asks, says } from "./stage.mjs";

/** Sessions that wait, and the calls of each. */
const [SESSIONS, CALLS] = [40, 25];
/** What a page, and a decision, may move over the wire at most, in bytes. The files of the console are not counted: the
 * browser stores them for ever, and the test of the first view weighs them. */
const [PAGE, DECISION] = [60 * 1024, 6 * 1024];

const zones = acts("I make the zones.", ...Array.from({ length: CALLS }, (_, n) => ["CREATE_ZONE", { name: `Client ${n + 1}`, description: "Quotes, letters and invoices of this client, the latest first." }])) + says("They are there.");

let stage;

before(async () => {
  stage = await scene({ many: zones, ask: asks("Which wood for the stairs?", ["Oak", "Ash"]) + says("Good.") }, "limits.calls_per_reply = 100");
  for (let n = 0; n < SESSIONS; n += 1) await stage.chat(stage.ann, `Files of year ${1980 + n}`, "Make a zone for each client", { provider: "many" });
  await stage.until(stage.ann, "/inbox?limit=1", (found) => found.total >= SESSIONS * CALLS);
});

afterEach(leave);

after(async () => {
  await close();
  await stage.end();
});

const total = async (query = "") => (await stage.ask(stage.ann, "GET", `/inbox?limit=1${query}`)).total;

/** Counts what comes over the wire, head and body, as the browser itself counts it. */
const meter = async (page) => {
  const client = await page.context().newCDPSession(page);
  await client.send("Network.enable");
  /** @type {Map<string, { url: string, bytes: number, isOpen: boolean }>} */
  let requests = new Map();
  const isStream = (url) => /\/(events|stream)\b/.test(url);
  client.on("Network.requestWillBeSent", ({ requestId, request }) => {
    if (!request.url.includes("/assets/") && request.url.startsWith("http")) requests.set(requestId, { url: request.url.replace(/.*\/v1\/workspaces\/[^/]+/, ""), bytes: 0, isOpen: !isStream(request.url) });
  });
  client.on("Network.dataReceived", ({ requestId, encodedDataLength }) => {
    // A stream has no end: what came of it is counted as it comes.
    const one = requests.get(requestId);
    if (one && isStream(one.url)) one.bytes += encodedDataLength;
  });
  client.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const one = requests.get(requestId);
    if (one && !isStream(one.url)) Object.assign(one, { bytes: encodedDataLength, isOpen: false });
  });
  client.on("Network.loadingFailed", ({ requestId }) => requests.has(requestId) && (requests.get(requestId).isOpen = false));
  const all = () => [...requests.values()];
  return {
    bytes: () => all().reduce((sum, one) => sum + one.bytes, 0),
    reset: () => {
      // Streams that are open go on being counted.
      requests = new Map([...requests].filter(([, one]) => isStream(one.url)).map(([id, one]) => [id, { ...one, bytes: 0 }]));
    },
    told: () => all().filter((one) => one.bytes > 0).map((one) => `${one.bytes} ${one.url}`).join("\n"),
    /** Until nothing comes any more. */
    quiet: async () => {
      for (let calm = 0, last = -1; calm < 3; calm += 1) {
        await page.waitForTimeout(400);
        if (all().some((one) => one.isOpen) || all().reduce((sum, one) => sum + one.bytes, 0) !== last) calm = 0;
        last = all().reduce((sum, one) => sum + one.bytes, 0);
      }
    },
  };
};

test("page_weight_with_1000_items", async () => {
  const { page } = await login(await visitor(stage));
  await page.waitForSelector('h2:has-text("1000 wait for you")');
  const moved = await meter(page);
  const first = (await stage.ask(stage.ann, "GET", "/inbox?limit=1")).items[0];
  const session = first.session;
  const weights = [];
  for (const path of ["/inbox", `/sessions/${session}`, "/automations", "/world", "/library", "/settings/workspace", "/settings/approvals", `/sessions/${session}/detail`]) {
    moved.reset();
    await page.goto(stage.url + path);
    await page.waitForSelector(".list, .page");
    await moved.quiet();
    weights.push(`${moved.bytes()} ${path.replace(/ses_\w+/, "…")}`);
    if (process.env.CONSOLE_TOLD) console.log(`# ${path}\n${moved.told()}`);
    assert.ok(moved.bytes() < PAGE, `${path} moves ${moved.bytes()} bytes:\n${moved.told()}`);
  }
  console.log(`# bytes of a page with 1,000 items: ${weights.join(", ")}`);
  // A decision.
  await page.goto(`${stage.url}/inbox`);
  await page.waitForSelector(".acts .go");
  await moved.quiet();
  for (const [verb, presses] of [["approved", [".acts .go"]], ["rejected", [".acts .no", ".acts .no"]]]) {
    moved.reset();
    for (const press of presses) {
      await page.waitForTimeout(350);
      await page.click(press);
    }
    await page.waitForSelector(`.news:has-text("You ${verb}"):has-text("Recorded")`, { state: "attached" });
    await moved.quiet();
    console.log(`# bytes of a decision (${verb}): ${moved.bytes()}`);
    assert.ok(moved.bytes() < DECISION, `one that is ${verb} moves ${moved.bytes()} bytes:\n${moved.told()}`);
  }
  await page.waitForSelector('h2:has-text("998 wait for you")');
});

/** The presses of Tab from the top of the page to the button that approves. */
const tabs = async (page, skips) => {
  await page.evaluate(() => {
    document.activeElement?.blur();
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute("tabindex");
  });
  const reached = [];
  while (reached.length < 40 && !(await page.evaluate(() => document.activeElement?.matches(".acts .go")))) {
    await page.keyboard.press("Tab");
    reached.push(await page.evaluate(() => `${document.activeElement?.tagName} ${document.activeElement?.textContent?.trim().slice(0, 20)}`));
    if (skips && (await page.evaluate(() => document.activeElement?.matches(".skip")))) await page.keyboard.press("Enter");
  }
  return reached;
};

test("approve_is_within_twelve_tabs", async () => {
  for (const viewport of [WIDE, PHONE]) {
    const { page } = await login(await visitor(await again(), { viewport }));
    await page.waitForSelector(".it");
    if (viewport === PHONE) await page.click(".it");
    await page.waitForSelector(".acts .go");
    await page.waitForTimeout(350);
    const skipped = await tabs(page, true);
    assert.ok(skipped.length <= 3, `${skipped.length}: ${skipped.join("; ")}`);
    const all = await tabs(page, false);
    // What the card itself has to be pressed stands between.
    const own = await page.locator(".card :is(a, summary)").count();
    assert.ok(all.length <= 10 + 1 + own, `${all.length}: ${all.join("; ")}`);
    assert.ok(own > 1 || all.length <= 12, `${all.length}: ${all.join("; ")}`);
  }
});

/** The link works once, so each login starts the server anew. */
const again = async () => {
  await stage.kill();
  return stage.serve();
};

test("more_of_a_long_list_comes_where_its_end_is", async () => {
  const { page } = await login(await visitor(await again()));
  await page.waitForSelector(".it");
  await counts(page, ".it", 50);
  await page.locator(".items").evaluate((box) => (box.scrollTop = box.scrollHeight));
  await counts(page, ".it", 100);
  await page.click(".more-rows");
  await page.waitForFunction(() => document.querySelectorAll(".it").length >= 150);
  // From key to key, as far as it goes.
  const at = await page.evaluate(() => document.querySelectorAll(".it").length);
  await page.locator(".it").nth(at - 1).click();
  await page.waitForFunction((before) => document.querySelectorAll(".it").length > before, at);
});

test("filtered_items_are_rejected_together", async () => {
  for (const [language, viewport, year] of [["en", WIDE, 1985], ["fr", PHONE, 1986]]) {
    const words = { en: { filter: "Filter", select: "Select", all: "Select all 25", reject: "Reject 25", back: "rejected 25" }, fr: { filter: "Filtrer", select: "Choisir", all: "Choisir les 25", reject: "Refuser 25", back: "refusé 25" } }[language];
    const visit = await login(await visitor(await again(), { viewport, language }));
    const { page } = visit;
    await page.evaluate((chosen) => localStorage.setItem("entracte-language", chosen), language);
    await page.goto(`${stage.url}/inbox`);
    await page.waitForSelector(".it");
    // Keyboard alone: to the words with “/”, to the fields with Tab and an arrow.
    if (viewport === WIDE) {
      await page.evaluate(() => document.activeElement?.blur());
      await page.keyboard.press("/");
      await page.keyboard.type("client");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await page.waitForSelector("#filters");
    } else {
      await page.goto(`${stage.url}/inbox`);
      await page.waitForSelector(".list .it");
      await page.locator('.tools-row button').first().click();
    }
    await page.locator("#filters input").nth(1).fill(`year ${year}`);
    await reads(page, "h2.vt", /^25 /);
    await page.locator("#filters select").first().selectOption("approval");
    await page.waitForTimeout(400);
    await reads(page, "h2.vt", /^25 /);
    await page.click(`.tools-row button:has-text("${words.select}")`);
    await page.click(`.selection button:has-text("${words.all}")`);
    await counts(page, ".it", 25);
    await page.waitForFunction(() => [...document.querySelectorAll(".with-box input")].every((box) => box.checked));
    await screen(page, `selection-${viewport === WIDE ? "wide" : "narrow"}-${language}`);
    await page.click(`.selection .no:has-text("${words.reject}")`);
    await page.fill("#bulk-reason", "Clients are kept elsewhere.");
    await page.click(`.selection .no:has-text("${words.reject}")`);
    await page.waitForSelector(`.news:has-text("${words.back}")`, { state: "attached" });
    await page.waitForSelector(".list .empty");
    assert.equal(await total(`&session=year%20${year}`), 0);
    const sessions = await stage.ask(stage.ann, "GET", `/sessions?q=year%20${year}`);
    const calls = await stage.ask(stage.ann, "GET", `/sessions/${sessions.items[0].id}/calls?limit=200`);
    assert.deepEqual([...new Set(calls.items.map((call) => call.decision))], ["rejected"]);
    assert.ok(calls.items.every((call) => call.decided_by === "ann"));
    assert.deepEqual(visit.faults, []);
  }
});

test("bulk_decision_ignores_later_items", async () => {
  const { page } = await login(await visitor(await again()));
  await page.fill("#seek", "stairs");
  await reads(page, "h2.vt", /^0 /);
  // Nothing of this kind can be chosen, and its box says why.
  await stage.chat(stage.ann, "Stairs, a question", "Ask", { provider: "ask" });
  await page.waitForSelector('.it:has-text("Which wood")');
  await page.click('.tools-row button:has-text("Select")');
  await page.waitForSelector('li:has-text("Which wood") .sub:has-text("decided by itself")');
  await counts(page, 'li:has-text("Which wood") input:disabled', 1);
  await stage.chat(stage.ann, "Stairs of Ms Larribe", "Make zones", { provider: "zones" });
  await reads(page, "h2.vt", /^3 /);
  await page.click('.selection button:has-text("Select all 3")');
  await page.waitForSelector('.selection .go:has-text("Approve 2")');
  // More of the same comes after it.
  await stage.chat(stage.ann, "Stairs of Mr Ferrand", "Make zones", { provider: "zones" });
  await reads(page, "h2.vt", /^5 /);
  await page.waitForSelector('.selection .go:has-text("Approve 2")');
  await page.click(".selection .go");
  await page.waitForSelector('.news:has-text("You approved 2"):has-text("Recorded")', { state: "attached" });
  await reads(page, "h2.vt", /^3 /);
  const left = await stage.ask(stage.ann, "GET", "/inbox?q=stairs");
  assert.deepEqual(left.items.map((item) => item.session_name).sort(), ["Stairs of Mr Ferrand", "Stairs of Mr Ferrand", "Stairs, a question"]);
  // A range: from one to the other with Shift.
  await page.click('.tools-row button:has-text("Select")');
  await page.locator('li:has-text("Ferrand") input').first().click();
  await page.locator('li:has-text("Ferrand") input').last().click({ modifiers: ["Shift"] });
  await page.waitForSelector('.selection .no:has-text("Reject 2")');
});

test("terminal_and_browser_have_one_order", async () => {
  // A question, and approvals of several sessions: the terminal, a program and the browser list the same, one after the other.
  const visit = visitor(await again());
  await stage.chat(stage.ann, "One more question", "Ask", { provider: "ask" });
  await stage.until(stage.ann, "/inbox?kind=question&session=more&limit=1", (found) => found.total === 1);
  const { page } = await login(await visit);
  await counts(page, ".it", 50);
  const listed = await page.locator(".it").evaluateAll((rows) => rows.map((row) => row.dataset.id));
  const told = JSON.parse(stage.run("--json", "inbox", "--limit", "50").out).items.map((item) => item.id);
  const asked = (await stage.ask(stage.ann, "GET", "/inbox?limit=50")).items.map((item) => item.id);
  assert.deepEqual(listed, told);
  assert.deepEqual(asked, told);
  assert.match(told[0], /^question:/);
  const cards = stage.run("inbox", "--limit", "50").out;
  // The story before left a question too; all questions stand before the approvals.
  const approvals = told.slice(told.findIndex((id) => id.startsWith("apr_")));
  const places = approvals.map((id) => cards.indexOf(`entracte approve ${id}\n`));
  assert.ok(approvals.length >= 48 && places.every((place, at) => place > (places[at - 1] ?? -1)), places.join(" "));
});
