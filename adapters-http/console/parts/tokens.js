// Tokens: whose, what each allows, and those for a page of another site.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { act } from "../core/api.js";
import { base } from "../core/route.js";
import { changed, state } from "../core/store.js";
import { moment } from "../core/time.js";
import { named, t } from "../core/words.js";
import { icon } from "./icons.js";
import { seen } from "./text.js";

/** @typedef {import("./targets.js").Change} Change */

const at = { person: "", name: "", scopes: new Set(["read"]), expires: "", session: "", origins: "", made: /** @type {any} */ (null), secret: "" };

/** What was shown once is gone. */
export const forget = () => {
  at.made = null;
  at.secret = "";
};

const w = () => state.workspace?.key ?? "";

/** @param {any} one @param {Change} change */
export const token = (one, change) => html`<li><div><b>${seen(one.name)}</b> <span class="muted">${seen(one.person.name)}</span> <span class="chip">${named("token", one.kind)}</span> ${one.scopes.map((/** @type {string} */ scope) => html`<span class="chip accent">${scope}</span> `)}
  ${one.session ? html`<br><span class="small">${t("set.only-session")} <code>${one.session}</code> ${one.origins.map((/** @type {string} */ origin) => html`<code>${seen(origin)}</code> `)}</span>` : nothing}
  <br><span class="small muted">${t("set.made", { at: moment(one.created_at, state.now) })}${one.last_used ? ` · ${t("set.used", { at: moment(one.last_used, state.now) })}` : ""}${one.expires_at ? ` · ${t("set.until", { at: moment(one.expires_at, state.now) })}` : ""}${one.revoked_at ? ` · ${t("set.revoked", { at: moment(one.revoked_at, state.now) })}` : ""}</span></div>
  ${one.revoked_at ? nothing : html`<button class="btn sm no" type="button" @click=${() => change(t("set.token-revoked", { name: one.name }), () => act("revoke_token", { w: w(), t: one.id }, {}))}>${t("set.revoke")}</button>`}</li>`;

/** @param {"person" | "name" | "expires" | "session" | "origins"} name */
const typed = (name) => (/** @type {Event} */ event) => {
  at[name] = /** @type {HTMLInputElement} */ (event.target).value;
  changed();
};

/** What the other site writes. */
const snippet = () => `<script type="module" src="${location.origin}${base}/widget/entracte-chat.js"></script>\n<entracte-chat server="${location.origin}${base}" workspace="${w()}" session="${at.made?.session}" token="${at.secret}"></entracte-chat>`;

/** @param {Change} change */
export const newToken = (change) => {
  const isEmbedded = at.session.trim() !== "";
  const make = (/** @type {Event} */ event) => {
    event.preventDefault();
    change(t("set.token-made", { name: at.name }), async () => {
      const held = isEmbedded ? { session: at.session.trim(), origins: at.origins.split(/\s+/).filter(Boolean) } : {};
      const scopes = isEmbedded ? ["read", "chat"] : [...at.scopes];
      const { data } = await act("create_token", { w: w() }, { body: { person: at.person, name: at.name, scopes, expires_at: at.expires ? new Date(at.expires).toISOString() : null, ...held } });
      Object.assign(at, { made: data, secret: data.secret ?? "", name: "", session: "", origins: "" });
    });
  };
  return html`<form class="box" @submit=${make}><h3>${t("set.new-token")}</h3><div class="form">
    <div class="f"><label for="tp">${t("set.person")}</label><input id="tp" required autocomplete="off" .value=${live(at.person)} @input=${typed("person")}><span class="hint">${t("set.person-hint")}</span></div>
    <div class="f"><label for="tn">${t("set.token-name")}</label><input id="tn" required autocomplete="off" .value=${live(at.name)} @input=${typed("name")}></div>
    <div class="f"><label for="te">${t("set.expires")}</label><input id="te" type="date" .value=${live(at.expires)} @input=${typed("expires")}><span class="hint">${t("set.expires-hint")}</span></div>
    ${isEmbedded ? nothing : html`<fieldset class="f"><legend>${t("set.may")}</legend><div class="chips">${["read", "chat", "approve", "secret", "admin"].map((scope) => html`<label class="check"><input type="checkbox" .checked=${at.scopes.has(scope)} @change=${() => {
      if (!at.scopes.delete(scope)) at.scopes.add(scope);
      changed();
    }}>${t(`scope.${scope}`)}</label>`)}</div></fieldset>`}
    <details class="more-fields" ?open=${isEmbedded}><summary>${t("set.embed")}</summary><div class="form">
      <p class="small muted">${t("set.embed-says")}</p>
      <div class="f"><label for="ts">${t("card.session")}</label><input id="ts" autocomplete="off" spellcheck="false" placeholder="ses_…" .value=${live(at.session)} @input=${typed("session")}></div>
      <div class="f"><label for="to">${t("set.origins")}</label><textarea id="to" rows="2" spellcheck="false" .value=${live(at.origins)} @input=${typed("origins")}></textarea><span class="hint">${t("set.origins-hint")}</span></div>
    </div></details>
    <div><button class="btn go">${t("set.make-token")}</button></div>
    ${at.secret ? html`<p class="line ok">${icon("check")}<span>${t("set.shown-once")}<br><code class="secret">${at.secret}</code></span></p>` : nothing}
    ${at.made?.session ? html`<p class="small">${t("set.snippet")}</p><pre class="snippet secret" tabindex="0">${snippet()}</pre>` : nothing}</div></form>`;
};
