// Settings: what the workspace does, who may do what, what was allowed in advance, and which models there are.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { act, all, ask, Problem, proof } from "../core/api.js";
import { go, to } from "../core/route.js";
import { changed, may, state, tell } from "../core/store.js";
import { clock, instant, moment } from "../core/time.js";
import { named, speak, spoken, t } from "../core/words.js";
import { icon } from "../parts/icons.js";
import { problem, seen } from "../parts/text.js";

const PARTS = ["workspace", "approvals", "providers", "commands", "tokens", "this-browser"];

const view = {
  part: "workspace",
  isOpen: false,
  /** @type {any[] | null} */ items: null,
  tag: "",
  /** @type {Map<string, string>} */ drafts: new Map(),
  made: "",
  person: "",
  name: "",
  scopes: new Set(["read"]),
  /** @type {Problem | null} */ fault: null,
};

const w = () => state.workspace?.key ?? "";

/** @type {Record<string, () => Promise<any[]>>} */
const READS = {
  workspace: async () => {
    const { data, tag } = await ask("get_settings", { w: w() });
    view.tag = tag ?? "";
    return data.settings;
  },
  approvals: () => all("list_rules", { w: w() }, { all: true }),
  providers: () => all("list_providers", {}),
  commands: () => all("list_commands", { w: w() }),
  tokens: () => all("list_tokens", { w: w() }),
};

const read = async () => {
  const { part } = view;
  if (!state.workspace) {
    setTimeout(read, 150);
    return;
  }
  try {
    const items = (await READS[part]?.()) ?? [];
    if (view.part === part) view.items = items;
    view.fault = null;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    view.fault = error;
    view.items ??= [];
  }
  changed();
};

/** @param {string} words @param {() => Promise<unknown>} done */
const change = async (words, done) => {
  const say = tell("sending", `${words} ${t("news.sending")}`);
  try {
    await done();
    say("ok", `${words} ${t("news.recorded", { at: clock(Date.now()) })}`);
    await read();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    say("bad", t("news.refused", { what: words, why: error.title }));
    view.fault = error;
    changed();
  }
};

/** @param {any} setting */
const setting = (setting) => {
  const text = view.drafts.get(setting.key) ?? setting.value;
  const id = `s-${setting.key.replace(/\W/g, "-")}`;
  const save = (/** @type {Event} */ event) => {
    event.preventDefault();
    change(t("set.changed", { key: setting.key, value: text }), async () => {
      await act("change_settings", { w: w() }, { body: { settings: { [setting.key]: text } }, match: view.tag });
      view.drafts.delete(setting.key);
      if (setting.key === "language") await speak(text);
    });
  };
  const isNew = text !== setting.value;
  return html`<form class="setting" @submit=${save}><label for=${id}><code>${setting.key}</code><span class="small muted">${seen(setting.means)}</span></label>
    <div class="with"><input id=${id} .value=${text} ?disabled=${!may("admin")} autocomplete="off" @input=${(/** @type {Event} */ event) => {
      view.drafts.set(setting.key, /** @type {HTMLInputElement} */ (event.target).value);
      changed();
    }}>${isNew ? html`<button class="btn sm go">${t("set.save")}</button>` : nothing}</div>
    <span class="small muted">${seen(setting.takes)} · ${setting.value === setting.default ? t("set.is-default") : t("set.default", { value: setting.default })}</span></form>`;
};

/** @param {any} rule */
const rule = (rule) => html`<li><div><b>${rule.denies ? t("set.refuses") : t("set.approves")}</b> <code>${seen(rule.command)}</code> <span class="chip ${rule.state === "open" ? (rule.denies ? "danger" : "ok") : ""}">${named("rule", rule.state)}</span>
    <ul class="conditions">${Object.entries(rule.arguments).map(([name, must]) => html`<li><code>${seen(name)}</code> ${must === "any" ? t("always.any") : html`${t("always.is")} <code>${seen(JSON.stringify(/** @type {any} */ (must).is))}</code>`}</li>`)}</ul>
    <span class="small muted">${seen(rule.author)} · ${moment(rule.made_at, state.now)} · <span title=${instant(rule.expires_at)}>${t("set.until", { at: moment(rule.expires_at, state.now) })}</span>${rule.session ? html` · <a href=${to("sessions", rule.session)}>${t("always.session")}</a>` : nothing}${rule.revoked_by ? ` · ${t("set.revoked-by", { by: rule.revoked_by })}` : ""}</span></div>
    ${rule.state === "open" ? html`<button class="btn sm no" type="button" ?disabled=${!may("approve")} @click=${() => change(t("set.took-back", { what: rule.command }), () => act("revoke_rule", { w: w(), r: rule.id }, {}))}>${t("set.take-back")}</button>` : nothing}</li>`;

/** @param {any} one */
const provider = (one) => html`<li><div><b>${seen(one.name)}</b> ${one.default ? html`<span class="chip accent">${t("set.default-provider")}</span>` : nothing}<br><span class="small muted">${seen([one.kind, one.model, one.dialect].filter(Boolean).join(" · "))}</span><br><span class="small muted">${one.base_url ? html`<code>${seen(one.base_url)}</code> · ` : nothing}${one.key ? html`${t("set.key-from")} <code>${seen(one.key)}</code>` : t("set.no-key")}</span></div></li>`;

/** @param {any} one */
const command = (one) => html`<li><div><b><code>${seen(one.name)}</code></b> <span class="chip">${named("command", one.kind)}</span>${one.destructive ? html` <span class="chip danger">${t("card.destructive")}</span>` : nothing}${one.egress ? html` <span class="chip">${t("card.egress")}</span>` : nothing}<br><span class="small muted">${seen(one.doc)}</span></div></li>`;

