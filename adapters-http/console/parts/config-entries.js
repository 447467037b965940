// The entries of the server's configuration that a person makes, tries and changes: MCP servers, agents, HTTP tools and
// embeddings. A secret is typed here and never shown.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { act, all, ask } from "../core/api.js";
import { elements, members, object, plain } from "../core/json.js";
import { changed, isOperator } from "../core/store.js";
import { t } from "../core/words.js";
import { editor, loadEditor } from "./editor.js";
import { icon } from "./icons.js";
import { faultOf, seen } from "./text.js";

/** @typedef {import("../core/shapes").ConfigEntryShape} Entry */
/** @typedef {import("./targets.js").Change} Change */
/** @typedef {"mcp-servers" | "agents" | "http-tools" | "embeddings"} Section */
/**
 * What is typed about an entry: `kept` are the settings that no field of it shows, `headers` those that it sends, each as its own
 * text, digit for digit; `more` are further settings as JSON. The tag is that of the entry as it was read; none for a new one.
 * @typedef {{ section: Section, name: string, tag: string | null, first: string, kept: Record<string, string>, headers: Record<string, string>, more: string, header: string, prefix: string, secret: string, mustWork: boolean, fault: string, draft: import("./schema-form.js").Draft }} Edit
 */

/** What starts a program of an MCP server: set on its machine. */
const LOCAL = ["command", "args", "env", "inherit", "cwd"];
/** The name of the only entry of its section. */
const ONLY = "embeddings";

const at = {
  /** The entries of each section. @type {Map<Section, Entry[]>} */ entries: new Map(),
  /** The entries of the file that were changed by hand, and do not count yet. @type {string[]} */ pending: [],
  /** @type {Edit | null} */ edit: null,
  /** What came of trying an entry, by its section and name. @type {Map<string, { works: boolean, says: string } | null>} */ tried: new Map(),
  armed: "",
};

/** Forgets what was opened, for another visit. */
export const forgetEntries = () => {
  Object.assign(at, { edit: null, armed: "" });
  at.tried.clear();
};

/** Reads which entries were changed by hand, where this person may. */
export const readPending = async () => {
  if (isOperator()) at.pending = (await ask("get_config")).data.pending;
};

/** What counts too with the next change. */
export const pendingEntries = () => (isOperator() && at.pending.length > 0 ? html`<p class="small wait" role="status" data-pending>${seen(t("conf.pending", { names: at.pending.join(", ") }))}</p>` : nothing);

/** Reads the entries of a section, where this person may. @param {Section} section */
export const readEntries = async (section) => {
  if (!isOperator()) return;
  const [entries] = await Promise.all([all("list_config_entries", { section }), readPending(), loadEditor()]);
  at.entries.set(section, entries);
};

/** @param {string} key @param {Record<string, unknown>} [more] */
const text = (key, more = {}) => ({ type: "string", title: t(`conf.${key}`), ...more });
/** @param {string} key @param {Record<string, unknown>} [more] */
const whole = (key, more = {}) => ({ type: "integer", title: t(`conf.${key}`), minimum: 1, ...more });
/** @param {string} key @param {string} hint */
const lines = (key, hint) => ({ type: "array", items: { type: "string" }, title: t(`conf.${key}`), description: t(`conf.${hint}`) });

const LONG = 100_000;

