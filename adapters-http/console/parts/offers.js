// A tool of an MCP server whose declaration is new or changed waits until an operator accepts it, with what differs before
// their eyes.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { act, ask, NoAnswer, Problem } from "../core/api.js";
import { changed, state } from "../core/store.js";
import { t } from "../core/words.js";
import { problem, seen } from "./text.js";

/** @typedef {import("./targets.js").Change} Change */

const at = { name: "", offer: /** @type {any} */ (null), tag: "", isSure: false, fault: /** @type {Problem | null} */ (null) };

const w = () => state.workspace?.key ?? "";

/** What is offered under a name now. */
const look = async () => {
  at.fault = null;
  at.offer = null;
  at.isSure = false;
  try {
    const { data, tag } = await ask("get_acceptance", { w: w(), n: at.name.trim() });
    Object.assign(at, { offer: data, tag: tag ?? "" });
  } catch (error) {
    if (!(error instanceof Problem) && !(error instanceof NoAnswer)) throw error;
    if (error instanceof Problem) at.fault = error;
  }
  changed();
};

/** @param {Change} change */
const offer = (change) => {
  const { offer } = at;
  if (!offer) return nothing;
  const accept = () => change(t("offer.was-accepted", { name: at.name }), async () => {
    await act("accept_command", { w: w(), n: at.name.trim() }, { body: { without_approval: at.isSure }, match: at.tag });
    await look();
  });
  return html`<p><b>${seen(offer.tool)}</b> <span class="muted">${t("offer.of", { server: offer.server })}</span></p><pre class="snippet" tabindex="0">${seen(offer.says)}</pre>
    ${offer.waits ? html`${offer.loosens ? html`<label class="check"><input type="checkbox" .checked=${live(at.isSure)} @change=${(/** @type {Event} */ event) => {
      at.isSure = /** @type {HTMLInputElement} */ (event.target).checked;
      changed();
    }}>${t("offer.loosens")}</label>` : nothing}<div><button class="btn go" type="button" ?disabled=${offer.loosens && !at.isSure} @click=${accept}>${t("offer.accept")}</button></div>` : html`<p class="small muted">${t("offer.is-accepted")}</p>`}`;
};

/** @param {Change} change */
export const offers = (change) => html`<form class="box" @submit=${(/** @type {Event} */ event) => {
  event.preventDefault();
  look();
}}><h3>${t("offer.title")}</h3><div class="form"><p class="small muted">${t("offer.says")}</p>
  <div class="f"><label for="of">${t("offer.name")}</label><input id="of" required list="of-all" autocomplete="off" spellcheck="false" .value=${live(at.name)} @input=${(/** @type {Event} */ event) => {
    at.name = /** @type {HTMLInputElement} */ (event.target).value;
  }}><datalist id="of-all">${[...state.commands.keys()].map((name) => html`<option value=${name}></option>`)}</datalist></div>
  <div><button class="btn">${t("offer.look")}</button></div>${at.fault ? problem(at.fault) : nothing}${offer(change)}</div></form>`;
