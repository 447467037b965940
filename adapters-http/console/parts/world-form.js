// Zones, tools and entries by hand. The server does it as it does what a model asks for: a zone or a tool that asks for approval
// asks here too.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { act, ask, NoAnswer, Problem } from "../core/api.js";
import { look } from "../core/feed.js";
import { members, object } from "../core/json.js";
import { to } from "../core/route.js";
import { changed, state, tell } from "../core/store.js";
import { atLocal, clock, localOf } from "../core/time.js";
import { t } from "../core/words.js";
import { argumentsOf, fieldsOf, form } from "./schema-form.js";
import { problem, seen } from "./text.js";

/**
 * @typedef {import("../core/shapes").DataShape} Data
 * @typedef {{ values: Map<string, string>, faults: Map<string, string> }} Draft
 * @typedef {{ schema: any, text: string, draft: Draft }} Part
 * @typedef {{ kind: "zone" | "tool" | "entry", one: Data | null, parent: string, own: Part, more: Part | null, when: string,
 *   fault: Problem | null, isSending: boolean, armed: boolean }} Open
 */

/** @type {{ open: Open | null }} */
export const desk = { open: null };

const NAME = { type: "string", minLength: 1, maxLength: 120 };
const FLAG = { type: "boolean" };
const ZONE = { type: "object", required: ["name"], properties: { name: NAME, description: { type: "string", maxLength: 2000 }, require_validation: FLAG } };
const TOOL = { type: "object", required: ["name"], properties: { name: NAME, require_validation: FLAG, always_send: FLAG } };
const ENTRY = { type: "object", properties: { name: { type: "string", maxLength: 120 } } };

/** @param {any} schema @param {unknown} [value] @returns {Part} */
const part = (schema, value = {}) => ({ schema, text: JSON.stringify(value), draft: { values: new Map(), faults: new Map() } });

/** What the server says of a type of tools, or of a tool. @param {Record<string, string>} which */
const schemas = async (which) => (await ask("run_command", { w: state.workspace?.key ?? "", n: "schemas.get" }, { body: { arguments: which } })).data.result;

/** @type {{ tool_type: string, doc: string }[]} */
let types = [];

/** @param {Open["kind"]} kind @param {Data | null} one @param {string} parent */
const begin = (kind, one, parent) => {
  const fields = one?.fields ?? {};
  const own = { zone: [ZONE, { name: one?.name, description: fields.description, require_validation: fields.require_validation }], tool: [TOOL, { name: one?.name, require_validation: fields.require_validation, always_send: fields.always_send }], entry: [ENTRY, one?.name ? { name: one.name } : {}] }[kind];
  desk.open = { kind, one, parent, own: part(own[0], one ? own[1] : {}), more: null, when: kind === "entry" ? localOf(one?.at ?? Date.now()) : "", fault: null, isSending: false, armed: false };
  changed();
  setTimeout(() => /** @type {HTMLElement | null} */ (document.querySelector(".world-form :is(input, select, textarea)"))?.focus(), 30);
  return desk.open;
};

/** @param {Open} open @param {Promise<Part>} reading */
const then = (open, reading) => reading.then((more) => {
  if (desk.open === open) open.more = more;
  changed();
}, (error) => {
  if (error instanceof Problem) open.fault = error;
  changed();
});

/** @param {Data | null} one */
export const editZone = (one) => begin("zone", one, "");

/** @param {string} zone */
export const newTool = (zone) => {
  const open = begin("tool", null, zone);
  then(open, schemas({}).then((found) => {
    types = found.tool_types ?? [];
    return choose(open, types[0]?.tool_type ?? "");
  }));
};

/** The configuration that a type of tools takes. @param {Open} open @param {string} kind */
const choose = async (open, kind) => {
  open.own.draft.values.set("type", kind);
  return part((await schemas({ tool_type: kind })).config);
};

/** @param {Data} tool */
export const editTool = (tool) => {
  const open = begin("tool", tool, tool.parent ?? "");
  then(open, schemas({ tool_id: tool.id }).then((found) => part(found.config, tool.fields.config ?? {})));
};

/** @param {Data} tool @param {Data | null} one */
export const editEntry = (tool, one) => {
  const open = begin("entry", one, tool.id);
  then(open, schemas({ tool_id: tool.id }).then((found) => part(found.entry, one?.fields.data ?? {})));
};

export const close = () => {
  desk.open = null;
  changed();
};

const ROUTES = {
  zone: { add: "add_zone", change: "change_zone", delete: "delete_zone" },
  tool: { add: "add_tool", change: "change_tool", delete: "delete_tool" },
  entry: { add: "add_entry", change: "change_entry", delete: "delete_entry" },
};

/** The route of each deed, and its path. @param {Open} open @param {"add" | "change" | "delete"} deed */
const route = ({ kind, one, parent }, deed) => {
  const id = one?.id ?? "";
  /** @type {Record<string, string>} */
  const path = { zone: { z: id }, tool: { tool: id }, entry: { tool: parent, e: id } }[kind];
  return { operation: ROUTES[kind][deed], path: { w: state.workspace?.key ?? "", ...path } };
};

/**
 * The members that were touched, of an object and of what it was; what was taken away is null. The others are not sent again: a
 * number that a browser has read is not to the digit what it was.
 * @param {string} now
 * @param {string} was
 * @returns {[name: string, value: string][]}
 */
