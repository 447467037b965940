# Les tâches longues, telles que les personnes les voient : `task list`, `task show`, et ce qu’elles demandent.

task-list-none = il n’y a pas de tâche longue dans { $workspace }
task-head-task = tâche
task-head-state = état
task-head-command = commande
task-head-session = session
task-head-made = créée
task-head-news = nouvelles

task-state-registered = en cours d’envoi
task-state-dispatched = confiée
task-state-running = en cours
task-state-completed = terminée
task-state-failed = échouée
task-state-cancelled = annulée
task-state-expired = expirée
task-state-asks = vous demande
task-state-cancelling = en cours d’annulation

task-late = sa fin est arrivée trop tard ; voir : entracte task show
task-of = { $command }, demandée dans { $session } ({ $call })
task-made = créée { $at }
task-taken = prise par l’autre côté { $at }
task-not-taken = on ne sait pas encore si l’autre côté l’a prise
task-deadline = finie { $at }, quoi que fasse l’autre côté
task-poll = l’autre côté est interrogé la prochaine fois { $at }
task-progress = où elle en est, selon l’autre côté { $at } :
task-asks = l’autre côté demande, et attend (pour répondre : entracte task answer { $task } RÉPONSE) :
task-ended = { $outcome } { $at } ; l’autre côté dit :
task-ended-late = { $outcome } { $at }, alors qu’elle était finie ici ; l’autre côté dit :
task-contradicted = { $count ->
    [one] l’autre côté a annoncé une autre fin une fois de plus ; elle n’a pas compté
   *[other] l’autre côté a annoncé d’autres fins { $count } fois de plus ; aucune n’a compté
}
task-undelivered = sa session n’a pas lu comment elle s’est terminée
task-told = { $at }  { $id } : { $verdict }
task-cancel-why = { $why ->
    [person] annulée par { $who } { $at }
    [model] annulée par son modèle { $at }
    [session] annulée avec sa session { $at }
   *[deadline] annulée à son échéance { $at }
}
task-cancel = { $why } ; { $heard ->
    [confirmed] l’autre côté dit qu’il s’est arrêté
    [unconfirmed] l’autre côté n’a pas dit qu’il s’est arrêté : elle peut se terminer quand même
   *[unsent] l’autre côté en est informé
}
task-cancelled-now = { $task } est annulée ici ; pour savoir si l’autre côté s’arrête : entracte task show { $task }
task-answered-now = { $task } a votre réponse ; elle est transmise à l’autre côté

task-verdict-early = sa fin, avant que son envoi soit connu
task-verdict-normal = sa fin
task-verdict-progress = où elle en est
task-verdict-duplicate = déjà connu
task-verdict-late = sa fin, trop tard
task-verdict-contradictory = une autre fin que celle qui est connue
task-verdict-past = rien de nouveau
