use entracte_application::settings::WebPageScope;

use super::read;

/// The text of a page, with the number of texts that it hides.
fn text_of(page: &str) -> (String, u32) {
    let (text, gaps) = read(page, WebPageScope::Whole).unwrap();
    (text, gaps.hidden_texts)
}

#[test]
fn hidden_html_text_is_skipped() {
    let hidden = [
        "<p hidden>secret</p>",
        "<div style=\"color: red; Display : NONE\">secret</div>",
        "<p style='visibility:hidden'>secret</p>",
        "<p style='font-size:0px'>secret <b>and</b></p>",
        "<dialog>secret</dialog>",
        "<style>.gone { display: none !important }</style><p class='a gone'>secret</p>",
        "<style>@media print { p { display: block } } /* p {} */ p#x { visibility: hidden }</style><p id=x>secret</p>",
    ];
    for page in hidden {
        let (text, count) = text_of(&format!("<p>seen</p>{page}"));
        assert!(text.contains("seen") && !text.contains("secret") && count >= 1, "{count} of {page}: {text}");
    }
    let shown = [
        "<dialog open>told</dialog>",
        "<div style='font-size:0'><span style='font-size:14px'>told</span></div>",
        "<div style='visibility:hidden'><b style='visibility:visible'>told</b></div>",
        "<style>.a { display: none } p.a { display: block }</style><p class=a>told</p>",
        "<style>@media print { p { display: none } } .menu p { display: none } p:hover { display: none }</style><p>told</p>",
        "<p style='font-size:0.9em'>told</p>",
    ];
    for page in shown {
        let (text, count) = text_of(page);
        assert!(text.contains("told") && count == 0, "{count} of {page}: {text}");
    }
    assert_eq!(
        text_of("<p hidden></p><div style='display:none'><script>x</script></div>a").1,
        0,
        "nothing is hidden"
    );
}

/// Inputs: pages that refer to style sheets outside of them, or only seem to; expected: their number.
#[test]
fn outside_style_sheets_are_counted() {
    let count = |page: &str| read(page, WebPageScope::Whole).unwrap().1.outside_style_sheets;
    let linked =
        "<head><link rel=stylesheet href=a.css><link rel='Alternate StyleSheet' href=b.css></head><p>a</p>";
    assert_eq!(count(linked), 2);
    assert_eq!(
        count("<style>@import url(c.css); /* @import 'd.css'; */ p { color: red }</style><p>a</p>"),
        1
    );
    assert_eq!(count("<link rel=icon href=a.png><style>p { color: red }</style><p>rel=stylesheet</p>"), 0);
}

#[test]
fn html_inside_form_is_read() {
    let (text, _) = text_of(
        "<form><h2>Refund</h2><p>Within 30 days</p><button>Send</button><button>Cancel</button></form>",
    );
    assert!(text.contains("Within 30 days") && text.contains("Send Cancel"), "{text}");
    let (text, _) = text_of("<nav><a href=/a>Trains</a></nav>");
    assert!(text.contains("Trains"), "a page of links alone: {text}");
    let (text, _) = text_of("<nav>Home</nav><p>Body <object data=x.swf>instead</object></p>");
    assert!(!text.contains("Home") && text.contains("instead"), "{text}");
    let (text, _) =
        text_of("<p>Our<img src=a.png alt='map of Lyon'>office <a href=/b><img src=b.png></a></p>");
    assert!(text.contains("Our map of Lyon office") && !text.contains("]("), "{text}");
}

/// Input: a page with links, an article and advertisements; expected: all of it, or the article with its hidden text
/// left out and that it is one; a page without an article is read as a whole.
#[test]
fn article_of_a_page_is_read_alone() {
    let sentence =
        "Second class journeys are reimbursed within thirty days of arrival, and nobody asks why. ";
    let page = format!(
        "<title>Travel</title><style>.gone {{ display: none }}</style><body><div class=menu><a href=/a>Jobs offered</a></div>\
         <article><h2>Rules</h2><p>{0}{0}</p><p>{0}{0}</p><p class=gone>secret {0}</p></article>\
         <aside class=sidebar>Buy a house now</aside>",
        sentence.repeat(4)
    );
    let (text, gaps) = read(&page, WebPageScope::Article).unwrap();
    assert!(
        text.starts_with("# Travel\n") && text.contains("Rules") && text.contains(sentence.trim()),
        "{text}"
    );
    assert!(!text.contains("Jobs") && !text.contains("house") && !text.contains("secret"), "{text}");
    assert_eq!(gaps.to_string(), "//1/0/0/article");
    let (text, gaps) = read(&page, WebPageScope::Whole).unwrap();
    assert!(text.contains("Jobs offered") && text.contains("Buy a house now"), "{text}");
    assert_eq!(gaps.to_string(), "//1");
    let (text, gaps) = read("<body><ul><li>Lyon<li>Paris</ul>", WebPageScope::Article).unwrap();
    assert!(text.contains("Lyon") && text.contains("Paris"), "{text}");
    assert_eq!(gaps.to_string(), "//0", "a list is no article");
}
