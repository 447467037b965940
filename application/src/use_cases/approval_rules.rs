use std::sync::Arc;

use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::Input;
use entracte_domain::validation::StandingApprovalRule;

use super::{ReadLog, UseCaseError, expect_created_id, expect_done};
use crate::codec::WorkspaceBody;
use crate::mail::{AddRuleRequest, Mail, MailRequest, NewRuleRequest, RevokeRuleRequest};
use crate::ports::{Clock, LogReader, MailSender, WorkspaceStore};
use crate::texts::{LocalizedTexts, saying};

use_case! {
    /// Reads the standing approval rules of a workspace.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let (store, log) = (Arc::new(samples::store()), Arc::new(MockLogReader::new()));
    /// let rules = ReadApprovalRules::new(store, log, Arc::new(SystemClock));
    /// assert_eq!(rules.run(&samples::workspace(), false).await?, [], "no rule was given in advance");
    /// # Ok(()) });
    /// ```
    pub struct ReadApprovalRules reads (store: dyn WorkspaceStore, log: dyn LogReader, clock: dyn Clock)
}

impl ReadApprovalRules {
    /// The rules of a workspace in creation order: those in force, or all that are stored.
    ///
    /// # Errors
    /// When the workspace cannot be read.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        all: bool,
    ) -> Result<Vec<StandingApprovalRule>, UseCaseError> {
        let now = self.clock.now();
        let rules = WorkspaceBody::load(&*self.store, workspace).await?.rules;
        Ok(rules.into_iter().filter(|rule| all || rule.is_open(now)).collect())
    }

    /// The rule with this id, or with an id of which this is a unique prefix.
    ///
    /// # Errors
    /// When the id matches no rule, or more than one.
    pub async fn one(
        &self,
        workspace: &WorkspaceKey,
        named: &str,
    ) -> Result<StandingApprovalRule, UseCaseError> {
        let body = WorkspaceBody::load(&*self.store, workspace).await?;
        let texts = LocalizedTexts::for_language(body.settings.language);
        let wanted = if named.starts_with("rul_") { named.to_owned() } else { format!("rul_{named}") };
        let begins = |rule: &StandingApprovalRule| rule.id.starts_with(&wanted) && wanted != "rul_";
        let mut found: Vec<StandingApprovalRule> = body.rules.into_iter().filter(begins).collect();
        if let Some(whole) = found.iter().position(|rule| rule.id == wanted) {
            return Ok(found.swap_remove(whole));
        }
        if found.len() > 1 {
            let ids: Vec<&str> = found.iter().map(|rule| rule.id.as_str()).collect();
            let text =
                saying!("request-rule-several", rule = named, ids = ids.join(", ")).into_refusal_text(texts);
            return Err(UseCaseError::Invalid(text));
        }
        found.pop().ok_or_else(|| {
            UseCaseError::NotFound(saying!("request-no-rule", rule = named).into_refusal_text(texts))
        })
    }

    /// The rules created by the decisions after an entry of a session.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub async fn rules_created_after(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        after: u64,
    ) -> Result<Vec<StandingApprovalRule>, UseCaseError> {
        let entries = ReadLog::new(self.log.clone()).entries(workspace, session, after).await?;
        let decisions = entries.iter().filter_map(|entry| match &entry.input {
            Input::ValidationReceived { decisions, .. } => Some(decisions),
            _ => None,
        });
        let made: Vec<&String> = decisions.flatten().filter_map(|decision| decision.rule.as_ref()).collect();
        let rules = WorkspaceBody::load(&*self.store, workspace).await?.rules;
        Ok(rules.into_iter().filter(|rule| made.contains(&&rule.id)).collect())
    }
}

use_case! {
    /// Creates a rule that approves or refuses future calls.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mail_sender = samples::mail_sender(|request| match request {
    ///     MailRequest::Workspace(WorkspaceRequest::AddRule(add)) => add.new.denies.is_some(),
    ///     _ => false,
    /// });
    /// let never = NewRuleRequest {
    ///     command: "files.*".into(),
    ///     arguments: vec![],
    ///     scope: RuleScope::Workspace,
    ///     denies: Some("Files are Bob's.".into()),
    ///     lasts: None,
    ///     limits: UseLimits::default(),
    ///     agents: false,
    ///     people: Vec::new(),
    /// };
    /// AddApprovalRule::new(Arc::new(mail_sender)).run(&samples::workspace(), "ann".into(), never).await?;
    /// # Ok(()) });
    /// ```
    pub struct AddApprovalRule over (mail_sender: dyn MailSender)
        again "Asked again it makes a second rule: read the rules first, or hand it in under a "
        "[receipt](crate::mail::Receipt)."
}

impl AddApprovalRule {
    /// Creates the rule and returns its id; `None` if the owner of the database is an older version that does not
    /// report it. Calls that the rule refuses and that have not started are refused immediately.
    ///
    /// # Errors
    /// When the command, an argument or the session is unknown, an irreversible command would be approved, no call
    /// could match the rule, there are too many rules, or the request is not accepted.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        author: String,
        new: NewRuleRequest,
    ) -> Result<Option<String>, UseCaseError> {
        let request = MailRequest::workspace(AddRuleRequest { author, new });
        expect_created_id(self.mail_sender.post(workspace, Mail::from_request(request)).await?)
    }
}

use_case! {
    /// Revokes a standing approval rule.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mail_sender = samples::mail_sender(|request| match request {
    ///     MailRequest::Workspace(WorkspaceRequest::RevokeRule(gone)) => gone.rule == "rul_1",
    ///     _ => false,
    /// });
    /// let revoke = RevokeApprovalRule::new(Arc::new(mail_sender));
    /// revoke.run(&samples::workspace(), "ann".into(), "rul_1".into()).await?;
    /// # Ok(()) });
    /// ```
    pub struct RevokeApprovalRule over (mail_sender: dyn MailSender)
        again "Asked again it changes nothing."
}

impl RevokeApprovalRule {
    /// Revokes one rule: calls it covers that have not started require approval again. A rule that was revoked before
    /// stays unchanged.
    ///
    /// # Errors
    /// When there is no such rule, or the request is not accepted.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        author: String,
        rule: String,
    ) -> Result<(), UseCaseError> {
        let request = MailRequest::workspace(RevokeRuleRequest { author, rule });
        expect_done(self.mail_sender.post(workspace, Mail::from_request(request)).await?)
    }
}
