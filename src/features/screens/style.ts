// How the cabinet and the desk look: calm and dense, light and dark, from a phone to a wall, nothing loaded
// from anywhere. Guards that text has a contrast of 4.5, that controls and marks have 3, that nothing is
// moved sideways but what stands in a region of its own, and that whoever uses keys sees where they are.

const COLORS = `
:root{color-scheme:light dark;--back:light-dark(#f6f7f9,#0f1216);--card:light-dark(#fff,#191d23);--text:light-dark(#14181f,#e8ebf0);
--muted:light-dark(#545d69,#a3adba);--line:light-dark(#dfe3e8,#323945);--soft:light-dark(#eff1f4,#222730);--edge:light-dark(#868f9b,#77818f);
--fill:light-dark(#1f6feb,#5b9bff);--on:light-dark(#fff,#0b1220);--link:light-dark(#1a5fd0,#7db0ff);
--good:light-dark(#0a7d37,#4cc27a);--warn:light-dark(#8f4700,#f0b05a);--bad:light-dark(#b42318,#ff8a80);--second:light-dark(#b96a00,#e2a03f);
--paid:light-dark(#e3f4e9,#12301e);--on-paid:light-dark(#0a6b30,#7fdca2);--wait:light-dark(#fbeedd,#38260e);--on-wait:light-dark(#7d3e00,#f5c27d);
--fail:light-dark(#fde8e6,#3d1a17);--on-fail:light-dark(#a01d14,#ffaba3);--live:light-dark(#e6effd,#152a4a);--on-live:light-dark(#184fb0,#a3c7ff);
--over:light-dark(#eceff3,#2a303a);--on-over:light-dark(#454d58,#c3cad4)}`;

const GROUND = `
*{box-sizing:border-box}
html{scroll-padding-top:64px}
body{margin:0;background:var(--back);color:var(--text);font:14px/20px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;font-variant-numeric:tabular-nums;-webkit-text-size-adjust:100%}
h1,h2,h3,p,dl,dd,ul,figure{margin:0;padding:0}
h1{font-size:20px;line-height:28px;font-weight:600;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:14px;line-height:20px;font-weight:600}
p+p{margin-top:8px}
b{font-weight:600}
small{font-size:12px;font-weight:400;color:var(--muted)}
a{color:var(--link);text-underline-offset:2px;text-decoration-thickness:1px}
a:hover{text-decoration-thickness:2px}
code{font:13px/20px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
:focus-visible{outline:2px solid var(--fill);outline-offset:2px;border-radius:4px}
[hidden]{display:none!important}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.muted,.hint,.none,.when{color:var(--muted)}
.end{text-align:right}
.money,time,.id,.chip{white-space:nowrap}
.lead{font-size:16px;line-height:24px}`;

