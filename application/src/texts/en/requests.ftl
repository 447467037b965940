# Why a request is refused, and what is told when something changed.

news-data-title = # Data that is always sent, as it was when this conversation (or this part of it) began
news-data-changed = This data has changed. It is now:
news-commands-changed = The commands available in this session have changed. They are now: { $commands }
news-mode-plan = A person set this session to plan first: until a plan is approved, only queries are carried out.
news-mode-free = A person set this session free: actions need no plan any more. They still need the approvals that they need.
news-commands-none = No commands are available in this session from now on.
news-data-gone = { $section } is no longer sent; read it when you need it.
news-data-order = The data that is always sent is unchanged, but its order is new.

request-no-session = there is no session { $session }
request-restriction-faulty = { $given } is not a command name; write names as zones.list, or files.* for all commands of a resource or server, or * for every command
request-restriction-empty = no command matches { $given }
request-key-reused = the idempotency key { $key } was used for another request; send another key with another request
request-session-gone = the session no longer exists
request-session-ended = the session { $session } has ended and accepts no more requests; start a new one
request-queue-full = the message queue is full (limits.message_queue); wait until the waiting messages are answered
request-never-run = a seed cannot be run
request-conflict = someone else decided first in { $session }
request-four-eyes-asked = this needs four eyes: somebody who wrote nothing in this exchange must approve it, and you wrote in it; ask somebody else, or reject it
request-four-eyes-wrote = this needs four eyes: if you change it, nobody else has seen what runs; reject it with your reason, and approve only what is shown
request-four-eyes-unknown = this needs four eyes, and it is not known who asked for it; reject it, and ask again
request-approval-counted = { $person } has approved this already, and one person may be behind both of you: one of you made a token of the other, or the same person made both; ask somebody else
request-always-early = several people must approve this, and others have not yet; approve it this once, and only the last of them can make a rule of it
request-approver-unlisted = only the people whom the card names may approve this, and you are none of them; ask one of them, or reject it
request-needs-approve = this would let actions through without asking, or ask less often than what stands above it, so only somebody with the scope approve may set it; leave it away, or ask somebody who may approve
request-configuration-refuses = the configuration refuses what nobody can approve (validation.unattended is refuse), and nothing allows it again; leave it away, or set it to refuse
request-no-chat = only a chat can be opened, and { $session } is not one; a run takes its slot by itself
request-already-idle = { $session } is already idle
request-not-waiting = this message is no longer waiting in { $session }: the model has read it, or it was withdrawn
request-nothing-to-see = { $session } has nothing to mark as seen: it is still going on, or it ended normally
request-not-applicable = { $session } cannot do this in its current state
request-no-question = the session is not asking a question now
request-question-changed = the session asks another question now; read it and answer again
request-no-option = “{ $given }” is not one of the options: { $options }
request-empty-answer = An answer must say something
request-not-yes-or-no = “{ $given }” is not a valid answer; answer yes or no

request-no-model-call = there is no model call { $call }
request-usage-known = the usage of { $call } is known already
request-no-spending-question = the session { $session } does not ask whether it may use more of a cap
request-spending-extra = the next call needs at least { $least } more, and the cap leaves at most { $most }
request-no-call = there is no call { $call }
request-no-task = there is no task { $task }
request-card-changed = what was shown for { $command } is not what is asked now: look at the card of { $approval } and decide again
request-call-not-open = the call { $call } is no longer open: its state is { $state }
request-decided-before = the call { $call } is no longer open: it was decided by { $who } ({ $what ->
        [approved] approved
        [edited] approved with other arguments
       *[rejected] rejected
    }), and its state is { $state }{ $comment ->
        [stored] ; your reason is stored with that decision, as a comment
       *[none] { "" }
    }
