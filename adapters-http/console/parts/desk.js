// What a person does with a card, until it is decided. A click is a decision only once the server has committed it: until
// then the card stays, and says that it is being sent.

import { act, ask, newKey, NoAnswer, Problem } from "../core/api.js";
import { look } from "../core/feed.js";
import { changed, may, replaceItem, state, tell } from "../core/store.js";
import { clock } from "../core/time.js";
import { has, t } from "../core/words.js";
import { longOnes, rowsOf } from "./arguments.js";
import { editor, loadEditor } from "./editor.js";
import { deceives } from "./text.js";

/** Milliseconds for which nothing is decided after a card appears, and between the two presses of a card that needs two. */
const DEAF = 300;
const BETWEEN = 400;
const DEAF_AFTER_CHANGE = 1000;

/**
 * @typedef {import("../core/shapes").CardShape} Card
 * @typedef {{
 *   mode: "see" | "edit" | "reject" | "answer" | "always", armed: number, since: number, deafUntil: number,
 *   sent: null | { kind: "sending" | "again" | "unknown", seconds: number, key: string, retry: () => void },
 *   gone: null | { kind: "ok" | "warn", text: string }, fault: Problem | null, says: string,
 *   draft: import("./schema-form.js").Draft, reason: string, answer: string, wide: { inSession: boolean, agents: boolean, days: number, width: number },
 *   opened: Set<string>, altered: Set<string>, note: string, other: string, own: boolean, isBroken: boolean,
 * }} Desk
 */

/** @type {Map<string, Desk>} */
const desks = new Map();

/** @param {string} id @returns {Desk} */
export const desk = (id) => {
  const known = desks.get(id);
  if (known) return known;
  /** @type {Desk} */
  const made = {
    mode: "see", armed: 0, since: performance.now(), deafUntil: 0, sent: null, gone: null, fault: null, says: "",
    draft: { values: new Map(), faults: new Map() }, reason: "", answer: "", wide: { inSession: false, agents: false, days: 0, width: -1 },
    opened: new Set(), altered: new Set(), note: "", other: "", own: false, isBroken: false,
  };
  desks.set(id, made);
  return made;
};

/** A card comes into sight. @param {string} id */
export const appears = (id) => {
  const at = desk(id);
  at.since = performance.now();
  at.armed = 0;
};

/** @param {string} id */
export const isDeaf = (id) => performance.now() < Math.max(desk(id).since + DEAF, desk(id).deafUntil);

/**
 * What a button does. A button that came into sight only now does nothing: the second half of a double tap was meant for what
 * stood there before.
 * @param {string} id
 * @param {() => void} deed
 */
export const onPress = (id, deed) => () => {
  if (!isDeaf(id)) deed();
};

/** What it does, short enough for a button or a line. @param {Card} card */
export const shortly = (card) => (card.says.length > 80 ? `${card.says.slice(0, 77)}…` : card.says);

/** Line ends and tabs are seen as such. */
const SEEN = new Set(["U+0009", "U+000A", "U+000D"]);

/** Whether something in it is easily overlooked. @param {Card} card */
export const isMarked = (card) => card.marks.some((mark) => !SEEN.has(mark)) || card.warnings.length > 0 || deceives(card.arguments_text);

/** Two presses: what destroys, leaves the workspace, or deceives. @param {Card} card */
export const needsTwo = (card) => card.destructive || card.egress || isMarked(card);

/**
 * Whether it may be decided together with others: nothing of it is folded or cut. @param {import("../core/shapes").InboxShape} item
 */
export const mayBeSelected = (item) => item.kind === "approval" && !desk(item.id).isBroken && Boolean(item.digest) && !needsTwo(item) && (item.approvers ?? []).length === 0 && !item.irreversible && shortly(item) === item.says && unread(item).length === 0;

/** What is folded, and was not read yet. @param {Card} card */
export const unread = (card) => {
  const { rows } = rowsOf(card, schemaOf(card));
  return longOnes(rows).filter((name) => !desk(card.id).opened.has(name));
};

/** @param {Card} card */
export const schemaOf = (card) => state.commands.get(card.command)?.parameters ?? null;

/** Why nothing can be decided now; empty where it can. */
export const refusal = () => {
  if (!may("approve")) return t("card.no-scope");
  if (state.line.kind === "lost" || state.line.kind === "restarts") return t("card.offline");
  return "";
};

