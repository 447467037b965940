// The texts of the console, from one catalogue a language. A text has {name} where a value stands, and
// {name|one|many} where a word depends on how many there are.

import en from "../texts/en.js";

/** @type {Record<string, string>} */
let texts = { ...en };
/** What is known beside the first view's texts, or on its way. @type {Map<string, Promise<void>>} */
const learned = new Map();
let language = "en";
let plural = new Intl.PluralRules("en");

/** @returns the language of the texts. */
export const spoken = () => language;

const CHOSEN = "entracte-language";

/** Keeps the language that a person chose for this browser. @param {string} language */
export const choose = (language) => localStorage.setItem(CHOSEN, language);

/**
 * The language of who reads: what they chose, else the first one of their browser that there are texts in, else that of the
 * workspace. The server is asked for it with every request.
 * @param {string} [workspace]
 */
export const readersLanguage = (workspace = "en") => localStorage.getItem(CHOSEN) ?? navigator.languages.find((one) => /^(en|fr)\b/i.test(one)) ?? workspace;

/**
 * Takes the texts of a language; one that there is none of is English.
 * @param {string} wanted
 */
export const speak = async (wanted) => {
  const next = /^fr\b/i.test(wanted) ? "fr" : "en";
  if (next === language) return;
  const first = next === "fr" ? (await import("../texts/fr.js")).default : en;
  let groups;
  let found;
  do {
    groups = [...learned.keys()];
    found = await Promise.all(groups.map((group) => of(next, group)));
    // More may have been learned meanwhile.
  } while (groups.length !== learned.size);
  texts = Object.assign({}, first, ...found);
  language = next;
  plural = new Intl.PluralRules(next);
  document.documentElement.lang = next;
};

/** @param {string} language @param {string} group @returns {Promise<Record<string, string>>} */
const of = async (language, group) => (await import(`../texts/${language}-${group}.js`)).default;

/** @param {string} group */
const take = async (group) => {
  for (;;) {
    const now = language;
    const found = await of(now, group);
    // Another language may have come meanwhile.
    if (now === language) return void Object.assign(texts, found);
  }
};

/**
 * Takes the texts that a view needs beside those of the first one; done once all of them are there, whoever asked first.
 * @param {string[]} groups
 */
export const learn = async (groups) => {
  await Promise.all(groups.map((group) => {
    const known = learned.get(group) ?? take(group);
    learned.set(group, known);
    // What did not come is asked for again.
    known.catch(() => learned.get(group) === known && learned.delete(group));
    return known;
  }));
};

const PLACE = /\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g;

/**
 * The parts of a text, with its values in their places.
 * @param {string} key
 * @param {Record<string, unknown>} [values]
 * @returns {unknown[]}
 */
export const rich = (key, values = {}) => {
  const text = texts[key] ?? key;
  const parts = [];
  let last = 0;
  for (const place of text.matchAll(PLACE)) {
    const [whole, name, one, many] = place;
    parts.push(text.slice(last, place.index));
    const value = values[name ?? ""];
    if (many === undefined) parts.push(value ?? "");
    else parts.push(plural.select(Number(value)) === "one" ? one : many);
    last = place.index + whole.length;
  }
  parts.push(text.slice(last));
  return parts;
};

/**
 * A text as one string.
 * @param {string} key
 * @param {Record<string, unknown>} [values]
 */
export const t = (key, values) => rich(key, values).join("");

/**
 * What a word of the server is called here; one that has no text here stands as it is.
 * @param {string} kind
 * @param {string | null | undefined} word
 */
export const named = (kind, word) => {
  if (!word) return "";
  const key = `${kind}.${word.toLowerCase()}`;
  return texts[key] ?? word.replaceAll("_", " ").toLowerCase();
};

/** @param {string} key */
export const has = (key) => key in texts;
