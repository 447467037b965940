# The command line.

setting-zone = Time zone of the dates that people and models read
setting-zone-takes = an IANA time zone, like Europe/Paris
setting-day-start = Hour at which a day begins; anything before it belongs to the previous day
setting-day-start-takes = an hour from 0 to 23
setting-week-start = First day of the week
setting-week-start-takes = a day from monday to sunday
setting-language = Language that Entracte uses with models and in what it stores, and with people who name none in their browser or shell
setting-language-takes = en or fr
setting-limits-profile = Limits that sessions start with: one limit on rounds plus guards against loops (autonomous), or four counters and a maximum duration (strict)
setting-limits-profile-takes = autonomous, strict, or default to follow the configuration
setting-require-validation = Whether every action of every session needs approval
setting-require-validation-takes = true or false
setting-four-eyes = Whether people may not approve actions that their own message led to
setting-four-eyes-takes = true or false
setting-approvers = Who may approve, beside whatever else an approval needs
setting-approvers-takes = none, or role:NAME and person:NAME, separated by commas
setting-quorum = How many different people must approve
setting-quorum-takes = a whole number from 1 to 20
setting-escalate-after = How long after a call was requested those of escalate_to may approve it, too
setting-escalate-after-takes = never, or a duration such as 4h
setting-escalate-to = Who may approve after escalate_after, too
setting-escalate-to-takes = none, or role:NAME and person:NAME, separated by commas
setting-roles = The members of the roles that approvers names
setting-roles-takes = none, or roles such as finance: ann, bob; heads: eve
setting-away = Who approves in place of whom, until when
setting-away-takes = none, or absences such as ann: bob until 2026-12-24T08:00:00Z, separated by semicolons
setting-mode = What sessions need before they act: nothing more (free), or a plan that a person approves (plan)
setting-mode-takes = free, plan, or default to follow the configuration
setting-slots = How many sessions may be active at once
setting-slots-takes = a whole number from 1 to 1000
setting-chat-preempts = Whether a chat takes the slot of a run at once; otherwise it waits, first in the queue
setting-chat-preempts-takes = true or false
setting-chat-eviction = Minutes that an open chat may be idle before it gives its slot to a waiting run; one that nobody has open gives it up at once
setting-chat-eviction-takes = a whole number from 0 to 10080
setting-ageing = Minutes after which a waiting run goes before newer ones
setting-ageing-takes = a whole number from 0 to 10080
setting-prompt-importance = Leaves out the parts of the prompt that matter less than this, for small models
setting-prompt-importance-takes = helpful, needed or vital
setting-user-context = What is known about the user of this workspace, for models that ask for it with context.get
setting-user-context-takes = a JSON object, such as {"{"}"company_name": "Dupont SA"{"}"}; empty for none
setting-retention = How long this workspace keeps what it stores, where that differs from the configuration
setting-retention-takes = limits like chats=90d, automations=latest 200, results=30d; the subjects are chats, automations, agents, results, ledger, documents, deletions and changes; a limit is forever, an age of at least 24h, a number of latest ones, or both joined by “and”; empty for none
setting-budget-session = The most that the model calls of one session may use, without its agents
setting-budget-session-takes = an amount like 2.50 USD, a number like 500000 tokens, both joined by “and”, or none
setting-budget-tree = The most that the model calls of one session with its agents may use; for an automation, of one run
setting-budget-tree-takes = an amount like 2.50 USD, a number like 500000 tokens, both joined by “and”, or none
setting-budget-automation-day = The most that the model calls of one automation may use in a day
setting-budget-automation-day-takes = an amount like 2.50 USD, a number like 500000 tokens, both joined by “and”, or none
setting-budget-person-day = The most that the model calls for one person may use in a day
setting-budget-person-day-takes = an amount like 2.50 USD, a number like 500000 tokens, both joined by “and”, or none
setting-budget-workspace-day = The most that the model calls of this workspace may use in a day
setting-budget-workspace-day-takes = an amount like 2.50 USD, a number like 500000 tokens, both joined by “and”, or none
setting-budget-workspace-month = The most that the model calls of this workspace may use in a month
setting-budget-workspace-month-takes = an amount like 2.50 USD, a number like 500000 tokens, both joined by “and”, or none
setting-budget-unknown-price = What happens to a model call of unknown price while money is capped: it waits for a person (ask), it is refused (refuse), or only its tokens are counted (tokens)
setting-budget-unknown-price-takes = ask, refuse or tokens
setting-budget-margin = How many percent are added to the estimated tokens of a request when its worst case is reserved
setting-budget-margin-takes = a whole number from 0 to 100
setting-budget-soft-line = How many percent of each cap may be used before a person is asked whether to go on; nobody is asked where budget.closing_reserve leaves nothing above it, as at 100
setting-budget-soft-line-takes = a whole number from 1 to 100
setting-budget-closing-reserve = How many percent of each cap are kept for the closing call, in which the model reports what was done
setting-budget-closing-reserve-takes = a whole number from 0 to 50
setting-prompt-chunks = The importance of individual parts of the prompt, where it differs from their default; the prompt of a model call lists its parts with their tokens
setting-prompt-chunks-takes = parts and their importance, like examples=vital,limits=needed; the parts are examples, approvals, results, limits and types; the importance is helpful, needed or vital
setting-prompt-app-state = Whether the prompt also holds the state of the whole workspace: its zones and tools
setting-prompt-app-state-takes = true or false
settings-head-name = setting
settings-head-value = value
settings-head-set = set
settings-head-takes = accepts
settings-head-means = meaning
settings-set = set
settings-default = default
settings-changed = { $key } is { $value }
settings-configuration-asks = the configuration (validation.workspace) requires approval for every action, whatever require_validation says here
workspace-made = created { $workspace }; use it: entracte --workspace { $workspace } chat
workspace-none = there is no workspace yet; the first chat creates one: entracte chat
workspace-head-key = workspace
workspace-head-sessions = sessions
workspace-head-open = open
workspace-head-waiting = waiting
workspace-head-language = language
workspace-head-zone = zone
workspace-head-made = created

