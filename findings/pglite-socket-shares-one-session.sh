#!/usr/bin/env bash
# Several clients of PGlite's socket server are one session of Postgres, although each has a connection of its own.
#
# Versions: @electric-sql/pglite 0.5.14, @electric-sql/pglite-socket 0.2.17 (maxConnections 5), client pg 8.23.1, Node.js 20.
# Seen on 27 November 2026:
#   - both clients have the same pg_backend_pid();
#   - an advisory lock that one client holds is granted to the other one too: it excludes nobody;
#   - the lock stays when the client that took it disconnects, and a new client still gets it;
#   - a SET of one client holds for the others, and a temporary table of one can be read by the others;
#   - while one client has a transaction open, a statement of another one waits for its end, without any lock in between.
# So whatever elects a leader by pg_try_advisory_lock on a connection of its own elects everybody.
#
# Exit 0 while that is so; 1 when it changes.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true, "type": "module"}' >package.json
npm install --silent --no-fund --no-audit --ignore-scripts \
    @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17 pg@8.23.1

cat >seen.mjs <<'JS'
import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import pg from "pg";

const db = await PGlite.create();
const server = new PGLiteSocketServer({ db, host: "127.0.0.1", port: 0, maxConnections: 5 });
await server.start();
const port = new URL(`http://${server.getServerConn()}`).port;
const connect = async () => {
  const client = new pg.Client({ host: "127.0.0.1", port, user: "postgres", database: "postgres" });
  await client.connect();
  return client;
};
const ask = async (client, sql) => Object.values((await client.query(sql)).rows[0])[0];

const [first, second] = [await connect(), await connect()];
const pids = [await ask(first, "SELECT pg_backend_pid()"), await ask(second, "SELECT pg_backend_pid()")];
console.log(`same backend: ${pids[0] === pids[1]}`);
const lock = "SELECT pg_try_advisory_lock(7)";
console.log(`lock of the first: ${await ask(first, lock)}, of the second: ${await ask(second, lock)}`);
await first.query("SET statement_timeout = '1234ms'");
console.log(`statement_timeout of the second: ${await ask(second, "SHOW statement_timeout")}`);
await first.query("CREATE TEMPORARY TABLE own (x int)");
console.log(`rows that the second reads in a temporary table of the first: ${await ask(second, "SELECT count(*) FROM own")}`);
await first.end();
const third = await connect();
const held = await ask(third, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'");
console.log(`advisory locks after the first left: ${held}, the third gets it: ${await ask(third, lock)}`);
await third.query("BEGIN");
const answer = second.query("SELECT 1").then(() => "answered");
const patience = new Promise((done) => setTimeout(() => done("waits"), 1000));
console.log(`the second, while the third has a transaction open: ${await Promise.race([answer, patience])}`);
await third.query("COMMIT");
console.log(`and after it: ${await answer}`);
process.exit(0);
JS

cat >expected <<'TEXT'
same backend: true
lock of the first: true, of the second: true
statement_timeout of the second: 1234ms
rows that the second reads in a temporary table of the first: 0
advisory locks after the first left: 1, the third gets it: true
the second, while the third has a transaction open: waits
and after it: answered
TEXT
timeout 120 node seen.mjs | tee found
diff expected found
