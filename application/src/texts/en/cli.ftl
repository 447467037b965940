# The command line: messages and screens.

# What every command says.

error-label = error:
error-output = the output cannot be written: { $why }
cannot-be-written = { $file } cannot be written: { $why }
cannot-be-read = { $file } cannot be read: { $why }
listed-two = { $first }, { $second }

# doctor.

doctor-totals = checks: { $ok } ok, { $warn } warn, { $fail } fail
doctor-left-out = … and more of “{ $kind }”: { $ok } ok, { $warn } warn, { $fail } fail; see them: entracte doctor --all
doctor-grade-ok = ok
doctor-grade-warn = warn
doctor-grade-fail = fail
doctor-check-configuration = configuration
doctor-check-variables = variables
doctor-check-clock = clock
doctor-check-data-folder = data folder
doctor-check-disk-space = disk space
doctor-check-secret-files = secret files
doctor-check-default-provider = default provider
doctor-check-provider = provider
doctor-check-window = window of
doctor-check-fallback = fallback of
doctor-check-database = database
doctor-check-integrity = integrity
doctor-check-owner = owner
doctor-check-workspaces = workspaces
doctor-check-approvers = approvers
doctor-check-workspace = workspace
doctor-check-commands = commands
doctor-check-sessions = sessions
doctor-check-session = session
doctor-check-automations = automations
doctor-check-automation = automation
doctor-check-callbacks = callbacks
doctor-check-task = task
doctor-configuration-none = nothing is set; the defaults apply
doctor-configuration-from = read from { $sources }
doctor-configuration-fix = correct it; nothing that depends on it was checked
doctor-variables-ok = every ENTRACTE_ variable is used
doctor-variables-unused = not used: { $names }
doctor-variables-fix = see the settings in effect: entracte config show --origin
doctor-clock = it is { $now }
doctor-clock-fix = set the clock of this machine: deadlines and dates depend on it
doctor-folder-writable = { $folder } is writable
doctor-folder-none = { $folder } does not exist yet and can be created
doctor-folder-is-file = { $file } is a file, not a folder
doctor-folder-other = choose another folder: entracte --data DIR doctor ({ $folder })
doctor-folder-fix = make it writable, or choose another: entracte --data DIR doctor ({ $folder })
doctor-space = { $megabytes } MB are free
doctor-space-fix = free some space, or keep the data elsewhere: --data DIR
doctor-space-unknown = it cannot be measured: { $why }
doctor-space-unknown-fix = check that the disk is there
doctor-secret-files-closed = other users of this machine can neither read nor change them
doctor-secret-files-open = other users of this machine can read or change { $files }
doctor-secret-files-fix = close them to others: chmod o= FILE
doctor-key-none = needs no key
doctor-key-placeholder = the key is a placeholder: it has fewer than { $least } characters and is not removed from texts
doctor-key-set = its key is set
doctor-key-fix = set it, or use another provider: entracte provider list
doctor-key-optional = needed only if you use this provider
doctor-window = the context window of { $model } is not known, so it is estimated unless its server reports it
doctor-window-fix = set context_tokens under [providers.{ $provider }]
doctor-fallback-keyless = { $lists }; { $provider } has no key
doctor-fallback-fix = set the key of { $provider }, or sessions cannot continue with it
doctor-provider-unknown = there is no provider { $provider }
doctor-provider-unknown-fix = set default_provider to another one: entracte provider list
doctor-provider-none = no provider has its key, so new sessions must name a provider
doctor-provider-none-fix = set the key of one, or set default_provider: entracte provider list
doctor-database-none = { $place } does not exist yet; the first command that needs it creates it
doctor-database-current = { $place } is up to date
doctor-database-upgraded = { $place } was upgraded to this version: { $applied }
doctor-integrity-ok = nothing is damaged
doctor-integrity-fix = restore the latest backup into a new database and compare, as “Back up and restore” in docs/OPERATE.md says: entracte db copy BACKUP NEW_FILE
doctor-counters-behind = sequences are behind their tables, so new rows of { $tables } would get numbers that are taken
doctor-standby = this server is a read-only replica (a standby): it can be read, and nothing can be done on it
doctor-standby-fix = to work, give the address of the primary, or several hosts with target_session_attrs=read-write
doctor-replication-none = no replica is connected
doctor-replication-sync = synchronous: each COMMIT waits for a replica: { $replicas }
doctor-replication-async = asynchronous: { $replicas }; after a failover the last commits may be missing, and what they did may be done twice
doctor-replication-fix = set synchronous_standby_names on the server, and database.require_sync = true here, as “Failover” in docs/OPERATE.md says
doctor-servers = servers share the database: { $servers }
doctor-servers-differ = the servers that share the database differ in their version or configuration: { $servers }
doctor-servers-fix = give all of them the same version and the same configuration
doctor-owner = the database belongs to { $owner }
doctor-owner-none = no process is using the database
doctor-owner-fix = make the data folder writable
doctor-owner-lock-only = process { $pid } has the lock of the database, and runs no sessions: it copies or upgrades the database
doctor-owner-unknown = a process has the lock of the database; which one is not known
doctor-approvers = { $quorum ->
    [one] one of { $named } must approve
   *[other] { $quorum } of { $named } must approve
}, and { $people ->
    [0] nobody can now
   *[other] only { $people } can now
}: roles have too few members, or people are away
doctor-workspace-none = { $workspace } does not exist yet
doctor-workspace-ok = its settings are valid; its time zone is { $zone }
doctor-workspace-zone = its time zone { $zone } is unknown here, so its dates are in UTC
doctor-commands = { $count } commands
doctor-sessions-sample-ok = a sample of { $count } open sessions, those that wait and the latest; all of them can continue (--all looks at every session)
doctor-sessions-sample = a sample of { $count } open sessions, those that wait and the latest (--all looks at every session)
doctor-integrity-sample = nothing is damaged, as far as a quick check shows (--all compares every row)
doctor-prompts = prompts of open sessions: { $done } of { $total }
doctor-prompts-sample = the prompts of { $done } of { $total } sessions were measured within the time of a sample (--all measures every one)
doctor-examines = examining open sessions: { $seconds } s
doctor-checks-integrity = checking the database for damage: { $seconds } s
doctor-sessions-ok = { $count } open; all can continue
doctor-automations-ok = { $count }; all can be read
doctor-automation-no-grant = “{ $name }” allows actions without asking, and nobody who may approve has said so for the message that it has now; its actions wait for a person
doctor-automation-no-grant-fix = entracte automation edit { $automation } --unattended allow (if you allow it), or --unattended park
doctor-automation-damaged = “{ $name }” cannot be read and does not run: { $why }
doctor-backup = entracte db backup FILE
doctor-session-unreadable = it cannot be read: { $why }
doctor-session-quarantined = quarantined, because Entracte crashed several times at the same point
doctor-session-quarantined-fix = inspect: entracte session journal { $session }; resume: entracte session resume { $session }
doctor-command-gone = it has a pending call of { $command }, and that command no longer exists
doctor-command-gone-fix = restore the command, or the call will fail
doctor-command-changed = it has a pending call of { $command }, and that command has changed since{ $what }
doctor-command-changed-fix = it needs approval again: entracte inbox
doctor-arguments = it has a pending call of { $command } with arguments that the command no longer accepts: { $fault }
doctor-arguments-fix = the call will be rejected when the session resumes, and the model will be told why; or reject it now: entracte reject ID --reason TEXT
doctor-restriction = it may use { $pattern }, but there is no such command
doctor-restriction-fix = restore it, or change what the session may use: entracte session set { $session } --commands LIST
doctor-provider-gone = its provider { $provider } cannot be used: { $why }
doctor-provider-gone-fix = or choose another one: entracte session set { $session } --provider NAME

