use super::*;

fn root() -> Rights {
    Rights::for_root(RightsParts {
        gate: only(&["files.*", "mail.send"]),
        workspace: WorkspaceKey::new("ann:home"),
        author: Some("ann".into()),
        require_approval: false,
        unattended: UnattendedPolicy::Park,
        rules: NameSet::All,
        providers: NameSet::All,
        depth: 3,
        budget: Budget { agents: 8, rounds: 50 },
    })
}

fn only(patterns: &[&str]) -> Restriction {
    Restriction::parse(patterns.iter().copied()).unwrap()
}

fn wish() -> RequestedRights {
    RequestedRights { budget: Budget { agents: 2, rounds: 21 }, ..RequestedRights::default() }
}

fn narrowed(wish: &RequestedRights) -> Rights {
    root().delegate(wish).unwrap().into_rights()
}

#[test]
fn delegation_gives_the_lesser_of_each_right() {
    let given = narrowed(&RequestedRights {
        gate: only(&["files.read", "zones.*"]),
        require_approval: true,
        ..wish()
    });
    assert_eq!(given.command_restriction(), &only(&["files.read"]));
    assert!(given.requires_approval());
    assert_eq!((given.depth(), given.budget()), (2, Budget { agents: 2, rounds: 21 }));
    assert_eq!((given.workspace().as_str(), given.principal()), ("ann:home", Some("ann")));
    assert!(given.is_within(&root()) && !root().is_within(&given));
}

/// Input: the unattended policy of a declaration; expected: the stricter of it and the caller's.
#[test]
fn delegation_never_loosens_the_unattended_policy() {
    use UnattendedPolicy::{Allow, Park, Refuse};
    for (wished, expected) in [(None, Park), (Some(Allow), Park), (Some(Park), Park), (Some(Refuse), Refuse)]
    {
        assert_eq!(narrowed(&RequestedRights { unattended: wished, ..wish() }).unattended(), expected);
    }
}

#[test]
fn exhausted_budget_delegates_nothing() {
    let with = |change: fn(&mut RightsParts)| {
        let mut parts = root().parts();
        change(&mut parts);
        Rights::for_root(parts).delegate(&wish()).map(|_| ())
    };
    assert_eq!(with(|_| {}), Ok(()));
    assert_eq!(with(|parts| parts.depth = 0), Err(AgentStartRefusal::Depth));
    assert_eq!(with(|parts| parts.budget.agents = 0), Err(AgentStartRefusal::Agents));
    assert_eq!(with(|parts| parts.budget.rounds = 0), Err(AgentStartRefusal::Rounds));
    let small = RequestedRights {
        provider: Some("large".into()),
        providers: NameSet::from_names(["small"]),
        ..wish()
    };
    assert_eq!(root().delegate(&small).map(|_| ()), Err(AgentStartRefusal::Provider));
}

#[test]
fn rights_of_other_people_or_workspaces_intersect_empty() {
    let other = |change: fn(&mut RightsParts)| {
        let mut parts = root().parts();
        change(&mut parts);
        root().intersect(&Rights::for_root(parts))
    };
    assert_eq!(other(|_| {}), root());
    let strangers: [fn(&mut RightsParts); 2] =
        [|parts| parts.workspace = WorkspaceKey::new("bob:home"), |parts| parts.author = Some("bob".into())];
    for change in strangers {
        let met = other(change);
        assert_eq!(
            (met.allows_command("files.read"), met.principal(), met.requires_approval()),
            (false, None, true)
        );
    }
    assert_eq!(root().restricted_to_principal(Some("bob")).principal(), None);
    assert_eq!(root().restricted_to_principal(Some("ann")).principal(), Some("ann"));
}
