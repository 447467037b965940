// A browser at the real server, and what is seen in it.

import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const SCREENS = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "console");

export const WIDE = { width: 1280, height: 800 };
export const PHONE = { width: 360, height: 740 };
/** Milliseconds that a page may take; a machine that does much else stands still for seconds. */
export const PATIENCE = 40_000;
/** The list of a view, once it is known whose it is and of which workspace. */
const INSIDE = "body.in .list";

let browser;

export const open = async () => (browser ??= await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] }));

export const close = async () => {
  await browser?.close();
  browser = undefined;
};

/** Closes every page: one that stays open goes on reading streams, and the server has a limit of them. */
export const leave = async () => {
  for (const context of browser?.contexts() ?? []) await context.close();
};

/** Answers a request of a page as the server does, changed. The page may close, or the server end, in the middle of it. */
export const amend = (change) => async (route) => {
  const response = await route.fetch().catch(() => undefined);
  const found = await response?.json().catch(() => undefined);
  const answered = found === undefined ? route.abort() : route.fulfill({ response, json: change(found) });
  await answered.catch(() => {});
};

/** A browser of its own, with what went wrong in it. */
export const visitor = async (stage, { viewport = WIDE, language = "en", isPhone = false, bypassCSP = false } = {}) => {
  const context = await (await open()).newContext({ viewport, locale: language === "fr" ? "fr-FR" : "en-GB", timezoneId: "UTC", hasTouch: isPhone, isMobile: isPhone, bypassCSP });
  context.setDefaultTimeout(PATIENCE);
  await context.addInitScript(() => {
    globalThis.violations = [];
    document.addEventListener("securitypolicyviolation", (event) => globalThis.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
  });
  // To look at a change before the program is built anew: the files as they lie, in the place of those in the program.
  if (process.env.CONSOLE_FILES === "disk") {
    await context.route(/\/assets\/[0-9a-f]+\//, (route) => {
      const path = join(root, "adapters-http/console", new URL(route.request().url()).pathname.replace(/^\/assets\/[0-9a-f]+\//, ""));
      const contentType = { js: "text/javascript", css: "text/css", svg: "image/svg+xml", webmanifest: "application/manifest+json" }[path.split(".").pop()];
      return existsSync(path) ? route.fulfill({ contentType, body: readFileSync(path) }) : route.fallback();
    });
    // The page itself, with what the program fills in.
    await context.route((url) => !/^\/(assets|v1|widget|docs|a|a\.js|pages\.css)(\/|$)/.test(url.pathname), async (route) => {
      if (route.request().resourceType() !== "document") return route.fallback();
      const response = await route.fetch().catch(() => undefined);
      if (!response) return route.abort().catch(() => {});
      const [served, told] = [await response.text(), (name) => new RegExp(`name="entracte-${name}" content="([^"]*)"`).exec(served)?.[1] ?? ""];
      const assets = /href="([^"]*\/assets\/[0-9a-f]+)\//.exec(served)?.[1];
      if (!assets) return route.fulfill({ response, body: served });
      const page = readFileSync(join(root, "adapters-http/console/index.html"), "utf8");
      await route.fulfill({ response, body: page.replaceAll("{assets}", assets).replaceAll("{base}", told("base")).replaceAll("{data}", told("data")).replaceAll("{file-bytes}", told("file-bytes")) }).catch(() => {});
    });
    // And those of the page that a link leads to.
    const linked = { a: ["a.html", "text/html"], "a.js": ["a.js", "text/javascript"], "pages.css": ["pages.css", "text/css"] };
    await context.route(/^[^?#]*\/(a|a\.js|pages\.css)$/, (route) => {
      const [file, contentType] = linked[route.request().url().split("/").pop()];
      return route.fulfill({ contentType, body: readFileSync(join(root, "adapters-http/src/static_pages", file)) });
    });
  }
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(String(error.stack)));
  page.on("console", (line) => {
    // That a route is not there, or nobody answers, is told by the browser itself.
    if (line.type() === "error" && !line.text().startsWith("Failed to load resource")) faults.push(line.text());
  });
  // Requests that came to nothing: what a page that waits for something may have met.
  const refused = [];
  page.on("response", (answer) => answer.status() >= 400 && refused.push(`${answer.status()} ${answer.request().method()} ${answer.url()}`));
  page.on("requestfailed", (request) => refused.push(`${request.failure()?.errorText} ${request.method()} ${request.url()}`));
  const elsewhere = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(stage.url) && !/^(data|blob):/.test(request.url())) elsewhere.push(request.url());
  });
  return { context, page, faults, refused, elsewhere, stage };
};

