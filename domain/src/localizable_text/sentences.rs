//! Every sentence that the machine says. The texts are in the catalogue, under the same keys.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{LocalizableSentence, LocalizableText};

/// A key of the catalogue, and the names of the places in its text.
pub type SentenceSignature = (&'static str, &'static [&'static str]);

macro_rules! sentences {
    ($($(#[$doc:meta])* $name:ident($($value:ident: $kind:ty),*) = $key:literal;)*) => {
        $(
            $(#[$doc])*
            pub fn $name($($value: $kind),*) -> LocalizableText {
                LocalizableText::from_sentence(LocalizableSentence {
                    key: Cow::Borrowed($key),
                    values: BTreeMap::from([$((Cow::Borrowed(stringify!($value)), $value.into())),*]),
                })
            }
        )*

        /// Every sentence.
        pub const ALL: &[SentenceSignature] = &[$(($key, &[$(stringify!($value)),*])),*];
    };
}

sentences! {
    /// The workspace asks for approval.
    approval_workspace() = "machine-approval-workspace";
    /// The zone asks for approval.
    approval_zone(zone: &str) = "machine-approval-zone";
    /// The tool asks for approval.
    approval_tool(tool: &str) = "machine-approval-tool";
    /// The session asks for approval.
    approval_session() = "machine-approval-session";
    /// The model asks for approval.
    approval_model() = "machine-approval-model";
    /// It cannot be undone.
    approval_destructive() = "machine-approval-destructive";
    /// It sends data out.
    approval_egress() = "machine-approval-egress";
    /// A person decides on this command each time.
    approval_command() = "machine-approval-command";
    /// It is a plan.
    approval_plan() = "machine-approval-plan";
    /// Somebody else must approve.
    approval_four_eyes() = "machine-approval-four-eyes";

    /// An event was reported; what came with it is data.
    event_reported() = "machine-event-reported";

    /// The limit on rounds was reached.
    limit_rounds(count: u32, limit: u32) = "machine-limit-rounds";
    /// The limit on rounds that only read was reached.
    limit_query_rounds(limit: u32) = "machine-limit-query-rounds";
    /// The limit on rounds with failed actions was reached.
    limit_failed_action_rounds(count: u32, limit: u32) = "machine-limit-failed-action-rounds";
    /// The limit on unreadable replies was reached.
    limit_format_errors(count: u32, limit: u32) = "machine-limit-format-errors";
    /// The limit on equal failures was reached.
    limit_equal_failures(limit: u32, failure: LocalizableText) = "machine-limit-equal-failures";
    /// The limit on relaunches was reached.
    limit_relaunches(count: u32, limit: u32) = "machine-limit-relaunches";
    /// The limit on rounds without progress was reached.
    limit_without_progress(count: u32, limit: u32) = "machine-limit-without-progress";
    /// What must be sent is larger than the model takes; both in tokens.
    limit_context(size: u64, budget: u64) = "machine-limit-context";
    /// The limit on calls in a reply was reached.
    limit_calls_per_reply(limit: u32) = "machine-limit-calls-per-reply";
    /// The limit on calls in a session was reached.
    limit_calls_per_session(limit: u32) = "machine-limit-calls-per-session";
    /// Queries that are refused, because too many rounds only read.
    queries_refused() = "machine-queries-refused";
    /// Commands of a closing reply.
    closing_refusal() = "machine-closing-refusal";
    /// Commands of a reply that was to be words alone.
    words_only_refusal() = "machine-words-only-refusal";
    /// The closing call failed: the circuit breaker's answer.
    closing_failed() = "machine-closing-failed";

    /// A fault at a place in the arguments, as part of what failed.
    failure_at(command: &str, code: &str, path: &str) = "machine-failure-at";
    /// A reply that could not be read, as part of what failed.
    failure_of_format(codes: &str) = "machine-failure-of-format";

    /// How many calls were done, and how many not.
    results(done: usize, failed: usize) = "machine-results";
    /// Arguments that a person changed.
    edited_arguments(arguments: &str) = "machine-edited-arguments";
    /// The same action succeeded a moment ago; its answer follows.
    repeated(call: &str) = "machine-repeated";
    /// Stopped before it began.
    stopped() = "machine-stopped";
    /// Nobody knows whether it happened.
    outcome_unknown() = "machine-outcome-unknown";
    /// Open in the session that this one is a copy of.
    not_in_copy() = "machine-not-in-copy";
    /// An earlier action failed.
    cancelled_after_failure() = "machine-cancelled-after-failure";
    /// No answer in time.
    call_timed_out() = "machine-call-timed-out";
    /// The answer was lost too often.
    call_lost() = "machine-call-lost";
    /// It did not happen, too often.
    call_tried_in_vain() = "machine-call-tried-in-vain";
    /// It did not happen, and nothing is tried again.
    call_stopped() = "machine-call-stopped";
    /// The catalog no longer has the command.
    command_gone(command: &str) = "machine-command-gone";
    /// The session may no longer ask for the command.
    command_forbidden(command: &str) = "machine-command-forbidden";

    /// A person said no.
    rejected() = "machine-rejected";
    /// A person said no, and why.
    rejected_because(reason: &str) = "machine-rejected-because";
    /// The policy said no.
    nobody_to_approve() = "machine-nobody-to-approve";
    /// Nobody decided in time.
    undecided_in_time() = "machine-undecided-in-time";
    /// A message came in the place of a decision.
    undecided_for_message() = "machine-undecided-for-message";
    /// A stop came in the place of a decision.
    undecided_for_stop() = "machine-undecided-for-stop";
    /// Something of what was asked changed; it is asked anew.
    approval_withdrawn(approval: &str, command: &str) = "machine-approval-withdrawn";
    /// An approval was not used in time; it is asked anew.
    approval_unused(approval: &str, command: &str, author: &str) = "machine-approval-unused";
    /// The same, of one that was given with other arguments.
    approval_unused_edited(approval: &str, command: &str, author: &str) = "machine-approval-unused-edited";
    /// A person says that an unknown action happened.
    settled_happened(author: &str, command: &str) = "machine-settled-happened";
    /// The same, with a note.
    settled_happened_with_note(author: &str, command: &str, note: &str) = "machine-settled-happened-with-note";
    /// A person says that an unknown action did not happen.
    settled_absent(author: &str, command: &str) = "machine-settled-absent";
    /// The same, with a note.
    settled_absent_with_note(author: &str, command: &str, note: &str) = "machine-settled-absent-with-note";

    /// A question that got no answer.
    question_unanswered(question: &str) = "machine-question-unanswered";
    /// A question that got no answer in time.
    question_expired(question: &str) = "machine-question-expired";
    /// A question of a run, where nobody answers.
    nobody_to_answer() = "machine-nobody-to-answer";
    /// The answer yes.
    answer_yes() = "machine-answer-yes";
    /// The answer no.
    answer_no() = "machine-answer-no";

    /// A reply could not be read; its faults follow.
    reply_unreadable() = "machine-reply-unreadable";
    /// A reply asked for nothing.
    reply_without_commands() = "machine-reply-without-commands";
    /// A run's reply asked for nothing: is it done?
    check_words() = "machine-check-words";
    /// An answer in a chat was empty.
    empty_reply() = "machine-empty-reply";
    /// So was the next; for people.
    empty_reply_again() = "machine-empty-reply-again";
    /// The plan is shown; the model goes on.
    plan_shown() = "machine-plan-shown";
    /// An action that needs an approved plan before it.
    plan_first(command: &str) = "machine-plan-first";
    /// A plan is proposed alone, without actions beside it.
    plan_alone() = "machine-plan-alone";
    /// All steps of the approved plan are done or skipped.
    plan_over(command: &str) = "machine-plan-over";
    /// A later plan of the same reply takes its place.
    plan_replaced() = "machine-plan-replaced";
    /// Proposed without a title.
    plan_untitled() = "machine-plan-untitled";
    /// A step of a proposed plan has no id or no text.
    plan_step_empty(number: usize) = "machine-plan-step-empty";
    /// Two steps of a proposed plan have the same id.
    plan_step_twice(step: &str) = "machine-plan-step-twice";
    /// The approved plan has no such step.
    plan_step_unknown(step: &str, steps: &str) = "machine-plan-step-unknown";
    /// The work is said to be completed.
    check_completion() = "machine-check-completion";
    /// An agent that ends is asked once whether it is done.
    check_exit() = "machine-check-exit";
    /// A person says that it is not.
    completion_rejected() = "machine-completion-rejected";
    /// A person says that it is not, and why.
    completion_rejected_because(reason: &str) = "machine-completion-rejected-because";
    /// `completed` of a chat.
    completed_ignored_in_chat() = "machine-completed-ignored-in-chat";
    /// `completed` beside commands.
    completed_ignored_beside_commands() = "machine-completed-ignored-beside-commands";
    /// `keep_control` without actions.
    keep_control_ignored() = "machine-keep-control-ignored";
    /// `validation_request` without actions.
    validation_request_ignored() = "machine-validation-request-ignored";

    /// A run reached its time limit, in whole minutes.
    run_over(minutes: i64) = "machine-run-over";
    /// A run reached its time limit, a span of its own sentence.
    run_over_after(span: LocalizableText) = "machine-run-over-after";
    /// A run did nothing for so many minutes.
    run_inactive(minutes: i64) = "machine-run-inactive";
    /// A run did nothing for a span of its own sentence.
    run_inactive_for(span: LocalizableText) = "machine-run-inactive-for";
    /// A span of whole seconds.
    span_seconds(count: i64) = "machine-span-seconds";
    /// A span of milliseconds.
    span_millis(count: i64) = "machine-span-millis";
    /// A long task succeeded.
    task_ended(task: &str) = "machine-task-ended";
    /// A long task failed.
    task_failed(task: &str) = "machine-task-failed";
    /// What an agent is to do follows.
    mission() = "machine-mission";
    /// What whoever called an agent answers follows.
    mission_answer() = "machine-mission-answer";
    /// The end of a mission, or a question, beside commands.
    exit_alone() = "machine-exit-alone";
    /// An agent said nothing.
    agent_silent() = "machine-agent-silent";
    /// A question of an agent got no answer in time.
    nobody_answered() = "machine-nobody-answered";
    /// As many levels of agents as may be are above an agent.
    agents_too_deep(agent: &str, limit: u32) = "machine-agents-too-deep";
    /// As many agents as may be work for a session.
    agents_at_once(agent: &str, limit: u32) = "machine-agents-at-once";
    /// As many agents as may be were started.
    agents_used_up(agent: &str) = "machine-agents-used-up";
    /// The rounds of the agents are used up.
    agent_rounds_used_up(agent: &str) = "machine-agent-rounds-used-up";
    /// The provider of an agent may not be asked.
    agent_provider(agent: &str) = "machine-agent-provider";
    /// There is no such agent of this session at rest.
    agent_not_yours(child: &str) = "machine-agent-not-yours";
    /// A long task was called off.
    task_cancelled(task: &str) = "machine-task-cancelled";
    /// The deadline of a long task passed, and nobody knows what became of it.
    task_expired(task: &str) = "machine-task-expired";
    /// A long task ended after its deadline, or after it was called off: how is a sentence of its own.
    task_late(how: LocalizableText) = "machine-task-late";
    /// The summary of the conversation follows.
    context_summary() = "machine-context-summary";
    /// The context could not be summed up.
    context_too_long(message: &str) = "machine-context-too-long";
    /// The answer of a model was lost again.
    answer_lost_twice() = "machine-answer-lost-twice";
    /// The process died in one model call again and again.
    crashed_in_call(count: u64) = "machine-crashed-in-call";
    /// A provider has no credit; another one goes on.
    fell_back_exhausted(from: &str, to: &str) = "machine-fell-back-exhausted";
    /// A provider cannot be reached; another one goes on.
    fell_back_unreachable(from: &str, to: &str) = "machine-fell-back-unreachable";
    /// A provider gave no whole answer twice; another one goes on.
    fell_back_lost(from: &str, to: &str) = "machine-fell-back-lost";
    /// A provider is asked too often; another one goes on.
    fell_back_throttled(from: &str, to: &str) = "machine-fell-back-throttled";
    /// A provider is overloaded; another one goes on.
    fell_back_overloaded(from: &str, to: &str) = "machine-fell-back-overloaded";
    /// A provider refuses the content; another one goes on.
    fell_back_refused(from: &str, to: &str) = "machine-fell-back-refused";
    /// A provider's model does not take so long a conversation; another one goes on.
    fell_back_too_long(from: &str, to: &str) = "machine-fell-back-too-long";
    /// A provider cannot be used as it is set up; another one goes on.
    fell_back_misconfigured(from: &str, to: &str) = "machine-fell-back-misconfigured";
}
