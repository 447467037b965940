// Every view: what it lets through, who can use it, how fast it is, and what it looks like.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, afterEach, before, test } from "node:test";
import { amend, close, counts, leave, login, PHONE, screen, tasks, violations, visitor, WIDE } from "./browser.mjs";
import { fill, inbox, scene } from "./scene.mjs";
import { W } from "./stage.mjs";
import { INHERITED, VECTORS } from "./vectors.mjs";

// The short form walks through every view once.
const SHORT = process.env.CONSOLE_SHORT ? "short form" : false;

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

let stage;
let paths;

before(async () => {
  stage = await scene();
  const made = stage.run("automation", "create", "Chase unpaid invoices", "--cron", "30 2 * * *", "--message", "Remind those who are late", "--provider", "plain");
  assert.equal(made.code, 0, made.err);
  const ids = await fill(stage);
  await stage.ask(stage.ann, "POST", `/automations/${made.out.trim()}/runs`, {});
  // Data of a month, on a scale and as numbers.
  const zone = (await stage.ask(stage.ann, "POST", "/zones", { name: "Health", description: "How I feel, and what I weigh" })).data.id;
  const tool = async (name, config) => (await stage.ask(stage.ann, "POST", "/tools", { zone, type: "tracking", name, config })).data.id;
  const [weight, mood] = [await tool("Weight", { kind: "numeric", unit: "kg" }), await tool("Mood", { kind: "scale", min: 1, max: 5 })];
  for (let day = 0; day < 24; day += 1) {
    const at = new Date(Date.now() - day * 86_400_000).toISOString();
    await stage.ask(stage.ann, "POST", `/tools/${weight}/entries`, { at, data: { value: Math.round(720 + day * 2 + 6 * Math.sin(day)) / 10 } });
    await stage.ask(stage.ann, "POST", `/tools/${mood}/entries`, { at, data: { value: 1 + ((day * 7) % 5) } });
  }
  const calls = await stage.until(stage.ann, `/sessions/${ids.reads}/model-calls`, (found) => found.items.length > 1);
  const items = await inbox(stage);
  const id = (holds) => items.find(holds).id;
  paths = {
    inbox: `/inbox/${id((item) => item.says?.includes("Workshop"))}`,
    "inbox-marked": `/inbox/${id((item) => item.command === "invoices.update")}`,
    "inbox-question": `/inbox/${id((item) => item.kind === "question")}`,
    sessions: `/sessions/${ids.plain}`,
    "sessions-approval": `/sessions/${ids.zone}`,
    "sessions-detail": `/sessions/${ids.reads}/detail`,
    "sessions-prompt": `/sessions/${ids.reads}/prompt/${calls.items[0].id}`,
    "sessions-tasks": "/sessions/tasks",
    "sessions-since": "/sessions/since",
    automations: "/automations",
    "automations-new": "/automations/new",
    "automations-one": `/automations/${made.out.trim()}`,
    world: "/world",
    "world-tool": `/world/${zone}/${weight}`,
    "world-scale": `/world/${zone}/${mood}`,
    library: "/library",
    "library-new": "/library/texts/new",
    settings: "/settings/workspace",
    "settings-approvals": "/settings/approvals",
    "settings-agents": "/settings/agents",
    "settings-http-tools": "/settings/http-tools",
    "settings-costs": "/settings/costs",
    "settings-backups": "/settings/backups",
    "settings-logs": "/settings/logs",
    "settings-server": "/settings/server",
    "settings-targets": "/settings/targets",
    "settings-secrets": "/settings/secrets",
    "settings-tokens": "/settings/tokens",
    "settings-browser": "/settings/this-browser",
  };
  await stage.until(stage.ann, `/sessions/${ids.plain}/messages`, (found) => found.items.some((one) => one.role === "ai"));
});

afterEach(leave);

after(async () => {
  await close();
  await stage.end();
});

const settled = (page) => page.waitForFunction(() => document.querySelector(".list, .page") && !document.querySelector(".skeleton") && document.querySelector("main")?.textContent.length > 25 && !/Loading…|Chargement…/.test(document.body.textContent));

/** Whether anything is wider than what it stands in. */
const isWhole = (page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && [...document.querySelectorAll(".scroll, .items, .page")].every((box) => box.scrollWidth <= box.clientWidth + 1));

