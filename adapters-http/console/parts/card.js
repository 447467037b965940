// A card: all that an approval is decided by, in the order in which a person needs it, and the buttons that decide.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { to } from "../core/route.js";
import { changed, itemOfCall, state } from "../core/store.js";
import { agoLong, instant, moment, span } from "../core/time.js";
import { learn, named, rich, t } from "../core/words.js";
import { pretty } from "../core/json.js";
import { way } from "./agents.js";
import { table } from "./arguments.js";
import { approve, desk, needsTwo, onPress, refusal, schemaOf, shortly, turn } from "./desk.js";
import { editor, loadEditor } from "./editor.js";
import { icon, kbd } from "./icons.js";
import { proposed } from "./plan.js";
import { problem, seen, short } from "./text.js";

/** @typedef {import("./desk.js").Card} Card */

/** @param {string} at */
export const when = (at) => html`<time datetime=${at} title=${instant(at)}>${agoLong(at, state.now)}</time>`;

/**
 * An item and its buttons, drawn apart from the others: where one of them fails, a sentence stands in its place without a
 * button, and nothing of it can be decided here.
 * @param {{ id: string }} item
 * @param {() => [shown: unknown, buttons: unknown]} draw
 * @returns {[shown: unknown, buttons: unknown]}
 */
export const apart = (item, draw) => {
  const at = desk(item.id);
  try {
    const drawn = draw();
    at.isBroken = false;
    return drawn;
  } catch (error) {
    // It is drawn again and again; why it fails is said once.
    if (!at.isBroken) console.error(error);
    at.isBroken = true;
    return [html`<article class="card"><p class="line warn">${icon("warn")}<span>${t("card.broken")}</span></p></article>`, nothing];
  }
};

/** @param {Card} card */
const flags = (card) => {
  const left = Date.parse(card.expires_at) - state.now;
  return html`<div class="chips">
    <span class="chip ${card.destructive ? "danger" : "wait"}">${icon("approval")}${t("kind.approval")}</span>
    ${card.egress ? html`<span class="chip">${icon("out")}${t("card.egress")}</span>` : nothing}
    ${card.destructive ? html`<span class="chip danger">${t("card.destructive")}</span>` : nothing}
    ${card.irreversible ? html`<span class="chip danger">${t("card.irreversible")}</span>` : nothing}
    ${card.effect === "read" ? html`<span class="chip">${t("card.query")}</span>` : nothing}
    <span class="small muted">${rich("card.asked", { when: when(card.asked_at) })} · <span title=${instant(card.expires_at)}>${left > 0 ? t("card.expires", { at: moment(card.expires_at, state.now), span: span(left) }) : t("card.expired", { at: moment(card.expires_at, state.now) })}</span></span>
  </div>`;
};

/** Where it goes: all of it, with the rest of what is known below. @param {Card} card */
const target = (card) => {
  /** @type {any} */
  const goal = card.target;
  const parts = [];
  if (goal?.method && goal.url) parts.push(html`<span>${goal.method} <code>${seen(String(goal.url))}</code></span>`);
  else if (goal?.server) parts.push(html`<span>${t("card.server")} <code>${seen(String(goal.server))}</code>, <code>${seen(String(goal.tool ?? ""))}</code></span>`);
  if (goal?.program) parts.push(html`<span>${t("card.program")} <code>${seen([goal.program, ...(goal.arguments ?? [])].join(" "))}</code></span>`);
  else if (goal?.server && goal.url) parts.push(html`<span><code>${seen(String(goal.url))}</code></span>`);
  return html`<div class="target"><code>${seen(card.command)}</code>${parts}</div>
    ${goal ? html`<details class="small more-target"><summary>${t("card.target")}</summary><pre tabindex="0">${seen(pretty(JSON.stringify(goal)))}</pre></details>` : nothing}`;
};

/** What shows files, loaded for the first card that may name one. @type {typeof import("./files.js") | undefined} */
let shows;

const DIGEST = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g;