request-edit-wrong = the new arguments of { $command } are not valid: { $faults }
request-rule-plan = a person decides on each plan, so no rule approves { $command }; approve only this plan
request-rule-destructive = { $command } cannot be undone, so each call needs its own approval; approve only this call
request-rule-asks = { $command } needs an approval each time, so no rule can approve it in advance; approve only this call
request-name-empty = a session needs a name; write one
request-name-long = the name has { $length } characters, and at most { $most } are allowed; shorten it
request-rule-too-short = a standing approval cannot expire at once; write a duration like 12h or 30d
request-rule-agents = a standing approval counts for agents only in the whole workspace or an automation; one for a session never does, one for an agent always does, and a denial counts for agents anyway
request-rule-limits = the limits of a standing approval do not fit together: each number of calls is 1 to { $most }, each sum is greater than 0, and exactly a sum needs the argument that is summed; a denial has no limits
request-rule-values = the condition on { $argument } must list 1 to { $most } values
request-rule-range = the range of { $argument } contains no number; give its least or its most in plain digits, the least first
request-rule-text = the text or pattern for { $argument } is empty; to allow everything, say that it can be anything
request-rule-host = the condition on { $argument } would match addresses of other hosts, too; write the whole host and the slash behind it
request-rule-twice = { $argument } has two conditions; write one
request-rule-denial = a denial cannot have this condition on { $argument }, because a value written in another way would pass it; list the values, or deny all of them
request-rule-agent = there is no agent { $agent } in the catalog
request-rule-width = these conditions do not cover the call on the card; cover at least this call
request-rules-too-many = the workspace already has { $most ->
        [one] one standing approval
       *[other] { $most } standing approvals
    } (validation.always_max); revoke one
request-rule-several = { $rule } matches several standing approvals: { $ids }; write more of the id
request-no-rule = there is no standing approval { $rule }

request-no-setting = there is no setting { $name }
request-setting-value = “{ $value }” is not a valid value for { $key }; it takes { $takes }
request-setting-quorum = { $quorum ->
    [one] one person must approve
   *[other] { $quorum } different people must approve
}, but { $people ->
    [0] { $named } is nobody
   *[other] only { $people } may: { $named }
}; name more people, give the roles members (roles), or lower quorum
request-setting-near = “{ $value }” is not a valid value for { $key }; it takes { $takes }; did you mean { $guess }?

file-empty = { $name } is empty; attach a file that has content
file-large = { $name } has { $bytes } bytes, but at most { $most } are allowed (files.max_bytes); make it smaller or raise the setting
file-larger = { $name } has more than { $most } bytes, which is the most that is allowed (files.max_bytes); make it smaller or raise the setting
file-pixels = { $name } is { $width } × { $height } pixels, but at most { $most } million are allowed (files.megapixels); scale it down or raise the setting
file-pages = { $name } has { $pages } pages, but at most { $most } are allowed (files.pages); split it or raise the setting
file-damaged = { $name } begins like { $kind } and is damaged; save it again
file-heic = { $name } is a HEIC or AVIF image, which no model reads; save it as JPEG or PNG
file-reader = no form of { $name } for models can be made: { $why }
file-kind = { $name } is of no kind that is accepted: PNG, JPEG, GIF, WebP, PDF or text in UTF-8
file-many = the message has { $count } files, but at most { $most } are allowed (files.per_message); leave some out or raise the setting
file-result-many = only { $most } of the { $count } files of this result are shown (files.per_message)
file-result-unstored = files of this result could not be stored now, and are not shown
file-request = with { $name } the images and PDFs have { $bytes } bytes together, but a request to a model may have at most { $most } (files.request_bytes); send them in several messages or raise the setting
file-session = with { $name } the files of this session have { $bytes } bytes, but at most { $most } are allowed (files.session_bytes); begin another session or raise the setting
file-unnamed = with { $name } the files that no message names yet have { $bytes } bytes, but at most { $most } are allowed (files.unnamed_bytes); send the messages of the others, or wait until they are deleted (files.keep_unnamed)
file-text-long = with the text of { $name } the message has { $length } characters, but at most { $most } are allowed (message.max_chars); shorten it or raise the setting
file-nameless = a file without a name
file-unread-images = the model in use reads no images: for each it gets a line with name, type and size
file-unread-pdf = the model in use reads no PDF: for each it gets a line with name, type and size
file-unread-both = the model in use reads neither images nor PDF: for each it gets a line with name, type and size
file-none = this workspace has no file { $digest }; store it first
file-import-bytes = its files have { $bytes } bytes together, but at most { $most } are allowed (files.session_bytes); raise the setting, or export the session without its agents or without files
file-import-other = { $name } is not the { $kind } that the session names, or still has data that are removed from files before they are stored
file-import-unnamed = no entry names the file { $digest }
request-import-files = its files are not stored yet

