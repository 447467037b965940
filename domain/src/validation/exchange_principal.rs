/// Who asked for the work of an exchange, and whose rights that work has. A person's yes never changes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ExchangePrincipal {
    /// The people whose words are in it, in order. Empty where nobody knows: in journals of v0.1, and in a copy.
    pub people: Vec<String>,
    /// The person whose rights it has: the one who began it; of a run, the owner of its automation. None where words of
    /// several people are in it, and where nobody knows.
    pub acts_as: Option<String>,
}

impl ExchangePrincipal {
    /// What a run is asked for by: whoever wrote its seed, and whoever reported the event that it runs for. It has the
    /// rights of its owner, who wrote all of the seed; an event is data, and gives and takes none.
    pub fn for_run<'a>(owners: impl IntoIterator<Item = &'a str>, reporter: Option<&str>) -> Self {
        let mut asked = Self::default();
        for owner in owners {
            asked.add_person(owner);
        }
        if let Some(reporter) = reporter.filter(|reporter| !asked.includes_person(reporter)) {
            asked.people.push(reporter.to_owned());
        }
        asked
    }

    /// Whether it is known who asked.
    pub fn is_known(&self) -> bool {
        !self.people.is_empty()
    }

    /// Whether words of this person are in it.
    pub fn includes_person(&self, person: &str) -> bool {
        self.people.iter().any(|known| known == person)
    }

    /// Whether work that was asked for like this may be told what these people say: nobody new to it is among them, and it
    /// does not have the rights of somebody else.
    pub fn accepts_words_from(&self, speakers: &Self) -> bool {
        let knows_all =
            speakers.is_known() && speakers.people.iter().all(|person| self.includes_person(person));
        let has_their_rights = self.acts_as.is_none() || self.acts_as == speakers.acts_as;
        self == speakers || (knows_all && has_their_rights)
    }

    /// Words of this person join it, or begin it.
    pub(crate) fn add_person(&mut self, person: &str) {
        if self.people.is_empty() {
            self.acts_as = Some(person.to_owned());
        } else if self.acts_as.as_deref() != Some(person) {
            self.acts_as = None;
        }
        if !self.includes_person(person) {
            self.people.push(person.to_owned());
        }
    }

    /// Words of this person join what is under way. Where nobody knows who began it, it stays unknown.
    pub(crate) fn add_person_if_known(&mut self, person: &str) {
        if self.is_known() {
            self.add_person(person);
        }
    }

    /// Waiting messages join it together, each with its author. One whose author is not known takes its rights away.
    pub(crate) fn add_message_authors(&mut self, authors: &[Option<String>]) {
        for author in authors.iter().flatten() {
            self.add_person(author);
        }
        if authors.iter().any(Option::is_none) {
            self.acts_as = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(authors: &[Option<&str>]) -> ExchangePrincipal {
        let mut asked = ExchangePrincipal::default();
        asked
            .add_message_authors(&authors.iter().map(|author| author.map(str::to_owned)).collect::<Vec<_>>());
        asked
    }

    /// Input: whose messages a round joins; expected: whose rights it has.
    #[test]
    fn a_round_of_several_people_acts_as_nobody() {
        let cases: [(&[Option<&str>], Option<&str>); 6] = [
            (&[Some("ann")], Some("ann")),
            (&[Some("ann"), Some("ann")], Some("ann")),
            (&[Some("ann"), Some("bob")], None),
            (&[Some("ann"), Some("bob"), Some("ann")], None),
            (&[Some("ann"), None], None),
            (&[None], None),
        ];
        for (authors, expected) in cases {
            assert_eq!(joined(authors).acts_as.as_deref(), expected, "{authors:?}");
        }
    }

    #[test]
    fn what_nobody_knows_stays_unknown_until_somebody_begins_anew() {
        let mut asked = ExchangePrincipal::default();
        asked.add_person_if_known("bob");
        assert_eq!(asked, ExchangePrincipal::default());
        asked.add_person("ann");
        asked.add_person_if_known("bob");
        assert_eq!((asked.people.len(), asked.acts_as), (2, None));
    }

    /// Input: who asked for a work, and who speaks now; expected: whether it may be told that.
    #[test]
    fn work_is_told_nothing_by_whom_it_does_not_work_for() {
        let [ann, bob] = ["ann", "bob"].map(|person| ExchangePrincipal::for_run([person], None));
        let (both, unknown) =
            (ExchangePrincipal::for_run(["ann", "bob"], None), ExchangePrincipal::default());
        let cases = [
            (&ann, &ann, true),
            (&ann, &bob, false),
            (&ann, &both, false),
            (&both, &ann, true),
            (&both, &both, true),
            (&ann, &unknown, false),
            (&unknown, &unknown, true),
        ];
        for (work, speakers, expected) in cases {
            assert_eq!(work.accepts_words_from(speakers), expected, "{work:?} {speakers:?}");
        }
    }

    #[test]
    fn a_run_acts_as_its_owner_whoever_reported_the_event() {
        let asked = ExchangePrincipal::for_run(["ann", "ann"], Some("bob"));
        assert_eq!((asked.acts_as.as_deref(), asked.includes_person("bob")), (Some("ann"), true));
        assert_eq!(ExchangePrincipal::for_run(["ann", "bob"], None).acts_as, None);
        assert_eq!(ExchangePrincipal::for_run([], None), ExchangePrincipal::default());
    }
}