/** The files that its arguments or its target name by their digests. @param {Card} card */
const files = (card) => {
  const digests = `${card.arguments_text} ${JSON.stringify(card.target)}`.match(DIGEST);
  if (!digests) return nothing;
  if (shows) return shows.filesNamed(digests);
  Promise.all([import("./files.js"), learn(["files"])]).then(([loaded]) => {
    shows = loaded;
    changed();
  }, () => {});
  return nothing;
};

/** The levels, in the order of a card: what cannot be undone or leaves the workspace comes first. */
const LEVELS = ["catalog", "four_eyes", "approvers", "policy", "ai_request", "workspace", "zone", "tool", "session"];

/** @param {Card} card @param {string} level */
const reasonsOf = (card, level) => card.reasons.filter((reason) => reason.level === level || (level === "workspace" && reason.level === "app"));

/** A line for each level that asks, and one for all that do not. @param {Card} card */
const why = (card) => {
  const asking = LEVELS.filter((level) => reasonsOf(card, level).length > 0);
  const others = LEVELS.filter((level) => !asking.includes(level)).map((level) => named("level", level));
  return html`<section class="box" id="why" tabindex="-1" aria-label=${t("card.why")}>
  <h3>${t("card.why")}</h3>
  <ul class="why">${asking.map((level) => {
    const said = reasonsOf(card, level).map((reason, at) => (level === "ai_request" ? html`<q>${seen(reason.text)}</q>` : html`${at > 0 ? "; " : nothing}${seen(reason.text)}`));
    return html`<li>${icon("dot")}<span>${named("level", level)}</span><span>${said}</span></li>`;
  })}${others.length > 0 ? html`<li class="off">${icon("ring")}<span>${t("card.level-off")}</span><span>${others.join(", ")}</span></li>` : nothing}</ul>
</section>`;
};

/** The approval of a call that this one waits for. @param {string} call */
const cardLink = (call) => {
  const item = itemOfCall(call);
  // One that cannot be shown takes no other with it.
  return typeof item?.says === "string" ? html`<a href=${to("inbox", item.id)}>${seen(shortly(item))}</a>` : html`<code>${call}</code>`;
};

/** Calls that this one waits for; more than one are folded. @param {string[]} calls */
const after = (calls) => {
  const [first = ""] = calls;
  if (calls.length === 1) return html`<li>${rich("card.waits-for", { card: cardLink(first) })}</li>`;
  return html`<li><details><summary>${t("card.waits-for-all", { n: calls.length })}</summary><ul>${calls.map((call) => html`<li>${cardLink(call)}</li>`)}</ul></details></li>`;
};

/** @param {Card} card */
const then = (card) => {
  const isFree = card.waits_for.length === 0;
  return html`<section class="box" aria-label=${t("card.then")}><h3>${t("card.then")}</h3><ol class="then">
    ${isFree ? html`<li>${t(card.effect === "read" ? "card.reads-now" : "card.runs-now")}</li>` : after(card.waits_for)}
    <li>${t("card.then-reads")}</li>
  </ol></section>`;
};

/** @param {Card} card */
const meta = (card) => {
  const name = card.automation ? (state.automations.get(card.automation) ?? card.automation) : null;
  return html`<dl class="meta">
    <dt>${t("card.asked-by")}</dt><dd>${name && card.automation ? rich("card.by-automation", { name: html`<a href=${to("automations", card.automation)}>${seen(name)}</a>` }) : card.requester ? seen(card.requester) : t("card.by-nobody")}</dd>
    <dt>${t("card.session")}</dt><dd><a href=${to("sessions", card.session)}>${seen(card.session_name)}</a></dd>
    ${card.acts_as ? html`<dt>${t("card.acts-as")}</dt><dd>${seen(card.acts_as)}</dd>` : nothing}
    ${(card.approvals ?? []).length > 0 ? html`<dt>${t("card.approvals")}</dt><dd>${(card.approvals ?? []).map((given, at) => html`${at > 0 ? ", " : nothing}${seen(given.by)}`)}</dd>` : nothing}
    ${card.policy ? html`<dt>${t("card.policy")}</dt><dd>${named("policy", card.policy.decision)}${card.policy.version ? html` · ${rich("card.policy-version", { version: seen(card.policy.version) })}` : nothing}</dd>` : nothing}
    ${card.chain.length > 0 ? html`<dt>${t("card.way")}</dt><dd>${way(card.chain)}</dd>` : nothing}
    <dt>${t("card.your-yes")}</dt><dd>${rich("card.counts-for", { digest: html`<code title=${card.digest ?? ""}>${short(card.digest)}</code>` })}</dd>
  </dl>`;
};

