// Two people of two languages in one workspace: each reads cards, reasons, settings and commands in the language of their browser.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { as, close, counts, leave, reads, violations, visitor } from "./browser.mjs";
import { scene } from "./scene.mjs";

let stage;

before(async () => {
  stage = await scene();
});

afterEach(leave);

after(async () => {
  await close();
  await stage.end();
});

const idOfCard = async () => (await stage.until(stage.ann, "/inbox", (found) => found.items.length > 0)).items[0].id;

const PEOPLE = [
  { name: "ann", language: "fr", reason: /cette session exige une approbation par action/, approve: "Approuver", slots: /Nombre de sessions actives en même temps/, command: /Crée une zone/ },
  { name: "noe", language: "en", reason: /this session requires approval for every action/, approve: "Approve", slots: /How many sessions may be active at once/, command: /Creates a zone/ },
];

// Input: a card of an English workspace, open in a French browser and in an English one. Expected: each page, and what the server
// says on it, is in the language of its browser; what the French one showed is approved in the English one.
test("language_follows_the_reader", async () => {
  await stage.chat(stage.ann, "Set up the workshop", "Make a zone for the workshop", { provider: "zone" });
  const id = await idOfCard();
  const visits = [];
  for (const person of PEOPLE) {
    const visit = await as(await visitor(stage, { language: person.language }), stage[person.name]);
    const { page } = visit;
    await page.click(`.it[data-id="${id}"]`);
    await page.waitForSelector(`.acts .go:has-text("${person.approve}")`);
    await reads(page, "#why", person.reason);
    visits.push(visit);
  }
  for (const [at, person] of PEOPLE.entries()) {
    const { page } = await as(await visitor(stage, { language: person.language }), stage[person.name]);
    await page.goto(`${stage.url}/settings/workspace`);
    await reads(page, 'form.setting:has(code:text-is("slots"))', person.slots);
    await page.goto(`${stage.url}/settings/commands`);
    await reads(page, 'li:has(code:text-is("zones.create"))', person.command);
    assert.deepEqual(visits[at].faults, []);
  }
  const [ann, noe] = visits;
  await noe.page.click(".acts .go");
  await counts(ann.page, `.it[data-id="${id}"]`, 0);
  for (const { faults, elsewhere, page } of visits) assert.deepEqual([faults, elsewhere, await violations(page)], [[], [], []]);
});

// Input: a person whose browser is French chooses English in the settings. Expected: the page, and what the server says on it,
// are English from then on.
test("chosen_language_goes_before_the_browsers", async () => {
  const { page } = await as(await visitor(stage, { language: "fr" }), stage.ann);
  await page.goto(`${stage.url}/settings/this-browser`);
  await page.selectOption("#lang", "en");
  await page.waitForFunction(() => document.documentElement.lang === "en");
  await page.goto(`${stage.url}/settings/workspace`);
  await reads(page, 'form.setting:has(code:text-is("slots"))', PEOPLE[1].slots);
});
