// What models read beside the data: the texts that all sessions share, with the changes that wait for a person, and the
// documents that they search.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { act, all, ask, NoAnswer, Problem } from "../core/api.js";
import { keep } from "../core/feed.js";
import { go, to } from "../core/route.js";
import { changed, may, state, tell } from "../core/store.js";
import { clock, count, instant, moment } from "../core/time.js";
import { t } from "../core/words.js";
import { icon } from "../parts/icons.js";
import { problem, refusalOf, seen } from "../parts/text.js";

/** @typedef {import("../core/shapes").DocumentShape} Kept */
/** @typedef {import("../core/shapes").TextLineShape} Line */

/** Characters of a document that are read at once. */
const PART = 20_000;
/** What a file is, by how its name ends. @type {Record<string, string>} */
const FORMATS = { md: "markdown", markdown: "markdown", txt: "text", html: "html", htm: "html", csv: "csv", json: "json", jsonl: "json" };

const view = {
  /** @type {Kept[] | null} */ documents: null,
  /** @type {Line[]} */ texts: [],
  /** `texts` or `documents`, and what of them is open; `new` for one that is not there yet. */ kind: "",
  id: "",
  /** @type {any} */ open: null,
  tag: "",
  /** What each proposal changes, by its id. @type {Record<string, any>} */ changes: {},
  /** What is written and not sent. */ draft: { key: "", text: /** @type {string | null} */ (null), note: "" },
  armed: "",
  isSending: false,
  /** @type {Problem | null} */ fault: null,
  /** @type {(() => void) | null} */ stop: null,
};

const w = () => state.workspace?.key ?? "";

/** What is open, as it is now. */
const readOpen = async () => {
  const { kind, id } = view;
  if (!id || id === "new") return;
  if (kind === "texts") {
    const { data, tag } = await ask("get_text", { w: w(), text: id });
    const changes = await Promise.all(data.proposals.map((/** @type {any} */ one) => ask("get_text", { w: w(), text: id }, { query: { proposal: one.id } }).then((found) => [one.id, found.data])));
    if (view.id === id) Object.assign(view, { open: data, tag: tag ?? "", changes: Object.fromEntries(changes) });
  } else {
    const known = view.open?.document ? Math.max(PART, view.open.text.length) : PART;
    const { data } = await ask("get_document", { w: w(), d: id }, { query: { length: Math.min(known, 200_000) } });
    if (view.id === id) view.open = data;
  }
};

const read = async () => {
  if (!w()) return;
  try {
    const [documents, texts] = await Promise.all([all("list_documents", { w: w() }), ask("list_texts", { w: w() })]);
    Object.assign(view, { documents, texts: texts.data.items });
    await readOpen();
    if (view.fault?.status === 404) view.fault = null;
  } catch (error) {
    view.fault = refusalOf(error);
    view.documents ??= [];
    // What was removed meanwhile is no longer there to be read.
    if (view.fault.status === 404) view.open = null;
  }
  changed();
};

/** Does something, and says what came of it. @param {string} operation @param {Record<string, string>} path @param {import("../core/api.js").How} how @param {string} words */
const send = async (operation, path, how, words) => {
  if (view.isSending) return null;
  Object.assign(view, { isSending: true, fault: null, armed: "" });
  const say = tell("sending", `${words} ${t("news.sending")}`);
  changed();
  try {
    const { data } = await act(operation, { w: w(), ...path }, how);
    if (data?.state === "waits_for_approval") tell("warn", t("library.waits", { what: words }), to("inbox", data.approval ?? ""));
    else say("ok", `${words} ${t("news.recorded", { at: clock(Date.now()) })}`);
    return data ?? {};
  } catch (error) {
    if (error instanceof NoAnswer) say("warn", `${words} ${t("news.unknown")}`);
    else if (error instanceof Problem) {
      say("bad", t("news.refused", { what: words, why: error.title }));
      view.fault = error;
    } else throw error;
    return null;
  } finally {
    view.isSending = false;
    await read();
  }
};

