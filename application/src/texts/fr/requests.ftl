# Pourquoi une demande est refusée, et ce qui est dit quand quelque chose a changé.

news-data-title = # Données toujours envoyées, telles qu’elles étaient au début de cette conversation (ou de cette partie)
news-data-changed = Ces données ont changé. Les voici maintenant :
news-commands-changed = Les commandes disponibles dans cette session ont changé. Les voici : { $commands }
news-mode-plan = Une personne a mis cette session en mode plan : avant l’approbation d’un plan, seules les requêtes sont exécutées.
news-mode-free = Une personne a libéré cette session : les actions n’exigent plus de plan. Elles demandent toujours les approbations qu’il leur faut.
news-commands-none = Aucune commande n’est plus disponible dans cette session.
news-data-gone = { $section } n’est plus envoyé ; lis-le quand tu en as besoin.
news-data-order = Les données toujours envoyées sont les mêmes, dans un nouvel ordre.

request-no-session = il n’y a pas de session { $session }
request-restriction-faulty = { $given } n’est pas un nom de commande ; écrivez des noms comme zones.list, ou files.* pour toutes les commandes d’une ressource ou d’un serveur, ou * pour toutes les commandes
request-restriction-empty = aucune commande ne correspond à { $given }
request-key-reused = la clé d’idempotence { $key } a servi à une autre demande ; envoyez une autre clé avec une autre demande
request-session-gone = la session n’existe plus
request-session-ended = la session { $session } est terminée et n’accepte plus de demandes ; commencez-en une autre
request-queue-full = la file des messages est pleine (limits.message_queue) ; attendez que les messages en attente aient leur réponse
request-never-run = une session modèle (seed) ne peut pas être exécutée
request-conflict = quelqu’un d’autre a décidé avant dans { $session }
request-four-eyes-asked = ceci demande quatre yeux : une personne qui n’a rien écrit dans cet échange doit l’approuver, et vous y avez écrit ; demandez à quelqu’un d’autre, ou refusez
request-four-eyes-wrote = ceci demande quatre yeux : si vous le modifiez, personne d’autre n’aura vu ce qui s’exécute ; refusez en donnant votre raison, et n’approuvez que ce qui est affiché
request-four-eyes-unknown = ceci demande quatre yeux, et l’on ne sait pas qui l’a demandé ; refusez, puis demandez à nouveau
request-approval-counted = { $person } l’a déjà approuvé, et une seule personne peut être derrière vous deux : l’un a créé un jeton de l’autre, ou la même personne a créé les deux ; demandez à quelqu’un d’autre
request-always-early = plusieurs personnes doivent approuver ceci, et d’autres ne l’ont pas encore fait ; approuvez-le pour cette fois, et seule la dernière peut en faire une règle
request-approver-unlisted = seules les personnes que la carte nomme peuvent approuver ceci, et vous n’en êtes pas ; demandez à l’une d’elles, ou refusez
request-needs-approve = ceci laisserait passer des actions sans demander, ou demanderait moins souvent que ce qui est réglé au-dessus ; seule une personne ayant la portée approve peut le régler : omettez-le, ou demandez à une personne qui peut approuver
request-configuration-refuses = la configuration refuse ce que personne ne peut approuver (validation.unattended vaut refuse), et rien ne l’autorise à nouveau ; omettez-le, ou mettez refuse
request-no-chat = seule une conversation peut être ouverte, et { $session } n’en est pas une ; une exécution passe d’elle-même à son tour
request-already-idle = { $session } est déjà au repos
request-not-waiting = ce message n’attend plus dans { $session } : le modèle l’a lu, ou il a été retiré
request-nothing-to-see = { $session } n’a rien à marquer comme vu : elle continue, ou elle s’est terminée normalement
request-not-applicable = { $session } ne peut pas faire cela dans son état actuel
request-no-question = la session ne pose pas de question maintenant
request-question-changed = la session pose une autre question maintenant ; lisez-la et répondez à nouveau
request-no-option = « { $given } » n’est pas l’un des choix : { $options }
request-empty-answer = Une réponse doit dire quelque chose
request-not-yes-or-no = « { $given } » n’est pas une réponse valide ; répondez oui ou non

request-no-model-call = il n’y a pas d’appel du modèle { $call }
request-usage-known = l’usage de { $call } est déjà connu
request-no-spending-question = la session { $session } ne demande pas si elle peut utiliser davantage d’un plafond
request-spending-extra = le prochain appel demande au moins { $least } de plus, et le plafond laisse au plus { $most }
request-no-call = il n’y a pas d’appel { $call }
request-no-task = il n’y a pas de tâche { $task }
request-card-changed = ce qui a été montré de { $command } n’est pas ce qui est demandé maintenant : regardez la fiche de { $approval } et décidez à nouveau
request-call-not-open = l’appel { $call } n’est plus ouvert : son état est { $state }
request-decided-before = l’appel { $call } n’est plus ouvert : { $who } a décidé ({ $what ->
        [approved] approuvé
        [edited] approuvé avec d’autres arguments
       *[rejected] refusé
    }), et son état est { $state }{ $comment ->
        [stored]  ; votre motif est conservé avec cette décision, comme commentaire
       *[none] { "" }
    }
