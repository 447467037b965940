# Connexions aux serveurs MCP : entracte mcp login, logout, status.

login-needed = il demande une connexion
login-over = il n’accepte plus la connexion ; connectez-vous à nouveau
login-no-address = c’est un programme, et un programme ne demande pas de connexion ; seul un serveur avec url en a une
login-own-authorization = headers.authorization est son autorisation dans la configuration ; pour vous connecter à la place, retirez cette clé
login-not-offered = il ne dit pas comment se connecter ; s’il demande une clé, ajoutez headers avec authorization = {"{"} secret_env = "NOM", prefix = "Bearer " {"}"}
login-no-pkce = son serveur d’autorisation ne prend pas en charge PKCE avec S256 : la connexion ne serait pas sûre
login-no-registration = son serveur d’autorisation ne laisse personne s’inscrire ; inscrivez-y un client à la main et réglez oauth.client_id
login-not-registered = son serveur d’autorisation n’a pas inscrit ce programme : { $why } ; inscrivez-y un client à la main et réglez oauth.client_id
login-not-exchanged = son serveur d’autorisation n’a pas donné de jeton : { $why }
login-no-server = aucun des serveurs d’autorisation qu’il nomme n’est utilisable : { $named }
login-other-resource = la description à { $url } concerne un autre serveur
login-other-issuer = { $received } a répondu à la place du serveur d’autorisation { $expected } ; rien ne lui a été envoyé
login-no-issuer = le serveur d’autorisation { $expected } ne dit pas qui il est
login-declined = la connexion a été refusée : { $why }
login-other-login = ce qui est revenu n’est pas de cette connexion ; recommencez
login-not-the-address = ce n’est pas l’adresse où le navigateur a été envoyé ; copiez-la en entier, avec code=… et state=…
login-not-encrypted = la connexion irait vers « { $host } » sans chiffrement ; son serveur d’autorisation doit utiliser https
login-not-a-page = le serveur ferait ouvrir au navigateur une adresse de la sorte « { $scheme } », qui n’est pas une page web ; rien n’a été ouvert
login-no-configured-issuer = oauth.client_secret n’est envoyé qu’à un serveur d’autorisation configuré ; mettez-le dans oauth.issuer, comme https://login.example
login-short-token = son serveur d’autorisation a donné un jeton de moins de { $least } caractères, qui ne pourrait pas être retiré des textes
login-listen = le navigateur ne peut pas revenir au port { $port } de cette machine : { $why } ; mettez dans oauth.redirect_port un port libre
login-file = le fichier de connexion { $path } n’est pas utilisable : { $why }
login-damaged = le fichier de connexion { $path } est abîmé ; supprimez-le et connectez-vous à nouveau
login-version = le fichier de connexion { $path } a la version { $found }, mais cette version d’Entracte lit la { $known } ; supprimez-le et connectez-vous à nouveau
login-busy = un autre processus modifie cette connexion depuis { $seconds } s ; réessayez

login-unknown = la configuration n’a pas de serveur MCP « { $server } »
login-failed = pas de connexion au serveur MCP { $server } : { $why }
login-open = Ouvrez cette adresse sur { $host } dans un navigateur pour vous connecter à { $issuer } :
login-opened = Le navigateur a été ouvert. Sinon, ouvrez l’adresse ci-dessus.
login-other-host = Rien n’a été ouvert : la configuration ne nomme pas l’hôte { $host }. Regardez l’adresse, et ouvrez-la vous-même si elle est juste ; ou nommez le serveur d’autorisation : mcp.{ $server }.oauth.issuer
login-paste = Si le navigateur ne peut pas revenir à cette machine, collez ici l’adresse où il a été envoyé.
login-page = Vous pouvez fermer cette page et revenir à Entracte.
login-page-refused = Ceci n’est pas de la connexion qu’Entracte attend.
login-late = personne ne s’est connecté en { $seconds } s ; recommencez, avec --within pour plus de temps
login-done = Connecté à { $server } par { $issuer }.
login-out-nothing = Il n’y avait pas de connexion à { $server }.
login-out-forgotten = La connexion à { $server } est oubliée.
login-out-revoked = La connexion à { $server } est oubliée et révoquée.
login-out-not-revoked = la connexion à { $server } est oubliée ici, mais n’a pas pu être révoquée là-bas : { $why } ; elle y prendra fin d’elle-même, ou vous l’y terminez à la main

