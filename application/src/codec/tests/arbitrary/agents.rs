use entracte_domain::agent::{
    Agent, AgentEndCause, AgentEndClass, AgentLastState, AgentOutput, AgentReport, AgentStart, ChildSession,
    DescendantUsage, LastCallResult, MissionEnd, MissionExit, MissionStatus, PrincipalQuestion,
};
use entracte_domain::command::{AgentLimits, AgentTerms};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::restriction::{CommandPattern, Restriction};
use entracte_domain::rights::{
    Budget, DelegatedRights, NameSet, RequestedRights, Rights, RightsParts, UnattendedPolicy,
};
use entracte_domain::session::Input;
use entracte_domain::validation::AgentLink;
use proptest::prelude::*;
use proptest::sample::select;

use super::calls::{asked_by, status};
use super::inputs::session_id;
use super::scalars::*;

fn budget() -> BoxedStrategy<Budget> {
    (0..40_u32, 0..300_u32).prop_map(|(agents, rounds)| Budget { agents, rounds }).boxed()
}

/// Uses few letters, so that two restrictions often overlap.
fn gate() -> BoxedStrategy<Restriction> {
    let patterns = proptest::collection::vec(matching("[ab](\\.[ab]){0,2}(\\.\\*)?"), 0..4);
    let only = patterns.prop_map(|words| {
        Restriction::Only(words.iter().map(|word| CommandPattern::from_text(word)).collect())
    });
    prop_oneof![1 => Just(Restriction::Open), 4 => only].boxed()
}

fn names() -> BoxedStrategy<NameSet> {
    let only = proptest::collection::btree_set(matching("[a-c]"), 0..3).prop_map(NameSet::Only);
    prop_oneof![Just(NameSet::All), only].boxed()
}

fn unattended() -> BoxedStrategy<UnattendedPolicy> {
    select(UnattendedPolicy::ALL.to_vec()).boxed()
}

pub(in crate::codec) fn rights() -> BoxedStrategy<Rights> {
    let who = (matching("[ab]:[c]"), some(matching("[ab]")), gate());
    (who, any::<bool>(), unattended(), (names(), names()), 0..4_u32, budget())
        .prop_map(
            |((workspace, author, gate), require_approval, unattended, (rules, providers), depth, budget)| {
                Rights::for_root(RightsParts {
                    gate,
                    workspace: WorkspaceKey::new(workspace),
                    author,
                    require_approval,
                    unattended,
                    rules,
                    providers,
                    depth,
                    budget,
                })
            },
        )
        .boxed()
}

pub(in crate::codec) fn wish() -> BoxedStrategy<RequestedRights> {
    let provider = some(matching("[a-c]"));
    (gate(), any::<bool>(), some(unattended()), names(), provider, names(), budget())
        .prop_map(|(gate, require_approval, unattended, rules, provider, providers, budget)| {
            RequestedRights { gate, require_approval, unattended, rules, provider, providers, budget }
        })
        .boxed()
}

fn limits() -> BoxedStrategy<AgentLimits> {
    (any::<u32>(), any::<u32>(), any::<u32>(), span())
        .prop_map(|(rounds, context_tokens, output_tokens, model_time)| AgentLimits {
            rounds,
            context_tokens,
            output_tokens,
            model_time,
        })
        .boxed()
}

pub(super) fn agent_terms() -> BoxedStrategy<AgentTerms> {
    (text(), digest(), wish(), limits())
        .prop_map(|(name, version, wish, limits)| AgentTerms { name, version, wish, limits })
        .boxed()
}

fn link() -> BoxedStrategy<AgentLink> {
    (session_id(), text(), digest(), digest())
        .prop_map(|(from, agent, version, mission)| AgentLink { from, agent, version, mission })
        .boxed()
}

pub(super) fn agent_start() -> BoxedStrategy<AgentStart> {
    let declared = (text(), digest(), text(), limits());
    (declared, session_id(), session_id(), few(link()), rights(), asked_by())
        .prop_map(|((name, version, mission, limits), from, root, chain, rights, asked_by)| AgentStart {
            name,
            version,
            mission,
            from,
            root,
            chain,
            rights: DelegatedRights::from_stored(rights.parts()),
            limits,
            asked_by,
        })
        .boxed()
}

pub(super) fn exit() -> BoxedStrategy<MissionExit> {
    (text(), value(), text())
        .prop_map(|(reason, result, conclusion)| MissionExit { reason, result, conclusion })
        .boxed()
}

pub(super) fn asks() -> BoxedStrategy<PrincipalQuestion> {
    (text(), any::<bool>()).prop_map(|(question, user)| PrincipalQuestion { question, user }).boxed()
}

fn cause() -> BoxedStrategy<AgentEndCause> {
    (select(AgentEndClass::ALL.to_vec()), speech())
        .prop_map(|(class, text)| AgentEndCause { class, text })
        .boxed()
}

fn last() -> BoxedStrategy<AgentLastState> {
    let result = (text(), status(), text()).prop_map(|(command, status, content)| LastCallResult {
        command,
        status: status.word().to_owned(),
        content,
    });
    (text(), few(result), few(text()))
        .prop_map(|(said, results, open)| AgentLastState { said, results, open })
        .boxed()
}

pub(super) fn agent() -> BoxedStrategy<Agent> {
    let said = prop_oneof![
        text().prop_map(AgentOutput::Asks),
        exit().prop_map(AgentOutput::Exits),
        Just(AgentOutput::Nothing)
    ];
    (agent_start(), some(said), some(deadline()), last(), some(cause()))
        .prop_map(|(start, said, rests_until, last, cause)| Agent {
            name: start.name,
            version: start.version,
            mission: start.mission,
            from: start.from,
            root: start.root,
            chain: start.chain,
            rights: start.rights.into_rights(),
            limits: start.limits,
            said,
            rests_until,
            last,
            cause,
        })
        .boxed()
}

pub(super) fn child() -> BoxedStrategy<ChildSession> {
    (session_id(), text(), call_id(), budget(), usage(), any::<bool>())
        .prop_map(|(session, agent, call, lent, usage, rests)| ChildSession {
            session,
            agent,
            call,
            lent,
            usage,
            rests,
        })
        .boxed()
}

pub(super) fn below() -> BoxedStrategy<DescendantUsage> {
    (usage(), budget()).prop_map(|(usage, spent)| DescendantUsage { usage, spent }).boxed()
}

pub(super) fn report() -> BoxedStrategy<AgentReport> {
    let who = (select(MissionStatus::ALL.to_vec()), text(), session_id());
    (who, some(text()), some(exit()), last(), some(cause()), any::<u32>(), usage(), budget())
        .prop_map(|((status, agent, child), question, exit, last, cause, rounds, usage, spent)| AgentReport {
            status,
            agent,
            child,
            question,
            exit,
            last,
            cause,
            rounds,
            usage,
            spent,
        })
        .boxed()
}

/// Messages exchanged between an agent and its relatives.
pub(super) fn of_families() -> BoxedStrategy<Input> {
    prop_oneof![
        (call_id(), text()).prop_map(|(call, answer)| Input::MissionContinued { call, answer }),
        select(MissionEnd::ALL.to_vec()).prop_map(|why| Input::MissionEnded { why }),
        report().prop_map(|report| Input::ChildEnded { report: Box::new(report) }),
    ]
    .boxed()
}
