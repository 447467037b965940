// What waits and is no approval: a question, an unknown outcome, a session that rests, a run that came to nothing.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { act, newKey, NoAnswer, Problem } from "../core/api.js";
import { look } from "../core/feed.js";
import { pretty } from "../core/json.js";
import { to } from "../core/route.js";
import { changed, itemOf, may, state, tell } from "../core/store.js";
import { clock } from "../core/time.js";
import { named, rich, t } from "../core/words.js";
import { apart, when } from "./card.js";
import { desk, leave, onPress } from "./desk.js";
import { icon, kbd } from "./icons.js";
import { problem, seen } from "./text.js";

/** @typedef {import("../core/shapes").InboxShape} Item */

/** What a task asks, loaded with the first one that does. @type {typeof import("./task-form.js") | undefined} */
let tasks;
const loadTasks = async () => {
  tasks = await import("./task-form.js");
  changed();
};

/** What a row and a title say of an item. @param {Item} item */
export const title = (item) => {
  switch (item.kind) {
    case "approval":
      return item.says;
    case "question":
      return item.question.text;
    case "unsettled":
      return t("unsettled.title", { command: item.command });
    case "parked":
      return t("parked.title", { name: item.session_name, why: named("parked", item.why) });
    case "failed":
      return t("failed.title", { command: item.command });
    case "task":
      return t("tasknotice.title", { command: item.command, why: named("tasknotice", item.why) });
    case "off":
      return t(item.what === "secret" ? "off.secret" : "off.target", { name: item.session_name, person: item.requester ?? "" });
    case "tools":
      return t("toolsitem.title", { server: item.server });
    case "ungranted":
      return t("ungranted.title", { name: item.session_name });
    default:
      return t("ended.title", { name: item.session_name, why: named("ended", item.why) });
  }
};

/**
 * Sends what was decided on an item that is no approval.
 * @param {Item} item
 * @param {string} operation
 * @param {Record<string, string>} path
 * @param {unknown} body
 * @param {string} words what was done, with {how}
 * @param {string} [again]
 */
export const settle = async (item, operation, path, body, words, again) => {
  const at = desk(item.id);
  const key = again ?? newKey();
  const retry = () => {
    settle(item, operation, path, body, words, key);
  };
  if (at.sent && at.sent.kind !== "unknown") return;
  if (state.line.kind === "lost") {
    at.says = t("card.offline");
    changed();
    return;
  }
  at.sent = { kind: "sending", seconds: 0, key, retry };
  at.fault = null;
  const say = tell("sending", `${words} ${t("news.sending")}`);
  changed();
  try {
    await act(operation, { w: state.workspace?.key ?? "", ...path }, { body, key });
    at.sent = null;
    at.gone = { kind: "ok", text: `${words} ${t("news.recorded", { at: clock(Date.now()) })}` };
    say("ok", at.gone.text);
    leave(item.id);
    // The same session may ask again, under the same id.
    setTimeout(() => {
      at.gone = null;
    }, 2000);
  } catch (error) {
    if (error instanceof NoAnswer) {
      at.sent = { kind: "unknown", seconds: 0, key, retry };
      say("warn", `${words} ${t("news.unknown")}`);
    } else if (error instanceof Problem) {
      at.sent = null;
      at.fault = error;
      say("bad", t("news.refused", { what: title(item), why: error.title }));
    } else throw error;
  }
  look();
  changed();
};

/** @param {Item} item @param {string} text */
export const answer = (item, text) => {
  if (!text.trim()) return;
  settle(item, "answer_question", { s: item.session }, { text }, t("news.answered", { text, what: title(item) }));
};

/** What may be answered. @param {Extract<Item, { kind: "question" }>} item */
export const options = (item) => (item.question.type === "validation" ? [t("question.yes"), t("question.no")] : item.question.options);

/** @param {Item} item */
const place = (item) => {
  const name = item.automation ? (state.automations.get(item.automation) ?? item.automation) : null;
  return html`<dl class="meta">
    <dt>${t("card.session")}</dt><dd><a href=${to("sessions", item.session)}>${seen(item.session_name)}</a></dd>
    ${name && item.automation ? html`<dt>${t("card.automation")}</dt><dd><a href=${to("automations", item.automation)}>${seen(name)}</a></dd>` : nothing}
    ${item.requester ? html`<dt>${t("card.asked-by")}</dt><dd>${seen(item.requester)}</dd>` : nothing}
  </dl>`;
};

const CHIP = { question: "accent", unsettled: "unknown", parked: "wait", ended: "danger", failed: "danger", task: "danger", off: "danger", ungranted: "wait", tools: "wait" };

