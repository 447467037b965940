// The data of the workspace: its zones, their tools, and the entries of a tool with what they look like over time. All of it
// can be added and changed by hand.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { all, Problem } from "../core/api.js";
import { keep } from "../core/feed.js";
import { to } from "../core/route.js";
import { changed, may, state } from "../core/store.js";
import { count, instant, moment } from "../core/time.js";
import { named, rich, t } from "../core/words.js";
import { chart } from "../parts/chart.js";
import { icon } from "../parts/icons.js";
import { problem, refusalOf, seen } from "../parts/text.js";
import { close, desk, editEntry, editTool, editZone, newTool, worldForm } from "../parts/world-form.js";

/** @typedef {import("../core/shapes").DataShape} Data */

/** Entries that are read at most, and that stand in the table at once. */
const MOST = 2000;
const ROWS = 200;
/** Days that are shown; 0: all. */
const SPANS = [7, 30, 90, 365, 0];
/** Kinds of tracking whose values of a day are added up. */
const ADDS = new Set(["counter", "duration"]);

const view = {
  /** @type {Data[] | null} */ zones: null,
  /** @type {Data[]} */ tools: [],
  /** @type {Data[] | null} the latest first */ entries: null,
  zone: "",
  tool: "",
  field: "",
  shape: "",
  days: 90,
  rows: ROWS,
  /** @type {Problem | null} */ fault: null,
  /** @type {(() => void) | null} */ stop: null,
};

const read = async () => {
  const w = state.workspace?.key;
  if (!w) return;
  try {
    const [zones, tools] = await Promise.all([all("list_zones", { w }), all("list_tools", { w })]);
    Object.assign(view, { zones, tools });
    const { tool, days } = view;
    if (tools.some((one) => one.id === tool)) {
      const from = days > 0 ? new Date(Date.now() - days * 86_400_000).toISOString() : null;
      const entries = await all("list_entries", { w, tool }, { from }, MOST);
      if (view.tool === tool && view.days === days) view.entries = entries;
    }
    view.fault = null;
  } catch (error) {
    view.fault = refusalOf(error);
    view.zones ??= [];
  }
  changed();
};

/** @param {Data} one */
const flags = (one) => html`${one.fields.require_validation ? html` <span class="chip wait">${t("world.asks")}</span>` : nothing}${one.fields.always_send ? html` <span class="chip">${t("world.always-sent")}</span>` : nothing}`;

/** @param {string} words @param {() => void} run @param {string} [drawing] */
const button = (words, run, drawing = "pen") => (may("chat") ? html`<button class="btn sm bare" type="button" @click=${run}>${icon(drawing)}${words}</button>` : nothing);

const list = () => html`<section class="list" aria-label=${t("world.zones")}><div class="head"><div class="row"><h2 class="vt">${t("nav.world")}</h2>${may("chat") ? html`<button class="btn sm" type="button" @click=${() => editZone(null)}>${icon("plus")}${t("world.add-zone")}</button>` : nothing}</div></div>
  <div class="items">${view.zones === null ? html`<p class="sr" role="status">${t("loading")}</p>` : view.zones.length === 0 ? html`<p class="empty">${t("world.none")}</p>` : view.zones.map((zone) => {
    const tools = view.tools.filter((tool) => tool.parent === zone.id);
    return html`<div class="zone-head"><h3 class="grp">${seen(zone.name)}${flags(zone)}</h3>${may("chat") ? html`<button class="btn bare sm" type="button" aria-label=${t("world.change-named", { name: zone.name })} @click=${() => editZone(zone)}>${icon("pen")}</button><button class="btn bare sm" type="button" aria-label=${t("world.add-tool-to", { name: zone.name })} @click=${() => newTool(zone.id)}>${icon("plus")}</button>` : nothing}</div>${zone.fields.description ? html`<p class="small muted grp-more">${seen(zone.fields.description)}</p>` : nothing}
      <ul>${tools.map((tool) => html`<li><a class="it" href=${to("world", zone.id, tool.id)} aria-current=${view.tool === tool.id ? "true" : nothing}>${icon("world")}<b>${seen(tool.name)}</b><span></span><span class="sub">${seen(tool.fields.tool_type ?? "")}${flags(tool)}</span></a></li>`)}</ul>${tools.length === 0 ? html`<p class="small muted grp-more">${t("world.no-tools")}</p>` : nothing}`;
  })}</div></section>`;