request-edit-wrong = les nouveaux arguments de { $command } ne sont pas valides : { $faults }
request-rule-plan = une personne décide de chaque plan, donc aucune règle n’approuve { $command } ; approuvez seulement ce plan
request-rule-destructive = { $command } ne peut pas être annulé, donc chaque appel a besoin de sa propre approbation ; approuvez seulement cet appel
request-rule-asks = { $command } demande une approbation à chaque fois, donc aucune règle ne peut l’approuver d’avance ; approuvez seulement cet appel
request-name-empty = une session a besoin d’un nom ; écrivez-en un
request-name-long = le nom compte { $length } caractères et peut en compter { $most } ; raccourcissez-le
request-rule-too-short = une approbation permanente ne peut pas expirer aussitôt ; écrivez une durée comme 12h ou 30d
request-rule-agents = une approbation permanente ne vaut pour les agents que dans tout l’espace de travail ou une automatisation ; celle d’une session ne vaut jamais pour eux, celle d’un agent toujours, et un refus vaut de toute façon pour les agents
request-rule-limits = les limites d’une approbation permanente ne vont pas ensemble : chaque nombre d’appels va de 1 à { $most }, chaque somme est supérieure à 0, et l’argument additionné est nécessaire exactement s’il y a une somme ; un refus n’a pas de limites
request-rule-values = la condition sur { $argument } doit énumérer de 1 à { $most } valeurs
request-rule-range = l’intervalle de { $argument } ne contient aucun nombre ; donnez son minimum ou son maximum en chiffres simples, le minimum d’abord
request-rule-text = le texte ou le motif pour { $argument } est vide ; pour tout permettre, dites qu’il est quelconque
request-rule-host = la condition sur { $argument } accepterait aussi des adresses d’autres hôtes ; écrivez l’hôte entier et la barre oblique qui le suit
request-rule-twice = { $argument } a deux conditions ; écrivez-en une
request-rule-denial = un refus ne peut pas avoir cette condition sur { $argument }, car une valeur écrite autrement y échapperait ; énumérez les valeurs, ou refusez-les toutes
request-rule-agent = il n’y a pas d’agent { $agent } dans le catalogue
request-rule-width = ces conditions ne couvrent pas l’appel de la carte ; couvrez au moins cet appel
request-rules-too-many = l’espace de travail a déjà { $most ->
        [one] une approbation permanente
       *[other] { $most } approbations permanentes
    } (validation.always_max) ; révoquez-en une
request-rule-several = { $rule } désigne plusieurs approbations permanentes : { $ids } ; écrivez plus de caractères de l’identifiant
request-no-rule = il n’y a pas d’approbation permanente { $rule }

request-no-setting = il n’y a pas de réglage { $name }
request-setting-value = « { $value } » n’est pas une valeur valide pour { $key } ; il faut { $takes }
request-setting-quorum = { $quorum ->
    [one] une personne doit approuver
   *[other] { $quorum } personnes différentes doivent approuver
}, mais { $people ->
    [0] { $named } n’est personne
    [one] une seule le peut : { $named }
   *[other] seules { $people } le peuvent : { $named }
} ; nommez d’autres personnes, donnez des membres aux rôles (roles), ou baissez quorum
request-setting-near = « { $value } » n’est pas une valeur valide pour { $key } ; il faut { $takes } ; vouliez-vous dire { $guess } ?

file-empty = { $name } est vide ; joignez un fichier qui a un contenu
file-large = { $name } a { $bytes } octets, mais { $most } au plus sont permis (files.max_bytes) ; réduisez-le ou augmentez le réglage
file-larger = { $name } a plus de { $most } octets, le maximum permis (files.max_bytes) ; réduisez-le ou augmentez le réglage
file-pixels = { $name } a { $width } × { $height } pixels, mais { $most } millions au plus sont permis (files.megapixels) ; réduisez-le ou augmentez le réglage
file-pages = { $name } a { $pages } pages, mais { $most } au plus sont permises (files.pages) ; divisez-le ou augmentez le réglage
file-damaged = { $name } commence comme { $kind } et est endommagé ; enregistrez-le de nouveau
file-heic = { $name } est une image HEIC ou AVIF, qu’aucun modèle ne lit ; enregistrez-la en JPEG ou en PNG
file-reader = aucune forme de { $name } pour les modèles ne peut être faite : { $why }
file-kind = { $name } n’est d’aucun type accepté : PNG, JPEG, GIF, WebP, PDF ou texte en UTF-8
file-many = le message a { $count } fichiers, mais { $most } au plus sont permis (files.per_message) ; enlevez-en ou augmentez le réglage
file-result-many = seuls { $most } des { $count } fichiers de ce résultat sont montrés (files.per_message)
file-result-unstored = des fichiers de ce résultat n’ont pas pu être enregistrés pour l’instant, et ne sont pas montrés
file-request = avec { $name }, les images et les PDF ont { $bytes } octets ensemble, mais une requête à un modèle en a { $most } au plus (files.request_bytes) ; envoyez-les en plusieurs messages ou augmentez le réglage
file-session = avec { $name }, les fichiers de cette session ont { $bytes } octets, mais { $most } au plus sont permis (files.session_bytes) ; commencez une autre session ou augmentez le réglage
file-unnamed = avec { $name }, les fichiers qu’aucun message ne nomme encore ont { $bytes } octets, mais { $most } au plus sont permis (files.unnamed_bytes) ; envoyez les messages des autres, ou attendez qu’ils soient supprimés (files.keep_unnamed)
file-text-long = avec le texte de { $name }, le message a { $length } caractères, mais { $most } au plus sont permis (message.max_chars) ; raccourcissez-le ou augmentez le réglage
file-nameless = un fichier sans nom
file-unread-images = le modèle utilisé ne lit pas d’images : pour chacune, il reçoit une ligne avec le nom, le type et la taille
file-unread-pdf = le modèle utilisé ne lit pas de PDF : pour chacun, il reçoit une ligne avec le nom, le type et la taille
file-unread-both = le modèle utilisé ne lit ni images ni PDF : pour chacun, il reçoit une ligne avec le nom, le type et la taille
file-none = cet espace de travail n’a pas de fichier { $digest } ; enregistrez-le d’abord
file-import-bytes = ses fichiers ont { $bytes } octets ensemble, mais { $most } au plus sont permis (files.session_bytes) ; augmentez le réglage, ou exportez la session sans ses agents ou sans fichiers
file-import-other = { $name } n’est pas le { $kind } que la session nomme, ou contient encore des données qui sont retirées des fichiers avant leur enregistrement
file-import-unnamed = aucune entrée ne nomme le fichier { $digest }
request-import-files = ses fichiers ne sont pas encore enregistrés

