import { type Html, html, type ProblemDeclaration } from '../../../../kernel/http/index.ts'
import { prose } from './prose.ts'

/** Lists all problems, by status. */
export function problemsPage(problems: Iterable<ProblemDeclaration>): Html {
  const sorted = [...problems].toSorted((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1))
  return html`<h1>Problems</h1>
<p class="lead">Each response other than 2xx and 3xx is <a href="/docs/resources#Problem">Problem Details</a> (RFC 9457). ${prose('`context.code` is the stable code; `remedy` says what to do.')}</p>
<section><ul class="list">${sorted.map(
    ({ code, status, detail }) =>
      html`<li><span class="method">${status}</span><a href="/problems/${code}">${code}</a><span>${prose(detail)}</span></li>
`,
  )}</ul></section>`
}
