# What the machine says, to models and to people: the sentences of the domain (`domain/src/localizable_text/sentences.rs`).

# Why a person is asked.

machine-approval-workspace = the workspace requires approval for every action
machine-approval-zone = the zone “{ $zone }” requires approval for every action
machine-approval-tool = the tool “{ $tool }” requires approval for every action
machine-approval-session = this session requires approval for every action
machine-approval-model = the model asked for your approval
machine-approval-destructive = this cannot be undone
machine-approval-egress = this sends data out of the workspace
machine-approval-command = a person decides on this each time
machine-approval-plan = a plan always needs the approval of a person
machine-approval-policy = the server’s policy asks for the approval of a person
machine-approval-policy-because = the server’s policy asks for the approval of a person: { $reason }
machine-approval-no-policy = the server’s policy gave no answer
machine-approval-no-policy-because = the server’s policy gave no answer: { $reason }
machine-policy-version = (version { $version })
machine-approval-quorum = { $count } different people must approve
machine-approval-approvers = { $count ->
    [one] one of { $named } must approve
   *[other] { $count } different people of { $named } must approve
}
machine-approval-four-eyes = four eyes: somebody else must approve

# Limits.

machine-limit-rounds = Limit reached: { $count } { $count ->
    [one] round
   *[other] rounds
} (limits.rounds = { $limit }).
machine-limit-query-rounds = Limit reached: { $limit ->
    [one] { $limit } round only read data
   *[other] { $limit } rounds in a row only read data
} (limits.query_rounds = { $limit }).
machine-limit-failed-action-rounds = Limit reached: the actions of { $count ->
    [one] { $count } round
   *[other] { $count } rounds in a row
} failed (limits.failed_action_rounds = { $limit }).
machine-limit-format-errors = Limit reached: { $count ->
    [one] { $count } reply could not be read
   *[other] { $count } replies in a row could not be read
} (limits.format_errors = { $limit }).
machine-limit-equal-failures = Limit reached: the same failure occurred { $limit ->
    [one] { $limit } time
   *[other] { $limit } times in a row
} (limits.equal_failures = { $limit }): { $failure }.
machine-limit-relaunches = Limit reached: { $count } { $count ->
    [one] relaunch
   *[other] relaunches
} for one message (limits.relaunches = { $limit }).
machine-limit-without-progress = Limit reached: { $count ->
    [one] { $count } round brought nothing new
   *[other] { $count } rounds in a row brought nothing new
} (limits.without_progress = { $limit }).
machine-limit-context = Limit reached: the next request has about { $size } tokens, and at most { $budget } may be sent: the context window of the model (context_tokens of its provider’s entry, where the server or the table does not tell it) without the room for its answer. The conversation was summarized, and what is left cannot be made shorter; the parts of the prompt of an earlier model call show what takes the room. Take a model with a larger context window, or send less with every request.
machine-limit-spending-cost = Limit reached: the next call of the model could cost up to { $needed } USD, and { $used } of { $cap } USD are used { $place } (budget.{ $key }). It was not sent.
machine-limit-spending-tokens = Limit reached: the next call of the model could use up to { $needed } { $needed ->
    [one] token
   *[other] tokens
}, and { $used } of { $cap } are used { $place } (budget.{ $key }). It was not sent.
machine-spending-session = in this session
machine-spending-tree = in this session with its agents
machine-spending-automation-day = today by this automation
machine-spending-person-day = today by this person
machine-spending-workspace-day = today in this workspace
machine-spending-workspace-month = this month in this workspace
machine-spending-question-cost = Go on for { $extra } USD more? { $used } of { $cap } USD are used { $place } (budget.{ $key }), and the next call of the model could cost up to { $needed } USD.
machine-spending-question-tokens = Go on for { $extra } { $extra ->
    [one] token
   *[other] tokens
} more? { $used } of { $cap } are used { $place } (budget.{ $key }), and the next call of the model could use up to { $needed }.
machine-spending-spent-for = Spent for:
machine-spending-share-cost = { $command } { $cost } USD
machine-spending-share-tokens = { $command } { $tokens }
machine-spending-no-command = answers without a command
machine-limit-calls-per-reply = at most { $limit } { $limit ->
    [one] call
   *[other] calls
} per reply (limits.calls_per_reply); ask for the rest in your next reply
machine-limit-calls-per-session = at most { $limit } { $limit ->
    [one] call
   *[other] calls
} per session (limits.calls_per_session)
machine-queries-refused = not run: too many rounds in a row only read data (limits.query_rounds)
machine-closing-refusal = a limit was reached: this answer must not contain commands
machine-words-only-refusal = this answer had to be text only, so none of its commands ran; ask again in your next answer if they are still needed
machine-closing-failed = I stopped because a limit was reached, and I could not summarize my progress. Write to me to continue.
machine-limit-report = Report now what was done, with its results, what is not done, and what a person should do next. No command is run any more.
machine-report-failed = The run stopped because a limit was reached, and its model could not report what was done. The journal of the session shows it.

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
machine-edited-arguments = (the user changed the arguments; it ran with: { $arguments })
machine-repeated = not run again: the same action has just succeeded ({ $call }). Its answer was:
machine-stopped = stopped
machine-outcome-unknown = interrupted: it is not known whether this happened. Do not repeat it; a person will find out and say
machine-not-in-copy = not run in this copy; its outcome is known in the session it was copied from
machine-cancelled-after-failure = cancelled, because an earlier action of the reply failed
machine-cancelled-after-undone = not run: { $command }, requested before it in this reply, did not succeed, and this query was to read its effect. Ask again if the answer is still needed
machine-call-timed-out = no answer within the time limit of a call
machine-call-lost = the answer was lost in every attempt allowed
machine-call-tried-in-vain = it did not happen in any of the attempts allowed
machine-call-stopped = it did not happen; it was stopped
machine-command-gone = the command { $command } no longer exists
machine-command-forbidden = the command { $command } is no longer allowed in this session

