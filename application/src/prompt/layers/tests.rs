use super::*;

const LISTENING: RoundSituation = RoundSituation {
    kind: SessionKind::Chat,
    dialect: Dialect::Tools,
    reason: RoundReason::DataResponse,
    has_errors: false,
    user_messages: 2,
};

#[test]
fn layers_follow_results() {
    use PromptLayer::{Correction, Focus, Preserve, Restitution};
    let cases: [(&str, RoundSituation, &[PromptLayer]); 7] = [
        ("a look-up", LISTENING, &[Focus, Preserve, Restitution]),
        ("the first message", RoundSituation { user_messages: 1, ..LISTENING }, &[Preserve, Restitution]),
        (
            "a failed look-up",
            RoundSituation { has_errors: true, ..LISTENING },
            &[Focus, Preserve, Correction],
        ),
        (
            "a failed action",
            RoundSituation { reason: RoundReason::ActionFailure, ..LISTENING },
            &[Focus, Preserve, Correction],
        ),
        ("a run", RoundSituation { kind: SessionKind::Automation, ..LISTENING }, &[]),
        (
            "a run with errors",
            RoundSituation { kind: SessionKind::Automation, has_errors: true, ..LISTENING },
            &[Correction],
        ),
        (
            "a sub-agent with errors",
            RoundSituation { kind: SessionKind::Agent, has_errors: true, ..LISTENING },
            &[Correction],
        ),
    ];
    for (name, situation, expected) in cases {
        assert_eq!(layers_for(&situation), expected, "{name}");
        let envelope = RoundSituation { dialect: Dialect::Envelope, ..situation };
        assert_eq!(layers_for(&envelope), expected, "{name}, envelope");
    }
}

#[test]
fn rounds_without_results_get_no_layers() {
    let asking: Vec<RoundReason> = RoundReason::ALL
        .into_iter()
        .filter(|reason| {
            !layers_for(&RoundSituation { reason: *reason, has_errors: true, ..LISTENING }).is_empty()
        })
        .collect();
    use RoundReason::{ActionFailure, ActionResult, DataResponse, TaskResult};
    assert_eq!(asking, [DataResponse, ActionResult, ActionFailure, TaskResult]);
}

#[test]
fn no_layer_is_vital() {
    for layer in PromptLayer::ALL {
        assert!(layer.importance() < ChunkImportance::Vital, "{}", layer.word());
    }
    assert_eq!(PromptLayer::Restitution.importance(), ChunkImportance::Helpful);
}

#[test]
fn the_texts_read_well() {
    let told = |language, situation: &RoundSituation| {
        PromptLayer::ALL
            .map(|layer| format!("({})\n{}", layer.word(), layer.text(language, situation)))
            .join("\n\n")
    };
    insta::assert_snapshot!(told(Language::En, &LISTENING), @r#"
    (focus)
    Answer the latest message of the user, and only that one. What was said before is context: do not answer it again. What you have just asked for was for this message; say first what became of it.

    (preserve)
    Keep the request in mind; your answer concerns it directly. What succeeded, confirm as done, without apology. What failed, say so and why. What you propose next follows from what was just done: do not jump to another subject.

    (restitution)
    When you tell the user what came of it (in your text), go in four steps:
    1. Context: one sentence that says what you did, and on what.
    2. Summary: one or two sentences that say what it means for the user.
    3. Display: a short result whole; of a long one at most its first 3 to 5 lines, then “…”; for technical detail, offer to look it up.
    4. Next step: propose one action that is concrete and useful.
    4 to 6 sentences in all, in a warm tone. No raw JSON or technical data there, no repetition of the request, no long excuses.

    (correction)
    Something failed. Before you go on:
    1. Understand why: an argument is missing or wrong, something is not there, or it is not allowed.
    2. If you can mend it, ask again with the right arguments: add what is missing, correct what is wrong, or take another way that is allowed. Never ask again for what a person refused, or for what has an unknown outcome.
    3. If you cannot mend it, say in simple words what failed, propose another way, or ask the user for what you need.
    Stay with what was asked: do not jump to another subject.
    "#);
    let run = RoundSituation { kind: SessionKind::Automation, dialect: Dialect::Envelope, ..LISTENING };
    insta::assert_snapshot!(told(Language::Fr, &run), @r#"
    (focus)
    Réponds au dernier message de l'utilisateur, et à lui seul. Ce qui a été dit avant est du contexte : n'y réponds pas une nouvelle fois. Ce que tu viens de demander l'était pour ce message ; dis d'abord ce qu'il en est advenu.

    (preserve)
    Garde la demande en tête ; ta réponse la concerne directement. Ce qui a réussi, confirme-le comme fait, sans excuses. Ce qui a échoué, dis-le et dis pourquoi. Ce que tu proposes ensuite découle de ce qui vient d'être fait : ne saute pas à un autre sujet.

    (restitution)
    Quand tu dis à l'utilisateur ce qu'il en est advenu (dans `pre_text`), suis quatre étapes :
    1. Contexte : une phrase qui dit ce que tu as fait, et sur quoi.
    2. Résumé : une ou deux phrases qui disent ce que cela signifie pour l'utilisateur.
    3. Affichage : un résultat court en entier ; d'un long, au plus ses 3 à 5 premières lignes, puis « … » ; pour le détail technique, propose d'aller le chercher.
    4. Prochaine étape : propose une action concrète et utile.
    4 à 6 phrases en tout, d'un ton chaleureux. Là, pas de JSON brut ni de données techniques, pas de rappel de la demande, pas de longues excuses.

    (correction)
    Quelque chose a échoué. Avant de continuer :
    1. Comprends pourquoi : un argument manque ou est faux, quelque chose n'existe pas, ou cela n'est pas permis.
    2. Si tu peux corriger, redemande avec les bons arguments : ajoute ce qui manque, corrige ce qui est faux, ou prends une autre voie permise. Ne redemande jamais ce qu'une personne a refusé, ni ce dont l'issue est inconnue.
    3. Si tu ne peux pas corriger, fais le reste du travail sans cela, et dis à la fin en mots simples ce qui a échoué et pourquoi.
    Tiens-t'en à ce qui a été demandé : ne saute pas à un autre sujet.
    "#);
}