const FRAME = `
.skip{position:absolute;left:8px;top:-64px;z-index:9;padding:8px 12px;background:var(--card);border-radius:8px}
.skip:focus{top:8px}
.ribbon{padding:4px 16px;text-align:center;font-weight:600;background:#f6c343;color:#2b2000}
.frame{display:grid;grid-template-columns:208px minmax(0,1fr);min-height:100vh}
.frame:has(.ribbon){grid-template-rows:auto 1fr}
.ribbon{grid-column:1/-1}
.side{border-right:1px solid var(--line);background:var(--card)}
.side>div{position:sticky;top:0;height:100vh;overflow-y:auto;display:flex;flex-direction:column;gap:12px;padding:16px 12px}
.brand{display:flex;align-items:center;min-height:32px;padding:0 8px;font-size:16px;font-weight:600;letter-spacing:-.01em;color:inherit;text-decoration:none;overflow-wrap:anywhere}
.places{list-style:none;margin:0;padding:0;display:grid;gap:2px}
.places a{display:flex;align-items:center;min-height:32px;padding:4px 8px;border-radius:6px;color:var(--muted);text-decoration:none}
.places a:hover{background:var(--soft);color:var(--text)}
.places [aria-current]{background:var(--live);color:var(--on-live);font-weight:600}
.find{position:relative}
.find input{padding-right:34px}
.find kbd{position:absolute;right:8px;top:8px;pointer-events:none}
.who{margin-top:auto;padding-top:12px;border-top:1px solid var(--line);display:grid;gap:4px}
.who p{padding:0 8px;overflow-wrap:anywhere}
.who button{justify-content:start;width:100%}
.bare{border:0;background:none;color:var(--muted);font:inherit;min-height:32px;padding:4px 8px;border-radius:6px;display:inline-flex;align-items:center;cursor:pointer;text-align:left}
.bare:hover{background:var(--soft);color:var(--text)}
.menu{display:none}
main{width:100%;max-width:1248px;padding:24px;display:flex;flex-direction:column;gap:16px}
main:focus{outline:none}
.top{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:8px 16px;min-height:32px}
.filters .form{display:flex;flex-wrap:wrap;align-items:end;gap:8px 12px;max-width:none;margin:4px 0 8px}
.filters .field{flex:0 1 180px}
.grid{display:grid;gap:16px;grid-template-columns:repeat(auto-fit,minmax(min(320px,100%),1fr))}
.pages,.acts{display:flex;flex-wrap:wrap;align-items:center;gap:8px}
.command summary{min-height:32px}
summary{display:inline-flex;align-items:center;gap:6px;min-height:32px;color:var(--muted);cursor:pointer;border-radius:4px}
summary::-webkit-details-marker{display:none}
summary:before{content:"";width:5px;height:5px;border:solid;border-width:0 1.5px 1.5px 0;transform:rotate(-45deg)}
[open]>summary:before{transform:rotate(45deg)}
.new{position:sticky;top:8px;z-index:2;align-self:center}
.new button{border-radius:999px;box-shadow:0 2px 8px #0003}
kbd{font:12px/16px ui-monospace,monospace;color:var(--muted);border:1px solid var(--line);border-radius:4px;padding:0 4px;background:var(--back)}
dialog{width:min(560px,calc(100vw - 24px));max-height:80vh;margin-top:10vh;border:1px solid var(--line);border-radius:12px;padding:16px;background:var(--card);color:inherit;box-shadow:0 16px 48px #0004}
dialog::backdrop{background:#0006}
dialog .top{margin-bottom:12px}
#palette input{font-size:16px;min-height:40px}
#palette a{display:flex;align-items:center;min-height:36px;padding:4px 8px;border-radius:6px;text-decoration:none;color:inherit}
#palette a:hover,#palette a:focus{background:var(--live);color:var(--on-live)}
#palette ul{list-style:none;margin-top:8px}`;

