//! What images cost: sessions whose messages bring some, beside sessions of the same messages without.

use std::sync::Arc;

use entracte_application::ports::{MailSender, MockImageConverter};
use entracte_application::runtime::RuntimeServices;
use entracte_application::stream::LiveText;
use entracte_application::use_cases::{AttachFiles, FileUpload, MessageFile, SendMessage, StoreFile};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::message::UserMessage;

use super::database::BenchDatabase;
use super::options::BenchDatabaseKind;
use super::result_row::{BenchResultRow, GoalBound};
use super::rounds::orders;
use super::runner::BenchContext;
use super::worker::BenchWorkerProcess;
use super::worker_protocol::{BenchWorkerConfig, BenchWorkerRole};

/// Bytes of an image.
const IMAGE_BYTES: usize = 1 << 20;

/// The messages of all sessions: in each session one after the other, in all sessions at once.
pub struct ImageTalk {
    /// How many messages each session gets, and how many of them bring an image.
    pub orders: BenchWorkerConfig,
    /// The services.
    pub services: Arc<RuntimeServices>,
    /// Signals the end of a turn.
    pub live_text: Arc<LiveText>,
    /// Sends the messages.
    pub mail_sender: Arc<dyn MailSender>,
}

impl ImageTalk {
    /// Sends all messages, each once the turn of the one before is over.
    pub async fn run(self, sessions: &[(WorkspaceKey, SessionId)]) {
        let talk = Arc::new(self);
        let mut tasks = tokio::task::JoinSet::new();
        for (number, (workspace, session)) in sessions.iter().enumerate() {
            let (talk, workspace, session) = (talk.clone(), workspace.clone(), session.clone());
            tasks.spawn(async move {
                for message in 0..talk.orders.amount {
                    let seed = number * talk.orders.amount + message;
                    let image = (message < talk.orders.images).then(|| png(seed as u64));
                    talk.send(&workspace, &session, image).await;
                }
            });
        }
        tasks.join_all().await;
    }

    /// Stores the image of one message, if it has one, sends both, and waits for the answer.
    async fn send(&self, workspace: &WorkspaceKey, session: &SessionId, image: Option<Vec<u8>>) {
        let Self { orders: _, services, live_text, mail_sender } = self;
        let follow = services.follow().with_live_text(live_text.clone());
        let after = follow.last_entry_number(workspace, session).await.expect("the session is there");
        let mut message = UserMessage::text("What do you see?");
        if let Some(bytes) = image {
            let files = services.files.clone().expect("the database holds files");
            // Decodes nothing: models get an image of this size as it is.
            let images = Arc::new(MockImageConverter::new());
            let store = StoreFile::new(files.clone(), services.clock.clone(), images);
            let upload = FileUpload { name: "photo.png".into(), bytes, author: "ann".into() };
            let stored = store.run(workspace, upload, &services.settings.files).await;
            let file = MessageFile::from(stored.expect("the image is stored"));
            let attach = AttachFiles::new(files);
            let attached = attach.run(workspace, Some(session), message, &[file], &services.settings).await;
            message = attached.expect("the image is attached");
        }
        let send = SendMessage::new(mail_sender.clone());
        send.run(workspace, session, "ann".into(), message, None).await.expect("the message is taken");
        follow.run_until_idle(workspace, session, after).await.expect("the turn ends");
    }
}

/// A PNG of 640 by 480 pixels whose compressed pixels are random bytes: nothing here decodes them.
fn png(seed: u64) -> Vec<u8> {
    let chunk = |kind: &[u8], data: &[u8]| {
        let length = u32::try_from(data.len()).expect("a chunk has less than 4 GiB").to_be_bytes();
        [&length[..], kind, data, b"sum!"].concat()
    };
    let header = [&640_u32.to_be_bytes()[..], &480_u32.to_be_bytes(), &[8, 6, 0, 0, 0]].concat();
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut pixels = Vec::with_capacity(IMAGE_BYTES + 8);
    while pixels.len() < IMAGE_BYTES {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        pixels.extend_from_slice(&state.to_le_bytes());
    }
    let (header, pixels, end) = (chunk(b"IHDR", &header), chunk(b"IDAT", &pixels), chunk(b"IEND", b""));
    [&b"\x89PNG\r\n\x1a\n"[..], &header, &pixels, &end].concat()
}

