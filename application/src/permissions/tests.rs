use entracte_domain::automation::{AutomationPolicies, CatchUpPolicy, OverlapPolicy, Trigger};
use entracte_domain::id::{AutomationId, Digest};
use entracte_domain::validation::ExchangePrincipal;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::instructions::{InstructionScope, InstructionSource};

/// Ann and Carl may approve, Bob and Eve may not.
const PEOPLE: [(&str, bool); 4] = [("ann", true), ("carl", true), ("bob", false), ("eve", false)];

/// An action of a person on an automation, or on the text its runs read.
#[derive(Clone, Debug)]
enum PermissionAction {
    /// Set its policies, possibly with an explicit grant.
    Policies(RunPolicy, bool),
    /// Change its message.
    Message,
    /// Change only the validation flag of its seed, so that the text stays the same.
    Flag(bool),
    /// Change its message and its policies in one step.
    Both(RunPolicy, bool),
    /// Write the instructions that its runs read.
    Instructions,
}

/// The author of a message, the message, and the instructions beside it.
type ReviewedRunText = (String, SessionId, Option<(String, u64)>);

#[derive(Clone, Debug)]
struct PermissionTestStep {
    person: (&'static str, bool),
    deed: PermissionAction,
}

fn policy() -> impl Strategy<Value = RunPolicy> {
    let unattended = select(vec![
        None,
        Some(UnattendedPolicy::Park),
        Some(UnattendedPolicy::Refuse),
        Some(UnattendedPolicy::Allow),
    ]);
    let mode = select(vec![None, Some(PlanMode::Free), Some(PlanMode::Plan)]);
    (unattended, mode).prop_map(|(unattended, mode)| RunPolicy { unattended, mode, ..RunPolicy::default() })
}

fn step() -> impl Strategy<Value = PermissionTestStep> {
    let deed = prop_oneof![
        (policy(), any::<bool>()).prop_map(|(policy, grants)| PermissionAction::Policies(policy, grants)),
        Just(PermissionAction::Message),
        any::<bool>().prop_map(PermissionAction::Flag),
        (policy(), any::<bool>()).prop_map(|(policy, grants)| PermissionAction::Both(policy, grants)),
        Just(PermissionAction::Instructions),
    ];
    (select(PEOPLE.to_vec()), deed).prop_map(|(person, deed)| PermissionTestStep { person, deed })
}

fn above() -> impl Strategy<Value = InheritedPolicy> {
    let unattended = select(vec![UnattendedPolicy::Park, UnattendedPolicy::Refuse, UnattendedPolicy::Allow]);
    (unattended, select(vec![PlanMode::Free, PlanMode::Plan]))
        .prop_map(|(unattended, mode)| InheritedPolicy { unattended, mode })
}

/// An automation with the text its runs read, in the state its workspace keeps.
#[derive(Clone, Debug)]
struct PermissionFixture {
    above: InheritedPolicy,
    automation: Automation,
    require_validation: bool,
    /// The author of the message.
    author: String,
    instructions: Option<(String, u64)>,
    now: i64,
}

impl PermissionFixture {
    fn new(above: InheritedPolicy) -> Self {
        let policies = AutomationPolicies {
            catch_up: CatchUpPolicy::default(),
            overlap: OverlapPolicy::Skip,
            run: RunPolicy::default(),
        };
        Self {
            above,
            automation: Automation {
                id: AutomationId::new("aut_1"),
                name: "Weekly".into(),
                seed: SessionId::new("ses_0"),
                trigger: Trigger::Manual,
                policies,
                enabled: true,
                version: 1,
                attention: None,
                next_at: None,
                created_at: Timestamp(0),
                updated_at: Timestamp(0),
                grant: None,
            },
            require_validation: true,
            author: "bob".into(),
            instructions: None,
            now: 0,
        }
    }

    fn told(&self) -> Vec<InstructionVersion> {
        let told = |(author, version): &(String, u64)| InstructionVersion {
            scope: InstructionScope::Workspace,
            version: *version,
            text: "Be brief.".into(),
            digest: Digest::new("d"),
            author: author.clone(),
            source: InstructionSource::Written,
            at: Timestamp(self.now),
        };
        self.instructions.iter().map(told).collect()
    }

