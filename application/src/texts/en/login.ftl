# Logins at MCP servers: entracte mcp login, logout, status.

login-needed = it requires a login
login-over = it no longer accepts the login; log in again
login-no-address = it is a program, and programs need no login; only a server with url has one
login-own-authorization = headers.authorization in the configuration is its authorization; to log in instead, remove it
login-not-offered = it does not say how to log in; if it needs a key, add headers with authorization = {"{"} secret_env = "NAME", prefix = "Bearer " {"}"}
login-no-pkce = its authorization server does not support PKCE with S256, so a login would not be safe
login-no-registration = its authorization server lets nobody register; register a client there by hand and set oauth.client_id
login-not-registered = its authorization server did not register this program: { $why }; register a client there by hand and set oauth.client_id
login-not-exchanged = its authorization server gave no token: { $why }
login-no-server = none of the authorization servers that it names can be used: { $named }
login-other-resource = the description at { $url } is about another server
login-other-issuer = { $received } answered instead of the authorization server { $expected }; nothing was sent to it
login-no-issuer = the authorization server { $expected } does not say who it is
login-declined = the login was declined: { $why }
login-other-login = what came back is not from this login; start it again
login-not-the-address = this is not the address that the browser was sent to; copy all of it, with code=… and state=…
login-not-encrypted = the login would go to “{ $host }” without encryption; its authorization server must use https
login-not-a-page = the server would have the browser open an address of the kind “{ $scheme }”, which is no web page; nothing was opened
login-no-configured-issuer = oauth.client_secret is sent to a configured authorization server only; set oauth.issuer to it, like https://login.example
login-short-token = its authorization server gave a token of fewer than { $least } characters, which could not be removed from texts
login-listen = the browser cannot return to port { $port } of this machine: { $why }; set oauth.redirect_port to a free one
login-file = the login file { $path } cannot be used: { $why }
login-damaged = the login file { $path } is damaged; remove it and log in again
login-version = the login file { $path } has version { $found }, but this version of Entracte reads { $known }; remove it and log in again
login-busy = another process has been changing this login for { $seconds } s; try again

login-unknown = the configuration has no MCP server “{ $server }”
login-failed = no login at the MCP server { $server }: { $why }
login-open = Open this address on { $host } in a browser to log in at { $issuer }:
login-opened = The browser was opened. If it was not, open the address above.
login-other-host = Nothing was opened: the configuration does not name the host { $host }. Look at the address, and open it yourself if it is right; or name the authorization server: mcp.{ $server }.oauth.issuer
login-paste = If the browser cannot return to this machine, paste the address it was sent to here.
login-page = You may close this page and return to Entracte.
login-page-refused = This is not from the login that Entracte waits for.
login-late = nobody logged in within { $seconds } s; start again, with --within for longer
login-done = Logged in to { $server } at { $issuer }.
login-out-nothing = There was no login at { $server }.
login-out-forgotten = The login at { $server } is forgotten.
login-out-revoked = The login at { $server } is forgotten and revoked.
login-out-not-revoked = the login at { $server } is forgotten here, but it could not be revoked there: { $why }; it ends there by itself, or you end it there by hand

login-status-none = no MCP server is configured; add one: [mcp.NAME] with url or command
login-status-program = needs no login
login-status-key = authorization from the configuration
login-status-not = no login; if it needs one: entracte mcp login { $server }
login-status-in = logged in at { $issuer }
login-status-renews = logged in at { $issuer }, renewed automatically
login-status-until = logged in at { $issuer } until { $until }
login-status-expired = the login expired; log in again: entracte mcp login { $server }
doctor-check-login = login
doctor-login-fix = entracte mcp login { $server }
head-login = login
head-place = address or program
page-missing = There is no such page
page-missing-says = The address is wrong, or what was there is gone.
page-login = Log in first
page-login-says = This page needs a login. Whoever runs the server can make a link that logs this browser in.
page-problem = This did not work
page-home = To the console

## Servers of other machines (--server)

server-address = { $given } cannot be used as a server: { $why }
server-this-machine = this command is about this machine or this process, so it takes no --server
server-not-yet = this command does not work on { $server } yet; run it on the machine that has the database
server-no-login = you are not logged in at { $server }
server-unreachable = { $server } cannot be reached: { $why }
server-lost = the connection to { $server } was lost before its answer came, so it is not known whether the request was done: { $why }
server-redirects = { $server } sends requests on to { $place }; a token goes to its own server only, so name that address if it is yours
server-is-another = what answers at { $server } is not Entracte (status { $status })
server-other-version = the answer of { $server } cannot be read; it may have another version: { $why }
server-list-open = { $path } may be read by others, so its tokens are not used; close it: chmod 600 { $path }
server-list-io = { $path }: { $why }
server-list-damaged = { $path } is damaged; remove it, and log in again
server-list-newer = { $path } was written by a later version
server-list-homeless = there is no home folder for the list of servers; set HOME
<<<<<<< HEAD
server-goes-on = recorded; the server goes on with it: entracte session messages { $session }
settle-again-here = { $call } is proposed again only on the machine that has the database
server-address-no-url = an address is like https://agents.example.com
server-address-plain = a token goes over https only, unless the server is on this machine
server-address-extra = an address has no name, password, query or fragment
=======
server-login-no-server = --token and --no-browser are for the login at a server; name it with --server
server-login-open = To log this terminal in at { $server }, open this page in a browser:
server-login-code = Allow it there if the page shows the same code: { $code }
server-login-waits = Waiting until { $until }; Ctrl-C ends it.
server-login-done = Logged in at { $server } as { $person }: { $reach }; may { $scopes }; { $end }.
server-login-everywhere = every workspace
server-login-workspace = workspace { $workspace }
server-login-until = until { $until }
server-login-endless = without an end
server-login-replaced = The earlier login at { $server } is replaced; its token counts there until it expires or is revoked.
server-login-refused = the login at { $server } was refused
server-login-over = nobody allowed the login at { $server } in time, or that server was started again meanwhile
server-login-token-argument = a token is read from standard input only, so that no list of processes shows it; write --token -
server-login-token-terminal = a token that is typed here would stay visible; give it on standard input
server-login-token-invalid = what standard input has is not a valid token
server-logout-no-server = a logout needs the server; name it with --server
server-logout-nothing = There was no login at { $server }.
server-logout-revoked = The login at { $server } is revoked and forgotten.
server-logout-over = The login at { $server } had ended there; it is forgotten here too.
server-logout-not-revoked = The login at { $server } is forgotten here, but not revoked: its token counts there until it expires or is revoked.
server-logout-kept = the login at { $server } is kept, because it could not be revoked: { $why }; --force forgets it all the same
>>>>>>> c2111ae0 (cli: log in to a server and out again)
