// A session in detail: its rounds as bars of model, tools and people, its journal, its cost.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { act, all, ask, Problem } from "../core/api.js";
import { keep } from "../core/feed.js";
import { pretty } from "../core/json.js";
import { base, to } from "../core/route.js";
import { changed, may, state } from "../core/store.js";
import { count, instant, moment, took } from "../core/time.js";
import { named, t } from "../core/words.js";
import { windowed } from "../core/window.js";
import { below } from "../parts/agents.js";
import { amount } from "../parts/amount.js";
import { icon } from "../parts/icons.js";
import { instructions, lookAt } from "../parts/instructions.js";
import { faultOf, problem, refusalOf, seen } from "../parts/text.js";

/** @typedef {{ seq: number, sequence: number, at: string, label: string, entry: any }} Entry */

const page = {
  session: "",
  /** @type {any} */ view: null,
  /** @type {any} */ metrics: null,
  /** @type {import("../core/shapes").CallShape[]} */ calls: [],
  /** @type {import("../core/shapes").AgentShape[]} */ agents: [],
  /** @type {any} */ costs: null,
  /** @type {import("../core/shapes").ModelCallShape[]} the latest first */ asked: [],
  /** @type {Entry[]} the newest first */ entries: [],
  /** @type {string | null} */ next: null,
  /** @type {Entry | null} */ open: null,
  /** @type {Problem | null} */ fault: null,
  isLoading: false,
  /** @type {any[]} */ providers: [],
  tag: "",
  /** @type {any} */ place: null,
  /** What is chosen and not saved yet. @type {{ provider: string, model: string } | null} */ voice: null,
};
/** @type {(() => void) | null} */
let stop = null;

const where = () => ({ w: state.workspace?.key ?? "", s: page.session });

const read = async () => {
  const { session } = page;
  if (!session || !state.workspace) return;
  try {
    const [view, metrics, journal, calls, costs, asked, agents] = await Promise.all([
      ask("get_session", where()),
      ask("get_metrics", where()),
      ask("read_journal", where(), { query: { limit: 100 } }),
      all("list_calls", where(), {}, 600),
      ask("report_costs", where(), { query: { by: "model", session } }),
      all("list_model_calls", where(), {}, 600),
      ask("list_agents", where()),
    ]);
    const told = view.data.kind === "seed" ? null : lookAt("session", session);
    const [queue, providers] = await Promise.all([view.data.standing === "queued" ? ask("get_queue", where()) : null, page.providers.length > 0 ? page.providers : all("list_providers", {})]);
    await told;
    if (page.session !== session) return;
    Object.assign(page, { view: view.data, metrics: metrics.data, calls, costs: costs.data, asked, agents: agents.data.agents, fault: null, tag: view.tag ?? "", place: queue?.data ?? null, providers });
    const known = new Set(journal.data.items.map((/** @type {Entry} */ one) => one.seq));
    const older = page.entries.filter((one) => !known.has(one.seq));
    page.entries = [...journal.data.items, ...older].sort((a, b) => b.seq - a.seq);
    if (older.length === 0) page.next = journal.data.next;
  } catch (error) {
    page.fault = refusalOf(error);
  }
  changed();
};

const more = async () => {
  if (!page.next || page.isLoading) return;
  page.isLoading = true;
  try {
    const { data } = await ask("read_journal", where(), { query: { limit: 200, after: page.next } });
    page.entries = [...page.entries, ...data.items];
    page.next = data.next;
  } finally {
    page.isLoading = false;
    changed();
  }
};

/** @typedef {{ kind: "model" | "tool" | "person", from: number, to: number, label: string }} Bar */

/** Who worked when: models between a round's begin and its answer, tools while a call ran, people while one waited. */
const bars = () => {
  /** @type {Bar[]} */
  const found = [];
  const entries = [...page.entries].reverse();
  for (const [at, entry] of entries.entries()) {
    if (entry.label !== "AiResponseReceived" || at === 0) continue;
    const began = entries[at - 1];
    if (began) found.push({ kind: "model", from: Date.parse(began.at), to: Date.parse(entry.at), label: t("detail.model") });
  }
  for (const call of page.calls) {
    const [asked, began, ended] = [call.requested_at, call.started_at, call.finished_at].map((at) => (at ? Date.parse(at) : NaN));
    if (began && asked !== undefined && (call.decision === "approved" || call.decision === "edited") && began > asked) found.push({ kind: "person", from: asked, to: began, label: call.command });
    if (began && ended) found.push({ kind: "tool", from: began, to: ended, label: call.command });
    if (asked !== undefined && !began && call.state === "waiting_decision") found.push({ kind: "person", from: asked, to: state.now, label: call.command });
  }
  return found.sort((a, b) => a.from - b.from);
};

