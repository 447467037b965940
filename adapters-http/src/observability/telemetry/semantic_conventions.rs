//! Names from OpenTelemetry's conventions for generative AI. They are collected here because they are not stable: a
//! rename there needs a change only here.

/// Span names; some are followed by a model or a command.
pub(super) const INVOKE_AGENT: &str = "invoke_agent";
pub(super) const INVOKE_WORKFLOW: &str = "invoke_workflow";
pub(super) const CHAT: &str = "chat";
pub(super) const EXECUTE_TOOL: &str = "execute_tool";

/// Attributes.
pub(super) const OPERATION: &str = "gen_ai.operation.name";
pub(super) const PROVIDER: &str = "gen_ai.provider.name";
pub(super) const CONVERSATION: &str = "gen_ai.conversation.id";
pub(super) const REQUEST_MODEL: &str = "gen_ai.request.model";
pub(super) const RESPONSE_MODEL: &str = "gen_ai.response.model";
pub(super) const FINISH_REASONS: &str = "gen_ai.response.finish_reasons";
pub(super) const TOOL_NAME: &str = "gen_ai.tool.name";
pub(super) const TOOL_CALL: &str = "gen_ai.tool.call.id";
pub(super) const ERROR: &str = "error.type";

/// Token attributes of spans.
pub(super) const INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
pub(super) const OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
pub(super) const CACHE_READ_TOKENS: &str = "gen_ai.usage.cache_read.input_tokens";
pub(super) const CACHE_WRITE_TOKENS: &str = "gen_ai.usage.cache_write.input_tokens";

/// Metrics.
pub(super) const INFERENCE: &str = "gen_ai.client.inference.duration";
pub(super) const FIRST_CHUNK: &str = "gen_ai.client.inference.time_to_first_chunk";
pub(super) const USED_INPUT: &str = "gen_ai.client.inference.usage.input_tokens";
pub(super) const USED_OUTPUT: &str = "gen_ai.client.inference.usage.output_tokens";
pub(super) const USED_CACHE_READ: &str = "gen_ai.client.inference.usage.cache_read.input_tokens";
pub(super) const USED_CACHE_WRITE: &str = "gen_ai.client.inference.usage.cache_write.input_tokens";
pub(super) const AGENT_TIME: &str = "gen_ai.invoke_agent.duration";
pub(super) const WORKFLOW_TIME: &str = "gen_ai.invoke_workflow.duration";
pub(super) const TOOL_TIME: &str = "gen_ai.execute_tool.duration";

/// The name of a provider in the configuration: an attribute of ours.
pub(super) const PROVIDER_ENTRY: &str = "entracte.provider";

/// Name of the instrumentation scope.
pub(super) const SCOPE: &str = "entracte";
