// How the cabinet and the desk look: calm and dense, light and dark, from a phone to a wide screen, nothing loaded
// from anywhere. Guards that text has a contrast of 4.5, that controls and marks have 3, that nothing is
// moved sideways but what stands in a region of its own, and that whoever uses keys sees where they are.

const COLORS = `
:root{color-scheme:light dark;--back:light-dark(#f6f7f9,#0f1216);--card:light-dark(#fff,#191d23);--text:light-dark(#14181f,#e8ebf0);
--muted:light-dark(#545d69,#a3adba);--line:light-dark(#dfe3e8,#323945);--soft:light-dark(#eff1f4,#222730);--edge:light-dark(#868f9b,#77818f);
--fill:light-dark(#1f6feb,#5b9bff);--on:light-dark(#fff,#0b1220);--link:light-dark(#1a5fd0,#7db0ff);
--good:light-dark(#0a7d37,#4cc27a);--warn:light-dark(#8f4700,#f0b05a);--bad:light-dark(#b42318,#ff8a80);--second:light-dark(#b96a00,#e2a03f);
--wait:light-dark(#fbeedd,#38260e);--fail:light-dark(#fde8e6,#3d1a17);--live:light-dark(#e6effd,#152a4a);--on-live:light-dark(#184fb0,#a3c7ff);--over:light-dark(#eceff3,#2a303a)}`;

const GROUND = `
*{box-sizing:border-box}
html{scroll-padding-top:64px}
body{margin:0;background:var(--back);color:var(--text);font:14px/20px system-ui,sans-serif;font-variant-numeric:tabular-nums}
h1,h2,p,dl,dd,ul,figure{margin:0;padding:0}
h1{font-size:20px;line-height:28px;letter-spacing:-.01em}
h2{font-size:inherit}
h1,h2,p,label,.pages,.who a{overflow-wrap:anywhere}
h1,h2,b,label,figcaption{font-weight:600}
p+p{margin-top:8px}
small{font-size:12px;font-weight:400;color:var(--muted)}
a{color:var(--link);text-underline-offset:2px;text-decoration-thickness:1px}
code{font:13px/20px ui-monospace,SFMono-Regular,Menlo,monospace;overflow-wrap:anywhere}
:focus-visible{outline:2px solid var(--fill);outline-offset:2px;border-radius:4px}
[hidden]{display:none!important}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.muted,.hint,.none,dt{color:var(--muted)}
.money,time,.id,.chip{white-space:nowrap}
.lead{font-size:16px;line-height:24px}
.alone{max-width:480px;margin:0 auto;padding:8vh 16px 32px;display:flex;flex-direction:column;gap:16px}
.alone .brand{padding:0}
.qr svg{display:block;width:200px;max-width:100%;height:auto;background:#fff;border-radius:8px}
.codes{columns:2;list-style:none}
.merchant{display:flex;gap:8px;flex-wrap:wrap;padding:0 8px;font-weight:600}
`;

