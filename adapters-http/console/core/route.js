// Everything has an address. What is below the base path is `/view/id/part`.

/** What the page says of its server. @param {string} name */
const said = (name) => document.querySelector(`meta[name="${name}"]`)?.getAttribute("content") ?? "";

/** What every path of this server begins with. */
export const base = said("entracte-base");
/** Whether this server has zones, tools and entries: a program can be built without them. */
export const hasData = said("entracte-data") !== "none";
/** The largest file of a conversation, in bytes (`files.max_bytes`). */
export const fileBytes = Number(said("entracte-file-bytes")) || Infinity;

/**
 * @typedef {{ view: string, parts: string[], query: URLSearchParams }} Place
 */

/** @returns {Place} */
export const place = () => {
  const path = location.pathname.slice(base.length);
  const [view = "", ...parts] = path.split("/").filter(Boolean).map(decode);
  return { view: view || "inbox", parts, query: new URLSearchParams(location.search) };
};

/** @param {string} part */
const decode = (part) => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

/**
 * The address of a view.
 * @param {...string} parts
 */
export const to = (...parts) => `${base}/${parts.map(encodeURIComponent).join("/")}`;

/** @type {() => void} */
let moved = () => {};

/** @param {() => void} told */
export const onMove = (told) => {
  moved = told;
  addEventListener("popstate", told);
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const link = /** @type {HTMLElement} */ (event.target).closest?.("a[href]");
    if (!(link instanceof HTMLAnchorElement) || link.origin !== location.origin || link.target || link.download) return;
    if (link.hash && link.pathname === location.pathname) return;
    if (!link.pathname.startsWith(`${base}/`) || link.pathname.startsWith(`${base}/v1/`) || link.pathname === `${base}/docs`) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
};

/**
 * @param {string} path
 * @param {{ replace?: boolean }} [how]
 */
export const go = (path, { replace = false } = {}) => {
  if (path === location.pathname + location.search) return;
  if (replace) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  moved();
};