    fn words<'a>(&'a self, instructions: &'a [InstructionVersion]) -> RunTextAuthors<'a> {
        RunTextAuthors { seed_authors: std::slice::from_ref(&self.author), instructions, reporter: None }
    }

    /// Applies an action; `None` if it is refused.
    fn after(&self, step: &PermissionTestStep) -> Option<Self> {
        let mut world = Self { now: self.now + 1, ..self.clone() };
        let (person, may_approve) = step.person;
        let (mut policy, mut flag) = (self.automation.policies.run, self.require_validation);
        let (mut seed, mut grants) = (self.automation.seed.clone(), false);
        let other_seed = SessionId::new(format!("ses_{}", world.now));
        match &step.deed {
            PermissionAction::Policies(wanted, express) => (policy, grants) = (*wanted, *express),
            PermissionAction::Message => (seed, world.author) = (other_seed, person.to_owned()),
            PermissionAction::Flag(wanted) => (seed, flag) = (other_seed, *wanted),
            PermissionAction::Both(wanted, express) => {
                (policy, grants) = (*wanted, *express);
                (seed, world.author) = (other_seed, person.to_owned());
            }
            PermissionAction::Instructions => {
                let version = self.instructions.as_ref().map_or(0, |(_, version)| *version) + 1;
                world.instructions = Some((person.to_owned(), version));
                return Some(world);
            }
        }
        let before = AutomationPermissions {
            policy: self.automation.policies.run,
            require_validation: self.require_validation,
            seed: self.automation.seed.clone(),
            grant: self.automation.grant.clone(),
        };
        let wanted = AutomationPermissionChange {
            policy,
            require_validation: flag,
            seed: seed.clone(),
            grants,
            instructions: self
                .told()
                .iter()
                .map(|told| (told.scope.name().to_owned(), told.version))
                .collect(),
        };
        let asker = ChangeRequester { person, may_approve };
        world.automation.grant =
            compute_grant_after_change(self.above, Some(&before), wanted, asker, Timestamp(world.now))
                .ok()?;
        (world.automation.policies.run, world.automation.seed) = (policy, seed);
        world.require_validation = flag;
        Some(world)
    }

