//! People of two languages in one workspace.

use entracte_application::ports::{AccessReach, TokenScope};
use entracte_domain::id::WorkspaceKey;
use reqwest::Method;
use serde_json::{Value, json};

use super::every_route::unlimited;
use super::server_fixture::{
    HOME, HttpServerFixture, HttpTestResponse, OTHER, databases, json_body, send_request,
};

/// A person with the language that their client asks for; `None`: it asks for none.
struct Reader<'a> {
    scene: &'a HttpServerFixture,
    token: String,
    language: Option<&'static str>,
}

impl<'a> Reader<'a> {
    async fn new(scene: &'a HttpServerFixture, person: &str, language: Option<&'static str>) -> Self {
        let home = AccessReach::Workspace(WorkspaceKey::new(HOME));
        Self { scene, token: scene.token(person, home, &[TokenScope::Admin]).await, language }
    }

    fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let request = self.scene.request(method, &format!("/v1/workspaces/{HOME}/{path}"), &self.token);
        match self.language {
            Some(language) => request.header("accept-language", language),
            None => request,
        }
    }

    async fn read(&self, path: &str) -> HttpTestResponse {
        send_request(self.request(Method::GET, path)).await
    }

    async fn change(
        &self,
        method: Method,
        path: &str,
        read: &HttpTestResponse,
        body: Value,
    ) -> HttpTestResponse {
        let request = self.request(method, path).header("if-match", read.etag.clone().unwrap());
        send_request(json_body(request, &body)).await
    }

    /// What a setting of the workspace means.
    async fn meaning_of_zone(&self) -> Value {
        self.read("settings/zone").await.body["means"].clone()
    }
}

const ENGLISH_REASON: &str = "this session requires approval for every action";
const FRENCH_REASON: &str = "cette session exige une approbation par action";

/// Input: a card of an English workspace, read by ann, whose browser asks for French, by noe, who asks for English, and by a
/// program that asks for nothing; expected: card, reasons, settings, commands and refusals are in the language of each, the
/// program's is that of the workspace, and the digest that a yes is bound to is the same: noe approves what ann read. What is
/// stored reads the same for all.
#[tokio::test(flavor = "multi_thread")]
async fn language_follows_the_reader() {
    for database in databases() {
        let scene = HttpServerFixture::start_on(database, unlimited()).await;
        let (session, approval) = scene.request_zone_approval().await;
        let ann = Reader::new(&scene, "ann", Some("fr-FR,fr;q=0.9,en;q=0.5")).await;
        let noe = Reader::new(&scene, "noe", Some("en-GB")).await;
        let program = Reader::new(&scene, "ann", None).await;

        let card = format!("approvals/{approval}");
        let (french, english, plain) =
            (ann.read(&card).await, noe.read(&card).await, program.read(&card).await);
        assert_eq!(french.body["reasons"][0]["text"], FRENCH_REASON, "{french:?}");
        assert_eq!(english.body["reasons"][0]["text"], ENGLISH_REASON, "{english:?}");
        assert_ne!(french.body["says"], english.body["says"]);
        assert_eq!(
            (&plain.body["says"], &plain.body["reasons"]),
            (&english.body["says"], &english.body["reasons"])
        );
        assert_eq!(french.body["digest"], english.body["digest"], "no word is in the digest");
        for (reader, card) in [(&ann, &french), (&noe, &english)] {
            let inbox = reader.read("inbox").await;
            assert_eq!(inbox.body["items"][0]["says"], card.body["says"], "{inbox:?}");
            let turn = reader.read(&format!("sessions/{session}/turn?after=0")).await;
            assert_eq!(turn.body["waiting"]["items"][0]["says"], card.body["says"], "{turn:?}");
        }

        assert_ne!(ann.meaning_of_zone().await, noe.meaning_of_zone().await);
        assert_eq!(program.meaning_of_zone().await, noe.meaning_of_zone().await);
        let command = "commands/zones.create";
        let (french_doc, english_doc) = (ann.read(command).await.body, noe.read(command).await.body);
        assert_ne!(french_doc["doc"], english_doc["doc"]);
        assert_eq!(french_doc["tokens"], english_doc["tokens"], "models read one language");
        let listed = ann.read("commands?limit=200").await;
        let listed = listed.body["items"].as_array().unwrap().iter();
        let listed: Vec<&Value> = listed.filter(|one| one["name"] == "zones.create").collect();
        assert_eq!(listed, [&french_doc]);
        let missing = |reader: &'static str| json!(format!("{reader} ses_none"));
        let refused = ann.read("sessions/ses_none").await.body;
        assert_eq!((&refused["title"], &refused["code"]), (&json!("Introuvable"), &json!("not-found")));
        assert_eq!(refused["detail"], missing("il n’y a pas de session"));
        assert_eq!(noe.read("sessions/ses_none").await.body["detail"], missing("there is no session"));

        let messages = format!("sessions/{session}/messages");
        assert_eq!(ann.read(&messages).await.body, program.read(&messages).await.body, "they are stored");

        let approve = json!({ "decision": "approve" });
        let decided = noe.change(Method::POST, &format!("{card}/decision"), &french, approve).await;
        assert_eq!((decided.status, &decided.body["decided_by"]), (200, &json!("noe")), "{decided:?}");
        scene.life.verify(&session).await;
    }
}

