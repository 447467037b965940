// The providers of the server: what each is, whether it answers, and how it is changed. A key is typed here and never shown.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { act, ask } from "../core/api.js";
import { changed, isOperator, may } from "../core/store.js";
import { count } from "../core/time.js";
import { t } from "../core/words.js";
import { modelChoices, forgetChoices } from "./first-model.js";
import { icon } from "./icons.js";
import { faultOf, seen } from "./text.js";

/** @typedef {import("../core/shapes").ProviderShape} Provider */
/** @typedef {import("./targets.js").Change} Change */

const at = {
  /** What a provider said, by its name. @type {Map<string, { check?: any, models?: any, isAsking: boolean }>} */ asked: new Map(),
  /** The provider that is edited, with what is typed and the tag of its entry; null: none. @type {{ name: string, tag: string, key: string, base: string, model: string } | null} */ edit: null,
  /** Those whose entry is not in the file of the server. @type {Set<string>} */ elsewhere: new Set(),
  armed: "",
  isAdding: false,
};

/** Forgets what was opened, for another visit. */
export const forgetEdits = () => {
  Object.assign(at, { edit: null, armed: "", isAdding: false });
  at.elsewhere.clear();
  forgetChoices();
};

/** Asks a provider whether it answers, and which models it has. @param {string} p */
const look = async (p) => {
  at.asked.set(p, { isAsking: true });
  changed();
  try {
    const check = (await act("check_provider", { p }, {})).data;
    const models = check.is_right ? (await ask("list_models", { p })).data : null;
    at.asked.set(p, { check, models, isAsking: false });
  } catch (error) {
    const fault = faultOf(error);
    at.asked.set(p, { check: { is_right: false, says: fault.detail || fault.title }, isAsking: false });
  }
  changed();
};

/** What a provider said. @param {string} name */
const said = (name) => {
  const asked = at.asked.get(name);
  if (!asked?.check) return nothing;
  const models = asked.models?.models ?? [];
  return html`<p class="small ${asked.check.is_right ? "ok" : "danger"}" role="status">${icon(asked.check.is_right ? "check" : "cross")} ${seen(asked.check.says)}</p>
    ${models.length > 0 ? html`<details class="small"><summary>${t("set.models", { n: models.length })}</summary><ul class="conditions">${models.map((/** @type {any} */ one) => html`<li><code>${seen(one.id)}</code>${one.context_tokens ? html` <span class="muted">${t("set.context", { n: count(one.context_tokens) })}</span>` : nothing}</li>`)}</ul></details>` : nothing}`;
};

/** Reads the tag of an entry, without which nothing is changed; one from elsewhere has none. @param {string} p */
const tagOf = async (p) => {
  const { tag } = await ask("get_provider", { p });
  if (tag === null) at.elsewhere.add(p);
  return tag;
};

/** @param {Provider} one */
const open = async (one) => {
  const tag = await tagOf(one.name);
  at.edit = tag === null ? null : { name: one.name, tag, key: "", base: one.base_url ?? "", model: one.model ?? "" };
  changed();
};

/** @param {"key" | "base" | "model"} name */
const typed = (name) => (/** @type {Event} */ event) => {
  if (at.edit) at.edit = { ...at.edit, [name]: /** @type {HTMLInputElement} */ (event.target).value };
  changed();
};

