// What the console reads of a long inbox, and how it reads formulas, without a browser.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { nameOf, reading, state } from "./form.mjs";
import { formula } from "../../adapters-http/console/core/tex.js";
import { has, learn } from "../../adapters-http/console/core/words.js";

/** Approvals as a server has them, each with its session and a version. */
let there = [];
/** The queries that came. */
let asked = [];

const item = (n, session, more = {}) => ({ kind: "approval", id: `apr_${n}`, session: `ses_${session}`, session_name: `s${session}`, asked_at: `2026-11-29T08:00:00.${String(n).padStart(4, "0")}Z`, version: "1", ...more });
const ranked = (one) => `${one.kind === "question" ? 1 : 2} ${one.asked_at} ${one.id}`;

beforeEach(() => {
  asked = [];
  reading.forget();
  reading.openItem("");
  reading.openHere("");
  reading.seek({}, "age");
  state.workspace = { key: "local:main" };
});

const answer = async (address) => {
  const query = new URL(address, "http://x").searchParams;
  asked.push(String(query));
  const all = [...there].sort((a, b) => (ranked(a) < ranked(b) ? -1 : 1));
  const sent = all.filter((one) => (!query.get("only_session") || one.session === query.get("only_session")) && (!query.get("only_item") || one.id === query.get("only_item")));
  const from = query.get("after") ? sent.findIndex((one) => one.id === query.get("after")) + 1 : 0;
  const page = sent.slice(from, from + Number(query.get("limit") ?? 50));
  const next = from + page.length < sent.length ? page.at(-1).id : null;
  const body = { items: query.get("brief") === "true" ? [] : page.map(({ version, ...one }) => one), marks: page.map(({ id, version }) => ({ id, version })), next, total: all.length, waiting: all.length };
  return new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } });
};

const round = (more = {}) => reading.read({ all: false, poll: false, sessions: new Set(), ...more });
const shown = () => state.inbox.map((one) => one.id);

test("a_first_page_is_read_once_and_more_where_its_end_is", async (context) => {
  context.mock.method(globalThis, "fetch", answer);
  there = Array.from({ length: 120 }, (_, n) => item(n, n % 40));
  await round({ all: true });
  assert.deepEqual([asked.length, shown().length, state.waiting, state.total], [1, 50, 120, 120]);
  await reading.more();
  assert.deepEqual([asked.length, shown().length], [2, 100]);
  // Read anew, what is below the first page stays.
  await round({ all: true });
  assert.deepEqual([asked.length, shown().length], [3, 100]);
  assert.equal(await reading.readAll(), true);
  assert.deepEqual([shown().length, state.next], [120, null]);
});

test("what_happens_in_a_session_is_read_of_it_alone", async (context) => {
  context.mock.method(globalThis, "fetch", answer);
  there = Array.from({ length: 120 }, (_, n) => item(n, n % 40));
  await round({ all: true });
  asked = [];
  // One is decided, and another stands otherwise now: the first goes, the second is read when it is opened.
  there = there.filter((one) => one.id !== "apr_3").map((one) => (one.id === "apr_43" ? { ...one, version: "2", says: "other" } : one));
  await round({ sessions: new Set(["ses_3"]) });
  assert.ok(!shown().includes("apr_3") && shown().includes("apr_43"), "it is gone, the other stays");
  assert.deepEqual([asked.length, state.waiting], [2, 119]);
  assert.match(asked[0], /only_session=ses_3&limit=200&brief=true/);
  assert.match(asked[1], /only_item=apr_83/, "one of it stands on a page that was not read");
  asked = [];
  await round({ sessions: new Set(["ses_3"]) });
  assert.equal(asked.length, 1, "it is known by now");
  reading.openItem("apr_43");
  await round();
  assert.match(asked[1], /^only_item=apr_43$/);
  assert.equal(state.inbox.find((one) => one.id === "apr_43").says, "other");
  // A question that comes is first, though its session stood on no page.
  there.push(item(200, 77, { kind: "question", id: "question:ses_77", asked_at: "2026-11-30T00:00:00Z" }));
  await round({ sessions: new Set(["ses_77"]) });
  assert.equal(shown()[0], "question:ses_77");
  // What comes to the end of the list is only counted.
  there.push(item(300, 78, { asked_at: "2026-12-01T00:00:00Z" }));
  await round({ sessions: new Set(["ses_78"]) });
  assert.deepEqual([shown().includes("apr_300"), state.waiting], [false, 121]);
  // A look finds what nobody told.
  asked = [];
  await round({ poll: true });
  assert.equal(asked.filter((one) => one.includes("limit=50")).length, 0, "as many as before");
  there.pop();
  await round({ poll: true });
  assert.equal(state.waiting, 120);
});