request-message-empty = le message est vide ; écrivez quelque chose
request-message-long = le message a { $length } caractères, mais { $most } au plus sont permis (message.max_chars) ; raccourcissez-le ou augmentez le réglage
request-message-large = le message a environ { $tokens } tokens, et { $most } au plus sont permis, la moitié du budget de cette session (limits.context_tokens, dans une fenêtre de contexte de { $window }) ; raccourcissez-le, ou gardez-le comme document que le modèle cherche et lit
request-waits-for-model = { $session } attend son modèle ; interrompez-la d’abord
request-no-compaction = { $session } ne peut pas être résumée maintenant : seule peut l’être une conversation au repos qui a déjà reçu une réponse ; laissez-la finir, ou interrompez-la
request-no-model = le nom du modèle est vide ; donnez-en un
request-no-provider = { $why }
request-session-works = { $session } travaille ; arrêtez-la d’abord
request-seed-lives = { $session } contient le message avec lequel l’automatisation « { $name } » ({ $automation }) s’exécute ; supprimez plutôt l’automatisation
request-seed-message = { $session } est le modèle d’une automatisation et ne reçoit pas de messages ; changez le message de ses exécutions
request-of-calls = dans { $session } des appels s’exécutent un par un, comme ils sont demandés ; elle ne reçoit pas de messages, et garde son modèle, son mode et ses commandes ; commencez plutôt une conversation
request-call-under-way = un autre appel est en cours dans { $session } ; réessayez
request-not-of-calls = { $session } n’est pas une session d’appels
request-only-calls = { $provider } ne fait que répéter des appels, donc aucune conversation ni aucune automatisation ne peut l’utiliser ; choisissez un autre fournisseur
request-no-sequence = { $session } a les séquences 1 à { $last }, pas { $at }
request-not-imported = rien n’a été importé : { $why }
request-session-exists = la session { $session } existe déjà ; importez-la comme nouvelle
request-session-left-data = des données d’une session { $session } supprimée existent encore ; importez-la comme nouvelle
request-nothing-to-copy = il n’y a rien à copier

# Pourquoi un appel d’un modèle est refusé avant d’avoir commencé.

request-command-is-query = { $command } est une lecture : mets-la dans `queries`
request-command-is-action = { $command } est une action : mets-la dans `actions`
request-command-became-query = depuis que tu as demandé { $command }, cette commande ne fait plus que lire, donc elle n’a pas été exécutée ; redemande-la si tu en as encore besoin
request-command-became-action = depuis que tu as demandé { $command }, cette commande modifie quelque chose, donc elle n’a pas été exécutée ; redemande-la si tu en as encore besoin
request-command-arguments = les paramètres de { $command } ne sont pas valides : { $faults }
request-command-forbidden = la commande { $command } n’est pas permise dans cette session ; fais sans
outside-happened = une personne a confirmé que cela a eu lieu
outside-absent = une personne a confirmé que cela n’a pas eu lieu ; redemande-le si c’est encore nécessaire
request-command-unknown = la commande { $command } n’existe pas ; les commandes sont { $commands }
request-schema-required = { $command } n’a pas été exécutée, parce que le schéma de ses données n’avait pas encore été montré dans cette session. Le voici ; redemande sous cette forme : { $schema }

