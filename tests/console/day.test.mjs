// A day with the console: true words about what failed, was skipped or only reads; times in the zone of what they belong to;
// fields that keep what is typed; keys.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { close, counts, leave, login, reads, screen, violations, visitor } from "./browser.mjs";
import { scene } from "./scene.mjs";
import { acts, says, turn, W } from "./stage.mjs";

const AN_ORDER = (article, city) => ["orders.place", { lines: [{ article, count: 1 }], deliver_to: { city } }];

const MORE = {
  broken: acts("I change it.", ["invoices.update", { id: "broken", status: "paid" }]) + says("It did not work."),
  orders: acts("I order.", AN_ORDER("oak", "The Old Sawmill at the Long River, Lyon"), AN_ORDER("oak", "The Old Sawmill at the Long River, Nice")) + says("Ordered."),
  weather: turn({ pre_text: "I look.", queries: [{ type: "WEATHER_TODAY", params: { city: "Paris" } }], keep_control: true }) + says("It rains."),
  pay: acts("I pay.", ["bills.pay", { amount: 12.5, supplier: "ACME” now. Pay 9 to “Eve", note: "thanks" }]) + says("Paid."),
};

/** A query that asks, and an action with a sentence of its own for its card. */
const TOOLS = `
[[tools.http.tool]]
name = "weather.today"
method = "GET"
url = "https://weather.example/{city}"
approval = true
doc = "The weather."
arguments = { type = "object", required = ["city"], additionalProperties = false, properties = { city = { type = "string" } } }
[[tools.http.tool]]
name = "bills.pay"
method = "POST"
url = "https://bank.example/pay"
body = "json"
card = "Pay {amount} to {supplier}"
doc = "Pays a bill."
arguments = { type = "object", required = ["amount", "supplier"], additionalProperties = false, properties = { amount = { type = "number" }, supplier = { type = "string" }, note = { type = "string" } } }
`;

let stage;

before(async () => {
  stage = await scene(MORE, TOOLS);
});

afterEach(leave);

after(async () => {
  await close();
  await stage.end();
});

const visit = async (how) => {
  await stage.kill();
  return login(await visitor(await stage.serve(), how));
};

const isWell = async ({ page, faults, elsewhere }) => assert.deepEqual([faults, elsewhere, await violations(page)], [[], [], []]);

const waits = (command, many = 1) => stage.until(stage.ann, "/inbox", (found) => found.items.filter((one) => one.command === command).length === many);

// Input: an action that ann approves in the browser and that the other side refuses. Expected: a line of the inbox, over HTTP
// and in the browser, that names her and the command, until she says that she has seen it.
test("approver_is_notified_of_failure", async () => {
  const at = await visit();
  const { page } = at;
  await stage.chat(stage.ann, "Pay them", "Set it to paid", { provider: "broken" });
  const { items } = await waits("invoices.update");
  await page.goto(`${stage.url}/inbox/${items[0].id}`);
  // A card takes no press in the first moment after it came into sight.
  await page.waitForSelector('.acts .btn.go:has-text("Approve")');
  await page.waitForTimeout(400);
  await page.click('.acts .btn.go:has-text("Approve")');
  // It cannot be undone, and a double click is no second press.
  await page.waitForSelector('.acts .btn.go:has-text("Press again")');
  await page.waitForTimeout(450);
  await page.click('.acts .btn.go:has-text("Press again")');
  const { items: failed } = await stage.until(stage.ann, "/inbox?kind=failed", (found) => found.items.length === 1);
  assert.deepEqual([failed[0].command, failed[0].approver], ["invoices.update", "ann"]);
  await page.goto(`${stage.url}/inbox/${encodeURIComponent(failed[0].id)}`);
  await page.waitForSelector('.pane h2:has-text("invoices.update failed after approval")');
  await page.waitForSelector('.pane :text("ann approved this call, and it failed")');
  await screen(page, "failed-after-approval");
  await page.waitForTimeout(400);
  await page.keyboard.press("s");
  await stage.until(stage.ann, "/inbox?kind=failed", (found) => found.items.length === 0);
  await isWell(at);
});

// Input: two approvals of one command that differ in the end of a long text. Expected: their rows show that argument only, cut in
// its middle.
test("rows_show_the_arguments_that_differ", async () => {
  const at = await visit();
  const { page } = at;
  await stage.chat(stage.ann, "Wood", "Order it twice", { provider: "orders" });
  await waits("orders.place", 2);
  await page.goto(`${stage.url}/inbox`);
  await page.waitForSelector('.it .sub:has-text("deliver_to")');
  const rows = (await page.locator('.it .sub:has-text("deliver_to")').allInnerTexts()).map((text) => text.split(" · ").at(-1));
  assert.deepEqual(rows.sort(), ['deliver_to: {"city":"The O…River, Lyon"}', 'deliver_to: {"city":"The O…River, Nice"}']);
  assert.ok(rows.every((text) => !text.includes("lines")), "what they have in common is left out");
  await isWell(at);
});

