import { type Html, html } from '../../../../kernel/http/index.ts'
import { type Entry, type OpenApiView, type ParameterView, resolvedParameter } from '../openapi-view.ts'
import { type SampleRequest, sampleRequest } from '../pages/samples/sample-request.ts'

/**
 * A form that sends the request of an endpoint, in a template: it needs the script, so nothing shows without it. No
 * field has a `name`, so the browser itself never sends or keeps what you enter.
 */
export function tryItHtml(view: OpenApiView, entry: Entry): Html {
  const request = sampleRequest(view, entry)
  const parameters = entry.operation.parameters.map((parameter) => resolvedParameter(view, parameter))
  return html`<template class="try"><details class="try">
<summary>Try it</summary>
<form data-method="${request.method}" data-path="${entry.path}" autocomplete="off">
<p>Sends a real request to this service from your browser.${request.credential !== 'none' && ' The page forgets your credential when you leave it.'}</p>
${credentials[request.credential]}
${parameters.map(parameterHtml)}
${bodyHtml(request, entry)}
<p><button type="submit">Send request</button> <button type="button" data-stop hidden>Stop</button></p>
</form>
<p class="outcome" role="status"></p>
<div data-answer hidden>
<h4>Response body</h4>
<pre tabindex="0"><code data-response></code></pre>
<h4>Response headers</h4>
<pre tabindex="0"><code data-headers></code></pre>
</div>
</details></template>`
}

// Not of type `password`: browsers offer to store those.
const secretHtml = (label: string, name: string, prefix: string) =>
  html`<label><span>${label}</span><input class="secret" type="text" data-in="header" data-name="${name}" data-prefix="${prefix}" data-secret autocomplete="off" autocapitalize="none" spellcheck="false"></label>`

const credentials: Record<SampleRequest['credential'], Html> = {
  apiKey: secretHtml('API key', 'X-Api-Key', ''),
  token: secretHtml('Session token', 'Authorization', 'Bearer '),
  none: html``,
}

function parameterHtml({ name, in: location, schema, required }: ParameterView): Html {
  const label = html`<span><code>${name}</code> <small>${location}${!required && ', optional'}</small></span>`
  const target = html`data-in="${location}" data-name="${name}"${required && html` required`}`
  const choices = schema.type === 'boolean' ? ['true', 'false'] : (schema.enum ?? []).map(String)
  if (choices.length > 0)
    return html`<label>${label}<select ${target}>${!required && html`<option value="">not sent</option>`}${choices.map((choice) => html`<option>${choice}</option>`)}</select></label>
`
  const value = name === 'projectIdOrName' ? 'default' : ''
  return html`<label>${label}<input type="text" ${target} value="${value}" autocomplete="off" autocapitalize="none" spellcheck="false"></label>
`
}

function bodyHtml({ contentType, body }: SampleRequest, { operation }: Entry): Html {
  if (contentType === undefined) return html``
  const label = html`<span>Body <small>${contentType}${!operation.requestBody?.required && ', optional'}</small></span>`
  const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body, null, 2)
  const rows = Math.min(Math.max(text.split('\n').length, 3), 16)
  return contentType === 'application/octet-stream'
    ? html`<label>${label}<input type="file" data-body="${contentType}"></label>`
    : html`<label>${label}<textarea data-body="${contentType}" rows="${rows}" spellcheck="false">
${text}</textarea></label>`
}