request-instructions-empty = le texte est vide ; pour retirer des consignes, effacez-les
request-instructions-long = les consignes font { $bytes } octets, et { $most } au plus sont permis (instructions.max_bytes) ; raccourcissez-les, ou mettez dans un outil ce qui est long
request-instructions-control = la ligne { $line } des consignes contient le caractère de contrôle { $found } ; retirez-le
request-instructions-changed = les consignes ont changé entre-temps : vous avez lu la version { $expected }, et la version actuelle est la { $version } ; relisez-les
request-instructions-seed = { $session } est le modèle d’une automatisation, et aucun modèle d’IA ne le lit ; donnez des consignes à l’automatisation
instructions-no-version = il n’y a pas de version { $version } de ces consignes, ou elle n’est plus conservée
request-held = { $what ->
    [workspace] l’espace de travail
   *[other] { $what }
} est retenu par { $author } : { $reason }
request-already-held = { $what ->
    [workspace] l’espace de travail
   *[other] { $what }
} est déjà retenu par { $author } : { $reason }
request-no-hold = rien ne retient { $what ->
    [workspace] l’espace de travail
   *[other] { $what }
}
request-hold-reason = une retenue demande un motif d’au plus { $most ->
    [one] { $most } caractère
   *[other] { $most } caractères
}
request-holds-too-many = l’espace de travail a déjà { $most ->
    [one] { $most } retenue
   *[other] { $most } retenues
}, le maximum qu’il peut avoir
request-snoozes-too-many = vous reportez déjà autant d’éléments qu’une personne peut en reporter, { $most } ; réveillez-en, ou décidez (inbox.snoozes)
request-item-gone = aucun élément { $item } n’attend plus dans la boîte de réception
request-item-not-snoozed = vous ne reportez aucun élément { $item }
request-items-number = nommez de 1 à { $most } éléments ; il y en a { $given } (inbox.items_at_once)
request-snooze-end = { $given } n’est pas une fin de report valable : donnez later, tomorrow, monday, une durée comme 3h, une date ou un instant
request-snooze-past = { $given } est déjà passé
request-snooze-long = un élément se reporte au plus de { $most } (inbox.snooze_max)
request-snooze-due = { $item } expire à { $expires }, il ne se reporte donc plus : décidez, ou laissez-le expirer
request-no-assignee = personne ne s’appelle { $person } ici
request-retention-limits = rien n’a été supprimé : les limites de conservation ont changé entre-temps, ou le processus qui possède la base de données lit une configuration qui en a d’autres ; lancez la suppression là où cette configuration est lue
verify-session-goes = { $session } s’en va par la politique de conservation : le début de son journal a déjà disparu
retention-result-gone = Ce résultat a disparu : la politique de conservation de l’espace de travail l’a supprimé après la fin de l’appel. Ne répétez pas une action pour cette raison ; une requête peut être reposée.
request-no-automation = il n’y a pas d’automatisation { $automation }
request-automation-several = { $automation } désigne plusieurs automatisations : { $ids } ; écrivez plus de caractères de l’identifiant
automation-no-name = une automatisation a besoin d’un nom ; donnez-en un
automation-name-taken = { $automation } s’appelle déjà « { $name } » ; choisissez un autre nom
automation-never-due = l’heure de l’automatisation est déjà passée ; donnez une heure à venir
automation-trigger = { $why }
automation-event-long = l’événement a { $length } caractères, mais { $most } au plus sont permis ; raccourcissez-le
automation-event-no-json = l’événement n’est pas du JSON valide : { $why }
automation-seed-gone = la session modèle { $seed } de l’automatisation n’existe plus ; donnez un message à l’automatisation
automation-seed-empty = la session modèle { $seed } de l’automatisation n’a pas de message ; donnez-en un à l’automatisation

# Pourquoi la base de données ne peut pas servir maintenant, et que faire.

outage-full = { $says }. Il n’y a plus de place pour écrire : libérez de la place sur ce disque, ou augmentez database.max_bytes ; rien de ce qui a été validé n’est perdu, et le travail reprendra ensuite automatiquement
outage-read-only = { $says }. La base peut être lue mais pas écrite : autorisez l’écriture de son fichier et de son dossier (chmod u+w), ou de ses tables ; rien de ce qui a été validé n’est perdu, et le travail reprendra ensuite automatiquement
outage-locked = { $says }. Un autre programme tient son verrou : fermez ce programme, ou laissez Entracte attendre plus longtemps (database.busy_timeout) ; rien de ce qui a été validé n’est perdu, et le travail reprendra ensuite automatiquement
outage-disk = { $says }. Le disque est plein ou en panne : vérifiez-le, puis libérez de la place ou réparez-le ; rien de ce qui a été validé n’est perdu, et le travail reprendra ensuite automatiquement
outage-damaged = { $says }. La base de données est endommagée : mettez ce qu’il en reste de côté, et restaurez une sauvegarde
outage-not-a-database = { $says }. Ce fichier n’est pas une base de données, ou il est chiffré ou endommagé : indiquez le chemin de la base, ou restaurez une sauvegarde
outage-no-database = { $says }. Créez cette base sur son serveur, ou indiquez-en une qui existe
outage-unreachable = { $says }. Le serveur est injoignable : vérifiez qu’il fonctionne, son adresse, son port et le réseau ; rien de ce qui a été validé n’est perdu
outage-password = { $says }. Indiquez l’URL complète, avec son mot de passe, dans une variable ou un fichier : database.url_env, database.url_file
outage-no-tls = { $says }. Ce programme a été compilé sans TLS : compilez-le avec l’option postgres-tls
outage-pooler = { $says }. Un répartiteur de connexions en mode transaction ou instruction, comme PgBouncer, ou un serveur à une seule connexion, comme PGlite, se trouve entre Entracte et sa base : la propriété et les verrous demandent des connexions à part. Réglez pool_mode = session pour cette base, ou indiquez l’adresse du serveur Postgres lui-même
outage-grants = { $says }. Il manque un droit au rôle de l’URL de la base : en tant que propriétaire des tables, accordez-lui GRANT USAGE ON SCHEMA, GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES et GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES ; pour mettre la base à niveau, il doit être propriétaire des tables. Rien de ce qui a été validé n’est perdu, et le travail reprendra ensuite automatiquement
outage-standby = { $says }. Ce serveur est une réplique en lecture seule (standby) : session list, session show, session verify, inbox, cost report, db check, db backup et doctor y fonctionnent. Pour tout le reste, indiquez l’adresse du serveur primaire, ou plusieurs hôtes avec target_session_attrs=read-write
outage-unreplicated = { $says }. database.require_sync est activé : cette base n’a de propriétaire que si chaque COMMIT attend une réplique. Définissez synchronous_standby_names sur le serveur et laissez une réplique se connecter, ou désactivez database.require_sync et lisez « Failover » dans docs/OPERATE.md
outage-replaced = { $says }. La base de données a été supprimée, déplacée ou remplacée pendant son utilisation : plus rien n’y est écrit, pour que rien ne soit perdu. Remettez le fichier en place, ou redémarrez ce processus pour travailler avec celui qui s’y trouve maintenant
outage-other = { $says }
store-unavailable = la base de données est inutilisable : { $outage }
store-damaged = la base de données est endommagée : { $why }
post-unavailable = la demande n’a pas pu être enregistrée : { $why }
post-uncertain = on ignore si la demande a été enregistrée : { $why } ; vérifiez avant de recommencer
post-not-taken = le processus qui possède la base de données n’a pas répondu en { $seconds } s ; rien n’a été fait, recommencez
post-not-owner = un autre processus possède maintenant la base de données ; rien n’a été fait, recommencez

