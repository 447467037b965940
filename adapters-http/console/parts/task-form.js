// What a long task asks a person: the form of its server, or an address to visit. All of it is the server's words.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { object } from "../core/json.js";
import { changed } from "../core/store.js";
import { t } from "../core/words.js";
import { desk } from "./desk.js";
import { editor, loadEditor } from "./editor.js";
import { seen } from "./text.js";

/** @typedef {Extract<import("../core/shapes").InboxShape, { kind: "task" }>} Item */
/** @typedef {import("../core/shapes").TaskFormShape} Part */

/** What is written into each part, for as long as it asks the same. @type {Map<string, import("./schema-form.js").Draft>} */
const drafts = new Map();

/** @param {Item} item @param {Part} part */
const draftOf = (item, part) => {
  const key = `${item.id} ${JSON.stringify(part)}`;
  const known = drafts.get(key) ?? { values: new Map(), faults: new Map() };
  drafts.set(key, known);
  return known;
};

/** @param {Part} part */
const fields = (part) => editor()?.fieldsOf(part.schema, "{}", true) ?? [];

/** The titles of the fields, which stand in place of their names. @param {Part} part @returns {Record<string, string>} */
const titles = (part) => Object.fromEntries(fields(part).flatMap((field) => (typeof field.schema.title === "string" ? [[field.name, field.schema.title]] : [])));

/**
 * The answer that the form stands for; null where a field is wrong, which it then says.
 * @param {Item} item
 * @returns {string | null}
 */
export const answerOf = (item) => {
  const parts = item.form ?? [];
  if (parts.length === 0) return desk(item.id).other.trim() || null;
  const form = editor();
  if (!form && parts.some((part) => !part.url)) return null;
  const answers = parts.map((part) => /** @type {[string, string | null]} */ ([part.key, part.url ? '"done"' : (form?.argumentsOf(fields(part), draftOf(item, part)) ?? null)]));
  if (answers.some(([, answer]) => answer === null)) return null;
  const [first] = answers;
  if (answers.length === 1 && first) return parts[0]?.url ? "done" : first[1];
  return object(/** @type {[string, string][]} */ (answers));
};

/** @param {Item} item @param {Part} part @param {number} place */
const onePart = (item, part, place) => html`<fieldset class="form asked"><legend>${part.message ? seen(part.message) : t("taskform.part", { n: place + 1 })}</legend>
  ${part.url ? html`<p><a href=${part.url} target="_blank" rel="noopener noreferrer"><code>${seen(part.url)}</code></a></p><p class="small muted">${t("taskform.address")}</p>` : (editor()?.form(fields(part), draftOf(item, part), { id: `q-${item.task}-${place}`, changed, labels: titles(part), was: "form.first" }) ?? html`<p class="muted" role="status">${t("loading")}</p>`)}</fieldset>`;

/** The form of a task that asks. @param {Item} item @param {() => void} send */
export const taskForm = (item, send) => {
  const at = desk(item.id);
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    send();
  };
  const parts = item.form ?? [];
  if (parts.length > 0 && !editor()) loadEditor().catch(() => {});
  const id = `q-${item.task}`;
  return html`<form class="box asks" novalidate @submit=${submit} aria-label=${t("taskform.label")}><p class="small muted pad">${t("taskform.says")}</p>
    ${parts.length > 0 ? parts.map((part, place) => onePart(item, part, place)) : html`${item.question ? html`<pre class="pad" tabindex="0">${seen(item.question)}</pre>` : nothing}<div class="form"><div class="f wide-f"><label for=${id}>${t("taskform.answer")}</label><textarea id=${id} rows="3" .value=${live(at.other)} @input=${(/** @type {Event} */ event) => {
      at.other = /** @type {HTMLTextAreaElement} */ (event.target).value;
    }}></textarea></div></div>`}<button hidden>${t("taskform.send")}</button></form>`;
};