# The configuration.

config-no-file = there is no configuration file { $file }
config-too-large = { $file } would be too large: a configuration file has at most { $most } bytes
config-changed = { $file } was changed by another program in the meantime
config-at = { $file } line { $line }: { $says }
config-and = { $says }; { $more }
config-guess = did you mean “{ $guess }”?
config-variable-guess = { $name } (did you mean { $guess }?)
config-variable-unused = the variable { $variable } is not used
config-allowed = allowed: { $words }
config-must-be = “{ $setting }” must be { $what }
config-table = “{ $setting }” must be a table: [{ $setting }]
config-tables = “{ $setting }” must hold tables: [{ $setting }.NAME]
config-no-setting = there is no setting “{ $setting }”
config-agent-unknown = the agent “{ $agent }” ({ $origin }) may call “{ $given }”, but no agent of that name is declared; add [agents.{ $given }], or take it out of commands
config-agent-provider = the agent “{ $agent }” ({ $origin }) names the provider “{ $provider }”, which is not configured; add [providers.{ $provider }], or name another one
config-fallback-unknown = { $setting } in { $origin }: there is no provider “{ $provider }”; add [providers.{ $provider }], or name another one
config-fallback-circle = { $setting } in { $origin }: it leads back to itself: { $way }; take one of the names out
config-takes-text = a text
config-takes-list = a list of texts, like ["a", "b"]
config-takes-flag = true or false
config-takes-count = a whole number from 0 to { $most }
config-takes-span = a duration like "30s", "5m", "24h" or "500ms", or 0
config-takes-retention = forever, an age of at least "24h" like "90d", a number like "latest 200", or both like "90d and latest 200"
config-takes-retention-age = forever, or an age like "90d", of results, ledger rows and documents at least "24h"
config-takes-retention-latest = forever, or a number like "latest 200"
config-takes-word = one of { $words }
config-takes-whole = a whole number
config-takes-number = a number
config-takes-some-text = a text; to remove it, use --unset
config-database-url = the URL of the database cannot be read: { $why }
config-database-twice = the database is set more than once, by { $origins }; set only one of { $places }
config-workspace = the workspace “{ $workspace }” must be written user:collection, like { $example }
config-variable = { $variable }={ $given }: it must be { $what }

# Errors of every command.

error-interrupted = interrupted
error-input = the input cannot be read: { $why }
file-exists = the file { $file } already exists; choose another name
file-overwrite = { $file } already exists; overwrite it:
file-says = { $file }: { $says }
file-too-large = it is larger than { $megabytes } MiB
file-not-text = it is not UTF-8 text
flag-says = { $flag }: { $says }
json-invalid = { $what } is not valid JSON: { $why }; it was: { $given }
json-no-object = { $what } must be a JSON object like {"{"}"name": "Health"{"}"}; it was: { $given }
recorded-elsewhere = recorded; another process continues it
deleted-nothing = nothing was deleted
delete-without-terminal = cannot ask whether to delete { $what } without a terminal; use: { $command } --force
left-working = left while { $session } was working; resume it: entracte session resume { $session }
still-working = a session of { $workspace } is still working; press Ctrl-C to leave it to the next command

# Sessions, commands, the database.

