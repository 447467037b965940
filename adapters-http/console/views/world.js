// The data of the workspace: its zones, their tools, and the entries of a tool with what they look like over time.

import { html, nothing, svg } from "../vendor/lit-html/lit-html.js";
import { ask, Problem } from "../core/api.js";
import { keep } from "../core/feed.js";
import { to } from "../core/route.js";
import { changed, may, state } from "../core/store.js";
import { count, day, instant } from "../core/time.js";
import { rich, t } from "../core/words.js";
import { icon } from "../parts/icons.js";
import { problem, seen } from "../parts/text.js";

/** @typedef {{ id: string, name: string, description?: string, require_validation: boolean }} Zone */
/** @typedef {{ id: string, zone_id: string, name: string, tool_type: string, require_validation: boolean, always_send: boolean }} Tool */
/** @typedef {{ id: string, timestamp?: string, name?: string, data: any }} Entry */

const view = {
  /** @type {Zone[] | null} */ zones: null,
  /** @type {Tool[]} */ tools: [],
  /** @type {Entry[]} the newest first */ entries: [],
  total: 0,
  tool: "",
  field: "",
  shape: "line",
  /** @type {Problem | null} */ fault: null,
  /** @type {(() => void) | null} */ stop: null,
};

/** Runs a query as this person. @param {string} n @param {unknown} given */
const query = async (n, given) => {
  const { data } = await ask("run_command", { w: state.workspace?.key ?? "", n }, { body: { arguments: given } });
  return data.result;
};

const read = async () => {
  if (!state.workspace || !may("chat")) {
    view.zones ??= [];
    return;
  }
  try {
    const [zones, tools] = await Promise.all([query("zones.list", {}), query("tools.list", {})]);
    view.zones = zones.zones ?? [];
    view.tools = tools.tools ?? [];
    if (view.tool && view.tools.some((one) => one.id === view.tool)) {
      const { tool } = view;
      const found = await query("tool_data.get", { tool_id: tool, limit: 200 });
      if (view.tool === tool) {
        view.entries = [...(found.entries ?? [])].sort((a, b) => (b.timestamp ?? "").localeCompare(a.timestamp ?? ""));
        view.total = found.total ?? view.entries.length;
      }
    }
    view.fault = null;
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    view.fault = error;
  }
  changed();
};

/** @param {{ require_validation: boolean, always_send?: boolean }} one */
const flags = (one) => html`${one.require_validation ? html` <span class="chip wait">${t("world.asks")}</span>` : nothing}${one.always_send ? html` <span class="chip">${t("world.always-sent")}</span>` : nothing}`;

const list = () => html`<section class="list" aria-label=${t("world.zones")}><div class="head"><div class="row"><h2 class="vt">${t("nav.world")}</h2></div></div>
  <div class="items">${view.zones === null ? html`<p class="sr" role="status">${t("loading")}</p>` : view.zones.length === 0 ? html`<p class="empty">${may("chat") ? t("world.none") : t("world.no-scope")}</p>` : view.zones.map((zone) => {
    const tools = view.tools.filter((tool) => tool.zone_id === zone.id);
    return html`<h3 class="grp">${seen(zone.name)}${flags(zone)}</h3>${zone.description ? html`<p class="small muted grp-more">${seen(zone.description)}</p>` : nothing}
      <ul>${tools.map((tool) => html`<li><a class="it" href=${to("world", zone.id, tool.id)} aria-current=${view.tool === tool.id ? "true" : nothing}>${icon("world")}<b>${seen(tool.name)}</b><span></span><span class="sub">${seen(tool.tool_type)}${flags(tool)}</span></a></li>`)}</ul>${tools.length === 0 ? html`<p class="small muted grp-more">${t("world.no-tools")}</p>` : nothing}`;
  })}</div></section>`;

/** The numbers in an entry, by the names of their fields. @param {any} data @returns {[string, number][]} */
const numbers = (data) => {
  if (typeof data === "number") return [["value", data]];
  if (!data || typeof data !== "object") return [];
  return Object.entries(data).flatMap(([name, value]) => (typeof value === "number" ? [/** @type {[string, number]} */ ([name, value])] : []));
};

