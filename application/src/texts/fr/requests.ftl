# Pourquoi une demande est refusée, et ce qui est dit quand quelque chose a changé.

news-data-title = # Données toujours envoyées, telles qu’elles étaient au début de cette conversation (ou de cette partie)
news-data-changed = Ces données ont changé ; désormais :
news-commands-changed = Les commandes permises dans cette session ont changé. Désormais : { $commands }
news-commands-none = Aucune commande n’est plus permise dans cette session.
news-data-gone = { $section } n’est plus envoyé ; lisez-le quand vous en avez besoin.
news-data-order = Les données toujours envoyées sont les mêmes, dans un autre ordre.

request-no-session = il n’y a pas de session { $session } ; pour les lister : entracte session list
request-gate-faulty = { $given } ne nomme pas de commande ; écrivez des noms comme zones.list, ou files.* pour toutes celles d’une ressource ou d’un serveur, ou * pour toutes les commandes
request-gate-empty = aucune commande ne correspond à { $given } ; leur liste : entracte command list
request-no-session-named = la demande ne nomme aucune session
request-session-gone = la session n’existe plus
request-wrong-way = la session existe
request-session-ended = la session { $session } est terminée et ne prend plus rien ; commencez-en une autre : entracte chat
request-queue-full = il y a déjà autant de messages en attente que permis (limits.message_queue)
request-never-run = une session modèle (seed) n’est jamais exécutée
request-conflict = une autre décision de { $session } a été prise avant
request-not-applicable = il n’y a rien dans { $session } à quoi cela puisse s’appliquer maintenant
request-no-question = la session ne pose pas de question maintenant
request-no-option = « { $given } » n’est aucun des choix : { $options }
request-not-yes-or-no = « { $given } » n’est ni oui ni non

request-no-call = il n’y a pas d’appel { $call } ; pour voir ce qui est ouvert : entracte inbox
request-call-not-open = l’appel { $call } n’est plus ouvert : son état est { $state }
request-decided-before = l’appel { $call } n’est plus ouvert : { $who } a décidé ({ $what ->
        [approved] accord donné
        [edited] accord donné avec d’autres arguments
       *[rejected] refusé
    }) et son état est { $state }
request-edit-wrong = les nouveaux arguments de { $command } sont faux : { $faults } ; pour voir ses paramètres : entracte command show { $command }
request-rule-destructive = { $command } ne peut pas être annulé, donc l’accord est demandé chaque fois ; approuvez seulement cet appel, sans --always
request-rule-too-short = une règle doit durer plus que rien ; écrivez une durée comme 12h ou 30d
request-rules-too-many = l’espace de travail garde déjà { $most ->
        [one] une règle
       *[other] { $most } règles
    } (validation.always_max) ; révoquez-en une : entracte rule list
request-rule-several = { $rule } est le début de plusieurs règles : { $ids } ; écrivez-en plus
request-no-rule = il n’y a pas de règle { $rule } ; pour les lister : entracte rule list --all

request-no-setting = il n’y a pas de réglage { $name } ; pour les lister : entracte workspace settings list
request-setting-value = « { $value } » n’est pas une valeur de { $key } ; il faut { $takes }

request-message-empty = le message est vide ; écrivez quelque chose
request-message-long = le message a { $length } caractères, au plus { $most } sont acceptés (message.max_chars) ; raccourcissez-le ou augmentez le réglage
request-waits-for-model = { $session } attend son modèle ; interrompez-la d’abord : entracte session interrupt { $session }
request-no-model = le nom du modèle est vide ; nommez-en un : --model NAME
request-session-works = { $session } travaille ; arrêtez-la d’abord : entracte session stop { $session }
request-no-sequence = { $session } a les séquences 1 à { $last }, et { $at } a été nommée ; pour les voir : entracte session journal { $session }
request-not-imported = rien n’a été importé : { $why }
request-session-exists = il y a déjà une session { $session } ; importez-la comme nouvelle : entracte session import FILE --as-new
request-session-left-data = ce qu’une session { $session } supprimée a créé est encore là ; importez-la comme nouvelle : entracte session import FILE --as-new
request-nothing-to-copy = il n’y a rien à copier

# Pourquoi un appel d’un modèle est refusé avant d’avoir commencé.

request-command-is-query = { $command } est une lecture : mets-la dans `queries`
request-command-is-action = { $command } est une action : mets-la dans `actions`
request-command-arguments = les paramètres de { $command } sont incorrects : { $faults }
request-command-forbidden = la commande { $command } n’est pas permise dans cette session ; fais sans
outside-happened = une personne a constaté que cela a eu lieu
outside-absent = une personne a constaté que cela n'a pas eu lieu ; redemande-le si c'est toujours voulu
request-command-unknown = la commande { $command } n’existe pas ; les commandes sont { $commands }
request-schema-required = { $command } n’a pas été exécutée, parce que la forme de ses données n’a pas encore été montrée dans cette session. La voici ; redemande dans cette forme : { $schema }

request-no-automation = il n’y a pas d’automatisation { $automation } ; pour les lister : entracte automation list
request-automation-several = { $automation } désigne peut-être plusieurs automatisations : { $ids } ; écrivez-en plus de l’identifiant
automation-no-name = une automatisation a besoin d’un nom ; donnez-en un : --name NOM
automation-never-due = le moment de l’automatisation est passé ; donnez-en un qui soit à venir
automation-trigger = { $why }
automation-event-long = l’événement compte { $length } caractères ; il peut en compter { $most }
automation-event-no-json = l’événement n’est pas du JSON : { $why }
automation-seed-gone = le modèle { $seed } de l’automatisation n’existe plus ; donnez-lui un message : entracte automation edit
automation-seed-empty = le modèle { $seed } de l’automatisation n’a pas de message ; donnez-lui-en un : entracte automation edit

# Pourquoi la base de données ne peut pas servir maintenant, et que faire.

outage-full = { $says }. Il n’y a plus de place pour écrire : libérez-en sur ce disque, ou augmentez database.max_bytes ; rien de ce qui était enregistré n’est perdu, et le travail reprendra ensuite de lui-même
outage-read-only = { $says }. On peut la lire mais pas y écrire : rendez le droit d’écrire dans ce fichier et dans son dossier (chmod u+w), ou dans ses tables ; rien de ce qui était enregistré n’est perdu, et le travail reprendra ensuite de lui-même
outage-locked = { $says }. Un autre programme garde son verrou : terminez ce programme, ou laissez Entracte attendre plus longtemps (database.busy_timeout) ; rien de ce qui était enregistré n’est perdu, et le travail reprendra ensuite de lui-même
outage-disk = { $says }. Le disque n’a plus de place, ou il est en panne : regardez avec entracte doctor, libérez de la place ou réparez-le ; rien de ce qui était enregistré n’est perdu, et le travail reprendra ensuite de lui-même
store-unavailable = la base de données ne peut pas servir : { $outage }
post-unavailable = la demande n’a pas pu être prise : { $why }
