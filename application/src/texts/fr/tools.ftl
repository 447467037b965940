# Ce que disent les outils qui s’adressent à l’extérieur : outils HTTP, serveurs MCP, fichier journal. Les échecs sont
# lus par un modèle, les phrases et les avertissements par la personne dont l’approbation est demandée.

tools-unknown-command = il n’y a pas de commande « { $name } » ici

## Secrets

tools-person-nobody = ceci demande le secret personnel « { $name } » de quelqu’un, et n’agit pour personne : plusieurs personnes l’ont demandé ensemble, ou quelqu’un d’autre l’a modifié ; la personne qui a le secret le demande seule
tools-person-missing = { $person } n’a pas de secret « { $name } » dans { $workspace } ; seul { $person } peut en enregistrer un
tools-person-unreadable = le secret « { $name } » de { $person } ne peut pas être lu ; le journal du processus dit pourquoi
tools-person-uses = ceci utilise le secret personnel « { $name } » de { $person }
tools-secret-not-set = la variable d’environnement { $name } n’est pas définie ; définissez-la : export { $name }=…
tools-secret-unreadable = le fichier secret { $path } est illisible : { $why }
tools-secret-relative = le fichier secret { $path } est désigné par un chemin relatif ; écrivez le chemin complet, par exemple { $whole }
tools-secret-silent = le fichier secret { $path } est un tube, et personne n’y a écrit en { $seconds } s ; copiez le secret dans un fichier
tools-secret-empty = le fichier secret { $path } est vide ; écrivez-y le secret
tools-secret-large = le fichier secret { $path } dépasse { $most } octets ; il ne doit contenir que le secret
tools-secret-not-printed = le programme { $program } ne donne aucun secret : { $why }
tools-secret-undeclared = le secret { $place } n’est pas déclaré : seule une cible ajoutée sur la ligne de commande du serveur peut le nommer ; déclarez-le dans la configuration avec les hôtes où il peut aller : [secrets.NOM] avec secret_env, kind et hosts, ou ajoutez la cible là-bas
tools-secret-not-theirs = le secret { $place } n’est pas pour cette personne dans cet espace de travail ; [secrets.NOM] dit pour qui il est : workspaces, person
tools-secret-kind = [secrets.{ $name }] est de la sorte { $kind }, et il faut { $wanted }
tools-secret-host = [secrets.{ $name }] ne peut être envoyé qu’à { $hosts }, et pas à { $host }
tools-secret-no-host = [secrets.{ $name }] ne peut être envoyé qu’à { $hosts }, et ceci n’est pas un hôte
tools-secret-short = le secret { $place } a moins de { $least } caractères : il ne pourrait pas être retiré des textes ; prenez-en un plus long

## Adresses qui ne sont pas appelées

tools-url = l’adresse est inutilisable : { $problem }
tools-url-long = elle compte { $bytes } octets ; le maximum est { $most }
tools-url-unreadable = { $why } ; écrivez-la comme https://host/path
tools-url-scheme = « { $scheme } » n’est ni http ni https ; utilisez https://
tools-url-user = elle contient un nom d’utilisateur ou un mot de passe ; mettez-les dans un en-tête
tools-url-no-host = elle n’a pas d’hôte ; écrivez-la comme https://host/path
tools-url-redirect = { $why } ; utilisez directement l’adresse finale
tools-url-not-utf8 = elle n’est pas en UTF-8 ; utilisez directement l’adresse finale
tools-refused = « { $host } » n’a pas été appelé : { $what } est { $class } ; pour l’autoriser, écrivez { $setting } = ["{ $name }"]
tools-refused-address = son adresse { $address }
tools-refused-name = ce nom
tools-class = { $class ->
    [loopback] une adresse de bouclage (cette machine)
    [private] une adresse privée
    [link-local] une adresse de lien local
    [unique-local] une adresse locale unique
    [shared] une adresse partagée (NAT d’opérateur)
    [multicast] une adresse de multidiffusion
    [broadcast] l’adresse de diffusion
    [unspecified] une adresse non spécifiée
    [documentation] une adresse de documentation
    [benchmarking] une adresse de mesure
    [metadata] une adresse de métadonnées d’un cloud
   *[reserved] une adresse réservée
}

## Requêtes sans réponse

