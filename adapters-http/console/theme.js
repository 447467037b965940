// Before anything is drawn: what this person chose, else what the browser says.
const chosen = localStorage.getItem("entracte-theme");
if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
