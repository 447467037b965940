// What differs between two texts, word by word.

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
  const width = b.length + 1;
  // How long the longest common part of what is left is.
  const common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      common[i * width + j] =
        a[i] === b[j]
          ? (common[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(common[(i + 1) * width + j] ?? 0, common[i * width + j + 1] ?? 0);
    }
  }
  /** @type {Piece[]} */
  const pieces = [];
  const add = (/** @type {Piece["kind"]} */ kind, /** @type {string} */ text) => {
    const last = pieces.at(-1);
    if (last?.kind === kind) last.text += text;
    else pieces.push({ kind, text });
  };
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      add("same", a[i] ?? "");
      i += 1;
      j += 1;
    } else if (i < a.length && (j >= b.length || (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0))) {
      add("del", a[i] ?? "");
      i += 1;
    } else {
      add("ins", b[j] ?? "");
      j += 1;
    }
  }
  return pieces;
};

/** @param {string} text */
const split = (text) => text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