const TWO = [["light", "wide", WIDE], ["dark", "narrow", PHONE]];
const FOUR = [...TWO, ["dark", "wide", WIDE], ["light", "narrow", PHONE]];

/** Each view in themes and widths. @param {(name: string, seen: string) => Promise<void>} look */
const everyView = async (visit, looks, look) => {
  const { page } = visit;
  for (const [theme, width, viewport] of looks) {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize(viewport);
    for (const [name, path] of Object.entries(paths)) {
      await page.goto(stage.url + path);
      await settled(page);
      await page.waitForTimeout(100);
      await look(name, `${theme}-${width}`);
    }
  }
};

test("csp_has_no_violation", { skip: SHORT }, async () => {
  for (const language of ["en", "fr"]) {
    const visit = await login(await visitor(await again(), { language }));
    const { page } = visit;
    await page.evaluate((chosen) => localStorage.setItem("entracte-language", chosen), language);
    const found = [];
    await everyView(visit, language === "en" ? FOUR : TWO, async (name, seen) => {
      await screen(page, `${name}-${seen}-${language}`);
      if (!(await isWhole(page))) found.push(`${name} ${seen} ${language}: something is cut off at the side`);
      found.push(...(await violations(page)).map((one) => `${name}: ${one}`));
    });
    assert.deepEqual([[...new Set(found)], visit.faults, visit.elsewhere], [[], [], []]);
  }
});

