# What a dry run of an automation says.
dry-done = This is a dry run: nothing more to say.
dry-not-done = This is a dry run: the action was not carried out.
dry-not-asked = This is a dry run: nothing outside the workspace is asked.
dry-refused = A run cannot be made: { $why }
dry-provider = The provider cannot be used: { $why }
dry-attention = It does not run until you look at it: { $why }
dry-off = It is switched off, so it does not run by itself.
dry-never-due = Its schedule has no future times.
dry-too-long = The first request has about { $tokens } tokens, but the model takes { $most }.
dry-ended = The run ended with { $reason }.{ $why ->
        [none] {""}
       *[other] { " " }{ $why }
    }
dry-rests = The run stopped before its work was done.{ $why ->
        [none] {""}
       *[other] { " " }{ $why }
    }
dry-unfinished = The run did not end in the time that a dry run has.{ $why ->
        [none] {""}
       *[other] { " " }{ $why }
    }
dry-failed = { $command } failed: { $why }
dry-left-out = The action { $command } would not be carried out: { $why }
dry-held-back = { $command } asks something outside the workspace, so a dry run does not try it.
dry-waits = { $calls ->
        [one] One action needs an approval: the run would wait for it.
       *[other] { $calls } actions need an approval: the run would wait for them.
    }
dry-would-work = { $name }: a run would do its work.
dry-would-leave-out = { $name }: a run would come to its end, but it would not do all that it asks for.
dry-would-not-work = { $name }: a run would not do its work.
dry-next = Next run: { $at }
dry-plays-last-run = Played with the answers of the latest run, { $session }; nothing was changed or sent.
dry-plays-script = Played with the script; nothing was changed or sent.
dry-plays-nothing = There is no earlier run to replay, so the model only said that it is done. Give --script for more.
dry-asked = What the model is asked first (about { $tokens } tokens):
dry-asked-of = What the model is asked first (about { $tokens } of { $most } tokens):
dry-calls = What it did:
dry-commands = What its runs may use:
dry-asks = asks you
dry-asks-not = —
dry-held = not carried out
dry-head-command = command
dry-head-kind = kind
dry-head-approval = approval
dry-head-became = outcome
dry-head-what = what
