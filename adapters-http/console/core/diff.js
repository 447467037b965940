// What differs between two texts, word by word or line by line.

/** Words beyond which a text is shown as all old and all new: the table below grows with both lengths. */
const WORDS_MAX = 1500;

/** @typedef {{ kind: "same" | "del" | "ins", text: string }} Piece */

/**
 * @param {string} before
 * @param {string} after
 * @returns {Piece[]}
 */
export const words = (before, after) => {
  const [a, b] = [split(before), split(after)];
  if (a.length > WORDS_MAX || b.length > WORDS_MAX) {
    return [{ kind: "del", text: before }, { kind: "ins", text: after }];
  }
  /** @type {Piece[]} */
  const pieces = [];
  const add = (/** @type {Piece["kind"]} */ kind, /** @type {string} */ text) => {
    const last = pieces.at(-1);
    if (last?.kind === kind) last.text += text;
    else pieces.push({ kind, text });
  };
  for (const [kind, text] of compare(a, b)) add(kind, text);
  return pieces;
};

/** @param {string} text */
const split = (text) => text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];

/** Lines beyond which two texts are shown as all old and all new, after what both begin and end with. */
const LINES_MAX = 1200;

/** @typedef {{ kind: Piece["kind"], lines: string[] }} Run */

/**
 * What differs between two texts, line by line.
 * @param {string} before
 * @param {string} after
 * @returns {Run[]}
 */
export const lines = (before, after) => {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  /** @type {Run[]} */
  const runs = [];
  const add = (/** @type {Piece["kind"]} */ kind, /** @type {string[]} */ some) => {
    if (some.length === 0) return;
    const last = runs.at(-1);
    if (last?.kind === kind) last.lines.push(...some);
    else runs.push({ kind, lines: [...some] });
  };
  add("same", a.slice(0, head));
  const [old, fresh] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  if (old.length > LINES_MAX || fresh.length > LINES_MAX) {
    add("del", old);
    add("ins", fresh);
  } else for (const [kind, line] of compare(old, fresh)) add(kind, [line]);
  add("same", tail === 0 ? [] : a.slice(-tail));
  return runs;
};

/**
 * The steps from one list to another, by their longest common part.
 * @param {string[]} a
 * @param {string[]} b
 * @returns {Generator<[Piece["kind"], string]>}
 */
function* compare(a, b) {
  const width = b.length + 1;
  // How long the longest common part of what is left is.
  const common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      common[i * width + j] = a[i] === b[j] ? (common[(i + 1) * width + j + 1] ?? 0) + 1 : Math.max(common[(i + 1) * width + j] ?? 0, common[i * width + j + 1] ?? 0);
    }
  }
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      yield ["same", a[i] ?? ""];
      i += 1;
      j += 1;
    } else if (i < a.length && (j >= b.length || (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0))) {
      yield ["del", a[i] ?? ""];
      i += 1;
    } else {
      yield ["ins", b[j] ?? ""];
      j += 1;
    }
  }
}
