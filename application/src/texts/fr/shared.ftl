# Les textes partagés d’un espace de travail : leurs commandes pour le modèle, et ce qui s’en dit.

doc-SHARED_TEXTS = Liste les textes partagés de l’espace de travail par clé (department, accounting, general et d’autres) : la version publiée, la date de sa dernière mise à jour et le nombre de propositions en attente. limit, offset : une page de la liste. Ce sont des faits et des règles dont les personnes de l’espace sont convenues.
doc-SHARED_TEXT = Montre un texte partagé : sa version publiée avec version et last_refresh, ses propositions et ses dernières versions. key : lequel. version : une version plus ancienne à la place. proposal_id : ce qu’une proposition changerait, sous forme de différences.
doc-PROPOSE_SHARED_TEXT = Propose une modification d’un texte partagé, ou un nouveau texte. Rien ne vaut tant que la proposition n’est pas publiée. key : lequel. version : la version que tu as lue et veux modifier ; 0 pour un nouveau texte. Donne exactement un de text (tout le nouveau texte), edits (des remplacements ; chaque find doit apparaître exactement une fois) et restore (une version plus ancienne à rétablir). note : pourquoi, pour la personne qui décide. La réponse donne proposal_id et les différences.
doc-PUBLISH_SHARED_TEXT = Publie une proposition : elle devient la version suivante de son texte partagé. Une personne en décide à chaque fois et voit les différences. proposal_id : laquelle. Une proposition faite pour une version plus ancienne est refusée : lis le texte et propose de nouveau la modification.
doc-DISCARD_SHARED_TEXT = Abandonne une proposition. proposal_id : laquelle.
doc-DELETE_SHARED_TEXT = Supprime un texte partagé avec toutes ses versions et propositions, définitivement. key : lequel.

shared-propose =
    { $version ->
        [0] Proposer le nouveau texte partagé « { $key } »
       *[other] Proposer une modification du texte partagé « { $key } », version { $version }
    }
shared-publish = Publier la version { $version } du texte partagé « { $key } »
shared-discard = Abandonner la proposition { $id } pour le texte partagé « { $key } »
shared-delete =
    { $versions ->
        [0] Supprimer le texte partagé « { $key } », jamais publié
        [one] Supprimer le texte partagé « { $key } » avec son unique version
       *[other] Supprimer le texte partagé « { $key } » avec ses { $versions } versions
    }{ $proposals ->
        [0] {""}
        [one] {" "}et la proposition en attente
       *[other] {" "}et les { $proposals } propositions en attente
    }
shared-proposal = proposition de modifier la version { $base } : { $text }
shared-line = ligne { $line }
shared-because = raison donnée : { $note }
shared-no-text = il n’y a pas de texte partagé « { $key } » ; { $lister } les liste
shared-no-version = la version { $version } du texte partagé « { $key } » n’existe pas ou n’est plus conservée
shared-no-proposal = il n’y a pas de proposition { $id } ; elle a peut-être été publiée ou abandonnée
shared-stale-read = vous avez lu la version { $read } du texte partagé « { $key } », mais la version { $now } est publiée ; lisez-la et proposez de nouveau la modification
shared-stale-proposal = cette proposition modifie la version { $read } du texte partagé « { $key } », mais la version { $now } a été publiée depuis ; lisez-la et proposez de nouveau la modification
shared-too-many = le texte partagé « { $key } » a déjà { $most } propositions en attente ; publiez-en ou abandonnez-en d’abord
shared-too-long = le texte partagé « { $key } » aurait { $length } caractères, mais { $most } au plus sont permis ; raccourcissez-le
shared-nothing = le texte partagé « { $key } » dit déjà exactement cela
shared-one-way = donnez exactement un de text, edits et restore
shared-not-once =
    { $times ->
        [0] « { $find } » n’apparaît pas dans le texte ; copiez-le exactement
       *[other] « { $find } » apparaît { $times } fois ; prenez un passage plus long qui n’apparaît qu’une fois
    }

# Settings.

config-embeddings-provider = embeddings.provider nomme « { $name } », mais il n’y a pas de [providers.{ $name }] ; ajoutez-le ou nommez-en un autre
config-embeddings-incomplete = embeddings.provider demande aussi embeddings.model et embeddings.dims : quel modèle fait les vecteurs, et combien de nombres compte chacun
config-embeddings-of-host = { $key } est défini, mais « { $name } » en décide : le programme le donne pour embeddings.provider ; supprimez { $key }
config-embeddings-host-none = embeddings.provider nomme « { $name } », un fournisseur de ce programme qui ne fait pas de vecteurs ; nommez-en un autre

# Vectors.

knowledge-embedded = { $made ->
    [one] { $made } vecteur calculé
   *[other] { $made } vecteurs calculés
}{ $known ->
    [0] {"."}
   *[other] , { $known } repris de textes identiques.
}
knowledge-embed-refused = { $count ->
    [one] Le modèle a refusé un texte ; il ne peut être trouvé que par ses mots.
   *[other] Le modèle a refusé { $count } textes ; ils ne peuvent être trouvés que par leurs mots.
}
knowledge-embed-failed = tout ne peut pas encore être trouvé par le sens ; la prochaine exécution calcule ce qui manque : { $why }
knowledge-embed-off = la recherche par le sens est désactivée ; définissez embeddings.provider, embeddings.model et embeddings.dims
