// What people keep with the console beside deciding: automations, prompts, messages, data, settings.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { after, afterEach, before, test } from "node:test";
import { close, counts, leave, login, PHONE, reads, screen, violations, visitor } from "./browser.mjs";
import { png } from "./pictures.mjs";
import { fill, scene } from "./scene.mjs";
import { acts, asks, says, turn, W } from "./stage.mjs";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

const TALE = "One two three four five six seven eight nine ten. ".repeat(8);

/** What only these tests need: a shop that asks back, then wants to do something. */
const MORE = {
  shop: asks("When do you want to come?", ["In the morning", "In the <b>bold</b> evening"]) + acts("I note it.", ["CREATE_ZONE", { name: "Saturday zone" }]) + says("It is noted."),
  bench: acts("I make it.", ["CREATE_ZONE", { name: "Bench" }]) + says("Done."),
  stool: acts("I make it.", ["CREATE_ZONE", { name: "Stool" }]) + says("Done."),
  office: acts("I ask the clerk.", ["Clerk", { query: "Which <b>bold</b> jobs are open?" }]) + says("Two jobs are open."),
  tale: says(TALE, "word_delay_ms = 250") + says("Where were we?"),
  saga: says(TALE, "word_delay_ms = 250") + says("Where were we?"),
  clerk: turn({ pre_text: "", EXIT_WITH_RESULT: { reason: "counted", result: { open: 2 }, conclusion: "Two." } }),
};

