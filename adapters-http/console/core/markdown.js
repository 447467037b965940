// Markdown of models as templates of text: no HTML of theirs, no image, no address but of the web. Only the lexer of marked
// is used; what it calls HTML stays text. Formulas are MathML where they are understood, and as written where they are not.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { guard } from "../vendor/lit-html/directives/guard.js";
import { Lexer } from "../vendor/marked/marked.js";
import { element, formula } from "./tex.js";
import { hasHidden, parts } from "./visible.js";
import { t } from "./words.js";

/** @param {string} text */
const seen = (text) => parts(text).map((part) => (part.code ? html`<mark>${part.code}</mark>` : part.text));

/** Numbers with spaces in them, amounts with their unit, and words that browsers break at a hyphen or a slash. */
const WHOLE = /[+\-−]?\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?:[.,]\d+)?(?:[ \u00a0\u202f]?[€$£¥%‰])?|[+\-−]?\d[\d.,]*[ \u00a0\u202f][€$£¥%‰]|\S*[^\s\p{L}\p{N}]\S*/gu;
/** Characters of a word beyond which it is broken all the same. */
const LONG_WORD = 60;

/** A text of a table's cell, whose words and numbers stay whole. @param {string} text @returns {unknown[]} */
const whole = (text) => {
  const found = [];
  let last = 0;
  for (const match of text.matchAll(WHOLE)) {
    found.push(seen(text.slice(last, match.index)), html`<span class=${match[0].length > LONG_WORD ? "long" : "nb"}>${seen(match[0])}</span>`);
    last = match.index + match[0].length;
  }
  return [...found, seen(text.slice(last))];
};

/** How the texts of what is drawn now are shown: in a cell they stay whole. */
let shown = /** @type {(text: string) => unknown} */ (seen);

/** What marked does not know: formulas and footnotes. A formula in dollars begins and ends beside its signs, and no digit follows it, as amounts of money would. */
const FORMULA = /^(?:\$\$([\s\S]+?)\$\$|\\\[([\s\S]+?)\\\]|\\\(([\s\S]+?)\\\)|\$((?:[^\s$\\]|\\[\s\S])(?:(?:[^$\\\n]|\\[\s\S])*?(?:[^\s$\\]|\\[\s\S]))?)\$(?!\d))/;
const BLOCK_FORMULA = /^ {0,3}(?:\$\$([\s\S]+?)\$\$|\\\[([\s\S]+?)\\\]|(\\begin\{(equation|align|gather)\*?\}[\s\S]+?\\end\{\4\*?\}))[ \t]*(?:\n|$)/;
const NOTE = /^\[\^([^\]\s]{1,60})\]/;
const NOTE_TEXT = /^ {0,3}\[\^([^\]\s]{1,60})\]:[ \t]*([^\n]*(?:\n(?: {2,}|\t)[^\n]+)*)(?:\n+|$)/;
const first = (/** @type {(string | undefined)[]} */ ...found) => found.find((one) => one !== undefined) ?? "";