/** @param {Card} card */
const edit = (card) => {
  const at = desk(card.id);
  const fields = editor();
  if (!fields) loadEditor().catch(() => {});
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    approve(card);
  };
  return html`<form class="box edit" aria-label=${t("card.edit-form")} @submit=${submit}><div class="form">
    ${fields ? fields.form(fields.fieldsOf(schemaOf(card), card.arguments_text), at.draft, { id: `e-${card.call}`, changed }) : html`<p class="muted" role="status">${t("loading")}</p>`}
    <p class="small muted">${t("card.edit-kept")}</p>
  </div></form>`;
};

/** @param {Card} card */
const rejecting = (card) => {
  const at = desk(card.id);
  const id = `r-${card.call}`;
  return html`<div class="box reject"><div class="form"><div class="f wide-f">
    <label for=${id}>${t("card.reason")}</label>
    <textarea id=${id} rows="3" maxlength="4000" .value=${live(at.reason)} @input=${(/** @type {Event} */ event) => {
      at.reason = /** @type {HTMLTextAreaElement} */ (event.target).value;
    }}></textarea><span class="hint">${t("card.reason-read")}</span></div></div></div>`;
};

/** @param {Card} card */
const answering = (card) => {
  const at = desk(card.id);
  const id = `i-${card.call}`;
  return html`<div class="box answer"><div class="form"><div class="f wide-f">
    <label for=${id}>${t("card.answer-words")}</label>
    <textarea id=${id} rows="3" .value=${live(at.answer)} @input=${(/** @type {Event} */ event) => {
      at.answer = /** @type {HTMLTextAreaElement} */ (event.target).value;
    }}></textarea><span class="hint">${t("card.answer-read")}</span></div></div></div>`;
};

const DAYS = [0, 1, 7, 30];

/** Whether agents may use it too. @param {Card} card */
const forAgents = (card) => {
  const at = desk(card.id);
  if (card.chain.length > 0) return html`<p class="small">${t("always.of-agent")}</p>`;
  return html`<label class="check"><input type="checkbox" .checked=${live(at.wide.agents)} @change=${(/** @type {Event} */ event) => {
    at.wide.agents = /** @type {HTMLInputElement} */ (event.target).checked;
    changed();
  }}> ${t("always.agents")}</label>`;
};

/** What it covers: one of the widths that the card offers, or all like it. Each sentence stands whole. @param {Card} card */
const widths = (card) => {
  const at = desk(card.id);
  const offered = card.widths ?? [];
  if (offered.length === 0) return nothing;
  const choice = (/** @type {number} */ index, /** @type {unknown} */ says) => html`<label class="check"><input type="radio" name="v-${card.call}" .checked=${live(at.wide.width === index)} @change=${() => {
    at.wide.width = index;
    changed();
  }}> ${says}</label>`;
  return html`<fieldset class="f"><legend>${t("always.covers")}</legend>${offered.map((width, index) => choice(index, seen(width.says)))}${choice(-1, t("always.usual"))}</fieldset>`;
};