/** A model that begins its first answer and never ends it; whoever asks again gets a whole one. */
const slow = createServer((request, answer) => {
  // It tells nothing about its models.
  if (!request.url.endsWith("/chat/completions")) {
    answer.writeHead(404).end();
    return;
  }
  answer.writeHead(200, { "content-type": "text/event-stream" });
  const part = (delta, finish_reason = null) => answer.write(`data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", model: "slow", choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
  const envelope = JSON.stringify({ pre_text: "A slow answer." });
  slow.asked = (slow.asked ?? 0) + 1;
  if (slow.asked === 1) {
    part({ role: "assistant", content: envelope.slice(0, -4) });
    return;
  }
  part({ role: "assistant", content: envelope });
  part({}, "stop");
  answer.end("data: [DONE]\n\n");
});

/** An agent that a model may call. */
const AGENTS = '[agents.Clerk]\ndescription = "Knows the jobs."\nprovider = "clerk"\ninstructions = { role = "You know the jobs." }\n';

let stage;
let ids;

before(async () => {
  await new Promise((done) => slow.listen(0, "127.0.0.1", done));
  const provider = `[providers.slow]\nkind = "compatible"\nbase_url = "http://127.0.0.1:${slow.address().port}/v1"\nmodel = "slow"\n`;
  stage = await scene(MORE, AGENTS + provider);
  ids = await fill(stage);
});

afterEach(leave);

after(async () => {
  await close();
  await stage.end();
  slow.closeAllConnections();
  slow.close();
});

/** A browser that is logged in; the link works once, so the server starts anew. */
const visit = async (how) => {
  await stage.kill();
  return login(await visitor(await stage.serve(), how));
};

/** Nothing went wrong in a page, and nothing was asked for elsewhere. */
const isWell = async ({ page, faults, elsewhere }) => assert.deepEqual([faults, elsewhere, await violations(page)], [[], [], []]);

const automations = async () => (await stage.ask(stage.ann, "GET", "/automations")).items;

test("an_automation_is_made_changed_paused_and_deleted", async () => {
  const at = await visit();
  const { page } = at;
  await page.goto(`${stage.url}/automations`);
  await page.click('a:has-text("New automation")');
  await page.fill("#a-name", "Chase unpaid invoices");
  await page.fill("#a-expression", "61 2 * * *");
  await page.waitForSelector('.means .err:has-text("61")');
  assert.ok(await page.locator(".automation-form .go").isDisabled(), "what cannot be read is not sent");
  await page.fill("#a-expression", "30 2 * * 1");
  await page.fill("#a-zone", "Europe/Paris");
  await page.locator("#a-zone").blur();
  await page.waitForSelector('.means b:has-text("Monday")');
  await counts(page, ".means .insts li", 10, "the next ten instants");
  await reads(page, ".means", /clocks change next on/);
  await page.fill("#a-message", "Remind those who are late");
  await page.click(".more-fields summary");
  await page.selectOption("#a-unattended", "refuse");
  await page.selectOption("#a-late", "some");
  await page.fill("#a-hours", "2");
  await page.click(".automation-form .go");
  await page.waitForSelector('.one code:has-text("30 2 * * 1")');
  const [made] = await automations();
  assert.deepEqual([made.name, made.trigger, made.policies.unattended, made.policies.catch_up_ms], ["Chase unpaid invoices", { type: "cron", expression: "30 2 * * 1", zone: "Europe/Paris" }, "refuse", 7_200_000]);
  // What is changed is changed alone.
  await page.click('.one a:has-text("Change")');
  await page.selectOption("#a-kind", "every");
  await page.fill("#a-every", "90");
  await page.selectOption('select[aria-label="Unit"]', "min");
  await page.click(".automation-form .go");
  await page.waitForSelector('.one code:has-text("every 90 min")');
  const [changed] = await automations();
  assert.deepEqual([changed.trigger.interval_ms, changed.policies.unattended], [5_400_000, "refuse"]);
  await page.click('.one button:has-text("Pause")');
  await page.waitForSelector('.one button:has-text("Switch on")');
  await page.click('.one button:has-text("Run now")');
  await page.waitForSelector('.said:has-text("4,316 € before tax")');
  await page.goto(`${stage.url}/automations/${made.id}`);
  await page.waitForSelector('.hist:has-text("by hand")');
  await page.click('.one button:has-text("Delete")');
  assert.equal((await automations()).length, 1, "one press deletes nothing");
  await page.click('.one button:has-text("Delete “Chase unpaid invoices”")');
  await page.waitForSelector('.empty:has-text("There are no automations")');
  assert.deepEqual(await automations(), []);
  await isWell(at);
});

test("a_prompt_is_shown_as_it_was_sent_with_what_is_new_in_it", async () => {
  const at = await visit();
  const { page } = at;
  const { items } = await stage.ask(stage.ann, "GET", `/sessions/${ids.reads}/model-calls`);
  await page.goto(`${stage.url}/sessions/${ids.reads}/detail`);
  await page.click(".asked a.entry >> nth=0");
  await page.waitForSelector('.chip:has-text("is exactly what was sent")');
  await page.waitForSelector(".request ins");
  await counts(page, ".request del", 0, "a conversation only grows");
  const hidden = page.locator(".hidden-lines").first();
  const before = await page.locator(".request").innerText();
  await hidden.click();
  await page.waitForFunction((was) => document.querySelector(".request").innerText.length > was, before.length);
  await page.click('.seg button:has-text("Exact")');
  const exact = await stage.ask(stage.ann, "GET", `/model-calls/${items[0].id}`);
  // What was drawn before is there until the other view is.
  await page.waitForSelector(".request:not(:has(ins, del, .hidden-lines))");
  assert.equal(await page.locator(".request").textContent(), exact.body, "every byte of it");
  assert.ok((await page.locator(".parts li").count()) > 3, "tokens by part");
  await page.click('a:has-text("Call before")');
  await page.click('.seg button:has-text("Changes")');
  await page.waitForSelector('p:has-text("This is the first call")');
  await isWell(at);
});

/** A page of another site, which writes the element as the settings say. */
const site = async (attributes, language = "en") => {
  const body = `<!doctype html><html lang="${language}"><meta name="viewport" content="width=device-width"><title>A shop</title><main><h1>A shop</h1><script type="module" src="${stage.url}/widget/entracte-chat.js"></script><entracte-chat ${Object.entries({ server: stage.url, workspace: W, ...attributes }).map(([name, value]) => `${name}="${value}"`).join(" ")}></entracte-chat></main></html>`;
  const server = createServer((_, answer) => answer.writeHead(200, { "content-type": "text/html" }).end(body));
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
};

test("a_visitor_of_another_site_talks_in_one_session", async () => {
  const at = await visitor(stage, { bypassCSP: true });
  const { page, context } = at;
  const made = await stage.ask(stage.ann, "POST", "/sessions", { name: "The shop", provider: "shop", require_validation: true });
  const shop = await site({ session: made.id, token: "none yet" });
  const other = await site({ session: made.id, token: "none yet" });
  try {
    const token = await stage.ask(stage.ann, "POST", "/tokens", { person: "visitor", name: "shop", scopes: ["read", "chat"], session: made.id, origins: [shop.url] });
    const asked = new Set();
    page.on("request", (request) => asked.add(new URL(request.url()).origin));
    await context.clearCookies();
    await page.goto(shop.url);
    await page.waitForSelector('entracte-chat .state:has-text("cannot be used here"), entracte-chat .state:has-text("No connection")');
    // With its token it talks: what is said streams, a question has buttons, an approval is only told.
    await page.evaluate((secret) => document.querySelector("entracte-chat").setAttribute("token", secret), token.secret);
    await page.setInputFiles("entracte-chat input[type=file]", { name: "shop.png", mimeType: "image/png", buffer: png(64, 48, [20, 60, 140]) });
    await page.waitForSelector('entracte-chat .pending button[aria-label="Remove shop.png"]');
    await page.fill("entracte-chat textarea", "Are you open on Saturday?");
    await page.keyboard.press("Enter");
    await page.waitForSelector('entracte-chat .options button:has-text("In the morning")');
    // The picture went with the words, and is read back by the session's own route.
    await page.waitForSelector("entracte-chat .me .files img");
    await counts(page, "entracte-chat .pending button", 0);
    await counts(page, "entracte-chat .me", 1);
    const words = await page.locator("entracte-chat .options").textContent();
    assert.ok(words.includes("<b>bold</b>"), "words stay text");
    await page.click('entracte-chat .options button:has-text("In the morning")');
    await page.waitForSelector('entracte-chat .state:has-text("Waits for approval.")');
    const seen = await page.locator("entracte-chat").evaluate((one) => one.shadowRoot.textContent);
    assert.ok(!seen.includes("Saturday zone") && !seen.includes("Approve"), "what waits is not shown");
    const [item] = (await stage.ask(stage.ann, "GET", "/inbox")).items.filter((one) => one.session === made.id);
    await stage.ask(stage.ann, "POST", `/approvals/${item.id}/decision`, { decision: "approve" }, { "if-match": `"${item.digest}"` });
    await page.waitForSelector('entracte-chat .said:has-text("It is noted.")');
    assert.deepEqual([...asked].sort(), [stage.url, shop.url].sort(), "nobody else is asked");
    assert.equal((await context.cookies()).length, 0, "no cookie");
    assert.deepEqual(at.faults.filter((fault) => !fault.includes("CORS")), []);
    // Everything that another page of the same person may try.
    await page.addScriptTag({ path: AXE });
    const faults = await page.evaluate(async () => (await globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"] })).violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join()}`));
    assert.deepEqual(faults, []);
    await screen(page, "widget-light");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize(PHONE);
    await screen(page, "widget-dark-narrow");
    // The same token in a page that is not listed: nothing is to be read.
    await page.goto(other.url);
    await page.evaluate((secret) => document.querySelector("entracte-chat").setAttribute("token", secret), token.secret);
    await page.waitForSelector('entracte-chat .state:has-text("No connection")');
    await counts(page, "entracte-chat .said", 0);
    const stolen = await page.evaluate(async ([url, secret]) => fetch(url, { headers: { authorization: `Bearer ${secret}` } }).then((answer) => answer.status, () => "refused"), [`${stage.url}/v1/workspaces/${W}/sessions/${made.id}`, token.secret]);
    assert.equal(stolen, "refused");
  } finally {
    shop.close();
    other.close();
  }
});

