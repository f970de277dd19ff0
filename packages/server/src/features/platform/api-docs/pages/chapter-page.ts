import { type Html, html, orgRoles } from '../../../../kernel/http/index.ts'
import {
  type Chapter,
  type Entry,
  type MediaView,
  type OpenApiView,
  resolvedAnswer,
  resolvedParameter,
} from '../openapi-view.ts'
import { tryItHtml } from '../try-it/try-it-html.ts'
import { pathHtml, prose } from './prose.ts'
import { samplesHtml } from './samples/samples-html.ts'
import { fieldsHtml, limitsHtml, typeHtml } from './schema-html.ts'

/** One chapter: each of its operations whole. */
export function chapterPage(view: OpenApiView, { name, description, entries }: Chapter): Html {
  return html`<h1>${name}</h1>
<p class="lead">${prose(description)}</p>
${entries.map((entry) => entryHtml(view, entry))}`
}

function entryHtml(view: OpenApiView, entry: Entry): Html {
  const { id, operation } = entry
  const { summary, description, parameters, requestBody, responses } = operation
  const isWebhook = entry.path === ''
  const [bodyType, body] = Object.entries(requestBody?.content ?? {})[0] ?? []
  return html`<section id="${id}">
<h2><a href="#${id}">${id}</a>${operation['x-mortise-extension'] && html` <span class="tagged">extension</span>`}</h2>
${
  isWebhook
    ? html`<p class="call"><span class="method post">POST</span> to your webhook</p>`
    : html`<p class="call"><span class="method ${entry.method.toLowerCase()}">${entry.method}</span> ${pathHtml(entry.path)}</p>`
}
<p>${prose(summary)}</p>
${description !== undefined && html`<p>${prose(description)}</p>`}
${!isWebhook && html`<p><small>Callers: ${callers(operation['x-mortise-callers'] ?? [])}.</small></p>`}
${
  parameters.length > 0 &&
  html`<h3>Parameters</h3>
<ul class="fields">${parameters.map((declared) => {
    const parameter = resolvedParameter(view, declared)
    return html`<li><code>${parameter.name}</code> <span class="type">${parameter.in}, ${typeHtml(parameter.schema)}</span>${parameter.required && html` <span class="required">required</span>`}${parameter.in !== 'path' && limitsHtml(parameter.schema)}${parameter.description !== undefined && html`<div>${prose(parameter.description)}</div>`}</li>
`
  })}</ul>`
}
${
  body &&
  html`<h3>Body${!requestBody?.required && html` <small>may be left out</small>`}</h3>
<p class="type">${bodyType}: ${typeHtml(body.schema)}</p>
${fieldsHtml(view, body.schema)}`
}
${isWebhook ? exampleHtml('Example', body) : requestHtml(view, entry)}
<h3>Answers</h3>
<ul class="answers">${Object.entries(responses).map(([status, declared]) => {
    const answer = resolvedAnswer(view, declared)
    const problems = answer['x-mortise-problems']
    return html`<li><span class="status">${status}</span>${problems ? problemLinks(problems) : prose(answer.description)}${!problems && Object.entries(answer.content ?? {}).map((content) => contentHtml(view, content))}</li>
`
  })}</ul>
</section>
`
}

function contentHtml(view: OpenApiView, [type, media]: [string, MediaView]): Html {
  const { schema } = media
  const isNamed = schema.$ref !== undefined || schema.items?.$ref !== undefined
  return html`<div class="type">${type.split(';')[0] ?? type}: ${typeHtml(schema)}</div>
${!isNamed && fieldsHtml(view, schema)}
${exampleHtml('Example response', media)}`
}

function exampleHtml(title: string, media: MediaView | undefined): Html {
  const value = Object.values(media?.examples ?? {})[0]?.value
  if (value === undefined) return html``
  return html`<details><summary>${title}</summary><pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre></details>`
}

function requestHtml(view: OpenApiView, entry: Entry): Html {
  return html`<h3>Request</h3>
${samplesHtml(view, entry)}
${tryItHtml(view, entry)}`
}

function problemLinks(codes: string[]): Html {
  return html`Problem ${codes.map((code, at) => html`${at > 0 && ', '}<a href="/problems/${code}">${code}</a>`)}`
}

const words: Record<string, string> = {
  frontendKey: 'API keys of scope frontend',
  fullKey: 'API keys of scope full',
  consumer: 'consumer tokens, for their own group',
  builder: 'everyone who has signed in',
  viewer: 'viewers',
  operator: 'operators',
  developer: 'developers',
  owner: 'owners',
}

function callers(names: string[]): string {
  if (names.includes('none')) return 'everyone'
  // Who is signed in includes people of all roles, and each role has the rights of those before it.
  const roles = orgRoles.filter((role) => names.includes(role))
  const [lowest] = names.includes('builder') ? [] : roles
  const others = names.filter((name) => !orgRoles.some((role) => role === name))
  const people = lowest === undefined ? [] : [`${words[lowest]}${roles.length > 1 ? ' and higher roles' : ''}`]
  return [...others.map((name) => words[name] ?? name), ...people].join('; ')
}
