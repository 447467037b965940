// What people do with the console, from one end to the other, on the real server.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, afterEach, test } from "node:test";
import { amend, as, close, counts, leave, login, PATIENCE, PHONE, reads, violations, visitor, WIDE } from "./browser.mjs";
import { fill, inbox, scene } from "./scene.mjs";
import { DOCUMENT } from "./shapes.mjs";
import { freeAddress } from "./stage.mjs";
import { INHERITED } from "./vectors.mjs";

afterEach(leave);
after(close);

/** Opens the card of an item in the list, and looks at it for as long as its buttons do nothing. */
const openCard = async (page, words) => {
  await page.click(`.it:has-text("${words}")`);
  await page.waitForSelector(`.pane h2:has-text("${words}")`);
  await page.waitForTimeout(350);
};

const told = (page, words) => page.waitForSelector(`.news:has-text("${words}")`, { state: "attached" });

for (const [name, viewport] of [["a_laptop", WIDE], ["a_phone", PHONE]]) {
  test(`a_story_is_told_on_${name}`, async () => {
    const stage = await scene();
    try {
      const visit = await login(await visitor(stage, { viewport, isPhone: viewport === PHONE }));
      const { page } = visit;
      const back = async () => {
        await page.goto(`${stage.url}/inbox`);
        await page.waitForSelector(".list .head");
      };
      // A chat, begun here: the default model answers in words.
      await page.goto(`${stage.url}/sessions`);
      await page.click('button:has-text("New chat")');
      await page.fill("#message", "Make the quote for the stairs of Ms Larribe.");
      await page.click(".compose .go");
      if (DOCUMENT.paths["/v1/workspaces/{w}/sessions/{s}/stream"]) await page.waitForSelector(".ai.live .said");
      await page.waitForSelector('.ai:not(.live) .said:has-text("4,316 € before tax")');
      await counts(page, ".me", 1, "the message stands once");
      await counts(page, '.said:has-text("0.94 m³")', 1, "the answer stands once");
      await counts(page, ".said h3, .said table, .said strong", 3, "its Markdown is drawn");

      const ids = await fill(stage);
      await back();
      // One call is approved as it is.
      await openCard(page, "Create the zone “Workshop”");
      await page.click(".acts .go");
      await told(page, "You approved “Create the zone “Workshop””. Recorded");
      // A second one is edited by the form: what is wrong is said at its field, and nothing is sent.
      await back();
      await openCard(page, "POST http");
      await page.click('.acts .more:has-text("Edit"), .acts .more[aria-label="Edit"]');
      const rate = page.locator('.f:has(label:text-matches("^penalty_rate"))');
      await rate.locator("input").fill("18");
      await page.click(".acts .go");
      await page.waitForSelector('.f .err:has-text("18 is above 15")');
      await rate.locator("input").fill("12.50");
      await page.locator('.f:has(label:text-matches("^contact")) input').fill("compta@larribe.example");
      await page.click(".acts .go");
      await told(page, "as edited. Recorded");
      await stage.until(stage.ann, `/sessions/${ids.invoice}/calls`, (calls) => calls.items[0].state !== "waiting_decision" && calls.items[0].finished_at);
      const sent = JSON.parse(stage.outside.calls[0].body);
      assert.equal(stage.outside.calls.length, 1, "it left once");
      assert.ok(stage.outside.calls[0].body.includes("12.50"), "with the digits that were typed");
      assert.equal(sent.contact, "compta@larribe.example");
      // A third is rejected with a reason.
      await back();
      await openCard(page, "Create the zone “Clients”");
      await page.click(".acts .no");
      await page.fill(".reject textarea", "We keep clients elsewhere.");
      await page.click(".acts .no");
      await told(page, "You rejected “Create the zone “Clients””. Recorded");
      // The fourth, and every one like it.
      await back();
      await openCard(page, "Create the zone “Suppliers”");
      await page.click('.acts [aria-label="Always…"]');
      await page.selectOption(".always select", "7");
      await page.click(".acts .go");
      await told(page, "and always from now on. Recorded");
      const rules = await stage.ask(stage.ann, "GET", "/rules");
      assert.deepEqual([rules.items.length, rules.items[0].command, rules.items[0].author], [1, "zones.create", "ann"]);
      const calls = await stage.ask(stage.ann, "GET", `/sessions/${ids.zones}/calls`);
      assert.deepEqual(calls.items.map((call) => call.decision).sort(), ["approved", "rejected"]);
      // A question, answered where it was asked. The server dies before, and comes back.
      await stage.kill();
      await page.waitForSelector(".bar-line", { timeout: 30_000 });
      await stage.serve();
      await page.waitForSelector(".bar-line", { state: "detached", timeout: 40_000 });
      await page.goto(`${stage.url}/sessions/${ids.question}`);
      await page.waitForSelector('.ask .opts button:has-text("Keep them")');
      await counts(page, ".me", 1, "nothing is doubled");
      await page.waitForTimeout(350);
      await page.click('.ask .opts button:has-text("Keep them")');
      await page.waitForSelector('.said:has-text("Thank you. I do so.")');
      await page.waitForFunction(() => document.querySelectorAll(".me .pre").length > 1);
      assert.deepEqual(await page.locator(".me .pre").allTextContents(), ["Compare with last year", "Keep them"]);
      await page.goto(`${stage.url}/sessions/${ids.invoice}`);
      await page.waitForSelector('.said:has-text("The reminder left.")');
      await counts(page, ".call", 1);
      await back();
      await page.waitForSelector('h2:has-text("Nothing waits for you")');
      assert.deepEqual(await violations(page), []);
      assert.deepEqual([visit.faults, visit.elsewhere], [[], []]);
    } finally {
      await stage.end();
    }
  });
}

