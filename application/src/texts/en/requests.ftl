# Why a request is refused, and what is told when something changed.

news-data-title = # Data that is always sent, as it was when this conversation (or this part of it) began
news-data-changed = This data has changed; from now on it is:
news-commands-changed = The commands that may be used in this session changed. From now on: { $commands }
news-commands-none = No command may be used in this session from now on.
news-data-gone = { $section } is no longer sent; read it when you need it.
news-data-order = The data that is always sent is the same, in another order.

request-no-session = there is no session { $session }; list them: entracte session list
request-gate-faulty = { $given } names no command; write names as zones.list, or files.* for all of a resource or server, or * for every command
request-gate-empty = no command fits { $given }; list them: entracte command list
request-no-session-named = the request names no session
request-session-gone = the session is gone
request-wrong-way = the session exists
request-session-ended = the session { $session } has ended and takes nothing in; begin a new one: entracte chat
request-queue-full = as many messages wait as may (limits.message_queue)
request-never-run = a seed is never run
request-conflict = another decision of { $session } was taken first
request-not-applicable = there is nothing in { $session } that this could apply to now
request-no-question = the session asks no question now
request-no-option = “{ $given }” is none of the options: { $options }
request-not-yes-or-no = “{ $given }” is neither yes nor no

request-no-call = there is no call { $call }; see what is open: entracte inbox
request-call-not-open = the call { $call } is no longer open: its state is { $state }
request-decided-before = the call { $call } is no longer open: it was decided by { $who } ({ $what ->
        [approved] leave given
        [edited] leave given with other arguments
       *[rejected] refused
    }), and its state is { $state }
request-edit-wrong = the new arguments of { $command } are wrong: { $faults }; look at its parameters: entracte command show { $command }
request-rule-destructive = { $command } cannot be undone, so leave is asked each time; approve this call alone, without --always
request-rule-too-short = a rule must last longer than nothing; write a span like 12h or 30d
request-rules-too-many = the workspace keeps { $most ->
        [one] one rule
       *[other] { $most } rules
    } already (validation.always_max); revoke one: entracte rule list
request-rule-several = { $rule } is the beginning of several rules: { $ids }; write more of it
request-no-rule = there is no rule { $rule }; list them: entracte rule list --all

request-no-setting = there is no setting { $name }; list them: entracte workspace settings list
request-setting-value = “{ $value }” is no value of { $key }: it takes { $takes }

request-message-empty = the message is empty; write something
request-message-long = the message has { $length } characters, at most { $most } are taken (message.max_chars); shorten it or raise the setting
request-waits-for-model = { $session } waits for its model; interrupt it first: entracte session interrupt { $session }
request-no-model = the name of the model is empty; name one: --model NAME
request-session-works = { $session } works; stop it first: entracte session stop { $session }
request-no-sequence = { $session } has the sequences 1 to { $last }, and { $at } was named; see them: entracte session journal { $session }
request-not-imported = nothing was imported: { $why }
request-session-exists = there is a session { $session } already; import it as a new one: entracte session import FILE --as-new
request-session-left-data = what a deleted session { $session } made is still there; import it as a new one: entracte session import FILE --as-new
request-nothing-to-copy = there is nothing to copy

# Why a call of a model is refused before it can begin.

request-command-is-query = { $command } is a query: put it in `queries`
request-command-is-action = { $command } is an action: put it in `actions`
request-command-arguments = the parameters of { $command } are wrong: { $faults }
request-command-forbidden = the command { $command } is not allowed in this session; do without it
outside-happened = a person found out that it happened
outside-absent = a person found out that it did not happen; ask for it again when it is still wanted
request-command-unknown = there is no command { $command }; the commands are { $commands }
request-schema-required = { $command } was not carried out, because the shape of its data was not shown in this session yet. Here it is; ask again in this shape: { $schema }

request-no-automation = there is no automation { $automation }; list them: entracte automation list
request-automation-several = { $automation } may be several automations: { $ids }; write more of the id
automation-no-name = an automation needs a name; give one: --name NAME
automation-never-due = the time of the automation has passed; give one that is to come
automation-trigger = { $why }
automation-event-long = the event has { $length } characters; it may have { $most }
automation-event-no-json = the event is no JSON: { $why }
automation-seed-gone = the seed { $seed } of the automation is gone; give it a message: entracte automation edit
automation-seed-empty = the seed { $seed } of the automation has no message; give it one: entracte automation edit

# Why the database cannot be used now, and what to do.

outage-full = { $says }. There is no room to write: make room on that disk, or raise database.max_bytes; nothing that was committed is lost, and the work goes on by itself then
outage-read-only = { $says }. It may be read and not written: give back the right to write to it and to its folder (chmod u+w), or to its tables; nothing that was committed is lost, and the work goes on by itself then
outage-locked = { $says }. Another program holds its lock: end that program, or let Entracte wait longer (database.busy_timeout); nothing that was committed is lost, and the work goes on by itself then
outage-disk = { $says }. The disk has no room, or it fails: look with entracte doctor, make room or mend it; nothing that was committed is lost, and the work goes on by itself then
store-unavailable = the database cannot be used: { $outage }
post-unavailable = the request could not be taken in: { $why }
