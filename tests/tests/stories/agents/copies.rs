//! Agents in the file of a session: their conversations travel with it, and become sessions below the imported one.

#![expect(clippy::unwrap_used, reason = "these are the helpers of tests")]

use entracte_application::instructions::InstructionScope;
use entracte_application::retention::{RetentionTable, RetentionTotals};
use entracte_application::session_export::SessionExport;
use entracte_application::use_cases::{
    DeleteSession, EndSession, ExportSession, HoldRetention, ImportSession, ReadAgentTree, ReadLog,
    SessionImport, UseCaseError,
};
use entracte_domain::id::SessionId;
use entracte_domain::session::Dialect;
use entracte_domain::time::Millis;
use entracte_tests::runtime_fixture::{FakeModelLine, RuntimeFixture, command_request_line, envelope_line};
use serde_json::json;

use super::fixture::{AgentFixture, agent, asks_principal, calls, child, exit_line, facts, start_chat};

/// A chat with an agent that has ended, and one that asks its caller and rests.
async fn told(stage: &AgentFixture) -> (RuntimeFixture, SessionId) {
    stage.main([calls(&[("Counter", "count"), ("Writer", "write")]), envelope_line("Which one?")]);
    stage.push_agent_lines("Counter", [exit_line(&json!({ "open": 3 }))]);
    stage.push_agent_lines("Writer", [asks_principal("To whom?", "agent")]);
    let life = stage.start_runtime().await;
    let session = start_chat(&life, Dialect::Envelope, false).await;
    life.send_and_wait(&session, "go").await;
    (life, session)
}

fn stage() -> AgentFixture {
    AgentFixture::with_agents(vec![agent("Counter", &[]), agent("Writer", &[])])
}

async fn export(life: &RuntimeFixture, session: &SessionId) -> SessionExport {
    let export = ExportSession::new(life.services.store.clone(), life.services.log.clone());
    export.run(&life.workspace, session).await.unwrap()
}

async fn import(life: &RuntimeFixture, text: String, as_new: bool) -> Result<SessionImport, UseCaseError> {
    let import = ImportSession::new(life.mail_sender.clone(), life.services.ids.clone());
    import.run(&life.workspace, "bob".into(), text, as_new).await
}

/// The agents below a session, each with its name and mission.
async fn below(life: &RuntimeFixture, session: &SessionId) -> Vec<(SessionId, String, String)> {
    let read = ReadAgentTree::new(life.services.store.clone(), life.services.log.clone());
    let nodes = read.run(&life.workspace, session).await.unwrap();
    nodes.into_iter().map(|node| (node.session, node.agent, node.mission)).collect()
}

async fn is_there(life: &RuntimeFixture, session: &SessionId) -> bool {
    life.services.store.session(&life.workspace, session).await.unwrap().is_some()
}

/// Input: a chat with two agents, exported and imported under its own id and as a new one; expected: the conversations of
/// the agents stand below each copy as they were, nothing runs again, and a copy takes its agents along.
#[tokio::test(start_paused = true)]
async fn export_includes_agents() {
    let (here, there) = (stage(), stage());
    let (life, session) = told(&here).await;
    let agents = [child(&life, &session, 0).await, child(&life, &session, 1).await];
    let file = export(&life, &session).await;
    let named: Vec<_> = file.agents.iter().map(|agent| agent.session.clone()).collect();
    assert_eq!(named, agents);
    let text = file.encode().unwrap();
    assert_eq!(SessionExport::decode(&text).unwrap(), file);

    let away = there.start_runtime().await;
    let same = import(&away, text.clone(), false).await.unwrap();
    assert_eq!((&same.session, same.agents), (&session, 2));
    assert_eq!(below(&away, &session).await, below(&life, &session).await);
    let new = import(&life, text, true).await.unwrap().session;
    let copies = below(&life, &new).await;
    assert_eq!(copies.len(), 2);
    for ((copy, ..), original) in copies.iter().zip(&agents) {
        assert!(copy.is_in_tree_of(&new), "{copy}");
        let conversation = |life: &RuntimeFixture| ReadLog::new(life.services.log.clone());
        let (of_copy, of_original) = (
            conversation(&life).conversation(&life.workspace, copy).await.unwrap(),
            conversation(&life).conversation(&life.workspace, original).await.unwrap(),
        );
        assert_eq!(of_copy.len(), of_original.len());
        assert!(facts(&life, copy).await.agent.is_none(), "a copy acts for nobody");
        life.verify(copy).await;
        life.verify(original).await;
    }
    life.verify(&new).await;
    for session in [&session, &agents[0], &agents[1]] {
        away.verify(session).await;
    }
    assert!(there.model_requests("").is_empty() && there.model_requests("Writer").is_empty());

    let again = export(&life, &new).await;
    assert_eq!(again.agents.len(), 2, "a copy is exported with its agents, too");
    DeleteSession::new(life.mail_sender.clone()).run(&life.workspace, &new, "bob".into()).await.unwrap();
    for (copy, ..) in &copies {
        assert!(!is_there(&life, copy).await);
    }
    assert!(is_there(&life, &agents[0]).await, "the agents of the original stay");
}

