// What a call will do: each field now and after, then every argument, exactly. Nothing is cut off; what is long is folded
// with its length and digest, and opens.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { words } from "../core/diff.js";
import { members, own, plain } from "../core/json.js";
import { changed } from "../core/store.js";
import { t } from "../core/words.js";
import { parts } from "../core/visible.js";
import { caution, digestOf, seen, short } from "./text.js";

/** Characters beyond which a value is folded. */
export const LONG = 300;

/**
 * @typedef {{ name: string, now: string | null, after: string | null, exact: string | null }} Row
 */

/** @type {Map<string, string>} */
const digests = new Map();

/** @param {string} text */
const digest = (text) => {
  const known = digests.get(text);
  if (known !== undefined) return known;
  digests.set(text, "");
  digestOf(text).then((found) => {
    digests.set(text, found);
    changed();
  });
  return "";
};

/** Names in the order of the schema, those that are needed first, then the others as they came. @param {string[]} names @param {any} schema */
export const ordered = (names, schema) => {
  const known = [...new Set([...(schema?.required ?? []), ...Object.keys(schema?.properties ?? {})])].filter((name) => names.includes(name));
  return [...known, ...names.filter((name) => !known.includes(name))];
};

/** What a server that writes a value on one line makes a space of; every other blank is one that it marks. @param {string} text */
const unbroken = (text) => text.replace(/[ \t\n\r\u2028\u2029]+/g, " ");

/** As the server writes a value in a sentence: on one line, with its hidden characters as marks. @param {string} text */
const onOneLine = (text) => parts(unbroken(text)).map((part) => (part.code ? `⟨${part.code}⟩` : part.text)).join("");

/**
 * @param {{ before: Record<string, string>, after: Record<string, string>, arguments_text: string }} card
 * @param {any} schema
 * @returns {{ rows: Row[], same: number }}
 */
export const rowsOf = (card, schema) => {
  const given = new Map(members(card.arguments_text) ?? []);
  const told = [...new Set([...Object.keys(card.before), ...Object.keys(card.after)])];
  const names = ordered([...new Set([...told, ...given.keys()])], schema);
  /** @type {Row[]} */
  const rows = [];
  let same = 0;
  for (const name of names) {
    const now = own(card.before, name) ?? null;
    const exact = given.has(name) ? plain(given.get(name) ?? "") : null;
    const told = own(card.after, name) ?? null;
    // Where both say the same, the argument itself is shown: it has its line ends, and its own characters.
    const after = exact !== null && told !== null && onOneLine(exact).trim() === unbroken(told).trim() ? exact : told;
    if (now !== null && now === after && (exact === null || exact === after)) same += 1;
    else rows.push({ name, now, after, exact });
  }
  return { rows, same };
};

/** What is long among them, by name. @param {Row[]} rows */
export const longOnes = (rows) => rows.filter((row) => Math.max(row.now?.length ?? 0, row.after?.length ?? 0, row.exact?.length ?? 0) > LONG).map((row) => row.name);

/**
 * @param {string} name
 * @param {string} text
 * @param {Set<string>} opened
 * @param {unknown} shown
 */
const folded = (name, text, opened, shown) => html`<details class="long" ?open=${opened.has(name)} @toggle=${(/** @type {Event} */ event) => {
  if (/** @type {HTMLDetailsElement} */ (event.target).open && !opened.has(name)) {
    opened.add(name);
    changed();
  }
}}>
  <summary>${t("args.long", { n: [...text].length })} ${digest(text) ? html`<code title=${digest(text)}>${short(digest(text))}</code>` : nothing}</summary>
  <pre tabindex="0">${shown}</pre>
</details>`;

/** @param {Row} row @param {Set<string>} opened */
const cells = (row, opened) => {
  const after = row.after ?? row.exact ?? "";
  const isExact = row.exact !== null && row.after !== null && row.exact !== row.after;
  const tail = html`${caution(after)}${isExact ? html`<div class="exact small muted">${t("args.exact")} <code>${seen(row.exact ?? "")}</code></div>` : nothing}`;
  if (after.length > LONG || (row.now?.length ?? 0) > LONG) {
    const pieces = row.now === null ? seen(after) : words(row.now, after).map((piece) => (piece.kind === "del" ? html`<del>${seen(piece.text)}</del>` : piece.kind === "ins" ? html`<ins>${seen(piece.text)}</ins>` : seen(piece.text)));
    return html`<td colspan="2">${folded(row.name, after, opened, pieces)}${tail}</td>`;
  }
  if (row.now === null) {
    return html`<td colspan="2" class="only"><span class="value">${seen(after)}</span>${after === "" ? html`<span class="muted">${t("args.empty")}</span>` : nothing}${tail}</td>`;
  }
  return html`<td class="now"><del><span class="sr">${t("args.now")}: </span>${seen(row.now)}</del></td>
    <td class="after">${row.after === null ? html`<span class="muted">${t("args.gone")}</span>` : html`<ins><span class="sr">${t("args.after")}: </span>${seen(after)}</ins>`}${tail}</td>`;
};

/**
 * The table of a card.
 * @param {{ before: Record<string, string>, after: Record<string, string>, arguments_text: string, read_at?: string }} card
 * @param {any} schema
 * @param {Set<string>} opened
 * @param {Set<string>} [changedNames] what is not as it was shown before
 */
export const table = (card, schema, opened, changedNames = new Set()) => {
  const { rows, same } = rowsOf(card, schema);
  const hasNow = rows.some((row) => row.now !== null);
  if (rows.length === 0 && same === 0) return html`<div class="box"><p class="pad muted">${t("args.none")}</p></div>`;
  return html`<div class="box">
    <table class="diff">
      <caption class="sr">${hasNow ? t("args.changes") : t("args.arguments")}</caption>
      <thead><tr><th scope="col">${hasNow ? t("args.changes") : t("args.arguments")}</th>${hasNow ? html`<th scope="col">${t("args.now")}</th><th scope="col">${t("args.after")}</th>` : html`<th scope="col" colspan="2"><span class="sr">${t("args.value")}</span></th>`}</tr></thead>
      <tbody>${rows.map((row) => html`<tr class=${changedNames.has(row.name) ? "altered" : ""}><th scope="row">${seen(row.name)}${changedNames.has(row.name) ? html` <span class="chip wait">${t("args.altered")}</span>` : nothing}</th>${cells(row, opened)}</tr>`)}</tbody>
    </table>
    ${same > 0 ? html`<p class="small muted pad">${t("args.same", { n: same })}</p>` : nothing}
  </div>`;
};
