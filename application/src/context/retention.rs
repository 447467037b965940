//! Selects the end of a conversation that stays unchanged.

/// The size of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnSize {
    /// Whether the turn is a reply of the model. The turn after a reply holds the results of its calls, so only a cut
    /// before a reply keeps calls and results together.
    pub is_reply: bool,
    /// Tokens of the turn as it will be sent.
    pub tokens: u64,
}

/// The beginning of the longest tail that has at most `most` tokens and begins with a reply; `None` if no tail
/// fits.
pub fn longest_fitting_tail(turns: &[TurnSize], most: u64) -> Option<usize> {
    let mut size = 0_u64;
    let mut begin = None;
    for (index, turn) in turns.iter().enumerate().rev() {
        size = size.saturating_add(turn.tokens);
        if size > most {
            break;
        }
        if turn.is_reply {
            begin = Some(index);
        }
    }
    begin
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn user(tokens: u64) -> TurnSize {
        TurnSize { is_reply: false, tokens }
    }

    fn reply(tokens: u64) -> TurnSize {
        TurnSize { is_reply: true, tokens }
    }

    #[test]
    fn longest_fitting_tail_begins_with_reply() {
        let turns = [user(5), reply(5), user(5), reply(5), user(5)];
        assert_eq!(longest_fitting_tail(&turns, 4), None);
        assert_eq!(longest_fitting_tail(&turns, 9), None);
        assert_eq!(longest_fitting_tail(&turns, 10), Some(3));
        assert_eq!(longest_fitting_tail(&turns, 19), Some(3));
        assert_eq!(longest_fitting_tail(&turns, 20), Some(1));
        assert_eq!(longest_fitting_tail(&turns, 100), Some(1));
        assert_eq!(longest_fitting_tail(&[], 100), None);
    }

    proptest! {
        #[test]
        fn an_end_fits_and_the_next_longer_one_does_not(
            turns in vec((any::<bool>(), 0..50_u64), 0..20), most in 0..200_u64,
        ) {
            let turns: Vec<TurnSize> =
                turns.into_iter().map(|(is_reply, tokens)| TurnSize { is_reply, tokens }).collect();
            let sum = |from: usize| turns[from..].iter().map(|turn| turn.tokens).sum::<u64>();
            let expected = (0..turns.len()).find(|&at| turns[at].is_reply && sum(at) <= most);
            prop_assert_eq!(longest_fitting_tail(&turns, most), expected);
        }
    }
}
