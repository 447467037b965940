// The arguments of a command as a form of its schema. What is not touched keeps its text, digit for digit; what no field
// can hold is JSON.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { members, object, own, plain, pretty } from "../core/json.js";
import { t } from "../core/words.js";
import { ordered } from "./arguments.js";
import { seen } from "./text.js";

/** @typedef {{ name: string, kind: "text" | "long" | "number" | "integer" | "boolean" | "choice" | "many" | "date" | "list" | "json", schema: any, needed: boolean, raw: string | null, isAsked: boolean }} Field */
/** @typedef {{ values: Map<string, string>, faults: Map<string, string> }} Draft */
/** Names for people of our own fields, and how what stood there before is told. @typedef {{ id: string, changed: () => void, labels?: Record<string, string>, was?: string }} How */

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** The texts that a field takes, each with its name for people; null where it takes others. @param {any} schema @returns {{ value: string, label: string }[] | null} */
const choicesOf = (schema) => {
  const titled = schema?.oneOf ?? schema?.anyOf;
  const found = Array.isArray(schema?.enum)
    ? schema.enum.map((/** @type {unknown} */ value, /** @type {number} */ place) => ({ value, label: schema.enumNames?.[place] ?? value }))
    : Array.isArray(titled) ? titled.map((/** @type {any} */ one) => ({ value: one?.const, label: one?.title ?? one?.const })) : null;
  return found?.length && found.every((/** @type {any} */ one) => typeof one.value === "string" && typeof one.label === "string") ? found : null;
};

/** @param {any} schema @param {string | null} raw @returns {Field["kind"]} */
const kindOf = (schema, raw) => {
  if (choicesOf(schema)) return "choice";
  const types = [schema?.type].flat().filter((type) => type && type !== "null");
  const type = types.length === 1 ? types[0] : null;
  if (type === "boolean") return "boolean";
  if (type === "integer" || type === "number") return type;
  if (type === "array" && choicesOf(schema.items)) return "many";
  if (type === "array" && schema.items?.type === "string" && !schema.items.enum) return "list";
  if (type === "string") {
    if (schema.format === "date") return "date";
    const text = raw ? plain(raw) : "";
    return text.length > 60 || text.includes("\n") || (schema.maxLength ?? 0) > 500 ? "long" : "text";
  }
  return "json";
};

/**
 * @param {any} schema
 * @param {string} text the arguments
 * @param {boolean} [isAsked] nothing is proposed: fields begin with their defaults, and their formats are checked
 * @returns {Field[]}
 */
export const fieldsOf = (schema, text, isAsked = false) => {
  const given = new Map(members(text) ?? []);
  const names = ordered([...new Set([...Object.keys(schema?.properties ?? {}), ...given.keys()])], schema);
  return names.map((name) => {
    const declared = own(schema?.properties, name) ?? {};
    const first = isAsked && declared.default !== undefined ? JSON.stringify(declared.default) : null;
    const raw = given.get(name) ?? first;
    return { isAsked, name, schema: declared, raw, kind: kindOf(declared, raw), needed: (schema?.required ?? []).includes(name) };
  });
};

/** What a field shows at first. @param {Field} field */
export const firstText = (field) => {
  if (field.kind === "many") return field.raw ?? "[]";
  if (field.raw === null) return "";
  if (field.kind === "json") return pretty(field.raw);
  if (field.raw === "null") return "";
  if (field.kind === "list") {
    try {
      const items = JSON.parse(field.raw);
      return Array.isArray(items) ? items.join("\n") : field.raw;
    } catch {
      return field.raw;
    }
  }
  return plain(field.raw);
};

/** What is wrong with a text of a format; empty where nothing is. @param {string} format @param {string} text */
const formatFault = (format, text) => {
  const isRight = { email: /^[^\s@]+@[^\s@]+$/.test(text), uri: URL.canParse(text), date: /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)), "date-time": /T.*(Z|[+-]\d\d:\d\d)$/i.test(text) && !Number.isNaN(Date.parse(text)) }[format];
  return isRight === false ? t(`form.${format}`) : "";
};

