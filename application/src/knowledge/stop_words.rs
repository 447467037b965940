//! Stop words of the languages that have a list: lower case, without diacritics, sorted.

#[rustfmt::skip]
pub(super) const EN: &[&str] = &[
    "a", "about", "above", "after", "again", "against", "all", "also", "am", "an", "and", "any", "are",
    "aren", "as", "at", "be", "because", "been", "before", "being", "below", "between", "both", "but", "by",
    "can", "could", "couldn", "d", "did", "didn", "do", "does", "doesn", "doing", "don", "down", "during",
    "each", "few", "for", "from", "further", "had", "hadn", "has", "hasn", "have", "haven", "having", "he",
    "her", "here", "hers", "herself", "him", "himself", "his", "how", "i", "if", "in", "into", "is", "isn",
    "it", "its", "itself", "just", "ll", "m", "me", "more", "most", "my", "myself", "no", "nor", "not",
    "now", "of", "off", "on", "once", "only", "or", "other", "our", "ours", "ourselves", "out", "over",
    "own", "re", "s", "same", "she", "should", "shouldn", "so", "some", "such", "t", "than", "that", "the",
    "their", "theirs", "them", "themselves", "then", "there", "these", "they", "this", "those", "through",
    "to", "too", "under", "until", "up", "us", "ve", "very", "was", "wasn", "we", "were", "weren", "what",
    "when", "where", "which", "while", "who", "whom", "why", "will", "with", "won", "would", "wouldn",
    "you", "your", "yours", "yourself", "yourselves",
];

#[rustfmt::skip]
pub(super) const FR: &[&str] = &[
    "a", "afin", "ai", "aie", "aient", "ainsi", "ait", "alors", "apres", "as", "au", "aucun", "aucune",
    "aujourd", "auquel", "aura", "aurait", "aussi", "autre", "autres", "aux", "auxquels", "avaient",
    "avais", "avait", "avant", "avec", "avez", "avions", "avoir", "avons", "ayant", "c", "ca", "car", "ce",
    "ceci", "cela", "celle", "celles", "celui", "cependant", "ces", "cet", "cette", "ceux", "chaque",
    "chez", "ci", "comme", "comment", "d", "dans", "de", "depuis", "des", "desquels", "donc", "dont", "du",
    "duquel", "elle", "elles", "en", "encore", "entre", "es", "est", "et", "etaient", "etais", "etait",
    "etant", "ete", "etre", "eu", "eux", "fait", "font", "furent", "fut", "hors", "hui", "il", "ils", "j",
    "je", "jusqu", "l", "la", "laquelle", "le", "lequel", "les", "lesquels", "leur", "leurs", "lors",
    "lorsque", "lui", "m", "ma", "mais", "me", "meme", "memes", "mes", "mon", "n", "ne", "ni", "nos",
    "notre", "nous", "on", "ont", "or", "ou", "par", "parce", "pas", "pendant", "peu", "peut", "peuvent",
    "plus", "plusieurs", "pour", "pourquoi", "puis", "puisque", "qu", "quand", "que", "quel", "quelle",
    "quelles", "quelque", "quelques", "quels", "qui", "quoi", "s", "sa", "sans", "se", "sera", "serait",
    "ses", "si", "sinon", "soi", "soient", "sois", "soit", "sommes", "son", "sont", "sous", "suis", "sur",
    "t", "ta", "tandis", "te", "tel", "telle", "telles", "tels", "tes", "toi", "ton", "tous", "tout",
    "toute", "toutes", "tres", "tu", "un", "une", "vers", "voici", "voila", "vos", "votre", "vous", "vu",
    "y",
];

