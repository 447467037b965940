// JSON whose values keep their text: a browser rounds 0.1000 and 12345678901234567890, and an approval is of the text.

/**
 * The members of an object, in order, each as its own text; null when the text is no object.
 * @param {string} text
 * @returns {[name: string, value: string][] | null}
 */
export const members = (text) => {
  const open = skip(text, 0);
  if (text[open] !== "{") return null;
  /** @type {[string, string][]} */
  const found = [];
  let at = skip(text, open + 1);
  while (at < text.length && text[at] !== "}") {
    const nameEnd = end(text, at);
    const name = JSON.parse(text.slice(at, nameEnd));
    const from = skip(text, skip(text, nameEnd) + 1);
    const to = end(text, from);
    found.push([name, text.slice(from, to)]);
    at = skip(text, to);
    if (text[at] === ",") at = skip(text, at + 1);
  }
  return found;
};

/**
 * The items of an array, in order, each as its own text; null when the text is no array.
 * @param {string} text
 * @returns {string[] | null}
 */
export const elements = (text) => {
  const open = skip(text, 0);
  if (text[open] !== "[") return null;
  const found = [];
  let at = skip(text, open + 1);
  while (at < text.length && text[at] !== "]") {
    const to = end(text, at);
    found.push(text.slice(at, to));
    at = skip(text, to);
    if (text[at] === ",") at = skip(text, at + 1);
  }
  return found;
};

/**
 * A member of an object that came as JSON. Models and tools choose such names, and every object has a `constructor` and a
 * `toString` that nobody sent: only what is the object's own counts.
 * @template T
 * @param {Record<string, T> | null | undefined} record
 * @param {string} name
 * @returns {T | undefined}
 */
export const own = (record, name) => (record && Object.hasOwn(record, name) ? record[name] : undefined);

/** @param {[name: string, value: string][]} all */
export const object = (all) => `{${all.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`;

/** The same text with line ends, digit for digit. @param {string} text */
export const pretty = (text) => {
  let depth = 0;
  let out = "";
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at] ?? "";
    if (letter === '"') {
      const to = end(text, at);
      out += text.slice(at, to);
      at = to - 1;
    } else if (letter === "{" || letter === "[") {
      const next = skip(text, at + 1);
      if (text[next] === "}" || text[next] === "]") {
        out += letter + text[next];
        at = next;
      } else out += `${letter}\n${"  ".repeat((depth += 1))}`;
    } else if (letter === "}" || letter === "]") out += `\n${"  ".repeat((depth -= 1))}${letter}`;
    else if (letter === ",") out += `,\n${"  ".repeat(depth)}`;
    else if (letter === ":") out += ": ";
    else if (!/\s/.test(letter)) out += letter;
  }
  return out;
};

/**
 * The same for reading only: texts of several lines are on several lines.
 * @param {string} text
 */
export const laidOut = (text) => pretty(text).split("\n").map((line) => {
  const depth = /^ */.exec(line)?.[0] ?? "";
  return line.replace(/(?<!\\)((?:\\\\)*)\\n/g, `$1\n${depth}  `);
}).join("\n");

/** What a person reads of a value: a text without its quotes. @param {string} text */
export const plain = (text) => {
  if (!text.startsWith('"')) return text.startsWith("{") || text.startsWith("[") ? pretty(text) : text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** @param {string} text @param {number} at */
const skip = (text, at) => {
  while (at < text.length && /\s/.test(text[at] ?? "")) at += 1;
  return at;
};

/** Where the value that begins there ends. @param {string} text @param {number} from */
const end = (text, from) => {
  const first = text[from];
  if (first === '"') {
    for (let at = from + 1; at < text.length; at += 1) {
      if (text[at] === "\\") at += 1;
      else if (text[at] === '"') return at + 1;
    }
    return text.length;
  }
  if (first !== "{" && first !== "[") {
    let at = from;
    while (at < text.length && !",}] \n\r\t".includes(text[at] ?? "")) at += 1;
    return at;
  }
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === '"') at = end(text, at) - 1;
    else if (letter === "{" || letter === "[") depth += 1;
    else if ((letter === "}" || letter === "]") && (depth -= 1) === 0) return at + 1;
  }
  return text.length;
};
