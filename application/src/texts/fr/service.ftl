# Le serveur comme service du système : entracte service install, status, uninstall.

telemetry-endpoint-invalid = telemetry.otlp_endpoint doit être une adresse comme http://127.0.0.1:4318, sans utilisateur, mot de passe ni requête ; une clé va dans la variable OTEL_EXPORTER_OTLP_HEADERS
telemetry-unusable = la télémétrie ne peut pas être envoyée : { $why }
service-installed = installé : { $file }
service-runs = il tourne ({ $says })
service-rests = il ne tourne pas ({ $says }) ; pour le démarrer : { $command }
service-no-linger = il s’arrête quand vous fermez votre session ; pour qu’il continue : { $command }
service-removed = supprimé : { $file } ; les données et la configuration restent
service-absent = le service n’est pas installé
service-foreign = { $file } n’a pas été écrit par entracte ; regardez-le d’abord
service-foreign-stays = { $file } n’a pas été écrit par entracte, il reste donc ; supprimez-le vous-même
service-keys = un service n’a pas les variables de votre shell ; écrivez { $keys } dans { $file }, sous la forme NOM=valeur, une par ligne
service-untried = ceci n’a jamais été essayé sur macOS ; dites-nous ce qui se passe
service-none = il n’y a pas ici de gestionnaire de services qu’entracte connaît ({ $system }) ; faites exécuter ceci au démarrage par le vôtre
service-no-home = il n’y a pas de dossier personnel ; définissez HOME
service-password = le fichier d’un service ne doit pas contenir de mot de passe ; nommez plutôt la base de données dans la configuration, avec database.url_env ou database.url_file
service-unwritable = « { $value } » ne peut pas être écrit dans le fichier d’un service : il faut de l’UTF-8, sans caractères de contrôle
service-manager-failed = { $command } : { $why }
service-no-bus = aucun gestionnaire de services ne tourne pour vous ici, comme sous su ou dans un conteneur ({ $why }). Sur une machine à vous : loginctl enable-linger $USER, puis reconnectez-vous. Ou lancez le serveur vous-même