/** The values that were picked of several. @param {string} text @returns {string[]} */
const picked = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return [];
  }
};

/** @param {Field} field @param {string} text @returns {{ raw: string | null } | { fault: string }} */
const readMany = ({ schema, needed, raw }, text) => {
  const n = picked(text).length;
  if (n === 0 && !needed) return { raw: raw === "[]" ? raw : null };
  if (schema.minItems !== undefined && n < schema.minItems) return { fault: t("form.few", { n, limit: schema.minItems }) };
  if (schema.maxItems !== undefined && n > schema.maxItems) return { fault: t("form.many", { n, limit: schema.maxItems }) };
  return { raw: text };
};

/** @param {Field} field @param {string} text @returns {{ raw: string | null } | { fault: string }} */
const read = (field, text) => {
  if (field.kind === "many") return readMany(field, text);
  if (field.isAsked && field.needed && text === "") return { fault: t("form.needed") };
  if (field.needed && field.raw === null && text === "") return { fault: t("form.needed") };
  if (text === firstText(field)) return { raw: field.raw };
  const { schema } = field;
  if (text.trim() === "" && !["text", "long"].includes(field.kind)) {
    return field.needed ? { fault: t("form.needed") } : { raw: null };
  }
  if (text === "" && !field.needed) return { raw: null };
  switch (field.kind) {
    case "number":
    case "integer": {
      const number = text.trim();
      if (!NUMBER.test(number)) return { fault: t("form.number", { given: number }) };
      if (field.kind === "integer" && !/^-?\d+$/.test(number)) return { fault: t("form.integer", { given: number }) };
      if (schema.minimum !== undefined && Number(number) < schema.minimum) return { fault: t("form.below", { given: number, limit: schema.minimum }) };
      if (schema.maximum !== undefined && Number(number) > schema.maximum) return { fault: t("form.above", { given: number, limit: schema.maximum }) };
      return { raw: number };
    }
    case "boolean":
      return { raw: text };
    case "list":
      return { raw: JSON.stringify(text.split("\n").filter((line) => line !== "")) };
    case "json":
      try {
        JSON.parse(text);
        return { raw: text };
      } catch (error) {
        return { fault: t("form.json", { why: /** @type {Error} */ (error).message }) };
      }
    default: {
      const length = [...text].length;
      if (schema.maxLength !== undefined && length > schema.maxLength) return { fault: t("form.long", { n: length, limit: schema.maxLength }) };
      if (schema.minLength !== undefined && length < schema.minLength) return { fault: t("form.short", { n: length, limit: schema.minLength }) };
      if (field.kind === "choice" && !choicesOf(schema)?.some((one) => one.value === text)) return { fault: t("form.choice") };
      const fault = field.isAsked && text !== "" ? formatFault(schema.format, text) : "";
      if (fault) return { fault };
      return { raw: JSON.stringify(text) };
    }
  }
};

/**
 * The arguments that a draft stands for; null where a field is wrong, which it then says.
 * @param {Field[]} fields
 * @param {Draft} draft
 * @returns {string | null}
 */
export const argumentsOf = (fields, draft) => {
  draft.faults.clear();
  /** @type {[string, string][]} */
  const found = [];
  for (const field of fields) {
    const got = read(field, draft.values.get(field.name) ?? firstText(field));
    if ("fault" in got) draft.faults.set(field.name, got.fault);
    else if (got.raw !== null) found.push([field.name, got.raw]);
  }
  return draft.faults.size > 0 ? null : object(found);
};

/**
 * @param {Field[]} fields
 * @param {Draft} draft
 * @param {How} how
 */
export const form = (fields, draft, how) => html`${fields.map((field) => row(field, draft, how))}`;

