//! Messages about a task, on every store, and whenever the process is killed.

use std::sync::atomic::Ordering;

use entracte_application::mail::{
    AnswerTaskRequest, CancelTaskRequest, MailAnswer, MailRequest, ReceiveTaskUpdateRequest,
    SettleCallRequest, StopSessionRequest,
};
use entracte_application::retention::RetentionStep;
use entracte_application::system::sha256;
use entracte_domain::id::TaskId;
use entracte_domain::session::PhaseLabel;
use entracte_domain::task::{TaskNotice, TaskState, TaskUpdate};
use entracte_domain::time::Millis;

use super::fixture::{DEADLINE, FakeBookkeepingServer, TaskFixture, chat, ended, stores};

/// The row and the start of its call are one commit, before anything is sent; then the dispatch is answered.
#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_registered_before_it_is_sent() {
    for kept in stores() {
        let mut scene = TaskFixture::new(&kept, FakeBookkeepingServer::default()).await;
        scene.start_task_request().await;
        let task = scene.task().await;
        assert_eq!((task.state, task.dispatched_at), (TaskState::Registered, None), "{}", kept.name);
        assert!(task.id.as_str().starts_with("tsk_") && task.id.as_str().len() >= 28, "{}", task.id);
        assert_eq!(scene.books.sent.lock().unwrap().len(), 0);
        scene.finish().await;
        assert_eq!(scene.task().await.state, TaskState::Dispatched, "{}", kept.name);
        assert_eq!(*scene.books.sent.lock().unwrap(), std::slice::from_ref(&task.id));
        let (facts, phase) = scene.session().await;
        assert_eq!((phase.label(), facts.tasks), (PhaseLabel::Idle, vec![task.id]), "{}", kept.name);
        scene.verify().await;
    }
}

/// Input: a chat whose task has not ended, older than every limit; expected: retention plans nothing, and removes results
/// once the task has ended.
#[tokio::test(flavor = "multi_thread")]
async fn retention_skips_sessions_with_tasks() {
    for kept in stores() {
        let mut scene = TaskFixture::new(&kept, FakeBookkeepingServer::default()).await;
        scene.start_task_request().await;
        scene.finish_all().await;
        assert_eq!(scene.planned_retention().await, [], "{}", kept.name);
        scene.tell("msg_1", ended("15 invoices")).await;
        scene.finish_all().await;
        let steps = scene.planned_retention().await;
        assert!(matches!(steps[..], [RetentionStep::RemoveResults { .. }]), "{}: {steps:?}", kept.name);
    }
}

/// A result starts a round of a resting chat, and is in its prompt once, marked as untrusted.
#[tokio::test(flavor = "multi_thread")]
async fn a_result_is_read_once() {
    for kept in stores() {
        let mut scene = TaskFixture::new(&kept, FakeBookkeepingServer::default()).await;
        scene.start_task_request().await;
        scene.finish_all().await;
        assert_eq!(scene.tell("msg_1", ended("15 invoices")).await, "normal", "{}", kept.name);
        scene.finish_all().await;
        assert_eq!(scene.read("15 invoices"), 1, "{}", kept.name);
        let task = scene.task().await;
        assert_eq!((task.state, task.is_delivered), (TaskState::Completed, true), "{}", kept.name);
        scene.verify().await;
    }
}

/// Input: a person read a question, and the service asks another one by now; expected: the answer to the first is refused,
/// the one to the second is taken.
#[tokio::test(flavor = "multi_thread")]
async fn answer_is_for_the_question_that_was_read() {
    for kept in stores() {
        let mut scene = TaskFixture::new(&kept, FakeBookkeepingServer::default()).await;
        scene.start_task_request().await;
        scene.finish_all().await;
        for (id, question) in [("msg_1", "Which account?"), ("msg_2", "Delete the others?")] {
            scene.tell(id, TaskUpdate::Asks { question: question.into(), form: None, remote: None }).await;
        }
        let task = scene.task().await.id;
        let answer = |read: &str| {
            let question = Some(sha256(read.as_bytes()).to_string());
            let answer = AnswerTaskRequest { author: "ann".into(), answer: "yes".into(), question };
            MailRequest::task(task.clone(), answer)
        };
        let refused = scene.post(answer("Which account?")).await;
        assert!(refused.is_refusal(), "{}: {refused:?}", kept.name);
        assert_eq!(scene.task().await.answer, None, "{}", kept.name);
        let taken = scene.post(answer("Delete the others?")).await;
        assert!(matches!(taken, MailAnswer::Heard { .. }), "{}: {taken:?}", kept.name);
        assert_eq!(scene.task().await.answer.as_deref(), Some("yes"), "{}", kept.name);
        scene.verify().await;
    }
}

