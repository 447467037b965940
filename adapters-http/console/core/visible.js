// What cannot be seen is shown: hidden characters and blanks that look like a space as marks, and words that mix alphabets
// are told.

// The same characters as `visible::is_hidden` of the application, which says why these, but for line ends and tabs.
const HIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202e\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{110bd}\u{110cd}\u{13430}-\u{1345f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** @param {string} text */
export const hasHidden = (text) => {
  HIDDEN.lastIndex = 0;
  return HIDDEN.test(text);
};

/**
 * A text in parts: what is seen, and the code points of what is not.
 * @param {string} text
 * @returns {{ text: string, code: string | null }[]}
 */
export const parts = (text) => {
  /** @type {{ text: string, code: string | null }[]} */
  const found = [];
  let last = 0;
  for (const hit of text.matchAll(HIDDEN)) {
    if (hit.index > last) found.push({ text: text.slice(last, hit.index), code: null });
    const code = (hit[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    found.push({ text: "", code: `U+${code}` });
    last = hit.index + hit[0].length;
  }
  if (last < text.length) found.push({ text: text.slice(last), code: null });
  return found;
};

const WORD = /[\p{L}\p{N}_-]+/gu;
const LATIN = /\p{Script=Latin}/u;
const OTHER = /\p{Script=Cyrillic}|\p{Script=Greek}|\p{Script=Armenian}|\p{Script=Cherokee}|[\uff41-\uff5a\uff21-\uff3a]/u;

/** The words that mix Latin letters with letters that look like them. @param {string} text */
export const mixed = (text) => [...text.matchAll(WORD)].map((hit) => hit[0]).filter((word) => LATIN.test(word) && OTHER.test(word));