/** @param {Field} field @param {Draft} draft @param {How} how */
const row = (field, draft, how) => {
  const id = `${how.id}-${field.name.replace(/\W/g, "_")}`;
  const fault = draft.faults.get(field.name);
  const first = firstText(field);
  const text = draft.values.get(field.name) ?? first;
  const isTouched = text !== first && !(field.isAsked && field.raw === null);
  const says = [fault ? `${id}-fault` : "", field.schema.description || isTouched ? `${id}-hint` : ""].filter(Boolean).join(" ");
  const typed = (/** @type {Event} */ event) => {
    draft.values.set(field.name, /** @type {HTMLInputElement} */ (event.target).value);
    draft.faults.delete(field.name);
    how.changed();
  };
  const invalid = fault ? "true" : "false";
  return html`<div class="f">
    <label for=${id}>${seen(own(how.labels, field.name) ?? field.name)}${field.needed ? nothing : html` <span class="small muted">${t("form.optional")}</span>`}</label>
    ${control(field, { id, text, typed, invalid, says })}
    ${fault ? html`<span class="err" id="${id}-fault">${fault}</span>` : nothing}
    ${field.schema.description || isTouched ? html`<span class="hint" id="${id}-hint">${isTouched ? html`${t(how.was ?? "form.proposed")} ${field.raw === null ? t("form.nothing") : html`“${seen(first)}”`}. ` : nothing}${field.schema.description ? seen(field.schema.description) : nothing}</span>` : nothing}
  </div>`;
};

/**
 * Some of several values, each with a box.
 * @param {Field} field
 * @param {{ id: string, text: string, typed: (event: Event) => void, invalid: string, says: string }} how
 */
const many = (field, { id, text, typed, says }) => {
  const chosen = picked(text);
  const turn = (/** @type {string} */ value) => (/** @type {Event} */ event) => {
    const isOn = /** @type {HTMLInputElement} */ (event.target).checked;
    const all = (choicesOf(field.schema.items) ?? []).map((one) => one.value);
    const next = all.filter((one) => (one === value ? isOn : chosen.includes(one)));
    typed(/** @type {any} */ ({ target: { value: JSON.stringify(next) } }));
  };
  return html`<div class="chips" id=${id} role="group" aria-label=${field.schema.title ?? field.name} aria-describedby=${says}>${choicesOf(field.schema.items)?.map(({ value, label }) => html`<label class="check"><input type="checkbox" .checked=${live(chosen.includes(value))} @change=${turn(value)}> ${seen(label)}</label>`)}</div>`;
};

/**
 * @param {Field} field
 * @param {{ id: string, text: string, typed: (event: Event) => void, invalid: string, says: string }} how
 */
const control = (field, { id, text, typed, invalid, says }) => {
  switch (field.kind) {
    case "choice":
      return html`<select id=${id} aria-invalid=${invalid} aria-describedby=${says} @change=${typed}>
        ${field.needed ? nothing : html`<option value="" ?selected=${text === ""}>${t("form.none")}</option>`}
        ${field.needed && field.isAsked && text === "" ? html`<option value="" selected></option>` : nothing}
        ${choicesOf(field.schema)?.map(({ value, label }) => html`<option value=${value} ?selected=${value === text}>${label}</option>`)}
      </select>`;
    case "many":
      return many(field, { id, text, typed, invalid, says });
    case "boolean":
      return html`<select id=${id} aria-invalid=${invalid} aria-describedby=${says} @change=${typed}>
        ${field.needed && field.raw !== null ? nothing : html`<option value="" ?selected=${text === ""}>${t("form.none")}</option>`}
        <option value="true" ?selected=${text === "true"}>${t("form.yes")}</option><option value="false" ?selected=${text === "false"}>${t("form.no")}</option>
      </select>`;
    case "long":
    case "list":
    case "json":
      return html`<textarea id=${id} class=${field.kind === "json" ? "mono" : ""} rows=${Math.min(12, Math.max(3, text.split("\n").length + 1))} spellcheck="false" aria-invalid=${invalid} aria-describedby=${says} .value=${live(text)} @input=${typed}></textarea>`;
    case "date":
      return html`<input id=${id} type="date" aria-invalid=${invalid} aria-describedby=${says} .value=${live(text)} @input=${typed}>`;
    default:
      return html`<input id=${id} inputmode=${field.kind === "number" || field.kind === "integer" ? "decimal" : "text"} autocomplete="off" spellcheck="false" aria-invalid=${invalid} aria-describedby=${says} .value=${live(text)} @input=${typed}>`;
  }
};
