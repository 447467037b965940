// Words that would be more than words, if anything took them for markup.

const RUN = "window.__ran=1";
const tags = ["img", "svg", "iframe", "script", "object", "embed", "video", "audio", "body", "style", "link", "meta", "base", "form", "input", "details", "marquee", "math", "template", "table", "button", "select", "textarea", "keygen", "isindex"];
const events = ["onerror", "onload", "onclick", "onfocus", "ontoggle", "onmouseover", "onanimationstart", "onbegin", "onpointerdown", "onbeforeinput"];
const schemes = ["javascript:", "JaVaScRiPt:", "java\tscript:", "java\nscript:", " javascript:", "\u0001javascript:", "vbscript:", "data:text/html,", "data:text/html;base64,", "blob:", "file:///", "javascript&colon;", "&#106;avascript:", "%6aavascript:"];

/** What every object has of its own accord, so that a name which a model chose may be taken for it. */
export const INHERITED = ["constructor", "toString", "valueOf", "hasOwnProperty", "toLocaleString", "__proto__"];

/** One of each kind that is not seen, or that looks like a space: they stand before, in and after words. */
const UNSEEN = ["\u00ad", "\u034f", "\u061c", "\u1160", "\u1680", "\u180e", "\u2003", "\u200b", "\u2028", "\u202e", "\u205f", "\u2066", "\u2800", "\u3000", "\u3164", "\ufe0f", "\ufeff", "\uffa0", "\ufff0", "\ufff9", "\u{13430}", "\u{13441}", "\u{1d173}", "\u{e0041}"];

export const VECTORS = [
  ...tags.map((tag) => `<${tag} src=x href=x onerror="${RUN}" onload="${RUN}" autofocus onfocus="${RUN}">x</${tag}>`),
  ...events.map((event) => `<svg ${event}="${RUN}"><animate attributeName=x dur=1s onbegin="${RUN}"></svg>`),
  ...events.map((event) => `"><img src=x ${event}=${RUN}>`),
  ...events.map((event) => `' ${event}='${RUN}' x='`),
  ...schemes.map((scheme) => `[press](${scheme}${RUN})`),
  ...schemes.map((scheme) => `![picture](${scheme}${RUN})`),
  ...schemes.map((scheme) => `<a href="${scheme}${RUN}">press</a>`),
  ...schemes.map((scheme) => `[ref]\n\n[ref]: ${scheme}${RUN}`),
  ...["<!--", "-->", "]]>", "<![CDATA[", "<?xml", "<!DOCTYPE html>", "<%", "${", "{{", "#{", "<!--?lit$0$-->", "<!--lit-->", "?lit$123$", "{{constructor.constructor('" + RUN + "')()}}", "${" + RUN + "}"].map((open) => `${open}<img src=x onerror=${RUN}>`),
  ...["`", "```", "~~~", "|", "#", ">", "-", "1.", "**", "__", "\\"].map((mark) => `${mark}<img src=x onerror=${RUN}>${mark}`),
  "<scr<script>ipt>" + RUN + "</scr</script>ipt>",
  "<img src=x onerror=\u2028" + RUN + ">",
  "\u202e<img src=x onerror=" + RUN + ">",
  "&lt;img src=x onerror=" + RUN + "&gt;",
  "&#60;img src=x onerror=" + RUN + "&#62;",
  "&amp;lt;script&amp;gt;",
  "<svg><use href='data:image/svg+xml,<svg id=x onload=" + RUN + ">#x'></svg>",
  "<math><mtext><table><mglyph><style><img src=x onerror=" + RUN + ">",
  "<noscript><p title='</noscript><img src=x onerror=" + RUN + ">'>",
  "<iframe srcdoc='<script>parent.__ran=1</script>'>",
  "<a href='https://evil.example' target=_self ping='https://evil.example/p'>x</a>",
  "![pixel](https://evil.example/pixel.png)",
  "<img src='https://evil.example/pixel.png'>",
  "[x](https://user:pass@evil.example)",
  "[x](//evil.example)",
  "<https://evil.example/auto>",
  "<style>@import 'https://evil.example/x.css';*{display:none}</style>",
  "<div style='position:fixed;inset:0'>Approve</div>",
  "<button onclick=" + RUN + ">Approve</button>",
  ...UNSEEN.map((unseen) => `${unseen}<img${unseen}src=x onerror=${RUN}>${unseen}`),
  ...INHERITED,
];
