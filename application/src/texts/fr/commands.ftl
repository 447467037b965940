# Ce que disent les commandes : les actions en mots, pourquoi elles sont refusées, et ce qu'un modèle lit de chacune.

## Périodes et instants

calendar-no-instant = « { $given } » n'est pas un instant ; écrivez la date, l'heure et le décalage comme 2026-11-20T08:30:00Z, ou sans le décalage à l'horloge de l'espace
calendar-out = ceci se trouve hors des années -9999 à 9999
calendar-too-many-days = ceci compte plus de { $most } jours ; demandez une période plus courte
calendar-no-period = « { $given } » n'est pas une période ; écrivez décalage_TYPE comme -1_WEEK ou 0_DAY
calendar-no-offset = « { $given } » n'est pas le décalage d'une période ; écrivez un nombre entier, à { $most } au plus de 0
calendar-no-unit = « { $given } » n'est pas une unité de période ; les unités sont { $units }
calendar-backwards = until est avant from

## Refus

resources-text-required = « { $name } » est obligatoire, c'est un texte
resources-not-found = { $kind ->
    [zone] il n'y a pas de zone « { $id } »
    [tool] il n'y a pas d'outil « { $id } »
   *[other] il n'y a pas d'entrée « { $id } »
} ; { $lister } montre ce qui existe
resources-no-entry = il n'y a pas d'entrée « { $id } »
resources-name-taken = { $kind ->
    [zone] la zone { $id }
    [tool] l'outil { $id }
   *[other] l'entrée { $id }
} porte déjà le nom « { $name } » ; prenez-en un autre
resources-nothing-to-change = dites ce qui doit changer : { $fields }
resources-unknown-type = il n'y a pas de type d'outil « { $name } » ; il y a : { $known }
resources-one-of-two = donnez tool_type ou tool_id, pas les deux
resources-two-periods = donnez period, ou bien from et until, pas les deux
resources-config-unfit = un outil de type { $name } ne se configure pas ainsi
resources-entries-unfit = rien n'a été créé, car des entrées ne conviennent pas à « { $tool } »
resources-entry-unfit = l'entrée ne conviendrait pas à « { $tool } »
resources-entries-missing = rien n'a été supprimé (TOOL_DATA montre les entrées qui existent)
resources-unreadable = les données n'ont pas pu être lues ; réessayez plus tard
resources-too-many = il y a { $total } lignes à parcourir, et { $most } sont parcourues au plus ; demandez-en moins, par exemple une période plus courte
resources-filter-none = les entrées de « { $tool } » n'ont pas de champ par lequel filtrer
resources-filter-field = les entrées de « { $tool } » n'ont pas de champ « { $given } » par lequel filtrer ; il y a : { $fields }
resources-filter-empty = dites ce que le champ doit être : min, max ou equals
resources-filter-both = donnez min et max, ou bien equals, pas les deux
resources-filter-unfit = { $argument } ne convient pas au champ « { $field } », qui contient { $holds }
resources-holds-numbers = des nombres (comparés en dessous de 10^15, à 9 chiffres après la virgule)
resources-holds-texts = des textes
resources-holds-truths = vrai ou faux

## Fautes d'une valeur

resources-fault-required = ceci est obligatoire
resources-fault-no-field = il n'y a pas de tel champ
resources-fault-foreign = ceci n'a pas sa place ici
resources-fault-schema = le schéma de ceci est inutilisable : { $why }
resources-fault-unreadable = ceci est illisible : { $why }
resources-fault-minimum = { $value } est en dessous du minimum de { $limit }
resources-fault-maximum = { $value } est au-dessus du maximum de { $limit }
resources-fault-short = { $value } est plus court que { $limit } { $limit ->
    [1] caractère
   *[other] caractères
}
resources-fault-long = { $value } est plus long que { $limit } caractères
resources-fault-few = { $value } a moins de { $limit } éléments
resources-fault-many = { $value } a plus de { $limit } éléments
resources-fault-twice = { $value } a des éléments en double
resources-fault-format = { $value } n'est pas au format { $limit }
resources-fault-option = { $value } n'est pas parmi { $limit }
resources-fault-type = { $value } n'est pas du type { $limit }
resources-fault-bounds = la plus petite valeur est plus grande que la plus grande

## Les actions en mots

