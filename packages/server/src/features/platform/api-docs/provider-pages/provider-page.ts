import {
  allWebhooks,
  canAttach,
  comparedOn,
  evidenceOf,
  type ProviderEntry,
  type RateLimit,
  testedOn,
} from '@mortise/providers'
import { type Html, html } from '../../../../kernel/http/index.ts'
import { prose } from '../pages/prose.ts'
import { copyableHtml } from '../pages/samples/samples-html.ts'
import { furtherInputsHtml, methodHtml, methodName } from './authentication-html.ts'
import { capabilities, capabilityKeys, capabilityList } from './capabilities.ts'
import { connectExamples } from './connect-examples.ts'
import { externalLink } from './external-link.ts'
import { manifestExample } from './manifest-example.ts'
import { scopesHtml } from './scopes-html.ts'

/** What a page needs to know of the service. */
export interface PageContext {
  /** The public URL of the service. */
  origin: string
  /** Returns the address of an operation in the reference. */
  operationHref(id: string): string
}

/** Renders the page of one provider: what it can do, how to connect an account, and an integration to begin with. */
export function providerPage(entry: ProviderEntry, context: PageContext): Html {
  const { displayName, authentication } = entry
  return html`<p class="crumb"><a href="/docs/providers">Providers</a></p>
<h1>${displayName}</h1>
<p class="lead">${prose(summaryOf(entry))}</p>
${entry.seeAlso && seeAlsoHtml(entry.seeAlso)}
${evidenceHtml(entry)}
<section id="overview"><h2>Overview</h2>${factsHtml(entry)}${capabilitiesHtml(entry)}</section>
<section id="authentication"><h2>Authentication</h2>
${authentication.map((scheme) => html`<h3>${methodName(scheme)}</h3>${methodHtml(scheme, context.origin)}`)}
${furtherInputsHtml(entry)}</section>
${scopesHtml(entry)}
${connectHtml(entry, context)}
${integrationHtml(entry, context)}
${modulesHtml(entry)}
${webhooksHtml(entry, context)}`
}

function testedParts({ parts, objects = [] }: NonNullable<ProviderEntry['connected']>): string {
  const words = {
    authentication: 'authentication',
    baseUrl: 'base URL',
    healthCheck: 'health check',
    objects: 'objects',
  }
  const named = parts.map((part) => words[part]).join(', ')
  return objects.length > 0 ? `${named} (${objects.join(', ')})` : named
}

function seeAlsoHtml({ provider, module }: NonNullable<ProviderEntry['seeAlso']>): Html {
  return html`<p>Objects are in <a href="/docs/providers/${provider}"><code>${provider}</code></a>${module !== undefined && html`, module <code>${module}</code>`}. Connect an account to that provider to read or write them.</p>`
}

/** Says what the entry is based on. */
function evidenceHtml(entry: ProviderEntry): Html {
  const { documented, connected } = entry
  const { kind, summary } = evidenceOf(entry)
  return html`${connected && html`<p><strong>${testedOn(connected.date)}</strong>: ${testedParts(connected)}. Version of the file: <code>${connected.file}</code>.</p>`}
${kind !== 'account' && kind !== 'documentation' && html`<p><strong>${summary}.</strong></p>`}
${documented && comparisonHtml(documented)}
${connected === undefined && html`<p>No test with an account is recorded. If something is wrong, correct it with <a href="/docs/guides/provider-files">your own provider file</a>.</p>`}`
}

/** Names the sections of a page, for the navigation. */
export function providerPageSections(page: string): string[] {
  return [...page.matchAll(/<section id="([a-z]+)">/g)].map(([, id = '']) => id)
}

function comparisonHtml({ date, parts, absent, undocumented }: NonNullable<ProviderEntry['documented']>): Html {
  const lists = [
    `: ${parts.join(', ')}.`,
    ...(absent ? [` The API does not have: ${absent.join(', ')}.`] : []),
    ...(undocumented ? [` No public documentation was found for: ${undocumented.join(', ')}.`] : []),
  ]
  return html`<p><strong>${comparedOn(date)}</strong>${lists.join('')}</p>`
}

function summaryOf(entry: ProviderEntry): string {
  const usable = capabilityList(entry.implemented)
  if (usable !== '') return `Name in manifests and requests: \`${entry.name}\`. Mortise supports: ${usable}.`
  return `Name in manifests and requests: \`${entry.name}\`. Mortise cannot use this provider yet: ${missingFact(entry)}. Add the missing facts with your own provider file.`
}

function missingFact({ authentication, baseUrl }: ProviderEntry): string {
  if (!authentication.some(canAttach)) return 'the authentication method is unknown'
  return isKnownUrl(baseUrl) ? 'the base URL is not confirmed' : 'the base URL is unknown'
}

