// The fields of the filter of the inbox beside the words: what an item is of.

import { html } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { state } from "../core/store.js";
import { t } from "../core/words.js";
import { filter, typed } from "./inbox-filter.js";
import { savedRow } from "./saved-filters.js";

const KINDS = ["approval", "question", "unsettled", "parked", "ended", "failed", "task", "tools", "ungranted", "off"];
/** Hours since which an item waits at least. */
const AGES = [1, 24, 72, 168];

/** The values that items on the pages have which were read. @param {(item: import("../core/store.js").Item) => string | null | undefined} of */
const values = (of) => [...new Set((state.inbox ?? []).map(of).filter(Boolean))].sort().slice(0, 100);

/** @param {"command" | "session" | "person" | "assigned"} name @param {(string | null | undefined)[]} known */
const text = (name, known) => html`<label>${t(`filter.${name}`)}<input list="filter-${name}-values" autocomplete="off" .value=${live(filter[name])} @input=${typed(name)}></label><datalist id="filter-${name}-values">${known.map((one) => html`<option value=${one ?? ""}></option>`)}</datalist>`;

/** @param {"kind" | "age" | "automation"} name @param {{ value: string, label: string }[]} options */
const choice = (name, options) => html`<label>${t(`filter.${name}`)}<select @change=${typed(name)}><option value="" ?selected=${filter[name] === ""}>${t("filter.any")}</option>${options.map(({ value, label }) => html`<option value=${value} ?selected=${filter[name] === value}>${label}</option>`)}</select></label>`;

/** The fields, and the filters that were saved. */
export const filterFields = () => html`<div class="filters" id="filters" role="group" aria-label=${t("filter.title")}>
    ${choice("kind", KINDS.map((kind) => ({ value: kind, label: t(`kind.${kind}`) })))}
    ${choice("age", AGES.map((hours) => ({ value: String(hours), label: t("filter.older", { span: hours < 24 ? t("time.h", { n: hours }) : t("time.d", { n: hours / 24 }) }) })))}
    ${text("command", values((item) => ("command" in item ? item.command : null)))}
    ${text("session", values((item) => ("session_name" in item ? item.session_name : null)))}
    ${choice("automation", [...state.automations].map(([value, label]) => ({ value, label })))}
    ${text("person", values((item) => ("requester" in item ? item.requester : null)))}
    ${text("assigned", ["me", "nobody", ...values((item) => item.triage?.assigned?.person)])}
    ${savedRow()}
  </div>`;
