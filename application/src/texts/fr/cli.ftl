# La ligne de commande : messages et écrans.

# Ce que dit toute commande.

error-label = erreur :
error-output = impossible d’écrire la sortie : { $why }
cannot-be-written = impossible d’écrire dans { $file } : { $why }
cannot-be-read = impossible de lire { $file } : { $why }
listed-two = { $first }, { $second }

# doctor.

doctor-totals = vérifications : { $ok } ok, { $warn } attention, { $fail } échec
doctor-left-out = … et d’autres de « { $kind } » : { $ok } ok, { $warn } attention, { $fail } échec ; pour les voir : entracte doctor --all
doctor-grade-ok = ok
doctor-grade-warn = attention
doctor-grade-fail = échec
doctor-check-configuration = configuration
doctor-check-variables = variables
doctor-check-clock = horloge
doctor-check-data-folder = dossier de données
doctor-check-disk-space = espace disque
doctor-check-secret-files = fichiers secrets
doctor-check-default-provider = fournisseur par défaut
doctor-check-provider = fournisseur
doctor-check-window = fenêtre de
doctor-check-fallback = repli de
doctor-check-database = base de données
doctor-check-integrity = intégrité
doctor-check-owner = propriétaire
doctor-check-workspaces = espaces de travail
doctor-check-approvers = approbateurs
doctor-check-workspace = espace de travail
doctor-check-commands = commandes
doctor-check-sessions = sessions
doctor-check-session = session
doctor-check-automations = automatisations
doctor-check-automation = automatisation
doctor-check-callbacks = rappels
doctor-check-task = tâche
doctor-configuration-none = rien n’est défini ; les valeurs par défaut s’appliquent
doctor-configuration-from = lue dans { $sources }
doctor-configuration-fix = corrigez-la ; rien de ce qui en dépend n’a été vérifié
doctor-variables-ok = toutes les variables ENTRACTE_ sont utilisées
doctor-variables-unused = non utilisées : { $names }
doctor-variables-fix = pour voir les réglages en vigueur : entracte config show --origin
doctor-clock = il est { $now }
doctor-clock-fix = réglez l’horloge de cette machine : les échéances et les dates en dépendent
doctor-folder-writable = { $folder } est accessible en écriture
doctor-folder-none = { $folder } n’existe pas encore et peut être créé
doctor-folder-is-file = { $file } est un fichier, pas un dossier
doctor-folder-other = choisissez un autre dossier : entracte --data DOSSIER doctor ({ $folder })
doctor-folder-fix = rendez-le accessible en écriture, ou choisissez-en un autre : entracte --data DOSSIER doctor ({ $folder })
doctor-space = { $megabytes } Mo libres
doctor-space-fix = libérez de l’espace, ou gardez les données ailleurs : --data DOSSIER
doctor-space-unknown = impossible de le mesurer : { $why }
doctor-space-unknown-fix = vérifiez que le disque est présent
doctor-secret-files-closed = les autres utilisateurs de cette machine ne peuvent ni les lire ni les modifier
doctor-secret-files-open = les autres utilisateurs de cette machine peuvent lire ou modifier { $files }
doctor-secret-files-fix = fermez-les aux autres : chmod o= FICHIER
doctor-key-none = ne demande pas de clé
doctor-key-placeholder = la clé est un substitut : elle a moins de { $least } caractères et n’est pas retirée des textes
doctor-key-set = sa clé est définie
doctor-key-fix = définissez-la, ou utilisez un autre fournisseur : entracte provider list
doctor-key-optional = nécessaire seulement si vous utilisez ce fournisseur
doctor-window = on ne sait pas combien { $model } lit et écrit à la fois ; c’est donc estimé, à moins que son serveur ne le dise
doctor-window-fix = définissez context_tokens sous [providers.{ $provider }]
doctor-fallback-keyless = { $lists } ; { $provider } n’a pas de clé
doctor-fallback-fix = définissez la clé de { $provider }, sinon les sessions ne peuvent pas continuer avec lui
doctor-provider-unknown = il n’y a pas de fournisseur { $provider }
doctor-provider-unknown-fix = donnez une autre valeur à default_provider : entracte provider list
doctor-provider-none = aucun fournisseur n’a sa clé ; les nouvelles sessions doivent donc en nommer un
doctor-provider-none-fix = définissez la clé de l’un d’eux, ou default_provider : entracte provider list
doctor-database-none = { $place } n’existe pas encore ; la première commande qui en a besoin la crée
doctor-database-current = { $place } est à jour
doctor-database-upgraded = { $place } a été mise à niveau vers cette version : { $applied }
doctor-integrity-ok = rien n’est endommagé
doctor-integrity-fix = restaurez la dernière sauvegarde dans une nouvelle base de données et comparez, comme le dit « Back up and restore » dans docs/OPERATE.md : entracte db copy SAUVEGARDE NOUVEAU_FICHIER
doctor-counters-behind = des séquences sont en retard sur leurs tables : de nouvelles lignes de { $tables } recevraient des numéros déjà pris
doctor-standby = ce serveur est une réplique en lecture seule (standby) : on peut y lire, mais rien y faire
doctor-standby-fix = pour travailler, indiquez l’adresse du serveur primaire, ou plusieurs hôtes avec target_session_attrs=read-write
doctor-replication-none = aucune réplique n’est connectée
doctor-replication-sync = synchrone : chaque COMMIT attend une réplique : { $replicas }
doctor-replication-async = asynchrone : { $replicas } ; après une bascule, les derniers COMMIT peuvent manquer, et ce qu’ils ont fait peut être fait deux fois
doctor-replication-fix = définissez synchronous_standby_names sur le serveur, et database.require_sync = true ici, comme le dit « Failover » dans docs/OPERATE.md
doctor-servers = des serveurs se partagent la base de données : { $servers }
doctor-servers-differ = les serveurs qui se partagent la base de données diffèrent par leur version ou leur configuration : { $servers }
doctor-servers-fix = donnez à tous la même version et la même configuration
doctor-owner = la base de données appartient à { $owner }
doctor-owner-none = aucun processus n’utilise la base de données
doctor-owner-fix = rendez le dossier de données accessible en écriture
doctor-owner-lock-only = le processus { $pid } détient le verrou de la base de données et n’exécute aucune session : il la copie ou la met à niveau
doctor-owner-unknown = un processus détient le verrou de la base de données ; on ne sait pas lequel
doctor-approvers = { $quorum ->
    [one] une personne parmi { $named } doit approuver
   *[other] { $quorum } personnes parmi { $named } doivent approuver
}, et { $people ->
    [0] personne ne le peut maintenant
    [one] une seule le peut maintenant
   *[other] seules { $people } le peuvent maintenant
} : des rôles ont trop peu de membres, ou des personnes sont absentes
doctor-workspace-none = { $workspace } n’existe pas encore
doctor-workspace-ok = ses réglages sont valides ; son fuseau horaire est { $zone }
doctor-workspace-zone = son fuseau horaire { $zone } est inconnu ici ; ses dates sont donc en UTC
doctor-commands = { $count } commandes
doctor-sessions-sample-ok = un échantillon de { $count } sessions ouvertes, celles qui attendent et les dernières ; toutes peuvent continuer (--all regarde chaque session)
doctor-sessions-sample = un échantillon de { $count } sessions ouvertes, celles qui attendent et les dernières (--all regarde chaque session)
doctor-integrity-sample = rien n’est endommagé, d’après une vérification rapide (--all compare chaque ligne)
doctor-prompts = prompts des sessions ouvertes : { $done } sur { $total }
doctor-prompts-sample = les prompts de { $done } sessions sur { $total } ont été mesurés dans le temps d’un échantillon (--all les mesure tous)
doctor-examines = examen des sessions ouvertes : { $seconds } s
doctor-checks-integrity = recherche de dommages dans la base de données : { $seconds } s
doctor-sessions-ok = { $count } ouvertes ; toutes peuvent continuer
doctor-automations-ok = { $count } ; toutes sont lisibles
doctor-automation-no-grant = « { $name } » autorise des actions sans demander, et aucune personne pouvant approuver ne l’a dit pour le message qu’elle a maintenant ; ses actions attendent quelqu’un
doctor-automation-no-grant-fix = entracte automation edit { $automation } --unattended allow (si vous l’autorisez), ou --unattended park
doctor-automation-damaged = « { $name } » est illisible et ne s’exécute pas : { $why }
doctor-backup = entracte db backup FICHIER
doctor-session-unreadable = elle est illisible : { $why }
doctor-session-quarantined = mise en quarantaine, car Entracte s’est arrêté plusieurs fois au même endroit
doctor-session-quarantined-fix = pour l’examiner : entracte session journal { $session } ; pour la reprendre : entracte session resume { $session }
doctor-command-gone = elle a un appel en attente de { $command }, et cette commande n’existe plus
doctor-command-gone-fix = rétablissez la commande, sinon l’appel échouera
doctor-command-changed = elle a un appel en attente de { $command }, et cette commande a changé depuis{ $what }
doctor-command-changed-fix = elle demande de nouveau une approbation : entracte inbox
doctor-arguments = elle a un appel en attente de { $command } avec des arguments que la commande n’accepte plus : { $fault }
doctor-arguments-fix = l’appel sera refusé quand la session reprendra, et le modèle saura pourquoi ; ou refusez-le dès maintenant : entracte reject ID --reason TEXTE
doctor-restriction = elle peut utiliser { $pattern }, mais cette commande n’existe pas
doctor-restriction-fix = rétablissez-la, ou modifiez ce que la session peut utiliser : entracte session set { $session } --commands LISTE
doctor-provider-gone = son fournisseur { $provider } est inutilisable : { $why }
doctor-provider-gone-fix = ou choisissez-en un autre : entracte session set { $session } --provider NOM