chat-json = --json needs a message: entracte chat --json --message TEXT
chat-stream-json = --stream prints JSON; add --json: entracte chat --json --stream --message TEXT
chat-enrichments = the message has { $count } enrichments; the limit is { $most } (message.max_enrichments) and nothing was sent. Remove some, or raise the setting: entracte config show --origin
chat-too-long = the message has { $count } characters; the limit is { $most } (message.max_chars) and nothing was sent. Shorten it, or raise the setting: entracte config show --origin
chat-empty = the message is empty: entracte chat --message TEXT
chat-none-to-continue = there is no open chat in { $workspace }; begin one: entracte chat
chat-recent = recent chats:
chat-choose = number, or Enter for a new chat>{" "}
chat-no-choice = “{ $given }” is not one of them; type a number from 1 to { $most }, or press Enter for a new chat
chat-session = session { $session }
approve-edit-one = --edit changes one call, not several; approve them one by one: entracte inbox
approve-other-session = { $call } belongs to { $session }, not to { $first }; decide session by session: entracte inbox
decide-approved = approved { $calls }
decide-rejected = rejected { $calls }
approve-always-ask = give this standing approval? [y]es, [n]o>{" "}
approve-always-not = nothing was approved
approve-no-call = name a call; list the open ones: entracte inbox
call-other-session = { $call } belongs to { $session }, not to { $first }
restriction-invalid = --commands: “{ $given }” is not a valid command name; write names like zones.list, files.* for all of a resource or server, * for every command, none for no commands
command-sizes-total = about { $tokens } tokens in all, where a prompt describes every command; those of MCP servers are found on demand where they do not fit
command-unknown = there is no command { $command }; list them: entracte command list
accept-unknown = no MCP server has a tool { $tool }; list those that wait: entracte command accept
accept-already = { $tool } is accepted already; list those that wait: entracte command accept
mcp-nothing = no command matches --commands, so there is nothing to offer
mcp-full = { $count } clients use this name already; give this one another --name
settings-no-value = the setting { $setting } has no value; write { $setting }=VALUE. To see what it accepts: { $list }
db-none = there is no database at { $place }; `entracte chat` and `entracte serve` make one
db-damaged = { $place } is damaged: { $faults }. Restore the latest backup into a new database and compare, as “Back up and restore” in docs/OPERATE.md says: entracte db copy BACKUP NEW_FILE
db-counters-behind = { $place } would give numbers that are taken to new rows of { $tables }: sequences are behind their tables, as a move by logical replication leaves them; nothing is lost
db-counter-mended = { $table } goes on after { $greatest }
db-nothing-to-repair = { $place } needs no repair
db-copy-wrong = every row was copied into { $place }, but these sessions do not replay correctly: { $sessions }
db-copied = { $to } is a complete copy of { $from }; all { $count } sessions replay correctly
db-applied = applied { $migration }
db-backs-up = writing the backup: { $seconds } s
db-copies = copying the database: { $seconds } s
db-replays = replaying sessions: { $done } of { $total }
db-waits = another process is opening the database; waiting for it
db-upgrading = upgrading the database: step { $number } of { $count } (safe to interrupt)
db-lists-inbox = listing what waits in earlier sessions: { $done } of { $total } (safe to interrupt)
db-adds-up-costs = adding up the costs of earlier sessions: { $done } of { $total } (safe to interrupt)
session-exported = exported { $session } to { $file }: { $count } entries{ $agents ->
    [0] {""}
    [one] , one agent
   *[other] , { $agents } agents
}
session-file-large = it is larger than { $megabytes } MiB, which is room for files of { $files } bytes (files.session_bytes); raise the setting, or export the session without files
session-files-missing = { $count ->
    [one] one file that the session names is not in it
   *[other] { $count } files that the session names are not in it
}
session-recorded = recorded what the model said in { $session } to { $file } ({ $count } turns); play it:
session-record-nothing = the model said nothing in { $session }
session-imported = { $count } entries{ $agents ->
    [0] {""}
    [one] , one agent
   *[other] , { $agents } agents
}; continue it:
session-forked = “{ $name }”; continue it:
session-delete-ask = delete { $session } “{ $name }” and everything stored for it? [y]es, [n]o>{" "}
session-deleted = deleted { $session }
session-set-nothing = name at least one thing to change: entracte session set --help
session-now = { $session }: { $what }
settle-again-note = it is proposed again as a new call
settle-no-again = { $command } cannot be proposed again as it is: it has an argument of the name by which a model asks for approval
session-renamed = { $session } is now “{ $name }”
session-unnamed = new chat

# Providers.

provider-none = no provider is available: none of { $keys } is set. Set one (export { $key }=…), or set up a model; init --rehearsed needs no key:
chat-script-elsewhere = another process runs the sessions of this database, and does not know the script. End it, or play the script on a database of its own
init-offer = No model is set up yet. It takes a minute; Ctrl-D leaves.
init-choices = Where do the answers come from?
      1  a service: I have an API key (Claude, OpenAI, Groq, Gemini, …)
      2  a model on this machine: { $servers }
      3  nowhere: just try it with a rehearsed model, without a key
