# Ce que dit l’essai à blanc d’une automatisation.
dry-done = Ceci est un essai à blanc : rien à ajouter.
dry-not-done = Ceci est un essai à blanc : l’action n’a pas été effectuée.
dry-not-asked = Ceci est un essai à blanc : rien n’est demandé hors de l’espace de travail.
dry-refused = Une exécution est impossible : { $why }
dry-provider = Le fournisseur est inutilisable : { $why }
dry-attention = Elle ne s’exécute pas tant que vous ne l’avez pas examinée : { $why }
dry-off = Elle est désactivée et ne s’exécute donc pas d’elle-même.
dry-never-due = Son calendrier n’a plus d’échéance à venir.
dry-too-long = La première requête compte environ { $tokens } tokens, mais le modèle en accepte { $most }.
dry-ended = L’exécution s’est terminée par { $reason }.{ $why ->
        [none] {""}
       *[other] { " " }{ $why }
    }
dry-rests = L’exécution s’est arrêtée avant la fin de son travail.{ $why ->
        [none] {""}
       *[other] { " " }{ $why }
    }
dry-unfinished = L’exécution ne s’est pas terminée dans le temps accordé à un essai à blanc.{ $why ->
        [none] {""}
       *[other] { " " }{ $why }
    }
dry-failed = { $command } a échoué : { $why }
dry-left-out = L’action { $command } ne serait pas effectuée : { $why }
dry-held-back = { $command } interroge l’extérieur de l’espace de travail ; un essai à blanc ne le tente pas.
dry-waits = { $calls ->
        [one] Une action demande une approbation : l’exécution l’attendrait.
       *[other] { $calls } actions demandent une approbation : l’exécution les attendrait.
    }
dry-would-work = { $name } : une exécution ferait son travail.
dry-would-leave-out = { $name } : une exécution irait jusqu’au bout, mais ne ferait pas tout ce qu’elle demande.
dry-would-not-work = { $name } : une exécution ne ferait pas son travail.
dry-next = Prochaine exécution : { $at }
dry-plays-last-run = Joué avec les réponses de la dernière exécution, { $session } ; rien n’a été modifié ni envoyé.
dry-plays-script = Joué avec le script ; rien n’a été modifié ni envoyé.
dry-plays-nothing = Il n’y a pas d’exécution antérieure à rejouer : le modèle a seulement dit qu’il a terminé. Donnez --script pour aller plus loin.
dry-asked = Ce que le modèle reçoit d’abord (environ { $tokens } tokens) :
dry-asked-of = Ce que le modèle reçoit d’abord (environ { $tokens } tokens sur { $most }) :
dry-calls = Ce qu’elle a fait :
dry-commands = Ce que ses exécutions peuvent utiliser :
dry-asks = vous demande
dry-asks-not = —
dry-held = non effectuée
dry-head-command = commande
dry-head-kind = type
dry-head-approval = approbation
dry-head-became = issue
dry-head-what = quoi