test("a_second_person_sees_what_the_first_decided", async () => {
  const stage = await scene();
  try {
    await fill(stage);
    const ann = await login(await visitor(stage));
    const noe = await as(await visitor(stage), stage.noe);
    await openCard(ann.page, "Create the zone “Workshop”");
    await openCard(noe.page, "Create the zone “Workshop”");
    await noe.page.click(".acts .go");
    await told(noe.page, "Recorded");
    // What Ann reads does not move; a line says who was faster, and nothing can be pressed any more.
    await ann.page.waitForSelector('.card .line:has-text("noe approved “Create the zone “Workshop””")');
    await counts(ann.page, ".acts .btn", 0);
    assert.ok((await ann.page.locator(".pane h2").textContent()).includes("Workshop"), "it is still the same card");
    await ann.page.keyboard.press("j");
    await ann.page.waitForSelector(".acts .go");
    assert.deepEqual([ann.faults, noe.faults], [[], []]);
  } finally {
    await stage.end();
  }
});

test("a_yes_that_is_too_late_decides_nothing", async () => {
  const stage = await scene();
  try {
    await fill(stage);
    const { page } = await login(await visitor(stage));
    await openCard(page, "Create the zone “Workshop”");
    const card = (await inbox(stage)).find((item) => item.says?.includes("Workshop"));
    // The page hears nothing any more of what happens, as a laptop that slept.
    await page.route(/\/inbox\?/, (route) => route.abort());
    await stage.ask(stage.noe, "POST", `/approvals/${card.id}/decision`, { decision: "reject" }, { "if-match": `"${card.digest}"` });
    await page.evaluate(() => fetch("/healthz"));
    await page.unroute(/\/inbox\?/);
    await page.waitForSelector('.line:has-text("noe rejected"), .card .line:has-text("noe rejected")');
    await counts(page, ".acts .go", 0);
  } finally {
    await stage.end();
  }
});

/** Presses the button that approves in the frame in which the card of these words comes into sight, sooner than anybody reads. */
const pressAtOnce = (page, words) => page.evaluate((wanted) => new Promise((done) => {
  const look = () => {
    const go = document.querySelector(".acts .go");
    if (!go || !document.querySelector(".pane h2")?.textContent.includes(wanted)) return requestAnimationFrame(look);
    go.click();
    done();
  };
  look();
}), words);

