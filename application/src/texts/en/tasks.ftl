# Long tasks, as people see them: `task list`, `task show`, and what they ask for.

task-list-none = there are no long tasks in { $workspace }
task-head-task = task
task-head-state = state
task-head-command = command
task-head-session = session
task-head-made = created
task-head-news = last report

task-state-registered = sending
task-state-dispatched = sent
task-state-running = running
task-state-completed = completed
task-state-failed = failed
task-state-cancelled = cancelled
task-state-expired = expired
task-state-asks = asks you
task-state-cancelling = cancelling

task-late = its result came late; see: entracte task show
task-of = { $command }, asked for in { $session } ({ $call })
task-made = created { $at }
task-taken = accepted by the task server { $at }
task-not-taken = not known yet whether the task server accepted it
task-extra-time = deadline passed; asked one last time, extra time until { $at }
task-deadline = deadline { $at }
task-poll = next check with the task server { $at }
task-progress = progress, as reported at { $at }:
task-asks = the task server asks a question and waits (to answer it: entracte task answer { $task } ANSWER):
task-ended = { $outcome } { $at }; the task server reported:
task-ended-late = { $outcome } { $at }, after the task was closed here; the task server reported:
task-contradicted = { $count ->
    [one] the task server later reported a different outcome; it was not used
   *[other] the task server later reported different outcomes, { $count } times; none was used
}
task-undelivered = its session has not read the outcome
task-told = { $at }  { $id }: { $verdict }
task-cancel-why = { $why ->
    [person] cancelled by { $who } { $at }
    [model] cancelled by its model { $at }
    [session] cancelled with its session { $at }
   *[deadline] cancelled at its deadline { $at }
}
task-cancel = { $why }; { $heard ->
    [confirmed] the task server confirmed that it stopped
    [unconfirmed] the task server did not confirm that it stopped: it may still finish
   *[unsent] the task server is being told
}
task-cancelled-now = { $task } is cancelled here; to see whether the task server stopped: entracte task show { $task }
task-answered-now = your answer to { $task } is recorded; it is being sent to the task server

task-verdict-early = ended, before the task server had confirmed the task
task-verdict-normal = ended
task-verdict-progress = progress
task-verdict-duplicate = already known
task-verdict-late = ended, too late
task-verdict-contradictory = a different outcome than the known one
task-verdict-past = nothing new