const PIECES = `
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:16px;min-width:0}
.head{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:8px;margin:-4px 0 8px;min-height:32px}
.card:has(>.wide:last-child){padding-bottom:4px}
.chip{display:inline-flex;align-items:center;gap:6px;padding:0 8px 0 7px;border-radius:999px;font-size:12px;line-height:20px;font-weight:600;background:var(--over);color:var(--on-over);print-color-adjust:exact}
.chip:before{content:"";flex:none;width:8px;height:8px;border-radius:50%;border:1.5px solid}
.chip.good{background:var(--paid);color:var(--on-paid)}
.chip.good:before{background:currentColor}
.chip.wait{background:var(--wait);color:var(--on-wait)}
.chip.wait:before{background:linear-gradient(90deg,currentColor 50%,#0000 50%)}
.chip.bad{background:var(--fail);color:var(--on-fail)}
.chip.bad:before{border:0;border-radius:0;background:linear-gradient(45deg,#0000 42%,currentColor 42% 58%,#0000 58%),linear-gradient(-45deg,#0000 42%,currentColor 42% 58%,#0000 58%)}
.chip.live{background:var(--live);color:var(--on-live)}
.chip.live:before{background:radial-gradient(currentColor 1.5px,#0000 2px)}
.id{display:inline-flex;align-items:center;gap:2px}
.copy{position:relative;flex:none;width:32px;height:32px;margin:-6px 0;padding:0;border:0;border-radius:6px;background:none;color:var(--muted);cursor:pointer}
.copy:hover{background:var(--soft);color:var(--text)}
.copy:before,.copy:after{content:"";position:absolute;width:9px;height:10px;border:1.5px solid;border-radius:2px;left:13px;top:12px;background:var(--card)}
.copy:before{left:10px;top:9px}
.copy.done{color:var(--good)}
.copy.done:before{display:none}
.copy.done:after{width:5px;height:10px;left:13px;top:9px;border-width:0 2px 2px 0;border-radius:0;background:none;transform:rotate(40deg)}
.copyable{display:flex;align-items:center;gap:8px;min-height:40px;padding:4px 4px 4px 12px;border:1px solid var(--line);border-radius:8px;background:var(--back);min-width:0}
.copyable code{flex:1;min-width:0}
.copyable .copy{margin:0}
.meter{display:inline-flex;align-items:center;gap:8px}
meter{width:80px;height:8px;flex:none;border:0;border-radius:4px;background:var(--over);overflow:hidden;appearance:none}
meter::-webkit-meter-bar{height:8px;border:0;background:var(--over)}
meter::-webkit-meter-optimum-value{background:var(--fill)}
meter::-webkit-meter-suboptimum-value{background:var(--second)}
meter::-moz-meter-bar{background:var(--fill)}
meter:-moz-meter-sub-optimum::-moz-meter-bar{background:var(--second)}
.facts{display:grid;gap:0 24px;grid-template-columns:repeat(auto-fit,minmax(min(300px,100%),1fr))}
.facts div{display:grid;grid-template-columns:132px minmax(0,1fr);gap:12px;align-items:baseline;padding:6px 0;border-top:1px solid var(--soft)}
dt{color:var(--muted)}
.facts dd{overflow-wrap:anywhere}
.figures{display:grid;gap:16px;grid-template-columns:repeat(auto-fit,minmax(min(150px,100%),1fr))}
.figures dt{font-size:12px}
.figures b{display:block;font-size:clamp(20px,5.5vw,28px);line-height:36px;letter-spacing:-.02em}
.figures span+span,.figures dd>span{font-size:12px;color:var(--muted)}
.figures b span{font-size:inherit;color:inherit}
.notice{padding:12px 16px;border-radius:8px;border:1px solid var(--line);border-left:4px solid var(--edge);background:var(--card);overflow-wrap:anywhere}
.notice.good{border-left-color:var(--good)}
.notice.warn{border-left-color:var(--warn);background:var(--wait)}
.notice.bad{border-left-color:var(--bad);background:var(--fail)}
.notice.bad a,.notice.warn a{color:inherit}
.notice ul{padding-left:18px}
.empty{padding:32px 16px;text-align:center;border:1px dashed var(--line);border-radius:8px;color:var(--muted);overflow-wrap:anywhere}
.empty b{color:var(--text)}
.empty>div{max-width:46ch;margin:4px auto 0}
.button{display:inline-flex;align-items:center;justify-content:center;min-height:36px;padding:6px 14px;border:1px solid var(--edge);border-radius:8px;background:var(--card);color:var(--text);font:inherit;font-weight:600;text-decoration:none;cursor:pointer}
.button:hover{border-color:var(--text)}
.button.main{background:var(--fill);border-color:#0000;color:var(--on)}
.button.main:hover{background:var(--link)}
.button.danger{color:var(--bad);border-color:currentColor}
.button.danger:hover{background:var(--fail)}`;

const TABLES = `
.wide{overflow-x:auto;position:relative}
table{border-collapse:collapse;width:100%}
th{font-weight:400;text-align:left}
th.end{text-align:right}
thead th{font-size:12px;line-height:16px;color:var(--muted);white-space:nowrap}
th,td{padding:9px 12px;border-bottom:1px solid var(--line);vertical-align:middle}
:is(th,td):first-child{padding-left:4px}
:is(th,td):last-child{padding-right:4px}
tbody tr:last-child>*{border-bottom:0}
.rows tbody tr{position:relative}
.rows tbody tr:hover,.rows tbody tr:focus-within{background:var(--soft)}
.open{color:inherit;font-weight:600;text-decoration:none}
.open:after{content:"";position:absolute;inset:0}
.open:focus-visible{outline:0}
.open:focus-visible:after{outline:2px solid var(--fill);outline-offset:-2px}
.rows :is(a,button,input,summary):not(.open){position:relative;z-index:1}
.card>.wide{margin:0 -4px}`;

