# What the tools that reach outside say: HTTP tools, MCP servers, the journal file. Failures are read by a model,
# sentences and warnings by the person who is asked for approval.

tools-unknown-command = there is no command “{ $name }” here

## Secrets

tools-person-nobody = this needs somebody’s own secret “{ $name }”, and it acts for nobody: several people asked for it together, or somebody else changed it; whoever has the secret asks for it alone
tools-person-missing = { $person } has no secret “{ $name }” in { $workspace }; only { $person } can keep one
tools-person-unreadable = the secret “{ $name }” of { $person } cannot be read; the log of the process says why
tools-person-uses = this uses { $person }’s own secret “{ $name }”
tools-secret-not-set = the environment variable { $name } is not set; set it: export { $name }=…
tools-secret-unreadable = the secret file { $path } cannot be read: { $why }
tools-secret-relative = the secret file { $path } is named by a relative path; write the whole path, such as { $whole }
tools-secret-silent = the secret file { $path } is a pipe, and nobody wrote to it in { $seconds } s; copy the secret into a file
tools-secret-empty = the secret file { $path } is empty; write the secret into it
tools-secret-large = the secret file { $path } has more than { $most } bytes; it must hold the secret and nothing else
tools-secret-not-printed = the program { $program } gives no secret: { $why }
tools-secret-undeclared = the secret { $place } is not declared, so only a target that was added on the command line of the server may name it; declare it in the configuration with the hosts it may go to: [secrets.NAME] with secret_env, kind and hosts, or add the target there
tools-secret-not-theirs = the secret { $place } is not for this person in this workspace; [secrets.NAME] says for whom it is: workspaces, person
tools-secret-kind = [secrets.{ $name }] is of the kind { $kind }, and { $wanted } is needed
tools-secret-host = [secrets.{ $name }] may be sent to { $hosts } only, and not to { $host }
tools-secret-no-host = [secrets.{ $name }] may be sent to { $hosts } only, and this is no host
tools-secret-short = the secret { $place } has fewer than { $least } characters: it could not be removed from texts; use a longer one

## Addresses that are not called

tools-url = the address cannot be used: { $problem }
tools-url-long = it is { $bytes } bytes long; the maximum is { $most }
tools-url-unreadable = { $why }; write it like https://host/path
tools-url-scheme = “{ $scheme }” is neither http nor https; use https://
tools-url-user = it contains a user name or a password; put them in a header
tools-url-no-host = it has no host; write it like https://host/path
tools-url-redirect = { $why }; use the final address directly
tools-url-not-utf8 = it is not UTF-8; use the final address directly
tools-refused = “{ $host }” was not called: { $what } is { $class }; to allow it, set { $setting } = ["{ $name }"]
tools-refused-address = its address { $address }
tools-refused-name = the name
tools-class = { $class ->
    [loopback] a loopback address (this machine)
    [private] a private address
    [link-local] a link-local address
    [unique-local] a unique-local address
    [shared] a shared address (carrier-grade NAT)
    [multicast] a multicast address
    [broadcast] the broadcast address
    [unspecified] an unspecified address
    [documentation] a documentation address
    [benchmarking] a benchmarking address
    [metadata] a cloud metadata address
   *[reserved] a reserved address
}

## Requests without an answer

tools-unresolved = the host name “{ $host }” cannot be resolved: { $why }; check its spelling and the network
tools-no-address = it has no address
tools-unreachable = “{ $host }” cannot be reached: { $why }
tools-connect-timeout = the connection timed out
tools-unwritable = the request to “{ $host }” cannot be built: { $why }
tools-cut = the connection to “{ $host }” broke before the whole answer arrived: { $why }
tools-timed-out = “{ $host }” did not send its whole answer within { $seconds } s
tools-too-large = the answer of “{ $host }” (status { $status }) is larger than { $limit } bytes; ask for less, or raise the limit
tools-too-many-redirects = “{ $host }” redirects more than { $most } times; use the final address directly
tools-redirect-loop = “{ $host }” redirects in a loop
tools-redirect-refused = “{ $host }” answered with status { $status }, a redirect to “{ $to }” that was not followed: { $why }; if that address is right, use it directly
tools-redirect-action = only a GET is repeated, never an action
tools-redirect-plain = the connection to it is not encrypted
tools-redirected = “{ $from }” redirects, and then: { $why }

## HTTP tools