/** @param {Item} item @param {unknown} body */
const frame = (item, body) => {
  const at = desk(item.id);
  const kind = /** @type {keyof typeof CHIP} */ (item.kind);
  return html`<article class="card ${at.gone ? "is-gone" : ""}" aria-labelledby="it-title">
    ${at.gone ? html`<p class="line ${at.gone.kind}" role="status">${icon("check")}<span>${at.gone.text}</span></p>` : nothing}
    <header><div class="chips"><span class="chip ${CHIP[kind]}">${icon(kind)}${t(`kind.${kind}`)}</span><span class="small muted">${rich("card.since", { when: when(item.asked_at) })}</span></div>
    <h2 id="it-title">${seen(title(item))}</h2></header>
    ${body}${at.fault ? problem(at.fault) : nothing}${item.kind === "off" || item.kind === "tools" ? nothing : place(item)}
  </article>`;
};

/** @param {Extract<Item, { kind: "question" }>} item */
export const choices = (item) => {
  const at = desk(item.id);
  const id = `o-${item.session}`;
  const other = item.question.allow_other || (item.question.type !== "validation" && item.question.options.length === 0);
  const send = (/** @type {Event} */ event) => {
    event.preventDefault();
    answer(item, at.other);
  };
  const off = Boolean(at.sent || at.gone) || !may("chat");
  return html`<div class="box opts" role="group" aria-label=${t("question.options")}>
    ${options(item).map((option, place) => html`<button class="btn" type="button" ?disabled=${off} @click=${onPress(item.id, () => answer(item, option))}>${kbd(String(place + 1))}<span>${seen(option)}</span></button>`)}
    ${other ? html`<form class="other" @submit=${send}><label for=${id}>${t("question.other")}</label><div class="with"><input id=${id} autocomplete="off" .value=${live(at.other)} @input=${(/** @type {Event} */ event) => {
      at.other = /** @type {HTMLInputElement} */ (event.target).value;
    }}><button class="btn" ?disabled=${off}>${t("question.send")}</button></div></form>` : nothing}
  </div>`;
};

/** A server about whose tools nobody has decided, with the approvals that wait for that. @param {Extract<Item, { kind: "tools" }>} item */
const undecided = (item) => {
  const { tools, asking, sending_out, undecided_queries, undecided_actions } = item.counts;
  const cards = item.waiting.map((id) => itemOf(id)).filter((one) => one?.kind === "approval");
  return html`<div class="box"><p class="pad">${t("toolsitem.counts", { n: tools, asking, unasked: tools - asking, out: sending_out })}</p>
      <ul class="pad">${undecided_queries > 0 ? html`<li>${t("toolsitem.queries", { n: undecided_queries })}</li>` : nothing}${undecided_actions > 0 ? html`<li>${t("toolsitem.actions", { n: undecided_actions })}</li>` : nothing}</ul>
      <p class="pad"><a class="btn go" href=${to("settings", "tools", item.server)}>${t("toolsitem.look")}</a></p></div>
    ${cards.length > 0 ? html`<section class="box"><h3>${t("toolsitem.waiting", { n: cards.length })}</h3><ul class="lines">${cards.map((card) => html`<li><div><a href=${to("inbox", card.id)}>${seen(title(card))}</a> <span class="small muted">${seen(card.session_name)}</span></div></li>`)}</ul></section>` : nothing}`;
};

/** A session at the soft line of a cap: what it asks, and how much more it may use. @param {Extract<Item, { kind: "parked" }>} item @param {import("../core/shapes").SpendingQuestionShape} spending */
const spendingForm = (item, { extra, least }) => {
  const at = desk(item.id);
  const id = `extra-${item.session}`;
  const unit = extra.tokens > 0 ? "tokens" : "usd";
  const [low, high] = unit === "tokens" ? [String(least.tokens), String(extra.tokens)] : [least.cost_usd, extra.cost_usd];
  return html`<div class="box"><p class="pad">${seen(item.says ?? "")}</p></div>
    <div class="f"><label for=${id}>${t(`spending.extra-${unit}`)}</label><input id=${id} inputmode=${unit === "tokens" ? "numeric" : "decimal"} autocomplete="off" placeholder=${high} .value=${live(at.other)} @input=${(/** @type {Event} */ event) => {
      at.other = /** @type {HTMLInputElement} */ (event.target).value;
    }}><span class="hint">${t("spending.bounds", { from: low, to: high })}</span></div>`;
};

