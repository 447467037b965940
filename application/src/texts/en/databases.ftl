# Why a database cannot be opened, owned, backed up or copied. No text here ever holds a password.

# Where it is.
database-unsupported = databases of the kind `{ $scheme }` are not supported by this build; give a path, sqlite://PATH or postgres://USER@HOST/DATABASE
database-not-built-in = this program was built without { $database }; choose another database, or build it with the feature `{ $feature }`
database-no-file = `{ $given }` is not a file name; give the path of a database
database-unclear-url = the URL of the database cannot be read; write postgres://USER:PASSWORD@HOST:PORT/DATABASE?NAME=VALUE, with @ as %40, / as %2F and ? as %3F inside of a name or password
database-relative-file = the URL of the database names a file by a relative path: { $name }={ $given }; write the whole path, such as { $name }={ $whole }

# Opening it.
database-directory = { $path } is a directory, not a database; give the path of a file
database-empty = the database { $path } is empty (0 bytes); restore a backup, or remove it to begin a new one
database-read-only = { $path } is read-only; make it writable: chmod u+w
database-linked = { $path } has { $names } names (hard links), and a process that opens it by another name would not see that it is in use; remove the other names, which this lists: find / -xdev -samefile { $path }
database-unopened = { $place } cannot be opened: { $why }
database-missing = { $says }; create it: createdb { $name }
database-foreign = { $place } is a database of another program; give the path of one of Entracte, or of a new file
database-foreign-on-server = { $place } is a database of another program; give Entracte a database of its own, or a schema: ?options=-csearch_path%3DSCHEMA
database-no-schema = { $place } has no schema to work in: the search path names no existing schema; create one with CREATE SCHEMA
database-newer = { $place } was written by a newer Entracte (unknown migration { $migration }); nothing was changed, use that version
database-in-use = the database must be migrated first, which is not possible now; migrate it when nobody works with it: { $why }

# Owning it.
database-owned = { $place } is owned by { $owner }
database-owner-process = process { $pid }
database-owner-unknown = another process
database-owner-at = { $process } at { $host }
database-lock-file = the lock file { $path } cannot be used: { $why }
database-owner-unread = the owner of { $place } cannot be read: { $why }

# Backups, and copies into another database.
backup-exists = { $path } already exists, and a backup does not overwrite it; choose another path
backup-unwritten = { $path } cannot be written: { $why }
backup-failed = the database cannot be copied: { $why }
snapshot-old = { $place } has the shape of an older version, and is not upgraded by a look; upgrade it first
copying-same = { $place } cannot be copied into itself; name another database to copy it to
copying-not-empty = { $place } is not empty (the table { $table } has rows), and a copy does not overwrite it; use an empty database
copying-in-use = the target must not be in use; try again when nobody works with it: { $why }
copying-differs = the copy differs from its source in the table { $table }, so nothing was written; check both databases, then copy again
copying-unusable = { $place } cannot be used: { $why }

# What hinders the work with a file.
path-denied = permission denied; make its file and folder readable and writable for your user
path-no-folder = its folder does not exist; make the folder, or choose another path
path-in-file = what should be one of its folders is a file; choose another path
path-full = the disk is full
path-read-only = the disk is mounted read-only