/** Tells an address from the words that a file has where the address is not known. */
function isKnownUrl(url: string): boolean {
  return /^(https?:\/\/|\{\{)[^<>]+$/.test(url)
}

function urlHtml(url: string): Html {
  return isKnownUrl(url) ? html`<code>${url}</code>` : html`Not known`
}

function factsHtml({ baseUrl, docsUrl, healthCheck, rateLimits, defaultModule, modules }: ProviderEntry): Html {
  return html`<dl class="facts">
<dt>Base URL</dt><dd>${urlHtml(baseUrl)}</dd>
${defaultModule !== undefined && modules[defaultModule] !== undefined && html`<dt>Default module</dt><dd><code>${defaultModule}</code></dd>`}
${docsUrl !== undefined && html`<dt>API documentation</dt><dd>${externalLink(docsUrl, docsUrl)}</dd>`}
<dt>Credential check</dt><dd>${healthCheck ? 'When an account is connected' : 'At the first request: no health check is known'}</dd>
${rateLimits && html`<dt>Rate limits</dt><dd>${rateLimits.map((limit) => html`<div>${limitText(limit)}</div>`)}</dd>`}
</dl>`
}

function limitText({ requests, perSeconds, per, for: kind, path }: RateLimit): string {
  const what = kind === undefined ? 'requests' : `${kind} requests`
  const where = path === undefined ? '' : ` to paths that match ${path}`
  return `${requests.toLocaleString('en')} ${what}${where} in ${perSeconds} s, ${per === 'app' ? 'for all accounts together' : 'for each account'}`
}

function capabilitiesHtml(entry: ProviderEntry): Html {
  const { implemented, undescribed = [], objects, onlyWritten, reportsDeletions } = entry
  return html`<table><thead><tr><th scope="col">Capability</th><th scope="col">Mortise</th></tr></thead>
<tbody>${capabilityKeys.map(
    (key) =>
      html`<tr><th scope="row">${capabilities[key]}</th><td>${implemented[key] ? html`<strong class="yes">Yes</strong>` : undescribed.some((action) => action === key) ? 'Not yet: the provider can' : 'No'}</td></tr>
`,
  )}</tbody></table>
${objects !== undefined && objects.length > 0 && html`<h3>Objects</h3><p class="names">${objects.map((name) => html`<code>${name}</code> `)}</p>`}
${onlyWritten && html`<h3>Objects that can be written but not read</h3><p class="names">${onlyWritten.map((name) => html`<code>${name}</code> `)}</p>`}
${reportsDeletions && html`<h3>Objects whose deleted records can be read</h3><p class="names">${reportsDeletions.map((name) => (name === '*' ? 'Custom objects ' : html`<code>${name}</code> `))}</p>`}`
}

function connectHtml(entry: ProviderEntry, { origin, operationHref }: PageContext): Html {
  const examples = connectExamples(entry, origin)
  if (examples.length === 0) return html``
  return html`<section id="connect"><h2>Connect an account</h2>
<p>Replace <code>YOUR_KEY</code> with an API key of your project, and each <code>…</code> with a value. Details: <a href="${operationHref('generateConnection')}">generateConnection</a>, <a href="${operationHref('oauthConnect')}">oauthConnect</a>.</p>
${examples.map(({ scheme, commands }) => html`<h3>${methodName(scheme)}</h3>${commands.map(({ title, text }) => html`<p>${title}:</p>${copyableHtml(text)}`)}`)}</section>`
}

function integrationHtml(entry: ProviderEntry, { operationHref }: PageContext): Html {
  const manifest = manifestExample(entry)
  if (manifest === undefined) return html``
  return html`<section id="integration"><h2>Create an integration</h2>
<p>Save this manifest as <code>mortise.yaml</code> and run <code>mortise deploy mortise.yaml</code>, or send it to <a href="${operationHref('batchUpsertIntegrations')}">batchUpsertIntegrations</a>.</p>
${copyableHtml(manifest, true)}</section>`
}

function modulesHtml(entry: ProviderEntry): Html {
  const modules = Object.entries(entry.modules)
  if (modules.length === 0) return html``
  return html`<section id="modules"><h2>Modules</h2>
<ul class="fields">${modules.map(
    ([id, { displayName, baseUrl, implemented }]) =>
      html`<li><code>${id}</code> <span class="type">${displayName}</span><div>Base URL: ${urlHtml(baseUrl)}</div><div>Mortise supports: ${capabilityList(implemented) || 'nothing yet'}</div></li>
`,
  )}</ul></section>`
}

/** Shows the webhook URL where the provider has no API to register it. */
function webhooksHtml(entry: ProviderEntry, { origin, operationHref }: PageContext): Html {
  const { displayName } = entry
  const webhooks = allWebhooks(entry).find(({ registration }) => registration === undefined)
  if (webhooks === undefined) return html``
  const path = '/subscribe/v1/projects/{projectId}/integrations/{integrationId}'
  if (webhooks.endpoint === 'installation')
    return html`<section id="webhooks"><h2>Webhooks</h2>
<p>${displayName} has no API to register webhooks. Enter this URL in each customer’s account:</p>
${copyableHtml(`${origin}${path}/installations/{installationId}`)}</section>`
  return html`<section id="webhooks"><h2>Webhooks</h2>
<p>${displayName} has no API to register webhooks. Enter this URL in your app at ${displayName}, and select the events that you need:</p>
${copyableHtml(`${origin}${path}`)}
<p><a href="${operationHref('listProviderApps')}">listProviderApps</a> and <code>mortise list provider-apps</code> return the URL with its ids.</p></section>`
}