tools-unresolved = le nom d’hôte « { $host } » ne peut pas être résolu : { $why } ; vérifiez son orthographe et le réseau
tools-no-address = il n’a pas d’adresse
tools-unreachable = « { $host } » est injoignable : { $why }
tools-connect-timeout = la connexion a expiré
tools-unwritable = la requête à « { $host } » ne peut pas être construite : { $why }
tools-cut = la connexion à « { $host } » s’est rompue avant la fin de la réponse : { $why }
tools-timed-out = « { $host } » n’a pas envoyé toute sa réponse en { $seconds } s
tools-too-large = la réponse de « { $host } » (statut { $status }) dépasse { $limit } octets ; demandez-en moins, ou relevez la limite
tools-too-many-redirects = « { $host } » redirige plus de { $most } fois ; utilisez directement l’adresse finale
tools-redirect-loop = « { $host } » redirige en boucle
tools-redirect-refused = « { $host } » a répondu par le statut { $status }, une redirection vers « { $to } » qui n’a pas été suivie : { $why } ; si cette adresse est la bonne, utilisez-la directement
tools-redirect-action = seul un GET est renvoyé à la nouvelle adresse, jamais une action
tools-redirect-plain = la connexion vers elle n’est pas chiffrée
tools-redirected = « { $from } » redirige, puis : { $why }

## Outils HTTP

tools-http-unusable = la réponse est inutilisable : { $why }
tools-http-done = C’est fait (statut { $status }), mais la réponse ne peut pas être montrée : { $why }
tools-http-not-json = ce n’est pas du JSON valide : { $why }
tools-http-odd-json = { $text } (ce n’est pas du JSON valide : { $why })
tools-http-schema = elle ne correspond pas au schéma du résultat à « { $path } » : { $why }
tools-http-empty = statut { $status }, sans contenu
tools-http-file = statut { $status } ; la réponse est ce fichier :
tools-http-encoded = elle est encodée en « { $encoding } », ce qui n’était pas demandé
tools-http-no-text = c’est « { $media } » ({ $bytes } octets), et non du texte
tools-http-no-utf8 = c’est « { $media } » ({ $bytes } octets), et non de l’UTF-8
tools-http-status = la réponse a le statut { $status }
tools-http-retry = { $said } (Retry-After : { $when })
tools-http-detail = { $said } : { $detail }
tools-http-cut = { $text }… ({ $more } caractères de plus ont été coupés)
tools-http-no-key = la clé de l’appel ne peut pas être envoyée dans un en-tête
tools-http-no-ask = l’outil ne déclare pas comment demander si l’action a eu lieu
tools-http-header = l’en-tête « { $name } » ne peut pas être envoyé : { $why }
tools-http-header-place = la configuration ne dit pas où son secret est conservé
tools-http-header-value = il contient des caractères qu’un en-tête ne peut pas porter
tools-http-header-name = ce n’est pas un nom d’en-tête valide
tools-http-argument-empty = l’argument « { $name } » est vide, alors qu’il fait partie du chemin de l’adresse ; donnez une autre valeur
tools-http-argument-path = l’argument « { $name } » mènerait à un autre chemin ; donnez une autre valeur
tools-http-argument-many = l’argument « { $name } » n’est pas une valeur unique ; donnez une autre valeur
card-no-value = (rien)
tools-http-warn-egress = envoie des données hors de l’espace, à { $host }
tools-http-warn-plain = la connexion n’est pas chiffrée

## Tâches longues

tools-task-give = Envoyer la tâche « { $task } » à { $url }
tools-task-warn-context = le contexte de l’utilisateur est envoyé avec elle
tools-task-accepted = La tâche { $task } a commencé. Son résultat arrivera de lui-même plus tard ; ne la demandez pas de nouveau.
tools-task-no-reason = le serveur de tâches n’a pas dit pourquoi
tools-task-redirect = le serveur de tâches a répondu avec le statut { $status }, une redirection, qui n’est pas suivie ; mettez l’adresse finale dans la configuration
tools-task-unsigned = la tâche ne peut pas être signée : { $why }
tools-task-unsent = la tâche ne peut pas être écrite comme une requête ; rien n’a été envoyé
tools-task-again = cette commande est devenue une tâche longue après avoir été demandée ; rien n’a été envoyé, demandez-la de nouveau

## Outils MCP

