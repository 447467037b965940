// Answers of models as they are drawn, in a browser: the shapes that models give, tables on a phone, and what a person sees of a
// message that they sent.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { ANSWERS } from "./answers.mjs";
import { close, counts, leave, login, PHONE, screen, violations, visitor, WIDE } from "./browser.mjs";
import { scene } from "./scene.mjs";

let stage;
let session;

before(async () => {
  stage = await scene();
  session = await stage.chat(stage.ann, "Answers", "Begin", { provider: "plain" });
  await stage.until(stage.ann, `/sessions/${session}/messages`, (found) => found.items.some((one) => one.role === "ai"));
});

afterEach(leave);

after(async () => {
  await close();
  await stage.end();
});

/** The link works once, so each login starts the server anew. */
const again = async () => {
  await stage.kill();
  return stage.serve();
};

/** Messages as the server tells them, the latest first. */
const told = (texts) => {
  const at = Date.now();
  return texts.map((text, n) => ({ id: `msg_x_${n + 1}_0`, at: new Date(at - (texts.length - n) * 1000).toISOString(), role: "ai", author: "ai", type: "ai", text, post_text: null, question: null, plan: [], results: [], in_prompt: true })).reverse();
};

/** The page of a conversation in which these answers stand. */
const conversation = async (visit, texts) => {
  const { page } = visit;
  await page.route(/\/messages\?/, (route) => route.fulfill({ json: { items: told(texts), next: null } }));
  await page.goto(`${stage.url}/sessions/${session}`);
  await page.waitForFunction((wanted) => document.querySelectorAll(".talk article .said").length === wanted, texts.length);
  return page;
};

test("model_markdown_renders", async () => {
  assert.equal(ANSWERS.length, 60);
  const visit = await login(await visitor(await again()));
  const page = await conversation(visit, ANSWERS.map(([, text]) => text));
  const wrong = await page.evaluate((answers) => {
    const found = [];
    const articles = [...document.querySelectorAll(".talk article")];
    answers.forEach(([name, , look], at) => {
      const said = articles[at].querySelector(".said");
      const words = said.textContent.replace(/\s+/g, " ");
      for (const [selector, wanted] of Object.entries(look.has ?? {})) {
        const there = said.querySelectorAll(selector).length;
        if (there !== wanted) found.push(`${name}: ${there} of ${selector}, not ${wanted}`);
      }
      for (const text of look.says ?? []) if (!words.includes(text.replace(/\s+/g, " "))) found.push(`${name}: it does not say ${text}, but ${words}`);
      for (const text of look.not ?? []) if (words.includes(text)) found.push(`${name}: it says ${text}: ${words}`);
      if (said.scrollWidth > said.clientWidth + 1) found.push(`${name}: it is wider than its place`);
    });
    return found;
  }, ANSWERS);
  assert.deepEqual(wrong, []);
  // A task's mark stands beside its words.
  const tops = await page.locator("li.task").evaluateAll((all) => all.map((one) => Math.abs(one.querySelector(".task-mark").getBoundingClientRect().top - one.querySelector("div").getBoundingClientRect().top)));
  assert.ok(tops.length >= 6 && tops.every((by) => by < 8), tops.join(" "));
  // Formulas are drawn as such, a picture comes when it is asked for, and code is copied as it was written.
  const heights = await page.locator("math mfrac").first().evaluate((one) => one.getBoundingClientRect().height);
  assert.ok(heights > 24, `a fraction is ${heights} pixels high`);
  await page.click("details.picture summary");
  await page.waitForFunction(() => document.querySelector("details.picture img").naturalWidth === 1);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const code = page.locator('.code:has-text("print(")');
  await code.locator('button:has-text("Copy")').click();
  await code.locator('.told:has-text("Copied")').waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'print("hi")');
  await code.locator('button:has-text("Wrap lines")').click();
  assert.equal(await code.locator("pre").evaluate((one) => getComputedStyle(one).whiteSpace), "pre-wrap");
  // A footnote leads to its text.
  await page.locator("sup a").first().click();
  await page.waitForFunction(() => document.querySelector(":target")?.matches(".notes li"));
  assert.deepEqual([visit.faults, visit.elsewhere, await violations(page)], [[], [], []]);
  await page.locator("math mfrac").first().scrollIntoViewIfNeeded();
  await screen(page, "answers-wide");
});

const TABLES = [
  "| Lieferant | Holzart und Qualität | Preis je m³ | Lieferzeit | Anmerkung |\n|:--|:--|--:|:-:|:--|\n| Holzhandel Müller-Lüdenscheidt | Eiche, A-Qualität | 1.757,80 € | 4-6 Wochen | Donaudampfschifffahrtsgesellschaftskapitän liefert nur werktags |\n| Menuiserie Larribe | Frêne, 2e choix | 12 480,00 € | 10 jours ouvrés | sous réserve d’approvisionnement/transport |",
  "| n | 2ⁿ | very-long-hyphenated-name | https://example.org/a/very/long/address/of/a/page/that/is/longer/than/a/word/of/anybody |\n|--:|--:|---|---|\n| 64 | 18,446,744,073,709,551,616 | state-of-the-art | 2026-11-29T08:00:00+01:00 |",
];

