use super::read;

/// The text of a page, with the number of texts that it hides.
fn text_of(page: &str) -> (String, u32) {
    let (text, gaps) = read(page).unwrap();
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
    let count = |page: &str| read(page).unwrap().1.outside_style_sheets;
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
