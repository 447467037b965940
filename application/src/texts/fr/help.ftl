# L’aide de la ligne de commande. L’anglais est dans les commentaires de app-cli/src/args.
# Clés : help-COMMANDE, help-COMMANDE-long, help-COMMANDE-after ; help-COMMANDE--ARGUMENT, sinon help-arg--ARGUMENT ;
# help-value--ARGUMENT--VALEUR ; help-heading-TITRE.

help-usage = Utilisation :
help-commands = Commandes
help-command-name = COMMANDE
help-heading-global-options = Options globales
help-heading-when-it-runs = Quand elle s’exécute
help-heading-how-it-runs = Comment elle s’exécute
help-note-default = [par défaut : { $value }]
help-note-values = [valeurs possibles : { $values }]
help-note-values-long = Valeurs possibles :

help-entracte = Exécute des sessions d’IA qui savent attendre : une personne, une tâche longue, un réseau perdu ou un arrêt brutal
help-after =
    Codes de sortie : 0 terminé, 1 échec, 2 mauvaise utilisation, 3 en attente d’une personne, 4 interdit, 5 introuvable, 6 conflit, 7 limite atteinte, 8 délai dépassé, 9 issue inconnue, 130 interrompu.
    Pour essayer sans clé : entracte demo
help-help = Affiche cette aide ou celle d’une commande
help-arg--help = Affiche l’aide
help-arg--help-more = Affiche l’aide (plus de détails avec « --help »)
help-arg--help-less = Affiche l’aide (un résumé avec « -h »)
help-arg--version = Affiche la version
help-arg--subcommand = Affiche l’aide de ces commandes

help-arg--config = Lit uniquement ce fichier de configuration
help-arg--data = Dossier, fichier ou URL postgres:// de la base de données [par défaut : le dossier de données de l’utilisateur]
help-arg--workspace = Espace de travail à utiliser, écrit utilisateur:collection [par défaut : local:main]
help-arg--json = Affiche du JSON : un objet, ou un par ligne
help-arg--quiet = Affiche seulement les données et les erreurs
help-arg--color = Quand utiliser des couleurs : auto, always, never

help-arg--session = La session
help-arg--automation = Son nom, son identifiant ou le début de celui-ci
help-arg--force = Ne demande pas de confirmation
help-arg--provider = Fournisseur de la nouvelle session
help-arg--model = Modèle de la nouvelle session

help-demo = Joue une histoire répétée sur une base de données temporaire ; sans clé
help-demo--auto = Répond automatiquement, pour les scripts

help-chat = Converse avec un modèle ; Ctrl-C interrompt le tour, Ctrl-D quitte
help-chat--session = Continue cette session
help-chat--go-on = Continue la dernière conversation de l’espace de travail
help-chat--name = Nom de la nouvelle session
help-chat--require-approval = Demande une approbation pour chaque action de la nouvelle session
help-chat--commands = Commandes que la nouvelle session peut utiliser, comme zones.list,files.* ; none pour aucune
help-chat--message = Envoie ce message et attend que la session soit au repos ; - lit l’entrée standard
help-chat--enrich = Joint des données au message : un objet JSON ou @FICHIER ; peut être répété
help-chat--enrich-long = La première remplace {"{"}1{"}"} dans le texte, la deuxième {"{"}2{"}"} ; sans emplacement, elles suivent le texte. Pour voir ce qui peut être écrit : entracte command enrichments
help-chat--stream = Avec --json : affiche un objet par ligne pendant le travail : morceaux de texte, entrées, enfin le tour
help-chat--client-key = Permet de répéter l’envoi sans risque : la même clé dans une session est le même message
help-chat--no-wait = Rend la main dès que le message est enregistré, si un autre processus continue le travail ou si la session attend son tour

