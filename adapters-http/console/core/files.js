// The bytes of files: to the server with what is sent of them, and back. A picture of the page cannot show the proof that a
// request needs, so what is shown was fetched and has an address of this page alone.

import { address, NoAnswer, parse, Problem, shown } from "./api.js";
import { changed, state } from "./store.js";

/** @typedef {import("./shapes").FileShape} FileShape */
/** What was fetched of a file; `fault`: why it was not. @typedef {{ url: string, media: string, name: string, bytes: number, fault: string }} Fetched */

/** Milliseconds that a file may take on its way here. */
const PATIENCE = 120_000;

/** The files that were fetched, and those on their way, by digest. @type {Map<string, Fetched | null>} */
const known = new Map();

const where = () => ({ w: state.workspace?.key ?? "" });

/** The name that the server saves it under. @param {string} line */
const nameIn = (line) => {
  try {
    return decodeURIComponent(/filename\*=UTF-8''([^;]+)/.exec(line)?.[1] ?? "");
  } catch {
    return "";
  }
};

/** @param {string} digest @returns {Promise<Fetched>} */
const read = async (digest) => {
  let answer;
  let blob;
  try {
    answer = await fetch(address("get_file", { ...where(), digest }), { headers: shown(), signal: AbortSignal.timeout(PATIENCE), credentials: "same-origin" });
    if (!answer.ok) throw new Problem(answer.status, parse(await answer.text()));
    blob = await answer.blob();
  } catch (error) {
    throw error instanceof Problem ? error : new NoAnswer(String(error));
  }
  const media = (answer.headers.get("content-type") ?? "").split(";")[0] ?? "";
  return { url: URL.createObjectURL(blob), media, name: nameIn(answer.headers.get("content-disposition") ?? ""), bytes: blob.size, fault: "" };
};

/** What is known of a file; null: it is on its way; undefined: nobody asked. @param {string} digest */
export const fetched = (digest) => known.get(digest);

/** Fetches a file once; one that did not come is asked for again. @param {string} digest @returns {Promise<void>} */
export const fetchFile = async (digest) => {
  const before = known.get(digest);
  if (before === null || before?.url) return;
  known.set(digest, null);
  let found;
  try {
    found = await read(digest);
  } catch (error) {
    if (!(error instanceof Problem) && !(error instanceof NoAnswer)) throw error;
    found = { url: "", media: "", name: "", bytes: 0, fault: error instanceof Problem ? error.detail || error.title : "no-answer" };
  }
  // It was left meanwhile.
  if (known.get(digest) === null) known.set(digest, found);
  else if (found.url) URL.revokeObjectURL(found.url);
  changed();
};

/** Lets go of all that was fetched. */
export const forgetFiles = () => {
  for (const one of known.values()) if (one?.url) URL.revokeObjectURL(one.url);
  known.clear();
};

/** Gives the browser a file to save. @param {string} url @param {string} name */
const save = (url, name) => {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
};

/** Milliseconds after which a file that was saved is let go of. */
const SAVED = 10_000;

/** Saves a file under its name. @param {FileShape} file @throws {Problem | NoAnswer} */
export const saveFile = async (file) => {
  const there = known.get(file.digest);
  if (there?.url) return save(there.url, file.name);
  const { url } = await read(file.digest);
  save(url, file.name);
  setTimeout(() => URL.revokeObjectURL(url), SAVED);
};

/**
 * Stores a file, so that a message can name it. Sent again, it is the same file.
 * @param {File} file
 * @param {(bytes: number) => void} told how much of it was sent
 * @param {AbortSignal} signal
 * @returns {Promise<FileShape>}
 */
export const storeFile = (file, told, signal) =>
  new Promise((done, failed) => {
    // What a fetch has sent so far, nobody is told.
    const request = new XMLHttpRequest();
    request.open("POST", address("store_file", where(), { name: file.name }));
    for (const [name, value] of Object.entries(shown())) request.setRequestHeader(name, value);
    request.setRequestHeader("content-type", "application/octet-stream");
    request.upload.onprogress = (event) => told(event.loaded);
    request.onload = () => {
      const answer = parse(request.responseText);
      if (request.status === 201 && answer) done(answer);
      else failed(new Problem(request.status, answer));
    };
    request.onerror = () => failed(new NoAnswer(file.name));
    request.onabort = () => failed(new NoAnswer(file.name));
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
