// Whether new chats have a model to answer them; where they have none, the choices of one are offered in their place.

import { all, NoAnswer, Problem } from "../core/api.js";
import { changed } from "../core/store.js";
import { learn } from "../core/words.js";

/** @typedef {typeof import("./first-model.js")} Choices */

const at = {
  isMissing: false,
  /** Loaded where they are needed. @type {Choices | null} */ choices: null,
};

/** Looks whether a provider is that of new chats; gives whether none is. */
export const lookForModel = async () => {
  try {
    const providers = await all("list_providers", {});
    at.isMissing = !providers.some((one) => one.default);
    if (at.isMissing && !at.choices) [at.choices] = await Promise.all([import("./first-model.js"), learn(["models"])]);
  } catch (error) {
    // A chat that cannot begin says so itself.
    if (!(error instanceof Problem) && !(error instanceof NoAnswer)) throw error;
    at.isMissing = false;
  }
  changed();
  return at.isMissing;
};

/** What stands in the place of a new chat; null where there is a model. @param {() => unknown} done */
export const modelOffer = (done) =>
  at.isMissing && at.choices
    ? at.choices.firstModel(async () => {
        at.isMissing = false;
        await done();
      })
    : null;
