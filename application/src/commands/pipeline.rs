//! Resolves requested calls of both dialects in one place: known or not, allowed or not, arguments valid or not,
//! approval needed or not, an identical call in the ledger or not. The result is part of the fact that the state
//! machine decides by.

mod exchange_commands;
mod precheck;
mod recheck;

use std::sync::Arc;

use entracte_domain::call::{CallFailure, CallStatus};
use entracte_domain::command::{Command, CommandKind, CommandTerms, FIND_COMMANDS, since_last_change};
use entracte_domain::id::{CallId, Digest, SessionId, TaskId, WorkspaceKey};
use entracte_domain::ledger_state::LedgerState;
use entracte_domain::period::PeriodUnit;
use entracte_domain::plan::PlanMode;
use entracte_domain::session::{CallLookup, CallRefusal, IdenticalCall, RequestedCall, SessionFacts};
use entracte_domain::time::Timestamp;
use entracte_domain::validation::{
    ApprovalCard, ApprovalReason, ExchangePrincipal, PolicyAnswer, RuleCandidate, RuleRequester,
    StandingApprovalRule, UseClaim, ValidationLevel, four_eyes_objection, needs_person,
};
use entracte_domain::value::JsonValue;

pub use self::exchange_commands::ExchangeCommandIndex;
pub(crate) use self::exchange_commands::commands_of;
use self::precheck::{UnapprovedCall, find_faults};
pub(crate) use self::recheck::may_ask;
use super::deceptive_values::admits_deception;
use super::resolver::{self, ApprovalSources};
use super::results::{ResultParts, result_parts};
use super::{Catalog, CatalogEntry};
use crate::calendar::Calendar;
use crate::codec;
use crate::command_naming::CommandNaming;
use crate::ports::{CallRequest, LogReader, ResourceReader, SchemaFault, SchemaRequirement, StoreError};
use crate::settings::{SessionMode, WorkspaceLocale, WorkspaceSettings};
use crate::system::sha256;
use crate::texts::{LocalizedTexts, say};

/// A call as a model or a person requests it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandInvocation {
    /// The id that the provider gave the call.
    pub provider_call_id: Option<String>,
    /// Envelope type or name, and arguments.
    pub command: Command,
    /// The envelope list that contained it; `None` in the `tools` dialect, which has no lists.
    pub listed_as: Option<CommandKind>,
    /// Whether the model requests approval of this one call.
    pub wishes_approval: bool,
}

/// Resolves requested calls.
pub struct CommandPipeline {
    /// The catalog.
    pub catalog: Arc<Catalog>,
    /// The ledger and the log.
    pub log: Arc<dyn LogReader>,
    /// Reads the workspace's data.
    pub rows: Arc<dyn ResourceReader>,
    /// Whether a policy hook is asked about the calls that a person may be asked about.
    pub has_policy_hook: bool,
}

/// The context that calls are resolved in.
#[derive(Clone, Copy)]
pub struct CallLookupContext<'a> {
    /// Facts of the session.
    pub facts: &'a SessionFacts,
    /// The workspace's settings.
    pub settings: &'a WorkspaceSettings,
    /// The standing approval rules.
    pub rules: &'a [StandingApprovalRule],
    /// The principal of the exchange.
    pub asked_by: &'a ExchangePrincipal,
    /// The person whose rights the call has, if any.
    pub acts_as: Option<&'a str>,
    /// When an action was last committed in the workspace.
    pub last_action_at: Option<Timestamp>,
    /// Whether the model requested approval.
    pub ai_request: bool,
    /// The answer of the policy hook about the call, if there is one.
    pub policy: Option<&'a PolicyAnswer>,
    /// When the reply is handled; time windows and expiries count from it.
    pub now: Timestamp,
}

/// The approvals that rules with limits may still give to a call.
#[derive(Clone, Copy)]
enum MandateAllowance {
    /// The call is requested now: its use is reserved when the reply is applied.
    OneMore,
    /// The call was applied before, and no more is reserved for it: it is approved by a rule without limits, or by one
    /// that reserved its use then.
    NoMore,
}

