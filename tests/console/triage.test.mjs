// What is put aside and given to others: an item is snoozed for one person, brought back, and assigned. On a desk in English and
// on a phone in French, with the keyboard alone.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { as, close, counts, leave, PHONE, reads, violations, visitor } from "./browser.mjs";
import { fill, scene } from "./scene.mjs";

let stage;

before(async () => {
  stage = await scene();
  await fill(stage);
});

afterEach(leave);

after(async () => {
  await close();
  await stage.end();
});

const waits = async (token, query = "") => stage.ask(token, "GET", `/inbox${query}`);
const idOf = async (words) => (await waits(stage.ann)).items.find((item) => item.says?.includes(words)).id;
const isWell = async ({ page, faults, elsewhere }) => assert.deepEqual([faults, elsewhere, await violations(page)], [[], [], []]);
const nobodySnoozes = async () => {
  const { items } = await waits(stage.ann, "?snoozed=true");
  if (items.length > 0) await stage.ask(stage.ann, "POST", "/inbox/wake", { items: items.map((item) => item.id) });
};

// Input: ann opens a card, presses z and chooses tomorrow. Expected: it leaves her list and counter, noe still sees it; she finds
// it among what she snoozes, and brings it back.
test("snoozed_item_leaves_one_persons_list", async () => {
  const id = await idOf("Workshop");
  const all = (await waits(stage.ann)).waiting;
  const visit = await as(await visitor(stage), stage.ann);
  const { page } = visit;
  await page.click(`.it[data-id="${id}"]`);
  await page.waitForSelector(".acts .go");
  await page.keyboard.press("z");
  await page.waitForSelector("#triage");
  await page.waitForFunction(() => document.activeElement?.closest("#triage"));
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await counts(page, `.it[data-id="${id}"]`, 0);
  await reads(page, ".list h2", new RegExp(`^${all - 1} wait`));
  const of = async (token) => (await waits(token)).items.some((item) => item.id === id);
  assert.deepEqual([await of(stage.ann), await of(stage.noe)], [false, true]);

  await page.click('#inbox-tools button:has-text("Snoozed (1)")');
  await page.click(`.it[data-id="${id}"]`);
  await page.waitForSelector('#decide :text("Snoozed until")');
  await page.click('#decide button:has-text("Bring back")');
  await counts(page, `.it[data-id="${id}"]`, 0);
  assert.equal(await of(stage.ann), true);
  await isWell(visit);
});

// Input: noe takes an item and gives it to ann, who snoozed it. Expected: it is in her list again and says from whom; the filter finds it.
test("assigned_item_comes_back_with_its_giver", async () => {
  await nobodySnoozes();
  const id = await idOf("Workshop");
  await stage.ask(stage.ann, "POST", "/inbox/snooze", { items: [id], until: "tomorrow" });
  const noe = await as(await visitor(stage), stage.noe);
  await noe.page.click(`.it[data-id="${id}"]`);
  await noe.page.waitForSelector(".acts .go");
  await noe.page.keyboard.press("o");
  await noe.page.click('#triage button:has-text("To me")');
  await noe.page.waitForSelector('#decide :text("Assigned to noe by noe")');
  await noe.page.keyboard.press("o");
  await noe.page.fill("#triage-field", "ann");
  await noe.page.keyboard.press("Enter");
  await noe.page.waitForSelector('#decide :text("Assigned to ann by noe")');

  const ann = await as(await visitor(stage), stage.ann);
  await reads(ann.page, `.it[data-id="${id}"] .sub`, /for ann/);
  await ann.page.click('#inbox-tools button:has-text("Filter")');
  await ann.page.fill("#filters label:has-text('Assigned to') input", "me");
  await counts(ann.page, ".it", 1);
  await isWell(noe);
  await isWell(ann);
});

// Input: two approvals are selected on a phone in French, and snoozed together until Monday. Expected: both are gone.
test("selected_items_are_snoozed_together", async () => {
  await nobodySnoozes();
  const before = (await waits(stage.ann)).waiting;
  const visit = await as(await visitor(stage, { viewport: PHONE, language: "fr" }), stage.ann);
  const { page } = visit;
  await page.evaluate(() => localStorage.setItem("entracte-language", "fr"));
  await page.reload();
  await page.waitForSelector(".it");
  await page.click('#inbox-tools button:has-text("Choisir")');
  const boxes = page.locator('.items input[type="checkbox"]:enabled');
  await boxes.nth(0).check();
  await boxes.nth(1).check();
  await page.click('.selection button:has-text("Reporter 2…")');
  await page.click('#triage button:has-text("Lundi prochain")');
  await page.waitForSelector('#inbox-tools button:has-text("Reportés (2)")');
  assert.equal((await waits(stage.ann)).waiting, before - 2);
  await isWell(visit);
});
