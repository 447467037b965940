// What is sought in the inbox: words, and what an item is of.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { lookAll } from "../core/feed.js";
import { seek } from "../core/inbox.js";
import { changed, state } from "../core/store.js";
import { learn, t } from "../core/words.js";
import { icon } from "./icons.js";

const KEPT = "entracte-inbox";
const NONE = { q: "", kind: "", command: "", session: "", automation: "", person: "", assigned: "", age: "", snoozed: "" };

/** @returns {{ order: string } & typeof NONE} */
const kept = () => {
  try {
    return { order: "age", ...NONE, ...JSON.parse(sessionStorage.getItem(KEPT) ?? "{}") };
  } catch {
    return { order: "age", ...NONE };
  }
};

export const filter = { ...kept(), isOpen: false };

/** The fields beside the words, loaded when they are opened. @type {typeof import("./filter-fields.js") | undefined} */
let fields;

/** Opens and closes the fields. */
export const toggleFilter = async () => {
  filter.isOpen = !filter.isOpen;
  changed();
  if (fields || !filter.isOpen) return;
  [fields] = await Promise.all([import("./filter-fields.js"), learn(["page"])]);
  changed();
};

/** How many fields beside the words are in use. */
const used = () => /** @type {(keyof typeof NONE)[]} */ (["kind", "command", "session", "automation", "person", "assigned", "age"]).filter((name) => filter[name]).length;

export const isFiltered = () => Boolean(filter.q.trim() || filter.snoozed) || used() > 0;

/** What the fields say, with the order. */
export const fieldsOf = () => {
  const { isOpen: _, ...fields } = filter;
  return fields;
};

/** Seeks what the fields say. */
export const apply = () => {
  const { q, kind, command, session, automation, person, assigned, age, snoozed, order } = filter;
  sessionStorage.setItem(KEPT, JSON.stringify(fieldsOf()));
  const words = { q: q.trim(), kind, command: command.trim(), session: session.trim(), automation, person: person.trim(), assigned: assigned.trim(), age: age ? `${age}h` : "", snoozed };
  seek(Object.fromEntries(Object.entries(words).filter(([, word]) => word)), order);
  if (state.workspace) lookAll();
  changed();
};

let due = 0;

/** Seeks what is typed into a field, once nothing more is typed. @param {keyof typeof NONE} name */
export const typed = (name) => (/** @type {Event} */ event) => {
  filter[name] = /** @type {HTMLInputElement} */ (event.target).value;
  clearTimeout(due);
  due = window.setTimeout(apply, 250);
  changed();
};

/** @param {string} order */
export const orderBy = (order) => () => {
  filter.order = order;
  apply();
};

/** Shows what the person snoozes in place of everything else, and back. */
export const toggleSnoozed = () => {
  filter.snoozed = filter.snoozed ? "" : "true";
  apply();
};

/** Seeks these fields, and nothing else. @param {Partial<typeof NONE & { order: string }>} fields */
export const seekOnly = (fields) => {
  Object.assign(filter, NONE, fields);
  apply();
};

/** What an empty list offers: nothing is sought any more. */
const clearFilter = () => seekOnly({});

/** The field for words. */
export const searchField = () => html`<label class="srch">${icon("search")}<span class="sr">${t("filter.search")}</span><input id="seek" type="search" placeholder=${t("filter.hint")} .value=${live(filter.q)} @input=${typed("q")}></label>`;

/** The fields beside it. */
export const filterPanel = () => (filter.isOpen && fields ? fields.filterFields() : nothing);

/** The button that opens them, with how many are in use. */
export const filterLabel = () => (used() > 0 ? t("filter.used", { n: used() }) : t("filter.title"));

/** What an empty list says. */
export const noneFound = () => html`<p class="empty">${t("filter.none")} <button class="btn sm" type="button" @click=${clearFilter}>${t("filter.clear")}</button></p>`;