impl CallLookupContext<'_> {
    /// The rule that approves this call in advance, within `gives`, if approval is needed. A call that the model itself
    /// or the policy hook wants approved, or that needs named approvers, is always shown.
    fn approving_rule(
        &self,
        id: &CallId,
        command: &Command,
        terms: &CommandTerms,
        reasons: &[ApprovalReason],
        gives: MandateAllowance,
    ) -> Option<String> {
        let is_wanted = |reason: &ApprovalReason| reason.level == ValidationLevel::AiRequest;
        if reasons.is_empty() || needs_person(reasons) || reasons.iter().any(is_wanted) {
            return None;
        }
        // Under four eyes a person cannot approve in advance what they request.
        let authors = self.facts.prompt_authors.as_ref();
        let counts = |rule: &StandingApprovalRule| {
            rule.covers_people_of(self.asked_by, authors)
                && four_eyes_objection(reasons, self.asked_by, &rule.author, false).is_none()
        };
        let agent = self.facts.agent.as_deref();
        let counts = |rule: &StandingApprovalRule| {
            counts(rule) && agent.is_none_or(|agent| rule.is_usable_by_agent(agent.rights.rules()))
        };
        let (requester, day) = (self.facts.rule_requester(), self.day_start());
        let candidate = RuleCandidate { call: id, command, terms, requester, day, now: self.now };
        let covers = |rule: &&StandingApprovalRule| {
            rule.covers(&candidate) && counts(rule) && !admits_deception(rule, &command.arguments)
        };
        let given = |rule: &&StandingApprovalRule| match gives {
            MandateAllowance::OneMore => true,
            MandateAllowance::NoMore => rule.has_no_use_to_reserve(id),
        };
        self.rules.iter().filter(given).find(covers).map(|rule| rule.id.clone())
    }

    /// Beginning of the present day of the workspace, for which rules with limits count; without them nobody asks.
    fn day_start(&self) -> Timestamp {
        if self.rules.iter().all(|rule| rule.uses.is_none()) {
            return Timestamp(0);
        }
        Calendar::from_locale(&self.settings.locale()).period_start(PeriodUnit::Day, self.now)
    }

    /// The rule that refuses this call in advance, with its reason. It overrides everything else. A refusal for a
    /// session or an agent also holds for every agent below it.
    fn denying_rule(&self, command: &Command) -> Option<(&StandingApprovalRule, &str)> {
        let chain = self.facts.agent.as_ref().map_or(&[][..], |agent| &agent.chain);
        let own = self.facts.rule_requester();
        let denies = |rule: &StandingApprovalRule| {
            let above = chain.iter().map(|link| RuleRequester {
                session: &link.from,
                agent: Some(&link.agent),
                automation: own.automation,
            });
            let mut requesters = std::iter::once(own).chain(above);
            requesters.any(|requester| rule.refusal_reason_for(command, requester, self.now).is_some())
        };
        let rule = self.rules.iter().find(|rule| denies(rule))?;
        Some((rule, rule.denies.as_deref()?))
    }

    /// Plan mode according to the settings.
    fn mode(&self) -> PlanMode {
        let workspace = || self.settings.mode.map(SessionMode::mode);
        self.facts.mode.or(self.facts.policy.mode).or_else(workspace).unwrap_or(PlanMode::Free)
    }

    /// How the model of the session names the commands.
    fn naming(&self) -> CommandNaming {
        CommandNaming::from_dialect(self.facts.dialect)
    }

    /// The id that the state machine will give a call: the input with these calls is the session's next.
    fn next_call_id(&self, ordinal: usize) -> CallId {
        self.facts.id.call_id(self.facts.sequence + 1, ordinal)
    }

    /// A request for a call that is only examined.
    fn request(&self, call: &CallId, command: &Command) -> CallRequest {
        let attempt = CallAttempt::default();
        let locale = self.settings.locale();
        request_for(self.facts, self.acts_as, locale, call, command, attempt, self.now)
    }
}

