// Files of conversations: how people bring them, what they see of them, and what is refused.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { after, afterEach, before, test } from "node:test";
import { close, counts, leave, login, PHONE, reads, screen, violations, visitor, WIDE } from "./browser.mjs";
import { digestOf, PDF, png } from "./pictures.mjs";
import { acts, says, Stage, W } from "./stage.mjs";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const SERVER = fileURLToPath(new URL("picture-tool.mjs", import.meta.url));
/** What a file may have in these stories, in bytes. */
const MOST = 60_000;
const LIKE = png(64, 48, [20, 60, 140]);

let stage;
let ann;

before(async () => {
  const config = `files.max_bytes = ${MOST}\nserver.stream_beat = "500ms"\n[limits]\ncompletion_delay = "1ms"\nclosing_delay = "1ms"\n[mcp.camera]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(SERVER)}]\nhandshake = "initialize"\n`;
  const plain = says("Good.") + says("I see them.");
  stage = new Stage({ plain, camera: acts("I take one.", ["camera.shot", { like: digestOf(LIKE) }]) + says("Here it is.") }, { config });
  stage.run("command", "list");
  stage.run("command", "accept");
  // No chat waits for another one.
  assert.equal(stage.run("workspace", "settings", "set", "slots=20").code, 0);
  await stage.serve();
  ann = stage.token("ann", "read", "chat", "approve", "admin");
});

afterEach(leave);

after(async () => {
  await close();
  await stage.close();
});

/** A browser of the operator, by a new link of the server. */
const visit = async (how) => {
  await stage.kill();
  return login(await visitor(await stage.serve(), how));
};

/** A chat in which something was said, open in a browser. */
const chat = async (visit) => {
  const session = await stage.chat(ann, "Pictures", "Hello", { provider: "plain" });
  await visit.page.goto(`${stage.url}/sessions/${session}`);
  await visit.page.waitForSelector('.ai:not(.live) .said:has-text("Good.")');
  return session;
};

/** Files as a drop or the clipboard has them. */
const transfer = (page, ...files) => page.evaluateHandle((all) => {
  const data = new DataTransfer();
  for (const { name, type, bytes } of all) data.items.add(new File([new Uint8Array(bytes)], name, { type }));
  return data;
}, files.map(({ name, type, bytes }) => ({ name, type, bytes: [...bytes] })));

const drop = async (page, ...files) => {
  const dataTransfer = await transfer(page, ...files);
  await page.dispatchEvent("section.pane", "dragover", { dataTransfer });
  await page.waitForSelector(".compose form.over");
  await page.dispatchEvent("section.pane", "drop", { dataTransfer });
};

const paste = async (page, ...files) => {
  const data = await transfer(page, ...files);
  await page.evaluate((clipboardData) => document.getElementById("message").dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true })), data);
};

const picture = (name, colour) => ({ name, type: "image/png", bytes: png(640, 480, colour) });
const chosen = ({ name, type, bytes }) => ({ name, mimeType: type, buffer: Buffer.from(bytes) });