const FRAME = `
.skip{position:absolute;left:8px;top:-64px;z-index:9;padding:8px 12px;background:var(--card);border-radius:8px}
.skip:focus{top:8px}
.ribbon{grid-column:1/-1;padding:4px 16px;text-align:center;font-weight:600;background:#f6c343;color:#2b2000}
.frame{display:grid;grid-template-rows:auto 1fr;grid-template-columns:208px minmax(0,1fr);min-height:100vh}
.side,main{grid-row:2}
.side{border-right:1px solid var(--line);background:var(--card)}
.side>div{position:sticky;top:0;height:calc(100vh - 28px);overflow-y:auto;display:flex;flex-direction:column;gap:12px;padding:16px 12px}
.brand{display:flex;align-items:center;min-height:32px;padding:0 8px;font-size:16px;font-weight:600;letter-spacing:-.01em;color:inherit;text-decoration:none;overflow-wrap:anywhere}
.bare,.places a{border:0;text-decoration:none;background:none;color:var(--muted);font:inherit;min-height:32px;padding:4px 8px;border-radius:6px;display:inline-flex;align-items:center;cursor:pointer;text-align:left}
.bare:hover,.copy:hover,.places a:hover{background:var(--soft);color:var(--text)}
.places{list-style:none;margin:0;padding:0;display:grid;gap:2px}
.places a{display:flex}
.places a[aria-current]{background:var(--live);color:var(--on-live);font-weight:600}
.find{position:relative}
.find input{padding-right:34px}
.find kbd{position:absolute;right:8px;top:8px;pointer-events:none}
.who{margin-top:auto;padding-top:12px;border-top:1px solid var(--line);display:grid;gap:4px}
.who button{width:100%}
.menu{display:none}
main{width:100%;max-width:1248px;padding:24px;display:flex;flex-direction:column;gap:16px}
main:focus{outline:none}
.top{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:8px 16px;min-height:32px}
.filters .form{display:flex;flex-wrap:wrap;align-items:end;gap:8px 12px;max-width:none;margin:4px 0 8px}
.filters .field{flex:0 1 180px}
.grid{display:grid;gap:16px;grid-template-columns:repeat(auto-fit,minmax(min(420px,100%),1fr))}
.pages,.acts{display:flex;flex-wrap:wrap;align-items:center;gap:8px}
summary{display:inline-flex;align-items:center;gap:6px;min-height:32px;color:var(--muted);cursor:pointer;border-radius:4px}
summary::-webkit-details-marker{display:none}
summary:before{content:"";width:5px;height:5px;border:solid;border-width:0 1.5px 1.5px 0;transform:rotate(-45deg)}
[open]>summary:before{transform:rotate(45deg)}
.new{position:sticky;top:8px;z-index:2;align-self:center}
.new button{border-radius:999px;box-shadow:0 2px 8px #0003}
kbd{font:12px/16px ui-monospace,monospace;color:var(--muted);border:1px solid var(--line);border-radius:4px;padding:0 4px;background:var(--back)}
dialog{width:min(560px,calc(100vw - 24px));max-height:80vh;margin-top:10vh;border:1px solid var(--line);border-radius:12px;padding:16px;background:var(--card);color:inherit;box-shadow:0 16px 48px #0004}
dialog::backdrop{background:#0006}
dialog .top{margin-bottom:12px}`;

