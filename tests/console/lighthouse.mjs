// Measures every page of the console as Lighthouse does, on a phone of its own assumptions (a slow network, a processor of a
// quarter of this one), while 1,000 things wait: the performance of each, and how long its largest part took here, without them.
// Each page is opened five times with an empty cache; medians are told, and one that misses its goal ends the program with 1.
//
//   .ci/lighthouse [PAGE…]

import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { PATIENCE } from "./browser.mjs";
import { scene } from "./scene.mjs";
import { acts, says } from "./stage.mjs";

const { default: lighthouse } = await import(pathToFileURL(join(process.env.LIGHTHOUSE, "core/index.js")).href);

/** Sessions that wait, and the calls of each. */
const [SESSIONS, CALLS] = [40, 25];
const RUNS = 5;
/** Milliseconds after which the measure of a page ends: its stream of what changes never does. */
const MEASURED = 6_000;
/** The least performance (1 is the most), and the milliseconds that a page may take here. */
const [PERFORMANCE, VIEW] = [0.95, 300];

const median = (numbers) => numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)];

const freePort = () =>
  new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });

const zones = acts("I make the zones.", ...Array.from({ length: CALLS }, (_, n) => ["CREATE_ZONE", { name: `Client ${n + 1}`, description: "Quotes, letters and invoices of this client, the latest first." }])) + says("They are there.");
const stage = await scene({ many: zones }, "limits.calls_per_reply = 100");
const profile = mkdtempSync(join(tmpdir(), "entracte-lighthouse-"));
let missed = 0;
try {
  const made = stage.run("automation", "create", "Chase unpaid invoices", "--cron", "30 2 * * *", "--message", "Remind those who are late", "--provider", "plain");
  const plain = await stage.chat(stage.ann, "Quote for the Larribe stairs", "Make the quote for the stairs of Ms Larribe.", { provider: "plain" });
  for (let n = 0; n < SESSIONS; n += 1) await stage.chat(stage.ann, `Files of year ${1980 + n}`, "Make a zone for each client", { provider: "many" });
  await stage.until(stage.ann, "/inbox?limit=1", (found) => found.total >= SESSIONS * CALLS);
  const [item] = (await stage.ask(stage.ann, "GET", "/inbox?limit=1")).items;
  const calls = await stage.until(stage.ann, `/sessions/${plain}/model-calls`, (found) => found.items.length > 0);
  const pages = ["/inbox", `/inbox/${item.id}`, "/sessions", `/sessions/${plain}`, `/sessions/${item.session}`, `/sessions/${item.session}/detail`, `/sessions/${plain}/prompt/${calls.items[0].id}`, "/sessions/tasks", "/sessions/since", "/automations", "/automations/new", `/automations/${made.out.trim()}`, "/world", "/library", "/settings/workspace", "/settings/approvals", "/settings/agents", "/settings/http-tools", "/settings/costs", "/settings/backups", "/settings/logs", "/settings/server", "/settings/targets", "/settings/secrets", "/settings/tokens", "/settings/this-browser"];
  const wanted = process.argv.slice(2);

  const port = await freePort();
  const context = await chromium.launchPersistentContext(profile, { executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", `--remote-debugging-port=${port}`] });
  context.setDefaultTimeout(PATIENCE);
  const page = context.pages()[0] ?? (await context.newPage());
  await page.goto(stage.login);
  await page.click(".login .btn");
  await page.waitForSelector("body.in .list");
  const devtools = await context.newCDPSession(page);

  console.log(`performance  view here  page (medians of ${RUNS})`);
  for (const path of pages.filter((one) => wanted.length === 0 || wanted.includes(one))) {
    const found = [];
    for (let run = 0; run < RUNS; run += 1) {
      await devtools.send("Network.clearBrowserCache");
      // What Lighthouse resets is the login, too.
      const { lhr } = await lighthouse(stage.url + path, { port, disableStorageReset: true, maxWaitForLoad: MEASURED, onlyCategories: ["performance"], logLevel: "silent" });
      if (lhr.runtimeError) throw new Error(`${path}: ${lhr.runtimeError.message}`);
      const [metrics] = lhr.audits.metrics.details.items;
      found.push({ performance: lhr.categories.performance.score, view: metrics.observedLargestContentfulPaint, lhr });
    }
    const [performance, view] = [median(found.map((one) => one.performance)), median(found.map((one) => one.view))];
    const isMissed = performance < PERFORMANCE || view > VIEW;
    missed += isMissed;
    console.log(`${performance.toFixed(2)}         ${String(view).padStart(4)} ms    ${path}${isMissed ? "  MISSED" : ""}`);
    if (isMissed || process.env.LIGHTHOUSE_TOLD) {
      for (const name of ["first-contentful-paint", "largest-contentful-paint", "speed-index", "total-blocking-time", "cumulative-layout-shift"]) {
        console.log(`    ${name}: ${median(found.map((one) => one.lhr.audits[name].numericValue)).toFixed(3)}`);
      }
    }
  }
  await context.close();
} finally {
  await stage.end();
  rmSync(profile, { recursive: true, force: true });
}
process.exit(missed ? 1 : 0);