request-message-empty = the message is empty; write something
request-message-long = the message has { $length } characters, but at most { $most } are allowed (message.max_chars); shorten it or raise the setting
request-message-large = the message has about { $tokens } tokens, and at most { $most } are allowed, half of the budget of this session (limits.context_tokens, in a context window of { $window }); shorten it, or keep it as a document that the model searches and reads
request-waits-for-model = { $session } is waiting for its model; interrupt it first
request-no-compaction = { $session } cannot be summarized now: only a chat at rest that has had an answer can be; let it finish, or interrupt it
request-no-model = the name of the model is empty; give one
request-no-provider = { $why }
request-session-works = { $session } is working; stop it first
request-seed-lives = { $session } holds the message that the automation “{ $name }” ({ $automation }) runs with; delete the automation instead
request-seed-message = { $session } is the template of an automation and takes no messages; change what its runs begin with
request-of-calls = calls run in { $session } one by one, as they are asked for; it takes no messages, and keeps its model, mode and commands; begin a chat instead
request-call-under-way = another call is under way in { $session }; try again
request-not-of-calls = { $session } is not a session of calls
request-only-calls = { $provider } only repeats calls, so no chat and no automation can use it; choose another provider
request-no-sequence = { $session } has the sequences 1 to { $last }, not { $at }
request-not-imported = nothing was imported: { $why }
request-session-exists = the session { $session } already exists; import it as a new one
request-session-left-data = data of a deleted session { $session } still exists; import it as a new one
request-nothing-to-copy = there is nothing to copy

# Why a call of a model is refused before it can begin.

request-command-is-query = { $command } is a query: put it in `queries`
request-command-is-action = { $command } is an action: put it in `actions`
request-command-became-query = { $command } only reads since you asked for it, so it was not run; ask for it again if you still need it
request-command-became-action = { $command } changes something since you asked for it, so it was not run; ask for it again if you still need it
request-command-arguments = the parameters of { $command } are not valid: { $faults }
request-command-forbidden = the command { $command } is not allowed in this session; do without it
outside-happened = a person confirmed that it happened
outside-absent = a person confirmed that it did not happen; ask for it again if it is still needed
request-command-unknown = there is no command { $command }; the commands are { $commands }
request-schema-required = { $command } was not run, because the schema of its data had not been shown in this session yet. Here it is; ask again in this form: { $schema }

