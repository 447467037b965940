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
