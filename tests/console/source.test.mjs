// What the console is made of, without a browser.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { lines, words } from "../../adapters-http/console/core/diff.js";
import { laidOut, members, object, plain, pretty } from "../../adapters-http/console/core/json.js";
import { hasHidden, mixed, parts } from "../../adapters-http/console/core/visible.js";
import { appears, approve, argumentsOf, atLocal, card, changes, daysOf, desk, draftOf, failed, fieldsOf, form, holdsBack, isReadable, localOf, mayBeSelected, NoAnswer, onPress, pastedFiles, pressed, Problem, readEvents, rowsOf, sendDraft, state, table, ticks, touched, triage, triagePanel, useZone, write } from "./form.mjs";
import { DOCUMENT, PLACE, shapes } from "./shapes.mjs";
import { INHERITED } from "./vectors.mjs";

const all = async (language) => Object.assign({}, ...(await Promise.all(["", "-views", "-forms", "-files", "-settings", "-models", "-page"].map((group) => import(`../../adapters-http/console/texts/${language}${group}.js`)))).map((found) => found.default));
const [en, fr] = [await all("en"), await all("fr")];

const CONSOLE = fileURLToPath(new URL("../../adapters-http/console/", import.meta.url));
const files = readdirSync(CONSOLE, { recursive: true }).filter((file) => file.endsWith(".js") && !file.startsWith("vendor"));
const read = (file) => readFileSync(CONSOLE + file, "utf8");

