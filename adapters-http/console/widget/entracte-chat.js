// <entracte-chat>: one conversation in a page of another site. One file, without anything else; it asks its server only, with
// the token of one session, and never with a cookie. Words of models stay text: nothing here makes HTML.
//
//   <script type="module" src="SERVER/widget/entracte-chat.js"></script>
//   <entracte-chat server="SERVER" workspace="local:main" session="ses_…" token="entr_…" lang="fr"></entracte-chat>

/** @typedef {import("../core/shapes").MessageShape} Message */
/** @typedef {import("../core/shapes").SessionShape} Session */
/** @typedef {import("../core/shapes").FileShape} FileShape */

const TEXTS = {
  en: { label: "Conversation", message: "Message", hint: "Write a message", send: "Send", stop: "Stop", sending: "Sending…", writes: "writes…", thinks: "is working…", waits: "Waits for approval.", queued: "waits its turn", ended: "This conversation has ended.", lost: "No connection. Trying again…", refused: "This chat cannot be used here: {why}", unsent: "It was not sent: {why}", unknown: "No answer came. Send it again: it counts once.", you: "You", them: "Answer", other: "Another answer", empty: "Nothing has been said yet.", yes: "yes", no: "no", attach: "Attach files", attached: "Files of your message", remove: "Remove {name}", save: "Save {name}" },
  fr: { label: "Conversation", message: "Message", hint: "Écrire un message", send: "Envoyer", stop: "Arrêter", sending: "Envoi…", writes: "écrit…", thinks: "travaille…", waits: "Attend une approbation.", queued: "attend son tour", ended: "Cette conversation est terminée.", lost: "Pas de connexion. Nouvel essai…", refused: "Cette conversation ne peut pas servir ici : {why}", unsent: "Le message n’est pas parti : {why}", unknown: "Aucune réponse n’est venue. Renvoyez-le : il ne compte qu’une fois.", you: "Vous", them: "Réponse", other: "Une autre réponse", empty: "Rien n’a encore été dit.", yes: "oui", no: "non", attach: "Joindre des fichiers", attached: "Fichiers de votre message", remove: "Retirer {name}", save: "Enregistrer {name}" },
};

const STYLE = `
:host { --entracte-accent: light-dark(#0b6b63, #5cc4b7); --entracte-on-accent: light-dark(#ffffff, #06211e); --entracte-bg: light-dark(#ffffff, #1b1d1c); --entracte-text: light-dark(#1f1e1b, #e9e8e4); --entracte-muted: light-dark(#5e5b54, #a5a69f); --entracte-line: light-dark(#86827a, #737874); --entracte-soft: light-dark(#e0efed, #15302d); color-scheme: light dark; display: flex; flex-direction: column; box-sizing: border-box; min-height: 240px; height: 480px; max-height: 100%; border: 1px solid var(--entracte-line); border-radius: 10px; overflow: hidden; background: var(--entracte-bg); color: var(--entracte-text); font: 15px/22px system-ui, sans-serif; text-align: left; }
:host([theme="light"]) { color-scheme: light; }
:host([theme="dark"]) { color-scheme: dark; }
:host([hidden]) { display: none; }
* { box-sizing: border-box; }
.log { flex: 1; overflow: auto; padding: 14px; display: flex; flex-direction: column; gap: 10px; overscroll-behavior: contain; }
.log:focus-visible, button:focus-visible, textarea:focus-visible { outline: 2px solid var(--entracte-accent); outline-offset: -2px; }
.said { white-space: pre-wrap; overflow-wrap: anywhere; max-width: 92%; }
.me { align-self: flex-end; background: var(--entracte-soft); border-radius: 10px 10px 3px 10px; padding: 7px 11px; max-width: 84%; }
.me.waits { background: none; border: 1px dashed var(--entracte-line); }
.small { font-size: 13px; line-height: 18px; color: var(--entracte-muted); margin: 0; }
.options { display: flex; flex-wrap: wrap; gap: 8px; }
button { font: inherit; min-height: 36px; padding: 4px 14px; border-radius: 6px; border: 1px solid var(--entracte-line); background: var(--entracte-bg); color: var(--entracte-text); cursor: pointer; text-align: left; overflow-wrap: anywhere; }
button.go { background: var(--entracte-accent); border-color: var(--entracte-accent); color: var(--entracte-on-accent); }
button:disabled { cursor: default; background: none; color: var(--entracte-muted); border-color: var(--entracte-line); }
form { display: flex; gap: 8px; padding: 10px; border-top: 1px solid var(--entracte-line); align-items: flex-end; }
textarea { font: inherit; font-size: 16px; flex: 1; min-width: 0; resize: none; max-height: 120px; padding: 6px 9px; border: 1px solid var(--entracte-line); border-radius: 6px; background: var(--entracte-bg); color: var(--entracte-text); }
textarea::placeholder { color: var(--entracte-muted); opacity: 1; }
.files { display: flex; flex-wrap: wrap; gap: 6px; margin: 0; padding: 0; list-style: none; }
.me .files { margin-top: 6px; }
.files img { display: block; width: 112px; height: 84px; object-fit: cover; border-radius: 6px; border: 1px solid var(--entracte-line); }
.files a { color: inherit; overflow-wrap: anywhere; }
.pending { padding: 8px 10px 0; }
.pending:empty { display: none; }
.state { padding: 0 14px 6px; min-height: 24px; }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (prefers-reduced-motion: no-preference) { .log { scroll-behavior: smooth; } }
`;

