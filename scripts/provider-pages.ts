import { canAttach } from '../packages/providers/src/catalogue/can-attach.ts'
import type { ProviderEntry, RateLimit } from '../packages/providers/src/index.ts'
import { code, link, row } from './markdown.ts'
import { authentication, inputs, schemeName } from './provider-authentication.ts'
import { connectExamples, manifestExample } from './provider-examples.ts'
import { capabilities, capabilityNames, works } from './provider-works.ts'

/** The pages `docs/providers/{name}.md` and their index, by file name: every provider of the catalogue. */
export function providerPages(entries: readonly ProviderEntry[]): Map<string, string> {
  const pages = entries.map((entry) => [`${entry.name}.md`, providerPage(entry)] as const)
  return new Map([...pages, ['README.md', indexPage(entries)]])
}

function indexPage(entries: readonly ProviderEntry[]): string {
  const rows = entries.map((entry) =>
    row([
      `[${entry.displayName}](${entry.name}.md)`,
      code(entry.name),
      [...new Set(entry.authentication.map(schemeName))].join(', '),
      capabilityNames(works(entry)) || '–',
    ]),
  )
  return page([
    '# Every provider',
    'What the [catalogue](../providers.md) knows of each, and what this release does there. A provider that is missing is [one YAML file](../provider-files.md).',
    [row(['Provider', 'Name', 'Authenticates with', 'Works in this release']), '|---|---|---|---|', ...rows].join('\n'),
  ])
}

function providerPage(entry: ProviderEntry): string {
  return page([
    `# ${entry.displayName}`,
    facts(entry),
    '## Authentication',
    ...entry.authentication.flatMap((scheme) => authentication(scheme)),
    ...inputs(entry),
    '## What works',
    ...whatWorks(entry),
    ...webhooksByHand(entry),
    ...modules(entry),
    ...connectExamples(entry),
    ...manifestExample(entry),
    '[Connecting](../connecting.md) says the rest about connections, [The manifest](../manifest.md) about integrations; [all providers](README.md).',
  ])
}

function facts(entry: ProviderEntry): string {
  const { name, baseUrl, docsUrl, healthCheck, rateLimits, defaultModule, modules: known } = entry
  return [
    row(['Name in manifests and requests', code(name)]),
    '|---|---|',
    row(['Base URL', urlText(baseUrl)]),
    ...(defaultModule && known[defaultModule] ? [row(['Default module', code(defaultModule)])] : []),
    row(['API documentation', docsUrl === undefined ? 'not known here' : link(docsUrl, docsUrl)]),
    row([
      'Whether a credential works',
      healthCheck ? 'is asked as soon as it is new' : 'shows with its first use: no health check is known',
    ]),
    ...(rateLimits
      ? [row(['[Requests at most](../reading.md#rate-limits-errors-and-retries)', limitsText(rateLimits)])]
      : []),
  ].join('\n')
}

function limitsText(limits: readonly RateLimit[]): string {
  const texts = limits.map(({ requests, perSeconds, per, for: kind }) => {
    const what = kind === undefined ? 'requests' : `${kind}s`
    return `${requests.toLocaleString('en')} ${what} in ${perSeconds} s ${per === 'app' ? 'for all accounts' : 'for each account'}`
  })
  return texts.join('; ')
}

/** The URL that no API registers. */
function webhooksByHand({ file, displayName }: ProviderEntry): string[] {
  const webhooks = file?.webhooks
  if (webhooks === undefined || webhooks.registration !== undefined) return []
  if (webhooks.endpoint === 'installation')
    return [
      '## Webhooks',
      `To be entered by hand in each customer’s ${displayName}: \`{origin}/subscribe/v1/projects/{project id}/integrations/{integration id}/installations/{installation id}\`, where \`{origin}\` is [\`MORTISE_PUBLIC_URL\`](../settings.md). [What else it takes](../subscribing.md#setting-up).`,
    ]
  return [
    '## Webhooks',
    `To be entered by hand in your app at ${displayName}, with the events that you want: \`{origin}/subscribe/v1/projects/{project id}/integrations/{integration id}\`, where \`{origin}\` is [\`MORTISE_PUBLIC_URL\`](../settings.md). \`mortise list provider-apps\` shows it whole, for each integration that [subscribes](../subscribing.md#setting-up).`,
  ]
}

/** What the facts write where they know no address is no address. */
function isKnownUrl(url: string): boolean {
  return /^(https?:\/\/|\{\{)[^<>]+$/.test(url)
}

function urlText(url: string): string {
  return isKnownUrl(url) ? code(url) : 'not known here'
}

function whatWorks(entry: ProviderEntry): string[] {
  const { support, objects, onlyWritten } = entry
  const here = works(entry)
  const rows = capabilities.map((name) =>
    row([name, support[name] ? 'yes' : 'not known', here[name] ? '**yes**' : 'no']),
  )
  return [
    ...(capabilityNames(here) === ''
      ? [`**Nothing yet**: ${missing(entry)}. [A provider file](../provider-files.md) of yours can say it.`]
      : []),
    [row(['', 'The provider can', 'This release does']), '|---|---|---|', ...rows].join('\n'),
    ...(objects && objects.length > 0 ? [`Objects: ${objects.map(code).join(', ')}.`] : []),
    ...(onlyWritten ? [`Written only, never read: ${onlyWritten.map(code).join(', ')}.`] : []),
  ]
}

function missing({ authentication, baseUrl }: ProviderEntry): string {
  if (!authentication.some(canAttach)) return 'how accounts authenticate is not known'
  return isKnownUrl(baseUrl) ? 'that its API may be used by the proxy is not known' : 'its base URL is not known'
}

function modules(entry: ProviderEntry): string[] {
  const all = Object.entries(entry.modules)
  if (all.length === 0) return []
  const rows = all.map(([id, { displayName, baseUrl, support, implemented }]) =>
    row([
      code(id),
      displayName,
      urlText(baseUrl),
      capabilityNames(support) || '–',
      capabilityNames(works({ support, implemented })) || '–',
    ]),
  )
  return [
    '## Modules',
    [row(['Id', '', 'Base URL', 'The provider can', 'This release does']), '|---|---|---|---|---|', ...rows].join('\n'),
  ]
}

function page(parts: readonly string[]): string {
  return `${parts.join('\n\n')}\n`
}