// Input: two files that are chosen, one that is dropped and one that is pasted. Expected: each is shown with its progress, the
// message waits for them, a reload keeps them, and the message shows them: pictures open whole, by the keyboard too, and the
// PDF is saved under its name.
for (const [name, viewport] of [["a_laptop", WIDE], ["a_phone", PHONE]]) {
  test(`files_are_chosen_dropped_and_pasted_on_${name}`, async () => {
    const at = await visit({ viewport, isPhone: viewport === PHONE });
    const { page } = at;
    await chat(at);
    let letGo = () => {};
    const isHeld = new Promise((done) => (letGo = done));
    await page.route(/\/files\?name=chosen/, async (route) => {
      await isHeld;
      await route.continue();
    });
    await page.fill("#message", "Compare them.");
    await page.setInputFiles("#attach", [chosen(picture("chosen.png", [200, 40, 40])), chosen({ name: "report.pdf", type: "application/pdf", bytes: PDF })]);
    await counts(page, ".attached progress", 2, "both wait, one after the other");
    assert.equal(await page.locator(".attached progress").first().getAttribute("aria-label"), "“chosen.png” is being sent");
    await page.waitForSelector(".compose .go:disabled");
    await reads(page, ".compose [role=status]", /2 files are being sent/);
    letGo();
    await drop(page, picture("dropped.png", [40, 160, 40]));
    await paste(page, picture("image.png", [40, 40, 200]));
    await counts(page, ".attached .thumb img", 3);
    await counts(page, ".attached .saves", 1);
    // They are on the server, and their message is not: the page is loaded anew.
    await page.reload();
    await counts(page, ".attached .thumb img", 3, "what was not sent is kept");
    await screen(page, `files-written-on-${name}`);
    // One of them is not meant after all.
    await page.click('.attached .drop[aria-label="Remove “dropped.png”"]');
    await counts(page, ".attached li", 3);
    await page.click(".compose .go");
    await page.waitForSelector('.ai:not(.live) .said:has-text("I see them.")');
    await counts(page, ".attached", 0);
    await counts(page, ".me .thumb img", 2);
    assert.deepEqual(await page.locator(".me .pre").allTextContents(), ["Hello", "Compare them."], "the files are shown, not their lines");
    await screen(page, `files-sent-on-${name}`);
    // The whole picture.
    const thumb = page.locator(".me .thumb").first();
    assert.match(await thumb.getAttribute("aria-label"), /^Open the picture “chosen\.png” \(PNG, 640 × 480, /);
    await thumb.click();
    await page.waitForSelector("dialog.picture-view img");
    assert.equal(await page.locator("dialog.picture-view img").evaluate((image) => image.naturalWidth), 640);
    await screen(page, `files-whole-on-${name}`);
    await page.keyboard.press("Escape");
    await counts(page, "dialog.picture-view", 0);
    assert.ok(await thumb.evaluate((element) => element === document.activeElement), "the focus is where it was");
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog.picture-view img");
    await page.click('dialog.picture-view button:has-text("Close")');
    await counts(page, "dialog.picture-view", 0);
    // A PDF is saved.
    const [saved] = await Promise.all([page.waitForEvent("download"), page.click(".me .saves")]);
    assert.equal(saved.suggestedFilename(), "report.pdf");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than the page");
    assert.deepEqual([await violations(page), at.faults, at.elsewhere], [[], [], []]);
  });
}

// Input: files that are too large, of no kind that is accepted, and one that nobody answers about. Expected: each is named with
// the reason and the setting, and the message is not sent without them; nothing is wrong for whoever hears the page.
test("refused_file_names_its_limit", async () => {
  const at = await visit({ bypassCSP: true });
  const { page } = at;
  await chat(at);
  await page.setInputFiles("#attach", [
    { name: "large.txt", mimeType: "text/plain", buffer: Buffer.alloc(MOST + 1, "a") },
    { name: "program.png", mimeType: "image/png", buffer: Buffer.from("MZ\0\u0001") },
  ]);
  await counts(page, ".attached .refused", 2);
  const told = await page.locator(".attached .refused").allInnerTexts();
  assert.match(told[0], /large\.txt.*files\.max_bytes/s);
  assert.match(told[1], /program\.png.*PNG, JPEG, GIF, WebP, PDF/s);
  await page.fill("#message", "Read them.");
  await page.waitForSelector(".compose .go:disabled");
  await reads(page, ".compose [role=status]", /“large\.txt” was not taken: remove it/);
  await page.addScriptTag({ path: AXE });
  const faults = await page.evaluate(async () => (await globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"] })).violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join()}`));
  assert.deepEqual(faults, []);
  await screen(page, "files-refused");
  for (const name of ["large.txt", "program.png"]) await page.click(`.attached .drop[aria-label="Remove “${name}”"]`);
  await page.waitForSelector(".compose .go:enabled");
  // Nobody answers: it is sent again when somebody asks for it.
  await page.route(/\/files\?name=lost/, (route) => route.abort());
  await page.setInputFiles("#attach", chosen(picture("lost.png", [90, 90, 90])));
  await reads(page, ".attached .refused", /No answer came about “lost\.png”/);
  await page.unroute(/\/files\?name=lost/);
  await page.click('.attached button:has-text("Try again")');
  await counts(page, ".attached .thumb img", 1);
  // A message may be files alone.
  await page.fill("#message", "");
  await page.click(".compose .go");
  await page.waitForSelector('.ai:not(.live) .said:has-text("I see them.")');
  await counts(page, ".me .thumb img", 1);
  assert.deepEqual(at.faults, []);
});

// Input: a call whose argument is the digest of a file, and whose result is a picture. Expected: the card shows the file, in the
// inbox and in the conversation, and the conversation shows the picture that came.
test("card_shows_the_file_that_it_names", async () => {
  const at = await visit();
  const { page } = at;
  const stored = await fetch(`${stage.url}/v1/workspaces/${W}/files?name=model.png`, { method: "POST", headers: { authorization: `Bearer ${ann}` }, body: LIKE });
  assert.equal((await stored.json()).digest, digestOf(LIKE));
  const session = await stage.chat(ann, "Like this one", "Take a picture like it", { provider: "camera" });
  const { items } = await stage.until(ann, "/inbox", (found) => found.items.some((one) => one.command === "camera.shot"));
  const card = items.find((one) => one.command === "camera.shot");
  await page.goto(`${stage.url}/inbox/${card.id}`);
  await page.waitForSelector('.card [aria-label="Files that it names"] .thumb img');
  await reads(page, ".card .file", /model\.png/);
  await screen(page, "files-card");
  await page.goto(`${stage.url}/sessions/${session}`);
  await page.waitForSelector(".in-talk .thumb img");
  await stage.ask(ann, "POST", `/approvals/${card.id}/decision`, { decision: "approve" }, { "if-match": `"${card.digest}"` });
  await page.waitForSelector('.ai:not(.live) .said:has-text("Here it is.")');
  await counts(page, ".calls .thumb img", 1, "it is seen without opening the call");
  assert.match(await page.locator(".calls .thumb").getAttribute("aria-label"), /PNG, 320 × 200/);
  assert.deepEqual([await violations(page), at.faults, at.elsewhere], [[], [], []]);
});
