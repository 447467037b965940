// The files of a message that is being written: chosen, dropped or pasted, sent one after the other, each with its progress.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { NoAnswer, Problem } from "../core/api.js";
import { storeFile } from "../core/files.js";
import { fileBytes } from "../core/route.js";
import { changed } from "../core/store.js";
import { t } from "../core/words.js";
import { fileOf, size } from "./files.js";
import { icon } from "./icons.js";
import { seen } from "./text.js";

/**
 * A file of a message. `stored`: as the server has it, once it does; `fault`: why it does not; `source`: its bytes, to be
 * sent again.
 * @typedef {{ name: string, bytes: number, sent: number, stored: import("../core/files.js").FileShape | null, fault: string, source: File | null, stop: AbortController | null }} Attachment
 */

/** Files are sent one after the other. */
let line = Promise.resolve();

/** @param {Attachment} one @param {() => void} keep */
const send = async (one, keep) => {
  // It was removed while it waited.
  if (!one.source || one.stop?.signal.aborted) return;
  const stop = new AbortController();
  Object.assign(one, { sent: 0, fault: "", stop });
  changed();
  try {
    one.stored = await storeFile(one.source, (bytes) => {
      one.sent = bytes;
      changed();
    }, stop.signal);
    one.source = null;
  } catch (error) {
    if (!(error instanceof Problem) && !(error instanceof NoAnswer)) throw error;
    one.fault = error instanceof Problem ? error.detail || error.title : t("files.unsent", { name: one.name });
  }
  one.stop = null;
  keep();
  changed();
};

/** @param {Attachment} one @param {() => void} keep */
const enqueue = (one, keep) => {
  line = line.then(() => send(one, keep));
};

/** Takes files into a message. @param {Attachment[]} all @param {Iterable<File>} files @param {() => void} keep called when they changed */
export const takeFiles = (all, files, keep) => {
  for (const source of files) {
    /** @type {Attachment} */
    const one = { name: source.name, bytes: source.size, sent: 0, stored: null, fault: "", source, stop: null };
    all.push(one);
    if (source.size <= fileBytes) enqueue(one, keep);
    // It would be refused in the middle, by a server that nobody hears any more.
    else Object.assign(one, { source: null, fault: t("files.large", { size: size(source.size), most: size(fileBytes) }) });
  }
  changed();
};

/** The files of a drop; a folder is refused by its name. @param {DataTransfer} data @returns {{ files: File[], folders: string[] }} */
export const droppedFiles = (data) => {
  const found = { files: /** @type {File[]} */ ([]), folders: /** @type {string[]} */ ([]) };
  for (const item of data.items) {
    if (item.kind !== "file") continue;
    const file = item.getAsFile();
    if (item.webkitGetAsEntry?.()?.isDirectory) found.folders.push(file?.name ?? "");
    else if (file) found.files.push(file);
  }
  return found;
};

/** The files of what is pasted. A table of a spreadsheet comes with a picture of itself: its words are what is meant. @param {DataTransfer | null} data @returns {File[]} */
export const pastedFiles = (data) => {
  if (!data || (data.types.includes("text/html") && data.types.includes("text/plain"))) return [];
  return [...data.files];
};

/** Why a message cannot be sent with these; empty: it can. @param {Attachment[]} all */
export const holdsBack = (all) => {
  const refused = all.find((one) => one.fault);
  if (refused) return t("files.refused", { name: refused.name });
  const waits = all.filter((one) => !one.stored);
  return waits.length > 0 ? t("files.sending", { n: waits.length }) : "";
};

/** @param {Attachment} one @param {() => void} keep */
const told = (one, keep) => {
  if (one.stored) return fileOf(one.stored);
  if (one.fault) return html`<div class="refused" role="alert"><span><b>${seen(one.name)}</b>: ${seen(one.fault)}</span>${one.source ? html`<button class="btn sm" type="button" @click=${() => {
    one.fault = "";
    enqueue(one, keep);
    changed();
  }}>${t("files.again")}</button>` : nothing}</div>`;
  return html`<div class="sends"><span class="one-line">${seen(one.name)} <span class="small muted">${size(one.bytes)}</span></span><progress max=${Math.max(1, one.bytes)} .value=${Math.min(one.sent, one.bytes)} aria-label=${t("files.progress", { name: one.name })}></progress></div>`;
};

/** @param {Attachment[]} all @param {() => void} keep */
export const attached = (all, keep) => {
  if (all.length === 0) return nothing;
  return html`<ul class="attached" aria-label=${t("files.attached")}>${all.map((one) => html`<li>${told(one, keep)}<button class="drop" type="button" aria-label=${t("files.drop", { name: one.name })} @click=${() => {
    // One that still waits for its turn is not sent any more.
    one.source = null;
    one.stop?.abort();
    all.splice(all.indexOf(one), 1);
    keep();
    changed();
    document.getElementById("message")?.focus();
  }}>${icon("cross")}</button></li>`)}</ul>`;
};

/** What chooses files. @param {Attachment[]} all @param {() => void} keep */
export const chooser = (all, keep) => html`<button class="btn sm bare" type="button" aria-label=${t("files.attach")} @click=${() => document.getElementById("attach")?.click()}>${icon("plus")}<span>${t("files.file")}</span></button><input id="attach" type="file" multiple hidden @change=${(/** @type {Event} */ event) => {
  const input = /** @type {HTMLInputElement} */ (event.target);
  takeFiles(all, [...(input.files ?? [])], keep);
  input.value = "";
}}>`;