request-instructions-empty = the text is empty; to remove instructions, clear them
request-instructions-long = the instructions have { $bytes } bytes, and at most { $most } are allowed (instructions.max_bytes); shorten them, or put what is long into a tool
request-instructions-control = line { $line } of the instructions holds the control character { $found }; remove it
request-instructions-changed = the instructions were changed in the meantime: you read version { $expected }, and version { $version } stands now; read them again
request-instructions-seed = { $session } is the template of an automation, and no model reads it; give the automation instructions
instructions-no-version = there is no version { $version } of these instructions, or it is no longer kept
request-held = { $what ->
    [workspace] the workspace
   *[other] { $what }
} is held by { $author }: { $reason }
request-already-held = { $what ->
    [workspace] the workspace
   *[other] { $what }
} is already held by { $author }: { $reason }
request-no-hold = nothing holds { $what ->
    [workspace] the workspace
   *[other] { $what }
}
request-hold-reason = a hold needs a reason of at most { $most ->
    [one] { $most } character
   *[other] { $most } characters
}
request-holds-too-many = the workspace already has { $most ->
    [one] { $most } hold
   *[other] { $most } holds
}, the most that it may have
request-snoozes-too-many = you already snooze as many items as one person may, { $most }; wake some, or decide on them (inbox.snoozes)
request-item-gone = no item { $item } waits in the inbox any more
request-item-not-snoozed = you do not snooze an item { $item }
request-items-number = between 1 and { $most } items may be named, and there are { $given } (inbox.items_at_once)
request-snooze-end = { $given } is not a valid end of a snooze: give later, tomorrow, monday, a duration such as 3h, a date or an instant
request-snooze-past = { $given } is over already
request-snooze-long = an item may be snoozed for at most { $most } (inbox.snooze_max)
request-snooze-due = { $item } expires at { $expires }, so it is not snoozed any more: decide on it, or let it expire
request-no-assignee = nobody here is named { $person }
request-retention-limits = nothing was removed: the retention limits changed meanwhile, or the process that owns the database reads a configuration with other ones; run it where that configuration is read
verify-session-goes = { $session } is going by the retention policy: the first part of its log is gone already
retention-result-gone = This result is gone: the retention policy of the workspace removed it after the call had ended. Do not repeat an action because of this; a query may be asked again.
request-no-automation = there is no automation { $automation }
request-automation-several = { $automation } matches several automations: { $ids }; write more of the id
automation-no-name = an automation needs a name; give one
automation-name-taken = { $automation } is already called “{ $name }”; choose another name
automation-never-due = the automation's time has already passed; give a time in the future
automation-trigger = { $why }
automation-event-long = the event has { $length } characters, but at most { $most } are allowed; shorten it
automation-event-no-json = the event is not valid JSON: { $why }
automation-seed-gone = the automation's seed { $seed } no longer exists; give the automation a message
automation-seed-empty = the automation's seed { $seed } has no message; give the automation one

# Why the database cannot be used now, and what to do.

outage-full = { $says }. There is no space to write: free space on that disk, or raise database.max_bytes; nothing that was committed is lost, and work then continues by itself
outage-read-only = { $says }. The database can be read but not written: make its file and folder writable (chmod u+w), or its tables; nothing that was committed is lost, and work then continues by itself
outage-locked = { $says }. Another program holds its lock: close that program, or let Entracte wait longer (database.busy_timeout); nothing that was committed is lost, and work then continues by itself
outage-disk = { $says }. The disk is full or failing: check it, then free space or repair it; nothing that was committed is lost, and work then continues by itself
outage-damaged = { $says }. The database is damaged: keep what is left of it elsewhere, and restore a backup
outage-not-a-database = { $says }. This file is not a database, or it is encrypted or damaged: give the path of the database, or restore a backup
outage-no-database = { $says }. Create the database on its server, or give the name of one that exists
outage-unreachable = { $says }. The server cannot be reached: check that it is running, its address, its port and the network; nothing that was committed is lost
outage-password = { $says }. Give the whole URL with its password in a variable or a file: database.url_env, database.url_file
outage-no-tls = { $says }. This build has no TLS: build it with the feature postgres-tls
outage-pooler = { $says }. A pooler in transaction or statement mode, such as PgBouncer, or a server with one connection, such as PGlite, is between Entracte and its database: ownership and locks need connections of their own. Set pool_mode = session for this database, or give the address of the Postgres server itself
outage-grants = { $says }. The role in the URL of the database lacks a right: as the owner of the tables, GRANT USAGE ON SCHEMA, GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES and GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES to it; to upgrade the database it must own the tables. Nothing that was committed is lost, and work then continues by itself
outage-standby = { $says }. This server is a read-only replica (a standby): session list, session show, session verify, inbox, cost report, db check, db backup and doctor work on it. For everything else give the address of the primary, or several hosts with target_session_attrs=read-write
outage-unreplicated = { $says }. database.require_sync is on, so this database is owned only while each COMMIT waits for a replica: set synchronous_standby_names on the server and let a replica connect, or turn database.require_sync off and read “Failover” in docs/OPERATE.md
outage-replaced = { $says }. Somebody removed, moved or replaced the database while it was in use: nothing more is written, so that nothing is lost. Put the file back, or restart this process to work with the one that is there now
outage-other = { $says }
store-unavailable = the database cannot be used: { $outage }
store-damaged = the database is damaged: { $why }
post-unavailable = the request could not be recorded: { $why }
post-uncertain = it is not known whether the request was recorded: { $why }; check before you try again
post-not-taken = the process that owns the database did not answer within { $seconds } s; nothing was done, try again
post-not-owner = another process owns the database now; nothing was done, try again

