# Ce que dit la machine, aux modèles et aux personnes : les phrases du domaine (`domain/src/localizable_text/sentences.rs`).

# Pourquoi une personne est consultée.

machine-approval-workspace = l’espace de travail exige une approbation par action
machine-approval-zone = la zone « { $zone } » exige une approbation par action
machine-approval-tool = l’outil « { $tool } » exige une approbation par action
machine-approval-session = cette session exige une approbation par action
machine-approval-model = le modèle a demandé votre approbation
machine-approval-destructive = ceci est irréversible
machine-approval-egress = ceci envoie des données hors de l’espace de travail
machine-approval-command = une personne en décide à chaque fois
machine-approval-plan = un plan demande toujours l’approbation d’une personne
machine-approval-policy = la politique du serveur demande l’approbation d’une personne
machine-approval-policy-because = la politique du serveur demande l’approbation d’une personne : { $reason }
machine-approval-no-policy = la politique du serveur n’a pas répondu
machine-approval-no-policy-because = la politique du serveur n’a pas répondu : { $reason }
machine-policy-version = (version { $version })
machine-approval-quorum = { $count } personnes différentes doivent approuver
machine-approval-approvers = { $count ->
    [one] une personne parmi { $named } doit approuver
   *[other] { $count } personnes différentes parmi { $named } doivent approuver
}
machine-approval-four-eyes = quatre yeux : quelqu’un d’autre doit approuver

# Limites.

machine-limit-rounds = Limite atteinte : { $count } { $count ->
    [one] tour
   *[other] tours
} (limits.rounds = { $limit }).
machine-limit-query-rounds = Limite atteinte : { $limit ->
    [one] { $limit } tour n’a fait que lire des données
   *[other] { $limit } tours de suite n’ont fait que lire des données
} (limits.query_rounds = { $limit }).
machine-limit-failed-action-rounds = Limite atteinte : les actions de { $count ->
    [one] { $count } tour
   *[other] { $count } tours de suite
} ont échoué (limits.failed_action_rounds = { $limit }).
machine-limit-format-errors = Limite atteinte : { $count ->
    [one] { $count } réponse n’a pas pu être lue
   *[other] { $count } réponses de suite n’ont pas pu être lues
} (limits.format_errors = { $limit }).
machine-limit-equal-failures = Limite atteinte : le même échec s’est produit { $limit ->
    [one] { $limit } fois
   *[other] { $limit } fois de suite
} (limits.equal_failures = { $limit }) : { $failure }.
machine-limit-relaunches = Limite atteinte : { $count } { $count ->
    [one] relance
   *[other] relances
} pour un seul message (limits.relaunches = { $limit }).
machine-limit-without-progress = Limite atteinte : { $count ->
    [one] { $count } tour n’a rien apporté de nouveau
   *[other] { $count } tours de suite n’ont rien apporté de nouveau
} (limits.without_progress = { $limit }).
machine-limit-context = Limite atteinte : la prochaine requête compte environ { $size } tokens, et on peut en envoyer { $budget } au plus : la fenêtre de contexte du modèle (context_tokens dans l’entrée de son fournisseur, si ni le serveur ni la table ne l’indiquent) sans la place de sa réponse. La conversation a été résumée, et ce qui reste ne peut pas être raccourci ; les parties de la requête d’un appel précédent du modèle montrent ce qui prend la place. Prends un modèle dont la fenêtre de contexte est plus grande, ou envoie moins de données avec chaque requête.
machine-limit-spending-cost = Limite atteinte : le prochain appel du modèle pourrait coûter jusqu’à { $needed } USD, et { $used } USD sur { $cap } sont utilisés { $place } (budget.{ $key }). Il n’a pas été envoyé.
machine-limit-spending-tokens = Limite atteinte : le prochain appel du modèle pourrait utiliser jusqu’à { $needed } { $needed ->
    [one] token
   *[other] tokens
}, et { $used } sur { $cap } sont utilisés { $place } (budget.{ $key }). Il n’a pas été envoyé.
machine-spending-session = dans cette session
machine-spending-tree = dans cette session avec ses agents
machine-spending-automation-day = aujourd’hui par cette automatisation
machine-spending-person-day = aujourd’hui par cette personne
machine-spending-workspace-day = aujourd’hui dans cet espace de travail
machine-spending-workspace-month = ce mois-ci dans cet espace de travail
machine-spending-question-cost = Continuer pour { $extra } USD de plus ? { $used } USD sur { $cap } sont utilisés { $place } (budget.{ $key }), et le prochain appel du modèle pourrait coûter jusqu’à { $needed } USD.
machine-spending-question-tokens = Continuer pour { $extra } { $extra ->
    [one] token
   *[other] tokens
} de plus ? { $used } sur { $cap } sont utilisés { $place } (budget.{ $key }), et le prochain appel du modèle pourrait en utiliser jusqu’à { $needed }.
machine-spending-spent-for = Dépensé pour :
machine-spending-share-cost = { $command } { $cost } USD
machine-spending-share-tokens = { $command } { $tokens }
machine-spending-no-command = réponses sans commande
machine-limit-calls-per-reply = au plus { $limit } { $limit ->
    [one] appel
   *[other] appels
} par réponse (limits.calls_per_reply) ; redemande le reste ensuite
machine-limit-calls-per-session = au plus { $limit } { $limit ->
    [one] appel
   *[other] appels
} par session (limits.calls_per_session)
machine-queries-refused = non exécuté : trop de tours de suite n’ont fait que lire des données (limits.query_rounds)
machine-closing-refusal = une limite est atteinte : cette réponse ne doit contenir aucune commande
machine-words-only-refusal = cette réponse devait être du texte seul, donc aucune de ses commandes n’a été exécutée ; redemande-les dans ta prochaine réponse si elles sont encore nécessaires
machine-closing-failed = Je me suis arrêté ici parce qu’une limite est atteinte, et je n’ai pas pu résumer où j’en suis. Écrivez-moi pour continuer.
machine-limit-report = Rends compte maintenant de ce qui a été fait, avec les résultats, de ce qui ne l’est pas, et de ce qu’une personne devrait faire ensuite. Plus aucune commande n’est exécutée.
machine-report-failed = L’exécution s’est arrêtée parce qu’une limite est atteinte, et son modèle n’a pas pu rendre compte de ce qui a été fait. Le journal de la session le montre.