# La configuration.

config-no-file = il n’y a pas de fichier de configuration { $file }
config-too-large = { $file } serait trop grand : un fichier de configuration a au plus { $most } octets
config-changed = { $file } a été modifié entre-temps par un autre programme
config-at = { $file } ligne { $line } : { $says }
config-and = { $says } ; { $more }
config-guess = vouliez-vous dire « { $guess } » ?
config-variable-guess = { $name } (vouliez-vous dire { $guess } ?)
config-variable-unused = la variable { $variable } n’est pas utilisée
config-allowed = valeurs possibles : { $words }
config-must-be = « { $setting } » doit être { $what }
config-table = « { $setting } » doit être une table : [{ $setting }]
config-tables = « { $setting } » doit contenir des tables : [{ $setting }.NOM]
config-no-setting = il n’y a pas de réglage « { $setting } »
config-agent-unknown = l’agent « { $agent } » ({ $origin }) peut appeler « { $given } », mais aucun agent de ce nom n’est déclaré ; ajoutez [agents.{ $given }], ou retirez-le de commands
config-agent-provider = l’agent « { $agent } » ({ $origin }) nomme le fournisseur « { $provider } », qui n’est pas configuré ; ajoutez [providers.{ $provider }], ou nommez-en un autre
config-fallback-unknown = { $setting } dans { $origin } : il n’y a pas de fournisseur « { $provider } » ; ajoutez [providers.{ $provider }], ou nommez-en un autre
config-fallback-circle = { $setting } dans { $origin } : la liste revient à son point de départ : { $way } ; retirez l’un des noms
config-takes-text = un texte
config-takes-list = une liste de textes, comme ["a", "b"]
config-takes-flag = true ou false
config-takes-count = un nombre entier de 0 à { $most }
config-takes-span = une durée comme "30s", "5m", "24h" ou "500ms", ou 0
config-takes-retention = forever, un âge d’au moins "24h" comme "90d", un nombre comme "latest 200", ou les deux comme "90d and latest 200"
config-takes-retention-age = forever, ou un âge comme "90d", d’au moins "24h" pour les résultats, le registre et les documents
config-takes-retention-latest = forever, ou un nombre comme "latest 200"
config-takes-word = l’un de { $words }
config-takes-whole = un nombre entier
config-takes-number = un nombre
config-takes-some-text = un texte ; pour le retirer, utilisez --unset
config-database-url = impossible de lire l’URL de la base de données : { $why }
config-database-twice = la base de données est définie plusieurs fois, par { $origins } ; ne définissez que l’un de { $places }
config-workspace = l’espace de travail « { $workspace } » doit s’écrire utilisateur:collection, comme { $example }
config-variable = { $variable }={ $given } : la valeur doit être { $what }

# Les erreurs de toute commande.

error-interrupted = interrompu
error-input = impossible de lire l’entrée : { $why }
file-exists = le fichier { $file } existe déjà ; choisissez un autre nom
file-overwrite = { $file } existe déjà ; pour le remplacer :
file-says = { $file } : { $says }
file-too-large = il dépasse { $megabytes } Mio
file-not-text = ce n’est pas du texte UTF-8
flag-says = { $flag } : { $says }
json-invalid = { $what } n’est pas du JSON valide : { $why } ; valeur reçue : { $given }
json-no-object = { $what } doit être un objet JSON comme {"{"}"name": "Health"{"}"} ; valeur reçue : { $given }
recorded-elsewhere = enregistré ; un autre processus continue
deleted-nothing = rien n’a été supprimé
delete-without-terminal = impossible de demander sans terminal s’il faut supprimer { $what } ; utilisez : { $command } --force
left-working = quitté pendant que { $session } travaillait ; pour la reprendre : entracte session resume { $session }
still-working = une session de { $workspace } travaille encore ; Ctrl-C laisse la suite à la prochaine commande

# Les sessions, les commandes, la base de données.

