//! Selects the catalogue texts of level 1.

use entracte_domain::plan::PlanCommand;
use entracte_domain::session::{ActionFailurePolicy, Dialect, SessionKind, UnattendedPolicy};

use crate::command_naming::CommandNaming;
use crate::commands::{AgentsExecutor, PlansExecutor};
use crate::schema::SchemaDocument;
use crate::texts::{LocalizedTexts, say};

/// The model's role.
pub(crate) fn role(texts: &LocalizedTexts, kind: SessionKind, workspace: &str) -> String {
    let who = match kind {
        SessionKind::Chat => say!(texts, "prompt-role-chat", workspace = workspace),
        SessionKind::Automation | SessionKind::Seed => say!(texts, "prompt-role-run", workspace = workspace),
        SessionKind::Agent => say!(texts, "prompt-role-agent", workspace = workspace),
    };
    say!(texts, "prompt-role", who = who)
}

/// How to read the conversation.
pub(crate) fn conversation(texts: &LocalizedTexts, zone: &str) -> String {
    say!(texts, "prompt-conversation", zone = zone)
}

/// The reply format.
pub(crate) fn format(
    texts: &LocalizedTexts,
    kind: SessionKind,
    dialect: Dialect,
    result: Option<&SchemaDocument>,
) -> String {
    match dialect {
        Dialect::Envelope => say!(texts, "prompt-format-envelope", fields = fields(texts, kind, result)),
        Dialect::Tools => say!(texts, "prompt-format-tools"),
    }
}

/// The envelope fields that only some session kinds have.
fn fields(texts: &LocalizedTexts, kind: SessionKind, result: Option<&SchemaDocument>) -> String {
    let plan = say!(texts, "prompt-format-plan");
    match kind {
        SessionKind::Chat => {
            let keep_control = say!(texts, "prompt-format-keep-control");
            [keep_control, say!(texts, "prompt-format-question"), plan].join("\n")
        }
        SessionKind::Seed => [say!(texts, "prompt-format-completed"), plan].join("\n"),
        SessionKind::Automation => {
            [say!(texts, "prompt-format-completed"), say!(texts, "prompt-format-terminate"), plan].join("\n")
        }
        SessionKind::Agent => {
            let fits = result.map(|schema| say!(texts, "prompt-format-result", schema = schema.to_string()));
            let exit = [Some(say!(texts, "prompt-format-exit")), fits].into_iter().flatten();
            let asks = say!(texts, "prompt-format-ask-principal");
            [exit.collect::<Vec<_>>().join(" "), asks, say!(texts, "prompt-format-question"), plan].join("\n")
        }
    }
}

/// The text about what follows an answer.
pub(crate) fn work(
    texts: &LocalizedTexts,
    kind: SessionKind,
    dialect: Dialect,
    on_failure: ActionFailurePolicy,
) -> String {
    let follows = match (dialect, kind) {
        (Dialect::Envelope, SessionKind::Chat) => "prompt-work-envelope-chat",
        (Dialect::Envelope, SessionKind::Automation | SessionKind::Seed) => "prompt-work-envelope-run",
        (Dialect::Envelope, SessionKind::Agent) => "prompt-work-envelope-agent",
        (Dialect::Tools, SessionKind::Chat) => "prompt-work-tools-chat",
        (Dialect::Tools, SessionKind::Automation | SessionKind::Seed) => "prompt-work-tools-run",
        (Dialect::Tools, SessionKind::Agent) => "prompt-work-tools-agent",
    };
    let on_failure = match on_failure {
        ActionFailurePolicy::Stop => "prompt-work-failure-stop",
        ActionFailurePolicy::Continue => "prompt-work-failure-continue",
    };
    say!(texts, "prompt-work", follows = say!(texts, follows), on_failure = say!(texts, on_failure))
}

/// The text about agents and the meaning of their results.
pub(crate) fn agents(texts: &LocalizedTexts, dialect: Dialect) -> String {
    let continues = CommandNaming::from_dialect(dialect)
        .format_call(AgentsExecutor::CONTINUE_WORD, AgentsExecutor::CONTINUE);
    say!(texts, "prompt-agents", command = continues)
}

/// How a plan is proposed and carried out.
pub(crate) fn plans(texts: &LocalizedTexts, dialect: Dialect) -> String {
    let naming = CommandNaming::from_dialect(dialect);
    let (propose, step) = (
        naming.format_call(PlansExecutor::PROPOSE, PlanCommand::Propose.word()),
        naming.format_call(PlansExecutor::STEP, PlanCommand::Step.word()),
    );
    say!(texts, "prompt-plans", propose = propose, step = step)
}

/// How actions are approved.
pub(crate) fn approvals(texts: &LocalizedTexts, kind: SessionKind, unattended: UnattendedPolicy) -> String {
    let when = match (kind, unattended) {
        (SessionKind::Chat, _) => "prompt-approval-asked",
        (SessionKind::Automation | SessionKind::Seed | SessionKind::Agent, UnattendedPolicy::Park) => {
            "prompt-approval-parked"
        }
        (SessionKind::Automation | SessionKind::Seed | SessionKind::Agent, UnattendedPolicy::Refuse) => {
            "prompt-approval-refused"
        }
        (SessionKind::Automation | SessionKind::Seed | SessionKind::Agent, UnattendedPolicy::Allow) => {
            "prompt-approval-given"
        }
    };
    say!(texts, "prompt-approval", when = say!(texts, when))
}

/// The meaning of results and their codes.
pub(crate) fn results(texts: &LocalizedTexts) -> String {
    say!(texts, "prompt-results")
}