/// The callback arrives before the answer to the dispatch: while the call runs, and after the process was killed in it.
#[tokio::test(flavor = "multi_thread")]
async fn callback_before_call_committed() {
    for kept in stores() {
        let mut scene = TaskFixture::new(&kept, FakeBookkeepingServer::default()).await;
        scene.start_task_request().await;
        assert_eq!(scene.tell("msg_1", ended("15 invoices")).await, "early", "{}", kept.name);
        scene.finish_all().await;
        assert_eq!(scene.read("15 invoices"), 1, "{}", kept.name);
        let (facts, _) = scene.session().await;
        assert_eq!((facts.tasks, facts.unsettled), (Vec::new(), Vec::new()), "{}", kept.name);
        scene.verify().await;
    }
    for kept in stores() {
        let mut scene = TaskFixture::new(&kept, FakeBookkeepingServer::default()).await;
        scene.start_task_request().await;
        // Whether it was sent is unknown: the class of the command is `once`.
        scene.crash().await;
        let (facts, _) = scene.session().await;
        assert_eq!(facts.unsettled.len(), 1, "{}: the call is of unknown outcome", kept.name);
        assert_eq!(scene.task().await.state, TaskState::Registered, "{}", kept.name);
        assert_eq!(scene.tell("msg_1", ended("15 invoices")).await, "early", "{}", kept.name);
        scene.finish_all().await;
        assert_eq!(scene.read("15 invoices"), 1, "{}", kept.name);
        let (facts, _) = scene.session().await;
        assert_eq!((facts.tasks, facts.unsettled), (Vec::new(), Vec::new()), "{}: settled by it", kept.name);
        scene.verify().await;
    }
}

/// The same callback ten times, with a crash after the first: one result, one answer for the others.
#[tokio::test(flavor = "multi_thread")]
async fn callback_replayed_10x_once() {
    for kept in stores() {
        let mut scene = TaskFixture::new(&kept, FakeBookkeepingServer::default()).await;
        scene.start_task_request().await;
        scene.finish_all().await;
        assert_eq!(scene.tell("msg_1", ended("15 invoices")).await, "normal", "{}", kept.name);
        scene.crash().await;
        for time in 2..=10 {
            assert_eq!(scene.tell("msg_1", ended("15 invoices")).await, "duplicate", "{} {time}", kept.name);
        }
        // Under another id, and by a poll, it is the same end too.
        assert_eq!(scene.tell("msg_2", ended("15 invoices")).await, "duplicate", "{}", kept.name);
        assert_eq!(scene.tell("msg_3", ended("16 invoices")).await, "contradictory", "{}", kept.name);
        scene.finish_all().await;
        scene.send_message("And?").await;
        scene.finish_all().await;
        assert_eq!(scene.read("15 invoices"), 1, "{}", kept.name);
        assert_eq!(scene.read("16 invoices"), 0, "{}: another end is for people", kept.name);
        let told: Vec<String> = scene.recorded_arrivals().await.into_iter().map(|row| row.verdict).collect();
        assert_eq!(told, ["normal", "duplicate", "contradictory"], "{}", kept.name);
        assert_eq!(scene.task().await.contradicted, 1, "{}", kept.name);
        scene.verify().await;
    }
}

/// The deadline passes; a later message is stored, and read with its mark.
#[tokio::test(flavor = "multi_thread")]
async fn callback_after_expiry_is_kept() {
    for kept in stores() {
        let mut scene = TaskFixture::new(&kept, FakeBookkeepingServer::default()).await;
        scene.start_task_request().await;
        scene.finish_all().await;
        // It is polled one last time without news; then it is over, and the task server is asked to stop.
        scene.advance_time(DEADLINE).await;
        scene.finish_all().await;
        assert_eq!(scene.books.asked.load(Ordering::SeqCst), 1, "{}", kept.name);
        scene.crash().await;
        scene.advance_time(Millis::minutes(1)).await;
        scene.finish_all().await;
        assert_eq!(scene.task().await.state, TaskState::Expired, "{}", kept.name);
        assert_eq!(scene.books.stopped.load(Ordering::SeqCst), 1, "{}", kept.name);
        assert_eq!(scene.read("TASK_EXPIRED"), 1, "{}", kept.name);
        assert_eq!(scene.tell("msg_1", ended("15 invoices")).await, "late", "{}", kept.name);
        scene.finish_all().await;
        assert_eq!((scene.read("15 invoices"), scene.read("Late report")), (1, 1), "{}", kept.name);
        let task = scene.task().await;
        assert!(task.late_result.is_some() && task.is_delivered, "{}: {task:?}", kept.name);
        scene.verify().await;
    }
}

