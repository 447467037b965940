use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use entracte_adapters_http::limits::HttpServerLimits;
use entracte_application::ports::{AccessReach, TokenScope};
use entracte_application::system::sha256;
use entracte_domain::id::WorkspaceKey;
use entracte_tests::runtime_fixture::envelope_line;
use reqwest::Method;
use serde_json::{Value, json};

use super::server_fixture::{
    HOME, HttpServerFixture, HttpTestResponse, OTHER, databases, json_body, open_sqlite, send_request,
    text_body,
};

/// A PNG of 640 by 480 pixels with a text chunk between its header and its pixels.
fn png(comment: &str) -> Vec<u8> {
    let chunk = |kind: &[u8], data: &[u8]| {
        let length = u32::try_from(data.len()).unwrap().to_be_bytes();
        [&length[..], kind, data, b"sum!"].concat()
    };
    let header = [&640_u32.to_be_bytes()[..], &480_u32.to_be_bytes(), &[8, 6, 0, 0, 0]].concat();
    let text = if comment.is_empty() { Vec::new() } else { chunk(b"tEXt", comment.as_bytes()) };
    let (header, pixels, end) = (chunk(b"IHDR", &header), chunk(b"IDAT", b"pixels"), chunk(b"IEND", b""));
    [&b"\x89PNG\r\n\x1a\n"[..], &header, &text, &pixels, &end].concat()
}

async fn upload(scene: &HttpServerFixture, token: &str, name: &str, bytes: Vec<u8>) -> HttpTestResponse {
    let path = format!("/v1/workspaces/{HOME}/files?name={name}");
    send_request(scene.request(Method::POST, &path, token).body(bytes)).await
}

/// Input: Ann stores an image with a comment and sends it; expected: it is stored without the comment, its message names
/// it, and only her workspace finds it, on both databases.
#[tokio::test(flavor = "multi_thread")]
async fn image_is_stored_sent_and_served() {
    for database in databases() {
        let scene = HttpServerFixture::start_on(database, HttpServerLimits::default()).await;
        let home = || AccessReach::Workspace(WorkspaceKey::new(HOME));
        let ann = scene.token("ann", home(), &[TokenScope::Read, TokenScope::Chat]).await;
        let reader = scene.token("bob", home(), &[TokenScope::Read]).await;
        let eve = scene.admin("eve", OTHER).await;
        assert_eq!(upload(&scene, &reader, "a.png", png("")).await.status, 403);

        let stored = upload(&scene, &ann, "chart.png", png("GPS 48.8584")).await;
        let digest = sha256(&png("")).to_string();
        let expected = json!({
            "digest": digest, "media_type": "image/png", "name": "chart.png", "bytes": png("").len(),
            "width": 640, "height": 480, "pages": null, "form": null,
        });
        assert_eq!((stored.status, &stored.body), (201, &expected));
        let again = upload(&scene, &ann, "chart.png", png("")).await;
        assert_eq!((again.status, &again.body), (201, &expected), "the same file has the same digest");

        let path = |workspace: &str, digest: &str| format!("/v1/workspaces/{workspace}/files/{digest}");
        let served = scene.request(Method::GET, &path(HOME, &digest), &reader).send().await.unwrap();
        let header = |name: &str| served.headers()[name].to_str().unwrap().to_owned();
        assert_eq!((served.status().as_u16(), header("content-type")), (200, "image/png".to_owned()));
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert!(header("content-security-policy").contains("default-src 'none'"));
        assert_eq!(header("content-disposition"), "inline; filename*=UTF-8''chart.png");
        assert_eq!(served.bytes().await.unwrap(), png(""));

        let session = scene.life.chat(false).await;
        scene.model.push_lines([envelope_line("A chart.")]);
        let send = format!("/v1/workspaces/{HOME}/sessions/{session}/messages");
        let missing = scene.post(&send, &ann, json!({ "text": "Look.", "files": ["d1"] })).await;
        assert_eq!((missing.status, missing.code()), (404, "not-found"));
        let sent = scene.post(&send, &ann, json!({ "text": "Look.", "files": [&digest] })).await;
        assert_eq!(sent.status, 202, "{sent:?}");
        let shown = scene.get(&send, &reader).await;
        let said =
            shown.body["items"].as_array().unwrap().iter().find(|said| said["role"] == "user").unwrap();
        assert_eq!(said["segments"][1]["file"], expected, "{said:#}");
        assert_eq!(said["segments"][0]["file"], Value::Null);

        for hers in [path(OTHER, &digest), path(HOME, &digest)] {
            let foreign = scene.get(&hers, &eve).await;
            assert_eq!((foreign.status, foreign.code()), (404, "not-found"));
        }
    }
}