export const touched = (now, was) => {
  const [given, before] = [members(now) ?? [], members(was) ?? []];
  const isNew = (/** @type {[string, string]} */ [name, value]) => !before.some(([other, known]) => other === name && known === value);
  const gone = before.filter(([name]) => !given.some(([other]) => other === name));
  return [...given.filter(isNew), ...gone.map(([name]) => /** @type {[string, string]} */ ([name, "null"]))];
};

/** The members of a part as they are sent; null where a field is wrong. @param {Part} one @param {boolean} isThere */
const membersOf = (one, isThere) => {
  const found = argumentsOf(fieldsOf(one.schema, one.text), one.draft);
  if (found === null) return null;
  return isThere ? touched(found, one.text) : (members(found) ?? []);
};

/** What is sent; null where a field is wrong. @param {Open} open */
const bodyOf = (open) => {
  const own = membersOf(open.own, open.one !== null);
  const more = open.more ? membersOf(open.more, open.one !== null) : [];
  if (own === null || more === null) return null;
  if (open.kind === "tool" && !open.one) own.push(["zone", JSON.stringify(open.parent)], ["type", JSON.stringify(open.own.draft.values.get("type"))]);
  if (open.kind === "tool" && more.length > 0) own.push(["config", object(more)]);
  if (open.kind === "entry") {
    if (!open.one || more.length > 0) own.push(["data", object(more)]);
    const at = atLocal(open.when);
    if (!Number.isNaN(at) && !(open.one?.at && open.when === localOf(open.one.at))) own.push(["at", JSON.stringify(new Date(at).toISOString())]);
  }
  return object(own);
};

/** @param {"add" | "change" | "delete"} deed @param {string | undefined} text */
const send = async (deed, text) => {
  const { open } = desk;
  if (!open || open.isSending) return;
  open.isSending = true;
  open.fault = null;
  const name = open.own.draft.values.get("name") ?? open.one?.name ?? "";
  const words = t(`world.did-${deed}-${open.kind}`, { name });
  const say = tell("sending", `${words} ${t("news.sending")}`);
  changed();
  try {
    const { operation, path } = route(open, deed);
    const { data } = await act(operation, path, { text, ...(open.one ? { match: `v${open.one.version}` } : {}) });
    if (data?.state === "waits_for_approval") tell("warn", t("world.waits", { what: t(`world.asked-${deed}`, { name }) }), to("inbox", data.approval ?? ""));
    else say("ok", `${words} ${t("news.recorded", { at: clock(Date.now()) })}`);
    if (desk.open === open) desk.open = null;
  } catch (error) {
    if (error instanceof NoAnswer) say("warn", `${words} ${t("news.unknown")}`);
    else if (error instanceof Problem) {
      say("bad", t("news.refused", { what: words, why: error.title }));
      open.fault = error;
    } else throw error;
  } finally {
    open.isSending = false;
    look();
    changed();
  }
};

/** @param {Open} open */
const typeOf = (open) => {
  if (open.kind !== "tool" || open.one) return nothing;
  const chosen = open.own.draft.values.get("type") ?? "";
  return html`<div class="f"><label for="w-type">${t("world.f-type")}</label><select id="w-type" @change=${(/** @type {Event} */ event) => {
    open.more = null;
    then(open, choose(open, /** @type {HTMLSelectElement} */ (event.target).value));
    changed();
  }}>${types.map((one) => html`<option value=${one.tool_type} ?selected=${one.tool_type === chosen}>${one.tool_type}</option>`)}</select><span class="hint">${seen(types.find((one) => one.tool_type === chosen)?.doc ?? "")}</span></div>`;
};

/** The names of our own fields. */
const labels = () => Object.fromEntries(["name", "description", "require_validation", "always_send"].map((name) => [name, t(`world.f-${name}`)]));

export const worldForm = () => {
  const { open } = desk;
  if (!open) return nothing;
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const body = bodyOf(open);
    if (body === null) changed();
    // Nothing was touched.
    else if (open.one && body === "{}") close();
    else send(open.one ? "change" : "add", body);
  };
  const how = { changed, labels: labels(), was: "form.was" };
  return html`<form class="box world-form" @submit=${submit} novalidate><div class="row pad"><h3 class="name">${t(`world.${open.one ? "change" : "add"}-${open.kind}`)}</h3><button class="btn sm bare" type="button" @click=${close}>${t("card.back")}</button></div>
    <div class="form">${typeOf(open)}${form(fieldsOf(open.own.schema, open.own.text), open.own.draft, { ...how, id: "w" })}
    ${open.kind === "entry" ? html`<div class="f"><label for="w-when">${t("world.when")}</label><input id="w-when" type="datetime-local" .value=${open.when} @input=${(/** @type {Event} */ event) => {
      open.when = /** @type {HTMLInputElement} */ (event.target).value;
    }}></div>` : nothing}
    ${open.more ? form(fieldsOf(open.more.schema, open.more.text), open.more.draft, { ...how, labels: {}, id: "wm" }) : nothing}
    ${open.fault ? problem(open.fault) : nothing}
    <div class="chips"><button class="btn go" ?disabled=${open.isSending || (open.kind !== "zone" && !open.more)}>${open.isSending ? t("sent.short") : t("set.save")}</button>
    ${open.one ? html`<button class="btn no ${open.armed ? "armed" : ""}" type="button" ?disabled=${open.isSending} @click=${() => {
      if (open.armed) return send("delete", undefined);
      open.armed = true;
      changed();
    }}>${t(open.armed ? "world.delete-sure" : "auto.delete")}</button>` : nothing}</div>
    ${open.armed ? html`<p class="small wait" role="status">${t(`world.delete-${open.kind}-says`)}</p>` : nothing}</div></form>`;
};