#[rustfmt::skip]
pub(super) const DE: &[&str] = &[
    "aber", "alle", "allem", "allen", "aller", "alles", "als", "also", "am", "an", "ander", "andere",
    "anderem", "anderen", "anderer", "anderes", "auch", "auf", "aus", "bei", "beim", "bin", "bis", "bist",
    "da", "damit", "dann", "das", "dass", "dein", "deine", "deinem", "deinen", "deiner", "dem", "den",
    "denen", "denn", "der", "deren", "derer", "des", "dessen", "die", "dies", "diese", "diesem", "diesen",
    "dieser", "dieses", "dir", "doch", "dort", "du", "durch", "ein", "eine", "einem", "einen", "einer",
    "eines", "einige", "einigen", "er", "es", "etwas", "euch", "euer", "eure", "fur", "gegen", "gewesen",
    "hab", "habe", "haben", "hat", "hatte", "hatten", "hier", "hin", "hinter", "ich", "ihm", "ihn", "ihnen",
    "ihr", "ihre", "ihrem", "ihren", "ihrer", "im", "in", "indem", "ins", "ist", "ja", "jede", "jedem",
    "jeden", "jeder", "jedes", "jene", "jetzt", "kann", "kein", "keine", "keinem", "keinen", "keiner",
    "konnen", "konnte", "man", "manche", "mein", "meine", "meinem", "meinen", "meiner", "mich", "mir",
    "mit", "muss", "mussen", "musste", "nach", "nicht", "nichts", "noch", "nun", "nur", "ob", "oder",
    "ohne", "sehr", "sein", "seine", "seinem", "seinen", "seiner", "selbst", "sich", "sie", "sind", "so",
    "solche", "soll", "sollen", "sollte", "sondern", "sonst", "uber", "um", "und", "uns", "unser", "unsere",
    "unter", "viel", "vom", "von", "vor", "wahrend", "war", "waren", "was", "weg", "weil", "weiter",
    "welche", "welchem", "welchen", "welcher", "welches", "wenn", "wer", "werde", "werden", "wie", "wieder",
    "will", "wir", "wird", "wirst", "wo", "wollen", "wurde", "wurden", "zu", "zum", "zur", "zwar",
    "zwischen",
];

#[rustfmt::skip]
pub(super) const ES: &[&str] = &[
    "a", "al", "algo", "algunas", "algunos", "ante", "antes", "aquel", "aquella", "aquello", "aquellos",
    "asi", "aun", "aunque", "cada", "como", "con", "contra", "cual", "cuando", "de", "del", "desde",
    "donde", "dos", "durante", "e", "el", "ella", "ellas", "ellos", "en", "entre", "era", "eran", "eres",
    "es", "esa", "esas", "ese", "eso", "esos", "esta", "estaba", "estado", "estan", "estar", "estas",
    "este", "esto", "estos", "fue", "fueron", "ha", "haber", "habia", "habian", "hace", "han", "has",
    "hasta", "hay", "he", "la", "las", "le", "les", "lo", "los", "mas", "me", "mi", "mis", "misma", "mismo",
    "mucho", "muchos", "muy", "nada", "ni", "no", "nos", "nosotros", "nuestra", "nuestro", "o", "os",
    "otra", "otras", "otro", "otros", "para", "pero", "poco", "por", "porque", "pues", "que", "quien",
    "quienes", "se", "sea", "ser", "sera", "si", "sido", "sin", "sobre", "son", "soy", "su", "sus",
    "tambien", "tan", "tanto", "te", "tener", "tiene", "tienen", "toda", "todas", "todo", "todos", "tu",
    "tus", "u", "un", "una", "unas", "uno", "unos", "vosotros", "y", "ya", "yo",
];

