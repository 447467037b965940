// Retention: how long each kind of data is kept, and what people hold whatever the limits say.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { act, ask } from "../core/api.js";
import { to } from "../core/route.js";
import { changed, may, state } from "../core/store.js";
import { moment } from "../core/time.js";
import { t } from "../core/words.js";
import { seen } from "./text.js";

/** @typedef {import("./targets.js").Change} Change */

const at = { held: "", reason: "", armed: "" };

const w = () => state.workspace?.key ?? "";

/** The holds, then the limits. */
export const readRetention = async () => {
  const { data } = await ask("get_retention", { w: w() });
  return [...data.holds, ...Object.entries(data.limits).map(([subject, limit]) => ({ subject, limit }))];
};

/** @param {any} one @param {Change} change */
export const retained = (one, change) => (one.subject
  ? html`<li><div><b>${t(`keep.${one.subject}`)}</b> <code>${seen(one.limit)}</code></div></li>`
  : html`<li><div><b>${t("keep.held")}</b> ${one.kind === "session" ? html`<a href=${to("sessions", one.held)}><code>${seen(one.held)}</code></a>` : html`<code>${seen(one.held)}</code>`}<br>${seen(one.reason)}${one.partial ? html`<br><b>${t("keep.partial")}</b>` : nothing}<br><span class="small muted">${seen(one.author)} · ${moment(one.at, state.now)}</span></div>${may("approve") ? html`<button class="btn sm no ${at.armed === one.held ? "armed" : ""}" type="button" @click=${() => {
    if (at.armed === one.held) return change(t("keep.was-released", { what: one.held }), () => act("release_retention", { w: w(), held: one.held }, {}));
    at.armed = one.held;
    changed();
  }}>${t(at.armed === one.held ? "keep.release-sure" : "keep.release")}</button>` : nothing}</li>`);

/** @param {Change} change */
export const newHold = (change) => {
  if (!may("approve")) return nothing;
  const hold = (/** @type {Event} */ event) => {
    event.preventDefault();
    const held = at.held.trim() || "workspace";
    change(t("keep.was-held", { what: held }), async () => {
      await act("hold_retention", { w: w(), held }, { body: { reason: at.reason.trim() } });
      Object.assign(at, { held: "", reason: "" });
    });
  };
  return html`<form class="box" @submit=${hold} autocomplete="off"><h3>${t("keep.new")}</h3><div class="form">
    <div class="f"><label for="k-held">${t("keep.what")}</label><input id="k-held" autocomplete="off" spellcheck="false" .value=${live(at.held)} @input=${(/** @type {Event} */ event) => {
      at.held = /** @type {HTMLInputElement} */ (event.target).value;
    }}><span class="hint">${t("keep.what-hint")}</span></div>
    <div class="f"><label for="k-reason">${t("keep.reason")}</label><input id="k-reason" required maxlength="500" autocomplete="off" .value=${live(at.reason)} @input=${(/** @type {Event} */ event) => {
      at.reason = /** @type {HTMLInputElement} */ (event.target).value;
    }}></div>
    <div><button class="btn go">${t("keep.hold")}</button></div></div></form>`;
};
