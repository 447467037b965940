# Les notifications : ce qu’elles disent, et leurs cibles.

notify-approve = Approuver
notify-reject = Refuser
notify-acts-as = Avec les droits de { $person }
notify-chat = une conversation
notify-approval = « { $name } » attend votre approbation : { $command }
notify-waits = « { $name } » attend toujours votre approbation : { $command }
notify-question = « { $name } » vous pose une question
notify-assigned = { $author } vous a confié ceci : { $says }
notify-unknown = dans « { $name } », personne ne sait si { $command } a eu lieu ; vérifiez, puis tranchez
notify-failure = « { $name } » : { $command }, que { $person } avait approuvé, a échoué
notify-run = l’exécution « { $name } » s’est arrêtée : { $why }
notify-task = une tâche longue de « { $name } » est finie : { $why }
notify-missed = « { $name } » ne s’est pas exécutée à { $at } : { $why }
notify-rule = l’approbation permanente de { $command } se termine à { $at }
notify-test = ceci est un essai de la cible « { $name } »
notify-digest = { $count ->
    [one] { $count } chose à voir
   *[other] { $count } choses à voir
}
notify-digest-more = { $count ->
    [one] et { $count } autre
   *[other] et { $count } autres
}
notify-why-failed = elle a échoué
notify-why-limited = elle a atteint une limite
notify-why-expired = une approbation a expiré
notify-why-exhausted = le crédit de son fournisseur est épuisé
notify-why-interrupted = elle a été interrompue
notify-why-quarantined = elle s’est bloquée à plusieurs reprises
notify-why-spending = un plafond de ses appels du modèle est presque atteint
notify-why-too-late = il était trop tard
notify-why-superseded = seule la dernière exécution devait être rattrapée
notify-why-overlap = l’exécution précédente n’était pas terminée
notify-why-behind = l’exécution précédente, { $run }, n’était pas terminée
notify-why-behind-approval = l’exécution précédente, { $run }, attend une approbation
notify-why-behind-question = l’exécution précédente, { $run }, attend une réponse
notify-why-behind-person = l’exécution précédente, { $run }, attend que quelqu’un la regarde
notify-why-contradicted = son service a annoncé un autre résultat qu’auparavant
notify-why-undelivered = sa session était terminée, et aucun modèle ne l’a lue
notify-why-unusable = son modèle de départ a disparu

notify-fault-name = « { $given } » ne peut pas être le nom d’une cible ; donnez 1 à 60 caractères sans espaces autour, ne commençant pas par tgt_
notify-fault-full = le contenu complet ne va qu’à une cible privée ; rendez-la privée si personne d’autre ne la lit
notify-fault-push = un navigateur n’est prévenu que pour sa personne : laissez-le privé, et sans liens qui décident
notify-fault-gather = { $given }, c’est trop long pour regrouper les notifications ; donnez 24h au plus
notify-fault-long = « { $given }… » est trop long
notify-fault-program = « { $given } » n’est pas le chemin complet d’un programme, comme /usr/local/bin/previens-moi
notify-fault-kind = « { $given } » n’est pas un type de notification ; les types : { $known }
notify-fault-language = « { $given } » n’est pas une langue des messages ; donnez en ou fr
notify-fault-quiet = « { $given } » n’est pas une plage de la journée, comme 22:00-07:00
notify-fault-secret = « { $given } » n’est pas l’emplacement d’un secret ; écrivez env:NOM ou file:/CHEMIN
notify-fault-taken = il y a une autre cible « { $given } » ; donnez un autre nom, ou supprimez-la
notify-fault-full-list = l’espace de travail a { $given } cibles, autant que notify.targets en permet ; supprimez-en une
notify-fault-address = la cible ne peut pas être utilisée : { $given }
notify-allow-invalid = notify.allow : « { $given } » n’est pas un hôte ; écrivez un nom ou une adresse, avec ou sans port, ou un réseau : "nas.home:8080", "10.0.0.0/8"
notify-push-contact-invalid = notify.push_contact : « { $given } » n’est pas un contact ; écrivez mailto:ann@example.org ou une adresse https://
policy-source-twice = plus d’un de policy.program, policy.url et policy.rego est fixé ; gardez-en un
policy-url-invalid = policy.url : « { $given } » n’est pas une adresse http:// ou https://
policy-url-clear = policy.url : les arguments des appels iraient à « { $given } » sans chiffrement ; utilisez https://, ou mettez son hôte dans policy.allow
policy-url-password = policy.url contient un nom ou un mot de passe ; écrivez l’adresse sans eux, et la place d’un jeton dans policy.token
policy-token-invalid = policy.token n’est pas la place d’un secret ; écrivez env:NOM ou file:/CHEMIN
policy-allow-invalid = policy.allow : « { $given } » n’est pas un hôte ; écrivez un nom ou une adresse, avec ou sans port, ou un réseau tel que 10.0.0.0/8
notify-no-target = il n’y a pas de cible « { $given } »
notify-changed = la cible « { $given } » a été modifiée entre-temps ; regardez-la de nouveau

notify-none = il n’y a aucune cible ; pour en ajouter une : entracte notify add --help
notify-all-kinds = tous
notify-on = prévenue
notify-off = suspendue par { $by }
notify-gone = désactivée : son adresse répond qu’elle n’existe plus (410)
notify-added = la cible { $target } est ajoutée ; entracte serve la prévient de ce qui vous attend
notify-no-url = ses messages n’ont pas de liens tant que server.public_url ne dit pas où les navigateurs joignent le serveur
notify-removed = la cible { $target } est supprimée
notify-tested = la cible { $target } a pris la notification
notify-not-taken = la cible { $target } n’a pas pris la notification : { $why }
notify-head-target = cible
notify-head-way = moyen
notify-head-where = où
notify-head-kinds = types
notify-head-state = état
notify-head-at = quand
notify-head-kind = type
notify-head-item = à propos de
notify-state-pending = à envoyer
notify-state-sent = envoyée
notify-state-dead = abandonnée
notify-state-dropped = réglée avant