chat-json = --json demande un message : entracte chat --json --message TEXTE
chat-stream-json = --stream affiche du JSON ; ajoutez --json : entracte chat --json --stream --message TEXTE
chat-enrichments = le message a { $count } enrichissements ; la limite est { $most } (message.max_enrichments) et rien n’a été envoyé. Retirez-en, ou augmentez le réglage : entracte config show --origin
chat-too-long = le message a { $count } caractères ; la limite est { $most } (message.max_chars) et rien n’a été envoyé. Raccourcissez-le, ou augmentez le réglage : entracte config show --origin
chat-empty = le message est vide : entracte chat --message TEXTE
chat-none-to-continue = aucune conversation n’est ouverte dans { $workspace } ; pour en commencer une : entracte chat
chat-recent = conversations récentes :
chat-choose = numéro, ou Entrée pour une nouvelle conversation>{" "}
chat-no-choice = « { $given } » n’en est pas une ; tapez un numéro de 1 à { $most }, ou Entrée pour une nouvelle conversation
chat-session = session { $session }
approve-edit-one = --edit modifie un seul appel ; approuvez-les un par un : entracte inbox
approve-other-session = { $call } appartient à { $session }, pas à { $first } ; décidez session par session : entracte inbox
decide-approved = { $calls } : approbation enregistrée
decide-rejected = { $calls } : refus enregistré
approve-always-ask = donner cette approbation permanente ? [o]ui, [n]on>{" "}
approve-always-not = rien n’a été approuvé
approve-no-call = nommez un appel ; pour voir ceux qui attendent : entracte inbox
call-other-session = { $call } appartient à { $session }, pas à { $first }
restriction-invalid = --commands : « { $given } » n’est pas un nom de commande valide ; écrivez des noms comme zones.list, files.* pour toute une ressource ou un serveur, * pour toutes les commandes, none pour aucune
command-sizes-total = environ { $tokens } tokens en tout, si les consignes décrivent chaque commande ; celles des serveurs MCP se trouvent à la demande quand elles ne tiennent pas
command-unknown = il n’y a pas de commande { $command } ; pour les voir : entracte command list
accept-unknown = aucun serveur MCP n’a d’outil { $tool } ; pour voir ceux qui attendent : entracte command accept
accept-already = { $tool } est déjà accepté ; pour voir ceux qui attendent : entracte command accept
mcp-nothing = aucune commande ne correspond à --commands ; il n’y a donc rien à proposer
mcp-full = { $count } clients utilisent déjà ce nom ; donnez à celui-ci un autre --name
settings-no-value = le réglage { $setting } n’a pas de valeur ; écrivez { $setting }=VALEUR. Pour voir ce qu’il accepte : { $list }
db-none = il n’y a pas de base de données à l’emplacement { $place } ; `entracte chat` et `entracte serve` en créent une
db-damaged = { $place } est endommagée : { $faults }. Restaurez la dernière sauvegarde dans une nouvelle base de données et comparez, comme le dit « Back up and restore » dans docs/OPERATE.md : entracte db copy SAUVEGARDE NOUVEAU_FICHIER
db-counters-behind = { $place } donnerait des numéros déjà pris aux nouvelles lignes de { $tables } : les séquences sont en retard sur leurs tables, comme après une migration par réplication logique ; rien n’est perdu
db-counter-mended = { $table } continue après { $greatest }
db-nothing-to-repair = { $place } n’a pas besoin de réparation
db-copy-wrong = toutes les lignes ont été copiées dans { $place }, mais ces sessions ne se rejouent pas correctement : { $sessions }
db-copied = { $to } est une copie complète de { $from } ; les sessions ({ $count }) se rejouent toutes correctement
db-applied = appliquée : { $migration }
db-backs-up = écriture de la sauvegarde : { $seconds } s
db-copies = copie de la base de données : { $seconds } s
db-replays = relecture des sessions : { $done } sur { $total }
db-waits = un autre processus ouvre la base de données ; attente en cours
db-upgrading = mise à niveau de la base de données : étape { $number } sur { $count } (peut être interrompue)
db-lists-inbox = inventaire de ce qui attend dans les sessions antérieures : { $done } sur { $total } (peut être interrompu)
db-adds-up-costs = addition des coûts des sessions antérieures : { $done } sur { $total } (peut être interrompue)
session-exported = { $session } est exportée dans { $file } : { $count } entrées{ $agents ->
    [0] {""}
    [one] , un agent
   *[other] , { $agents } agents
}
session-file-large = il dépasse { $megabytes } Mio, la place de fichiers de { $files } octets (files.session_bytes) ; augmentez le réglage, ou exportez la session sans fichiers
session-files-missing = { $count ->
    [one] un fichier que la session nomme n’y est pas
   *[other] { $count } fichiers que la session nomme n’y sont pas
}
session-recorded = ce que le modèle a dit dans { $session } est enregistré dans { $file } ({ $count } tours) ; pour le rejouer :
session-record-nothing = le modèle n’a rien dit dans { $session }
session-imported = { $count } entrées{ $agents ->
    [0] {""}
    [one] , un agent
   *[other] , { $agents } agents
} ; pour continuer :
session-forked = « { $name } » ; pour continuer :
session-delete-ask = supprimer { $session } « { $name } » et tout ce qui est enregistré pour elle ? [o]ui, [n]on>{" "}
session-deleted = { $session } est supprimée
session-set-nothing = nommez au moins une chose à modifier : entracte session set --help
session-now = { $session } : { $what }
settle-again-note = elle est proposée de nouveau, comme un autre appel
settle-no-again = { $command } ne peut pas être proposée de nouveau telle quelle : elle a un argument du nom de celui par lequel un modèle demande une approbation
session-renamed = { $session } s’appelle maintenant « { $name } »
session-unnamed = nouvelle conversation

# Les fournisseurs.

provider-none = aucun fournisseur n’est disponible : aucune de { $keys } n’est définie. Définissez-en une (export { $key }=…), ou préparez un modèle ; init --rehearsed ne demande pas de clé :
chat-script-elsewhere = un autre processus fait tourner les sessions de cette base de données et ne connaît pas le scénario. Terminez-le, ou jouez le scénario sur une base à part
init-offer = Aucun modèle n’est encore préparé. Cela prend une minute ; Ctrl-D pour quitter.
init-choices = D’où viennent les réponses ?
      1  d’un service : j’ai une clé d’API (Claude, OpenAI, Groq, Gemini…)
      2  d’un modèle sur cette machine : { $servers }
      3  de nulle part : juste essayer avec un modèle de répétition, sans clé
