//! The people behind an author: a token that one person created for another acts for both.

/// Separator between a person and the creator of the token in use: `bob (by root)`. Names of people may not contain it.
const BY: &str = " (by ";

/// The author of an act by `person` with a token of `maker`; the person alone if the token is their own.
pub fn authored_by(person: &str, maker: Option<&str>) -> String {
    match maker {
        Some(maker) => format!("{person}{BY}{maker})"),
        None => person.to_owned(),
    }
}

/// The person in whose name an author acts, whoever made the token.
pub(super) fn named_person(author: &str) -> &str {
    identities(author).first().copied().unwrap_or(author)
}

/// Whether one person may be behind both authors: they are equal, or one acts with a token created by the other or by a
/// person behind the other.
pub fn share_identity(one: &str, other: &str) -> bool {
    let known = identities(one);
    one == other || identities(other).iter().any(|identity| known.contains(identity))
}

/// All people behind an author: the named person, the token's creator, and that creator's token creator in turn.
fn identities(author: &str) -> Vec<&str> {
    let mut all: Vec<&str> = author.split(BY).collect();
    let makers = all.len() - 1;
    let Some(last) = all.last_mut().filter(|_| makers > 0) else { return all };
    match last.len().checked_sub(makers).and_then(|end| last.split_at_checked(end)) {
        Some((name, ends)) if ends.bytes().all(|byte| byte == b')') => *last = name,
        // It only resembles a chain: a name that an earlier version accepted.
        Some(_) | None => return vec![author],
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn author_of_minted_token_names_its_maker() {
        assert_eq!(authored_by("bob", None), "bob");
        assert_eq!(authored_by("bob", Some("root")), "bob (by root)");
        assert_eq!(authored_by("eve", Some("bob (by root)")), "eve (by bob (by root))");
    }

    /// Input: two authors; expected: whether one person may be behind both.
    #[test]
    fn makers_of_tokens_count_as_authors() {
        let cases = [
            ("ann", "ann", true),
            ("ann", "bob", false),
            ("visitor (by ann)", "ann", true),
            ("ann", "visitor (by ann)", true),
            ("visitor (by ann)", "visitor", true),
            ("visitor (by ann)", "bob", false),
            ("bob (by root)", "noe (by root)", true),
            ("bob (by root)", "noe (by eve)", false),
            ("eve (by bob (by root))", "root", true),
            ("eve (by bob (by root))", "bob", true),
            ("ann (by", "ann", false),
            ("ann (by bob", "bob", false),
            ("é (by ü)", "ü", true),
            ("", "ann", false),
        ];
        for (one, other, expected) in cases {
            assert_eq!(share_identity(one, other), expected, "{one} {other}");
            assert_eq!(share_identity(other, one), expected, "{other} {one}");
        }
    }
}