/// Input: Ann's session with an image, exported with and without files, and imported by Eve; expected: the export with files
/// brings Eve the image, the other one brings nothing and says so, and a file whose bytes were changed is refused by name.
#[tokio::test(flavor = "multi_thread")]
async fn imported_session_has_its_files() {
    for database in databases() {
        let scene = HttpServerFixture::start_on(database, HttpServerLimits::default()).await;
        let (ann, eve) = (scene.admin("ann", HOME).await, scene.admin("eve", OTHER).await);
        let digest = upload(&scene, &ann, "chart.png", png("")).await.body["digest"].clone();
        let session = scene.life.chat(false).await;
        scene.model.push_lines([envelope_line("A chart."), envelope_line("Yes."), envelope_line("Yes.")]);
        let path = format!("/v1/workspaces/{HOME}/sessions/{session}");
        let said = json!({ "text": "Look.", "files": [&digest] });
        assert_eq!(scene.post(&format!("{path}/messages"), &ann, said).await.status, 202);
        scene.life.send_and_wait(&session, "Is it?").await;

        let import = async |text: &str| {
            let path = format!("/v1/workspaces/{OTHER}/imports?as_new=true");
            send_request(text_body(scene.request(Method::POST, &path, &eve), text)).await
        };
        let hers = format!("/v1/workspaces/{OTHER}/files/{}", digest.as_str().unwrap());
        let named = scene.get(&format!("{path}/export?with_files=false"), &ann).await.text;
        let made = import(&named).await;
        assert_eq!(
            (made.status, &made.body["files"], &made.body["missing_files"]),
            (201, &json!(0), &json!(1))
        );
        assert_eq!(scene.get(&hers, &eve).await.status, 404);

        let whole = scene.get(&format!("{path}/export"), &ann).await.text;
        let changed = import(&whole.replacen("\":\"iVBORw0K", "\":\"iVBORw0L", 1)).await;
        assert_eq!((changed.status, changed.code()), (422, "invalid"), "{changed:?}");
        assert!(changed.text.contains("chart.png"), "{changed:?}");
        assert_eq!(scene.get(&hers, &eve).await.status, 404);
        let made = import(&whole).await;
        assert_eq!(
            (made.status, &made.body["files"], &made.body["missing_files"]),
            (201, &json!(1), &json!(0))
        );
        let served = scene.request(Method::GET, &hers, &eve).send().await.unwrap();
        assert_eq!(served.bytes().await.unwrap(), png(""));
    }
}

/// Input: an image with a comment, a text and a file without a name as parts of one body, with a key; then bodies that are
/// damaged, with too many parts, and with a part of no kind; expected: three files under their names, again under the same
/// key, and refusals that say what is wrong.
#[tokio::test(flavor = "multi_thread")]
async fn parts_of_a_body_are_files() {
    for database in databases() {
        let scene = HttpServerFixture::start_on(database, HttpServerLimits::default()).await;
        let ann = scene.admin("ann", HOME).await;
        let send = async |body: Vec<u8>| {
            let path = format!("/v1/workspaces/{HOME}/files?name=other.txt");
            let request = scene.request(Method::POST, &path, &ann).header("idempotency-key", "k1");
            let typed = request.header("content-type", "multipart/form-data; boundary=edge");
            send_request(typed.body(body)).await
        };
        let part = |disposition: &str, bytes: &[u8]| {
            let head = format!("--edge\r\nContent-Disposition: form-data; {disposition}\r\n\r\n");
            [head.as_bytes(), bytes, b"\r\n"].concat()
        };
        let chart = part("name=\"a\"; filename=\"charts/chart.png\"", &png("GPS 48.8584"));
        let notes = part("name=\"a\"; filename=\"notes.txt\"", b"Notes.");
        let body = [chart, notes.clone(), part("name=b", b"Other."), b"--edge--".to_vec()].concat();
        for _ in 0..2 {
            let stored = send(body.clone()).await;
            assert_eq!(stored.status, 201, "{stored:?}");
            let name = |file: &Value| (file["name"].clone(), file["digest"].clone());
            let file = |name: &str, bytes: &[u8]| (json!(name), json!(sha256(bytes).to_string()));
            assert_eq!(name(&stored.body), file("chart.png", &png("")));
            let more: Vec<_> = stored.body["more"].as_array().unwrap().iter().map(name).collect();
            assert_eq!(more, [file("notes.txt", b"Notes."), file("other.txt", b"Other.")]);
        }

        let program = part("filename=\"program.png\"", b"MZ\0\x01");
        for (body, code, says) in [
            (notes.clone(), "malformed", "ends early"),
            (b"--edge--".to_vec(), "malformed", "no part"),
            (notes.repeat(21), "malformed", "files.per_message"),
            ([notes.clone(), program, b"--edge--".to_vec()].concat(), "invalid", "program.png"),
        ] {
            let refused = send(body).await;
            assert_eq!(refused.code(), code, "{refused:?}");
            assert!(refused.text.contains(says), "{refused:?}");
        }
        let large = send(vec![b'a'; 11 * 1024 * 1024 + 1]).await;
        assert_eq!((large.status, large.code()), (413, "too-large"));
        assert!(large.text.contains("in several requests"), "{large:?}");
    }
}

