// What people do with a chat window of AG-UI, by the protocol's own client: node story.mjs URL TOKEN

import assert from "node:assert/strict";
import { HttpAgent } from "@ag-ui/client";

const [url, token] = process.argv.slice(2);
const threadId = crypto.randomUUID();
const headers = { Authorization: `Bearer ${token}` };

/** A window on the thread, with what it was told. */
const open = (initialMessages = [], thread = threadId, fetch = undefined) => {
  const agent = new HttpAgent({ url, headers, threadId: thread, initialMessages, fetch });
  const told = [];
  agent.subscribe({ onEvent: ({ event }) => void told.push(event) });
  return { agent, told };
};
const said = (content) => ({ id: crypto.randomUUID(), role: "user", content });
const types = (told) => told.map((event) => event.type);
const outcome = (told) => told.at(-1).outcome;
const texts = (agent) => agent.messages.filter((message) => message.role === "assistant").map((message) => message.content);

const { agent, told } = open();

/** One run; gives what was told in it. */
const run = async (message, resume) => {
  told.length = 0;
  if (message) agent.addMessage(said(message));
  await agent.runAgent(resume ? { resume } : {});
  return [...told];
};

// A message begins the thread. Its answer comes in pieces, with a call that needs a yes.
let run1 = await run("Make a zone");
assert.deepEqual(run1.slice(0, 1).map(({ type, threadId, protocolVersion }) => ({ type, threadId, protocolVersion })), [{ type: "RUN_STARTED", threadId, protocolVersion: "1.0" }]);
const pieces = run1.filter((event) => event.type === "TEXT_MESSAGE_CONTENT");
assert.equal(pieces.map((event) => event.delta).join(""), "I make a zone.");
assert.ok(types(run1).includes("STEP_STARTED") && types(run1).includes("STATE_SNAPSHOT"), types(run1).join());
let [asked] = outcome(run1).interrupts;
assert.equal(outcome(run1).type, "interrupt");
assert.match(asked.id, /^apr_[^~]+~[0-9a-f]{64}$/);
assert.equal(asked.reason, "tool_call");
assert.equal(asked.metadata.entracte.card.command, "zones.create");
const call = run1.find((event) => event.type === "TOOL_CALL_START");
assert.equal(asked.toolCallId, call.toolCallId);
assert.equal(run1.find((event) => event.type === "TOOL_CALL_ARGS").delta, '{"name":"Health"}');
assert.deepEqual(asked.responseSchema.required, ["approved"]);

// What is no clear yes decides nothing, and neither does a yes to another card: the one that waits is told again.
agent.pendingInterrupts = [];
const refused = await run(undefined, [{ interruptId: asked.id, status: "resolved", payload: {} }]);
assert.deepEqual([refused.at(-1).type, refused.at(-1).code], ["RUN_ERROR", "invalid"], JSON.stringify(refused));
agent.pendingInterrupts = [];
const other = asked.id.replace(/~.*/, `~${"0".repeat(64)}`);
const again = await run(undefined, [{ interruptId: other, status: "resolved", payload: { approved: true } }]);
assert.deepEqual(outcome(again).interrupts.map(({ id }) => id), [asked.id]);
assert.deepEqual(again.at(-1).result, { lateAnswers: [{ interruptId: other, outcome: "changed" }] });
// Who says something else instead is asked to answer first.
agent.pendingInterrupts = [];
const instead = await run("Never mind");
assert.deepEqual([instead.at(-1).type, instead.at(-1).code], ["RUN_ERROR", "conflict"]);
agent.setMessages(agent.messages.slice(0, -1));

// Another window that knows only the thread is told all of it, and what waits.
const second = open();
await second.agent.runAgent();
assert.deepEqual(second.agent.pendingInterrupts.map(({ id }) => id), [asked.id]);
assert.deepEqual(second.agent.messages.map(({ role }) => role), ["user", "assistant"]);
assert.equal(second.agent.messages[0].id, agent.messages[0].id, "the message has the id that its client drew");

// The yes: the call runs, its result is told, and the model goes on. The same yes again changes nothing.
const yes = [{ interruptId: asked.id, status: "resolved", payload: { approved: true } }];
const run2 = await run(undefined, yes);
assert.equal(outcome(run2).type, "success");
const result = run2.find((event) => event.type === "TOOL_CALL_RESULT");
assert.equal(result.toolCallId, call.toolCallId);
assert.ok(!types(run2).includes("TOOL_CALL_START"), "the call is told once");
assert.equal(texts(agent).at(-1), "So it is.");
assert.equal(outcome(await run(undefined, yes)).type, "success");

// Arguments can be changed.
const run3 = await run("Another one");
[asked] = outcome(run3).interrupts;
await run(undefined, [{ interruptId: asked.id, status: "resolved", payload: { approved: true, editedArgs: { name: "Garden" } } }]);
assert.equal(texts(agent).at(-1), "Changed, then.");

// A no is told to the model; what is given up is rejected.
[asked] = outcome(await run("And a third")).interrupts;
const run4 = await run(undefined, [{ interruptId: asked.id, status: "resolved", payload: { approved: false, reason: "Two are enough." } }]);
assert.equal(texts(agent).at(-1), "Then not.");
assert.equal(outcome(run4).type, "success");
assert.ok(run4.some((event) => event.type === "TOOL_CALL_RESULT"));
assert.ok(agent.messages.some(({ role, toolCallId }) => role === "tool" && toolCallId === asked.toolCallId), "what came of it is told");
[asked] = outcome(await run("And a fourth")).interrupts;
await run(undefined, [{ interruptId: asked.id, status: "cancelled" }]);

// A question is answered by what it offers.
[asked] = outcome(await run("Paint it")).interrupts;
assert.equal(asked.reason, "input_required");
assert.equal(asked.message, "Which colour?");
assert.deepEqual(asked.responseSchema.properties.answer.enum, ["red", "blue"]);
const run5 = await run(undefined, [{ interruptId: asked.id, status: "resolved", payload: { answer: "blue" } }]);
assert.equal(outcome(run5).type, "success");
assert.equal(texts(agent).at(-1), "Blue it is.");

// Somebody who is cut off in the middle runs again: the message is not doubled, and no word is lost or told twice.
agent.addMessage(said("Tell me a story"));
const heard = new AbortController();
agent.subscribe({ onTextMessageContentEvent: () => void heard.abort() });
await agent.runAgent({ abortController: heard }).catch(() => {});
const cut = texts(agent).at(-1);
assert.ok(cut.length > 0 && cut.length < "Once upon a time it ended.".length, cut);
const third = open(agent.messages);
await third.agent.runAgent();
assert.equal(texts(third.agent).at(-1), "Once upon a time it ended.");
assert.equal(third.agent.messages.filter(({ role }) => role === "user").length, 7);
assert.equal(outcome(third.told).type, "success");

// A thread has a name of its own, or is a session; one that is neither begun nor a session is none.
const session = third.told.find((event) => event.type === "STATE_SNAPSHOT").snapshot.session;
const byId = open([], session);
await byId.agent.runAgent();
assert.deepEqual(byId.agent.messages.map(({ id }) => id), third.agent.messages.filter(({ role }) => role !== "reasoning").map(({ id }) => id));
for (const nobody of [open([], "ses_nobody"), open([], crypto.randomUUID())]) {
  await assert.rejects(nobody.agent.runAgent(), /HTTP 404/);
}
console.log(JSON.stringify({ session, ok: true }));
