# La ligne de commande.

setting-zone = Fuseau horaire des dates que lisent les personnes et les modèles
setting-zone-takes = un fuseau horaire IANA, comme Europe/Paris
setting-day-start = Heure à laquelle commence un jour ; ce qui précède appartient au jour d’avant
setting-day-start-takes = une heure de 0 à 23
setting-week-start = Premier jour de la semaine
setting-week-start-takes = un jour de monday à sunday
setting-language = Langue qu’Entracte utilise avec les modèles et dans ce qu’il enregistre, et avec les personnes dont le navigateur ou le terminal n’en indique aucune
setting-language-takes = en ou fr
setting-limits-profile = Limites de départ des sessions : une limite de tours et des gardes contre les boucles (autonomous), ou quatre compteurs et une durée maximale (strict)
setting-limits-profile-takes = autonomous, strict, ou default pour suivre la configuration
setting-require-validation = Si chaque action de chaque session demande une approbation
setting-require-validation-takes = true ou false
setting-four-eyes = Si personne ne peut approuver les actions auxquelles son propre message a conduit
setting-four-eyes-takes = true ou false
setting-approvers = Les personnes qui peuvent approuver, en plus de ce qu’une approbation demande
setting-approvers-takes = none, ou role:NOM et person:NOM, séparés par des virgules
setting-quorum = Le nombre de personnes différentes qui doivent approuver
setting-quorum-takes = un nombre entier de 1 à 20
setting-escalate-after = Le délai après lequel les personnes de escalate_to peuvent approuver aussi
setting-escalate-after-takes = never, ou une durée telle que 4h
setting-escalate-to = Les personnes qui peuvent approuver aussi après escalate_after
setting-escalate-to-takes = none, ou role:NOM et person:NOM, séparés par des virgules
setting-roles = Les membres des rôles que approvers nomme
setting-roles-takes = none, ou des rôles tels que finance: ann, bob; heads: eve
setting-away = Qui approuve à la place de qui, et jusqu’à quand
setting-away-takes = none, ou des absences telles que ann: bob until 2026-12-24T08:00:00Z, séparées par des points-virgules
setting-mode = Ce qu’il faut aux sessions avant d’agir : rien de plus (free), ou un plan qu’une personne approuve (plan)
setting-mode-takes = free, plan, ou default pour suivre la configuration
setting-slots = Nombre de sessions actives en même temps
setting-slots-takes = un nombre entier de 1 à 1000
setting-chat-preempts = Si une conversation prend aussitôt la place d’une exécution ; sinon elle attend, en tête de file
setting-chat-preempts-takes = true ou false
setting-chat-eviction = Minutes d’inactivité après lesquelles une conversation ouverte cède sa place à une exécution en attente ; une conversation que personne n’a ouverte la cède aussitôt
setting-chat-eviction-takes = un nombre entier de 0 à 10080
setting-ageing = Minutes après lesquelles une exécution en attente passe avant les plus récentes
setting-ageing-takes = un nombre entier de 0 à 10080
setting-prompt-importance = Omet les parties du prompt moins importantes que cela, pour les petits modèles
setting-prompt-importance-takes = helpful, needed ou vital
setting-user-context = Ce qui est connu de l’utilisateur de cet espace de travail, pour les modèles qui le demandent avec context.get
setting-user-context-takes = un objet JSON, par exemple {"{"}"company_name": "Dupont SA"{"}"} ; vide pour aucun
setting-retention = Combien de temps cet espace de travail garde ce qu’il stocke, si cela diffère de la configuration
setting-retention-takes = des limites comme chats=90d, automations=latest 200, results=30d ; les sujets sont chats, automations, agents, results, ledger, documents, deletions et changes ; une limite est forever, un âge d’au moins 24h, un nombre de derniers, ou les deux reliés par « and » ; vide pour aucune
setting-budget-session = Le plus que les appels du modèle d’une session peuvent utiliser, sans ses agents
setting-budget-session-takes = un montant comme 2.50 USD, un nombre comme 500000 tokens, les deux reliés par « and », ou none
setting-budget-tree = Le plus que les appels du modèle d’une session avec ses agents peuvent utiliser ; pour une automatisation, d’une exécution
setting-budget-tree-takes = un montant comme 2.50 USD, un nombre comme 500000 tokens, les deux reliés par « and », ou none
setting-budget-automation-day = Le plus que les appels du modèle d’une automatisation peuvent utiliser en un jour
setting-budget-automation-day-takes = un montant comme 2.50 USD, un nombre comme 500000 tokens, les deux reliés par « and », ou none
setting-budget-person-day = Le plus que les appels du modèle pour une personne peuvent utiliser en un jour
setting-budget-person-day-takes = un montant comme 2.50 USD, un nombre comme 500000 tokens, les deux reliés par « and », ou none
setting-budget-workspace-day = Le plus que les appels du modèle de cet espace de travail peuvent utiliser en un jour
setting-budget-workspace-day-takes = un montant comme 2.50 USD, un nombre comme 500000 tokens, les deux reliés par « and », ou none
setting-budget-workspace-month = Le plus que les appels du modèle de cet espace de travail peuvent utiliser en un mois
setting-budget-workspace-month-takes = un montant comme 2.50 USD, un nombre comme 500000 tokens, les deux reliés par « and », ou none
setting-budget-unknown-price = Ce qu’il advient d’un appel du modèle de prix inconnu quand l’argent est plafonné : il attend une personne (ask), il est refusé (refuse), ou seuls ses tokens sont comptés (tokens)
setting-budget-unknown-price-takes = ask, refuse ou tokens
setting-budget-margin = Combien de pour cent s’ajoutent aux tokens estimés d’une requête quand son pire cas est réservé
setting-budget-margin-takes = un nombre entier de 0 à 100
setting-budget-soft-line = Combien de pour cent de chaque plafond peuvent être utilisés avant de demander à une personne s’il faut continuer ; rien n’est demandé là où budget.closing_reserve ne laisse rien au-dessus, comme à 100
setting-budget-soft-line-takes = un nombre entier de 1 à 100
setting-budget-closing-reserve = Combien de pour cent de chaque plafond sont réservés au dernier appel, où le modèle rend compte de ce qui a été fait
setting-budget-closing-reserve-takes = un nombre entier de 0 à 50
setting-prompt-chunks = L’importance de certaines parties du prompt, si elle diffère de la leur ; le prompt d’un appel du modèle liste ses parties avec leurs tokens
setting-prompt-chunks-takes = des parties et leur importance, comme examples=vital,limits=needed ; les parties sont examples, approvals, results, limits et types ; l’importance est helpful, needed ou vital
setting-prompt-app-state = Si le prompt contient aussi l’état de tout l’espace de travail : ses zones et ses outils
setting-prompt-app-state-takes = true ou false
settings-head-name = réglage
settings-head-value = valeur
settings-head-set = défini
settings-head-takes = accepte
settings-head-means = signification
settings-set = oui
settings-default = par défaut
settings-changed = { $key } vaut { $value }
settings-configuration-asks = la configuration (validation.workspace) demande une approbation avant chaque action, quelle que soit la valeur de require_validation ici
workspace-made = { $workspace } est créé ; pour l’utiliser : entracte --workspace { $workspace } chat
workspace-none = il n’y a pas encore d’espace de travail ; la première conversation en crée un : entracte chat
workspace-head-key = espace de travail
workspace-head-sessions = sessions
workspace-head-open = ouvertes
workspace-head-waiting = en attente
workspace-head-language = langue
workspace-head-zone = fuseau
workspace-head-made = créé