rule-is = { $name } is { $value }
rule-is-any = { $name } can be anything
rule-is-one-of = { $name } is one of { $values }
rule-is-range = { $name } is { $least } to { $most }
rule-is-least = { $name } is { $least } or more
rule-is-most = { $name } is { $most } or less
rule-is-prefix = { $name } begins with “{ $text }”
rule-is-pattern = { $name } is like “{ $text }”
rule-where = where { $conditions }
# The limits of a rule: in one session with its agents, on one day, or in all.
rule-most-calls = at most { $count ->
    [one] one call
   *[other] { $count } calls
    } { $span ->
    [run] in each run
    [day] a day
   *[total] in all
    }
rule-most-sum = { $name } adds up to at most { $sum } { $span ->
    [run] in each run
    [day] a day
   *[total] in all
    }
rule-used = { $count ->
    [one] one call used it
   *[other] { $count } calls used it
    }{ $reserved ->
    [0] { "" }
   *[other] , of which { $reserved } wait to start
    }
rule-used-sum = { $name } adds up to { $sum } so far
rule-used-day = { $count } on the day since { $since }
rule-used-by = { $call }{ $amount ->
    [none] { "" }
   *[other] { " " }({ $amount })
    }, { $state ->
    [reserved] approved at { $at }, not started
   *[started] started at { $at }
    }
rule-offer = later calls of { $command } { $conditions }; { $limits }
rule-offered = Always: { $offer }; for { $lasts } after the decision
rule-add-twice = { $argument } has two conditions; give one of them
rule-add-number = { $flag }: “{ $given }” is not a number in plain digits; write it like 200 or 12.50
rule-add-unreadable = { $flag }: “{ $given }” cannot be read
rule-add-until = --until: “{ $given }” is not a day that is still to end; write it like 2026-12-31
approve-width-none = there is no width { $given }: name one card, and a number from 1 to { $count }
rule-for-requester = only for the automation, agent or session that asks here
rule-for-requester-agents = only for the automation that asks here, and for its agents too
rule-for-automation = in runs of { $automation } only
rule-for-automation-agents = in runs of { $automation } only, and for their agents too
rule-for-agent = for the agent { $agent } only
rule-no-arguments = without arguments
rule-only-these = any other argument needs approval
rule-in-workspace = in every session of the workspace
rule-in-workspace-agents = in every session of the workspace, and for agents too
rule-in-session = in { $session } only
rule-until = until { $until }
rule-expired = expired
rule-used-up = used up
rule-times = { $left } of { $most } { $most ->
    [one] call
   *[other] calls
    } left, { $until }