/** @param {Card} card @param {Desk["mode"]} mode */
export const turn = (card, mode) => {
  const at = desk(card.id);
  if (at.sent || at.gone || at.isBroken) return;
  at.mode = at.mode === mode ? "see" : mode;
  at.armed = 0;
  at.says = "";
  at.fault = null;
  changed();
  const field = { edit: ".form :is(input, select, textarea)", reject: ".reject textarea", answer: ".answer textarea", always: ".always :is(select, input)", see: "" }[at.mode];
  const focus = () => setTimeout(() => /** @type {HTMLElement | null} */ (document.querySelector(`.pane ${field}, .talk ${field}`))?.focus(), 30);
  if (at.mode === "edit") loadEditor().then(focus, () => {});
  else if (field) focus();
};

/** The button or key that approves. @param {Card} card */
export const approve = (card) => {
  const at = desk(card.id);
  // What could not be drawn was not read.
  if (at.sent || at.gone || at.isBroken) return;
  at.says = refusal();
  if (at.says) return changed();
  if (at.mode === "edit") return sendEdit(card);
  if (at.mode === "reject") return sendReject(card);
  if (at.mode === "answer") return sendAnswer(card);
  const left = unread(card);
  if (left.length > 0) {
    at.says = t("card.read-first", { name: left[0] });
    at.opened.add(left[0] ?? "");
    return changed();
  }
  if (at.mode === "always") return sendAlways(card);
  if (needsTwo(card)) {
    const now = performance.now();
    if (!at.armed) {
      at.armed = now;
      return changed();
    }
    if (now - at.armed < BETWEEN) return;
  }
  send(card, `{"decision":"approve"}`, "approved");
};

/** @param {Card} card */
const sendEdit = (card) => {
  const at = desk(card.id);
  const form = editor();
  // What nobody has seen is not sent.
  if (!form) return;
  const text = form.argumentsOf(form.fieldsOf(schemaOf(card), card.arguments_text), at.draft);
  if (text === null) {
    at.says = t("card.to-fix", { n: at.draft.faults.size, names: [...at.draft.faults.keys()].join(", ") });
    changed();
    setTimeout(() => /** @type {HTMLElement | null} */ (document.querySelector('[aria-invalid="true"]'))?.focus(), 30);
    return;
  }
  send(card, `{"decision":"edit","arguments":${text}}`, "edited");
};

/** @param {Card} card */
const sendReject = (card) => {
  const reason = desk(card.id).reason.trim();
  send(card, JSON.stringify({ decision: "reject", ...(reason ? { reason } : {}) }), "rejected");
};

/** Words in place of yes or no. @param {Card} card */
const sendAnswer = (card) => {
  const at = desk(card.id);
  const text = at.answer.trim();
  if (text) return send(card, JSON.stringify({ decision: "answer", text }), "instead");
  at.says = t("card.answer-first");
  changed();
};

/** @param {Card} card */
const sendAlways = (card) => {
  const { inSession, agents, days, width } = desk(card.id).wide;
  const text = JSON.stringify({ decision: "always", in_session: inSession, agents: agents && !inSession, ...(days ? { lasts_seconds: days * 86_400 } : {}) });
  const chosen = card.widths?.[width];
  // The width goes as it came: its numbers keep their digits.
  send(card, chosen ? `${text.slice(0, -1)},"width":${chosen.width_text}}` : text, "always");
};

/** Sends a rejection without a reason. @param {Card} card */
export const reject = (card) => sendReject(card);

/**
 * @param {Card} card
 * @param {string} text the body, as text: its numbers keep their digits
 * @param {"approved" | "edited" | "rejected" | "instead" | "always"} verb
 * @param {string} [again] the key of a request that nobody answered
 */
export const send = async (card, text, verb, again) => {
  const at = desk(card.id);
  const w = state.workspace?.key ?? "";
  const key = again ?? newKey();
  const what = shortly(card);
  const retry = () => {
    send(card, text, verb, key);
  };
  at.sent = { kind: "sending", seconds: 0, key, retry };
  at.fault = null;
  at.says = "";
  at.own = true;
  const say = tell("sending", t(`news.${verb}`, { what, how: t("news.sending") }));
  changed();
  try {
    await act("decide_approval", { w, apr: card.id }, { text, match: card.digest ?? "", key }, (seconds) => {
      at.sent = { kind: "again", seconds, key, retry };
      say("sending", t(`news.${verb}`, { what, how: t("news.again", { n: seconds }) }));
    });
    const how = t("news.recorded", { at: clock(Date.now()) });
    at.sent = null;
    at.gone = { kind: "ok", text: t(`news.${verb}`, { what, how }) };
    say("ok", at.gone.text);
    leave(card.id);
  } catch (error) {
    refused(card, verb, say, error);
  }
  look();
  changed();
};

