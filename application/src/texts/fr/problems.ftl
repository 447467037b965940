# Ce que dit un refus par HTTP : son titre selon son code, et ce qui ne va pas cette fois.

# Les titres, selon les codes.
problem-malformed = La requête ne peut pas être lue
problem-cursor-invalid = Le curseur n’appartient pas à cette liste
problem-unauthorized = Il faut un jeton valide
problem-scope-missing = Le jeton ne le permet pas
problem-four-eyes = Une autre personne doit approuver
problem-consent-needed = La personne doit donner son consentement
problem-host-refused = Cet hôte n’est pas de ce serveur
problem-origin-refused = La requête vient de la page d’une autre origine
problem-login-needed = La personne concernée doit se connecter
problem-login-refused = La connexion a été refusée
problem-not-found = Introuvable
problem-method-not-allowed = Cette méthode n’est pas permise ici
problem-conflict = Ce n’est plus possible
problem-already-decided = La décision a déjà été prise
problem-already-held = Une autre personne l’a mis en conservation
problem-ended = Cela n’attend plus personne
problem-not-applicable = Cela ne s’applique à rien
problem-idempotency-in-progress = Une requête sous cette clé est en cours
problem-link-spent = Le lien a été utilisé, ou a expiré
problem-changed = Cela a changé depuis la lecture
problem-too-large = Le corps est trop grand
problem-media-type = Le corps doit être du JSON
problem-invalid = La requête n’est pas valide
problem-idempotency-mismatch = La clé a servi à une autre requête
problem-precondition-required = Il faut If-Match
problem-rate-limited = Trop de requêtes
problem-too-many-streams = Trop de flux sont ouverts
problem-internal = Le serveur a échoué
problem-not-taken = Le propriétaire de la base de données n’a pas répondu
problem-database-unavailable = La base de données est inutilisable
problem-readers-busy = Trop de documents attendent d’être lus
problem-shutting-down = Le serveur s’arrête