init-choose = Numéro :
init-servers-none = aucun serveur ne répond à son port habituel
init-no-server = aucun serveur de modèles ne répond ici : Ollama au port 11434, LM Studio au 1234, llama.cpp au 8080 et vLLM au 8000 ont été interrogés, ou l’adresse que vous avez indiquée. Démarrez-en un, ou indiquez son adresse
init-key = Collez la clé (elle n’est pas affichée) :
init-key-empty = la clé est vide
init-key-unread = la clé ne peut pas être lue : { $why }
init-whose-key = De quel service est cette clé ?
init-which-model = Quel modèle ?
init-kind = « { $kind } » n’est pas un service à clé ; il y a { $known }. Pour tout autre, ajoutez un fournisseur
init-kind-unknown = la clé ne dit pas de quel service elle est ; nommez-en un parmi { $known }
init-no-model = { $provider } ne liste aucun modèle ; nommez-en un
init-no-answer = le modèle ne répond pas, donc rien n’a été écrit : { $why }
init-no-choice = dites d’où viennent les réponses : --key-file FICHIER, --local, --url URL ou --rehearsed ; dans un terminal, cette commande pose la question
init-unwritten = { $file } ne peut pas être écrit : { $why }
init-ready = Prêt : { $provider } répond avec { $model }, et les nouvelles conversations l’utilisent ({ $file })
init-ready-rehearsed = Prêt : { $provider } récite, et les nouvelles conversations l’utilisent ({ $file })
init-next = Ici : entracte chat. Dans un navigateur : entracte serve
provider-unknown = il n’y a pas de fournisseur { $provider } ; il y a : { $known }. Pour les voir : entracte provider list
provider-nothing-to-change = nommez au moins une chose à modifier
provider-path = { $key } : « { $path } » n’est pas un chemin valide : { $why }
provider-name = le nom « { $name } » ne peut contenir que des lettres, des chiffres, _ et -
provider-exists = le fournisseur { $provider } existe déjà dans { $origin } ; pour le modifier :
provider-twice = « { $key } » est donné deux fois ; donnez-le une fois
provider-not-set = « { $key } » n’est pas défini dans [providers.{ $provider }] de { $file }
provider-built-in = { $provider } est intégré et n’est dans aucun fichier ; pour l’y ajouter :
provider-elsewhere = { $provider } n’est pas dans ce fichier ; il est dans { $origin }
provider-of-program = { $provider } est donné par ce programme, et n’est dans aucun fichier
provider-default-in = default_provider dans { $origin }
provider-default-first = le premier de la configuration
provider-is-default = { $provider } est le fournisseur par défaut ({ $why }) ; choisissez-en d’abord un autre :
provider-unwritten = { $why } ; le fichier n’a pas été modifié
provider-added = { $provider } est ajouté dans { $file }
provider-changed = { $provider } est modifié dans { $file }
provider-removed = { $provider } est retiré de { $file }
provider-key-missing = sa clé n’est pas encore définie : { $why }
provider-try = pour l’essayer : entracte provider check { $provider }
provider-other-default = default_provider vaut « { $provider } » dans { $origin }, qui peut l’emporter sur ce fichier
provider-set-missing = --set { $given } : il manque une valeur ; écrivez --set CLÉ=VALEUR
provider-takes = « { $key } » doit être { $what }, et non « { $given } »
provider-no-key = un fournisseur n’a pas de clé « { $key } »
provider-local-key = { $key } : réglez-le en ligne de commande, sur la machine du serveur
provider-null-key = { $key } : null ne dit rien ; omettez-le
provider-key-variable = { $key } : nommez une variable qui se termine par { $ending }
provider-key-elsewhere = la clé { $place } n’est pas envoyée à cette adresse : par HTTP, une adresse et une clé ne se nomment ensemble que si la configuration le déclare, [secrets.NOM] avec hosts, ou si une entrée le fait déjà
provider-trusted-file = { $file } est le fichier d’un dossier qui a votre confiance tel qu’il est : modifiez-le à la main, ou démarrez le serveur sans lui
provider-written-unread = c’est écrit, et valable au prochain démarrage du serveur ; la configuration n’est pas lisible maintenant : { $why }
provider-no-object = settings : donnez un objet
entry-name = le nom « { $name } » ne peut contenir que des lettres, des chiffres, des points, _ et -
entry-hidden = { $key } : une valeur cachée ne reste que là où elle est ; donnez-lui une valeur
entry-secret = { $place } : cela ressemble à un secret, et une configuration n’en contient jamais ; donnez-le comme secret, gardé dans un fichier à part
entry-secret-elsewhere = un secret de { $entry } n’est pas envoyé à une autre adresse que celle pour laquelle il a été donné ; redonnez-le
entry-header-name = un secret est envoyé dans un en-tête dont le nom n’a que des lettres, des chiffres, - et _, pas « { $header } »
entry-no-secrets = une telle entrée n’envoie pas de secret
entry-calls-open = des appels de { $entry } sont en cours, et une personne y répond peut-être ; attendez leur fin, ou annulez-les d’abord
entry-overridden = une autre configuration a aussi { $entry }, et compte avant le fichier du serveur ; modifiez-le là
entry-not-in-force = le fichier du serveur dit autre chose qu’au dernier changement ou démarrage ; ce n’est pas encore en vigueur, et aucun programme n’est lancé pour un essai
entry-works-later = { $says } ; valable au prochain démarrage du serveur
entry-is-tried = { $entry } est déjà à l’essai ; attendez la réponse
entry-trial-late = pas de réponse en { $seconds } s
entry-unwritable = { $file } a { $entry }, ou les entrées voisines, sous une forme qui n’est pas modifiée ici ; écrivez-les comme des tables à part
entry-does-not-work = { $why } ; rien n’a été écrit
entry-mcp-answers = il répond, et a { $count ->
    [one] { $count } outil
   *[other] { $count } outils
}
entry-agent-answers = { $provider } répond pour lui : { $answer }
entry-agent-no-provider = il ne nomme aucun fournisseur, et il n’y en a pas par défaut
entry-tool-no-host = son adresse n’a pas d’hôte
entry-embeds = il fait des vecteurs de { $dims } nombres
entry-embeds-nothing = aucun fournisseur n’est nommé pour les vecteurs
provider-secret = { $place } : cela ressemble à un secret, et une configuration n’en contient jamais ; gardez-le dans une variable ou un fichier, et nommez-les : --api-key-env VARIABLE ou --api-key-file FICHIER (avec edit : --set api_key_env=VARIABLE)
provider-key-none = inutile
provider-note-default = par défaut
provider-note-set = définie
provider-note-not-set = non définie
config-origin-default = par défaut
provider-origin-built-in = intégré
provider-origin-default = { $origin }, par défaut

# Les têtes de tableaux.

head-agent = agent
head-runs = exécution
head-sends-out = envoie au dehors
head-decided-by = décidé par
head-for = pour
head-server = serveur
head-commands = commandes
head-session = session
head-standing = statut
head-phase = phase
head-next = prochain réveil
head-unread = non lus
head-activity = dernière activité
head-name = nom
head-call = appel
head-state = état
head-tries = essais
head-took = durée
head-decided = décision
head-command = commande
head-parameters = paramètres
head-answer = réponse
head-word = mot
head-kind = type
head-effect = effet
head-approval = approbation
head-model = modèle
head-dialect = dialecte
head-key = clé
head-fallback = repli
head-from = origine
head-part = partie
head-tokens = tokens
head-share = part
head-what = contenu
head-zone = zone
head-prompt = prompt
head-arguments = arguments
head-tool = outil
head-entries = entrées
head-entry = entrée
head-type = type
head-always-sent = toujours envoyé
head-description = description
head-when = date
head-data = données
head-text = texte
head-version = version
head-refreshed = dernière publication
head-proposals = propositions
own-yes = oui
own-no = non
own-done-added = ajout de « { $name } » : { $id }
own-done-changed = modification de { $id } : { $fields }
own-done-removed = suppression de { $id }
own-done-entries = { $count ->
    [one] ajout d’une entrée : { $ids }
   *[other] ajout de { $count } entrées : { $ids }
}
own-done-entries-removed = { $count ->
    [one] suppression d’une entrée
   *[other] suppression de { $count } entrées
}
own-done-discarded = abandon de { $id }
own-done-published = publication de la version { $version } de { $key }
own-no-zone = il n’y a pas de zone { $name }
own-no-tool = il n’y a pas d’outil { $name }
own-ambiguous = plusieurs s’appellent { $name } ; utilisez un de ces identifiants : { $ids }
own-no-text = il n’y a pas de texte partagé « { $key } »
own-no-zones = il n’y a pas de zone ; ajoutez-en une avec : entracte zone add NOM
own-no-tools = il n’y a pas d’outil ; ajoutez-en un avec : entracte tool add ZONE TYPE NOM
own-no-entries = il n’y a pas d’entrée ; ajoutez-en une avec : entracte entry add OUTIL JSON
own-more = il y en a { $total }, en voici { $shown } ; réduisez la liste avec --search, ou demandez-en plus avec --limit
own-no-texts = il n’y a pas de texte partagé ; proposez-en un avec : entracte text propose CLÉ FICHIER
own-text-version = texte partagé { $key }, version { $version }
own-text-change = proposition { $id } pour le texte partagé { $key }
own-text-proposal = en attente : { $id } (entracte text show { $key } --proposal { $id } ; entracte text publish { $id })
own-text-stale = périmée, faite pour une version plus ancienne : { $id } (entracte text discard { $id })
own-text-unreadable = impossible de lire { $file } : { $why }
own-text-large = il compte plus de { $most } octets

# Les mots de la machine.

word-standing-template = modèle
word-standing-open = ouverte
word-standing-active = active
word-standing-queued = en file d’attente
word-standing-suspended = suspendue
word-standing-parked = en pause
word-standing-ended = terminée
standing-waits = vous attend
standing-messages-wait = { $count ->
        [one] { $count } message attend
       *[other] { $count } messages attendent
    } le prochain tour