rule-is = { $name } = { $value }
rule-is-any = { $name } quelconque
rule-is-one-of = { $name } parmi { $values }
rule-is-range = { $name } de { $least } à { $most }
rule-is-least = { $name } à partir de { $least }
rule-is-most = { $name } jusqu’à { $most }
rule-is-prefix = { $name } commence par « { $text } »
rule-is-pattern = { $name } de la forme « { $text } »
rule-where = où { $conditions }
# Les limites d’une règle : dans une session avec ses agents, en un jour, ou en tout.
rule-most-calls = au plus { $count ->
    [one] un appel
   *[other] { $count } appels
    } { $span ->
    [run] par exécution
    [day] par jour
   *[total] en tout
    }
rule-most-sum = { $name } ne dépasse pas { $sum } { $span ->
    [run] par exécution
    [day] par jour
   *[total] en tout
    }
rule-used = { $count ->
    [one] un appel l’a utilisée
   *[other] { $count } appels l’ont utilisée
    }{ $reserved ->
    [0] { "" }
   *[other] , dont { $reserved } attendent de commencer
    }
rule-used-sum = { $name } atteint { $sum } jusqu’ici
rule-used-day = { $count } le jour qui a commencé le { $since }
rule-used-by = { $call }{ $amount ->
    [none] { "" }
   *[other] { " " }({ $amount })
    }, { $state ->
    [reserved] approuvé le { $at }, pas commencé
   *[started] commencé le { $at }
    }
