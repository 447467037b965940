// CopilotKit's React side in a browser, on a running server: node play.mjs ADDRESS TOKEN CHROMIUM
//
// A chat whose words come one after the other, an approval that is given on the page, and the answer after it.

import assert from "node:assert/strict";
import { createServer, request } from "node:http";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";

const [address, token, executablePath] = process.argv.slice(2);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const options = { bundle: true, format: "esm", jsx: "automatic", write: false, outdir: "built", logLevel: "error" };
const loader = { ".css": "empty", ".woff": "empty", ".woff2": "empty", ".ttf": "empty" };
const bundle = await build({ ...options, loader, entryPoints: [here("app.jsx")], define: { "process.env.NODE_ENV": '"production"' } });
const files = { "/": ["text/html", '<!doctype html><div id="root"></div><script type="module" src="/app.js"></script>'], "/app.js": ["text/javascript", bundle.outputFiles[0].text] };

// The page's own server passes its requests on, with the token that pages do not have.
const site = createServer((asked, answer) => {
  const file = files[asked.url];
  if (file) return answer.writeHead(200, { "content-type": file[0] }).end(file[1]);
  if (!asked.url.startsWith("/v1/")) return answer.writeHead(404).end();
  const { origin, referer, host, ...headers } = asked.headers;
  const passed = request(new URL(asked.url, address), { method: asked.method, headers: { ...headers, authorization: `Bearer ${token}` } }, (told) => {
    answer.writeHead(told.statusCode, told.headers);
    told.pipe(answer);
  });
  asked.pipe(passed);
});
await new Promise((ready) => site.listen(0, "127.0.0.1", ready));

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
try {
  const page = await browser.newPage();
  const faults = [];
  page.on("pageerror", (fault) => faults.push(String(fault)));
  await page.goto(`http://127.0.0.1:${site.address().port}/`);
  const shown = () => page.locator("#root").innerText();
  const until = async (wanted, what) => {
    for (let tries = 0; tries < 600; tries += 1) {
      if (wanted(await shown())) return;
      await new Promise((done) => setTimeout(done, 50));
    }
    assert.fail(`${what}: ${await shown()}\n${faults.join("\n")}`);
  };
  await page.locator("textarea").first().fill("Make a zone.");
  await page.keyboard.press("Enter");
  // Words are there before the last one is.
  await until((text) => text.includes("I make a zone") && !text.includes("for your health."), "streamed words");
  await until((text) => text.includes("for your health."), "all words");
  await page.getByTestId("card").waitFor();
  assert.equal(await page.getByTestId("card").locator("code").innerText(), "zones.create");
  await page.getByRole("button", { name: "Approve it" }).click();
  await until((text) => text.includes("It is made."), "the answer after the approval");
  await page.getByTestId("card").waitFor({ state: "detached" });
  assert.deepEqual(faults, []);
  console.log("streamed, approved, answered");
} finally {
  await browser.close();
  site.close();
}