request-rule-command = there is no command { $command } that a rule could be about
request-rule-argument = { $command } has no argument { $argument }; its arguments are: { $arguments }
request-rule-left-out = this rule would never match, because every call of { $command } has these arguments: { $arguments }; give each of them in the rule, with the value that it must have or with any value
request-rule-value = this rule would never match, because { $command } refuses these arguments: { $faults }
request-rule-query = { $command } only reads and never needs an approval, so there is nothing to approve in advance
request-batch-garbled = nothing was done: the arguments of { $name } in the same reply are no JSON object, so no action of this reply ran; ask for the actions again
request-agent-of-others = this agent works for other people, so it cannot be told this; call it again with a new mission
request-command-denied = { $command } is denied by the rule { $rule }. Do not ask for it again in this way.
request-command-denied-why = { $command } is denied by the rule { $rule }: “{ $reason }”. Do not ask for it again in this way.

# A query that a person runs by hand.

by-hand-unknown = there is no command { $command }
by-hand-arguments = the parameters of { $command } are not valid: { $faults }
by-hand-denied = { $command } is denied by the rule { $rule }, also by hand; revoke the rule first, if you may
by-hand-action = { $command } is an action or needs an approval; it runs in a session, with its approval
by-hand-code = { $code }: { $message }
by-hand-failed = { $command }: { $code }: { $message }
by-hand-late = { $command } did not answer within { $seconds } s and was cancelled; try again
by-hand-lost = { $command } did not answer; try again
command-gone = the command { $command } no longer exists
command-gone-card = { $command } (this command no longer exists)
reply-no-agent = EXIT_WITH_RESULT and ASK_PRINCIPAL_AGENT are for agents; this session is none. Answer the user instead.
reply-result = EXIT_WITH_RESULT: `result` does not fit its schema: { $fault }

# Why a reply could not be read: what is wrong, where, and what was expected. The model reads it.

reply-empty = the reply is empty, expected one JSON object that begins with {"{"}"pre_text": …{"}"}
reply-no-object = the reply contains no JSON object, expected one JSON object that begins with {"{"}"pre_text": …{"}"}
reply-unclosed = the JSON object that begins on line { $line } of the reply is not closed: the reply was cut, or a quote inside a string is not escaped as \"
reply-several-objects = the reply contains { $count } JSON objects, expected one that contains everything
reply-enclosed = the JSON object is inside other brackets; the reply must be the object itself
reply-invalid-json = the object is not valid JSON: { $fault }
reply-unknown-field = unknown field `{ $path }`; the allowed fields are: { $allowed }
reply-missing = `{ $path }` is missing: it must be { $expected }
reply-wrong-type = `{ $path }` must be { $expected }, found { $found }
reply-wrong-addressee = `{ $path }` must be "agent" or "user", found { $found }
reply-question-type = `question.type` must be "MultipleChoice" or "Validation", found { $found }
reply-question-empty = `question` asks nothing; write what the user is asked
reply-option-empty = option { $number } of `question` is empty; write what the user would choose
reply-options-equal = options { $first } and { $second } of `question` are the same; each must differ
reply-both-lists = `queries` and `actions` are in the same reply; ask for the queries first, and act in a later reply
reply-question-beside-commands = `question` is in the same reply as commands; ask the question alone, and act after the answer
reply-more-faults = { $count } more errors were left out
reply-expected-text = a string
reply-expected-texts = a list of strings
reply-expected-options = a list of two strings or more
reply-expected-flag = true or false
reply-expected-command = an object {"{"}"type": …, "params": {"{"}…{"}"}{"}"}
reply-expected-commands = a list of commands
reply-value-object = an object
reply-value-list = a list of { $count }
reply-value-text = the string "{ $value }"
reply-value-number = the number { $value }
reply-value-nothing = nothing

