//! Workspace isolation: ids of another workspace find nothing in any use case.

mod fixture;
mod tasks;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use entracte_application::commands::ResultsExecutor;
use entracte_application::instructions::{InstructionScope, InstructionSource};
use entracte_application::mail::{ForkSessionRequest, Mail, MailAnswer, MailRequest, NewSessionRequest};
use entracte_application::ports::{AutomationRow, CallRow, LogRow, SessionFilter, SessionRow, WorkspaceRow};
use entracte_application::settings::{InboxSettings, Language, RuntimeSettings, WorkspaceSettings};
use entracte_application::stream::{LiveText, StreamReadStart};
use entracte_application::texts::LocalizedTexts;
use entracte_application::use_cases::*;
use entracte_domain::automation::Automation;
use entracte_domain::id::{CallId, RoundAttempt, SessionId, TaskId, WorkspaceKey};
use entracte_domain::message::{Enrichment, EnrichmentKind, UserMessage};
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{Dialect, SessionKind};
use entracte_domain::spending::SpendingAmount;
use entracte_domain::value::JsonValue;
use entracte_tests::fakes::dry_run_factory::MemoryDryRunFactory;
use entracte_tests::fakes::memory_access_store::MemoryAccessStore;
use entracte_tests::runtime_fixture::RuntimeFixture;

use super::fixture::all_stores;
use super::use_case_list::use_cases;

/// Use cases without an id as input, or about the whole database, each with the reason.
const WITHOUT_IDS: [(&str, &str); 55] = [
    ("ReadInboxTriage", "reads one workspace, by key; the suite of the store shows its wall"),
    ("ReadDisabledItems", "lists what is off in a workspace, by no id"),
    ("NewToken", "data for a token that is made"),
    ("CreateToken", "makes a token under an id that it draws"),
    ("CreateTokenIdempotently", "makes a token under an id that it draws, once for a key"),
    ("TokenIssuer", "data of whoever has a token made"),
    ("NewInvitation", "data for an invitation that is made"),
    ("InvitePerson", "makes an invitation under an id that it draws, for somebody of one reach"),
    ("AcceptInvitation", "takes what a person was invited to, by its secret and a token of theirs"),
    ("ListTokens", "lists the tokens of one reach; the suite of the access store shows its wall"),
    ("RevokeToken", "revokes within a reach; the suite of the access store shows its wall"),
    ("AuthenticateToken", "finds whoever has the secret, wherever they are"),
    ("AuthenticateStreamTicket", "finds whoever has the secret, wherever they are"),
    ("IssueStreamTicket", "makes a ticket of the token that asks"),
    ("AddPerson", "adds a person under an id that it draws"),
    ("ReadPerson", "reads within a reach; the suite of the access store shows its wall"),
    ("RemovePersonAccess", "takes rights within a reach; the suite of the access store shows its wall"),
    ("CreateLoginLink", "makes the link of a login under an id that it draws"),
    ("RedeemLoginLink", "logs in whoever has the secret of a link, wherever they are"),
    ("AddNotificationTarget", "adds a target under an id that it draws"),
    ("ChangeNotificationTarget", "changes a target that was read; the suite of the outbox shows its wall"),
    ("RemoveNotificationTarget", "removes within a workspace; the suite of the outbox shows its wall"),
    ("ReadNotificationTargets", "reads within a workspace; the suite of the outbox shows its wall"),
    ("NewChat", "data for a chat that is made"),
    ("StartChat", "makes a session under an id that it draws"),
    ("StartChatWithMessage", "makes a session under an id that it draws"),
    ("CreateAutomation", "makes an automation under an id that it draws"),
    ("PreviewSchedule", "counts from an expression that it is given; reads nothing"),
    ("PreviewNextOccurrences", "counts from an automation that it is given; reads nothing"),
    ("LocalizeEnrichments", "words messages that it is given, with names of its own workspace"),
    ("AddApprovalRule", "makes a rule of its own workspace; a session of another one is not there for it"),
    ("ChangeSettings", "is about its own workspace, by key"),
    ("ReadRetention", "reads the limits and the holds of one workspace, by key"),
    ("RunRetention", "removes from one workspace, by key, what its own rows say"),
    ("ListWorkspaces", "lists the workspaces of the database for its owner"),
    ("ExamineSessions", "is the doctor's look at the whole database"),
    ("OpenSessionPages", "is the doctor's list of the whole database"),
    ("ForecastSessions", "is the doctor's look at the whole database, before an upgrade"),
    ("FindUnfinishedSessions", "is a process's look at what it would break off"),
    (
        "ManagePersonSecrets",
        "is about what one person has in one workspace, by name; the suite of its adapter shows its wall",
    ),
    ("RunManualAction", "acts in one workspace; its commands and its ledger have walls of their own"),
    (
        "ReadReceipt",
        "finds the receipt of one person in one workspace; the suite of the store shows its wall",
    ),
    (
        "RelayRemoteStream",
        "hears a server with a token of its own workspace and one session; the suite of the server shows that wall",
    ),
    (
        "ReceiveTaskCallback",
        "takes in what is signed for one task, wherever it lives; `callback_forged` shows that wall",
    ),
    ("ReadQueue", "lists the queue of one workspace, by key"),
    ("StoreFile", "stores within a workspace; the suite of the file store shows its wall"),
    ("ReadFile", "reads within a workspace; the suite of the file store shows its wall"),
    ("AddExportFiles", "reads within a workspace; the suite of the file store shows its wall"),
    ("StoreExportFiles", "stores within a workspace; the suite of the file store shows its wall"),
    ("AttachFiles", "reads within a workspace; the suite of the file store shows its wall"),
    ("AddDocument", "adds a document under an id that it draws"),
    ("ReadDocuments", "reads within a workspace; the suite of the knowledge store shows its wall"),
    ("QueryStructuredDocument", "reads within a workspace; the suite of the knowledge store shows its wall"),
    ("RemoveDocument", "removes within a workspace; the suite of the knowledge store shows its wall"),
    ("SearchKnowledge", "searches one workspace; the suite of the knowledge store shows its wall"),
];