// Input: Stop is pressed twice in a row, as an impatient finger does, while an answer is being written, wide and on a phone.
// Expected: the words stay, marked with who stopped them; the second press meets Stop, so nothing is summarized; the next
// prompt has the words.
test("stop_keeps_partial_answer", async () => {
  for (const [provider, how] of [["tale", {}], ["saga", { viewport: PHONE, isPhone: true }]]) {
    const at = await visit(how);
    const { page } = at;
    const made = await stage.ask(stage.ann, "POST", "/sessions", { name: "A tale", provider });
    await page.goto(`${stage.url}/sessions/${made.id}`);
    await page.waitForSelector("#message");
    await page.fill("#message", "Tell me a tale.");
    await page.keyboard.press("Enter");
    await page.waitForSelector('.live .said:has-text("three")');
    const stop = page.locator('.top-acts button:has-text("Stop")');
    const place = await stop.boundingBox();
    await page.mouse.dblclick(place.x + place.width / 2, place.y + place.height / 2);
    await page.waitForSelector('.ai:not(.live) .said:has-text("three")');
    await page.waitForSelector('p:has-text("stopped this reply here")');
    assert.deepEqual(await stop.boundingBox(), place, "no other button is in its place");
    await counts(page, ".bad[role=alert]", 0);
    await page.fill("#message", "Go on.");
    await page.keyboard.press("Enter");
    await page.waitForSelector('.ai:not(.live) .said:has-text("Where were we?")');
    const calls = (await stage.ask(stage.ann, "GET", `/sessions/${made.id}/model-calls`)).items;
    const prompt = (await stage.ask(stage.ann, "GET", `/model-calls/${calls[0].id}`)).body;
    assert.equal(calls.length, 2, "two answers, and no summary");
    assert.ok(prompt.includes("One two three") && prompt.includes("stopped this reply here"), prompt);
    await screen(page, `stopped-${provider}`);
    await isWell(at);
    await leave();
  }
});