init-choose = Number:
init-servers-none = no server answers at its usual port
init-no-server = no model server answers here: Ollama at port 11434, LM Studio at 1234, llama.cpp at 8080 and vLLM at 8000 were asked, or the address that you named. Start one, or name its address
init-key = Paste the key (it is not shown):
init-key-empty = the key is empty
init-key-unread = the key cannot be read: { $why }
init-whose-key = Whose key is it?
init-which-model = Which model?
init-kind = “{ $kind }” is not a service with a key; there are { $known }. For any other, add a provider
init-kind-unknown = the key does not tell whose it is; name one of { $known }
init-no-model = { $provider } lists no models; name one
init-no-answer = the model does not answer, so nothing was written: { $why }
init-no-choice = name where the answers come from: --key-file FILE, --local, --url URL or --rehearsed; on a terminal, this command asks
init-unwritten = { $file } cannot be written: { $why }
init-ready = Ready: { $provider } answers with { $model }, and new chats use it ({ $file })
init-ready-rehearsed = Ready: { $provider } recites, and new chats use it ({ $file })
init-next = Chat here: entracte chat. In a browser: entracte serve
provider-unknown = there is no provider { $provider }; there are: { $known }. List them: entracte provider list
provider-nothing-to-change = name at least one thing to change
provider-path = { $key }: “{ $path }” is not a valid path: { $why }
provider-name = the name “{ $name }” may only contain letters, digits, _ and -
provider-exists = the provider { $provider } already exists in { $origin }; change it:
provider-twice = “{ $key }” is given twice; give it once
provider-not-set = “{ $key }” is not set in [providers.{ $provider }] of { $file }
provider-built-in = { $provider } is built in and in no file; add it to one:
provider-elsewhere = { $provider } is not in that file; it is in { $origin }
provider-of-program = { $provider } is given by this program, and is in no file
provider-default-in = default_provider in { $origin }
provider-default-first = the first of the configuration
provider-is-default = { $provider } is the default provider ({ $why }); choose another default first:
provider-unwritten = { $why }; the file was not changed
provider-added = added { $provider } to { $file }
provider-changed = changed { $provider } in { $file }
provider-removed = removed { $provider } from { $file }
provider-key-missing = its key is not set yet: { $why }
provider-try = try it: entracte provider check { $provider }
provider-other-default = default_provider is “{ $provider }” in { $origin }, which may override this file
provider-set-missing = --set { $given }: a value is missing; write --set KEY=VALUE
provider-takes = “{ $key }” must be { $what }, not “{ $given }”
provider-no-key = a provider has no key “{ $key }”
provider-local-key = { $key }: set it on the command line, on the machine of the server
provider-null-key = { $key }: null says nothing; leave it out
provider-key-variable = { $key }: name a variable that ends with { $ending }
provider-key-elsewhere = the key { $place } is not sent to this address: over HTTP an address and a key are named together only where the configuration declares it, [secrets.NAME] with hosts, or an entry of it does so already
provider-trusted-file = { $file } is the file of a folder that is trusted as it is: change it by hand, or start the server without it
provider-written-unread = it is written, and counts from the next start of the server; now the configuration cannot be read: { $why }
provider-no-object = settings: give an object
entry-name = the name “{ $name }” may only contain letters, digits, dots, _ and -
entry-hidden = { $key }: a hidden value only stays where it is; give it a value
entry-secret = { $place }: this looks like a secret, and a configuration never holds secrets; give it as a secret, which is kept in a file of its own
entry-secret-elsewhere = a secret of { $entry } is not sent to another address than the one that it was given for; give the secret again
entry-header-name = a secret is sent in a header whose name has letters, digits, - and _ only, not “{ $header }”
entry-no-secrets = such an entry sends no secrets
entry-calls-open = calls of { $entry } are under way, and a person may be answering them; wait for them, or cancel them first
entry-overridden = another configuration has { $entry } too, and counts before the file of the server; change it there
entry-not-in-force = the file of the server says something else than at the last change or start; it is not in force yet, and no program is started for a check
entry-works-later = { $says }; it counts from the next start of the server on
entry-is-tried = { $entry } is being tried already; wait for the answer
entry-trial-late = it has not answered within { $seconds } s
entry-unwritable = { $file } has { $entry }, or the entries beside it, in a form that is not changed here; write them as tables of their own
entry-does-not-work = { $why }; nothing was written
entry-mcp-answers = it answers, and has { $count ->
    [one] { $count } tool
   *[other] { $count } tools
}
entry-agent-answers = { $provider } answers for it: { $answer }
entry-agent-no-provider = it names no provider, and there is no default one
entry-tool-no-host = its address has no host
entry-embeds = it makes vectors of { $dims } numbers
entry-embeds-nothing = no provider is named for the vectors
provider-secret = { $place }: this looks like a secret, and a configuration never holds secrets; keep it in a variable or a file and name that: --api-key-env VARIABLE or --api-key-file FILE (with edit: --set api_key_env=VARIABLE)
provider-key-none = none needed
provider-note-default = default
provider-note-set = set
provider-note-not-set = not set
config-origin-default = default
provider-origin-built-in = built in
provider-origin-default = { $origin }, the default

# Heads of tables.

head-agent = agent
head-runs = runs
head-sends-out = sends data out
head-decided-by = decided by
head-for = for
head-server = server
head-commands = commands
head-session = session
head-standing = standing
head-phase = phase
head-next = next
head-unread = unread
head-activity = last activity
head-name = name
head-call = call
head-state = state
head-tries = tries
head-took = took
head-decided = decided
head-command = command
head-parameters = parameters
head-answer = answer
head-word = word
head-kind = kind
head-effect = effect
head-approval = approval
head-model = model
head-dialect = dialect
head-key = key
head-fallback = fallback
head-from = from
head-part = part
head-tokens = tokens
head-share = share
head-what = what
head-zone = zone
head-prompt = prompt
head-arguments = arguments
head-tool = tool
head-entries = entries
head-entry = entry
head-type = type
head-always-sent = always sent
head-description = description
head-when = when
head-data = data
head-text = text
head-version = version
head-refreshed = last published
head-proposals = proposals
own-yes = yes
own-no = no
own-done-added = added “{ $name }”: { $id }
own-done-changed = changed { $id }: { $fields }
own-done-removed = removed { $id }
own-done-entries = { $count ->
    [one] added an entry: { $ids }
   *[other] added { $count } entries: { $ids }
}
own-done-entries-removed = { $count ->
    [one] removed one entry
   *[other] removed { $count } entries
}
own-done-discarded = discarded { $id }
own-done-published = published version { $version } of { $key }
own-no-zone = there is no zone { $name }
own-no-tool = there is no tool { $name }
own-ambiguous = several are called { $name }; use one of these ids: { $ids }
own-no-text = there is no shared text “{ $key }”
own-no-zones = there are no zones; add one with: entracte zone add NAME
own-no-tools = there are no tools; add one with: entracte tool add ZONE TYPE NAME
own-no-entries = there are no entries; add one with: entracte entry add TOOL JSON
own-more = these are { $shown } of { $total }; narrow the list with --search, or ask for more with --limit
own-no-texts = there are no shared texts; propose one with: entracte text propose KEY FILE
own-text-version = shared text { $key }, version { $version }
own-text-change = proposal { $id } for the shared text { $key }
own-text-proposal = waiting: { $id } (entracte text show { $key } --proposal { $id }; entracte text publish { $id })
own-text-stale = out of date, made for an older version: { $id } (entracte text discard { $id })
own-text-unreadable = { $file } cannot be read: { $why }
own-text-large = it has more than { $most } bytes

# Words of the machine.

word-standing-template = template
word-standing-open = open
word-standing-active = active
word-standing-queued = queued
word-standing-suspended = suspended
word-standing-parked = parked
word-standing-ended = ended
standing-waits = waits for you
standing-messages-wait = { $count ->
        [one] { $count } message waits
       *[other] { $count } messages wait
    } for the next round
word-session-chat = chat
word-session-seed = seed
word-session-automation = automation
word-session-agent = agent
word-kind-query = query
word-kind-action = action
word-effect-child = child (an agent works on it)
word-effect-read = read
word-effect-local = local
word-effect-idempotent = idempotent
word-effect-probe = probe
word-effect-once = once
word-mark-destructive = destructive
word-mark-egress = egress
word-mark-asks = asked each time
word-mark-four-eyes = four eyes
word-failure-unreachable = unreachable
word-failure-lost = lost
word-failure-throttled = throttled
word-failure-overloaded = overloaded
word-failure-exhausted = exhausted
word-failure-refused = refused
word-failure-context-too-long = context_too_long
word-failure-repairable = repairable
word-failure-misconfigured = misconfigured
word-level-workspace = workspace
word-level-catalog = catalog
word-level-zone = zone
word-level-tool = tool
word-level-session = session
word-level-ai-request = ai_request
word-level-four-eyes = four eyes
word-level-policy = policy
word-level-approvers = approvers
word-policy-allow = allowed
word-policy-ask = asks for a person
word-policy-deny = refused
word-policy-pending = is being asked, or waits for its turn (policy.at_once)
word-policy-no-answer = no answer