const PIECES = `
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:16px;min-width:0}
.head{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:8px;margin:-4px 0 8px;min-height:32px}
.card:has(>.wide:last-child){padding-bottom:4px}
.chip{display:inline-flex;align-items:center;gap:6px;padding:0 8px 0 7px;border-radius:999px;font-size:12px;line-height:20px;font-weight:600;background:var(--g,var(--over));color:var(--t,light-dark(#454d58,#c3cad4));print-color-adjust:exact}
.chip:before{content:"";flex:none;width:8px;height:8px;border-radius:50%;border:1.5px solid}
.chip.good{--g:light-dark(#e3f4e9,#12301e);--t:light-dark(#0a6b30,#7fdca2)}
.chip.wait{--g:var(--wait);--t:light-dark(#7d3e00,#f5c27d)}
.chip.bad{--g:var(--fail);--t:light-dark(#a01d14,#ffaba3)}
.chip.live{--g:var(--live);--t:var(--on-live)}
.good:before{background:currentColor}
.wait:before{background:linear-gradient(90deg,currentColor 50%,#0000 50%)}
.chip.bad:before{--x:#0000 42%,currentColor 42% 58%,#0000 58%;border:0;border-radius:0;background:linear-gradient(45deg,var(--x)),linear-gradient(-45deg,var(--x))}
.live:before{background:radial-gradient(currentColor 1.5px,#0000 2px)}
.id{display:inline-flex;align-items:center;gap:2px}
.copy{position:relative;flex:none;width:32px;height:32px;margin:-6px 0;padding:0;border:0;border-radius:6px;background:none;color:var(--muted);cursor:pointer}
.copy:before,.copy:after{content:"";position:absolute;width:9px;height:10px;border:1.5px solid;border-radius:2px;left:13px;top:12px;background:var(--card)}
.copy:before{left:10px;top:9px}
.copy.done{color:var(--good)}
.copy.done:before{display:none}
.copy.done:after{width:5px;height:10px;left:13px;top:9px;border-width:0 2px 2px 0;border-radius:0;background:none;transform:rotate(40deg)}
.copyable{display:flex;align-items:center;gap:8px;min-height:40px;padding:4px 4px 4px 12px;border:1px solid var(--line);border-radius:8px;background:var(--back);min-width:0}
.copyable code{flex:1;min-width:0}
.copyable .copy{margin:0}
.meter{display:inline-flex;flex-wrap:wrap;align-items:center;gap:2px 8px}
meter{width:80px;height:8px;flex:none;border:0;border-radius:4px;background:var(--over);overflow:hidden;appearance:none}
meter::-webkit-meter-bar{height:8px;border:0;background:var(--over)}
meter::-webkit-meter-optimum-value{background:var(--fill)}
meter::-webkit-meter-suboptimum-value{background:var(--second)}
meter::-moz-meter-bar{background:var(--fill)}
meter:-moz-meter-sub-optimum::-moz-meter-bar{background:var(--second)}
.facts{display:grid;gap:0 24px;grid-template-columns:repeat(auto-fit,minmax(min(300px,100%),1fr))}
.facts div{display:grid;grid-template-columns:112px minmax(0,1fr);gap:12px;align-items:baseline;padding:6px 0;border-top:1px solid var(--soft)}
.facts dd{overflow-wrap:anywhere}
.facts div:has(.copyable){grid-template-columns:minmax(0,1fr);gap:4px}
.figures{display:grid;gap:16px;grid-template-columns:repeat(auto-fit,minmax(min(200px,100%),1fr))}
.figures dt{font-size:12px}
.figures b{display:block;font-size:clamp(20px,5.5vw,28px);line-height:36px;letter-spacing:-.02em}
.figures dd>span{font-size:12px;color:var(--muted)}
.notice{padding:12px 16px;border-radius:8px;border:1px solid var(--line);border-left:4px solid var(--edge);background:var(--card);overflow-wrap:anywhere}
.notice.good{border-left-color:var(--good)}
.notice.warn{border-left-color:var(--warn);background:var(--wait)}
.notice.bad{border-left-color:var(--bad);background:var(--fail)}
.notice.bad a,.notice.warn a{color:inherit}
.notice ul{padding-left:18px}
.empty{padding:32px 16px;text-align:center;border:1px dashed var(--line);border-radius:8px;color:var(--muted);overflow-wrap:anywhere}
.empty b{color:var(--text)}
.empty>div{margin-top:4px}
.button{display:inline-flex;align-items:center;justify-content:center;min-height:36px;padding:6px 14px;border:1px solid var(--edge);border-radius:8px;background:var(--card);color:var(--text);font:inherit;font-weight:600;text-decoration:none;cursor:pointer}
.button:hover{border-color:var(--text)}
.button.main{background:var(--fill);border-color:#0000;color:var(--on)}
.button.main:hover{background:var(--link)}
.pages [aria-current]{background:var(--live);color:var(--on-live);border-color:currentColor}
.button.danger{color:var(--bad);border-color:currentColor}
.button.danger:hover{background:var(--fail)}`;

const TABLES = `
.wide{overflow-x:auto;position:relative}
table{border-collapse:collapse;width:100%}
th{font-weight:400;text-align:left}
.end{text-align:right}
thead th{font-size:12px;line-height:16px;color:var(--muted);white-space:nowrap}
th,td{padding:9px 12px;border-bottom:1px solid var(--line);vertical-align:middle}
:is(th,td):first-child{padding-left:4px}
:is(th,td):last-child{padding-right:4px}
tbody tr:last-child>*{border-bottom:0}
.rows tbody tr{position:relative}
.rows tbody :is(th,td){max-width:300px;overflow-wrap:break-word}
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
.meter,label.yes{font-weight:400}
input,select,textarea{width:100%;min-width:0;min-height:36px;padding:6px 10px;border:1px solid var(--edge);border-radius:8px;background:var(--card);color:inherit;font:inherit}
@media(pointer:coarse){input,select,textarea{font-size:16px}}
.field :focus-visible{outline-offset:0;border-radius:8px}
[aria-invalid]{border-color:var(--bad)}
input.code{letter-spacing:.2em;max-width:12em}
input:is([type=checkbox],[type=radio]){width:18px;height:18px;min-height:0;margin:0;flex:none;accent-color:var(--fill)}
label.yes{display:flex;align-items:center;gap:10px;min-height:32px}
.problem{color:var(--bad);font-weight:600}
.problems:focus{outline:none}
.problems:focus .notice{outline:2px solid var(--fill);outline-offset:2px}`;

