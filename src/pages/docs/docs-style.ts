import { html, type SafeHtml } from '@remix-run/html-template'

/** The additional styles of the documentation. */
export const docsStyle: SafeHtml = html`
.docs { align-items: stretch; padding: 0; }
.docs header { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1.25rem; padding: .625rem clamp(1rem, 4vw, 2rem); background: var(--card); border-bottom: 1px solid var(--line); }
.docs header a { display: flex; align-items: center; gap: .5rem; min-height: 2.75rem; font-weight: 600; }
.docs .home { color: var(--ink); text-decoration: none; }
.docs .columns { display: grid; grid-template-columns: 13rem minmax(0, 1fr); gap: 2rem; width: 100%; max-width: 72rem; margin: 0 auto; padding: clamp(1.25rem, 4vw, 2.5rem) clamp(1rem, 4vw, 2rem) 4rem; }
.docs main { max-width: none; margin: 0; padding: 0; background: none; border: 0; border-radius: 0; box-shadow: none; }
.docs main:focus { outline: none; }
.docs nav ul { position: sticky; top: 1rem; margin: 0; padding: 0; list-style: none; }
.docs nav a { display: flex; align-items: center; min-height: 2.75rem; padding: 0 .75rem; border-radius: .75rem; color: var(--soft); font-weight: 600; text-decoration: none; }
.docs nav a:hover { background: var(--tint); color: var(--ink); }
.docs nav a[aria-current] { background: var(--tint); color: var(--accent); }
.docs .panel { margin-top: 1.5rem; padding: 1.25rem clamp(1rem, 3vw, 1.5rem); background: var(--card); border: 1px solid var(--line); border-radius: 1rem; }
.docs .operation { overflow-wrap: anywhere; }
.docs table { width: 100%; margin-top: 1rem; border-collapse: collapse; font-size: .9375rem; }
.docs caption { padding-bottom: .25rem; text-align: start; font-weight: 600; }
.docs th, .docs td { padding: .5rem .75rem .5rem 0; border-top: 1px solid var(--line); text-align: start; vertical-align: top; overflow-wrap: anywhere; }
.docs thead th { color: var(--soft); font-size: .8125rem; }
.docs tbody th { width: 30%; font-weight: 400; }
.docs tbody td:nth-child(2) { width: 20%; color: var(--soft); }
.docs .needed { color: var(--alert); font-size: .8125rem; font-weight: 600; }
.docs summary { min-height: 2.75rem; padding: .625rem 0; color: var(--accent); font-weight: 600; cursor: pointer; }
.docs pre { padding: .875rem 1rem; border-radius: .75rem; background: var(--tint); overflow-x: auto; white-space: pre; }
.docs pre code { overflow-wrap: normal; }
.docs .plain { margin: .75rem 0 0; padding: 0; list-style: none; }
.docs .plain li { display: flex; flex-wrap: wrap; gap: .125rem .75rem; padding: .5rem 0; border-top: 1px solid var(--line); }
@media (max-width: 48rem) {
  .docs .columns { grid-template-columns: minmax(0, 1fr); gap: 1rem; }
  .docs nav ul { position: static; display: flex; flex-wrap: wrap; }
  .docs .cards thead { display: none; }
  .docs .cards, .docs .cards tbody, .docs .cards tr, .docs .cards th, .docs .cards td, .docs caption { display: block; width: auto; }
  .docs .cards tr { padding: .625rem 0; border-top: 1px solid var(--line); }
  .docs .cards th, .docs .cards td { padding: .125rem 0; border: 0; }
}
`
