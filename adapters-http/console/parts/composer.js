// Where a person writes. What is written is kept until it was taken: a lost connection loses nothing.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { act, newKey, NoAnswer, Problem } from "../core/api.js";
import { look } from "../core/feed.js";
import { changed, state } from "../core/store.js";
import { t } from "../core/words.js";
import { attached, chooser, droppedFiles, holdsBack, pastedFiles, takeFiles } from "./attachments.js";
import { icon, kbd } from "./icons.js";
import { references, written } from "./references.js";
import { problem } from "./text.js";

/** @typedef {import("./attachments.js").Attachment} Attachment */

/**
 * `isOver`: files are held over it. `tried` is what was sent under the key, where nobody knows whether it arrived.
 * @typedef {{ text: string, refs: import("./references.js").Reference[], files: Attachment[], isOver: boolean, isSending: boolean, key: string, tried: string, fault: Problem | null, says: string }} Draft
 */

/** @type {Map<string, Draft>} */
const drafts = new Map();
const KEPT = "entracte-draft-";
const KEPT_REFS = "entracte-refs-";
const KEPT_FILES = "entracte-files-";
const KEPT_TRY = "entracte-try-";

/** @template T @param {string} name @param {T} otherwise @returns {T} */
const kept = (name, otherwise) => {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? "null") ?? otherwise;
  } catch {
    return otherwise;
  }
};

/** @param {string} session @returns {Draft} */
const draft = (session) => {
  const known = drafts.get(session);
  if (known) return known;
  const { key, tried } = kept(KEPT_TRY + session, { key: newKey(), tried: "" });
  /** @type {NonNullable<Attachment["stored"]>[]} */
  const stored = kept(KEPT_FILES + session, []);
  const files = stored.map((one) => ({ name: one.name, bytes: one.bytes, sent: one.bytes, stored: one, fault: "", source: null, stop: null }));
  /** @type {Draft} */
  const made = { text: sessionStorage.getItem(KEPT + session) ?? "", refs: kept(KEPT_REFS + session, []), files, isOver: false, isSending: false, key, tried, fault: null, says: "" };
  drafts.set(session, made);
  return made;
};

/** @param {string} session */
export const draftOf = (session) => draft(session).text.trim();

/** Whether there is something to send, and nothing holds it back. @param {Draft} at */
const isReady = (at) => (at.text.trim() !== "" || at.files.length > 0) && !holdsBack(at.files);

/** Whether a message can be sent as it is. @param {string} session */
export const mayBeSent = (session) => isReady(draft(session));

/** @param {string} name @param {string} text */
const keep = (name, text) => (text ? sessionStorage.setItem(name, text) : sessionStorage.removeItem(name));

/** @param {string} session @param {string} text */
export const write = (session, text) => {
  draft(session).text = text;
  keep(KEPT + session, text);
};

/** @param {string} session @param {import("./references.js").Reference[]} refs */
const refer = (session, refs) => {
  draft(session).refs = refs;
  keep(KEPT_REFS + session, refs.length > 0 ? JSON.stringify(refs) : "");
};

/** The files that the server has stay, also when the page is loaded anew. @param {string} session */
const keepFiles = (session) => {
  const stored = draft(session).files.flatMap((one) => (one.stored ? [one.stored] : []));
  keep(KEPT_FILES + session, stored.length > 0 ? JSON.stringify(stored) : "");
};

/** The key of what is sent: of another message than the one that may have arrived under it, a new one. @param {string} session @param {string} sent */
const keyOf = (session, sent) => {
  const at = draft(session);
  if (at.tried && at.tried !== sent) at.key = newKey();
  at.tried = sent;
  // Also for who looks again after the page was loaded anew.
  keep(KEPT_TRY + session, JSON.stringify({ key: at.key, tried: sent }));
  return at.key;
};

/** What was sent goes; what was written since stays. @param {string} session @param {string} text @param {import("./references.js").Reference[]} refs @param {Attachment[]} files */
const taken = (session, text, refs, files) => {
  const at = draft(session);
  write(session, at.text.startsWith(text) ? at.text.slice(text.length).trimStart() : at.text);
  refer(session, at.refs.filter((one) => !refs.includes(one)));
  at.files = at.files.filter((one) => !files.includes(one));
  keepFiles(session);
  Object.assign(at, { key: newKey(), tried: "", says: "" });
  keep(KEPT_TRY + session, "");
};

/** The chat that is made with its first message. */
export const NEW = "new";
/** Characters of a name that is taken from a first message. */
const NAME = 60;