/// A session that ended reads nothing; its task's row has the result, shown as not delivered.
#[tokio::test(flavor = "multi_thread")]
async fn a_result_of_an_ended_session_is_kept() {
    for kept in stores() {
        let mut scene = TaskFixture::new(&kept, FakeBookkeepingServer::default()).await;
        scene.start_task_request().await;
        scene.finish().await;
        let stop = MailRequest::session(chat(), StopSessionRequest { author: "ann".into(), end: true });
        assert!(!scene.post(stop).await.is_refusal(), "{}", kept.name);
        assert!(scene.task().await.cancel.is_some(), "{}: a stopped session calls its tasks off", kept.name);
        // The end was on its way before the task server was asked to stop.
        assert_eq!(scene.tell("msg_1", ended("15 invoices")).await, "normal", "{}", kept.name);
        scene.finish_all().await;
        let task = scene.task().await;
        assert_eq!((task.state, task.is_delivered), (TaskState::Completed, false), "{}", kept.name);
        // A person is notified until one has looked; a contradicting message must be looked at again.
        assert_eq!(task.notice(), Some(TaskNotice::Undelivered), "{}", kept.name);
        assert_eq!(
            (scene.mark_task_seen("ann").await, scene.mark_task_seen("bob").await),
            ("normal", "duplicate"),
            "{}",
            kept.name
        );
        assert_eq!(scene.task().await.seen_by.as_deref(), Some("ann"), "{}", kept.name);
        assert_eq!(scene.tell("msg_2", ended("16 invoices")).await, "contradictory", "{}", kept.name);
        assert_eq!(scene.task().await.notice(), Some(TaskNotice::Contradicted), "{}", kept.name);
        assert_eq!(
            (scene.mark_task_seen("bob").await, scene.task().await.notice()),
            ("normal", None),
            "{}",
            kept.name
        );
        assert_eq!(scene.books.stopped.load(Ordering::SeqCst), 0, "{}: it had ended", kept.name);
        scene.verify().await;
    }
}

/// Stopping a session, or a task by itself, also stops the task on the server, over a crash; an interrupt does not.
#[tokio::test(flavor = "multi_thread")]
async fn stopped_task_is_stopped_on_server() {
    for kept in stores() {
        let mut scene = TaskFixture::new(&kept, FakeBookkeepingServer::default()).await;
        scene.start_task_request().await;
        scene.finish().await;
        let task = scene.task().await.id;
        let cancel = CancelTaskRequest { author: "ann".into() };
        let asked = scene.post(MailRequest::task(task, cancel)).await;
        assert!(matches!(asked, MailAnswer::Heard { .. }), "{}: {asked:?}", kept.name);
        // The stop request is stored before it is sent, so that a starting process sends it.
        scene.crash().await;
        scene.finish_all().await;
        assert_eq!(scene.books.stopped.load(Ordering::SeqCst), 1, "{}", kept.name);
        let task = scene.task().await;
        assert_eq!((task.state, task.is_cancel_confirmed()), (TaskState::Cancelled, true), "{}", kept.name);
        let (facts, phase) = scene.session().await;
        assert_eq!((phase.label(), facts.owes_round), (PhaseLabel::Idle, true), "{}: read next", kept.name);
        scene.verify().await;
    }
}

