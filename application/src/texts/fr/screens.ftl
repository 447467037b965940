# La ligne de commande.

setting-zone = Le fuseau horaire des dates que lisent les personnes et les modèles
setting-zone-takes = un fuseau horaire IANA, comme Europe/Paris
setting-day-start = L’heure à laquelle commence un jour ; ce qui se passe avant appartient au jour d’avant
setting-day-start-takes = une heure de 0 à 23
setting-week-start = Le jour où commence une semaine
setting-week-start-takes = un jour de monday à sunday
setting-language = La langue qu’Entracte parle aux personnes et aux modèles
setting-language-takes = en ou fr
setting-limits-profile = Les limites de départ des sessions : une limite de tours et des gardes contre les boucles (autonomous), ou quatre compteurs et une durée maximale (strict)
setting-limits-profile-takes = autonomous, strict, ou default pour ce que dit la configuration
setting-require-validation = Chaque action de chaque session demande un accord
setting-require-validation-takes = true ou false
setting-slots = Le nombre de sessions actives en même temps
setting-slots-takes = un nombre entier de 1 à 1000
setting-chat-preempts = Si une conversation prend aussitôt la place d’une exécution ; sinon elle attend, en tête de file
setting-chat-preempts-takes = true ou false
setting-chat-eviction = Les minutes de repos après lesquelles une conversation cède sa place à une exécution qui attend
setting-chat-eviction-takes = un nombre entier de 0 à 10080
setting-ageing = Les minutes après lesquelles une exécution qui attend passe avant les plus récentes
setting-ageing-takes = un nombre entier de 0 à 10080
setting-prompt-importance = Les parties du prompt moins importantes que cela sont omises, pour les petits modèles
setting-prompt-importance-takes = helpful, needed ou vital
setting-prompt-app-state = Le prompt contient aussi l’état de tout l’espace de travail : ses zones et ses outils
setting-prompt-app-state-takes = true ou false
settings-head-name = réglage
settings-head-value = valeur
settings-head-set = choisi
settings-head-takes = accepte
settings-head-means = signifie
settings-set = oui
settings-default = par défaut
settings-changed = { $key } vaut { $value }
settings-configuration-asks = la configuration (validation.workspace) demande un accord avant chaque action, quoi que dise require_validation ici
workspace-made = { $workspace } est créé ; pour l’utiliser : entracte --workspace { $workspace } chat
workspace-exists = l’espace de travail { $workspace } existe ; pour voir ses réglages : entracte --workspace { $workspace } workspace settings list
workspace-none = il n’y a pas encore d’espace de travail ; la première conversation en crée un : entracte chat
workspace-head-key = espace de travail
workspace-head-sessions = sessions
workspace-head-open = ouvertes
workspace-head-waiting = en attente
workspace-head-language = langue
workspace-head-zone = fuseau
workspace-head-made = créé

rule-is = { $name } est { $value }
rule-is-any = { $name } peut être n’importe quoi
rule-no-arguments = il n’y a pas d’arguments
rule-only-these = tout autre argument demande un accord
rule-in-workspace = dans toutes les sessions de l’espace de travail
rule-in-session = dans { $session } seulement
rule-until = jusqu’au { $until }
rule-expired = expirée
rule-revoked = révoquée par { $who } le { $at }
rule-given-by = donnée par { $who } le { $at }
rule-words = aucun accord n’est nécessaire pour { $command }, où { $conditions } ; { $scope } ; { $until }
rule-made = accord donné d’avance { $rule } : { $words }
rule-made-but = Un accord est demandé quand même si le modèle le demande lui-même, ou si la commande a changé. Pour révoquer la règle : entracte rule revoke { $rule }
rule-revoked-now = { $rule } est révoquée : de tels appels demandent de nouveau un accord
rule-none = aucun accord n’est donné d’avance dans { $workspace } ; donnez-le avec une décision : entracte approve ID --always
rule-head-rule = règle
rule-head-command = commande
rule-head-where = où
rule-head-scope = vaut
rule-head-state = état
rule-head-author = par

# La carte d’un appel qui demande un accord.

screen-leave-needed = accord demandé
screen-because = parce que { $reason } ({ $level })
screen-look-twice = à bien regarder :
screen-until = { $id } jusqu’au { $until }

# Les automatisations.