test("axe_finds_nothing_serious", { skip: SHORT }, async () => {
  // The checker makes its own scripts, which the policy of the page does not let in.
  const visit = await login(await visitor(await again(), { bypassCSP: true }));
  const { page } = visit;
  const found = [];
  await everyView(visit, TWO, async (name, seen) => {
    await page.addScriptTag({ path: AXE });
    const faults = await page.evaluate(async () => (await globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"] })).violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(" ")).slice(0, 3).join(", ")}`));
    found.push(...faults.map((fault) => `${name} ${seen}: ${fault}`));
  });
  assert.deepEqual(found, []);
});

/** The link works once, so each login starts the server anew. */
const again = async () => {
  await stage.kill();
  return stage.serve();
};

test("xss_vectors_stay_text", async () => {
  assert.ok(VECTORS.length >= 150, `${VECTORS.length}`);
  const many = VECTORS.join("\n\n");
  const visit = await login(await visitor(await again()));
  const { page } = visit;
  const answered = (body) => (route) => route.fulfill({ json: body });
  const at = new Date().toISOString();
  // As the server would say them, had a model, a tool, an MCP server, a file or a session such a name.
  const session = { id: "ses_x", workspace: W, name: VECTORS[0], kind: "chat", standing: "open", phase: "IDLE", parked: null, open_by: [], provider: VECTORS[1], model: VECTORS[2], dialect: "tools", require_validation: false, commands: null, automation: null, occurrence: null, rounds: 1, calls: 1, unsettled: [], queued_messages: VECTORS.slice(0, 3), created_at: at, last_activity: at, wake_at: null, wake_reason: null, usage: { input: 0, cache_read: 0, cache_write: 0, output: 0, cost_usd: null, cost_at_least: false }, end_reason: null };
  const message = (id, role, text, more = {}) => ({ id: `msg_x_${id}_0`, at, role, author: VECTORS[3], type: role === "ai" ? "ai" : "text", text, post_text: null, question: null, plan: [], results: [], in_prompt: true, ...more });
  const messages = [
    ...VECTORS.map((text, n) => message(n + 10, "ai", text, { plan: [text] })),
    message(5, "system", many, { type: "ACTIONS_EXECUTED", results: VECTORS.slice(0, 40).map((text) => ({ call: "none", command: text, status: "succeeded", code: null, content: text })) }),
    message(4, "ai", many, { question: { type: "multiple_choice", text: VECTORS[4], options: VECTORS.slice(0, 20), allow_other: true } }),
    message(3, "user", many),
  ];
  const call = (n, text) => ({ id: `cal_x_${n}_0`, command: text, kind: "action", effect: "once", arguments: { [text]: text }, arguments_text: JSON.stringify({ [text]: text }), proposed: { text }, state: "succeeded", attempt: 1, decision: "edited", decided_by: text, rule: null, comments: [{ by: text, at, text }], requested_at: at, started_at: at, finished_at: at, code: null, content: text });
  const card = (n, text) => ({ kind: "approval", id: `apr_x_${n}`, digest: "d".repeat(64), changed: true, session: "ses_x", session_name: text, chain: [{ session: "ses_y", name: text, agent: text, mission: text }], call: `cal_x_${n}_0`, effect: "once", destructive: true, egress: true, irreversible: true, says: text, command: text, target: { method: text, url: text, headers: { [text]: text } }, arguments: { [text]: text }, arguments_text: JSON.stringify({ [text]: text, long: text.repeat(40), ...Object.fromEntries(INHERITED.map((name) => [name, text])) }), before: { [text]: text, other: text }, after: { [text]: `${text}!`, other: `${text}?` }, marks: [text], warnings: [text], reasons: [{ level: "ai_request", text }, { level: "catalog", text }], waits_for: [text], always: { [text]: { is: text } }, requester: text, automation: text, asked_at: at, expires_at: new Date(Date.now() + 1e9).toISOString() });
  const items = VECTORS.map((text, n) => card(n, text));
  items.push({ kind: "question", id: "question:ses_x", session: "ses_x", session_name: many, chain: [{ session: "ses_y", name: many, agent: many, mission: many }], requester: many, automation: null, asked_at: at, question: { type: "multiple_choice", text: many, options: VECTORS, allow_other: true } });
  items.push({ kind: "task", id: "task:tsk_x", session: "ses_x", session_name: many, chain: [], requester: many, automation: null, asked_at: at, why: "contradicted", task: "tsk_x", command: many, state: "completed", question: null, form: null });
  const fields = Object.fromEntries(VECTORS.slice(0, 20).map((text) => [text, { type: "string", title: text, description: text, default: text, enum: VECTORS.slice(0, 3) }]));
  items.push({ kind: "task", id: "task:tsk_y", session: "ses_x", session_name: many, chain: [], requester: many, automation: null, asked_at: at, why: "asks", task: "tsk_y", command: many, state: "completed", question: many, form: [{ key: VECTORS[0], message: many, schema: { type: "object", properties: fields, required: VECTORS.slice(0, 2) }, url: null }, { key: VECTORS[1], message: many, schema: null, url: "https://example.org/" }] });
  items.push({ kind: "tools", id: "tools:srv", session: "", session_name: many, chain: [], requester: null, automation: null, asked_at: at, server: many, counts: { tools: 3, asking: 2, sending_out: 1, undecided_queries: 1, undecided_actions: 1 }, waiting: ["apr_x_1"] });
  const page_ = (all) => ({ items: all, next: null });
  await page.route(/\/inbox\?/, answered(page_(items)));
  const hints = { read_only: true, destructive: null, idempotent: false, open_world: null };
  const server = (text, n) => ({ server: text, digest: "d".repeat(64), undecided: n % 2 === 0, changed_at: at, tools: VECTORS.slice(0, 10).map((name) => ({ tool: name, command: name, kind: "query", asks: true, decided_by: "server", sends_out: null, hints, undecided: true })) });
  await page.route(/\/tool-servers\?/, answered(page_(VECTORS.slice(0, 5).map(server))));
  await page.route(/\/tool-servers\/[^?]*$/, answered(server(VECTORS[0], 0)));
  await page.route(/\/commands\?/, answered(page_(VECTORS.map((text) => ({ name: text, word: text, kind: "action", effect: "once", destructive: true, egress: true, doc: text, parameters: { type: "object", required: [text], properties: { [text]: { type: "string", description: text, enum: [text, "other"] } } }, example: null })))));
  await page.route(/\/sessions\?/, answered(page_(VECTORS.map((text, n) => ({ id: `ses_${n}`, name: text, kind: "chat", standing: "open", phase: text, waiting: false, last_activity: at, created_at: at, wake_at: null, end_reason: null })))));
  await page.route(/v1\/.*\/sessions\/ses_x$/, answered(session));
  await page.route(/\/messages\?/, answered(page_(messages)));
  await page.route(/\/calls\?/, answered(page_(VECTORS.map((text, n) => call(n + 10, text)))));
  await page.route(/\/automations\?/, answered(page_(VECTORS.slice(0, 10).map((text, n) => ({ id: `aut_${n}`, name: text, state: "on", attention: text, trigger: { type: "cron", expression: text, zone: text }, policies: { catch_up_ms: null, latest_only: true, overlap: "skip" }, version: 1, next_at: null, last: null, seed: "ses_x", created_at: at, updated_at: at })))));
  await page.route(/\/(occurrences)\?/, answered(page_([])));
  await page.route(/\/next$/, answered({ instants: [], fault: null }));
  await page.route(/\/providers\?/, answered(page_(VECTORS.map((text) => ({ name: text, kind: text, model: text, dialect: text, base_url: text, default: true, key: text })))));
  await page.route(/\/rules\?/, answered(page_(VECTORS.map((text, n) => ({ id: `rul_${n}`, command: text, arguments: { [text]: { is: text } }, denies: text, author: text, made_at: at, expires_at: at, session: null, state: "open", version: text, revoked_at: null, revoked_by: text })))));
  const data = (kind, n, text, more) => ({ id: `${kind}${n}`, kind, name: text, parent: null, at: null, version: 1, fields: {}, created_at: at, updated_at: at, ...more });
  await page.route(/\/zones\?/, answered(page_(VECTORS.slice(0, 30).map((text, n) => data("z", n, text, { fields: { description: text, require_validation: true } })))));
  await page.route(/\/tools\?/, answered(page_(VECTORS.slice(0, 30).map((text, n) => data("t", n, text, { parent: `z${n}`, fields: { tool_type: text, require_validation: true, always_send: true, config: { [text]: text, unit: text, kind: text } } })))));
  await page.route(/\/entries\?/, answered(page_([...VECTORS.map((text, n) => data("e", n, text, { parent: "t0", at, fields: { data: { [text]: text, value: n, [`${text} `]: n } } })), data("e", "x", "no word", { parent: "t0", at, fields: { data: { value: { toString: "no function" } } } })])));
  const modelCall = (n, text) => ({ id: `mc_${n}`, session: "ses_x", sent_by: text, round: n, attempt: 2, sequence: n, at, recorded: text });
  const prompt = (n, body) => ({ ...modelCall(n, VECTORS[5]), provider: VECTORS[6], model: VECTORS[7], dialect: "tools", verdict: "matches", digest: VECTORS[8], failure: VECTORS[9], body, context_tokens: 10, estimated_tokens: 5 });
  await page.route(/\/model-calls\?/, answered(page_([modelCall(2, VECTORS[1]), modelCall(1, VECTORS[2])])));
  await page.route(/\/model-calls\/mc_2$/, answered(prompt(2, JSON.stringify(VECTORS))));
  await page.route(/\/model-calls\/mc_1$/, answered(prompt(1, JSON.stringify(VECTORS.slice(50)))));
  await page.route(/\/model-calls\/mc_2\/parts$/, answered({ parts: VECTORS.map((text) => ({ part: text, name: text, chars: 4, estimated_tokens: 1 })), estimated_tokens: 5, context_tokens: 10, chars_per_token: 4 }));
  await page.route(/\/targets\?/, answered(page_(VECTORS.map((text, n) => ({ id: `n${n}`, name: text, way: text, place: text, kinds: [text], person: text, created_at: at, disabled: text, full: true, links: true, private: true, gather_seconds: 1, quiet_hours: text, secret: text })))));
  await page.route(/\/me\/secrets$/, answered({ names: VECTORS }));
  await page.route(/\/people\?/, answered(page_(VECTORS.map((text, n) => ({ id: `p${n}`, name: text, workspace: null, created_at: at })))));
  await page.route(/\/tokens\?/, answered(page_(VECTORS.map((text, n) => ({ id: `k${n}`, name: text, kind: text, scopes: [text], session: text, origins: [text], workspace: text, person: { id: "p", name: text, created_at: at }, created_at: at, expires_at: null, last_used: null, revoked_at: null })))));
  const kept = (text, n) => ({ id: `doc_${n}`, name: text, title: text, lost_pages: [2], picture_pages: [3], hidden_texts: 4, outside_style_sheets: 5, broken_characters: 6, is_article_only: true, ocr_program: text, source: text, format: text, language: "en", digest: "d", bytes: 1, chunks: 1, author: text, added_at: at, changed_at: at });
  await page.route(/\/documents\?/, answered(page_(VECTORS.map(kept))));
  await page.route(/\/documents\/doc_1\?/, answered({ document: kept(VECTORS[1], 1), text: VECTORS.join("\n"), from: 0, to: 9, more: true }));
  const text = (more) => ({ key: "house", version: 1, text: VECTORS.join("\n"), last_refresh: VECTORS[3], diff: null, stale: null, note: null, by: null, proposals: [{ id: "prp_1", base: 1, stale: false, note: VECTORS[4], by: VECTORS[5], at: VECTORS[6] }], versions: VECTORS.map((note, version) => ({ version, at: note, note, by: note })), ...more });
  await page.route(/\/v1\/.*\/texts$/, answered({ items: VECTORS.map((key, n) => ({ key: n === 0 ? "house" : key, version: n, last_refresh: key, proposals: n })) }));
  await page.route(/\/v1\/.*\/texts\/house$/, answered(text({})));
  await page.route(/\/v1\/.*\/texts\/house\?/, answered(text({ diff: VECTORS.map((one) => `+${one}`).join("\n"), proposals: [], versions: [] })));
  const seen = [];
  const look = async (path, ready) => {
    await page.goto(stage.url + path);
    await page.waitForSelector(ready, { state: "attached" }).catch((error) => assert.fail(`${path}: ${error.message} ${visit.faults.join("; ")}`));
    await page.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = true)));
    await page.waitForTimeout(200);
    seen.push(...(await page.evaluate((where) => {
      const own = new Set(["A", "ARTICLE", "ASIDE", "B", "BLOCKQUOTE", "BODY", "BR", "BUTTON", "CAPTION", "CIRCLE", "CODE", "DATALIST", "DD", "DEL", "DETAILS", "DIV", "DL", "DT", "EM", "FIELDSET", "FIGCAPTION", "FIGURE", "FOOTER", "FORM", "H1", "H2", "H3", "H4", "HEADER", "HR", "I", "INPUT", "INS", "KBD", "LABEL", "LEGEND", "LI", "MAIN", "MARK", "NAV", "NOSCRIPT", "OL", "OPTION", "P", "PATH", "PRE", "Q", "RECT", "S", "SECTION", "SELECT", "SPAN", "STRONG", "SUMMARY", "SVG", "TABLE", "TBODY", "TD", "TEXT", "TEXTAREA", "TH", "THEAD", "TIME", "TITLE", "TR", "UL"]);
      const wrong = [];
      for (const one of document.querySelectorAll("#app *")) {
        if (!own.has(one.tagName.toUpperCase())) wrong.push(`${where}: <${one.tagName}>`);
        for (const { name, value } of one.attributes) {
          if (name.startsWith("on") || name === "srcdoc") wrong.push(`${where}: ${name}`);
          if ((name === "href" || name === "src") && !["#main", "#decide"].includes(value) && !/^(https?:\/\/|\/)/.test(value)) wrong.push(`${where}: ${name}=${value}`);
          if (name === "href" && value.startsWith("//")) wrong.push(`${where}: ${name}=${value}`);
        }
      }
      if (globalThis.__ran) wrong.push(`${where}: it ran`);
      return wrong;
    }, path)));
    seen.push(...(await violations(page)).map((one) => `${path}: ${one}`));
  };
  await look("/sessions/ses_x", ".ai");
  await look("/inbox/apr_x_0", ".card");
  for (const n of [1, 40, 90, 140]) {
    await look(`/inbox/apr_x_${n}`, ".card");
    await page.keyboard.press("e");
    await page.waitForTimeout(400);
    await page.keyboard.press("e");
  }
  await look("/inbox/question%3Ases_x", ".opts");
  await look("/automations", ".all");
  await look("/world/z0/t0", ".plain");
  await look("/library/documents/doc_1", ".library pre");
  await look("/library/texts/house", ".library ins");
  await look("/sessions/ses_x/prompt/mc_2", ".request");
  for (const part of ["providers", "commands", "approvals", "targets", "secrets", "people", "tokens"]) await look(`/settings/${part}`, ".lines");
  await look("/settings/tools", "tr th code");
  assert.deepEqual([...new Set(seen)].slice(0, 20), []);
  assert.deepEqual([visit.elsewhere, visit.faults], [[], []]);
  assert.ok((await page.title()).endsWith("Entracte"));
});

