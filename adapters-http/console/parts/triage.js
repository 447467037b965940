// Snoozing and assigning what waits: the buttons of a card. What they open is loaded with the first press.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { changed, may, state } from "../core/store.js";
import { moment } from "../core/time.js";
import { learn, t } from "../core/words.js";
import { kbd } from "./icons.js";
import { seen } from "./text.js";

/** @typedef {import("../core/store.js").Item} Item */
/** @typedef {"" | "snooze" | "assign"} Act */

export const triage = {
  /** What is open; empty: nothing. @type {Act} */ act: "",
  /** The items it is for. @type {Item[]} */ items: [],
  /** It is for what is selected, not for the card. */ isMany: false,
  /** What follows once it is sent. */ done: () => {},
};

/** What is opened. @type {typeof import("./triage-panel.js") | undefined} */
let panel;

const load = async () => {
  [panel] = await Promise.all([panel ?? import("./triage-panel.js"), learn(["page"])]);
  return panel;
};

/** Whether an item is snoozed and assigned: what is of the server is not. @param {Item} item */
export const canTriage = (item) => item.session !== "" && may("approve");

/** Gives the focus to what opened, once it is drawn. */
const focus = () => setTimeout(() => /** @type {HTMLElement | null} */ (document.querySelector("#triage :is(button, input)"))?.focus(), 30);

/** @param {Act} act @param {Item[]} items @param {{ isMany?: boolean, done?: () => void }} [how] */
export const openTriage = async (act, items, { isMany = false, done = () => {} } = {}) => {
  await load();
  Object.assign(triage, { act, items, isMany, done });
  changed();
  focus();
};

/** Closes what is open; gives whether something was. */
export const closeTriage = () => {
  if (!triage.act) return false;
  Object.assign(triage, { act: "", items: [], isMany: false, done: () => {} });
  changed();
  return true;
};

/** @param {Item} item */
const wake = async (item) => (await load()).wake(item);

/** What is open for what is selected. */
export const manyPanel = () => (panel && triage.act && triage.isMany ? html`<div class="triage">${panel.triagePanel()}</div>` : nothing);

/** What people noted about an item, and how that is changed. @param {Item} item */
export const triageBar = (item) => {
  if (!canTriage(item)) return nothing;
  const { assigned, snoozed_until: until } = item.triage ?? {};
  const isOpen = triage.act !== "" && !triage.isMany && triage.items[0]?.id === item.id;
  const button = (/** @type {Exclude<Act, "">} */ act, /** @type {string} */ key) => html`<button class="btn sm bare" type="button" aria-expanded=${isOpen && triage.act === act ? "true" : "false"} @click=${() => (isOpen && triage.act === act ? closeTriage() : openTriage(act, [item]))}>${t(`triage.${act}`)}${kbd(key)}</button>`;
  return html`<div class="triage"><div class="chips" role="group" aria-label=${t("triage.title")}>
    ${assigned ? html`<span class="small muted">${seen(t("triage.by", { person: assigned.person, author: assigned.author }))}</span>` : nothing}
    ${until ? html`<span class="small muted">${t("triage.until", { at: moment(until, state.now) })}</span><button class="btn sm bare" type="button" @click=${() => wake(item)}>${t("triage.wake")}</button>` : button("snooze", "z")}
    ${button("assign", "o")}</div>
    ${isOpen && panel ? panel.triagePanel() : nothing}</div>`;
};

/** What a row says of it. @param {Item} item @returns {(string | null)[]} */
export const triageWords = (item) => {
  const { assigned, snoozed_until: until } = item.triage ?? {};
  return [assigned ? t("triage.for", { person: assigned.person }) : null, until ? t("triage.until", { at: moment(until, state.now) }) : null];
};