/** A button that is pressed twice. @param {string} name @param {string} words @param {string} sure @param {() => unknown} run */
const twice = (name, words, sure, run) => html`<button class="btn sm no ${view.armed === name ? "armed" : ""}" type="button" ?disabled=${view.isSending} @click=${() => {
  if (view.armed === name) return run();
  view.armed = name;
  changed();
}}>${view.armed === name ? sure : words}</button>`;

/** @param {string} text */
const base64 = (text) => text.slice(text.indexOf(",") + 1);

/** Keeps the files that were chosen, one after the other. @param {Event} event */
const take = async (event) => {
  const input = /** @type {HTMLInputElement} */ (event.target);
  const files = [...(input.files ?? [])];
  input.value = "";
  for (const file of files) {
    const ending = file.name.split(".").at(-1)?.toLowerCase() ?? "";
    const words = t("library.did-keep", { name: file.name });
    const path = { d: file.name };
    if (ending === "pdf") {
      const read = new FileReader();
      const url = await new Promise((done) => {
        read.onload = () => done(String(read.result));
        read.readAsDataURL(file);
      });
      await send("keep_pdf", path, { body: { pdf: base64(/** @type {string} */ (url)) } }, words);
    } else await send("keep_document", path, { body: { text: await file.text(), format: FORMATS[ending] ?? "text" } }, words);
    // What was refused stays on the screen.
    if (view.fault) return;
  }
};

const list = () => html`<section class="list" aria-label=${t("nav.library")}><div class="head"><div class="row"><h2 class="vt">${t("nav.library")}</h2></div></div>
  <div class="items">
    <div class="zone-head"><h3 class="grp">${t("library.texts")}</h3>${may("chat") ? html`<a class="btn sm bare" href=${to("library", "texts", "new")}>${icon("plus")}${t("library.new-text")}</a>` : nothing}</div>
    ${view.texts.length === 0 ? html`<p class="empty">${t("library.no-texts")}</p>` : html`<ul>${view.texts.map((one) => html`<li><a class="it" href=${to("library", "texts", one.key)} aria-current=${view.kind === "texts" && view.id === one.key ? "true" : nothing}>${icon("pen")}<b>${seen(one.key)}</b><span>${one.proposals > 0 ? html`<span class="chip wait">${t("library.n-proposals", { n: one.proposals })}</span>` : nothing}</span><span class="sub">${one.version > 0 ? t("library.version", { n: one.version }) : t("library.unpublished")}</span></a></li>`)}</ul>`}
    <div class="zone-head"><h3 class="grp">${t("library.documents")}</h3>${may("chat") ? html`<label class="btn sm bare" for="library-file">${icon("plus")}${t("library.add")}</label><input class="sr" id="library-file" type="file" multiple accept=".md,.markdown,.txt,.html,.htm,.csv,.json,.jsonl,.pdf" @change=${take}>` : nothing}</div>
    ${view.documents === null ? html`<p class="sr" role="status">${t("loading")}</p>` : view.documents.length === 0 ? html`<p class="empty">${t("library.no-documents")}</p>` : html`<ul>${view.documents.map((one) => html`<li><a class="it" href=${to("library", "documents", one.id)} aria-current=${view.kind === "documents" && view.id === one.id ? "true" : nothing}>${icon("pages")}<b>${seen(one.title)}</b><span>${one.lost_pages.length > 0 ? html`<span class="chip wait">${t("library.lost-short", { n: one.lost_pages.length })}</span>` : nothing}</span><span class="sub">${seen(one.name)} · ${one.format}</span></a></li>`)}</ul>`}
  </div></section>`;

/** What a proposal changes, line by line. @param {string} diff */
const lines = (diff) => html`<pre class="told" tabindex="0">${diff.split("\n").map((line) => html`${line.startsWith("+") ? html`<ins>${seen(line)}</ins>` : line.startsWith("-") ? html`<del>${seen(line)}</del>` : seen(line)}
`)}</pre>`;

