#!/usr/bin/env bash
# VACUUM INTO from a SQLite database of the VFS `memdb` succeeds and leaves nothing behind: the path names another database in
# memory, which goes when the statement ends. No file is made, and a connection to memory under that name finds no table. A
# backup of such a database reports success. The file is made where the target is a URI that names the VFS of files.
#
# Versions: SQLite 3.54.1, as apsw 3.54.1.0 of PyPI has it; Linux, whose VFS of files is `unix`.
# Seen on 30 November 2026:
#
#   a path: file False, tables in memory 0
#   a URI with vfs=unix: file True, rows 2
#
# Exit 0 while that is so; 1 when it changes.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet --disable-pip-version-check apsw==3.54.1.0
cat >copies.py <<'PY'
import os

import apsw

FLAGS = apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
folder = os.getcwd()
source = apsw.Connection("file:/source?vfs=memdb", flags=FLAGS)
source.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2)")
source.execute("VACUUM INTO ?", (f"{folder}/path.db",))
named = apsw.Connection(f"file:{folder}/path.db?vfs=memdb", flags=FLAGS)
tables = named.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
print(f"a path: file {os.path.exists('path.db')}, tables in memory {tables}")
source.execute("VACUUM INTO ?", (f"file:{folder}/uri.db?vfs=unix",))
rows = apsw.Connection("uri.db").execute("SELECT count(*) FROM t").fetchone()[0]
print(f"a URI with vfs=unix: file {os.path.exists('uri.db')}, rows {rows}")
PY
python/bin/python copies.py >seen
cat seen
diff seen - <<'SEEN'
a path: file False, tables in memory 0
a URI with vfs=unix: file True, rows 2
SEEN
