// What reaches a phone, in the real browser: push messages and the code of a login; and the log for an operator. The push service is
// a fake one: what the browser would get from its maker is given to it by hand, exactly as the server sent it.

import assert from "node:assert/strict";
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { close, comes, leave, login, PHONE, violations, visitor } from "./browser.mjs";
import { acts, says, Stage } from "./stage.mjs";

let stage;
let service;

/** A push service on this machine: what it is sent, and how it answers. */
const pushService = async () => {
  const messages = [];
  const waiting = [];
  const server = createServer((request, answer) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const message = { headers: request.headers, body: Buffer.concat(parts) };
      const [taker] = waiting.splice(0, 1);
      if (taker) taker(message);
      else messages.push(message);
      answer.writeHead(201).end();
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { endpoint: `http://127.0.0.1:${server.address().port}/send/phone`, next: () => (messages.length > 0 ? Promise.resolve(messages.shift()) : new Promise((done) => waiting.push(done))), close: () => server.close() };
};

/** What a browser reads of a message (RFC 8291). */
const opened = (body, key, auth) => {
  const [salt, sender, record] = [body.subarray(0, 16), body.subarray(21, 86), body.subarray(86)];
  const derive = (salted, from, info, length) => Buffer.from(hkdfSync("sha256", from, salted, info, length));
  const input = derive(auth, key.computeSecret(sender), Buffer.concat([Buffer.from("WebPush: info\0"), key.getPublicKey(), sender]), 32);
  const decipher = createDecipheriv("aes-128-gcm", derive(salt, input, "Content-Encoding: aes128gcm\0", 16), derive(salt, input, "Content-Encoding: nonce\0", 12));
  decipher.setAuthTag(record.subarray(-16));
  const text = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  assert.equal(text.at(-1), 2);
  return text.subarray(0, -1).toString();
};

before(async () => {
  service = await pushService();
  const script = `${acts("I make a zone.", ["CREATE_ZONE", { name: "Health" }])}${says("So it is.")}`;
  stage = new Stage({ plain: script }, { config: 'notify.allow = ["127.0.0.1"]\nnotify.poll = "50ms"' });
  await stage.serve();
});

// A link logs in once.
beforeEach(() => {
  stage.login = JSON.parse(stage.run("--json", "login").out).login;
});

afterEach(leave);

after(async () => {
  await close();
  await stage.close();
  service.close();
});

test("web_push_reaches_the_phone", async () => {
  const visit = await visitor(stage, { viewport: PHONE, language: "fr", isPhone: true });
  const { context, page } = visit;
  const [key, auth] = [createECDH("prime256v1"), randomBytes(16)];
  key.generateKeys();
  await context.grantPermissions(["notifications"], { origin: stage.url });
  // A browser without its maker's push service subscribes nowhere, so the test stands in for the subscription alone.
  await context.addInitScript(({ endpoint, p256dh, shared }) => {
    // It outlives the page, as a browser's own does.
    const has = () => localStorage.getItem("has-subscription") !== null;
    const json = { endpoint, keys: { p256dh, auth: shared } };
    const subscription = { endpoint, options: { applicationServerKey: null }, toJSON: () => json, unsubscribe: async () => (localStorage.removeItem("has-subscription"), true) };
    PushManager.prototype.getSubscription = async () => (has() ? subscription : null);
    PushManager.prototype.subscribe = async (how) => {
      subscription.options.applicationServerKey = how.applicationServerKey.buffer;
      localStorage.setItem("has-subscription", "yes");
      return subscription;
    };
    Object.defineProperty(Notification, "permission", { get: () => "granted" });
    Notification.requestPermission = async () => "granted";
  }, { endpoint: service.endpoint, p256dh: key.getPublicKey("base64url"), shared: auth.toString("base64url") });
  const registered = [];
  const session = await context.newCDPSession(page);
  session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => registered.push(...registrations));
  await session.send("ServiceWorker.enable");

  await login(visit);
  await page.evaluate(() => localStorage.setItem("entracte-language", "fr"));
  await page.goto(`${stage.url}/settings/targets`);
  await comes(visit, "#push-on");
  assert.equal(await page.isChecked("#push-words"), false, "no words unless asked");
  await page.click("#push-on");
  await comes(visit, '.push [role="status"]:has-text("Cet appareil est prévenu.")');

  const ann = stage.token("ann", "read", "chat", "approve");
  await stage.chat(ann, "A trip", "Make a zone");
  const { headers, body } = await service.next();
  assert.equal(headers["content-encoding"], "aes128gcm");
  const text = opened(body, key, auth);
  const told = JSON.parse(text);
  assert.deepEqual([Object.keys(told).sort(), told.count], [["count", "id", "page", "test"], 1]);
  assert.ok(!/zone|Health|trip/i.test(text.replace(/apr_\w+/, "")), text);

  // From here on it is the browser's own.
  await session.send("ServiceWorker.deliverPushMessage", { origin: stage.url, registrationId: registered.at(-1).registrationId, data: text });
  const shown = await page.waitForFunction(async () => {
    const [found] = await (await navigator.serviceWorker.ready).getNotifications();
    return found ? { title: found.title, body: found.body } : null;
  });
  assert.deepEqual(await shown.jsonValue(), { title: "Entracte", body: "Quelque chose vous attend" });
  const [worker] = context.serviceWorkers();
  await worker.evaluate(async () => {
    const [notification] = await self.registration.getNotifications();
    self.dispatchEvent(new NotificationEvent("notificationclick", { notification }));
  });
  await page.waitForURL(`**${told.page.split("?")[0]}*`);
  await comes(visit, "#decide");
  assert.deepEqual(await violations(page), []);

  // Turned off, it is told nothing more, and the server forgets it.
  await page.goto(`${stage.url}/settings/targets`);
  await page.click(".push .btn.no");
  await comes(visit, "#push-on");
  assert.deepEqual((await stage.ask(ann, "GET", "/targets")).items, []);
  assert.deepEqual(visit.faults, []);
});