    /// Whether a run that begins now executes actions without approval, by whose grant, and its plan mode.
    fn lets_through(&self) -> (Option<Option<String>>, PlanMode) {
        let told = self.told();
        let (policy, grant) = resolve_run_policy(self.above, &self.automation, self.words(&told));
        let people =
            std::iter::once(self.author.as_str()).chain(told.iter().map(|told| told.author.as_str()));
        let asked = ExchangePrincipal::for_run(people, None);
        let by = grant.filter(|grant| grant.covers_work_of(&asked, None)).map(|grant| grant.author.person);
        (by, policy.mode.unwrap_or(self.above.mode))
    }
}

proptest! {
    /// Input: any actions of people on an automation and on the text its runs read, in any order; expected: only a
    /// policy that a person with approval rights set for exactly the text the run reads, or the configuration, allows
    /// actions without approval; and a person without these rights loosens nothing, in one step or in many.
    #[test]
    fn nobody_gets_by_two_steps_what_one_refuses(above in above(), steps in proptest::collection::vec(step(), 1..9)) {
        let mut world = PermissionFixture::new(above);
        // The text each person had seen at their last grant: the author of the message, and of the instructions.
        let mut seen: Vec<ReviewedRunText> = Vec::new();
        for step in &steps {
            let (person, may_approve) = step.person;
            let Some(after) = world.after(step) else { continue };
            let (before_by, before_mode) = world.lets_through();
            let (by, mode) = after.lets_through();
            if !may_approve {
                prop_assert!(!(before_mode == PlanMode::Plan && mode == PlanMode::Free), "{step:?} frees");
                if above.unattended != UnattendedPolicy::Allow {
                    prop_assert!(by.is_none() || by == before_by, "{step:?} allows");
                }
                prop_assert!(after.require_validation || !world.require_validation, "{step:?} drops the flag");
                prop_assert!(!(lacks_grant(&world.automation) && !lacks_grant(&after.automation)
                    && allows_unattended(after.automation.policies.run)), "{step:?} gives a grant");
            }
            let touches = !matches!(step.deed, PermissionAction::Instructions);
            if may_approve && touches {
                seen.retain(|(who, _, _)| who != person);
                seen.push((person.to_owned(), after.automation.seed.clone(), after.instructions.clone()));
            }
            world = after;
            match world.lets_through().0 {
                None => {}
                Some(None) => prop_assert_eq!(above.unattended, UnattendedPolicy::Allow),
                Some(Some(by)) => {
                    prop_assert!(above.unattended != UnattendedPolicy::Refuse, "the configuration refuses");
                    let known = seen.iter().find(|(who, _, _)| *who == by);
                    prop_assert!(known.is_some(), "{} may approve", by);
                    let (_, seed, instructions) = known.unwrap();
                    prop_assert!(*seed == world.automation.seed, "another message");
                    let own = world.instructions.as_ref().is_none_or(|(author, _)| *author == by);
                    prop_assert!(own || *instructions == world.instructions, "other instructions");
                }
            }
        }
    }

    /// Input: two changes of a session by a person without approval rights; expected: if the equivalent single change
    /// is refused, one of the two is.
    #[test]
    fn session_is_loosened_by_no_two_steps(
        flags in proptest::collection::vec((any::<bool>(), any::<bool>()), 3),
    ) {
        let policies: Vec<SessionPolicy> = flags
            .iter()
            .map(|(flag, plan)| SessionPolicy {
                require_validation: *flag,
                mode: if *plan { PlanMode::Plan } else { PlanMode::Free },
                commands: None,
            })
            .collect();
        let both = check_session_change(&policies[0], &policies[1], false)
            .and_then(|()| check_session_change(&policies[1], &policies[2], false));
        if both.is_ok() {
            prop_assert_eq!(check_session_change(&policies[0], &policies[2], false), Ok(()));
        }
        prop_assert_eq!(check_session_change(&policies[0], &policies[2], true), Ok(()));
    }
}

/// Input: an `allow` from an earlier version, whose author's rights are unknown; expected: it is treated as `park`.
#[test]
fn allow_without_grant_waits() {
    let mut world =
        PermissionFixture::new(InheritedPolicy { unattended: UnattendedPolicy::Park, mode: PlanMode::Free });
    world.automation.policies.run.unattended = Some(UnattendedPolicy::Allow);
    assert!(lacks_grant(&world.automation));
    assert_eq!(world.lets_through().0, None);
    let allows = RunPolicy { unattended: Some(UnattendedPolicy::Allow), ..RunPolicy::default() };
    let by = |person| PermissionTestStep { person, deed: PermissionAction::Policies(allows, true) };
    let said_again = world.after(&by(("bob", false))).unwrap();
    assert!(lacks_grant(&said_again.automation), "who may not approve gives nothing");
    let granted = world.after(&by(("ann", true))).unwrap();
    assert_eq!(granted.lets_through().0, Some(Some("ann".to_owned())));
    let refused = InheritedPolicy { unattended: UnattendedPolicy::Refuse, mode: PlanMode::Free };
    assert!(PermissionFixture { above: refused, ..world }.after(&by(("ann", true))).is_none());
}

/// Input: a run under Ann's `allow` for an event that Bob reports, with instructions she knew; expected: her grant
/// does not cover his event, but covers hers.
#[test]
fn event_of_other_person_is_not_covered() {
    let mut world =
        PermissionFixture::new(InheritedPolicy { unattended: UnattendedPolicy::Park, mode: PlanMode::Free });
    world.author = "ann".into();
    world.instructions = Some(("bob".into(), 1));
    let allows = RunPolicy { unattended: Some(UnattendedPolicy::Allow), ..RunPolicy::default() };
    let world = world
        .after(&PermissionTestStep { person: ("ann", true), deed: PermissionAction::Policies(allows, true) })
        .unwrap();
    let told = world.told();
    let asked = |reporter| ExchangePrincipal::for_run(["ann", "bob"], reporter);
    for (reporter, expected) in [(None, true), (Some("ann"), true), (Some("bob"), false)] {
        let words = RunTextAuthors { reporter, ..world.words(&told) };
        let (_, grant) = resolve_run_policy(world.above, &world.automation, words);
        assert_eq!(grant.unwrap().covers_work_of(&asked(reporter), None), expected, "{reporter:?}");
    }
}