tools-http-unusable = the answer cannot be used: { $why }
tools-http-done = It was done (status { $status }), but the answer cannot be shown: { $why }
tools-http-not-json = it is not valid JSON: { $why }
tools-http-odd-json = { $text } (this is not valid JSON: { $why })
tools-http-schema = it does not match the schema of the result at “{ $path }”: { $why }
tools-http-empty = status { $status }, no content
tools-http-file = status { $status }; the answer is this file:
tools-http-encoded = it is encoded as “{ $encoding }”, which was not asked for
tools-http-no-text = it is “{ $media }” ({ $bytes } bytes), not text
tools-http-no-utf8 = it is “{ $media }” ({ $bytes } bytes), not UTF-8
tools-http-status = the answer has status { $status }
tools-http-retry = { $said } (Retry-After: { $when })
tools-http-detail = { $said }: { $detail }
tools-http-cut = { $text }… ({ $more } more characters were cut off)
tools-http-no-key = the key of the call cannot be sent as a header
tools-http-no-ask = the tool does not declare how to ask whether it happened
tools-http-header = the header “{ $name }” cannot be sent: { $why }
tools-http-header-place = the configuration does not say where its secret is kept
tools-http-header-value = it contains characters that a header cannot carry
tools-http-header-name = it is not a valid header name
tools-http-argument-empty = the argument “{ $name }” is empty, but it is part of the path of the address; give another value
tools-http-argument-path = the argument “{ $name }” would lead to another path; give another value
tools-http-argument-many = the argument “{ $name }” is not a single value; give another value
card-no-value = (none)
tools-http-warn-egress = sends data out of the workspace, to { $host }
tools-http-warn-plain = the connection is not encrypted

## Long tasks

tools-task-give = Send the task “{ $task }” to { $url }
tools-task-warn-context = the user context is sent with it
tools-task-accepted = The task { $task } has begun. Its result comes by itself later; do not ask for it again.
tools-task-no-reason = the task server gave no reason
tools-task-redirect = the task server answered with status { $status }, a redirect, which is not followed; put the final address into the configuration
tools-task-unsigned = the task cannot be signed: { $why }
tools-task-unsent = the task cannot be written as a request; nothing was sent
tools-task-again = this command became a long task after it was asked for; nothing was sent, ask for it again

## MCP tools

tools-mcp-run = Run the tool “{ $tool }” of the MCP server “{ $server }”
tools-mcp-run-at = Run the tool “{ $tool }” of the MCP server “{ $server }” at { $host }, where its arguments go
tools-mcp-warn-destructive = { $says ->
    [server] its server says that it may overwrite or delete data
    [nothing] its server does not say whether it may overwrite or delete data
   *[configuration] the configuration says that it may overwrite or delete data
}
tools-mcp-warn-egress = { $says ->
    [server] its server says that it may send data to other places
    [nothing] its server does not say whether it may send data to other places
   *[configuration] the configuration says that it may send data to other places
}
tools-mcp-not-object = the arguments are not an object; write {"{"}…{"}"}
tools-mcp-changed = “{ $tool }” is not as it was accepted: { $parts } changed on the server. Nothing was sent. A person must review { $command } and accept it
tools-mcp-undecided = nobody has accepted “{ $tool }” yet. Nothing was sent. A person must review { $command } and accept it
tools-mcp-part = { $part ->
    [title] its title
    [description] its description
    [annotations] its annotations
   *[schema] its schema
}
tools-mcp-parts = { $first } and { $next }
tools-mcp-gone = the server no longer offers “{ $command }”; nothing was sent
tools-mcp-began-anew = Note by Entracte: the server { $server } was started anew before this call. What it held in memory since your earlier calls (open pages, connections, variables) is gone.
tools-mcp-nothing = (the tool returned nothing)
tools-mcp-image = {"["}image { $media }, { $bytes } bytes]
tools-mcp-audio = {"["}audio { $media }, { $bytes } bytes]
tools-mcp-resource = {"["}resource { $uri }, { $media }, { $bytes } bytes]
tools-mcp-resource-unknown = {"["}resource of an unknown kind]
tools-mcp-link = {"["}link to the resource { $uri } “{ $name }”, { $media }]
tools-mcp-link-sized = {"["}link to the resource { $uri } “{ $name }”, { $media }, { $bytes } bytes]
tools-mcp-template = {"["}resources { $uri } “{ $name }”, { $media }]
tools-mcp-list-more = {"["}there is more; go on with cursor: { $cursor }]
tools-mcp-list-empty = (the server has no resources)
tools-mcp-media-unknown = unknown type
tools-mcp-content-unknown = {"["}content of an unknown kind: { $bytes } bytes]
tools-mcp-cut = {"["}cut: { $kept } of { $bytes } bytes]
tools-mcp-input-accepted = The tool asks a person something before it goes on. Until then it is the task { $task }; its result comes by itself later. Do not call it again.
tools-mcp-input-address = This address is the server’s: open it only if you trust it. Answer “done” once you have been there, or “no” to decline.
tools-mcp-input-large = what it asks cannot wait for a person: the call and the state of its server are more than { $most } bytes
tools-mcp-input-secret = what it asks cannot wait for a person: the state of its server contains a secret of its configuration
tools-mcp-input-declined = the person declined what the tool asked for, and the call did not finish
tools-mcp-input-changed = the tool, or its server, is not as it was when the call was approved. The answer was not sent, and the call did not finish
tools-mcp-input-unsent = the answer could not be sent to the MCP server { $server }, and the call did not finish
tools-mcp-task-wants = its server asked for what nobody gives it:
    { $asked }