test("a_message_that_waits_is_taken_back_or_sent_at_once", async () => {
  const at = await visit();
  const { page } = at;
  const made = await stage.ask(stage.ann, "POST", "/sessions", { name: "Slowly", provider: "slow" });
  await page.goto(`${stage.url}/sessions/${made.id}`);
  const say = async (text) => {
    await page.fill("#message", text);
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.getElementById("message").value === "");
  };
  await page.waitForSelector("#message");
  await say("Tell me a lot");
  await page.waitForSelector('.compose .go:has-text("Queue")');
  await say("And one more thing");
  await say("And another");
  await page.waitForSelector('.me.queued:has-text("And another")');
  await counts(page, ".me.queued", 2);
  await page.locator('.me.queued:has-text("And one more thing") button:has-text("Take back")').click();
  await page.waitForSelector('.me.withdrawn:has-text("And one more thing")');
  await page.locator('.me.queued:has-text("And another") button:has-text("Send now")').click();
  await page.waitForSelector('.ai:not(.live) .said:has-text("A slow answer.")');
  await counts(page, ".me.queued", 0);
  const calls = (await stage.ask(stage.ann, "GET", `/sessions/${made.id}/model-calls`)).items;
  const prompt = (await stage.ask(stage.ann, "GET", `/model-calls/${calls[0].id}`)).body;
  assert.ok(prompt.includes("And another") && !prompt.includes("And one more thing"), "no model reads what was taken back");
  // The session gets another name, and goes on from a message of the person.
  await page.click('button[aria-label="Rename"]');
  await page.fill("#rename", "Quickly");
  await page.keyboard.press("Enter");
  await page.waitForSelector('.st:has-text("Quickly")');
  await page.locator(".me").first().hover();
  await page.locator(".me .fork").first().click();
  await page.waitForSelector('.st:has-text("Quickly, fork")');
  await isWell(at);
});

test("an_agent_stands_on_a_line_where_it_was_called", async () => {
  const at = await visit();
  const { page } = at;
  const session = await stage.chat(stage.ann, "Ask the clerk", "How many?", { provider: "office", require_validation: false });
  const { agents } = await stage.until(stage.ann, `/sessions/${session}/agents`, (found) => found.agents[0]?.status);
  await page.goto(`${stage.url}/sessions/${session}`);
  const line = page.locator(".ai .agent");
  await line.locator('summary:has-text("Clerk"):has-text("MISSION_COMPLETED"):has-text("1 round"):has-text("tokens")').waitFor();
  await counts(page, ".ai .agent", 1, "one line for the agent");
  // It is folded: its mission is read once it is opened, as text.
  assert.equal(await line.locator("pre").isVisible(), false);
  await line.locator("summary").click();
  await line.locator('pre:has-text("Which <b>bold</b> jobs are open?")').waitFor();
  await counts(page, ".ai .agent b", 0);
  await line.locator('a:has-text("Open its session")').click();
  await page.waitForURL(`**/sessions/${agents[0].session}`);
  await isWell(at);
});