rule-revoked = revoked by { $who } at { $at }
rule-given-by = given by { $who } at { $at }
rule-words = no approval is needed for { $command }, where { $conditions }; { $scope }; { $until }
rule-words-bare = no approval is needed for { $command } without arguments; { $scope }; { $until }
rule-width = Always: later calls of { $command } need no approval { $arguments }; { $scope }; for { $lasts } after the decision; any number of times
rule-width-exact = with exactly these arguments
rule-width-any = with any { $names } and all else exactly as here
rule-in-this-session = in this session only
rule-made = standing approval { $rule }: { $words }
rule-made-but = Approval is still needed when the model itself asks for it, or when the command has changed. To revoke it: entracte rule revoke { $rule }
rule-revoked-now = { $rule } is revoked: such calls need approval again
rule-none = there are no standing approvals or denials in { $workspace }; create one with: entracte approve ID --always, or entracte rule add --help
rule-head-rule = rule
rule-head-command = command
rule-head-where = where
rule-head-scope = scope
rule-head-state = state
rule-head-author = by

# The card of a call that needs approval.

screen-approval-query = approval needed for a query
screen-approval-needed = approval needed
screen-because = because { $reason } ({ $level })
screen-warning = warning:
screen-starts-after = starts after: { $calls }
screen-changed = this has changed since it was asked; a decision shows you the new card first
screen-mixed = look at the letters of several alphabets in: { $words }
screen-until = { $id } until { $until }

# Automations.

automation-none = there are no automations in { $workspace }; create one: entracte automation create NAME --message TEXT --every 1h
automation-no-trigger = the automation has no trigger; give one of --cron, --every, --at, --manual and --on-event
automation-no-change = there is nothing to change; name at least one option
automation-no-span = { $flag }: “{ $given }” is not a valid duration; write a number and its unit, like 90s, 15m, 24h or 7d
automation-zone-alone = --zone changes the time zone of a cron expression; give the expression too, with --cron
automation-from-alone = --from says when an interval begins; give the interval too, with --every
automation-comes = { $automation } “{ $name }” runs next at { $at }
automation-cron-warning = Note: { $warning }.
automation-cron-ask = is { $expression } meant so? [y]es, [n]o>{" "}
automation-cron-not-made = Nothing was changed. --crontab takes the days that a crontab means.
automation-comes-off = { $automation } “{ $name }” is off; turn it on: entracte automation enable { $automation }
automation-comes-event = { $automation } “{ $name }” runs on an event: entracte automation run { $automation } --event JSON
automation-comes-passed = The time of { $automation } “{ $name }” has passed. It runs on request: entracte automation run { $automation }; or at another time: entracte automation edit { $automation } --at TIME
automation-comes-asked = { $automation } “{ $name }” runs on request: entracte automation run { $automation }
automation-delete-ask = delete { $automation } “{ $name }”? Its runs and its history are kept. [y]es, [n]o>{" "}
automation-deleted = { $automation } is deleted; its runs and its history are kept: entracte automation history { $automation }
automation-no-history = { $automation } has no occurrences yet
automation-no-history-all = no automation of { $workspace } was due in this period; look further back: entracte automation history --since TIME
automation-run-deleted = the session is deleted
automation-watched-elsewhere = another process owns the database and runs the automations that are due
automation-watch-begins = next: “{ $name }” at { $at }; press Ctrl-C to stop watching
automation-watch-nothing = no automation of { $workspace } is scheduled; press Ctrl-C to stop watching
automation-watch-ends = stopped watching; automations that become due wait for the next watch
automation-watch-ends-server = stopped watching; the server goes on to run what is due
automation-watch-lost = another process took the database; automations run here again once it is free
automation-watch-regained = the automations run here again
automation-state-on = on
automation-state-off = off
automation-state-damaged = damaged
automation-state-attention = needs attention
automation-when-cron = { $expression } ({ $zone })
automation-when-every = { $every } from { $at }
automation-when-once = once, at { $at }
automation-when-manual = on request
automation-when-event = on an event
automation-cause-scheduled = scheduled
automation-cause-manual = on request
automation-cause-event = event
automation-ran = ran
automation-skipped-late = skipped: too late to start
automation-skipped-superseded = skipped: a later one was also due
automation-skipped-overlap = skipped: a run had not ended
list-left-out = { $shown } of { $count } are shown; --limit 0 shows all of them
automation-skipped-behind = skipped: the run { $session } had not ended
automation-skipped-behind-approval = skipped: the run { $session } waits for an approval
automation-skipped-behind-question = skipped: the run { $session } waits for an answer
automation-skipped-behind-person = skipped: the run { $session } waits until somebody looks at it
automation-skipped-times = { $outcome }; { $count } times since { $at }
automation-skipped-unusable = skipped: the seed cannot be used
automation-skipped-switched-off = skipped: the automation was switched off while it waited
automation-skipped-deleted = skipped: the automation was deleted while it waited
automation-skipped-rescheduled = skipped: the schedule was changed while it waited
automation-catch-up = at most { $window } late
automation-catch-up-unlimited = no matter how late
automation-missed-latest = the latest of several
automation-missed-all = all of them
automation-overlap-skip = skipped while a run is still active
automation-overlap-queue = waits for the run to end
automation-allowed-by = allow, set by { $by }
automation-allow-waits = allow, which nobody who may approve has set for this message: actions wait for a person
automation-as-usual = as configured
automation-approval = every action needs approval
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
automation-fact-mode = mode
automation-fact-completion = completion
automation-fact-provider = provider
automation-fact-approval = approval
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

