//! The scenarios: each is one use of the product, and ends by itself if no process is killed.

use super::agents::{self, CAST, CrashAgentScript};
use super::script::{LAST_WORDS, MORE, chat, turn};

/// A scenario, in a workspace of its own.
#[derive(Debug)]
pub struct CrashScenario {
    /// Its name.
    pub name: &'static str,
    /// A chat, if any.
    pub chat: Option<ChatScenario>,
    /// An automation, if any.
    pub runs: Option<AutomationScenario>,
}

/// A chat of a user with a model.
#[derive(Debug)]
pub struct ChatScenario {
    /// The messages of the user, in order. The first one is answered before the others are sent.
    pub messages: &'static [&'static str],
    /// The replies of the model.
    pub script: fn() -> String,
    /// Whether every action needs approval.
    pub guarded: bool,
    /// Whether the user is in another process than the owner, and sends mail.
    pub by_mail: bool,
    /// Whether external actions are executed and never answered.
    pub hangs: bool,
    /// Whether a backup and a copy are made at the end.
    pub copied: bool,
    /// Whether another chat goes by the retention policy at the end, and a held one stays.
    pub retains: bool,
    /// Zones that exist at the end.
    pub zones: &'static [&'static str],
    /// The agents that it calls.
    pub agents: &'static [CrashAgentScript],
}

/// An automation with its runs.
#[derive(Debug)]
pub struct AutomationScenario {
    /// The replies of the model in each run.
    pub script: fn() -> String,
    /// Why it runs.
    pub begin: AutomationRunCause,
    /// Whether every action needs approval: runs park, and the user decides.
    pub guarded: bool,
    /// Whether the user rejects the completion of one run.
    pub rejected: bool,
    /// Number of runs to wait for.
    pub wanted: usize,
}

/// Why an automation runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutomationRunCause {
    /// Its occurrence is due.
    OnTime,
    /// Several occurrences were due while no process could run them.
    Late,
    /// A person starts it.
    ByHand,
}

const TALK: ChatScenario = ChatScenario {
    messages: &["Do it.", "And this.", "And that."],
    script: words,
    guarded: false,
    by_mail: false,
    hangs: false,
    copied: false,
    retains: false,
    zones: &[],
    agents: &[],
};

const RUN: AutomationScenario = AutomationScenario {
    script: run,
    begin: AutomationRunCause::OnTime,
    guarded: false,
    rejected: false,
    wanted: 2,
};

/// Every scenario.
pub const SCENES: [CrashScenario; 15] = [
    CrashScenario {
        name: "approvals",
        chat: Some(ChatScenario { script: approvals, guarded: true, zones: &["Health"], ..TALK }),
        runs: None,
    },
    CrashScenario { name: "reads", chat: Some(ChatScenario { script: reads, ..TALK }), runs: None },
    CrashScenario {
        name: "plans",
        chat: Some(ChatScenario { script: plans, zones: &["One", "Two", "Three"], ..TALK }),
        runs: None,
    },
    CrashScenario {
        name: "questions",
        chat: Some(ChatScenario { script: questions, zones: &["Red"], ..TALK }),
        runs: None,
    },
    CrashScenario {
        name: "slow",
        chat: Some(ChatScenario { script: slow, hangs: true, messages: &["Do it."], ..TALK }),
        runs: None,
    },
    CrashScenario { name: "summary", chat: Some(ChatScenario { script: summary, ..TALK }), runs: None },
    CrashScenario {
        name: "mail",
        chat: Some(ChatScenario { script: mail, guarded: true, by_mail: true, zones: &["Post"], ..TALK }),
        runs: None,
    },
    CrashScenario {
        name: "copies",
        chat: Some(ChatScenario { copied: true, messages: &["Do it."], ..TALK }),
        runs: None,
    },
    CrashScenario {
        name: "retention",
        chat: Some(ChatScenario { script: reads, retains: true, messages: &["Do it."], ..TALK }),
        runs: None,
    },
    CrashScenario {
        name: "tasks",
        chat: Some(ChatScenario { script: tasks, messages: &["Do it."], ..TALK }),
        runs: None,
    },
    CrashScenario {
        name: "agents",
        chat: Some(ChatScenario {
            script: agents::script,
            guarded: true,
            messages: &["Do it."],
            agents: &CAST,
            ..TALK
        }),
        runs: None,
    },
    CrashScenario { name: "on time", chat: None, runs: Some(AutomationScenario { guarded: true, ..RUN }) },
    CrashScenario {
        name: "late",
        chat: None,
        runs: Some(AutomationScenario { begin: AutomationRunCause::Late, wanted: 3, ..RUN }),
    },
    CrashScenario {
        name: "completion",
        chat: None,
        runs: Some(AutomationScenario {
            begin: AutomationRunCause::ByHand,
            rejected: true,
            wanted: 1,
            ..RUN
        }),
    },
    CrashScenario {
        name: "together",
        chat: Some(ChatScenario { script: approvals, guarded: true, zones: &["Health"], ..TALK }),
        runs: Some(AutomationScenario { guarded: true, ..RUN }),
    },
];

