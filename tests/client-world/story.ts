// What a person does with the API, whichever client was generated from its document.

import assert from "node:assert/strict";

export interface Answer<T> {
  status: number;
  body: T;
}

/** The operations of the story. `T` of each are the client's own types. */
export interface Client {
  start(provider: string): Promise<Answer<{ id: string }>>;
  send(session: string, text: string): Promise<Answer<unknown>>;
  approvals(): Promise<Answer<{ items: { id: string; session: string; digest?: string | null }[] }>>;
  decide(approval: string, digest: string, decision: "approve" | "reject"): Promise<Answer<unknown>>;
  messages(session: string, limit: number, after?: string): Promise<Answer<{ items: { id: string; text: string }[]; next?: string | null }>>;
}

export const WORKSPACE = "local:main";
export const address = process.env.ADDRESS ?? "";
export const token = process.env.TOKEN ?? "";

const until = async <T>(look: () => Promise<T | undefined>): Promise<T> => {
  for (let tries = 0; tries < 200; tries += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error("it does not happen");
};

/** A chat with an approval, a decision that comes too late, and a page after another. */
export const play = async (client: Client): Promise<void> => {
  const begun = await client.start("stage");
  assert.equal(begun.status, 201);
  const session = begun.body.id;
  assert.equal((await client.send(session, "Make a zone.")).status, 202);
  const card = await until(async () => (await client.approvals()).body.items.find((item) => item.session === session));
  assert.equal((await client.decide(card.id, card.digest ?? "", "approve")).status, 200);
  const texts = await until(async () => {
    const page = await client.messages(session, 50);
    const all = page.body.items.map((message) => message.text);
    return all.some((text) => text.includes("It is made.")) ? all : undefined;
  });
  assert.equal((await client.decide(card.id, card.digest ?? "", "reject")).status, 409, "it was decided");
  const first = await client.messages(session, 1);
  assert.equal(first.body.items.length, 1);
  assert.ok(first.body.next, "there is another page");
  const second = await client.messages(session, 1, first.body.next ?? undefined);
  assert.notEqual(second.body.items[0]?.id, first.body.items[0]?.id);
  console.log(`${texts.length} messages`);
};
