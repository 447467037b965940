# doctor --upgrade.

upgrade-none = { $sessions ->
    [one] { $sessions } session ouverte ; { $other } ne changerait rien
   *[other] { $sessions } sessions ouvertes ; { $other } ne changerait rien
}
upgrade-some = { $sessions ->
    [one] { $sessions } session ouverte
   *[other] { $sessions } sessions ouvertes
} ; { $other } changerait { $count ->
    [one] { $count } chose
   *[other] { $count } choses
}
upgrade-nothing = rien
upgrade-unreadable = elle ne pourrait plus être lue : { $after }
upgrade-replay = rejouer son journal ne donnerait plus son état enregistré
upgrade-phase = sa phase serait { $after } au lieu de { $before }
upgrade-next-step = sa prochaine étape serait { $after } au lieu de { $before }
upgrade-approval-gone = l’approbation { $of } ({ $before }) ne serait plus ouverte
upgrade-approval-new = l’approbation { $of } ({ $after }) serait ouverte
upgrade-approval-changed = l’approbation { $of } serait redemandée avec une autre fiche (demandée par { $before }, puis par { $after })
upgrade-command-gone = la commande { $of } n’existerait plus
upgrade-command-changed = la commande { $of } serait déclarée autrement
upgrade-schema-tightened = la commande { $of } n’accepterait plus les arguments de son appel en attente : { $after }
upgrade-restriction-empty = elle peut utiliser { $of }, mais cette commande n’existerait plus
upgrade-policy-stricter = { $of } serait plus strict : { $after } au lieu de { $before }
upgrade-policy-changed = { $of } serait { $after } au lieu de { $before }
upgrade-model-gone = son modèle n’existerait plus : { $of } ({ $after })
upgrade-provider-changed = son fournisseur serait { $after } au lieu de { $before }
upgrade-quarantined = elle serait mise en quarantaine
upgrade-other = { $of } { $after }
upgrade-no-file = le fichier { $file } n’existe pas ; nommez un programme ou une configuration : entracte doctor --upgrade FICHIER
upgrade-no-copy = il n’y a pas de copie de base de données dans { $folder } ; cette commande sert à : entracte doctor --upgrade FICHIER
upgrade-copy-failed = la base de données ne peut pas être copiée pour être regardée : { $why }
upgrade-not-asked = impossible de demander à { $other } ce qu’il changerait : { $why }
upgrade-late = { $other } n’a pas répondu en { $seconds } s ; donnez-lui plus de temps : entracte doctor --upgrade FICHIER --within SECONDES
