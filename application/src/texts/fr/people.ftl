# Les modèles d’un fournisseur.

head-window = fenêtre
provider-no-list = { $provider } n’a pas de liste de modèles ; il est configuré pour { $model }.
provider-no-list-nor-model = { $provider } n’a pas de liste de modèles{ $model }.
provider-model-not-listed = Le modèle configuré { $model } n’est pas dans la liste de { $provider } : c’est peut-être un autre nom de l’un d’eux, ou le nom d’un déploiement.
provider-models-cut = Il y en a plus que ces { $count }. Pour en voir plus : --limit.
provider-models-prices = Prix en dollars américains pour un million de tokens, au { $date } ou selon l’entrée. Les longs prompts et d’autres niveaux de service peuvent coûter plus.

# Dans combien de temps, ou il y a combien de temps.

# $span est l’une des durées ci-dessous.
time-in = dans { $span }
time-ago = il y a { $span }
time-now = maintenant
span-millis = { $count } ms
span-seconds = { $count } s
span-minutes = { $count } min
span-hours = { $count } h
span-days = { $count ->
    [one] 1 jour
   *[other] { $count } jours
}
# Tous les combien.
every-millis = { $count ->
    [one] toutes les { $count } ms
   *[other] toutes les { $count } ms
}
every-seconds = { $count ->
    [one] toutes les secondes
   *[other] toutes les { $count } s
}
every-minutes = { $count ->
    [one] toutes les minutes
   *[other] toutes les { $count } min
}
every-hours = { $count ->
    [one] toutes les heures
   *[other] toutes les { $count } h
}
every-days = { $count ->
    [one] tous les jours
   *[other] tous les { $count } jours
}
# Une règle sans fin.
rule-until-revoked = jusqu’à sa révocation
# $at est l’instant dans le fuseau de l’espace de travail.
time-beside = { $at }, { $relative }

# Ce qu’un enrichissement de la ligne de commande désigne et qui n’existe pas.

enrichment-no-zone = il n’y a pas de zone « { $id } »
enrichment-no-tool = il n’y a pas d’outil « { $id } »
enrichment-there-are = il y a : { $known }
enrichment-none = il n’y a rien ici à quoi un message puisse faire référence ; ce programme a été construit sans les données que nomment les enrichissements
enrichment-there-are-none = il n’y en a pas encore

# Les paramètres d’une commande dont les nouveaux arguments ne sont pas valides.

request-edit-keys = ses paramètres sont : { $keys }

# Outils HTTP et serveurs MCP, pour le diagnostic.

doctor-check-http = http
doctor-http-reached = { $host } ouvre une connexion ; rien n’a été envoyé
doctor-http-depends = son hôte dépend de ses arguments
doctor-http-allow-fix = Ses appels sont refusés avant que quelqu’un soit consulté : autorisez l’hôte dans tools.http.allow, ou corrigez l’url de [[tools.http.tool]].
doctor-http-fix = Vérifiez le réseau et l’url de [[tools.http.tool]].
doctor-callbacks-at = les serveurs de tâches rendent compte à { $url }
doctor-callbacks-none = les serveurs de tâches ne peuvent pas rappeler ; l’état de chaque tâche est demandé à la place
doctor-callbacks-fix = donnez à server.public_url l’adresse où les serveurs de tâches joignent celui-ci ; sans elle, ils sont interrogés, ce qui suffit
doctor-task-at = envoyée à { $host }
doctor-task-secret-fix = Définissez le secret de [[tools.tasks.task]] : whsec_ et du base64, de 24 à 64 octets.
doctor-mcp-tools = { $count ->
    [0] il répond, et aucun de ses outils n’est utilisé
    [one] il répond, 1 outil utilisé
   *[other] il répond, { $count } outils utilisés
}
doctor-mcp-gone = { $count ->
    [one] 1 outil accepté n’est plus proposé : { $names }
   *[other] { $count } outils acceptés ne sont plus proposés : { $names }
}