rule-offer = prochains appels de { $command } { $conditions } ; { $limits }
rule-offered = Toujours : { $offer } ; pendant { $lasts } après la décision
rule-add-twice = { $argument } a deux conditions ; donnez-en une
rule-add-number = { $flag } : « { $given } » n’est pas un nombre en chiffres simples ; écrivez-le comme 200 ou 12.50
rule-add-unreadable = { $flag } : « { $given } » ne peut pas être lu
rule-add-until = --until : « { $given } » n’est pas un jour encore à venir ou en cours ; écrivez-le comme 2026-12-31
approve-width-none = il n’y a pas de largeur { $given } : nommez une seule fiche, et un nombre de 1 à { $count }
rule-for-requester = seulement pour l’automatisation, l’agent ou la session qui demande ici
rule-for-requester-agents = seulement pour l’automatisation qui demande ici, et pour ses agents aussi
rule-for-automation = dans les exécutions de { $automation } seulement
rule-for-automation-agents = dans les exécutions de { $automation } seulement, et pour leurs agents aussi
rule-for-agent = pour l’agent { $agent } seulement
rule-no-arguments = sans argument
rule-only-these = tout autre argument demande une approbation
rule-in-workspace = dans toutes les sessions de l’espace de travail
rule-in-workspace-agents = dans toutes les sessions de l’espace de travail, et pour les agents aussi
rule-in-session = dans { $session } seulement
rule-until = jusqu’au { $until }
rule-expired = expirée
rule-used-up = épuisée
rule-times = { $left ->
    [one] { $left } appel restant
   *[other] { $left } appels restants
    } sur { $most }, { $until }
rule-revoked = révoquée par { $who } le { $at }
rule-given-by = donnée par { $who } le { $at }
rule-words = aucune approbation n’est nécessaire pour { $command } ({ $conditions }) ; { $scope } ; { $until }
rule-words-bare = aucune approbation n’est nécessaire pour { $command } sans argument ; { $scope } ; { $until }
rule-width = Toujours : les prochains appels de { $command } n’ont plus besoin d’approbation { $arguments } ; { $scope } ; pendant { $lasts } après la décision ; sans limite de nombre
rule-width-exact = avec exactement ces arguments
rule-width-any = quels que soient { $names }, tout le reste étant exactement comme ici
rule-in-this-session = dans cette session seulement
rule-made = approbation permanente { $rule } : { $words }
rule-made-but = Une approbation reste nécessaire si le modèle la demande lui-même, ou si la commande a changé. Pour la révoquer : entracte rule revoke { $rule }
rule-revoked-now = { $rule } est révoquée : de tels appels demandent de nouveau une approbation
rule-none = il n’y a ni approbation permanente ni refus permanent dans { $workspace } ; pour en créer : entracte approve ID --always, ou entracte rule add --help
rule-head-rule = règle
rule-head-command = commande
rule-head-where = condition
rule-head-scope = portée
rule-head-state = état
rule-head-author = par

# La fiche d’un appel qui demande une approbation.

screen-approval-query = approbation requise pour une requête
screen-approval-needed = approbation requise
screen-because = parce que { $reason } ({ $level })
screen-warning = attention :
screen-starts-after = commence après : { $calls }
screen-changed = cela a changé depuis la demande : décidez, et la nouvelle fiche vous sera d’abord montrée
screen-mixed = attention aux lettres de plusieurs alphabets dans : { $words }
screen-until = { $id } jusqu’au { $until }

# Les automatisations.