/// Input: a session exported without its agents; expected: an earlier release could read the file.
#[tokio::test(start_paused = true)]
async fn export_omits_agents_on_request() {
    let here = stage();
    let (life, session) = told(&here).await;
    let export = ExportSession::new(life.services.store.clone(), life.services.log.clone());
    let text = export.run_alone(&life.workspace, &session).await.unwrap().encode().unwrap();
    assert!(text.starts_with(r#"{"schema":"entracte.session_export/1""#), "{text}");
    let imported = import(&life, text, true).await.unwrap();
    assert_eq!((imported.agents, below(&life, &imported.session).await), (0, Vec::new()));
}

/// Input: files in which an agent belongs to no call, stands twice, was changed, or was put before its caller; expected:
/// nothing is imported.
#[tokio::test(start_paused = true)]
async fn forged_agents_are_refused() {
    let here = stage();
    let (life, session) = told(&here).await;
    let file = export(&life, &session).await;
    let away = stage().start_runtime().await;
    let refused = async |text: String| {
        let answer = import(&away, text, false).await;
        let Err(UseCaseError::Invalid(why)) = answer else { panic!("{answer:?}") };
        assert!(away.services.store.workspaces().await.unwrap().is_empty(), "nothing was stored");
        why.to_string()
    };
    let mut stranger = file.clone();
    stranger.agents[0] = export(&life, &session).await;
    stranger.agents[0].agents.clear();
    let why = refused(stranger.encode().unwrap()).await;
    assert!(why.contains("no call of the file started the agent"), "{why}");
    let mut twice = file.clone();
    twice.agents[1] = twice.agents[0].clone();
    let why = refused(twice.encode().unwrap()).await;
    assert!(why.contains("no call of the file started the agent"), "{why}");
    let mut nested = file.clone();
    nested.agents[0].agents = vec![nested.agents[1].clone()];
    let why = refused(nested.encode().unwrap()).await;
    assert!(why.contains("has agents of its own"), "{why}");
    let mut cut = file.clone();
    cut.agents[0].rows.pop();
    let why = refused(cut.encode().unwrap()).await;
    assert!(why.contains("does not give the state that it records"), "{why}");
    let why = refused(file.encode().unwrap().replacen("To whom?", "To Eve?", 1)).await;
    assert!(why.contains("it was changed or cut"), "{why}");
}

/// Input: an imported session, in whose agent a person works; expected: the session is not deleted until that is over.
#[tokio::test(start_paused = true)]
async fn working_copy_of_agent_keeps_its_session() {
    let here = stage();
    let (life, session) = told(&here).await;
    let text = export(&life, &session).await.encode().unwrap();
    let root = import(&life, text, true).await.unwrap().session;
    let copy = below(&life, &root).await[1].0.clone();
    here.main([FakeModelLine::Hangs]);
    life.send_message(&copy, "write to me").await;
    let delete = DeleteSession::new(life.mail_sender.clone());
    let refused = delete.run(&life.workspace, &root, "bob".into()).await;
    assert!(matches!(refused, Err(UseCaseError::Conflict(_))), "{refused:?}");
    assert!(is_there(&life, &root).await && is_there(&life, &copy).await);
    assert_eq!(below(&life, &root).await.len(), 2, "none of its agents went");
}

/// Runs retention when everything so far is older than the limits.
async fn retain(life: &RuntimeFixture, rows_per_commit: u32) -> RetentionTotals {
    life.services.clock.sleep(Millis::seconds(10)).await;
    life.retention(rows_per_commit).run(&life.workspace, &mut |_| {}).await.unwrap()
}

async fn end(life: &RuntimeFixture, session: &SessionId) {
    EndSession::new(life.mail_sender.clone()).run(&life.workspace, session, "ann".into()).await.unwrap();
}

/// Input: an agent that rests with a result it read, and its chat; expected: nothing of both goes while it is open, and
/// all of it in one commit or in many once the chat has ended.
#[tokio::test(start_paused = true)]
async fn retention_keeps_resting_agents() {
    for rows_per_commit in [200, 4] {
        let stage = AgentFixture::with_agents(vec![agent("Writer", &["outside.look"])])
            .with_limits("chats=5s, agents=5s, results=5s, ledger=5s");
        stage.main([calls(&[("Writer", "write")]), envelope_line("Which one?")]);
        let look = command_request_line("queries", &[("LOOK", json!({ "at": "weight" }))]);
        stage.push_agent_lines("Writer", [look, asks_principal("To whom?", "agent")]);
        let life = stage.start_runtime().await;
        let session = start_chat(&life, Dialect::Envelope, false).await;
        life.send_and_wait(&session, "go").await;
        let writer = child(&life, &session, 0).await;
        let before = life.entries(&writer).await;
        let removed = retain(&life, rows_per_commit).await;
        assert!(removed.is_empty(), "{removed:?}");
        assert_eq!(life.entries(&writer).await, before);

        end(&life, &session).await;
        retain(&life, rows_per_commit).await;
        assert!(!is_there(&life, &session).await && !is_there(&life, &writer).await);
    }
}

/// Input: a hold on a chat with agents after each commit in which they and it go; expected: from the first one on the
/// answer says that a part is gone, also while only agents went.
#[tokio::test(start_paused = true)]
async fn hold_says_that_agents_are_gone() {
    let mut commits = 0;
    loop {
        let here = stage().with_limits("chats=5s");
        let (life, session) = told(&here).await;
        end(&life, &session).await;
        life.services.clock.sleep(Millis::seconds(10)).await;
        let entries = life.entries(&session).await.len();
        let run = life.retention(4).run_commits(&life.workspace, commits, &mut |_| {}).await.unwrap();
        if run.is_complete && commits > 0 {
            break;
        }
        let hold = HoldRetention::new(life.mail_sender.clone(), life.services.log.clone());
        let scope = InstructionScope::Session(session.clone());
        let is_partial = hold.run(&life.workspace, "ann".into(), scope, "Audit.".into()).await.unwrap();
        assert_eq!(is_partial, commits > 0, "after {commits}");
        if commits == 1 {
            assert_eq!(life.entries(&session).await.len(), entries, "its agents go first");
        }
        commits += 1;
    }
    assert!(commits > 2, "they go in several commits: {commits}");
}

/// Input: an ended chat with agents, where chats and agents have a limit of their own; expected: a dry run counts each
/// session and each of its rows once, and a run removes just that.
#[tokio::test(start_paused = true)]
async fn agents_that_go_with_their_chat_are_counted_once() {
    for rows_per_commit in [200, 4] {
        let here = stage().with_limits("chats=5s, agents=5s, ledger=5s");
        let (life, session) = told(&here).await;
        end(&life, &session).await;
        life.services.clock.sleep(Millis::seconds(10)).await;
        let mut rows = [1_u64, life.entries(&session).await.len() as u64, calls_of(&life, &session).await];
        for number in [0, 1] {
            let agent = child(&life, &session, number).await;
            rows[0] += 1;
            rows[1] += life.entries(&agent).await.len() as u64;
            rows[2] += calls_of(&life, &agent).await;
        }
        let would = life.retention(rows_per_commit).preview(&life.workspace).await.unwrap();
        let tables = [RetentionTable::Sessions, RetentionTable::Entries, RetentionTable::Calls];
        assert_eq!(tables.map(|table| would.count(table).rows), rows);
        assert_eq!(retain(&life, rows_per_commit).await, would);
        assert!(!is_there(&life, &session).await);
    }
}

async fn calls_of(life: &RuntimeFixture, session: &SessionId) -> u64 {
    life.services.log.calls(&life.workspace, session).await.unwrap().len() as u64
}

/// Input: the results of a chat with agents; expected: they go, and all sessions replay.
#[tokio::test(start_paused = true)]
async fn results_of_callers_go() {
    let here = stage().with_limits("results=5s");
    let (life, session) = told(&here).await;
    end(&life, &session).await;
    retain(&life, 200).await;
    for session in [session.clone(), child(&life, &session, 0).await, child(&life, &session, 1).await] {
        life.verify(&session).await;
    }
}

/// Input: an imported session with its agents; expected: all of it goes by the policy once the session has ended and the
/// agents rest, but not while a person works in one of them or holds one.
#[tokio::test(start_paused = true)]
async fn retention_takes_copied_agents() {
    for rows_per_commit in [200, 4] {
        let here = stage().with_limits("chats=5s");
        let (life, session) = told(&here).await;
        let text = export(&life, &session).await.encode().unwrap();
        let [root, busy, held] = {
            let mut roots = Vec::new();
            for _ in 0..3 {
                roots.push(import(&life, text.clone(), true).await.unwrap().session);
            }
            <[SessionId; 3]>::try_from(roots).unwrap()
        };
        let mut agents = Vec::new();
        for root in [&root, &busy, &held] {
            agents.push(below(&life, root).await);
            end(&life, root).await;
        }
        let scope = InstructionScope::Session(agents[2][0].0.clone());
        let hold = HoldRetention::new(life.mail_sender.clone(), life.services.log.clone());
        hold.run(&life.workspace, "ann".into(), scope, "Audit.".into()).await.unwrap();
        here.main([FakeModelLine::Hangs]);
        life.send_message(&agents[1][1].0, "write to me").await;
        retain(&life, rows_per_commit).await;
        assert!(!is_there(&life, &root).await);
        for (copy, ..) in &agents[0] {
            assert!(!is_there(&life, copy).await, "{copy}");
        }
        for kept in [&busy, &held] {
            assert!(is_there(&life, kept).await);
            assert_eq!(below(&life, kept).await.len(), 2);
            life.verify(kept).await;
        }
    }
}