/** @param {Card} card */
const always = (card) => {
  const at = desk(card.id);
  /** @type {Record<string, any>} */
  const conditions = card.always ?? {};
  const id = `w-${card.call}`;
  return html`<div class="box always"><h3>${t("always.title")}</h3><div class="form">
    ${widths(card)}
    ${at.wide.width >= 0 ? nothing : html`<p>${rich("always.says", { command: html`<code>${seen(card.command)}</code>` })}</p>
    <ul class="conditions">${Object.entries(conditions).map(([name, must]) => html`<li><code>${seen(name)}</code> ${must === "any" ? t("always.any") : html`${t("always.is")} <code>${seen(typeof must.is === "string" ? must.is : JSON.stringify(must.is))}</code>`}</li>`)}</ul>`}
    <div class="f"><label for="${id}-days">${t("always.until")}</label><select id="${id}-days" @change=${(/** @type {Event} */ event) => {
      at.wide.days = Number(/** @type {HTMLSelectElement} */ (event.target).value);
      changed();
    }}>${DAYS.map((days) => html`<option value=${days} ?selected=${days === at.wide.days}>${days === 0 ? t("always.configured") : t("always.days", { n: days })}</option>`)}</select></div>
    <div class="f"><label for="${id}-where">${t("always.where")}</label><select id="${id}-where" @change=${(/** @type {Event} */ event) => {
      at.wide.inSession = /** @type {HTMLSelectElement} */ (event.target).value === "session";
      changed();
    }}><option value="workspace" ?selected=${!at.wide.inSession}>${t("always.workspace")}</option><option value="session" ?selected=${at.wide.inSession}>${t("always.session")}</option></select></div>
    ${at.wide.inSession ? nothing : forAgents(card)}
    <p class="small muted">${t("always.taken-back")}</p>
  </div></div>`;
};

/** It was approved often, and never changed: a rule could do it. @param {Card} card */
const suggestion = (card) => {
  const at = desk(card.id);
  if (!card.approved_before || !card.always || needsTwo(card) || at.mode !== "see" || at.gone || at.sent) return nothing;
  return html`<p class="line suggest">${icon("always")}<span>${rich("card.suggests", { command: html`<code>${seen(card.command)}</code>`, n: card.approved_before })} <button class="btn sm" type="button" @click=${() => turn(card, "always")}>${t("card.make-rule")}</button></span></p>`;
};

/** @param {Card} card */
const whole = (card) => {
  const at = desk(card.id);
  return html`<article class="card ${at.gone ? "is-gone" : ""}" aria-labelledby="t-${card.call}" aria-busy=${at.sent ? "true" : "false"}>
    ${at.gone ? html`<p class="line ${at.gone.kind}" role="status">${icon(at.gone.kind === "ok" ? "check" : "warn")}<span>${at.gone.text}</span></p>` : nothing}
    <header>${flags(card)}<h2 id="t-${card.call}">${seen(card.says)}</h2>${target(card)}</header>
    ${card.changed ? html`<p class="line warn">${icon("warn")}<span>${t("card.will-change")}</span></p>` : nothing}
    ${card.warnings.length > 0 ? html`<ul class="warnings">${card.warnings.map((text) => html`<li class="line warn">${icon("warn")}<span>${seen(text)}</span></li>`)}</ul>` : nothing}
    ${suggestion(card)}
    ${at.mode === "edit" ? nothing : proposed(card)}
    ${at.mode === "edit" ? edit(card) : table(card, schemaOf(card), at.opened, at.altered)}
    ${files(card)}
    ${at.mode === "reject" ? rejecting(card) : nothing}
    ${at.mode === "answer" ? answering(card) : nothing}
    ${at.mode === "always" ? always(card) : nothing}
    ${at.fault ? problem(at.fault) : nothing}
    <div class="two">${why(card)}<div class="stack">
      ${card.irreversible || card.destructive ? html`<section class="box undo"><h3>${t("card.cannot-undo")}</h3><p class="pad">${card.destructive ? t("card.undo-destructive") : t("card.undo-once")}</p></section>` : nothing}
      ${then(card)}</div></div>
    ${meta(card)}
  </article>`;
};

