//! What the fake model says, as Chat Completions stream it.

/// Name of the one tool that it asks for.
pub const TOOL: &str = "outside_send";

/// Asks for one call; the arguments of no two rounds are the same.
pub fn call(round: usize) -> String {
    let arguments = format!("{{\\\"n\\\":{round}}}");
    let call = format!(
        r#"{{"index":0,"id":"call_{round}","type":"function","function":{{"name":"{TOOL}","arguments":"{arguments}"}}}}"#
    );
    stream(&format!(r#"{{"role":"assistant","tool_calls":[{call}]}}"#), "tool_calls")
}

/// Says that all is done.
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
