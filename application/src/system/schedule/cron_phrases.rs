//! A cron expression in words. The sentence structure is croner's; the words are here, in each language.

use croner::Cron;
use croner::describe::Language as Words;

use crate::texts::Language;

/// Describes an expression: “At 09:00, on Monday.”
pub(super) fn describe_cron(cron: &Cron, language: Language) -> String {
    let said = cron.describe_lang(CronPhraseBuilder(language));
    // The last element of a list needs no comma before it.
    match language {
        Language::En => said.replace(", and ", " and "),
        Language::Fr => said.replace(", et ", " et "),
    }
}

struct CronPhraseBuilder(Language);

impl CronPhraseBuilder {
    fn pick<T>(&self, english: T, french: T) -> T {
        match self.0 {
            Language::En => english,
            Language::Fr => french,
        }
    }
}

/// Whether the phrase expresses a frequency, and so needs no “at” or “in” before it.
fn is_repeated(phrase: &str) -> bool {
    ["every", "tous", "toutes"].iter().any(|word| phrase.starts_with(word))
}

/// Phrases in both languages, English first.
macro_rules! phrases {
    ($($name:ident($($value:ident: $type:ty),*): $english:literal, $french:literal;)*) => {$(
        fn $name(&self, $($value: $type),*) -> String {
            self.pick(format!($english), format!($french))
        }
    )*};
    ($($name:ident: $english:literal, $french:literal;)*) => {$(
        fn $name(&self) -> &'static str {
            self.pick($english, $french)
        }
    )*};
}

impl Words for CronPhraseBuilder {
    phrases! {
        every_minute: "Every minute", "Toutes les minutes";
        every_second_phrase: "Every second", "Toutes les secondes";
        the_last_day_of_the_month: "the last day of the month", "dernier jour du mois";
        list_conjunction_and: "and", "et";
        list_conjunction_or: "or on", "ou le";
        list_conjunction_and_comma: ", and", " et";
    }

    phrases! {
        every_x_minutes(step: u16): "every {step} minutes", "toutes les {step} minutes";
        every_x_seconds(step: u16): "every {step} seconds", "toutes les {step} secondes";
        every_x_hours(step: u16): "every {step} hours", "toutes les {step} heures";
        every_minute_of_every_x_hours(step: u16):
            "Every minute, every {step} hours",
            "Toutes les minutes, toutes les {step} heures";
        at_time(time: &str): "At {time}", "À {time}";
        at_time_and_every_x_seconds(time: &str, step: u16):
            "At {time}, every {step} seconds",
            "À {time}, toutes les {step} secondes";
        at_time_at_second(time: &str, second: &str):
            "At {time}, at second {second}",
            "À {time}, à la seconde {second}";
        on_phrase(phrase: &str): "on {phrase}", "le {phrase}";
        second_phrase(s: &str): "second {s}", "seconde {s}";
        minute_past_every_hour_phrase(s: &str): "{s} of every hour", "{s} de chaque heure";
        hour_phrase(s: &str): "of hour {s}", "de l’heure {s}";
        day_phrase(s: &str): "day {s} of the month", "{s} du mois";
        the_weekday_nearest_day(day: &str):
            "the weekday nearest day {day} of the month",
            "jour ouvré le plus proche du {day} du mois";
        the_last_weekday_of_the_month(day: &str): "the last {day} of the month", "dernier {day} du mois";
        dom_and_dow_if_also(dow: &str): "if it is also {dow}", "si c’est aussi un {dow}";
        dom_and_dow_if_also_one_of(dow: &str):
            "if it is also one of: {dow}",
            "si c’est aussi l’un de : {dow}";
        past_hour_phrase(s: &str): "of hour {s}", "de l’heure {s}";
        every_x_months(step: u16): "every {step} months", "tous les {step} mois";
        every_x_years(step: u16): "every {step} years", "tous les {step} ans";
    }

    fn at_phrase(&self, phrase: &str) -> String {
        if is_repeated(phrase) {
            return phrase.to_owned();
        }
        self.pick(format!("At {phrase}"), format!("À la {phrase}"))
    }

    fn in_phrase(&self, phrase: &str) -> String {
        if is_repeated(phrase) {
            return phrase.to_owned();
        }
        self.pick(format!("in {phrase}"), format!("en {phrase}"))
    }

    fn minute_phrase(&self, s: &str) -> String {
        format!("minute {s}")
    }

    fn year_phrase(&self, s: &str) -> String {
        s.to_owned()
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
            assert_eq!(describe_cron(&cron, Language::En), english, "{expression}");
            assert_eq!(describe_cron(&cron, Language::Fr), french, "{expression}");
        }
    }
}
