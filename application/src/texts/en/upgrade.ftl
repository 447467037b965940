# doctor --upgrade.

upgrade-none = { $sessions ->
    [one] { $sessions } open session; { $other } would change nothing
   *[other] { $sessions } open sessions; { $other } would change nothing
}
upgrade-some = { $sessions ->
    [one] { $sessions } open session
   *[other] { $sessions } open sessions
}; { $other } would change { $count ->
    [one] { $count } thing
   *[other] { $count } things
}
upgrade-nothing = nothing
upgrade-unreadable = it could no longer be read: { $after }
upgrade-replay = replaying its journal would no longer give its stored state
upgrade-phase = its phase would be { $after } instead of { $before }
upgrade-next-step = its next step would be { $after } instead of { $before }
upgrade-approval-gone = the approval { $of } ({ $before }) would no longer be open
upgrade-approval-new = the approval { $of } ({ $after }) would be open
upgrade-approval-changed = the approval { $of } would be asked for again with another card (asked for by { $before }, then by { $after })
upgrade-command-gone = the command { $of } would be gone
upgrade-command-changed = the command { $of } would be declared differently
upgrade-schema-tightened = the command { $of } would no longer accept the arguments of its pending call: { $after }
upgrade-restriction-empty = it may use { $of }, but there would be no such command
upgrade-policy-stricter = { $of } would be stricter: { $after } instead of { $before }
upgrade-policy-changed = { $of } would be { $after } instead of { $before }
upgrade-model-gone = its model would be gone: { $of } ({ $after })
upgrade-provider-changed = its provider would be { $after } instead of { $before }
upgrade-quarantined = it would be quarantined
upgrade-other = { $of } { $after }
upgrade-no-file = there is no file { $file }; name a program or a configuration: entracte doctor --upgrade FILE
upgrade-no-copy = there is no copy of a database in { $folder }; this command is for: entracte doctor --upgrade FILE
upgrade-copy-failed = the database cannot be copied to look at it: { $why }
upgrade-not-asked = { $other } cannot be asked what it would change: { $why }
upgrade-late = { $other } did not answer within { $seconds } s; give it more time: entracte doctor --upgrade FILE --within SECONDS