login-status-none = aucun serveur MCP n’est configuré ; ajoutez-en un : [mcp.NOM] avec url ou command
login-status-program = ne demande pas de connexion
login-status-key = autorisation donnée par la configuration
login-status-not = pas de connexion ; s’il en faut une : entracte mcp login { $server }
login-status-in = connecté par { $issuer }
login-status-renews = connecté par { $issuer }, renouvelé automatiquement
login-status-until = connecté par { $issuer } jusqu’au { $until }
login-status-expired = la connexion a expiré ; connectez-vous à nouveau : entracte mcp login { $server }
doctor-check-login = connexion
doctor-login-fix = entracte mcp login { $server }
head-login = connexion
head-place = adresse ou programme
page-missing = Cette page n’existe pas
page-missing-says = L’adresse est fausse, ou ce qui s’y trouvait n’y est plus.
page-login = Connectez-vous d’abord
page-login-says = Cette page demande une connexion. Qui fait tourner le serveur peut créer un lien qui connecte ce navigateur.
page-problem = Cela n’a pas marché
page-home = Vers la console

## Les serveurs d’autres machines (--server)

server-address = { $given } ne peut pas servir de serveur : { $why }
server-this-machine = cette commande concerne cette machine ou ce processus et ne prend donc pas --server
server-not-yet = cette commande ne marche pas encore sur { $server } ; lancez-la sur la machine qui a la base de données
server-no-login = vous n’êtes pas connecté à { $server }
server-unreachable = { $server } est injoignable : { $why }
server-lost = la connexion à { $server } a été perdue avant sa réponse ; on ne sait donc pas si la demande a été exécutée : { $why }
server-redirects = { $server } renvoie les demandes vers { $place } ; un jeton ne va qu’à son propre serveur, donc nommez cette adresse si c’est la vôtre
server-is-another = ce qui répond à { $server } n’est pas Entracte (statut { $status })
server-other-version = la réponse de { $server } ne peut pas être lue ; il a peut-être une autre version : { $why }
server-list-open = { $path } peut être lu par d’autres, donc ses jetons ne sont pas utilisés ; fermez-le : chmod 600 { $path }
server-list-io = { $path } : { $why }
server-list-damaged = { $path } est endommagé ; supprimez-le et reconnectez-vous
server-list-newer = { $path } a été écrit par une version plus récente
server-list-homeless = il n’y a pas de dossier personnel pour la liste des serveurs ; définissez HOME
<<<<<<< HEAD
server-goes-on = c’est enregistré ; le serveur continue : entracte session messages { $session }
settle-again-here = { $call } n’est proposé à nouveau que sur la machine qui a la base de données
server-address-no-url = une adresse ressemble à https://agents.example.com
server-address-plain = un jeton ne passe qu’en https, sauf si le serveur est sur cette machine
server-address-extra = une adresse n’a ni nom, ni mot de passe, ni requête, ni fragment
=======
server-login-no-server = --token et --no-browser sont pour la connexion à un serveur ; nommez-le avec --server
server-login-open = Pour connecter ce terminal à { $server }, ouvrez cette page dans un navigateur :
server-login-code = Autorisez-le si la page affiche le même code : { $code }
server-login-waits = En attente jusqu’à { $until } ; Ctrl-C y met fin.
server-login-done = Connecté à { $server } comme { $person } : { $reach } ; droits { $scopes } ; { $end }.
server-login-everywhere = tous les workspaces
server-login-workspace = workspace { $workspace }
server-login-until = jusqu’au { $until }
server-login-endless = sans fin
server-login-replaced = La connexion précédente à { $server } est remplacée ; son jeton y reste valable jusqu’à son expiration ou sa révocation.
server-login-refused = la connexion à { $server } a été refusée
server-login-over = personne n’a autorisé à temps la connexion à { $server }, ou ce serveur a été redémarré entre-temps
server-login-token-argument = un jeton n’est lu que sur l’entrée standard, pour qu’aucune liste de processus ne le montre ; écrivez --token -
server-login-token-terminal = un jeton tapé ici resterait visible ; donnez-le sur l’entrée standard
server-login-token-invalid = ce que contient l’entrée standard n’est pas un jeton valide
server-logout-no-server = une déconnexion demande le serveur ; nommez-le avec --server
server-logout-nothing = Il n’y avait pas de connexion à { $server }.
server-logout-revoked = La connexion à { $server } est révoquée et oubliée.
server-logout-over = La connexion à { $server } avait pris fin là-bas ; elle est oubliée ici aussi.
server-logout-not-revoked = La connexion à { $server } est oubliée ici, mais pas révoquée : son jeton y reste valable jusqu’à son expiration ou sa révocation.
server-logout-kept = la connexion à { $server } est gardée, car elle n’a pas pu être révoquée : { $why } ; --force l’oublie quand même
>>>>>>> c2111ae0 (cli: log in to a server and out again)