const timeline = () => {
  const all = bars().slice(-60);
  if (all.length === 0) return html`<p class="pad muted">${t("detail.no-rounds")}</p>`;
  const longest = Math.max(...all.map((bar) => bar.to - bar.from), 1);
  const sums = { model: 0, tool: 0, person: 0 };
  for (const bar of bars()) sums[bar.kind] += bar.to - bar.from;
  return html`<p class="pad small muted key-line">${/** @type {const} */ (["model", "tool", "person"]).map((kind) => html`<span><i class="swatch ${kind}"></i>${t(`detail.${kind}`)} ${took(sums[kind])}</span>`)}</p>
    <ol class="bars">${all.map((bar) => html`<li><span class="one-line">${seen(bar.label)}</span><span class="track"><i class="fill ${bar.kind}" .style=${`width:${Math.max(1, ((bar.to - bar.from) / longest) * 100).toFixed(1)}%`}></i></span><span class="took" title=${instant(bar.from)}>${took(bar.to - bar.from)}</span></li>`)}</ol>`;
};

/** @param {string} name @param {unknown} value */
const fact = (name, value) => html`<dt>${name}</dt><dd>${value}</dd>`;

/** Another model from the next round on. */
const voice = () => {
  const { view } = page;
  if (!view || view.standing === "ended" || !may("chat") || page.providers.length === 0) return nothing;
  const chosen = page.voice ?? { provider: view.provider, model: view.model };
  const change = (/** @type {Partial<typeof chosen>} */ part) => {
    page.voice = { ...chosen, ...part };
    changed();
  };
  const save = async (/** @type {Event} */ event) => {
    event.preventDefault();
    try {
      await act("change_session", where(), { body: chosen, match: page.tag });
      page.voice = null;
      page.fault = null;
    } catch (error) {
      page.fault = faultOf(error);
    }
    await read();
  };
  return html`<form class="form" @submit=${save}>
    <div class="f"><label for="v-provider">${t("detail.provider")}</label><select id="v-provider" @change=${(/** @type {Event} */ event) => {
      const name = /** @type {HTMLSelectElement} */ (event.target).value;
      change({ provider: name, model: page.providers.find((one) => one.name === name)?.model ?? chosen.model });
    }}>${page.providers.map((one) => html`<option value=${one.name} ?selected=${one.name === chosen.provider}>${one.name}</option>`)}</select></div>
    <div class="f"><label for="v-model">${t("detail.model")}</label><input id="v-model" autocomplete="off" .value=${chosen.model} @input=${(/** @type {Event} */ event) => change({ model: /** @type {HTMLInputElement} */ (event.target).value })}><span class="hint">${t("detail.voice-hint")}</span></div>
    ${page.voice ? html`<div><button class="btn sm go">${t("set.save")}</button></div>` : nothing}</form>`;
};

/** Whether a plan comes before actions, from now on. */
const mode = () => {
  const { view } = page;
  if (!view || view.standing === "ended" || !may("chat")) return nothing;
  const save = async (/** @type {Event} */ event) => {
    const wanted = /** @type {HTMLSelectElement} */ (event.target).value;
    try {
      await act("change_session", where(), { body: { mode: wanted }, match: page.tag });
      page.fault = null;
    } catch (error) {
      page.fault = faultOf(error);
    }
    await read();
  };
  return html`<div class="form"><div class="f"><label for="v-mode">${t("detail.mode")}</label><select id="v-mode" @change=${save}>
    ${view.mode ? nothing : html`<option value="" selected>${t("mode.default")}</option>`}${["free", "plan"].map((one) => html`<option value=${one} ?selected=${one === view.mode}>${named("mode", one)}</option>`)}</select></div></div>`;
};

const facts = () => {
  const { view, metrics } = page;
  if (!view) return nothing;
  return html`<dl class="meta pad">
    ${page.place?.position ? fact(t("detail.place"), html`${page.place.position} ${page.place.ahead.map((/** @type {any} */ one) => html`<br><a href=${to("sessions", one.session)}>${seen(one.name)}</a>`)}`) : nothing}
    ${fact(t("detail.standing"), [...new Set([named("standing", view.standing), named("phase", view.phase)])].join(", "))}
    ${fact(t("detail.model"), html`${seen(view.model)} <span class="muted">${seen(view.provider)}, ${view.dialect}</span>`)}
    ${fact(t("detail.tokens"), t("detail.tokens-of", { read: count(view.usage.input), cached: count(view.usage.cache_read), written: count(view.usage.output) }))}
    ${fact(t("detail.cost"), html`${amount(view.usage)}${page.agents.length > 0 && view.own_usage ? html` <span class="muted">${t("detail.own-cost", { cost: amount(view.own_usage) })}</span>` : nothing}`)}
    ${metrics ? fact(t("detail.rounds"), t("detail.rounds-of", { rounds: metrics.rounds, relaunches: metrics.relaunches })) : nothing}
    ${metrics ? fact(t("detail.calls"), t("detail.calls-of", { calls: metrics.calls, failed: metrics.failed, unknown: metrics.unknown, longest: took(metrics.longest_ms) })) : nothing}
    ${fact(t("detail.commands"), view.commands ? html`<code>${seen(view.commands.join(", "))}</code>` : t("detail.all-commands"))}
    ${fact(t("detail.made"), moment(view.created_at, state.now))}
    ${view.automation ? fact(t("card.automation"), html`<a href=${to("automations", view.automation)}>${seen(state.automations.get(view.automation) ?? view.automation)}</a>`) : nothing}
    ${view.wake_at ? fact(t("detail.wakes"), `${moment(view.wake_at, state.now)}${view.wake_reason ? ` (${named("wake", view.wake_reason)})` : ""}`) : nothing}
  </dl>`;
};

