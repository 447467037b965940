// The ways through the console: what a phone reaches, pages of tasks, agents and backups, the palette, saved filters, and what
// happened while somebody was away. Each on a desk in English and on a phone in French.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { after, afterEach, before, test } from "node:test";
import { amend, close, counts, leave, login, reads, screen, violations, visitor, WIDE } from "./browser.mjs";
import { fill, scene } from "./scene.mjs";
import { says, turn } from "./stage.mjs";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const SERVER = fileURLToPath(new URL("asking-tools.mjs", import.meta.url));
const PHONE = { width: 390, height: 780 };

const MORE = { book: turn({ pre_text: "I look.", queries: [{ type: "WEB_BOOK", params: { q: "room" } }], keep_control: true }) + says("I ask you.") + says("Thank you."), priced: says("Done.", "usage = { input = 1000, output = 100 }"), dropped: says("Here I am.", 'fail = "lost"\ntimes = 1\nusage = { input = 1000, output = 100 }') };
const CONFIG = `
[providers.priced.prices]
input = "3"
output = "15"
[providers.dropped.prices]
input = "3"
output = "15"
[agents.Clerk]
description = "Knows the jobs."
provider = "plain"
commands = ["zones.*", "nothing.*"]
instructions = { role = "You know the jobs." }
[mcp.web]
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(SERVER)}]
handshake = "initialize"
`;

let stage;
let ids;
/** What the browser of a person who is logged in keeps. */
let kept;

before(async () => {
  stage = await scene(MORE, CONFIG);
  assert.equal(stage.run("workspace", "settings", "set", "slots=20").code, 0);
  ids = await fill(stage);
  assert.equal(stage.run("workspace", "create", "local:second").code, 0);
  assert.equal(stage.run("automation", "create", "Count the boards", "--cron", "30 2 * * *", "--message", "Count them", "--provider", "plain").code, 0);
  const { page, context } = await login(await visitor(stage));
  kept = { cookies: await context.cookies(), proof: await page.evaluate(() => localStorage.getItem("entracte-proof")) };
});

afterEach(leave);

after(async () => {
  await close();
  await stage.end();
});

/** A person who is logged in, in a browser of their own. */
const visit = async (how = {}) => {
  const at = await visitor(stage, { bypassCSP: true, ...how });
  await at.context.addCookies(kept.cookies);
  await at.context.addInitScript(([proof, language]) => {
    localStorage.setItem("entracte-proof", proof);
    localStorage.setItem("entracte-language", language);
  }, [kept.proof, how.language ?? "en"]);
  return at;
};

/** A desk in English, and a phone in French. @param {(at: any, language: string, isWide: boolean) => Promise<void>} look */
const everywhere = async (look) => {
  for (const [language, viewport] of [["en", WIDE], ["fr", PHONE]]) {
    const at = await visit({ language, viewport });
    await at.page.goto(`${stage.url}/inbox`);
    await at.page.waitForSelector(".list .it");
    await look(at, language, viewport === WIDE);
    assert.deepEqual([at.faults, at.elsewhere], [[], []]);
    await leave();
  }
};

/** Opens the palette with the keyboard. A key that comes before anybody knows whose the page is, is not the page's; one that comes
 * before the field has the focus goes elsewhere. */
const openPalette = async (page) => {
  await page.waitForSelector("body.in");
  await page.keyboard.press("Control+k");
  await page.waitForFunction(() => document.activeElement?.matches("dialog.palette input"));
};

/** Seeks in the palette, until what is sought is what Enter would run. */
const seek = async (page, words, chosen) => {
  await openPalette(page);
  await page.keyboard.type(words);
  await page.waitForFunction((typed) => document.querySelector("dialog.palette input")?.value === typed, words);
  await page.waitForSelector(`.palette li[aria-selected="true"]:has-text(${JSON.stringify(chosen)})`);
};