# Ce qui a échoué, à l’intérieur d’autres phrases.

machine-failure-at = { $command } { $code } à { $path }
machine-failure-of-format = erreur de format { $codes }

# Résultats des appels.

machine-results = { $failed ->
    [0] { $done } { $done ->
        [one] faite
       *[other] faites
    }.
   *[other] { $done ->
        [0] { $failed } { $failed ->
            [one] non faite
           *[other] non faites
        }.
       *[other] { $done } { $done ->
            [one] faite
           *[other] faites
        }, { $failed } { $failed ->
            [one] non faite
           *[other] non faites
        }.
    }
}
machine-edited-arguments = (l’utilisateur a modifié les paramètres ; exécuté avec : { $arguments })
machine-repeated = non exécuté de nouveau : la même action vient de réussir ({ $call }). Sa réponse était :
machine-stopped = arrêté
machine-outcome-unknown = interrompu : on ne sait pas si cela a eu lieu. Ne le recommence pas ; une personne vérifiera et le dira
machine-not-in-copy = non exécuté dans cette copie ; son issue est connue dans la session d’origine
machine-cancelled-after-failure = annulé, car une action précédente de la réponse a échoué
machine-cancelled-after-undone = non exécuté : { $command }, demandé avant dans cette réponse, n’a pas réussi, et cette requête devait en lire l’effet. Redemande-la si la réponse est encore utile
machine-call-timed-out = pas de réponse dans le délai accordé à un appel
machine-call-lost = la réponse s’est perdue à chacun des essais permis
machine-call-tried-in-vain = cela n’a eu lieu à aucun des essais permis
machine-call-stopped = cela n’a pas eu lieu ; l’appel a été arrêté
machine-command-gone = la commande { $command } n’existe plus
machine-command-forbidden = la commande { $command } n’est plus permise dans cette session

