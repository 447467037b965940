// The secret is behind the #, which no server and no log sees. Opening the page uses nothing up; the button does.
const says = document.getElementById("says");
const go = document.getElementById("go");
const secret = location.hash.slice(1);
history.replaceState(null, "", location.pathname);
const login = async () => {
  go.disabled = true;
  const answer = await fetch("v1/login", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ secret }),
  });
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.detail);
  localStorage.setItem("entracte-proof", told.proof);
  go.hidden = true;
  says.textContent = "You are logged in on this browser.";
};
if (secret) {
  says.textContent = "This link logs one browser in, once.";
  go.hidden = false;
  go.addEventListener("click", () => login().catch((error) => {
    go.disabled = false;
    says.textContent = `Not logged in: ${error.message}`;
  }));
} else {
  says.textContent = "Open the link that entracte serve prints when it starts.";
}