automation-none = il n’y a pas d’automatisation dans { $workspace } ; pour en créer une : entracte automation create NOM --message TEXTE --every 1h
automation-no-trigger = rien ne dit quand elle s’exécute ; donnez l’un de --cron, --every, --at, --manual et --on-event
automation-no-change = rien n’est nommé qui puisse être changé
automation-no-span = { $flag } : « { $given } » n’est pas une durée ; écrivez un nombre et son unité, comme 90s, 15m, 24h ou 7d
automation-zone-alone = --zone change le fuseau d’une expression cron ; donnez aussi l’expression, avec --cron
automation-from-alone = --from dit quand un intervalle commence ; donnez aussi l’intervalle, avec --every
automation-comes = { $automation } « { $name } » s’exécute la prochaine fois le { $at }
automation-comes-off = { $automation } « { $name } » est désactivée ; pour l’activer : entracte automation enable { $automation }
automation-comes-event = { $automation } « { $name } » s’exécute sur un événement : entracte automation run { $automation } --event JSON
automation-comes-asked = { $automation } « { $name } » s’exécute à la demande : entracte automation run { $automation }
automation-delete-ask = supprimer { $automation } « { $name } » ? Ses exécutions et son historique restent. [y] oui, [n] non>{" "}
automation-deleted = { $automation } est supprimée ; ses exécutions et son historique restent : entracte automation history { $automation }
automation-no-history = aucune occurrence de { $automation } n’a encore été décidée
automation-run-deleted = la session est supprimée
automation-watched-elsewhere = un autre processus possède la base de données et exécute ce qui est dû
automation-watch-begins = à venir : « { $name } » le { $at } ; Ctrl-C arrête la veille
automation-watch-nothing = aucune automatisation de { $workspace } n’est due d’elle-même ; Ctrl-C arrête la veille
automation-watch-missed = { $count ->
        [one] un événement n’a pas été montré
       *[other] { $count } événements n’ont pas été montrés
    } ; ils sont dans les journaux des sessions
automation-watch-ends = la veille s’arrête ; ce qui est dû désormais attend la prochaine
automation-queued = { $session } attend son tour ; pour voir qui travaille : entracte session list
automation-state-on = active
automation-state-off = désactivée
automation-state-damaged = illisible
automation-state-attention = demande votre attention
automation-when-cron = { $expression } ({ $zone })
automation-when-every = toutes les { $span } à partir du { $at }
automation-when-once = une fois, le { $at }
automation-when-manual = à la demande
automation-when-event = sur un événement
automation-cause-scheduled = à l’heure dite
automation-cause-manual = à la demande
automation-cause-event = événement
automation-ran = exécutée
automation-skipped-late = sautée : trop tard pour commencer
automation-skipped-superseded = sautée : une plus récente était due aussi
automation-skipped-overlap = sautée : une exécution n’était pas terminée
automation-skipped-unusable = sautée : sa session modèle est inutilisable
automation-catch-up = au plus { $window } de retard
automation-catch-up-unlimited = quel que soit le retard
automation-missed-latest = la plus récente de plusieurs
automation-missed-all = toutes
automation-overlap-skip = sautée tant qu’une exécution n’est pas terminée
automation-overlap-queue = attend la fin de l’exécution
automation-as-usual = selon la configuration
automation-leave = toute action demande un accord
automation-fact-automation = automatisation
automation-fact-name = nom
automation-fact-state = état
automation-fact-when = quand
automation-fact-why = pourquoi
automation-fact-next = à venir
automation-fact-last = dernière
automation-fact-missed = manquées
automation-fact-overlap = chevauchement
automation-fact-profile = limites
automation-fact-unattended = sans témoin
automation-fact-completion = fin du travail
automation-fact-provider = fournisseur
automation-fact-leave = accord
automation-fact-version = version
automation-fact-created = créée
automation-fact-edited = modifiée
automation-fact-seed = session modèle
automation-fact-message = message
automation-fact-occurrence = occurrence
automation-fact-cause = cause
automation-fact-decided = décidée
automation-fact-outcome = issue
automation-fact-session = session
automation-fact-run = exécution

# Quand une session se réveille, et pourquoi.

wake-leave-expires = l’accord expire le { $at }
wake-question-expires = la question expire le { $at }
wake-confirms = sera tenue pour confirmée le { $at }
wake-retries = nouvel essai le { $at }
wake-call-retries = nouvel essai d’un appel le { $at }
wake-closes = se ferme le { $at }
wake-run-ends = aura travaillé trop longtemps le { $at }

# Si ce qui est enregistré est ce que donnent les journaux.

verify-well = { $count ->
        [one] une session est telle que son journal la donne
       *[other] { $count } sessions sont telles que leurs journaux les donnent
    }
verify-ill = { $ill } sessions sur { $count } ne sont pas telles que leurs journaux les donnent ; gardez-en d’abord une copie : entracte db backup FICHIER
