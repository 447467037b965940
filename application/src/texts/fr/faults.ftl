# Ce qui ne va pas dans une entrée de la configuration (fournisseurs, outils HTTP, serveurs MCP), et comment le corriger.
# Une faute se dit ainsi : où, ce qui ne va pas, comment le corriger.

fault-http = l’outil HTTP « { $tool } », { $key } : { $problem } ; { $fix }
fault-task = la tâche « { $task } », { $key } : { $problem } ; { $fix }
fault-task-variable = { $given } est une variable inconnue ici
fault-task-status-url = écrivez-le comme https://host/tasks/{ $form }
fault-task-not-named = ne contient pas { $form }
fault-task-secrets = nomme { $count } secrets
fault-entry = { $place } : { $problem } ; { $fix }
fault-words = { $words }
fault-name-reserved = « { $given } » est un nom d’Entracte lui-même : { $reserved }
fault-command-name = « { $given } » n’est pas un nom de commande valide
fault-command-word = « { $given } » n’est pas un mot de commande valide
fault-not-schema = n’est pas un JSON Schema valide : { $why }
fault-no-argument = « { $given } » n’est pas un argument
fault-may-be-omitted = « { $given } » est dans le chemin, mais peut être omis
fault-put-into-url = mettez { $name } dans url, ou mettez body = "json"
fault-not-used = « { $given } » n’est pas utilisé
fault-in-headers-too = « { $given } » est aussi dans headers
fault-header-name = « { $given } » n’est pas un nom d’en-tête valide
fault-of-connection = « { $given } » appartient à la connexion
fault-effect-kind = { $effect } ne va pas avec kind { $kind }
fault-not-pointer = « { $given } » n’est pas un JSON Pointer
fault-example-unfit = ne correspond pas à arguments : { $fault }, à « { $path } »
fault-bad-character = « { $given } » contient { $character }, qui n’est pas permis dans une adresse
fault-not-variable-form = « { $given } » n’est pas une variable simple ; seule la forme { $form } est possible (RFC 6570, niveau 1)
fault-in-host = « { $given } » est dans le schéma ou l’hôte
fault-server-name = « { $given } » n’est pas un nom de serveur valide
fault-server-name-like = prenez au plus { $most } caractères parmi a–z, 0–9, - et _, en commençant par une lettre
fault-variable-name = « { $given } » n’est pas un nom de variable valide
fault-not-address = « { $given } » n’est pas une adresse
fault-not-http = « { $given } » n’est ni http ni https
fault-at-most-day = prenez { $most } au plus, un jour
fault-too-long = { $given } est trop long
fault-more-than-restart = { $given } dépasse restart_max_seconds
fault-use-range = prenez de 1 à { $most }
fault-out-of-range = { $given } est hors limites
fault-add-model = ajoutez model = "{ $model }"
fault-with-key = est présente en même temps que { $key }
fault-fallback-itself = « { $given } » est l’entrée elle-même
fault-fallback-others = nommez d’autres fournisseurs
fault-fallback-twice = « { $given } » est nommé deux fois
fault-fallback-once = nommez-le une seule fois
fault-own-header = « { $given } » est un en-tête qu’Entracte écrit
fault-not-header = « { $given } » n’est pas un en-tête valide
fault-own-field = « { $given } » est un champ qu’Entracte écrit
fault-background-whole = background = true avec stream = false reçoit la réponse d’un appel qui n’a pas commencé
fault-no-room = { $given } ne laisse pas de place dans context_tokens ({ $context })
fault-add-price = ajoutez { $name } = "…" en dollars américains par million de tokens
fault-price-missing = { $name } manque
fault-unsupported = « { $given } » n’est pas accepté par { $by }
fault-unsupported-model = « { $given } » n’est pas accepté par « { $model } »
fault-use-one-of = prenez l’un de ceux-ci : { $words }
fault-use-to = prenez de 0 à { $most }
fault-too-many-tokens = « { $model } » ne peut pas écrire { $given } tokens
fault-use-or-less = prenez { $most } ou moins
fault-refused = { $given } est présent, mais { $by } refuse { $key } pour « { $model } »
fault-refused-word = « { $given } » est présent, mais { $by } refuse { $key } pour « { $model } »
fault-no-address-because = « { $given } » n’est pas une adresse ({ $why })
fault-correct-under = corrigez l’entrée sous [providers.{ $entry }]

