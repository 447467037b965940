//! Amounts with their currency: `1 234,50 €`, `EUR 1,234.50`, `-$12`.

/// Currency signs; those of several characters first.
const SIGNS: [&str; 13] = ["k€", "M€", "zł", "€", "$", "£", "¥", "₹", "₽", "₩", "₺", "₪", "₴"];

/// Currency codes that amounts are often written with.
const CODES: [&str; 34] = [
    "EUR", "USD", "GBP", "CHF", "JPY", "CAD", "AUD", "NZD", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "RON",
    "BGN", "TRY", "CNY", "INR", "BRL", "MXN", "ZAR", "SGD", "HKD", "KRW", "ILS", "AED", "MAD", "TND", "XOF",
    "XAF", "RUB", "UAH", "ARS",
];

/// The length in bytes of the amount at the beginning of a text; `None` if there is none.
pub(super) fn length(text: &str) -> Option<usize> {
    let sign = text.chars().next().filter(|first| matches!(first, '+' | '-' | '−')).map_or(0, char::len_utf8);
    let rest = text.get(sign..)?;
    let length = match currency(rest) {
        Some(before) => {
            let space = space(rest.get(before..)?);
            let number = number(rest.get(before + space..)?)?;
            before + space + number
        }
        None => {
            let number = number(rest)?;
            let space = space(rest.get(number..)?);
            number + space + currency(rest.get(number + space..)?)?
        }
    };
    let is_whole = rest.get(length..)?.chars().next().is_none_or(|next| !next.is_alphanumeric());
    is_whole.then_some(sign + length)
}

/// The number of an amount, without its sign and currency.
pub(super) fn number_in(amount: &str) -> &str {
    amount.trim_matches(|one: char| !one.is_ascii_digit())
}

fn currency(text: &str) -> Option<usize> {
    let sign = SIGNS.iter().find(|sign| text.starts_with(**sign));
    let code = CODES.iter().find(|code| text.starts_with(**code));
    sign.or(code).map(|currency| currency.len())
}

fn space(text: &str) -> usize {
    text.chars().next().filter(|&first| is_space(first)).map_or(0, char::len_utf8)
}

/// Whether a character is a space in amounts, including no-break spaces.
fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}')
}

/// The length in bytes of a number: digits, with points, commas and apostrophes between them, and spaces before
/// groups of three.
fn number(text: &str) -> Option<usize> {
    let mut at = digits(text);
    if at == 0 {
        return None;
    }
    while let Some(separator) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let next = at + separator.len_utf8();
        let count = text.get(next..).map_or(0, digits);
        let belongs = match separator {
            '.' | ',' | '\'' | '’' => count > 0,
            space => is_space(space) && count == 3,
        };
        if !belongs {
            break;
        }
        at = next + count;
    }
    Some(at)
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}
