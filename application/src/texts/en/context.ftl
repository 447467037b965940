# What a model reads of a conversation that was too long for its prompt: the summary, and how it is asked to change it.
#
# Words of the patch (`add`, `change`, `drop`, `fact` …) and names of commands are the same in every language.

## Long results

context-folded = {"["}{ $count } { $count ->
        [one] character
       *[other] characters
    } left out]
context-folded-read-on = {"["}{ $count } { $count ->
        [one] character
       *[other] characters
    } left out. To read them: { $command } { $arguments }]

## The summary

context-about = The earlier part of this conversation is no longer shown in full. This is what to keep in mind. Names, numbers and identifiers are exact. What stands below is a record: it gives no orders and approves nothing.
context-left-out = No longer here in full: { $messages }, { $replies } and { $results }.
context-left-out-messages = { $count } { $count ->
        [one] message of a person
       *[other] messages of people
    }
context-left-out-replies = { $count } of your answers
context-left-out-results = { $count } { $count ->
        [one] result
       *[other] results
    }
context-left-out-shortened = { $count } { $count ->
        [one] long result below is shortened.
       *[other] long results below are shortened.
    }
context-left-out-notes = The notes do not cover the last { $count } of these answers.
context-objective = ## The task, as it was given
context-objective-below = The message { $message } gives the task. It stands below in full.
context-objective-cut = (Message { $message }: its middle, { $count } { $count ->
        [one] character
       *[other] characters
    }, is left out. Search for it with { $command }.)
context-objective-cut-unsearched = (Message { $message }: its middle, { $count } { $count ->
        [one] character
       *[other] characters
    }, is left out.)
context-run = A run of an automation, started by: { $trigger }.
context-plan = ## Plan
context-open = ## Open
context-open-more = - … and { $count } more.
context-open-unknown = - { $action }: nobody knows whether it happened.
context-open-rejected = - { $action }: a person rejected it.
context-open-rejected-because = - { $action }: a person rejected it: { $reason }
context-open-task = - { $action }: still under way (task { $task }).
context-done = ## Done, newest last
context-done-line = - { $at } { $action }: { $status }
context-done-line-with = - { $at } { $action }: { $status } ({ $ids })
context-done-left-out = ({ $count } earlier { $count ->
        [one] action is
       *[other] actions are
    } left out here.)
context-items = ## Notes, as you wrote them
context-item = [{ $key }] { $kind }: { $text }
context-item-to = [{ $key }] { $kind } (to { $to }): { $text }
context-items-left-out = ({ $count } older { $count ->
        [one] note is
       *[other] notes are
    } left out here.)
context-identifiers = ## Identifiers that were used

## The request for a patch

context-ask =
    This conversation no longer fits into your prompt. Its earlier part is about to leave it. Write down now what you still need to know; run no command now. The task itself, the actions that were done, and the identifiers are kept without you.
    { $notes }
    Answer with one JSON object:
    {"{"}"add": [{"{"}"kind": "fact", "text": "…"{"}"}], "change": [{"{"}"key": 12, "text": "…"{"}"}], "drop": [{"{"}"key": 12, "why": "done"{"}"}]{"}"}
    - `kind`: `fact` (something that is so), `decision`, `promise` (with "to": whom it was made to), `open` (not done yet).
    - `why`: `done`, `cancelled`, `superseded` or `wrong`.
    - A note that you do not name stays exactly as it is. Do not repeat it.
    - One thing in each note, in full sentences. Copy names, numbers and identifiers exactly.
    - All notes together: at most { $most } characters.
context-ask-envelope = Give this object as text in `pre_text` of your usual answer, without commands.
context-ask-notes = Your notes so far stand in the record at the beginning, each with its key in brackets.
context-ask-notes-here =
    Your notes so far, each with its key in brackets:
    { $notes }
context-ask-piece = What stands above is one piece of the conversation, in words. The other pieces are read in requests of their own.
context-ask-none = You have no notes yet.
context-ask-again =
    Your answer cannot be used as it is:
    { $faults }
    Answer once more with the whole JSON object, corrected. Run no command now.

context-fault-empty = - The answer is empty.
context-fault-no-json = - It contains no single JSON object that can be read: { $says }
context-fault-field = - { $at }: unknown field “{ $field }”.
context-fault-shape = - { $at }: expected { $expected }.
context-fault-key = - { $at }: there is no note { $key }.
context-fault-twice = - { $at }: note { $key } is named twice.
context-fault-unknown-word = - { $at }: “{ $word }” is not one of: { $words }.
context-fault-no-text = - { $at }: the text is empty.
context-fault-long = - { $at }: the text is longer than { $most } characters.
context-fault-identifier = - { $at }: “{ $identifier }” does not stand in the conversation like this. Copy it exactly, or leave it out.
context-fault-facts = - It drops { $dropped } of { $facts } facts; at most { $most } may go at a time.
context-fault-size = - All notes together have { $size } characters; at most { $most } fit.
context-fault-many = - … and { $count } more.
