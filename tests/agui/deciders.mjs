// A chat window of AG-UI beside a person who decides elsewhere: node deciders.mjs CLIENT URL TOKEN OTHERS_TOKEN

import assert from "node:assert/strict";

const [client, url, token, others] = process.argv.slice(2);
const { HttpAgent } = await import(client);

const threadId = crypto.randomUUID();
const agent = new HttpAgent({ url, headers: { Authorization: `Bearer ${token}` }, threadId });
const told = [];
agent.subscribe({ onEvent: ({ event }) => void told.push(event) });
const outcome = () => told.at(-1).outcome;
const texts = () => agent.messages.filter(({ role }) => role === "assistant").map(({ content }) => content);

/** One run; the interrupts at its end. */
const run = async (text, resume) => {
  told.length = 0;
  if (text) agent.addMessage({ id: crypto.randomUUID(), role: "user", content: text });
  await agent.runAgent(resume ? { resume } : {});
  assert.equal(told.at(-1).type, "RUN_FINISHED", JSON.stringify(told.at(-1)));
  return outcome().interrupts ?? [];
};
const answer = (interrupt, payload) => [{ interruptId: interrupt.id, status: "resolved", payload }];

/** What the other person does, in their own window. */
const elsewhere = async (path, body, headers = {}) => {
  const all = { Authorization: `Bearer ${others}`, "Content-Type": "application/json", "Idempotency-Key": crypto.randomUUID(), ...headers };
  const told = await fetch(url.replace(/\/agui$/, path), { method: "POST", headers: all, body: JSON.stringify(body) });
  assert.ok(told.ok, `${path}: ${told.status} ${await told.text()}`);
};
const decide = (interrupt, body) => {
  const [approval, digest] = interrupt.id.split("~");
  return elsewhere(`/approvals/${approval}/decision`, body, { "If-Match": `"${digest}"` });
};
/** What the run says of the answer that came late. */
const late = (interrupt) => {
  const [only, ...more] = told.at(-1).result.lateAnswers;
  assert.deepEqual([more, only.interruptId], [[], interrupt.id]);
  return only;
};

// Somebody approves on the phone; the yes of this window changes nothing and blocks nothing.
let [asked] = await run("Make a zone");
await decide(asked, { decision: "approve" });
assert.deepEqual(await run(undefined, answer(asked, { approved: true })), []);
const approved = late(asked);
assert.deepEqual([approved.outcome, approved.decision, approved.decidedBy], ["decided", "approved", "bob"]);
assert.equal(texts().at(-1), "So it is.");

// Somebody rejects it; a yes of this window does not run it.
[asked] = await run("Another one");
await decide(asked, { decision: "reject", reason: "One is enough." });
assert.deepEqual(await run(undefined, answer(asked, { approved: true })), []);
const rejected = late(asked);
assert.deepEqual([rejected.outcome, rejected.decision, rejected.decidedBy], ["decided", "rejected", "bob"]);
assert.equal(texts().at(-1), "Then not.");

// Somebody answers the question, and the model asks another one: it is told in place of the first.
[asked] = await run("Paint it");
assert.equal(asked.message, "Which colour?");
const session = told.find(({ type }) => type === "STATE_SNAPSHOT").snapshot.session;
await elsewhere(`/sessions/${session}/answer`, { text: "blue" });
const [second] = await run(undefined, answer(asked, { answer: "red" }));
assert.equal(late(asked).outcome, "ended");
assert.equal(second.message, "How dark?");
assert.deepEqual(await run(undefined, answer(second, { answer: "very" })), []);
assert.equal(told.at(-1).result, undefined, "this answer came in time");
assert.equal(texts().at(-1), "Dark blue it is.");
console.log(JSON.stringify({ session }));