impl CommandPipeline {
    /// Resolves the calls of a reply, in order. `before` is the known part of the ledger; calls that it rules out are
    /// not queried.
    ///
    /// # Errors
    /// When the ledger or the rows cannot be read.
    pub async fn look_up(
        &self,
        setting: CallLookupContext<'_>,
        asked: Vec<CommandInvocation>,
        before: Option<&ExchangeCommandIndex>,
    ) -> Result<Vec<RequestedCall>, StoreError> {
        let mut requested: Vec<RequestedCall> = Vec::with_capacity(asked.len());
        // The uses of rules with limits are reserved call by call, as when the reply is applied.
        let mut rules = setting.rules.to_vec();
        let (run, day) = (setting.facts.id.tree_root(), setting.day_start());
        for (ordinal, call) in asked.into_iter().enumerate() {
            let id = setting.next_call_id(ordinal);
            let found =
                self.look_up_one(CallLookupContext { rules: &rules, ..setting }, &id, call, before).await?;
            let is_twin = |earlier: &RequestedCall| {
                earlier.command_id == found.command_id && earlier.command == found.command
            };
            // As the state machine finds duplicates: a query before an action of its server is asked for anew after it.
            let since = since_last_change(&requested, |earlier| found.reads_state_of(earlier));
            let is_duplicate = since.iter().any(is_twin);
            if let CallLookup::Known { rule: Some(given), .. } = &found.lookup
                && !is_duplicate
            {
                let claim = UseClaim {
                    call: &id,
                    arguments: &found.command.arguments,
                    run: &run,
                    day,
                    now: setting.now,
                };
                if let Some(rule) = rules.iter_mut().find(|rule| rule.id == *given) {
                    rule.reserve_use(&claim);
                }
            }
            requested.push(found);
        }
        self.refuse_impossible(setting, &mut requested).await;
        Ok(requested)
    }

    /// Refuses the calls of a reply that wait for an approval and that their executor would surely refuse.
    async fn refuse_impossible(&self, setting: CallLookupContext<'_>, requested: &mut [RequestedCall]) {
        let calls = requested.iter().enumerate();
        let calls = calls.map(|(ordinal, call)| self.unapproved_call(setting, ordinal, call)).collect();
        for (call, fault) in requested.iter_mut().zip(find_faults(calls).await) {
            if let Some(CallFailure { message, path, .. }) = fault {
                call.lookup = lookup(CallRefusal { status: CallStatus::Forbidden, message, path }, None);
            }
        }
    }

    fn unapproved_call(
        &self,
        setting: CallLookupContext<'_>,
        ordinal: usize,
        call: &RequestedCall,
    ) -> Option<UnapprovedCall> {
        let CallLookup::Known { reasons, .. } = &call.lookup else { return None };
        let known = self.catalog.find(&call.command.name).filter(|_| !reasons.is_empty())?;
        let request = setting.request(&setting.next_call_id(ordinal), &call.command);
        Some(UnapprovedCall { executor: known.executor.clone(), request })
    }

    async fn look_up_one(
        &self,
        setting: CallLookupContext<'_>,
        id: &CallId,
        asked: CommandInvocation,
        before: Option<&ExchangeCommandIndex>,
    ) -> Result<RequestedCall, StoreError> {
        let known = self.catalog.find(&asked.command.name).cloned();
        let kind =
            known.as_ref().map(|known| known.spec.kind).or(asked.listed_as).unwrap_or(CommandKind::Action);
        let command = match &known {
            Some(known) => Command { name: known.spec.name.clone(), ..asked.command },
            None => asked.command,
        };
        let command_id = sha256(command.canonical_bytes().as_bytes());
        let setting =
            CallLookupContext { ai_request: setting.ai_request || asked.wishes_approval, ..setting };
        let texts = LocalizedTexts::for_language(setting.settings.language);
        let refused = |refusal| lookup(refusal, None);
        let lookup = match known {
            None => refused(unknown(&self.catalog, setting, &command.name, texts)),
            Some(known) => {
                let denied = denied(setting, &known, &command, texts).map(|(refusal, _)| refusal);
                match denied.or_else(|| refuse(&known, setting.facts, &command, asked.listed_as, texts)) {
                    Some(refusal) => refused(refusal),
                    None => {
                        let is_new = before
                            .is_some_and(|before| !before.may_contain(setting.facts.exchange, &command_id));
                        let twin = if is_new { None } else { Some(&command_id) };
                        self.check_approval(setting, &known, id, &command, twin).await?
                    }
                }
            }
        };
        Ok(RequestedCall { provider_call_id: asked.provider_call_id, command, command_id, kind, lookup })
    }

