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
