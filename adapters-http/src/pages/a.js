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
  },
  fr: {
    looks: "Recherche de ce qui est demandé…",
    nothing: "Ce lien n’est pas complet. Copiez-le en entier.",
    asked: "Quelque chose attend votre décision :",
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
    other: "Impossible : ",
  },
};
const language = navigator.language.toLowerCase().startsWith("fr") ? "fr" : "en";
const say = words[language];
document.documentElement.lang = language;
const by = (id) => document.getElementById(id);
const secret = location.hash.slice(1);
history.replaceState(null, "", location.pathname);

const ask = async (path, body) => {
  const headers = { "content-type": "application/json" };
  const proof = localStorage.getItem("entracte-proof");
  if (proof) headers["entracte-proof"] = proof;
  const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  const told = await answer.json();
  if (!answer.ok) throw new Error(say[told.code] ?? say.other + told.detail);
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
  by("whom").textContent = say.whom(opened.person, new Date(opened.expires_at).toLocaleString(language));
  for (const decision of ["approve", "reject"]) {
    by(decision).textContent = say[decision];
    by(decision).addEventListener("click", () => act(opened.nonce, decision));
  }
  by("card").hidden = false;
};

const act = async (nonce, decision) => {
  by("approve").disabled = by("reject").disabled = true;
  try {
    await ask("v1/links/act", { secret, nonce, decision });
    by("card").hidden = true;
    by("says").textContent = decision === "approve" ? say.approved : say.rejected;
  } catch (error) {
    by("approve").disabled = by("reject").disabled = false;
    by("says").textContent = error.message;
  }
};

if (secret) {
  by("says").textContent = say.looks;
  ask("v1/links/open", { secret }).then(show, (error) => { by("says").textContent = error.message; });
} else {
  by("says").textContent = say.nothing;
}
