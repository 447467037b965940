// A conversation: what was said, what was called, what is asked, and what comes next.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { act } from "../core/api.js";
import { growing, markdown } from "../core/markdown.js";
import { go, to } from "../core/route.js";
import { changed, may, state } from "../core/store.js";
import { clock, instant, moment, span } from "../core/time.js";
import { named, t } from "../core/words.js";
import { card, pressed } from "../parts/card.js";
import { agentLine } from "../parts/agents.js";
import { callLine } from "../parts/call-line.js";
import { composer, drops, mayBeSent, NEW, onSent, sendDraft } from "../parts/composer.js";
import { appears, isDeaf } from "../parts/desk.js";
import { filesOf } from "../parts/files.js";
import { icon, kbd } from "../parts/icons.js";
import { progress } from "../parts/progress.js";
import { faultOf, problem, seen } from "../parts/text.js";
import { choices, pressedOn, waiting } from "../parts/waiting.js";
import { begin, end, talk } from "./talk.js";

/** @typedef {import("../core/shapes").MessageShape} Message */

/** Whether the end is followed: only by somebody who is there. */
const END = 40;
let scroller = /** @type {HTMLElement | null} */ (null);
let isAtEnd = true;
let unseen = 0;
/** The name that is typed; null: none. */
let naming = /** @type {string | null} */ (null);
let lastCount = 0;
let lastText = "";

/** @param {Event} event */
const scrolled = (event) => {
  const at = /** @type {HTMLElement} */ (event.currentTarget);
  isAtEnd = at.scrollHeight - at.scrollTop - at.clientHeight <= END;
  if (isAtEnd && unseen > 0) {
    unseen = 0;
    changed();
  }
  if (at.scrollTop < 200) talk.older();
};

/** After drawing: the end is followed, or what came is counted. */
const follow = () => {
  const count = talk.messages.length;
  if (count > lastCount && !isAtEnd && lastCount > 0) unseen += count - lastCount;
  lastCount = count;
  if (isAtEnd && scroller) scroller.scrollTop = scroller.scrollHeight;
};

const toEnd = () => {
  isAtEnd = true;
  unseen = 0;
  if (scroller) scroller.scrollTop = scroller.scrollHeight;
  changed();
};

// Whoever sends a message sees it, wherever they were reading.
onSent((session, made) => {
  if (session === talk.session) toEnd();
  if (session === NEW) whenMade(made);
});

/** @type {(session: string) => void} */
let whenMade = () => {};

/** Items of the inbox that belong here. */
const items = () => state.here;

/** @param {Message} message */
const author = (message) => html`<div class="who">${message.role === "ai" ? "Entracte" : message.role === "system" ? t("chat.system") : seen(message.author)} · <time datetime=${message.at} title=${instant(message.at)}>${moment(message.at, state.now)}</time>
  ${may("chat") ? html`<button class="btn bare sm fork" type="button" @click=${() => fork(message)}>${t("chat.fork-here")}</button>` : nothing}</div>`;

/** The words of a person, then their files, whose lines the text has too. @param {Message} message */
const words = (message) => {
  const files = (message.segments ?? []).flatMap((segment) => (segment.file ? [segment.file] : []));
  const text = files.length === 0 ? message.text : message.segments.filter((segment) => !segment.file).map((segment) => segment.text).join("").trim();
  return html`${text ? html`<div class="pre">${seen(text)}</div>` : nothing}${filesOf(files)}${notice(message)}`;
};

/** What the server tells beside a message, such as that the model in use does not read its files. @param {Message} message */
const notice = (message) => (message.notice ? html`<p class="small muted" role="note">${seen(message.notice)}</p>` : nothing);

/** What a person said. No model reads what was taken back. @param {Message} message */
const mine = (message) => html`<article class="me ${message.in_prompt ? "" : "withdrawn"}" data-id=${message.id}><span class="sr">${seen(message.author)}: </span>${words(message)}
  ${message.in_prompt ? nothing : html`<p class="small muted">${t("chat.withdrawn")}</p>`}${may("chat") ? html`<button class="btn bare sm fork" type="button" @click=${() => fork(message)}>${t("chat.fork-here")}</button>` : nothing}</article>`;

/** @param {Message} message */
const drawMessage = (message) => {
  if (message.role === "user") return mine(message);
  if (message.role === "system") return system(message);
  return html`<article class="ai" data-id=${message.id}>${author(message)}
    ${message.text ? html`<div class="said">${markdown(message.text)}</div>` : nothing}
    ${plan(message)}${calls(message)}
    ${message.post_text ? html`<div class="said">${markdown(message.post_text)}</div>` : nothing}
    ${message.question ? question(message) : nothing}
  </article>`;
};