test("log_is_filtered_and_followed", async () => {
  const visit = await login(await visitor(stage));
  const { page } = visit;
  const lines = (numbers) => numbers.map((number) => ({ number, at: "2026-11-20T12:00:00Z", level: number % 2 ? "warn" : "info", target: "entracte", text: `line ${number}` }));
  // What the server writes by itself is not for a test to say.
  await page.route(/\/v1\/admin\/log/, (route) => {
    const query = new URL(route.request().url()).searchParams;
    const after = Number(query.get("after") ?? 0);
    const all = lines(after ? [3] : [1, 2]).filter((one) => query.get("level") !== "warn" || one.level === "warn");
    return route.fulfill({ json: { lines: after >= 3 ? [] : all, latest: after ? 3 : 2, is_cut: false } });
  });
  await page.goto(`${stage.url}/settings/logs`);
  await comes(visit, '.log li:has-text("line 2")');
  await comes(visit, '.log li:has-text("line 3")');
  await page.selectOption("#log-level", "warn");
  await page.waitForSelector('.log li:has-text("line 2")', { state: "detached" });
  assert.deepEqual([await violations(page), visit.faults], [[], []]);
});

test("phone_is_told_why_there_is_no_code", async () => {
  const visit = await login(await visitor(stage));
  const { page } = visit;
  await page.evaluate(() => localStorage.setItem("entracte-language", "en"));
  await page.goto(`${stage.url}/settings/this-browser`);
  await page.click("#phone-link");
  await comes(visit, '.phone [role="status"]:has-text("answers on this machine only")');
  // At an address that a phone can open the server gives a code.
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><path d="M0 0h4v4H0z"/></svg>';
  await page.route(/\/v1\/login\/links/, (route) => route.fulfill({ status: 201, json: { link: "https://entracte.example/login#secret", svg, expires_at: new Date(Date.now() + 600_000).toISOString() } }));
  await page.click("#phone-link");
  await page.waitForFunction(() => document.querySelector(".phone img.code")?.naturalWidth > 0);
  assert.ok(!(await page.content()).includes("login#secret"), "the link itself is nowhere on the page");
  await page.goto(`${stage.url}/settings/workspace`);
  assert.deepEqual([await violations(page), visit.faults], [[], []]);
});

// A console on the home screen of a phone is not where a link opens.
test("copied_link_logs_in", async () => {
  const { page, faults } = await visitor(stage, { viewport: PHONE, isPhone: true });
  await page.goto(`${stage.url}/login`);
  await page.fill("#link", ` ${stage.login} `);
  await page.click(".login form .btn");
  await page.click(".login .btn.go");
  await page.waitForSelector("body.in");
  assert.deepEqual([await violations(page), faults], [[], []]);
});