help-inbox = Affiche ce qui vous attend : approbations, questions, issues inconnues, exécutions en pause, exécutions qui ont échoué
help-inbox-seen = Marque comme vues des exécutions qui n’ont pas abouti : elles quittent la liste, et le journal dit qui les a vues
help-inbox-seen-long = Une exécution figure dans la liste si elle a échoué, si une limite l’a arrêtée, ou si une approbation y a expiré. Les approbations, les questions, les issues inconnues et les exécutions en pause restent jusqu’à ce qu’on y réponde, qu’on les règle ou qu’on les reprenne.
help-inbox-seen--items = Les exécutions, ses_…, comme la liste les nomme
help-inbox-seen--all = Les affiche toutes, et marque celles qui ont été affichées

help-approve = Approuve des appels
help-approve--ids = Les approbations, apr_…, toutes d’une même session
help-approve--session = Avec --all : la session
help-approve--all = Toutes les approbations en attente de la session : leurs fiches sont d’abord affichées, et la décision ne vaut que pour elles
help-approve--seen = Seulement ce qui a été affiché avec cette empreinte (inbox --json), qui peut être abrégée ; le reste demeure en attente
help-approve--edit = Exécute un appel avec ces arguments-ci
help-approve--always = Approuve aussi désormais tous les appels semblables ; voir rule list
help-approve--always-long = Ce que cela couvre s’affiche avant la décision. Un appel est semblable s’il exécute la même commande avec les mêmes textes ; pour les commandes sur vos propres données, les nombres et les objets peuvent différer. Une action irréversible demande une approbation à chaque fois.
help-approve--in-session = Avec --always : seulement dans cette session, pas dans tout l’espace de travail
help-approve--lasts = Avec --always : pour quelle durée, comme 12h ou 30d [par défaut : validation.always_expires]
help-approve--yes = Avec --always : ne redemande pas sur un terminal
help-approve--no-wait = Rend la main dès que la décision est enregistrée, si un autre processus continue le travail

help-reject = Refuse des appels
help-reject--ids = { help-approve--ids }
help-reject--session = { help-approve--session }
help-reject--all = { help-approve--all }
help-reject--seen = { help-approve--seen }
help-reject--reason = La raison ; le modèle la lit
help-reject--no-wait = { help-approve--no-wait }

help-answer = Répond à la question d’une session
help-answer--text = Le numéro de l’option ou son texte ; yes ou no
help-answer--no-wait = Rend la main dès que la réponse est enregistrée, si un autre processus continue le travail

help-settle = Dit si une action à l’issue inconnue a eu lieu
help-settle--call = L’appel
help-settle--found = Ce que vous avez constaté
help-settle--note = Une note à conserver avec la décision
help-settle--no-wait = { help-answer--no-wait }
help-value--found--happened = Elle a eu lieu
help-value--found--did-not-happen = Elle n’a pas eu lieu