/** What a key did is drawn. By the page's own clock: one that stands still for a moment has drawn nothing, however long it is
 * waited for. */
const drawn = (page) => page.evaluate(() => new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 60)));

test("keyboard_alone_does_everything", async () => {
  const visit = await login(await visitor(await again()));
  const { page } = visit;
  const key = async (...keys) => {
    for (const one of keys) {
      await page.keyboard.press(one);
      await drawn(page);
    }
  };
  await page.waitForSelector(".it");
  // Down to the card of a zone, rejected with a reason.
  const at = async (words) => {
    await drawn(page);
    for (let steps = 0; steps < 8; steps += 1) {
      if ((await page.locator(".pane h2").first().textContent())?.includes(words)) break;
      await key("j");
    }
    assert.ok((await page.locator(".pane h2").first().textContent())?.includes(words), words);
    await page.waitForTimeout(350);
  };
  await key("k", "k", "k", "k", "k");
  await at("Suppliers");
  await key("r");
  await page.waitForFunction(() => document.activeElement?.matches(".reject textarea"));
  await page.keyboard.type("Not those, a e r stay letters.");
  await key("Control+Enter");
  await page.waitForSelector('.news:has-text("You rejected"):has-text("Recorded")', { state: "attached" });
  await key("k", "k", "k", "k", "k");
  await at("Workshop");
  await key("e");
  await page.waitForFunction(() => document.activeElement?.matches(".form :is(input, textarea, select)"));
  await key("Escape", "w");
  assert.ok(await page.evaluate(() => document.activeElement?.id === "why"));
  await key("a");
  await page.waitForSelector('.news:has-text("You approved"):has-text("Recorded")', { state: "attached" });
  // The focus is on the row that is open now.
  await page.waitForFunction(() => document.activeElement?.matches('.it[aria-current="true"]'));
  await key("k", "k", "k", "k", "k");
  await at("Keep the 40 mm");
  await key("2");
  await page.waitForSelector('.news:has-text("You answered “Leave them out"):has-text("Recorded")', { state: "attached" });
  // A chat, from its making to its answer.
  await key("g", "s");
  await page.waitForSelector(".sessions");
  await key("n");
  await page.waitForFunction(() => document.activeElement?.id === "message");
  await page.keyboard.type("Make the quote.");
  await key("Enter");
  await page.waitForSelector('.said:has-text("4,316 €")');
  for (const [letter, view] of [["a", "Automations"], ["w", "World"], [",", "Settings"], ["i", "Inbox"]]) {
    await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement)?.blur());
    await key("g", letter);
    await page.waitForFunction((name) => document.title.includes(name), view);
  }
  // Everything that can be pressed can be reached with Tab, and what has the focus is seen.
  const seen = new Set();
  for (let steps = 0; steps < 40; steps += 1) {
    await key("Tab");
    const focus = await page.evaluate(() => {
      const one = document.activeElement;
      if (!one || one === document.body) return null;
      const box = one.getBoundingClientRect();
      return { name: `${one.tagName} ${one.textContent?.trim().slice(0, 30)}`, isSeen: box.width > 0 && getComputedStyle(one).outlineStyle !== "none" };
    });
    if (focus) seen.add(focus.name);
  }
  assert.ok([...seen].some((name) => name.includes("Approve")) && [...seen].some((name) => name.includes("Settings")), [...seen].join("; "));
  assert.deepEqual(visit.faults, []);
});