/** @param {Message} message */
const plan = (message) => {
  if (message.plan.length === 0) return nothing;
  const steps = html`<ol>${message.plan.map((step) => html`<li>${seen(step)}</li>`)}</ol>`;
  // A plan that was made anew replaces the one before, which stays to be looked at.
  if (talk.messages.findLast((one) => one.plan.length > 0)?.id !== message.id) return html`<details class="small"><summary>${t("chat.plan-before", { n: message.plan.length })}</summary><div class="plan">${steps}</div></details>`;
  return html`<div class="box plan" role="group" aria-label=${t("chat.plan")}><h3>${t("chat.plan")}</h3>${steps}</div>`;
};

/** The calls that this reply asked for. @param {Message} message */
const calls = (message) => {
  const own = talk.callsOf(message);
  return own.length === 0 ? nothing : html`<div class="calls">${repeat(own, (call) => call.id, (call) => html`${callLine(call, talk.progress.get(call.id))}${filesOf(talk.filesOf(call))}${talk.agentsOf(call).map(agentLine)}`)}</div>`;
};

/** @param {Message} message */
const question = (message) => {
  const open = items().find((item) => item.kind === "question");
  const isLatest = talk.messages.findLast((one) => one.role === "ai")?.id === message.id;
  const asked = message.question;
  if (!asked) return nothing;
  const answer = talk.answerTo(message);
  return html`<div class="box ask"><h3>${seen(asked.text)}</h3>${open?.kind === "question" && isLatest ? choices(open) : html`<p class="pad small muted">${answer ? html`${t("chat.answered")} ${icon("check")} ${seen(answer)}` : asked.options.map((option) => html`<span class="chip">${seen(option)}</span> `)}</p>`}</div>`;
};

/** Results are in their calls' lines; the rest is told. @param {Message} message */
const system = (message) => {
  if (message.results.length > 0 && message.results.every((result) => talk.calls.has(result.call))) return notice(message);
  // It marks the reply above it, which stands there unfinished.
  if (message.type === "REPLY_STOPPED") return html`<p class="small muted" data-id=${message.id}>${seen(message.text)}</p>`;
  return html`<article class="system" data-id=${message.id}><details><summary>${named("message", message.type)} · <time datetime=${message.at} title=${instant(message.at)}>${clock(message.at)}</time></summary><div class="pre small">${seen(message.text)}</div>
    ${message.results.map((result) => html`<div class="small"><code>${seen(result.command)}</code> ${named("call", result.status)}<div class="pre">${seen(result.content)}</div>${filesOf(result.files)}</div>`)}</details>${notice(message)}</article>`;
};

/** What the model says just now; it stands below the list, so nothing above it moves. */
const speaking = () => {
  const live = talk.live;
  if (!live) return isThinking() ? html`<div class="ai"><div class="who">Entracte · ${named("phase", talk.view?.phase)}<span class="caret" aria-hidden="true"></span></div></div>` : nothing;
  return html`<article class="ai live" aria-busy="true"><div class="who">Entracte · ${t("chat.writes")}</div>
    ${live.reasoning ? html`<details class="small"><summary>${t("chat.thinks")}</summary><p class="muted pre">${seen(live.reasoning)}</p></details>` : nothing}
    <div class="said ${live.lost ? "lost" : ""}">${growing(live.text)}${live.lost ? nothing : html`<span class="caret" aria-hidden="true"></span>`}</div>
    ${live.lost ? html`<p class="small muted">${t("chat.superseded")}</p>` : nothing}</article>`;
};

const isThinking = () => talk.view?.standing === "active" && !items().length && talk.view.phase !== "IDLE";

const queued = () => talk.queued().map((message) => html`<article class="me queued" data-id=${message.id}><span class="sr">${seen(message.author)}: </span>${words(message)}<div class="chips"><span class="small muted">${t("chat.joins")}</span>
  ${may("chat") ? html`<button class="btn sm" type="button" @click=${() => steer("withdraw_message", undefined, { m: message.id })}>${t("chat.withdraw")}</button><button class="btn sm" type="button" @click=${sendNow}>${t("chat.send-now")}</button>` : nothing}</div></article>`);

/** The requests that are under way. @type {Set<string>} */
const steering = new Set();