tools-mcp-run = Exécuter l’outil « { $tool } » du serveur MCP « { $server } »
tools-mcp-run-at = Exécuter l’outil « { $tool } » du serveur MCP « { $server } » sur { $host }, où vont ses arguments
tools-mcp-warn-destructive = { $says ->
    [server] son serveur dit qu’il peut écraser ou supprimer des données
    [nothing] son serveur ne dit pas s’il peut écraser ou supprimer des données
   *[configuration] la configuration dit qu’il peut écraser ou supprimer des données
}
tools-mcp-warn-egress = { $says ->
    [server] son serveur dit qu’il peut envoyer des données ailleurs
    [nothing] son serveur ne dit pas s’il peut envoyer des données ailleurs
   *[configuration] la configuration dit qu’il peut envoyer des données ailleurs
}
tools-mcp-not-object = les arguments ne sont pas un objet ; écrivez {"{"}…{"}"}
tools-mcp-changed = « { $tool } » n’est plus tel qu’il a été accepté ; ont changé sur le serveur : { $parts }. Rien n’a été envoyé. Une personne doit examiner { $command } et l’accepter
tools-mcp-undecided = personne n’a encore accepté « { $tool } ». Rien n’a été envoyé. Une personne doit examiner { $command } et l’accepter
tools-mcp-part = { $part ->
    [title] son titre
    [description] sa description
    [annotations] ses annotations
   *[schema] son schéma
}
tools-mcp-parts = { $first } et { $next }
tools-mcp-gone = le serveur ne propose plus « { $command } » ; rien n’a été envoyé
tools-mcp-began-anew = Note d’Entracte : le serveur { $server } a redémarré avant cet appel. Ce qu’il gardait en mémoire depuis vos appels précédents (pages ouvertes, connexions, variables) est perdu.
tools-mcp-nothing = (l’outil n’a rien répondu)
tools-mcp-image = {"["}image { $media }, { $bytes } octets]
tools-mcp-audio = {"["}audio { $media }, { $bytes } octets]
tools-mcp-resource = {"["}ressource { $uri }, { $media }, { $bytes } octets]
tools-mcp-resource-unknown = {"["}ressource d’un genre inconnu]
tools-mcp-link = {"["}lien vers la ressource { $uri } « { $name } », { $media }]
tools-mcp-link-sized = {"["}lien vers la ressource { $uri } « { $name } », { $media }, { $bytes } octets]
tools-mcp-template = {"["}ressources { $uri } « { $name } », { $media }]
tools-mcp-list-more = {"["}il y en a d’autres ; continuez avec cursor : { $cursor }]
tools-mcp-list-empty = (le serveur n’a pas de ressources)
tools-mcp-media-unknown = type inconnu
tools-mcp-content-unknown = {"["}contenu d’un genre inconnu : { $bytes } octets]
tools-mcp-cut = {"["}coupé : { $kept } octets sur { $bytes }]
tools-mcp-input-accepted = L’outil pose une question à une personne avant de continuer. D’ici là, c’est la tâche { $task } ; son résultat arrivera de lui-même plus tard. Ne l’appelez pas de nouveau.
tools-mcp-input-address = Cette adresse est celle du serveur : ne l’ouvrez que si vous lui faites confiance. Répondez « fait » après y être allé, ou « non » pour refuser.
tools-mcp-input-large = ce qu’il demande ne peut pas attendre une personne : l’appel et l’état de son serveur dépassent { $most } octets
tools-mcp-input-secret = ce qu’il demande ne peut pas attendre une personne : l’état de son serveur contient un secret de sa configuration
tools-mcp-input-declined = la personne a refusé ce que l’outil demandait, et l’appel n’a pas abouti
tools-mcp-input-changed = l’outil ou son serveur n’est plus tel qu’à l’approbation de l’appel. La réponse n’a pas été envoyée et l’appel n’a pas abouti
tools-mcp-input-unsent = la réponse n’a pas pu être envoyée au serveur MCP { $server }, et l’appel n’a pas abouti
tools-mcp-task-wants = son serveur a demandé ce que personne ne lui donne :
    { $asked }

## Prompts des serveurs MCP

tools-mcp-prompt-unknown = le serveur MCP { $server } n’a pas de prompt « { $prompt } »
tools-mcp-prompt-argument = le prompt n’a pas d’argument « { $argument } » ; il a : { $known }
tools-mcp-prompt-no-arguments = le prompt n’a pas d’argument « { $argument } » ; il n’en prend aucun
tools-mcp-prompt-missing = l’argument « { $argument } » manque ; écrivez { $argument }=VALEUR
tools-mcp-prompt-missing-proposed = l’argument « { $argument } » manque ; écrivez { $argument }=VALEUR. Le serveur propose : { $proposed }
tools-mcp-prompt-failed = le serveur MCP { $server } n’a pas donné ses prompts : { $why }
tools-mcp-prompt-wants = le serveur MCP { $server } demande des précisions avant de donner le prompt ; personne ne les lui donne
tools-mcp-prompt-many = le serveur MCP { $server } a plus de { $most } prompts
tools-mcp-prompt-long = le texte du prompt fait plus de { $most } octets