test("an_exported_session_is_the_file_of_the_server_to_the_letter", async () => {
  const at = await visit();
  const { page } = at;
  const answer = await fetch(`${stage.url}/v1/workspaces/${W}/sessions/${ids.invoice}/export`, { headers: { authorization: `Bearer ${stage.ann}` } });
  const file = await answer.text();
  assert.match(file, /10\.5/);
  await page.goto(`${stage.url}/sessions/${ids.invoice}/detail`);
  const [saved] = await Promise.all([page.waitForEvent("download"), page.click('.top-acts a:has-text("Export")')]);
  assert.equal(readFileSync(await saved.path(), "utf8"), file);
  await isWell(at);
});

test("a_standing_approval_is_for_agents_where_the_box_says_so", async () => {
  const at = await visit();
  const { page } = at;
  const rules = async () => (await stage.ask(stage.ann, "GET", "/rules")).items;
  for (const [provider, zone, isForAgents] of [["bench", "Bench", false], ["stool", "Stool", true]]) {
    const session = await stage.chat(stage.ann, zone, "Make a zone", { provider });
    await stage.until(stage.ann, "/inbox", (found) => found.items.some((item) => item.session === session));
    await page.goto(`${stage.url}/inbox`);
    await page.click(`.it:has-text("Create the zone “${zone}”")`);
    await page.waitForSelector(`.pane h2:has-text("Create the zone “${zone}”")`);
    await page.click('.acts [aria-label="Always…"]');
    const box = page.locator('.always label:has-text("for agents too") input');
    await box.waitFor();
    if (isForAgents) await box.check();
    await page.waitForTimeout(350);
    await page.click(".acts .go");
    const [rule] = await stage.until(stage.ann, "/rules", (found) => found.items.length > 0).then((found) => found.items);
    assert.equal(rule.agents, isForAgents);
    await stage.ask(stage.ann, "DELETE", `/rules/${rule.id}`);
    assert.deepEqual((await rules()).filter((one) => one.state === "open"), []);
  }
  await isWell(at);
});