impl CrashScenario {
    /// The scenario of this name.
    pub fn named(name: &str) -> Option<&'static CrashScenario> {
        SCENES.iter().find(|scene| scene.name == name)
    }
}

fn words() -> String {
    chat(&[])
}

/// Queries, a local action, and one external action of each effect class; all actions need approval.
fn approvals() -> String {
    chat(&[
        r#"{"pre_text":"I look first.","queries":[{"type":"ZONES","params":{}},{"type":"OUTSIDE_READ","params":{}}]}"#,
        r#"{"pre_text":"I make a zone.","actions":[{"type":"CREATE_ZONE","params":{"name":"Health"}}],"keep_control":true}"#,
        r#"{"pre_text":"I tell the world.","keep_control":true,"actions":[{"type":"OUTSIDE_NOTE","params":{"text":"once"}},{"type":"OUTSIDE_NOTE_KEYED","params":{"text":"keyed"}},{"type":"OUTSIDE_NOTE_PROBED","params":{"text":"probed"}}]}"#,
        r#"{"pre_text":"Again.","keep_control":true,"actions":[{"type":"OUTSIDE_NOTE","params":{"text":"once more"}}]}"#,
    ])
}

/// Several queries at once, two of them equal.
fn reads() -> String {
    chat(&[
        r#"{"pre_text":"I look.","queries":[{"type":"ZONES","params":{}},{"type":"OUTSIDE_READ","params":{}},{"type":"APP_STATE","params":{}},{"type":"ZONES","params":{}}]}"#,
        r#"{"pre_text":"I look again.","queries":[{"type":"OUTSIDE_READ","params":{}},{"type":"APP_STATE","params":{}}]}"#,
    ])
}

/// Local actions, several in one reply.
fn plans() -> String {
    chat(&[
        r#"{"pre_text":"I make two.","keep_control":true,"actions":[{"type":"CREATE_ZONE","params":{"name":"One"}},{"type":"CREATE_ZONE","params":{"name":"Two"}}]}"#,
        r#"{"pre_text":"I make another.","keep_control":true,"actions":[{"type":"CREATE_ZONE","params":{"name":"Three"}}]}"#,
    ])
}

/// A question of each kind, and an action after the answer.
fn questions() -> String {
    chat(&[
        r#"{"pre_text":"","question":{"type":"MultipleChoice","question":"Which?","options":["red","blue"]}}"#,
        r#"{"pre_text":"As you say.","keep_control":true,"actions":[{"type":"CREATE_ZONE","params":{"name":"Red"}}]}"#,
        r#"{"pre_text":"","question":{"type":"Validation","message":"Is it right so?"}}"#,
    ])
}

/// External actions without an answer in time.
fn slow() -> String {
    chat(&[
        r#"{"pre_text":"I tell the world.","keep_control":true,"actions":[{"type":"OUTSIDE_NOTE","params":{"text":"slow once"}}]}"#,
        r#"{"pre_text":"Otherwise.","keep_control":true,"actions":[{"type":"OUTSIDE_NOTE_PROBED","params":{"text":"slow probed"}}]}"#,
    ])
}

/// A conversation that becomes too long and is summarized.
fn summary() -> String {
    let look = turn(r#"{"pre_text":"I look.","queries":[{"type":"ZONES","params":{}}]}"#);
    let last = format!(r#"{{"pre_text":"{LAST_WORDS}"}}"#);
    let too_long = format!("[[turn]]\nfail = \"context_too_long\"\ntimes = 1\nenvelope = '''{last}'''\n\n");
    look + &too_long + &words()
}

fn mail() -> String {
    chat(&[
        r#"{"pre_text":"I make a zone.","actions":[{"type":"CREATE_ZONE","params":{"name":"Post"}}],"keep_control":true}"#,
        r#"{"pre_text":"I tell the world.","keep_control":true,"actions":[{"type":"OUTSIDE_NOTE","params":{"text":"by mail"}}]}"#,
    ])
}

/// A long task that ends by itself.
fn tasks() -> String {
    chat(&[r#"{"pre_text":"I close the books.","actions":[{"type":"CLOSE_BOOKS","params":{}}]}"#])
}

/// A run that reads, acts externally, and reports completion.
fn run() -> String {
    let done = r#"{"pre_text":"Done.","completed":true}"#;
    let first = [
        r#"{"pre_text":"I look.","queries":[{"type":"APP_STATE","params":{}}]}"#,
        r#"{"pre_text":"I tell the world.","actions":[{"type":"OUTSIDE_NOTE","params":{"text":"once"}},{"type":"OUTSIDE_NOTE_KEYED","params":{"text":"keyed"}}]}"#,
    ];
    first.into_iter().chain(std::iter::repeat_n(done, MORE)).map(turn).collect()
}