help-session = Examine et pilote les sessions
help-session-list = Liste les sessions : d’abord celles qui vous attendent, puis celles qui travaillent, puis celles qui sont terminées
help-session-list--open = Sans les sessions terminées
help-session-list--limit = Affiche au plus ce nombre
help-session-list--waiting = Seulement les sessions qui vous attendent
help-session-list--kind = Seulement les sessions de ce genre
help-value--kind--chat = Une conversation
help-value--kind--seed = Les messages par lesquels une automatisation commence
help-value--kind--automation = Une exécution d’une automatisation
help-session-list--search = Seulement les sessions dont le nom contient ce texte
help-session-deleted = Affiche quelles sessions ont été supprimées, quand, par qui, et ce qui était ouvert
help-session-deleted-long = Le journal d’une session supprimée n’existe plus. Restent ses approbations ouvertes et ses appels inachevés : identifiants, commandes et empreintes, sans arguments ni textes.
help-session-deleted--limit = Affiche au plus ce nombre
help-session-show = Affiche une session
help-session-open = Ouvre une conversation : demande à passer sans appeler de modèle
help-session-open-long = Les exécutions ne peuvent pas prendre la place d’une conversation que vous avez ouverte, aussi longtemps que le dit chat_eviction. La conversation compte comme ouverte pendant runtime.attachment_lease ; relancez la commande pour la garder ouverte. La sortie est ACTIVATED, ALREADY_ACTIVE, ou QUEUED et le rang dans la file.
help-session-open--no-wait = Rend la main aussitôt, même si la conversation doit attendre son tour
help-session-messages = Affiche la conversation d’une session
help-session-messages--unread = Seulement les messages que vous n’avez pas lus
help-session-messages--mark-read = Les marque comme lus
help-session-journal = Affiche le journal d’une session, une ligne par événement
help-session-journal--after = Seulement les événements après ce numéro
help-session-calls = Affiche les appels d’une session et leur issue
help-session-calls--call = Seulement cet appel, en entier
help-session-prompt = Affiche la requête exacte d’un appel de modèle passé, reconstruite depuis la base de données
help-session-prompt-long = Le journal d’une session nomme ses appels de modèle. La sortie est le corps envoyé, octet pour octet ; l’empreinte enregistrée avec la réponse le prouve.
help-session-prompt--call = L’appel de modèle, mc_… ou le début de son identifiant
help-session-prompt--parts = Affiche les parties du prompt et leurs tokens estimés au lieu des octets
help-session-prompt--output = Écrit les octets dans ce nouveau fichier
help-session-stop = Arrête le travail d’une session
help-session-stop--end = Termine aussi la session : elle n’accepte plus rien
help-session-interrupt = Interrompt le tour en cours
help-session-resume = Reprend une session là où elle s’est arrêtée
help-session-resume--no-wait = Rend la main dès que la demande est enregistrée, si un autre processus continue le travail
help-session-confirm = Accepte le travail d’une exécution comme terminé
help-session-confirm--no-wait = { help-session-resume--no-wait }
help-session-reject-completion = Refuse le travail d’une exécution comme incomplet
help-session-reject-completion--reason = Ce qui manque
help-session-reject-completion--no-wait = { help-session-resume--no-wait }
help-session-verify = Rejoue les journaux et compare le résultat à ce qui est enregistré
help-session-verify--session = La session [par défaut : toutes celles de la base de données]
help-session-verify--all = Vérifie toutes les sessions de la base de données
help-session-fork = Crée une session à partir d’une autre, à n’importe lequel de ses événements
help-session-fork-long = L’historique est copié ; rien n’est exécuté de nouveau. Le travail en cours et ce qui attend une personne restent à la session d’origine ; les actions de la nouvelle demandent leur propre approbation.
help-session-fork--at = Copie jusqu’à cet événement, comme « session journal » le numérote [par défaut : tout]
help-session-fork--name = Nom de la nouvelle session
help-session-export = Exporte une session entière dans un fichier
help-session-export--output = Le fichier à écrire [par défaut : la sortie standard]
help-session-export--force = Écrase un fichier existant
help-session-import = Crée une session à partir d’un fichier exporté
help-session-import--file = Le fichier ; - lit l’entrée standard
help-session-import--as-new = Lui donne un nouvel identifiant au lieu de celui du fichier
help-session-delete = Supprime une session et tout ce qui est enregistré d’elle
help-session-set = Change le modèle, la demande d’approbation ou les commandes d’une session
help-session-set--model = Le modèle, dès le prochain tour
help-session-set--provider = Son fournisseur ; sans --model, avec le modèle par défaut du fournisseur
help-session-set--dialect = Comment le modèle demande des commandes [par défaut : selon la configuration d’un nouveau fournisseur]
help-session-set--require-approval = Si chaque action demande une approbation
help-session-set--commands = Commandes qu’elle peut utiliser, comme zones.list,files.* ; none pour aucune, * pour toutes
help-value--dialect--envelope = Un objet JSON
help-value--dialect--tools = Appels d’outils natifs

help-automation = Crée, examine et exécute des automatisations : des sessions qui démarrent d’elles-mêmes
help-automation-create = Crée une automatisation
help-automation-create-after =
    Une date est 2026-12-24T18:00, dans le fuseau horaire de l’automatisation ; 2026-12-24, le début de ce jour ; ou 2026-12-24T17:00:00Z avec un décalage quelconque. Une durée est un nombre et son unité : 90s, 15m, 24h, 7d.

    {"  "}entracte automation create Semaine --message "Comment s’est passée ma semaine ?" --cron "0 9 * * 1"
    {"  "}entracte automation create Veille --message "Tout va bien ?" --every 15m
