//! The replies of the fake model, as streamed Chat Completions.

/// Name of the one tool that the model calls.
pub const TOOL: &str = "outside_send";

/// A reply that requests one call; its arguments differ in every round.
pub fn call(round: usize) -> String {
    let arguments = format!("{{\\\"n\\\":{round}}}");
    let call = format!(
        r#"{{"index":0,"id":"call_{round}","type":"function","function":{{"name":"{TOOL}","arguments":"{arguments}"}}}}"#
    );
    stream(&format!(r#"{{"role":"assistant","tool_calls":[{call}]}}"#), "tool_calls")
}

/// A reply that says that the work is done.
pub fn done() -> String {
    stream(r#"{"role":"assistant","content":"All is done."}"#, "stop")
}

fn stream(delta: &str, finish: &str) -> String {
    format!(
        "data: {{\"id\":\"c\",\"model\":\"m\",\"choices\":[{{\"index\":0,\"delta\":{delta}}}]}}\n\n\
         data: {{\"id\":\"c\",\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"{finish}\"}}]}}\n\n\
         data: {{\"id\":\"c\",\"choices\":[],\"usage\":{{\"prompt_tokens\":100,\"completion_tokens\":10}}}}\n\n\
         data: [DONE]\n\n"
    )
}
