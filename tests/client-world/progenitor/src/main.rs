//! What a person does with the API, by the client that progenitor generates: a chat with an approval, a decision that comes
//! too late, and a page after another.

progenitor::generate_api!(spec = "openapi-3.0.json", interface = Builder, tags = Merged);

use std::time::Duration;

const WORKSPACE: &str = "local:main";

/// Why the story failed.
type StoryFailure = Box<dyn std::error::Error>;

/// A client that sends the token with each request.
fn connect() -> Result<Client, StoryFailure> {
    let mut headers = reqwest::header::HeaderMap::new();
    headers.insert("authorization", format!("Bearer {}", std::env::var("TOKEN")?).parse()?);
    let http = reqwest::Client::builder().default_headers(headers).build()?;
    Ok(Client::new_with_client(&std::env::var("ADDRESS")?, http))
}

/// Sends the decision on a card; the status of the answer.
async fn decide(
    client: &Client,
    card: &types::CardShape,
    decision: types::DecisionShape,
) -> Result<u16, StoryFailure> {
    let tag = format!("\"{}\"", card.digest.as_deref().unwrap_or_default());
    let sent = client.decide_approval().w(WORKSPACE).apr(&card.id).if_match(tag).body(decision).send().await;
    match sent {
        Ok(done) => Ok(done.status().as_u16()),
        Err(progenitor_client::Error::ErrorResponse(refused)) => Ok(refused.status().as_u16()),
        Err(error) => Err(error.into()),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), StoryFailure> {
    let client = connect()?;
    let new = types::NewSession::builder().provider(Some("stage".to_owned())).require_validation(true);
    let begun = client.start_chat().w(WORKSPACE).body(new).send().await?;
    assert_eq!(begun.status(), 201);
    let session = begun.into_inner().id;
    let message = types::NewMessage::builder().text("Make a zone.");
    let sent = client.send_message().w(WORKSPACE).s(&session).body(message).send().await?;
    assert_eq!(sent.status(), 202);

    let card = loop {
        let cards = client.list_approvals().w(WORKSPACE).send().await?.into_inner();
        if let Some(card) = cards.items.into_iter().find(|card| card.session == session) {
            break card;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    let approve = types::DecisionShape::Approve(types::DecisionApprove {
        decision: types::DecisionApproveDecision::Approve,
    });
    assert_eq!(decide(&client, &card, approve).await?, 200);
    let count = loop {
        let page = client.list_messages().w(WORKSPACE).s(&session).limit(50).send().await?.into_inner();
        if page.items.iter().any(|message| message.text.contains("It is made.")) {
            break page.items.len();
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    let reject =
        types::DecisionReject::builder().decision(types::DecisionRejectDecision::Reject).try_into()?;
    assert_eq!(decide(&client, &card, types::DecisionShape::Reject(reject)).await?, 409, "it was decided");

    let first = client.list_messages().w(WORKSPACE).s(&session).limit(1).send().await?.into_inner();
    assert_eq!(first.items.len(), 1);
    let next = first.next.clone().ok_or("there is another page")?;
    let second =
        client.list_messages().w(WORKSPACE).s(&session).limit(1).after(next).send().await?.into_inner();
    assert_ne!(first.items[0].id, second.items[0].id);
    println!("{count} messages");
    Ok(())
}