/// A GIF of 1 by 1 pixel with two frames, and with these colours.
fn animation(colors: &[u8]) -> Vec<u8> {
    let flags = if colors.is_empty() { 0 } else { 0x80 };
    let frame = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x4c, 1, 0];
    [&b"GIF89a"[..], &[1, 0, 1, 0, flags, 0, 0], colors, &frame, &frame, &[0x3b]].concat()
}

/// Input: an animation, and one without colours; expected: the answer says that models see its first frame, whose bytes are served,
/// too; the damaged one is refused.
#[tokio::test(flavor = "multi_thread")]
async fn animation_is_stored_with_its_first_frame() {
    let scene = HttpServerFixture::start_on(open_sqlite(), HttpServerLimits::default()).await;
    let ann = scene.admin("ann", HOME).await;
    let party = animation(&[0, 0, 0, 255, 255, 255]);
    let stored = upload(&scene, &ann, "party.gif", party.clone()).await;
    assert_eq!(stored.status, 201, "{stored:?}");
    assert_eq!(stored.body["digest"], json!(sha256(&party).to_string()));
    let form = &stored.body["form"];
    assert_eq!(
        (&form["media_type"], &form["width"], &form["height"], &form["first_frame"]),
        (&json!("image/png"), &json!(1), &json!(1), &json!(true)),
    );
    let path = format!("/v1/workspaces/{HOME}/files/{}", form["digest"].as_str().unwrap());
    let served = scene.request(Method::GET, &path, &ann).send().await.unwrap();
    assert_eq!(served.headers()["content-type"], "image/png");
    let bytes = served.bytes().await.unwrap();
    assert_eq!(form["digest"], json!(sha256(&bytes).to_string()));

    let refused = upload(&scene, &ann, "damaged.gif", animation(b"")).await;
    assert_eq!((refused.status, refused.code()), (422, "invalid"), "{refused:?}");
    assert!(refused.body["detail"].as_str().unwrap().contains("damaged.gif"), "{refused:?}");
}

/// Input: files that are too large, damaged, or of no accepted kind; expected: refused, with the name.
#[tokio::test(flavor = "multi_thread")]
async fn refused_upload_names_the_file() {
    let scene = HttpServerFixture::start_on(open_sqlite(), HttpServerLimits::default()).await;
    let ann = scene.admin("ann", HOME).await;
    for (name, bytes) in [
        ("empty.txt", Vec::new()),
        ("cut.png", png("")[..30].to_vec()),
        ("program.png", b"MZ\0\x01".to_vec()),
    ] {
        let refused = upload(&scene, &ann, name, bytes).await;
        assert_eq!((refused.status, refused.code()), (422, "invalid"), "{name}");
        assert!(refused.text.contains(name), "{refused:?}");
    }
    let large = upload(&scene, &ann, "large.txt", vec![b'a'; 10 * 1024 * 1024 + 1]).await;
    assert_eq!((large.status, large.code()), (413, "too-large"));
    for told in ["large.txt", "10485760", "files.max_bytes"] {
        assert!(large.text.contains(told), "{large:?}");
    }
    let page = upload(&scene, &ann, "page.html", b"<script>x()</script>".to_vec()).await;
    assert_eq!((page.status, &page.body["media_type"]), (201, &json!("text/plain")));
}