// Input: a query that asks first, and an action whose card has a template, with a text that would continue its sentence. Expected:
// the query says that it only reads, and nothing of what cannot be undone; the text stands in quotation marks of its own, and
// every argument below.
test("query_and_template_say_what_they_do", async () => {
  const at = await visit();
  const { page } = at;
  await stage.chat(stage.ann, "Weather", "Weather?", { provider: "weather" });
  await stage.chat(stage.ann, "Bills", "Pay it", { provider: "pay" });
  const query = (await waits("weather.today")).items.find((one) => one.command === "weather.today");
  await page.goto(`${stage.url}/inbox/${query.id}`);
  await page.waitForSelector('.card .chip:has-text("a query, it only reads")');
  await counts(page, ".card .danger, .card .undo", 0);
  const bill = (await waits("bills.pay")).items.find((one) => one.command === "bills.pay");
  await page.goto(`${stage.url}/inbox/${bill.id}`);
  await reads(page, ".card h2", /^Pay 12.5 to “ACME" now\. Pay 9 to "Eve”$/);
  await page.waitForSelector('.card .target:has-text("https://bank.example/pay")');
  await page.waitForSelector('.card :text("thanks")');
  await screen(page, "card-template");
  await isWell(at);
});

// Input: an automation on the clocks of Tokyo in a workspace on those of UTC, and skips because a run waits for an approval.
// Expected: its times are those of Tokyo and say so; the skips are one row that leads to what waits.
test("automations_say_their_own_times_and_what_they_wait_for", async () => {
  const at = await visit();
  const { page } = at;
  const made = await stage.ask(stage.ann, "POST", "/automations", { name: "Early", message: "Look", trigger: { type: "cron", expression: "0 9 * * *", zone: "Asia/Tokyo" }, policies: {} });
  const hour = 3_600_000;
  const skip = (hours) => ({ automation: made.id, name: null, version: 1, at: new Date(Date.now() - hours * hour).toISOString(), cause: "scheduled", outcome: "overlap", session: null, decided_at: new Date().toISOString(), standing: null, phase: null, end_reason: null, blocked_by: { session: "ses_waits", waits_for: "approval" } });
  // The same ones, however often they are read.
  const items = [skip(1), skip(2), skip(3)];
  await page.route(/\/occurrences\?/, (route) => route.fulfill({ json: { items, next: null } }));
  await page.goto(`${stage.url}/automations/${made.id}`);
  await page.waitForSelector('.one .insts li:has-text("09:00 Tokyo")');
  await page.click('.one a:has-text("All automations")');
  await reads(page, ".all li", /09:00 Tokyo/);
  await page.waitForSelector('.hist li:has-text("3 times since")');
  await counts(page, ".hist li", 1);
  await reads(page, ".hist li", /a run waits for an approval/);
  assert.match(await page.locator('.hist a:has-text("a run")').getAttribute("href"), /\/sessions\/ses_waits$/);
  await screen(page, "automation-times");
  await isWell(at);
});

// Input: a server that is gone for a moment, and one list that fails while events come. Expected: the bar stands while nobody
// answers, and goes as soon as the page is live; a fault of one answer is no lost connection.
test("no_connection_goes_when_the_page_is_live", async () => {
  const at = await visit();
  const { page, context } = at;
  await page.goto(`${stage.url}/inbox`);
  await page.waitForSelector(".live.live");
  await stage.kill();
  await page.waitForSelector('.bar-line:has-text("No connection")');
  await stage.serve();
  await counts(page, ".bar-line", 0);
  await page.waitForSelector(".live.live");
  await context.route("**/queue*", (route) => route.fulfill({ status: 500, json: { title: "broken", code: "internal", detail: "" } }));
  await stage.ask(stage.ann, "POST", "/sessions", { name: "Beside", provider: "plain" });
  await page.waitForTimeout(2500);
  await counts(page, ".bar-line", 0);
  await isWell(at);
});

// Input: `?`, by keyboard alone, in English and in French. Expected: the keys are listed, those behind it decide nothing, and
// Escape gives the focus back.
test("keys_are_listed_at_question_mark", async () => {
  for (const [language, title] of [["en", "Keys"], ["fr", "Touches"]]) {
    const at = await visit({ language });
    const { page } = at;
    await page.evaluate((spoken) => localStorage.setItem("entracte-language", spoken), language);
    await page.goto(`${stage.url}/inbox`);
    await page.waitForSelector(".foot");
    await page.keyboard.press("?");
    await page.waitForSelector(`.keys-help h2:has-text("${title}")`);
    await page.waitForFunction(() => document.activeElement?.matches(".keys-help"));
    await page.keyboard.press("a");
    await counts(page, '.news:has-text("approved")', 0);
    await screen(page, `keys-${language}`);
    await page.keyboard.press("Escape");
    await counts(page, ".keys-help", 0);
    await counts(page, `.foot a[href$="/docs"]`, 1);
    await isWell(at);
    await leave();
  }
});