# Décisions d’une personne.

machine-rejected = l’utilisateur a refusé
machine-rejected-because = l’utilisateur a refusé : { $reason }
machine-policy-denied = la politique du serveur l’a refusé
machine-policy-denied-because = la politique du serveur l’a refusé : { $reason }
machine-nobody-to-approve = personne n’est disponible pour approuver ceci (validation.unattended = refuse)
machine-undecided-in-time = personne n’a décidé à temps
machine-undecided-for-message = l’utilisateur a écrit autre chose au lieu de décider
machine-undecided-for-stop = arrêté avant qu’une décision soit prise
machine-approval-withdrawn = L’approbation { $approval } pour { $command } a été retirée : ce que l’action ferait, ou la raison de la demander, a changé depuis la demande.
machine-approval-unused = L’approbation { $approval } que { $author } a donnée pour { $command } n’a pas été utilisée à temps et ne compte plus. Elle est demandée de nouveau.
machine-approval-unused-edited = L’approbation { $approval } que { $author } a donnée pour { $command } avec d’autres arguments n’a pas été utilisée à temps et ne compte plus. Elle est demandée de nouveau, avec les arguments du modèle.
machine-settled-happened = { $author } confirme que { $command }, dont l’issue était inconnue, a eu lieu.
machine-settled-happened-with-note = { $author } confirme que { $command }, dont l’issue était inconnue, a eu lieu ({ $note }).
machine-settled-absent = { $author } confirme que { $command }, dont l’issue était inconnue, n’a pas eu lieu.
machine-settled-absent-with-note = { $author } confirme que { $command }, dont l’issue était inconnue, n’a pas eu lieu ({ $note }).

# Questions du modèle.

machine-question-unanswered = La question est restée sans réponse : { $question }
machine-question-expired = La question n’a pas reçu de réponse à temps : { $question }
machine-nobody-to-answer = Personne n’est disponible pour répondre. Décide par toi-même, ou termine.
machine-answer-yes = oui
machine-answer-no = non

# Réponses du modèle.