/// Input: an AG-UI run whose message has a PDF in base64 and the digest of a stored image, then runs with an address, with
/// what is not base64, and with a file of no kind; expected: the message has both files by their content, and the rest is
/// refused in the protocol, on both databases.
#[tokio::test(flavor = "multi_thread")]
async fn agui_binary_content_is_a_file() {
    for database in databases() {
        let scene = HttpServerFixture::start_on(database, HttpServerLimits::default()).await;
        let ann = scene.admin("ann", HOME).await;
        let stored = upload(&scene, &ann, "chart.png", png("")).await;
        let session = scene.life.chat(false).await;
        let agui = format!("/v1/workspaces/{HOME}/agui");
        let run = |message: &str, content: Value| {
            let message = json!({ "id": message, "role": "user", "content": content });
            json!({ "threadId": session.as_str(), "runId": "r1", "messages": [message] })
        };
        let binary = |filename: &str, data: String| json!({ "type": "binary", "mimeType": "image/png", "filename": filename, "data": data });

        scene.model.push_lines([envelope_line("The report explains the chart.")]);
        let report = binary("report.pdf", BASE64.encode(b"%PDF-1.4\n1 0 obj<</Type/Page>>endobj\n"));
        let chart = json!({ "type": "binary", "mimeType": "image/png", "id": stored.body["digest"] });
        let parts = json!([{ "type": "text", "text": "Compare them." }, report, chart]);
        let told = scene.post(&agui, &ann, run("m1", parts)).await;
        assert!(told.text.contains("RUN_FINISHED"), "{told:?}");
        let shown = scene.get(&format!("/v1/workspaces/{HOME}/sessions/{session}/messages"), &ann).await;
        let said = shown.body["items"].as_array().unwrap().iter().find(|said| said["role"] == "user");
        let segments = said.unwrap()["segments"].as_array().unwrap();
        assert_eq!(segments[0]["text"], "Compare them.");
        let file = |at: usize| (&segments[at]["file"]["name"], &segments[at]["file"]["media_type"]);
        assert_eq!(file(1), (&json!("report.pdf"), &json!("application/pdf")));
        assert_eq!(file(2), (&json!("chart.png"), &json!("image/png")));

        let address =
            json!({ "type": "binary", "mimeType": "image/png", "url": "https://shop.example/a.png" });
        for (message, part, says) in [
            ("m2", address, "no address is read"),
            ("m3", binary("cut.png", "?".to_owned()), "cut.png is not base64"),
            ("m4", binary("program.png", BASE64.encode(b"MZ\0\x01")), "program.png is of no kind"),
        ] {
            let refused = scene.post(&agui, &ann, run(message, json!([part]))).await;
            assert!(refused.text.contains("RUN_ERROR") && refused.text.contains(says), "{refused:?}");
        }
        let many = vec![binary("notes.txt", BASE64.encode(b"Too many.")); 21];
        let refused = scene.post(&agui, &ann, run("m5", json!(many))).await;
        assert!(refused.text.contains("files.per_message"), "{refused:?}");
        let stored = format!("/v1/workspaces/{HOME}/files/{}", sha256(b"Too many."));
        assert_eq!(scene.get(&stored, &ann).await.status, 404, "none of them is stored");
    }
}

