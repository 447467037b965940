# Les tâches longues, telles que les personnes les voient : `task list`, `task show`, et ce qu’elles demandent.

task-list-none = il n’y a pas de tâche longue dans { $workspace }
task-head-task = tâche
task-head-state = état
task-head-command = commande
task-head-session = session
task-head-made = créée
task-head-news = dernier compte rendu

task-state-registered = envoi en cours
task-state-dispatched = envoyée
task-state-running = en cours
task-state-completed = terminée
task-state-failed = échouée
task-state-cancelled = annulée
task-state-expired = expirée
task-state-asks = vous demande
task-state-cancelling = annulation en cours

task-late = son résultat est arrivé trop tard ; voir : entracte task show
task-of = { $command }, demandée dans { $session } ({ $call })
task-made = créée { $at }
task-taken = acceptée par le serveur de tâches { $at }
task-not-taken = on ne sait pas encore si le serveur de tâches l’a acceptée
task-extra-time = échéance passée ; interrogée une dernière fois, délai supplémentaire jusqu’à { $at }
task-deadline = échéance { $at }
task-poll = prochaine vérification auprès du serveur de tâches { $at }
task-progress = avancement, tel que signalé à { $at } :
task-asks = le serveur de tâches pose une question et attend (pour y répondre : entracte task answer { $task } RÉPONSE) :
task-ended = { $outcome } { $at } ; le serveur de tâches a répondu :
task-ended-late = { $outcome } { $at }, alors que la tâche était déjà close ici ; le serveur de tâches a répondu :
task-contradicted = { $count ->
    [one] le serveur de tâches a ensuite annoncé un autre résultat ; il n’a pas été retenu
   *[other] le serveur de tâches a ensuite annoncé d’autres résultats, { $count } fois ; aucun n’a été retenu
}
task-undelivered = sa session n’a pas lu le résultat
task-told = { $at }  { $id } : { $verdict }
task-cancel-why = { $why ->
    [person] annulée par { $who } { $at }
    [model] annulée par son modèle { $at }
    [session] annulée avec sa session { $at }
   *[deadline] annulée à son échéance { $at }
}
task-cancel = { $why } ; { $heard ->
    [confirmed] le serveur de tâches a confirmé l’arrêt
    [unconfirmed] le serveur de tâches n’a pas confirmé l’arrêt : la tâche peut encore se terminer
   *[unsent] le serveur de tâches en est informé
}
task-cancelled-now = { $task } est annulée ici ; pour savoir si le serveur de tâches s’est arrêté : entracte task show { $task }
task-answered-now = votre réponse à { $task } est enregistrée ; elle est transmise au serveur de tâches

task-verdict-early = terminée, avant que le serveur de tâches ait confirmé la tâche
task-verdict-normal = terminée
task-verdict-progress = avancement
task-verdict-duplicate = déjà connu
task-verdict-late = terminée, trop tard
task-verdict-contradictory = un autre résultat que celui qui est connu
task-verdict-past = rien de nouveau
