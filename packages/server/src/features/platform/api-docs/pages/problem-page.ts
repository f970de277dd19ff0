import { type Html, html, type ProblemDeclaration } from '../../../../kernel/http/index.ts'
import { type Chapter, type OpenApiView, resolvedAnswer } from '../openapi-view.ts'
import { prose } from './prose.ts'

/** A problem that more endpoints return has no list: nearly all can return it. */
const operationsMax = 40

/** The page that `href` of a problem leads to. */
export function problemPage(view: OpenApiView, chapters: Chapter[], problem: ProblemDeclaration): Html {
  const { code, status, title, detail, remedy, retryable, subsystem } = problem
  const answering = chapters.flatMap(({ slug, entries }) =>
    entries
      .filter(({ operation }) =>
        Object.values(operation.responses).some((answer) =>
          resolvedAnswer(view, answer)['x-mortise-problems']?.includes(code),
        ),
      )
      .map(({ id, operation }) => ({ id, slug, summary: operation.summary })),
  )
  const example = view.components.examples[code]?.value
  return html`<h1>${title}</h1>
<p class="lead">${prose(detail)}</p>
<section>
<h2>What it means</h2>
<ul class="fields">
<li><strong>What to do</strong><div>${prose(remedy ?? 'Read `detail`, `causes` and `issues` of the response: they say what is wrong.')}</div></li>
<li><strong>Retry</strong><div>${retryable ? 'The same request may succeed later.' : 'The same request fails until you change something.'}</div></li>
<li><strong>Code</strong><div><code>${code}</code> in <code>context.code</code>, HTTP status ${status}, from ${subsystem}</div></li>
</ul>
${example && html`<h3>Example</h3><pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre>`}
</section>
${
  answering.length > 0 &&
  answering.length <= operationsMax &&
  html`<section><h2>Endpoints that return it</h2>
<ul class="list plain">${answering.map(({ id, slug, summary }) => html`<li><a href="/docs/${slug}#${id}">${id}</a><span>${prose(summary)}</span></li>`)}</ul></section>`
}`
}
