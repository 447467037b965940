// A terminal asks to be logged in: `entracte login --server`. Opening the page decides nothing: the person compares the code
// with that of their terminal, chooses what it may do, and allows or refuses it, once.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { ask, proof } from "../core/api.js";
import { go, to } from "../core/route.js";
import { changed, state } from "../core/store.js";
import { moment } from "../core/time.js";
import { t } from "../core/words.js";
import { brand, icon } from "../parts/icons.js";
import { caution, faultOf, problem, seen } from "../parts/text.js";

/** What a terminal gets unless the person says otherwise. */
const USUAL = ["read", "chat", "approve"];
/** Days for which its token counts. */
const DAYS = [1, 30, 365];
const DAY = 24 * 60 * 60 * 1000;

const at = {
  code: "",
  typed: "",
  /** @type {import("../core/shapes").TerminalLoginShape | null} */ login: null,
  scopes: new Set(USUAL),
  days: 30,
  isSending: false,
  /** @type {import("../core/api.js").Problem | null} */ fault: null,
};

/** Asks the server, and keeps what it says of the login. @param {() => Promise<{ data: any }>} request */
const told = async (request) => {
  const code = at.code;
  at.isSending = true;
  at.fault = null;
  changed();
  try {
    const { data } = await request();
    // The person may have opened another one meanwhile.
    if (at.code === code) at.login = data;
  } catch (error) {
    if (at.code === code) at.fault = faultOf(error);
  } finally {
    at.isSending = false;
    changed();
  }
};

const load = () => told(() => ask("get_terminal_login", { code: at.code }));

/** @param {boolean} allow */
const decide = (allow) => {
  const grant = allow ? { scopes: [...at.scopes], expires_at: new Date(Date.now() + at.days * DAY).toISOString() } : {};
  return told(() => ask("decide_terminal_login", { code: at.code }, { body: { allow, ...grant } }));
};

/** The terminal that asks, and what is to be compared. @param {import("../core/shapes").TerminalLoginShape} login */
const asking = (login) => html`<p>${t("terminal.asks")}</p>
  <p class="code" id="code"><code>${login.code}</code></p>
  <p>${t("terminal.compare")}</p>
  <dl class="meta"><dt>${t("terminal.name")}</dt><dd>${seen(login.name)} ${caution(login.name)}</dd><dt>${t("terminal.address")}</dt><dd><code>${login.address}</code></dd><dt>${t("terminal.when")}</dt><dd>${moment(login.asked_at, state.now)}</dd></dl>`;

const choices = () => html`<fieldset class="f"><legend>${t("terminal.may")}</legend><div class="chips">${["read", "chat", "approve", "secret", "admin"].map((scope) => html`<label class="check"><input type="checkbox" name=${scope} .checked=${at.scopes.has(scope)} ?disabled=${scope === "read"} @change=${() => {
    if (!at.scopes.delete(scope)) at.scopes.add(scope);
    changed();
  }}>${t(`scope.${scope}`)}</label>`)}</div></fieldset>
  <div class="f"><label for="days">${t("terminal.lasts")}</label><select id="days" @change=${(/** @type {Event} */ event) => {
    at.days = Number(/** @type {HTMLSelectElement} */ (event.target).value);
  }}>${DAYS.map((days) => html`<option value=${days} ?selected=${days === at.days}>${t("time.d", { n: days })}</option>`)}</select></div>
  <p class="small muted">${t("terminal.as", { person: state.me?.token.person.name ?? "" })}</p>
  <div class="chips"><button class="btn go" id="allow" type="button" ?disabled=${at.isSending} @click=${() => decide(true)}>${t("terminal.allow")}</button><button class="btn no" id="refuse" type="button" ?disabled=${at.isSending} @click=${() => decide(false)}>${t("terminal.refuse")}</button></div>`;

/** The form for a code that nobody has opened yet. */
const finding = () => html`<form @submit=${(/** @type {Event} */ event) => {
  event.preventDefault();
  go(`${to("terminal")}?${new URLSearchParams({ code: at.typed })}`);
}}><div class="f"><label for="typed">${t("terminal.type")}</label><input id="typed" required autocomplete="off" spellcheck="false" placeholder="WXZB-CDFG" .value=${live(at.typed)} @input=${(/** @type {Event} */ event) => {
  at.typed = /** @type {HTMLInputElement} */ (event.target).value;
}}></div><button class="btn go">${t("terminal.find")}</button></form>`;

const content = () => {
  const login = at.login;
  if (!login) return at.isSending ? html`<p class="muted">${t("loading")}</p>` : finding();
  if (login.state === "waiting") return html`${asking(login)}${choices()}`;
  const isAllowed = login.state === "allowed";
  return html`<p class="line ${isAllowed ? "ok" : "warn"}" role="status">${icon(isAllowed ? "check" : "cross")}<span>${t(isAllowed ? "terminal.allowed" : "terminal.refused")}</span></p>`;
};

export default {
  /** @param {import("../core/route.js").Place} place */
  enter: (place) => {
    Object.assign(at, { code: place.query.get("code") ?? "", typed: "", login: null, scopes: new Set(USUAL), days: 30, fault: null });
    // Who is not logged in is led to the login, and comes back.
    if (at.code && proof.get()) load();
  },
  draw: () => html`<div class="center login"><div class="box pad">
    <p class="brand">${brand}<span>Entracte</span></p><h2>${t("terminal.title")}</h2>
    ${content()}
    ${at.fault ? problem(at.fault) : nothing}
  </div></div>`,
};
