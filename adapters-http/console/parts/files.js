// Files of messages, results and cards: small pictures that open whole, and files that can be saved.

import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { ref } from "../vendor/lit-html/directives/ref.js";
import { fetched, fetchFile, saveFile } from "../core/files.js";
import { onKey } from "../core/keys.js";
import { changed } from "../core/store.js";
import { spoken, t } from "../core/words.js";
import { icon } from "./icons.js";
import { faultOf, seen } from "./text.js";

/** @typedef {import("../core/files.js").FileShape} FileShape */

const sheet = document.createElement("link");
if (document.head) {
  sheet.rel = "stylesheet";
  sheet.href = new URL("./files.css", import.meta.url).href;
  document.head.append(sheet);
}

/** What people call a type. @type {Record<string, string>} */
const TYPES = { "image/png": "PNG", "image/jpeg": "JPEG", "image/gif": "GIF", "image/webp": "WebP", "application/pdf": "PDF" };
const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** @param {number} bytes */
export const size = (bytes) => {
  const [unit, by] = bytes < 1000 ? ["byte", 1] : bytes < 1_000_000 ? ["kilobyte", 1000] : ["megabyte", 1_000_000];
  return new Intl.NumberFormat(spoken(), { style: "unit", unit: String(unit), maximumFractionDigits: unit === "megabyte" ? 1 : 0 }).format(bytes / Number(by));
};

/** Its type, what it measures, its size, and what models see of it in another form. @param {FileShape} file */
export const what = (file) => [TYPES[file.media_type] ?? file.media_type, file.width && file.height ? `${file.width} × ${file.height}` : "", file.pages ? t("files.pages", { n: file.pages }) : "", size(file.bytes), file.form ? t(file.form.first_frame ? "files.form-frame" : "files.form", { width: file.form.width, height: file.form.height }) : ""].filter(Boolean).join(", ");

/** Why a file could not be saved, by its digest. @type {Map<string, string>} */
const refused = new Map();

/** @param {FileShape} file */
const save = async (file) => {
  refused.delete(file.digest);
  try {
    await saveFile(file);
  } catch (error) {
    const fault = faultOf(error);
    refused.set(file.digest, fault.detail || fault.title);
  }
  changed();
};

/** @param {string} digest */
const faultIn = (digest) => {
  const fault = fetched(digest)?.fault || refused.get(digest);
  return !fault ? nothing : html`<span class="small danger" role="status">${fault === "no-answer" ? t("files.no-answer") : seen(fault)}</span>`;
};

/** The picture that is open, over everything. @param {FileShape} file */
const openPicture = async (file) => {
  await fetchFile(file.digest);
  const url = fetched(file.digest)?.url;
  if (!url || document.querySelector(".picture-view")) return;
  const dialog = document.createElement("dialog");
  dialog.className = "picture-view";
  dialog.setAttribute("aria-label", file.name);
  const close = () => dialog.close();
  // While it is open, no key decides or stops anything behind it.
  const stop = onKey((key) => {
    if (key === "Escape") close();
    return key === "Escape" || key.startsWith("Ctrl+") || !dialog.contains(document.activeElement) || key.length === 1;
  });
  dialog.addEventListener("close", () => {
    stop();
    removeEventListener("popstate", close);
    dialog.remove();
  });
  addEventListener("popstate", close);
  render(html`<div class="picture-head"><span class="one-line">${seen(file.name)} <span class="muted">${what(file)}</span></span><button class="btn sm" type="button" @click=${() => save(file)}>${t("files.save-short")}</button><button class="btn sm" type="button" autofocus @click=${close}>${icon("cross")}${t("files.close")}</button></div><img src=${url} alt=${file.name} @click=${close}>`, dialog);
  document.body.append(dialog);
  // It gives the focus back to what had it.
  dialog.showModal();
};

/** @type {IntersectionObserver | undefined} */
let observer;

/** A picture is fetched when it comes into sight. It is asked at each drawing: an element may show another file by then. @param {Element | undefined} element */
const whenSeen = (element) => {
  if (!(element instanceof HTMLElement) || fetched(element.dataset.digest ?? "") !== undefined) return;
  observer ??= new IntersectionObserver((all) => {
    for (const { isIntersecting, target } of all) {
      if (!isIntersecting || !(target instanceof HTMLElement)) continue;
      observer?.unobserve(target);
      fetchFile(target.dataset.digest ?? "");
    }
  }, { rootMargin: "200px" });
  observer.observe(element);
};

/** @param {FileShape} file */
const picture = (file) => {
  const url = fetched(file.digest)?.url;
  return html`<div class="file"><button class="thumb" type="button" data-digest=${file.digest} aria-label=${t("files.open", { name: file.name, what: what(file) })} title="${file.name}, ${what(file)}" @click=${() => openPicture(file)} ${ref((element) => whenSeen(element))}>${url ? html`<img src=${url} alt="">` : icon("pages")}</button><span class="small muted one-line">${seen(file.name)}</span>${faultIn(file.digest)}</div>`;
};

/** @param {FileShape} file */
const other = (file) => html`<div class="file"><button class="btn sm saves" type="button" data-digest=${file.digest} aria-label=${t("files.save", { name: file.name, what: what(file) })} @click=${() => save(file)}>${icon("pages")}<span><span class="one-line">${seen(file.name)}</span> <span class="small muted">${what(file)}</span></span></button>${faultIn(file.digest)}</div>`;

/** A file: a picture opens whole, anything else is saved. @param {FileShape} file */
export const fileOf = (file) => (PICTURES.has(file.media_type) ? picture(file) : other(file));

/** @param {FileShape[] | undefined} files */
export const filesOf = (files) => (!files || files.length === 0 ? nothing : html`<div class="files" role="group" aria-label=${t("files.label")}>${files.map(fileOf)}</div>`);

/** Files that a card shows at most. */
const NAMED = 20;

/** The files of this workspace that have one of these digests. @param {string[]} digests */
export const filesNamed = (digests) => {
  const files = [...new Set(digests)].slice(0, NAMED).flatMap((digest) => {
    const one = fetched(digest);
    if (one === undefined) fetchFile(digest);
    // A digest of something else is none of a file here; one that nobody answered about is told.
    return one?.url || one?.fault === "no-answer" ? [{ digest, media_type: one.media, name: one.name || digest.slice(0, 12), bytes: one.bytes }] : [];
  });
  return files.length === 0 ? nothing : html`<section class="box" aria-label=${t("files.named")}><h3>${t("files.named")}</h3><div class="pad">${filesOf(files)}</div></section>`;
};