/** The fields of each section. @type {Record<Section, (isProgram: boolean) => any>} */
const SCHEMAS = {
  "mcp-servers": (isProgram) => ({
    type: "object", required: isProgram ? [] : ["url"],
    properties: { ...(isProgram ? {} : { url: text("url", { format: "uri" }) }), allow: lines("allow", "allow-hint"), deny: lines("deny", "deny-hint"), call_timeout_seconds: whole("call-timeout") },
  }),
  agents: () => ({
    type: "object", required: ["description", "instructions"],
    properties: {
      description: text("description"),
      instructions: {
        type: "object", title: t("conf.instructions"), required: ["role"],
        properties: { role: text("role", { maxLength: LONG }), context: text("context", { maxLength: LONG }), strategy: text("strategy", { maxLength: LONG }), success: text("success", { maxLength: LONG }), report: text("report", { maxLength: LONG }) },
      },
      commands: lines("commands", "commands-hint"), provider: text("provider"), model: text("model"),
      limits: { type: "object", title: t("conf.limits"), properties: { rounds: whole("rounds"), agents: whole("agents", { minimum: 0 }), call_seconds: whole("call-seconds") } },
    },
  }),
  "http-tools": () => ({
    type: "object", required: ["method", "url", "doc", "arguments"],
    properties: {
      method: { enum: ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"], title: t("conf.method") },
      url: text("url", { description: t("conf.url-template", { id: "{id}" }) }),
      doc: text("doc", { maxLength: LONG, description: t("conf.doc-hint") }),
      arguments: { title: t("conf.arguments"), description: t("conf.arguments-hint"), default: { type: "object", properties: {}, additionalProperties: false } },
      body: { enum: ["none", "json"], title: t("conf.body") },
      approval: { type: "boolean", title: t("conf.approval") },
      timeout_seconds: whole("call-timeout"),
    },
  }),
  embeddings: () => ({
    type: "object", required: ["provider", "model", "dims"],
    properties: { provider: text("provider"), model: text("model"), dims: whole("dims"), batch: whole("batch") },
  }),
};

/** @param {Edit} edit */
const schemaOf = (edit) => SCHEMAS[edit.section](LOCAL.some((key) => key in edit.kept));

/** @param {Edit} edit */
const fieldsOf = (edit) => editor()?.fieldsOf(schemaOf(edit), edit.first, true) ?? [];

/** What is typed begins with the settings of an entry, as their text. @param {Section} section @param {string | null} name @param {string | null} tag @param {string} raw @returns {Edit} */
const editOf = (section, name, tag, raw) => {
  const settings = members(raw) ?? [];
  const kept = Object.fromEntries(settings.filter(([key]) => LOCAL.includes(key)));
  const shown = settings.filter(([key]) => !LOCAL.includes(key) && key !== "headers");
  const headers = Object.fromEntries(members(settings.find(([key]) => key === "headers")?.[1] ?? "{}") ?? []);
  return {
    section, name: name ?? (section === "embeddings" ? ONLY : ""), tag, first: object(shown), kept, headers,
    more: "", header: "Authorization", prefix: "Bearer ", secret: "", mustWork: section === "mcp-servers", fault: "", draft: { values: new Map(), faults: new Map() },
  };
};

/** @param {Section} section @param {string} name */
const keyOf = (section, name) => `${section}/${name}`;

/** The tag of an entry as it is now. @param {Section} section @param {string} entry */
const tagOf = async (section, entry) => (await ask("get_config_entry", { section, entry })).tag;

/** @param {Section} section @param {string} entry */
const look = async (section, entry) => {
  const key = keyOf(section, entry);
  at.tried.set(key, null);
  changed();
  try {
    at.tried.set(key, (await act("check_config_entry", { section, entry }, {})).data);
  } catch (error) {
    const fault = faultOf(error);
    at.tried.set(key, { works: false, says: fault.detail || fault.title });
  }
  changed();
};

/** @param {Section} section @param {Entry} one */
const open = async (section, one) => {
  const { text: answer, tag } = await ask("get_config_entry", { section, entry: one.name });
  const settings = members(answer)?.find(([key]) => key === "settings")?.[1];
  at.edit = tag === null ? null : editOf(section, one.name, tag, settings ?? "{}");
  changed();
};

/** Further settings, each as its own text. @param {string} given @returns {[string, string][]} */
const furtherOf = (given) => {
  if (!given.trim()) return [];
  JSON.parse(given);
  const found = members(given);
  if (!found) throw new Error("{ … }");
  return found;
};

/** The program of an entry, as a person reads it. @param {Edit} edit */
const programOf = ({ kept }) => [plain(kept.command ?? ""), ...(elements(kept.args ?? "[]") ?? []).map(plain)].join(" ");

/** Writes what was typed. A field that is wrong says so. @param {Edit} edit @param {Change} change */
const save = (edit, change) => {
  const typedText = editor()?.argumentsOf(fieldsOf(edit), edit.draft) ?? null;
  edit.fault = "";
  /** @type {[string, string][]} */
  let more = [];
  try {
    more = furtherOf(edit.more);
  } catch (error) {
    edit.fault = t("form.json", { why: /** @type {Error} */ (error).message });
  }
  if (typedText === null || edit.fault) return changed();
  const { section, name } = edit;
  const settings = new Map([...Object.entries(edit.kept), ...(members(typedText) ?? []), ...more]);
  const headers = new Map([...(members(settings.get("headers") ?? "{}") ?? []), ...Object.entries(edit.headers)]);
  if (headers.size > 0) settings.set("headers", object([...headers]));
  const secrets = edit.secret ? [{ header: edit.header, prefix: edit.prefix, secret: edit.secret }] : [];
  const body = object([["settings", object([...settings])], ["secrets", JSON.stringify(secrets)], ["must_work", String(edit.mustWork)]]);
  return change(t("conf.was-saved", { name }), async () => {
    await act("put_config_entry", { section, entry: name.trim() }, { text: body, match: edit.tag ?? "", isNew: edit.tag === null });
    at.tried.delete(keyOf(section, name));
    at.edit = null;
  });
};

/** @param {Edit} edit @param {"name" | "more" | "header" | "prefix" | "secret"} key */
const typed = (edit, key) => (/** @type {Event} */ event) => {
  edit[key] = /** @type {HTMLInputElement} */ (event.target).value;
  changed();
};

/** The headers that an entry sends, and a secret that it sends from now on. @param {Edit} edit */
const secrets = (edit) => {
  if ((edit.section !== "mcp-servers" && edit.section !== "http-tools") || "command" in edit.kept) return nothing;
  return html`<fieldset class="nest"><legend>${t("conf.headers")} <span class="small muted">${t("form.optional")}</span></legend>
    ${Object.keys(edit.headers).map((name) => html`<p class="small"><code>${seen(name)}</code> ${t("conf.header-kept")} <button class="btn bare sm" type="button" @click=${() => {
      delete edit.headers[name];
      changed();
    }}>${t("form.remove")}</button></p>`)}
    <div class="f"><label for="e-secret">${t("conf.secret")}</label><input id="e-secret" type="password" autocomplete="new-password" spellcheck="false" .value=${live(edit.secret)} @input=${typed(edit, "secret")}><span class="hint">${t("conf.secret-hint")}</span></div>
    <div class="f"><label for="e-header">${t("conf.header")}</label><input id="e-header" autocomplete="off" spellcheck="false" .value=${live(edit.header)} @input=${typed(edit, "header")}></div>
    <div class="f"><label for="e-prefix">${t("conf.prefix")}</label><input id="e-prefix" autocomplete="off" spellcheck="false" .value=${live(edit.prefix)} @input=${typed(edit, "prefix")}></div></fieldset>`;
};

/** The form of an entry. @param {Edit} edit @param {Change} change */
const entryForm = (edit, change) => {
  const form = editor();
  if (!form) return html`<p class="muted" role="status">${t("loading")}</p>`;
  const labels = Object.fromEntries(Object.entries(schemaOf(edit).properties).map(([name, schema]) => [name, /** @type {any} */ (schema).title]));
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    save(edit, change);
  };
  return html`<form class="form" data-entry-form=${edit.section} autocomplete="off" @submit=${submit}>
    ${edit.tag === null && edit.section !== "embeddings" ? html`<div class="f"><label for="e-name">${t("conf.name")}</label><input id="e-name" required autocomplete="off" spellcheck="false" pattern="[A-Za-z0-9._\\-]+" .value=${live(edit.name)} @input=${typed(edit, "name")}><span class="hint">${t(`conf.name-${edit.section}`)}</span></div>` : nothing}
    ${"command" in edit.kept ? html`<p class="small muted">${t("conf.program")} <code>${seen(programOf(edit))}</code></p>` : nothing}
    ${form.form(fieldsOf(edit), edit.draft, { id: "e", changed, labels, was: "form.first" })}
    ${secrets(edit)}
    <details class="small"><summary>${t("conf.more")}</summary><div class="f"><label for="e-more">${t("conf.more-label")}</label><textarea id="e-more" class="mono" rows="3" spellcheck="false" .value=${live(edit.more)} @input=${typed(edit, "more")}></textarea><span class="hint">${t("conf.more-hint")}</span></div></details>
    ${edit.fault ? html`<p class="err" role="alert">${edit.fault}</p>` : nothing}
    <label class="check"><input type="checkbox" .checked=${live(edit.mustWork)} @change=${(/** @type {Event} */ event) => {
      edit.mustWork = /** @type {HTMLInputElement} */ (event.target).checked;
      changed();
    }}> ${t("conf.must-work")}</label>
    <div class="chips"><button class="btn go">${t("set.save")}</button><button class="btn" type="button" @click=${() => {
      at.edit = null;
      changed();
    }}>${t("model.cancel")}</button></div></form>`;
};