/** The numbers in an entry, by the names of their fields. @param {any} data @returns {[string, number][]} */
const numbers = (data) => (data && typeof data === "object" ? Object.entries(data).flatMap(([name, value]) => (typeof value === "number" ? [/** @type {[string, number]} */ ([name, value])] : typeof value === "boolean" ? [/** @type {[string, number]} */ ([name, value ? 1 : 0])] : [])) : []);

/** @param {string} label @param {[string, string][]} options @param {string} chosen @param {(value: string) => void} put */
const seg = (label, options, chosen, put) => html`<span class="seg" role="group" aria-label=${label}>${options.map(([value, words]) => html`<button type="button" aria-pressed=${value === chosen ? "true" : "false"} @click=${() => {
  put(value);
  changed();
}}>${words}</button>`)}</span>`;

/** @param {Data} tool */
const overTime = (tool) => {
  const entries = view.entries ?? [];
  const config = tool.fields.config ?? {};
  const fields = [...new Set(entries.flatMap((entry) => numbers(entry.fields.data).map(([name]) => name)))];
  const field = fields.includes(view.field) ? view.field : (fields[0] ?? "");
  const points = entries.flatMap((entry) => {
    const found = numbers(entry.fields.data).find(([name]) => name === field);
    return found && entry.at ? [{ at: Date.parse(entry.at), value: found[1] }] : [];
  }).sort((a, b) => a.at - b.at);
  /** @type {[number, number] | null} */
  const levels = config.kind === "scale" && Number.isInteger(config.min) && Number.isInteger(config.max) ? [config.min, config.max] : null;
  const shapes = levels ? ["scale", "line", "bar"] : ["line", "bar"];
  const shape = shapes.includes(view.shape) ? view.shape : ADDS.has(config.kind) ? "bar" : (shapes[0] ?? "line");
  return html`<section class="box"><div class="row pad"><h3>${t("world.over-time")}</h3><span class="chips">
    ${fields.length > 1 ? html`<select aria-label=${t("world.field")} @change=${(/** @type {Event} */ event) => {
      view.field = /** @type {HTMLSelectElement} */ (event.target).value;
      changed();
    }}>${fields.map((name) => html`<option value=${name} ?selected=${name === field}>${name}</option>`)}</select>` : nothing}
    ${points.length > 0 ? seg(t("world.shape"), shapes.map((one) => [one, t(`world.${one}`)]), shape, (value) => {
      view.shape = value;
    }) : nothing}
    ${seg(t("world.span"), SPANS.map((days) => [String(days), days ? t("world.days", { n: days }) : t("world.all")]), String(view.days), (value) => {
      view.days = Number(value);
      read().catch(() => {});
    })}</span></div>
    ${points.length > 0 ? chart({ points, field, shape, unit: config.unit ?? "", levels, adds: ADDS.has(config.kind) }) : html`<p class="pad muted">${view.entries === null ? t("loading") : t("world.no-numbers")}</p>`}</section>`;
};

/** A value in a word: an object may hold a `toString` that is a text, so it is no word by itself. @param {unknown} value */
const word = (value) => (typeof value === "object" ? JSON.stringify(value) : String(value));

/** @param {any} data */
const plainly = (data) => (data && typeof data === "object" && !Array.isArray(data) ? (Object.keys(data).length === 1 && "value" in data ? word(data.value) : Object.entries(data).map(([name, value]) => `${name}: ${word(value)}`).join(", ")) : word(data));