wake-approval-expires = the approval expires at { $at }
wake-question-expires = the question expires at { $at }
wake-confirms = counts as confirmed at { $at }
wake-retries = retries at { $at }
wake-call-retries = retries a call at { $at }
wake-closes = closes at { $at }
wake-run-ends = reaches its time limit at { $at }
wake-agent-rests = ends at { $at } unless its caller answers
wake-watchdog = ends at { $at } if nothing happens before

# Whether what is stored is what the journals give.

verify-well = { $count ->
        [one] one session matches its journal
       *[other] { $count } sessions match their journals
    }
verify-ill = { $ill } of { $count } sessions do not match their journals; make a backup before anything else: entracte db backup FILE

copy-terms = under this workspace: unattended { $unattended }, limits { $limits }, completion { $completion }, { $approval }, commands { $commands }
copy-limits = as the workspace says
copy-approval = approval where the workspace asks for it
copy-approval-all = approval for every action
copy-commands = as the workspace has them
copy-of = { $session }
copy-of-ended = { $session }, which had ended: { $reason }

plan-head = Plan:
plan-progress = Plan “{ $title }”: { $done } of { $count } steps done
plan-not-approved = Plan “{ $title }”: nobody approved it here
mode-free = actions need no plan
mode-plan = actions need an approved plan first

rule-words-denies = { $command } is denied where { $conditions }; { $scope }; { $until }
rule-denies = deny { $command }
rule-denies-why = such calls are denied, whatever else approves them: { $reason }
rule-any-arguments = its arguments can be anything

# Instructions that models read first.

instructions-of-workspace = the workspace
instructions-of-automation = the runs of { $automation }
instructions-of-session = { $session }
instructions-none = { $scope }: there are no instructions; write them: entracte workspace instructions set TEXT
instructions-about = { $scope }: version { $version }, by { $who }, { $at } ({ $source })
instructions-set = { $scope }: the instructions are now version { $version }, { $bytes ->
    [one] 1 byte
   *[other] { $bytes } bytes
}; sessions read them from their next message on
instructions-cleared = { $scope }: the instructions are cleared; earlier versions: entracte workspace instructions history
instructions-is-cleared = (cleared)
instructions-file = { $file } cannot be read: { $why }
instructions-file-long = { $file } has more than { $most } bytes; instructions are short texts
instructions-file-no-text = { $file } is not UTF-8 text; save it as UTF-8 and import it again
instructions-head-version = version
instructions-head-at = time
instructions-head-author = by
instructions-head-source = source
instructions-head-bytes = bytes
instructions-head-text = begins
screen-question-open = Answer in your own words.
screen-chain = Asked by: { $chain }
screen-chain-session = “{ $name }”
screen-chain-agent = agent { $agent } (“{ $mission }”)

## Agents

agents-none = no agent is declared; add [agents.NAME] to the configuration, see docs/AGENTS.md
agents-none-below = { $session } has called no agent
agents-no-commands = no commands
agents-names-none = { $given } (matches no command now)
agents-callers-model = its caller's model
agents-unknown = there is no agent “{ $agent }” in the configuration
agents-model = model: { $model }
agents-commands = commands: { $commands }
agents-limits = limits: { $limits }
agents-result = result: { $schema }
agents-version = version: { $version }
agents-line = { $agent }  { $session }  { $state }, { $rounds ->
    [one] one round
   *[other] { $rounds } rounds
}, { $tokens } tokens
agent-exit = mission ended ({ $reason }): { $conclusion }
agent-asks-caller = asks whoever called it: { $question }
agent-asks-user = asks the user: { $question }