/** Lets a session use more of a cap: what is written, or else what this card asks for, whatever the session asks by now. @param {Extract<Item, { kind: "parked" }>} item @param {import("../core/shapes").SpendingQuestionShape} spending */
const extend = (item, { extra }) => {
  const at = desk(item.id);
  const written = at.other.trim().replace(",", ".");
  const tokens = Number(written);
  if (extra.tokens > 0 && written && !Number.isSafeInteger(tokens)) {
    at.says = t("spending.wrong");
    changed();
    return;
  }
  at.says = "";
  const more = extra.tokens > 0 ? { tokens: written ? tokens : extra.tokens } : { cost_usd: written || extra.cost_usd };
  settle(item, "answer_spending", { s: item.session }, { go_on: true, ...more }, t("news.resumed", { what: item.session_name }));
};

/** @param {Item} item */
const whole = (item) => {
  const at = desk(item.id);
  switch (item.kind) {
    case "question":
      return frame(item, choices(item));
    case "unsettled":
      return frame(item, html`<div class="target"><code>${seen(item.command)}</code></div><div class="box"><p class="pad">${t("unsettled.says")}</p>${item.arguments ? html`<pre class="pad" tabindex="0">${seen(pretty(JSON.stringify(item.arguments)))}</pre>` : nothing}</div>
        <div class="f wide-f"><label for="note">${t("unsettled.note")}</label><textarea id="note" rows="2" .value=${live(at.note)} @input=${(/** @type {Event} */ event) => {
          at.note = /** @type {HTMLTextAreaElement} */ (event.target).value;
        }}></textarea><span class="hint">${t("unsettled.note-read")}</span></div>`);
    case "parked":
      if (item.spending) return frame(item, spendingForm(item, item.spending));
      return frame(item, html`<div class="box"><p class="pad">${t(`parked.says-${item.why}`)}</p></div>`);
    case "ended":
      return frame(item, html`<div class="box"><p class="pad">${t("ended.says", { reason: named("end", item.end_reason) })}</p>${item.expired.length > 0 ? html`<p class="pad">${t("ended.list")} ${item.expired.map((command) => html`<code>${seen(command)}</code> `)}</p>` : nothing}</div>`);
    case "failed":
      return frame(item, html`<div class="target"><code>${seen(item.command)}</code></div><div class="box"><p class="pad">${t("failed.says", { person: item.approver })}${item.code ? html` <code>${seen(item.code)}</code>` : nothing}</p><p class="pad"><a class="btn sm" href=${to("sessions", item.session, "calls")}>${t("failed.look")}</a></p></div>`);
    case "task":
      return frame(item, html`<div class="target"><code>${seen(item.command)}</code> <code>${item.task}</code></div>${item.why === "asks" ? asked(item) : html`<div class="box"><p class="pad">${t(`tasknotice.says-${item.why}`)}</p></div>`}`);
    case "off":
      return frame(item, html`<div class="box"><p class="pad">${seen(item.says)}</p></div>`);
    case "tools":
      return frame(item, undecided(item));
    case "ungranted":
      return frame(item, html`<div class="box"><p class="pad">${t("ungranted.says")}</p></div>`);
    default:
      return nothing;
  }
};

/** @param {Extract<Item, { kind: "task" }>} item @param {string} text @param {string} words */
const sendToTask = (item, text, words) => {
  settle(item, "answer_task", { task: item.task }, { text, question: item.question }, words);
};

/** @param {Extract<Item, { kind: "task" }>} item */
const asked = (item) => {
  if (tasks) return tasks.taskForm(item, () => answerTask(item));
  loadTasks().catch(() => {});
  return html`<p class="muted pad" role="status">${t("loading")}</p>`;
};

/** Sends what is written in the form, unless a field is wrong. @param {Extract<Item, { kind: "task" }>} item */
const answerTask = (item) => {
  const text = tasks?.answerOf(item) ?? null;
  if (text === null) {
    desk(item.id).says = t("taskform.wrong");
    changed();
    setTimeout(() => /** @type {HTMLElement | null} */ (document.querySelector('.asks [aria-invalid="true"]'))?.focus(), 30);
    return;
  }
  desk(item.id).says = "";
  sendToTask(item, text, t("news.task-answered", { what: item.command }));
};

/** @param {Extract<Item, { kind: "task" }>} item */
const taskDeeds = (item) => [
  { key: "a", scope: "chat", style: "go", icon: "check", words: t(item.form?.every((part) => part.url) ? "taskform.done" : "taskform.send"), run: () => answerTask(item) },
  { key: "r", scope: "chat", style: "no", icon: "cross", words: t("taskform.decline"), run: () => sendToTask(item, "null", t("news.task-declined", { what: item.command })) },
  { key: "", scope: "chat", style: "", icon: "skip", words: t("taskform.cancel"), run: () => sendToTask(item, '{"_action":"cancel"}', t("news.task-cancelled", { what: item.command })) },
];