/** @param {Entry} entry */
const line = (entry) => html`<div class="entry-row" role="listitem"><button type="button" class="entry" aria-expanded=${page.open?.seq === entry.seq ? "true" : "false"} @click=${() => {
  page.open = page.open?.seq === entry.seq ? null : entry;
  changed();
}}><span class="muted">${entry.sequence}</span><span class="one-line">${named("entry", entry.label)}</span><time class="muted" title=${instant(entry.at)}>${moment(entry.at, state.now)}</time></button></div>`;

const journal = () => html`<section class="box journal"><h3>${t("detail.journal")}</h3>
  ${windowed("journal", { rows: page.entries, height: 32, label: t("detail.journal"), key: (entry) => String(entry.seq), row: line, near: more })}
  ${page.open ? html`<div class="entry-open"><div class="row"><b>${page.open.label}</b><button class="btn sm" type="button" @click=${() => {
    page.open = null;
    changed();
  }}>${t("card.back")}</button></div><pre tabindex="0">${seen(pretty(JSON.stringify(page.open.entry)))}</pre></div>` : nothing}</section>`;

const modelCalls = () => {
  if (page.asked.length === 0) return nothing;
  return html`<section class="box journal asked"><h3>${t("prompt.calls", { n: page.asked.length })}</h3>
    ${windowed("asked", { rows: page.asked, height: 32, label: t("prompt.calls", { n: page.asked.length }), key: (one) => one.id, row: (one) => html`<div class="entry-row" role="listitem"><a class="entry" href=${to("sessions", page.session, "prompt", one.id)}><span class="muted">${one.round}</span><span class="one-line">${t("prompt.title", { n: one.round })}${one.attempt > 1 ? ` · ${t("prompt.attempt-n", { n: one.attempt })}` : ""}${one.recorded ? "" : ` · ${t("prompt.no-reply")}`}</span><time class="muted" title=${instant(one.at)}>${moment(one.at, state.now)}</time></a></div>` })}</section>`;
};

const costs = () => {
  const rows = page.costs?.rows ?? [];
  if (rows.length === 0) return nothing;
  return html`<section class="box"><h3>${t("detail.cost-by-model")} <a class="small" href=${to("settings", "costs")}>${t("detail.all-costs")}</a></h3><table class="plain"><thead><tr><th scope="col">${t("detail.model")}</th><th scope="col" class="num">${t("detail.attempts")}</th><th scope="col" class="num">${t("detail.read")}</th><th scope="col" class="num">${t("detail.written")}</th><th scope="col" class="num">${t("detail.cost")}</th></tr></thead>
    <tbody>${rows.map((/** @type {any} */ row) => html`<tr><th scope="row">${seen(row.key)}</th><td class="num">${count(row.attempts)}</td><td class="num">${count(row.usage.input + row.usage.cache_read)}</td><td class="num">${count(row.usage.output)}</td><td class="num">${amount(row.usage)}</td></tr>`)}</tbody></table></section>`;
};

export default {
  /** @param {string} session */
  enter: (session) => {
    if (page.session === session && stop) return;
    Object.assign(page, { session, view: null, metrics: null, calls: [], costs: null, agents: [], asked: [], entries: [], next: null, open: null, fault: null, voice: null, place: null });
    stop?.();
    stop = keep(read);
  },
  leave: () => {
    stop?.();
    stop = null;
    page.session = "";
  },
  draw: () => html`<section class="pane">
    <div class="top"><a class="btn bare sm" href=${to("sessions", page.session)}>${icon("back")}${t("detail.back")}</a><div class="top-words"><h2 class="st">${seen(page.view?.name ?? "…")}</h2></div>
      <div class="chips top-acts"><a class="btn sm bare" href="${base}/v1/workspaces/${encodeURIComponent(where().w)}/sessions/${encodeURIComponent(page.session)}/export" @click=${download}>${t("detail.export")}</a></div></div>
    <div class="scroll" tabindex="0" role="region" aria-label=${t("chat.detail")}>${page.fault ? problem(page.fault) : nothing}
      <div class="cols"><section class="box"><h3>${t("detail.facts")}</h3>${facts()}${voice()}${mode()}</section>
      <section class="box"><h3>${t("detail.timeline")}</h3>${timeline()}</section></div>
      ${page.view && page.view.kind !== "seed" ? html`<section class="box"><h3>${t("set.instructions")}</h3>${instructions()}</section>` : nothing}
      ${below(page.agents)}${costs()}${modelCalls()}${journal()}</div></section>`,
};

/** A link cannot show the proof, so the file is fetched, and given to the browser. @param {Event} event */
const download = async (event) => {
  event.preventDefault();
  event.stopPropagation();
  try {
    // To the letter: a browser that reads its numbers would round them.
    const { text } = await ask("export_session", where());
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = `${page.session}.json`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  } catch (error) {
    page.fault = faultOf(error);
    changed();
  }
};
