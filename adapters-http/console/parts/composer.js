// Where a person writes. What is written is kept until it was taken: a lost connection loses nothing.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { act, newKey, NoAnswer, Problem } from "../core/api.js";
import { look } from "../core/feed.js";
import { changed, state } from "../core/store.js";
import { t } from "../core/words.js";
import { icon, kbd } from "./icons.js";
import { references, written } from "./references.js";
import { problem } from "./text.js";

/** @typedef {{ text: string, refs: import("./references.js").Reference[], isSending: boolean, key: string, fault: Problem | null, says: string }} Draft */

/** @type {Map<string, Draft>} */
const drafts = new Map();
const KEPT = "entracte-draft-";
const KEPT_REFS = "entracte-refs-";

/** What was referred to, and not sent. @param {string} session @returns {import("./references.js").Reference[]} */
const keptRefs = (session) => {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT_REFS + session) ?? "[]");
  } catch {
    return [];
  }
};

/** @param {string} session @returns {Draft} */
const draft = (session) => {
  const known = drafts.get(session);
  if (known) return known;
  const made = { text: sessionStorage.getItem(KEPT + session) ?? "", refs: keptRefs(session), isSending: false, key: newKey(), fault: null, says: "" };
  drafts.set(session, made);
  return made;
};

/** @param {string} session */
export const draftOf = (session) => draft(session).text.trim();

/** @param {string} session */
export const sendDraft = async (session) => {
  const at = draft(session);
  const text = at.text.trim();
  if (!text || at.isSending) return;
  at.isSending = true;
  at.fault = null;
  at.says = "";
  changed();
  try {
    // The key makes of two tries one message.
    await act("send_message", { w: state.workspace?.key ?? "", s: session }, { body: { text, client_key: at.key, ...(at.refs.length > 0 ? { enrichments: at.refs.map(written) } : {}) }, key: at.key }, (n) => {
      at.says = t("sent.again", { n });
      changed();
    });
    at.text = "";
    at.refs = [];
    sessionStorage.removeItem(KEPT_REFS + session);
    at.key = newKey();
    at.says = "";
    sessionStorage.removeItem(KEPT + session);
  } catch (error) {
    if (error instanceof NoAnswer) at.says = t("sent.unknown");
    else if (error instanceof Problem) at.fault = error;
    else throw error;
  } finally {
    at.isSending = false;
    look();
    changed();
  }
};

/** @param {Element} field */
const grow = (field) => {
  const area = /** @type {HTMLTextAreaElement} */ (field);
  area.style.height = "auto";
  area.style.height = `${Math.min(area.scrollHeight, innerHeight * 0.4)}px`;
};

/**
 * @param {string} session
 * @param {"send" | "queue" | "replace"} mode
 */
export const composer = (session, mode) => {
  const at = draft(session);
  const typed = (/** @type {Event} */ event) => {
    const field = /** @type {HTMLTextAreaElement} */ (event.target);
    at.text = field.value;
    sessionStorage.setItem(KEPT + session, at.text);
    grow(field);
    changed();
  };
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    sendDraft(session).then(() => grow(/** @type {Element} */ (event.target)));
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    sendDraft(session);
  };
  return html`<div class="compose">${at.fault ? problem(at.fault) : nothing}<form @submit=${submit}>
    <label class="sr" for="message">${t("compose.label")}</label>
    <textarea id="message" rows="1" placeholder=${t("compose.hint")} .value=${live(at.text)} @input=${typed} @keydown=${pressed}></textarea>
    <div class="row">${references(at.refs, () => sessionStorage.setItem(KEPT_REFS + session, JSON.stringify(at.refs)))}<span class="small muted" role="status">${at.says}</span><button class="btn sm go" ?disabled=${at.isSending || !at.text.trim()}>${icon("check")}<span>${at.isSending ? t("sent.short") : t(`compose.${mode}`)}</span>${kbd("↵")}</button></div>
  </form></div>`;
};
