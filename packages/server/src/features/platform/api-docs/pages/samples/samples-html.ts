import { type Html, html } from '../../../../../kernel/http/index.ts'
import type { Entry, OpenApiView } from '../../openapi-view.ts'
import { curlSample } from './curl.ts'
import { pythonSample } from './python.ts'
import { sampleRequest } from './sample-request.ts'
import { typescriptSample } from './typescript.ts'

/** Returns the samples of an endpoint by language. */
export function samplesOf(view: OpenApiView, entry: Entry): Map<string, string> {
  const request = sampleRequest(view, entry)
  const typescript = typescriptSample(request)
  return new Map([
    ['curl', curlSample(request)],
    ...(typescript === undefined ? [] : [['TypeScript', typescript] as const]),
    ['Python', pythonSample(request)],
  ])
}

/** Shows one sample at a time. `details` of one name close each other without a script. */
export function samplesHtml(view: OpenApiView, entry: Entry): Html {
  return html`<div class="samples">${[...samplesOf(view, entry)].map(
    ([
      language,
      text,
    ]) => html`<details name="sample-${entry.id}"${language === 'curl' && html` open`}><summary>${language}</summary>
${copyableHtml(text, language !== 'curl')}</details>
`,
  )}</div>`
}

/** A block of code with a button that copies it. */
export function copyableHtml(text: string, keepsLines = false): Html {
  return html`<div class="copying${keepsLines && ' lines'}"><button class="copy" type="button" hidden>Copy</button><pre tabindex="0"><code>${text}</code></pre></div>`
}
