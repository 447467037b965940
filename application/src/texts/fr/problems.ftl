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

# Détails des refus que les routes donnent elles-mêmes.
refusal-field = { $path } : { $says }
refusal-none-of = { $given } n’est pas l’une de ces valeurs : { $words }
refusal-instant = pas un instant de la RFC 3339, comme 2026-11-22T08:00:00Z
refusal-no-path = il n’y a pas de chemin de ce nom ; voyez /docs
refusal-other-methods = ce chemin accepte d’autres méthodes ; voyez /docs
refusal-body-large = le corps est trop grand
refusal-body-media = envoyez le corps en application/json
refusal-unreadable = la requête ne peut pas être lue
refusal-internal = voyez le journal du serveur, par l’identifiant de la requête
refusal-path-unreadable = le chemin ne peut pas être lu
refusal-host = ce serveur ne répond pas à ce nom ; réglez server.public_url ou server.hosts
refusal-origin = seules les pages de ce serveur peuvent demander ; un programme n’envoie ni Origin ni Sec-Fetch-Site
refusal-ending = le serveur va s’arrêter ; réessayez quand il sera revenu
refusal-address-full = cette adresse en a déjà { $most } ({ $setting }) ; fermez-en, et réessayez
refusal-login-only = ceci est pour une personne qui s’est connectée avec un navigateur, pas pour un jeton
refusal-operator = ceci concerne tout le serveur ; il faut un jeton pour tous les espaces de travail
refusal-path-not-utf8 = le chemin n’est pas de l’UTF-8
refusal-no-token-sent = envoyez un jeton : Authorization: Bearer entr_…
refusal-token-invalid = le jeton n’est pas valide ; créez-en un
refusal-token-expired = le jeton a expiré ; créez-en un nouveau
refusal-token-revoked = le jeton a été révoqué ; créez-en un nouveau
refusal-ticket = ce ticket a expiré, a été révoqué, ou est celui d’un autre flux ; demandez-en un : POST /v1/tickets
refusal-token-revoked-meanwhile = ce jeton a été révoqué pendant la requête ; rien n’a été modifié
refusal-outside-session = ce jeton ne fait que lire et parler dans sa session ; utilisez-en un qui n’est pas pour une page d’un autre site
refusal-origin-unlisted = aucun jeton ne nomme cette origine ; créez-en un pour ses pages : POST …/tokens avec session et origins
refusal-token-requests = ce jeton a envoyé plus de { $most } requêtes en une minute ; réessayez dans { $seconds } s
refusal-wrong-tokens = trop de jetons incorrects depuis { $address } ; réessayez dans { $seconds } s
refusal-terminal-logins = trop de connexions de terminaux ont commencé depuis { $address } ; réessayez dans { $seconds } s
refusal-callbacks = { $address } a rappelé plus de { $most } fois en une minute ; réessayez dans { $seconds } s
refusal-commit-stalled = un COMMIT n’est pas revenu depuis plus longtemps que database.commit_warning ; rien n’est écrit jusque-là
refusal-streams-workspace = cet espace de travail a { $open ->
    [one] { $open } flux ouvert
   *[other] { $open } flux ouverts
} ; fermez-en un, ou lisez toutes les sessions sur un seul flux
refusal-streams-token = ce jeton a { $open ->
    [one] { $open } flux ouvert
   *[other] { $open } flux ouverts
} ; fermez-en un, ou lisez toutes les sessions sur un seul flux
refusal-read-too = la réponse montre des données, il faut donc aussi la portée read ; le jeton a { $scopes } ; créez-en un autre
refusal-replay-read = ceci a déjà été fait, sous la même clé ; pour voir ce que c’est devenu, il faut la portée read
refusal-if-match = envoyez en If-Match l’ETag de ce que vous avez lu, avec ses guillemets ; « * » et les ETags faibles ne désignent rien qui a été lu
refusal-page-limit = { $limit } n’est pas entre 1 et { $most }
refusal-cursor-other = ce curseur n’a pas été donné pour cette liste avec ce filtre ; recommencez sans `after`
refusal-key-under-way = une requête sous cette clé est en cours ; redemandez dans un moment, sous la même clé
refusal-key = une Idempotency-Key a de 1 à { $most } caractères ASCII visibles, sans espaces ; envoyez-en une, nouvelle à chaque requête
refusal-body-secret = le corps a d’autres champs, ou d’autres types, que ceux de cette route ; ce qu’il contient n’est pas répété, car cela peut être un secret
refusal-not-json = envoyez le corps en JSON, avec Content-Type: application/json
refusal-json-depth = le JSON est imbriqué sur plus de { $most ->
    [one] { $most } niveau
   *[other] { $most } niveaux
}
refusal-not-export = envoyez le fichier tel qu’il a été exporté, avec Content-Type: application/json
refusal-body-slow = le corps a mis plus de { $seconds } s
refusal-body-cut = le corps s’est arrêté avant sa fin
refusal-body-most = un corps a { $most } octets au plus
refusal-stream-upgrade = { $why } ; demandez des server-sent events, sans Upgrade
refusal-stream-cursor = « { $given } » n’est pas un curseur valide ; envoyez l’identifiant de la dernière trame tel qu’il est venu, « now », ou « 0 » pour tout ce qu’il y a
refusal-span-negative = une durée n’est pas plus courte que 0 ms
refusal-answered-twice = { $given } reçoit deux réponses ; répondez une seule fois
refusal-no-thread-approval = { $given } n’est pas une approbation de ce fil
refusal-approve-scope = pour décider des appels, il faut la portée approve ; utilisez un jeton qui l’a
refusal-no-thread-question = { $given } n’est pas une question de ce fil
refusal-no-interrupt = { $given } n’est pas une interruption ; envoyez son identifiant tel qu’il a été donné
refusal-payload-undecided = la charge utile de { $given } ne dit pas si c’est approuvé ; envoyez { $yes }, { $edited } ou { $no }
refusal-payload-unanswered = la charge utile de { $given } n’a pas de réponse ; envoyez { $form }
refusal-id-length = doit avoir de 1 à { $most } caractères
refusal-part-kind = une partie est de type { $kind } ; seuls text et binary peuvent être envoyés
refusal-part-untyped = une partie n’a pas de type ; seuls text et binary peuvent être envoyés
refusal-part-unnamed = une partie binaire
refusal-part-base64 = les données de { $name } ne sont pas en base64 ; envoyez les octets en base64, avec leur remplissage
refusal-part-without-bytes = { $name } n’a ni data ni id, et aucune adresse n’est lue ; envoyez les octets dans data, en base64, ou enregistrez le fichier avec POST …/files et envoyez son empreinte dans id
refusal-message-text = doit être un texte, ou des parties de texte
refusal-thread-waits = le fil attend une personne ; répondez à ce qu’il attend avec resume
refusal-thread-unknown = il n’y a pas de fil { $thread } ; commencez-en un avec un message, sous un nom à vous
refusal-thread-deleted = il n’y a pas de fil { $thread } ; il a été supprimé ; commencez-en un autre
refusal-thread-gone = la session de ce fil a disparu
refusal-log-level = pas l’une de ces valeurs : { $words }
refusal-log-lines = donnez 1 à { $most }
refusal-dollars = { $given } n’est pas un montant en dollars, comme 0.25
refusal-no-model-call = il n’y a pas d’appel de modèle { $call } ; pour les lister : …/sessions/{"{s}"}/model-calls
refusal-provider-there = la configuration a un fournisseur de ce nom ; lisez-le, et envoyez son ETag en If-Match
refusal-no-provider = il n’y a pas de fournisseur { $provider }
refusal-provider-not-in-file = le fichier de configuration du serveur n’a pas de fournisseur { $provider } ; un fournisseur venu d’ailleurs se modifie là-bas
refusal-not-owner = ce serveur ne possède pas la base de données maintenant ; il la reprendra de lui-même dès qu’elle sera libre. GET /v1/admin/owner dit quel processus l’a possédée en dernier
refusal-database-slow = la base de données n’a pas répondu en { $milliseconds } ms (server.ready_timeout)
refusal-login-link = ce lien a été utilisé ou a expiré ; demandez-en un nouveau
refusal-invitation = il n’y a pas d’invitation de ce code pour vous, elle a été utilisée, ou elle a expiré ; demandez-en une nouvelle
refusal-no-tool-server = il n’y a pas de serveur MCP { $server } dont les outils sont connus ; voyez …/tool-servers
refusal-workspace-key = un espace de travail s’écrit PERSONNE:COLLECTION, avec { $most } caractères au plus et sans espaces
refusal-cursor-page = ce curseur ne désigne aucune page ; recommencez sans `after`
refusal-target-machine = ceci ne se donne que sur la machine du serveur
refusal-target-variable = nommez une variable qui commence par ENTRACTE_NOTIFY_
refusal-webhook-key = un webhook a besoin de la clé de sa signature
refusal-push-secret = un abonnement push n’a besoin d’aucun secret du serveur
refusal-target-way = donnez soit webhook, soit ntfy, soit push
refusal-no-target = il n’y a pas de cible { $target } ; pour les lister : …/targets
refusal-target-scopes = une cible privée, ou avec des liens, demande un jeton qui a les portées read et approve
refusal-target-person = seule la personne de cette cible, ou quelqu’un qui a la portée admin, peut la modifier
refusal-terminal-name = un nom a de 1 à { $most } caractères visibles sur une ligne, comme ann@laptop
refusal-terminals-off = les terminaux ne se connectent pas ici (server.terminal_logins) ; utilisez un jeton : entr_…
refusal-terminals-full = { $count ->
    [one] { $count } terminal attend
   *[other] { $count } terminaux attendent
} déjà une personne (server.terminal_logins) ; réessayez plus tard
refusal-terminal-decided = cette connexion a déjà été décidée ; pour décider à nouveau, recommencez dans le terminal
refusal-terminal-read = un terminal a besoin de read
refusal-not-own-address = pas une adresse de ce serveur, comme https://entracte.example
refusal-no-https-address = aucun autre appareil ne peut ouvrir le serveur en https ; réglez server.bind à une adresse de son réseau, avec TLS, ou placez un proxy devant et réglez server.public_url
refusal-no-terminal = aucun terminal n’attend avec ce code : il a expiré, son terminal a pris son jeton, ou le serveur a redémarré ; recommencez dans le terminal
refusal-login-refused = une personne a refusé cette connexion
refusal-login-unknown = cette connexion a expiré, son jeton a déjà été pris, ou le serveur a redémarré ; recommencez
refusal-login-ended = la connexion qui a permis celle-ci s’est terminée entre-temps ; recommencez
refusal-other-session = { $approval } est de la session { $session }
refusal-not-stream = pas le chemin d’un flux, comme /v1/workspaces/ann:home/events
refusal-callback-ended = la tâche s’est terminée autrement auparavant ; cette fin est gardée pour qu’une personne la regarde
refusal-four-eyes-off = seul un opérateur, dont le jeton atteint tous les espaces de travail, désactive les quatre yeux
refusal-no-model-spoke = aucun modèle n’a rien dit dans cette session
refusal-command-pattern = { $given } n’est ni une commande ni un motif comme files.*
refusal-enrichment = enrichments/{ $number } ne peut pas être lu
refusal-file-not-utf8 = le fichier n’est pas de l’UTF-8
refusal-rule-gone = la règle a été créée et a de nouveau disparu
refusal-no-rule = il n’y a pas de règle { $rule } ; pour les lister : …/rules?all=true
refusal-nothing-called = rien ne s’appelle { $id } ici
refusal-other-text = { $proposal } n’est pas une proposition pour ce texte
refusal-link-unopened = ouvrez d’abord le lien, et envoyez ce qu’il a donné
refusal-link-spent = ce lien a été utilisé ou a expiré ; voyez ce qui attend dans la console
refusal-link-person = connectez-vous dans ce navigateur comme la personne à qui ce lien a été envoyé, et ouvrez-le de nouveau
refusal-link-decided = la décision a été prise, ou cela n’attend plus personne
refusal-link-changed = ce qui est demandé a changé depuis l’envoi de ce lien ; voyez ce qui attend dans la console
refusal-link-unfit = un lien ne peut pas décider de ceci ; voyez-le dans la console
refusal-origins-session = des origines demandent une session : le jeton est pour des pages qui parlent dans une session
refusal-no-token = il n’y a pas de jeton { $token } ; pour les lister : …/tokens
refusal-tokens-everywhere = les jetons pour tous les espaces de travail se créent, se listent et se révoquent sur la machine du serveur
refusal-no-default-provider = la configuration n’en nomme aucun par défaut ; donnez-en un, ou réglez default_provider
refusal-inbox-order = ni age, ni session, ni automation
refusal-inbox-age = pas une durée, comme 90m, 24h ou 3d
refusal-no-data = il n’y a pas de { $kind } { $id }
refusal-other-tool = { $entry } n’est pas une entrée de cet outil
refusal-entry-there = il y a une entrée de ce nom ; lisez-la, et envoyez son ETag en If-Match
refusal-no-section = il n’y a pas de section { $section } d’entrées ; il y a : { $known }
refusal-no-entry = il n’y a pas d’entrée { $entry } dans { $section }
refusal-entry-not-in-file = le fichier de configuration du serveur n’a pas d’entrée { $entry } ; une entrée venue d’ailleurs se modifie là-bas
refusal-no-offer = aucun serveur MCP n’offre { $command } ; voyez les commandes : …/commands
refusal-offer-accepted = elle a été acceptée telle qu’elle est offerte ; il n’y a rien à accepter
refusal-offer-loosens = elle n’aurait plus besoin d’approbation ; dites que vous le voulez : true
refusal-no-embeddings = la recherche par le sens est désactivée ; la configuration du serveur n’a pas de [embeddings]
refusal-pdf-base64 = « pdf » n’est pas du base64 : { $why } ; envoyez les octets du fichier en base64
refusal-no-automation = il n’y a pas d’automatisation { $automation } ; pour les lister : …/automations
refusal-nothing-changed = rien n’est à modifier ; donnez un champ avec sa nouvelle valeur
refusal-enrichments-alone = elles vont avec un message ; donnez-le aussi
refusal-schedule-both = donnez soit cron, soit crontab
refusal-callback-forged = le message n’est pas signé par qui a reçu la tâche, ou l’a été à plus de cinq minutes d’ici
refusal-stream-resync = le flux ne peut pas continuer ({ $why }) ; relancez
refusal-session-parked = la session reste en pause jusqu’à ce qu’une personne la regarde
refusal-stream-ends = le flux se termine ({ $why }), la session continue ; relancez pour lire la suite

# Ce qui ne va pas dans le rapport d’un serveur de tâches.
refusal-report-no-json = ce n’est pas du JSON valide : { $why }
refusal-report-object = ce doit être un objet
refusal-report-missing = il manque
refusal-report-status = « { $given } » n’est pas l’une de ces valeurs : { $words }
refusal-report-text = ce doit être un texte
refusal-report-long = ce doit être un texte de { $most } caractères au plus
refusal-report-result = ce doit être un objet, comme { $form }
refusal-report-error = ce doit être un texte, ou un objet avec un message
refusal-report-instant = « { $given } » n’est pas une date valide, comme 2026-11-22T10:30:00Z
refusal-report-seconds = ce doit être un nombre de secondes
refusal-report-type = la tâche est de type « { $known } »
refusal-report-task = il nomme une autre tâche
