// What the buttons for snoozing and assigning open: until when, or to whom.

import { html } from "../vendor/lit-html/lit-html.js";
import { act, newKey, NoAnswer, Problem } from "../core/api.js";
import { lookAll } from "../core/feed.js";
import { changed, replaceItem, state, tell } from "../core/store.js";
import { clock, dayKey, daysLater } from "../core/time.js";
import { t } from "../core/words.js";
import { desk, leave, refusal } from "./desk.js";
import { closeTriage, triage } from "./triage.js";
import { title } from "./waiting.js";

/** @typedef {import("../core/store.js").Item} Item */
/** @typedef {{ id: string, triage?: Item["triage"] | null }} Noted */

/** Items of one request. */
const AT_ONCE = 200;
/** Milliseconds after which what a person sent away counts as any other item that goes. */
const OWN = 2000;

/** What is said of several items, or of one. @param {Item[]} items */
const what = (items) => (items.length === 1 && items[0] ? title(items[0]) : t("triage.n", { n: items.length }));

/**
 * Notes something about items, and says how it went; gives what is noted now, or null where nothing was.
 * @param {string} operation
 * @param {Item[]} items
 * @param {Record<string, unknown>} body
 * @param {string} words what was done
 * @returns {Promise<Noted[] | null>}
 */
const note = async (operation, items, body, words) => {
  const { done } = triage;
  closeTriage();
  const say = tell("sending", `${words} ${t("news.sending")}`);
  /** @type {Noted[]} */
  const noted = [];
  try {
    for (let at = 0; at < items.length; at += AT_ONCE) {
      const ids = items.slice(at, at + AT_ONCE).map((item) => item.id);
      const { data } = await act(operation, { w: state.workspace?.key ?? "" }, { body: { items: ids, ...body }, key: newKey() });
      noted.push(...data.items);
    }
    say("ok", `${words} ${t("news.recorded", { at: clock(Date.now()) })}`);
    done();
    return noted;
  } catch (error) {
    if (error instanceof NoAnswer) say("warn", `${words} ${t("news.unknown")}`);
    else if (error instanceof Problem) {
      const why = error.detail || error.title;
      say("bad", noted.length > 0 ? t("triage.partly", { n: noted.length, of: items.length, why }) : t("triage.refused", { why }));
    } else throw error;
    return null;
  } finally {
    lookAll();
    changed();
  }
};

/** They leave the list, and the next one opens. @param {Item[]} items */
const sendAway = (items) => {
  for (const { id } of items) {
    const at = desk(id);
    at.own = true;
    leave(id);
    // It may come back under the same id.
    setTimeout(() => {
      at.own = false;
    }, OWN);
  }
};

/** @param {string} until */
const snooze = async (until) => {
  const { items } = triage;
  if (await note("snooze_items", items, { until }, t("triage.snoozed", { what: what(items) }))) sendAway(items);
};

/** @param {string | null} person */
const assign = async (person) => {
  const { items } = triage;
  const words = person === null ? t("triage.unassigned", { what: what(items) }) : t("triage.assigned", { what: what(items), person: person === "me" ? (state.me?.token.person.name ?? person) : person });
  const noted = await note("assign_items", items, { person }, words);
  for (const { id, triage: now } of noted ?? []) {
    const item = items.find((one) => one.id === id);
    if (item) replaceItem(id, { ...item, triage: now ?? undefined });
  }
  changed();
};

/** Brings an item back. @param {Item} item */
export const wake = async (item) => {
  if (await note("wake_items", [item], {}, t("triage.woken", { what: what([item]) }))) sendAway([item]);
};

/** @param {Event} event */
const submitted = (event) => {
  event.preventDefault();
  const value = /** @type {HTMLInputElement | null} */ (/** @type {HTMLElement} */ (event.currentTarget).querySelector("input"))?.value.trim() ?? "";
  if (!value) return;
  if (triage.act === "snooze") snooze(value);
  else assign(value);
};

/** The people whose names the pages have which were read. */
const people = () => [...new Set((state.inbox ?? []).flatMap((item) => [item.triage?.assigned?.person, "requester" in item ? item.requester : null]).filter(Boolean))].sort().slice(0, 100);

/** The first day that may be chosen: tomorrow. */
const tomorrow = () => daysLater(dayKey(state.now), 1);

export const triagePanel = () => {
  const isSnooze = triage.act === "snooze";
  const off = refusal() !== "";
  const button = (/** @type {string} */ words, /** @type {() => void} */ press) => html`<button class="btn sm" type="button" ?disabled=${off} @click=${press}>${words}</button>`;
  return html`<div class="box pad" id="triage" role="group" aria-label=${t(`triage.${triage.act}`)}>
    <div class="chips">${isSnooze
      ? ["later", "tomorrow", "monday"].map((until) => button(t(`triage.${until}`), () => snooze(until)))
      : [button(t("triage.me"), () => assign("me")), button(t("triage.nobody"), () => assign(null))]}
      <button class="btn sm bare" type="button" @click=${closeTriage}>${t("card.back")}</button></div>
    <form @submit=${submitted}><label class="small" for="triage-field">${t(isSnooze ? "triage.day" : "triage.person")}</label>
      ${isSnooze ? html`<input id="triage-field" type="date" min=${tomorrow()}>` : html`<input id="triage-field" autocomplete="off" list="triage-people"><datalist id="triage-people">${people().map((name) => html`<option value=${name ?? ""}></option>`)}</datalist>`}
      <button class="btn sm" ?disabled=${off}>${t(isSnooze ? "triage.until-day" : "triage.give")}</button></form></div>`;
};
