// What a server without a workspace shows: without a model, where the answers come from.

import { html } from "../vendor/lit-html/lit-html.js";
import { go, to } from "../core/route.js";
import { isOperator } from "../core/store.js";
import { learn } from "../core/words.js";
import { explain, founding, makeWorkspace, USUAL_WORKSPACE } from "./founding.js";
import { brand } from "./icons.js";
import { lookForModel, modelOffer } from "./model-offer.js";

/** The part of an address that begins a chat. */
const NEW_CHAT = "new";

/** Looks for a model, where this person may choose one. Meanwhile, the chat that comes next is loaded. */
export const prepare = async () => {
  if (isOperator()) await lookForModel();
  // What does not come now is asked for again when it is opened.
  Promise.all([import("../views/sessions.js"), learn(["views", "forms"])]).catch(() => {});
};

/** The first person chose where the answers come from: the workspace is made, and the first chat begins. @param {() => Promise<void>} start */
const begun = async (start) => {
  try {
    await makeWorkspace(USUAL_WORKSPACE);
    go(to("sessions", NEW_CHAT), { replace: true });
  } catch (error) {
    // The page that makes a workspace comes next, and says it.
    explain(error);
  }
  await start();
};

/** @param {() => Promise<void>} start what shows the console, once there is a workspace */
export const beginning = (start) => {
  const offer = modelOffer(() => begun(start));
  return offer ? html`<div class="center wide"><h1 class="brand">${brand}<span>Entracte</span></h1>${offer}</div>` : founding(start);
};
