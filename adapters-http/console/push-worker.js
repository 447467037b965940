// Shows the push messages of the server, also while no page of the console is open. It answers no request of a page: without a
// connection there is nothing to decide on. It is served below the base path, because a worker sees only what lies below it.

const worker = /** @type {any} */ (self);

/** What a message without words says, in the language of this browser. */
const WORDS = {
  en: { one: "Something is waiting for you", many: "{n} things are waiting for you", test: "This is a test: this device is notified", again: "Notifications have stopped here. Open Entracte to turn them on again" },
  fr: { one: "Quelque chose vous attend", many: "{n} choses vous attendent", test: "Ceci est un test : cet appareil est prévenu", again: "Les notifications se sont arrêtées ici. Ouvrez Entracte pour les réactiver" },
};

const words = () => (/^fr\b/i.test(worker.navigator.language) ? WORDS.fr : WORDS.en);

/** What a message says; one that cannot be read is something that waits, because a browser shows a notification for each. */
const read = (data) => {
  try {
    const said = data.json();
    return { id: String(said.id ?? ""), count: Number(said.count) || 1, page: String(said.page ?? ""), test: said.test === true, title: said.title ? String(said.title) : "", text: said.text ? String(said.text) : "" };
  } catch {
    return { id: "", count: 1, page: "", test: false, title: "", text: "" };
  }
};

/** The address of a page of the console; a message leads nowhere else. @param {string} page */
const address = (page) => {
  const scope = new URL(worker.registration.scope);
  const inbox = new URL("inbox", scope);
  if (!page.startsWith("/") || page.startsWith("//")) return inbox.href;
  const found = new URL(page.slice(1), scope);
  return found.origin === scope.origin && found.pathname.startsWith(scope.pathname) ? found.href : inbox.href;
};

const show = (message) => {
  const { one, many, test } = words();
  const plain = message.test ? test : message.count === 1 ? one : many.replace("{n}", String(message.count));
  // A message that is sent again replaces the first one.
  return worker.registration.showNotification(message.title || "Entracte", { body: message.text || plain, tag: message.id || "entracte", data: { page: message.page } });
};

const open = async (page) => {
  const href = address(page);
  const pages = await worker.clients.matchAll({ type: "window" });
  // A page that is open goes there itself: what is being typed in it stays where it can.
  const [here] = pages;
  if (!here) return worker.clients.openWindow(href);
  // Focus is a wish: a page that may not have it goes there all the same.
  await here.focus().catch(() => {});
  here.postMessage({ type: "entracte-open", href });
};

worker.addEventListener("install", () => worker.skipWaiting());
worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener("push", (event) => event.waitUntil(show(read(event.data))));
worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(String(event.notification.data?.page ?? "")));
});
// Only a page that is logged in can tell the server of another subscription.
worker.addEventListener("pushsubscriptionchange", (event) => {
  event.waitUntil(worker.registration.showNotification("Entracte", { body: words().again, tag: "entracte-ended", data: { page: "/settings/targets" } }));
});
