// The secret is behind the #, which no server and no log sees. Opening the page decides nothing; a button does, once.
const words = {
  en: {
    looks: "Looking for what is asked …",
    nothing: "This link is not complete. Copy all of it.",
    asked: "Something waits for your decision:",
    whom: (person, until) => `You decide as ${person}. The link ends ${until}.`,
    approve: "Approve",
    reject: "Reject",
    approved: "Approved. You may close this page.",
    rejected: "Rejected. You may close this page.",
    "link-spent": "This link was used, or has expired.",
    changed: "What is asked has changed since this link was sent. See what waits in Entracte.",
    "already-decided": "It was decided, or waits for nobody any more.",
    ended: "It waits for nobody any more.",
    "not-applicable": "This is not for a link to decide. See it in Entracte.",
    "login-needed": "Log in as the person whom this link was sent to, on this browser, and open it again.",
    other: "It could not be done: ",
    rights: (person) => `It runs with the rights of ${person}.`,
    lost: "No answer came, so nobody knows whether your decision arrived. Press again: it counts once.",
    unseen: "No answer came. Open the link again; nothing was decided.",
    twice: "This link was used, perhaps by your first press. See in Entracte what was decided.",
  },
  fr: {
    looks: "Recherche de ce qui est demandé…",
    nothing: "Ce lien n’est pas complet. Copiez-le en entier.",
    asked: "Quelque chose attend votre décision\u00a0:",
    whom: (person, until) => `Vous décidez en tant que ${person}. Le lien prend fin ${until}.`,
    approve: "Approuver",
    reject: "Refuser",
    approved: "Approuvé. Vous pouvez fermer cette page.",
    rejected: "Refusé. Vous pouvez fermer cette page.",
    "link-spent": "Ce lien a été utilisé, ou a expiré.",
    changed: "Ce qui est demandé a changé depuis l’envoi de ce lien. Voyez ce qui attend dans Entracte.",
    "already-decided": "C’est déjà décidé, ou cela n’attend plus personne.",
    ended: "Cela n’attend plus personne.",
    "not-applicable": "Un lien ne peut pas en décider. Voyez-le dans Entracte.",
    "login-needed": "Connectez-vous, dans ce navigateur, comme la personne à qui ce lien a été envoyé, puis rouvrez-le.",
    other: "Impossible\u00a0: ",
    rights: (person) => `L’action s’exécute avec les droits de ${person}.`,
    lost: "Aucune réponse\u00a0: on ne sait pas si votre décision est arrivée. Appuyez à nouveau, elle ne compte qu’une fois.",
    unseen: "Aucune réponse. Rouvrez le lien\u00a0; rien n’a été décidé.",
    twice: "Ce lien a été utilisé, peut-être par votre premier appui. Voyez dans Entracte ce qui a été décidé.",
  },
};
const language = navigator.language.toLowerCase().startsWith("fr") ? "fr" : "en";
const say = words[language];
document.documentElement.lang = language;
const by = (id) => document.getElementById(id);
const secret = location.hash.slice(1);
history.replaceState(null, "", location.pathname);

/** No answer came: what was sent may have arrived. */
class Unanswered extends Error {}

/** The server said no, and by which code. */
class Refused extends Error {
  constructor(code, words) {
    super(words);
    this.code = code;
  }
}

/** A press went out before, and nobody knows what became of it. */
let isUnknown = false;

const ask = async (path, body) => {
  const headers = { "content-type": "application/json" };
  const proof = localStorage.getItem("entracte-proof");
  if (proof) headers["entracte-proof"] = proof;
  let answer;
  let told;
  try {
    answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
    told = await answer.json();
  } catch {
    // No answer, or one of somebody in between.
    throw new Unanswered();
  }
  if (!answer.ok) throw new Refused(told.code, say[told.code] ?? say.other + told.detail);
  return told;
};

const show = (opened) => {
  const card = opened.card;
  by("says").textContent = say.asked;
  by("command").textContent = `${card.session_name}: ${card.command}`;
  by("sentence").textContent = card.says;
  by("arguments").textContent = card.arguments_text;
  for (const warning of card.warnings) {
    const line = document.createElement("li");
    line.textContent = warning;
    by("warnings").append(line);
  }
  if (card.acts_as) by("rights").textContent = say.rights(card.acts_as);
  by("whom").textContent = say.whom(opened.person, new Date(opened.expires_at).toLocaleString(language));
  for (const decision of ["approve", "reject"]) {
    by(decision).textContent = say[decision];
    by(decision).addEventListener("click", () => act(opened.nonce, decision));
  }
  by("card").hidden = false;
};

/** What is said of a press that did not come through. */
const failed = (error) => {
  if (error instanceof Unanswered) {
    isUnknown = true;
    return say.lost;
  }
  return isUnknown && ["link-spent", "already-decided"].includes(error.code) ? say.twice : error.message;
};

const act = async (nonce, decision) => {
  by("approve").disabled = by("reject").disabled = true;
  try {
    await ask("v1/links/act", { secret, nonce, decision });
    by("card").hidden = true;
    by("says").textContent = decision === "approve" ? say.approved : say.rejected;
  } catch (error) {
    by("approve").disabled = by("reject").disabled = false;
    by("says").textContent = failed(error);
  }
};

if (secret) {
  by("says").textContent = say.looks;
  ask("v1/links/open", { secret }).then(show, (error) => {
    by("says").textContent = error instanceof Unanswered ? say.unseen : error.message;
  });
} else {
  by("says").textContent = say.nothing;
}