/** What an entry is, in short. @param {Entry} one */
const summary = ({ settings }) => settings.url ?? (settings.command ? [settings.command, ...(settings.args ?? [])].join(" ") : (settings.description ?? [settings.provider, settings.model].filter(Boolean).join(" · ")));

/** @param {Section} section @param {Entry} one @param {Change} change */
const remove = (section, one, change) => {
  const key = keyOf(section, one.name);
  if (at.armed !== key) {
    at.armed = key;
    return changed();
  }
  at.armed = "";
  return change(t("conf.was-removed", { name: one.name }), async () => {
    await act("remove_config_entry", { section, entry: one.name }, { match: (await tagOf(section, one.name)) ?? "" });
    at.tried.delete(key);
  });
};

/** @param {Section} section @param {Entry} one @param {Change} change */
const line = (section, one, change) => {
  const key = keyOf(section, one.name);
  const tried = at.tried.get(key);
  const isOpen = at.edit?.section === section && at.edit.tag !== null && at.edit.name === one.name;
  return html`<li class="wide-line" data-entry-name=${one.name}><div><b><code>${seen(one.name)}</code></b><br><span class="small muted">${seen(String(summary(one) ?? ""))}</span>
    ${tried ? html`<p class="small ${tried.works ? "ok" : "danger"}" role="status">${icon(tried.works ? "check" : "cross")} ${seen(tried.says)}</p>` : nothing}
    ${one.editable ? nothing : html`<p class="small muted">${t("conf.elsewhere")}</p>`}${isOpen && at.edit ? entryForm(at.edit, change) : nothing}</div>
    <div class="chips"><button class="btn sm" type="button" ?disabled=${tried === null} @click=${() => look(section, one.name)}>${t("set.check")}</button>
      ${one.editable ? html`<button class="btn sm" type="button" aria-expanded=${isOpen ? "true" : "false"} @click=${() => open(section, one)}>${t("model.change")}</button>
      <button class="btn sm no ${at.armed === key ? "armed" : ""}" type="button" @click=${() => remove(section, one, change)}>${t(at.armed === key ? "target.remove-sure" : "target.remove")}</button>` : nothing}</div></li>`;
};

/** The entries of a section, and how one is added; nothing for whoever is not the operator. @param {Section} section @param {Change} change */
export const configEntries = (section, change) => {
  if (!isOperator()) return nothing;
  const entries = at.entries.get(section) ?? [];
  const isAdding = at.edit?.section === section && at.edit.tag === null;
  const mayAdd = section !== "embeddings" || entries.length === 0;
  return html`${pendingEntries()}<section class="box" data-entries=${section}><h3>${t(`conf.of-${section}`)}</h3>
    ${entries.length > 0 ? html`<ul class="lines">${entries.map((one) => line(section, one, change))}</ul>` : html`<p class="pad muted">${t(`conf.none-${section}`)}</p>`}
    ${isAdding && at.edit ? entryForm(at.edit, change) : mayAdd ? html`<p class="pad"><button class="btn" type="button" @click=${() => {
      at.edit = editOf(section, null, null, "{}");
      changed();
    }}>${icon("plus")}${t(`conf.add-${section}`)}</button></p>` : nothing}</section>`;
};