/** @param {any} one */
const token = (one) => html`<li><div><b>${seen(one.name)}</b> <span class="muted">${seen(one.person.name)}</span> <span class="chip">${named("token", one.kind)}</span> ${one.scopes.map((/** @type {string} */ scope) => html`<span class="chip accent">${scope}</span> `)}<br><span class="small muted">${t("set.made", { at: moment(one.created_at, state.now) })}${one.last_used ? ` · ${t("set.used", { at: moment(one.last_used, state.now) })}` : ""}${one.expires_at ? ` · ${t("set.until", { at: moment(one.expires_at, state.now) })}` : ""}${one.revoked_at ? ` · ${t("set.revoked", { at: moment(one.revoked_at, state.now) })}` : ""}</span></div>
  ${one.revoked_at ? nothing : html`<button class="btn sm no" type="button" @click=${() => change(t("set.token-revoked", { name: one.name }), () => act("revoke_token", { w: w(), t: one.id }, {}))}>${t("set.revoke")}</button>`}</li>`;

const newToken = () => {
  const make = (/** @type {Event} */ event) => {
    event.preventDefault();
    change(t("set.token-made", { name: view.name }), async () => {
      const { data } = await act("create_token", { w: w() }, { body: { person: view.person, name: view.name, scopes: [...view.scopes] } });
      view.made = data.secret;
    });
  };
  return html`<form class="box" @submit=${make}><h3>${t("set.new-token")}</h3><div class="form">
    <div class="f"><label for="tp">${t("set.person")}</label><input id="tp" required autocomplete="off" .value=${view.person} @input=${(/** @type {Event} */ event) => {
      view.person = /** @type {HTMLInputElement} */ (event.target).value;
    }}><span class="hint">${t("set.person-hint")}</span></div>
    <div class="f"><label for="tn">${t("set.token-name")}</label><input id="tn" required autocomplete="off" .value=${view.name} @input=${(/** @type {Event} */ event) => {
      view.name = /** @type {HTMLInputElement} */ (event.target).value;
    }}></div>
    <fieldset class="f"><legend>${t("set.may")}</legend><div class="chips">${["read", "chat", "approve", "admin"].map((scope) => html`<label class="check"><input type="checkbox" .checked=${view.scopes.has(scope)} @change=${() => {
      if (!view.scopes.delete(scope)) view.scopes.add(scope);
      changed();
    }}>${t(`scope.${scope}`)}</label>`)}</div></fieldset>
    <div><button class="btn go">${t("set.make-token")}</button></div>
    ${view.made ? html`<p class="line ok">${icon("check")}<span>${t("set.shown-once")}<br><code class="secret">${view.made}</code></span></p>` : nothing}</div></form>`;
};

const logout = async () => {
  try {
    await act("logout", {}, {});
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
  proof.forget();
  go(to("login"));
  location.reload();
};

const browser = () => html`<section class="box"><div class="form">
  <div class="f"><label for="lang">${t("set.language")}</label><select id="lang" @change=${async (/** @type {Event} */ event) => {
    const language = /** @type {HTMLSelectElement} */ (event.target).value;
    localStorage.setItem("entracte-language", language);
    await speak(language);
    changed();
  }}><option value="en" lang="en" ?selected=${spoken() === "en"}>English</option><option value="fr" lang="fr" ?selected=${spoken() === "fr"}>Français</option></select><span class="hint">${t("set.language-hint")}</span></div>
  <div><button class="btn no" type="button" @click=${logout}>${t("set.logout")}</button></div></div></section>`;

const DRAWS = { workspace: setting, approvals: rule, providers: provider, commands: command, tokens: token };

const body = () => {
  if (view.part === "this-browser") return browser();
  if (view.items === null) return html`<p class="sr" role="status">${t("loading")}</p>`;
  const draw = DRAWS[/** @type {keyof typeof DRAWS} */ (view.part)];
  const extra = view.part === "tokens" && may("admin") ? newToken() : nothing;
  if (view.items.length === 0) return html`${extra}<p class="empty">${t(`set.none-${view.part}`)}</p>`;
  return html`${extra}<section class="box">${view.part === "workspace" ? html`<div class="settings">${view.items.map(draw)}</div>` : html`<ul class="lines">${view.items.map(draw)}</ul>`}</section>`;
};

export default {
  /** @param {import("../core/route.js").Place} place */
  enter: (place) => {
    view.isOpen = place.parts.length > 0;
    const part = PARTS.includes(place.parts[0] ?? "") ? (place.parts[0] ?? "workspace") : "workspace";
    view.part = part;
    view.items = null;
    view.fault = null;
    view.made = "";
    if (part !== "this-browser") read();
  },
  isOpen: () => view.isOpen,
  draw: () => html`<div class="view split settings-view"><section class="list" aria-label=${t("nav.settings")}><div class="head"><div class="row"><h2 class="vt">${t("nav.settings")}</h2></div></div>
    <ul class="items">${PARTS.filter((part) => part !== "tokens" || may("admin")).map((part) => html`<li><a class="it one" href=${to("settings", part)} aria-current=${view.part === part ? "true" : nothing}>${icon("settings")}<b>${t(`set.${part}`)}</b></a></li>`)}</ul></section>
    <section class="pane"><div class="scroll" tabindex="0" role="region" aria-label=${t(`set.${view.part}`)}><a class="btn bare back" href=${to("settings")}>${icon("back")}${t("nav.settings")}</a>
      <div class="card"><header><h2>${t(`set.${view.part}`)}</h2><p class="muted">${t(`set.${view.part}-says`)}</p></header>${view.fault ? problem(view.fault) : nothing}${body()}</div></div></section></div>`,
};