# Screens.

session-none-such = no session in { $workspace } matches; list them all: entracte session list
session-none = no sessions in { $workspace }; start one: entracte chat
messages-none-unread = no unread messages
author-model = model
parked-interrupted = it was interrupted or copied, and rests until you resume it
parked-quarantined = it crashed several times at the same point
parked-spending = a cap on its model calls is nearly used up, and it asks whether to go on
placeholder-text = TEXT
deletions-none = no session of { $workspace } was deleted
deletions-line = { $at }  { $session }  deleted by { $who }
deletions-more = and { $count } more open calls
inbox-session = { $session } “{ $name }”
inbox-none = nothing waits for you in { $workspace }
inbox-tools = the MCP server { $server }: nobody has decided about its tools.
inbox-tools-says = { $queries ->
    [0] {""}
    [one] { $queries } query asks before it runs.{" "}
   *[other] { $queries } queries ask before they run.{" "}
}{ $actions ->
    [0] {""}
    [one] { $actions } action runs unasked.
   *[other] { $actions } actions run unasked.
}
inbox-tools-waiting = { $count ->
    [one] { $count } approval of its queries waits:
   *[other] { $count } approvals of its queries wait:
}
inbox-off-target = the target { $name } of { $person } is off:
inbox-off-secret = the secret { $name } of { $person } is off:
doctor-off-target = the target { $name } of { $person } in { $workspace } is off: { $why }
doctor-off-secret = the secret { $name } of { $person } in { $workspace } is off: { $why }
doctor-off-target-fix = entracte notify remove { $name }, then add it again
doctor-off-secret-fix = entracte secret set { $name } < FILE
doctor-check-target = target
doctor-check-secret = secret
doctor-secret-short-fix = use a longer secret
demo-story-language = en
demo-story-note = 72.5 kg
demo-story-zone = Health
demo-story-message = Create a zone “{ $zone }” and note outside that I weigh { $note }.
demo-story-looks = Let me see what is there first.
demo-story-acts = There is no zone “{ $zone }” yet. I will create it and note your weight outside.
demo-story-more = Is there anything else?
demo-story-done = Done. { $more }
walk-place = { $number } of { $count }
walk-keys = j next, k back, q leave
walk-keys-approval = a approve, e edit, r reject, i answer instead, ? more
walk-keys-approval-always = a approve, A always, e edit, r reject, i answer instead, ? more
walk-keys-by-hand = a approve, e edit, r reject, ? more
walk-keys-by-hand-always = a approve, A always, e edit, r reject, ? more
walk-keys-question = a answer, ? more
walk-keys-unsettled = h it happened, n it did not, ? more
walk-keys-parked = a resume, ? more
walk-keys-spending = a go on, e for less, r stop, ? more
walk-keys-triage = z snooze, o assign
walk-keys-none = ? more
walk-keys-ended = s mark as seen, ? more
walk-snoozed = Snoozed.
walk-assigned = Assigned.
walk-approved = Approved.
walk-rejected = Rejected.
walk-answered = Answered.
walk-settled = Settled.
walk-resumed = Resumed.
walk-extended = It goes on.
walk-declined = It stops.
walk-seen = Marked as seen.
inbox-suggests-rule = { $command } was approved { $count ->
    [one] once
   *[other] { $count } times in a row
} and never changed: make it a rule? (A, or --always)
walk-empty = Nothing else is waiting for you.
walk-more = To read more: { $next }
inbox-ended-failed = failed:
inbox-ended-limited = limit reached:
inbox-ended-expired = approval expired:
workspace-zone = { $workspace } is new; its times are on the clocks of { $zone }. To change that: entracte workspace settings set zone=ZONE
logs-of = the end of { $file }
logs-none = nothing has been logged in { $file }. A process without a terminal logs to standard error; under systemd: journalctl --user -u entracte. To write a file too, set log.file = true.
inbox-call-failed = failed after approval:
inbox-call-failed-says = { $command }, which { $person } had approved
inbox-ended-how = the run ended with { $reason }
inbox-ended-calls = the run ended without { $calls }: nobody approved in time
inbox-ungranted = not allowed yet
inbox-ungranted-says = its actions wait for a person: nobody who may approve has allowed them for the message that it has now
inbox-task-contradicted = different outcome
inbox-task-contradicted-says = the service of { $command } reported { $count ->
    [one] an outcome
   *[other] { $count } outcomes
} other than the known one
inbox-task-asks = asks you
inbox-task-asks-says = { $command } asks before it goes on, in the words of its server:
inbox-task-answer = ANSWER
inbox-task-undelivered = not read
inbox-task-undelivered-says = { $command } ended after its session ({ $state }); no model has read it
inbox-snoozed = { $item } is out of your inbox until { $until }
inbox-awake = { $item } is in your inbox again
inbox-assigned = { $item } is assigned to { $person }
inbox-unassigned = { $item } is assigned to nobody
inbox-assigned-by = assigned to { $person } by { $author }
inbox-snoozed-until = snoozed until { $until }
inbox-item-none = nothing in the inbox is named { $item }
inbox-item-many = { $item } may be any of { $items }; name one of them
inbox-seen = { $item } is marked as seen
inbox-seen-none = there is nothing to mark as seen in { $workspace }
inbox-unknown = unknown outcome
inbox-unknown-settle = { $command } may have happened or not; check, then use
turn-unknown = an action of { $session } has an unknown outcome; check it: entracte inbox
turn-interrupted-by = { $author } interrupted the round; to resume it:
turn-stopped-by = { $author } stopped the session; to resume it:
turn-ended-by = { $author } ended { $session }; what happened in it:
turn-replaced = a later chat took the place of { $session } in the queue, and its message waits; to send it to the model:
open-replaced = a later chat took the place of { $session } in the queue; to ask again:
action-works = { $session } works on it, or waits for its slot; this command waits for what becomes of it
slot-waits = { $session } waits for a slot since { $since }, at place { $position }; before it: { $ahead }
slot-waits-next = { $session } waits for a slot since { $since }, and is next
slot-ahead = { $session } “{ $name }” ({ $kind }, { $standing } since { $since })
turn-messages-wait = { $count ->
        [one] { $count } message of { $session } waits
       *[other] { $count } messages of { $session } wait
    } for the next round; to start it: entracte session resume { $session }