## Ce qui ne va pas, et que faire

fault-task-url = écrivez-le comme https://host/tasks, sans variable
fault-task-other-host = est sur un autre hôte que url
fault-task-own-host = utilisez l’hôte à qui la tâche est envoyée
fault-task-add-secret = nommez un seul emplacement, ou deux pendant qu’un nouveau secret remplace l’ancien : secrets = [{"{"} secret_env = "NOM" {"}"}]
fault-task-only-idempotent = ne vaut que pour idempotent = true
fault-task-set-idempotent = retirez-le, ou mettez idempotent = true si le serveur de tâches n’exécute qu’une fois une tâche reçue deux fois
fault-task-only-status-url = ne vaut que pour une tâche avec status_url_template
fault-missing = manque
fault-empty = est vide
fault-not-false = n’est pas false
fault-not-object = n’est pas « object »
fault-context-acts = il modifie quelque chose, ou demande une approbation
fault-context-reads = le contexte de l’utilisateur vient d’une requête sans approbation, par exemple un GET
fault-context-unknown = il prend un argument que personne ne peut fournir
fault-context-arguments = ne prenez que workspace, session et person
fault-add-object = ajoutez type = "object"
fault-add-closed = ajoutez additionalProperties = false
fault-name-like = écrivez-le comme weather.today, en minuscules, avec 64 caractères au plus
fault-word-like = écrivez-le comme WEATHER_TODAY, avec 64 caractères au plus
fault-say-doc = dites en une phrase ce que fait l’outil, pour le modèle
fault-correct = corrigez la valeur
fault-simpler = simplifiez-le
fault-declare-argument = déclarez-le dans arguments.properties, ou retirez-le
fault-require-argument = ajoutez-le à arguments.required, ou placez-le après le « ? »
fault-card-template = écrivez-le comme Payer {"{"}montant{"}"} à {"{"}fournisseur{"}"}
fault-card-line = n’est pas une ligne de texte
fault-card-long = dépasse { $most } caractères
fault-url-template = écrivez-la comme https://hote/chemin/{"{"}name{"}"}?q={"{"}q{"}"}
fault-no-body = un GET ou un HEAD n’a pas de corps
fault-arguments-to-url = mettez les arguments dans url, ou prenez une autre méthode
fault-remove = retirez cette clé
fault-remove-there = retirez-le de headers
fault-remove-them = retirez-les
fault-secret-plain = contient un secret en clair
fault-secret-env = gardez-le dans une variable d’environnement : {"{"} secret_env = "NOM", prefix = "Bearer " {"}"}
fault-header-characters = contient des caractères qu’un en-tête ne peut pas porter
fault-secret-once = doit dire une seule fois où son secret est gardé
fault-secret-places = mettez une seule clé parmi secret_env, secret_file et secret_person
fault-secret-env-variable = secret_env n’est pas un nom de variable valide
fault-declared-variable = secrets.{ $name }.secret_env n’est pas un nom de variable valide
fault-declared-place = secrets.{ $name } doit dire une seule fois où le secret est gardé : mettez secret_env ou secret_file
fault-declared-hosts = secrets.{ $name } doit dire à quels hôtes le secret peut être envoyé : hosts = ["ntfy.example"]
fault-declared-workspaces = secrets.{ $name }.workspaces est vide ; nommez des espaces de travail, écrivez ["*"] pour tous, ou enlevez la clé
fault-declared-use = { $named } ne peut pas utiliser son secret : { $why }
fault-export-secret = exportez NOM=… et écrivez NOM ici, jamais le secret
fault-prefix-characters = le préfixe contient des caractères qu’un en-tête ne peut pas porter
fault-use-effect = prenez read pour une requête, et idempotent, probe ou once pour une action
fault-add-idempotency = ajoutez idempotency_header = "Idempotency-Key", ou l’en-tête que lit l’autre côté
fault-missing-idempotent = manque pour l’effet idempotent
fault-only-idempotent = n’existe que pour l’effet idempotent
fault-only-probe = n’existe que pour l’effet probe
fault-action-approval = est false, mais une action demande toujours une approbation
fault-four-eyes-query = est true, mais personne n’est interrogé pour cette requête
fault-approver = « { $given } » ne nomme personne
fault-approver-like = écrivez par exemple role:finance ou person:ann
fault-approvers-count = nomme { $given } approbateurs
fault-escalation = « { $given } » n’est pas une durée
fault-escalation-like = écrivez par exemple 4h, ou never
fault-escalation-alone = est réglé sans approvers
fault-name-approvers = nommez des approbateurs dans approvers, ou supprimez-le
fault-quorum-people = est { $quorum }, mais seules { $people } personnes peuvent approuver
fault-name-people = nommez d’autres personnes dans approvers, ou baissez-le
fault-approvers-query = est réglé, mais personne n’est interrogé pour cette requête
fault-set-approval = mettez approval = true
fault-query-destructive = une requête ne peut pas être destructive
fault-set-action = mettez kind = "action"
fault-add-ask = ajoutez ask = {"{"} url = "…{"{"}call.key{"}"}", pointer = "/id", equals = "{"{"}call.key{"}"}" {"}"}
fault-missing-probe = manque pour l’effet probe
fault-remove-or-probe = retirez cette clé, ou mettez effect = "probe"
fault-pointer-like = écrivez-le comme /orders/0/id
fault-ask-own-host = interrogez l’hôte qui agit, ou déclarez l’outil sans secrets
fault-other-host = enverrait les secrets à un autre hôte
fault-zero = 0 est trop petit
fault-one-or-more = prenez 1 ou plus, ou retirez cette clé
fault-correct-one = corrigez l’un des deux
fault-twice = est déclaré deux fois
fault-rename-one = renommez ou retirez l’un des deux
fault-dots = son chemin contient « . » ou « .. »
fault-braces = ses accolades ne vont pas par paires
fault-not-whole = ce n’est pas une adresse entière, comme https://hote/chemin
fault-add-command = ajoutez command = "npx" avec args = […], ou url = "https://hote/mcp"
fault-missing-both = manque, et url aussi
fault-with-command = est présente en même temps que command
fault-keep-one = gardez l’une des deux
fault-name-program = nommez le programme, par exemple "npx"
fault-only-url = n’existe que pour un serveur avec url
fault-remove-or-env = retirez cette clé, ou prenez env
fault-correct-name = corrigez le nom
fault-mcp-like = écrivez-la comme https://hote/mcp
fault-has-user = contient un nom d’utilisateur ou un mot de passe
fault-user-to-headers = mettez-les dans headers, comme secret
fault-only-command = n’existe que pour un serveur avec command
fault-only-key-command = n’existe que pour une entrée avec api_key_command
fault-with-authorization = est présente en même temps que headers.authorization
fault-without-client = est présente sans client_id
fault-add-client = ajoutez client_id
fault-issuer-like = écrivez le serveur d’autorisation comme il se nomme, comme https://login.example
fault-client-id = écrivez l’id du client, ou retirez cette clé
fault-no-port = 0 n’est pas un port valide ; utilisez 1 à 65535
fault-not-header-name = n’est pas un nom d’en-tête valide
fault-of-protocol = est mis par le protocole lui-même
fault-not-header-value = n’est pas une valeur d’en-tête valide
fault-remove-breaks = retirez les fins de ligne et les caractères de contrôle
fault-declare-http = déclarez la requête comme un outil HTTP, ou prenez secret_env ou secret_file
fault-no-person = secret_person n’est pas possible pour un serveur MCP
fault-one-place = doit nommer un seul endroit
fault-secret-two = mettez une seule clé parmi secret_env et secret_file
fault-not-variable = n’est pas un nom de variable valide
fault-name-file = nommez le fichier
fault-smaller = prenez une valeur plus petite
fault-with-query = est présente en même temps que kind = "query"
fault-use-read = prenez read, ou retirez cette clé
fault-use-once = prenez once ou idempotent, ou faites-en une requête
fault-read-action = read est présent en même temps que kind = "action"
fault-always-approval = est false, mais les outils destructifs ou qui envoient des données dehors demandent toujours une approbation
fault-remove-one = retirez l’une des deux
fault-add-script = ajoutez script = "histoire.toml"
fault-no-network = est présente, mais un modèle rejoué n’utilise pas de réseau
fault-remove-or-kind = retirez cette clé, ou changez kind
fault-only-rehearsal = n’existe que pour kind "rehearsal"
fault-export-key = exportez NOM=… et écrivez NOM ici, jamais la clé
fault-keep-one-of-two = gardez l’une des deux
fault-no-program = ne nomme pas de programme
fault-program-like = écrivez ["PROGRAMME", "ARGUMENT"]
fault-auth-says = retirez cet en-tête ; les clés vont dans api_key_env, et auth dit comment elles sont envoyées
fault-header-like = écrivez NOM = "VALEUR"
fault-own-setting = retirez ce champ, ou prenez le réglage de l’entrée qui l’écrit
fault-background-stream = retirez background, ou mettez stream = true
fault-api-ended = { $by } a cessé le { $on } de proposer l’API du type "{ $given }"
fault-api-instead = mettez kind = "{ $kind }", base_url = "{ $address }", api_key_env = "{ $variable }" et un modèle de cette API, comme model = "{ $model }" ; ou donnez à base_url l’adresse d’une passerelle qui la propose encore
fault-add-azure = ajoutez base_url = "https://RESSOURCE.openai.azure.com/openai/v1"
fault-add-url = ajoutez base_url, pour Ollama : base_url = "http://localhost:11434/v1"
fault-address-like = écrivez-la comme https://hote/v1
fault-holds-user = contient un utilisateur ou un mot de passe
fault-key-to-env = mettez la clé dans api_key_env
fault-allows-nothing = 0 ne permet rien
fault-schema-or-none = prenez l’un de ceux-ci : schema, none
fault-remove-or-none = retirez cette clé, ou mettez effort = "none"