request-rule-command = il n’y a pas de commande { $command } sur laquelle une règle pourrait porter
request-rule-argument = { $command } n’a pas d’argument { $argument } ; ses arguments sont : { $arguments }
request-rule-left-out = cette règle ne correspondrait jamais, car tout appel de { $command } a ces arguments : { $arguments } ; indiquez chacun d’eux dans la règle, avec la valeur qu’il doit avoir ou avec n’importe quelle valeur
request-rule-value = cette règle ne correspondrait jamais, car { $command } refuse ces arguments : { $faults }
request-rule-query = { $command } ne fait que lire et n’a jamais besoin d’une approbation, donc il n’y a rien à approuver d’avance
request-batch-garbled = rien n’a été fait : les arguments de { $name } dans la même réponse ne sont pas un objet JSON, donc aucune action de cette réponse n’a été exécutée ; redemande les actions
request-agent-of-others = cet agent travaille pour d’autres personnes et ne peut donc pas recevoir ce message ; appelez-le de nouveau avec une nouvelle mission
request-command-denied = { $command } est refusée par la règle { $rule }. Ne la redemande pas ainsi.
request-command-denied-why = { $command } est refusée par la règle { $rule } : « { $reason } ». Ne la redemande pas ainsi.

# Une requête qu’une personne exécute à la main.

by-hand-unknown = il n’y a pas de commande { $command }
by-hand-arguments = les paramètres de { $command } ne sont pas valides : { $faults }
by-hand-denied = { $command } est refusée par la règle { $rule }, aussi à la main ; révoquez d’abord la règle, si vous le pouvez
by-hand-action = { $command } est une action ou demande une approbation ; elle s’exécute dans une session, avec son approbation
by-hand-code = { $code } : { $message }
by-hand-failed = { $command } : { $code } : { $message }
by-hand-late = { $command } n’a pas répondu en { $seconds } s et a été annulée ; réessayez
by-hand-lost = { $command } n’a pas répondu ; réessayez
command-gone = la commande { $command } n’existe plus
command-gone-card = { $command } (cette commande n’existe plus)
reply-no-agent = EXIT_WITH_RESULT et ASK_PRINCIPAL_AGENT sont pour les agents ; cette session n’en est pas un. Réponds plutôt à l’utilisateur.
reply-result = EXIT_WITH_RESULT : `result` ne suit pas son schéma : { $fault }

# Pourquoi une réponse n’a pas pu être lue : ce qui ne va pas, où, et ce qui était attendu. Le modèle le lit.

reply-empty = la réponse est vide ; attendu : un seul objet JSON qui commence par {"{"}"pre_text": …{"}"}
reply-no-object = la réponse ne contient aucun objet JSON ; attendu : un seul objet JSON qui commence par {"{"}"pre_text": …{"}"}
reply-unclosed = l’objet JSON qui commence à la ligne { $line } de la réponse n’est pas fermé : la réponse a été coupée, ou un guillemet dans une chaîne n’est pas échappé en \"
reply-several-objects = la réponse contient { $count } objets JSON ; attendu : un seul qui contient tout
reply-enclosed = l’objet JSON est entre d’autres crochets ou accolades ; la réponse doit être l’objet lui-même
reply-invalid-json = l’objet n’est pas du JSON valide : { $fault }
reply-unknown-field = champ inconnu `{ $path }` ; les champs permis sont : { $allowed }
reply-missing = `{ $path }` manque ; attendu : { $expected }
reply-wrong-type = `{ $path }` n’est pas valide ; attendu : { $expected } ; trouvé : { $found }
reply-wrong-addressee = `{ $path }` doit être "agent" ou "user" ; trouvé : { $found }
reply-question-type = `question.type` doit être "MultipleChoice" ou "Validation" ; trouvé : { $found }
reply-question-empty = `question` ne demande rien ; écris ce qui est demandé à l’utilisateur
reply-option-empty = l’option { $number } de `question` est vide ; écris ce que l’utilisateur choisirait
reply-options-equal = les options { $first } et { $second } de `question` sont identiques ; chacune doit être différente
reply-both-lists = `queries` et `actions` sont dans la même réponse ; demande d’abord les lectures, et agis dans une réponse suivante
reply-question-beside-commands = `question` est dans la même réponse que des commandes ; pose la question seule, et agis après la réponse
reply-more-faults = { $count } autres erreurs ne sont pas listées
reply-expected-text = une chaîne
reply-expected-texts = une liste de chaînes
reply-expected-options = une liste d’au moins deux chaînes
reply-expected-flag = true ou false
reply-expected-command = un objet {"{"}"type": …, "params": {"{"}…{"}"}{"}"}
reply-expected-commands = une liste de commandes
reply-value-object = un objet
reply-value-list = une liste de { $count } { $count ->
        [one] élément
       *[other] éléments
    }