/** Waits for an element; one that does not come is told with what is there instead. */
export const comes = async ({ page, faults, refused }, selector) => {
  try {
    await page.waitForSelector(selector);
  } catch (error) {
    const shown = await page.evaluate(() => ({ at: location.pathname, focus: document.activeElement?.outerHTML.slice(0, 100), text: document.body.innerText.slice(0, 1500) }));
    throw new Error(`${selector} does not come: ${JSON.stringify({ ...shown, faults, refused }, null, 1)}`, { cause: error });
  }
};

/** Logs in with the link that the server printed. */
export const login = async (visit) => {
  await visit.page.goto(visit.stage.login);
  await visit.page.click(".login .btn");
  // Where there is no workspace yet, the first person makes it. The list alone is drawn before anybody knows whether there is one.
  await visit.page.waitForSelector(`${INSIDE}, #key`);
  if (await visit.page.locator("#key").count()) await visit.page.click("form .go");
  await visit.page.waitForSelector(INSIDE);
  return visit;
};

/** Somebody else, by a token: only the operator gets a link. */
export const as = async (visit, token) => {
  await visit.context.setExtraHTTPHeaders({ authorization: `Bearer ${token}` });
  await visit.context.addInitScript(() => localStorage.setItem("entracte-proof", "a program needs none"));
  await visit.page.goto(`${visit.stage.url}/inbox`);
  await visit.page.waitForSelector(INSIDE);
  return visit;
};

/** What is asked of the page holds, now or as soon as it is drawn: a click is answered before the page shows what it did. */
const becomes = async (ask, isWanted, told) => {
  const until = Date.now() + PATIENCE;
  for (;;) {
    const found = await ask();
    if (isWanted(found)) return;
    if (Date.now() > until) throw new Error(told(found));
    await new Promise((done) => setTimeout(done, 25));
  }
};

/** So many of them are there. */
export const counts = (page, selector, wanted, why = "") => becomes(() => page.locator(selector).count(), (found) => found === wanted, (found) => `${found} of ${selector}, not ${wanted}: ${why}`);

/** The first of them reads as wanted. */
export const reads = (page, selector, wanted) => becomes(() => page.locator(selector).first().innerText(), (found) => wanted.test(found), (found) => `${selector} reads ${JSON.stringify(found)}, which does not match ${wanted}`);

export const violations = (page) => page.evaluate(() => globalThis.violations);

const TEXTS = join(root, "adapters-http/console/texts");
const SETTINGS = readFileSync(join(root, "docs/reference/settings.md"), "utf8");
/** The names of all texts of the console but those that settings have, too, which pages show. */
const TEXT_NAMES = new Set((await Promise.all(readdirSync(TEXTS).filter((file) => file.startsWith("en")).map((file) => import(join(TEXTS, file))))).flatMap((group) => Object.keys(group.default)).filter((name) => !SETTINGS.includes(`\`${name}\``)));

/** Keeps a picture of the page, which shows no name of a text in the place of the text, once all have come. */
export const screen = async (page, name) => {
  const bare = async () => (await page.evaluate(() => document.body.innerText)).split(/\s+/).filter((word) => TEXT_NAMES.has(word));
  await becomes(bare, (found) => found.length === 0, (found) => `${name} shows ${found.join(", ")}, which has no text there`);
  mkdirSync(SCREENS, { recursive: true });
  await page.screenshot({ path: join(SCREENS, `${name}.png`) });
};

/** Tasks of the page's own thread while something is done, in milliseconds, the longest first: what else the machine does does
 * not count. From the browser's own trace. */
export const tasks = async (done) => {
  const session = await (await open()).newBrowserCDPSession();
  const events = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  await session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: ["toplevel", "__metadata"] } });
  await done();
  const ended = new Promise((end) => session.once("Tracing.tracingComplete", end));
  await session.send("Tracing.end");
  await ended;
  await session.detach();
  const mains = new Set(events.filter((one) => one.name === "thread_name" && one.args?.name === "CrRendererMain").map((one) => `${one.pid} ${one.tid}`));
  return events.filter((one) => one.ph === "X" && mains.has(`${one.pid} ${one.tid}`) && one.tdur !== undefined).map((one) => one.tdur / 1000).sort((a, b) => b - a);
};