const FORMS = `
.form{display:grid;gap:16px;max-width:480px}
.field{display:grid;gap:4px;min-width:0}
label{font-weight:600}
.meter,label.yes{font-weight:400}
input,select,textarea{width:100%;min-width:0;min-height:36px;padding:6px 10px;border:1px solid var(--edge);border-radius:8px;background:var(--card);color:inherit;font:inherit}
@media(pointer:coarse){input,select,textarea{font-size:16px}}
input:focus-visible,select:focus-visible,textarea:focus-visible{outline-offset:0;border-radius:8px}
[aria-invalid]{border-color:var(--bad)}
.money input,input.money,input.code{font-variant-numeric:tabular-nums}
input.code{letter-spacing:.2em;max-width:12em}
input[type=file]{padding:5px}
input:is([type=checkbox],[type=radio]){width:18px;height:18px;min-height:0;margin:0;flex:none;accent-color:var(--fill)}
label.yes{display:flex;align-items:center;gap:10px;min-height:32px}
.problem{color:var(--bad);font-weight:600}
.problems:focus{outline:none}
.problems:focus .notice{outline:2px solid var(--fill);outline-offset:2px}`;

const DESK = `
.bench{display:grid;gap:16px;grid-template-columns:minmax(0,2fr) minmax(0,3fr);align-items:start}
.queue,.story,.near{list-style:none;margin:0;padding:0;display:grid}
.queue a,.near label{display:grid;grid-template-columns:1fr auto;gap:0 12px;padding:9px 12px;border-top:1px solid var(--line);color:inherit;text-decoration:none;font-weight:400;overflow-wrap:anywhere}
.queue a:hover,.near label:hover{background:var(--soft)}
.queue [aria-current],.near label:has(:checked){background:var(--live)}
.near label{grid-template-columns:18px 1fr auto;align-items:center}
.queue small,.near small{display:block}
.story li{display:grid;grid-template-columns:112px minmax(0,1fr);gap:12px;padding:6px 0;border-top:1px solid var(--soft);overflow-wrap:anywhere}
.stack{display:grid;gap:16px;min-width:0}
fieldset.plain{border:0;margin:0;padding:0;min-width:0}
form[data-bench]{max-width:none}
.lead+.facts,.lead+.acts,.facts+.copyable{margin-top:12px}
pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere}
@media(pointer:coarse){.bench kbd{display:none}}
.button kbd{margin-left:6px;background:none;color:inherit;border-color:currentColor;opacity:.75}
.story time{white-space:normal;color:var(--muted)}
@media(max-width:759px){.bench{grid-template-columns:minmax(0,1fr)}}`;

