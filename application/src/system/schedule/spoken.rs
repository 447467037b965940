//! A cron expression in words. The grammar of the sentence is croner's; the words are here, in each language.

use croner::Cron;
use croner::describe::Language as Words;

use crate::texts::Language;

/// What an expression says: “At 09:00, on Monday.”
pub(super) fn spoken(cron: &Cron, language: Language) -> String {
    let said = cron.describe_lang(Spoken(language));
    // The last of a list needs no comma before it.
    match language {
        Language::En => said.replace(", and ", " and "),
        Language::Fr => said.replace(", et ", " et "),
    }
}

struct Spoken(Language);

impl Spoken {
    fn of(&self, english: &'static str, french: &'static str) -> &'static str {
        match self.0 {
            Language::En => english,
            Language::Fr => french,
        }
    }

    fn pick(&self, english: String, french: String) -> String {
        match self.0 {
            Language::En => english,
            Language::Fr => french,
        }
    }
}

/// Phrases that say how often need no “at” before them, and no “in”.
fn is_repeated(phrase: &str) -> bool {
    ["every", "tous", "toutes"].iter().any(|word| phrase.starts_with(word))
}

impl Words for Spoken {
    fn every_minute(&self) -> &'static str {
        self.of("Every minute", "Toutes les minutes")
    }

    fn every_second_phrase(&self) -> &'static str {
        self.of("Every second", "Toutes les secondes")
    }

    fn every_x_minutes(&self, step: u16) -> String {
        self.pick(format!("every {step} minutes"), format!("toutes les {step} minutes"))
    }

    fn every_x_seconds(&self, step: u16) -> String {
        self.pick(format!("every {step} seconds"), format!("toutes les {step} secondes"))
    }

    fn every_x_hours(&self, step: u16) -> String {
        self.pick(format!("every {step} hours"), format!("toutes les {step} heures"))
    }

    fn every_minute_of_every_x_hours(&self, step: u16) -> String {
        self.pick(
            format!("Every minute, every {step} hours"),
            format!("Toutes les minutes, toutes les {step} heures"),
        )
    }

    fn at_time(&self, time: &str) -> String {
        self.pick(format!("At {time}"), format!("À {time}"))
    }

    fn at_time_and_every_x_seconds(&self, time: &str, step: u16) -> String {
        self.pick(format!("At {time}, every {step} seconds"), format!("À {time}, toutes les {step} secondes"))
    }

    fn at_time_at_second(&self, time: &str, second: &str) -> String {
        self.pick(format!("At {time}, at second {second}"), format!("À {time}, à la seconde {second}"))
    }

    fn at_phrase(&self, phrase: &str) -> String {
        if is_repeated(phrase) {
            return phrase.to_owned();
        }
        self.pick(format!("At {phrase}"), format!("À la {phrase}"))
    }

    fn on_phrase(&self, phrase: &str) -> String {
        self.pick(format!("on {phrase}"), format!("le {phrase}"))
    }

    fn in_phrase(&self, phrase: &str) -> String {
        if is_repeated(phrase) {
            return phrase.to_owned();
        }
        self.pick(format!("in {phrase}"), format!("en {phrase}"))
    }

    fn second_phrase(&self, s: &str) -> String {
        self.pick(format!("second {s}"), format!("seconde {s}"))
    }

    fn minute_phrase(&self, s: &str) -> String {
        format!("minute {s}")
    }

    fn minute_past_every_hour_phrase(&self, s: &str) -> String {
        self.pick(format!("{s} of every hour"), format!("{s} de chaque heure"))
    }

    fn hour_phrase(&self, s: &str) -> String {
        self.pick(format!("of hour {s}"), format!("de l’heure {s}"))
    }

    fn year_phrase(&self, s: &str) -> String {
        s.to_owned()
    }

    fn day_phrase(&self, s: &str) -> String {
        self.pick(format!("day {s} of the month"), format!("{s} du mois"))
    }

    fn the_last_day_of_the_month(&self) -> &'static str {
        self.of("the last day of the month", "dernier jour du mois")
    }

    fn the_weekday_nearest_day(&self, day: &str) -> String {
        self.pick(
            format!("the weekday nearest day {day} of the month"),
            format!("jour ouvré le plus proche du {day} du mois"),
        )
    }

    fn the_last_weekday_of_the_month(&self, day: &str) -> String {
        self.pick(format!("the last {day} of the month"), format!("dernier {day} du mois"))
    }

    fn the_nth_weekday_of_the_month(&self, n: u8, day: &str) -> String {
        let (english, french) = match n {
            1 => ("1st", "1er"),
            2 => ("2nd", "2e"),
            3 => ("3rd", "3e"),
            4 => ("4th", "4e"),
            _ => ("5th", "5e"),
        };
        self.pick(format!("the {english} {day} of the month"), format!("{french} {day} du mois"))
    }

    fn dom_and_dow_if_also(&self, dow: &str) -> String {
        self.pick(format!("if it is also {dow}"), format!("si c’est aussi un {dow}"))
    }

    fn dom_and_dow_if_also_one_of(&self, dow: &str) -> String {
        self.pick(format!("if it is also one of: {dow}"), format!("si c’est aussi l’un de : {dow}"))
    }

    fn list_conjunction_and(&self) -> &'static str {
        self.of("and", "et")
    }

    fn list_conjunction_or(&self) -> &'static str {
        self.of("or on", "ou le")
    }

    fn list_conjunction_and_comma(&self) -> &'static str {
        self.of(", and", " et")
    }

    fn day_of_week_names(&self) -> [&'static str; 7] {
        match self.0 {
            Language::En => ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"],
            Language::Fr => ["dimanche", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"],
        }
    }

    fn month_names(&self) -> [&'static str; 12] {
        match self.0 {
            Language::En => [
                "January",
                "February",
                "March",
                "April",
                "May",
                "June",
                "July",
                "August",
                "September",
                "October",
                "November",
                "December",
            ],
            Language::Fr => [
                "janvier",
                "février",
                "mars",
                "avril",
                "mai",
                "juin",
                "juillet",
                "août",
                "septembre",
                "octobre",
                "novembre",
                "décembre",
            ],
        }
    }

    fn every_past_phrase(&self, every: &str, hours: &str) -> String {
        format!("{every}, {hours}")
    }

    fn past_hour_phrase(&self, s: &str) -> String {
        self.pick(format!("of hour {s}"), format!("de l’heure {s}"))
    }

    fn every_x_months(&self, step: u16) -> String {
        self.pick(format!("every {step} months"), format!("tous les {step} mois"))
    }

    fn every_x_years(&self, step: u16) -> String {
        self.pick(format!("every {step} years"), format!("tous les {step} ans"))
    }
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use super::*;

    #[test]
    fn an_expression_is_said_in_each_language() {
        let cases = [
            ("0 9 * * 1", "At 09:00, on Monday.", "À 09:00, le lundi."),
            ("* * * * *", "Every minute.", "Toutes les minutes."),
            ("*/5 * * * *", "Every 5 minutes.", "Toutes les 5 minutes."),
            ("30 2 1 * *", "At 02:30, on day 1 of the month.", "À 02:30, le 1 du mois."),
            (
                "0 8 * * 1-5",
                "At 08:00, on Monday, Tuesday, Wednesday, Thursday and Friday.",
                "À 08:00, le lundi, mardi, mercredi, jeudi et vendredi.",
            ),
            (
                "0 0 1 1,7 *",
                "At 00:00, on day 1 of the month, in January and July.",
                "À 00:00, le 1 du mois, en janvier et juillet.",
            ),
            ("15 * * * *", "At minute 15 of every hour.", "À la minute 15 de chaque heure."),
            ("0 */2 * * *", "At minute 0, every 2 hours.", "À la minute 0, toutes les 2 heures."),
            ("0 9 L * *", "At 09:00, on the last day of the month.", "À 09:00, le dernier jour du mois."),
            ("0 9 * * MON#1", "At 09:00, on the 1st Monday of the month.", "À 09:00, le 1er lundi du mois."),
            ("* 9 * * *", "Every minute, of hour 9.", "Toutes les minutes, de l’heure 9."),
        ];
        for (expression, english, french) in cases {
            let cron = Cron::from_str(expression).unwrap();
            assert_eq!(spoken(&cron, Language::En), english, "{expression}");
            assert_eq!(spoken(&cron, Language::Fr), french, "{expression}");
        }
    }
}