help-automation-create--name = Son nom
help-automation-create--message = Le message par lequel commence chaque exécution ; - lit l’entrée standard
help-automation-create--enrich = Joint des données au message, comme chat --enrich ; les périodes peuvent être relatives
help-automation-create--provider = Fournisseur des exécutions
help-automation-create--model = Modèle des exécutions
help-automation-create--require-approval = Demande une approbation pour chaque action des exécutions
help-automation-create--commands = Commandes que les exécutions peuvent utiliser, comme zones.list,files.* ; none pour aucune
help-automation-create--disabled = La crée désactivée
help-automation-list = Liste les automatisations : d’abord celles qui demandent votre attention
help-automation-show = Affiche une automatisation et son message
help-automation-edit = Modifie une automatisation ; ce qui n’est pas donné reste tel quel
help-automation-edit--name = Son nom
help-automation-edit--message = Le nouveau message par lequel commence chaque exécution ; - lit l’entrée standard
help-automation-edit--enrich = Joint des données au message
help-automation-edit--latest-only = Exécute seulement la plus récente de plusieurs occurrences manquées
help-automation-edit--provider = Fournisseur des exécutions ; sans --model, avec le modèle par défaut du fournisseur
help-automation-edit--model = { help-automation-create--model }
help-automation-edit--dialect = { help-session-set--dialect }
help-automation-edit--require-approval = Si chaque action des exécutions demande une approbation
help-automation-edit--commands = Commandes que les exécutions peuvent utiliser, comme zones.list,files.* ; none pour aucune, * pour toutes
help-arg--cron = S’exécute aux heures d’une expression cron : minute, heure, jour, mois, jour de la semaine ; ou six champs, les secondes d’abord
help-arg--cron-long = Quand l’horloge avance, une heure fixe qui saute, comme dans "30 2 * * *", s’exécute au premier instant après le saut ; avec * ou un pas dans l’heure, la minute ou la seconde, comme dans "*/20 * * * *", l’automatisation ne s’exécute qu’aux instants qui existent. Quand une heure revient deux fois, les heures fixes s’exécutent une fois et les autres à chaque fois.
help-arg--zone = Fuseau horaire de --cron, --at et --from [par défaut : celui de l’espace de travail]
help-arg--every = S’exécute à cet intervalle
help-arg--from = Avec --every : la première fois [par défaut : dans un intervalle]
help-arg--at = S’exécute une fois, à cette date
help-arg--manual = S’exécute seulement à la demande
help-arg--on-event = S’exécute quand un événement extérieur est signalé : automation run --event
help-arg--catch-up = Le retard permis à une occurrence : une durée, ou unlimited [par défaut : 24h]
help-arg--all-missed = Exécute toutes les occurrences manquées, pas seulement la plus récente
help-arg--overlap = Que faire d’une occurrence due pendant qu’une exécution est en cours [par défaut : skip]
help-arg--profile = L’ensemble des limites [par défaut : celui de l’espace de travail]
help-arg--unattended = Que faire d’une action qui demande une approbation [par défaut : selon la configuration]
help-arg--completion = S’il faut croire le modèle quand il dit que le travail est fait [par défaut : selon la configuration]
help-value--overlap--skip = La sauter
help-value--overlap--queue = Attendre la fin de l’exécution
help-value--profile--strict = Quatre compteurs et une durée maximale
help-value--profile--autonomous = Une limite de tours, et des gardes contre les boucles
help-value--profile--workspace = Selon l’espace de travail
help-value--unattended--park = L’exécution attend dans la boîte de réception
help-value--unattended--refuse = La refuser
help-value--unattended--allow = La permettre
help-value--unattended--configured = Selon la configuration
help-value--completion--trust = Le croire
help-value--completion--ask_once = Lui demander une fois de plus
help-value--completion--configured = Selon la configuration
help-automation-enable = Active une automatisation
help-automation-disable = Désactive une automatisation ; vous pouvez encore l’exécuter vous-même
help-automation-run = Exécute une automatisation maintenant et attend que l’exécution soit au repos
help-automation-run-long = La première ligne est le résultat : ACTIVATED, ALREADY_ACTIVE, ou QUEUED et la place dans la file.
help-automation-run--event = Ce qui s’est passé à l’extérieur, en JSON ou @FICHIER ; le modèle le lit comme des données non fiables
help-automation-run--no-wait = Rend la main dès que l’exécution est créée, si un autre processus la continue
help-automation-next = Affiche les prochaines dates, dans le fuseau horaire de l’automatisation
help-automation-next--count = Combien
help-automation-history = Affiche les occurrences passées et leur issue, les plus récentes d’abord ; sans nom, la dernière nuit de toutes les automatisations
help-automation-history--automation = Son nom, son identifiant ou le début de celui-ci ; si elle est supprimée, l’identifiant entier [par défaut : toutes celles qui existent]
help-automation-history--limit = Affiche au plus ce nombre [par défaut : 20 ; sans nom, 200]
help-automation-history--before = Seulement les occurrences avant cette date, à l’heure de l’espace de travail si elle ne nomme aucun décalage
help-automation-history--since = Seulement ce qui s’est exécuté ou a été sauté depuis cette date, lue comme --before [par défaut : tout ; sans nom, les dernières 24 heures]
help-automation-watch = Exécute ce qui est dû, au premier plan, une ligne par événement ; Ctrl-C l’arrête
help-automation-delete = Supprime une automatisation ; ses exécutions et son historique restent

