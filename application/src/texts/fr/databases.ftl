# Pourquoi une base de données ne peut être ni ouverte, ni possédée, ni sauvegardée, ni copiée. Aucun texte ne contient de mot de passe.

# Son emplacement.
database-unsupported = ce programme ne gère pas les bases de données de type « { $scheme } » ; indiquez un chemin, sqlite://CHEMIN ou postgres://UTILISATEUR@HÔTE/BASE
database-not-built-in = ce programme a été construit sans { $database } ; choisissez une autre base de données, ou construisez-le avec la fonctionnalité « { $feature } »
database-no-file = « { $given } » n’est pas un nom de fichier ; indiquez le chemin d’une base de données
database-unclear-url = l’URL de la base de données est illisible ; écrivez postgres://UTILISATEUR:MOT_DE_PASSE@HÔTE:PORT/BASE?NOM=VALEUR, avec %40 pour @, %2F pour / et %3F pour ? dans un nom ou un mot de passe
database-relative-file = l’URL de la base de données désigne un fichier par un chemin relatif : { $name }={ $given } ; écrivez le chemin complet, par exemple { $name }={ $whole }

# L’ouvrir.
database-directory = { $path } est un dossier, pas une base de données ; indiquez le chemin d’un fichier
database-empty = la base de données { $path } est vide (0 octet) ; restaurez une sauvegarde, ou supprimez-la pour en commencer une nouvelle
database-read-only = { $path } est en lecture seule ; autorisez l’écriture : chmod u+w
database-linked = { $path } a { $names } noms (liens physiques), et un processus qui l’ouvrirait sous un autre nom ne verrait pas qu’il est utilisé ; supprimez les autres noms, que ceci énumère : find / -xdev -samefile { $path }
database-unopened = impossible d’ouvrir { $place } : { $why }
database-missing = { $says } ; pour créer cette base : createdb { $name }
database-foreign = { $place } est la base de données d’un autre programme ; indiquez le chemin d’une base d’Entracte, ou d’un nouveau fichier
database-foreign-on-server = { $place } est la base de données d’un autre programme ; donnez à Entracte une base à lui, ou un schéma : ?options=-csearch_path%3DSCHEMA
database-no-schema = { $place } n’a pas de schéma où travailler : le chemin de recherche n’en nomme aucun qui existe ; créez-en un avec CREATE SCHEMA
database-newer = { $place } a été écrite par une version plus récente d’Entracte (migration inconnue { $migration }) ; rien n’a été modifié, utilisez cette version
database-in-use = la base de données doit d’abord être migrée, ce qui est impossible pour l’instant ; migrez-la quand personne ne s’en sert : { $why }

# La posséder.
database-owned = { $place } appartient { $owner }
database-owner-process = au processus { $pid }
database-owner-unknown = à un autre processus
database-owner-at = { $process } sur { $host }
database-lock-file = le fichier de verrou { $path } est inutilisable : { $why }
database-owner-unread = impossible de savoir à quel processus appartient { $place } : { $why }

# Sauvegardes, et copies dans une autre base.
backup-exists = { $path } existe déjà, et une sauvegarde n’écrase rien ; choisissez un autre chemin
backup-unwritten = impossible d’écrire { $path } : { $why }
backup-failed = impossible de copier la base de données : { $why }
snapshot-old = { $place } a la structure d’une version plus ancienne, et la consulter ne la met pas à niveau ; mettez-la d’abord à niveau
copying-same = impossible de copier la base { $place } dans elle-même ; indiquez une autre base comme destination
copying-not-empty = { $place } n’est pas vide (la table { $table } a des lignes), et une copie n’écrase rien ; utilisez une base vide
copying-in-use = la base de destination ne doit pas être utilisée ; réessayez quand personne ne s’en sert : { $why }
copying-differs = la copie diffère de l’original dans la table { $table }, donc rien n’a été écrit ; vérifiez les deux bases, puis recommencez la copie
copying-unusable = { $place } est inutilisable : { $why }

# Ce qui empêche de travailler avec un fichier.
path-denied = accès refusé ; donnez à votre utilisateur le droit de lire et d’écrire le fichier et son dossier
path-no-folder = son dossier n’existe pas ; créez le dossier, ou choisissez un autre chemin
path-in-file = l’un des dossiers de ce chemin est en fait un fichier ; choisissez un autre chemin
path-full = le disque est plein
path-read-only = le disque est monté en lecture seule
