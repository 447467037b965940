// Where the answers come from: a service by a key, a model server of the server's machine, or a script to try it with. The
// server asks the model before it writes anything; a key goes there once, and never comes back.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { ask, Problem } from "../core/api.js";
import { changed, isOperator } from "../core/store.js";
import { t } from "../core/words.js";
import { icon } from "./icons.js";
import { faultOf, problem, seen } from "./text.js";

/** @typedef {import("../core/shapes").ModelServerShape} Server */
/** @typedef {import("../core/shapes").ProviderShape} Provider */
/** @typedef {import("../core/shapes").NewProviderShape} Source */
/** @typedef {"key" | "server" | "rehearsed"} Choice */

/** The services whose key may be pasted; what another one speaks is said by its address. */
const SERVICES = ["claude", "openai", "groq", "gemini", "mistral", "deepseek", "openrouter", "perplexity"];
const EMPTY = { key: "", kind: "", base: "", model: "" };

const at = {
  draft: { ...EMPTY },
  /** The address of a server that was not found by itself. */ address: "",
  /** What was found; null: it was not looked for yet. @type {Server[] | null} */ servers: null,
  isLooking: false,
  /** The model that is chosen of each server. @type {Map<string, string>} */ models: new Map(),
  /** What is being set up. @type {Choice | ""} */ sending: "",
  /** What is wrong, and with which choice. @type {{ choice: Choice, problem: import("../core/api.js").Problem } | null} */ fault: null,
};

const look = async () => {
  at.isLooking = true;
  changed();
  try {
    at.servers = (await ask("find_model_servers", {})).data.servers;
  } catch (error) {
    // What is wrong with a choice that was made is not replaced.
    at.fault ??= { choice: "server", problem: faultOf(error) };
    at.servers ??= [];
  } finally {
    at.isLooking = false;
    changed();
  }
};

/** Sets a provider up. It is not tried again by itself: nobody wants two of them. @param {Choice} choice @param {Source} source @param {(made: Provider) => unknown} done */
const setUp = async (choice, source, done) => {
  if (at.sending) return;
  at.sending = choice;
  at.fault = null;
  changed();
  try {
    const { data } = await ask("set_up_provider", {}, { body: source });
    at.draft = { ...EMPTY };
    at.address = "";
    await done(data);
  } catch (error) {
    const fault = faultOf(error);
    // The title says what did not work here; why is in the words of the server.
    at.fault = { choice, problem: fault.status ? new Problem(fault.status, { title: t("model.fault"), detail: fault.detail, request_id: fault.request }) : fault };
    // What is wrong is read first; the field keeps what was typed.
    setTimeout(() => document.querySelector(`[data-choice="${choice}"] [role="alert"]`)?.scrollIntoView({ block: "nearest" }), 50);
  } finally {
    at.sending = "";
    changed();
  }
};

/** @param {keyof typeof EMPTY} name */
const typed = (name) => (/** @type {Event} */ event) => {
  at.draft = { ...at.draft, [name]: /** @type {HTMLInputElement} */ (event.target).value };
  changed();
};

/** @param {Choice} choice */
const fault = (choice) => (at.fault?.choice === choice ? problem(at.fault.problem) : nothing);

/** @param {Choice} choice @param {string} words @param {boolean} [isReady] */
const button = (choice, words, isReady = true) => html`<button class="btn go" ?disabled=${Boolean(at.sending) || !isReady}>${at.sending === choice ? t("model.asking") : words}</button>`;

/** A service, by its key. @param {(made: Provider) => unknown} done */
const byKey = (done) => {
  const { draft } = at;
  const isOther = draft.kind === "compatible";
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    setUp("key", { source: "key", key: draft.key, kind: draft.kind || null, base_url: draft.base || null, model: draft.model || null }, done);
  };
  return html`<form class="box" data-choice="key" autocomplete="off" @submit=${submit}><h3>${t("model.key")}</h3><div class="form">
    <div class="f"><label for="m-key">${t("model.f-key")}</label><input id="m-key" type="password" required autocomplete="new-password" spellcheck="false" .value=${live(draft.key)} @input=${typed("key")}><span class="hint">${t("model.key-hint")}</span></div>
    <div class="f"><label for="m-kind">${t("model.f-kind")}</label><select id="m-kind" @change=${typed("kind")}><option value="" ?selected=${!draft.kind}>${t("model.kind-by-key")}</option>${SERVICES.map((kind) => html`<option value=${kind} ?selected=${kind === draft.kind}>${kind}</option>`)}<option value="compatible" ?selected=${isOther}>${t("model.kind-other")}</option></select></div>
    <details class="small" ?open=${isOther}><summary>${t("model.more")}</summary><div class="form">
      <div class="f"><label for="m-base">${t("model.f-base")}</label><input id="m-base" type="url" autocomplete="off" spellcheck="false" placeholder="…/v1" ?required=${isOther} .value=${live(draft.base)} @input=${typed("base")}><span class="hint">${t("model.base-hint")}</span></div>
      <div class="f"><label for="m-model">${t("model.f-model")}</label><input id="m-model" autocomplete="off" spellcheck="false" .value=${live(draft.model)} @input=${typed("model")}><span class="hint">${t("model.model-hint")}</span></div></div></details>
    ${fault("key")}<div>${button("key", t("model.key-go"))}</div></div></form>`;
};