word-session-chat = conversation
word-session-seed = session modèle
word-session-automation = automatisation
word-session-agent = agent
word-kind-query = requête
word-kind-action = action
word-effect-child = confié à un agent
word-effect-read = lecture
word-effect-local = local
word-effect-idempotent = idempotent
word-effect-probe = vérifiable
word-effect-once = une seule fois
word-mark-destructive = irréversible
word-mark-egress = sortie de données
word-mark-asks = demandé à chaque fois
word-mark-four-eyes = quatre yeux
word-failure-unreachable = injoignable
word-failure-lost = réponse perdue
word-failure-throttled = débit limité
word-failure-overloaded = surchargé
word-failure-exhausted = quota épuisé
word-failure-refused = refusé
word-failure-context-too-long = contexte trop long
word-failure-repairable = réparable
word-failure-misconfigured = mal configuré
word-level-workspace = espace de travail
word-level-catalog = catalogue
word-level-zone = zone
word-level-tool = outil
word-level-session = session
word-level-ai-request = demande du modèle
word-level-four-eyes = quatre yeux
word-level-policy = politique
word-level-approvers = approbateurs
word-policy-allow = permis
word-policy-ask = demande une personne
word-policy-deny = refusé
word-policy-pending = en cours, ou attend son tour (policy.at_once)
word-policy-no-answer = sans réponse

# Les écrans.

session-none-such = aucune session de { $workspace } ne correspond ; pour les voir toutes : entracte session list
session-none = il n’y a pas de session dans { $workspace } ; pour en commencer une : entracte chat
messages-none-unread = aucun message non lu
author-model = modèle
parked-interrupted = elle a été interrompue ou copiée, et reste en pause jusqu’à ce que vous la repreniez
parked-quarantined = elle s’est arrêtée plusieurs fois au même endroit
parked-spending = un plafond de ses appels du modèle est presque atteint, et elle demande s’il faut continuer
placeholder-text = TEXTE
deletions-none = aucune session de { $workspace } n’a été supprimée
deletions-line = { $at }  { $session }  supprimée par { $who }
deletions-more = et { $count } autres appels ouverts
inbox-session = { $session } « { $name } »
inbox-none = rien ne vous attend dans { $workspace }
inbox-tools = le serveur MCP { $server } : personne n’a décidé de ses outils.
inbox-tools-says = { $queries ->
    [0] {""}
    [one] { $queries } requête demande avant de s’exécuter.{" "}
   *[other] { $queries } requêtes demandent avant de s’exécuter.{" "}
}{ $actions ->
    [0] {""}
    [one] { $actions } action s’exécute sans demander.
   *[other] { $actions } actions s’exécutent sans demander.
}
inbox-tools-waiting = { $count ->
    [one] { $count } approbation de ses requêtes attend :
   *[other] { $count } approbations de ses requêtes attendent :
}
inbox-off-target = la cible { $name } de { $person } est désactivée :
inbox-off-secret = le secret { $name } de { $person } est désactivé :
doctor-off-target = la cible { $name } de { $person } dans { $workspace } est désactivée : { $why }
doctor-off-secret = le secret { $name } de { $person } dans { $workspace } est désactivé : { $why }
doctor-off-target-fix = entracte notify remove { $name }, puis ajoutez-la à nouveau
doctor-off-secret-fix = entracte secret set { $name } < FICHIER
doctor-check-target = cible
doctor-check-secret = secret
doctor-secret-short-fix = prenez un secret plus long
demo-story-language = fr
demo-story-note = 72,5 kg
demo-story-zone = Santé
demo-story-message = Crée une zone « { $zone } » et note à l’extérieur que je pèse { $note }.
demo-story-looks = Je regarde d’abord ce qui existe.
demo-story-acts = Il n’y a pas encore de zone « { $zone } ». Je la crée et je note votre poids à l’extérieur.
demo-story-more = Y a-t-il autre chose ?
demo-story-done = C’est fait. { $more }
walk-place = { $number } sur { $count }
walk-keys = j suivant, k précédent, q quitter
walk-keys-approval = a approuver, e modifier, r refuser, i répondre, ? plus
walk-keys-approval-always = a approuver, A toujours, e modifier, r refuser, i répondre, ? plus
walk-keys-by-hand = a approuver, e modifier, r refuser, ? plus
walk-keys-by-hand-always = a approuver, A toujours, e modifier, r refuser, ? plus
walk-keys-question = a répondre, ? plus
walk-keys-unsettled = h elle a eu lieu, n non, ? plus
walk-keys-parked = a reprendre, ? plus
walk-keys-spending = a continuer, e pour moins, r arrêter, ? plus
walk-keys-triage = z reporter, o confier
walk-keys-none = ? plus
walk-keys-ended = s marquer comme vue, ? plus
walk-snoozed = Reporté.
walk-assigned = Confié.
walk-approved = Approuvé.
walk-rejected = Refusé.
walk-answered = Répondu.
walk-settled = Réglé.
walk-resumed = Reprise.
walk-extended = Elle continue.
walk-declined = Elle s’arrête.
walk-seen = Marquée comme vue.
inbox-suggests-rule = { $command } a été approuvée { $count ->
    [one] une fois
   *[other] { $count } fois de suite
} sans être modifiée : en faire une règle ? (A, ou --always)
walk-empty = Plus rien ne vous attend.
walk-more = Pour en lire plus : { $next }
inbox-ended-failed = échec :
inbox-ended-limited = limite atteinte :
inbox-ended-expired = approbation expirée :
workspace-zone = { $workspace } est nouveau ; ses heures sont celles de { $zone }. Pour les changer : entracte workspace settings set zone=ZONE
logs-of = la fin de { $file }
logs-none = rien n’a été journalisé dans { $file }. Un processus sans terminal journalise sur la sortie d’erreur ; sous systemd : journalctl --user -u entracte. Pour écrire aussi un fichier : log.file = true.
inbox-call-failed = échec après approbation :
inbox-call-failed-says = { $command }, que { $person } avait approuvé
inbox-ended-how = l’exécution s’est terminée avec { $reason }
inbox-ended-calls = l’exécution s’est terminée sans { $calls } : personne n’a donné son approbation à temps
inbox-ungranted = pas encore autorisé
inbox-ungranted-says = ses actions attendent quelqu’un : aucune personne pouvant approuver ne les a autorisées pour le message qu’elle a maintenant
inbox-task-contradicted = résultat différent
inbox-task-contradicted-says = le service de { $command } a annoncé { $count ->
    [one] un autre résultat
   *[other] { $count } autres résultats
} que celui qui est connu
inbox-task-asks = vous demande
inbox-task-asks-says = { $command } pose une question avant de continuer, dans les mots de son serveur :
inbox-task-answer = RÉPONSE
inbox-task-undelivered = pas lue
inbox-task-undelivered-says = { $command } s’est terminée après sa session ({ $state }) ; aucun modèle n’a lu le résultat
inbox-snoozed = { $item } quitte votre liste jusqu’à { $until }
inbox-awake = { $item } est de nouveau dans votre liste
inbox-assigned = { $item } est confié à { $person }
inbox-unassigned = { $item } n’est confié à personne
inbox-assigned-by = confié à { $person } par { $author }
inbox-snoozed-until = reporté jusqu’à { $until }
inbox-item-none = rien de ce qui attend ne s’appelle { $item }
inbox-item-many = { $item } peut désigner { $items } ; n’en nommez qu’un
inbox-seen = { $item } est marqué comme vu
inbox-seen-none = il n’y a rien à marquer comme vu dans { $workspace }
inbox-unknown = issue inconnue
inbox-unknown-settle = { $command } a peut-être eu lieu ; vérifiez, puis utilisez
turn-unknown = l’issue d’une action de { $session } est inconnue ; pour la vérifier : entracte inbox
turn-interrupted-by = { $author } a interrompu le tour ; pour reprendre :
turn-stopped-by = { $author } a arrêté la session ; pour la reprendre :
turn-ended-by = { $author } a terminé { $session } ; pour voir ce qui s’y est passé :
turn-replaced = une conversation plus récente a pris la place de { $session } dans la file, et son message attend ; pour l’envoyer au modèle :
open-replaced = une conversation plus récente a pris la place de { $session } dans la file ; pour redemander :
action-works = { $session } y travaille, ou attend son tour ; cette commande attend ce qu’il en advient
slot-waits = { $session } attend son tour depuis { $since }, au rang { $position } ; avant elle : { $ahead }
slot-waits-next = { $session } attend son tour depuis { $since }, et passe ensuite
slot-ahead = { $session } « { $name } » ({ $kind }, { $standing } depuis { $since })
turn-messages-wait = { $count ->
        [one] { $count } message de { $session } attend
       *[other] { $count } messages de { $session } attendent
    } le prochain tour ; pour le lancer : entracte session resume { $session }