# Stands behind the name of a field.
screen-colon = :
screen-question = question
screen-question-other = or your own answer
screen-question-yes-no = yes or no
verify-ok = ok
verify-mismatch = MISMATCH
verify-damaged = DAMAGED
verify-going = GOING
verify-differs = differs from its journal; stored: { $stored }; replayed: { $replayed }
talk-keys = Ctrl-C interrupts the round, Ctrl-D leaves the chat; /help lists more.
talk-window-guess = The context window of { $model } is not known: { $tokens } tokens, a guess. To set it: entracte provider edit { $provider } --set context_tokens=TOKENS
talk-context = Context: { $full }
talk-summarized = — everything above was summarized for the model; nothing is deleted —
talk-banner = { $name } · { $provider }, { $model }
talk-earlier = earlier messages: entracte session messages { $session }
talk-interrupted = interrupted
talk-interrupted-by = interrupted by { $name }
talk-stopped = stopped
talk-stopped-by = stopped by { $name }
talk-commented-by = { $name } on the decision on “{ $call }”: { $comment }
talk-decided-by = already decided by { $name }: { $what } “{ $call }”
talk-answered-by = already answered by { $name }: { $answer }
talk-left-goes-on = { $session } continues in another process; see it: entracte chat --session { $session }
talk-left-waits = { $session } waits; continue it: entracte chat --session { $session }
talk-help =
    /inbox  what waits for you
    /plan   the latest plan of the model
    /model  which model speaks, and how to change it
    /enrich JSON  attach data to the next message: entracte command enrichments
    /attach FILE  attach pictures, PDFs or texts to the next message; without FILE, take them back
    /prompts  the prompts of the MCP servers
    /SERVER:PROMPT NAME=VALUE  fetch a prompt, and send it if you say yes
    /quit   leave the chat
    Begin a line with a space to send it as it is, even if it begins with a slash.
talk-attached = goes with your next message: { $file }; take it back: /attach
talk-attach-none = no file waits for your next message; attach one: /attach FILE
talk-attach-back = taken back: { $files }
file-form = models see { $width } × { $height }
file-form-frame = models see the first frame, { $width } × { $height }
file-words = { $name } ({ $kind }, { $bytes ->
        [one] 1 byte
       *[other] { $bytes } bytes
    })
talk-prompt-of = the prompt “{ $prompt }” of the MCP server { $server }, in the server’s words:
talk-prompt-send = send it as your message? [y/N]{" "}
talk-prompt-unsent = the prompt was not sent
talk-prompt-empty = the prompt is empty; nothing was sent
talk-prompt-arguments = write arguments as NAME=VALUE or NAME="A VALUE"; this is something else: { $written }
talk-prompt-twice = the argument “{ $argument }” is there twice
talk-no-slash = there is no /{ $word }; list what there is: /help
talk-no-plan = the model has not given a plan
talk-model = { $model } of { $provider } ({ $dialect }); change it: entracte session set { $session } --model NAME
progress-seconds = { $count } s
progress-tokens = { $count ->
        [one] 1 token
       *[other] { $count } tokens
    }
progress-queued = waits for its slot
progress-queued-at = waits for its slot, at place { $place }
progress-retry = trying again in { $seconds } s
progress-retry-of = trying again in { $seconds } s ({ $tried } of { $most })
progress-percent = { $percent } %
progress-percent-text = { $percent } %, { $text }
progress-call = running { $command }
progress-compacting = summarizing the conversation
progress-ending = about to end
talk-leave = Ctrl-D leaves the chat
talk-you = you>{" "}
talk-answer = answer>{" "}
talk-why = why (the model reads it)>{" "}
talk-why-none = press Enter again to reject without a reason, or say why>{" "}
talk-snooze = until (later, tomorrow, monday, 3h)>{" "}
talk-assign = to whom (me, nobody)>{" "}
talk-spending-usd = USD more>{" "}
talk-spending-tokens = tokens more>{" "}
talk-instead = instead (the model reads it now)>{" "}
talk-parameters = parameters>{" "}
talk-choices = [a] approve, [r] reject, [e] edit, [i] answer instead
talk-choice-always = [A] always
talk-choice-all = [all] approve all { $count }
talk-written = what you wrote
talk-unreadable = the reply could not be read; asking the model again
outcome-timed-out = timed out
outcome-unknown = its outcome is unknown
outcome-cut-off = was running when Entracte stopped
outcome-lost = outcome lost
outcome-happened = checked: it happened
outcome-did-not-happen = checked: it did not happen
outcome-still-unknown = checked: outcome still unknown
command-parameters = parameters:
command-example = example:
enrich-explained = An enrichment attaches data to a message: Entracte reads the data before it calls the model and sends it with the message. An enrichment never changes data.
enrich-example = How did {"{1}"} go?
enrich-examples = examples:
enrich-schema = schema:
accept-done = accepted { $tool }
accept-none = no tool of the MCP servers waits for you
accept-which = number of a tool to accept, or Enter to leave>{" "}
accept-no-number = “{ $given }” is not a number of the list
accept-changed = changed since it was accepted:
accept-new = new:
accept-unusable = cannot be a command: { $why }
accept-accepted = accepted
accept-gone = no longer offered
prompt-same = { $call }: the digest matches what was sent ({ $digest })
prompt-not-recorded = { $call }: no digest was recorded because this attempt got no reply; the digest of these bytes is { $digest }
prompt-results-gone = { $call }: { $count ->
    [one] one result
   *[other] { $count } results
} of it went by the retention policy of the workspace, and GONE_BY_POLICY stands in their place; the rest is what was sent
prompt-differs = { $call }: these are not the bytes that were sent: their digest is { $digest }, the recorded one is { $recorded }. Another version of Entracte may have sent them, or the entry providers.{ $provider } was changed and this session is too old to have recorded its format
prompt-no-provider = { $call }: the request cannot be rebuilt because its provider is not available: { $why }
prompt-written = written to { $file }
prompt-sent-by = sent by { $session }, the session that this one was copied from
prompt-window = { $share } of the context window of { $window }
prompt-no-window = the context window is unknown: entracte provider edit { $provider } --set context_tokens=NUMBER
prompt-not-counted = “{ $provider }” could not count the request: { $why }
prompt-counts-none = “{ $provider }” cannot count a request without answering it; the estimate was { $estimated } tokens
prompt-counted = { $call }: the provider counts { $counted } tokens; the estimate was { $estimated } ({ $share })
prompt-total = the parts add up to about { $total } tokens, at { $chars } characters per token; this is for comparing them
prompt-size = the whole request counts as { $size } tokens towards the budget: { $counted } counted by the provider, { $estimated } estimated; { $window }

