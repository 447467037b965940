// The tools of MCP servers: which ask before they run, which run unasked, which send data out, and a person's decision.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { act, Problem } from "../core/api.js";
import { to } from "../core/route.js";
import { changed, itemOf, may, state } from "../core/store.js";
import { t } from "../core/words.js";
import { LONG } from "./arguments.js";
import { isMarked } from "./desk.js";
import { icon } from "./icons.js";
import { seen } from "./text.js";

/** @typedef {import("./targets.js").Change} Change */
/** @typedef {import("../core/shapes").ToolServerShape} ToolServer */
/** @typedef {import("../core/shapes").ServerToolShape} Tool */
/** @typedef {import("../core/shapes").CardShape} Card */
/** @typedef {{ change: Change, reread: () => Promise<unknown>, mayDecide: boolean }} How */

const at = { armed: "", withWaiting: new Set(), told: /** @type {Map<string, string[]>} */ (new Map()) };

/** Forgets what was half done. */
export const forget = () => {
  at.armed = "";
  at.withWaiting.clear();
  at.told.clear();
};

/** The approvals of undecided queries of a server that wait. @param {string} server @returns {Card[]} */
const waitingOf = (server) => {
  const item = state.inbox?.find((one) => one.kind === "tools" && one.server === server);
  if (item?.kind !== "tools") return [];
  return item.waiting.flatMap((id) => {
    const card = itemOf(id);
    return card?.kind === "approval" ? [card] : [];
  });
};

/** Whether all of a card stands in the list, its warnings too: then it may be approved from there. @param {Card} card */
const isShownWhole = (card) => Boolean(card.digest) && !isMarked({ ...card, warnings: [] }) && card.arguments_text.length <= LONG && Object.keys(card.before).length === 0;

/** Approves each card as it was shown. @param {Card[]} cards */
const approveEach = async (cards) => {
  const sessions = new Set(cards.map((card) => card.session));
  for (const s of sessions) {
    const decisions = cards.filter((card) => card.session === s).map((card) => ({ approval: card.id, digest: card.digest, decision: "approve" }));
    await act("decide_all", { w: state.workspace?.key ?? "", s }, { body: { decisions } });
  }
};

/**
 * @param {ToolServer} one
 * @param {"ask" | "trust" | "keep"} choice
 * @param {string[]} tools none: all of them
 * @param {Card[]} cards approved with it
 * @param {How} how
 */
const decide = (one, choice, tools, cards, { change, reread }) => {
  const what = tools.length === 0 ? t(`tools.did-${choice}`, { server: one.server }) : t(`tools.did-${choice}-one`, { tool: tools.join(", ") });
  at.armed = "";
  return change(what, async () => {
    try {
      const { data } = await act("decide_tools", { w: state.workspace?.key ?? "", server: one.server }, { body: { choice, tools }, match: one.digest });
      at.told.set(one.server, data.configured);
      await approveEach(cards);
    } catch (error) {
      // The table may be another one than the one that was read.
      if (error instanceof Problem) await reread();
      throw error;
    }
  });
};

/** @param {boolean | null | undefined} flag @param {string} key */
const told = (flag, key) => t(`${key}-${flag === true ? "yes" : flag === false ? "no" : "unknown"}`);

/** @type {["read_only", "destructive", "idempotent", "open_world"]} */
const HINTS = ["read_only", "destructive", "idempotent", "open_world"];

/** What its server says of a tool. @param {Tool} tool */
const hints = (tool) => {
  const said = HINTS.filter((hint) => tool.hints[hint] !== null && tool.hints[hint] !== undefined);
  if (said.length === 0) return html`<span class="muted">${t("tools.no-hints")}</span>`;
  return said.map((hint) => html`<span class="chip">${told(tool.hints[hint], `hint.${hint}`)}</span> `);
};

/** @param {ToolServer} one @param {Tool} tool @param {How} how */
const choice = (one, tool, how) => {
  const id = `${one.server}.${tool.tool}`;
  const isArmed = at.armed === id;
  // That something is changed unasked is pressed twice.
  const trust = () => {
    if (tool.kind === "query" || isArmed) return decide(one, "trust", [tool.tool], [], how);
    at.armed = id;
    changed();
  };
  return html`<div class="seg" role="group" aria-label=${t("tools.choice-of", { tool: tool.tool })}>
    <button type="button" aria-pressed=${tool.asks ? "true" : "false"} @click=${() => decide(one, "ask", [tool.tool], [], how)}>${t("tools.ask")}</button>
    <button type="button" class=${isArmed ? "armed" : ""} aria-pressed=${tool.asks ? "false" : "true"} @click=${trust}>${t(isArmed ? "tools.run-sure" : "tools.run")}</button></div>`;
};

/** Whether sessions can use it. @param {Tool} tool */
const isUsable = (tool) => !tool.state || tool.state === "usable";