help-command = Examine les commandes que les modèles peuvent utiliser
help-command-list = Liste toutes les commandes
help-command-show = Affiche une commande et ses paramètres
help-command-show--name = Le nom ou le mot de la commande, comme tool_data.get ou TOOL_DATA
help-command-enrichments = Affiche ce qu’accepte chat --enrich, avec des exemples
help-command-accept = Accepte un outil nouveau ou modifié d’un serveur MCP ; sans nom, affiche ceux qui attendent
help-command-accept--name = Le nom de l’outil, comme files.write_file
help-command-run = Exécute une requête, ou fait une action locale à la main : avec les mêmes contrôles, journalisée comme la vôtre
help-command-run--name = Le nom ou le mot de la commande
help-command-run--parameters = Ses paramètres, un objet JSON

help-rule = Ajoute, liste et révoque les approbations et les refus permanents
help-rule-list = Liste les approbations et les refus permanents
help-rule-list--all = Avec ceux qui ont expiré ou sont révoqués
help-rule-show = Affiche une règle
help-rule-show--rule = La règle, rul_…
help-rule-revoke = Révoque une règle : de tels appels sont décidés comme sans elle
help-rule-add = Approuve ou refuse des appels à l’avance
help-rule-add-long = Une règle qui approuve autorise exactement les arguments que vous nommez ; elle ne couvre jamais ce qui est irréversible. Une règle qui refuse l’emporte sur toute approbation ; sans --for, elle vaut jusqu’à sa révocation.
help-rule-add--command = Le nom ou le mot de la commande ; pour refuser toute une ressource : files.*
help-rule-add--conditions = Les arguments avec exactement les valeurs qu’ils doivent avoir : un objet JSON
help-rule-add--any = Un argument qui peut être quelconque ; peut être répété
help-rule-add--deny = Refuse de tels appels
help-rule-add--reason = Pourquoi, tel que le modèle l’apprend
help-rule-add--session = Seulement dans cette session
help-rule-add--lasts = Pour combien de temps, comme 12h ou 30d
help-rule-revoke--rule = La règle, rul_…