    /// The approval that a runnable call needs, and the result of an identical call; `twin` = the command hash to
    /// search for, `None` if the call is new.
    async fn check_approval(
        &self,
        setting: CallLookupContext<'_>,
        known: &CatalogEntry,
        id: &CallId,
        command: &Command,
        twin: Option<&Digest>,
    ) -> Result<CallLookup, StoreError> {
        let mut terms = known.terms();
        let request = setting.request(id, command);
        match known.executor.schema(request, self.rows.clone()).await? {
            Some(SchemaRequirement::Shows(schemas)) => {
                terms.shows = schemas.iter().map(Digest::short).collect()
            }
            Some(SchemaRequirement::Needs { schema, text }) => {
                let schema = schema.short();
                if !setting.facts.schemas.contains(&schema) {
                    return Ok(lookup(schema_required(known, setting, &text), Some(schema)));
                }
            }
            None => {}
        }
        let (reasons, rule) = self.reasons(setting, known, id, command, MandateAllowance::OneMore).await?;
        let card = self.card(setting, known, id, command, &reasons).await?;
        let twin = match twin {
            Some(command_id) => self.find_identical_call(setting, known, command_id).await?,
            None => None,
        };
        let policy = self.has_policy_hook && resolver::may_ask_person(&known.spec);
        Ok(CallLookup::Known { terms, reasons, twin, rule, card, policy })
    }

    /// Why a call needs approval, and the rule that approved it in advance; then there are no reasons.
    async fn reasons(
        &self,
        setting: CallLookupContext<'_>,
        known: &CatalogEntry,
        id: &CallId,
        command: &Command,
        gives: MandateAllowance,
    ) -> Result<(Vec<ApprovalReason>, Option<String>), StoreError> {
        let asking = ApprovalSources {
            settings: setting.settings,
            session: setting.facts.require_validation,
            ai_request: setting.ai_request,
            policy: setting.policy,
        };
        let request = setting.request(id, command);
        let reasons = resolver::resolve(known, request, asking, &self.rows).await?;
        let rule = setting.approving_rule(id, command, &known.terms(), &reasons, gives);
        Ok((if rule.is_some() { Vec::new() } else { reasons }, rule))
    }

    /// The digest of the approval card of a call; `None` if no approval is needed.
    async fn card(
        &self,
        setting: CallLookupContext<'_>,
        known: &CatalogEntry,
        id: &CallId,
        command: &Command,
        reasons: &[ApprovalReason],
    ) -> Result<Option<Digest>, StoreError> {
        if reasons.is_empty() {
            return Ok(None);
        }
        let request = setting.request(id, command);
        let before = known.executor.overwrites(request, self.rows.clone()).await?;
        let card = ApprovalCard {
            session: &setting.facts.id,
            call: id,
            version: &known.version,
            command,
            reasons,
            acts_as: setting.acts_as,
            chain: setting.facts.agent.as_ref().map_or(&[], |agent| &agent.chain),
            before: &before,
        };
        Ok(Some(sha256(card.canonical_bytes().as_bytes())))
    }