/** Nothing is cut off at the side, and the checker of accessibility finds nothing. */
const isWell = async (page, name) => {
  await screen(page, name);
  const isWhole = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && [...document.querySelectorAll(".scroll, .items, .page, dialog")].every((box) => box.scrollWidth <= box.clientWidth + 1));
  assert.ok(isWhole, `${name}: something is cut off at the side`);
  await page.addScriptTag({ path: AXE });
  const found = await page.evaluate(async () => (await globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"] })).violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(" ")).slice(0, 3).join(", ")}`));
  assert.deepEqual(found, [], name);
};

/** Presses Tab until what has the focus matches. */
const tabTo = async (page, selector) => {
  for (let times = 0; times < 90; times += 1) {
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab never reaches ${selector}`);
};

// Input: a person of two workspaces with a phone. Expected: the settings have the connection, the theme and the other workspace,
// and on a desk they are in the rail, once.
test("phone_reaches_workspace_theme_and_connection", async () => {
  await everywhere(async ({ page }, language, isWide) => {
    await page.goto(`${stage.url}/settings`);
    await page.waitForSelector(".list .it");
    if (isWide) {
      assert.equal(await page.locator(".frame").isVisible(), false);
      await page.waitForSelector(".rail .ws select");
      return;
    }
    await reads(page, ".frame .live", language === "fr" ? /En direct|Connecté/ : /Live|Connected/);
    await isWell(page, `settings-phone-${language}`);
    const theme = await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
    await tabTo(page, ".frame button");
    await page.keyboard.press("Enter");
    assert.notEqual(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), theme);
    await page.locator(".frame select").selectOption("local:second");
    await page.waitForURL(/\/inbox/);
    await page.goto(`${stage.url}/settings`);
    await page.waitForSelector(".frame select");
    assert.equal(await page.locator(".frame select").inputValue(), "local:second");
  });
});

// Input: the page as a browser reads it. Expected: a manifest without faults, whose start and icon are there.
test("console_can_be_put_on_a_home_screen", async () => {
  const { page, context } = await visit({ viewport: PHONE, bypassCSP: false });
  await page.goto(`${stage.url}/inbox`);
  await page.waitForSelector(".list");
  const client = await context.newCDPSession(page);
  const { url, errors, data } = await client.send("Page.getAppManifest");
  assert.deepEqual(errors, []);
  const manifest = JSON.parse(data);
  const at = (path) => new URL(path, url).href;
  assert.deepEqual([at(manifest.start_url), at(manifest.scope)], [`${stage.url}/inbox`, `${stage.url}/`]);
  for (const { src, type } of manifest.icons) {
    const answer = await context.request.get(at(src));
    assert.deepEqual([answer.status(), answer.headers()["content-type"]], [200, type]);
  }
  assert.deepEqual(await violations(page), []);
});

/** The one long task that there is, or another one. */
const task = async (name) => {
  const session = await stage.chat(stage.ann, name, "Book a room", { provider: "book", require_validation: false });
  const { items } = await stage.until(stage.ann, `/tasks?session=${session}`, (found) => found.items.length === 1 && found.items[0].asks);
  return items[0];
};

// Input: a long task of an MCP server that asks a person. Expected: it stands under the long tasks with what it asks, opens with
// what its service reported, leads to its question, and is cancelled by keyboard alone, with two presses.
test("long_tasks_are_listed_and_cancelled", async () => {
  await everywhere(async ({ page }, language, isWide) => {
    const { id, command } = await task(`A room ${language} ${isWide}`);
    await page.goto(`${stage.url}/sessions`);
    await tabTo(page, 'a[href$="/sessions/tasks"]');
    await page.keyboard.press("Enter");
    await page.waitForSelector(`.lines a[href$="${id}"]`);
    await reads(page, `.lines li:has(a[href$="${id}"])`, language === "fr" ? /vous demande/ : /asks you/);
    await isWell(page, `tasks-${isWide ? "wide" : "phone"}-${language}`);
    await tabTo(page, `.lines a[href$="${id}"]`);
    await page.keyboard.press("Enter");
    await reads(page, ".pane h2", new RegExp(command.replace(".", "\\.")));
    await page.waitForSelector('.line a[href*="/inbox/"]');
    await isWell(page, `task-${isWide ? "wide" : "phone"}-${language}`);
    await tabTo(page, ".pane .btn.no");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".pane .btn.no.armed");
    await page.keyboard.press("Enter");
    await counts(page, ".pane .btn.no", 0);
    await reads(page, ".card", language === "fr" ? /a demandé son annulation/ : /asked to cancel it/);
    await stage.until(stage.ann, `/tasks/${id}`, (found) => found.cancelled);
  });
});

// Input: an agent of the configuration, one of whose patterns matches nothing. Expected: its page says what it is for, what it may
// ask for, what matches nothing, and what it reads first.
test("declared_agents_are_shown", async () => {
  await everywhere(async ({ page }, language, isWide) => {
    await page.goto(`${stage.url}/settings/agents`);
    await reads(page, ".lines li:has(summary)", /Clerk[\s\S]*Knows the jobs\.[\s\S]*zones\.\*/);
    await reads(page, ".lines .wait", /nothing\.\*/);
    await tabTo(page, ".lines summary");
    await page.keyboard.press("Enter");
    await reads(page, ".lines details[open] pre", /You know the jobs\./);
    await isWell(page, `agents-${isWide ? "wide" : "phone"}-${language}`);
  });
});

// Input: a chat whose model has a price, beside chats whose models have none. Expected: by keyboard alone a person reaches what it
// cost, in all, as a picture with its table, by automation, model and person; another period is read anew, and one without
// calls says so.
test("money_is_shown_for_a_period", async () => {
  await stage.chat(stage.ann, "A priced chat", "Go", { provider: "priced" });
  await stage.until(stage.ann, "/costs?by=model", (found) => found.rows.some((one) => one.key.startsWith("priced/") && one.usage.cost_usd === "0.0045"));
  await everywhere(async ({ page }, language, isWide) => {
    await page.goto(`${stage.url}/settings`);
    await tabTo(page, 'a[href$="/settings/costs"]');
    await page.keyboard.press("Enter");
    await reads(page, ".money-total", /≥ 0\.0045 \$/);
    await counts(page, 'svg.chart[role="img"]', 1);
    await counts(page, ".pane table.plain", 4);
    await reads(page, ".pane table:has-text('priced/')", /priced\/\S+\s+1\s+0\.0045 \$/);
    await reads(page, ".card > section:last-of-type table", /ann/);
    await isWell(page, `costs-${isWide ? "wide" : "phone"}-${language}`);
    const from = await page.inputValue("#money-from");
    await tabTo(page, "#money-period");
    await page.keyboard.press("Home");
    await page.waitForFunction((before) => document.getElementById("money-from").value > before, from);
    await reads(page, ".money-total", /0\.0045/);
    await page.fill("#money-from", "2020-01-01");
    await page.fill("#money-until", "2020-01-02");
    await reads(page, ".pane .empty", language === "fr" ? /Aucun modèle/ : /No model was called/);
    assert.equal(await page.inputValue("#money-period"), "own");
  });
});

// Input: two chats below a cap whose first call was lost. Expected: the page of money says what is uncertain and lists both calls, and
// by keyboard alone a person says what each cost, which then counts; an amount that is none is not sent.
test("lost_calls_are_settled_on_the_page_of_money", async () => {
  assert.equal(stage.run("workspace", "settings", "set", "budget.tree=1000 USD", "budget.unknown_price=tokens").code, 0);
  for (const name of ["A lost call", "Another lost call"]) await stage.chat(stage.ann, name, "Go", { provider: "dropped" });
  const isLost = (row) => Number(row.reservations?.uncertain.cost_usd ?? 0) > 0;
  await stage.until(stage.ann, "/costs?by=attempt", (found) => found.rows.filter(isLost).length === 2 && found.rows.filter((row) => !row.reservations && row.usage.cost_usd === "0.0045").length >= 2);
  await everywhere(async ({ page }, language, isWide) => {
    const left = isWide ? 2 : 1;
    await page.goto(`${stage.url}/settings/costs`);
    await counts(page, ".uncertain-calls li", left);
    await reads(page, ".card ul.small", language === "fr" ? /Incertain/ : /Uncertain/);
    assert.match(await page.getAttribute(".uncertain-calls li a", "href"), /\/sessions\/ses_\w+\/prompt\/mc_\w+$/);
    await tabTo(page, ".uncertain-calls summary");
    await page.keyboard.press("Enter");
    await tabTo(page, ".uncertain-calls input");
    await page.keyboard.type("much");
    await page.keyboard.press("Enter");
    await page.waitForSelector('.uncertain-calls input[aria-invalid="true"]');
    await isWell(page, `costs-uncertain-${isWide ? "wide" : "phone"}-${language}`);
    await page.keyboard.press("Control+a");
    await page.keyboard.type(language === "fr" ? "0,25" : "0.25");
    await page.keyboard.press("Enter");
    await counts(page, ".uncertain-calls li", left - 1);
    const { rows } = await stage.ask(stage.ann, "GET", "/costs?by=attempt");
    assert.deepEqual([rows.filter(isLost).length, rows.filter((row) => row.usage.cost_usd === "0.25").length], [left - 1, 3 - left]);
  });
});

// Input: two presses of an operator. Expected: a backup with its file, a check without a fault, and what is not here.
test("backup_is_made_and_database_checked", async () => {
  await everywhere(async ({ page }, language, isWide) => {
    await page.goto(`${stage.url}/settings/backups`);
    await tabTo(page, ".card .btn.go");
    await page.keyboard.press("Enter");
    await reads(page, '.card p[role="status"]', language === "fr" ? /faite : .*\.db/ : /made: .*\.db/);
    await tabTo(page, ".card .btn:not(.go)");
    await page.keyboard.press("Enter");
    await reads(page, ".card .line.ok", language === "fr" ? /Aucun défaut/ : /No fault/);
    await isWell(page, `backups-${isWide ? "wide" : "phone"}-${language}`);
  });
});

// Input: Ctrl+K and names, by keyboard alone. Expected: it goes to pages, a session and an automation, presses a button of the page,
// gives one that decides only the focus, and Escape gives the focus back; the list at `?` names it.
test("palette_goes_and_acts_by_keyboard_alone", async () => {
  await everywhere(async ({ page }, language, isWide) => {
    const say = language === "fr" ? { settings: ["reglages", "Réglages"], select: ["choisir", "Choisir"], reject: ["refuser", "Refuser"] } : { settings: ["settings", "Settings"], select: ["select", "Select"], reject: ["reject", "Reject"] };
    await seek(page, ...say.settings);
    await isWell(page, `palette-${isWide ? "wide" : "phone"}-${language}`);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/settings$/);
    await counts(page, "dialog", 0);
    await seek(page, "larribe st", "Quote for the Larribe stairs");
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`/sessions/${ids.plain}`));
    await counts(page, "dialog", 0);
    await seek(page, "count boards", "Count the boards");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/automations\/\w+/);
    await page.goto(`${stage.url}/inbox`);
    await page.waitForSelector(".list .it");
    // The palette knows the buttons that are there when it opens.
    await page.waitForSelector(`main .view button:enabled:visible:has-text("${say.select[1]}")`);
    await seek(page, ...say.select);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".with-box");
    const [item] = (await stage.ask(stage.ann, "GET", "/inbox?command=invoices.update")).items;
    await page.goto(`${stage.url}/inbox/${item.id}`);
    await page.waitForSelector("#decide .no");
    // What is below hears no key, and what decides is only reached.
    await seek(page, ...say.reject);
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement?.matches("#decide .no"));
    await counts(page, "#decide textarea, #decide input", 0);
    await counts(page, "dialog", 0);
    await openPalette(page);
    await counts(page, '#palette-0[aria-selected="true"]', 1);
    await page.keyboard.press("ArrowDown");
    await counts(page, '#palette-1[aria-selected="true"]', 1);
    await page.keyboard.press("Escape");
    await counts(page, "dialog", 0);
    await page.waitForFunction(() => document.activeElement?.matches("#decide .no"));
    await page.keyboard.press("?");
    await page.waitForSelector(`.keys-help dd:has-text("${language === "fr" ? "une page, une session" : "a page, a session"}")`);
  });
});

// Input: a filter that a person names, by keyboard alone. Expected: it is there again in a new tab and in the palette, not in another
// workspace, and goes when it is removed.
test("saved_filters_are_kept_per_workspace", async () => {
  await everywhere(async ({ page, context }, language, isWide) => {
    const openFields = async (on) => {
      await tabTo(on, ".tools-row button");
      await on.keyboard.press("Enter");
      await on.waitForSelector("#filters .saved", { state: "attached" });
    };
    await openFields(page);
    await tabTo(page, "#filters select");
    await page.keyboard.press("ArrowDown");
    await tabTo(page, ".saved input");
    await page.keyboard.type("To decide <b>");
    await page.keyboard.press("Enter");
    await reads(page, '.saved [aria-pressed="true"]', /^To decide <b>$/);
    await isWell(page, `filter-${isWide ? "wide" : "phone"}-${language}`);
    // Of another tab nothing is filtered yet.
    const other = await context.newPage();
    await other.goto(`${stage.url}/inbox`);
    await other.waitForSelector(".list .it");
    await openFields(other);
    await tabTo(other, '.saved [aria-pressed="false"]');
    await other.keyboard.press("Enter");
    await reads(other, '.saved [aria-pressed="true"]', /^To decide/);
    assert.equal(await other.locator("#filters select").first().inputValue(), "approval");
    await other.goto(`${stage.url}/library`);
    await other.waitForSelector("body.in .list");
    await seek(other, "to decide", "To decide <b>");
    await other.keyboard.press("Enter");
    await other.waitForURL(/\/inbox/);
    await other.waitForSelector(".list .it");
    await other.evaluate(() => localStorage.setItem("entracte-workspace", "local:second"));
    await other.goto(`${stage.url}/inbox`);
    await other.waitForSelector(".list .empty");
    await openFields(other);
    await counts(other, ".saved [aria-pressed]", 0);
    await other.close();
    await tabTo(page, ".saved .bare");
    await page.keyboard.press("Enter");
    await counts(page, ".saved [aria-pressed]", 0);
  });
});

// Input: a tab that keeps what it sought, of a server that says late whose it is. Expected: the list shows what its fields say.
test("list_shows_what_its_fields_say_after_a_late_answer", async () => {
  const { page, context } = await visit();
  await context.addInitScript(() => sessionStorage.setItem("entracte-inbox", JSON.stringify({ kind: "question" })));
  await page.route("**/v1/me", async (route) => {
    await page.waitForSelector(".list", { state: "attached" });
    await route.continue();
  });
  await page.goto(`${stage.url}/inbox`);
  await reads(page, ".list .head [role=status]", /of/);
  const kinds = await page.locator(".list .it .sr").allTextContents();
  assert.deepEqual([...new Set(kinds)], ["Question: "]);
});

// Input: somebody whose browser was last used two hours ago; meanwhile sessions ended and failed, and somebody else decided. Expected:
// one line says how many, leads to who decided what, and is gone then.
test("who_comes_back_reads_what_happened", async () => {
  const decided = await stage.chat(stage.ann, "Files of a client", "Make a zone", { provider: "zone" });
  const { items } = await stage.until(stage.ann, `/approvals?session=${decided}`, (found) => found.items.length === 1);
  const card = await stage.ask(stage.noe, "GET", `/approvals/${items[0].id}`);
  await stage.ask(stage.noe, "POST", `/approvals/${items[0].id}/decision`, { decision: "reject", reason: "Not now." }, { "if-match": `"${card.digest}"` });
  for (const name of ["Ended well", "Ended badly"]) {
    const made = await stage.ask(stage.ann, "POST", "/sessions", { name, provider: "plain" });
    await stage.ask(stage.ann, "POST", `/sessions/${made.id}/stop`, { end: true });
  }
  await everywhere(async ({ page }, language, isWide) => {
    await page.route(/\/sessions\?.*since=/, amend((found) => ({ ...found, items: found.items.map((one) => (one.name === "Ended badly" ? { ...one, end_reason: "ERROR" } : one)) })));
    await page.evaluate(() => localStorage.setItem("entracte-seen:local:main", String(Date.now() - 2 * 3_600_000)));
    await page.goto(`${stage.url}/inbox`);
    await reads(page, ".left-note", language === "fr" ? /Depuis votre départ.*1 session a échoué, 1 terminée, \d+ (a|ont) avancé/s : /Since you left.*1 session failed, 1 ended, \d+ went on/s);
    await isWell(page, `left-note-${isWide ? "wide" : "phone"}-${language}`);
    await tabTo(page, ".left-note a");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/sessions\/since$/);
    await reads(page, `.card .box:has(h3:has-text("${language === "fr" ? "Échecs" : "Failed"}"))`, /Ended badly/);
    await reads(page, `.card .box:has(h3:has-text("${language === "fr" ? "Décidé" : "Decided"}"))`, /zones\.\w+[\s\S]*noe/);
    await counts(page, ".left-note", 0);
    await isWell(page, `left-${isWide ? "wide" : "phone"}-${language}`);
    await page.goto(`${stage.url}/inbox`);
    await page.waitForSelector(".list .it");
    await page.waitForTimeout(900);
    await counts(page, ".left-note", 0);
  });
});
