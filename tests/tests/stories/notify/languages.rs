//! Notifications in the language of their target.

use entracte_application::notify::TargetPreferences;
use entracte_application::texts::Language;
use serde_json::{Value, json};

use super::{NotificationFixture, databases, private};

/// Input: an approval in an English workspace, and targets in French, in English and without a language; expected: the message
/// of each is in its language, that of the last one in the workspace's, and all are about the same card.
#[tokio::test(flavor = "multi_thread")]
async fn notification_is_in_language_of_its_target() {
    for database in databases() {
        let scene = NotificationFixture::on(database).await;
        for (name, language) in [("fr", Some(Language::Fr)), ("en", Some(Language::En)), ("none", None)] {
            scene.target(name, TargetPreferences { language, has_links: false, ..private() }).await;
        }
        let (_, approval, digest) = scene.asks("Health").await;
        scene.step().await;
        let received = scene.outside.received_notifications();
        let told = |phrase: &str| received.iter().filter(|told| told.text.contains(phrase)).count();
        let counts = [told("attend votre approbation"), told("needs your approval"), received.len()];
        assert_eq!(counts, [1, 2, 3], "{received:?}");

        let mut says = Vec::new();
        for notification in &received {
            let body: Value = serde_json::from_str(&notification.body).unwrap();
            let data = &body["data"];
            assert_eq!(data["approval"], json!(approval), "{body}");
            assert_eq!(data["card"]["digest"], json!(digest.as_str()), "{body}");
            says.push(data["card"]["says"].as_str().unwrap().to_owned());
        }
        says.sort_unstable();
        says.dedup();
        assert_eq!(says.len(), 2, "the card is described in both languages: {says:?}");
    }
}
