//! The authors of the words a model reads, and the approvals in advance that are bound to them.

use super::{ExchangePrincipal, StandingApprovalRule};
use crate::time::Timestamp;

/// The people whose words are in a session's prompt: all its messages, answers and reasons, including unanswered or
/// summarized ones, and the instructions. Authors are never removed, because the model may still act on earlier words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PromptAuthors {
    /// The people, in order, without duplicates.
    pub people: Vec<String>,
    /// True if the prompt contains words of unknown authors.
    pub has_unknown: bool,
}

impl PromptAuthors {
    /// Creates the set of these authors.
    pub fn from_people<'a>(people: impl IntoIterator<Item = &'a str>) -> Self {
        let mut authors = Self::default();
        people.into_iter().for_each(|person| authors.add_author(Some(person)));
        authors
    }

    /// Adds an author; `None` is an unknown one.
    pub fn add_author(&mut self, person: Option<&str>) {
        match person {
            Some(person) if self.people.iter().any(|known| known == person) => {}
            Some(person) => self.people.push(person.to_owned()),
            None => self.has_unknown = true,
        }
    }

    /// Whether this person is the only author.
    pub fn is_only_author(&self, person: &str) -> bool {
        !self.has_unknown && self.people.iter().all(|known| known == person)
    }
}

impl ExchangePrincipal {
    /// Adds all prompt authors to the people who asked. Work acts for a person only while all words are theirs. An
    /// unknown exchange stays unknown.
    pub(crate) fn add_prompt_authors(&mut self, authors: &PromptAuthors) {
        if !self.is_known() {
            return;
        }
        for person in &authors.people {
            if !self.includes_person(person) {
                self.people.push(person.clone());
            }
        }
        self.acts_as = self.acts_as.take().filter(|person| authors.is_only_author(person));
    }
}

/// The author of a policy, and when it was set.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PolicyAuthor {
    /// The person; `None` for the configuration of the process.
    pub person: Option<String>,
    /// When the policy was set.
    pub at: Timestamp,
}

/// The approval in advance that a policy gives to the actions of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PolicyGrant {
    /// The author of the policy.
    pub author: PolicyAuthor,
    /// The people whose words it covers. Words of other people in the prompt require an approval of the calls.
    pub covers: Vec<String>,
}

impl PolicyGrant {
    /// Whether the grant covers work with this principal and these prompt authors.
    pub fn covers_work_of(&self, asked_by: &ExchangePrincipal, authors: Option<&PromptAuthors>) -> bool {
        asked_by.is_known()
            && authors.is_none_or(|authors| !authors.has_unknown)
            && asked_by.people.iter().all(|person| self.covers.contains(person))
    }

    /// Removes a person after new words: the grant covers only words written before it was given, except those of the
    /// person who gave it.
    pub(crate) fn drop_person_after_new_words(&mut self, person: &str) {
        if self.author.person.as_deref() != Some(person) {
            self.covers.retain(|covered| covered != person);
        }
    }
}

impl StandingApprovalRule {
    /// Whether the rule covers all people who asked for a call, and all prompt authors.
    pub fn covers_people_of(&self, asked_by: &ExchangePrincipal, authors: Option<&PromptAuthors>) -> bool {
        self.people.as_ref().is_none_or(|people| {
            asked_by.is_known()
                && authors.is_none_or(|authors| !authors.has_unknown)
                && asked_by.people.iter().all(|person| people.contains(person))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Digest;
    use crate::time::Deadline;
    use crate::validation::RuleScope;

    /// Input: requesters, and prompt authors; expected: whose rights the work has.
    #[test]
    fn words_of_two_people_have_no_principal() {
        let cases: [(&[&str], bool, Option<&str>); 4] = [
            (&[], false, Some("ann")),
            (&["ann"], false, Some("ann")),
            (&["ann", "bob"], false, None),
            (&["ann"], true, None),
        ];
        for (people, has_unknown, expected) in cases {
            let mut asked = ExchangePrincipal::for_run(["ann"], None);
            asked.add_prompt_authors(&PromptAuthors {
                has_unknown,
                ..PromptAuthors::from_people(people.iter().copied())
            });
            assert_eq!(asked.acts_as.as_deref(), expected, "{people:?}");
            assert!(people.iter().all(|person| asked.includes_person(person)));
        }
        let mut unknown = ExchangePrincipal::default();
        unknown.add_prompt_authors(&PromptAuthors::from_people(["ann"]));
        assert!(!unknown.is_known());
    }

    /// Input: Ann's policy for words of hers and Bob's, and new words of each; expected: it covers only hers.
    #[test]
    fn grant_covers_no_later_words_of_others() {
        let covers = vec!["ann".to_owned(), "bob".to_owned()];
        let mut grant =
            PolicyGrant { author: PolicyAuthor { person: Some("ann".into()), at: Timestamp(0) }, covers };
        let both = ExchangePrincipal::for_run(["ann", "bob"], None);
        let authors = PromptAuthors::from_people(["ann", "bob"]);
        assert!(grant.covers_work_of(&both, Some(&authors)));
        assert!(!grant.covers_work_of(&ExchangePrincipal::default(), None), "nobody knows who asked");
        assert!(!grant.covers_work_of(&both, Some(&PromptAuthors { has_unknown: true, ..authors })));
        grant.drop_person_after_new_words("ann");
        grant.drop_person_after_new_words("bob");
        assert!(grant.covers_work_of(&ExchangePrincipal::for_run(["ann"], None), None));
        assert!(!grant.covers_work_of(&both, None));
    }

    /// Input: a rule for words of Ann and Bob, and one of an earlier version; expected: only the second covers other
    /// authors.
    #[test]
    fn rule_covers_words_it_was_given_for() {
        let before = StandingApprovalRule {
            id: "rul_1".into(),
            command: "mail.send".into(),
            version: Digest::new("v1"),
            arguments: Vec::new(),
            scope: RuleScope::Workspace,
            author: "ann".into(),
            expires: Deadline { armed_at: Timestamp(0), due_at: Timestamp(1) },
            revoked: None,
            denies: None,
            uses: None,
            agents: false,
            people: None,
        };
        let given = StandingApprovalRule { people: Some(vec!["ann".into(), "bob".into()]), ..before.clone() };
        let asked = |people: &[&str]| ExchangePrincipal::for_run(people.iter().copied(), None);
        assert!(given.covers_people_of(&asked(&["bob"]), None));
        assert!(!given.covers_people_of(&asked(&["ann", "eve"]), None));
        assert!(!given.covers_people_of(&ExchangePrincipal::default(), None), "nobody knows who asked");
        let unknown = PromptAuthors { has_unknown: true, ..PromptAuthors::default() };
        assert!(!given.covers_people_of(&asked(&["ann"]), Some(&unknown)));
        assert!(before.covers_people_of(&asked(&["eve"]), Some(&unknown)));
    }
}