const DESK = `
.new:has(>[hidden]){display:none}
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
.figures a{color:inherit}
.lead+.facts,.lead+.acts,.facts+.copyable{margin-top:12px}
pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere}
@media(pointer:coarse){.bench kbd{display:none}}
.button kbd{margin-left:6px;background:none;color:inherit;border-color:currentColor;opacity:.75}
.story time{white-space:normal;color:var(--muted)}
@media(max-width:759px){.bench{grid-template-columns:minmax(0,1fr)}}`;

const CHARTS = `
.chart{min-width:0}
figcaption{margin-bottom:4px}
.plot{display:flex;container-type:inline-size;margin:12px 12px 0 0;color:var(--muted)}
.plot svg{overflow:visible;flex:none}
.plot .fill{flex:1;min-width:0}
.plot text{font-size:12px;fill:currentColor}
.plot .end{text-anchor:end}
.plot .middle{text-anchor:middle}
line.grid{stroke:var(--line)}
line.zero{stroke:var(--edge)}
.s0,.l0{--c:var(--fill)}.s1,.l1{--c:var(--second)}.s2,.l2{--c:var(--edge)}
rect[class^=s],circle{fill:var(--c)}
.hatch{stroke:var(--card);stroke-width:2}
.plot path:not(.hatch){fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round;stroke-linecap:round;vector-effect:non-scaling-stroke}
path.l1{stroke-dasharray:6 5}path.l2{stroke-dasharray:1 5}
.hit{fill:currentColor;fill-opacity:0}
:is(a,g):hover>.hit{fill-opacity:.1}
.legend{display:flex;flex-wrap:wrap;gap:2px 16px;list-style:none;font-size:12px;color:var(--muted)}
.legend li{display:flex;align-items:center;gap:6px}
.legend li:before{content:"";width:10px;height:10px;border-radius:2px;background:var(--c);print-color-adjust:exact}
.legend [class^=l]:before{width:18px;height:0;background:none;border-top:2px solid var(--c)}
.legend .l1:before{border-top-style:dashed}.legend .l2:before{border-top-style:dotted}
.numbers th,.numbers td{padding-block:4px;white-space:nowrap}
@container(max-width:520px){.spare{display:none}}@container(max-width:300px){.rare{display:none}}`;

const NARROW = `
@media(max-width:759px){
.frame{display:block}
.side{border-right:0;border-bottom:1px solid var(--line);position:sticky;top:0;z-index:3}
.side>div{position:static;height:auto;padding:6px 12px;flex-direction:row;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:4px}
.side>div>:not(.brand,.menu){display:none}
.menu{display:block}
.menu>summary{padding:0 8px}
.menu>div{position:absolute;left:0;right:0;top:100%;display:grid;gap:8px;padding:8px 12px;background:var(--card);border-bottom:1px solid var(--line);max-height:calc(100vh - 60px);overflow-y:auto}
main{padding:16px 12px}
.rows,.rows tbody,.rows tr,.rows th,.rows td{display:block}
.rows thead{display:none}
.rows tbody tr{padding:10px 4px;border-bottom:1px solid var(--line)}
.rows tbody tr:last-child{border:0}
.rows :is(th,td),.rows :is(th,td).end{padding:3px 0;border:0;text-align:left}
.rows tbody :is(th,td){max-width:none;overflow-wrap:anywhere}
.rows td,.rows td.end{display:flow-root;padding-left:120px}
.rows td:before{content:attr(data-label);float:left;width:112px;margin-left:-120px;color:var(--muted)}
.filters .field{flex:1 1 130px}
.chip{white-space:normal}
}`;

const MANNERS = `
@view-transition{navigation:auto}
@media(prefers-reduced-motion:reduce){@view-transition{navigation:none}*{animation:none!important;transition:none!important}}
@media print{:root{color-scheme:light}body{background:none}.frame{display:block}.side,.skip,.acts,.copy,.command,.pages,.filters,dialog{display:none!important}main{padding:0;max-width:none}.card{border:0;padding:0;break-inside:avoid}.wide{overflow:visible}}`;

export const STYLE = [COLORS, GROUND, FRAME, PIECES, TABLES, FORMS, DESK, CHARTS, NARROW, MANNERS]
  .join("")
  .replaceAll("\n", "");