/** @param {Data} tool */
const table = (tool) => {
  const entries = view.entries ?? [];
  const rows = entries.slice(0, view.rows);
  const hasNames = rows.some((entry) => entry.name);
  return html`<section class="box"><div class="row pad"><h3>${rich("world.n-entries", { n: count(entries.length) })}</h3>${button(t("world.add-entry"), () => editEntry(tool, null), "plus")}</div>
    ${entries.length >= MOST ? html`<p class="pad small muted">${t("world.most", { n: count(MOST) })}</p>` : nothing}
    ${rows.length === 0 ? html`<p class="pad muted">${view.entries === null ? t("loading") : t("world.no-entries")}</p>` : html`<table class="plain"><thead><tr><th scope="col">${t("world.when")}</th>${hasNames ? html`<th scope="col">${t("world.name")}</th>` : nothing}<th scope="col">${t("world.data")}</th>${may("chat") ? html`<th scope="col"><span class="sr">${t("auto.change")}</span></th>` : nothing}</tr></thead>
      <tbody>${rows.map((entry) => html`<tr><td>${entry.at ? html`<time datetime=${entry.at} title=${instant(entry.at)}>${moment(entry.at, state.now)}</time>` : nothing}</td>${hasNames ? html`<td>${seen(entry.name)}</td>` : nothing}<td class="pre">${seen(plainly(entry.fields.data ?? entry.fields))}</td>${may("chat") ? html`<td class="num"><button class="btn bare sm" type="button" aria-label=${t("world.change-named", { name: entry.name || (entry.at ? moment(entry.at, state.now) : entry.id) })} @click=${() => editEntry(tool, entry)}>${icon("pen")}</button></td>` : nothing}</tr>`)}</tbody></table>
      ${rows.length < entries.length ? html`<p class="pad"><button class="btn sm" type="button" @click=${() => {
        view.rows += ROWS;
        changed();
      }}>${t("world.more-rows", { n: count(entries.length - rows.length) })}</button></p>` : nothing}`}</section>`;
};

/** How a tool is set up. @param {Data} tool */
const setUp = (tool) => {
  const config = Object.entries(tool.fields.config ?? {});
  return config.length === 0 ? nothing : html`<dl class="meta">${config.map(([name, value]) => html`<dt>${seen(name)}</dt><dd>${seen(word(value))}</dd>`)}</dl>`;
};

const pane = () => {
  const tool = view.tools.find((one) => one.id === view.tool);
  const isForm = desk.open !== null;
  if (!tool && !isForm) return html`<section class="pane empty-pane" aria-label=${t("world.entries")}><p class="empty">${view.zones?.length ? t("world.choose") : ""}</p></section>`;
  const zone = view.zones?.find((one) => one.id === tool?.parent);
  return html`<section class="pane"><div class="scroll" tabindex="0" role="region" aria-label=${t("world.entries")}><a class="btn bare back" href=${to("world")} @click=${close}>${icon("back")}${t("nav.world")}</a>
    ${view.fault ? problem(view.fault) : nothing}
    <div class="card">${worldForm()}${tool ? html`<header><h2>${seen(tool.name)}</h2><p class="target">${seen(zone?.name ?? "")} · ${named("tool-type", tool.fields.tool_type)}${flags(tool)} ${button(t("auto.change"), () => editTool(tool))}</p>${setUp(tool)}</header>${overTime(tool)}${table(tool)}` : nothing}</div></div></section>`;
};

export default {
  /** @param {import("../core/route.js").Place} place */
  enter: (place) => {
    const [zone = "", tool = ""] = place.parts;
    if (tool !== view.tool) {
      desk.open = null;
      Object.assign(view, { tool, entries: null, rows: ROWS, field: "", shape: "" });
    }
    view.zone = zone;
    view.stop?.();
    view.stop = keep(read);
  },
  leave: () => {
    view.stop?.();
    view.stop = null;
    view.tool = "";
    desk.open = null;
  },
  isOpen: () => view.tool !== "" || desk.open !== null,
  draw: () => html`<div class="view split world">${list()}${pane()}</div>`,
};
