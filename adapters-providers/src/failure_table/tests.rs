use super::*;
use crate::anthropic_messages::AnthropicMessages;
use crate::chat_completions::ChatCompletions;
use crate::dialect::WireDialect;
use crate::responses::OpenaiResponses;
use crate::testing::stream;

/// An error as a server sends it.
struct ReportedError {
    server: &'static str,
    source: &'static str,
    status: u16,
    body: &'static str,
}

const fn reported(
    server: &'static str,
    source: &'static str,
    status: u16,
    body: &'static str,
) -> ReportedError {
    ReportedError { server, source, status, body }
}

/// What servers and gateways answer to a prompt that is too long.
const OVERFLOWS: [ReportedError; 16] = [
    reported(
        "LiteLLM in front of Claude, /chat/completions",
        "OpenHands/OpenHands#5350",
        400,
        r#"{"error":{"message":"litellm.BadRequestError: litellm.ContextWindowExceededError: AnthropicError - {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"prompt is too long: 209303 tokens > 200000 maximum\"}}","type":null,"param":null,"code":"400"}}"#,
    ),
    reported(
        "Claude",
        "anthropics/claude-code#12186",
        400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 208310 tokens > 200000 maximum"},"request_id":"req_1"}"#,
    ),
    reported(
        "llama.cpp",
        "ggml-org/llama.cpp#15780",
        400,
        r#"{"error":{"code":400,"message":"request (40069 tokens) exceeds the available context size (22016 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":40069,"n_ctx":22016}}"#,
    ),
    reported(
        "llama.cpp before the code was 400",
        "ggml-org/llama.cpp#15780",
        500,
        r#"{"error":{"code":500,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"exceed_context_size_error","n_prompt_tokens":1407,"n_ctx":256}}"#,
    ),
    reported(
        "vLLM",
        "vllm-project/vllm#20409",
        400,
        r#"{"object":"error","message":"This model's maximum context length is 16384 tokens. However, you requested 19591 tokens (9591 in the messages, 10000 in the completion). Please reduce the length of the messages or completion. None","type":"BadRequestError","param":null,"code":400}"#,
    ),
    reported(
        "vLLM, prompt and limit together",
        "vllm-project/vllm#33425",
        400,
        r#"{"error":{"message":"This model's maximum context length is 2048 tokens. However, your request has 8 input tokens plus 2045 'max_tokens'. Please reduce one or the other. (parameter=input_tokens, max_tokens, value=(8, 2045))","type":"BadRequestError","param":"input_tokens, max_tokens","code":400}}"#,
    ),
    reported(
        "Azure",
        "Azure/azure-sdk-for-net#41892",
        400,
        r#"{"error":{"message":"This model's maximum context length is 32768 tokens. However, you requested 35969 tokens (9969 in the messages, 26000 in the completion). Please reduce the length of the messages or completion.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#,
    ),
    reported(
        "OpenRouter",
        "RooCodeInc/Roo-Code#11998",
        400,
        r#"{"error":{"message":"This endpoint's maximum context length is 256000 tokens. However, you requested about 256493 tokens (194895 of text input, 10398 of tool input, 51200 in the output). Please reduce the length of either one, or use the context-compression plugin to compress your prompt automatically.","code":400}}"#,
    ),
    reported(
        "OpenRouter, with the words of the model's server inside a 502",
        "ai-christianson/RA.Aid#41",
        502,
        r#"{"error":{"message":"Provider returned error","code":502,"metadata":{"provider_name":"DeepInfra","raw":{"error_type":"validation_error","error_message":"This model's maximum context length is 16000 tokens. However, you requested 17165 tokens (13069 in the messages, 4096 in the completion)."}}}}"#,
    ),
    reported(
        "Groq",
        "thepersonalaicompany/amurex-backend#51",
        400,
        r#"{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#,
    ),
    reported(
        "Groq, more than a minute's tokens",
        "HunorLaczko/ha-groq-cloud-api#27",
        413,
        r#"{"error":{"message":"Request too large for model llama-3.1-8b-instant in organization org_x service tier on_demand on tokens per minute (TPM): Limit 6000, Requested 12328, please reduce your message size and try again.","type":"tokens","code":"rate_limit_exceeded"}}"#,
    ),
    reported(
        "Ollama",
        "OpenClaw's test of a payload of Ollama",
        400,
        r#"{"StatusCode":400,"Status":"400 Bad Request","error":"prompt too long; exceeded max context length by 4 tokens"}"#,
    ),
    reported(
        "Ollama, a model without room",
        "ollama/ollama (words of its embedding endpoint)",
        500,
        r#"{"error":"the input length exceeds the context length"}"#,
    ),
    reported(
        "Portkey in front of Claude",
        "Portkey-AI/gateway src/providers/utils.ts (its form), anthropics/claude-code#12186 (the words inside)",
        400,
        r#"{"error":{"message":"anthropic error: prompt is too long: 208310 tokens > 200000 maximum","type":"invalid_request_error","param":null,"code":null},"provider":"anthropic"}"#,
    ),
    reported(
        "DeepSeek",
        "evalstate/fast-agent#621",
        400,
        r#"{"error":{"message":"This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}"#,
    ),
    reported(
        "a gateway of another kind",
        "can1357/oh-my-pi#1618",
        400,
        r#"{"error":{"message":"The prompt is too long: 267657, model maximum context length: 262143","type":"invalid_request_error","param":"invalid_request_error"}}"#,
    ),
];

