# What the machine says, to models and to people: the sentences of the domain (`domain/src/speech/sentences.rs`).

# Why a person is asked.

machine-leave-workspace = the workspace asks for leave before every action
machine-leave-zone = the zone “{ $zone }” asks for leave before every action
machine-leave-tool = the tool “{ $tool }” asks for leave before every action
machine-leave-session = this session asks for leave before every action
machine-leave-model = the model asked for your leave
machine-leave-destructive = this cannot be undone
machine-leave-egress = this sends data out of the workspace

# Limits.

machine-limit-rounds = Limit reached: { $count } rounds (limits.rounds = { $limit }).
machine-limit-query-rounds = Limit reached: { $limit } rounds in a row only read data (limits.query_rounds = { $limit }).
machine-limit-failed-action-rounds = Limit reached: the actions of { $count } rounds in a row failed (limits.failed_action_rounds = { $limit }).
machine-limit-format-errors = Limit reached: { $count } replies in a row could not be read (limits.format_errors = { $limit }).
machine-limit-equal-failures = Limit reached: the same failure came { $limit } times in a row (limits.equal_failures = { $limit }): { $failure }.
machine-limit-relaunches = Limit reached: { $count } relaunches for one message (limits.relaunches = { $limit }).
machine-limit-without-progress = Limit reached: { $count } rounds in a row brought nothing new (limits.without_progress = { $limit }).
machine-limit-calls-per-reply = at most { $limit } calls in one reply (limits.calls_per_reply); ask again for the rest
machine-limit-calls-per-session = at most { $limit } calls in one session (limits.calls_per_session)
machine-queries-refused = not done: too many rounds in a row only read data (limits.query_rounds)
machine-closing-refusal = a limit was reached: this answer may hold no commands
machine-words-only-refusal = this answer was to be words only, so nothing of it was carried out; ask in your next answer if it is still needed
machine-closing-failed = I stopped here because a limit was reached, and I could not sum up where I stand. Write to me to go on.

# What failed, inside other sentences.

machine-failure-at = { $command } { $code } at { $path }
machine-failure-of-format = format error { $codes }

# Results of calls.

machine-results = { $failed ->
    [0] { $done } done.
   *[other] { $done ->
        [0] { $failed } not done.
       *[other] { $done } done, { $failed } not done.
    }
}
machine-edited-arguments = (the user changed the arguments; what ran: { $arguments })
machine-repeated = not done again: the same action succeeded a moment ago ({ $call }). Its answer was:
machine-stopped = stopped
machine-outcome-unknown = interrupted: it is not known whether this happened. Do not repeat it; a person will say what became of it
machine-not-in-copy = not done in this copy; what became of it is known to the session it was copied from
machine-cancelled-after-failure = cancelled, because an earlier action of the reply failed
machine-call-timed-out = no answer within the time for a call
machine-call-lost = the answer was lost, as often as may be
machine-call-tried-in-vain = it did not happen, and was tried as often as may be
machine-call-stopped = it did not happen, and was stopped
machine-command-gone = the command { $command } is gone
machine-command-forbidden = the command { $command } is no longer allowed in this session

# Decisions of a person.

machine-rejected = the user said no
machine-rejected-because = the user said no: { $reason }
machine-nobody-to-give-leave = nobody is there to give leave (validation.unattended = refuse)
machine-undecided-in-time = nobody decided in time
machine-undecided-for-message = the user wrote something else instead of deciding
machine-undecided-for-stop = stopped before a decision was taken
machine-settled-happened = { $author } says of { $command }, whose outcome was unknown: it happened.
machine-settled-happened-with-note = { $author } says of { $command }, whose outcome was unknown: it happened ({ $note }).
machine-settled-absent = { $author } says of { $command }, whose outcome was unknown: it did not happen.
machine-settled-absent-with-note = { $author } says of { $command }, whose outcome was unknown: it did not happen ({ $note }).

# Questions of the model.

machine-question-unanswered = The question was not answered: { $question }
machine-question-expired = The question was not answered in time: { $question }
machine-nobody-to-answer = Nobody is there to answer. Decide by yourself, or finish.
machine-answer-yes = yes
machine-answer-no = no

# Replies of the model.

machine-reply-unreadable = Your reply could not be read, nothing of it was done:
machine-reply-without-commands = You asked for nothing. Go on with the work, or say that it is completed.
machine-check-completion = You said that the work is completed. Check it once more, then say so again.
machine-event-reported = An event was reported, and this run was started for it. What came with it follows.
machine-completion-rejected = The user says that the work is not completed.
machine-completion-rejected-because = The user says that the work is not completed: { $reason }
machine-completed-ignored-in-chat = `completed` was ignored: a chat never ends by itself.
machine-completed-ignored-beside-commands = `completed` was ignored, because it stood beside commands.
machine-keep-control-ignored = `keep_control` was ignored, because there were no actions.
machine-validation-request-ignored = `validation_request` was ignored, because there were no actions.

# Runs, tasks, the context.

machine-run-over = The run was active for { $minutes } min, as long as it may (limits.run_duration).
machine-run-inactive = The run did nothing for { $minutes } min (watchdog.automation).
machine-task-ended = The task { $task } ended.
machine-task-failed = The task { $task } failed.
machine-context-summary = The conversation so far, summed up.
machine-context-too-long = The context is too long and could not be summed up: { $message }
machine-answer-lost-twice = The answer was lost twice; it was perhaps billed.
