//! Checks of a declaration that its types cannot express. Pure: opens no file and no connection.

use entracte_application::texts::{LocalizedMessage, saying};

use super::config::{TaskConfig, TaskKind};
use crate::card_template::CardTemplate;
use crate::declaration_checks::{self, DeclarationFault, is_variable};
use crate::template::UrlTemplate;

/// A fault of a task declaration, with its fix.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.saying())]
pub struct TaskConfigFault {
    /// The name of the command.
    pub task: String,
    /// The key of the declaration.
    pub key: String,
    /// The fault, with the rejected value.
    pub problem: LocalizedMessage,
    /// The fix.
    pub fix: LocalizedMessage,
}

impl TaskConfigFault {
    /// The fault as a message to be rendered once the language is known.
    pub fn saying(&self) -> LocalizedMessage {
        let Self { task, key, problem, fix } = self;
        saying!("fault-task", task = task, key = key, problem = problem.clone(), fix = fix.clone())
    }
}

type TaskCheckResult = Result<(), TaskConfigFault>;

/// The only variable of a status address.
pub(super) const TASK: &str = "task";

/// The most secrets in use at the same time: the current one and its replacement.
const SECRETS_MAX: usize = 2;

/// The longest deadline of a task, in seconds: a year.
const DEADLINE_MAX: u32 = 366 * 24 * 60 * 60;

impl TaskConfig {
    /// Checks that the task command can be used.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self) -> Result<(), TaskConfigFault> {
        let of = |wrong: DeclarationFault| self.fault(&wrong.key, wrong.problem, wrong.fix);
        declaration_checks::names(&self.name, &self.word(), &self.doc).map_err(of)?;
        declaration_checks::schema("arguments", &self.arguments).map_err(of)?;
        declaration_checks::closed_object(&self.arguments).map_err(of)?;
        self.address()?;
        self.status_address()?;
        self.all_secrets()?;
        self.class()?;
        self.limits()?;
        self.card_template()?;
        declaration_checks::sample(&self.arguments, self.example.as_ref()).map_err(of)
    }

    /// The template of its approval card, if it has one.
    pub(super) fn card_template(&self) -> Result<Option<CardTemplate>, TaskConfigFault> {
        let properties = self.arguments.get("properties").and_then(serde_json::Value::as_object);
        let names = properties.map(|all| all.keys().map(String::as_str).collect()).unwrap_or_default();
        let wrong = |problem| self.fault("card", problem, saying!("fault-card-template"));
        self.card.as_deref().map(|card| CardTemplate::parse(card, &names).map_err(wrong)).transpose()
    }

    fn address(&self) -> TaskCheckResult {
        let parsed = UrlTemplate::parse(&self.url);
        let template = parsed.map_err(|problem| self.fault("url", problem, saying!("fault-task-url")))?;
        match template.variables().next() {
            None => Ok(()),
            Some((name, _)) => {
                let problem = saying!("fault-task-variable", given = format!("{{{name}}}"));
                self.wrong("url", problem, saying!("fault-task-url"))
            }
        }
    }

    /// Checks that the status address is on the host that receives the task: signed requests go nowhere else.
    fn status_address(&self) -> TaskCheckResult {
        let key = "status_url_template";
        let Some(text) = &self.status_url_template else { return Ok(()) };
        let fix = || saying!("fault-task-status-url", form = format!("{{{TASK}}}"));
        let template = UrlTemplate::parse(text).map_err(|problem| self.fault(key, problem, fix()))?;
        if let Some((name, _)) = template.variables().find(|(name, _)| *name != TASK) {
            return self.wrong(key, saying!("fault-task-variable", given = format!("{{{name}}}")), fix());
        }
        if template.variables().next().is_none() {
            return self.wrong(key, saying!("fault-task-not-named", form = format!("{{{TASK}}}")), fix());
        }
        let own = UrlTemplate::parse(&self.url).ok();
        if own.is_none_or(|own| own.sample().origin() != template.sample().origin()) {
            return self.wrong(key, saying!("fault-task-other-host"), saying!("fault-task-own-host"));
        }
        Ok(())
    }

    fn all_secrets(&self) -> TaskCheckResult {
        if self.secrets.is_empty() || self.secrets.len() > SECRETS_MAX {
            let problem = saying!("fault-task-secrets", count = self.secrets.len());
            return self.wrong("secrets", problem, saying!("fault-task-add-secret"));
        }
        for place in &self.secrets {
            if !place.is_one() || place.reference().is_none() || !place.prefix.is_empty() {
                let problem = saying!("fault-secret-once");
                return self.wrong("secrets", problem, saying!("fault-task-add-secret"));
            }
            if place.secret_env.as_deref().is_some_and(|name| !is_variable(name)) {
                let problem = saying!("fault-secret-env-variable");
                return self.wrong("secrets", problem, saying!("fault-export-secret"));
            }
        }
        Ok(())
    }

    fn class(&self) -> TaskCheckResult {
        let query = self.kind == TaskKind::Query;
        if !self.idempotent && self.key_lifetime_seconds.is_some() {
            let problem = saying!("fault-task-only-idempotent");
            return self.wrong("key_lifetime_seconds", problem, saying!("fault-task-set-idempotent"));
        }
        if self.status_url_template.is_none() && self.settle_seconds.is_some() {
            let problem = saying!("fault-task-only-status-url");
            return self.wrong("settle_seconds", problem, saying!("fault-remove"));
        }
        if !query && self.approval == Some(false) {
            return self.wrong("approval", saying!("fault-action-approval"), saying!("fault-remove"));
        }
        if query && !self.requires_read_approval() && self.four_eyes == Some(true) {
            return self.wrong("four_eyes", saying!("fault-four-eyes-query"), saying!("fault-set-approval"));
        }
        let asks = !query || self.requires_read_approval();
        let checked = self.tool_approvers().check(asks);
        checked.map_err(|fault| self.fault(&fault.key, fault.problem, fault.fix))?;
        if query && self.destructive == Some(true) {
            return self.wrong(
                "destructive",
                saying!("fault-query-destructive"),
                saying!("fault-set-action"),
            );
        }
        Ok(())
    }

    fn limits(&self) -> TaskCheckResult {
        let numbers = [
            ("timeout_seconds", self.timeout_seconds),
            ("key_lifetime_seconds", self.key_lifetime_seconds),
            ("deadline_seconds", self.deadline_seconds),
            ("settle_seconds", self.settle_seconds),
        ];
        if let Some((key, _)) = numbers.into_iter().find(|(_, value)| *value == Some(0)) {
            return self.wrong(key, saying!("fault-zero"), saying!("fault-one-or-more"));
        }
        match self.deadline_seconds.filter(|seconds| *seconds > DEADLINE_MAX) {
            None => Ok(()),
            Some(given) => {
                let fix = saying!("fault-use-range", most = DEADLINE_MAX);
                self.wrong("deadline_seconds", saying!("fault-out-of-range", given = given), fix)
            }
        }
    }

    fn wrong(&self, key: &str, problem: LocalizedMessage, fix: LocalizedMessage) -> TaskCheckResult {
        Err(self.fault(key, problem, fix))
    }

    pub(crate) fn fault(
        &self,
        key: &str,
        problem: LocalizedMessage,
        fix: LocalizedMessage,
    ) -> TaskConfigFault {
        TaskConfigFault { task: self.name.clone(), key: key.to_owned(), problem, fix }
    }
}