## Prompts of MCP servers

tools-mcp-prompt-unknown = the MCP server { $server } has no prompt “{ $prompt }”
tools-mcp-prompt-argument = the prompt has no argument “{ $argument }”; it has: { $known }
tools-mcp-prompt-no-arguments = the prompt has no argument “{ $argument }”; it takes none
tools-mcp-prompt-missing = the argument “{ $argument }” is missing; write { $argument }=VALUE
tools-mcp-prompt-missing-proposed = the argument “{ $argument }” is missing; write { $argument }=VALUE. The server proposes: { $proposed }
tools-mcp-prompt-failed = the MCP server { $server } did not give its prompts: { $why }
tools-mcp-prompt-wants = the MCP server { $server } wants input before it gives the prompt; nobody gives it
tools-mcp-prompt-many = the MCP server { $server } has more than { $most } prompts
tools-mcp-prompt-long = the text of the prompt has more than { $most } bytes

## MCP servers that cannot be used

tools-mcp-unavailable = the MCP server { $server } cannot be used: { $why }
tools-mcp-refused = the MCP server { $server } refused the call, and did nothing: { $why }
tools-mcp-unconfigured = it is not in the configuration; add [mcp.{ $server }]
tools-mcp-broken = it ended, or its connection broke
tools-mcp-later = it can be started again in { $seconds } s
tools-mcp-failed-later = { $why }; it can be started again in { $seconds } s
tools-mcp-no-program = the program “{ $command }” was not found in PATH; install it, or set command to its full path
tools-mcp-spawn = the program “{ $command }” cannot be started: { $why }
tools-mcp-streams = the program “{ $command }” has no standard input or output
tools-mcp-misplaced = “{ $argument }” is in { $folder }, but the server works in a folder of its own; set cwd = "{ $folder }", or write the whole path
tools-mcp-folder = its folder { $folder } cannot be created: { $why }
tools-mcp-header = the secret of the header { $name } cannot be sent in a header; it must be one line of text
tools-mcp-client = the connection cannot be prepared: { $why }
tools-mcp-late = it was not ready within { $seconds } s; raise start_timeout_seconds if it needs longer
tools-mcp-late-output = it was not ready within { $seconds } s; it wrote: { $output }; raise start_timeout_seconds if it needs longer
tools-mcp-ended = it ended before it was ready
tools-mcp-unauthorized = it requires authorization; add headers with authorization = {"{"} secret_env = "NAME", prefix = "Bearer " {"}"}
tools-mcp-output = { $why }; it wrote: { $output }
tools-mcp-protocol = it speaks the protocol version “{ $version }”, which is not one of: { $known }
tools-mcp-protocol-none = it does not say which protocol version it speaks
tools-mcp-list = its list of tools cannot be read: { $why }
tools-mcp-list-late = no answer within { $seconds } s
tools-mcp-list-tools = it has more than { $most } tools
tools-mcp-list-pages = it has more than { $most } pages
tools-mcp-error = it answers with the error { $code }: { $message }

## Accepted MCP tools