test("data_is_kept_by_hand_and_referred_to_in_a_message", async () => {
  const at = await visit();
  const { page } = at;
  await page.goto(`${stage.url}/world`);
  await page.click('button:has-text("New zone")');
  await page.click(".world-form .go");
  await page.waitForSelector('.world-form .err:has-text("This field is required.")');
  await page.fill('.world-form input[id="w-name"]', "Health");
  await page.click(".world-form .go");
  await page.waitForSelector('.grp:has-text("Health")');
  await page.click('button[aria-label="New tool in “Health”"]');
  await page.waitForSelector("#wm-kind");
  await page.fill('.world-form input[id="w-name"]', "Weight");
  await page.selectOption("#wm-kind", "numeric");
  await page.fill("#wm-unit", "kg");
  await page.click(".world-form .go");
  await page.click('.it:has-text("Weight")');
  for (const [value, when] of [["72.50", "2026-11-01T08:00"], ["71.9", "2026-11-08T08:00"], ["71", "2026-11-15T08:00"]]) {
    await page.click('button:has-text("New entry")');
    await page.waitForSelector("#wm-value");
    await page.fill("#wm-value", value);
    await page.fill("#w-when", when);
    await page.click(".world-form .go");
    await page.waitForSelector(".world-form", { state: "detached" });
  }
  await page.click('.seg button:has-text("All")');
  await page.waitForSelector(".chart .curve");
  await page.waitForFunction(() => document.querySelectorAll(".chart circle").length === 3);
  await page.click('.seg button:has-text("Bars")');
  await page.waitForFunction(() => document.querySelectorAll(".chart rect").length === 3);
  await page.locator('.plain button[aria-label^="Change"]').last().click();
  await page.waitForSelector("#wm-value");
  await page.fill("#wm-value", "73");
  await page.click(".world-form .go");
  await page.waitForSelector('.plain td:has-text("73")');
  const [tool] = (await stage.ask(stage.ann, "GET", "/tools")).items;
  const entries = (await stage.ask(stage.ann, "GET", `/tools/${tool.id}/entries`)).items;
  assert.deepEqual(entries.map((one) => one.fields.data.value).sort(), [71, 71.9, 73]);
  await screen(page, "world-tool-light-wide-en");
  // A message refers to it, and says from when on the calendar.
  const made = await stage.ask(stage.ann, "POST", "/sessions", { name: "Weight", provider: "plain" });
  await page.goto(`${stage.url}/sessions/${made.id}`);
  await page.locator('select[aria-label="Add a tool"]').focus();
  await page.waitForFunction(() => document.querySelector('select[aria-label="Add a tool"]').options.length > 1);
  await page.selectOption('select[aria-label="Add a tool"]', tool.id);
  await page.selectOption('select[aria-label="Period of “Weight”"]', "-1_MONTH");
  await page.waitForSelector(".ref .small");
  await page.fill("#message", "How do I do?");
  await page.keyboard.press("Enter");
  await page.waitForSelector('.me .pre:has-text("How do I do?")');
  await page.waitForSelector(`.me .pre:has-text("the tool “Weight”")`);
  await counts(page, ".ref", 0, "it was sent");
  // One that is deleted needs two presses.
  await page.goto(`${stage.url}/world`);
  await page.click('button[aria-label="Change “Health”"]');
  await page.click('.world-form button:has-text("Delete")');
  await page.click('.world-form button:has-text("Press again to delete")');
  // What destroys is asked for, also by hand.
  await page.click('.flash:has-text("waits for approval") a');
  await page.waitForSelector('.pane h2:has-text("Health")');
  await page.waitForTimeout(350);
  await page.click(".acts .go");
  await page.waitForSelector(".acts .go.armed");
  await page.waitForTimeout(450);
  await page.click(".acts .go");
  await page.waitForSelector('.news:has-text("Recorded")', { state: "attached" });
  await stage.until(stage.ann, "/zones", (found) => found.items.every((zone) => zone.name !== "Health"));
  await isWell(at);
});

test("texts_and_documents_are_kept_by_hand", async () => {
  const at = await visit();
  const { page } = at;
  await page.goto(`${stage.url}/library`);
  // A file is added, read and removed; the second press counts.
  await page.setInputFiles("#library-file", [{ name: "travel.md", mimeType: "text/markdown", buffer: Buffer.from("# Travel\n\nTrains are <b>second</b> class.\n") }]);
  await page.click('.it:has-text("Travel")');
  await page.waitForSelector('.library pre:has-text("Trains are <b>second</b> class.")');
  await page.setInputFiles("#library-file", [{ name: "broken.pdf", mimeType: "application/pdf", buffer: Buffer.from("no pdf") }]);
  await page.waitForSelector(".library .box.bad");
  await page.click('button:has-text("Remove the document")');
  await page.click('button:has-text("Press again")');
  await page.waitForSelector('.it:has-text("Travel")', { state: "detached" });
  assert.deepEqual((await stage.ask(stage.ann, "GET", "/documents")).items, []);
  // A text is proposed, and published by a decision on its card.
  await page.click('a:has-text("New text")');
  await page.fill("#library-key", "accounting");
  await page.fill("#library-text", "Invoices are paid within 30 days.");
  await page.fill("#library-note", "asked for by Noe");
  await page.click('button:text-is("Propose")');
  await page.waitForSelector('.library ins:has-text("Invoices are paid within 30 days.")');
  assert.equal((await stage.ask(stage.ann, "GET", "/texts")).items[0].version, 0, "nobody published it yet");
  await page.click('button:text-is("Publish")');
  await page.click('.flash:has-text("waits for approval") a');
  await page.waitForSelector('.pane:has(h2:has-text("accounting")) .acts .go[aria-disabled="false"]');
  await page.waitForTimeout(450);
  await page.click(".acts .go");
  await page.waitForSelector(".acts .go.armed");
  await page.waitForTimeout(450);
  await page.click(".acts .go");
  await stage.until(stage.ann, "/texts", (found) => found.items[0]?.version === 1);
  await page.goto(`${stage.url}/library/texts/accounting`);
  await page.waitForSelector('.library .target:has-text("Version 1")');
  assert.equal(await page.inputValue("#library-text"), "Invoices are paid within 30 days.");
  // What was proposed and is not wanted is discarded.
  await page.fill("#library-text", "Invoices are paid at once.");
  await page.click('button:text-is("Propose")');
  await page.click('button:has-text("Discard")');
  await page.click('button:has-text("Press again to discard")');
  await counts(page, ".library ins", 0, "no proposal waits");
  await screen(page, "library-text-light-wide-en");
  await isWell(at);
});