/** @param {any} one */
const proposal = (one) => {
  const change = view.changes[one.id];
  const path = { text: view.id, prp: one.id };
  return html`<section class="box"><div class="row pad"><h3>${t("library.proposal")} <span class="small muted">${one.by ? seen(one.by) : nothing} ${one.at ? seen(one.at) : nothing}</span></h3>${one.stale ? html`<span class="chip wait">${t("library.stale")}</span>` : nothing}</div>
    ${one.note ? html`<p class="pad">${seen(one.note)}</p>` : nothing}
    ${change?.diff ? html`<div class="pad">${lines(change.diff)}</div>` : nothing}
    ${may("chat") ? html`<div class="chips pad">${one.stale ? nothing : html`<button class="btn sm go" type="button" ?disabled=${view.isSending} @click=${() => send("publish_text", path, {}, t("library.did-publish", { name: view.id }))}>${t("library.publish")}</button>`}
      ${twice(one.id, t("library.discard"), t("library.discard-sure"), () => send("discard_proposal", path, {}, t("library.did-discard", { name: view.id })))}</div>` : nothing}</section>`;
};

/** Proposes what is written. @param {Event} event */
const propose = async (event) => {
  event.preventDefault();
  const { draft, open } = view;
  const key = view.id === "new" ? draft.key.trim() : view.id;
  const body = { key, version: open?.version ?? 0, text: draft.text ?? "", ...(draft.note.trim() ? { note: draft.note.trim() } : {}) };
  const done = await send("propose_text", {}, { body }, t("library.did-propose", { name: key }));
  if (!done) return;
  view.draft = { key: "", text: null, note: "" };
  if (view.id === "new") go(to("library", "texts", key));
  changed();
};

/** @param {"key" | "text" | "note"} name */
const put = (name) => (/** @type {Event} */ event) => {
  view.draft[name] = /** @type {HTMLInputElement} */ (event.target).value;
  changed();
};

const writing = () => {
  const { draft, open } = view;
  const isNew = view.id === "new";
  const text = draft.text ?? open?.text ?? "";
  const isOther = draft.text !== null && draft.text.trim() !== "" && draft.text !== (open?.text ?? "");
  return html`<form class="form told-form" @submit=${propose}>
    ${isNew ? html`<div class="f"><label for="library-key">${t("library.key")}</label><input id="library-key" required pattern="[a-z0-9._\\-]+" .value=${live(draft.key)} @input=${put("key")}><span class="hint">${t("library.key-hint")}</span></div>` : nothing}
    <div class="f wide-f"><label for="library-text">${t("library.text")}</label><textarea id="library-text" rows="12" ?readonly=${!may("chat")} .value=${live(text)} @input=${put("text")}></textarea><span class="hint">${t("library.text-hint")}</span></div>
    ${isOther ? html`<div class="f wide-f"><label for="library-note">${t("library.note")}</label><input id="library-note" .value=${live(draft.note)} @input=${put("note")}></div>
      <div class="chips"><button class="btn sm go" ?disabled=${view.isSending || (isNew && !draft.key.trim())}>${t("library.propose")}</button></div>` : nothing}</form>`;
};

const textPane = () => {
  const { open } = view;
  if (!open && view.id !== "new") return html`<p class="sr" role="status">${t("loading")}</p>`;
  return html`<header><h2>${view.id === "new" ? t("library.new-text") : seen(view.id)}</h2>${open ? html`<p class="target">${open.version > 0 ? t("library.version", { n: open.version }) : t("library.unpublished")}${open.last_refresh ? html` · ${seen(open.last_refresh)}` : nothing}</p>` : nothing}</header>
    ${(open?.proposals ?? []).map(proposal)}${writing()}
    ${open?.versions?.length ? html`<details class="box"><summary class="pad">${t("library.versions")}</summary><ul class="lines">${open.versions.map((/** @type {any} */ one) => html`<li><b>${t("library.version", { n: one.version })}</b> <span class="small muted">${seen(one.by ?? "")} ${seen(one.at ?? "")}</span> ${seen(one.note ?? "")}</li>`)}</ul></details>` : nothing}
    ${open && may("chat") ? html`<div class="chips">${twice("delete", t("library.delete-text"), t("library.delete-sure"), () => send("delete_text", { text: view.id }, { match: view.tag }, t("library.did-delete", { name: view.id })))}</div>` : nothing}`;
};

