//! All endings of a stream in the three wire dialects, and their meaning.

use entracte_application::ports::ReplyEnd;
use entracte_domain::session::failure::FailureClass;

use crate::anthropic_messages::AnthropicMessages;
use crate::chat_completions::ChatCompletions;
use crate::dialect::WireDialect;
use crate::responses::OpenaiResponses;
use crate::testing::stream;

/// Meaning of a stream's ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StreamEndMeaning {
    /// The answer is complete; its call runs.
    Whole,
    /// The model was stopped; no call runs.
    Stopped,
    /// The answer broke off; no call runs, and the request may be repeated.
    Lost,
    /// Prompt and answer fill the window; the conversation is summed up.
    WindowFull,
    /// The model refused.
    Refused,
}

const CHAT: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"hi\",\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"n\",\"arguments\":\"{}\"}}]}}]}\n\n";
const CLAUDE: &str = "data: {\"type\":\"message_start\",\"message\":{\"model\":\"m\",\"content\":[]}}\n\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"n\",\"input\":{}}}\n\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n";
const RESPONSES: &str = "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"n\",\"arguments\":\"{}\"}}\n\n";

fn finish(reason: &str) -> String {
    format!("data: {{\"choices\":[{{\"delta\":{{}},\"finish_reason\":\"{reason}\"}}]}}\n\n")
}

fn stop(reason: &str) -> String {
    format!("data: {{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"{reason}\"}}}}\n\n")
}

fn closing(kind: &str, status: &str, rest: &str) -> String {
    format!("data: {{\"type\":\"{kind}\",\"response\":{{\"status\":\"{status}\"{rest}}}}}\n\n")
}

fn without_last_blank_line(ending: &str) -> String {
    ending.trim_end().to_owned()
}

fn means(dialect: &dyn WireDialect, entry: &str, sse: &str) -> StreamEndMeaning {
    match stream(dialect, entry, [sse.as_bytes()]).0 {
        Ok(reply) if reply.end == ReplyEnd::Done => {
            assert_eq!(reply.calls.len(), 1, "{sse}");
            StreamEndMeaning::Whole
        }
        Ok(_) => StreamEndMeaning::Stopped,
        Err(trouble) if trouble.class == FailureClass::Lost => StreamEndMeaning::Lost,
        Err(trouble) if trouble.class == FailureClass::Refused => StreamEndMeaning::Refused,
        Err(trouble) if trouble.class == FailureClass::ContextTooLong => StreamEndMeaning::WindowFull,
        Err(trouble) => panic!("{trouble:?}: {sse}"),
    }
}

#[test]
fn stream_end_table() {
    const DONE: &str = "data: [DONE]\n\n";
    const STOPPED: &str = "data: {\"type\":\"message_stop\"}\n\n";
    let chat = [
        (format!("{}{DONE}", finish("stop")), StreamEndMeaning::Whole),
        (format!("{}{DONE}", finish("tool_calls")), StreamEndMeaning::Whole),
        (finish("tool_calls"), StreamEndMeaning::Whole),
        (without_last_blank_line(&finish("tool_calls")), StreamEndMeaning::Whole),
        (format!("{}{}", finish("stop"), DONE.trim_end()), StreamEndMeaning::Whole),
        (format!("{}{DONE}", finish("length")), StreamEndMeaning::Stopped),
        (format!("{}{DONE}", finish("something_new")), StreamEndMeaning::Stopped),
        (format!("{}{DONE}", finish("content_filter")), StreamEndMeaning::Refused),
        (DONE.to_owned(), StreamEndMeaning::Lost),
        (String::new(), StreamEndMeaning::Lost),
        ("data: {\"choices\":[{\"delta\":{},\"finish_rea".to_owned(), StreamEndMeaning::Lost),
    ];
    let claude = [
        (format!("{}{STOPPED}", stop("tool_use")), StreamEndMeaning::Whole),
        (format!("{}{STOPPED}", stop("end_turn")), StreamEndMeaning::Whole),
        (format!("{}{}", stop("tool_use"), STOPPED.trim_end()), StreamEndMeaning::Whole),
        (format!("{}{STOPPED}", stop("max_tokens")), StreamEndMeaning::Stopped),
        (format!("{}{STOPPED}", stop("model_context_window_exceeded")), StreamEndMeaning::WindowFull),
        (format!("{}{STOPPED}", stop("pause_turn")), StreamEndMeaning::Stopped),
        (format!("{}{STOPPED}", stop("something_new")), StreamEndMeaning::Stopped),
        (format!("{}{STOPPED}", stop("refusal")), StreamEndMeaning::Refused),
        (STOPPED.to_owned(), StreamEndMeaning::Lost),
        (stop("tool_use"), StreamEndMeaning::Lost),
        (String::new(), StreamEndMeaning::Lost),
    ];
    let responses = [
        (closing("response.completed", "completed", ""), StreamEndMeaning::Whole),
        (without_last_blank_line(&closing("response.completed", "completed", "")), StreamEndMeaning::Whole),
        (format!("{}{DONE}", closing("response.completed", "completed", "")), StreamEndMeaning::Whole),
        (closing("response.incomplete", "incomplete", ""), StreamEndMeaning::Stopped),
        (
            closing(
                "response.incomplete",
                "incomplete",
                ",\"incomplete_details\":{\"reason\":\"content_filter\"}",
            ),
            StreamEndMeaning::Refused,
        ),
        (closing("response.completed", "cancelled", ""), StreamEndMeaning::Lost),
        (closing("response.completed", "in_progress", ""), StreamEndMeaning::Lost),
        (DONE.to_owned(), StreamEndMeaning::Lost),
        (String::new(), StreamEndMeaning::Lost),
    ];
    let compatible = "kind = \"compatible\"\nmodel = \"m\"\nbase_url = \"http://localhost/v1\"";
    let claude_entry = "kind = \"claude\"\nmodel = \"m\"";
    let openai = "kind = \"openai\"\nmodel = \"m\"";
    for (ending, expected) in &chat {
        assert_eq!(means(&ChatCompletions, compatible, &format!("{CHAT}{ending}")), *expected, "{ending}");
    }
    for (ending, expected) in &claude {
        assert_eq!(
            means(&AnthropicMessages, claude_entry, &format!("{CLAUDE}{ending}")),
            *expected,
            "{ending}"
        );
    }
    for (ending, expected) in &responses {
        assert_eq!(means(&OpenaiResponses, openai, &format!("{RESPONSES}{ending}")), *expected, "{ending}");
    }
}
