//! Who stands behind an author: a token that somebody made for another person speaks for both.

/// What stands between a person and whoever made the token that they act with: `bob (by root)`. No name of a person may
/// have it.
const BY: &str = " (by ";

/// The author of what a person does with a token that somebody else made.
pub fn authored_by(person: &str, maker: Option<&str>) -> String {
    match maker {
        Some(maker) => format!("{person}{BY}{maker})"),
        None => person.to_owned(),
    }
}

/// Whether one person may stand behind both: they are the same, or one acts with a token that the other, or somebody who
/// stands behind both, made.
pub fn share_identity(one: &str, other: &str) -> bool {
    let known = identities(one);
    one == other || identities(other).iter().any(|identity| known.contains(identity))
}

/// The people behind an author: whose name it is, who made the token, and who made the token of that one.
fn identities(author: &str) -> Vec<&str> {
    let mut all: Vec<&str> = author.split(BY).collect();
    let makers = all.len() - 1;
    let Some(last) = all.last_mut().filter(|_| makers > 0) else { return all };
    match last.len().checked_sub(makers).and_then(|end| last.split_at_checked(end)) {
        Some((name, ends)) if ends.bytes().all(|byte| byte == b')') => *last = name,
        // It only looks like one: a name that an earlier version took.
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