/// Input: a page of another site sends a message with an image, names one that Ann stored, and asks for both; expected: its
/// own is in the message and is read, that of Ann is neither named nor read, until a message of the session names it.
#[tokio::test(flavor = "multi_thread")]
async fn visitor_sees_files_of_its_session_alone() {
    for database in databases() {
        let scene = HttpServerFixture::start_on(database, HttpServerLimits::default()).await;
        let ann = scene.admin("ann", HOME).await;
        let session = scene.life.chat(false).await;
        let visitor = scene.embedded(&session, &["https://shop.example"]).await;
        let path = format!("/v1/workspaces/{HOME}/sessions/{session}");
        let report = b"%PDF-1.4\n1 0 obj<</Type/Page>>endobj\n";
        let hers = upload(&scene, &ann, "report.pdf", report.to_vec()).await.body["digest"].clone();
        let named = json!({ "text": "And this?", "files": [hers] });
        let named = scene.post(&format!("{path}/messages"), &visitor, named).await;
        assert_eq!(
            (named.status, named.code()),
            (403, "scope-missing"),
            "a digest tells what the workspace has"
        );

        scene.model.push_lines([envelope_line("A chart.")]);
        let uploads = json!([{ "name": "chart.png", "data": BASE64.encode(png("GPS 48.8584")) }]);
        let sent = json!({ "text": "Look.", "uploads": uploads });
        let sent = scene.post(&format!("{path}/messages"), &visitor, sent).await;
        assert_eq!(sent.status, 202, "{sent:?}");
        scene.life.follow().run_until_idle(&scene.life.workspace, &session, 0).await.unwrap();
        let file = |digest: &str| format!("{path}/files/{digest}");
        let digest = sha256(&png("")).to_string();
        // The visitor is not told how others name the same bytes.
        assert_eq!(upload(&scene, &ann, "salaries.png", png("")).await.status, 201);
        let shown = scene.request(Method::GET, &file(&digest), &visitor).send().await.unwrap();
        assert_eq!(
            (shown.status().as_u16(), &shown.headers()["content-type"]),
            (200, &"image/png".parse().unwrap())
        );
        assert_eq!(shown.headers()["x-content-type-options"], "nosniff");
        assert_eq!(shown.headers()["content-disposition"], "inline; filename*=UTF-8''chart.png");
        assert_eq!(shown.bytes().await.unwrap(), png(""));
        let foreign = scene.get(&file(hers.as_str().unwrap()), &visitor).await;
        assert_eq!((foreign.status, foreign.code()), (404, "not-found"));
        let wide = scene.get(&format!("/v1/workspaces/{HOME}/files/{digest}"), &visitor).await;
        assert_eq!((wide.status, wide.code()), (403, "scope-missing"));

        let broken = json!({ "text": "Look.", "uploads": [{ "name": "a.png", "data": "?" }] });
        let broken = scene.post(&format!("{path}/messages"), &ann, broken).await;
        assert_eq!((broken.status, &broken.body["fields"][0]["path"]), (422, &json!("/uploads/0/data")));
        scene.model.push_lines([envelope_line("A report.")]);
        let sent = json!({ "text": "This one.", "files": [hers] });
        assert_eq!(scene.post(&format!("{path}/messages"), &ann, sent).await.status, 202);
        scene.life.follow().run_until_idle(&scene.life.workspace, &session, 0).await.unwrap();
        assert_eq!(scene.get(&file(hers.as_str().unwrap()), &visitor).await.status, 200);
    }
}

/// Input: messages that are larger than other bodies: one with an image, one with many small values, and one with too many
/// bytes; expected: only the first is sent, and the refusals are in the language of the reader.
#[tokio::test(flavor = "multi_thread")]
async fn only_files_make_messages_large() {
    let scene = HttpServerFixture::start_on(open_sqlite(), HttpServerLimits::default()).await;
    let ann = scene.admin("ann", HOME).await;
    let session = scene.life.chat(false).await;
    let path = format!("/v1/workspaces/{HOME}/sessions/{session}/messages");
    let post = async |body: Value| {
        let request = scene.request(Method::POST, &path, &ann).header("accept-language", "fr");
        send_request(json_body(request, &body)).await
    };
    let long = "%PDF-1.4\n1 0 obj<</Type/Page>>endobj\n".to_owned() + &"a".repeat(2 * 1024 * 1024);
    let uploads = |data: String| json!([{ "name": "report.pdf", "data": data }]);
    scene.model.push_lines([envelope_line("A report.")]);
    let sent = post(json!({ "text": "Look.", "uploads": uploads(BASE64.encode(long)) })).await;
    assert_eq!(sent.status, 202, "{sent:?}");
    let many = post(json!({ "text": "Look.", "enrichments": vec![0; 1024 * 1024] })).await;
    assert_eq!((many.status, many.code()), (400, "malformed"));
    assert!(many.text.contains("en dehors de ses textes"), "{many:?}");
    let large = post(json!({ "text": "Look.", "uploads": uploads("A".repeat(16 * 1024 * 1024)) })).await;
    assert_eq!((large.status, large.code()), (413, "too-large"));
    assert!(large.text.contains("envoyez moins de fichiers"), "{large:?}");
}