/** A frame of a stream. */
const frame = (type, data, cursor) => `id: ${cursor}\nevent: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;

// Input: two reports of a running call; expected: its line shows the latest, and the second is no reason to read the session again.
test("progress_of_a_running_call_stands_in_its_line", async () => {
  const { page } = await login(await visitor(await again()));
  const id = await stage.chat(stage.ann, "Works", "Begin", { provider: "question" });
  await stage.until(stage.ann, "/inbox", (found) => found.items.some((item) => item.session === id));
  const at = "2099-01-01T00:00:00Z";
  const call = { id: "cal_x_1_0", command: "pages.read", kind: "query", state: "started", arguments_text: "{}", proposed: null, decision: null, decided_by: null, content: null, attempt: 1, requested_at: at, started_at: at, finished_at: null };
  let reads = 0;
  await page.route(/v1\/.*\/calls\?/, (route) => {
    reads += 1;
    route.fulfill({ json: { items: [call], next: null } });
  });
  const level = (text, percent) => frame("session", { session: id, phase: "EXECUTING_DATA_QUERIES", standing: "active", place: null, waiting: [], plan: null, calls: [{ id: call.id, command: call.command, state: call.state, progress: { text, percent } }] }, "9");
  const told = [level("Page 1", 14), level("Page <b>3</b>", 42), level("Page <b>3</b>", 42)];
  let opened = 0;
  // The second report comes when the first was seen, however slow the machine is.
  let see;
  const isSeen = new Promise((resolve) => {
    see = resolve;
  });
  await page.route(/\/stream\?/, async (route) => {
    opened += 1;
    const body = told.shift();
    if (opened > 1) await isSeen;
    if (body) route.fulfill({ contentType: "text/event-stream", body });
  });
  await page.goto(`${stage.url}/sessions/${id}`);
  await page.waitForSelector('.call .call-progress:has-text("Page 1")');
  const before = reads - opened;
  see();
  await page.waitForSelector('.call .call-progress:has-text("42\u202f% · Page <b>3</b>")');
  await counts(page, ".call .call-progress b", 0);
  // A stream that is opened again, as each of these is after its frame, reads once.
  assert.ok(reads - opened - before <= 1, `the calls were read ${reads - opened - before} times more than streams were opened`);
});

test("words_that_come_stand_below_and_lost_ones_are_struck", async () => {
  const { page } = await login(await visitor(await again()));
  const id = await stage.chat(stage.ann, "Streams", "Begin", { provider: "question" });
  await stage.until(stage.ann, "/inbox", (found) => found.items.some((item) => item.session === id));
  const chunk = (text, offset) => frame("stream_chunk", { attempt: 7, channel: "text", offset, text }, `7.7.${offset}`);
  const told = [
    frame("stream_start", { attempt: 7, model_call: "mc_1" }, "7.7.0") + chunk("At **ni", 0) + chunk("ght** <b>all</b>", 7),
    frame("stream_superseded", { attempt: 7, reason: "lost" }, "8"),
  ];
  const asked = [];
  await page.route(/\/stream\?/, (route) => {
    asked.push(new URL(route.request().url()).searchParams.get("after"));
    const body = told.shift();
    if (body) route.fulfill({ contentType: "text/event-stream", body });
  });
  // What is stored is not told while the words come.
  await page.route(/v1\/.*\/messages\?/, (route) => route.fulfill({ json: { items: [], next: null } }));
  await page.route(new RegExp(`v1/.*/sessions/${id}$`), amend((found) => ({ ...found, phase: "CALLING_AI" })));
  await page.goto(`${stage.url}/sessions/${id}`);
  await page.waitForSelector('.live .said:has-text("At night <b>all</b>")');
  await counts(page, ".live .said strong", 1);
  await counts(page, ".live .said b", 0);
  await page.waitForSelector(".live .said.lost");
  assert.deepEqual(asked.slice(0, 2), ["now", "7.7.7"], "it goes on from its cursor");
});

/**
 * The longest task of a page while something is done, in milliseconds: the least of two times, since a machine that does
 * something else for a moment makes a task long once, and a page that is slow makes it long again.
 * @param chances how many tasks are left out, where what the page does comes again more often than that
 * @param prepare what is done before each time, and is not measured
 */
const longest = async (done, { chances = 0, prepare = async () => {} } = {}) => {
  const once = async () => {
    await prepare();
    const all = await tasks(done);
    assert.ok(all.length > 50, `${all.length} tasks are in the trace`);
    return all[chances];
  };
  const first = await once();
  return first < BAR ? first : Math.min(first, await once());
};

/** Milliseconds: the bar of the design. A debug tool may need more. */
const BAR = Number(process.env.CONSOLE_LONGEST_TASK ?? 50);

test("ten_thousand_rows_scroll", { skip: SHORT }, async () => {
  const { page } = await login(await visitor(await again()));
  const at = Date.now();
  const all = Array.from({ length: 10_000 }, (_, n) => ({ id: `ses_${n}`, name: `Session ${n}`, kind: "chat", standing: "ended", phase: "IDLE", waiting: false, last_activity: new Date(at - n * 1000).toISOString(), created_at: new Date(at).toISOString(), wake_at: null, end_reason: "COMPLETED" }));
  await page.route(/\/sessions\?/, (route) => {
    const query = new URL(route.request().url()).searchParams;
    const from = Number(query.get("after") ?? 0);
    const items = query.get("waiting") || query.get("standing") ? [] : all.slice(from, from + 200);
    route.fulfill({ json: { items, next: items.length && from + 200 < all.length ? String(from + 200) : null } });
  });
  const prepare = async () => {
    await page.goto(`${stage.url}/sessions`);
    await page.waitForSelector('.it:has-text("Session 0")');
  };
  const scroll = async () => {
    for (let steps = 0; steps < 1500; steps += 1) {
      const isDone = await page.evaluate(() => {
        const box = document.querySelector(".rows");
        box.scrollTop += 4000;
        return document.querySelector(".shown")?.textContent.includes("Session 9999");
      });
      if (isDone) break;
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    }
  };
  // Fifty pages are read and drawn on the way.
  const ms = await longest(scroll, { prepare, chances: 4 });
  await page.waitForSelector('.it:has-text("Session 9999")');
  const rows = await page.locator(".rows .it").count();
  assert.ok(rows < 60, `${rows} rows are there at once`);
  assert.ok(ms < BAR, `a task of ${ms} ms`);
  console.log(`# 10,000 sessions: ${rows} rows at once, longest task ${ms} ms`);
});

