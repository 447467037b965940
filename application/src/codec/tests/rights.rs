//! Rights only shrink: property tests over arbitrary rights and requests.

use proptest::prelude::*;

use super::arbitrary::{rights, wish};

/// Command names that the patterns of the strategies may match.
fn commands() -> impl Strategy<Value = String> {
    "[ab](\\.[ab]){0,3}"
}

proptest! {
    /// Input: rights and a request; expected: the granted rights are within both.
    #[test]
    fn narrowed_rights_are_within_those_that_they_are_of(own in rights(), wish in wish(), command in commands()) {
        let Ok(given) = own.delegate(&wish) else { return Ok(()) };
        let given = given.rights();
        prop_assert!(given.is_within(&own), "{given:?} {own:?}");
        prop_assert!(given.depth() < own.depth());
        prop_assert!(given.budget().agents < own.budget().agents);
        prop_assert!(given.budget().is_within(wish.budget));
        prop_assert!(given.command_restriction().is_within(&wish.gate));
        if given.allows_command(&command) {
            prop_assert!(own.allows_command(&command) && wish.gate.allows_command(&command), "{command}");
        }
        prop_assert_eq!(given.workspace(), own.workspace());
        prop_assert_eq!(given.principal(), own.principal());
        prop_assert!(given.requires_approval() || !own.requires_approval());
    }

    /// Input: two restrictions; expected: their intersection admits exactly the commands that both admit.
    #[test]
    fn the_meet_of_two_gates_admits_what_both_admit(
        one in rights(),
        other in rights(),
        command in commands(),
    ) {
        let both = one.command_restriction().allows_command(&command) && other.command_restriction().allows_command(&command);
        prop_assert_eq!(one.command_restriction().intersect(other.command_restriction()).allows_command(&command), both);
        prop_assert_eq!(other.command_restriction().intersect(one.command_restriction()).allows_command(&command), both);
    }

    /// Input: the rights of a chain of sessions; expected: the effective rights are within each of them.
    #[test]
    fn what_holds_now_is_within_each_of_the_chain(one in rights(), other in rights()) {
        let met = one.intersect(&other);
        prop_assert!(met.is_within(&one));
        prop_assert!(one.workspace() != other.workspace() || met.is_within(&other) || one.principal() != other.principal());
    }
}
