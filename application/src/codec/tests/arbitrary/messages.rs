use entracte_domain::message::{
    AiMessage, Author, BuiltinToolCall, CommandResult, Enrichment, EnrichmentKind, ExecutionMetadata,
    Message, MessageBody, ProviderTurn, Segment, SystemKind, SystemMessage, UserMessage,
};
use entracte_domain::question::Question;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::agents::{asks, exit};
use super::calls::{command, status};
use super::scalars::*;

pub(super) fn question() -> BoxedStrategy<Question> {
    prop_oneof![
        (text(), few(text()), any::<bool>()).prop_map(|(question, options, allow_other)| {
            Question::MultipleChoice { question, options, allow_other }
        }),
        text().prop_map(|message| Question::Validation { message }),
        text().prop_map(|question| Question::Open { question }),
    ]
    .boxed()
}

pub(super) fn user_message() -> BoxedStrategy<UserMessage> {
    let kinds = vec![
        EnrichmentKind::Pointer,
        EnrichmentKind::Use,
        EnrichmentKind::Create,
        EnrichmentKind::ModifyConfig,
    ];
    let enrichment = (select(kinds), value(), text()).prop_map(|(kind, config, summary)| Enrichment {
        kind,
        config,
        summary,
    });
    few(prop_oneof![
        text().prop_map(Segment::Text),
        enrichment.prop_map(Segment::Enrichment),
        file().prop_map(Segment::File),
    ])
    .prop_map(|segments| UserMessage { segments })
    .boxed()
}

pub(super) fn ai_message() -> BoxedStrategy<AiMessage> {
    let turn = (text(), text()).prop_map(|(dialect, bytes)| ProviderTurn { dialect, bytes });
    let asked = (text(), few(command()), few(command()), any::<bool>(), some(text()));
    let own = (text(), text(), value(), some((text(), any::<bool>()))).prop_map(
        |(provider_call_id, name, arguments, answer)| BuiltinToolCall {
            provider_call_id,
            name,
            arguments,
            answer,
        },
    );
    let ends = (option::weighted(0.2, exit()), option::weighted(0.2, asks()));
    let rest =
        (any::<bool>(), some(question()), any::<bool>(), text(), (some(turn), few(own), few(text()), ends));
    (asked, rest)
        .prop_map(
            |(
                (pre_text, queries, actions, validation_request, post_text),
                (keep_control, question, completed, original, (provider_turn, own_calls, plan, (exit, asks))),
            )| AiMessage {
                pre_text,
                queries,
                actions,
                validation_request,
                post_text,
                keep_control,
                question,
                completed,
                original,
                provider_turn,
                own_calls,
                plan,
                exit,
                asks,
            },
        )
        .boxed()
}

fn system_message() -> BoxedStrategy<SystemMessage> {
    let result = (call_id(), some(text()), text(), status(), some(text()), speech(), few(file())).prop_map(
        |(call, provider_call_id, command, status, code, content, files)| CommandResult {
            call,
            provider_call_id,
            command,
            status,
            code,
            content,
            files,
        },
    );
    let told = |results: &[CommandResult]| -> String {
        let parts: Vec<_> =
            results.iter().map(|r| format!("## {}\n{}", r.command, r.content.to_plain_text())).collect();
        parts.join("\n\n")
    };
    let data = prop_oneof![Just(Some(None)), some(speech()).prop_map(|said| said.map(Some))];
    (select(SystemKind::ALL.to_vec()), few(result), speech(), data)
        .prop_map(move |(kind, results, summary, data)| {
            let formatted_data = data.map(|said| said.unwrap_or_else(|| told(&results).into()));
            SystemMessage { kind, results, summary, formatted_data }
        })
        .boxed()
}

fn body() -> BoxedStrategy<MessageBody> {
    let run = (text(), some(time()), any::<u32>()).prop_map(|(trigger, scheduled_at, automation_version)| {
        ExecutionMetadata { trigger, scheduled_at, automation_version }
    });
    prop_oneof![
        user_message().prop_map(MessageBody::Rich),
        speech().prop_map(MessageBody::Text),
        ai_message().prop_map(MessageBody::Ai),
        system_message().prop_map(MessageBody::System),
        run.prop_map(MessageBody::Execution),
    ]
    .boxed()
}

pub(super) fn message() -> BoxedStrategy<Message> {
    let author = prop_oneof![text().prop_map(Author::Person), Just(Author::Model), Just(Author::System)];
    (message_id(), time(), author, body(), any::<bool>())
        .prop_map(|(id, at, author, body, exclude_from_prompt)| Message {
            id,
            at,
            author,
            body,
            exclude_from_prompt,
        })
        .boxed()
}