/// Input: requests that the routes themselves refuse, of ann, who reads French, of noe, who reads English, and of a program
/// that asks for nothing; expected: each reads why in their language, the program in that of the workspace, and what programs
/// match on is the same.
#[tokio::test(flavor = "multi_thread")]
async fn refusals_of_routes_follow_the_reader() {
    let scene = HttpServerFixture::new().await;
    let ann = Reader::new(&scene, "ann", Some("fr")).await;
    let noe = Reader::new(&scene, "noe", Some("en")).await;
    let program = Reader::new(&scene, "ann", None).await;
    let cases = [
        ("inbox?limit=0", "limit: 0 is not between 1 and 200", "limit\u{a0}: 0 n’est pas entre 1 et 200"),
        (
            "inbox?age=soon",
            "age: not a duration, such as 90m, 24h or 3d",
            "age\u{a0}: pas une durée, comme 90m, 24h ou 3d",
        ),
        (
            "sessions?kind=note",
            "kind: note is none of chat, seed, automation, agent",
            "kind\u{a0}: note n’est pas l’une de ces valeurs\u{a0}: chat, seed, automation, agent",
        ),
        (
            "rules/rul_none",
            "there is no rule rul_none; list them: …/rules?all=true",
            "il n’y a pas de règle rul_none\u{a0}; pour les lister\u{a0}: …/rules?all=true",
        ),
        ("automations/preview", "give either cron or crontab", "donnez soit cron, soit crontab"),
        (
            "nothing",
            "there is no such path; see /docs",
            "il n’y a pas de chemin de ce nom\u{a0}; voyez /docs",
        ),
    ];
    for (path, english, french) in cases {
        let (of_ann, of_noe, plain) = (ann.read(path).await, noe.read(path).await, program.read(path).await);
        assert_eq!(of_ann.body["detail"], french, "{path}");
        assert_eq!(of_noe.body["detail"], english, "{path}");
        assert_eq!(plain.body["detail"], english, "{path}: the workspace is English");
        for member in ["type", "code", "status"] {
            assert_eq!(of_ann.body[member], of_noe.body[member], "{path}");
        }
        let says = |problem: &HttpTestResponse| problem.body["fields"][0]["says"].as_str().map(str::to_owned);
        if let (Some(in_french), Some(in_english)) = (says(&of_ann), says(&of_noe)) {
            assert!(french.ends_with(&in_french) && english.ends_with(&in_english), "{of_ann:?} {of_noe:?}");
        }
    }
    let guessed =
        scene.request(Method::GET, "/v1/workspaces", "entr_guess.ed").header("accept-language", "fr");
    let guessed = send_request(guessed).await;
    assert_eq!((guessed.status, guessed.code()), (401, "unauthorized"), "{guessed:?}");
    assert_eq!(guessed.body["detail"], "le jeton n’est pas valide\u{a0}; créez-en un");
}

/// Input: the tag of a setting that ann read in French, with which noe, who reads English, makes the workspace French;
/// expected: it is the tag of the version that noe reads, noe reads English as before, and who asks for nothing reads French.
#[tokio::test(flavor = "multi_thread")]
async fn workspace_language_is_for_who_asks_for_none() {
    let scene = HttpServerFixture::new().await;
    let ann = Reader::new(&scene, "ann", Some("fr")).await;
    let noe = Reader::new(&scene, "noe", Some("en")).await;
    let program = Reader::new(&scene, "ann", Some("de")).await;
    let (french, english) = (ann.meaning_of_zone().await, noe.meaning_of_zone().await);
    assert_eq!(program.meaning_of_zone().await, english, "there are no German texts");

    let read = ann.read("settings/language").await;
    for (reader, takes) in [(&ann, "en ou fr"), (&noe, "en or fr")] {
        let refused =
            reader.change(Method::PATCH, "settings/language", &read, json!({ "value": "de" })).await;
        assert_eq!((refused.status, refused.code()), (422, "invalid"), "{refused:?}");
        assert!(
            refused.body["detail"].as_str().unwrap().contains(takes),
            "by the owner of the database: {refused:?}"
        );
    }
    let changed = noe.change(Method::PATCH, "settings/language", &read, json!({ "value": "fr" })).await;
    assert_eq!((changed.status, &changed.body["value"]), (200, &json!("fr")), "{changed:?}");
    assert_eq!(noe.meaning_of_zone().await, english);
    assert_eq!(program.meaning_of_zone().await, french);
    let (of_ann, of_noe) = (ann.read("settings").await, noe.read("settings").await);
    assert_ne!(of_ann.body, of_noe.body);
    assert_eq!(of_ann.etag, of_noe.etag, "the words are no part of the version");
}

/// Input: a French workspace and one that there is not, asked for with an unknown token and by eve, who may enter neither;
/// expected: the same refusals, which therefore do not tell that the workspace is there.
#[tokio::test(flavor = "multi_thread")]
async fn refusals_hide_workspace_language_from_strangers() {
    let scene = HttpServerFixture::new().await;
    let ann = Reader::new(&scene, "ann", None).await;
    let read = ann.read("settings/language").await;
    let changed = ann.change(Method::PATCH, "settings/language", &read, json!({ "value": "fr" })).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    assert_eq!(ann.read("sessions/ses_none").await.body["title"], "Introuvable");
    let eve = scene.admin("eve", OTHER).await;
    for (token, status) in [("nobody", 401), (eve.as_str(), 404)] {
        let refusal = async |workspace: &str| {
            let refused = scene.get(&format!("/v1/workspaces/{workspace}/inbox"), token).await;
            assert_eq!(refused.status, status, "{refused:?}");
            ["title", "detail"].map(|member| refused.body[member].to_string().replace(workspace, "W"))
        };
        assert_eq!(refusal(HOME).await, refusal("ann:none").await);
    }
}
