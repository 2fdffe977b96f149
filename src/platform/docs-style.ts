// How the description for people looks: from the smallest phone, where everything stands below each other,
// to a wide screen with the contents, the fields and the examples side by side; light and dark.

export const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d9dde3, #333a44); --soft: light-dark(#f5f6f8, #1c2128);
  --back: light-dark(#fff, #14181d); --text: light-dark(#1b1f24, #e6e9ee);
  --accent: light-dark(#0b57d0, #8ab4f8); --muted: light-dark(#57606b, #9aa4b2) }
* { box-sizing: border-box }
html { scroll-padding-top: 1rem }
body { margin: 0 auto; padding: 2rem 1rem 6rem; max-width: 92rem; font: 16px/1.55 system-ui, sans-serif;
  background: var(--back); color: var(--text); overflow-wrap: anywhere }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .5rem } header p { max-width: 60rem; margin: .4rem 0 }
code, pre { font: .88em/1.5 ui-monospace, monospace } a { color: var(--accent) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px }
nav { margin: 1.5rem 0; padding: .25rem 1rem; border: 1px solid var(--line); border-radius: 12px; background: var(--soft) }
summary { font-weight: 600; padding: .6rem 0; cursor: pointer }
nav ul { list-style: none; margin: 0; padding: 0 }
nav li a { display: block; padding: .25rem 0; text-decoration: none; line-height: 1.35 }
nav li span { display: block; color: var(--muted); font-size: .85rem }
.group > h2 { font-size: 1.6rem; margin: 3rem 0 .3rem }
article { border-top: 1px solid var(--line); margin-top: 2rem; padding-top: 1.5rem }
h3 { font-size: 1.1rem; line-height: 1.4; margin: 0 } h4 { font-size: .9rem; margin: 1.2rem 0 .4rem }
article > p { max-width: 60rem; margin: .5rem 0 }
.method { display: inline-block; min-width: 3.6em; padding: .1em .5em; border-radius: 6px; text-align: center;
  background: var(--accent); color: light-dark(#fff, #10141a); font-size: .8em; margin-right: .5em }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem; margin: 0;
  white-space: pre-wrap }
dl { margin: 0; font-size: .93rem } dl > div { padding: .4rem 0; border-bottom: 1px solid var(--line) }
dt code { font-weight: 600; margin-right: .3em } dd { margin: 0 } .muted { color: var(--muted) }
.statuses > div { display: flex; gap: .8rem }
@media (min-width: 62rem) {
  body { display: grid; grid-template-columns: 19rem minmax(0, 1fr); column-gap: 3rem; padding: 2.5rem 2rem 6rem }
  header { grid-column: 1 / 3 }
  nav { position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow-y: auto; font-size: .92rem }
  .group:first-child > h2 { margin-top: 1.5rem }
}
@media (min-width: 76rem) {
  .sides { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); column-gap: 2.5rem }
}
`;