reply-value-text = la chaîne "{ $value }"
reply-value-number = le nombre { $value }
reply-value-nothing = rien

# Pourquoi un appel à un modèle ou à une commande n’a pas apporté de réponse.

provider-first-byte = Le fournisseur « { $provider } » n’a rien envoyé pendant { $seconds } s, la limite que fixe { $setting }. L’appel a été interrompu ; il est peut-être facturé.
provider-idle = Le fournisseur « { $provider } » a cessé d’envoyer au milieu de sa réponse pendant { $seconds } s, la limite que fixe { $setting }. L’appel a été interrompu ; il est peut-être facturé.
provider-too-slow = Le fournisseur « { $provider } » n’a pas fini sa réponse en { $seconds } s, la limite que fixe { $setting }. L’appel a été interrompu ; il est peut-être facturé.
spending-unknown-price = Le prix du modèle « { $model } » est inconnu, un appel pourrait donc dépasser tout plafond. Indiquez les prix du modèle dans l’entrée de son fournisseur, ou mettez budget.unknown_price à tokens ; puis continuez la session.
provider-rate-limited = Le débit du fournisseur « { $provider } » est limité, encore { $seconds } s.
provider-panicked = L’adaptateur du fournisseur a échoué à cause d’une erreur interne d’Entracte.
policy-not-configured = aucune politique n’est plus configurée
policy-panicked = la question à la politique a échoué à cause d’une erreur interne d’Entracte
policy-timed-out = elle a pris plus de { $limit } (policy.timeout)
policy-reason-long = sa raison ou sa version dépasse { $most } caractères (policy.reason_max_chars)
policy-approvers = elle nomme plus de { $people } approbateurs, ou l’un d’eux a des caractères cachés ou plus de { $most } caractères (policy.reason_max_chars)
provider-unregistered = il n’y a pas de fournisseur « { $provider } » ; les fournisseurs sont : { $known }
provider-stopped = Entracte s’est arrêté pendant l’appel au modèle.
summary-unusable = Le modèle n’a pas écrit de résumé utilisable.
summary-unfinished = Un morceau de la conversation a été résumé ; le suivant vient ensuite.
summary-stopped = Entracte s’est arrêté pendant qu’il résumait la conversation.
call-not-sent = Son délai était écoulé avant qu’elle ait pu être envoyée. Elle n’a pas été faite.
call-panicked = la commande a échoué à cause d’une erreur interne d’Entracte ; rien n’a été modifié

# Pourquoi une demande n’a pas pu être traitée du tout.

turn-damaged = la base de données est endommagée : { $why }
turn-conflict = { $why } ; un autre processus écrit dans cette base de données
turn-endless = le tour a demandé { $count } fois ce qu’il doit savoir sans arriver à une fin ; merci de le signaler
turn-session-gone = la session { $session } n’existe plus
turn-no-prefix = { $session } n’a pas de préfixe
turn-prefix-missing = blobs, préfixe { $prefix } : il manque
turn-prefix-unreadable = blobs, préfixe { $prefix } : { $why }
turn-rules-missing = blobs : les règles { $rules } d’une entrée manquent
turn-copied-rules-missing = blobs : les règles { $rules } de { $session } manquent
turn-workspace-unreadable = workspaces.body de { $workspace } : { $why }
turn-worker-gone = la tâche de l’espace de travail s’est terminée

# Ce qui est toujours envoyé dépasse sa part du budget.

