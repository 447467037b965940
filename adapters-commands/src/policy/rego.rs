//! A policy in Rego, the language of Open Policy Agent, evaluated in this process and in a thread of its own. It reaches no
//! network and reads no clock. Its files are read at each question, so that a change counts from the next one on.

use std::fs::File;
use std::io::{self, Read as _};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use entracte_application::settings::PolicyHookSettings;
use regorus::utils::limits::ExecutionTimerConfig;
use regorus::{Engine, Value};

/// A policy in Rego.
#[derive(Clone, Debug)]
pub(super) struct RegoPolicy {
    /// A file, or a folder with the files.
    pub(super) place: PathBuf,
    /// The rule whose value is the answer: `data.entracte.answer`.
    pub(super) query: String,
}

/// Why a policy has no answer.
#[derive(Debug)]
pub(super) enum RegoFault {
    /// A file cannot be read.
    Unreadable(PathBuf, io::Error),
    /// The files are larger together than the limit.
    TooLarge,
    /// There is no file with rules.
    NoRules,
    /// A file or the rule is invalid, or its evaluation failed or took too long.
    Failed(String),
    /// The rule has no value for this question.
    Undefined,
}

/// How many steps of an evaluation pass between two looks at its time.
const STEPS: NonZeroU32 = NonZeroU32::MIN.saturating_add(63);

/// The name of the file with the data of a policy.
const DATA: &str = "data.json";

impl RegoPolicy {
    /// Evaluates the rule with the question as `input`, in another thread: it ends at the time limit of an answer, also if
    /// nobody waits for it any more. The answer is JSON.
    pub(super) async fn ask(
        &self,
        question: String,
        settings: PolicyHookSettings,
    ) -> Result<String, RegoFault> {
        let policy = self.clone();
        let asked = tokio::task::spawn_blocking(move || policy.evaluate(&question, settings)).await;
        asked.unwrap_or_else(|error| Err(RegoFault::Failed(error.to_string())))
    }

    fn evaluate(&self, question: &str, settings: PolicyHookSettings) -> Result<String, RegoFault> {
        let failed = |error: &dyn std::fmt::Display| RegoFault::Failed(format!("{error:#}"));
        let mut engine = Engine::new();
        let limit = Duration::from_millis(settings.timeout.0.max(1).unsigned_abs());
        engine.set_execution_timer_config(ExecutionTimerConfig { limit, check_interval: STEPS });
        // An error of a function is no missing value, which could be an answer.
        engine.set_strict_builtin_errors(true);
        // Otherwise `print` writes to the standard error of this process.
        engine.set_gather_prints(true);
        let mut left = settings.rego_bytes;
        let files = self.files()?;
        if !files.iter().any(|file| is_rules(file)) {
            return Err(RegoFault::NoRules);
        }
        for file in files {
            let text = read(&file, &mut left)?;
            if is_rules(&file) {
                let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
                engine.add_policy(name, text).map_err(|error| failed(&error))?;
            } else {
                engine.add_data_json(&text).map_err(|error| failed(&error))?;
            }
        }
        engine.set_input_json(question).map_err(|error| failed(&error))?;
        match engine.eval_rule(self.query.clone()).map_err(|error| failed(&error))? {
            Value::Undefined => Err(RegoFault::Undefined),
            answer => answer.to_json_str().map_err(|error| failed(&error)),
        }
    }

    /// The files of the policy: the one that is named, or those directly in the folder, without tests of the policy.
    fn files(&self) -> Result<Vec<PathBuf>, RegoFault> {
        let unreadable = |error| RegoFault::Unreadable(self.place.clone(), error);
        if !self.place.is_dir() {
            return Ok(vec![self.place.clone()]);
        }
        let mut files = Vec::new();
        for entry in self.place.read_dir().map_err(unreadable)? {
            let file = entry.map_err(unreadable)?.path();
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let is_test = name.ends_with("_test.rego");
            if name == DATA || (name.ends_with(".rego") && !is_test) {
                files.push(file);
            }
        }
        files.sort();
        Ok(files)
    }
}

/// Whether a file has rules, not data.
fn is_rules(file: &Path) -> bool {
    file.file_name().is_none_or(|name| name != DATA)
}

/// Reads a file of at most `left` bytes, which become fewer.
fn read(file: &Path, left: &mut usize) -> Result<String, RegoFault> {
    let unreadable = |error| RegoFault::Unreadable(file.to_owned(), error);
    let most = u64::try_from(*left).unwrap_or(u64::MAX);
    let mut text = String::new();
    let opened = File::open(file).map_err(unreadable)?;
    opened.take(most.saturating_add(1)).read_to_string(&mut text).map_err(unreadable)?;
    *left = left.checked_sub(text.len()).ok_or(RegoFault::TooLarge)?;
    Ok(text)
}