help-cost = Montre ce que coûtent les appels aux modèles
help-cost-report = Additionne ce que les appels aux modèles ont utilisé et coûté
help-cost-report-long = Le prix d’un appel est enregistré avec lui : un tarif plus récent ne change aucun coût passé. Ce qui est inconnu ne compte pas pour 0 : une somme dont une partie est inconnue dit « au moins ». Pour fixer des prix : entracte provider show --schema
help-cost-report--by = Ce que représente chaque ligne
help-value--by--attempt = Une tentative d’appel à un modèle
help-value--by--round = Un tour avec toutes ses tentatives
help-value--by--session = Une session
help-value--by--automation = Une automatisation avec toutes ses exécutions
help-value--by--day = Un jour dans le fuseau de l’espace de travail
help-value--by--model = Un modèle d’un fournisseur
help-value--by--provider = Un fournisseur
help-cost-report--session = Seulement les appels de cette session
help-cost-report--since = Seulement les appels depuis ce jour, comme 2026-11-01, dans le fuseau de l’espace de travail
help-cost-report--until = Seulement les appels jusqu’à la fin de ce jour
help-cost-report--csv = Affiche des valeurs séparées par des virgules

help-workspace = Gère les espaces de travail et leurs réglages
help-workspace-list = Liste les espaces de travail et leurs sessions
help-workspace-create = Crée un espace de travail
help-workspace-create--key = Sa clé, écrite utilisateur:collection
help-workspace-create--zone = Son fuseau horaire, comme Europe/Paris
help-workspace-create--day-start = L’heure où commencent ses jours, de 0 à 23
help-workspace-create--week-start = Le jour où commencent ses semaines, de monday à sunday
help-workspace-create--language = Sa langue : en, fr
help-workspace-create--set = Change un autre réglage ; voir workspace settings list
help-workspace-settings = Affiche et change les réglages de l’espace de travail
help-workspace-settings-list = Liste les réglages : leur valeur, ce qu’ils acceptent et ce qu’ils signifient
help-workspace-settings-get = Affiche la valeur d’un réglage
help-workspace-settings-get--key = Le nom du réglage
help-workspace-settings-set = Change des réglages, tous ou aucun
help-workspace-settings-set--pairs = KEY VALUE ou KEY=VALUE ; peut être répété
help-workspace-settings-reset = Rend leur valeur par défaut à des réglages, tous ou aucun
help-workspace-settings-reset--keys = Les noms des réglages
help-workspace-settings-reset--all = Tous les réglages

help-provider = Gère les fournisseurs de modèles de la configuration
help-provider-list = Liste les fournisseurs
help-provider-show = Affiche les clés en vigueur d’un fournisseur, et où se trouve son secret
help-provider-show--name = Le nom du fournisseur
help-provider-show--schema = Affiche plutôt le schéma JSON d’une entrée
help-provider-add = Ajoute un fournisseur au fichier de configuration
help-provider-add--name = Son nom : des lettres, des chiffres, _ et -
help-provider-add--kind = Son genre : claude, openai, groq, compatible, rehearsal
help-provider-add--model = Son modèle par défaut
help-provider-add--api-key-env = La variable d’environnement qui contient la clé d’API
help-provider-add--api-key-file = Le fichier qui contient la clé d’API et rien d’autre
help-provider-add--base-url = L’adresse de son API
help-provider-add--dialect = Comment les modèles demandent des commandes : tools, envelope
help-provider-add--set = Change une autre clé de l’entrée ; voir provider show --schema
help-provider-add--default = En fait le fournisseur par défaut des nouvelles sessions
help-provider-add--file = Le fichier à modifier [par défaut : celui de --config, sinon celui de l’utilisateur]
help-provider-edit = Modifie un fournisseur dans le fichier de configuration
help-provider-edit--name = Le nom du fournisseur
help-provider-edit--set = Change une clé de l’entrée ; voir provider show --schema
help-provider-edit--unset = Retire une clé de l’entrée
help-provider-edit--default = { help-provider-add--default }
help-provider-edit--file = Le fichier à modifier [par défaut : celui de --config, sinon celui de ./entracte.toml ou de l’utilisateur qui contient l’entrée]
help-provider-remove = Retire un fournisseur du fichier de configuration
help-provider-remove--name = Le nom du fournisseur
help-provider-remove--file = Le fichier à modifier [par défaut : comme pour edit]
help-provider-models = Liste les modèles qu’un fournisseur propose, avec leurs prix s’ils sont connus
help-provider-models--name = Le fournisseur [par défaut : le fournisseur par défaut]
help-provider-models--limit = Ce nombre au plus
help-provider-check = Vérifie que l’adresse, la clé et le modèle fonctionnent
help-provider-check--name = Le fournisseur [par défaut : tous]