screen-colon = {" "}:
screen-question = question
screen-question-other = ou votre propre réponse
screen-question-yes-no = oui ou non
verify-ok = ok
verify-mismatch = ÉCART
verify-damaged = ENDOMMAGÉE
verify-going = S’EN VA
verify-differs = diffère de son journal ; enregistré : { $stored } ; rejoué : { $replayed }
talk-keys = Ctrl-C interrompt le tour, Ctrl-D quitte la conversation ; /help dit ce qu’il y a d’autre.
talk-window-guess = La fenêtre de contexte de { $model } n’est pas connue : { $tokens } tokens, une supposition. Pour la fixer : entracte provider edit { $provider } --set context_tokens=TOKENS
talk-context = Contexte : { $full }
talk-summarized = — ce qui précède a été résumé pour le modèle ; rien n’est effacé —
talk-banner = { $name } · { $provider }, { $model }
talk-earlier = messages précédents : entracte session messages { $session }
talk-interrupted = interrompu
talk-interrupted-by = interrompu par { $name }
talk-stopped = arrêté
talk-stopped-by = arrêté par { $name }
talk-commented-by = { $name }, sur la décision de « { $call } » : { $comment }
talk-decided-by = déjà décidé par { $name } : { $what } « { $call } »
talk-answered-by = déjà répondu par { $name } : { $answer }
talk-left-goes-on = { $session } continue dans un autre processus ; pour la voir : entracte chat --session { $session }
talk-left-waits = { $session } attend ; pour la continuer : entracte chat --session { $session }
talk-help =
    /inbox  ce qui vous attend
    /plan   le dernier plan que le modèle a donné
    /model  le modèle qui parle, et comment en changer
    /enrich JSON  joint des données au prochain message : entracte command enrichments
    /attach FICHIER  joint des images, des PDF ou des textes au prochain message ; sans FICHIER, les retire
    /prompts  les prompts des serveurs MCP
    /SERVEUR:PROMPT NOM=VALEUR  va chercher un prompt, et l’envoie si vous dites oui
    /quit   quitte la conversation
    Commencez une ligne par une espace pour l’envoyer telle quelle, même si elle commence par une barre oblique.
talk-attached = partira avec votre prochain message : { $file } ; pour le retirer : /attach
talk-attach-none = aucun fichier n’attend votre prochain message ; joignez-en un : /attach FICHIER
talk-attach-back = retiré : { $files }
file-form = les modèles voient { $width } × { $height }
file-form-frame = les modèles voient la première image, { $width } × { $height }
file-words = { $name } ({ $kind }, { $bytes ->
        [one] 1 octet
       *[other] { $bytes } octets
    })
talk-prompt-of = le prompt « { $prompt } » du serveur MCP { $server }, dans les mots du serveur :
talk-prompt-send = l’envoyer comme votre message ? [o/N]{" "}
talk-prompt-unsent = le prompt n’a pas été envoyé
talk-prompt-empty = le prompt est vide ; rien n’a été envoyé
talk-prompt-arguments = écrivez les arguments ainsi : NOM=VALEUR ou NOM="UNE VALEUR" ; ceci est autre chose : { $written }
talk-prompt-twice = l’argument « { $argument } » figure deux fois
talk-no-slash = /{ $word } n’existe pas ; voyez ce qui existe : /help
talk-no-plan = le modèle n’a pas donné de plan
talk-model = { $model } de { $provider } ({ $dialect }) ; pour en changer : entracte session set { $session } --model NOM
progress-seconds = { $count } s
progress-tokens = { $count ->
        [one] { $count } token
       *[other] { $count } tokens
    }
progress-queued = attend son tour
progress-queued-at = attend son tour, au rang { $place }
progress-retry = nouvel essai dans { $seconds } s
progress-retry-of = nouvel essai dans { $seconds } s ({ $tried } sur { $most })
progress-percent = { $percent } %
progress-percent-text = { $percent } %, { $text }
progress-call = exécute { $command }
progress-compacting = résume la conversation
progress-ending = va se terminer
talk-leave = Ctrl-D quitte la conversation
talk-you = vous>{" "}
talk-answer = réponse>{" "}
talk-why = pourquoi (le modèle le lira)>{" "}
talk-why-none = Entrée encore une fois pour refuser sans motif, ou dites pourquoi>{" "}
talk-snooze = jusqu’à (later, tomorrow, monday, 3h)>{" "}
talk-assign = à qui (me, nobody)>{" "}
talk-spending-usd = USD de plus>{" "}
talk-spending-tokens = tokens de plus>{" "}
talk-instead = à la place (le modèle le lit aussitôt)>{" "}
talk-parameters = paramètres>{" "}
talk-choices = [a] approuver, [r] rejeter, [e] modifier, [i] répondre
talk-choice-always = [A] toujours
talk-choice-all = [tout] approuver les { $count }
talk-written = ce que vous avez écrit
talk-unreadable = la réponse est illisible ; nouvelle demande au modèle
outcome-timed-out = délai dépassé
outcome-unknown = son issue est inconnue
outcome-cut-off = était en cours quand Entracte s’est arrêté
outcome-lost = issue perdue
outcome-happened = vérifié : cela a eu lieu
outcome-did-not-happen = vérifié : cela n’a pas eu lieu
outcome-still-unknown = vérifié : issue toujours inconnue
command-parameters = paramètres :
command-example = exemple :
enrich-explained = Un enrichissement joint des données à un message : Entracte les lit avant d’appeler le modèle et les envoie avec le message. Un enrichissement ne modifie jamais de données.
enrich-example = Comment s’est passé {"{1}"} ?
enrich-examples = exemples :
enrich-schema = schéma :
accept-done = { $tool } est accepté
accept-none = aucun outil des serveurs MCP ne vous attend
accept-which = numéro d’un outil à accepter, ou Entrée pour quitter>{" "}
accept-no-number = « { $given } » n’est pas un numéro de la liste
accept-changed = modifié depuis qu’il a été accepté :
accept-new = nouveau :
accept-unusable = ne peut pas être une commande : { $why }
accept-accepted = accepté
accept-gone = n’est plus proposé
prompt-same = { $call } : l’empreinte est celle de ce qui a été envoyé ({ $digest })
prompt-not-recorded = { $call } : aucune empreinte n’a été enregistrée, car cet essai n’a pas eu de réponse ; celle de ces octets est { $digest }
prompt-results-gone = { $call } : { $count ->
    [one] un résultat en a été retiré
   *[other] { $count } résultats en ont été retirés
} par la politique de conservation de l’espace de travail, et GONE_BY_POLICY se trouve à leur place ; le reste est ce qui a été envoyé
prompt-differs = { $call } : ce ne sont pas les octets envoyés : leur empreinte est { $digest }, celle enregistrée est { $recorded }. Une autre version d’Entracte les a peut-être envoyés, ou l’entrée providers.{ $provider } a été modifiée et cette session est trop ancienne pour en avoir enregistré le format
prompt-no-provider = { $call } : impossible de reconstruire la requête, car son fournisseur n’est pas disponible : { $why }
prompt-written = écrit dans { $file }
prompt-sent-by = envoyée par { $session }, la session dont celle-ci est une copie
prompt-window = { $share } de la fenêtre de contexte de { $window }
prompt-no-window = la fenêtre de contexte est inconnue : entracte provider edit { $provider } --set context_tokens=NOMBRE
prompt-not-counted = « { $provider } » n’a pas pu compter la requête : { $why }
prompt-counts-none = « { $provider } » ne compte aucune requête sans y répondre ; elle a été estimée à { $estimated } tokens
prompt-counted = { $call } : le fournisseur compte { $counted } tokens, l’estimation était de { $estimated } ({ $share })
prompt-total = les parties font environ { $total } tokens, à raison de { $chars } caractères par token ; cela sert à les comparer
prompt-size = la requête entière compte pour { $size } tokens dans le budget : { $counted } comptés par le fournisseur, { $estimated } estimés ; { $window }