/** A second press while the first is under way asks for nothing more. @param {string} operation @param {unknown} [body] @param {Record<string, string>} [more] */
const steer = async (operation, body, more = {}) => {
  const request = JSON.stringify([talk.session, operation, more]);
  if (steering.has(request)) return;
  steering.add(request);
  talk.fault = null;
  try {
    await act(operation, { w: state.workspace?.key ?? "", s: talk.session, ...more }, { body });
    talk.look();
  } catch (error) {
    talk.fault = faultOf(error);
    changed();
  } finally {
    steering.delete(request);
  }
};

/** Interrupts the round; what was queued begins the next one. */
const sendNow = async () => {
  await steer("interrupt_session");
  await steer("resume_session");
};

/** @param {Message} message */
const fork = async (message) => {
  try {
    const at = talk.sequenceOf(message);
    const { data } = await act("fork_session", { w: state.workspace?.key ?? "", s: talk.session }, { body: { ...(at ? { at } : {}), name: t("chat.fork-name", { name: talk.view?.name ?? "" }) } });
    go(to("sessions", data.id));
  } catch (error) {
    talk.fault = faultOf(error);
    changed();
  }
};

/** Gives the session another name. @param {Event} event */
const rename = async (event) => {
  event.preventDefault();
  const name = naming?.trim();
  if (!name) return;
  try {
    await act("change_session", { w: state.workspace?.key ?? "", s: talk.session }, { body: { name }, match: talk.tag });
    naming = null;
    talk.fault = null;
  } catch (error) {
    talk.fault = faultOf(error);
  }
  talk.look();
  changed();
};

/** The name, or the field in which another one is typed. @param {any} one */
const title = (one) => {
  if (naming === null) return html`<div class="named"><h2 class="st">${seen(one?.name ?? "…")}</h2>${one && may("chat") ? html`<button class="btn bare sm pen" type="button" aria-label=${t("chat.rename")} @click=${() => {
    naming = one.name;
    changed();
    setTimeout(() => /** @type {HTMLInputElement | null} */ (document.getElementById("rename"))?.select(), 30);
  }}>${icon("pen")}</button>` : nothing}</div>`;
  return html`<form class="rename" @submit=${rename}><label class="sr" for="rename">${t("chat.rename")}</label><input id="rename" maxlength="200" required autocomplete="off" .value=${naming} @input=${(/** @type {Event} */ event) => {
    naming = /** @type {HTMLInputElement} */ (event.target).value;
  }} @keydown=${(/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    naming = null;
    changed();
  }}><button class="btn sm go">${t("set.save")}</button></form>`;
};

/** Its buttons keep their places: a second press on Stop meets Stop. */
const head = () => {
  const one = talk.view;
  const cost = one?.usage?.cost_usd;
  const facts = one ? [one.standing === "ended" ? `${named("standing", "ended")}${one.end_reason ? `: ${named("end", one.end_reason)}` : ""}` : one.standing === "active" || one.phase !== "IDLE" ? named("phase", one.phase) : named("standing", one.standing), one.standing === "active" && one.phase !== "IDLE" ? span(state.now - Date.parse(one.last_activity)) : null, one.model, t("chat.rounds", { n: one.rounds }), cost ? `${one.usage.cost_at_least ? "≥ " : ""}${cost} $` : null] : [];
  const works = one?.standing === "queued" || (one?.standing === "active" && one.phase !== "IDLE");
  return html`<div class="top"><a class="btn bare back" href=${to("sessions")} aria-label=${t("nav.sessions")}>${icon("back")}</a>
    <div class="top-words">${title(one)}<div class="small muted one-line">${seen(facts.filter(Boolean).join(" · "))}</div></div>
    <div class="chips top-acts">${one?.parked === "spending" ? html`<a class="btn sm go" href=${to("inbox", `parked:${talk.session}`)}>${t("spending.look")}</a>` : (one?.parked || one?.standing === "suspended") && may("chat") ? html`<button class="btn sm go" type="button" @click=${() => steer("resume_session")}>${t("parked.resume")}</button>` : nothing}
    <a class="btn sm bare" href=${to("sessions", talk.session, "detail")}>${t("chat.detail")}</a>
    ${one?.kind === "chat" && one.standing !== "ended" && one.rounds > 0 && may("chat") ? html`<button class="btn sm bare" type="button" title=${t("chat.compact-says")} ?disabled=${one.phase !== "IDLE"} @click=${() => steer("compact_session")}>${t("chat.compact")}</button>` : nothing}
    ${one && one.standing !== "ended" && may("chat") ? html`<button class="btn sm" type="button" ?disabled=${!works} @click=${() => steer("interrupt_session")}>${t("chat.stop")}${kbd("Esc")}</button>` : nothing}</div></div>`;
};