help-mcp = Sert de serveur MCP : offre les commandes à une autre IA par l’entrée et la sortie standard
help-mcp--name = Nom du client ; chaque nom a ses propres sessions
help-mcp--commands = Commandes que le client peut utiliser, comme zones.list,files.*
help-mcp-login = Se connecte à un serveur MCP distant avec un navigateur
help-mcp-login--server = Le nom du serveur dans la configuration
help-mcp-login--no-browser = N’ouvre pas de navigateur : affiche l’adresse, et lit sur l’entrée standard celle où le navigateur a été envoyé
help-mcp-login--within = Attente la plus longue de la personne : secondes
help-mcp-logout = Oublie la connexion à un serveur MCP distant, et la révoque là-bas si c’est possible
help-mcp-logout--server = { help-mcp-login--server }
help-mcp-status = Liste les serveurs MCP et les connexions ; n’en démarre aucun

help-db = Entretient la base de données
help-db-migrate = Met la base de données à niveau pour cette version
help-db-check = Lit toute la base de données et signale ce qui est abîmé
help-db-backup = Sauvegarde la base de données dans un nouveau fichier SQLite, même pendant que d’autres écrivent
help-db-backup--file = Le nouveau fichier
help-db-copy = Copie une base de données entière dans une base vide et y rejoue chaque session
help-db-copy-long = Chacune est un chemin SQLite ou une URL : postgres://USER@HOST/DATABASE. env:NAME lit l’URL dans une variable, pour une URL avec mot de passe. La base d’un serveur doit déjà exister : createdb DATABASE
help-db-copy--from = La base de données à copier ; d’autres peuvent continuer à l’utiliser
help-db-copy--to = La base de données à écrire, nouvelle ou vide

help-doctor = Vérifie que tout est en ordre, une ligne par vérification
help-doctor--online = Demande aussi à chaque fournisseur s’il répond
help-doctor--upgrade = Liste seulement ce qu’un autre programme, ou une autre configuration, changerait aux sessions ouvertes
help-doctor--upgrade-long = Un fichier dont le nom finit par .toml est une configuration ; tout autre est un programme, qui est lancé. Chacun regarde une copie de la base de données, supprimée ensuite. Se termine avec 1 si quelque chose changerait.
help-doctor--within = Le temps que l’autre peut prendre : des secondes
help-doctor--most-mb = Ce qui est lu au plus de ce que dit l’autre : des mégaoctets

help-config = Affiche les réglages
help-config-show = Affiche tous les réglages en vigueur
help-config-show-long = Une option l’emporte sur une variable ; viennent ensuite ./entracte.toml, le fichier de l’utilisateur (config.toml dans le dossier entracte de sa configuration) et la valeur par défaut. La variable d’un réglage est ENTRACTE_ suivi de son nom en majuscules avec des soulignés : ENTRACTE_LIMITS_ROUNDS. Une durée est un nombre et son unité : 500ms, 30s, 5m, 24h. Une limite d’un genre de session, [limits.chat], l’emporte sur la même limite pour tous, [limits] ; 0 signifie sans limite. Le journal du programme contient les avertissements ; ENTRACTE_LOG=debug en dit plus. Il va sur l’erreur standard et, dans un terminal, dans entracte.log, dans le dossier des données.
help-config-show--origin = Affiche d’où vient chaque valeur

help-completions = Affiche un script de complétion pour un shell
help-completions-after = Pour bash : entracte completions bash > ~/.local/share/bash-completion/completions/entracte
help-completions--shell = Le shell
help-man = Affiche la page de manuel, ou écrit une page par commande
help-man-after =
    Pour la lire : entracte man | man -l -
    Pour installer toutes les pages : entracte man --to ~/.local/share/man/man1
