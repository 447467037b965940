// Markdown of models as templates of text: no HTML of theirs, no image, no address but of the web. Only the lexer of marked
// is used; what it calls HTML stays text.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { guard } from "../vendor/lit-html/directives/guard.js";
import { Lexer } from "../vendor/marked/marked.js";
import { parts } from "./visible.js";

/** @param {string} text */
const seen = (text) => parts(text).map((part) => (part.code ? html`<mark>${part.code}</mark>` : part.text));

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
      return html`<code>${seen(raw(token.text))}</code>`;
    case "br":
      return html`<br>`;
    case "link": {
      if (!mayLink(token.href)) return seen(token.raw);
      // Where it leads stands beside words that say something else.
      const words = token.text === token.href ? nothing : html` <span class="where">(${seen(token.href)})</span>`;
      return html`<a href=${token.href} target="_blank" rel="noopener noreferrer nofollow">${inline(token.tokens)}</a>${words}`;
    }
    case "escape":
      return seen(raw(token.text));
    case "text":
      return token.tokens ? inline(token.tokens) : seen(raw(token.text));
    default:
      // Images, HTML and whatever comes: as it was written.
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
      return html`<pre tabindex="0"><code>${seen(token.text)}</code></pre>`;
    case "blockquote":
      return html`<blockquote>${token.tokens.map(block)}</blockquote>`;
    case "hr":
      return html`<hr>`;
    case "list": {
      const items = token.items.map((/** @type {any} */ item) => html`<li>${item.task ? (item.checked ? "☑ " : "☐ ") : nothing}${item.tokens.map((/** @type {any} */ part) => (part.type === "text" ? (part.tokens ? inline(part.tokens) : seen(raw(part.text))) : block(part)))}</li>`);
      return token.ordered ? html`<ol start=${Number(token.start) || 1}>${items}</ol>` : html`<ul>${items}</ul>`;
    }
    case "table":
      return html`<div class="wide" tabindex="0" role="region" aria-label="table"><table>
        <thead><tr>${token.header.map((/** @type {any} */ cell) => html`<th>${inline(cell.tokens)}</th>`)}</tr></thead>
        <tbody>${token.rows.map((/** @type {any[]} */ row) => html`<tr>${row.map((cell) => html`<td>${inline(cell.tokens)}</td>`)}</tr>`)}</tbody>
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
    return new Lexer({ gfm: true, breaks: true }).lex(text).map(block);
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
