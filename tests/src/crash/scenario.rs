//! What is played: each scene is one way in which the project is used, and ends by itself when no process dies.

use super::agents::{self, CAST, CrashAgentScript};
use super::script::{LAST_WORDS, MORE, chat, turn};

/// A scene, in a workspace of its own.
#[derive(Debug)]
pub struct CrashScenario {
    /// Its name.
    pub name: &'static str,
    /// A person who talks.
    pub chat: Option<ChatScenario>,
    /// An automation.
    pub runs: Option<AutomationScenario>,
}

/// A person who talks with a model.
#[derive(Debug)]
pub struct ChatScenario {
    /// The messages of the person, in order. The first is answered before the others are sent.
    pub messages: &'static [&'static str],
    /// What the model says.
    pub script: fn() -> String,
    /// Every action needs approval.
    pub guarded: bool,
    /// The person is in another process than the owner, and sends mail.
    pub by_mail: bool,
    /// What is told to the world outside is done, and never answered.
    pub hangs: bool,
    /// At the end a backup and a copy are made.
    pub copied: bool,
    /// Zones that are there at the end.
    pub zones: &'static [&'static str],
    /// The agents that it calls.
    pub agents: &'static [CrashAgentScript],
}

/// An automation that runs.
#[derive(Debug)]
pub struct AutomationScenario {
    /// What the model says in each run.
    pub script: fn() -> String,
    /// Why it runs.
    pub begin: AutomationRunCause,
    /// Every action needs approval: runs park, and a person decides.
    pub guarded: bool,
    /// The person says of a run that it is not complete, once.
    pub rejected: bool,
    /// How many runs are waited for.
    pub wanted: usize,
}

/// Why an automation runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutomationRunCause {
    /// Its time has come.
    OnTime,
    /// Its time came several times while no process could run it.
    Late,
    /// A person says so.
    ByHand,
}

const TALK: ChatScenario = ChatScenario {
    messages: &["Do it.", "And this.", "And that."],
    script: words,
    guarded: false,
    by_mail: false,
    hangs: false,
    copied: false,
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

/// Every scene.
pub const SCENES: [CrashScenario; 14] = [
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
    /// The scene of this name.
    pub fn named(name: &str) -> Option<&'static CrashScenario> {
        SCENES.iter().find(|scene| scene.name == name)
    }
}

fn words() -> String {
    chat(&[])
}

/// Reads, a local action, and one external action of each effect class; all actions with approval.
fn approvals() -> String {
    chat(&[
        r#"{"pre_text":"I look first.","queries":[{"type":"ZONES","params":{}},{"type":"OUTSIDE_READ","params":{}}]}"#,
        r#"{"pre_text":"I make a zone.","actions":[{"type":"CREATE_ZONE","params":{"name":"Health"}}],"keep_control":true}"#,
        r#"{"pre_text":"I tell the world.","keep_control":true,"actions":[{"type":"OUTSIDE_NOTE","params":{"text":"once"}},{"type":"OUTSIDE_NOTE_KEYED","params":{"text":"keyed"}},{"type":"OUTSIDE_NOTE_PROBED","params":{"text":"probed"}}]}"#,
        r#"{"pre_text":"Again.","keep_control":true,"actions":[{"type":"OUTSIDE_NOTE","params":{"text":"once more"}}]}"#,
    ])
}

/// Several queries at once, two of them the same.
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

/// External actions of which no answer comes in time.
fn slow() -> String {
    chat(&[
        r#"{"pre_text":"I tell the world.","keep_control":true,"actions":[{"type":"OUTSIDE_NOTE","params":{"text":"slow once"}}]}"#,
        r#"{"pre_text":"Otherwise.","keep_control":true,"actions":[{"type":"OUTSIDE_NOTE_PROBED","params":{"text":"slow probed"}}]}"#,
    ])
}

/// A conversation that becomes too long, and is summed up.
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

/// A long task, whose end comes by itself.
fn tasks() -> String {
    chat(&[r#"{"pre_text":"I close the books.","actions":[{"type":"CLOSE_BOOKS","params":{}}]}"#])
}

/// What a run does: it reads, tells the world, and says that it is done.
fn run() -> String {
    let done = r#"{"pre_text":"Done.","completed":true}"#;
    let first = [
        r#"{"pre_text":"I look.","queries":[{"type":"APP_STATE","params":{}}]}"#,
        r#"{"pre_text":"I tell the world.","actions":[{"type":"OUTSIDE_NOTE","params":{"text":"once"}},{"type":"OUTSIDE_NOTE_KEYED","params":{"text":"keyed"}}]}"#,
    ];
    first.into_iter().chain(std::iter::repeat_n(done, MORE)).map(turn).collect()
}
