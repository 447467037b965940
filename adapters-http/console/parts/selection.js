// Several items decided together: which of them a person chose, as they were when they were chosen, and what becomes of them.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { act, newKey, NoAnswer, Problem } from "../core/api.js";
import { look } from "../core/feed.js";
import { readAll } from "../core/inbox.js";
import { changed, itemOf, listed, state, tell } from "../core/store.js";
import { clock } from "../core/time.js";
import { t } from "../core/words.js";
import { isReadable } from "./card.js";
import { desk, leave, mayBeSelected, refusal, send } from "./desk.js";
import { filter } from "./inbox-filter.js";
import { manyPanel, openTriage } from "./triage.js";

/** @typedef {import("../core/store.js").Item} Item */
/** @typedef {Extract<Item, { kind: "approval" }>} Card */

/** Requests for whole sessions that are under way at once. */
const AT_ONCE = 4;

export const selection = {
  isOn: false,
  /** The cards that were chosen, as they were then. @type {Map<string, Card>} */ chosen: new Map(),
  /** Where a range begins. */
  anchor: "",
  isRefusing: false,
  isReading: false,
  reason: "",
};

/** Why an item cannot be chosen; empty where it can. @param {Item} item */
export const whyNot = (item) => {
  if (item.kind !== "approval") return t("select.no-approval");
  if (desk(item.id).sent) return t("sent.short");
  return item.digest && !desk(item.id).isBroken ? "" : t("select.unreadable");
};

/** @param {Item} item @param {boolean} [isOn] */
const choose = (item, isOn = true) => {
  if (!isOn) selection.chosen.delete(item.id);
  else if (item.kind === "approval" && !whyNot(item) && isReadable(item)) selection.chosen.set(item.id, item);
};

/** @param {Item} item */
export const toggle = (item) => {
  choose(item, !selection.chosen.has(item.id));
  selection.anchor = item.id;
  selection.isOn = true;
  changed();
};

/** All from the one that was chosen last to this one, in the order in which they stand. @param {Item[]} items @param {Item} item */
export const toggleTo = (items, item) => {
  const [from, to] = [items.findIndex((one) => one.id === selection.anchor), items.indexOf(item)];
  if (from < 0) return toggle(item);
  for (const one of items.slice(Math.min(from, to), Math.max(from, to) + 1)) choose(one);
  selection.anchor = item.id;
  selection.isOn = true;
  changed();
};

const clear = () => {
  selection.chosen.clear();
  selection.isRefusing = false;
  selection.anchor = "";
};

export const toggleSelecting = () => {
  selection.isOn = !selection.isOn;
  // On a phone there is no room for both.
  if (matchMedia("(max-width: 760px)").matches) filter.isOpen = false;
  clear();
  changed();
};

/** Chooses all that is sought, as it is now; what comes later is not chosen. */
const chooseAll = async () => {
  selection.isReading = true;
  changed();
  try {
    await readAll();
    for (const item of listed()) choose(item);
  } catch (error) {
    if (!(error instanceof NoAnswer) && !(error instanceof Problem)) throw error;
  } finally {
    selection.isReading = false;
    changed();
  }
};

/** Those of the chosen that may not be approved together with others. */
const alone = () => [...selection.chosen.values()].filter((card) => !mayBeSelected(card));

/** Why the chosen cannot be approved together; empty where they can. */
const whyNoApproval = () => {
  const cards = [...selection.chosen.values()];
  const n = alone().length;
  if (n > 0) return t("select.alone", { n });
  return new Set(cards.map((card) => card.command)).size > 1 ? t("select.one-command") : "";
};

