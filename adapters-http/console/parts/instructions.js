// Instructions: what models read first, of the workspace, of the runs of an automation, or of one session; and their versions.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { act, ask, Problem } from "../core/api.js";
import { changed, may, state, tell } from "../core/store.js";
import { clock, count, instant, moment } from "../core/time.js";
import { t } from "../core/words.js";
import { failed, problem, refusalOf, seen } from "./text.js";

/** @typedef {"workspace" | "automation" | "session"} Scope */

/** What was read, and what is written and not saved yet. One place is looked at at a time. */
const at = {
  /** @type {Scope} */ scope: "workspace",
  id: "",
  /** @type {any} */ now: null,
  tag: "",
  /** @type {string | null} */ draft: null,
  file: "",
  /** @type {any[] | null} */ versions: null,
  armed: false,
  /** @type {Problem | null} */ fault: null,
};

/** The routes of each place. */
const ROUTES = /** @type {const} */ ({
  workspace: { get: "get_workspace_instructions", list: "list_workspace_instructions", change: "change_workspace_instructions" },
  automation: { get: "get_automation_instructions", list: "list_automation_instructions", change: "change_automation_instructions" },
  session: { get: "get_session_instructions", list: "list_session_instructions", change: "change_session_instructions" },
});

const path = () => ({ w: state.workspace?.key ?? "", [at.scope === "session" ? "s" : "a"]: at.id });

const read = async () => {
  const { scope, id } = at;
  try {
    const { data, tag } = await ask(ROUTES[scope].get, path());
    const versions = at.versions ? (await ask(ROUTES[scope].list, path())).data.items : null;
    if (at.scope !== scope || at.id !== id) return;
    Object.assign(at, { now: data, tag: tag ?? "", versions, fault: null });
  } catch (error) {
    at.fault = refusalOf(error);
  }
  changed();
};

/** Looks at those of one place; what was written for another one and not saved is gone. @param {Scope} scope @param {string} [id] */
export const lookAt = (scope, id = "") => {
  if (at.scope !== scope || at.id !== id) Object.assign(at, { scope, id, now: null, tag: "", draft: null, file: "", versions: null, armed: false, fault: null });
  return read();
};

/** @param {string} text @param {string} words */
const save = async (text, words) => {
  const say = tell("sending", `${words} ${t("news.sending")}`);
  try {
    const body = at.file && text ? { text, file: at.file } : { text };
    await act(ROUTES[at.scope].change, path(), { body, match: at.tag });
    Object.assign(at, { draft: null, file: "", armed: false });
    say("ok", `${words} ${t("news.recorded", { at: clock(Date.now()) })}`);
    await read();
  } catch (error) {
    at.fault = failed(say, words, words, error);
    changed();
  }
};

/** A file is copied into the field, where a person sees it before it counts. @param {Event} event */
const take = async (event) => {
  const input = /** @type {HTMLInputElement} */ (event.target);
  const file = input.files?.[0];
  if (!file) return;
  at.draft = await file.text();
  at.file = file.name;
  input.value = "";
  changed();
};

const history = () => {
  if (!at.versions) return html`<button class="btn bare sm" type="button" @click=${() => {
    at.versions = [];
    read();
  }}>${t("told.versions")}</button>`;
  return html`<ul class="lines">${at.versions.map((one) => html`<li><div><b>${t("told.version", { n: one.version })}</b> <span class="small muted">${seen(one.author)} · <span title=${instant(one.at)}>${moment(one.at, state.now)}</span> · <code>${seen(one.source)}</code></span>
    ${one.text ? html`<details class="small"><summary>${t("told.show", { n: count(one.text.length) })}</summary><pre class="told">${seen(one.text)}</pre></details>` : html`<span class="chip">${t("told.cleared")}</span>`}</div>
    ${one.text && one.version !== at.now?.version && canWrite() ? html`<button class="btn sm" type="button" @click=${() => {
      Object.assign(at, { draft: one.text, file: "" });
      changed();
    }}>${t("told.take")}</button>` : nothing}</li>`)}</ul>`;
};

const canWrite = () => may(at.scope === "workspace" ? "admin" : "chat");

/** The panel. */
export const instructions = () => {
  if (at.fault && !at.now) return problem(at.fault);
  if (!at.now) return html`<p class="sr" role="status">${t("loading")}</p>`;
  const text = at.draft ?? at.now.text;
  const isNew = at.draft !== null && at.draft !== at.now.text;
  const id = `told-${at.scope}`;
  return html`<form class="form told-form" @submit=${(/** @type {Event} */ event) => {
    event.preventDefault();
    save(text, t("told.was-saved"));
  }}>${at.fault ? problem(at.fault) : nothing}
    <div class="f wide-f"><label for=${id}>${t(`told.of-${at.scope}`)}</label><textarea id=${id} rows="8" ?readonly=${!canWrite()} .value=${live(text)} @input=${(/** @type {Event} */ event) => {
      at.draft = /** @type {HTMLTextAreaElement} */ (event.target).value;
      changed();
    }}></textarea><span class="hint">${t("told.hint")}${at.now.version > 0 ? html` ${t("told.version", { n: at.now.version })} · ${seen(at.now.author)} · <span title=${instant(at.now.at)}>${moment(at.now.at, state.now)}</span>` : nothing}</span></div>
    ${canWrite() ? html`<div class="with">${isNew && text.trim() ? html`<button class="btn sm go">${t("set.save")}</button>` : nothing}
      <label class="btn sm" for="${id}-file">${t("told.file")}</label><input class="sr" id="${id}-file" type="file" accept=".md,.markdown,.txt,text/*" @change=${take}>
      ${at.now.text ? html`<button class="btn sm no ${at.armed ? "armed" : ""}" type="button" @click=${() => {
        if (at.armed) return save("", t("told.was-cleared"));
        at.armed = true;
        changed();
      }}>${t(at.armed ? "told.clear-sure" : "told.clear")}</button>` : nothing}</div>` : nothing}
    ${at.now.version > 0 ? history() : nothing}</form>`;
};