/// The figures of one run.
struct FilesBenchFigures {
    rounds_per_s: f64,
    cpu_ms: f64,
    /// The most resident memory, in MB.
    most_resident_mb: f64,
    /// The resident memory at the end, in MB.
    resident_mb: f64,
    /// Bytes of all requests, per round.
    sent_bytes: f64,
}

fn measure(
    bench: &BenchContext,
    kind: BenchDatabaseKind,
    [sessions, messages]: [usize; 2],
    images: usize,
) -> FilesBenchFigures {
    let place = BenchDatabase::make(kind).expect("there is a server");
    bench.model.clear_stats();
    let orders = BenchWorkerConfig {
        sessions,
        // Each reply ends its turn.
        calls: 1,
        amount: messages,
        images,
        ..orders(BenchWorkerRole::Entracte, &place, &bench.model, "files")
    };
    let mut worker = BenchWorkerProcess::start(&orders);
    let before = worker.hear();
    let after = worker.ask("talk");
    let rounds = (sessions * messages) as f64;
    let sent: usize = bench
        .model
        .with_matching_stats("files", |stories| stories.iter().flat_map(|story| &story.sizes).sum());
    let mb = |kb: f64| kb / 1024.0;
    FilesBenchFigures {
        rounds_per_s: rounds / after.value,
        cpu_ms: (after.cpu_ms - before.cpu_ms) / rounds,
        most_resident_mb: mb(after.second),
        resident_mb: mb(after.resident_kb as f64),
        sent_bytes: sent as f64 / rounds,
    }
}

/// The rows `files`: one image in each session, and one in each message. Of several tries, with images and without in turn,
/// the fastest counts, and the most memory.
pub fn rows(bench: &BenchContext, kind: BenchDatabaseKind) -> Vec<BenchResultRow> {
    let size = [bench.options.size(20, 2), bench.options.size(50, 3)];
    let [sessions, messages] = size;
    let mut without = Vec::new();
    let mut cases = [(1, Vec::new()), (messages, Vec::new())];
    for _ in 0..bench.options.tries() {
        without.push(measure(bench, kind, size, 0));
        for (images, with) in &mut cases {
            with.push(measure(bench, kind, size, *images));
        }
    }
    let row = |(images, with): &(usize, Vec<FilesBenchFigures>)| {
        let case = format!("{sessions}x{messages}, {images} images");
        bench.add_raw_commit_rates(compare(case, kind, with, &without), kind)
    };
    cases.iter().map(row).collect()
}

/// One row of the runs with images, beside those without.
fn compare(
    case: String,
    kind: BenchDatabaseKind,
    with: &[FilesBenchFigures],
    without: &[FilesBenchFigures],
) -> BenchResultRow {
    let most = |runs: &[FilesBenchFigures], figure: fn(&FilesBenchFigures) -> f64| {
        runs.iter().map(figure).fold(0.0, f64::max)
    };
    let rate: fn(&FilesBenchFigures) -> f64 = |run| run.rounds_per_s;
    let memory: fn(&FilesBenchFigures) -> f64 = |run| run.most_resident_mb;
    let cpu: fn(&FilesBenchFigures) -> f64 = |run| run.cpu_ms;
    let of_rounds = most(with, rate) / most(without, rate);
    BenchResultRow::new("files", case, kind.word())
        .with("rounds_per_s", most(with, rate))
        .with("rounds_per_s_without", most(without, rate))
        .with("cpu_ms_per_round", most(with, cpu))
        .with("cpu_ms_per_round_without", most(without, cpu))
        .with("sent_bytes_per_round", most(with, |run| run.sent_bytes))
        .with("most_resident_mb", most(with, memory))
        .with("most_resident_mb_without", most(without, memory))
        .with("resident_mb_at_the_end", most(with, |run| run.resident_mb))
        .held("more_resident_mb", most(with, memory) - most(without, memory), GoalBound::AtMost(60.0))
        .held("of_the_rounds_without", of_rounds, GoalBound::AtLeast(0.5))
}