## Serveurs MCP inutilisables

tools-mcp-unavailable = le serveur MCP { $server } est inutilisable : { $why }
tools-mcp-refused = le serveur MCP { $server } a refusé l’appel, et n’a rien fait : { $why }
tools-mcp-unconfigured = il n’est pas dans la configuration ; ajoutez [mcp.{ $server }]
tools-mcp-broken = il s’est arrêté, ou sa connexion s’est rompue
tools-mcp-later = il pourra être redémarré dans { $seconds } s
tools-mcp-failed-later = { $why } ; il pourra être redémarré dans { $seconds } s
tools-mcp-no-program = le programme « { $command } » est introuvable dans PATH ; installez-le, ou donnez son chemin complet dans command
tools-mcp-spawn = le programme « { $command } » ne peut pas être lancé : { $why }
tools-mcp-streams = le programme « { $command } » n’a ni entrée ni sortie standard
tools-mcp-misplaced = « { $argument } » est dans { $folder }, mais le serveur travaille dans son propre dossier ; mettez cwd = "{ $folder }", ou écrivez le chemin entier
tools-mcp-folder = son dossier { $folder } ne peut pas être créé : { $why }
tools-mcp-header = le secret de l’en-tête { $name } ne peut pas être envoyé dans un en-tête ; ce doit être une seule ligne de texte
tools-mcp-client = la connexion ne peut pas être préparée : { $why }
tools-mcp-late = il n’était pas prêt en { $seconds } s ; augmentez start_timeout_seconds s’il lui faut plus de temps
tools-mcp-late-output = il n’était pas prêt en { $seconds } s ; il a écrit : { $output } ; augmentez start_timeout_seconds s’il lui faut plus de temps
tools-mcp-ended = il s’est arrêté avant d’être prêt
tools-mcp-unauthorized = il exige une autorisation ; ajoutez headers avec authorization = {"{"} secret_env = "NOM", prefix = "Bearer " {"}"}
tools-mcp-output = { $why } ; il a écrit : { $output }
tools-mcp-protocol = il parle la version « { $version } » du protocole, qui n’est pas parmi : { $known }
tools-mcp-protocol-none = il ne dit pas quelle version du protocole il parle
tools-mcp-list = la liste de ses outils ne peut pas être lue : { $why }
tools-mcp-list-late = pas de réponse en { $seconds } s
tools-mcp-list-tools = il a plus de { $most } outils
tools-mcp-list-pages = il a plus de { $most } pages
tools-mcp-error = il répond par l’erreur { $code } : { $message }

## Outils MCP acceptés

tools-pins-unreadable = le fichier des outils MCP acceptés { $path } est illisible : { $why }
tools-pins-unwritable = le fichier des outils MCP acceptés { $path } ne peut pas être écrit : { $why }
tools-pins-damaged = le fichier des outils MCP acceptés { $path } est endommagé : { $problem } ; remettez une bonne copie, ou supprimez le fichier pour accepter de nouveau les outils de chaque serveur à la prochaine connexion
tools-pins-no-version = il n’a pas de version
tools-pins-hash = l’empreinte de { $tool } ne correspond pas
tools-pins-newer = le fichier des outils MCP acceptés { $path } a la version { $found }, alors que ce programme lit les versions jusqu’à { $known } ; utilisez une version plus récente d’Entracte
tools-accept-unknown = l’outil { $tool } n’est pas connu ; affichez la liste des outils, ou connectez-vous d’abord à son serveur
tools-accept-nothing = l’outil { $tool } est déjà accepté ; il n’y a rien à décider
tools-accept-changed = l’outil { $tool } a encore changé depuis que vous l’avez examiné ; examinez-le de nouveau
tools-declaration = titre : { $title }
    description : { $description }
    annotations : { $annotations }
    schéma : { $schema }
tools-spec-no-object = son schéma n’est pas un objet
tools-spec-type = son schéma décrit { $kind }, et non un objet

## Commandes proposées à une autre IA par MCP