test("a_double_tap_decides_nothing_that_came_into_sight_with_it", async () => {
  const stage = await scene();
  try {
    await fill(stage);
    const { page } = await login(await visitor(stage, { viewport: PHONE, isPhone: true }));
    // On a phone the second tap of a double tap in the list falls on the card that the first one opened.
    await Promise.all([pressAtOnce(page, "Clients"), page.click('.it:has-text("Create the zone “Clients”")')]);
    await page.waitForTimeout(600);
    assert.equal((await inbox(stage)).length, 5, "nothing was decided");
    // On a wide screen the second click of a double click falls on the card that takes the place of the first.
    await page.setViewportSize(WIDE);
    await page.goto(`${stage.url}/inbox`);
    await openCard(page, "Create the zone “Clients”");
    await Promise.all([pressAtOnce(page, "Suppliers"), page.click(".acts .go")]);
    await told(page, "Recorded");
    await page.waitForTimeout(600);
    const left = await inbox(stage);
    assert.deepEqual([left.length, left.some((item) => item.says?.includes("Suppliers"))], [4, true], "one press decides one card");
  } finally {
    await stage.end();
  }
});

test("a_card_that_changed_is_shown_again_and_nothing_is_decided", async () => {
  const stage = await scene();
  try {
    await fill(stage);
    const { page } = await login(await visitor(stage));
    await openCard(page, "Create the zone “Workshop”");
    const items = await inbox(stage);
    const card = items.find((item) => item.says?.includes("Workshop"));
    const next = { ...card, id: "apr_next_4_0", digest: "e".repeat(64), after: { ...card.after, description: "Something else" }, arguments_text: '{"description":"Something else","name":"Workshop"}' };
    // As the server answers when its own look at the card gives another one; until it is asked, the list has the card that is open.
    let looked = false;
    await page.route(/\/decision$/, (route) => {
      looked = true;
      return route.fulfill({ status: 412, contentType: "application/problem+json", json: { type: "urn:entracte:problem:changed", title: "It has changed since it was read", status: 412, code: "changed", detail: "look again", request_id: "req_1", current: next } });
    });
    await page.route(/\/inbox\?/, (route) => route.fulfill({ json: { items: items.map((item) => (looked && item.id === card.id ? next : item)), next: null } }));
    await page.click(".acts .go");
    await page.waitForSelector('.acts :text("Changed since you opened this: description")');
    assert.deepEqual(await page.locator("tr.altered th").allTextContents(), ["description changed"]);
    assert.ok(page.url().endsWith("/apr_next_4_0"), "its address is the new one's");
    await page.waitForSelector('.news:has-text("Nothing was decided.")', { state: "attached" });
    // Whoever types on decides nothing.
    await page.keyboard.press("a");
    await counts(page, ".acts .btn", 5);
    assert.equal((await inbox(stage)).length, 5);
  } finally {
    await stage.end();
  }
});

test("unchanged_approvals_suggest_a_rule", async () => {
  const stage = await scene({}, "rules.suggest_after = 1");
  try {
    await fill(stage);
    const { page } = await login(await visitor(stage));
    await page.waitForSelector(".list .head");
    await openCard(page, "Create the zone “Clients”");
    await counts(page, ".suggest", 0);
    await page.click(".acts .go");
    await told(page, "You approved “Create the zone “Clients””. Recorded");
    await page.goto(`${stage.url}/inbox`);
    await page.waitForSelector(".list .head");
    await openCard(page, "Create the zone “Suppliers”");
    await page.click('.suggest button:has-text("Make it a rule…")');
    await page.selectOption(".always select", "7");
    await page.click(".acts .go");
    await told(page, "and always from now on. Recorded");
    assert.deepEqual((await stage.ask(stage.ann, "GET", "/rules")).items.map((rule) => rule.command), ["zones.create"]);
  } finally {
    await stage.end();
  }
});

