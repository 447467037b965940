// Model calls whose usage is not known: they were stopped or lost. They count against caps until a person says what they cost.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { act } from "../core/api.js";
import { to } from "../core/route.js";
import { changed, may, state } from "../core/store.js";
import { count } from "../core/time.js";
import { t } from "../core/words.js";
import { seen } from "./text.js";

/** @typedef {import("../core/shapes").CostRow} Row */
/** @typedef {{ session: string, row: Row }} UncertainCall */
/** @typedef {import("./targets.js").Change} Change */

/** What is written of each call, by its id. @type {Map<string, { usd: string, tokens: string }>} */
const drafts = new Map();

/** Whether the usage of a call of these is not known. @param {import("../core/shapes").ReservationsShape | null | undefined} all */
export const isUncertain = (all) => Boolean(all && (all.uncertain.tokens > 0 || all.uncertain.cost_usd !== "0"));

/** @param {UncertainCall} call @param {Change} change */
const settlement = ({ row }, change) => {
  const draft = drafts.get(row.key) ?? { usd: "", tokens: "" };
  const write = (/** @type {"usd" | "tokens"} */ name) => (/** @type {Event} */ event) => {
    drafts.set(row.key, { ...(drafts.get(row.key) ?? draft), [name]: /** @type {HTMLInputElement} */ (event.target).value });
    changed();
  };
  const settle = (/** @type {Event} */ event) => {
    event.preventDefault();
    const usd = draft.usd.trim().replace(",", ".");
    change(t("money.was-settled", { call: row.key, usd }), async () => {
      await act("settle_model_call", { w: state.workspace?.key ?? "", mc: row.key }, { body: { cost_usd: usd, tokens: Number(draft.tokens) || 0 } });
      drafts.delete(row.key);
    });
  };
  return html`<form class="form" @submit=${settle} autocomplete="off">
    <div class="f"><label for="usd-${row.key}">${t("money.billed-usd")}</label><input id="usd-${row.key}" required inputmode="decimal" pattern="[0-9]+([.,][0-9]+)?" autocomplete="off" .value=${live(draft.usd)} @input=${write("usd")}><span class="hint">${t("money.billed-usd-hint")}</span></div>
    <div class="f"><label for="tokens-${row.key}">${t("money.billed-tokens")}</label><input id="tokens-${row.key}" type="number" min="0" step="1" autocomplete="off" .value=${live(draft.tokens)} @input=${write("tokens")}></div>
    <div><button class="btn go">${t("money.settle")}</button></div></form>`;
};

/** @param {UncertainCall} call @param {Change} change */
const uncertainCall = (call, change) => {
  const { session, row } = call;
  const { cost_usd: usd, tokens } = row.reservations?.uncertain ?? { cost_usd: "0", tokens: 0 };
  return html`<li class="wide-line"><div><a href=${to("sessions", session, "prompt", row.key)}><code>${seen(row.key)}</code></a><br><span class="small muted">${t("money.call-reserved", { usd, tokens: count(tokens) })}</span></div>
    ${may("approve") ? html`<details><summary>${t("money.settle-open")}</summary>${settlement(call, change)}</details>` : nothing}</li>`;
};

/** @param {UncertainCall[]} calls @param {Change} change */
export const uncertainCalls = (calls, change) => (calls.length === 0 ? nothing : html`<section class="box uncertain-calls"><h3>${t("money.uncertain-calls")}</h3><p class="pad small muted">${t("money.uncertain-says")}</p><ul class="lines">${calls.map((call) => uncertainCall(call, change))}</ul></section>`);