tools-serve-instructions = Commandes d’un espace Entracte. Certaines actions demandent l’approbation d’une personne : la réponse a alors le statut waiting_for_approval, et rien n’a encore été fait. Refaites le même appel, avec les mêmes arguments, une fois qu’une personne a décidé : il s’exécute une seule fois, et vous en recevez le résultat.
tools-serve-unknown = il n’y a pas d’outil { $name } ; les outils sont : { $known }
tools-serve-waits = Pas encore fait : une personne doit donner son approbation ({ $says } ; dans la boîte de réception : { $id }).
tools-serve-running = pas encore terminé
tools-serve-next-waits = Refaites le même appel, avec les mêmes arguments, une fois qu’une personne a décidé (entracte approve { $id }) : il s’exécute une seule fois, et vous en recevez le résultat.
tools-serve-next-unknown = Une personne doit vérifier si cela a eu lieu, et le dire : entracte settle { $call } happened.
tools-serve-schema-status = succeeded, waiting_for_approval, ou comment il s’est terminé sans succès
tools-serve-schema-result = Les données d’un appel réussi, sinon null
tools-serve-schema-code = Pourquoi il n’a pas réussi, sous forme de code
tools-serve-schema-call = L’identifiant de l’appel
tools-serve-schema-message = Pourquoi il n’a pas réussi, ou ce qu’il attend
tools-serve-schema-next = Que faire ensuite
tools-serve-schema-inbox = L’identifiant de l’approbation qu’il attend

## Le fichier journal

tools-journal-write = Écrire « { $text } » dans le fichier journal
tools-journal-untouched = le fichier journal est inutilisable, et rien n’a été écrit : { $why }
tools-journal-unwanted = rien n’a été écrit, car l’appel a été annulé

tools-notify-key = le secret d’un webhook est la clé de sa signature : whsec_ et du base64, de 24 à 64 octets
tools-notify-topic = « { $url } » ne nomme aucun sujet ; écrivez https://ntfy.sh/mon-sujet
tools-notify-program = le programme ne peut pas être lancé : { $why }
tools-notify-script = dans le script « { $script } », un emplacement comme {"{title}"} deviendrait une partie du programme ; utilisez-y "$ENTRACTE_TITLE", "$ENTRACTE_BODY", "$ENTRACTE_LINK" ou "$ENTRACTE_ID"
tools-notify-clear = les notifications iraient à « { $host } » sans chiffrement ; utilisez https
tools-notify-not-allowed = « { $host } » est dans tools.http.allow, qui ne vaut que pour les outils ; pour l’autoriser aux cibles, mettez notify.allow = ["{ $host }"]
tools-notify-push-keys = les clés de l’abonnement ne sont pas celles d’un navigateur ; abonnez-le de nouveau
tools-notify-no-push = ce processus n’envoie pas de messages push aux navigateurs
tools-notify-push-key-file = le serveur ne peut pas utiliser sa clé des messages push ; son opérateur en trouve la raison dans le journal

task-accepted = La tâche { $task } a commencé. Son résultat arrivera plus tard de lui-même ; continue, ou attends-le.
task-none = il n’y a pas de tâche { $task } dans cette session ; liste d’abord les tâches
task-over = la tâche { $task } est déjà terminée ({ $state }) ; il n’y a rien à annuler
task-stopping = La tâche { $task } est en cours d’annulation. Le résultat te sera annoncé.
task-stop = Annuler la tâche { $task } ({ $command })

# Pourquoi la politique n’a pas répondu.

tools-policy-no-launcher = ce processus n’exécute aucun programme ; nommez-en un avec ProgramBuilder::document_reader, ou utilisez policy.url
tools-policy-not-started = son programme ne démarre pas : { $why } (policy.program)
tools-policy-large = sa réponse dépasse { $most } octets (policy.answer_bytes)
tools-policy-failed = son programme s’est terminé par { $status } { $complaint }
tools-policy-no-rego = ce programme est construit sans la fonctionnalité rego ; utilisez policy.program ou policy.url
tools-policy-rego-unreadable = ses règles { $place } sont illisibles : { $why } (policy.rego)
tools-policy-rego-large = ses fichiers dépassent { $most } octets (policy.rego_bytes)
tools-policy-rego-empty = aucun fichier n’a de règles, *.rego (policy.rego)
tools-policy-rego-failed = ses règles n’ont pas de réponse : { $why }
tools-policy-rego-undefined = { $query } n’a pas de valeur pour cet appel (policy.query)
tools-policy-status = son adresse a répondu HTTP { $status }, au lieu de 200
tools-policy-token = le secret { $place } ne peut pas être un en-tête (policy.token)
tools-policy-unreadable = sa réponse est illisible : { $fault }
