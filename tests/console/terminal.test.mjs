// The page on which a person allows or refuses a terminal that asks to be logged in.

import assert from "node:assert/strict";
import { after, afterEach, test } from "node:test";
import { close, counts, leave, login, PHONE, reads, screen, violations, visitor, WIDE } from "./browser.mjs";
import { scene } from "./scene.mjs";

afterEach(leave);
after(close);

const post = async (stage, path, body) => {
  const answer = await fetch(`${stage.url}${path}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const text = await answer.text();
  return { status: answer.status, body: text ? JSON.parse(text) : null };
};

/** A terminal that asks, as the command line does. */
const asks = async (stage, name = "ann@laptop") => (await post(stage, "/v1/login/terminals", { name })).body;
const claim = (stage, { secret }) => post(stage, "/v1/login/terminals/claim", { secret });

test("a_terminal_is_allowed_after_the_login_with_what_was_chosen", async () => {
  const stage = await scene();
  try {
    const terminal = await asks(stage, "<b>ann</b>@laptop");
    const visit = await visitor(stage, { viewport: WIDE });
    const { page } = visit;
    await page.goto(`${stage.url}${terminal.page}`);
    await page.waitForSelector('.login h2:has-text("Log in")');
    await page.goto(stage.login);
    await page.click(".login .btn");
    // The login leads back, and nothing is decided by that.
    await reads(page, "#code", new RegExp(terminal.code));
    assert.equal((await claim(stage, terminal)).status, 202);
    const facts = await page.locator(".login dl").innerText();
    assert.ok(facts.includes("<b>ann</b>@laptop") && facts.includes("127.0.0.1"), facts);
    const chosen = () => page.locator(".login input:checked").evaluateAll((all) => all.map((one) => one.name));
    assert.deepEqual(await chosen(), ["read", "chat", "approve"]);
    assert.ok(await page.locator('.login input[name="read"]').isDisabled(), "without it a terminal reads nothing");
    await page.uncheck('.login input[name="approve"]');
    await screen(page, "terminal");
    await page.selectOption("#days", "1");
    await page.click("#allow");
    await page.waitForSelector(".login .line.ok");
    const { status, body } = await claim(stage, terminal);
    assert.deepEqual([status, body.scopes], [200, ["read", "chat"]]);
    const hours = (Date.parse(body.expires_at) - Date.now()) / 3_600_000;
    assert.ok(hours > 23 && hours <= 24, body.expires_at);
    // What was taken is not open any more.
    await page.reload();
    await page.waitForSelector(".login .box.bad");
    await counts(page, "#allow, #refuse", 0);
    assert.deepEqual(await violations(page), []);
    assert.deepEqual([visit.faults, visit.elsewhere], [[], []]);
  } finally {
    await stage.end();
  }
});

test("a_terminal_is_found_by_its_code_and_refused_on_a_phone_in_french", async () => {
  const stage = await scene();
  try {
    const terminal = await asks(stage);
    const visit = await login(await visitor(stage, { viewport: PHONE, isPhone: true, language: "fr" }));
    const { page } = visit;
    await page.goto(`${stage.url}/terminal`);
    await page.fill("#typed", terminal.code.toLowerCase().replace("-", " "));
    await page.click("form .go");
    await reads(page, "#code", new RegExp(terminal.code));
    await reads(page, "#refuse", /Refuser/);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth), "nothing is beside the screen");
    await screen(page, "terminal-phone");
    await page.click("#refuse");
    await reads(page, ".login .line.warn", /refusé/);
    assert.equal((await claim(stage, terminal)).body.code, "login-refused");
    // A code that nobody waits with says so, and can be typed again.
    await page.goto(`${stage.url}/terminal?code=BBBB-BBBB`);
    await page.waitForSelector(".login .box.bad");
    await counts(page, "#typed", 1);
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(visit.faults, []);
  } finally {
    await stage.end();
  }
});
