import { readFileSync } from 'node:fs'
import { isMap, isPair, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml'

/** Where the examples of the reference are: the section, the provider and the path of a key in its file. */
const places: readonly (readonly [string, string, readonly string[]])[] = [
  ['Inputs', 'shopify', ['inputs']],
  ['Errors', 'hubspot', ['errors']],
  ['Paging', 'hubspot', ['templates', 'crmObject', 'read', 'paging']],
  ['Read', 'calendly', ['templates', 'list', 'read']],
  ['Events', 'calendly', ['webhooks', 'event']],
]

/** Returns a short example of each section that has one, as it is in the file of a provider. */
export function formatExamples(): Map<string, string> {
  return new Map(places.map(([section, provider, path]) => [section, exampleOf(provider, path)]))
}

function exampleOf(provider: string, path: readonly string[]): string {
  const text = readFileSync(new URL(`../../providers/${provider}.yaml`, import.meta.url), 'utf8')
  const document = parseDocument(text)
  const holder: unknown = path.length > 1 ? document.getIn(path.slice(0, -1)) : document.contents
  const pair = isMap(holder) ? pairOf(holder, path.at(-1)) : undefined
  const start = isPair(pair) && isScalar(pair.key) ? pair.key.range?.[0] : undefined
  const end = (pair?.value as { range?: readonly number[] } | undefined)?.range?.[1]
  if (start === undefined || end === undefined) throw new Error(`${provider}.yaml has no ${path.join('.')}.`)
  const indent = start - (text.lastIndexOf('\n', start) + 1)
  const lines = text.slice(start, end).trimEnd().split('\n')
  return [`# ${provider}.yaml`, ...lines.map((line, at) => (at === 0 ? line : line.slice(indent)))].join('\n')
}

function pairOf(map: YAMLMap, key: string | undefined): Pair | undefined {
  return map.items.find((pair) => isScalar(pair.key) && pair.key.value === key)
}
