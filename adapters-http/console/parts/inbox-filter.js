// What is sought in the inbox: words, and what an item is of.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { lookAll } from "../core/feed.js";
import { seek } from "../core/inbox.js";
import { changed, state } from "../core/store.js";
import { t } from "../core/words.js";
import { icon } from "./icons.js";

const KEPT = "entracte-inbox";
const KINDS = ["approval", "question", "unsettled", "parked", "ended", "failed", "task", "tools", "ungranted", "off"];
/** Hours since which an item waits at least. */
const AGES = [0, 1, 24, 72, 168];
const HOUR = 3_600_000;
const NONE = { q: "", kind: "", command: "", session: "", automation: "", person: "", age: "" };

/** @returns {{ order: string } & typeof NONE} */
const kept = () => {
  try {
    return { order: "age", ...NONE, ...JSON.parse(sessionStorage.getItem(KEPT) ?? "{}") };
  } catch {
    return { order: "age", ...NONE };
  }
};

export const filter = { ...kept(), isOpen: false };

/** How many fields beside the words are in use. */
const used = () => /** @type {(keyof typeof NONE)[]} */ (["kind", "command", "session", "automation", "person", "age"]).filter((name) => filter[name]).length;

export const isFiltered = () => Boolean(filter.q.trim()) || used() > 0;

/** Seeks what the fields say. */
export const apply = () => {
  const { q, kind, command, session, automation, person, age, order } = filter;
  sessionStorage.setItem(KEPT, JSON.stringify({ q, kind, command, session, automation, person, age, order }));
  const before = age ? new Date(Date.now() - Number(age) * HOUR).toISOString() : "";
  const words = { q: q.trim(), kind, command: command.trim(), session: session.trim(), automation, person: person.trim(), asked_before: before };
  seek(Object.fromEntries(Object.entries(words).filter(([, word]) => word)), order);
  if (state.workspace) lookAll();
  changed();
};

let due = 0;

/** @param {keyof typeof NONE} name */
const typed = (name) => (/** @type {Event} */ event) => {
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

/** Nothing is sought any more. */
export const clearFilter = () => {
  Object.assign(filter, NONE);
  apply();
};

/** The values that items on the pages have which were read. @param {(item: import("../core/store.js").Item) => string | null | undefined} of */
const values = (of) => [...new Set((state.inbox ?? []).map(of).filter(Boolean))].sort().slice(0, 100);

/** @param {"command" | "session" | "person"} name @param {(string | null | undefined)[]} known */
const text = (name, known) => html`<label>${t(`filter.${name}`)}<input list="filter-${name}-values" autocomplete="off" .value=${live(filter[name])} @input=${typed(name)}></label><datalist id="filter-${name}-values">${known.map((one) => html`<option value=${one ?? ""}></option>`)}</datalist>`;

/** @param {"kind" | "age" | "automation"} name @param {{ value: string, label: string }[]} options */
const choice = (name, options) => html`<label>${t(`filter.${name}`)}<select @change=${typed(name)}><option value="" ?selected=${filter[name] === ""}>${t("filter.any")}</option>${options.map(({ value, label }) => html`<option value=${value} ?selected=${filter[name] === value}>${label}</option>`)}</select></label>`;

/** The field for words. */
export const searchField = () => html`<label class="srch">${icon("search")}<span class="sr">${t("filter.search")}</span><input id="seek" type="search" placeholder=${t("filter.hint")} .value=${live(filter.q)} @input=${typed("q")}></label>`;

/** The fields beside it. */
export const filterPanel = () => {
  if (!filter.isOpen) return nothing;
  return html`<div class="filters" id="filters" role="group" aria-label=${t("filter.title")}>
    ${choice("kind", KINDS.map((kind) => ({ value: kind, label: t(`kind.${kind}`) })))}
    ${choice("age", AGES.slice(1).map((hours) => ({ value: String(hours), label: t("filter.older", { span: hours < 24 ? t("time.h", { n: hours }) : t("time.d", { n: hours / 24 }) }) })))}
    ${text("command", values((item) => ("command" in item ? item.command : null)))}
    ${text("session", values((item) => ("session_name" in item ? item.session_name : null)))}
    ${choice("automation", [...state.automations].map(([value, label]) => ({ value, label })))}
    ${text("person", values((item) => ("requester" in item ? item.requester : null)))}
  </div>`;
};

/** The button that opens them, with how many are in use. */
export const filterLabel = () => (used() > 0 ? t("filter.used", { n: used() }) : t("filter.title"));

/** What an empty list says. */
export const noneFound = () => html`<p class="empty">${t("filter.none")} <button class="btn sm" type="button" @click=${clearFilter}>${t("filter.clear")}</button></p>`;