/** Whether it asks, or why it does not run at all. @param {Tool} tool */
const runs = (tool) => (isUsable(tool)
  ? html`<span class="chip ${tool.asks ? "ok" : "wait"}">${t(tool.asks ? "tools.asks" : "tools.runs")}</span>`
  : html`<span class="chip">${t(`tools.state-${tool.state}`)}</span>`);

/** @param {ToolServer} one @param {Tool} tool @param {How} how */
const row = (one, tool, how) => html`<tr class=${tool.undecided ? "undecided" : ""}>
  <th scope="row"><code>${seen(tool.tool)}</code>${tool.command && tool.command !== `${one.server}.${tool.tool}` ? html`<br><code class="small muted">${seen(tool.command)}</code>` : nothing}</th>
  <td>${t(`tools.${tool.kind}`)}</td>
  <td>${runs(tool)}<br><span class="small muted">${t("tools.decided-by")} ${t(tool.undecided ? "tools.by-nobody" : `tools.by-${tool.decided_by}`)}</span></td>
  <td class=${tool.sends_out === false ? "muted" : ""}>${told(tool.sends_out, "tools.sends")}</td>
  <td>${hints(tool)}</td>
  ${how.mayDecide ? html`<td>${choice(one, tool, how)}</td>` : nothing}</tr>`;

/** The queries that wait, with what each would do. @param {ToolServer} one @param {Card[]} cards @param {How} how */
const waiting = (one, cards, how) => {
  if (cards.length === 0) return nothing;
  const whole = cards.filter(isShownWhole);
  const isOn = at.withWaiting.has(one.server);
  return html`<div class="pad waiting-queries"><h4>${t("tools.waiting", { n: cards.length })}</h4><ul class="lines">${cards.map((card) => html`<li><div><a href=${to("inbox", card.id)}>${seen(card.says)}</a> <span class="muted small">${seen(card.session_name)}</span><br><code class="small">${seen(card.command)} ${isShownWhole(card) ? seen(card.arguments_text) : nothing}</code>${card.warnings.map((text) => html`<br><span class="small wait">${seen(text)}</span>`)}${isShownWhole(card) ? nothing : html` <span class="small wait">${t("tools.to-open")}</span>`}</div></li>`)}</ul>
    ${how.mayDecide && may("approve") && whole.length > 0 ? html`<label class="check"><input type="checkbox" .checked=${live(isOn)} @change=${() => {
      if (!at.withWaiting.delete(one.server)) at.withWaiting.add(one.server);
      changed();
    }}> ${t("tools.with-waiting", { n: whole.length })}</label>` : nothing}</div>`;
};

/** A server: its tools as a table, and the choices. @param {ToolServer} one @param {How} how */
export const toolServer = (one, how) => {
  const usable = one.tools.filter(isUsable);
  const asking = usable.filter((tool) => tool.asks).length;
  const out = usable.filter((tool) => tool.sends_out === true).length;
  const cards = waitingOf(one.server);
  const approved = at.withWaiting.has(one.server) ? cards.filter(isShownWhole) : [];
  const configured = at.told.get(one.server) ?? [];
  return html`<section class="box tool-server" aria-label=${one.server}><h3>${seen(one.server)} ${one.undecided ? html`<span class="chip wait">${t("tools.undecided")}</span>` : nothing}</h3>
    <p class="pad">${t("tools.counts", { n: usable.length, asking, unasked: usable.length - asking, out })}</p>
    ${waiting(one, cards, how)}
    ${how.mayDecide ? html`<div class="chips pad" role="group" aria-label=${t("tools.for-all")}>
      <button class="btn sm go" type="button" @click=${() => decide(one, "trust", [], approved, how)}>${icon("check")}${approved.length > 0 ? t("tools.trust-all-and", { n: approved.length }) : t("tools.trust-all")}</button>
      <button class="btn sm" type="button" @click=${() => decide(one, "ask", [], [], how)}>${t("tools.ask-all")}</button>
      <button class="btn sm" type="button" @click=${() => decide(one, "keep", [], [], how)}>${t("tools.keep-all")}</button></div>
      <p class="small muted pad">${t("tools.choices")}</p>` : html`<p class="small muted pad">${t("tools.no-scope")}</p>`}
    ${configured.length > 0 ? html`<p class="line warn" role="status">${icon("warn")}<span>${t("tools.configured", { tools: configured.join(", ") })}</span></p>` : nothing}
    <table class="plain stacked tools"><thead><tr><th scope="col">${t("tools.tool")}</th><th scope="col">${t("tools.kind")}</th><th scope="col">${t("tools.now")}</th><th scope="col">${t("tools.data")}</th><th scope="col">${t("tools.says")}</th>${how.mayDecide ? html`<th scope="col">${t("tools.choice")}</th>` : nothing}</tr></thead>
      <tbody>${one.tools.map((tool) => row(one, tool, how))}</tbody></table></section>`;
};