# One session or one call.

sheet-session = session
sheet-name = name
sheet-workspace = workspace
sheet-kind = kind
sheet-standing = standing
sheet-phase = phase
sheet-provider = provider
sheet-open-by = open by
sheet-slot = slot
sheet-messages = messages
sheet-rounds = rounds
sheet-calls = calls
sheet-context = context
sheet-context-heavy = always sent
sheet-context-size = { $size } tokens
sheet-context-full = { $size } of { $budget } tokens ({ $percent } %); the model takes { $window } ({ $told })
sheet-window-setting = set for the provider
sheet-window-listing = as the server says
sheet-window-table = from the table of models
sheet-window-guess = a guess
sheet-tokens = tokens
sheet-created = created
sheet-last-event = last event
sheet-commands = commands
sheet-mode = mode
sheet-plan = plan
sheet-step = step
sheet-progress = progress
sheet-next = next
sheet-ended = ended
sheet-waits-for = waits for
sheet-parked = parked
sheet-unknown = unknown
sheet-task = task
sheet-call = call
sheet-command = command
sheet-state = state
sheet-parameters = parameters
sheet-proposed = proposed
sheet-asks = asks
sheet-policy = policy
sheet-approval = approval
sheet-approved-by = { $person }, { $at }
sheet-decided = decided
sheet-comment = comment
sheet-tries = tries
sheet-asked = asked
sheet-started = started
sheet-finished = finished
sheet-took = took
sheet-code = code
sheet-place = place
sheet-tokens-count = { $input } input, { $read } cache read, { $write } cache write, { $output } output
sheet-rate = { $rate } calls per round
sheet-outcomes-unknown = { $count } of unknown outcome
sheet-succeeded = { $percent } % succeeded
sheet-times = { $mean } ms on average, { $longest } ms at most
sheet-relaunches = relaunches { $count }
sheet-early-stops = early stops { $count }
sheet-closing-calls = closing calls { $count }
sheet-approval-of = approval of { $ids }
sheet-answer-to = an answer: { $question }

# Decisions bound to what was shown.

decide-seen-short = --seen takes at least { $least } characters of a digest, not “{ $given }”
decide-seen-gone = no open approval of { $session } has a card with the digest { $digest }
command-incomplete = a command is missing; choose one of these
decide-seen-nowhere = no open approval in { $workspace } has a card with the digest { $digest }
decide-nothing = nothing waits for approval in { $session }
where-invalid = --where: “{ $given }” is not a valid filter; write NAME=VALUE with one of these names: { $names }
where-twice = --where: { $name } is given twice; an approval has to fit every filter
where-line = { $id } { $session }: { $says } ({ $command })
where-left = not touched: { $count } ({ $why })
where-why-kind = not an approval
where-why-destroys = destroys something
where-why-four-eyes = needs four eyes
where-why-changed = changed since it was asked
where-why-folded = not shown whole on a screen
where-why-outside = leaves the workspace
where-why-irreversible = cannot be undone
where-why-own = needs a decision of its own each time
where-why-marked = has a warning or characters that are not seen
where-nothing = no open approval fits these filters that may be decided together with others; nothing was decided
where-one-command = what fits are calls of several commands ({ $commands }), and nothing was decided; approve one command at a time, with --where command=NAME
where-expected = { $count ->
    [one] 1 approval fits
   *[other] { $count } approvals fit
}, not { $expected }; nothing was decided
where-expect-missing = { $count ->
    [one] 1 approval fits
   *[other] { $count } approvals fit
}, and nothing was decided; with --yes say how many you expect
where-without-terminal = { $count ->
    [one] 1 approval fits
   *[other] { $count } approvals fit
}, and nothing was decided; without a terminal, say --yes and how many you expect
where-seen-missing = { $count ->
    [one] 1 approval fits
   *[other] { $count } approvals fit
}, and nothing was decided; with --yes say with --seen which cards you saw
where-seen-other = what fits is not what was shown with this digest; nothing was decided. Read what is shown now
where-ask-approve = { $count ->
    [one] approve this one?
   *[other] approve these { $count }?
} [y]es, [n]o>{" "}
where-ask-reject = { $count ->
    [one] reject this one?
   *[other] reject these { $count }?
} [y]es, [n]o>{" "}
where-not = nothing was decided
where-undecided = not decided: { $id }: { $why }
where-approved = approved { $done } of { $count }
where-rejected = rejected { $done } of { $count }
walk-hidden = { $count ->
    [one] 1 part of this card is not shown whole. Press ? to read all of it; then it can be approved.
   *[other] { $count } parts of this card are not shown whole. Press ? to read all of it; then it can be approved.
}
talk-hidden = { $count ->
    [one] 1 part of this card is not shown whole. Type ? to read all of it; then it can be approved.
   *[other] { $count } parts of this card are not shown whole. Type ? to read all of it; then it can be approved.
}
talk-choice-whole = [?] show all of it
approve-hidden-ask = approve all that is shown above? [y]es, [n]o>{" "}
approve-hidden = { $count ->
    [one] 1 part of the card was not shown whole before; nothing was approved. Read all of it, and say with --seen which card you read
   *[other] { $count } parts of the cards were not shown whole before; nothing was approved. Read all of them, and say with --seen which cards you read
}
decide-withdrawn = { $id } was withdrawn, because what it asks for has changed; the new approval is { $now }
talk-all = [y]es to all { $count }>{" "}
decide-seen-other = { $id } has a different card from the ones in --seen