automation-none = il n’y a pas d’automatisation dans { $workspace } ; pour en créer une : entracte automation create NOM --message TEXTE --every 1h
automation-no-trigger = l’automatisation n’a pas de déclencheur ; donnez l’un de --cron, --every, --at, --manual et --on-event
automation-no-change = il n’y a rien à modifier ; donnez au moins une option
automation-no-span = { $flag } : « { $given } » n’est pas une durée valide ; écrivez un nombre et son unité, comme 90s, 15m, 24h ou 7d
automation-zone-alone = --zone change le fuseau d’une expression cron ; donnez aussi l’expression, avec --cron
automation-from-alone = --from dit quand un intervalle commence ; donnez aussi l’intervalle, avec --every
automation-comes = { $automation } « { $name } » s’exécutera le { $at }
automation-cron-warning = Remarque : { $warning }.
automation-cron-ask = est-ce bien ce que { $expression } doit dire ? [o]ui, [n]on>{" "}
automation-cron-not-made = Rien n’a changé. --crontab prend les jours qu’une crontab désigne.
automation-comes-off = { $automation } « { $name } » est désactivée ; pour l’activer : entracte automation enable { $automation }
automation-comes-event = { $automation } « { $name } » s’exécute sur un événement : entracte automation run { $automation } --event JSON
automation-comes-passed = L’heure de { $automation } « { $name } » est passée. Elle s’exécute à la demande : entracte automation run { $automation } ; ou à une autre heure : entracte automation edit { $automation } --at HEURE
automation-comes-asked = { $automation } « { $name } » s’exécute à la demande : entracte automation run { $automation }
automation-delete-ask = supprimer { $automation } « { $name } » ? Ses exécutions et son historique sont conservés. [o]ui, [n]on>{" "}
automation-deleted = { $automation } est supprimée ; ses exécutions et son historique sont conservés : entracte automation history { $automation }
automation-no-history = { $automation } n’a pas encore d’occurrence
automation-no-history-all = aucune automatisation de { $workspace } n’est arrivée à échéance pendant ce temps ; remontez plus loin : entracte automation history --since HEURE
automation-run-deleted = la session est supprimée
automation-watched-elsewhere = un autre processus possède la base de données et exécute les automatisations à leur échéance
automation-watch-begins = à venir : « { $name } » le { $at } ; Ctrl-C pour arrêter la surveillance
automation-watch-nothing = aucune automatisation de { $workspace } n’est programmée ; Ctrl-C pour arrêter la surveillance
automation-watch-ends = surveillance arrêtée ; les automatisations qui arrivent à échéance attendent la prochaine surveillance
automation-watch-ends-server = surveillance arrêtée ; le serveur continue d’exécuter ce qui arrive à échéance
automation-watch-lost = un autre processus a pris la base de données ; les automatisations s’exécuteront de nouveau ici dès qu’elle sera libre
automation-watch-regained = les automatisations s’exécutent de nouveau ici
automation-state-on = active
automation-state-off = désactivée
automation-state-damaged = illisible
automation-state-attention = demande votre attention
automation-when-cron = { $expression } ({ $zone })
automation-when-every = { $every } à partir du { $at }
automation-when-once = une fois, le { $at }
automation-when-manual = à la demande
automation-when-event = sur un événement
automation-cause-scheduled = programmée
automation-cause-manual = à la demande
automation-cause-event = événement
automation-ran = exécutée
automation-skipped-late = sautée : trop tard pour commencer
automation-skipped-superseded = sautée : une plus récente était aussi à échéance
automation-skipped-overlap = sautée : une exécution n’était pas terminée
list-left-out = { $shown } sur { $count } sont affichés ; --limit 0 les affiche tous
automation-skipped-behind = sautée : l’exécution { $session } n’était pas terminée
automation-skipped-behind-approval = sautée : l’exécution { $session } attend une approbation
automation-skipped-behind-question = sautée : l’exécution { $session } attend une réponse
automation-skipped-behind-person = sautée : l’exécution { $session } attend que quelqu’un la regarde
automation-skipped-times = { $outcome } ; { $count } fois depuis le { $at }
automation-skipped-unusable = sautée : sa session modèle est inutilisable
automation-skipped-switched-off = sautée : l’automatisation a été désactivée pendant l’attente
automation-skipped-deleted = sautée : l’automatisation a été supprimée pendant l’attente
automation-skipped-rescheduled = sautée : l’horaire a été changé pendant l’attente
automation-catch-up = au plus { $window } de retard
automation-catch-up-unlimited = quel que soit le retard
automation-missed-latest = la plus récente de plusieurs
automation-missed-all = toutes
automation-overlap-skip = sautée tant qu’une exécution est active
automation-overlap-queue = attend la fin de l’exécution
automation-allowed-by = allow, réglé par { $by }
automation-allow-waits = allow, qu’aucune personne pouvant approuver n’a réglé pour ce message : les actions attendent quelqu’un
automation-as-usual = selon la configuration
automation-approval = toute action demande une approbation
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
automation-fact-unattended = sans surveillance
automation-fact-mode = mode
automation-fact-completion = fin du travail
automation-fact-provider = fournisseur
automation-fact-approval = approbation
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

