//! `approve`, `reject`, `answer`, `settle`: a person's decisions.

use std::sync::Arc;

use entracte_application::json;
use entracte_application::texts::say;
use entracte_application::use_cases::{AnswerApprovals, AnswerQuestion, Choice, SettleCall};
use entracte_domain::id::{CallId, SessionId, WorkspaceKey};
use entracte_domain::time::Millis;

use super::turn::Stage;
use crate::args::{ApproveArgs, Found, RejectArgs, Which};
use crate::config::span;
use crate::desk::Desk;
use crate::error::{CliError, Exit};
use crate::render::rule::words;
use crate::render::text::one_line;
use crate::wiring::Wiring;

/// Runs `approve`.
pub(crate) async fn approve(desk: &Desk, args: ApproveArgs) -> Result<Exit, CliError> {
    let choice = match &args.edit {
        None if args.always => Choice::Always { in_session: args.in_session, lasts: lasts(&args)? },
        None => Choice::Approve,
        Some(_) if args.which.ids.len() > 1 => {
            let text = "--edit changes one call, not several; approve them one by one: entracte inbox";
            return Err(CliError::new(Exit::Usage, text));
        }
        Some(text) => Choice::ApproveEdited(arguments("--edit", text)?),
    };
    decide(desk, &args.which, choice, args.no_wait).await
}

/// How long leave in advance counts.
fn lasts(args: &ApproveArgs) -> Result<Option<Millis>, CliError> {
    let Some(text) = &args.lasts else { return Ok(None) };
    span(text).filter(|span| span.0 > 0).map(Some).ok_or_else(|| {
        let says = format!("--for takes a length of time like 12h or 30d, not “{text}”");
        CliError::with_next(Exit::Usage, says, "entracte approve ID --always --for 30d")
    })
}

/// Runs `reject`.
pub(crate) async fn reject(desk: &Desk, args: RejectArgs) -> Result<Exit, CliError> {
    decide(desk, &args.which, Choice::Reject(args.reason), args.no_wait).await
}

/// Runs `answer`.
pub(crate) async fn answer(
    desk: &Desk,
    session: &str,
    text: String,
    no_wait: bool,
) -> Result<Exit, CliError> {
    let wiring = desk.wire()?;
    let found = wiring.session(session).await?;
    let stage = Stage::of(desk, wiring, found).await?;
    let after = stage.last().await?;
    let answer = AnswerQuestion::new(stage.way.clone());
    stage.asked(answer.run(&stage.workspace, &stage.session, stage.author(), text).await).await?;
    stage.carry_on(no_wait, after).await
}

/// Runs `settle`.
pub(crate) async fn settle(
    desk: &Desk,
    call: &str,
    found: Found,
    note: Option<String>,
) -> Result<Exit, CliError> {
    let wiring = desk.wire()?;
    let (session, call) = wiring.find().call(call).await?;
    let workspace = workspace_of(&wiring, &session).await?;
    let stage = Stage::of(desk, wiring, (session, workspace)).await?;
    let after = stage.last().await?;
    let settle = SettleCall::new(stage.way.clone());
    let happened = found == Found::Happened;
    let settled = settle.run(&stage.workspace, &stage.session, stage.author(), call, happened, note).await;
    stage.asked(settled).await?;
    stage.carry_on(false, after).await
}

async fn decide(desk: &Desk, which: &Which, choice: Choice, no_wait: bool) -> Result<Exit, CliError> {
    let wiring = desk.wire()?;
    let (session, calls) = match &which.session {
        Some(named) => (wiring.find().session(named).await?, Vec::new()),
        None => calls(&wiring, &which.ids).await?,
    };
    let workspace = workspace_of(&wiring, &session).await?;
    let stage = Stage::of(desk, wiring, (session, workspace)).await?;
    let after = stage.last().await?;
    let decide = AnswerApprovals::new(stage.way.clone(), stage.wiring.store.clone());
    let (workspace, session, author) = (&stage.workspace, &stage.session, stage.author());
    let decided = if which.all {
        decide.run_for_all(workspace, session, author, &choice).await
    } else {
        decide.run(workspace, session, author, &calls, &choice).await
    };
    stage.asked(decided).await.map_err(|error| error.or_next("entracte inbox"))?;
    if matches!(choice, Choice::Always { .. }) {
        tell_rules(&stage, after).await?;
    }
    stage.carry_on(no_wait, after).await
}

/// Says which rules a decision made, and how they are taken back.
pub(super) async fn tell_rules(stage: &Stage<'_>, after: u64) -> Result<(), CliError> {
    let desk = stage.desk;
    let texts = desk.texts(&stage.wiring, &stage.workspace).await?;
    let made = stage.wiring.rules_given().made_after(&stage.workspace, &stage.session, after).await?;
    for rule in &made {
        let said = words(rule, texts, &desk.zone);
        desk.out.say(&one_line(&say!(texts, "rule-made", rule = &rule.id, words = said)));
        desk.out.say(&say!(texts, "rule-made-but", rule = &rule.id));
    }
    Ok(())
}

/// The calls that were named; decisions are taken together, so they must be of one session.
async fn calls(wiring: &Arc<Wiring>, ids: &[String]) -> Result<(SessionId, Vec<CallId>), CliError> {
    let mut found: Option<(SessionId, Vec<CallId>)> = None;
    for id in ids {
        let (session, call) = wiring.find().call(id).await?;
        match &mut found {
            None => found = Some((session, vec![call])),
            Some((first, calls)) if *first == session => calls.push(call),
            Some((first, _)) => {
                let text = format!(
                    "{id} is of {session}, not of {first}; decide session by session: entracte inbox"
                );
                return Err(CliError::new(Exit::Usage, text));
            }
        }
    }
    found.ok_or_else(|| CliError::new(Exit::Usage, "no call was named; see what is open: entracte inbox"))
}

async fn workspace_of(wiring: &Wiring, session: &SessionId) -> Result<WorkspaceKey, CliError> {
    Ok(wiring.show().run(session).await?.facts.workspace)
}

/// JSON arguments that a person wrote.
pub(super) fn arguments(what: &str, text: &str) -> Result<entracte_domain::value::Value, CliError> {
    let value = json::parse(text).map_err(|fault| {
        CliError::new(Exit::Usage, format!("{what} is not JSON: {fault}; it was: {text}"))
            .or_next("entracte command list")
    })?;
    if value.as_object().is_none() {
        let text = format!("{what} must be a JSON object like {{\"name\": \"Health\"}}; it was: {text}");
        return Err(CliError::new(Exit::Usage, text).or_next("entracte command list"));
    }
    Ok(value)
}