# Decisions of a person.

machine-rejected = the user said no
machine-rejected-because = the user said no: { $reason }
machine-policy-denied = the server’s policy refused it
machine-policy-denied-because = the server’s policy refused it: { $reason }
machine-nobody-to-approve = nobody is available to approve this (validation.unattended = refuse)
machine-undecided-in-time = nobody decided in time
machine-undecided-for-message = the user wrote something else instead of deciding
machine-undecided-for-stop = stopped before a decision was made
machine-approval-withdrawn = The approval { $approval } for { $command } was withdrawn: what it would do, or why it needs approval, has changed since it was asked.
machine-approval-unused = The approval { $approval } that { $author } gave for { $command } was not used in time and counts no more. It is asked for again.
machine-approval-unused-edited = The approval { $approval } that { $author } gave for { $command } with other arguments was not used in time and counts no more. It is asked for again, with the arguments of the model.
machine-settled-happened = { $author } confirms that { $command }, whose outcome was unknown, happened.
machine-settled-happened-with-note = { $author } confirms that { $command }, whose outcome was unknown, happened ({ $note }).
machine-settled-absent = { $author } confirms that { $command }, whose outcome was unknown, did not happen.
machine-settled-absent-with-note = { $author } confirms that { $command }, whose outcome was unknown, did not happen ({ $note }).

# Questions of the model.

machine-question-unanswered = The question was not answered: { $question }
machine-question-expired = The question was not answered in time: { $question }
machine-nobody-to-answer = Nobody is available to answer. Decide by yourself, or finish.
machine-answer-yes = yes
machine-answer-no = no

# Replies of the model.

machine-reply-unreadable = Your reply could not be read, so none of it was carried out:
machine-reply-cut = Your reply was cut by the output limit of { $limit } tokens (max_output_tokens), so no command of it was carried out.
machine-reply-cut-by-model = Your reply was cut by the model’s own output limit, so no command of it was carried out.
machine-cut-reply-goes-on = Your text so far is kept: go on where it ended, and ask for your commands again, with shorter arguments.
machine-cut-envelope-again = Send the whole JSON object again, shorter.
machine-reply-stopped = { $person } stopped this reply here; no command of it was carried out.
machine-reply-cut-again = The reply was cut by the output limit of { $limit } tokens, twice in a row. What was said is kept, and no command of it was carried out. Raise max_output_tokens of the provider, or ask for a shorter answer.
machine-reply-cut-again-by-model = The reply was cut by the model’s own output limit, twice in a row. What was said is kept, and no command of it was carried out. Set max_output_tokens of the provider, or ask for a shorter answer.
machine-reply-ended-by-unknown = The provider ended the reply for a reason that this version does not know: “{ $reason }”. What was said is kept, and no command of it was carried out. Write again to go on.
machine-reply-without-commands = You asked for no commands. Continue the work, or say that it is complete.
machine-check-words = You asked for no commands. If the work is complete, say so once more: the run ends then. If not, continue with commands.
machine-empty-reply = Your answer was empty: no words and no commands. Answer the user.
machine-empty-reply-again = The model answered with nothing, twice. Write to it again, or choose another model.
machine-plan-shown = Your plan is shown to the user. Begin with its first step.
machine-plan-first = Nothing was done: in this session a person approves a plan before you act. Read what you need, then propose the plan with { $command }.
machine-plan-alone = Nothing was done: a plan is proposed without other actions beside it. Wait for the decision on it.
machine-plan-over = Nothing was done: every step of the approved plan is done or skipped. Propose a plan for what comes next with { $command }.
machine-plan-replaced = A later plan of the same answer took its place.
machine-plan-untitled = The plan has no title.
machine-plan-step-empty = Step { $number } of the plan has no id or no text.
machine-plan-step-twice = Two steps of the plan have the id “{ $step }”. Give each step its own.
machine-plan-step-unknown = The approved plan has no step “{ $step }”. Its steps are: { $steps }.
machine-check-exit = You said that your mission is accomplished. Check it once more, then end with EXIT_WITH_RESULT again.
machine-check-completion = You said that the work is complete. Check it once more, then say so again.
machine-event-reported = An event started this run. Its data follows.
machine-completion-rejected = The user says that the work is not complete.
machine-completion-rejected-because = The user says that the work is not complete: { $reason }
machine-completed-ignored-in-chat = `completed` was ignored: a chat never ends by itself.
machine-completed-ignored-beside-commands = `completed` was ignored, because the reply also contained commands.
machine-keep-control-ignored = `keep_control` was ignored, because there were no actions.
machine-validation-request-ignored = `validation_request` was ignored, because there were no actions.

