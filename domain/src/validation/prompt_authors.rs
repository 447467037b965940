//! The people whose words a model reads, and the yes in advance that is bound to their words.

use super::{ExchangePrincipal, StandingApprovalRule};
use crate::time::Timestamp;

/// The people whose words stand in the prompt of a session: its messages, answers and reasons from the first one on, also
/// those that nobody answered or a summary stands for, and the instructions. Nobody leaves: what was said once may still
/// be what the model acts on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PromptAuthors {
    /// The people, in order, each once.
    pub people: Vec<String>,
    /// Words are among them whose author is not known.
    pub has_unknown: bool,
}

impl PromptAuthors {
    /// The authors of these words.
    pub fn from_people<'a>(people: impl IntoIterator<Item = &'a str>) -> Self {
        let mut authors = Self::default();
        people.into_iter().for_each(|person| authors.add_author(Some(person)));
        authors
    }

    /// Words of this person are among them from now on; `None` if nobody knows whose they are.
    pub fn add_author(&mut self, person: Option<&str>) {
        match person {
            Some(person) if self.people.iter().any(|known| known == person) => {}
            Some(person) => self.people.push(person.to_owned()),
            None => self.has_unknown = true,
        }
    }

    /// Whether all words are this person's.
    pub fn is_only_author(&self, person: &str) -> bool {
        !self.has_unknown && self.people.iter().all(|known| known == person)
    }
}

impl ExchangePrincipal {
    /// Counts the authors of all words of the prompt among those who asked. Work acts for one person only while every word
    /// is theirs. Where nobody knows who asked, it stays unknown.
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

/// Who set a policy, and when.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PolicyAuthor {
    /// The person; `None` for the configuration of the machine.
    pub person: Option<String>,
    /// When.
    pub at: Timestamp,
}

/// A yes in advance that a policy gives to the actions of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PolicyGrant {
    /// Who set the policy.
    pub author: PolicyAuthor,
    /// The people whose words it was given for. Words of anybody else in the prompt make their calls ask.
    pub covers: Vec<String>,
}

impl PolicyGrant {
    /// Whether it covers work that was asked for like this.
    pub fn covers_work_of(&self, asked_by: &ExchangePrincipal, authors: Option<&PromptAuthors>) -> bool {
        asked_by.is_known()
            && authors.is_none_or(|authors| !authors.has_unknown)
            && asked_by.people.iter().all(|person| self.covers.contains(person))
    }

    /// New words came in. It was given for what its people had said by then, so it covers no more of them, but for the
    /// person who gave it.
    pub(crate) fn drop_person_after_new_words(&mut self, person: &str) {
        if self.author.person.as_deref() != Some(person) {
            self.covers.retain(|covered| covered != person);
        }
    }
}

impl StandingApprovalRule {
    /// Whether it was given for the words of all who asked for a call, and of all whose words the model reads.
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

    /// Input: who asked, and whose words stand in the prompt; expected: whose rights the work has.
    #[test]
    fn words_of_two_people_act_for_nobody() {
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

    /// Input: a policy of Ann's for words of hers and Bob's, and new words of each; expected: it covers hers alone.
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

    /// Input: a rule for words of Ann's and Bob's, and one of before; expected: only the second covers what others say.
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
