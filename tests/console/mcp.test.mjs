// A person decides which tools of an MCP server ask, with the queries that wait for it, and answers the form of a tool.

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { after, afterEach, before, test } from "node:test";
import { as, close, counts, leave, login, reads, screen, violations, visitor } from "./browser.mjs";
import { says, Stage, turn } from "./stage.mjs";

const SERVER = fileURLToPath(new URL("asking-tools.mjs", import.meta.url));
const NARROW = { width: 390, height: 780 };

const asks = (type, q) => turn({ pre_text: "I look.", queries: [{ type, params: { q } }], keep_control: true });

let stage;
let ann;

before(async () => {
  const config = `server.stream_beat = "500ms"\n[limits]\ncompletion_delay = "1ms"\nclosing_delay = "1ms"\n[mcp.web]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(SERVER)}]\nhandshake = "initialize"\n`;
  stage = new Stage({ search: asks("WEB_SEARCH", "oak") + says("Found."), book: asks("WEB_BOOK", "room") + says("I ask you.") + says("Thank you."), plain: says("Good.") }, { config });
  // No chat waits for another one.
  assert.equal(stage.run("workspace", "settings", "set", "slots=20").code, 0);
  await stage.serve();
  ann = stage.token("ann", "read", "chat", "approve", "admin");
});

afterEach(leave);

after(async () => {
  await close();
  await stage.close();
});

/** A browser of the operator, by a new link of the server. */
const visit = async (how) => {
  await stage.kill();
  return login(await visitor(await stage.serve(), how));
};

const inbox = async () => (await stage.ask(ann, "GET", "/inbox")).items;
const isOfKind = (kind) => (item) => item.kind === kind;

/** A press counts only a moment after a card came into sight or changed. */
const settled = (page) => page.waitForTimeout(1200);

test("form_of_a_tool_is_filled_in_on_its_card", async () => {
  const { page } = await visit();
  await stage.chat(ann, "A room", "Book a room", { provider: "book", require_validation: false });
  const [task] = (await stage.until(ann, "/inbox", (found) => found.items.some(isOfKind("task")))).items.filter(isOfKind("task"));
  assert.equal(task.form[0].message, "Which room shall I book?");
  await page.goto(`${stage.url}/inbox/${encodeURIComponent(task.id)}`);
  await page.waitForSelector('legend:has-text("Which room shall I book?")');
  const field = (place) => page.getByLabel(place, { exact: false });
  assert.equal(await field("Nights").inputValue(), "2", "the default");
  // Nothing is sent while a field is wrong, and each says what is wrong.
  await field("Mail").fill("ann");
  await field("Nights").fill("20");
  await settled(page);
  await page.click('.acts button:has-text("Send the answer")');
  await page.waitForSelector(".err");
  const faults = await page.locator(".asks .err").allInnerTexts();
  assert.deepEqual(faults.map((one) => one.split(" ")[0]), ["This", "This", "20", "This"], faults.join(" | "));
  assert.ok((await inbox()).some(isOfKind("task")), "it still waits");
  await screen(page, "form-wrong");
  await field("Name of the guest").fill("Ann");
  await field("Mail").fill("ann@example.org");
  await field("Nights").fill("3");
  await page.selectOption('select[id$="room"]', "d");
  await page.check('label:has-text("Lunch") input');
  await page.selectOption('select[id$="quiet"]', "false");
  await screen(page, "form");
  await page.setViewportSize(NARROW);
  await screen(page, "form-390");
  await page.click('.acts button:has-text("Send the answer")');
  const { result } = await stage.until(ann, `/tasks/${task.task}`, (found) => found.result);
  const [, action, given] = /booked (\w+) (.*)/.exec(result.content) ?? [];
  assert.equal(action, "accept", result.content);
  assert.deepEqual(JSON.parse(given), { mail: "ann@example.org", meals: ["l"], name: "Ann", nights: 3, quiet: false, room: "d" });
  await stage.until(ann, "/inbox", (found) => !found.items.some(isOfKind("task")));
  assert.deepEqual(await violations(page), []);
});

test("form_of_a_tool_is_declined_or_cancelled", async () => {
  const { page } = await visit();
  for (const [button, action] of [["Decline", "decline"], ["Cancel the question", "cancel"]]) {
    await stage.chat(ann, `A room ${action}`, "Book a room", { provider: "book", require_validation: false });
    const [task] = (await stage.until(ann, "/inbox", (found) => found.items.some(isOfKind("task")))).items.filter(isOfKind("task"));
    await page.goto(`${stage.url}/inbox/${encodeURIComponent(task.id)}`);
    await page.waitForSelector(".asks");
    await settled(page);
    await page.click(`.acts button:has-text("${button}")`);
    await stage.until(ann, `/tasks/${task.task}`, (found) => found.result?.content.includes(`booked ${action}`));
    await stage.until(ann, "/inbox", (found) => !found.items.some(isOfKind("task")));
  }
  assert.deepEqual(await violations(page), []);
});