tools-pins-unreadable = the file of accepted MCP tools { $path } cannot be read: { $why }
tools-pins-unwritable = the file of accepted MCP tools { $path } cannot be written: { $why }
tools-pins-damaged = the file of accepted MCP tools { $path } is damaged: { $problem }; restore a good copy, or remove the file to accept the tools of every server again at the next connection
tools-pins-no-version = it has no version
tools-pins-hash = the hash of { $tool } does not match
tools-pins-newer = the file of accepted MCP tools { $path } has version { $found }, but this program reads versions up to { $known }; use a newer version of Entracte
tools-accept-unknown = the tool { $tool } is not known; list the tools, or connect to its server first
tools-accept-nothing = the tool { $tool } is already accepted; there is nothing to decide
tools-accept-changed = the tool { $tool } changed again since you reviewed it; review it once more
tools-declaration = title: { $title }
    description: { $description }
    annotations: { $annotations }
    schema: { $schema }
tools-spec-no-object = its schema is not an object
tools-spec-type = its schema describes { $kind }, not an object

## Commands offered to another AI over MCP

tools-serve-instructions = Commands of an Entracte workspace. Some actions need the approval of a person: the answer then has the status waiting_for_approval, and nothing has been done yet. Make the same call again, with the same arguments, after a person has decided: it runs once, and you get its outcome.
tools-serve-unknown = there is no tool { $name }; the tools are: { $known }
tools-serve-waits = Not done yet: a person must approve it ({ $says }; in the inbox: { $id }).
tools-serve-running = not over yet
tools-serve-next-waits = Make the same call again, with the same arguments, once a person has decided (entracte approve { $id }): it runs once, and you get its outcome.
tools-serve-next-unknown = A person must check whether it happened, and record it: entracte settle { $call } happened.
tools-serve-schema-status = succeeded, waiting_for_approval, or how it ended without success
tools-serve-schema-result = The data of a successful call, else null
tools-serve-schema-code = Why it did not succeed, as a code
tools-serve-schema-call = The id of the call
tools-serve-schema-message = Why it did not succeed, or what it waits for
tools-serve-schema-next = What to do next
tools-serve-schema-inbox = The id of the approval that it waits for

## The journal file

tools-journal-write = Write “{ $text }” into the journal file
tools-journal-untouched = the journal file cannot be used, and nothing was written: { $why }
tools-journal-unwanted = nothing was written, because the call was cancelled

tools-notify-key = the secret of a webhook is the key of its signature: whsec_ and base64, of 24 to 64 bytes
tools-notify-topic = “{ $url }” names no topic; write https://ntfy.sh/my-topic
tools-notify-program = the program cannot be started: { $why }
tools-notify-script = in the script “{ $script }” a place such as {"{title}"} would become a part of the program; use "$ENTRACTE_TITLE", "$ENTRACTE_BODY", "$ENTRACTE_LINK" or "$ENTRACTE_ID" there
tools-notify-clear = notifications would go to “{ $host }” without encryption; use https
tools-notify-not-allowed = “{ $host }” is in tools.http.allow, which is for tools only; to allow it for targets, set notify.allow = ["{ $host }"]
tools-notify-push-keys = the keys of the subscription are not those of a browser; subscribe it again
tools-notify-no-push = this process sends no push messages to browsers
tools-notify-push-key-file = the server cannot use its key for push messages; its operator finds why in the log

task-accepted = The task { $task } has begun. Its result will arrive later by itself; continue, or wait for it.
task-none = there is no task { $task } in this session; list the tasks first
task-over = the task { $task } has already ended ({ $state }); there is nothing to cancel
task-stopping = The task { $task } is being cancelled. You will be told the outcome.
task-stop = Cancel the task { $task } ({ $command })

# Why the policy hook gave no answer.

tools-policy-no-launcher = this process runs no programs; name one that does with ProgramBuilder::document_reader, or use policy.url
tools-policy-not-started = its program cannot be started: { $why } (policy.program)
tools-policy-large = its answer is larger than { $most } bytes (policy.answer_bytes)
tools-policy-failed = its program ended with { $status } { $complaint }
tools-policy-no-rego = this program is built without the feature rego; use policy.program or policy.url
tools-policy-rego-unreadable = its rules { $place } cannot be read: { $why } (policy.rego)
tools-policy-rego-large = its files are larger than { $most } bytes (policy.rego_bytes)
tools-policy-rego-empty = there is no file with rules, *.rego (policy.rego)
tools-policy-rego-failed = its rules have no answer: { $why }
tools-policy-rego-undefined = { $query } has no value for this call (policy.query)
tools-policy-status = its address answered with HTTP { $status }, not 200
tools-policy-token = the secret { $place } cannot be a header (policy.token)
tools-policy-unreadable = its answer cannot be read: { $fault }