/// The model lists its tasks, and stops one.
#[tokio::test(flavor = "multi_thread")]
async fn a_model_lists_its_tasks_and_stops_one() {
    for kept in stores() {
        let mut scene = TaskFixture::new(&kept, FakeBookkeepingServer::default()).await;
        scene.start_task_request().await;
        scene.finish_all().await;
        let task = scene.task().await.id;
        let list = r#"{"pre_text":"","queries":[{"type":"LIST_TASKS","params":{}}]}"#.to_owned();
        let stop =
            format!(r#"{{"pre_text":"","actions":[{{"type":"STOP_TASK","params":{{"task":"{task}"}}}}]}}"#);
        scene.clerk.first.lock().unwrap().extend([list, stop]);
        scene.send_message("Stop it.").await;
        scene.finish().await;
        scene.finish().await;
        scene.finish().await;
        assert_eq!(scene.read("being_cancelled"), 1, "{}: it reads the list", kept.name);
        scene.finish_all().await;
        assert_eq!(scene.books.stopped.load(Ordering::SeqCst), 1, "{}", kept.name);
        assert_eq!(scene.task().await.state, TaskState::Cancelled, "{}", kept.name);
        scene.verify().await;
    }
}

/// Without a callable address the task server is polled: at growing intervals, and no more after the end.
#[tokio::test(flavor = "multi_thread")]
async fn task_is_polled_until_it_ends() {
    for kept in stores() {
        let books = FakeBookkeepingServer {
            poll_after: Some(Millis::seconds(30)),
            ..FakeBookkeepingServer::default()
        };
        let mut scene = TaskFixture::new(&kept, books).await;
        scene.start_task_request().await;
        scene.finish_all().await;
        let working = TaskUpdate::Progress { text: "7 of 15".into(), at: None, poll_after: None };
        *scene.books.says.lock().unwrap() = working;
        scene.advance_time(Millis::seconds(29)).await;
        scene.finish_all().await;
        assert_eq!(scene.books.asked.load(Ordering::SeqCst), 0, "{}", kept.name);
        scene.advance_time(Millis::seconds(5)).await;
        scene.finish_all().await;
        assert_eq!(scene.books.asked.load(Ordering::SeqCst), 1, "{}", kept.name);
        let progress = scene.task().await.progress.unwrap();
        assert_eq!(progress.text, "7 of 15", "{}", kept.name);
        *scene.books.says.lock().unwrap() = ended("15 invoices");
        // The next poll is half as much later, whichever process polls.
        scene.crash().await;
        scene.advance_time(Millis::seconds(40)).await;
        scene.finish_all().await;
        assert_eq!(scene.books.asked.load(Ordering::SeqCst), 1, "{}", kept.name);
        scene.advance_time(Millis::seconds(15)).await;
        scene.finish_all().await;
        assert_eq!(scene.books.asked.load(Ordering::SeqCst), 2, "{}", kept.name);
        assert_eq!(scene.read("15 invoices"), 1, "{}", kept.name);
        scene.advance_time(Millis::hours(2)).await;
        scene.finish_all().await;
        assert_eq!(scene.books.asked.load(Ordering::SeqCst), 2, "{}", kept.name);
        scene.verify().await;
    }
}

/// A dispatch without an answer: its outcome is unknown, and the task is over at its deadline.
#[tokio::test(flavor = "multi_thread")]
async fn unanswered_dispatch_waits_until_deadline() {
    for kept in stores() {
        let mut scene = TaskFixture::new(
            &kept,
            FakeBookkeepingServer { accepts: false, ..FakeBookkeepingServer::default() },
        )
        .await;
        scene.start_task_request().await;
        scene.finish_all().await;
        let (facts, _) = scene.session().await;
        assert_eq!((facts.unsettled.len(), facts.tasks.len()), (1, 1), "{}", kept.name);
        scene.advance_time(DEADLINE).await;
        scene.finish_all().await;
        assert_eq!(scene.task().await.state, TaskState::Expired, "{}", kept.name);
        assert_eq!(scene.read("TASK_EXPIRED"), 1, "{}", kept.name);
        assert_eq!(
            scene.books.stopped.load(Ordering::SeqCst),
            0,
            "{}: nobody has it, as far as we know",
            kept.name
        );
        scene.verify().await;
    }
}

/// A person says that the call did not happen: its task is over; an unknown task id is not found.
#[tokio::test(flavor = "multi_thread")]
async fn a_person_denies_a_task() {
    for kept in stores() {
        let mut scene = TaskFixture::new(
            &kept,
            FakeBookkeepingServer { accepts: false, ..FakeBookkeepingServer::default() },
        )
        .await;
        scene.start_task_request().await;
        scene.finish_all().await;
        let call = scene.session().await.0.unsettled.first().cloned().unwrap();
        let settle = MailRequest::session(
            chat(),
            SettleCallRequest { author: "ann".into(), call, happened: false, note: None },
        );
        assert!(!scene.post(settle).await.is_refusal(), "{}", kept.name);
        let task = scene.task().await;
        assert_eq!((task.state, task.is_cancel_confirmed()), (TaskState::Cancelled, false), "{}", kept.name);
        let (facts, _) = scene.session().await;
        assert_eq!((facts.tasks, facts.overdue), (Vec::new(), vec![task.id]), "{}", kept.name);
        let unknown = TaskId::new("tsk_nobody");
        let gone = ReceiveTaskUpdateRequest { webhook_id: None, arrival: TaskUpdate::Gone };
        let answer = scene.post(MailRequest::task(unknown, gone)).await;
        assert!(
            matches!(&answer, MailAnswer::Refused { code, .. } if code.word() == "not_found"),
            "{answer:?}"
        );
        scene.verify().await;
    }
}