test("one_decision_about_a_server_frees_what_waits_for_it", async () => {
  const { page } = await visit();
  for (const name of ["Oak", "Ash", "Elm"]) await stage.chat(ann, name, "Search", { provider: "search", require_validation: false });
  await stage.until(ann, "/inbox", (found) => found.items.filter(isOfKind("approval")).length === 3);
  await page.goto(`${stage.url}/inbox`);
  await page.waitForSelector('.it:has-text("web: nobody has decided about its tools")');
  await counts(page, ".items .it", 1, "three queries wait on one item");
  await page.click('.it:has-text("nobody has decided")');
  await page.waitForSelector('.card :text("3 queries wait for it")');
  await screen(page, "tools-item");
  await page.setViewportSize(NARROW);
  await screen(page, "tools-item-390");
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.click('a:has-text("See the tools and decide")');
  await page.waitForSelector(".tools");
  await counts(page, ".tools tbody tr", 5);
  const row = (name) => page.locator(`.tools tr:has(th code:text-is("${name}"))`);
  assert.match(await row("search").innerText(), /reads[\s\S]*asks[\s\S]*nobody yet[\s\S]*does not say[\s\S]*changes nothing/);
  assert.match(await row("count").innerText(), /reads[\s\S]*runs unasked[\s\S]*sends nothing out/);
  assert.match(await row("mark").innerText(), /changes[\s\S]*runs unasked[\s\S]*nobody yet/);
  await screen(page, "tools");
  await page.setViewportSize(NARROW);
  await screen(page, "tools-390");
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  assert.equal(wide, false, "nothing is cut off at the side");
  await page.setViewportSize({ width: 1280, height: 800 });
  // By keyboard: what waits is approved with the decision, each as it is shown.
  await page.locator('.waiting-queries input[type="checkbox"]').focus();
  await page.keyboard.press("Space");
  await page.locator('button:has-text("Trust its read-only tools, approve 3")').focus();
  await page.keyboard.press("Enter");
  await stage.until(ann, "/inbox", (found) => found.items.length === 0);
  await reads(page, ".tools tr:has(th code:text-is('search'))", /runs unasked[\s\S]*a person/);
  assert.match(await row("erase").innerText(), /changes[\s\S]*asks[\s\S]*a person/);
  // The same query runs unasked from now on, without a restart.
  const chat = await stage.chat(ann, "Yew", "Search", { provider: "search", require_validation: false });
  await stage.until(ann, `/sessions/${chat}/messages`, (found) => JSON.stringify(found).includes("Found."));
  assert.deepEqual(await violations(page), []);
});

test("a_single_tool_is_decided_and_an_action_needs_two_presses", async () => {
  const { page } = await visit();
  await page.goto(`${stage.url}/settings/tools/web`);
  const choice = (name) => page.locator(`.tools tr:has(th code:text-is("${name}")) .seg button`);
  await choice("search").first().click();
  await reads(page, ".tools tr:has(th code:text-is('search'))", /asks[\s\S]*a person/);
  await choice("erase").nth(1).click();
  await page.waitForSelector('.seg button:has-text("Unasked, really?")');
  const told = await stage.ask(ann, "GET", "/tool-servers/web");
  assert.equal(told.tools.find((one) => one.tool === "erase").asks, true, "one press decides nothing");
  await choice("erase").nth(1).click();
  await reads(page, ".tools tr:has(th code:text-is('erase'))", /runs unasked/);
  // A table that changed since it was read decides nothing.
  assert.equal(stage.run("mcp", "ask", "web", "erase").code, 0);
  await choice("count").first().click();
  await page.waitForSelector("[role=alert], .problem, .box.bad");
  await reads(page, ".tools tr:has(th code:text-is('erase'))", /asks/);
  assert.deepEqual(await violations(page), []);
});

test("french_table_of_tools_fits_a_phone_and_whoever_may_not_decide_reads_it", async () => {
  const { page } = await as(await visitor(stage, { viewport: NARROW, language: "fr", isPhone: true }), stage.token("noe", "read", "chat", "approve"));
  await page.evaluate(() => localStorage.setItem("entracte-language", "fr"));
  await page.goto(`${stage.url}/settings/tools/web`);
  await page.waitForSelector(".tools");
  await reads(page, ".tool-server", /outils : [\s\S]*Seul un jeton/);
  await counts(page, ".tools .seg", 0);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  assert.equal(wide, false);
  await screen(page, "tools-fr-390");
  assert.deepEqual(await violations(page), []);
});