help-man--to = Écrit toutes les pages dans ce dossier, créé s’il manque

# Les fautes de la ligne de commande.

help-error-unknown-argument = l’argument « { $given } » n’existe pas ici
help-error-unknown-command = la commande « { $given } » n’existe pas
help-error-value = « { $given } » n’est pas une valeur valide pour { $argument }
help-error-value-missing = il manque une valeur à { $argument }
help-error-missing = il manque : { $arguments }
help-error-conflict = { $argument } ne va pas avec { $other }
help-error-twice = { $argument } est donné plus d’une fois
help-error-missing-command = il manque une commande : { $commands }
help-error-perhaps = vouliez-vous dire « { $guess } » ?

help-command-accept--without-approval = L’accepte même s’il ne demande plus d’approbation tel qu’il est maintenant
help-trust = Montre ce que peut faire le fichier entracte.toml d’un dossier, et lui fait confiance tel qu’il est
help-trust-long = Sans votre confiance, un tel fichier ne nomme aucun programme, adresse, secret, hôte ni base de données, et n’assouplit aucune protection. S’il change, il redemande votre confiance. Un fichier que nomme --config ou ENTRACTE_CONFIG a votre confiance par là même.
help-trust--dir = Le dossier de ce fichier entracte.toml [par défaut : celui-ci]
help-trust--yes = Lui fait confiance tel qu’il est, sans question
help-trust--list = Liste les fichiers qui ont votre confiance
help-trust--revoke = Retire la confiance à tous ses contenus
help-serve = Sert l’API par HTTP, et exécute sessions et automatisations jusqu’à son arrêt
help-serve-long = Il n’écoute que sur cette machine, sauf avec TLS : le sien, ou celui d’un proxy que server.trusted_proxies nomme. Le lien qu’il affiche connecte un seul navigateur, une fois. Les programmes utilisent un jeton : entracte token create
help-serve--bind = Adresse et port d’écoute [par défaut : 127.0.0.1:8723]
help-serve--tls-cert = Chaîne de certificats pour TLS, un fichier PEM
help-serve--tls-key = Clé du certificat, un fichier PEM
help-serve--base-path = Ce par quoi commence chaque chemin, comme /entracte
help-token = Gère les jetons des personnes et des programmes qui utilisent le serveur
help-secret = Garde vos propres secrets pour les outils qui utilisent celui du demandeur, dans cet espace de travail
help-secret-set = Garde un de vos secrets ; il est lu sur l’entrée standard et jamais affiché
help-secret-set-long = Un outil dont l’en-tête dit secret_person = "NOM" l’envoie pour ce que vous demandez, et pour personne d’autre.
help-secret-set--name = Son nom, comme le dit la configuration de l’outil
help-secret-list = Liste les noms de vos secrets
help-secret-remove = Retire un de vos secrets
help-secret-remove--name = Son nom
help-token-create = Crée un jeton pour le serveur ; son secret est affiché une seule fois
help-token-create--person = À qui il est : l’auteur de tout ce qui est fait avec lui [par défaut : vous]
help-token-create--scopes = Ce qu’il permet ; peut être répété
help-token-create--name = Son nom dans les listes
help-token-create--lasts = Pour combien de temps, comme 12h ou 30d ; sans limite s’il est omis
help-token-create--everywhere = Pour tous les espaces de travail
help-token-list = Liste les jetons de l’espace de travail, sans leurs secrets
help-token-list--everywhere = Ceux de tous les espaces de travail
help-token-revoke = Révoque un jeton : il ne vaut plus pour aucune requête
help-token-revoke--id = L’identifiant du jeton
help-token-revoke--everywhere = De n’importe quel espace de travail
help-value--scopes--read = tout voir
help-value--scopes--chat = parler : sessions, messages, réponses, automatisations
help-value--scopes--approve = décider : approbations, issues inconnues, approbations permanentes
help-value--scopes--admin = tout cela, et les réglages, les jetons, la suppression