wake-approval-expires = l’approbation expire le { $at }
wake-question-expires = la question expire le { $at }
wake-confirms = comptera comme confirmée le { $at }
wake-retries = nouvel essai le { $at }
wake-call-retries = nouvel essai d’un appel le { $at }
wake-closes = se ferme le { $at }
wake-run-ends = atteint sa durée maximale le { $at }
wake-agent-rests = se termine le { $at } si qui l’a appelé ne répond pas
wake-watchdog = s’arrête le { $at } si rien ne se passe d’ici là

# Si ce qui est enregistré est ce que donnent les journaux.

verify-well = { $count ->
        [one] une session correspond à son journal
       *[other] { $count } sessions correspondent à leurs journaux
    }
verify-ill = { $ill } sessions sur { $count } ne correspondent pas à leurs journaux ; faites d’abord une sauvegarde : entracte db backup FICHIER

copy-terms = dans cet espace : sans surveillance { $unattended }, limites { $limits }, fin { $completion }, { $approval }, commandes { $commands }
copy-limits = celles de l’espace de travail
copy-approval = approbation là où l’espace de travail la demande
copy-approval-all = approbation pour chaque action
copy-commands = celles de l’espace de travail
copy-of = { $session }
copy-of-ended = { $session }, qui était terminée : { $reason }

plan-head = Plan :
plan-progress = Plan « { $title } » : { $done } étapes sur { $count } faites
plan-not-approved = Plan « { $title } » : personne ne l’a approuvé ici
mode-free = les actions n’exigent pas de plan
mode-plan = les actions exigent d’abord un plan approuvé

rule-words-denies = { $command } ({ $conditions }) : refus permanent ; { $scope } ; { $until }
rule-denies = refuser { $command }
rule-denies-why = de tels appels sont refusés, même si autre chose les approuve : { $reason }
rule-any-arguments = arguments quelconques

# Les consignes que les modèles lisent en premier.

instructions-of-workspace = l’espace de travail
instructions-of-automation = les exécutions de { $automation }
instructions-of-session = { $session }
instructions-none = { $scope } : il n’y a pas de consignes ; pour en écrire : entracte workspace instructions set TEXTE
instructions-about = { $scope } : version { $version }, par { $who }, { $at } ({ $source })
instructions-set = { $scope } : les consignes en sont à la version { $version }, { $bytes ->
    [one] 1 octet
   *[other] { $bytes } octets
} ; les sessions les lisent dès leur prochain message
instructions-cleared = { $scope } : les consignes sont effacées ; versions antérieures : entracte workspace instructions history
instructions-is-cleared = (effacées)
instructions-file = { $file } ne peut pas être lu : { $why }
instructions-file-long = { $file } a plus de { $most } octets ; les consignes sont des textes courts
instructions-file-no-text = { $file } n’est pas un texte UTF-8 ; enregistrez-le en UTF-8 et importez-le de nouveau
instructions-head-version = version
instructions-head-at = heure
instructions-head-author = par
instructions-head-source = source
instructions-head-bytes = octets
instructions-head-text = début
screen-question-open = Répondez avec vos propres mots.
screen-chain = Demandé par : { $chain }
screen-chain-session = « { $name } »
screen-chain-agent = agent { $agent } (« { $mission } »)

## Agents

agents-none = aucun agent n’est déclaré ; ajoutez [agents.NOM] à la configuration, voir docs/AGENTS.md
agents-none-below = { $session } n’a appelé aucun agent
agents-no-commands = aucune commande
agents-names-none = { $given } (ne désigne aucune commande pour l’instant)
agents-callers-model = le modèle de celui qui l’appelle
agents-unknown = il n’y a pas d’agent « { $agent } » dans la configuration
agents-model = modèle : { $model }
agents-commands = commandes : { $commands }
agents-limits = limites : { $limits }
agents-result = résultat : { $schema }
agents-version = version : { $version }
agents-line = { $agent }  { $session }  { $state }, { $rounds ->
    [one] un tour
   *[other] { $rounds } tours
}, { $tokens } tokens
agent-exit = mission terminée ({ $reason }) : { $conclusion }
agent-asks-caller = demande à qui l’a appelé : { $question }
agent-asks-user = demande à l’utilisateur : { $question }