/** Reads on. */
const more = async () => {
  const { id, open } = view;
  const { data } = await ask("get_document", { w: w(), d: id }, { query: { from: open.to, length: PART } });
  if (view.id === id) view.open = { ...data, from: open.from, text: open.text + data.text };
  changed();
};

const documentPane = () => {
  if (!view.open?.document) return html`<p class="sr" role="status">${t("loading")}</p>`;
  const { document: one, text, more: hasMore } = view.open;
  return html`<header><h2>${seen(one.title)}</h2><p class="target">${seen(one.name)} · ${one.format} · ${t("library.bytes", { n: count(one.bytes) })} · ${seen(one.author)} · <time datetime=${one.changed_at} title=${instant(one.changed_at)}>${moment(one.changed_at, state.now)}</time></p></header>
    ${one.source !== one.name ? html`<p class="small muted">${t("library.source")} ${seen(one.source)}</p>` : nothing}
    ${one.lost_pages.length > 0 ? html`<p class="small">${t("library.lost-pages", { pages: one.lost_pages.join(", ") })}</p>` : nothing}
    ${one.picture_pages.length > 0 ? html`<p class="small">${t("library.picture-pages", { pages: one.picture_pages.join(", ") })}</p>` : nothing}
    ${one.hidden_texts > 0 ? html`<p class="small">${t("library.hidden-texts", { n: one.hidden_texts })}</p>` : nothing}
    ${one.outside_style_sheets > 0 ? html`<p class="small">${t("library.style-sheets", { n: one.outside_style_sheets })}</p>` : nothing}
    ${one.broken_characters > 0 ? html`<p class="small">${t("library.broken-characters", { n: one.broken_characters })}</p>` : nothing}
    ${one.is_article_only ? html`<p class="small">${t("library.article-only")}</p>` : nothing}
    ${one.ocr_program ? html`<p class="small">${t("library.ocr", { program: one.ocr_program })}</p>` : nothing}
    <pre class="told" tabindex="0">${seen(text)}</pre>
    <div class="chips">${hasMore ? html`<button class="btn sm" type="button" @click=${more}>${t("library.more")}</button>` : nothing}
    ${may("chat") ? twice("remove", t("library.remove"), t("library.delete-sure"), async () => {
      if (await send("remove_document", { d: view.id }, {}, t("library.did-remove", { name: one.name }))) go(to("library"));
    }) : nothing}</div>`;
};

const pane = () => {
  if (!view.id) return html`<section class="pane empty-pane" aria-label=${t("library.choose")}>${view.fault ? problem(view.fault) : html`<p class="empty">${t("library.choose")}</p>`}</section>`;
  return html`<section class="pane"><div class="scroll" tabindex="0" role="region" aria-label=${t(view.kind === "texts" ? "library.texts" : "library.documents")}><a class="btn bare back" href=${to("library")}>${icon("back")}${t("nav.library")}</a>
    ${view.fault ? problem(view.fault) : nothing}<div class="card">${view.kind === "texts" ? textPane() : documentPane()}</div></div></section>`;
};

export default {
  /** @param {import("../core/route.js").Place} place */
  enter: (place) => {
    const [kind = "", id = ""] = place.parts;
    if (kind !== view.kind || id !== view.id) Object.assign(view, { kind, id, open: null, tag: "", changes: {}, draft: { key: "", text: null, note: "" }, armed: "", fault: null });
    view.stop?.();
    view.stop = keep(read);
  },
  leave: () => {
    view.stop?.();
    view.stop = null;
    Object.assign(view, { kind: "", id: "" });
  },
  isOpen: () => view.id !== "",
  draw: () => html`<div class="view split library">${list()}${pane()}</div>`,
};