# Runs, tasks, the context.

machine-run-over = The run reached its time limit: it was active for { $minutes } min (limits.run_duration).
machine-run-over-after = The run reached its time limit: it was active for { $span } (limits.run_duration).
machine-run-inactive = The run did nothing for { $minutes } min (limits.watchdog).
machine-run-inactive-for = The run did nothing for { $span } (limits.watchdog).
machine-span-seconds = { $count } s
machine-span-millis = { $count } ms
machine-task-ended = The task { $task } has ended.
machine-task-failed = The task { $task } has failed.
machine-mission = Your mission:
machine-mission-answer = The answer to what you asked:
machine-exit-alone = EXIT_ALONE: the end of a mission and a question stand alone in a reply. The commands beside it were carried out; say it again in a reply of its own.
machine-agent-silent = The reply was empty. Go on with your mission, ask what you need to know, or end with EXIT_WITH_RESULT.
machine-nobody-answered = Nobody answered in time. Decide by yourself, or end with EXIT_WITH_RESULT.
machine-agents-too-deep = { $agent } was not started: there may be { $limit } { $limit ->
        [one] level
       *[other] levels
    } of agents below a session, and this is the last one. Do the work yourself, or end with what you have.
machine-agents-at-once = { $agent } was not started: { $limit } { $limit ->
        [one] agent may
       *[other] agents may
    } work or wait for a session at once. Wait until one has ended, or answer one that asks with agent.continue.
machine-agents-used-up = { $agent } was not started: as many agents as are allowed for this request were already started. Do the work yourself, or end with what you have.
machine-agent-rounds-used-up = { $agent } was not started: the rounds that the agents of this request may make are used up, or lent to those that work. Do the work yourself, or end with what you have.
machine-agent-provider = { $agent } was not started: its provider is not among those that may be used here.
machine-agent-not-yours = “{ $child }” is not an agent of this session that waits for an answer. Answer only an agent that asked you something, by the id that it was reported with.
machine-task-cancelled = The task { $task } was cancelled.
machine-task-expired = The task { $task } did not finish before its deadline; its outcome is unknown (TASK_EXPIRED).
machine-task-late = Late report: this task had already been closed here. { $how }
machine-context-summary = Summary of the conversation so far.
machine-context-too-long = The context is too long and could not be summarized: { $message }
machine-answer-lost-twice = The answer was lost twice; it may have been billed.
machine-crashed-in-call = Entracte stopped { $count } times in this model call, which may have been billed each time, so it does not try again by itself.
machine-fell-back-exhausted = { $from } has no credit left; going on with { $to }.
machine-fell-back-unreachable = { $from } cannot be reached; going on with { $to }.
machine-fell-back-lost = The answer of { $from } was lost twice and may have been billed; going on with { $to }.
machine-fell-back-throttled = { $from } is rate-limited; going on with { $to }.
machine-fell-back-overloaded = { $from } is overloaded; going on with { $to }.
machine-fell-back-refused = { $from } refuses this content; going on with { $to }.
machine-fell-back-too-long = The conversation is too long for { $from }; going on with { $to }.
machine-fell-back-misconfigured = { $from } cannot be used as it is set up; going on with { $to }.
machine-agent-ended-context = The conversation is too long for the model, also after a summary.
machine-agent-ended-unanswered = It asked something and got no answer in time.
machine-agent-ended-empty-replies = It sent two empty replies in a row.
machine-agent-ended-cut-replies = The output limit cut two of its replies in a row.
machine-agent-ended-unknown-reply-end = Its reply ended for a reason that is not known.
machine-agent-ended-outcome-unknown = It is not known whether one of its actions happened.
machine-agent-ended-unreachable = Its model could not be reached.
machine-agent-ended-lost = The answer of its model was lost twice.
machine-agent-ended-throttled = Its model is rate-limited.
machine-agent-ended-overloaded = Its model is overloaded.
machine-agent-ended-spending = What may be spent on its model is limited, and the price of its next call is not known.
machine-agent-ended-exhausted = The credit of its model is used up.
machine-agent-ended-refused = Its model refuses this content.
machine-agent-ended-misconfigured = Its model cannot be used as it is set up.
machine-agent-ended-internal = An internal error ended it.
