// What of a request a provider may not take.

/**
 * Something in the request that the provider does not take, and that can be left out or said in another way. `roles`:
 * messages whose roles do not alternate, or a system message, which some models' templates cannot write. `missing_…`:
 * it wants something beside calls that it did not make, and gets a stand-in. `call_ids`: it takes letters and digits only.
 * `user_after_tool`: an answer has to come between. `chat_completions`: the model is
 * served by the Responses API alone. `long_output`: an answer may not be so long. `thoughts …`: the reasoning in one conversation
 * (its id) is not the provider's own, or has changed.
 */
export type Refused =
  | "tools"
  | "temperature"
  | "reasoning_effort"
  | "stream_options"
  | "images"
  | "roles"
  | "call_ids"
  | "cache_control"
  | "prompt_cache_key"
  | "user_after_tool"
  | "reasoning"
  | "missing_reasoning"
  | "missing_signatures"
  | "chat_completions"
  | "reasoning_summary"
  | "encrypted_reasoning"
  | "adaptive_thinking"
  | "budget_thinking"
  | "long_output"
  | "response_format"
  | "grammar"
  | `thoughts ${string}`;
