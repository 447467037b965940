// Français : les fichiers des messages, des résultats et des cartes.
/** @type {Record<string, string>} */
export default {
  "files.label": "Fichiers",
  "files.file": "Fichier",
  "files.attach": "Joindre des fichiers",
  "files.attached": "Fichiers de ce message",
  "files.drop": "Retirer « {name} »",
  "files.progress": "Envoi de « {name} »",
  "files.sending": "Envoi de {n} {n|fichier|fichiers}",
  "files.refused": "« {name} » n’a pas été accepté : retirez-le pour envoyer le message.",
  "files.unsent": "Aucune réponse n’est venue pour « {name} ».",
  "files.large": "Il a {size}, mais {most} au plus sont permis (files.max_bytes) ; réduisez-le ou augmentez le réglage.",
  "files.again": "Réessayer",
  "files.folder": "« {name} » est un dossier ; joignez ses fichiers.",
  "files.open": "Ouvrir l’image « {name} » ({what})",
  "files.save": "Enregistrer « {name} » ({what})",
  "files.save-short": "Enregistrer",
  "files.close": "Fermer",
  "files.pages": "{n} {n|page|pages}",
  "files.no-answer": "Aucune réponse n’est venue. Appuyez dessus pour réessayer.",
  "files.named": "Fichiers qu’elle désigne",
};
