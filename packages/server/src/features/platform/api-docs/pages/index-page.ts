import { type Html, html } from '../../../../kernel/http/index.ts'
import type { Chapter } from '../openapi-view.ts'
import { pathHtml, prose } from './prose.ts'

/** Lists every endpoint in a line. */
export function indexPage(chapters: Chapter[], resources: string[]): Html {
  return html`<h1>API reference</h1>
<p class="lead">Every endpoint, webhook, resource and problem of this service. For tools, use the <a href="/v1/openapi.json">OpenAPI 3.1 document</a>.</p>
<p><a href="/docs/providers">Providers</a>: what you can do with each, and how to connect an account.</p>
${chapters.map(
  ({ name, slug, description, entries }) => html`<section>
<h2><a href="/docs/${slug}">${name}</a></h2>
<p class="lead">${prose(description)}</p>
<ul class="list">${entries.map(
    ({ id, method, path, operation }) =>
      html`<li><span class="method ${method.toLowerCase()}">${method}</span><a href="/docs/${slug}#${id}">${id}</a><span>${prose(operation.summary)}${path !== '' && html` ${pathHtml(path)}`}</span></li>
`,
  )}</ul>
</section>
`,
)}
<section>
<h2><a href="/docs/resources">Resources and schemas</a></h2>
<ul class="list plain">${resources.map((name) => html`<li><a href="/docs/resources#${name}">${name}</a></li>`)}</ul>
</section>`
}