/** @param {Provider} one @param {Change} change */
const editor = (one, change) => {
  const { edit } = at;
  if (edit?.name !== one.name) return nothing;
  const save = (/** @type {Event} */ event) => {
    event.preventDefault();
    change(t("model.was-changed", { name: one.name }), async () => {
      const body = { key: edit.key || null, base_url: edit.base !== (one.base_url ?? "") ? edit.base : null, model: edit.model !== (one.model ?? "") ? edit.model : null };
      await act("change_provider", { p: one.name }, { body, match: edit.tag });
      at.asked.delete(one.name);
      at.edit = null;
    });
  };
  const isOther = edit.base !== (one.base_url ?? "");
  return html`<form class="form" autocomplete="off" @submit=${save}>
    <div class="f"><label for="p-model">${t("detail.model")}</label><input id="p-model" required autocomplete="off" spellcheck="false" .value=${live(edit.model)} @input=${typed("model")}></div>
    ${one.base_url ? html`<div class="f"><label for="p-base">${t("model.f-base")}</label><input id="p-base" type="url" required autocomplete="off" spellcheck="false" .value=${live(edit.base)} @input=${typed("base")}></div>` : nothing}
    <div class="f"><label for="p-key">${t("model.f-new-key")}</label><input id="p-key" type="password" autocomplete="new-password" spellcheck="false" ?required=${isOther && Boolean(one.key)} .value=${live(edit.key)} @input=${typed("key")}><span class="hint">${t(isOther && one.key ? "model.key-again" : "model.new-key-hint")}</span></div>
    <div class="chips"><button class="btn go">${t("set.save")}</button><button class="btn" type="button" @click=${() => {
      at.edit = null;
      changed();
    }}>${t("model.cancel")}</button></div></form>`;
};

/** @param {Provider} one @param {Change} change */
const makeDefault = (one, change) => change(t("model.was-default", { name: one.name }), async () => {
  const tag = await tagOf(one.name);
  if (tag !== null) await act("change_provider", { p: one.name }, { body: { default: true }, match: tag });
});

/** @param {Provider} one @param {Change} change */
const remove = (one, change) => {
  if (at.armed !== one.name) {
    at.armed = one.name;
    return changed();
  }
  at.armed = "";
  return change(t("model.was-removed", { name: one.name }), async () => {
    const tag = await tagOf(one.name);
    if (tag !== null) await act("remove_provider", { p: one.name }, { match: tag });
  });
};

/** @param {Provider} one @param {Change} change */
export const provider = (one, change) => html`<li class="wide-line" data-provider=${one.name}><div><b>${seen(one.name)}</b> ${one.default ? html`<span class="chip accent">${t("set.default-provider")}</span>` : nothing}<br><span class="small muted">${seen([one.kind, one.model, one.dialect].filter(Boolean).join(" · "))}</span><br><span class="small muted">${one.base_url ? html`<code>${seen(one.base_url)}</code> · ` : nothing}${one.key ? html`${t("set.key-from")} <code>${seen(one.key)}</code>` : t("set.no-key")}</span>${said(one.name)}
    ${at.elsewhere.has(one.name) ? html`<p class="small wait" role="status">${t("model.elsewhere-set")}</p>` : nothing}${editor(one, change)}</div>
    ${may("admin") ? html`<div class="chips"><button class="btn sm" type="button" ?disabled=${at.asked.get(one.name)?.isAsking ?? false} @click=${() => look(one.name)}>${t("set.check")}</button>
      ${isOperator() && !at.elsewhere.has(one.name) ? html`<button class="btn sm" type="button" aria-expanded=${at.edit?.name === one.name ? "true" : "false"} @click=${() => open(one)}>${t("model.change")}</button>
        ${one.default ? nothing : html`<button class="btn sm" type="button" @click=${() => makeDefault(one, change)}>${t("model.make-default")}</button>
        <button class="btn sm no ${at.armed === one.name ? "armed" : ""}" type="button" @click=${() => remove(one, change)}>${t(at.armed === one.name ? "target.remove-sure" : "target.remove")}</button>`}` : nothing}</div>` : nothing}</li>`;

/** How a provider is added. @param {Change} change */
export const newProvider = (change) => {
  if (!isOperator()) return nothing;
  if (!at.isAdding) return html`<p><button class="btn" type="button" @click=${() => {
    at.isAdding = true;
    changed();
  }}>${icon("plus")}${t("model.add")}</button></p>`;
  return modelChoices((made) => {
    at.isAdding = false;
    return change(t("model.was-added", { name: made.name }), async () => {});
  });
};