test("words_in_place_of_a_decision_reach_the_model", async () => {
  // Keyboard alone, wide; by a press on the phone. Nothing is sent without words.
  for (const [viewport, isPhone] of [[WIDE, false], [PHONE, true]]) {
    const stage = await scene();
    try {
      const ids = await fill(stage);
      const visit = await login(await visitor(stage, { viewport, isPhone }));
      const { page } = visit;
      await page.waitForSelector(".list .head");
      await openCard(page, "Create the zone “Clients”");
      if (isPhone) await page.click('.acts [aria-label="Answer instead…"]');
      else await page.keyboard.press("i");
      await page.waitForSelector(".answer textarea");
      await page.click(".acts .go");
      await page.waitForSelector('.acts :text("Write an answer first.")');
      await page.fill(".answer textarea", "One zone for all people, please.");
      if (isPhone) await page.click(".acts .go");
      else await page.keyboard.press("Control+Enter");
      await told(page, "You answered instead of deciding on “Create the zone “Clients””. Recorded");
      const calls = await stage.until(stage.ann, `/sessions/${ids.zones}/calls`, (found) => found.items.every((call) => call.finished_at));
      const [answered, other] = ["rejected", "cancelled"].map((state) => calls.items.find((call) => call.state === state));
      assert.ok(other, "the other call is cancelled");
      assert.deepEqual([answered.decision, answered.decided_by, JSON.stringify(answered.arguments).includes("Clients")], ["rejected", "ann", true]);
      await page.goto(`${stage.url}/sessions/${ids.zones}`);
      await page.waitForSelector('.me .pre:has-text("One zone for all people, please.")');
      await page.waitForSelector('.said:has-text("Both are decided.")');
      assert.deepEqual(visit.faults, []);
    } finally {
      await stage.end();
    }
  }
});

test("a_decision_without_an_answer_is_asked_again_with_the_same_key", async () => {
  const stage = await scene();
  try {
    await fill(stage);
    const { page } = await login(await visitor(stage));
    await openCard(page, "Create the zone “Workshop”");
    const keys = [];
    await page.route(/\/decision$/, async (route) => {
      keys.push((await route.request().allHeaders())["idempotency-key"]);
      // The first one arrives, and its answer is lost.
      if (keys.length === 1) {
        await route.fetch();
        await route.abort("connectionreset");
      } else await route.continue();
    });
    await page.click(".acts .go");
    await page.waitForSelector('.news:has-text("No answer; again in 1 s.")', { state: "attached" });
    await told(page, "You approved “Create the zone “Workshop””. Recorded");
    assert.equal(keys.length, 2);
    assert.equal(keys[0], keys[1]);
  } finally {
    await stage.end();
  }
});

test("what_leaves_or_deceives_needs_to_be_read_and_two_presses", async () => {
  const stage = await scene();
  try {
    await fill(stage);
    const { page } = await login(await visitor(stage));
    await openCard(page, "POST http");
    await counts(page, '.diff mark:has-text("U+200B")', 1);
    await page.waitForTimeout(400);
    await page.keyboard.press("a");
    await page.waitForSelector('.acts :text("Read “message” first")');
    await page.waitForTimeout(50);
    // Both at the same time, however slow the machine is: after a moment the second one would count.
    await page.evaluate(() => {
      for (let press = 0; press < 2; press += 1) document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "a", bubbles: true, cancelable: true }));
    });
    await page.waitForSelector('.acts .armed:has-text("Approve: POST")');
    await counts(page, ".acts .armed", 1, "a double click is no second press");
    assert.equal(stage.outside.calls.length, 0);
    await page.waitForTimeout(450);
    await page.keyboard.press("a");
    await told(page, "Recorded");
  } finally {
    await stage.end();
  }
});