resources-create-zone = Créer la zone « { $name } »
resources-create-tool = Créer l'outil « { $name } » de type { $kind } dans la zone « { $zone } »
resources-create-data = Créer { $count ->
    [one] 1 entrée
   *[other] { $count } entrées
} dans « { $tool } » : { $entries }
resources-update = Modifier { $what } : { $fields }
resources-the-zone = la zone « { $name } »
resources-the-tool = l'outil « { $name } »
resources-the-entry = l'entrée { $said } dans « { $tool } »
resources-delete-zone = Supprimer la zone « { $name } »{ $tools ->
    [0] , qui n'a pas d'outil
    [1] {" "}et l'outil qu'elle contient ({ $entries ->
        [one] { $entries } entrée
       *[other] { $entries } entrées
    })
   *[other] {" "}et les { $tools } outils qu'elle contient ({ $entries ->
        [one] { $entries } entrée
       *[other] { $entries } entrées
    })
}
resources-delete-tool = Supprimer l'outil « { $name } » et ses données ({ $entries ->
    [one] { $entries } entrée
   *[other] { $entries } entrées
})
resources-delete-data = Supprimer { $count ->
    [one] 1 entrée
   *[other] { $count } entrées
} : { $entries }
resources-dated = { $said } le { $at }
resources-dated-now = { $said } maintenant
resources-placed = { $said } dans « { $tool } »
resources-named = { $name } : { $said }
resources-joined = { $first } ; { $next }
resources-more = et { $count } de plus
resources-entry-number = entrée { $number }
resources-nothing = rien
resources-none = (aucun)
resources-yes = oui
resources-no = non

## Avertissements

resources-warn-refused = serait refusé maintenant : { $why }
resources-warn-leave-off = { $kind ->
    [zone] supprime l'accord que demande cette zone
   *[other] supprime l'accord que demande cet outil
}
resources-warn-leave-on = { $kind ->
    [zone] toute action dans cette zone demandera un accord
   *[other] toute action sur cet outil demandera un accord
}
resources-warn-config = change la configuration d'un outil qui a { $entries ->
    [one] { $entries } entrée
   *[other] { $entries } entrées
}
resources-warn-always-send = le modèle recevra les données de cet outil dans chaque session

## Champs

resources-field-name = nom
resources-field-description = description
resources-field-timestamp = instant
resources-field-tool-type = type d'outil
resources-field-require-validation = accord demandé
resources-field-always-send = toujours envoyé
resources-field-tool = outil
resources-field-config = réglage { $member }
resources-field-data = donnée { $member }

## Les entrées en mots

resources-quoted = « { $text } »
resources-no-value = pas de valeur
resources-mood = { $text }, humeur : { $mood }
resources-done = fait
resources-open = à faire
resources-place = place { $place }
resources-due = pour le { $due }

## Types d'outils

resources-type-tracking = Garde une valeur par entrée. kind dans sa configuration dit laquelle : numeric (un nombre), scale (un nombre entier de min à max), text, choice (une des options), boolean, duration (un nombre de s, min ou h), counter (un nombre entier à ajouter, non négatif).
resources-type-notes = Garde des textes, chacun avec un titre (title) facultatif. Sa configuration est vide.
resources-type-journal = Garde ce que furent les jours : des textes, chacun avec un titre (title) et une humeur (mood) facultatifs ; le timestamp de l'entrée dit quel jour. moods dans sa configuration donne les humeurs possibles ; tout texte en est une quand moods est absent.
resources-type-list = Garde des choses à cocher : chacune avec item (le texte), done (fait), order (sa place), due (une date) et note, tous facultatifs sauf item. Avec due_required dans sa configuration, chacune a besoin d'une date.

## La suite des résultats

results-read-more = {"["}caractères { $from } à { $until } sur { $total } ; la suite à partir de { $until }]
results-read-end = {"["}caractères { $from } à { $until } sur { $total } ; c'est la fin]
results-read-beyond = le résultat a { $total } caractères ; from vaut { $from }
results-read-no-call = aucun appel { $call } de cette session n'a de résultat

## Les commandes, pour le modèle