# Une session ou un appel.

sheet-session = session
sheet-name = nom
sheet-workspace = espace de travail
sheet-kind = type
sheet-standing = statut
sheet-phase = phase
sheet-provider = fournisseur
sheet-open-by = ouverte par
sheet-slot = attente
sheet-messages = messages
sheet-rounds = tours
sheet-calls = appels
sheet-context = contexte
sheet-context-heavy = toujours envoyé
sheet-context-size = { $size } tokens
sheet-context-full = { $size } tokens sur { $budget } ({ $percent } %) ; le modèle en prend { $window } ({ $told })
sheet-window-setting = réglé pour le fournisseur
sheet-window-listing = selon le serveur
sheet-window-table = selon la table des modèles
sheet-window-guess = une supposition
sheet-tokens = tokens
sheet-created = création
sheet-last-event = dernier événement
sheet-commands = commandes
sheet-mode = mode
sheet-plan = plan
sheet-step = étape
sheet-progress = déroulement
sheet-next = prochain réveil
sheet-ended = fin
sheet-waits-for = attend
sheet-parked = en pause
sheet-unknown = issue inconnue
sheet-task = tâche
sheet-call = appel
sheet-command = commande
sheet-state = état
sheet-parameters = paramètres
sheet-proposed = proposé
sheet-asks = demandé par
sheet-policy = politique
sheet-approval = approbation
sheet-approved-by = { $person }, { $at }
sheet-decided = décision
sheet-comment = commentaire
sheet-tries = essais
sheet-asked = demandé
sheet-started = début
sheet-finished = fin
sheet-took = durée
sheet-code = code
sheet-place = endroit
sheet-tokens-count = { $input } en entrée, { $read } lus du cache, { $write } écrits dans le cache, { $output } en sortie
sheet-rate = { $rate } appels par tour
sheet-outcomes-unknown = { $count } d’issue inconnue
sheet-succeeded = { $percent } % de réussite
sheet-times = { $mean } ms en moyenne, { $longest } ms au plus
sheet-relaunches = relances { $count }
sheet-early-stops = arrêts anticipés { $count }
sheet-closing-calls = appels de clôture { $count }
sheet-approval-of = approbation : { $ids }
sheet-answer-to = une réponse : { $question }

# Decisions bound to what was shown.

decide-seen-short = --seen demande au moins { $least } caractères d’une empreinte, pas « { $given } »
decide-seen-gone = aucune approbation en attente de { $session } n’a de fiche avec l’empreinte { $digest }
command-incomplete = il manque une commande ; choisissez parmi celles-ci
decide-seen-nowhere = aucune approbation en attente de { $workspace } n’a de fiche avec l’empreinte { $digest }
decide-nothing = rien n’attend d’approbation dans { $session }
where-invalid = --where : « { $given } » n’est pas un filtre valide ; écrivez NOM=VALEUR avec l’un de ces noms : { $names }
where-twice = --where : { $name } est donné deux fois ; une approbation doit répondre à chaque filtre
where-line = { $id } { $session } : { $says } ({ $command })
where-left = non touchés : { $count } ({ $why })
where-why-kind = n’est pas une approbation
where-why-destroys = détruit quelque chose
where-why-four-eyes = demande quatre yeux
where-why-changed = a changé depuis la demande
where-why-folded = ne s’affiche pas en entier à l’écran
where-why-outside = sort de l’espace de travail
where-why-irreversible = est irréversible
where-why-own = demande une décision à part à chaque fois
where-why-marked = a un avertissement ou des caractères invisibles
where-nothing = aucune approbation en attente qui puisse être décidée avec d’autres ne répond à ces filtres ; rien n’a été décidé
where-one-command = ce qui répond aux filtres, ce sont des appels de plusieurs commandes ({ $commands }), et rien n’a été décidé ; approuvez une commande à la fois, avec --where command=NOM
where-expected = { $count ->
    [one] { $count } approbation répond
   *[other] { $count } approbations répondent
} aux filtres, et non { $expected } ; rien n’a été décidé
where-expect-missing = { $count ->
    [one] { $count } approbation répond
   *[other] { $count } approbations répondent
} aux filtres, et rien n’a été décidé ; avec --yes, dites combien vous en attendez
where-without-terminal = { $count ->
    [one] { $count } approbation répond
   *[other] { $count } approbations répondent
} aux filtres, et rien n’a été décidé ; sans terminal, donnez --yes et combien vous en attendez
where-seen-missing = { $count ->
    [one] { $count } approbation répond
   *[other] { $count } approbations répondent
} aux filtres, et rien n’a été décidé ; avec --yes, dites avec --seen quelles fiches vous avez vues
where-seen-other = ce qui répond aux filtres n’est pas ce qui a été affiché avec cette empreinte ; rien n’a été décidé. Lisez ce qui s’affiche maintenant
where-ask-approve = { $count ->
    [one] approuver celle-ci ?
   *[other] approuver ces { $count } ?
} [o]ui, [n]on>{" "}
where-ask-reject = { $count ->
    [one] refuser celle-ci ?
   *[other] refuser ces { $count } ?
} [o]ui, [n]on>{" "}
where-not = rien n’a été décidé
where-undecided = non décidé : { $id } : { $why }
where-approved = approuvé { $done } sur { $count }
where-rejected = refusé { $done } sur { $count }
walk-hidden = { $count ->
    [one] 1 partie de cette fiche n’est pas affichée en entier. Tapez ? pour tout lire ; elle pourra ensuite être approuvée.
   *[other] { $count } parties de cette fiche ne sont pas affichées en entier. Tapez ? pour tout lire ; elle pourra ensuite être approuvée.
}
talk-hidden = { $count ->
    [one] 1 partie de cette fiche n’est pas affichée en entier. Tapez ? pour tout lire ; elle pourra ensuite être approuvée.
   *[other] { $count } parties de cette fiche ne sont pas affichées en entier. Tapez ? pour tout lire ; elle pourra ensuite être approuvée.
}
talk-choice-whole = [?] tout afficher
approve-hidden-ask = approuver tout ce qui est affiché ci-dessus ? [o]ui, [n]on>{" "}
approve-hidden = { $count ->
    [one] 1 partie de la fiche n’était pas affichée en entier ; rien n’a été approuvé. Lisez-la en entier, et dites avec --seen quelle fiche vous avez lue
   *[other] { $count } parties des fiches n’étaient pas affichées en entier ; rien n’a été approuvé. Lisez-les en entier, et dites avec --seen quelles fiches vous avez lues
}
decide-withdrawn = { $id } a été retirée, car ce qu’elle demande a changé ; la nouvelle approbation est { $now }
talk-all = [o]ui à toutes ({ $count })>{" "}
decide-seen-other = { $id } a une autre fiche que celles de --seen