test("equal_calls_are_decided_together_and_dangerous_ones_are_not", async () => {
  const stage = await scene();
  try {
    await fill(stage);
    const { page } = await login(await visitor(stage));
    await page.click('.tools-row button:has-text("Select")');
    assert.ok(await page.locator('li:has-text("Keep the 40") input').isDisabled());
    for (const zone of ["Workshop", "Clients", "Suppliers", "POST http"]) await page.check(`li:has-text("${zone}") input`);
    // What leaves the workspace may be rejected with others, and is approved by itself; the bar says so.
    await page.waitForSelector('.selection :text("1 of these has to be approved by itself")');
    assert.deepEqual([await page.locator('button:has-text("Approve 4")').isDisabled(), await page.locator('button:has-text("Reject 4")').isDisabled()], [true, false]);
    await page.click('button:has-text("Deselect 1")');
    await page.click('button:has-text("Approve 3")');
    await page.waitForSelector('h2:has-text("2 wait for you")');
    const left = await inbox(stage);
    assert.deepEqual(left.map((item) => item.kind).sort(), ["approval", "question"]);
  } finally {
    await stage.end();
  }
});

test("a_card_that_cannot_be_drawn_takes_no_other_with_it_and_is_approved_by_nothing", async () => {
  const stage = await scene();
  try {
    const ids = await fill(stage);
    const visit = await visitor(stage);
    const { page } = visit;
    const of = (items, zone) => items.find((item) => item.says?.includes(zone));
    await page.route(/\/inbox\?/, amend((found) => {
      const [card, row, named] = ["Workshop", "Clients", "Suppliers"].map((zone) => of(found.items ?? [], zone));
      // Of the first neither text nor buttons can be drawn, of the second not even its row; the third has names that every object has.
      if (card) card.reasons = null;
      if (row) row.says = null;
      if (named) named.arguments_text = JSON.stringify(Object.fromEntries(["name", ...INHERITED].map((name) => [name, `the ${name}`])));
      return found;
    }));
    await login(visit);
    const sent = [];
    page.on("request", (request) => request.method() === "POST" && sent.push(request.url()));
    await page.waitForSelector('h2:has-text("5 wait for you")');
    await counts(page, ".it", 5);
    await counts(page, '.it:has-text("This card cannot be shown")', 1);
    for (const broken of ['.it:has-text("Workshop")', '.it:has-text("This card cannot be shown")']) {
      await page.click(broken);
      await page.waitForSelector('.pane .line:has-text("This card cannot be shown")');
      await counts(page, ".pane .acts, .pane button", 0);
      await page.waitForTimeout(400);
      for (const key of ["a", "e", "A", "Control+Enter"]) await page.keyboard.press(key);
    }
    // Nor together with others, also where it was not opened before: the box does not keep its tick.
    await page.goto(`${stage.url}/inbox/${of(await inbox(stage), "Suppliers").id}`);
    await page.waitForSelector('.pane h2:has-text("Suppliers")');
    await page.click('button:has-text("Select")');
    await page.click('li:has-text("Workshop") input');
    await counts(page, 'li:has-text("Workshop") input:disabled:not(:checked)', 1);
    await counts(page, '.selection button:has-text("Approve 0")', 1);
    await page.click('.selection button:has-text("Back")');
    assert.deepEqual(sent, []);
    // The others are decided as ever.
    for (const name of INHERITED) await page.waitForSelector(`.diff tr:has(th:text-is("${name}")):has-text("the ${name}")`);
    await page.waitForTimeout(400);
    await page.keyboard.press("a");
    await told(page, "Suppliers””. Recorded");
    const items = await inbox(stage);
    assert.deepEqual(["Workshop", "Clients"].map((zone) => Boolean(of(items, zone))), [true, true]);
    // In its conversation the rest is there too.
    await page.goto(`${stage.url}/sessions/${ids.zone}`);
    await page.waitForSelector('.in-talk .line:has-text("This card cannot be shown")');
    await page.waitForSelector('.me:has-text("Make a zone for the workshop")');
    await counts(page, ".in-talk button", 0);
  } finally {
    await stage.end();
  }
});

test("who_may_only_read_decides_nothing", async () => {
  const stage = await scene();
  try {
    await fill(stage);
    const { page } = await as(await visitor(stage), stage.token("eve", "read"));
    await page.click('.it:has-text("Workshop")');
    await page.waitForSelector('.acts :text("Deciding needs “approve”")');
    await page.keyboard.press("a");
    await page.locator(".acts .go").click({ force: true });
    // A key just after the page was loaded is that key, and no second half of a jump.
    await page.reload();
    await page.waitForSelector(".acts .go");
    await page.keyboard.press("a");
    assert.ok(page.url().includes("/inbox/"));
    assert.equal((await inbox(stage)).length, 5);
  } finally {
    await stage.end();
  }
});

