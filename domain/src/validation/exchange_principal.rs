/// The people who asked for the work of an exchange, and the person whose rights it has. An approval never changes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ExchangePrincipal {
    /// The people whose words are in the exchange, in order. Empty if unknown: in journals of v0.1, and in a copy.
    pub people: Vec<String>,
    /// The person whose rights the work has: the one who began the exchange, or the owner of the automation. `None` if
    /// words of several people are in it, or if the people are unknown.
    pub acts_as: Option<String>,
}

impl ExchangePrincipal {
    /// The principal of a run: the authors of its seed and the reporter of its event. It has the rights of its owner,
    /// if the owner wrote the whole seed; an event is data and changes no rights.
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

    /// Whether the people are known.
    pub fn is_known(&self) -> bool {
        !self.people.is_empty()
    }

    /// Whether words of this person are in the exchange.
    pub fn includes_person(&self, person: &str) -> bool {
        self.people.iter().any(|known| known == person)
    }

    /// Whether words of `speakers` may be added to this work: it contains no new people, and the work does not have
    /// another person's rights.
    pub fn accepts_words_from(&self, speakers: &Self) -> bool {
        let knows_all =
            speakers.is_known() && speakers.people.iter().all(|person| self.includes_person(person));
        let has_their_rights = self.acts_as.is_none() || self.acts_as == speakers.acts_as;
        self == speakers || (knows_all && has_their_rights)
    }

    /// Adds a person's words to the exchange, or begins it with them.
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

    /// Adds a person to a known exchange; an unknown one stays unknown.
    pub(crate) fn add_person_if_known(&mut self, person: &str) {
        if self.is_known() {
            self.add_person(person);
        }
    }

    /// Adds the authors of queued messages. A message of unknown author removes the rights of the exchange.
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

    /// Input: authors of the messages that join a round; expected: whose rights the round has.
    #[test]
    fn round_of_several_people_has_no_principal() {
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
    fn unknown_requesters_stay_unknown_until_new_exchange() {
        let mut asked = ExchangePrincipal::default();
        asked.add_person_if_known("bob");
        assert_eq!(asked, ExchangePrincipal::default());
        asked.add_person("ann");
        asked.add_person_if_known("bob");
        assert_eq!((asked.people.len(), asked.acts_as), (2, None));
    }

    /// Input: the people who asked for a work, and the speaker now; expected: whether the words may be added.
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
    fn run_acts_as_owner_for_any_event_reporter() {
        let asked = ExchangePrincipal::for_run(["ann", "ann"], Some("bob"));
        assert_eq!((asked.acts_as.as_deref(), asked.includes_person("bob")), (Some("ann"), true));
        assert_eq!(ExchangePrincipal::for_run(["ann", "bob"], None).acts_as, None);
        assert_eq!(ExchangePrincipal::for_run([], None), ExchangePrincipal::default());
    }
}
