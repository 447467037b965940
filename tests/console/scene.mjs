// A workspace in which everything waits that can wait.

import { acts, asks, outside, says, Stage, turn } from "./stage.mjs";

export const LONG = "Dear Ms Larribe,\nour invoice F-2031 of 12 September (2,480.00 €) is 13 days late. ".repeat(6);
export const QUOTE = "# Oak stairs\nWith 8 % of waste the stairs take **0.94 m³** of oak.\n\n- oak: `1,870 €` per m³\n- work: *four days*\n\n| what | price |\n|---|---|\n| wood | 1,757.80 € |\n| work | 2,558.20 € |\n\nSo I come to 4,316 € before tax.";
const SCRIPTS = {
  plain: says(QUOTE, "word_delay_ms = 15") + says("Done."),
  zone: acts("I make the zone.", ["CREATE_ZONE", { name: "Workshop", description: "Everything of the workshop" }]) + says("So it is."),
  zones: acts("I make two zones.", ["CREATE_ZONE", { name: "Clients" }], ["CREATE_ZONE", { name: "Suppliers" }]) + says("Both are decided."),
  invoice: acts("I change the invoice.", ["invoices.update", { id: "F-2031", status: "reminded", due_date: "2026-10-31", penalty_rate: 10.5, contact: "compta@larribe\u200b.example", message: LONG, amount: 2480 }]) + says("The reminder left."),
  question: asks("Keep the 40 mm boards in the comparison?", ["Keep them", "Leave them out, they were not sold last year"], true) + says("Thank you. I do so."),
  reads: turn({ pre_text: "I look.", queries: [{ type: "ZONES", params: {} }], keep_control: true }) + says("You have these zones."),
};

/** What is scripted beside, more of the configuration, and where the server listens. */
export const scene = async (more = {}, config = "", bind = "") => {
  const address = await outside();
  const stage = new Stage({ ...SCRIPTS, ...more }, { port: address.port, config });
  stage.bind = bind;
  stage.outside = address;
  await stage.serve();
  stage.ann = stage.token("ann", "read", "chat", "approve", "admin");
  stage.noe = stage.token("noe", "read", "chat", "approve");
  stage.end = async () => {
    address.close();
    await stage.close();
  };
  return stage;
};

/** Chats of every kind; gives their ids. */
export const fill = async (stage) => {
  const chat = (name, text, provider, more) => stage.chat(stage.ann, name, text, { provider, ...more });
  const ids = {
    zone: await chat("Set up the workshop", "Make a zone for the workshop", "zone"),
    invoice: await chat("Chase unpaid invoices", "Remind Larribe", "invoice"),
    zones: await chat("Client files", "Make zones for clients and suppliers", "zones"),
    question: await chat("Wood prices since June", "Compare with last year", "question"),
    reads: await chat("What is there", "Which zones are there?", "reads", { require_validation: false }),
    plain: await chat("Quote for the Larribe stairs", "Make the quote for the stairs of Ms Larribe.", "plain"),
  };
  await stage.until(stage.ann, "/inbox", (found) => found.items.length >= 5);
  return ids;
};

export const inbox = async (stage) => (await stage.ask(stage.ann, "GET", "/inbox")).items;