overweight = ce qui est toujours envoyé a environ { $tokens } tokens, et il en tient { $most } au plus, du budget de { $budget } dans une fenêtre de contexte de { $window }. La plus grande partie est { $part }, avec { $part_tokens } tokens
overweight-refused = pour le modèle { $model }, { $says }. { $fix }
overweight-servers = { $fix }. Les tokens des serveurs MCP : { $servers }. Pour écarter des outils, dans la configuration : [mcp.{ $largest }] deny = ["NOM_*"]
overweight-part-level1 = le morceau « { $name } » du niveau 1
overweight-part-instructions = les consignes ({ $name })
overweight-part-data = les données toujours envoyées
overweight-part-tools = la description des commandes
overweight-part-schema = la forme d’une réponse
overweight-fix-level1 = Permettez moins de commandes, laissez des morceaux de côté (prompt_importance, prompt_chunks), augmentez limits.context_tokens, ou choisissez un modèle à la fenêtre plus grande
overweight-fix-instructions = Raccourcissez ces consignes, ou gardez ce qui est long comme document que les modèles cherchent ; ou augmentez limits.context_tokens, ou choisissez un modèle à la fenêtre plus grande
overweight-fix-data = Envoyez toujours moins d’outils (always_send) ou désactivez prompt_app_state ; ou augmentez limits.context_tokens, ou choisissez un modèle à la fenêtre plus grande
overweight-fix-tools = Permettez moins de commandes, ou désactivez les serveurs MCP inutiles ; ou augmentez limits.context_tokens, ou choisissez un modèle à la fenêtre plus grande
overweight-fix-schema = Permettez moins de commandes, ou désactivez les serveurs MCP inutiles ; ou augmentez limits.context_tokens, ou choisissez un modèle à la fenêtre plus grande

# Ce qu’une personne a nommé, et ce qui y correspond.
request-unanswered = personne n’a traité la demande ; recommencez
request-session-id = « { $given } » n’est pas un identifiant de session valide
request-several-sessions = { $given } correspond à plusieurs sessions : { $ids } ; donnez l’identifiant plus en entier
request-call-id = « { $given } » n’est pas un identifiant d’appel valide
request-several-calls = { $given } correspond à plusieurs appels : { $ids } ; donnez l’identifiant plus en entier
request-several-tasks = { $given } correspond à plusieurs tâches : { $ids } ; donnez l’identifiant plus en entier
task-is-over = { $task } est terminée ; il n’y a rien à annuler
task-question-changed = la tâche { $task } demande autre chose désormais ; relisez sa question
task-asks-nothing = { $task } ne demande rien en ce moment
task-unseen-none = il n’y a rien à voir de { $task }
request-no-call-given = aucun appel de { $session } n’est donné ; donnez-en un
request-answer-mixed = une réponse à la place d’une décision s’envoie seule ; décidez des autres appels dans une demande à part
request-changed = cela a été modifié depuis votre lecture ; relisez-le
request-card-other = une autre carte attend maintenant : { $approval } ; regardez-la et décidez à nouveau
request-cards-other = rien n’a été décidé : d’autres cartes attendent maintenant : { $approvals } ; regardez-les et décidez à nouveau
request-decided-by = { $person } en a décidé avant
request-decided-other = la décision portait sur une autre carte
request-words-scope = une réponse à la place d’une décision est un message, qui exige la portée chat ; utilisez un jeton qui l’a
request-no-approval = il n’y a pas d’approbation { $approval } ; voyez ce qui attend : …/approvals
request-approval-ended = { $approval } n’attend plus personne ; voyez son appel : …/calls/{ $call }
request-no-command = il n’y a pas de commande { $command }
request-no-workspace = il n’y a pas d’espace de travail { $workspace }
request-scope-missing = il faut la portée { $scope } ; le jeton a { $scopes } ; créez-en un autre
request-call-twice = l’appel { $call } est nommé deux fois, et rien n’a été décidé ; décidez une seule fois par appel
request-edit-several = de nouveaux arguments sont pour un seul appel, mais { $count } appels sont donnés ; donnez-en un
request-nothing-open = rien n’attend d’approbation dans { $session }
model-call-summary = { $call } a fait un résumé, et aucune requête n’a été conservée avec lui
model-call-none = il n’y a pas d’appel de modèle { $given } ; le journal d’une session liste les siens
model-call-several = { $given } correspond à plusieurs appels de modèle : { $shown }{ $more ->
        [0] {""}
       *[other] {" "}et { $more } de plus
    } ; donnez un identifiant entier, comme { $last }
model-call-id = « { $given } » n’est pas un identifiant d’appel de modèle valide, comme mc_01k2_3_1 (session, tour, essai) ; le journal d’une session liste les siens

# Les personnes, leurs secrets et leurs jetons.
request-no-person = il n’y a pas de personne { $person } ici
person-name = « { $given } » ne peut pas être le nom d’une personne ; donnez 1 à { $most } caractères, sans espaces autour
secret-full = { $person } a { $most } secrets ici, autant que permis ; supprimez-en un
request-no-secret = { $person } n’a pas de secret { $name } ici
secret-name = « { $given } » n’est pas un nom de secret valide ; utilisez 1 à { $most } caractères parmi a-z, A-Z, 0-9, -, _ et .
secret-value = le secret doit être une seule ligne de 1 à { $most } octets ; il n’est pas répété ici
secret-short = le secret « { $name } » a moins de { $least } caractères : il ne pourrait pas être retiré des textes ; gardez-en un plus long
request-no-token = il n’y a pas de jeton { $token }
token-name = « { $given } » ne peut pas être le nom d’un jeton ; donnez 1 à { $most } caractères, sans espaces autour
token-no-scope = un jeton sans portée ne permet rien ; donnez read, chat, approve, secret ou admin
token-needs-consent = un jeton de { $person } demande son consentement ; invitez cette personne, ou demandez à un opérateur du serveur
person-name-brackets = « { $given } » ne peut pas être le nom d’une nouvelle personne : les noms à parenthèses disent de laquelle de plusieurs personnes il s’agit, ou qui a fait leur jeton ; enlevez les parenthèses
token-past = un jeton qui expire dans le passé ne permet rien ; donnez un instant à venir
token-relay = le jeton d’un relais lit une session d’un espace de travail, pendant quelques minutes
token-embedded-scopes = un jeton pour une page d’un autre site a au plus les portées read et chat
token-embedded-reach = un jeton pour une page d’un autre site est celui d’un programme, dans un seul espace de travail
token-origins = donnez 1 à { $most } origines dont les pages peuvent envoyer le jeton
token-origin = « { $given } » n’est pas une origine valide ; écrivez-la comme https://shop.example, sans chemin

