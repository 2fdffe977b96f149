// How the payment page looks: phone first, light and dark, nothing loaded from anywhere.

const DEFAULT_COLOR = "#1f6feb";

/** The shop's colour is checked by the database; it fills buttons and marks, never text on the page. */
export function styleOf(color: string | null): string {
  const brand = color !== null && /^#[0-9a-f]{6}$/.test(color) ? color : DEFAULT_COLOR;
  return `:root{--brand:${brand};--on:${letterColor(brand)}}${STYLE}`;
}

/** Black or white, whichever reads better; on any colour that is a contrast of 4.58 or more. */
function letterColor(color: string): "#000" | "#fff" {
  const light = luminance(color) + 0.05;
  return light / 0.05 > 1.05 / light ? "#000" : "#fff";
}

/** As WCAG 2 defines it: how much light a colour gives, 0 to 1. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return red * 0.2126 + green * 0.7152 + blue * 0.0722;
}

const STYLE = `
:root{color-scheme:light dark;--back:light-dark(#f2f4f7,#0f1216);--card:light-dark(#fff,#191d23);
--text:light-dark(#14181f,#e8ebf0);--muted:light-dark(#545d69,#a3adba);--line:light-dark(#dfe3e8,#323945);--edge:light-dark(#8c95a1,#737e8d);
--good:light-dark(#0a7d37,#4cc27a);--warn:light-dark(#8f4700,#f0b05a)}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:17px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;
min-height:100vh;display:flex;flex-direction:column;align-items:center}
.ribbon{width:100%;padding:.4rem 1rem;text-align:center;font-weight:600;font-size:.9rem;background:#f6c343;color:#2b2000}
header,main,footer{width:100%;max-width:29rem;padding:0 1rem}
header{display:flex;align-items:center;gap:.75rem;padding-top:1.25rem;padding-bottom:1rem}
header img{height:40px;width:40px;object-fit:contain;border-radius:10px;background:#fff}
header p{margin:0;min-width:0;flex:1;overflow-wrap:anywhere;line-height:1.3}
header strong,header span{display:block}
header span,footer{color:var(--muted);font-size:.9rem}
header a,footer a{display:inline-flex;align-items:center;min-height:44px;padding:.2rem .4rem;color:var(--muted);font-size:.9rem;overflow-wrap:anywhere}
header a{margin-right:-.4rem}
main{flex:1;position:relative}
h1:focus{outline:none}
.card{background:var(--card);border:1px solid var(--line);border-radius:18px;padding:1.25rem;margin-bottom:1rem}
.card>:last-child,.card>:has(+noscript:last-child){margin-bottom:0}
h1{font-size:1.3rem;line-height:1.25;margin:0 0 .75rem;overflow-wrap:anywhere}
p{margin:0 0 .75rem}
.muted{color:var(--muted);font-size:.93rem}
h2{font-size:1rem;line-height:1.3;margin:1.25rem 0 .25rem}
.amount{display:block;font-size:clamp(1.4rem,7.6vw,2.3rem);line-height:1.2;white-space:nowrap;font-weight:700;letter-spacing:-.02em;font-variant-numeric:tabular-nums}
.amount small{font-size:.6em;font-weight:600;color:var(--muted)}
.head{display:flex;align-items:end;justify-content:space-between;gap:.75rem;margin-bottom:.6rem}
.head h1{margin:0;min-width:0}
h1 .amount{margin-top:.15rem}
p:has(.amount),.muted:has(+p .amount){margin-bottom:0}
p:has(.amount)+p{margin-top:.6rem}
mark{background:var(--brand);color:var(--on);border-radius:.25em;padding:0 .12em;margin-left:.06em}
button,.button{display:block;width:100%;min-height:52px;padding:.75rem 1rem;border:0;border-radius:14px;background:var(--brand);
color:var(--on);font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer;overflow-wrap:anywhere}
.choice{display:flex;justify-content:space-between;align-items:center;gap:1rem;background:var(--card);color:var(--text);
border:1px solid var(--edge);text-align:left;margin-bottom:.6rem;font-weight:600;overflow-wrap:break-word}
.choice span{margin-left:auto;font-weight:400;color:var(--muted);font-size:.9rem;text-align:right}
.choice:after{content:"";flex:none;width:.5rem;height:.5rem;border:solid var(--muted);border-width:2px 2px 0 0;transform:rotate(45deg)}
.choice:not(:has(span)):after{margin-left:auto}
.choice:hover{border-color:var(--brand)}
.second{background:none;color:var(--text);border:1px solid var(--edge)}
.play{background:#f6c343;color:#2b2000}
.quiet{background:none;color:var(--muted);font-weight:500;min-height:44px;text-decoration:underline}
:focus-visible{outline:3px solid var(--brand);outline-offset:3px}
dl{margin:0}
ol{margin:0 0 1rem;padding:0;list-style:none;counter-reset:step}
li{counter-increment:step;display:flex;gap:.7rem;margin-bottom:.5rem;line-height:1.4}
li:before{content:counter(step);flex:none;width:1.5rem;height:1.5rem;border-radius:50%;border:1px solid var(--edge);color:var(--muted);font-size:.85rem;line-height:1.4rem;text-align:center}
label{display:block;margin-bottom:.75rem;font-size:.9rem;color:var(--muted)}
input:not([type=hidden]){display:block;width:100%;min-height:48px;margin-top:.2rem;padding:.5rem .8rem;border:1px solid var(--edge);border-radius:11px;background:var(--back);color:var(--text);font:inherit}
details{margin-top:.4rem}
summary{display:flex;align-items:center;justify-content:center;min-height:44px;color:var(--muted);cursor:pointer;text-decoration:underline}
.row{display:grid;grid-template-columns:1fr auto;align-items:center;column-gap:.75rem;padding:.7rem 0;border-top:1px solid var(--line)}
dl .row:last-child{padding-bottom:0}
dt{color:var(--muted);font-size:.88rem}
dd{margin:0;min-width:0;font-weight:600;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.act{grid-area:1/2/3}
.row:not(:has(.act)) dd{text-align:end}
.copy{width:auto;min-width:48px;min-height:44px;padding:.4rem .8rem;border-radius:11px;background:none;color:var(--text);border:1px solid var(--line);font-size:.9rem}
.copy[hidden]{display:none}
svg.icon{display:block;width:22px;height:22px;margin:auto;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
.copy.done{color:var(--good)}
.copy .yes,.copy.done .no{display:none}
.copy.done .yes{display:inline}
@media(max-width:479px){.copy span{display:none}}
@media(min-width:480px){.copy svg{display:none}}
.unseen{position:absolute;width:1px;height:1px;margin:0;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.state{display:flex;align-items:baseline;gap:.6rem;margin:0 0 .5rem}
form+.state{margin:1rem 0 0;font-size:.93rem;color:var(--muted)}
.dot{flex:none;width:.7rem;height:.7rem;border-radius:50%;background:var(--brand);animation:pulse 1.6s infinite}
@keyframes pulse{50%{opacity:.25}}
@media(prefers-reduced-motion:reduce){.dot{animation:none}}
.warn{color:var(--warn);font-weight:600}
.note{margin-top:1rem}
.tick{width:64px;height:64px;border-radius:50%;background:var(--good);color:light-dark(#fff,#0f1216);display:grid;place-items:center;margin:0 0 .75rem}
.tick svg{width:36px;height:36px}
.soon{text-align:center;margin-top:.75rem}
.amount+form{margin-top:.9rem}
p+form>button,.warn+form{margin-top:.25rem}
.qr{display:none}
.qr img{width:132px;height:132px;background:#fff;border-radius:10px;padding:8px;flex:none}
@media(min-width:760px){header{padding-top:6vh}.qr{display:flex;gap:1rem;align-items:center}}
@media(min-width:1000px){.qr{position:absolute;left:100%;top:0;width:14rem;flex-direction:column;text-align:center}}
footer{padding-top:1rem;padding-bottom:1.5rem;text-align:center}
footer p{margin:0;overflow-wrap:anywhere}
@media print{:root{color-scheme:light}body{background:none}.ribbon,header a,footer a[rel]:not(p a),.button,.soon,.qr{display:none}.card{border:0;padding:0}.tick{print-color-adjust:exact}}
`.replaceAll("\n", "");