machine-reply-unreadable = Ta réponse n’a pas pu être lue, donc rien n’en a été exécuté :
machine-reply-cut = Ta réponse a été coupée par la limite de sortie de { $limit } jetons (max_output_tokens), donc aucune de ses commandes n’a été exécutée.
machine-reply-cut-by-model = Ta réponse a été coupée par la limite de sortie du modèle, donc aucune de ses commandes n’a été exécutée.
machine-cut-reply-goes-on = Ton texte est gardé : reprends là où il s’arrête, et redemande tes commandes, avec des arguments plus courts.
machine-cut-envelope-again = Renvoie l’objet JSON entier, plus court.
machine-reply-stopped = { $person } a arrêté cette réponse ici ; aucune de ses commandes n’a été exécutée.
machine-reply-cut-again = La réponse a été coupée par la limite de sortie de { $limit } jetons, deux fois de suite. Ce qui a été dit est gardé, et aucune de ses commandes n’a été exécutée. Augmentez max_output_tokens du fournisseur, ou demandez une réponse plus courte.
machine-reply-cut-again-by-model = La réponse a été coupée par la limite de sortie du modèle, deux fois de suite. Ce qui a été dit est gardé, et aucune de ses commandes n’a été exécutée. Réglez max_output_tokens du fournisseur, ou demandez une réponse plus courte.
machine-reply-ended-by-unknown = Le fournisseur a terminé la réponse pour une raison que cette version ne connaît pas : « { $reason } ». Ce qui a été dit est gardé, et aucune de ses commandes n’a été exécutée. Écrivez à nouveau pour continuer.
machine-reply-without-commands = Tu n’as demandé aucune commande. Continue le travail, ou dis qu’il est terminé.
machine-check-words = Tu n’as demandé aucune commande. Si le travail est terminé, redis-le : l’exécution s’arrêtera alors. Sinon, continue avec des commandes.
machine-empty-reply = Ta réponse était vide : ni mots ni commandes. Réponds à l’utilisateur.
machine-empty-reply-again = Le modèle n’a rien répondu, deux fois de suite. Écrivez-lui à nouveau, ou choisissez un autre modèle.
machine-plan-shown = Ton plan est montré à l’utilisateur. Commence par sa première étape.
machine-plan-first = Rien n’a été fait : dans cette session, une personne approuve un plan avant que tu agisses. Lis ce qu’il te faut, puis propose le plan avec { $command }.
machine-plan-alone = Rien n’a été fait : un plan se propose sans autre action à côté. Attends la décision.
machine-plan-over = Rien n’a été fait : toutes les étapes du plan approuvé sont faites ou laissées de côté. Propose un plan pour la suite avec { $command }.
machine-plan-replaced = Un plan suivant de la même réponse l’a remplacé.
machine-plan-untitled = Le plan n’a pas de titre.
machine-plan-step-empty = L’étape { $number } du plan n’a pas d’id ou pas de texte.
machine-plan-step-twice = Deux étapes du plan ont l’id « { $step } ». Donne à chacune le sien.
machine-plan-step-unknown = Le plan approuvé n’a pas d’étape « { $step } ». Ses étapes : { $steps }.
machine-check-exit = Tu as dit que ta mission est accomplie. Vérifie-le encore une fois, puis termine de nouveau par EXIT_WITH_RESULT.
machine-check-completion = Tu as dit que le travail est terminé. Vérifie-le encore une fois, puis redis-le.
machine-event-reported = Un événement a lancé cette exécution. Ses données suivent.
machine-completion-rejected = L’utilisateur dit que le travail n’est pas terminé.
machine-completion-rejected-because = L’utilisateur dit que le travail n’est pas terminé : { $reason }
machine-completed-ignored-in-chat = `completed` a été ignoré : une discussion ne se termine jamais d’elle-même.
machine-completed-ignored-beside-commands = `completed` a été ignoré, car la réponse contenait aussi des commandes.
machine-keep-control-ignored = `keep_control` a été ignoré, car il n’y avait aucune action.
machine-validation-request-ignored = `validation_request` a été ignoré, car il n’y avait aucune action.

# Exécutions, tâches, contexte.

machine-run-over = L’exécution a atteint sa durée maximale : elle a été active pendant { $minutes } min (limits.run_duration).
machine-run-over-after = L’exécution a atteint sa durée maximale : elle a été active pendant { $span } (limits.run_duration).
machine-run-inactive = L’exécution n’a rien fait pendant { $minutes } min (limits.watchdog).
machine-run-inactive-for = L’exécution n’a rien fait pendant { $span } (limits.watchdog).
machine-span-seconds = { $count } s
machine-span-millis = { $count } ms
machine-task-ended = La tâche { $task } est terminée.
machine-task-failed = La tâche { $task } a échoué.
machine-mission = Ta mission :
machine-mission-answer = La réponse à ce que tu as demandé :
machine-exit-alone = EXIT_ALONE : la fin d’une mission ou une question doit être seule dans une réponse. Les commandes à côté ont été exécutées ; dis-le de nouveau dans une réponse à part.
machine-agent-silent = La réponse était vide. Poursuis ta mission, demande ce que tu as besoin de savoir, ou termine avec EXIT_WITH_RESULT.
machine-nobody-answered = Personne n’a répondu à temps. Décide par toi-même, ou termine avec EXIT_WITH_RESULT.
machine-agents-too-deep = { $agent } n’a pas été lancé : il peut y avoir { $limit } { $limit ->
        [one] niveau
       *[other] niveaux
    } d’agents sous une session, et celui-ci est le dernier. Fais le travail toi-même, ou termine avec ce que tu as.
