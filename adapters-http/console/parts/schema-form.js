// The arguments of a command as a form of its schema. What is not touched keeps its text, digit for digit; what no field
// can hold is JSON.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { elements, members, object, own, plain, pretty } from "../core/json.js";
import { atLocal, localOf, zoneCity } from "../core/time.js";
import { t } from "../core/words.js";
import { ordered } from "./arguments.js";
import { seen } from "./text.js";

/**
 * A field; `path` is its place in the arguments, such as `lines[0].price`, and `root` the schema that references lead into.
 * @typedef {{ name: string, path: string, kind: "text" | "long" | "number" | "integer" | "boolean" | "choice" | "pick" | "many" | "date" | "instant" | "list" | "object" | "items" | "json",
 *   schema: any, root: any, depth: number, needed: boolean, raw: string | null, isAsked: boolean }} Field
 */
/** An item of a list, under a key that it keeps when others come and go. @typedef {{ key: number, raw: string | null }} Entry */
/**
 * What is typed, by the path of its field; what a field with fields of its own begins with instead of what was proposed; the
 * items of its list; and which of them are edited as JSON.
 * @typedef {{ values: Map<string, string>, faults: Map<string, string>, raws?: Map<string, string | null>, lists?: Map<string, Entry[]>, asJson?: Set<string> }} Draft
 */
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

/** Levels of fields within fields; what is deeper is JSON. */
const DEEPEST = 4;
/** References that are followed one after another. */
const REFERENCES = 8;

/** A schema without what stands around it: a reference, or the choice between it and null. @param {any} schema @param {any} root @param {number} [times] @returns {any} */
const resolved = (schema, root, times = 0) => {
  if (times > REFERENCES) return {};
  if (typeof schema?.$ref === "string" && schema.$ref.startsWith("#")) {
    const { $ref, ...rest } = schema;
    const parts = $ref.slice(1).split("/").filter(Boolean).map((/** @type {string} */ part) => part.replace(/~1/g, "/").replace(/~0/g, "~"));
    const found = parts.reduce((/** @type {any} */ at, /** @type {string} */ part) => (at && typeof at === "object" ? own(at, part) : undefined), root);
    return { ...resolved(found, root, times + 1), ...rest };
  }
  const union = schema?.anyOf ?? schema?.oneOf;
  if (Array.isArray(union) && union.length === 2 && union.some((one) => one?.type === "null")) {
    const { anyOf, oneOf, ...rest } = schema;
    return { ...resolved(union.find((one) => one?.type !== "null"), root, times + 1), ...rest };
  }
  return schema ?? {};
};

/** Values that are no texts, as JSON; null where a field takes others. @param {any} schema @returns {string[] | null} */
const picksOf = (schema) => (Array.isArray(schema?.enum) && schema.enum.length > 0 && schema.enum.every((/** @type {unknown} */ one) => one === null || typeof one !== "object") ? schema.enum.map((/** @type {unknown} */ one) => JSON.stringify(one)) : null);