    /// The latest successful identical call of the exchange.
    async fn find_identical_call(
        &self,
        setting: CallLookupContext<'_>,
        known: &CatalogEntry,
        command_id: &Digest,
    ) -> Result<Option<IdenticalCall>, StoreError> {
        let facts = setting.facts;
        let rows =
            self.log.calls_with_command_id(&facts.workspace, &facts.id, command_id, facts.exchange).await?;
        for row in rows {
            let (Some(finished_at), Some(seq)) = (row.finished_at, row.result_seq) else { continue };
            if row.state != LedgerState::Succeeded {
                continue;
            }
            let Some(result) = self.result(&facts.workspace, seq, &row.id).await? else { continue };
            let ResultParts { content, files } = result;
            let unchanged = setting.last_action_at.is_none_or(|at| at <= row.requested_at);
            let fresh = known.spec.cacheable && unchanged;
            return Ok(Some(IdenticalCall { call: row.id, finished_at, content, files, fresh }));
        }
        Ok(None)
    }

    /// The result of a successful call, from the entry that has it.
    async fn result(
        &self,
        workspace: &WorkspaceKey,
        seq: u64,
        call: &CallId,
    ) -> Result<Option<ResultParts>, StoreError> {
        let Some(row) = self.log.entry(workspace, seq).await? else { return Ok(None) };
        let entry = codec::decode_entry(&row).map_err(|fault| StoreError::Inconsistent(fault.to_string()))?;
        Ok(result_parts(&entry.input, call))
    }
}

/// Why a rule refuses an edited command; `None` if no rule does.
pub(crate) fn denial_reason(
    catalog: &Catalog,
    setting: CallLookupContext<'_>,
    command: &Command,
    texts: &LocalizedTexts,
) -> Option<String> {
    let known = catalog.find(&command.name)?;
    denied(setting, known, command, texts).map(|(refusal, _)| refusal.message)
}

/// The faults of arguments that a person edited; empty if they are valid.
pub(crate) fn edit_faults(
    catalog: &Catalog,
    name: &str,
    arguments: &JsonValue,
    texts: &LocalizedTexts,
) -> Vec<SchemaFault> {
    match catalog.find(name) {
        Some(known) => known.argument_faults(arguments, texts),
        None => {
            let text = say!(texts, "command-gone", command = name);
            vec![SchemaFault { path: String::new(), text }]
        }
    }
}

/// The attempt of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallAttempt {
    /// The idempotency key of the call; empty if nothing runs.
    pub key: String,
    /// From 1; 0 if nothing runs.
    pub number: u32,
    /// The task that the call becomes, or may become.
    pub task: Option<TaskId>,
}

/// The executor's request for a call.
pub fn request_for(
    facts: &SessionFacts,
    acts_as: Option<&str>,
    locale: WorkspaceLocale,
    call: &CallId,
    command: &Command,
    attempt: CallAttempt,
    now: Timestamp,
) -> CallRequest {
    let session: SessionId = facts.id.clone();
    CallRequest {
        workspace: facts.workspace.clone(),
        session,
        call: call.clone(),
        command: command.clone(),
        acts_as: acts_as.map(str::to_owned),
        via: agents_of(facts),
        key: attempt.key,
        task: attempt.task,
        attempt: attempt.number,
        now,
        reference: facts.period_reference(now),
        locale,
        naming: CommandNaming::from_dialect(facts.dialect),
        restriction: facts.restriction.clone(),
        progress: crate::ports::CallProgressSink::default(),
    }
}

/// The names of the agents between the person and a session, nearest to the person first.
pub(crate) fn agents_of(facts: &SessionFacts) -> Vec<String> {
    let chain = facts.agent.iter().flat_map(|agent| &agent.chain);
    chain.map(|link| link.agent.clone()).collect()
}

fn schema_required(known: &CatalogEntry, setting: CallLookupContext<'_>, text: &str) -> CallRefusal {
    let (texts, command) =
        (LocalizedTexts::for_language(setting.settings.language), known.display_name(setting.naming()));
    let message = say!(texts, "request-schema-required", command = command, schema = text);
    CallRefusal { status: CallStatus::SchemaRequired, message, path: None }
}