#[rustfmt::skip]
pub(super) const IT: &[&str] = &[
    "a", "abbiamo", "ad", "agli", "ai", "al", "alla", "alle", "allo", "anche", "avere", "aveva", "avevano",
    "c", "che", "chi", "ci", "cio", "co", "come", "con", "contro", "cui", "d", "da", "dagli", "dai", "dal",
    "dalla", "dalle", "dallo", "degli", "dei", "del", "della", "delle", "dello", "di", "dov", "dove", "e",
    "ed", "era", "erano", "essere", "fa", "fra", "gli", "ha", "hai", "hanno", "ho", "i", "il", "in", "io",
    "l", "la", "le", "lei", "li", "lo", "loro", "lui", "m", "ma", "me", "mi", "mia", "mie", "miei", "mio",
    "ne", "negli", "nei", "nel", "nella", "nelle", "nello", "no", "noi", "non", "nostra", "nostro", "o",
    "ogni", "per", "perche", "pero", "piu", "poi", "quale", "quali", "quando", "quanto", "quella", "quelle",
    "quelli", "quello", "questa", "queste", "questi", "questo", "qui", "s", "sara", "se", "sei", "si",
    "sia", "siamo", "sono", "sta", "su", "sua", "sue", "sugli", "sui", "sul", "sulla", "sulle", "sullo",
    "suo", "suoi", "te", "ti", "tra", "tu", "tua", "tuo", "tutti", "tutto", "un", "una", "uno", "v", "vi",
    "voi", "vostra", "vostro",
];

#[rustfmt::skip]
pub(super) const NL: &[&str] = &[
    "aan", "al", "alles", "als", "altijd", "andere", "ben", "bij", "daar", "dan", "dat", "de", "der",
    "deze", "die", "dit", "doch", "doen", "door", "dus", "een", "eens", "en", "er", "ge", "geen", "geweest",
    "haar", "had", "hadden", "heb", "hebben", "heeft", "hem", "het", "hier", "hij", "hoe", "hun", "iemand",
    "iets", "ik", "in", "is", "ja", "je", "jij", "jou", "jouw", "kan", "kon", "kunnen", "maar", "me",
    "meer", "men", "met", "mij", "mijn", "moet", "moeten", "na", "naar", "niet", "niets", "nog", "nu", "of",
    "om", "omdat", "onder", "ons", "ook", "op", "over", "reeds", "te", "tegen", "toch", "toen", "tot", "u",
    "uit", "uw", "van", "veel", "voor", "want", "waren", "was", "wat", "we", "weer", "wel", "werd",
    "werden", "wezen", "wie", "wij", "wil", "worden", "wordt", "zal", "ze", "zelf", "zich", "zij", "zijn",
    "zo", "zonder", "zou", "zouden",
];

#[rustfmt::skip]
pub(super) const PT: &[&str] = &[
    "a", "ao", "aos", "aquela", "aquelas", "aquele", "aqueles", "aquilo", "as", "ate", "cada", "com",
    "como", "da", "das", "de", "dela", "delas", "dele", "deles", "depois", "do", "dos", "e", "ela", "elas",
    "ele", "eles", "em", "entre", "era", "eram", "essa", "essas", "esse", "esses", "esta", "estao", "estas",
    "estava", "este", "estes", "eu", "foi", "for", "foram", "ha", "isso", "isto", "ja", "lhe", "lhes", "lo",
    "mais", "mas", "me", "mesmo", "meu", "meus", "minha", "minhas", "muito", "na", "nao", "nas", "nem",
    "no", "nos", "nossa", "nossas", "nosso", "nossos", "num", "numa", "o", "onde", "os", "ou", "para",
    "pela", "pelas", "pelo", "pelos", "pois", "por", "porque", "qual", "quando", "quanto", "que", "quem",
    "sao", "se", "seja", "sem", "ser", "sera", "seu", "seus", "si", "sido", "so", "sob", "sobre", "sua",
    "suas", "tambem", "te", "tem", "tenho", "ter", "teu", "teve", "tinha", "tinham", "toda", "todas",
    "todo", "todos", "tu", "tua", "tudo", "um", "uma", "umas", "uns", "voce", "voces", "vos",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_is_in_order() {
        assert!([EN, FR, DE, ES, IT, NL, PT].iter().all(|list| list.is_sorted()));
    }
}