test("english_and_french_say_the_same_things", () => {
  assert.deepEqual(Object.keys(fr).sort(), Object.keys(en).sort());
  const places = (text) => [...new Set([...text.matchAll(/\{(\w+)/g)].map((place) => place[1]))].sort();
  for (const [key, text] of Object.entries(en)) assert.deepEqual(places(fr[key]), places(text), key);
});

test("each_text_stands_once", () => {
  for (const language of ["en", "fr"]) {
    const keys = files.filter((file) => file.startsWith(`texts/${language}`)).flatMap((file) => [...read(file).matchAll(/^ {2}"([^"]+)":/gm)].map((found) => found[1]));
    assert.deepEqual(keys.filter((key, at) => keys.indexOf(key) !== at), []);
  }
});

test("every_text_that_is_asked_for_is_there", () => {
  for (const file of files) {
    for (const [, key] of read(file).matchAll(/\b(?:t|rich|has)\("([\w.-]+)"/g)) assert.ok(key in en, `${file}: ${key}`);
  }
});

// A word without a text would be shown as it is, which is English.
test("every_word_of_the_machine_has_its_text", () => {
  const source = (file) => readFileSync(fileURLToPath(new URL(`../../domain/src/${file}`, import.meta.url)), "utf8");
  const words = (file, name) => [...source(file).split(`pub enum ${name} {`)[1].split("\n    }")[0].matchAll(/ = "(\w+)"/g)].map((found) => found[1]);
  const said = [
    ["call", words("call.rs", "CallStatus")],
    ["end", words("session/facts.rs", "EndReason")],
    ["message", words("message.rs", "SystemKind")],
    ["rule", words("validation/standing_approval.rs", "RuleState")],
    ["step", words("plan.rs", "PlanStepState")],
    ["wake", words("session/wake.rs", "WakeReason")],
    ["entry", words("session/input.rs", "InputKind")],
  ];
  for (const [kind, all] of said) {
    assert.ok(all.length > 2, kind);
    for (const word of all) assert.ok(`${kind}.${word.toLowerCase()}` in fr, `${kind}.${word.toLowerCase()}`);
  }
});

test("every_route_is_in_the_document", () => {
  const routes = [...read("core/api.js").matchAll(/^ {2}(\w+): \["(\w+)", "([^"]+)"\]/gm)];
  assert.ok(routes.length > 30);
  for (const [, operation, method, path] of routes) {
    const found = DOCUMENT.paths[path]?.[method.toLowerCase()];
    assert.equal(found?.operationId, operation, `${method} ${path}`);
    const needsMatch = (found.parameters ?? []).some((one) => one.name === "If-Match");
    const uses = files.map(read).join("\n").match(new RegExp(`(?:act|ask)\\("${operation}"[^;]*`, "g")) ?? [];
    if (needsMatch) assert.ok(uses.every((use) => use.includes("match:")), `${operation} sends no If-Match`);
  }
});

test("the_shapes_are_those_of_the_document", () => {
  assert.equal(readFileSync(PLACE, "utf8"), shapes(), "node tests/console/shapes.mjs --write");
});

test("what_was_vendored_is_what_its_list_says", () => {
  const listed = [...readFileSync(`${CONSOLE}vendor/VENDOR.md`, "utf8").matchAll(/\| `([\w/.-]+)` \|.*`([0-9a-f]{64})`/g)];
  assert.ok(listed.length >= 9);
  for (const [, file, hash] of listed) assert.equal(createHash("sha256").update(readFileSync(`${CONSOLE}vendor/${file}`)).digest("hex"), hash, file);
});

test("views_do_not_import_each_other_but_for_the_room_they_share", () => {
  const shared = new Set(["views/sessions.js -> ./chat.js", "views/sessions.js -> ./detail.js", "views/sessions.js -> ./prompt.js", "views/chat.js -> ./talk.js"]);
  for (const file of files.filter((one) => one.startsWith("views/"))) {
    for (const [, other] of read(file).matchAll(/(?:from|import\()\s*"(\.\/[\w-]+\.js)"/g)) assert.ok(shared.has(`${file} -> ${other}`), `${file} -> ${other}`);
  }
});

test("a_number_keeps_its_digits", () => {
  const text = '{"amount": 0.1000, "id":12345678901234567890, "deep": {"a,}": [1.50, "x\\"y"]}, "none": null}';
  const found = members(text);
  assert.deepEqual(found, [["amount", "0.1000"], ["id", "12345678901234567890"], ["deep", '{"a,}": [1.50, "x\\"y"]}'], ["none", "null"]]);
  assert.equal(members(object(found))[0][1], "0.1000");
  assert.ok(pretty(text).includes("1.50") && pretty(text).includes("12345678901234567890"));
  assert.equal(plain('"a\\nb"'), "a\nb");
  assert.equal(members("[1]"), null);
});

/** Every character there is, with its number. */
function* characters() {
  for (let code = 0; code <= 0x10ffff; code += 1) if (code < 0xd800 || code > 0xdfff) yield [code, String.fromCodePoint(code)];
}

const told = (codes) => codes.map((code) => `U+${code.toString(16).toUpperCase().padStart(4, "0")}`);

test("what_cannot_be_seen_is_told", () => {
  assert.deepEqual(parts("a\u200bb").map((part) => part.code ?? part.text), ["a", "U+200B", "b"]);
  // What Unicode itself says, as this engine knows it: Cc, Cf and Default_Ignorable_Code_Point, and each separator that is
  // none of ordinary text. The empty braille cell and the rest of the Egyptian format controls are seen nowhere either.
  const unseen = /^[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Z}\u2800\u{13430}-\u{1345f}]$/u;
  const ordinary = new Set(["\t", "\n", "\r", " ", "\u00a0", "\u202f"]);
  const wrong = [...characters()].filter(([, one]) => hasHidden(`x${one}y`) !== (unseen.test(one) && !ordinary.has(one))).map(([code]) => code);
  assert.deepEqual(told(wrong), []);
  for (const seen of ["a\nb\tc", "Zoë 日本 😀 →", "1,757.80 €", "«\u00a0Où est M.\u00a0Larribe\u202f?\u00a0»\u00a0: il doit 2\u202f480,00\u00a0€\u202f!"]) assert.deepEqual(parts(seen), [{ text: seen, code: null }]);
  assert.deepEqual(mixed("pay to p\u0430ypal or paypal, Привет"), ["p\u0430ypal"]);
});

test("the_program_and_the_console_mark_the_same_characters", () => {
  const source = readFileSync(fileURLToPath(new URL("../../application/src/terminal_text.rs", import.meta.url)), "utf8");
  const list = /pub fn [\s\S]*?matches!\(character,([\s\S]*?)\)\n\}/.exec(source)?.[1] ?? "";
  const ranges = [...list.matchAll(/'\\u\{(\w+)\}'(?:\.\.='\\u\{(\w+)\}')?/g)].map(([, from, until]) => [Number.parseInt(from, 16), Number.parseInt(until ?? from, 16)]);
  assert.ok(ranges.length > 20, list);
  const marked = (code, one) => /\p{Cc}/u.test(one) ? !"\t\n\r".includes(one) : ranges.some(([from, until]) => from <= code && code <= until);
  assert.deepEqual(told([...characters()].filter(([code, one]) => hasHidden(one) !== marked(code, one)).map(([code]) => code)), []);
});

/** The words of what is drawn, with those of the templates around them. */
const drawn = (part) => {
  if (Array.isArray(part)) return part.map(drawn).join("");
  if (part?.strings) return part.strings.map((text, at) => text + drawn(part.values[at])).join("");
  return typeof part === "string" || typeof part === "number" ? String(part) : "";
};

test("an_argument_may_have_the_name_of_what_every_object_has", () => {
  const argumentsOfAll = JSON.stringify(Object.fromEntries(INHERITED.map((name) => [name, `the ${name}`])));
  const nothingTold = { before: {}, after: {}, arguments_text: argumentsOfAll };
  assert.deepEqual(rowsOf(nothingTold, null).rows, INHERITED.map((name) => ({ name, now: null, after: null, exact: `the ${name}` })));
  // Told by the server, they are told by that name.
  const all = (text) => JSON.parse(JSON.stringify(Object.fromEntries(INHERITED.map((name) => [name, `${text} ${name}`]))));
  const isTold = { before: all("old"), after: all("the"), arguments_text: argumentsOfAll };
  assert.deepEqual(rowsOf(isTold, null).rows, INHERITED.map((name) => ({ name, now: `old ${name}`, after: `the ${name}`, exact: `the ${name}` })));
  for (const shown of [nothingTold, isTold]) {
    const words = drawn(table(shown, { type: "object", properties: {} }, new Set()));
    for (const name of INHERITED) assert.ok(words.includes(`the ${name}`), name);
  }
  // The form has a field for each, of no schema but its own, and with its own name.
  const fields = fieldsOf({ type: "object", properties: {} }, argumentsOfAll);
  assert.deepEqual(fields.map((field) => [field.name, field.schema]), INHERITED.map((name) => [name, {}]));
  const words = drawn(form(fields, { values: new Map(), faults: new Map() }, { id: "e", changed: () => {}, labels: {} }));
  for (const name of INHERITED) assert.ok(words.includes(`>${name}`), name);
});

test("an_argument_with_a_blank_that_looks_like_a_space_is_shown_with_its_mark", () => {
  const exact = "rm\u2003-r\u3000all";
  // As the server tells it, on one line.
  const shown = { before: {}, after: { run: "rm⟨U+2003⟩-r⟨U+3000⟩all" }, arguments_text: JSON.stringify({ run: exact }) };
  assert.deepEqual(rowsOf(shown, null).rows, [{ name: "run", now: null, after: exact, exact }]);
  const words = drawn(table(shown, null, new Set()));
  for (const code of ["U+2003", "U+3000"]) assert.match(words, new RegExp(`<mark [^>]*>${code.replace("+", "\\+")}</mark>`));
  // Of several lines, it is still the same text.
  const lines = { before: {}, after: { run: "one two" }, arguments_text: JSON.stringify({ run: "one\n\ttwo" }) };
  assert.equal(rowsOf(lines, null).rows[0].after, "one\n\ttwo");
});

test("a_card_that_cannot_be_drawn_says_so_and_no_press_decides_it", (context) => {
  const said = context.mock.method(console, "error", () => {});
  const sent = context.mock.method(globalThis, "fetch", () => new Promise(() => {}));
  state.me = { token: { scopes: ["approve"] } };
  const at = new Date().toISOString();
  const whole = { kind: "approval", id: "apr_whole", digest: "d", session: "ses_x", session_name: "x", chain: [], call: "cal_x", effect: "repeat", destructive: false, egress: false, irreversible: false, says: "Write it", command: "x.write", target: null, arguments_text: "{}", before: {}, after: {}, marks: [], warnings: [], reasons: [], waits_for: [], always: null, requester: "ann", automation: null, asked_at: at, expires_at: new Date(Date.now() + 1e7).toISOString() };
  assert.match(drawn(card(whole)), /Write it[\s\S]*class="btn go/);
  // Nobody knows how a card will fail: a list that is none, in what is read of it or in what its buttons need.
  for (const fault of [{ reasons: null }, { marks: null, always: {} }, { says: { toString: "x" } }]) {
    const broken = { ...whole, ...fault, id: `apr_${Object.keys(fault)[0]}` };
    for (const [shown, buttons] of [card(broken), card(broken)]) {
      assert.ok(drawn(shown).includes(en["card.broken"]));
      assert.equal(drawn(buttons), "");
    }
    assert.deepEqual([isReadable(broken), mayBeSelected(broken), pressed("a", broken), pressed("Ctrl+Enter", broken)], [false, false, false, false]);
    approve(broken);
    assert.deepEqual([desk(broken.id).armed, desk(broken.id).sent], [0, null]);
  }
  assert.equal(said.mock.callCount(), 3, "why each of them failed is said once");
  assert.equal(sent.mock.callCount(), 0);
  // What comes in its place under the same id is a card like others.
  assert.match(drawn(card({ ...whole, id: "apr_reasons" })), /class="btn go/);
  assert.ok(mayBeSelected({ ...whole, id: "apr_reasons" }));
  state.me = null;
});

/** Input: a card with a value that is folded; expected: no press approves it, and it is not decided with others, before it was opened. */
test("folded_value_needs_confirmation", (context) => {
  const sent = context.mock.method(globalThis, "fetch", () => new Promise(() => {}));
  state.me = { token: { scopes: ["approve"] } };
  const at = new Date().toISOString();
  const folded = { kind: "approval", id: "apr_folded", digest: "d", session: "ses_x", session_name: "x", chain: [], call: "cal_x", effect: "repeat", destructive: false, egress: false, irreversible: false, says: "Write it", command: "x.write", target: null, arguments_text: JSON.stringify({ text: "a".repeat(301) }), before: {}, after: {}, marks: [], warnings: [], reasons: [], waits_for: [], always: {}, requester: "ann", automation: null, asked_at: at, expires_at: new Date(Date.now() + 1e7).toISOString() };
  assert.ok(!mayBeSelected(folded));
  for (const mode of ["always", "see"]) {
    desk(folded.id).opened.clear();
    desk(folded.id).mode = mode;
    approve(folded);
    assert.equal(sent.mock.callCount(), 0, mode);
    assert.equal(desk(folded.id).says, en["card.read-first"].replace("{name}", "text"));
  }
  assert.ok(mayBeSelected(folded), "it was opened");
  assert.ok(!mayBeSelected({ ...folded, says: "a".repeat(81) }), "its row cuts what it does");
  approve(folded);
  assert.equal(sent.mock.callCount(), 1);
  state.me = null;
});

test("a_button_that_came_into_sight_only_now_does_nothing", (context) => {
  let now = 1000;
  context.mock.method(performance, "now", () => now);
  let times = 0;
  const press = onPress("apr_tapped", () => (times += 1));
  appears("apr_tapped");
  for (const [after, wanted] of [[0, 0], [120, 0], [299, 0], [300, 1], [301, 2]]) {
    now = 1000 + after;
    press();
    assert.equal(times, wanted, `${after} ms after it came`);
  }
  // What was asked changed while it was read: the same press may have been meant for what stood there before.
  desk("apr_tapped").deafUntil = now + 1000;
  press();
  assert.equal(times, 2);
});

test("a_request_without_an_answer_is_told_as_one", () => {
  const told = (error) => {
    let said = [];
    const fault = failed((kind, text) => (said = [kind, text]), "The zone is set.", "zone", error);
    return [...said, fault.title];
  };
  assert.deepEqual(told(new NoAnswer("x")), ["warn", `The zone is set. ${en["news.unknown"]}`, en["login.no-answer"]]);
  const refused = new Problem(422, { title: "Wrong", detail: "no such zone" });
  assert.deepEqual(told(refused), ["bad", en["news.refused"].replace("{what}", "zone").replace("{why}", "Wrong"), "Wrong"]);
  assert.throws(() => told(new TypeError("ours")), TypeError);
  // Nothing that a person asked for stays “Sending…” where the network is gone.
  const lost = files.filter((file) => /say\("bad"/.test(read(file)) && !read(file).includes("NoAnswer"));
  assert.deepEqual(lost, []);
});

test("a_message_is_sent_once_and_what_is_written_meanwhile_stays", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const sent = [];
  let answer = null;
  context.mock.method(globalThis, "fetch", (_, { headers, body }) => {
    const { text, client_key: key } = JSON.parse(body);
    sent.push({ text, key: key === headers["idempotency-key"] ? key : "another one" });
    return answer ? answer() : Promise.reject(new TypeError("no network"));
  });
  const taken = () => Promise.resolve(new Response("{}", { status: 200 }));
  /** Until it is known what came of it, however long it waits between its tries. */
  const ends = async (sending) => {
    let isOver = false;
    sending.finally(() => (isOver = true));
    while (!isOver) {
      await new Promise(setImmediate);
      context.mock.timers.tick(5000);
    }
  };
  // The next message is begun while the first is on its way.
  let arrives;
  answer = () => new Promise((done) => (arrives = () => done(new Response("{}", { status: 200 }))));
  write("ses_a", "First");
  const sending = sendDraft("ses_a");
  write("ses_a", "First\nand then");
  arrives();
  await sending;
  assert.equal(draftOf("ses_a"), "and then");
  // Nobody answers, four times: the same again is the same message.
  sent.length = 0;
  answer = null;
  write("ses_a", "Second");
  await ends(sendDraft("ses_a"));
  await ends(sendDraft("ses_a"));
  assert.equal(draftOf("ses_a"), "Second", "it is kept until it was taken");
  assert.deepEqual([sent.length, new Set(sent.map((one) => `${one.text} ${one.key}`)).size], [8, 1]);
  // Another text is another message: under the key of the first it would never be taken.
  answer = taken;
  write("ses_a", "Second, and more");
  await ends(sendDraft("ses_a"));
  assert.equal(sent.at(-1).text, "Second, and more");
  assert.notEqual(sent.at(-1).key, sent[0].key);
  assert.equal(draftOf("ses_a"), "");
});

// Input: files of a message on their way, stored and refused. Expected: it waits for those on their way and for those refused.
test("a_message_waits_for_its_files", () => {
  const file = (more) => ({ name: "chart.png", bytes: 9, sent: 0, stored: null, fault: "", source: null, stop: null, ...more });
  const stored = file({ stored: { digest: "d1" } });
  assert.equal(holdsBack([stored]), "");
  assert.notEqual(holdsBack([stored, file({})]), "");
  assert.notEqual(holdsBack([stored, file({ fault: "it is too large" })]), "");
});

// Input: what lies in the clipboard. Expected: a picture is taken as a file, a table with a picture of itself is words.
test("pasted_table_is_words_and_not_its_picture", () => {
  const data = (...types) => ({ types, files: [{ name: "image.png" }] });
  assert.equal(pastedFiles(data("Files")).length, 1);
  assert.equal(pastedFiles(data("text/html", "Files")).length, 1, "a picture of a page");
  assert.equal(pastedFiles(data("text/plain", "Files")).length, 1, "a file of the desktop");
  assert.deepEqual(pastedFiles(data("text/plain", "text/html", "Files")), []);
  assert.deepEqual(pastedFiles(null), []);
});

test("words_that_differ_are_told_apart", () => {
  assert.deepEqual(words("due on 12 October", "due on 31 October").map((piece) => `${piece.kind} ${piece.text}`), ["same due on ", "del 12", "ins 31", "same  October"]);
  const [before, after] = ["due on 12 October, please", "13 days late on 12 October"];
  const told = (kind) => words(before, after).filter((piece) => piece.kind !== kind).map((piece) => piece.text).join("");
  assert.deepEqual([told("ins"), told("del")], [before, after]);
  assert.deepEqual(words("", "new"), [{ kind: "ins", text: "new" }]);
  const long = "x ".repeat(5000);
  assert.equal(words(long, `${long}y`).length, 2, "too long to compare: all old, all new");
});

test("lines_that_differ_are_told_apart", () => {
  const told = (before, after) => lines(before, after).map((run) => `${run.kind} ${run.lines.join("|")}`);
  assert.deepEqual(told("a\nb\nc", "a\nx\nc"), ["same a", "del b", "ins x", "same c"]);
  assert.deepEqual(told("a\na\na", "a\na"), ["same a|a", "del a"]);
  assert.deepEqual(told("same", "same"), ["same same"]);
  assert.deepEqual(told('{"x":"1"}', ""), ['del {"x":"1"}', "ins "]);
  const long = Array.from({ length: 3000 }, (_, n) => `line ${n}`).join("\n");
  assert.deepEqual(lines(long, `${long}\nmore`).map((run) => run.kind), ["same", "ins"], "what is added at the end costs nothing");
  assert.equal(laidOut('{"a":"one\\ntwo\\\\n","n":1.0}'), '{\n  "a": "one\n    two\\\\n",\n  "n": 1.0\n}', "an escaped backslash is no line end");
});

test("a_form_changes_only_what_was_touched_and_says_what_is_wrong", () => {
  const schema = { type: "object", required: ["id"], properties: { id: { type: "string" }, rate: { type: "number", minimum: 0, maximum: 15 }, when: { type: "string", format: "date" }, tags: { type: "array", items: { type: "string" } }, more: { type: "object" } } };
  const fields = fieldsOf(schema, '{"id":"F-1","rate":10.50,"more":{"a":1.0}}');
  const draft = (values) => ({ values: new Map(Object.entries(values)), faults: new Map() });
  assert.equal(argumentsOf(fields, draft({})), '{"id":"F-1","rate":10.50,"more":{"a":1.0}}');
  assert.equal(argumentsOf(fields, draft({ rate: "9.90", tags: "a\nb" })), '{"id":"F-1","rate":9.90,"tags":["a","b"],"more":{"a":1.0}}');
  for (const [name, text] of [["rate", "18"], ["rate", "a lot"], ["more", "{"], ["rate", "01"]]) {
    const wrong = draft({ [name]: text });
    assert.equal(argumentsOf(fields, wrong), null, `${name}: ${text}`);
    assert.ok(wrong.faults.has(name));
  }
});

const ORDER = { type: "object", required: ["lines", "deliver_to"], $defs: { place: { type: "object", required: ["city"], properties: { city: { type: "string" }, floor: { enum: [0, 1, 2] } } } }, properties: {
  lines: { type: "array", minItems: 1, items: { type: "object", required: ["article"], properties: { article: { enum: ["oak", "ash"] }, count: { type: "integer", minimum: 1 }, price: { type: "number" }, due: { type: "string", format: "date" } } } },
  deliver_to: { $ref: "#/$defs/place" }, bill_to: { anyOf: [{ $ref: "#/$defs/place" }, { type: "null" }] }, at: { type: "string", format: "date-time" }, sizes: { type: "array", items: { type: "number" } }, free: { type: "object" } } };

test("nested_arguments_are_edited_by_form", () => {
  const text = '{"lines":[{"article":"oak","count":2,"price":10.50},{"article":"ash","price":0.1000}],"deliver_to":{"city":"Lyon","floor":1},"at":"2026-12-01T09:00:00+01:00","sizes":[1.0,2.50],"free":{"x":1.0}}';
  const fields = fieldsOf(ORDER, text);
  assert.deepEqual(fields.map((field) => field.kind), ["items", "object", "object", "instant", "items", "json"]);
  const draft = () => ({ values: new Map(), faults: new Map() });
  assert.equal(argumentsOf(fields, draft()), text, "untouched, digit for digit");
  const changed = draft();
  for (const [path, typed] of [["lines[1].count", "3"], ["deliver_to.floor", "2"], ["sizes[0]", "1.10"], ["at", "2026-12-02T08:00:00Z"]]) changed.values.set(path, typed);
  assert.equal(argumentsOf(fields, changed), '{"lines":[{"article":"oak","count":2,"price":10.50},{"article":"ash","count":3,"price":0.1000}],"deliver_to":{"city":"Lyon","floor":2},"at":"2026-12-02T08:00:00Z","sizes":[1.10,2.50],"free":{"x":1.0}}');
  // What is wrong is said at its own field, also of an item that was moved or added.
  const wrong = draft();
  wrong.lists = new Map([["lines", [{ key: 1, raw: '{"article":"ash"}' }, { key: 2, raw: null }]]]);
  for (const [path, typed] of [["lines[1].count", "0"], ["deliver_to.city", ""]]) wrong.values.set(path, typed);
  assert.equal(argumentsOf(fields, wrong), null);
  assert.deepEqual([...wrong.faults.keys()], ["lines[1].count", "lines[2].article"]);
  wrong.values.set("lines[1].count", "1");
  wrong.values.set("lines[2].article", "oak");
  assert.deepEqual(JSON.parse(argumentsOf(fields, wrong)).lines, [{ article: "ash", count: 1 }, { article: "oak" }]);
  // One that may be left out is added, and its own fields are needed then; too few items are told.
  const added = draft();
  added.raws = new Map([["bill_to", "{}"], ["sizes", null]]);
  assert.equal(argumentsOf(fields, added), null);
  assert.deepEqual([...added.faults.keys()], ["bill_to.city"]);
  added.values.set("bill_to.city", "Paris");
  assert.deepEqual([JSON.parse(argumentsOf(fields, added)).bill_to, "sizes" in JSON.parse(argumentsOf(fields, added))], [{ city: "Paris" }, false]);
  const none = draft();
  none.lists = new Map([["lines", []]]);
  assert.equal(argumentsOf(fields, none), null);
  assert.ok(none.faults.has("lines"));
  // As JSON, where a person wants it.
  const asText = draft();
  asText.asJson = new Set(["deliver_to"]);
  assert.equal(argumentsOf(fields, asText), text);
  asText.values.set("deliver_to", '{"city":"Nice","more":1.00}');
  assert.ok(argumentsOf(fields, asText).includes('"deliver_to":{"city":"Nice","more":1.00}'));
  asText.values.set("deliver_to", "{");
  assert.equal(argumentsOf(fields, asText), null);
  // It is drawn with a field for each, under its own id.
  const shown = drawn(form(fields, draft(), { id: "e", changed: () => {}, labels: {} }));
  for (const name of ["city", "floor", "article", "price"]) assert.ok(shown.includes(`>${name}`), name);
});

test("a_form_that_asks_begins_with_defaults_and_checks_formats", () => {
  const schema = { type: "object", required: ["mail", "size"], properties: {
    mail: { type: "string", format: "email" }, site: { type: "string", format: "uri" }, at: { type: "string", format: "date-time" },
    nights: { type: "integer", minimum: 1, default: 2 }, size: { type: "string", oneOf: [{ const: "s", title: "Small" }, { const: "l", title: "Large" }] },
    meals: { type: "array", minItems: 1, items: { type: "string", enum: ["b", "l"] } }, quiet: { type: "boolean", default: true } } };
  const fields = fieldsOf(schema, "{}", true);
  const draft = { values: new Map(), faults: new Map() };
  assert.equal(argumentsOf(fields, draft), null);
  assert.deepEqual([...draft.faults.keys()], ["mail", "size"], "only what is required and empty");
  for (const [name, text] of [["mail", "ann"], ["site", "example"], ["at", "tomorrow"], ["size", "m"]]) draft.values.set(name, text);
  assert.equal(argumentsOf(fields, draft), null);
  assert.deepEqual([...draft.faults.keys()], ["mail", "size", "site", "at"]);
  for (const [name, text] of [["mail", "ann@example.org"], ["site", "https://example.org"], ["at", "2026-11-28T09:00:00Z"], ["size", "l"], ["meals", '["b","l"]'], ["quiet", "false"]]) draft.values.set(name, text);
  assert.deepEqual(JSON.parse(argumentsOf(fields, draft)), { mail: "ann@example.org", site: "https://example.org", at: "2026-11-28T09:00:00Z", size: "l", meals: ["b", "l"], quiet: false, nights: 2 });
  draft.values.set("meals", "[]");
  assert.equal("meals" in JSON.parse(argumentsOf(fields, draft)), false, "nothing is chosen");
});

test("what_was_not_touched_is_not_sent_again", () => {
  // As a browser has read them: 0.1000 and 12345678901234567890 are stored.
  const was = '{"rate":0.1,"number":12345678901234567000,"note":"old","gone":1}';
  assert.deepEqual(touched('{"rate":0.1,"number":12345678901234567000,"note":"new","more":2}', was), [["note", '"new"'], ["more", "2"], ["gone", "null"]]);
  assert.deepEqual(touched(was, was), []);
});

test("events_are_read_however_they_are_cut", async () => {
  const text = 'event: hello\nid: 1040\ndata: {"type":"hello"}\n\n: beat\nid: 1041.1041.5\nevent: stream_chunk\ndata: {"text":"At \u00e9",\ndata: "offset":0}\n\ndata: no json\n\nevent: beat\ndata: {}\n\nevent: cut\ndata: {"x"';
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 3, 7, bytes.length]) {
    const body = new ReadableStream({
      start(stream) {
        for (let at = 0; at < bytes.length; at += size) stream.enqueue(bytes.slice(at, at + size));
        stream.close();
      },
    });
    const frames = [];
    await readEvents(body, (frame) => frames.push(frame));
    assert.deepEqual(frames.map((frame) => [frame.type, frame.id]), [["hello", "1040"], ["stream_chunk", "1041.1041.5"], ["", null], ["beat", null]]);
    assert.deepEqual(frames[1].data, { text: "At \u00e9", offset: 0 });
  }
});

test("the_clocks_of_the_zone_change_where_they_do", () => {
  const told = (zone, from, until) => {
    useZone(zone);
    return changes(Date.parse(from), Date.parse(until)).map(({ at, by }) => `${new Date(at).toISOString()} ${by}`);
  };
  assert.deepEqual(told("Europe/Paris", "2026-10-24T20:00:00Z", "2026-10-26T04:00:00Z"), ["2026-10-25T01:00:00.000Z -60"]);
  assert.deepEqual(told("Europe/Paris", "2027-03-27T20:00:00Z", "2027-03-29T04:00:00Z"), ["2027-03-28T01:00:00.000Z 60"]);
  assert.deepEqual(told("Australia/Lord_Howe", "2026-10-03T00:00:00Z", "2026-10-05T00:00:00Z"), ["2026-10-03T15:30:00.000Z 30"]);
  assert.deepEqual(told("Asia/Tokyo", "2026-10-01T00:00:00Z", "2026-12-01T00:00:00Z"), []);
  useZone("UTC");
});

test("a_local_time_is_an_instant_also_when_the_clocks_change", () => {
  useZone("Europe/Paris");
  const iso = (text) => new Date(atLocal(text)).toISOString();
  assert.equal(iso("2026-07-14T08:30"), "2026-07-14T06:30:00.000Z");
  assert.equal(iso("2026-10-25T02:30"), "2026-10-25T00:30:00.000Z", "of an hour that comes twice, the first");
  assert.equal(iso("2026-03-29T02:30"), "2026-03-29T01:30:00.000Z", "one that does not exist is later");
  assert.equal(localOf("2026-01-05T23:10:00Z"), "2026-01-06T00:10");
  assert.ok(Number.isNaN(atLocal("")));
  useZone("UTC");
});

// Input: the second instant of a day of 25 hours, and one late on a day of 23. Expected: the first day to choose is the next one.
test("a_snooze_begins_tomorrow_also_when_the_clocks_change", () => {
  useZone("Europe/Paris");
  const { now } = state;
  triage.act = "snooze";
  for (const [instant, day] of [["2026-10-24T22:00:01Z", "2026-10-26"], ["2026-03-28T22:30:00Z", "2026-03-29"]]) {
    state.now = Date.parse(instant);
    assert.match(drawn(triagePanel()), new RegExp(`min=${day}`), instant);
  }
  Object.assign(state, { now });
  triage.act = "";
  useZone("UTC");
});

test("a_period_is_days_of_the_calendar", () => {
  const days = (period, week = 1) => daysOf(period, "2026-03-01", week);
  assert.deepEqual(days("-1_DAY"), ["2026-02-28", "2026-02-28"]);
  assert.deepEqual(days("0_WEEK"), ["2026-02-23", "2026-03-01"], "the first of March is a Sunday");
  assert.deepEqual(days("0_WEEK", 0), ["2026-03-01", "2026-03-07"], "where a week begins on Sunday");
  assert.deepEqual(days("-1_MONTH"), ["2026-02-01", "2026-02-28"]);
  assert.deepEqual(days("-1_YEAR"), ["2025-01-01", "2025-12-31"]);
  assert.equal(days("between"), null);
});

test("the_marks_of_an_axis_are_round_and_hold_both_ends", () => {
  assert.deepEqual(ticks(0, 10), [0, 2.5, 5, 7.5, 10]);
  assert.deepEqual(ticks(71, 73), [71, 71.5, 72, 72.5, 73]);
  for (const [least, most] of [[0.1, 0.13], [-4, 1234], [5, 5], [0, 0], [-1e9, 1e9]]) {
    const found = ticks(least, most);
    assert.ok(found[0] <= least && found.at(-1) >= most && found.length < 9, `${least} ${most}: ${found}`);
  }
});

test("every_route_is_used", () => {
  const all = files.filter((file) => file !== "core/api.js").map(read).join("\n");
  for (const [, operation] of read("core/api.js").matchAll(/^ {2}(\w+): \["/gm)) assert.ok(all.includes(`"${operation}"`), operation);
});