const CHARTS = `
.chart{min-width:0}
figcaption{font-weight:600;margin-bottom:4px}
.plot{display:flex;margin:12px 12px 0 0;color:var(--muted)}
.plot svg{overflow:visible;flex:none}
.plot .fill{flex:1;min-width:0}
.plot text{font-size:12px;fill:currentColor}
.plot .end{text-anchor:end}
.plot .middle{text-anchor:middle}
.grid line,line.grid{stroke:var(--line)}
line.zero{stroke:var(--edge)}
rect.s0{fill:var(--fill)}rect.s1{fill:var(--second)}rect.s2{fill:var(--edge)}
.hatch{stroke:var(--card);stroke-width:2}
.plot path:not(.hatch){fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round;vector-effect:non-scaling-stroke}
path.l0{stroke:var(--fill)}path.l1{stroke:var(--second);stroke-dasharray:6 5}path.l2,.plot path.before{stroke:var(--edge);stroke-dasharray:1 5}
.plot path.before{stroke:var(--text);stroke-dasharray:none;stroke-width:1.5;opacity:.65}
circle.l0{fill:var(--fill)}circle.l1{fill:var(--second)}circle.l2{fill:var(--edge)}circle.before{fill:var(--text)}
.hit{fill:currentColor;fill-opacity:0}
:is(a,g):hover>.hit{fill-opacity:.1}
.legend{display:flex;flex-wrap:wrap;gap:2px 16px;list-style:none;font-size:12px;color:var(--muted)}
.legend li{display:flex;align-items:center;gap:6px}
.legend li:before{content:"";width:10px;height:10px;border-radius:2px;background:var(--fill);print-color-adjust:exact}
.legend .s1:before{background:var(--second)}.legend .s2:before{background:var(--edge)}
.legend :is(.l0,.l1,.l2,.before):before{width:18px;height:0;border-radius:0;background:none;border-top:2px solid var(--fill)}
.legend .l1:before{border-top:2px dashed var(--second)}.legend .l2:before{border-top:2px dotted var(--edge)}.legend .before:before{border-top-color:var(--muted)}
.numbers th,.numbers td{padding-block:4px;white-space:nowrap}
.spark{display:block;overflow:visible}
.spark polyline{fill:none;stroke:var(--fill);stroke-width:1.5;stroke-linejoin:round}
.heat th,.heat td{padding:4px 3px;min-width:30px;text-align:center;font-size:12px;line-height:20px;border:1px solid var(--card)}
.heat th:first-child{text-align:left;padding-right:8px;white-space:nowrap;color:var(--muted)}
.h0{background:var(--soft)}
.h1{background:color-mix(in srgb,var(--fill) 10%,var(--card))}.h2{background:color-mix(in srgb,var(--fill) 18%,var(--card))}.h3{background:color-mix(in srgb,var(--fill) 26%,var(--card))}.h4{background:color-mix(in srgb,var(--fill) 36%,var(--card))}.h5{background:color-mix(in srgb,var(--fill) 46%,var(--card))}`;

const NARROW = `
@media(max-width:759px){
.frame{display:block}
.side{border-right:0;border-bottom:1px solid var(--line);position:sticky;top:0;z-index:3}
.side>div{position:static;height:auto;padding:6px 12px;flex-direction:row;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:4px}
.side>div>:not(.brand,.menu){display:none}
.menu{display:contents}
.menu>summary{padding:0 8px;min-height:36px}
.menu>div{flex-basis:100%;display:grid;gap:8px;padding-bottom:8px;max-height:calc(100vh - 60px);overflow-y:auto}
main{padding:16px 12px}
.spare,.find kbd{display:none}
.rows,.rows tbody,.rows tr,.rows th,.rows td{display:block}
.rows thead{display:none}
.rows tbody tr{padding:10px 4px;border-bottom:1px solid var(--line)}
.rows tbody tr:last-child{border:0}
.rows :is(th,td),.rows :is(th,td).end{padding:3px 0;border:0;text-align:left}
.rows td{display:grid;grid-template-columns:112px minmax(0,1fr);gap:12px;overflow-wrap:anywhere}
.rows td:before{content:attr(data-label);color:var(--muted)}
.rows td>*{justify-self:start}
.filters .field{flex:1 1 130px}
.facts div{grid-template-columns:112px minmax(0,1fr)}
}`;

const MANNERS = `
@view-transition{navigation:auto}
@media(prefers-reduced-motion:reduce){@view-transition{navigation:none}*{animation:none!important;transition:none!important}}
@media print{:root{color-scheme:light}body{background:none}.frame{display:block}.side,.skip,.acts,.copy,.command,.pages,.filters,dialog{display:none!important}main{padding:0;max-width:none}.card{border:0;padding:0;break-inside:avoid}.wide{overflow:visible}}`;

export const STYLE = [
  ...[COLORS, GROUND, FRAME, PIECES, TABLES, FORMS, DESK, CHARTS, NARROW, MANNERS],
]
  .join("")
  .replaceAll("\n", "");