## Ce que le lecteur d’une table en dit

config-unknown-field = { $entry } : champ inconnu `{ $name }`
config-unknown-word = { $entry } : mot inconnu `{ $name }`
config-missing-field = { $entry } : il manque le champ `{ $name }`
config-duplicate-field = { $entry } : champ `{ $name }` présent deux fois
config-invalid-type = { $entry } : type invalide : { $given } ; attendu : { $expected }
config-invalid-value = { $entry } : valeur invalide : { $given } ; attendu : { $expected }
config-entry-says = { $entry } : { $says }

## Des valeurs qui se lisent elles-mêmes

fault-price-fine = « { $given } » a plus de six chiffres après le point ; raccourcissez-le
fault-price-none = « { $given } » n’est pas un prix ; écrivez des dollars américains par million de tokens, comme "2.50"
fault-price-large = « { $given } » est trop grand pour un prix
fault-allowed-host = « { $given } » ne nomme pas d’hôte ; écrivez un nom (« nas.home », « nas.home:8080 »), une adresse (« 192.168.1.5 », « [fd00::5]:8080 ») ou un réseau (« 10.0.0.0/8 »)

## Agents

fault-agent = l’agent « { $agent } », { $key } : { $problem } ; { $fix }
fault-agent-name = « { $given } » ne peut pas être le nom d’un agent
fault-agent-name-like = prenez au plus 40 lettres, chiffres et _, en commençant par une lettre, par exemple JobManager
fault-agent-say-for = dites à quoi il sert : ceux qui peuvent l’appeler le lisent
fault-agent-say-who = dites qui il est et quelle est sa mission
fault-agent-chars = compte { $count } caractères ; { $most } au plus sont lus
fault-agent-bytes = compte { $count } octets ; { $most } au plus sont lus
fault-agent-shorter = dites-le plus brièvement
fault-agent-no-provider = « { $given } » est donné sans fournisseur
fault-agent-name-provider = ajoutez provider = "NOM" à côté, ou retirez-le pour prendre le modèle de celui qui appelle
fault-agent-pattern = « { $given } » ne désigne aucune commande
fault-agent-pattern-like = prenez le nom d’une commande comme zones.list, un groupe comme zones.*, ou "*"
fault-agent-zero = vaut 0
fault-agent-at-least-1 = prenez au moins 1, ou retirez-la pour avoir la limite de tous les agents