machine-agents-at-once = { $agent } n’a pas été lancé : { $limit } { $limit ->
        [one] agent peut
       *[other] agents peuvent
    } travailler ou attendre pour une session à la fois. Attends que l’un ait terminé, ou réponds à celui qui demande avec agent.continue.
machine-agents-used-up = { $agent } n’a pas été lancé : autant d’agents que permis ont été lancés pour cette demande. Fais le travail toi-même, ou termine avec ce que tu as.
machine-agent-rounds-used-up = { $agent } n’a pas été lancé : les tours que les agents de cette demande peuvent faire sont épuisés, ou prêtés à ceux qui travaillent. Fais le travail toi-même, ou termine avec ce que tu as.
machine-agent-provider = { $agent } n’a pas été lancé : son fournisseur n’est pas parmi ceux qui peuvent être utilisés ici.
machine-agent-not-yours = « { $child } » n’est pas un agent de cette session qui attend une réponse. Ne réponds qu’à un agent qui t’a demandé quelque chose, avec l’identifiant sous lequel il s’est présenté.
machine-task-cancelled = La tâche { $task } a été annulée.
machine-task-expired = La tâche { $task } ne s’est pas terminée avant son échéance ; son résultat est inconnu (TASK_EXPIRED).
machine-task-late = Annonce tardive : cette tâche était déjà close ici. { $how }
machine-context-summary = Résumé de la conversation jusqu’ici.
machine-context-too-long = Le contexte est trop long et n’a pas pu être résumé : { $message }
machine-answer-lost-twice = La réponse s’est perdue deux fois ; elle a peut-être été facturée.
machine-crashed-in-call = Entracte s’est arrêté { $count } fois pendant cet appel au modèle, qui a peut-être été facturé à chaque fois : il ne recommence plus de lui-même.
machine-fell-back-exhausted = { $from } n’a plus de crédit ; la session continue avec { $to }.
machine-fell-back-unreachable = { $from } est injoignable ; la session continue avec { $to }.
machine-fell-back-lost = La réponse de { $from } s’est perdue deux fois et a peut-être été facturée ; la session continue avec { $to }.
machine-fell-back-throttled = { $from } limite le nombre de requêtes ; la session continue avec { $to }.
machine-fell-back-overloaded = { $from } est surchargé ; la session continue avec { $to }.
machine-fell-back-refused = { $from } refuse ce contenu ; la session continue avec { $to }.
machine-fell-back-too-long = La conversation est trop longue pour { $from } ; la session continue avec { $to }.
machine-fell-back-misconfigured = { $from } est mal configuré ; la session continue avec { $to }.
machine-agent-ended-context = La conversation est trop longue pour le modèle, même après un résumé.
machine-agent-ended-unanswered = Il a posé une question et n’a pas reçu de réponse à temps.
machine-agent-ended-empty-replies = Il a envoyé deux réponses vides de suite.
machine-agent-ended-cut-replies = La limite de sortie a coupé deux de ses réponses de suite.
machine-agent-ended-unknown-reply-end = Sa réponse s’est terminée pour une raison inconnue.
machine-agent-ended-outcome-unknown = On ne sait pas si une de ses actions a eu lieu.
machine-agent-ended-unreachable = Son modèle n’a pas pu être joint.
machine-agent-ended-lost = La réponse de son modèle s’est perdue deux fois.
machine-agent-ended-throttled = Le débit de son modèle est limité.
machine-agent-ended-overloaded = Son modèle est surchargé.
machine-agent-ended-spending = Ce qui peut être dépensé pour son modèle est limité, et le prix de son prochain appel est inconnu.
machine-agent-ended-exhausted = Le crédit de son modèle est épuisé.
machine-agent-ended-refused = Son modèle refuse ce contenu.
machine-agent-ended-misconfigured = Son modèle est inutilisable tel qu’il est configuré.
machine-agent-ended-internal = Une erreur interne l’a arrêté.