/** @param {any} schema @param {string | null} raw @param {any} [root] @param {number} [depth] @returns {Field["kind"]} */
const kindOf = (schema, raw, root = {}, depth = 0) => {
  if (choicesOf(schema)) return "choice";
  if (picksOf(schema)) return "pick";
  const types = [schema?.type].flat().filter((type) => type && type !== "null");
  const type = types.length === 1 ? types[0] : null;
  if (type === "boolean") return "boolean";
  if (type === "integer" || type === "number") return type;
  if (type === "array" && choicesOf(schema.items)) return "many";
  if (type === "array" && schema.items?.type === "string" && !schema.items.enum && !schema.items.format) return "list";
  const isNothing = raw === null || raw === "null";
  if (type === "object" && depth < DEEPEST && Object.keys(schema.properties ?? {}).length > 0) return isNothing || members(raw) ? "object" : "json";
  if (type === "array" && depth < DEEPEST && schema.items && !Array.isArray(schema.items)) {
    const inner = kindOf(resolved(schema.items, root), null, root, depth + 1);
    return inner !== "json" && (isNothing || elements(raw)) ? "items" : "json";
  }
  if (type === "string") {
    if (schema.format === "date") return "date";
    if (schema.format === "date-time") return "instant";
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
  return fieldsIn({ schema, root: schema, path: "", depth: 0, isAsked }, text);
};

/** The fields of an object. @param {{ schema: any, root: any, path: string, depth: number, isAsked: boolean }} place @param {string} text @returns {Field[]} */
const fieldsIn = ({ schema, root, path, depth, isAsked }, text) => {
  const given = new Map(members(text) ?? []);
  const names = ordered([...new Set([...Object.keys(schema?.properties ?? {}), ...given.keys()])], schema);
  return names.map((name) => {
    const declared = resolved(own(schema?.properties, name), root);
    const first = isAsked && declared.default !== undefined ? JSON.stringify(declared.default) : null;
    const raw = given.get(name) ?? first;
    return { isAsked, name, path: path ? `${path}.${name}` : name, schema: declared, root, depth, raw, kind: kindOf(declared, raw, root, depth), needed: (schema?.required ?? []).includes(name) };
  });
};

/** What a field with fields of its own begins with. @param {Field} field @param {Draft} draft */
const rawOf = (field, draft) => (draft.raws?.has(field.path) ? (draft.raws.get(field.path) ?? null) : field.raw);

/** Whether there is such an object or list at all. @param {Field} field @param {Draft} draft */
const isThere = (field, draft) => {
  const raw = rawOf(field, draft);
  return (field.needed && !draft.raws?.has(field.path)) || (raw !== null && raw !== "null");
};

/** @param {Field} field @param {Draft} draft */
const isJson = (field, draft) => field.kind === "json" || Boolean(draft.asJson?.has(field.path));

/** @param {Field} field @param {Draft} draft */
const childrenOf = (field, draft) => {
  const raw = rawOf(field, draft);
  const isNew = raw === null || raw === "null" || raw !== field.raw;
  return fieldsIn({ ...field, depth: field.depth + 1, isAsked: field.isAsked || isNew }, raw ?? "{}");
};

/** @param {Field} field @param {Draft} draft @returns {Entry[]} */
const entriesOf = (field, draft) => draft.lists?.get(field.path) ?? (elements(rawOf(field, draft) ?? "[]") ?? []).map((raw, key) => ({ key, raw }));

/** The field of an item of a list. @param {Field} field @param {Entry} entry @param {number} place @returns {Field} */
const entryField = (field, entry, place) => {
  const schema = resolved(field.schema.items, field.root);
  const depth = field.depth + 1;
  return { name: t("form.item", { n: place + 1 }), path: `${field.path}[${entry.key}]`, kind: kindOf(schema, entry.raw, field.root, depth), schema, root: field.root, depth, needed: true, raw: entry.raw, isAsked: field.isAsked || entry.raw === null };
};

/** What a field shows at first. @param {Field} field */
export const firstText = (field) => {
  if (field.kind === "many") return field.raw ?? "[]";
  if (field.raw === null) return "";
  if (field.kind === "pick") return picksOf(field.schema)?.find((one) => one === field.raw) ?? field.raw;
  if (field.kind === "json" || field.kind === "object" || field.kind === "items") return pretty(field.raw);
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

/** What is read of a field: its text in the arguments, what is wrong with it, or that something within it is. @typedef {{ raw: string | null } | { fault: string } | { within: true }} Read */

/** Whether anything of a field was touched. @param {Field} field @param {Draft} draft */
const isTouched = ({ path }, draft) => [draft.values, draft.raws, draft.lists, draft.asJson].some((all) => all && [...all.keys()].some((key) => key === path || (key.startsWith(path) && /[.[]/.test(key[path.length] ?? ""))));

/** @param {Field} field @param {Draft} draft @returns {Read} */
const readAny = (field, draft) => {
  const isWhole = isJson(field, draft) || (field.kind !== "object" && field.kind !== "items");
  if (isWhole) return read(isJson(field, draft) ? { ...field, kind: "json", raw: rawOf(field, draft) } : field, draft.values.get(field.path) ?? firstText(isJson(field, draft) ? { ...field, kind: "json", raw: rawOf(field, draft) } : field));
  if (!isThere(field, draft)) return field.needed ? { fault: t("form.needed") } : { raw: draft.raws?.has(field.path) ? null : field.raw };
  if (field.raw !== null && !isTouched(field, draft)) return { raw: field.raw };
  return field.kind === "object" ? readObject(field, draft) : readItems(field, draft);
};

/** @param {Field} field @param {Draft} draft @returns {Read} */
const readObject = (field, draft) => {
  const found = readEach(childrenOf(field, draft), draft);
  return found ? { raw: object(found) } : { within: true };
};

/** @param {Field} field @param {Draft} draft @returns {Read} */
const readItems = (field, draft) => {
  const found = readEach(entriesOf(field, draft).map((entry, place) => entryField(field, entry, place)), draft);
  if (!found) return { within: true };
  const { schema } = field;
  const n = found.length;
  if (schema.minItems !== undefined && n < schema.minItems) return { fault: t("form.few", { n, limit: schema.minItems }) };
  if (schema.maxItems !== undefined && n > schema.maxItems) return { fault: t("form.many", { n, limit: schema.maxItems }) };
  return { raw: `[${found.map(([, raw]) => raw).join(",")}]` };
};

/** The names and texts of fields; null where one is wrong, which it then says. @param {Field[]} fields @param {Draft} draft */
const readEach = (fields, draft) => {
  /** @type {[string, string][]} */
  const found = [];
  let isRight = true;
  for (const field of fields) {
    const got = readAny(field, draft);
    if ("fault" in got) draft.faults.set(field.path, got.fault);
    if (!("raw" in got)) isRight = false;
    else if (got.raw !== null) found.push([field.name, got.raw]);
  }
  return isRight ? found : null;
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
    case "pick":
      return picksOf(schema)?.includes(text) ? { raw: text } : { fault: t("form.choice") };
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
      const fault = (field.isAsked || field.kind === "instant" || field.kind === "date") && text !== "" ? formatFault(schema.format, text) : "";
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
  const found = readEach(fields, draft);
  return found && draft.faults.size === 0 ? object(found) : null;
};

/**
 * @param {Field[]} fields
 * @param {Draft} draft
 * @param {How} how
 */
export const form = (fields, draft, how) => html`${fields.map((field) => row(field, draft, how))}`;

/** @param {Field} field @param {How} how */
const idOf = (field, how) => `${how.id}-${field.path.replace(/\W/g, "_")}`;

/** @param {Field} field @param {Draft} draft @param {How} how @returns {unknown} */
const row = (field, draft, how) => {
  if ((field.kind === "object" || field.kind === "items") && !isJson(field, draft)) return nested(field, draft, how);
  return leaf(field, draft, how);
};

/** A field that holds its value itself. @param {Field} given @param {Draft} draft @param {How} how */
const leaf = (given, draft, how) => {
  const field = isJson(given, draft) ? { ...given, kind: /** @type {const} */ ("json"), raw: rawOf(given, draft) } : given;
  const id = idOf(field, how);
  const fault = draft.faults.get(field.path);
  const first = firstText(field);
  const text = draft.values.get(field.path) ?? first;
  const isOther = text !== first && !(field.isAsked && field.raw === null);
  const says = [fault ? `${id}-fault` : "", field.schema.description || isOther ? `${id}-hint` : ""].filter(Boolean).join(" ");
  const typed = (/** @type {Event} */ event) => {
    draft.values.set(field.path, /** @type {HTMLInputElement} */ (event.target).value);
    draft.faults.delete(field.path);
    how.changed();
  };
  const invalid = fault ? "true" : "false";
  return html`<div class="f">
    <label for=${id}>${seen(nameOf(field, how))}${field.needed ? nothing : html` <span class="small muted">${t("form.optional")}</span>`}</label>
    <div class="control">${control(field, { id, text, typed, invalid, says })}${given.kind !== "json" && field.kind === "json" ? html`<button class="btn bare sm" type="button" @click=${() => asForm(given, draft, how)}>${t("form.as-form")}</button>` : nothing}</div>
    ${fault ? html`<span class="err" id="${id}-fault">${fault}</span>` : nothing}
    ${field.schema.description || isOther ? html`<span class="hint" id="${id}-hint">${isOther ? html`${t(how.was ?? "form.proposed")} ${field.raw === null ? t("form.nothing") : html`“${seen(field.kind === "instant" ? plain(field.raw) : first)}”`}. ` : nothing}${field.schema.description ? seen(field.schema.description) : nothing}</span>` : nothing}
  </div>`;
};

/** What a field is called. Names for people are of our own fields, or titles of a form that asks; those within others have their own title. @param {Field} field @param {How} how */
const nameOf = (field, how) => (field.path === field.name ? own(how.labels, field.name) : field.isAsked && typeof field.schema.title === "string" && !field.path.endsWith("]") ? field.schema.title : undefined) ?? field.name;

/** Forgets what was typed within a field. @param {string} path @param {Draft} draft */
const forget = (path, draft) => {
  for (const all of [draft.values, draft.faults, draft.raws, draft.lists, draft.asJson]) {
    for (const key of [...(all?.keys() ?? [])]) if (key === path || (key.startsWith(path) && /[.[]/.test(key[path.length] ?? ""))) all?.delete(key);
  }
};

/** Edits a field as JSON, which begins with what the form stands for. @param {Field} field @param {Draft} draft @param {How} how */
const asJson = (field, draft, how) => {
  const before = new Map(draft.faults);
  const got = readAny(field, draft);
  draft.faults.clear();
  for (const [path, says] of before) draft.faults.set(path, says);
  const raw = "raw" in got ? got.raw : rawOf(field, draft);
  forget(field.path, draft);
  (draft.asJson ??= new Set()).add(field.path);
  if (raw !== field.raw) draft.values.set(field.path, raw === null ? "" : pretty(raw));
  how.changed();
};

/** Back to the fields, where the text is of a kind that they can hold. @param {Field} field @param {Draft} draft @param {How} how */
const asForm = (field, draft, how) => {
  const got = readAny(field, draft);
  const raw = "raw" in got ? got.raw : undefined;
  if (raw === undefined || (raw !== null && raw !== "null" && kindOf(field.schema, raw, field.root, field.depth) !== field.kind)) {
    draft.faults.set(field.path, "fault" in got ? got.fault : t("form.not-a-form"));
  } else {
    forget(field.path, draft);
    if (raw !== field.raw) (draft.raws ??= new Map()).set(field.path, raw);
  }
  how.changed();
};

/** An object or a list: the fields within it, and what can be done with it as a whole. @param {Field} field @param {Draft} draft @param {How} how */
const nested = (field, draft, how) => {
  const id = idOf(field, how);
  const fault = draft.faults.get(field.path);
  const there = isThere(field, draft);
  /** @param {string | null} raw */
  const become = (raw) => () => {
    forget(field.path, draft);
    (draft.raws ??= new Map()).set(field.path, raw);
    how.changed();
  };
  const buttons = html`${there ? html`<button class="btn bare sm" type="button" @click=${() => asJson(field, draft, how)}>${t("form.as-json")}</button>` : nothing}
    ${field.needed ? nothing : there ? html`<button class="btn bare sm" type="button" @click=${become(null)}>${t("form.leave-out")}</button>` : html`<button class="btn sm" type="button" @click=${become(field.kind === "object" ? "{}" : "[]")}>${t("form.add")}</button>`}`;
  return html`<fieldset class="nest" id=${id} aria-describedby=${fault ? `${id}-fault` : nothing}><legend>${seen(nameOf(field, how))}${field.needed ? nothing : html` <span class="small muted">${t("form.optional")}</span>`}</legend>
    <div class="nest-acts">${buttons}</div>
    ${field.schema.description ? html`<p class="hint">${seen(field.schema.description)}</p>` : nothing}
    ${there ? (field.kind === "object" ? html`<div class="nest-fields">${childrenOf(field, draft).map((child) => row(child, draft, how))}</div>` : entries(field, draft, how)) : nothing}
    ${fault ? html`<span class="err" id="${id}-fault">${fault}</span>` : nothing}</fieldset>`;
};

/** The items of a list. @param {Field} field @param {Draft} draft @param {How} how */
const entries = (field, draft, how) => {
  const all = entriesOf(field, draft);
  /** @param {Entry[]} next */
  const become = (next) => {
    (draft.lists ??= new Map()).set(field.path, next);
    draft.faults.delete(field.path);
    how.changed();
  };
  const add = () => {
    const key = Math.max(-1, ...all.map((entry) => entry.key)) + 1;
    become([...all, { key, raw: null }]);
    setTimeout(() => /** @type {HTMLElement | null} */ (document.querySelector(`[data-entry="${CSS.escape(`${idOf(field, how)}-${key}`)}"] :is(input, select, textarea)`))?.focus(), 30);
  };
  /** @param {number} place @param {number} by */
  const move = (place, by) => () => {
    const next = [...all];
    next.splice(place + by, 0, ...next.splice(place, 1));
    become(next);
  };
  const name = nameOf(field, how);
  return html`<ol class="nest-items">${all.map((entry, place) => {
    const child = entryField(field, entry, place);
    const isObject = child.kind === "object" && !isJson(child, draft);
    return html`<li data-entry="${idOf(field, how)}-${entry.key}" role="group" aria-label="${name}, ${child.name}"><div class="nest-head"><span class="small muted">${child.name}</span>
      <button class="btn bare sm" type="button" ?disabled=${place === 0} aria-label=${t("form.up", { n: place + 1 })} @click=${move(place, -1)}>↑</button><button class="btn bare sm" type="button" ?disabled=${place === all.length - 1} aria-label=${t("form.down", { n: place + 1 })} @click=${move(place, 1)}>↓</button>
      <button class="btn bare sm" type="button" aria-label=${t("form.remove-item", { n: place + 1 })} @click=${() => {
        forget(child.path, draft);
        become(all.filter((one) => one !== entry));
      }}>${t("form.remove")}</button></div>
      ${isObject ? html`<div class="nest-fields">${childrenOf(child, draft).map((one) => row(one, draft, how))}</div>` : row(child, draft, how)}</li>`;
  })}</ol><button class="btn sm" type="button" @click=${add}>${t("form.add-item")}</button>`;
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

/** What a field for date and time shows of an instant. @param {string} text */
const localText = (text) => (Number.isNaN(Date.parse(text)) ? "" : localOf(text));

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
    case "pick":
      return html`<select id=${id} aria-invalid=${invalid} aria-describedby=${says} @change=${typed}>
        ${field.needed && text !== "" ? nothing : html`<option value="" ?selected=${text === ""}>${field.needed ? "" : t("form.none")}</option>`}
        ${(picksOf(field.schema) ?? []).map((value) => html`<option value=${value} ?selected=${value === text}>${plain(value)}</option>`)}
      </select>`;
    case "instant":
      return html`<input id=${id} type="datetime-local" step="60" aria-invalid=${invalid} aria-describedby=${says} .value=${live(localText(text))} @input=${(/** @type {Event} */ event) => {
        const at = atLocal(/** @type {HTMLInputElement} */ (event.target).value);
        typed(/** @type {any} */ ({ target: { value: Number.isNaN(at) ? "" : new Date(at).toISOString().replace(".000", "") } }));
      }}><span class="small muted">${zoneCity()}</span>`;
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
