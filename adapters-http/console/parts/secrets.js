// A person's own secrets: their names. What is kept is never shown again, and is nobody else's.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { act } from "../core/api.js";
import { changed, may, state } from "../core/store.js";
import { t } from "../core/words.js";
import { seen } from "./text.js";

/** @typedef {import("./targets.js").Change} Change */

const at = { name: "", secret: "", armed: "" };

/** @param {string} name @param {Change} change */
export const secret = (name, change) => html`<li><div><code>${seen(name)}</code></div>${may("secret") ? html`<button class="btn sm no ${at.armed === name ? "armed" : ""}" type="button" @click=${() => {
  if (at.armed === name) return change(t("secret.was-removed", { name }), () => act("remove_own_secret", { w: state.workspace?.key ?? "", n: name }, {}));
  at.armed = name;
  changed();
}}>${t(at.armed === name ? "target.remove-sure" : "target.remove")}</button>` : nothing}</li>`;

/** @param {Change} change */
export const newSecret = (change) => {
  if (!may("secret")) return html`<p class="small muted">${t("secret.no-scope")}</p>`;
  const keep = (/** @type {Event} */ event) => {
    event.preventDefault();
    const name = at.name.trim();
    change(t("secret.was-kept", { name }), async () => {
      await act("keep_own_secret", { w: state.workspace?.key ?? "", n: name }, { body: { secret: at.secret } });
      Object.assign(at, { name: "", secret: "" });
    });
  };
  return html`<form class="box" @submit=${keep} autocomplete="off"><h3>${t("secret.new")}</h3><div class="form">
    <div class="f"><label for="o-name">${t("set.token-name")}</label><input id="o-name" required autocomplete="off" spellcheck="false" .value=${live(at.name)} @input=${(/** @type {Event} */ event) => {
      at.name = /** @type {HTMLInputElement} */ (event.target).value;
    }}><span class="hint">${t("secret.name-hint")}</span></div>
    <div class="f"><label for="o-secret">${t("secret.value")}</label><input id="o-secret" type="password" required autocomplete="new-password" .value=${live(at.secret)} @input=${(/** @type {Event} */ event) => {
      at.secret = /** @type {HTMLInputElement} */ (event.target).value;
    }}></div>
    <div><button class="btn go">${t("secret.keep")}</button></div></div></form>`;
};