# Why a call of a model or of a command brought no answer.

provider-first-byte = The provider “{ $provider }” sent nothing for { $seconds } s, the limit that { $setting } sets. The call was ended; it may have been billed.
provider-idle = The provider “{ $provider }” stopped sending in the middle of its answer for { $seconds } s, the limit that { $setting } sets. The call was ended; it may have been billed.
provider-too-slow = The provider “{ $provider }” did not finish its answer within { $seconds } s, the limit that { $setting } sets. The call was ended; it may have been billed.
spending-unknown-price = The price of the model “{ $model }” is unknown, so a call of it could exceed any cap. Set the prices of the model in the entry of its provider, or budget.unknown_price to tokens; then continue the session.
provider-rate-limited = The provider “{ $provider }” is rate-limited, { $seconds } s left.
provider-panicked = The provider's adapter failed because of an error inside Entracte.
policy-not-configured = no policy hook is configured any more
policy-panicked = the policy hook failed because of an error inside Entracte
policy-timed-out = it took longer than { $limit } (policy.timeout)
policy-reason-long = its reason or its version is longer than { $most } characters (policy.reason_max_chars)
policy-approvers = it names more than { $people } approvers, or one with hidden characters or more than { $most } characters (policy.reason_max_chars)
provider-unregistered = there is no provider “{ $provider }”; the providers are: { $known }
provider-stopped = Entracte stopped during the model call.
summary-unusable = The model did not write a usable summary.
summary-unfinished = A piece of the conversation was summarized; the next one follows.
summary-stopped = Entracte stopped while it was summarizing the conversation.
call-not-sent = Its time was over before it could be sent. It was not done.
call-panicked = the command failed because of an error inside Entracte; nothing was changed

# Why a request could not be handled at all.

turn-damaged = the database is damaged: { $why }
turn-conflict = { $why }; another process writes to this database
turn-endless = the turn asked { $count } times for what it has to know and came to no end; please report this
turn-session-gone = the session { $session } no longer exists
turn-no-prefix = { $session } has no prefix
turn-prefix-missing = blobs, prefix { $prefix }: it is missing
turn-prefix-unreadable = blobs, prefix { $prefix }: { $why }
turn-rules-missing = blobs: the rules { $rules } of an entry are missing
turn-copied-rules-missing = blobs: the rules { $rules } of { $session } are missing
turn-workspace-unreadable = workspaces.body of { $workspace }: { $why }
turn-worker-gone = the workspace's task has ended

# What is always sent has more than its share of the budget.