const EXTENSIONS = {
  inline: [
    (/** @type {string} */ src) => {
      const found = FORMULA.exec(src);
      // A number in dollars says nothing that it does not say as it is.
      if (found && !/^[\d.,\s]*$/.test(found[4] ?? "x")) return { type: "formula", raw: found[0], text: first(...found.slice(1)), isBlock: found[1] !== undefined || found[2] !== undefined };
    },
    (/** @type {string} */ src) => {
      const found = NOTE.exec(src);
      if (found) return { type: "note", raw: found[0], text: found[1] };
    },
  ],
  startInline: [(/** @type {string} */ src) => /\$|\\[([]|\[\^/.exec(src)?.index],
  block: [
    (/** @type {string} */ src) => {
      const found = BLOCK_FORMULA.exec(src);
      if (found) return { type: "formula", raw: found[0], text: first(...found.slice(1, 4)), isBlock: true, isAlone: true };
    },
    /** @this {{ lexer: any }} */
    function (/** @type {string} */ src) {
      const found = NOTE_TEXT.exec(src);
      if (!found) return undefined;
      /** @type {any[]} */
      const tokens = [];
      this.lexer.inline((found[2] ?? "").replace(/\n[ \t]+/g, " "), tokens);
      return { type: "note-text", raw: found[0], text: found[1], tokens };
    },
  ],
  startBlock: [],
};

/** Whether an address may be a link: of the web, and whole. @param {string} href */
const mayLink = (href) => {
  try {
    const url = new URL(href);
    return (url.protocol === "https:" || url.protocol === "http:") && url.username === "" && url.password === "";
  } catch {
    return false;
  }
};

const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
/** marked escapes some of its texts. @param {string} text */
const raw = (text) => text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => ENTITIES[/** @type {"amp"} */ (name)]);

/** A link to another place. @param {string} href @param {unknown} words */
const outside = (href, words) => html`<a href=${href} target="_blank" rel="noopener noreferrer nofollow">${words}</a>`;

/** A formula, or what was written where it is not understood. @param {{ raw: string, text: string, isBlock: boolean }} token */
const maths = (token) => {
  const tree = hasHidden(token.text) ? null : formula(token.text, token.isBlock);
  if (!tree) return html`<code class="maths">${seen(token.raw.trim())}</code>`;
  return token.isBlock ? html`<span class="maths block" tabindex="0" role="group" aria-label=${t("said.formula")}>${element(tree)}</span>` : html`<span class="maths">${element(tree)}</span>`;
};

/** Pictures that are in the text itself. */
const PICTURE = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/;

/** A picture is a link, and nothing is loaded; one that is in the text itself is shown when somebody asks for it. @param {any} token */
const image = (token) => {
  const words = html`${t("said.image")}${token.text ? html` “${seen(token.text)}”` : nothing}`;
  if (PICTURE.test(token.href)) {
    return html`<details class="picture" @toggle=${(/** @type {Event} */ event) => {
      const box = /** @type {HTMLDetailsElement} */ (event.currentTarget);
      const img = box.querySelector("img");
      if (box.open && img && !img.src) img.src = token.href;
    }}><summary>${words}</summary><img alt=${token.text}></details>`;
  }
  if (!mayLink(token.href)) return seen(token.raw);
  return html`${outside(token.href, words)} <span class="where">(${seen(token.href)})</span>`;
};

let renders = 0;
/** Where a note of the text stands that is drawn now. @param {string} name */
const noteId = (name) => `note-${renders}-${name.replace(/[^\w-]/g, "_")}`;

/** Names of languages as people write them. @type {Record<string, string>} */
const LANGUAGES = { bash: "Bash", c: "C", cpp: "C++", cs: "C#", csharp: "C#", css: "CSS", csv: "CSV", diff: "diff", dockerfile: "Dockerfile", go: "Go", html: "HTML", http: "HTTP", ini: "INI", java: "Java", javascript: "JavaScript", js: "JavaScript", json: "JSON", jsx: "JSX", kotlin: "Kotlin", latex: "LaTeX", md: "Markdown", markdown: "Markdown", php: "PHP", py: "Python", python: "Python", rb: "Ruby", rs: "Rust", ruby: "Ruby", rust: "Rust", sh: "shell", shell: "shell", sql: "SQL", swift: "Swift", tex: "LaTeX", toml: "TOML", ts: "TypeScript", tsx: "TSX", typescript: "TypeScript", xml: "XML", yaml: "YAML", yml: "YAML" };

/** @param {string} text */
const copied = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
};

/** Code with its language, and buttons that copy it and wrap its lines. @param {{ text: string, lang?: string }} token */
const code = (token) => {
  const word = (token.lang ?? "").trim().split(/[\s{,:]/)[0] ?? "";
  const language = Object.hasOwn(LANGUAGES, word.toLowerCase()) ? (LANGUAGES[word.toLowerCase()] ?? word) : word;
  const copy = async (/** @type {Event} */ event) => {
    const button = /** @type {HTMLElement} */ (event.currentTarget);
    const isDone = await copied(token.text);
    // Without the clipboard, as over plain HTTP, it is selected, and Ctrl C copies it.
    if (!isDone) getSelection()?.selectAllChildren(/** @type {Element} */ (button.closest(".code")?.querySelector("code")));
    const told = button.querySelector(".told");
    if (!told) return;
    told.textContent = t(isDone ? "said.copied" : "said.selected");
    setTimeout(() => (told.textContent = ""), 2000);
  };
  const wrap = (/** @type {Event} */ event) => {
    const button = /** @type {HTMLElement} */ (event.currentTarget);
    const isOn = button.closest(".code")?.classList.toggle("wraps") ?? false;
    button.setAttribute("aria-pressed", String(isOn));
  };
  return html`<div class="code"><div class="code-head"><span>${seen(language)}</span><button type="button" class="btn bare sm" @click=${copy}><span class="told" role="status"></span> ${t("said.copy")}</button><button type="button" class="btn bare sm" aria-pressed="false" @click=${wrap}>${t("said.wrap")}</button></div><pre tabindex="0"><code>${seen(token.text)}</code></pre></div>`;
};

/** Characters up to which a cell stands in one line. */
const SHORT_CELL = 24;

/** @param {any} cell @param {"th" | "td"} tag */
const cell = (cell, tag) => {
  const more = `al-${cell.align ?? "left"} ${cell.text.length <= SHORT_CELL ? "nb" : cell.text.length > 60 ? "prose" : ""}`;
  const before = shown;
  shown = whole;
  try {
    return tag === "th" ? html`<th class=${more}>${inline(cell.tokens)}</th>` : html`<td class=${more}>${inline(cell.tokens)}</td>`;
  } finally {
    shown = before;
  }
};

/** A point of a list; what is to be done has its mark in the same line. @param {any} item */
const point = (item) => {
  const mark = item.task ? html`<span class="task-mark ${item.checked ? "done" : ""}" role="img" aria-label=${t(item.checked ? "said.done" : "said.open")}></span>` : nothing;
  const body = item.tokens.map((/** @type {any} */ part) => (part.type === "text" ? (part.tokens ? inline(part.tokens) : seen(raw(part.text))) : block(part)));
  return item.task ? html`<li class="task">${mark}<div>${body}</div></li>` : html`<li>${body}</li>`;
};

/** @param {any[] | undefined} tokens @returns {unknown[]} */
const inline = (tokens) => (tokens ?? []).map(inlineOf);

/** @param {any} token @returns {unknown} */
const inlineOf = (token) => {
  switch (token.type) {
    case "strong":
      return html`<strong>${inline(token.tokens)}</strong>`;
    case "em":
      return html`<em>${inline(token.tokens)}</em>`;
    case "del":
      return html`<s>${inline(token.tokens)}</s>`;
    case "codespan":
      return html`<code>${shown(raw(token.text))}</code>`;
    case "formula":
      return maths(token);
    case "note":
      return html`<sup class="note-mark"><a href="#${noteId(token.text)}" aria-label=${t("said.note", { name: token.text })}>${seen(token.text)}</a></sup>`;
    case "image":
      return image(token);
    case "html":
      // The one piece of it that models write in tables, as nothing else breaks a line there.
      return /^<br *\/?>$/i.test(token.raw) ? html`<br>` : seen(token.raw);
    case "br":
      return html`<br>`;
    case "link": {
      if (!mayLink(token.href)) return seen(token.raw);
      // Where it leads stands beside words that say something else.
      const words = token.text === token.href ? nothing : html` <span class="where">(${seen(token.href)})</span>`;
      return html`${outside(token.href, inline(token.tokens))}${words}`;
    }
    case "escape":
      return seen(raw(token.text));
    case "text":
      return token.tokens ? inline(token.tokens) : shown(raw(token.text));
    case "checkbox":
      return nothing;
    default:
      // HTML and whatever comes: as it was written.
      return seen(token.raw ?? "");
  }
};

/** @param {any} token @returns {unknown} */
const block = (token) => {
  switch (token.type) {
    case "space":
    case "def":
      return nothing;
    case "heading":
      return token.depth <= 2 ? html`<h3>${inline(token.tokens)}</h3>` : html`<h4>${inline(token.tokens)}</h4>`;
    case "paragraph":
      return html`<p>${inline(token.tokens)}</p>`;
    case "text":
      return html`<p>${token.tokens ? inline(token.tokens) : seen(raw(token.text))}</p>`;
    case "code":
      return code(token);
    case "checkbox":
    case "note-text":
      return nothing;
    case "formula":
      return html`<p>${maths(token)}</p>`;
    case "blockquote":
      return html`<blockquote>${token.tokens.map(block)}</blockquote>`;
    case "hr":
      return html`<hr>`;
    case "list": {
      const items = token.items.map(point);
      return token.ordered ? html`<ol start=${Number(token.start) || 1}>${items}</ol>` : html`<ul>${items}</ul>`;
    }
    case "table":
      return html`<div class="wide" tabindex="0" role="region" aria-label=${t("said.table")}><table>
        <thead><tr>${token.header.map((/** @type {any} */ one) => cell(one, "th"))}</tr></thead>
        <tbody>${token.rows.map((/** @type {any[]} */ row) => html`<tr>${row.map((one) => cell(one, "td"))}</tr>`)}</tbody>
      </table></div>`;
    default:
      return html`<p class="pre">${seen((token.raw ?? "").trimEnd())}</p>`;
  }
};

/** Characters beyond which a text is shown as it is. */
const LONGEST = 100_000;

/** @param {string} text */
const lexed = (text) => {
  if (text.length > LONGEST) return html`<p class="pre">${seen(text)}</p>`;
  try {
    renders += 1;
    const tokens = new Lexer({ gfm: true, breaks: true, extensions: EXTENSIONS }).lex(text);
    const notes = tokens.filter((/** @type {any} */ token) => token.type === "note-text");
    return html`${tokens.map(block)}${notes.length > 0 ? html`<ol class="notes" role="doc-endnotes" aria-label=${t("said.notes")}>${notes.map((/** @type {any} */ note) => html`<li id=${noteId(note.text)} tabindex="-1"><span class="note-mark">${seen(note.text)}</span> <span>${inline(note.tokens)}</span></li>`)}</ol>` : nothing}`;
  } catch {
    return html`<p class="pre">${seen(text)}</p>`;
  }
};

/** A text that does not change any more. @param {string} text */
export const markdown = (text) => guard([text], () => lexed(text));

/**
 * A text that grows: what is closed is drawn once, and only its last block is read again.
 * @param {string} text
 */
export const growing = (text) => {
  const at = lastBreak(text);
  const [closed, open] = [text.slice(0, at), text.slice(at)];
  return html`${guard([closed], () => lexed(closed))}${lexed(open)}`;
};

/** Where the last block begins: after an empty line that is in no code. @param {string} text */
const lastBreak = (text) => {
  let at = 0;
  let inCode = false;
  let from = 0;
  for (const line of text.split("\n")) {
    if (/^\s*(```|~~~)/.test(line)) inCode = !inCode;
    from += line.length + 1;
    if (!inCode && line.trim() === "" && from <= text.length && !/^(\s|[-*+>|]|\d+[.)])/.test(text.slice(from, from + 3))) at = from;
  }
  return at;
};
