# The shared texts of a workspace: their commands for the model, and what is said of them.

doc-SHARED_TEXTS = Lists the shared texts of the workspace by key (department, accounting, general and others): the published version, when it was last refreshed, and how many proposals are waiting. limit, offset: one page of the list. They are facts and rules that the people of the workspace agreed on.
doc-SHARED_TEXT = Shows one shared text: its published version with version and last_refresh, its proposals and its latest versions. key: which text. version: an older version instead. proposal_id: what a proposal would change, as a diff.
doc-PROPOSE_SHARED_TEXT = Proposes a change to a shared text, or a new one. Nothing is in force until the proposal is published. key: which text. version: the version that you read and want to change; 0 for a new text. Give exactly one of text (the whole new text), edits (replacements; each find must occur exactly once) and restore (an older version to bring back). note: why, for the person who decides. The answer gives the proposal_id and the diff.
doc-PUBLISH_SHARED_TEXT = Publishes a proposal: it becomes the next version of its shared text. A person decides on it each time and sees the diff. proposal_id: which proposal. A proposal that was made for an older version is refused: read the text and propose the change again.
doc-DISCARD_SHARED_TEXT = Discards a proposal. proposal_id: which proposal.
doc-DELETE_SHARED_TEXT = Deletes a shared text with all its versions and proposals, permanently. key: which text.

shared-propose =
    { $version ->
        [0] Propose the new shared text “{ $key }”
       *[other] Propose a change to the shared text “{ $key }”, version { $version }
    }
shared-publish = Publish version { $version } of the shared text “{ $key }”
shared-discard = Discard the proposal { $id } for the shared text “{ $key }”
shared-delete =
    { $versions ->
        [0] Delete the shared text “{ $key }”, which was never published
        [one] Delete the shared text “{ $key }” with its one version
       *[other] Delete the shared text “{ $key }” with its { $versions } versions
    }{ $proposals ->
        [0] {""}
        [one] {" "}and the proposal that waits
       *[other] {" "}and the { $proposals } proposals that wait
    }
shared-proposal = proposal to change version { $base }: { $text }
shared-line = line { $line }
shared-because = reason given: { $note }
shared-no-text = there is no shared text “{ $key }”; { $lister } lists them
shared-no-version = version { $version } of the shared text “{ $key }” does not exist, or is no longer kept
shared-no-proposal = there is no proposal { $id }; it may have been published or discarded
shared-stale-read = you read version { $read } of the shared text “{ $key }”, but version { $now } is published; read it and propose the change again
shared-stale-proposal = this proposal changes version { $read } of the shared text “{ $key }”, but version { $now } has been published since; read it and propose the change again
shared-too-many = the shared text “{ $key }” already has { $most } proposals waiting; publish or discard some first
shared-too-long = the shared text “{ $key }” would have { $length } characters, but at most { $most } are allowed; shorten it
shared-nothing = the shared text “{ $key }” already says exactly this
shared-one-way = give exactly one of text, edits and restore
shared-not-once =
    { $times ->
        [0] “{ $find }” does not occur in the text; copy it exactly
       *[other] “{ $find }” occurs { $times } times; take a longer piece that occurs once
    }

# Settings.

config-embeddings-provider = embeddings.provider names “{ $name }”, but there is no [providers.{ $name }]; add it or name another one
config-embeddings-incomplete = embeddings.provider needs embeddings.model and embeddings.dims beside it: which model makes the vectors, and how many numbers each has
config-embeddings-of-host = { $key } is set, but “{ $name }” decides on it: the program gives it for embeddings.provider; remove { $key }
config-embeddings-host-none = embeddings.provider names “{ $name }”, a provider of this program that makes no vectors; name another one

# Vectors.

knowledge-embedded = { $made ->
    [one] One vector made
   *[other] { $made } vectors made
}{ $known ->
    [0] {"."}
   *[other] , { $known } taken over from the same texts.
}
knowledge-embed-refused = { $count ->
    [one] The model refused one text; it can be found by its words only.
   *[other] The model refused { $count } texts; they can be found by their words only.
}
knowledge-embed-failed = not everything can be found by meaning yet; what is missing is made by the next run: { $why }
knowledge-embed-off = the search by meaning is off; set embeddings.provider, embeddings.model and embeddings.dims