overweight = what is always sent has about { $tokens } tokens, and at most { $most } fit, of the budget of { $budget } in a context window of { $window }. Its largest part is { $part } with { $part_tokens } tokens
overweight-refused = for the model { $model } { $says }. { $fix }
overweight-servers = { $fix }. The tokens of MCP servers: { $servers }. To leave tools out, in the configuration: [mcp.{ $largest }] deny = ["NAME_*"]
overweight-part-level1 = the chunk “{ $name }” of level 1
overweight-part-instructions = the instructions of the { $name }
overweight-part-data = the data that is always sent
overweight-part-tools = the description of the commands
overweight-part-schema = the shape of a reply
overweight-fix-level1 = Allow fewer commands, leave chunks out (prompt_importance, prompt_chunks), raise limits.context_tokens, or choose a model with a larger window
overweight-fix-instructions = Shorten these instructions, or keep what is long as a document that models search; or raise limits.context_tokens, or choose a model with a larger window
overweight-fix-data = Always send the data of fewer tools (always_send), or switch off prompt_app_state; or raise limits.context_tokens, or choose a model with a larger window
overweight-fix-tools = Allow fewer commands, or switch off MCP servers that are not needed; or raise limits.context_tokens, or choose a model with a larger window
overweight-fix-schema = Allow fewer commands, or switch off MCP servers that are not needed; or raise limits.context_tokens, or choose a model with a larger window

# What a person named, and what it matched.
request-unanswered = no process handled the request; try again
request-session-id = “{ $given }” is not a valid session id
request-several-sessions = { $given } matches several sessions: { $ids }; write more of the id
request-call-id = “{ $given }” is not a valid call id
request-several-calls = { $given } matches several calls: { $ids }; write more of the id
request-several-tasks = { $given } matches several tasks: { $ids }; write more of the id
task-is-over = { $task } has ended; there is nothing to cancel
task-question-changed = the task { $task } asks something else by now; read its question again
task-asks-nothing = { $task } is not asking anything now
task-unseen-none = { $task } has nothing to mark as seen
request-no-call-given = no call of { $session } was given; give one
request-answer-mixed = words in place of a decision are sent alone; decide on the other calls in a request of their own
request-changed = it was changed since you read it; read it again
request-card-other = another card waits now: { $approval }; look at it and decide again
request-cards-other = nothing was decided: other cards wait now: { $approvals }; look at them and decide again
request-decided-by = { $person } has decided it before
request-decided-other = another card was decided on
request-words-scope = words in place of a decision are a message, which needs the scope chat; use a token that has it
request-no-approval = there is no approval { $approval }; see what waits: …/approvals
request-approval-ended = { $approval } waits for nobody any more; see its call: …/calls/{ $call }
request-no-command = there is no command { $command }
request-no-workspace = there is no workspace { $workspace }
request-scope-missing = this needs the scope { $scope }; the token has { $scopes }; make another one
request-call-twice = the call { $call } is named twice, and nothing was decided; decide on each call once
request-edit-several = new arguments are for one call, but { $count } calls were given; give one
request-nothing-open = nothing waits for approval in { $session }
model-call-summary = { $call } made a summary, and no request was kept with it
model-call-none = there is no model call { $given }; a session’s journal lists its own
model-call-several = { $given } matches several model calls: { $shown }{ $more ->
        [0] {""}
       *[other] {" "}and { $more } more
    }; write a whole id, like { $last }
model-call-id = “{ $given }” is not a valid id of a model call, like mc_01k2_3_1 (session, round, attempt); a session’s journal lists its own

# People, their secrets and tokens.
request-no-person = there is no person { $person } here
person-name = “{ $given }” cannot be the name of a person; give 1 to { $most } characters without spaces around them
secret-full = { $person } has { $most } secrets here, which is the most; remove one
request-no-secret = { $person } has no secret { $name } here
secret-name = “{ $given }” is not a valid name of a secret; use 1 to { $most } of a-z, A-Z, 0-9, -, _ and .
secret-value = the secret must be one line of 1 to { $most } bytes; it is not repeated here
secret-short = the secret “{ $name }” has fewer than { $least } characters: it could not be removed from texts; keep a longer one
request-no-token = there is no token { $token }
token-name = “{ $given }” cannot be the name of a token; give 1 to { $most } characters without spaces around them
token-no-scope = a token without scopes allows nothing; give read, chat, approve, secret or admin
token-needs-consent = a token of { $person } needs their consent; invite them, or ask an operator of the server
person-name-brackets = “{ $given }” cannot be the name of somebody new: names with brackets say which of several people it is, or who made their token; leave the brackets out
token-past = a token that expires in the past allows nothing; give a later instant
token-relay = a token of a relay reads one session of one workspace, for minutes
token-embedded-scopes = a token for a page of another site has the scopes read and chat at most
token-embedded-reach = a token for a page of another site is a program’s, of one workspace
token-origins = give 1 to { $most } origins whose pages may send the token
token-origin = “{ $given }” is not a valid origin; write it as https://shop.example, without a path

