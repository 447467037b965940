// Push messages of this browser: its subscription, and what a press on a notification opens.

import { act, ask, Problem } from "./api.js";
import { base, go } from "./route.js";
import { state } from "./store.js";

const PLACE = "entracte-push ";
/** Whose targets this browser is. */
const person = () => state.me?.token.person.name ?? "";
/** Where the id of the target of this browser is kept, by workspace and person. */
const place = () => `${PLACE}${state.workspace?.key ?? ""} ${person()}`;
/** Those of all workspaces and people. */
const places = () => Object.keys(localStorage).filter((key) => key.startsWith(PLACE));
/** Whether one is somebody else's, who did not log out. A key of a workspace has no space. @param {string} key */
const isOfAnother = (key) => key.slice(PLACE.length).split(" ").slice(1).join(" ") !== person();

export const targetHere = () => localStorage.getItem(place()) ?? "";

/** The worker is the only script that this page lets run beside it. */
const worker = () => {
  const path = `${base}/push-worker.js`;
  const types = /** @type {any} */ (globalThis).trustedTypes;
  // Made once: a page may not make a second policy of one name.
  policy ??= types ? types.createPolicy("entracte-push", { createScriptURL: () => path }) : { createScriptURL: () => path };
  return policy.createScriptURL(path);
};
/** @type {any} */
let policy;

/**
 * Why this browser cannot be notified: `insecure`, `install` (it has push messages for installed pages alone), `none`,
 * `denied`; empty: it can.
 */
export const obstacle = () => {
  if (!isSecureContext) return "insecure";
  if (!("serviceWorker" in navigator) || !("PushManager" in globalThis) || !("Notification" in globalThis)) return /iPhone|iPad/.test(navigator.userAgent) ? "install" : "none";
  return Notification.permission === "denied" ? "denied" : "";
};

/** The registration of the worker, if there is one. */
const registered = () => navigator.serviceWorker.getRegistration(`${base}/`);

/** The subscription that this browser has, if any. */
export const subscription = async () => (obstacle() === "" ? ((await registered())?.pushManager.getSubscription() ?? null) : null);

/** @param {string} text */
const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));

/** @param {ArrayBuffer | null} found @param {Uint8Array} key */
const isKey = (found, key) => found !== null && String(new Uint8Array(found)) === String(key);

/** Subscribes this browser, with the key that the server has now. Gives null where its person does not allow it. */
const subscribe = async () => {
  // Asked first: a browser takes the question only as an answer to a press.
  if ((await Notification.requestPermission()) !== "granted") return null;
  const key = bytes((await ask("get_push_key", { w: state.workspace?.key ?? "" })).data.key);
  await navigator.serviceWorker.register(worker(), { scope: `${base}/`, updateViaCache: "none" });
  const { pushManager } = await navigator.serviceWorker.ready;
  const known = await pushManager.getSubscription();
  const others = places().filter(isOfAnother);
  if (known && others.length === 0 && isKey(known.options.applicationServerKey, key)) return known;
  // Of another key, which the push service would refuse; or of another person, whose messages would come here too.
  await known?.unsubscribe();
  for (const other of others) localStorage.removeItem(other);
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
};

/**
 * Adds this browser to the targets. Gives whether its person allows it.
 * @param {string} name
 * @param {boolean} withWords
 */
export const turnOn = async (name, withWords) => {
  const found = await subscribe();
  if (!found) return false;
  const { endpoint, keys } = found.toJSON();
  const push = { endpoint, p256dh: keys?.p256dh, auth: keys?.auth };
  const { data } = await act("add_target", { w: state.workspace?.key ?? "" }, { body: { name, push, wants: { private: true, full: withWords } } });
  localStorage.setItem(place(), data.id);
  return true;
};

/** Removes this browser from the targets of this workspace, and ends its subscription if no other one uses it. */
export const turnOff = async () => {
  const target = targetHere();
  try {
    if (target) await act("remove_target", { w: state.workspace?.key ?? "", target }, {});
  } catch (error) {
    // One that is removed already is what is wanted; any other stays, as does what this page knows of it.
    if (!(error instanceof Problem && error.status === 404)) throw error;
  }
  localStorage.removeItem(place());
  if (places().length === 0) await (await subscription())?.unsubscribe();
};

/** Ends what this browser is told, for whoever leaves it: what its targets are sent comes to nothing from then on. */
export const endHere = async () => {
  for (const key of places()) localStorage.removeItem(key);
  await (await subscription())?.unsubscribe();
};

/** Opens what a press on a notification asks for, in this page. */
export const watchPresses = () => {
  navigator.serviceWorker?.addEventListener("message", ({ data }) => {
    if (data?.type !== "entracte-open") return;
    const wanted = new URL(String(data.href), location.href);
    if (wanted.origin !== location.origin || !wanted.pathname.startsWith(`${base}/`)) return;
    const workspace = wanted.searchParams.get("w");
    // Another workspace is another page.
    if (workspace && workspace !== state.workspace?.key) location.assign(wanted);
    else go(wanted.pathname + wanted.search);
  });
};