/** Announced once, when it is whole. */
const spoken = () => {
  const last = talk.messages.at(-1);
  if (last?.role === "ai" && !talk.live) lastText = [last.text, last.post_text].filter(Boolean).join(" ").slice(0, 400);
  return html`<p class="sr" role="status">${lastText}</p>`;
};

/** Where nothing can be said, nothing is taken. */
const NO_DROPS = { over: nothing, leave: nothing, drop: nothing };

/** Where a chat begins: it is made with its first message. @param {(session: string) => void} made */
const beginning = (made) => {
  whenMade = made;
  const { over, leave, drop } = may("chat") ? drops(NEW) : NO_DROPS;
  return html`<section class="pane" aria-label=${t("chat.label")} @dragover=${over} @dragleave=${leave} @drop=${drop}><div class="top"><a class="btn bare back" href=${to("sessions")} aria-label=${t("nav.sessions")}>${icon("back")}</a><div class="top-words"><h2 class="st">${t("sessions.new")}</h2></div></div>
    <div class="scroll talk-scroll"><p class="empty">${t("chat.begin")}</p></div>${may("chat") ? composer(NEW, "send") : nothing}</section>`;
};

export default {
  beginning,
  /** @param {string} session */
  enter: (session) => {
    if (session === talk.session) return;
    isAtEnd = true;
    unseen = 0;
    lastCount = 0;
    lastText = "";
    naming = null;
    known = "";
    end();
    if (session) begin(session);
  },
  leave: end,
  draw: () => {
    const waits = items();
    remember();
    const one = talk.view;
    const { over, leave, drop } = one && one.standing !== "ended" && may("chat") ? drops(talk.session) : NO_DROPS;
    return html`<section class="pane" aria-label=${t("chat.label")} @dragover=${over} @dragleave=${leave} @drop=${drop}>${head()}
      <div class="scroll talk-scroll" tabindex="0" role="region" aria-label=${t("chat.messages")} @scroll=${scrolled}><div class="talk">
        ${talk.view && !talk.isWhole ? html`<p class="small muted">${t("chat.older")}</p>` : nothing}
        ${talk.fault ? problem(talk.fault) : nothing}
        ${talk.view && talk.messages.length === 0 && !talk.live ? html`<p class="empty">${t("chat.empty")}</p>` : nothing}
        ${repeat(talk.said(), (message) => message.id, drawMessage)}
        ${speaking()}
        ${progress(talk.view?.plan)}
        ${waits.map((item) => (item.kind === "approval" ? html`<div class="in-talk" data-item=${item.id}>${card(item)}</div>` : item.kind === "question" ? nothing : html`<div class="in-talk">${waiting(item)}</div>`))}
        ${queued()}
      </div></div>
      ${unseen > 0 ? html`<button class="btn sm new-below" type="button" @click=${toEnd}>${t("chat.new-below", { n: unseen })}</button>` : nothing}
      ${spoken()}${one && one.standing !== "ended" && may("chat") ? composer(talk.session, talk.mode()) : one?.standing === "ended" ? html`<p class="acts gone">${t("chat.ended")}</p>` : nothing}
    </section>`;
  },
  /** @param {string} key @param {KeyboardEvent} event */
  key: (key, event) => {
    if (key === "Ctrl+Enter" && mayBeSent(talk.session)) {
      sendDraft(talk.session);
      return true;
    }
    const shown = items()[0];
    if (shown && !event.repeat) {
      if (isDeaf(shown.id) && "aerA123456789".includes(key)) return false;
      if ((shown.kind === "approval" ? pressed(key, shown) : pressedOn(key, shown))) return true;
    }
    if (key === "Escape" && talk.view?.standing === "active" && may("chat")) {
      steer("interrupt_session");
      return true;
    }
    return false;
  },
};

let known = "";
/** The element that scrolls, and the cards that come into sight. */
const remember = () => {
  setTimeout(() => {
    scroller = document.querySelector(".talk-scroll");
    follow();
    const first = items()[0]?.id ?? "";
    if (first !== known) {
      known = first;
      if (first) appears(first);
    }
  }, 0);
};