# Les appels venus de l’extérieur.
outside-full = { $most } appels attendent déjà une approbation ; décidez-en d’abord
outside-gone = ce qui était demandé dans { $session } a disparu avec sa session
outside-stopped = l’appel a été arrêté avant de commencer
outside-unfinished = il n’est pas terminé ({ $state })
by-hand-elsewhere = { $command } n’est pas une action sur les données de l’espace de travail ; elle s’exécute dans une session
workspace-exists = l’espace de travail { $workspace } existe déjà

# Pourquoi un déclencheur n’arrive jamais à échéance.
approval-unattainable = { $quorum } { $quorum ->
    [one] personne doit approuver
   *[other] personnes doivent approuver
}, et { $most ->
    [0] personne parmi { $named } ne le peut
    [one] { $most } seule personne parmi { $named } le peut
   *[other] seules { $most } personnes parmi { $named } le peuvent
} maintenant : le rôle a trop peu de membres, des personnes sont absentes, ou elles ont demandé cela elles-mêmes ; changez qui doit approuver, ou refusez
approval-asked-again = { $author } a déjà approuvé cela ; cette approbation n’a pas été utilisée et ne compte plus
approval-asked-again-edited = { $author } a déjà approuvé cela avec d’autres arguments, { $arguments } ; cette approbation n’a pas été utilisée et ne compte plus, et ce qui est demandé maintenant a les arguments du modèle
schedule-expression = « { $expression } » n’est pas une expression cron valide : { $why }
cron-fields =
    { $count ->
        [0] elle est vide ; écrivez cinq champs
        [one] elle a un seul champ, et il en faut cinq
       *[other] elle a { $count } champs, et il en faut cinq
    } : minute, heure, jour du mois, mois et jour de la semaine, comme 0 9 * * MON, le lundi à 9 h
cron-second = la seconde « { $value } » n’est pas valide ; utilisez 0 à 59, comme 0 ou */10
cron-minute = la minute « { $value } » n’est pas valide ; utilisez 0 à 59, comme 0,30 ou */15
cron-hour = l’heure « { $value } » n’est pas valide ; utilisez 0 à 23, comme 9, 8-18 ou */2
cron-day = le jour du mois « { $value } » n’est pas valide ; utilisez 1 à 31, comme 1,15, ou L pour le dernier jour
cron-month = le mois « { $value } » n’est pas valide ; utilisez 1 à 12 ou JAN à DEC, comme 1,7
cron-weekday = le jour de la semaine « { $value } » n’est pas valide ; utilisez MON à SUN ou 0 à 7 (0 et 7 : dimanche), comme MON-FRI ou MON#1, le premier lundi du mois
cron-year = l’année « { $value } » n’est pas valide ; utilisez des années comme 2027 ou 2027-2030
cron-together = ses champs sont incompatibles ; écrivez-en une comme 0 9 * * MON, le lundi à 9 h
cron-nickname = « { $value } » ne désigne aucune heure ; utilisez @hourly, @daily, @weekly, @monthly, @yearly ou cinq champs
cron-days-either = Les jours qui correspondent au jour du mois, et aussi tous ceux qui correspondent au jour de la semaine.
cron-days-both = Seulement les jours qui correspondent à la fois au jour du mois et au jour de la semaine.
cron-two-readings = « { $field } » à côté d’un autre champ de jour désigne ici plus de jours que dans une crontab de Debian : ici, les jours qui correspondent à l’un des deux champs ; là-bas, seulement ceux qui correspondent aux deux, ce qui s’écrit ici { $crontab }
cron-step-long = le pas de « { $step } » est plus long que son champ : il ne reste que { $field ->
        [second] la seconde
        [minute] la minute
        [hour] l’heure
        [day] le jour
        [month] le mois
       *[weekday] le jour de la semaine
    } { $only } ; pour une pause plus longue, utilisez un intervalle plutôt qu’une expression cron
schedule-zone = « { $zone } » n’est pas un fuseau horaire IANA valide ; écrivez-en un comme Europe/Paris
schedule-zone-near = « { $zone } » n’est pas un fuseau horaire IANA valide ; vouliez-vous dire { $guess } ?
schedule-interval = un intervalle de { $milliseconds } ms est trop court ; utilisez 1 s ou plus
schedule-never = « { $expression } » n’arrive jamais après { $after } ; écrivez-en une autre

# Pourquoi quelque chose à côté de la base de données est inutilisable.
secrets-unusable = les secrets des personnes dans { $path } sont inutilisables : { $why } ; vérifiez les permissions du dossier
secrets-damaged = le fichier { $path } est endommagé, et rien n’en est utilisé ; supprimez-le, et enregistrez ses secrets à nouveau
dry-busy = { $count } essais à blanc sont en cours, et il ne peut pas y en avoir plus à la fois ; attendez la fin de l’un d’eux