/// The ids of ann's workspace that eve knows, and eve's workspace.
struct WorkspaceIsolationFixture {
    away: RuntimeFixture,
    home: WorkspaceKey,
    /// A session that waits for approval of `open`.
    session: SessionId,
    open: CallId,
    /// A session with an action of unknown outcome.
    lost: (SessionId, CallId),
    rule: String,
    automation: Automation,
    file: String,
    /// A long task that has not ended.
    task: TaskId,
    /// A session of eve's own.
    own: SessionId,
}

/// The outcome of an attempt.
#[derive(Debug)]
enum IntrusionOutcome {
    /// The item does not exist here.
    NotFound(String),
    /// A list without it.
    Nothing,
    /// Any other outcome.
    Else(String),
}

fn classify_answer<T: std::fmt::Debug>(answer: Result<T, UseCaseError>) -> IntrusionOutcome {
    match answer {
        Err(UseCaseError::NotFound(text)) => IntrusionOutcome::NotFound(text.to_string()),
        other => IntrusionOutcome::Else(format!("{other:?}")),
    }
}

fn nothing(is_nothing: bool, what: &str) -> IntrusionOutcome {
    if is_nothing { IntrusionOutcome::Nothing } else { IntrusionOutcome::Else(what.to_owned()) }
}

type WorkspaceRowsDump =
    (Option<WorkspaceRow>, Vec<SessionRow>, Vec<LogRow>, Vec<CallRow>, Vec<AutomationRow>);

impl WorkspaceIsolationFixture {
    /// All stored rows of ann's workspace.
    async fn stored(&self) -> WorkspaceRowsDump {
        let services = &self.away.services;
        let here = SessionFilter { workspace: Some(self.home.clone()), ..SessionFilter::default() };
        let sessions = services.log.sessions(&here).await.unwrap().rows;
        let (mut log, mut calls) = (Vec::new(), Vec::new());
        for row in &sessions {
            log.extend(services.log.entries(&self.home, &row.id, 0, u32::MAX).await.unwrap());
            calls.extend(services.log.calls(&self.home, &row.id).await.unwrap());
        }
        let automations = services.automations.automations(&self.home).await.unwrap();
        (services.store.workspace(&self.home).await.unwrap(), sessions, log, calls, automations)
    }