/** @param {"approved" | "rejected"} verb */
const decide = async (verb) => {
  const reason = selection.reason.trim();
  const decision = verb === "approved" ? { decision: "approve" } : { decision: "reject", ...(reason ? { reason } : {}) };
  const chosen = [...selection.chosen.values()];
  // What is another card by now was not chosen.
  const cards = chosen.filter((card) => {
    const now = itemOf(card.id);
    return (!now || (now.kind === "approval" && now.digest === card.digest)) && !desk(card.id).sent && (verb === "rejected" || mayBeSelected(card));
  });
  clear();
  selection.isOn = false;
  selection.reason = "";
  changed();
  if (chosen.length > cards.length) tell("warn", t("select.changed", { n: chosen.length - cards.length }));
  /** @type {Map<string, Card[]>} */
  const sessions = new Map();
  for (const card of cards) sessions.set(card.session, [...(sessions.get(card.session) ?? []), card]);
  const groups = [...sessions.values()];
  const one = async () => {
    for (let group = groups.shift(); group; group = groups.shift()) await decideGroup(group, decision, verb);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  look();
};

/**
 * Decides the cards of one session: all of them, or each by itself where one of them is another by now.
 * @param {Card[]} cards
 * @param {Record<string, string>} decision
 * @param {"approved" | "rejected"} verb
 * @param {string} [again] the key of a request that nobody answered
 */
const decideGroup = async (cards, decision, verb, again) => {
  const [first] = cards;
  const text = JSON.stringify(decision);
  if (!first) return;
  if (cards.length === 1) return send(first, text, verb, again);
  const key = again ?? newKey();
  const retry = () => {
    decideGroup(cards, decision, verb, key);
  };
  /** @param {"sending" | "unknown"} kind */
  const mark = (kind) => {
    for (const card of cards) Object.assign(desk(card.id), { sent: { kind, seconds: 0, key, retry }, own: true, fault: null });
  };
  mark("sending");
  const what = { n: cards.length, session: first.session_name };
  const say = tell("sending", t(`news.all-${verb}`, { ...what, how: t("news.sending") }));
  changed();
  try {
    const decisions = cards.map((card) => ({ approval: card.id, digest: card.digest, ...decision }));
    await act("decide_all", { w: state.workspace?.key ?? "", s: first.session }, { body: { decisions }, key });
    const words = t(`news.all-${verb}`, { ...what, how: t("news.recorded", { at: clock(Date.now()) }) });
    for (const card of cards) {
      Object.assign(desk(card.id), { sent: null, gone: { kind: "ok", text: words } });
      leave(card.id);
    }
    say("ok", words);
  } catch (error) {
    if (error instanceof NoAnswer) {
      mark("unknown");
      say("warn", t(`news.all-${verb}`, { ...what, how: t("news.unknown") }));
    } else if (error instanceof Problem) {
      // Nothing of it was decided. Each by itself, those that still stand as they were chosen are.
      for (const card of cards) desk(card.id).sent = null;
      say("warn", t("select.each", what));
      for (const card of cards) await send(card, text, verb);
    } else throw error;
  }
  changed();
};

/** Opens what snoozes or assigns all that is chosen; afterwards nothing is. @param {"snooze" | "assign"} act */
const openFor = (act) => () => {
  const items = [...selection.chosen.values()].map((card) => itemOf(card.id) ?? card);
  openTriage(act, items, { isMany: true, done: toggleSelecting });
};

/** What is chosen, and what can be done with it. */
export const selectionBar = () => {
  const n = selection.chosen.size;
  const off = n === 0 || refusal() !== "";
  const why = n > 0 ? whyNoApproval() : "";
  const rest = alone();
  return html`<div class="selection" role="group" aria-label=${t("inbox.selection")}>
    <p class="small muted" role="status">${selection.isReading ? t("loading") : n === 0 ? t("inbox.select-how") : t("inbox.selected", { n })}</p>
    ${why ? html`<p class="small wait" id="select-why">${why}</p>` : nothing}
    ${selection.isRefusing ? html`<label class="small" for="bulk-reason">${t("card.reason")}</label><input id="bulk-reason" maxlength="4000" .value=${live(selection.reason)} @input=${(/** @type {Event} */ event) => {
      selection.reason = /** @type {HTMLInputElement} */ (event.target).value;
    }}>` : nothing}
    <div class="chips">${selection.isRefusing ? nothing : html`<button class="btn go sm" type="button" ?disabled=${off || why !== ""} aria-describedby=${why ? "select-why" : nothing} @click=${() => decide("approved")}>${t("inbox.approve-n", { n })}</button>`}
    <button class="btn no sm" type="button" ?disabled=${off} @click=${() => {
      if (selection.isRefusing) decide("rejected");
      else {
        selection.isRefusing = true;
        setTimeout(() => document.getElementById("bulk-reason")?.focus(), 30);
      }
      changed();
    }}>${t(selection.isRefusing ? "inbox.reject-n-now" : "inbox.reject-n", { n })}</button>
    ${selection.isRefusing ? nothing : html`<button class="btn sm" type="button" ?disabled=${selection.isReading || !state.inbox} @click=${chooseAll}>${t("select.all", { n: state.total })}</button>
      ${rest.length > 0 && rest.length < n ? html`<button class="btn sm" type="button" @click=${() => {
        for (const card of rest) choose(card, false);
        changed();
      }}>${t("select.narrow", { n: rest.length })}</button>` : nothing}`}
    ${selection.isRefusing ? nothing : html`<button class="btn sm" type="button" ?disabled=${off} @click=${openFor("snooze")}>${t("triage.snooze-n", { n })}</button>
      <button class="btn sm" type="button" ?disabled=${off} @click=${openFor("assign")}>${t("triage.assign-n", { n })}</button>`}
    <button class="btn bare sm" type="button" @click=${toggleSelecting}>${t("card.back")}</button></div>
    ${manyPanel()}
  </div>`;
};