/** Called with an item that was decided here. @type {(id: string) => void} */
let whenLeft = () => {};

/** @param {(id: string) => void} told */
export const onLeave = (told) => {
  whenLeft = told;
};

/** It waits no more. @param {string} id */
export const leave = (id) => {
  whenLeft(id);
  replaceItem(id, null);
};

/**
 * @param {Card} card
 * @param {string} verb
 * @param {(kind: import("../core/store.js").News["kind"], text: string) => void} say
 * @param {unknown} error
 */
const refused = (card, verb, say, error) => {
  const at = desk(card.id);
  const what = shortly(card);
  const was = at.sent;
  at.sent = null;
  at.armed = 0;
  if (error instanceof NoAnswer) {
    at.sent = was ? { ...was, kind: "unknown" } : null;
    say("warn", t(`news.${verb}`, { what, how: t("news.unknown") }));
    return;
  }
  if (!(error instanceof Problem)) throw error;
  if (error.code === "changed" && error.current?.id) {
    replace(card, error.current);
    say("warn", t("news.changed", { what }));
    return;
  }
  // After a conflict the card still waits, and can be decided otherwise.
  if (["already-decided", "ended", "not-found"].includes(error.code)) {
    const given = (at.mode === "answer" ? at.answer : at.reason).trim();
    const stored = given && (error.current?.comments ?? []).some((/** @type {{ text: string }} */ comment) => comment.text === given);
    at.gone = { kind: "warn", text: [wasDecided(what, error.current, error.detail), stored ? t("gone.commented") : ""].filter(Boolean).join(" ") };
    say("warn", at.gone.text);
    leave(card.id);
    return;
  }
  at.fault = error;
  for (const { path, says } of error.fields) {
    at.draft.faults.set(path.split(/[.[]/)[1] ?? path, says);
    // And at the very field, where the form has one for it.
    at.draft.faults.set(path.replace(/^\w+\.?/, ""), says);
  }
  say("bad", t("news.refused", { what, why: error.title }));
};

/**
 * One line on what somebody else did.
 * @param {string} what
 * @param {any} decided
 * @param {string} otherwise
 */
export const wasDecided = (what, decided, otherwise) => {
  const { decision, decided_by: by } = decided ?? {};
  const key = `gone.${decision ?? decided?.state ?? ""}`;
  if (decision && has(key)) return t(key, { what, by: by ?? t("gone.somebody") });
  if (decided?.state && has(key)) return t(key, { what });
  return otherwise || t("gone.ended", { what });
};

/** Another card took its place: it is shown there, and what differs is marked. @param {Card} old @param {any} current */
const replace = (old, current) => {
  const next = { ...current, kind: "approval" };
  const [before, after] = [rowsOf(old, schemaOf(old)).rows, rowsOf(next, schemaOf(next)).rows];
  const known = new Map(before.map((row) => [row.name, `${row.now}|${row.after}|${row.exact}`]));
  const was = desk(old.id);
  desks.delete(next.id);
  const at = desk(next.id);
  at.altered = new Set(after.filter((row) => known.get(row.name) !== `${row.now}|${row.after}|${row.exact}`).map((row) => row.name));
  at.says = at.altered.size > 0 ? t("card.altered", { names: [...at.altered].join(", ") }) : t("card.altered-else");
  at.draft = was.draft;
  at.mode = was.mode === "edit" ? "edit" : "see";
  at.deafUntil = performance.now() + DEAF_AFTER_CHANGE;
  replaceItem(old.id, next);
  if (next.id !== old.id) whenReplaced(old.id, next.id);
};

/** @type {(old: string, next: string) => void} */
let whenReplaced = () => {};
/** @param {(old: string, next: string) => void} told */
export const onReplace = (told) => {
  whenReplaced = told;
};

/** How an item that is gone was decided, by its call. @param {Card} card */
export const learn = async (card) => {
  const at = desk(card.id);
  if (at.gone || at.sent) return;
  at.gone = { kind: "warn", text: t("gone.ended", { what: shortly(card) }) };
  try {
    const { data } = await ask("get_call", { w: state.workspace?.key ?? "", c: card.call });
    at.gone = { kind: "warn", text: wasDecided(shortly(card), data, "") };
  } catch {
    // The line says that it is gone; how is not known.
  }
  tell("warn", at.gone.text);
  changed();
};