    /// The ids that no answer may contain.
    fn ids(&self) -> [&str; 6] {
        let Self { session, open, lost, rule, automation, .. } = self;
        [session.as_str(), open.as_str(), lost.0.as_str(), lost.1.as_str(), rule, automation.id.as_str()]
    }

    /// The scopes of ann's workspace that have instructions.
    fn instruction_scopes(&self) -> [InstructionScope; 2] {
        [
            InstructionScope::Session(self.session.clone()),
            InstructionScope::Automation(self.automation.id.clone()),
        ]
    }

    /// Calls a use case with all real ids from the other workspace; `None` if the table has no entry for it.
    #[expect(clippy::too_many_lines, reason = "one table")]
    async fn try_use_case(&self, use_case: &str) -> Option<Vec<IntrusionOutcome>> {
        let RuntimeFixture { services, mail_sender, workspace: at, .. } = &self.away;
        let (mail, store, log) = (mail_sender.clone(), services.store.clone(), services.log.clone());
        let (automations, ids) = (services.automations.clone(), services.ids.clone());
        let (s, own, eve) = (&self.session, &self.own, || "eve".to_owned());
        let follow = self.away.follow();
        Some(match use_case {
            "AnswerQuestion" => {
                vec![classify_answer(AnswerQuestion::new(mail).run(at, s, eve(), "yes".into(), None).await)]
            }
            "CancelQuestion" => {
                let question = s.message_id(2, 0);
                vec![classify_answer(CancelQuestion::new(mail).run(at, s, eve(), question).await)]
            }
            "ConfirmCompletion" => {
                vec![classify_answer(ConfirmCompletion::new(mail).run(at, s, eve()).await)]
            }
            "HoldRetention" => {
                let scope = InstructionScope::Session(s.clone());
                let hold = HoldRetention::new(mail, log);
                vec![classify_answer(hold.run(at, eve(), scope, "mine".into()).await)]
            }
            "ReleaseRetention" => {
                let scope = InstructionScope::Session(s.clone());
                vec![classify_answer(ReleaseRetention::new(mail).run(at, eve(), scope).await)]
            }
            "EndSession" => vec![classify_answer(EndSession::new(mail).run(at, s, eve()).await)],
            "CompactSession" => vec![classify_answer(CompactSession::new(mail).run(at, s, eve()).await)],
            "InterruptRound" => vec![classify_answer(InterruptRound::new(mail).run(at, s, eve()).await)],
            "RejectCompletion" => {
                vec![classify_answer(RejectCompletion::new(mail).run(at, s, eve(), None).await)]
            }
            "ResumeSession" => vec![classify_answer(ResumeSession::new(mail).run(at, s, eve()).await)],
            "SendMessage" => {
                vec![classify_answer(
                    SendMessage::new(mail).run(at, s, eve(), UserMessage::text("do it"), None).await,
                )]
            }
            "StopSession" => vec![classify_answer(StopSession::new(mail).run(at, s, eve()).await)],
            "SettleCall" => {
                let (settle, (lost, call)) = (SettleCall::new(mail), &self.lost);
                vec![
                    classify_answer(settle.run(at, lost, eve(), call.clone(), true, None).await),
                    classify_answer(settle.run(at, own, eve(), call.clone(), true, None).await),
                ]
            }
            "AnswerSpending" => {
                let answer = AnswerSpending::new(mail);
                vec![
                    classify_answer(answer.run(at, s, eve(), true, None).await),
                    classify_answer(answer.run(at, s, eve(), false, None).await),
                ]
            }
            "SettleUsage" => {
                let (settle, number) = (SettleUsage::new(mail), RoundAttempt { round: 1, attempt: 1 });
                vec![classify_answer(settle.run(at, s, eve(), number, SpendingAmount::ZERO).await)]
            }
            "DecideApprovals" => {
                let (answer, open) = (DecideApprovals::new(mail, store), std::slice::from_ref(&self.open));
                vec![
                    classify_answer(answer.run(at, s, eve(), open, &ApprovalChoice::Approve).await),
                    classify_answer(answer.run(at, own, eve(), open, &ApprovalChoice::Approve).await),
                    classify_answer(answer.run(at, s, eve(), open, &ApprovalChoice::Reject(None)).await),
                    classify_answer(answer.run_for_all(at, s, eve(), &ApprovalChoice::Approve).await),
                ]
            }
            "ReadApprovals" => {
                let read = ReadApprovals::new(
                    store,
                    log,
                    services.rows.clone(),
                    services.catalog.get(),
                    services.clock.clone(),
                );
                vec![classify_answer(read.run(at, s).await)]
            }
            "ChangeSession" => {
                let change = SessionUpdate { require_validation: Some(false), ..SessionUpdate::default() };
                vec![classify_answer(ChangeSession::new(mail, store).run(at, s, eve(), change).await)]
            }
            "ForkSession" => {
                vec![classify_answer(ForkSession::new(mail, store, ids).run(at, s, eve(), None, None).await)]
            }
            "ImportSession" => {
                // A file with an id that is taken elsewhere becomes a session of its own.
                let imported = ImportSession::new(mail, ids).run(at, eve(), self.file.clone(), false).await;
                vec![nothing(
                    imported.is_ok_and(|made| !self.ids().contains(&made.session.as_str())),
                    "taken",
                )]
            }
            "DeleteSession" => vec![classify_answer(DeleteSession::new(mail).run(at, s, eve()).await)],
            "WithdrawMessage" => {
                let message = s.message_id(2, 0);
                vec![classify_answer(WithdrawMessage::new(mail).run(at, s, eve(), message).await)]
            }
            "MarkSeen" => vec![classify_answer(MarkSeen::new(mail).run(at, s, eve()).await)],
            "AttachSession" => {
                vec![classify_answer(AttachSession::new(mail).run(at, s, eve(), "phone".into()).await)]
            }
            "OpenSession" => {
                vec![classify_answer(OpenSession::new(mail).run(at, s, eve(), "phone".into()).await)]
            }
            "LeaveSession" => {
                vec![classify_answer(LeaveSession::new(mail).run(at, s, eve(), "phone".into()).await)]
            }
            "CheckEnrichments" => {
                let config = JsonValue::from([("id", JsonValue::from("tool_x_2_0"))]);
                let points = Enrichment { kind: EnrichmentKind::Use, config, summary: String::new() };
                let check = CheckEnrichments::new(services.rows.clone(), services.catalog.get());
                vec![classify_answer(
                    check.run(at, &[points], LocalizedTexts::for_language(Language::En)).await,
                )]
            }
            "ReadDeletions" => {
                let read = ReadDeletions::new(log);
                assert_eq!(read.run(&self.home, 9).await.unwrap().len(), 1, "there is one to be found");
                vec![nothing(read.run(at, 9).await.unwrap().is_empty(), "deletions")]
            }
            "SetInstructions" => {
                let mut tried = Vec::new();
                for scope in self.instruction_scopes() {
                    let set = SetInstructions::new(mail.clone());
                    let text = Some("You are eve's.".to_owned());
                    let telling =
                        InstructionUpdate { text, source: InstructionSource::Written, expected: None };
                    tried.push(classify_answer(set.run(at, scope, eve(), telling).await));
                }
                tried
            }
            "ReadInstructions" => {
                let read = ReadInstructions::new(store, log, automations);
                let mut tried = Vec::new();
                for scope in self.instruction_scopes() {
                    tried.push(classify_answer(read.run(at, &scope).await));
                    tried.push(classify_answer(read.versions(at, &scope, None, 9).await));
                    tried.push(classify_answer(read.version(at, &scope, 1).await));
                }
                tried
            }
            "MarkRead" => vec![classify_answer(MarkRead::new(mail).run(at, s, eve(), 1).await)],
            "ExportSession" => vec![classify_answer(ExportSession::new(store, log).run(at, s).await)],
            "ShowSession" => vec![classify_answer(ShowSession::new(store).run(at, s).await)],
            "VerifySession" => vec![classify_answer(VerifySession::new(store, log).run(at, s).await)],
            "ReportCosts" => {
                let report = ReportCosts::new(log);
                let query = |session: Option<&SessionId>| CostReportQuery {
                    by: CostReportGrouping::Session,
                    session: session.cloned(),
                    since: None,
                    until: None,
                    zone: WorkspaceSettings::default().locale().time_zone(),
                    after: None,
                    limit: 9,
                };
                let all = report.run(at, &query(None)).await.unwrap();
                let theirs = all.rows.iter().any(|row| row.key.as_deref() == Some(s.as_str()));
                vec![
                    classify_answer(report.run(at, &query(Some(s))).await),
                    classify_answer(report.total(at, Some(s), (None, None)).await),
                    nothing(!theirs, "costs"),
                ]
            }
            "MeasureContext" => {
                let (providers, rules) = (services.providers.clone(), services.rules.clone());
                let measure = MeasureContext::new(store, log, providers, services.settings.clone(), rules);
                vec![classify_answer(measure.run(at, s).await)]
            }
            "MeasureSession" => vec![classify_answer(MeasureSession::new(store, log).run(at, s).await)],
            "ReadEvents" => {
                let read = ReadEvents::new(store, log, Arc::new(LiveText::default()), services.clock.clone());
                vec![classify_answer(read.open(at, Some(s), StreamReadStart::Now, None).await.map(drop))]
            }
            "ReadAgentTree" => vec![classify_answer(ReadAgentTree::new(store, log).run(at, s).await)],
            "ReadRunningTree" => vec![classify_answer(ReadRunningTree::new(store).run(at, s).await)],
            "ReadCalls" => vec![classify_answer(ReadCalls::new(store, log).run(at, s).await)],
            "ReadLog" => {
                let read = ReadLog::new(log);
                vec![
                    nothing(read.entries(at, s, 0).await.unwrap().is_empty(), "entries"),
                    nothing(read.conversation(at, s).await.unwrap().is_empty(), "messages"),
                ]
            }
            "ReadUnreadMessages" => {
                let mut facts = ShowSession::new(store).run(&self.home, s).await.unwrap().facts;
                facts.workspace = at.clone();
                let unread = ReadUnreadMessages::new(log).run(&facts, "eve").await.unwrap();
                vec![nothing(unread.messages.is_empty(), "unread messages")]
            }
            "ListSessions" => {
                let here = SessionFilter { workspace: Some(at.clone()), ..SessionFilter::default() };
                let listed = ListSessions::new(log).run(&here).await.unwrap().rows;
                vec![nothing(listed.iter().all(|row| row.workspace == *at), "sessions")]
            }
            "ReadInbox" => {
                let (rows, catalog) = (services.rows.clone(), services.catalog.get());
                let inbox = ReadInbox::new(store, log, rows, catalog, services.clock.clone());
                let inbox = inbox.with_tasks(services.tasks.clone());
                vec![nothing(inbox.run(at).await.unwrap().is_empty(), "inbox")]
            }
            "SnoozeItems" | "AssignItems" => {
                let (rows, catalog) = (services.rows.clone(), services.catalog.get());
                let inbox = ReadInbox::new(store.clone(), log, rows, catalog, services.clock.clone());
                let item = [self.open.approval_id().to_string()];
                let settings = InboxSettings::default();
                vec![classify_answer(if use_case == "SnoozeItems" {
                    let snooze = SnoozeItems::new(mail, store, services.clock.clone(), inbox, settings);
                    snooze.run(at, eve(), &item, "3h").await
                } else {
                    let access = Arc::new(MemoryAccessStore::default());
                    AssignItems::new(mail, access, inbox, settings).run(at, "eve", &item, Some("eve")).await
                })]
            }
            "WakeItems" => {
                let item = [self.open.approval_id().to_string()];
                let wake = WakeItems::new(mail, log, InboxSettings::default());
                vec![classify_answer(wake.run(at, eve(), &item).await)]
            }
            "FindByIdPrefix" => {
                let find = FindByIdPrefix::new(log);
                let call = &self.open;
                let beginning = &call.as_str()[..call.as_str().len() - 2];
                let mut tried = Vec::new();
                for named in [s.as_str(), &s.as_str()[..5], s.stem(), &s.stem()[..1]] {
                    // The prefix that all ids share finds only her own session.
                    let found = find.find_session(at, named).await;
                    let is_own = found.as_ref().is_ok_and(|session| session == own);
                    tried.push(if is_own { IntrusionOutcome::Nothing } else { classify_answer(found) });
                }
                for named in [call.as_str(), call.approval_id().as_str(), beginning, s.stem(), &s.stem()[..1]]
                {
                    tried.push(classify_answer(find.find_call(at, named).await));
                }
                tried
            }
            "FollowTurn" => vec![
                classify_answer(follow.last_entry_number(at, s).await),
                classify_answer(follow.read_update(at, s, 0).await.map(|watched| watched.last)),
                classify_answer(follow.run_until_idle(at, s, 0).await),
                classify_answer(follow.view(at, s, 0).await),
            ],
            "RebuildPrompt" => {
                let providers = services.providers.clone();
                let rebuild = RebuildPrompt::new(store, log, providers, RuntimeSettings::default());
                let call = rebuild.calls(&self.home, s).await.unwrap().remove(0).id;
                vec![
                    nothing(rebuild.calls(at, s).await.unwrap().is_empty(), "model calls"),
                    classify_answer(rebuild.run(at, call.as_str()).await),
                    classify_answer(rebuild.run(at, &format!("mc_{}", s.stem())).await),
                    classify_answer(rebuild.run(at, &format!("{}_1", s.stem())).await),
                ]
            }
            "ReadApprovalRules" => {
                let rules = ReadApprovalRules::new(store, log, services.clock.clone());
                vec![
                    nothing(rules.run(at, true).await.unwrap().is_empty(), "rules"),
                    classify_answer(rules.one(at, &self.rule).await),
                    classify_answer(rules.one(at, &self.rule[..5]).await),
                    nothing(
                        rules.rules_created_after(at, s, 0).await.unwrap().is_empty(),
                        "rules that were made",
                    ),
                ]
            }
            "RevokeApprovalRule" => {
                vec![classify_answer(RevokeApprovalRule::new(mail).run(at, eve(), self.rule.clone()).await)]
            }
            "RunQueryCommand" => {
                let catalog = services.catalog.get();
                let run = RunQueryCommand::new(catalog, store, services.clock.clone(), ids);
                let (call, from) = (JsonValue::Text(self.lost.1.to_string()), JsonValue::Number("0".into()));
                let arguments = JsonValue::Object(vec![("call".into(), call), ("from".into(), from)]);
                vec![classify_answer(run.run(at, ResultsExecutor::NAME, arguments).await)]
            }
            "RunExternalCall" => {
                let who = ExternalCaller {
                    workspace: at.clone(),
                    name: "ann".into(),
                    seat: 1,
                    restriction: Restriction::Open,
                };
                let turn = follow.view(at, own, 0).await.unwrap();
                let calls = RunExternalCall::new(mail, store, log);
                let answer =
                    calls.answer(&who, &AcceptedExternalCall { session: s.clone(), after: 0 }, &turn).await;
                vec![nothing(matches!(answer, Ok(ExternalCallOutcome::Failed(_))), "an answer")]
            }
            "FindAutomation" => {
                let find = FindAutomation::new(store, automations);
                let id = self.automation.id.as_str();
                let mut tried = Vec::new();
                for named in [id, &id[..5], self.automation.name.as_str()] {
                    tried.push(classify_answer(find.run(at, named).await));
                    tried.push(classify_answer(find.find_deleted(at, named).await));
                }
                tried
            }
            "ListAutomations" => {
                let list = ListAutomations::new(automations).run(at).await.unwrap();
                vec![nothing(list.views.is_empty() && list.damaged.is_empty(), "automations")]
            }
            "ReadAutomationHistory" => {
                let history = ReadAutomationHistory::new(store, automations);
                let past = history.run(at, &self.automation.id, None, 9).await.unwrap();
                vec![nothing(past.is_empty(), "occurrences")]
            }
            "ShowAutomation" => {
                let show = ShowAutomation::new(store, log, automations);
                vec![classify_answer(show.run(at, self.automation.clone()).await)]
            }
            "DryRunAutomation" => {
                let stages = Arc::new(MemoryDryRunFactory::new(services.clock.clone()));
                let ports = DryRunPorts {
                    store,
                    log,
                    rows: services.rows.clone(),
                    automations,
                    catalog: services.catalog.get(),
                    providers: services.providers.clone(),
                    stages: stages.clone(),
                    clock: services.clock.clone(),
                    ids,
                    calculator: services.calculator.clone(),
                    rules: services.rules.clone(),
                    settings: services.settings.clone(),
                };
                let played =
                    DryRunAutomation::new(ports).run(at, &self.automation, DryRunOptions::default()).await;
                assert_eq!(stages.made.load(Ordering::SeqCst), 0, "nothing is played");
                vec![classify_answer(played)]
            }
            "EditAutomation" => {
                let edit = EditAutomation::new(mail, ids, store, log);
                let off = AutomationUpdate { enabled: Some(false), ..AutomationUpdate::default() };
                let seed = SeedUpdate { model: Some("large".into()), ..SeedUpdate::default() };
                let seed = AutomationUpdate { seed, ..AutomationUpdate::default() };
                vec![
                    classify_answer(edit.run(at, eve(), &self.automation, off).await),
                    classify_answer(edit.run(at, eve(), &self.automation, seed).await),
                ]
            }
            "DeleteAutomation" => {
                vec![classify_answer(DeleteAutomation::new(mail).run(at, eve(), &self.automation.id).await)]
            }
            "RunAutomation" => {
                vec![classify_answer(
                    RunAutomation::new(mail, ids).run(at, eve(), &self.automation.id, None).await,
                )]
            }
            _ => return tasks::tried(use_case, self).await,
        })
    }