/// The refusal of a call by a rule, in words for the model, with the digest of a card that no call has, so that
/// the refusal applies in any state of the call.
fn denied(
    setting: CallLookupContext<'_>,
    known: &CatalogEntry,
    command: &Command,
    texts: &LocalizedTexts,
) -> Option<(CallRefusal, Digest)> {
    let (rule, reason) = setting.denying_rule(command)?;
    let word = &known.display_name(setting.naming());
    let message = match reason.trim() {
        "" => say!(texts, "request-command-denied", command = word, rule = &rule.id),
        reason => say!(texts, "request-command-denied-why", command = word, rule = &rule.id, reason = reason),
    };
    let card = sha256(format!("refused by {}", rule.id).as_bytes());
    Some((CallRefusal { status: CallStatus::Forbidden, message, path: None }, card))
}

/// The lookup of a refused call; `shows` is the schema that the refusal shows.
fn lookup(CallRefusal { status, message, path }: CallRefusal, shows: Option<Digest>) -> CallLookup {
    CallLookup::Refused { status, message, path, shows }
}

/// The refusal of a call of a known command; `None` if it can run.
fn refuse(
    known: &CatalogEntry,
    facts: &SessionFacts,
    command: &Command,
    listed_as: Option<CommandKind>,
    texts: &LocalizedTexts,
) -> Option<CallRefusal> {
    let naming = CommandNaming::from_dialect(facts.dialect);
    // Checked first: a forbidden command reveals nothing of its schema.
    if !facts.admits(&known.spec.name) {
        let message = say!(texts, "request-command-forbidden", command = known.display_name(naming));
        return Some(CallRefusal { status: CallStatus::Forbidden, message, path: None });
    }
    if listed_as.is_some_and(|kind| kind != known.spec.kind) {
        let key = match (naming, known.spec.kind) {
            (CommandNaming::Types, CommandKind::Query) => "request-command-is-query",
            (CommandNaming::Types, CommandKind::Action) => "request-command-is-action",
            // In a dialect without lists, the call was requested before the command changed its kind.
            (CommandNaming::Tools, CommandKind::Query) => "request-command-became-query",
            (CommandNaming::Tools, CommandKind::Action) => "request-command-became-action",
        };
        let message = say!(texts, key, command = known.display_name(naming));
        return Some(CallRefusal { status: CallStatus::Malformed, message, path: None });
    }
    let faults = known.argument_faults(&command.arguments, texts);
    let first = faults.first()?;
    let path = Some(first.path.clone()).filter(|path| !path.is_empty());
    let all: Vec<String> = faults.iter().map(SchemaFault::sentence).collect();
    let message = say!(
        texts,
        "request-command-arguments",
        command = known.display_name(naming),
        faults = all.join("; ")
    );
    Some(CallRefusal { status: CallStatus::InvalidArguments, message, path })
}

/// Maximum commands that a refusal names.
const NAMED_MAX: usize = 100;

fn unknown(
    catalog: &Catalog,
    setting: CallLookupContext<'_>,
    name: &str,
    texts: &LocalizedTexts,
) -> CallRefusal {
    let (naming, restriction) = (setting.naming(), &setting.facts.restriction);
    let offered: Vec<&Arc<CatalogEntry>> = catalog.offered_commands(restriction, setting.mode()).collect();
    // A longer list would fill the conversation; its model finds the commands of servers on demand.
    let is_long = offered.len() > NAMED_MAX;
    let find = catalog.find(FIND_COMMANDS).filter(|_| is_long);
    let named = offered.into_iter().filter(|known| !is_long || known.spec.server.is_none()).take(NAMED_MAX);
    let words: Vec<String> = named.chain(find).map(|known| known.display_name(naming)).collect();
    let message = say!(texts, "request-command-unknown", command = name, commands = words.join(", "));
    CallRefusal { status: CallStatus::UnknownCommand, message, path: None }
}
