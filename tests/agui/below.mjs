// A chat window of AG-UI whose agent needs a yes: node below.mjs CLIENT URL TOKEN

import assert from "node:assert/strict";

const [client, url, token] = process.argv.slice(2);
const { HttpAgent } = await import(client);

const agent = new HttpAgent({ url, headers: { Authorization: `Bearer ${token}` }, threadId: crypto.randomUUID() });
const told = [];
agent.subscribe({ onEvent: ({ event }) => void told.push(event) });
const run = async (text, resume) => {
  told.length = 0;
  if (text) agent.addMessage({ id: crypto.randomUUID(), role: "user", content: text });
  await agent.runAgent(resume ? { resume } : {});
  return told.at(-1).outcome;
};

const waits = await run("Have a zone made");
assert.equal(waits.type, "interrupt");
const [asked, ...more] = waits.interrupts;
assert.deepEqual(more, []);
const levels = told.filter(({ type }) => type === "STATE_SNAPSHOT").map(({ snapshot }) => snapshot);
const { session, agents, card } = asked.metadata.entracte;
assert.deepEqual(agents, ["Maker"]);
assert.notEqual(session, levels[0].session);
assert.equal(card.command, "zones.create");
assert.deepEqual(card.chain.map((step) => step.agent), [null, "Maker"]);
const call = told.find(({ type }) => type === "TOOL_CALL_START");
assert.deepEqual([call.toolCallName, call.toolCallId], ["agents.Maker", asked.toolCallId], "the call that the window knows");
assert.deepEqual(levels.at(-1).waiting.map((one) => [one.session, one.agents, `${one.approval}~${one.digest}`]), [[session, agents, asked.id]]);

// The chat waits in lists and by itself, too.
const home = url.replace(/\/agui$/, "");
const get = async (path) => (await fetch(`${home}${path}`, { headers: { Authorization: `Bearer ${token}` } })).json();
const root = await get(`/sessions/${levels[0].session}`);
assert.deepEqual(root.waiting.map((one) => [one.session, one.agents, `${one.approval}~${one.digest}`]), [[session, agents, asked.id]]);
const chats = await get("/sessions?kind=chat");
assert.deepEqual(chats.items.map(({ id, waiting }) => [id, waiting]), [[levels[0].session, true]]);

const done = await run(undefined, [{ interruptId: asked.id, status: "resolved", payload: { approved: true } }]);
assert.equal(done.type, "success", JSON.stringify(told.at(-1)));
assert.equal(agent.messages.filter(({ role }) => role === "assistant").at(-1).content, "It is made.");

// A question of the agent is answered in its own session.
const asks = await run("Which colour has it?");
assert.equal(asks.type, "interrupt", JSON.stringify(told.at(-1)));
const [question] = asks.interrupts;
assert.equal(question.message, "Which colour?");
assert.deepEqual(question.metadata.entracte.agents, ["Asker"]);
const answered = await run(undefined, [{ interruptId: question.id, status: "resolved", payload: { answer: "blue" } }]);
assert.equal(answered.type, "success", JSON.stringify(told.at(-1)));
assert.equal(agent.messages.filter(({ role }) => role === "assistant").at(-1).content, "It is blue.");
console.log(JSON.stringify({ session: levels[0].session }));