/// Other failures, and what they are.
const OTHERS: [(ReportedError, FailureClassification); 7] = [
    (
        reported(
            "vLLM, an output limit as large as the window",
            "opendatalab/MinerU#4868",
            400,
            r#"{"object":"error","message":"'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 8192 tokens and your request has 1210 input tokens (8192 > 8192 - 1210).","type":"BadRequestError","param":null,"code":400}"#,
        ),
        OUTPUT_LIMIT,
    ),
    (
        reported(
            "vLLM, an invalid limit",
            "vllm-project/vllm#4667",
            400,
            r#"{"object":"error","message":"max_tokens must be at least 1, got -186.","type":"BadRequestError","param":null,"code":400}"#,
        ),
        (FailureClass::Misconfigured, FailureSubject::Request),
    ),
    (
        reported(
            "Groq, the usual rate limit",
            "elizaOS/eliza#4040",
            429,
            r#"{"error":{"message":"Rate limit reached for model `llama-3.1-8b-instant` on tokens per minute (TPM): Limit 6000, Used 5034, Requested 1443. Please try again in 4.77s.","type":"tokens","code":"rate_limit_exceeded"}}"#,
        ),
        RATE,
    ),
    (
        reported(
            "OpenAI, no credit",
            "OpenAI's reference of error codes",
            429,
            r#"{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}"#,
        ),
        SPEND,
    ),
    (
        reported(
            "llama.cpp while it loads",
            "ggml-org/llama.cpp tools/server/README.md",
            503,
            r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#,
        ),
        BUSY,
    ),
    (
        reported(
            "Claude's own spend limit",
            "Claude's reference of errors",
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits."}}"#,
        ),
        SPEND,
    ),
    (
        reported(
            "LiteLLM in front of Claude, /responses",
            "its proxy 1.108.7, asked by .ci/world models",
            400,
            r#"{"error":{"message":"litellm.UnsupportedParamsError: anthropic does not support parameters: ['prompt_cache_key'], for model=m-1. To drop these, set `litellm.drop_params=True` or for proxy:\n\n`litellm_settings:\n drop_params: true`\n. \n If you want to use these params dynamically send allowed_openai_params=['prompt_cache_key'] in your request.\n\nLiteLLM: model group 'behind-claude' failed with the error above. No fallback was attempted.","type":null,"param":null,"code":"400"}}"#,
        ),
        CACHE_KEY,
    ),
];

const WIRES: [(&dyn WireDialect, &str); 3] = [
    (&AnthropicMessages, "kind = \"claude\"\nmodel = \"m\""),
    (&OpenaiResponses, "kind = \"openai\"\nmodel = \"m\""),
    (&ChatCompletions, "kind = \"groq\"\nmodel = \"m\""),
];

/// Reads the error as the answer of a call, and on every wire inside a stream and in place of an answer.
fn readings(error: &ReportedError) -> Vec<FailureClass> {
    let ReportedError { status, body, .. } = error;
    let mut classes = vec![classify(*status, &ServerError::read(body.as_bytes())).0];
    for (wire, entry) in WIRES {
        let sse = format!("event: error\ndata: {body}\n\n");
        classes.push(stream(wire, entry, [sse.as_bytes()]).0.unwrap_err().class);
    }
    classes
}

#[test]
fn context_overflow_is_recognised_per_gateway() {
    for error in &OVERFLOWS {
        let classes = readings(error);
        let is_known = classes.iter().all(|class| *class == FailureClass::ContextTooLong);
        assert!(is_known, "{} ({}): {classes:?}", error.server, error.source);
    }
}

#[test]
fn other_failures_keep_their_class() {
    for (error, expected) in &OTHERS {
        let read = ServerError::read(error.body.as_bytes());
        assert_eq!(classify(error.status, &read), *expected, "{} ({})", error.server, error.source);
    }
}

/// Input: a limit that the window has no room for because of the prompt; expected: a shorter prompt is asked for.
#[test]
fn long_prompt_beside_limit_is_too_long() {
    let body = r#"{"error":{"message":"'max_tokens' or 'max_completion_tokens' is too large: 1000. This model's maximum context length is 8192 tokens and your request has 7500 input tokens (1000 > 8192 - 7500)."}}"#;
    assert_eq!(classify(400, &ServerError::read(body.as_bytes())), SIZE);
}