/** The buttons of a card. @param {Card} card */
const actions = (card) => {
  const at = desk(card.id);
  if (at.gone) return html`<div class="acts gone">${t("card.gone")} <span class="end muted">${kbd("j")} ${t("keys.next")}</span></div>`;
  if (at.sent) return sending(at.sent);
  const why = refusal();
  const expired = Date.parse(card.expires_at) <= state.now;
  if (expired) return html`<div class="acts gone">${t("card.is-expired", { at: moment(card.expires_at, state.now) })}</div>`;
  const label = { edit: t("card.approve-edited"), always: t("card.approve-always"), reject: "", answer: t("card.answer-send"), see: at.armed ? t("card.approve-what", { what: shortly(card) }) : t("card.approve") }[at.mode];
  const off = why ? "true" : "false";
  return html`<div class="acts ${at.mode}" role="group" aria-label=${t("card.decide")}>
    ${at.mode === "reject" ? nothing : html`<button class="btn go ${at.armed ? "armed" : ""}" type="button" aria-disabled=${off} @click=${onPress(card.id, () => approve(card))} @blur=${() => disarm(card)}>${icon("check")}<span>${label}</span>${kbd(at.mode === "see" ? "a" : "")}</button>`}
    ${at.mode === "answer" ? nothing : html`<button class="btn no" type="button" aria-disabled=${off} @click=${onPress(card.id, () => (at.mode === "reject" ? approve(card) : turn(card, "reject")))}>${icon("cross")}<span>${at.mode === "reject" ? t("card.reject") : t("card.reject-dots")}</span>${kbd(at.mode === "see" ? "r" : at.mode === "reject" ? "Ctrl ↵" : "")}</button>`}
    ${at.mode === "see" ? html`<button class="btn more" type="button" aria-disabled=${off} aria-label=${t("card.edit")} @click=${() => turn(card, "edit")}>${icon("pen")}<span>${t("card.edit")}</span>${kbd("e")}</button>
      ${card.by_hand ? nothing : html`<button class="btn more" type="button" aria-disabled=${off} aria-label=${t("card.answer-dots")} @click=${() => turn(card, "answer")}>${icon("chat")}<span>${t("card.answer-dots")}</span>${kbd("i")}</button>`}
      ${card.always && !needsTwo(card) ? html`<button class="btn more" type="button" aria-disabled=${off} aria-label=${t("card.always")} @click=${() => turn(card, "always")}>${icon("always")}<span>${t("card.always")}</span>${kbd("A")}</button>` : nothing}` : html`<button class="btn" type="button" @click=${() => turn(card, "see")}>${t("card.back")}${kbd("Esc")}</button>`}
    <span class="end ${why || at.says ? "wait" : "muted"}" role="status">${why || at.says || html`<span class="hide-s">${kbd("j")} ${kbd("k")} ${t("keys.move")} ${kbd("w")} ${t("keys.why")} ${kbd("?")} ${t("keys.help")}</span>`}</span>
  </div>`;
};

/** A card, and its buttons. @param {Card} card */
export const card = (card) => apart(card, () => [whole(card), actions(card)]);

/** Whether a person can read all of it; it is drawn to know. @param {Card} shown */
export const isReadable = (shown) => {
  card(shown);
  return !desk(shown.id).isBroken;
};

/** @param {Card} card */
const disarm = (card) => {
  const at = desk(card.id);
  if (!at.armed) return;
  at.armed = 0;
  changed();
};

/** @param {NonNullable<import("./desk.js").Desk["sent"]>} sent */
const sending = (sent) => html`<div class="acts" role="status">
  ${sent.kind === "unknown" ? html`<span class="wait">${t("sent.unknown")}</span><button class="btn" type="button" @click=${sent.retry}>${t("sent.retry")}</button>` : html`<span class="muted">${sent.kind === "again" ? t("sent.again", { n: sent.seconds }) : t("sent.sending")}</span>`}
</div>`;

/**
 * The keys of a card; gives whether one was taken.
 * @param {string} key
 * @param {Card} shown
 */
export const pressed = (key, shown) => {
  const at = desk(shown.id);
  if (at.isBroken) return false;
  if (key === "Ctrl+Enter" && at.mode !== "see") {
    approve(shown);
    return true;
  }
  if (key === "Escape" && (at.mode !== "see" || at.armed)) {
    at.mode = "see";
    at.armed = 0;
    changed();
    /** @type {HTMLElement | null} */ (document.querySelector(".pane .scroll"))?.focus();
    return true;
  }
  const what = { a: () => approve(shown), e: () => turn(shown, "edit"), r: () => turn(shown, "reject"), i: () => !shown.by_hand && turn(shown, "answer"), A: () => shown.always && !needsTwo(shown) && turn(shown, "always") }[key];
  if (!what || at.mode !== "see" || refusal()) return false;
  what();
  return true;
};
