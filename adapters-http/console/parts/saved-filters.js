// Filters of the inbox that this browser keeps, by name, for each workspace.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { changed, state } from "../core/store.js";
import { t } from "../core/words.js";
import { fieldsOf, isFiltered, seekOnly } from "./inbox-filter.js";
import { seen } from "./text.js";

/** @typedef {ReturnType<typeof fieldsOf>} Fields */

/** Filters of a workspace at most; the oldest goes first. */
const MOST = 30;
/** Characters of a name. */
const NAME = 40;

let name = "";

const place = () => `entracte-filters:${state.workspace?.key ?? ""}`;

/** The filters of this workspace, the oldest first. @returns {[name: string, fields: Fields][]} */
export const savedFilters = () => {
  try {
    const found = JSON.parse(localStorage.getItem(place()) ?? "[]");
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
};

/** @param {[name: string, fields: Fields][]} all */
const keep = (all) => {
  localStorage.setItem(place(), JSON.stringify(all.slice(-MOST)));
  changed();
};

/** @param {Fields} fields */
const isNow = (fields) => {
  const now = fieldsOf();
  return /** @type {(keyof Fields)[]} */ (Object.keys(now)).every((field) => (fields[field] ?? "") === now[field]);
};

/** @param {Event} event */
const save = (event) => {
  event.preventDefault();
  const wanted = name.trim();
  if (!wanted) return;
  keep([...savedFilters().filter(([known]) => known !== wanted), [wanted, fieldsOf()]]);
  name = "";
};

/** The saved filters, and how the one of now is saved or removed. */
export const savedRow = () => {
  const all = savedFilters();
  const [now] = all.find(([, fields]) => isNow(fields)) ?? [];
  return html`<div class="saved" role="group" aria-label=${t("saved.title")}>
    ${all.map(([known, fields]) => html`<button class="btn sm" type="button" aria-pressed=${known === now ? "true" : "false"} @click=${() => seekOnly(fields)}>${seen(known)}</button>`)}
    ${now === undefined ? nothing : html`<button class="btn sm bare" type="button" @click=${() => keep(all.filter(([known]) => known !== now))}>${t("saved.remove", { name: now })}</button>`}
    ${now === undefined && isFiltered() ? html`<form @submit=${save}><input aria-label=${t("saved.name")} placeholder=${t("saved.name")} maxlength=${NAME} autocomplete="off" .value=${live(name)} @input=${(/** @type {Event} */ event) => {
      name = /** @type {HTMLInputElement} */ (event.target).value;
    }}><button class="btn sm">${t("saved.save")}</button></form>` : nothing}</div>`;
};
