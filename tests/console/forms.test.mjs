// Arguments within arguments, edited by a form: objects, lists, choices, dates and numbers, or their JSON.

import assert from "node:assert/strict";
import { after, afterEach, test } from "node:test";
import { close, counts, leave, login, PHONE, reads, screen, violations, visitor, WIDE } from "./browser.mjs";
import { inbox, scene } from "./scene.mjs";
import { acts, says } from "./stage.mjs";

afterEach(leave);
after(close);

const ORDER = { lines: [{ article: "oak", count: 2, price: 10.5, due: "2026-12-01" }, { article: "ash", count: 1 }], deliver_to: { city: "Lyon", floor: 1, at: "2026-12-02T08:00:00Z" } };

for (const [language, viewport] of [["en", WIDE], ["fr", PHONE]]) {
  test(`nested_arguments_are_decided_by_form_in_${language}`, async () => {
    const stage = await scene({ order: acts("I order.", ["orders.place", ORDER]) + says("It is ordered.") });
    try {
      const words = { en: { edit: "Edit", add: "Add it", more: "Add an item", json: "Edit as JSON", form: "Edit as a form", remove: "Remove item 2", up: "Move item 2 up", wrong: /not a whole number/, twice: /Press again to approve/ }, fr: { edit: "Modifier", add: "Ajouter", more: "Ajouter un élément", json: "Modifier en JSON", form: "Modifier par formulaire", remove: "Retirer l’élément 2", up: "Monter l’élément 2", wrong: /n’est pas un nombre entier/, twice: /Appuyez encore pour approuver/ } }[language];
      const session = await stage.chat(stage.ann, "Wood", "Order the wood", { provider: "order" });
      await stage.until(stage.ann, "/inbox", (found) => found.items.length > 0);
      const visit = await login(await visitor(stage, { viewport, language, isPhone: viewport === PHONE }));
      const { page } = visit;
      await page.evaluate((chosen) => localStorage.setItem("entracte-language", chosen), language);
      await page.goto(`${stage.url}/inbox/${(await inbox(stage))[0].id}`);
      await page.waitForSelector(".acts .go");
      await page.waitForTimeout(400);
      // It leaves the workspace: the first press says what the second one does.
      if (viewport === WIDE) await page.keyboard.press("a");
      else await page.click(".acts .go");
      await reads(page, ".acts .go", words.twice);
      await page.click(`.acts [aria-label="${words.edit}"]`);
      const field = (path) => page.locator(`[id$="-${path.replace(/\W/g, "_")}"]`);
      await page.waitForSelector(".nest");
      await counts(page, ".nest-items > li", 2);
      // A number that is none is told at its own field, and nothing is sent.
      await field("lines[0].count").fill("2.5");
      await page.click(".acts .go");
      await reads(page, ".nest .err", words.wrong);
      await page.waitForFunction(() => document.activeElement?.getAttribute("aria-invalid") === "true");
      await field("lines[0].count").fill("3");
      await field("lines[0].price").fill("10.50");
      await field("lines[0].due").fill("2026-12-24");
      await field("deliver_to.floor").selectOption("2");
      assert.equal(await field("deliver_to.at").inputValue(), "2026-12-02T08:00");
      await field("deliver_to.at").fill("2026-12-03T10:30");
      // One item goes up, one comes, and one goes.
      await page.click(`[aria-label="${words.up}"]`);
      await page.click(`.nest-items + button:has-text("${words.more}")`);
      await counts(page, ".nest-items > li", 3);
      await page.waitForFunction(() => document.activeElement?.matches(".nest-items > li:last-child select"));
      await field("lines[2].article").selectOption("beech");
      await field("lines[2].count").fill("7");
      await page.click(`[aria-label="${words.remove}"]`);
      await counts(page, ".nest-items > li", 2);
      // What may be left out is added; and it is JSON where a person wants that.
      const bill = page.locator('fieldset.nest:has(> legend:text-matches("^bill_to"))');
      await bill.locator(`button:has-text("${words.add}")`).click();
      await field("bill_to.city").fill("Paris");
      await bill.locator(`button:has-text("${words.json}")`).click();
      await page.locator('textarea[id$="-bill_to"]').fill('{"city": "Nice"}');
      await page.locator(`button:has-text("${words.form}")`).click();
      assert.equal(await field("bill_to.city").inputValue(), "Nice");
      await screen(page, `nested-${viewport === WIDE ? "wide" : "narrow"}-${language}`);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.querySelector(".pane .scroll").scrollWidth <= document.querySelector(".pane .scroll").clientWidth));
      await page.waitForTimeout(350);
      await page.click(".acts .go");
      await stage.until(stage.ann, `/sessions/${session}/calls`, (calls) => calls.items[0].finished_at);
      assert.deepEqual(JSON.parse(stage.outside.calls[0].body), { lines: [{ article: "ash", count: 1 }, { article: "beech", count: 7 }], deliver_to: { city: "Lyon", floor: 2, at: "2026-12-03T10:30:00Z" }, bill_to: { city: "Nice" } });
      assert.deepEqual([visit.faults, await violations(page)], [[], []]);
    } finally {
      await stage.end();
    }
  });
}
