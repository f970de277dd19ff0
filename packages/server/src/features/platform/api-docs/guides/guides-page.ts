import { type Html, html } from '../../../../kernel/http/index.ts'
import type { Guide } from './guides.ts'

/** Lists all guides. */
export function guidesPage(guides: Iterable<Guide>): Html {
  const sorted = [...guides].toSorted((a, b) => a.title.localeCompare(b.title, 'en'))
  return html`<h1>Guides</h1>
<p class="lead">How to build, deploy and run integrations.</p>
<section>
<h2>All guides</h2>
<ul class="list plain">${sorted.map(
    ({
      name,
      title,
      sections,
    }) => html`<li><a href="/docs/guides/${name}">${title}</a><span>${excerpt(sections[0]?.text ?? '')}</span></li>
`,
  )}</ul>
</section>`
}

/** Cuts a text after its first sentence. */
function excerpt(text: string): string {
  const end = text.search(/[.:](\s|$)/)
  return end < 0 ? text : `${text.slice(0, end)}.`
}

/** Shows one guide. */
export function guidePage({ content }: Guide): Html {
  return html`<p class="crumb"><a href="/docs/guides">Guides</a></p>
<article>${content}</article>`
}
