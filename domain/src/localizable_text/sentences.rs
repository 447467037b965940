//! Every sentence of the state machine. The wording is in the text catalogue, under the same keys.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{LocalizableSentence, LocalizableText};

/// A catalogue key, and the names of the placeholders in its text.
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

        /// Key and placeholders of every sentence.
        pub const ALL: &[SentenceSignature] = &[$(($key, &[$(stringify!($value)),*])),*];
    };
}

sentences! {
    /// The workspace asks for approval.
    approval_workspace() = "machine-approval-workspace";
    /// A row that contains others asks for approval. Key and placeholder are stored.
    approval_container(zone: &str) = "machine-approval-zone";
    /// A row in a container asks for approval. Key and placeholder are stored.
    approval_contained(tool: &str) = "machine-approval-tool";
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
    /// The policy asks for an approval.
    approval_policy() = "machine-approval-policy";
    /// The policy asks for an approval, with its reason.
    approval_policy_because(reason: &str) = "machine-approval-policy-because";
    /// The policy gave no answer.
    approval_no_policy() = "machine-approval-no-policy";
    /// The policy gave no answer, with the reason.
    approval_no_policy_because(reason: &str) = "machine-approval-no-policy-because";
    /// The version of the policy that answered.
    policy_version(version: &str) = "machine-policy-version";
    /// Several people must approve, whoever they are.
    approval_quorum(count: u32) = "machine-approval-quorum";
    /// So many of the named ones must approve.
    approval_approvers(count: u32, named: &str) = "machine-approval-approvers";
    /// Another person must approve.
    approval_four_eyes() = "machine-approval-four-eyes";

    /// An event was reported; its payload is data.
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
    /// The request is larger than the model's context window; both in tokens.
    limit_context(size: u64, budget: u64) = "machine-limit-context";
    /// The next model call could exceed a cap on money; the amounts are dollars, and `key` is a part of the setting's name.
    limit_spending_cost(
        place: LocalizableText,
        needed: LocalizableText,
        used: LocalizableText,
        cap: LocalizableText,
        key: &str
    ) = "machine-limit-spending-cost";
    /// The next model call could exceed a cap on tokens.
    limit_spending_tokens(place: LocalizableText, needed: u64, used: u64, cap: u64, key: &str) =
        "machine-limit-spending-tokens";
    /// The question at the soft line of a cap on money; the amounts are dollars, and `key` is a part of the setting's name.
    spending_question_cost(
        place: LocalizableText,
        extra: LocalizableText,
        used: LocalizableText,
        cap: LocalizableText,
        needed: LocalizableText,
        key: &str
    ) = "machine-spending-question-cost";
    /// The question at the soft line of a cap on tokens.
    spending_question_tokens(place: LocalizableText, extra: u64, used: u64, cap: u64, needed: u64, key: &str) =
        "machine-spending-question-tokens";
    /// What was spent for what follows.
    spending_spent_for() = "machine-spending-spent-for";
    /// What one command cost, in dollars.
    spending_share_cost(command: LocalizableText, cost: LocalizableText) = "machine-spending-share-cost";
    /// How many tokens one command used.
    spending_share_tokens(command: LocalizableText, tokens: u64) = "machine-spending-share-tokens";
    /// Answers that requested no command, in the place of its name.
    spending_no_command() = "machine-spending-no-command";
    /// Where a session has used something of a cap.
    spending_session() = "machine-spending-session";
    /// Where a session and its agents have used something of a cap.
    spending_tree() = "machine-spending-tree";
    /// Where an automation has used something of its cap.
    spending_automation_day() = "machine-spending-automation-day";
    /// Where a person has used something of a cap.
    spending_person_day() = "machine-spending-person-day";
    /// Where a workspace has used something of its cap of a day.
    spending_workspace_day() = "machine-spending-workspace-day";
    /// Where a workspace has used something of its cap of a month.
    spending_workspace_month() = "machine-spending-workspace-month";
    /// The limit on calls in a reply was reached.
    limit_calls_per_reply(limit: u32) = "machine-limit-calls-per-reply";
    /// The limit on calls in a session was reached.
    limit_calls_per_session(limit: u32) = "machine-limit-calls-per-session";
    /// Queries are refused because too many rounds only read.
    queries_refused() = "machine-queries-refused";
    /// Commands in a closing reply are refused.
    closing_refusal() = "machine-closing-refusal";
    /// Commands in a reply that had to be words only are refused.
    words_only_refusal() = "machine-words-only-refusal";
    /// What the closing call shall say.
    limit_report() = "machine-limit-report";
    /// The closing call of a run failed, and there is no report.
    report_failed() = "machine-report-failed";
    /// The closing call failed: the circuit breaker's text.
    closing_failed() = "machine-closing-failed";

    /// A fault at a path in the arguments, as part of a failure.
    failure_at(command: &str, code: &str, path: &str) = "machine-failure-at";
    /// A reply that could not be read, as part of a failure.
    failure_of_format(codes: &str) = "machine-failure-of-format";

    /// Counts of successful and failed calls.
    results(done: usize, failed: usize) = "machine-results";
    /// Arguments that a person changed.
    edited_arguments(arguments: &str) = "machine-edited-arguments";
    /// The same action succeeded a moment ago; its result follows.
    repeated(call: &str) = "machine-repeated";
    /// The call was stopped before it started.
    stopped() = "machine-stopped";
    /// It is unknown whether the action happened.
    outcome_unknown() = "machine-outcome-unknown";
    /// The call is pending in the session that this one was copied from.
    not_in_copy() = "machine-not-in-copy";
    /// The call was cancelled because an earlier action failed.
    cancelled_after_failure() = "machine-cancelled-after-failure";
    /// The query was cancelled because the action before it, whose effect it should have read, did not happen.
    cancelled_after_undone(command: &str) = "machine-cancelled-after-undone";
    /// The call got no answer within its time limit.
    call_timed_out() = "machine-call-timed-out";
    /// The result of the call was lost too often.
    call_lost() = "machine-call-lost";
    /// The call's effect did not happen, in too many attempts.
    call_tried_in_vain() = "machine-call-tried-in-vain";
    /// The call's effect did not happen, and it is not retried.
    call_stopped() = "machine-call-stopped";
    /// The catalog no longer has the command.
    command_gone(command: &str) = "machine-command-gone";
    /// The session may no longer ask for the command.
    command_forbidden(command: &str) = "machine-command-forbidden";

    /// A person rejected the call.
    rejected() = "machine-rejected";
    /// A person rejected the call, with a reason.
    rejected_because(reason: &str) = "machine-rejected-because";
    /// The policy hook refused the call.
    policy_denied() = "machine-policy-denied";
    /// The policy hook refused the call, with a reason.
    policy_denied_because(reason: &str) = "machine-policy-denied-because";
    /// The policy rejected the call.
    nobody_to_approve() = "machine-nobody-to-approve";
    /// No person decided in time.
    undecided_in_time() = "machine-undecided-in-time";
    /// A message was sent instead of a decision.
    undecided_for_message() = "machine-undecided-for-message";
    /// The session was stopped before a decision.
    undecided_for_stop() = "machine-undecided-for-stop";
    /// Part of what the approval showed changed; approval is asked again.
    approval_withdrawn(approval: &str, command: &str) = "machine-approval-withdrawn";
    /// An approval was not used in time; approval is asked again.
    approval_unused(approval: &str, command: &str, author: &str) = "machine-approval-unused";
    /// An approval with edited arguments was not used in time; approval is asked again.
    approval_unused_edited(approval: &str, command: &str, author: &str) = "machine-approval-unused-edited";
    /// A person declares that an unknown action happened.
    settled_happened(author: &str, command: &str) = "machine-settled-happened";
    /// A person declares that an unknown action happened, with a note.
    settled_happened_with_note(author: &str, command: &str, note: &str) = "machine-settled-happened-with-note";
    /// A person declares that an unknown action did not happen.
    settled_absent(author: &str, command: &str) = "machine-settled-absent";
    /// A person declares that an unknown action did not happen, with a note.
    settled_absent_with_note(author: &str, command: &str, note: &str) = "machine-settled-absent-with-note";

    /// A question that got no answer.
    question_unanswered(question: &str) = "machine-question-unanswered";
    /// A question that got no answer in time.
    question_expired(question: &str) = "machine-question-expired";
    /// A question of a run, which no person can answer.
    nobody_to_answer() = "machine-nobody-to-answer";
    /// The answer yes.
    answer_yes() = "machine-answer-yes";
    /// The answer no.
    answer_no() = "machine-answer-no";

    /// A reply could not be read; its faults follow.
    reply_unreadable() = "machine-reply-unreadable";
    /// The output limit, in tokens, cut a reply; the model goes on where it ended.
    reply_cut(limit: u32) = "machine-reply-cut";
    /// The model's own output limit cut a reply; the model goes on where it ended.
    reply_cut_by_model() = "machine-reply-cut-by-model";
    /// What a model does after a cut reply of native tools.
    cut_reply_goes_on() = "machine-cut-reply-goes-on";
    /// What a model does after a cut envelope, which is useless in parts.
    cut_envelope_again() = "machine-cut-envelope-again";
    /// The output limit, in tokens, cut the second reply in a row; for people.
    reply_cut_again(limit: u32) = "machine-reply-cut-again";
    /// The model's own output limit cut the second reply in a row; for people.
    reply_cut_again_by_model() = "machine-reply-cut-again-by-model";
    /// A person stopped a reply while the model was writing it.
    reply_stopped(person: &str) = "machine-reply-stopped";
    /// The server ended a reply for a reason that this version does not know.
    reply_ended_by_unknown(reason: &str) = "machine-reply-ended-by-unknown";
    /// A reply contained no commands.
    reply_without_commands() = "machine-reply-without-commands";
    /// A run's reply contained no commands; the model is asked whether it is done.
    check_words() = "machine-check-words";
    /// An answer in a chat was empty.
    empty_reply() = "machine-empty-reply";
    /// The second empty answer in a row, as shown to people.
    empty_reply_again() = "machine-empty-reply-again";
    /// The plan is shown; the model continues.
    plan_shown() = "machine-plan-shown";
    /// The action needs an approved plan first.
    plan_first(command: &str) = "machine-plan-first";
    /// A plan must be proposed alone, without actions beside it.
    plan_alone() = "machine-plan-alone";
    /// All steps of the approved plan are done or skipped.
    plan_over(command: &str) = "machine-plan-over";
    /// A later plan of the same reply replaces this one.
    plan_replaced() = "machine-plan-replaced";
    /// The plan was proposed without a title.
    plan_untitled() = "machine-plan-untitled";
    /// A step of a proposed plan has no id or no text.
    plan_step_empty(number: usize) = "machine-plan-step-empty";
    /// Two steps of a proposed plan have the same id.
    plan_step_twice(step: &str) = "machine-plan-step-twice";
    /// The approved plan has no such step.
    plan_step_unknown(step: &str, steps: &str) = "machine-plan-step-unknown";
    /// The model declares the work completed and is asked to confirm.
    check_completion() = "machine-check-completion";
    /// An agent that ends is asked once whether it is done.
    check_exit() = "machine-check-exit";
    /// A person declares that the work is not completed.
    completion_rejected() = "machine-completion-rejected";
    /// A person declares that the work is not completed, with a reason.
    completion_rejected_because(reason: &str) = "machine-completion-rejected-because";
    /// `completed` is ignored in a chat.
    completed_ignored_in_chat() = "machine-completed-ignored-in-chat";
    /// `completed` is ignored beside commands.
    completed_ignored_beside_commands() = "machine-completed-ignored-beside-commands";
    /// `keep_control` is ignored without actions.
    keep_control_ignored() = "machine-keep-control-ignored";
    /// `validation_request` is ignored without actions.
    validation_request_ignored() = "machine-validation-request-ignored";

    /// A run reached its time limit, in whole minutes.
    run_over(minutes: i64) = "machine-run-over";
    /// A run reached its time limit, a duration given as its own sentence.
    run_over_after(span: LocalizableText) = "machine-run-over-after";
    /// A run was inactive for some minutes.
    run_inactive(minutes: i64) = "machine-run-inactive";
    /// A run was inactive for a duration given as its own sentence.
    run_inactive_for(span: LocalizableText) = "machine-run-inactive-for";
    /// A duration in whole seconds.
    span_seconds(count: i64) = "machine-span-seconds";
    /// A duration in milliseconds.
    span_millis(count: i64) = "machine-span-millis";
    /// A long task succeeded.
    task_ended(task: &str) = "machine-task-ended";
    /// A long task failed.
    task_failed(task: &str) = "machine-task-failed";
    /// Introduces the mission of an agent.
    mission() = "machine-mission";
    /// Introduces the caller's answer to an agent.
    mission_answer() = "machine-mission-answer";
    /// A mission exit or a question is refused beside commands.
    exit_alone() = "machine-exit-alone";
    /// An agent's reply was empty.
    agent_silent() = "machine-agent-silent";
    /// A question of an agent got no answer in time.
    nobody_answered() = "machine-nobody-answered";
    /// The maximum depth of agents is reached.
    agents_too_deep(agent: &str, limit: u32) = "machine-agents-too-deep";
    /// The maximum number of simultaneous agents of a session is reached.
    agents_at_once(agent: &str, limit: u32) = "machine-agents-at-once";
    /// The maximum number of agents of the tree was started.
    agents_used_up(agent: &str) = "machine-agents-used-up";
    /// The rounds for agents are used up.
    agent_rounds_used_up(agent: &str) = "machine-agent-rounds-used-up";
    /// The agent's provider is not permitted.
    agent_provider(agent: &str) = "machine-agent-provider";
    /// This session has no such resting agent.
    agent_not_yours(child: &str) = "machine-agent-not-yours";
    /// A long task was cancelled.
    task_cancelled(task: &str) = "machine-task-cancelled";
    /// The deadline of a long task passed, and its outcome is unknown.
    task_expired(task: &str) = "machine-task-expired";
    /// A long task ended after its deadline or cancellation; the outcome is its own sentence.
    task_late(how: LocalizableText) = "machine-task-late";
    /// Introduces the summary of the conversation.
    context_summary() = "machine-context-summary";
    /// The context could not be summarized.
    context_too_long(message: &str) = "machine-context-too-long";
    /// A model's answer was lost twice.
    answer_lost_twice() = "machine-answer-lost-twice";
    /// The process died repeatedly in the same model call.
    crashed_in_call(count: u64) = "machine-crashed-in-call";
    /// A provider has no credit; another one continues.
    fell_back_exhausted(from: &str, to: &str) = "machine-fell-back-exhausted";
    /// A provider cannot be reached; another one continues.
    fell_back_unreachable(from: &str, to: &str) = "machine-fell-back-unreachable";
    /// A provider gave no complete answer twice; another one continues.
    fell_back_lost(from: &str, to: &str) = "machine-fell-back-lost";
    /// A provider throttles requests; another one continues.
    fell_back_throttled(from: &str, to: &str) = "machine-fell-back-throttled";
    /// A provider is overloaded; another one continues.
    fell_back_overloaded(from: &str, to: &str) = "machine-fell-back-overloaded";
    /// A provider refuses the content; another one continues.
    fell_back_refused(from: &str, to: &str) = "machine-fell-back-refused";
    /// The conversation is too long for a provider's model; another one continues.
    fell_back_too_long(from: &str, to: &str) = "machine-fell-back-too-long";
    /// A provider is misconfigured; another one continues.
    fell_back_misconfigured(from: &str, to: &str) = "machine-fell-back-misconfigured";
    /// An agent's conversation is too long for its model.
    agent_ended_context() = "machine-agent-ended-context";
    /// An agent rested for an answer that did not come.
    agent_ended_unanswered() = "machine-agent-ended-unanswered";
    /// An agent sent two empty replies in a row.
    agent_ended_empty_replies() = "machine-agent-ended-empty-replies";
    /// The output limit cut two replies of an agent.
    agent_ended_cut_replies() = "machine-agent-ended-cut-replies";
    /// The reply of an agent ended for an unknown reason.
    agent_ended_unknown_reply_end() = "machine-agent-ended-unknown-reply-end";
    /// The outcome of an action of an agent is unknown.
    agent_ended_outcome_unknown() = "machine-agent-ended-outcome-unknown";
    /// The model of an agent could not be reached.
    agent_ended_unreachable() = "machine-agent-ended-unreachable";
    /// The answer of an agent's model was lost.
    agent_ended_lost() = "machine-agent-ended-lost";
    /// The model of an agent is rate-limited.
    agent_ended_throttled() = "machine-agent-ended-throttled";
    /// The model of an agent is overloaded.
    agent_ended_overloaded() = "machine-agent-ended-overloaded";
    /// The model of an agent may not be paid for.
    agent_ended_spending() = "machine-agent-ended-spending";
    /// The credit of an agent's model is used up.
    agent_ended_exhausted() = "machine-agent-ended-exhausted";
    /// The model of an agent refuses the content.
    agent_ended_refused() = "machine-agent-ended-refused";
    /// The model of an agent cannot be used as it is set up.
    agent_ended_misconfigured() = "machine-agent-ended-misconfigured";
    /// An internal error ended an agent.
    agent_ended_internal() = "machine-agent-ended-internal";
}
