# Notifications: what they say, and the targets they go to.

notify-approve = Approve
notify-reject = Reject
notify-acts-as = With the rights of { $person }
notify-chat = a chat
notify-approval = “{ $name }” needs your approval: { $command }
notify-waits = “{ $name }” still needs your approval: { $command }
notify-question = “{ $name }” asks you a question
notify-assigned = { $author } assigned this to you: { $says }
notify-unknown = in “{ $name }”, it is not known whether { $command } happened; find out and settle it
notify-failure = “{ $name }”: { $command } failed, which { $person } had approved
notify-run = the run “{ $name }” stopped: { $why }
notify-task = a long task of “{ $name }” ended: { $why }
notify-missed = “{ $name }” did not run at { $at }: { $why }
notify-rule = the standing approval of { $command } ends at { $at }
notify-test = this is a test of the target “{ $name }”
notify-digest = { $count ->
    [one] { $count } thing to look at
   *[other] { $count } things to look at
}
notify-digest-more = { $count ->
    [one] and { $count } more
   *[other] and { $count } more
}
notify-why-failed = it failed
notify-why-limited = it reached a limit
notify-why-expired = an approval expired
notify-why-exhausted = the credit of its provider is used up
notify-why-interrupted = it was interrupted
notify-why-quarantined = it crashed again and again
notify-why-spending = a cap on its model calls is nearly used up
notify-why-too-late = it was too late
notify-why-superseded = only the latest missed run was to be caught up on
notify-why-overlap = the run before it had not ended
notify-why-behind = the run before it, { $run }, had not ended
notify-why-behind-approval = the run before it, { $run }, waits for an approval
notify-why-behind-question = the run before it, { $run }, waits for an answer
notify-why-behind-person = the run before it, { $run }, waits until somebody looks at it
notify-why-contradicted = its service reported a different outcome than before
notify-why-undelivered = its session had ended, and no model has read it
notify-why-unusable = its seed is gone

notify-fault-name = “{ $given }” cannot be the name of a target; give 1 to 60 characters without spaces around them, not beginning with tgt_
notify-fault-full = the full content goes to a private target only; make it private if nobody else reads it
notify-fault-push = a browser is told as its person only: keep it private, and without links that decide
notify-fault-gather = { $given } is too long to gather notifications; give 24h at most
notify-fault-long = “{ $given }…” is too long
notify-fault-program = “{ $given }” is not the whole path of a program, like /usr/local/bin/tell-me
notify-fault-kind = there is no kind of notification “{ $given }”; the kinds: { $known }
notify-fault-language = “{ $given }” is not a language of messages; give en or fr
notify-fault-quiet = “{ $given }” is not a time range, like 22:00-07:00
notify-fault-secret = “{ $given }” is not the place of a secret; write env:NAME or file:/PATH
notify-fault-taken = there is another target “{ $given }”; give another name, or remove that one
notify-fault-full-list = the workspace has { $given } targets, as many as notify.targets allows; remove one
notify-fault-address = the target cannot be used: { $given }
notify-allow-invalid = notify.allow: “{ $given }” is not a host; write a name or an address, each with or without a port, or a network: "nas.home:8080", "10.0.0.0/8"
notify-push-contact-invalid = notify.push_contact: “{ $given }” is not a contact; write mailto:ann@example.org or an https:// address
policy-source-twice = more than one of policy.program, policy.url and policy.rego is set; keep one
policy-url-invalid = policy.url: “{ $given }” is not an http:// or https:// address
policy-url-clear = policy.url: the arguments of calls would go to “{ $given }” without encryption; use https://, or put its host into policy.allow
policy-url-password = policy.url has a name or a password; write the address without them, and the place of a token into policy.token
policy-token-invalid = policy.token is not the place of a secret; write env:NAME or file:/PATH
policy-allow-invalid = policy.allow: “{ $given }” is not a host; write a name or an address, each with or without a port, or a network such as 10.0.0.0/8
notify-no-target = there is no target “{ $given }”
notify-changed = the target “{ $given }” was changed meanwhile; look at it again

notify-none = there are no targets; add one: entracte notify add --help
notify-all-kinds = all
notify-on = notified
notify-off = paused by { $by }
notify-gone = switched off: its address answered that it is gone (410)
notify-added = the target { $target } is added; entracte serve notifies it of what waits for you
notify-no-url = its messages have no links until server.public_url says where browsers reach the server
notify-removed = the target { $target } is removed
notify-tested = the target { $target } took the notification
notify-not-taken = the target { $target } did not take the notification: { $why }
notify-head-target = target
notify-head-way = way
notify-head-where = where
notify-head-kinds = kinds
notify-head-state = state
notify-head-at = at
notify-head-kind = kind
notify-head-item = about
notify-state-pending = to be sent
notify-state-sent = sent
notify-state-dead = given up
notify-state-dropped = settled before