/** What can be done with it: each with its key. @param {Item} item */
export const deeds = (item) => {
  const at = desk(item.id);
  const note = at.note.trim() ? { note: at.note.trim() } : {};
  const what = title(item);
  switch (item.kind) {
    case "unsettled": {
      const settled = (/** @type {boolean} */ happened) => () => settle(item, "settle_call", { c: item.call }, { happened, ...note }, t(happened ? "news.happened" : "news.did-not", { what: item.command }));
      return [
        { key: "h", scope: "approve", style: "go", icon: "check", words: t("unsettled.happened"), run: settled(true) },
        { key: "n", scope: "approve", style: "no", icon: "cross", words: t("unsettled.did-not"), run: settled(false) },
      ];
    }
    case "parked": {
      const { spending } = item;
      if (spending) {
        return [
          { key: "a", scope: "approve", style: "go", icon: "check", words: t("spending.go-on"), run: () => extend(item, spending) },
          { key: "r", scope: "approve", style: "no", icon: "cross", words: t("spending.stop"), run: () => settle(item, "answer_spending", { s: item.session }, { go_on: false }, t("news.spending-stopped", { what: item.session_name })) },
        ];
      }
      return [
        { key: "a", scope: "chat", style: "go", icon: "check", words: t("parked.resume"), run: () => settle(item, "resume_session", { s: item.session }, undefined, t("news.resumed", { what: item.session_name })) },
        { key: "r", scope: "chat", style: "no", icon: "cross", words: t("parked.end"), run: () => settle(item, "stop_session", { s: item.session }, { end: true }, t("news.ended", { what: item.session_name })) },
      ];
    }
    case "ended":
      return [
        ...(item.automation ? [{ key: "a", scope: "chat", style: "go", icon: "clock", words: t("ended.again"), run: () => settle(item, "run_automation", { a: item.automation ?? "" }, {}, t("news.run-again", { what })) }] : []),
        { key: "s", scope: "approve", style: "", icon: "check", words: t("ended.seen"), run: () => settle(item, "mark_seen", { s: item.session }, undefined, t("news.seen", { what })) },
      ];
    case "failed":
      return [{ key: "s", scope: "approve", style: "", icon: "check", words: t("ended.seen"), run: () => settle(item, "mark_seen", { s: item.session }, undefined, t("news.seen", { what })) }];
    case "task":
      return item.why === "asks" ? taskDeeds(item) : [{ key: "s", scope: "approve", style: "", icon: "check", words: t("ended.seen"), run: () => settle(item, "mark_task_seen", { task: item.task }, undefined, t("news.seen", { what })) }];
    default:
      return [];
  }
};

/** @param {Item} item */
const deedBar = (item) => {
  const at = desk(item.id);
  if (at.gone) return html`<div class="acts gone">${t("card.gone")}</div>`;
  if (at.sent?.kind === "unknown") return html`<div class="acts"><span class="wait">${t("sent.unknown")}</span><button class="btn" type="button" @click=${at.sent.retry}>${t("sent.retry")}</button></div>`;
  const all = deeds(item);
  if (all.length === 0) return nothing;
  return html`<div class="acts" role="group" aria-label=${t("card.decide")}>
    ${all.map((deed) => html`<button class="btn ${deed.style}" type="button" ?disabled=${Boolean(at.sent) || !may(deed.scope)} @click=${onPress(item.id, deed.run)}>${icon(deed.icon)}<span>${deed.words}</span>${kbd(deed.key)}</button>`)}
    <span class="end wait" role="status">${at.says}</span>
  </div>`;
};

/** An item, and its buttons. @param {Item} item */
export const waiting = (item) => apart(item, () => [whole(item), deedBar(item)]);

/** The keys of an item that is no approval. @param {string} key @param {Item} item */
export const pressedOn = (key, item) => {
  const at = desk(item.id);
  if (at.sent || at.gone || at.isBroken) return false;
  if (item.kind === "question" && /^[1-9]$/.test(key) && may("chat")) {
    const option = options(item)[Number(key) - 1];
    if (option === undefined) return false;
    answer(item, option);
    return true;
  }
  const deed = deeds(item).find((one) => one.key === key && may(one.scope));
  deed?.run();
  return Boolean(deed);
};