## Manual pages
man-name = NOM
man-synopsis = SYNOPSIS
man-description = DESCRIPTION
man-options = OPTIONS
man-subcommands = COMMANDES
man-extra = EN PLUS
man-version = VERSION
session-fork-at = le journal de { $session } n’a pas d’événement { $at } ; ses événements sont numérotés de { $first } à { $last }, avec des trous là où d’autres sessions ont travaillé ou des données ont changé

serve-begins = à l’écoute sur { $url } ; Ctrl-C pour arrêter
serve-login = ce lien connecte un seul navigateur, une fois, pendant { $minutes ->
    [one] { $minutes } minute
   *[other] { $minutes } minutes
} :
serve-status = à l’écoute sur { $url }
login-qr-here-only = un téléphone ne peut pas ouvrir { $url }, que seule cette machine joint ; faites écouter le serveur sur une adresse de son réseau (server.bind) avec un certificat, ou mettez un mandataire devant et réglez server.public_url
login-qr-no-terminal = un code ne s’affiche que sur un terminal : qui le lit est connecté
login-qr-narrow = le code a besoin d’un terminal de { $columns } colonnes
login-qr-of-server = un code est celui du serveur de cette machine ; la connexion à un autre serveur affiche son propre code
link-in-file = il est dans le fichier { $file }, que vous seul pouvez lire
link-no-file = le fichier { $file } pour le lien ne peut pas être écrit : { $why }
serve-ends = rien de nouveau ne commence ; ce qui est en cours a { $seconds } s pour se terminer
serve-cut = ce qui était encore en cours a été interrompu ; le prochain processus reprendra là où il en était
serve-owned-elsewhere = un autre processus possède la base de données : { $holder } ; arrêtez-le, ou utilisez-le
serve-waits = la base de données appartient à { $holder } ; il lui est demandé de céder la place, et ce qui est en cours a un moment pour se terminer
serve-lost = un autre processus a pris la base de données ; elle sera reprise dès qu’elle sera libre
owner-not-reclaimed = ce processus a perdu la base de données et n’a pas pu la reprendre en { $seconds } s ; le dernier propriétaire est { $holder }. Il se termine, pour que son superviseur le relance
owner-not-reclaimed-unknown = ce processus a perdu la base de données et n’a pas pu la reprendre en { $seconds } s. Il se termine, pour que son superviseur le relance
owner-words = { $kind }, processus { $pid }
owner-words-host = { $kind }, processus { $pid } sur { $host }
owner-words-at = { $owner }, à l’adresse { $url }
login-no-server-runs = aucun serveur n’utilise cette base de données
login-owned-elsewhere = la base de données appartient à { $owner }, qui n’est pas un serveur
serve-no-room = le serveur ne peut pas écouter sur { $address } : { $why }
runtime-shares-no-server = runtime.shares_database est activé, mais la base de données n’est pas sur un serveur Postgres : un seul processus peut donc la posséder. Donnez database.url, ou désactivez runtime.shares_database
serve-no-tls = sur { $address }, les jetons traverseraient le réseau sans protection ; donnez un certificat, ou nommez dans server.trusted_proxies le proxy qui en a un
serve-no-tls-files = TLS ne peut pas être utilisé : { $why }
serve-bind-invalid = { $setting } : « { $given } » n’est pas une adresse avec un port, comme 127.0.0.1:8723
serve-base-path-invalid = { $setting } : « { $given } » n’est pas un chemin comme /entracte
serve-public-url-invalid = { $setting } : « { $given } » n’est pas une adresse web sans mot de passe, comme https://entracte.example
serve-proxy-invalid = server.trusted_proxies : « { $given } » n’est ni une adresse ni un réseau, comme 10.0.0.0/8
token-made = le jeton { $token } de { $person } est créé ; voici son secret, qui ne sera plus jamais affiché :
token-none = il n’y a aucun jeton
token-revoked-now = le jeton { $token } est révoqué
secret-kept = le secret { $name } de { $person } est enregistré dans { $workspace }
secret-removed = le secret { $name } de { $person } est retiré de { $workspace }
secret-none = { $person } n’a pas de secrets ici
secret-from-input = donnez le secret sur l’entrée standard, pas à l’écran
token-revoked = révoqué
token-for-ever = sans limite
token-everywhere = tous les espaces de travail
token-head-id = jeton
token-head-name = nom
token-head-person = personne
token-head-reach = espace de travail
token-head-scopes = portées
token-head-until = jusqu’au
token-head-used = dernier usage
context-tool-unknown = context.tool nomme { $tool }, et la configuration n’a pas d’outil HTTP de ce nom ; déclarez-le sous [[tools.http.tool]], ou retirez context.tool

help-group-most-used = Les plus utilisées
help-group-start = Pour commencer
help-group-work = Décider et suivre
help-group-data = Vos données
help-group-tools = Outils d’autrui
help-group-server = Serveur
help-group-care = Entretien
turn-resume = Le message est gardé. Quand le fournisseur répondra : { $command }

# Conservation : limites, ce qui part, retenues.
retention-chats = conversations terminées, avec leurs agents
retention-automations = exécutions d’automatisations terminées, avec leurs agents
retention-agents = agents terminés de sessions qui ne le sont pas
retention-results = résultats d’appels ; leurs lignes, coûts et empreintes restent
retention-ledger = lignes du registre de sessions terminées
retention-documents = documents que personne ne lit ni ne trouve
retention-deletions = traces des sessions supprimées
retention-changes = changements hors des sessions, pour les flux
retention-receipts = reçus des requêtes sous une clé d’idempotence
retention-notifications = notifications envoyées
head-retention-subject = quoi
head-retention-kept = gardé
head-retention-what = sens
head-retention-table = table
head-retention-rows = lignes
head-retention-bytes = octets
head-retention-held-what = retenu
head-retention-since = depuis
head-retention-author = par
head-retention-reason = motif
retention-table-sessions = sessions
retention-table-entries = entrées de journal
retention-table-calls = lignes du registre
retention-table-results = résultats
retention-table-documents = documents
retention-nothing = Rien ne part.
retention-would-go = { $rows } lignes et { $bytes } octets partiraient ; rien n’a été changé
retention-went = { $rows } lignes et { $bytes } octets sont partis
retention-lost = la connexion à { $server } a été perdue : { $why } ; ce qui avait déjà été supprimé reste supprimé : { $rows } lignes et { $bytes } octets, d’après ce que le serveur a pu dire
retention-reclaimed = la base de données a { $bytes } octets de moins
retention-progress = { $bar } { $rows } lignes sur { $whole }
retention-progress-rows = { $rows } lignes
retention-has-holds = { $count ->
    [one] Une retenue garde quelque chose, quoi que disent les limites ; pour la lister : entracte retention holds
   *[other] { $count } retenues gardent quelque chose, quoi que disent les limites ; pour les lister : entracte retention holds
}
retention-no-holds = Rien n’est retenu.
retention-held = { $what ->
    [workspace] l’espace de travail
   *[other] { $what }
} est retenu : rien n’en part
retention-held-partial = { $what } est retenu : plus rien n’en part, mais une partie en a déjà disparu
retention-hold-partial = { $what } (une partie en a disparu)
retention-released = { $what ->
    [workspace] l’espace de travail
   *[other] { $what }
} n’est plus retenu
