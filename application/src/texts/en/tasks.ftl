# Long tasks, as people see them: `task list`, `task show`, and what they ask for.

task-list-none = there are no long tasks in { $workspace }
task-head-task = task
task-head-state = state
task-head-command = command
task-head-session = session
task-head-made = made
task-head-news = news

task-state-registered = being given
task-state-dispatched = given
task-state-running = running
task-state-completed = completed
task-state-failed = failed
task-state-cancelled = cancelled
task-state-expired = expired
task-state-asks = asks you
task-state-cancelling = being cancelled

task-late = its end came late; see: entracte task show
task-of = { $command }, asked for in { $session } ({ $call })
task-made = made { $at }
task-taken = taken by the other side { $at }
task-not-taken = it is not known yet whether the other side took it
task-deadline = over { $at }, whatever the other side does
task-poll = the other side is asked next { $at }
task-progress = how far it is, as the other side said { $at }:
task-asks = the other side asks, and waits (answer it: entracte task answer { $task } ANSWER):
task-ended = { $outcome } { $at }; the other side says:
task-ended-late = { $outcome } { $at }, after it was over here; the other side says:
task-contradicted = { $count ->
    [one] the other side told another end once more; it was not counted
   *[other] the other side told other ends { $count } times more; none was counted
}
task-undelivered = its session has not read how it ended
task-told = { $at }  { $id }: { $verdict }
task-cancel-why = { $why ->
    [person] cancelled by { $who } { $at }
    [model] cancelled by its model { $at }
    [session] cancelled with its session { $at }
   *[deadline] cancelled at its deadline { $at }
}
task-cancel = { $why }; { $heard ->
    [confirmed] the other side says that it stopped
    [unconfirmed] the other side did not say that it stopped: it may finish all the same
   *[unsent] the other side is being told
}
task-cancelled-now = { $task } is cancelled here; whether the other side stops: entracte task show { $task }
task-answered-now = { $task } has your answer; the other side is given it

task-verdict-early = its end, before its dispatch was known
task-verdict-normal = its end
task-verdict-progress = how far it is
task-verdict-duplicate = known before
task-verdict-late = its end, too late
task-verdict-contradictory = another end than the one that is known
task-verdict-past = nothing new