test("table_cells_never_break_inside_words", async () => {
  for (const [viewport, isPhone] of [[WIDE, false], [PHONE, true]]) {
    const visit = await login(await visitor(await again(), { viewport, isPhone }));
    const page = await conversation(visit, TABLES);
    const broken = await page.evaluate(() => {
      const found = [];
      for (const cell of document.querySelectorAll(".said :is(td, th)")) {
        const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        // Words and amounts of the whole cell, over all of its pieces.
        let text = "";
        const nodes = [];
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          nodes.push([node, text.length]);
          text += node.data;
        }
        const place = (at) => {
          const [node, from] = nodes.findLast(([, begins]) => begins <= at);
          return [node, at - from];
        };
        for (const word of text.matchAll(/\d{1,3}(?:[ \u202f]\d{3})+(?:[.,]\d+)?(?: €)?|\d[\d.,]* €|\S+/g)) {
          if (word[0].length > 60) continue;
          const range = document.createRange();
          range.setStart(...place(word.index));
          const [last, at] = place(word.index + word[0].length - 1);
          range.setEnd(last, at + 1);
          const lines = new Set([...range.getClientRects()].filter((box) => box.width > 0).map((box) => Math.round(box.top)));
          if (lines.size > 1) found.push(word[0]);
        }
      }
      return found;
    });
    assert.deepEqual(broken, []);
    // What does not fit is reached in the table's own box, by touch and by key; the page stays as wide as it is.
    const boxes = await page.locator(".said .wide").evaluateAll((all) => all.map((one) => [one.scrollWidth > one.clientWidth, one.tabIndex]));
    assert.deepEqual(boxes, boxes.map(([isWider]) => [isWider, 0]));
    assert.equal(boxes.some(([isWider]) => isWider), true);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.querySelector(".talk-scroll").scrollWidth <= document.querySelector(".talk-scroll").clientWidth));
    const sides = await page.locator(".said table").first().locator("tbody tr").first().locator("td").evaluateAll((all) => all.map((one) => getComputedStyle(one).textAlign));
    assert.deepEqual(sides, ["left", "left", "right", "center", "left"]);
    await screen(page, `tables-${isPhone ? "narrow" : "wide"}`);
  }
});

test("own_message_is_seen_when_it_is_sent", async () => {
  for (const viewport of [WIDE, PHONE]) {
    const { page, faults } = await login(await visitor(await again(), { viewport }));
    const long = await stage.chat(stage.ann, "A long one", Array.from({ length: 120 }, (_, n) => `line ${n}`).join("\n"), { provider: "plain" });
    await page.goto(`${stage.url}/sessions/${long}`);
    await page.waitForSelector('.said:has-text("4,316 €")');
    // Somebody who reads further up sends a message.
    await page.locator(".talk-scroll").evaluate((box) => (box.scrollTop = 0));
    await page.waitForTimeout(200);
    await page.fill("#message", "And in ash?");
    await page.keyboard.press("Enter");
    await page.waitForSelector('.me:has-text("And in ash?")');
    await page.waitForFunction(() => {
      const box = [...document.querySelectorAll(".me")].at(-1).getBoundingClientRect();
      const view = document.querySelector(".talk-scroll").getBoundingClientRect();
      return box.bottom <= view.bottom + 1 && box.top >= view.top - 1;
    });
    assert.deepEqual(faults, []);
  }
});

test("a_chat_is_made_with_its_first_message_and_named_by_it", async () => {
  for (const [language, viewport] of [["en", WIDE], ["fr", PHONE]]) {
    const { page, faults } = await login(await visitor(await again(), { language, viewport }));
    await page.evaluate((chosen) => localStorage.setItem("entracte-language", chosen), language);
    await page.goto(`${stage.url}/sessions`);
    await page.waitForSelector(".list .head");
    const before = (await stage.ask(stage.ann, "GET", "/sessions")).items.length;
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press("n");
    await page.waitForFunction(() => document.activeElement?.id === "message");
    await page.keyboard.press("Escape");
    await page.waitForTimeout(300);
    assert.equal((await stage.ask(stage.ann, "GET", "/sessions")).items.length, before, "a key alone makes no session");
    // What was typed is there after the page is loaded anew.
    await page.fill("#message", "**Quote** for the stairs of Ms Larribe, in oak, with a landing and two handrails\nPlease.");
    await page.reload();
    await page.waitForFunction(() => document.getElementById("message")?.value.startsWith("**Quote**"));
    await page.focus("#message");
    await page.keyboard.press("Enter");
    await page.waitForSelector('.said:has-text("4,316 €")');
    await page.waitForFunction(() => document.querySelector(".top .st")?.textContent === "Quote for the stairs of Ms Larribe, in oak, with a landing…");
    const made = (await stage.ask(stage.ann, "GET", "/sessions")).items;
    assert.equal(made.length, before + 1, "one session, once");
    assert.ok(page.url().endsWith(`/sessions/${made[0].id}`), page.url());
    // It is marked in the list, where it can be seen.
    await counts(page, `.list .it[aria-current="true"][data-id="${made[0].id}"]`, 1);
    assert.equal(await page.evaluate(() => history.length > 1 && document.getElementById("message").value), "");
    assert.deepEqual(faults, []);
  }
});
