# The command line.

setting-zone = The time zone of the dates that people and models read
setting-zone-takes = an IANA time zone, like Europe/Paris
setting-day-start = The hour that a day begins at; what happens before it belongs to the day before
setting-day-start-takes = an hour from 0 to 23
setting-week-start = The day that a week begins on
setting-week-start-takes = a day from monday to sunday
setting-language = The language that Entracte speaks to people and to models
setting-language-takes = en or fr
setting-limits-profile = The limits that sessions begin from: one limit on rounds and guards against loops (autonomous), or four counters and a longest duration (strict)
setting-limits-profile-takes = autonomous, strict, or default for what the configuration says
setting-require-validation = Every action of every session needs leave
setting-require-validation-takes = true or false
setting-slots = Sessions that may be active at once
setting-slots-takes = a whole number from 1 to 1000
setting-chat-preempts = Whether a chat takes the slot of a run at once; else it waits, first in the queue
setting-chat-preempts-takes = true or false
setting-chat-eviction = Minutes that a chat rests before it gives way to a waiting run
setting-chat-eviction-takes = a whole number from 0 to 10080
setting-ageing = Minutes after which a waiting run goes before newer ones
setting-ageing-takes = a whole number from 0 to 10080
setting-prompt-importance = Parts of the prompt that matter less than this are left out, for small models
setting-prompt-importance-takes = helpful, needed or vital
setting-prompt-app-state = The prompt also holds the state of the whole workspace: its zones and tools
setting-prompt-app-state-takes = true or false
settings-head-name = setting
settings-head-value = value
settings-head-set = set
settings-head-takes = takes
settings-head-means = means
settings-set = set
settings-default = default
settings-changed = { $key } is { $value }
settings-configuration-asks = the configuration (validation.workspace) asks for leave before every action, whatever require_validation says here
workspace-made = made { $workspace }; use it: entracte --workspace { $workspace } chat
workspace-exists = the workspace { $workspace } exists; change its settings: entracte --workspace { $workspace } workspace settings list
workspace-none = there is no workspace yet; the first chat makes one: entracte chat
workspace-head-key = workspace
workspace-head-sessions = sessions
workspace-head-open = open
workspace-head-waiting = waiting
workspace-head-language = language
workspace-head-zone = zone
workspace-head-made = made

rule-is = { $name } is { $value }
rule-is-any = { $name } may be anything
rule-no-arguments = without arguments
rule-only-these = any other argument asks for leave
rule-in-workspace = in every session of the workspace
rule-in-session = in { $session } only
rule-until = until { $until }
rule-expired = expired
rule-revoked = revoked by { $who } at { $at }
rule-given-by = given by { $who } at { $at }
rule-words = no leave is needed for { $command }, where { $conditions }; { $scope }; { $until }
rule-made = leave in advance { $rule }: { $words }
rule-made-but = Leave is asked all the same when the model itself asks for it, and when the command has changed. Take it back: entracte rule revoke { $rule }
rule-revoked-now = { $rule } is taken back: such calls ask for leave again
rule-none = no leave is given in advance in { $workspace }; give it with a decision: entracte approve ID --always
rule-head-rule = rule
rule-head-command = command
rule-head-where = where
rule-head-scope = counts
rule-head-state = state
rule-head-author = by

# The card of a call that needs leave.

screen-leave-needed = leave needed
screen-because = because { $reason } ({ $level })
screen-look-twice = look twice:
screen-until = { $id } until { $until }

# Automations.

automation-none = no automation in { $workspace }; make one: entracte automation create NAME --message TEXT --every 1h
automation-no-trigger = nothing says when it runs; name one of --cron, --every, --at, --manual and --on-event
automation-no-change = nothing is named that could be changed
automation-no-span = { $flag }: “{ $given }” is no span; write a number and its unit, like 90s, 15m, 24h or 7d
automation-zone-alone = --zone changes the zone of a cron expression; name the expression too, with --cron
automation-from-alone = --from says when an interval begins; name the interval too, with --every
automation-comes = { $automation } “{ $name }” runs next at { $at }
automation-comes-off = { $automation } “{ $name }” is switched off; switch it on: entracte automation enable { $automation }
automation-comes-event = { $automation } “{ $name }” runs on an event: entracte automation run { $automation } --event JSON
automation-comes-asked = { $automation } “{ $name }” runs when it is asked to: entracte automation run { $automation }
automation-delete-ask = delete { $automation } “{ $name }”? Its runs and its history stay. [y]es, [n]o>{" "}
automation-deleted = { $automation } is deleted; its runs and its history stay: entracte automation history { $automation }
automation-no-history = no occurrence of { $automation } was decided yet
automation-run-deleted = the session is deleted
automation-watched-elsewhere = another process owns the database, and runs what is due
automation-watch-begins = next: “{ $name }” at { $at }; Ctrl-C ends the watch
automation-watch-nothing = no automation of { $workspace } is due by itself; Ctrl-C ends the watch
automation-watch-missed = { $count ->
        [one] one event was not shown
       *[other] { $count } events were not shown
    }; they are in the journals of the sessions
automation-watch-ends = the watch ends; what is due from now on waits for the next one
automation-queued = { $session } waits for its turn; who works: entracte session list
automation-state-on = on
automation-state-off = off
automation-state-damaged = damaged
automation-state-attention = needs attention
automation-when-cron = { $expression } ({ $zone })
automation-when-every = every { $span } from { $at }
automation-when-once = once, at { $at }
automation-when-manual = when asked
automation-when-event = on an event
automation-cause-scheduled = scheduled
automation-cause-manual = asked for
automation-cause-event = event
automation-ran = ran
automation-skipped-late = skipped: too late to begin
automation-skipped-superseded = skipped: a later one was due too
automation-skipped-overlap = skipped: a run had not ended
automation-skipped-unusable = skipped: the seed cannot be started from
automation-catch-up = at most { $window } late
automation-catch-up-unlimited = however late
automation-missed-latest = the latest of several
automation-missed-all = all of them
automation-overlap-skip = skipped while a run has not ended
automation-overlap-queue = waits for the run to end
automation-as-usual = as configured
automation-leave = every action needs leave
automation-fact-automation = automation
automation-fact-name = name
automation-fact-state = state
automation-fact-when = when
automation-fact-why = why
automation-fact-next = next
automation-fact-last = last
automation-fact-missed = missed
automation-fact-overlap = overlap
automation-fact-profile = profile
automation-fact-unattended = unattended
automation-fact-completion = completion
automation-fact-provider = provider
automation-fact-leave = leave
automation-fact-version = version
automation-fact-created = created
automation-fact-edited = edited
automation-fact-seed = seed
automation-fact-message = message
automation-fact-occurrence = occurrence
automation-fact-cause = cause
automation-fact-decided = decided
automation-fact-outcome = outcome
automation-fact-session = session
automation-fact-run = run

# When a session is woken, and why.

wake-leave-expires = leave expires at { $at }
wake-question-expires = the question expires at { $at }
wake-confirms = counts as confirmed at { $at }
wake-retries = retries at { $at }
wake-call-retries = tries a call again at { $at }
wake-closes = closes at { $at }
wake-run-ends = has worked too long at { $at }

# Whether what is stored is what the journals give.

verify-well = { $count ->
        [one] one session is as its journal gives it
       *[other] { $count } sessions are as their journals give them
    }
verify-ill = { $ill } of { $count } sessions are not as their journals give them; keep a copy before anything else: entracte db backup FILE