test("a_link_that_was_used_says_what_to_do", async () => {
  const stage = await scene();
  try {
    await login(await visitor(stage));
    const { page } = await visitor(stage);
    await page.goto(stage.login);
    await page.waitForSelector(".login .btn");
    assert.ok(!page.url().includes("#"), "the secret does not stay in the address");
    await page.click(".login .btn");
    await page.waitForSelector('.bad:has-text("was used or has expired")');
  } finally {
    await stage.end();
  }
});

test("a_link_is_read_whole_on_a_phone_and_a_lost_answer_says_what_is_known", async () => {
  const heard = [];
  const phone = createServer((request, answer) => {
    let body = "";
    request.on("data", (part) => (body += part));
    request.on("end", () => {
      heard.push(JSON.parse(body));
      answer.end();
    });
  });
  await new Promise((done) => phone.listen(0, "127.0.0.1", done));
  // A link names where browsers reach the server, so that is known before it listens.
  const bind = await freeAddress();
  const stage = await scene({}, `notify.poll = "50ms"\nnotify.allow = ["127.0.0.1"]\nserver.public_url = "http://${bind}"`, bind);
  try {
    const place = join(stage.folder, "hook.key");
    writeFileSync(place, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", { mode: 0o600 });
    const added = stage.run("notify", "add", "phone", "--webhook", `http://127.0.0.1:${phone.address().port}/hook`, "--secret", `file:${place}`, "--private", "--links", "--kinds", "approval.requested");
    assert.equal(added.code, 0, added.err);
    await stage.chat(stage.ann, "Set up the workshop", "Make a zone for the workshop", { provider: "zone" });
    for (const end = Date.now() + PATIENCE; heard.length === 0 && Date.now() < end; ) await new Promise((done) => setTimeout(done, 25));
    const { review } = heard[0].data.links;
    const { page, faults } = await visitor(stage, { viewport: PHONE, isPhone: true });
    await page.goto(review);
    await page.waitForSelector("#card:not([hidden])");
    assert.ok(!page.url().includes("#"), "the secret does not stay in the address");
    await reads(page, "#sentence", /Create the zone “Workshop”/);
    await reads(page, "#arguments", /Everything of the workshop/);
    assert.deepEqual(await page.evaluate(() => [document.documentElement, document.querySelector("#arguments")].map((one) => one.scrollWidth > one.clientWidth)), [false, false], "nothing is beside the screen");
    // The press arrives, and its answer is lost; the next one finds the link used.
    let lost = 0;
    await page.route(/links\/act$/, async (route) => {
      if (lost++ > 0) return route.continue();
      await route.fetch();
      await route.abort("connectionreset");
    });
    await page.click("#approve");
    await reads(page, "#says", /nobody knows whether your decision arrived/);
    await page.click("#approve");
    await reads(page, "#says", /perhaps by your first press/);
    await stage.until(stage.ann, "/zones", (found) => found.items.some((zone) => zone.name === "Workshop"));
    assert.deepEqual(faults, []);
  } finally {
    phone.close();
    await stage.end();
  }
});

test("a_login_that_ended_shows_nothing_more_and_asks_nothing_more", async () => {
  const stage = await scene();
  try {
    await fill(stage);
    const visit = await login(await visitor(stage));
    const { page, context } = visit;
    await openCard(page, "Create the zone “Workshop”");
    await context.clearCookies();
    // The person comes back to the page, which looks again.
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await page.waitForSelector('.login h2:has-text("Log in")', { timeout: 60_000 });
    await counts(page, ".rail, .card, .it", 0);
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.waitForTimeout(2500);
    assert.deepEqual(asked.filter((url) => url.includes("/v1/")), []);
    assert.deepEqual(visit.faults, []);
  } finally {
    await stage.end();
  }
});