/** A model server that was found, with its models. @param {Server} server @param {(made: Provider) => unknown} done */
const found = (server, done) => {
  const id = `m-of-${server.name}`;
  const model = at.models.get(server.name) ?? server.models[0] ?? "";
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    setUp("server", { source: "server", base_url: server.base_url, model }, done);
  };
  return html`<form class="form" @submit=${submit}><div class="f"><label for=${id}>${seen(server.name)}<br><code class="small">${seen(server.base_url)}</code></label><select id=${id} @change=${(/** @type {Event} */ event) => {
    at.models.set(server.name, /** @type {HTMLSelectElement} */ (event.target).value);
    changed();
  }}>${server.models.map((one) => html`<option value=${one} ?selected=${one === model}>${seen(one)}</option>`)}</select></div><div>${button("server", t("model.server-go", { name: server.name }))}</div></form>`;
};

/** A server that needs no key: one that was found, or one at an address. @param {(made: Provider) => unknown} done */
const byServer = (done) => {
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    setUp("server", { source: "server", base_url: at.address, model: null }, done);
  };
  const none = html`<p class="pad small muted" role="status">${at.isLooking || at.servers === null ? t("model.looking") : t("model.none-found")}</p>`;
  return html`<section class="box" data-choice="server" aria-labelledby="m-server"><h3 id="m-server">${t("model.server")}</h3>
    ${at.servers?.length ? at.servers.map((server) => found(server, done)) : none}
    <details class="pad small"><summary>${t("model.elsewhere")}</summary><form class="form" @submit=${submit}><div class="f"><label for="m-address">${t("model.f-base")}</label><input id="m-address" type="url" required autocomplete="off" spellcheck="false" placeholder="…:8000/v1" .value=${live(at.address)} @input=${(/** @type {Event} */ event) => {
      at.address = /** @type {HTMLInputElement} */ (event.target).value;
      changed();
    }}></div><div class="chips">${button("server", t("model.address-go"))}<button class="btn" type="button" ?disabled=${at.isLooking} @click=${look}>${t("model.again")}</button></div></form></details>
    ${fault("server")}</section>`;
};

/** A script in the place of a model. @param {(made: Provider) => unknown} done */
const byScript = (done) => html`<form class="box" data-choice="rehearsed" @submit=${(/** @type {Event} */ event) => {
  event.preventDefault();
  setUp("rehearsed", { source: "rehearsed" }, done);
}}><h3>${t("model.try")}</h3><div class="form"><p class="small muted">${t("model.try-says")}</p>${fault("rehearsed")}<div>${button("rehearsed", t("model.try-go"))}</div></div></form>`;

/**
 * The three choices; `done` is told what was set up. Nobody but the operator may choose.
 * @param {(made: Provider) => unknown} done
 * @param {{ withScript?: boolean }} [how] whether a script is among them
 */
export const modelChoices = (done, { withScript = true } = {}) => {
  if (!isOperator()) return html`<p class="empty">${t("model.ask")}</p>`;
  if (at.servers === null && !at.isLooking) setTimeout(look, 0);
  return html`<div class="models">${byKey(done)}${byServer(done)}${withScript ? byScript(done) : nothing}</div>`;
};

/** Forgets what was found and typed, for another visit. */
export const forgetChoices = () => {
  Object.assign(at, { draft: { ...EMPTY }, address: "", servers: null, fault: null });
};

/** The choices with what they are for. @param {(made: Provider) => unknown} done */
export const firstModel = (done) => html`<div class="first"><h2>${icon("chat")} ${t("model.title")}</h2><p class="muted">${t("model.says")}</p>${modelChoices(done)}</div>`;