test("an_item_that_stands_on_no_page_is_read_by_itself", async (context) => {
  context.mock.method(globalThis, "fetch", answer);
  there = Array.from({ length: 120 }, (_, n) => item(n, n % 40));
  await round({ all: true });
  reading.openItem("apr_119");
  await round();
  assert.deepEqual([asked.at(-1), state.apart?.id, reading.isGone("apr_119")], ["only_item=apr_119", "apr_119", false]);
  there = there.filter((one) => one.id !== "apr_119");
  await round({ sessions: new Set(["ses_39"]) });
  assert.equal(reading.isGone("apr_119"), true);
});

test("formulas_are_read_or_left_as_they_are", () => {
  const told = (node) => (typeof node === "string" ? node : `${node[0]}(${typeof node[2] === "string" ? node[2] : node[2].map(told).join(" ")})`);
  const of = (text) => {
    const found = formula(text, false);
    return found && told(found).replace(/^math\(mrow\((.*)\)\)$/, "$1");
  };
  assert.equal(of("x^20"), "msup(mi(x) mn(2)) mn(0)", "one digit, as LaTeX has it");
  assert.equal(of("x^{20}"), "msup(mi(x) mn(20))");
  assert.equal(of("\\frac12"), "mfrac(mn(1) mn(2))");
  assert.equal(of("a_i^2 \\le \\sqrt[3]{b}"), "msubsup(mi(a) mi(i) mn(2)) mo(≤) mroot(mi(b) mn(3))");
  assert.equal(of("\\left\\{ x \\right."), "mrow(mo({) mi(x) mo())");
  assert.equal(of("\\text{if } x \\ne 0"), "mtext(if\u00a0) mi(x) mo(≠) mn(0)");
  assert.equal(of("\\mathbb{R}"), "mi(ℝ)");
  for (const unknown of ["\\href{x}{y}", "x^", "{a", "a}", "\\begin{tikzpicture}\\end{tikzpicture}", "\\left( a", "a & b", "\\frac{1}", `${"{".repeat(60)}a${"}".repeat(60)}`, "x".repeat(5000)]) assert.equal(of(unknown), null, unknown.slice(0, 40));
  for (const name of ["constructor", "toString", "hasOwnProperty"]) assert.equal(of(`\\${name}`), null, name);
});

test("a_chat_is_named_by_its_first_words", () => {
  for (const [text, name] of [
    ["Hello", "Hello"],
    ["\n\n## **Quote** for `A-1`\nmore", "Quote for A-1"],
    ["a ".repeat(100), `${"a ".repeat(29)}a…`],
    ["x".repeat(80), `${"x".repeat(60)}…`],
    ["- [ ] buy oak", "[ ] buy oak"],
  ]) assert.equal(nameOf(text), name);
});

// The second who asks for texts that are on their way waits for them, too: it would draw their keys.
test("texts_are_there_for_everybody_who_learned_them", async () => {
  const first = learn(["page"]);
  assert.equal(has("keys.title"), false);
  await learn(["page"]);
  assert.equal(has("keys.title"), true);
  await first;
});