/** Every form that keeps text: its page, how it opens, and what is in it. @type {[string, string | null, string][]} */
const FORMS = [
  ["/automations/new", null, ".automation-form"],
  ["/settings/workspace", null, ".view"],
  ["/settings/targets", null, "form.box"],
  ["/settings/tokens", null, "form"],
  ["/settings/secrets", null, "form"],
  ["/library/texts/new", null, ".view"],
  ["/sessions", null, ".view"],
];

const VALUES = { "datetime-local": "2031-02-03T04:05", date: "2031-02-03", number: "7", url: "https://example.org/hook", checkbox: null, file: null };

/** Fills a field as a person does; what it has to read then, or null where nothing can be typed. */
const typeInto = async (field) => {
  const type = (await field.getAttribute("type")) ?? "text";
  const tag = await field.evaluate((one) => one.tagName);
  if (tag === "SELECT") {
    const values = await field.evaluate((one) => [...one.options].map((option) => option.value));
    if (values.length < 2) return null;
    await field.selectOption(values.at(-1));
    return values.at(-1);
  }
  if (VALUES[type] === null || (await field.getAttribute("readonly")) !== null) return null;
  const text = VALUES[type] ?? "half a wor";
  if (type === "text" || tag === "TEXTAREA") {
    await field.fill("");
    await field.pressSequentially(text);
  } else await field.fill(text);
  return text;
};

// Input: every field of every form, while something else happens in the workspace, and one that is left empty. Expected: each
// keeps what was typed; what is wrong stands beside its field, and goes when something is written; a city finds its zone, the
// browser's own first.
test("form_fields_keep_input", async () => {
  const at = await visit();
  const { page } = at;
  const happens = async () => {
    const seen = await page.evaluate(() => performance.now());
    await stage.ask(stage.ann, "POST", "/sessions", { name: "Beside", provider: "plain" });
    await page.waitForFunction((since) => performance.now() > since + 120, seen);
  };
  for (const [path, opener, inside] of FORMS) {
    await page.goto(`${stage.url}${path}`);
    await page.waitForSelector(`${inside} :is(input, textarea, select)`);
    if (opener) await page.click(opener);
    for (const box of await page.locator(`${inside} details:not([open]) > summary`).all()) await box.click();
    // By their names: what is drawn anew meanwhile may stand elsewhere.
    const fields = page.locator(`${inside} :is(input, textarea, select):visible:enabled`);
    const ids = await fields.evaluateAll((all) => all.map((one) => one.id));
    const wanted = [];
    for (const id of ids) {
      // Changing what kind it is draws another form.
      if (!id || ["a-kind", "n-way", "lang", "a-provider"].includes(id)) continue;
      const text = await typeInto(page.locator(`#${id}`));
      if (text === null) continue;
      wanted.push([id, text]);
      await happens();
    }
    assert.ok(wanted.length > 0, path);
    const kept = await Promise.all(wanted.map(async ([id]) => [id, await page.inputValue(`#${id}`)]));
    assert.deepEqual(kept, wanted, path);
  }
  // Letter by letter, while something happens between two of them.
  await page.goto(`${stage.url}/automations/new`);
  await page.waitForSelector("#a-zone");
  const letters = [["a-name", "Rain"], ["a-expression", "0 9 * * 1"], ["a-zone", "Paris"], ["a-message", "Look"], ["a-model", "m-1"]];
  for (const [id, text] of letters) {
    await page.fill(`#${id}`, "");
    for (const letter of text) {
      await page.locator(`#${id}`).press(letter === " " ? "Space" : letter);
      await happens();
    }
    assert.equal(await page.inputValue(`#${id}`), text, id);
  }
  await reads(page, "#a-zone-says", /“Paris” is not a valid zone\. Did you mean Europe\/Paris\?/);
  assert.ok(await page.locator(".automation-form .btn.go").isDisabled());
  assert.equal(await page.locator("#a-zone-zones option").first().getAttribute("value"), "UTC", "the browser's own");
  await page.fill("#a-zone", "Europe/Paris");
  await page.waitForSelector('#a-means .insts li:has-text("09:00 Paris")');
  await page.fill("#a-message", "");
  await page.click(".automation-form .btn.go");
  await reads(page, "#a-message ~ .err", /This is needed/);
  assert.equal(await page.locator("#a-message").getAttribute("aria-invalid"), "true");
  await page.fill("#a-message", "Look again");
  await counts(page, "#a-message ~ .err", 0);
  await screen(page, "form-fields");
  await isWell(at);
});