/** Milliseconds between two tries of a stream that broke, and between two looks without one. */
const AGAIN = [500, 1000, 2000, 4000, 8000, 15_000];
/** Messages that are read. */
const PAGE = 100;
/** Answers after which it makes no sense to try again. */
const FINAL = new Set([401, 403, 404]);

/** @param {string} name @param {{ class?: string, text?: string } & Record<string, string>} [more] */
const make = (name, more = {}) => {
  const { text, ...rest } = more;
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(rest)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
};

/** What is sent of a file. @param {File} file @returns {Promise<{ name: string, data: string }>} */
const upload = (file) => new Promise((done, failed) => {
  const reader = new FileReader();
  reader.onerror = () => failed(new Refused(0, file.name));
  reader.onload = () => done({ name: file.name, data: String(reader.result).replace(/^[^,]*,/, "") });
  reader.readAsDataURL(file);
});

/** @param {Message} message @returns {FileShape[]} */
const filesOf = (message) => (message.segments ?? []).flatMap((one) => (one.file ? [one.file] : []));

const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

const newKey = () => `chat-${[...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;

/** A request that was refused, in the words of the server. */
class Refused extends Error {
  /** @param {number} status @param {string} says */
  constructor(status, says) {
    super(says);
    this.status = status;
  }
}

export class EntracteChat extends HTMLElement {
  static observedAttributes = ["server", "workspace", "session", "token"];

  /** @type {AbortController | null} */ #life = null;
  /** @type {Message[]} the oldest first */ #messages = [];
  /** @type {Session | null} */ #session = null;
  #live = "";
  #cursor = "";
  #key = newKey();
  #note = "";
  #isSending = false;
  #isWanted = false;
  #isReading = false;
  /** @type {File[]} those of the next message */ #files = [];
  /** @type {Map<string, string>} where the page has what was fetched; empty: on its way */ #fetched = new Map();
  /** @type {Set<string>} files that did not come; a press asks again */ #failed = new Set();
  #pending = make("ul", { class: "files pending" });
  #attach = /** @type {HTMLButtonElement} */ (make("button", { type: "button", text: "+" }));
  #chooser = /** @type {HTMLInputElement} */ (make("input", { type: "file", multiple: "", hidden: "" }));
  #log = make("div", { class: "log", tabindex: "0" });
  #state = make("p", { class: "small state", role: "status" });
  #field = /** @type {HTMLTextAreaElement} */ (make("textarea", { rows: "1" }));
  #send = /** @type {HTMLButtonElement} */ (make("button", { class: "go", type: "submit" }));
  #form = make("form");

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    const style = new CSSStyleSheet();
    style.replaceSync(STYLE);
    root.adoptedStyleSheets = [style];
    this.#form.append(this.#attach, this.#chooser, this.#field, this.#send);
    root.append(this.#log, this.#state, this.#pending, this.#form);
    this.#attach.addEventListener("click", () => this.#chooser.click());
    this.#chooser.addEventListener("change", () => {
      this.#take(this.#chooser.files);
      this.#chooser.value = "";
    });
    this.#field.addEventListener("paste", (event) => {
      const data = event.clipboardData;
      // A table comes with a picture of itself: its words are what is meant.
      if (!data || data.files.length === 0 || (data.types.includes("text/html") && data.types.includes("text/plain"))) return;
      event.preventDefault();
      this.#take(data.files);
    });
    this.addEventListener("dragover", (event) => event.dataTransfer?.types.includes("Files") && event.preventDefault());
    this.addEventListener("drop", (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      this.#take(event.dataTransfer.files);
    });
    // Also a file that is no picture is fetched with the token, which a link does not send.
    this.#log.addEventListener("click", async (event) => {
      const link = /** @type {HTMLElement} */ (event.target).closest("a[data-digest]");
      if (!(link instanceof HTMLAnchorElement) || this.#fetched.get(link.dataset.digest ?? "")) return;
      event.preventDefault();
      await this.#fetchFile(link.dataset.digest ?? "");
      const url = this.#fetched.get(link.dataset.digest ?? "");
      if (!url) return;
      const saves = /** @type {HTMLAnchorElement} */ (make("a", { href: url, download: link.download }));
      saves.click();
    });
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#say(this.#field.value);
    });
    this.#field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.#say(this.#field.value);
    });
    this.#field.addEventListener("input", () => {
      this.#field.style.height = "auto";
      this.#field.style.height = `${this.#field.scrollHeight + 2}px`;
      this.#draw();
    });
  }

  /** The language of the element, of the page, or of the browser. @returns {"en" | "fr"} */
  get #language() {
    const language = this.closest("[lang]")?.getAttribute("lang") || navigator.language;
    return language.startsWith("fr") ? "fr" : "en";
  }

  get #texts() {
    return TEXTS[this.#language];
  }

  connectedCallback() {
    this.#begin();
  }

  disconnectedCallback() {
    this.#life?.abort();
    this.#life = null;
    this.#forget();
  }

  /** Lets go of the files that were fetched. */
  #forget() {
    for (const url of this.#fetched.values()) if (url) URL.revokeObjectURL(url);
    this.#fetched.clear();
    this.#failed.clear();
  }

  /** @param {FileList | null} files */
  #take(files) {
    this.#files.push(...(files ?? []));
    this.#draw();
  }

  attributeChangedCallback() {
    if (this.#life) this.#begin();
  }

  #begin() {
    this.#life?.abort();
    this.#life = new AbortController();
    this.#messages = [];
    this.#files = [];
    this.#forget();
    this.#session = null;
    this.#live = "";
    this.#cursor = "";
    this.#note = "";
    this.#log.replaceChildren();
    this.#draw();
    this.#follow(this.#life.signal);
  }

  /** @param {string} path */
  #address(path) {
    const part = (/** @type {string} */ name) => encodeURIComponent(this.getAttribute(name) ?? "");
    return `${this.getAttribute("server") ?? ""}/v1/workspaces/${part("workspace")}/sessions/${part("session")}${path}`;
  }

  /** @param {string} method @param {string} path @param {unknown} [body] @param {Record<string, string>} [more] */
  async #ask(method, path, body, more = {}) {
    /** @type {Record<string, string>} */
    const headers = { authorization: `Bearer ${this.getAttribute("token") ?? ""}`, "accept-language": this.#language, ...more };
    if (body !== undefined) headers["content-type"] = "application/json";
    const answer = await fetch(this.#address(path), { method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal: this.#life?.signal, credentials: "omit", referrerPolicy: "no-referrer", cache: "no-store" });
    if (!answer.ok) {
      const told = await answer.json().catch(() => null);
      throw new Refused(answer.status, told?.detail ?? told?.title ?? `HTTP ${answer.status}`);
    }
    return answer;
  }

  /** Reads the session and its messages; asked twice at once, it is read once more. */
  async #look() {
    if (this.#isReading) {
      this.#isWanted = true;
      return;
    }
    this.#isReading = true;
    try {
      const [session, messages] = await Promise.all([this.#ask("GET", "").then((one) => one.json()), this.#ask("GET", `/messages?limit=${PAGE}`).then((one) => one.json())]);
      this.#session = session;
      this.#messages = messages.items.reverse();
      if (session.phase !== "CALLING_AI") this.#live = "";
      if (this.#note === this.#texts.lost) this.#note = "";
    } finally {
      this.#isReading = false;
      this.#draw();
    }
    if (this.#isWanted) {
      this.#isWanted = false;
      await this.#look();
    }
  }

  /** Follows the session until the element goes; what breaks goes on from its cursor. @param {AbortSignal} signal */
  async #follow(signal) {
    for (let failed = 0; !signal.aborted; failed += 1) {
      try {
        await this.#look();
        const answer = await this.#ask("GET", `/stream?after=${encodeURIComponent(this.#cursor || "now")}`, undefined, { accept: "text/event-stream" });
        if (answer.body) await this.#read(answer.body, () => {
          failed = 0;
        });
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof Refused && FINAL.has(error.status)) {
          this.#note = this.#texts.refused.replace("{why}", error.message);
          this.#session = null;
          this.#draw();
          return;
        }
        this.#note = this.#texts.lost;
        this.#draw();
      }
      await new Promise((done) => setTimeout(done, AGAIN[Math.min(failed, AGAIN.length - 1)]));
    }
  }

  /** @param {ReadableStream<Uint8Array>} body @param {() => void} heard */
  async #read(body, heard) {
    const reader = body.pipeThrough(/** @type {any} */ (new TextDecoderStream())).getReader();
    for (let rest = ""; ;) {
      const { value, done } = await reader.read();
      if (done) return;
      rest += value;
      const frames = rest.split(/\r?\n\r?\n/);
      rest = frames.pop() ?? "";
      for (const frame of frames) {
        heard();
        this.#hear(frame);
      }
    }
  }

  /** @param {string} frame */
  #hear(frame) {
    const field = (/** @type {string} */ name) => frame.split(/\r?\n/).filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).replace(/^ /, "")).join("\n");
    const [kind, id] = [field("event"), field("id")];
    if (id) this.#cursor = id;
    if (kind === "beat") return;
    if (kind === "resync") this.#cursor = "";
    if (kind === "stream_start" || kind === "stream_superseded") this.#live = "";
    if (kind === "stream_chunk") {
      const told = JSON.parse(field("data"));
      if (told.channel !== "reasoning") this.#live += told.text;
      this.#draw();
      return;
    }
    this.#look().catch(() => {});
  }

  /** @param {string} text */
  async #say(text) {
    const said = text.trim();
    const isAnswer = this.#session?.phase === "WAITING_COMMUNICATION_RESPONSE";
    const files = isAnswer ? [] : [...this.#files];
    if ((!said && files.length === 0) || this.#isSending || !this.#session) return;
    this.#isSending = true;
    this.#note = "";
    this.#draw();
    try {
      // The key makes of two tries one message.
      const uploads = await Promise.all(files.map(upload));
      const body = isAnswer ? { text: said } : { text: said, client_key: this.#key, ...(uploads.length > 0 ? { uploads } : {}) };
      await this.#ask("POST", isAnswer ? "/answer" : "/messages", body, { "idempotency-key": this.#key });
      this.#key = newKey();
      this.#files = this.#files.filter((file) => !files.includes(file));
      if (this.#field.value === text) this.#field.value = "";
      this.#field.style.height = "auto";
      await this.#look();
    } catch (error) {
      this.#note = error instanceof Refused ? this.#texts.unsent.replace("{why}", error.message) : this.#texts.unknown;
    } finally {
      this.#isSending = false;
      this.#draw();
      this.#field.focus();
    }
  }

  /** Fetches a file of the session once; a picture is shown when it came. @param {string} digest */
  async #fetchFile(digest) {
    if (this.#fetched.has(digest)) return;
    this.#fetched.set(digest, "");
    try {
      const answer = await this.#ask("GET", `/files/${encodeURIComponent(digest)}`);
      const url = URL.createObjectURL(await answer.blob());
      if (this.#fetched.has(digest)) this.#fetched.set(digest, url);
      else URL.revokeObjectURL(url);
    } catch {
      // Its name stands there.
      this.#fetched.delete(digest);
      this.#failed.add(digest);
    }
    this.#draw();
  }

  /** The files of a message, each a link that saves it. @param {FileShape[]} files */
  #drawnFiles(files) {
    const list = make("ul", { class: "files" });
    for (const file of files) {
      const url = this.#fetched.get(file.digest) ?? "";
      const isPicture = PICTURES.has(file.media_type);
      const link = make("a", { href: url || "#", download: file.name, "aria-label": this.#texts.save.replace("{name}", file.name), "data-digest": file.digest });
      link.append(isPicture && url ? make("img", { src: url, alt: "" }) : file.name);
      const item = make("li");
      item.append(link);
      list.append(item);
      if (isPicture && !url && !this.#failed.has(file.digest)) this.#fetchFile(file.digest);
    }
    return list;
  }

  /** @param {Message} message @param {boolean} isQueued */
  #drawn(message, isQueued) {
    const texts = this.#texts;
    if (message.role === "user") {
      const one = make("div", { class: isQueued ? "said me waits" : "said me" });
      const files = filesOf(message);
      // The text has a line for each file, too.
      const words = files.length === 0 ? message.text : message.segments.filter((part) => !part.file).map((part) => part.text).join("").trim();
      one.append(make("span", { class: "sr", text: `${texts.you}: ` }), words);
      if (files.length > 0) one.append(this.#drawnFiles(files));
      if (isQueued) one.append(make("p", { class: "small", text: texts.queued }));
      return one;
    }
    const text = [message.text, message.post_text].filter(Boolean).join("\n\n");
    const one = make("div", { class: "said" });
    one.append(make("span", { class: "sr", text: `${texts.them}: ` }), text);
    if (message.question) one.append(make("p", { class: "said", text: message.question.text }));
    return one;
  }

  /** What can be answered to the question that is open. */
  #options() {
    const last = this.#messages.findLast((one) => one.role === "ai");
    if (this.#session?.phase !== "WAITING_COMMUNICATION_RESPONSE" || !last?.question) return null;
    const box = make("div", { class: "options", role: "group", "aria-label": last.question.text });
    const options = last.question.type === "validation" ? [this.#texts.yes, this.#texts.no] : last.question.options;
    for (const option of options) {
      const button = make("button", { type: "button", text: option });
      button.addEventListener("click", () => this.#say(option));
      box.append(button);
    }
    return box;
  }

  /** What it does just now, in a sentence. A visitor decides nothing, so an approval is only told. */
  #does() {
    const texts = this.#texts;
    const phase = this.#session?.phase ?? "";
    if (this.#note) return this.#note;
    if (this.#isSending) return texts.sending;
    if (this.#session?.standing === "ended") return texts.ended;
    if (phase === "WAITING_VALIDATION") return texts.waits;
    if (this.#live) return texts.writes;
    return ["", "IDLE", "WAITING_COMMUNICATION_RESPONSE"].includes(phase) ? "" : texts.thinks;
  }

  #draw() {
    const texts = this.#texts;
    const isAtEnd = this.#log.scrollHeight - this.#log.scrollTop - this.#log.clientHeight < 40;
    const waits = new Set(this.#session?.queued_messages ?? []);
    // What no model reads was taken back, and what the machine tells the model is not for a visitor.
    const shown = this.#messages.filter((one) => (one.role === "user" && one.in_prompt) || (one.role === "ai" && (one.text || one.post_text || one.question)));
    const all = [...shown.filter((one) => !waits.has(one.id)), ...shown.filter((one) => waits.has(one.id))].map((one) => this.#drawn(one, waits.has(one.id)));
    if (this.#live) all.push(make("div", { class: "said live", "aria-hidden": "true", text: this.#live }));
    const options = this.#options();
    if (options) all.push(options);
    if (all.length === 0 && this.#session) all.push(make("p", { class: "small", text: texts.empty }));
    // What did not change stays, so that whoever reads or selects is not disturbed.
    for (const [at, one] of all.entries()) {
      const there = this.#log.children[at];
      if (!there) this.#log.append(one);
      else if (!there.isEqualNode(one)) there.replaceWith(one);
    }
    while (this.#log.children.length > all.length) this.#log.lastChild?.remove();
    this.#log.setAttribute("aria-label", texts.label);
    this.#log.setAttribute("role", "log");
    const does = this.#does();
    if (this.#state.textContent !== does) this.#state.textContent = does;
    this.#field.placeholder = texts.hint;
    this.#field.setAttribute("aria-label", texts.message);
    this.#send.textContent = texts.send;
    const isOpen = this.#session !== null && this.#session.standing !== "ended";
    this.#field.disabled = !isOpen;
    // An answer is words alone.
    const isAnswer = this.#session?.phase === "WAITING_COMMUNICATION_RESPONSE";
    this.#attach.disabled = !isOpen || isAnswer;
    this.#attach.setAttribute("aria-label", texts.attach);
    this.#pending.setAttribute("aria-label", texts.attached);
    this.#pending.replaceChildren(...this.#files.map((file) => {
      const item = make("li");
      const button = make("button", { type: "button", "aria-label": texts.remove.replace("{name}", file.name), text: `${file.name} ×` });
      button.addEventListener("click", () => {
        this.#files = this.#files.filter((one) => one !== file);
        this.#draw();
        this.#field.focus();
      });
      item.append(button);
      return item;
    }));
    const hasWords = this.#field.value.trim() !== "" || (this.#files.length > 0 && !isAnswer);
    this.#send.disabled = !isOpen || this.#isSending || !hasWords;
    if (isAtEnd) this.#log.scrollTop = this.#log.scrollHeight;
  }
}

customElements.define("entracte-chat", EntracteChat);