# Calls from outside.
outside-full = { $most } calls already wait for approval; decide some first
outside-gone = what was asked for in { $session } is gone with its session
outside-stopped = the call was stopped before it began
outside-unfinished = it is not finished ({ $state })
by-hand-elsewhere = { $command } is not an action on the workspace’s own data; it runs in a session
workspace-exists = the workspace { $workspace } already exists

approval-unattainable = { $quorum } { $quorum ->
    [one] person must approve
   *[other] people must approve
}, and { $most ->
    [0] nobody of { $named } can
   *[other] only { $most } of { $named } can
} now: the role has too few members, people are away, or they asked for this themselves; change who must approve, or reject it
approval-asked-again = { $author } approved this before; that approval was not used and counts no more
approval-asked-again-edited = { $author } approved this before with other arguments, { $arguments }; that approval was not used and counts no more, and what is asked now has the arguments of the model

# Why a trigger is never due.
schedule-expression = “{ $expression }” is not a valid cron expression: { $why }
cron-fields =
    { $count ->
        [0] it is empty; write five fields
        [one] it has one field, and five are needed
       *[other] it has { $count } fields, and five are needed
    }: minute, hour, day of the month, month and weekday, as in 0 9 * * MON, Mondays at 09:00
cron-second = the second “{ $value }” is not valid; use 0 to 59, as in 0 or */10
cron-minute = the minute “{ $value }” is not valid; use 0 to 59, as in 0,30 or */15
cron-hour = the hour “{ $value }” is not valid; use 0 to 23, as in 9, 8-18 or */2
cron-day = the day of the month “{ $value }” is not valid; use 1 to 31, as in 1,15, or L for the last day
cron-month = the month “{ $value }” is not valid; use 1 to 12 or JAN to DEC, as in 1,7
cron-weekday = the weekday “{ $value }” is not valid; use MON to SUN or 0 to 7 (0 and 7 are Sunday), as in MON-FRI or MON#1, the first Monday of the month
cron-year = the year “{ $value }” is not valid; use years such as 2027 or 2027-2030
cron-together = its fields cannot be read together; write one such as 0 9 * * MON, Mondays at 09:00
cron-nickname = “{ $value }” names no time; use @hourly, @daily, @weekly, @monthly, @yearly or five fields
cron-days-either = The days that match the day of the month, and also all that match the weekday.
cron-days-both = Only the days that match both the day of the month and the weekday.
cron-two-readings = “{ $field }” beside another day field means more days here than in a crontab of Debian: here, the days that match either field; there, only those that match both, which is written { $crontab } here
cron-step-long = the step of “{ $step }” is longer than its field, so that only { $field ->
        [second] second
        [minute] minute
        [hour] hour
        [day] day
        [month] month
       *[weekday] weekday
    } { $only } is left; for a longer pause use an interval instead of a cron expression
schedule-zone = “{ $zone }” is not a valid IANA time zone; write one like Europe/Paris
schedule-zone-near = “{ $zone }” is not a valid IANA time zone; did you mean { $guess }?
schedule-interval = an interval of { $milliseconds } ms is too short; use 1 s or more
schedule-never = “{ $expression }” never occurs after { $after }; write another one

# Why something beside the database cannot be used.
secrets-unusable = the secrets of people in { $path } cannot be used: { $why }; check the permissions of the folder
secrets-damaged = the file { $path } is damaged, and nothing in it is used; remove it, and set its secrets again
dry-busy = { $count } dry runs are in progress, the most at once; wait for one of them to finish