/** What a chat is called that begins with these words: its first line, without marks of Markdown. @param {string} text */
export const nameOf = (text) => {
  const line = (text.split("\n").find((one) => /[\p{L}\p{N}]/u.test(one)) ?? text).replace(/^[\s#>*+-]+|[*_`]+/g, "").replace(/\s+/g, " ").trim();
  const letters = [...line];
  if (letters.length <= NAME) return line || t("sessions.new-name");
  const cut = letters.slice(0, NAME).join("");
  return `${cut.slice(0, cut.lastIndexOf(" ") > NAME / 2 ? cut.lastIndexOf(" ") : cut.length)}…`;
};

/** @type {(session: string, made: string) => void} */
let whenSent = () => {};

/** Called when a message is sent: with the session it was written in, and the one it is in. @param {(session: string, made: string) => void} told */
export const onSent = (told) => {
  whenSent = told;
};

/** A new session for a message: one, however often it is tried. @param {string} text @param {string} key @returns {Promise<string>} */
const newPlace = async (text, key) => {
  const { data } = await act("start_chat", { w: state.workspace?.key ?? "" }, { body: { name: nameOf(text) }, key: `${key}-chat` });
  return data.id;
};

/** @param {string} session */
export const sendDraft = async (session) => {
  const at = draft(session);
  const [before, refs, files] = [at.text, [...at.refs], [...at.files]];
  const text = before.trim();
  if (at.isSending || !isReady(at)) return;
  at.isSending = true;
  at.fault = null;
  at.says = "";
  changed();
  try {
    const digests = files.flatMap((one) => (one.stored ? [one.stored.digest] : []));
    const said = { text, ...(refs.length > 0 ? { enrichments: refs.map(written) } : {}), ...(digests.length > 0 ? { files: digests } : {}) };
    // The key makes of two tries one message.
    const key = keyOf(session, JSON.stringify(said));
    const place = session === NEW ? await newPlace(text || (files[0]?.name ?? ""), key) : session;
    await act("send_message", { w: state.workspace?.key ?? "", s: place }, { body: { ...said, client_key: key }, key }, (n) => {
      at.says = t("sent.again", { n });
      changed();
    });
    taken(session, before, refs, files);
    whenSent(session, place);
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

/** What takes files that are held over a conversation and dropped there. @param {string} session */
export const drops = (session) => {
  const at = draft(session);
  const holds = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files") ?? false;
  const turn = (/** @type {boolean} */ isOver) => {
    if (at.isOver === isOver) return;
    at.isOver = isOver;
    changed();
  };
  return {
    over: (/** @type {DragEvent} */ event) => {
      if (!holds(event)) return;
      event.preventDefault();
      turn(true);
    },
    leave: (/** @type {DragEvent} */ event) => {
      const pane = /** @type {HTMLElement} */ (event.currentTarget);
      if (!pane.contains(/** @type {Node | null} */ (event.relatedTarget))) turn(false);
    },
    drop: (/** @type {DragEvent} */ event) => {
      if (!event.dataTransfer || !holds(event)) return;
      event.preventDefault();
      turn(false);
      const { files, folders } = droppedFiles(event.dataTransfer);
      at.says = folders.map((name) => t("files.folder", { name })).join(" ");
      takeFiles(at.files, files, () => keepFiles(session));
      document.getElementById("message")?.focus();
    },
  };
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
  const keepAll = () => keepFiles(session);
  const typed = (/** @type {Event} */ event) => {
    const field = /** @type {HTMLTextAreaElement} */ (event.target);
    write(session, field.value);
    grow(field);
    changed();
  };
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    sendDraft(session).then(() => grow(/** @type {Element} */ (event.target)));
  };
  const pasted = (/** @type {ClipboardEvent} */ event) => {
    const files = pastedFiles(event.clipboardData);
    if (files.length === 0) return;
    event.preventDefault();
    takeFiles(at.files, files, keepAll);
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    sendDraft(session);
  };
  return html`<div class="compose">${at.fault ? problem(at.fault) : nothing}<form class=${at.isOver ? "over" : ""} @submit=${submit}>
    ${attached(at.files, keepAll)}<label class="sr" for="message">${t("compose.label")}</label>
    <textarea id="message" rows="1" placeholder=${t("compose.hint")} .value=${live(at.text)} @input=${typed} @keydown=${pressed} @paste=${pasted}></textarea>
    <div class="row">${chooser(at.files, keepAll)}${references(at.refs, () => refer(session, at.refs))}<span class="small muted" role="status">${at.says || holdsBack(at.files)}</span><button class="btn sm go" ?disabled=${at.isSending || !isReady(at)}>${icon("check")}<span>${at.isSending ? t("sent.short") : t(`compose.${mode}`)}</span>${kbd("↵")}</button></div>
  </form></div>`;
};