doc-APP_STATE = Montre les zones avec les outils de chacune : ids, noms, types. Ne prend pas d'argument.
doc-SCHEMA = Montre les JSON Schemas d'une configuration et des données d'une entrée. tool_type : ceux d'un type. tool_id : ceux d'un outil, ses entrées comme sa configuration les veut. Donnez l'un des deux, ou aucun pour la liste des types.
doc-READ_RESULT = Lit la suite d'un résultat de cette session qui a été coupé parce qu'il est long. call : l'appel dont c'est le résultat, comme le dit la coupure. from : le premier caractère, compté à partir de 0. length : combien de caractères au plus.
doc-CREATE_DATA = Crée des entrées d'un outil, toutes ou aucune. tool_id : quel outil. entries : de 1 à 100, chacune avec data (comme SCHEMA le montre pour l'outil), timestamp (quand c'était ; maintenant si absent) et name (facultatif).
doc-DELETE_DATA = Supprime des entrées pour de bon, toutes ou aucune. entry_ids : de 1 à 100 ids d'entrées (TOOL_DATA les donne).
doc-TOOL_DATA = Montre des entrées d'un outil, les plus récentes d'abord. tool_id : quel outil. period : seulement celles d'une période comptée depuis maintenant, offset_TYPE : 0_DAY est aujourd'hui, -1_WEEK la semaine dernière. from, until : au lieu d'une période, les entrées à partir de from et avant until. name : seulement celles dont le nom contient ceci. min, max ou equals : seulement celles dont la valeur est dans cet intervalle, ou est celle-ci ; field : de quel champ, le principal si absent. order : newest (récentes d'abord) ou oldest. limit, offset : une page ; la réponse dit combien il y en a en tout, et quels instants ont servi.
doc-TOOL_STATS = Montre ce que donnent les entrées d'un outil : combien ; pour des nombres la somme, le plus petit, le plus grand et la moyenne (arrondie à 6 chiffres après la virgule) ; pour un choix combien de fois chaque option ; pour vrai et faux combien de fois chacun ; pour des textes combien. tool_id : quel outil. period : comptée depuis maintenant, offset_TYPE : 0_DAY est aujourd'hui, -1_WEEK la semaine dernière. from, until : au lieu d'une période, les entrées à partir de from et avant until. name, field, min, max, equals : seulement certaines entrées, comme dans TOOL_DATA. per_day : chaque jour à part aussi (true si absent), les 400 derniers ; les jours sans entrée sont omis. La réponse dit quels instants ont servi. Les nombres de 10^15 et plus, ou de plus de 9 chiffres après la virgule, ne sont pas comptés et figurent dans left_out.
doc-UPDATE_DATA = Modifie une entrée. entry_id : laquelle. data : les champs de ses données à changer ; un champ à null est effacé. timestamp : quand c'était. name : son nom ; null l'efface. Ce qui est absent reste.
doc-CREATE_TOOL = Crée un outil dans une zone ; répond par son id et le schéma de ses entrées. zone_id : où. tool_type : ce qu'il garde (SCHEMA donne les types et la configuration de chacun). name : unique dans la zone, sans égard aux majuscules. config : la configuration, {"{}"} si absente. require_validation : demander à une personne avant toute action sur lui. always_send : donner ses données au modèle dans chaque session.
doc-DELETE_TOOL = Supprime un outil avec toutes ses entrées, pour de bon. tool_id : lequel.
doc-TOOL_CONFIG = Montre un outil avec sa configuration et son nombre d'entrées. tool_id : l'id de l'outil (TOOL_INSTANCES les donne).
doc-TOOL_INSTANCES = Donne les outils par nom : id, zone, type, nom et réglages. zone_id : seulement ceux de cette zone. tool_type : seulement ceux de ce type. name : seulement ceux dont le nom contient ceci. Tous si absents.
doc-UPDATE_TOOL = Modifie un outil. tool_id : lequel. name, require_validation, always_send : les nouvelles valeurs. config : les réglages à changer ; un réglage à null est effacé. Ce qui est absent reste. Les entrées déjà gardées ne changent pas. Quand ses entrées changent de forme, la réponse montre leur schéma.
doc-CREATE_ZONE = Crée une zone. name : unique dans l'espace, sans égard aux majuscules. description : à quoi elle sert, facultatif. require_validation : demander à une personne avant toute action en elle, facultatif.
doc-DELETE_ZONE = Supprime une zone avec tous ses outils et leurs entrées, pour de bon. zone_id : laquelle.
doc-ZONE_CONFIG = Montre une zone et les outils qu'elle contient. zone_id : l'id de la zone (ZONES les donne).
doc-ZONES = Donne les zones par nom : id, nom, description, et si les actions dans la zone demandent un accord. name : seulement celles dont le nom contient ceci.
doc-UPDATE_ZONE = Modifie une zone. zone_id : laquelle. name, description, require_validation : les nouvelles valeurs ; ce qui est absent reste ; description à null l'efface.

## Les enrichissements : ce qui est mis à leur place, et ce qui n'y va pas

enrichment-zone = la zone { $zone }
enrichment-tool = l'outil { $tool }
enrichment-tool-period = l'outil { $tool } et ses entrées { $period }
enrichment-use = l'outil { $tool } avec toutes ses données
enrichment-use-period = l'outil { $tool } avec ses données { $period }
enrichment-create = un nouvel outil du type { $type }
enrichment-create-zone = un nouvel outil du type { $type } dans la zone { $zone }
enrichment-modify = la configuration de l'outil { $tool }, à modifier
enrichment-named = « { $name } » ({ $id })
enrichment-name = « { $name } »
enrichment-gone = { $id } (supprimé)
enrichment-from-until = du { $from } jusqu'avant le { $until }
enrichment-relative = de la période { $period }
enrichment-no-object = un enrichissement est un objet JSON dont le type est l'un de { $kinds }
enrichment-no-type = « type » manque : l'un de { $kinds }
enrichment-other-type = { $given } n'est pas un type d'enrichissement : { $kinds }
enrichment-zone-period = une zone n'a pas d'entrées à elle ; enlevez la période, ou visez un outil
enrichment-fault = enrichissement { $number } : { $faults }
enrichment-too-many = le message a { $count } enrichissements, { $most } au plus sont pris (message.max_enrichments) ; enlevez-en ou augmentez le réglage