const chart = () => {
  const fields = [...new Set(view.entries.flatMap((entry) => numbers(entry.data).map(([name]) => name)))];
  if (fields.length === 0) return nothing;
  const field = fields.includes(view.field) ? view.field : (fields[0] ?? "");
  const points = view.entries.flatMap((entry) => {
    const found = numbers(entry.data).find(([name]) => name === field);
    return found && entry.timestamp ? [{ at: Date.parse(entry.timestamp), value: found[1] }] : [];
  }).filter((point) => !Number.isNaN(point.at)).sort((a, b) => a.at - b.at);
  if (points.length < 2) return nothing;
  const [first, last] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 1];
  const values = points.map((point) => point.value);
  const isBar = view.shape === "bar";
  const [least, most] = [isBar ? Math.min(0, ...values) : Math.min(...values), Math.max(...values)];
  const x = (/** @type {number} */ at) => 46 + ((at - first) / Math.max(1, last - first)) * 540;
  const y = (/** @type {number} */ value) => 150 - ((value - least) / Math.max(1e-9, most - least)) * 130;
  const line = points.map((point, at) => `${at === 0 ? "M" : "L"}${x(point.at).toFixed(1)} ${y(point.value).toFixed(1)}`).join("");
  const width = Math.max(2, Math.min(24, 500 / points.length));
  return html`<section class="box"><div class="row pad"><h3>${t("world.over-time")}</h3>
    <span class="chips">${fields.length > 1 ? html`<select aria-label=${t("world.field")} @change=${(/** @type {Event} */ event) => {
      view.field = /** @type {HTMLSelectElement} */ (event.target).value;
      changed();
    }}>${fields.map((name) => html`<option value=${name} ?selected=${name === field}>${name}</option>`)}</select>` : nothing}
    <span class="seg" role="group" aria-label=${t("world.shape")}>${["line", "bar"].map((shape) => html`<button type="button" aria-pressed=${view.shape === shape ? "true" : "false"} @click=${() => {
      view.shape = shape;
      changed();
    }}>${t(`world.${shape}`)}</button>`)}</span></span></div>
    <svg class="chart" viewBox="0 0 600 180" role="img" aria-label=${t("world.chart", { field, n: points.length, least: count(Math.min(...values)), most: count(most) })}>
      <path class="axis" d="M46 10V150H592"></path>
      <text x="40" y="24" text-anchor="end">${count(most)}</text><text x="40" y="152" text-anchor="end">${count(least)}</text>
      <text x="46" y="170">${day(first)}</text><text x="592" y="170" text-anchor="end">${day(last)}</text>
      ${isBar ? points.map((point) => svg`<rect class="mark" x=${x(point.at) - width / 2} y=${Math.min(y(point.value), y(0))} width=${width} height=${Math.max(1, Math.abs(y(0) - y(point.value)))}></rect>`) : svg`<path class="curve" d=${line}></path>${points.map((point) => svg`<circle class="mark" cx=${x(point.at)} cy=${y(point.value)} r="3"></circle>`)}`}
    </svg></section>`;
};

/** @param {any} data */
const plainly = (data) => (data && typeof data === "object" && !Array.isArray(data) ? Object.entries(data).map(([name, value]) => `${name}: ${typeof value === "object" ? JSON.stringify(value) : value}`).join(", ") : typeof data === "string" ? data : JSON.stringify(data));

const pane = () => {
  const tool = view.tools.find((one) => one.id === view.tool);
  if (!tool) return html`<section class="pane empty-pane" aria-label=${t("world.entries")}><p class="empty">${view.zones?.length ? t("world.choose") : ""}</p></section>`;
  const zone = view.zones?.find((one) => one.id === tool.zone_id);
  return html`<section class="pane"><div class="scroll" tabindex="0" role="region" aria-label=${t("world.entries")}><a class="btn bare back" href=${to("world")}>${icon("back")}${t("nav.world")}</a>
    ${view.fault ? problem(view.fault) : nothing}
    <div class="card"><header><h2>${seen(tool.name)}</h2><p class="target">${seen(zone?.name ?? "")} · ${seen(tool.tool_type)}${flags(tool)}</p></header>
    ${chart()}
    <section class="box"><h3>${rich("world.n-entries", { n: count(view.total) })}</h3>${view.entries.length === 0 ? html`<p class="pad muted">${t("world.no-entries")}</p>` : html`<table class="plain"><thead><tr><th scope="col">${t("world.when")}</th><th scope="col">${t("world.name")}</th><th scope="col">${t("world.data")}</th></tr></thead>
      <tbody>${view.entries.map((entry) => html`<tr><td>${entry.timestamp ? html`<time title=${instant(entry.timestamp)}>${seen(entry.timestamp.slice(0, 16).replace("T", " "))}</time>` : nothing}</td><td>${seen(entry.name ?? "")}</td><td>${seen(plainly(entry.data))}</td></tr>`)}</tbody></table>`}</section></div></div></section>`;
};

export default {
  /** @param {import("../core/route.js").Place} place */
  enter: (place) => {
    const tool = place.parts[1] ?? "";
    if (tool !== view.tool) {
      view.tool = tool;
      view.entries = [];
      view.total = 0;
    }
    view.stop?.();
    view.stop = keep(read);
  },
  leave: () => {
    view.stop?.();
    view.stop = null;
    view.tool = "";
  },
  isOpen: () => view.tool !== "",
  draw: () => html`<div class="view split world">${list()}${pane()}</div>`,
};