test("a_long_conversation_scrolls", { skip: SHORT }, async () => {
  const { page } = await login(await visitor(await again()));
  const id = await stage.chat(stage.ann, "Long", "Begin", { provider: "plain" });
  const at = Date.now();
  const all = Array.from({ length: 5000 }, (_, n) => ({ id: `msg_x_${5000 - n}_0`, at: new Date(at - n * 1000).toISOString(), role: n % 2 ? "user" : "ai", author: "ann", type: "text", text: `Message **${5000 - n}** with some words in it.`, post_text: null, question: null, plan: [], results: [], in_prompt: true }));
  await page.route(/\/messages\?/, (route) => {
    const from = Number(new URL(route.request().url()).searchParams.get("after") ?? 0);
    route.fulfill({ json: { items: all.slice(from, from + 100), next: from + 100 < all.length ? String(from + 100) : null } });
  });
  await page.goto(`${stage.url}/sessions/${id}`);
  await page.waitForSelector('.talk :text("5000")');
  const scroll = async () => {
    for (let steps = 0; steps < 60; steps += 1) {
      await page.evaluate(() => (document.querySelector(".talk-scroll").scrollTop -= 2000));
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    }
  };
  const ms = await longest(scroll);
  assert.ok((await page.locator(".talk article").count()) <= 420, "no more than four pages are there");
  assert.ok(ms < BAR, `a task of ${ms} ms`);
  console.log(`# 5,000 messages: longest task ${ms} ms`);
});

test("the_first_view_is_small_and_readable_at_once", async () => {
  const visit = await login(await visitor(await again()));
  const { page, context } = visit;
  const fresh = await context.newPage();
  const client = await context.newCDPSession(fresh);
  await client.send("Network.enable");
  let bytes = 0;
  const kinds = new Map();
  client.on("Network.responseReceived", ({ requestId, response }) => kinds.set(requestId, response.url));
  client.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (!kinds.get(requestId)?.includes("/v1/")) bytes += encodedDataLength;
  });
  await client.send("Network.setCacheDisabled", { cacheDisabled: true });
  const began = Date.now();
  await fresh.goto(`${stage.url}/inbox`);
  await fresh.waitForSelector(".pane h2, .pane .empty");
  const ms = Date.now() - began;
  assert.ok(bytes > 0 && bytes < 100 * 1024, `${bytes} bytes`);
  console.log(`# first view: ${bytes} bytes over the wire without data, card readable after ${ms} ms`);
  await page.close();
});