    /// Requests that would create a session under a taken id: nothing is created, and nothing changes.
    async fn taken_id_requests(&self) -> Vec<MailRequest> {
        let chat = NewSessionRequest {
            id: self.session.clone(),
            kind: SessionKind::Chat,
            name: "mine".into(),
            provider: "fake".into(),
            model: "fake-1".into(),
            dialect: Dialect::Tools,
            mode: None,
            require_validation: false,
            restriction: Restriction::Open,
        };
        let fork = MailRequest::session(
            self.own.clone(),
            ForkSessionRequest { author: "eve".into(), id: self.session.clone(), name: "mine".into(), at: 1 },
        );
        vec![MailRequest::workspace(chat), fork]
    }
}

#[tokio::test(start_paused = true)]
async fn foreign_ids_are_not_found_anywhere() {
    let names = use_cases();
    assert!(names.len() > 40, "{names:?}");
    for stores in all_stores() {
        let (stage, case) = fixture::case(stores).await;
        let (before, effects) = (case.stored().await, stage.effects());
        for name in &names {
            if WITHOUT_IDS.iter().any(|(exempt, _)| exempt == name) {
                continue;
            }
            let tried = case.try_use_case(name).await;
            let tried =
                tried.unwrap_or_else(|| panic!("{name} is not tried; add it to the table in {}", file!()));
            for came in tried {
                match came {
                    IntrusionOutcome::Nothing => {}
                    IntrusionOutcome::NotFound(text) => check_text(&case, name, &text),
                    IntrusionOutcome::Else(what) => panic!("{name} from another workspace: {what}"),
                }
            }
            assert_eq!(case.stored().await, before, "{name} changed something");
        }
        for request in case.taken_id_requests().await {
            let mail = Mail::from_request(request);
            let answer = case.away.mail_sender.post(&case.away.workspace, mail).await.unwrap();
            assert!(
                matches!(&answer, MailAnswer::Refused { code, .. } if code.word() == "conflict"),
                "{answer:?}"
            );
            assert_eq!(case.stored().await, before, "an id that is taken was given again");
        }
        assert_eq!(stage.effects(), effects, "something was done outside");
    }
}

/// An answer repeats the id of its request, and no other id of ann's.
fn check_text(case: &WorkspaceIsolationFixture, name: &str, text: &str) {
    let [session, open, lost, unknown, rule, automation] = case.ids();
    let told: BTreeSet<&str> =
        [session, open, lost, unknown, rule, automation].into_iter().filter(|id| text.contains(id)).collect();
    // A call's id contains its session's stem, not its id.
    assert!(told.len() <= 1, "{name} tells {told:?}: {text}");
    assert!(!text.contains("ann:home"), "{name}: {text}");
}
