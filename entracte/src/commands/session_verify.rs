//! `session verify`: replays journals and compares the result with what is stored.

use entracte_adapters_http::api_transport::ApiFault;
use entracte_adapters_http::api_transport::api_path::ApiPath;
use entracte_adapters_http::problem::ProblemCode;
use entracte_adapters_http::shapes::session::SessionItem;
use entracte_adapters_http::shapes::verdict::VerdictShape;
use entracte_adapters_http::shapes::workspace::WorkspaceShape;
use entracte_application::texts::{LocalizedTexts, say};
use serde::Serialize;

use crate::api_client::{ApiClient, ShortIdKind, post_empty};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::VersionedShape;
use crate::render::text::block;
use crate::user_text::{UserText, message};

/// The verdict on a session whose replayed journal equals its stored state.
pub(crate) const WELL: &str = "ok";

/// The verdict on a session that is going by the retention policy: the first part of its log is gone.
const GOING: &str = "GOING";

/// The verdict on a session.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SessionVerdict {
    session: String,
    #[serde(flatten)]
    shape: VerdictShape,
    /// What differs, or why it cannot be read.
    says: String,
    /// The source of `says`, for localizing it.
    #[serde(skip)]
    source: UserText,
}

#[derive(Serialize)]
struct VerdictsObject {
    sessions: Vec<SessionVerdict>,
}

impl SessionVerdict {
    /// The verdict of a check.
    pub(crate) fn new(session: impl Into<String>, shape: VerdictShape) -> Self {
        let source = says(&shape);
        Self { session: session.into(), shape, says: source.to_string(), source }
    }

    /// The verdict on a session that is not verified because it is going, with the API's reason.
    fn going(session: &str, source: UserText) -> Self {
        let says = source.to_string();
        let (verdict, why) = (GOING.into(), Some(says.clone()));
        let shape = VerdictShape { verdict, same: false, stored: None, replayed: None, why };
        Self { session: session.to_owned(), shape, says, source }
    }

    /// Whether the journal gives the stored state.
    pub(crate) fn is_well(&self) -> bool {
        self.shape.verdict == WELL
    }

    /// Whether it is reported as damage. What the retention policy removes is none.
    fn is_ill(&self) -> bool {
        !self.is_well() && self.shape.verdict != GOING
    }

    /// The session, and its verdict in words.
    pub(crate) fn fault(&self, texts: &LocalizedTexts) -> (String, String) {
        let says = self.source.localize(texts);
        (self.session.clone(), format!("{} {says}", self.shape.verdict))
    }

    /// The verdict as a line.
    pub(crate) fn line(&self, texts: &LocalizedTexts) -> String {
        let word = texts.render(&format!("verify-{}", self.shape.verdict.to_lowercase()), &[]);
        let says = self.source.localize(texts);
        let line = match &*self.shape.verdict {
            // The reason begins with the session.
            GOING => format!("{word:<8}  {says}"),
            _ => format!("{word:<8}  {}  {says}", self.session),
        };
        block(&line).trim_end().to_owned()
    }
}

fn says(shape: &VerdictShape) -> UserText {
    match (&shape.stored, &shape.replayed, &shape.why) {
        (Some(stored), Some(replayed), _) => {
            message!("verify-differs", stored = stored, replayed = replayed)
        }
        (_, _, Some(why)) => why.clone().into(),
        _ => "".into(),
    }
}

/// Verifies one session, and prints the verdict; exit code 1 if it differs or cannot be read.
pub(super) async fn one(context: &CommandContext, named: &str) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let session = api.find(ShortIdKind::Session, named).await?;
    let path = api.path(&["sessions", &session, "verify"]);
    let shape: VerdictShape = api.read_by(post_empty(&path)).await?;
    let verdicts = vec![SessionVerdict::new(session, shape)];
    let is_well = verdicts.iter().all(SessionVerdict::is_well);
    if !context.out.json {
        let texts = api.texts().await?;
        for verdict in &verdicts {
            context.out.write_data_line(&verdict.line(texts))?;
        }
    } else {
        print(context, verdicts)?;
    }
    Ok(if is_well { CliExitCode::Done } else { CliExitCode::Failure })
}

/// Verifies the sessions of the workspace, or of every workspace. Prints a line for each that differs or cannot be read;
/// exit code 1 then. One that is going by the retention policy has a line too, and changes no exit code.
pub(super) async fn all(context: &CommandContext, everywhere: bool) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let workspaces = match everywhere {
        true => api.list::<WorkspaceShape>(&ApiPath::new(&["workspaces"])).await?,
        false => Vec::new(),
    };
    let mut keys: Vec<String> = workspaces.into_iter().map(|workspace| workspace.key).collect();
    if !everywhere {
        keys.push(api.workspace().to_string());
    }
    let (mut count, mut verdicts) = (0_usize, Vec::new());
    for key in &keys {
        let path = ApiPath::new(&["workspaces", key, "sessions"]).with("order", "attention");
        let listed: Vec<SessionItem> = api.list(&path).await?;
        count += listed.len();
        for session in listed {
            let path = ApiPath::new(&["workspaces", key, "sessions", &session.id, "verify"]);
            verdicts.extend(verify(&api, &path, &session.id).await?);
        }
    }
    let ill = verdicts.iter().filter(|verdict| verdict.is_ill()).count();
    let well = verdicts.iter().filter(|verdict| verdict.is_well()).count();
    let exit = if ill == 0 { CliExitCode::Done } else { CliExitCode::Failure };
    if context.out.json {
        print(context, verdicts)?;
        return Ok(exit);
    }
    let texts = api.texts().await?;
    for verdict in verdicts.iter().filter(|verdict| !verdict.is_well()) {
        context.out.write_data_line(&verdict.line(texts))?;
    }
    context.out.write_notice(&match ill {
        0 => say!(texts, "verify-well", count = well),
        _ => say!(texts, "verify-ill", count = count, ill = ill),
    });
    Ok(exit)
}

/// The verdict on a session; `None` if it was deleted since it was listed.
async fn verify(
    api: &ApiClient<'_>,
    path: &ApiPath,
    session: &str,
) -> Result<Option<SessionVerdict>, CliError> {
    match api.answer(post_empty(path)).await {
        Ok(answer) => Ok(Some(SessionVerdict::new(session, api.parse(&answer)?))),
        Err(ApiFault::Refused(problem)) if problem.code() == ProblemCode::NotFound => Ok(None),
        Err(ApiFault::Refused(problem)) if problem.code() == ProblemCode::NotApplicable => {
            Ok(Some(SessionVerdict::going(session, problem.detail().clone().into())))
        }
        Err(fault) => Err(api.error(fault)),
    }
}

fn print(context: &CommandContext, sessions: Vec<SessionVerdict>) -> Result<(), CliError> {
    context.out.write_json_line(&VersionedShape::new("entracte.verify/1", VerdictsObject { sessions }))
}