test("settings_are_kept_with_where_each_value_is_from", async () => {
  const at = await visit();
  const { page } = at;
  await page.goto(`${stage.url}/settings/workspace`);
  const zone = page.locator('.setting:has(code:text-is("zone"))');
  await zone.locator("input").fill("Europe/Paris");
  await zone.locator(".go").click();
  await zone.locator('.chip:has-text("set in this workspace")').waitFor();
  await zone.locator('button:has-text("Restore the default")').click();
  await zone.locator('.chip:text-is("default")').waitFor();
  await page.goto(`${stage.url}/settings/targets`);
  await page.fill("#n-name", "My phone");
  await page.fill("#n-place", "https://ntfy.example/ann");
  await page.uncheck('label:has-text("missed runs") input');
  await page.click('button:has-text("Add the target")');
  await page.waitForSelector('.box.bad:has-text("ntfy.example")');
  assert.equal(await page.inputValue("#n-place"), "https://ntfy.example/ann", "what was typed stays");
  const added = stage.run("notify", "add", "My desk", "--kinds", "approval.requested,question.asked", "--command", "/bin/true");
  assert.equal(added.code, 0, added.err);
  await page.reload();
  await page.waitForSelector('.lines b:has-text("My desk")');
  await reads(page, ".lines", /approvals asked, questions/);
  await page.click('.lines button:has-text("Test")');
  await page.waitForSelector(".lines p.ok, .lines p.danger");
  await page.click('.lines button:has-text("Pause")');
  await page.waitForSelector('.lines button:has-text("Switch on")');
  await page.waitForSelector('.lines .chip:has-text("paused by")');
  await page.click('.lines button:has-text("Remove")');
  await page.click('.lines button:has-text("Press again to remove")');
  await page.waitForSelector('.empty:has-text("There are no notification targets")');
  await page.goto(`${stage.url}/settings/secrets`);
  await page.fill("#o-name", "github");
  await page.fill("#o-secret", "ghp_0123456789");
  await page.click('button:has-text("Store")');
  await page.waitForSelector('.lines code:has-text("github")');
  assert.ok(!(await page.content()).includes("ghp_0123456789"), "it is not shown again");
  await page.goto(`${stage.url}/settings/providers`);
  await page.locator('.lines button:has-text("Check")').first().click();
  await page.waitForSelector(".lines .small.ok, .lines .small.danger");
  await page.goto(`${stage.url}/settings/people`);
  await page.waitForSelector('.lines b:has-text("noe")');
  // A token for a page of another site, with what the page writes.
  const made = await stage.ask(stage.ann, "POST", "/sessions", { name: "A shop", provider: "plain" });
  await page.goto(`${stage.url}/settings/tokens`);
  await page.fill("#tp", "visitor");
  await page.fill("#tn", "my shop");
  await page.click('summary:has-text("For a page of another site")');
  await page.fill("#ts", made.id);
  await page.fill("#to", "https://shop.example");
  await page.click('button:has-text("Create the token")');
  await page.waitForSelector(".snippet");
  assert.match(await page.locator(".snippet").textContent(), new RegExp(`<entracte-chat server="${stage.url}" workspace="${W}" session="${made.id}" token="entr_`));
  await isWell(at);
});