## Manual pages
man-name = NAME
man-synopsis = SYNOPSIS
man-description = DESCRIPTION
man-options = OPTIONS
man-subcommands = COMMANDS
man-extra = MORE
man-version = VERSION
session-fork-at = the journal of { $session } has no event { $at }; its events are numbered from { $first } to { $last }, with gaps where other sessions worked or data changed

serve-begins = serving on { $url }; press Ctrl-C to stop
serve-login = this link logs one browser in, once, within { $minutes ->
    [one] { $minutes } minute
   *[other] { $minutes } minutes
}:
serve-status = serving on { $url }
login-qr-here-only = a phone cannot open { $url }, which only this machine reaches; let the server listen on an address of its network (server.bind) with a certificate, or put a proxy in front and set server.public_url
login-qr-no-terminal = a code is shown on a terminal only: whoever reads it is logged in
login-qr-narrow = the code needs a terminal of { $columns } columns
login-qr-of-server = a code is of the server on this machine; the login at another server shows a code of its own
link-in-file = it is in the file { $file }, which only you may read
link-no-file = the file { $file } for the link cannot be written: { $why }
serve-ends = nothing new starts; work in progress has { $seconds } s to finish
serve-cut = work that was still in progress was interrupted; the next process continues from there
serve-owned-elsewhere = another process owns the database: { $holder }; stop it, or use it
serve-waits = the database belongs to { $holder }; it is asked to give way, and what it runs gets a moment to end
serve-lost = another process took the database; it is owned again once it is free
owner-not-reclaimed = this process lost the database and could not own it again within { $seconds } s; the last owner is { $holder }. It ends, so that its supervisor starts it again
owner-not-reclaimed-unknown = this process lost the database and could not own it again within { $seconds } s. It ends, so that its supervisor starts it again
owner-words = { $kind }, process { $pid }
owner-words-host = { $kind }, process { $pid } on { $host }
owner-words-at = { $owner }, at { $url }
login-no-server-runs = no server is using this database
login-owned-elsewhere = the database belongs to { $owner }, which is not a server
serve-no-room = the server cannot listen on { $address }: { $why }
runtime-shares-no-server = runtime.shares_database is on, but the database is not on a Postgres server, so only one process can own it; give database.url, or turn runtime.shares_database off
serve-no-tls = on { $address } tokens would cross the network unprotected; give a certificate, or name the proxy that has one in server.trusted_proxies
serve-no-tls-files = TLS cannot be used: { $why }
serve-bind-invalid = { $setting }: “{ $given }” is not an address with a port, like 127.0.0.1:8723
serve-base-path-invalid = { $setting }: “{ $given }” is not a path like /entracte
serve-public-url-invalid = { $setting }: “{ $given }” is not a web address without a password, like https://entracte.example
serve-proxy-invalid = server.trusted_proxies: “{ $given }” is not an address or a network, like 10.0.0.0/8
token-made = created token { $token } for { $person }; its secret is shown once:
token-none = there are no tokens
token-revoked-now = token { $token } is revoked
secret-kept = secret { $name } of { $person } is kept in { $workspace }
secret-removed = secret { $name } of { $person } is removed from { $workspace }
secret-none = { $person } has no secrets here
secret-from-input = give the secret on standard input, not on the screen
token-revoked = revoked
token-for-ever = for ever
token-everywhere = every workspace
token-head-id = token
token-head-name = name
token-head-person = person
token-head-reach = workspace
token-head-scopes = scopes
token-head-until = until
token-head-used = last used
context-tool-unknown = context.tool names { $tool }, and the configuration has no such HTTP tool; declare it below [[tools.http.tool]], or remove context.tool

help-group-most-used = Most used
help-group-start = Start
help-group-work = Decide and follow
help-group-data = Your data
help-group-tools = Tools of others
help-group-server = Server
help-group-care = Care
turn-resume = The message is kept. Once the provider answers again: { $command }

# Retention: limits, what goes, holds.
retention-chats = ended chats, with their agents
retention-automations = ended runs of automations, with their agents
retention-agents = ended agents of sessions that have not ended
retention-results = results of calls; their rows, costs and digests stay
retention-ledger = ledger rows of ended sessions
retention-documents = documents that nobody reads or finds
retention-deletions = records of deleted sessions
retention-changes = changes outside of sessions, for streams
retention-receipts = receipts of requests under an idempotency key
retention-notifications = sent notifications
head-retention-subject = what
head-retention-kept = kept
head-retention-what = meaning
head-retention-table = table
head-retention-rows = rows
head-retention-bytes = bytes
head-retention-held-what = held
head-retention-since = since
head-retention-author = by
head-retention-reason = reason
retention-table-sessions = sessions
retention-table-entries = log entries
retention-table-calls = ledger rows
retention-table-results = results
retention-table-documents = documents
retention-nothing = Nothing goes.
retention-would-go = { $rows } rows with { $bytes } bytes would go; nothing was changed
retention-went = { $rows } rows with { $bytes } bytes went
retention-lost = the connection to { $server } was lost: { $why }; what was removed before stays removed, as far as the server told { $rows } rows with { $bytes } bytes
retention-reclaimed = the database is { $bytes } bytes smaller
retention-progress = { $bar } { $rows } of { $whole } rows
retention-progress-rows = { $rows } rows
retention-has-holds = { $count ->
    [one] One hold keeps something, whatever the limits say; list it: entracte retention holds
   *[other] { $count } holds keep something, whatever the limits say; list them: entracte retention holds
}
retention-no-holds = Nothing is held.
retention-held = { $what ->
    [workspace] the workspace
   *[other] { $what }
} is held: nothing of it goes
retention-held-partial = { $what } is held: nothing more of it goes, but a part of it is gone already
retention-hold-partial = { $what } (a part of it is gone)
retention-released = { $what ->
    [workspace] the workspace
   *[other] { $what }
} is released
