import type { ProviderEntry } from '../catalogue/entry.ts'
import { inputIssues } from '../catalogue/inputs.ts'
import { resolveUrl } from '../interpreter/base-url.ts'
import { parseTemplate } from '../interpreter/template.ts'
import { InvalidInputs } from '../provider-error.ts'
import { isWhole, sampleValues, type UrlTemplate, urlTemplates } from './sample-connection.ts'

/** Values that lead a host elsewhere when they are pasted into a URL, each by another rule of URL parsers. */
export const hostileHosts = [
  'evil.com/',
  'evil.com#',
  'evil.com?',
  'evil.com\\',
  'a@evil.com/',
  'x:443/',
  '%2e',
  'evil。com',
  'éxample',
  '\tevil.com',
  '..',
  '',
]

const hostileUrls = [
  ...hostileHosts,
  '//evil.com',
  'https://a@evil.com/',
  'https://evil.com#',
  'https://evil.com?x=',
  'https://evil.com\\@b.example',
  'ftp://evil.com',
  'javascript:alert(1)',
]

const hostilePaths = [
  '..',
  '.',
  '../..',
  '//evil.com',
  '/\\evil.com',
  '@evil.com',
  '?x=1',
  '#x',
  'a/../b',
  '\t/evil',
  '',
]

/** What is wrong with the URLs of an entry, by case. */
export function addressCases(entry: ProviderEntry): { name: string; faults: string[] }[] {
  return [
    { name: 'templates', faults: templateFaults(entry) },
    { name: 'defaults', faults: defaultFaults(entry) },
    { name: 'hostile inputs', faults: hostFaults(entry) },
  ]
}

/** Places whose URL the facts do not know: their text is not a template of one. */
export function unknownUrls(entry: ProviderEntry): string[] {
  return urlTemplates(entry).flatMap(({ place, text }) => (/^(https?:\/\/|\{\{)[^<>]+$/.test(text) ? [] : [place]))
}

/** What is wrong with the URLs of an entry when every variable has a value that fits. */
export function templateFaults(entry: ProviderEntry): string[] {
  const values = sampleValues(entry)
  return urlTemplates(entry).flatMap(({ place, text }) => {
    const url = attempt(text, values)
    if (typeof url === 'string') return [`${place} does not resolve: ${url}`]
    const faults = []
    if (url.protocol !== 'https:' && url.protocol !== 'http:') faults.push(`${place} is not a web address: ${url}`)
    if (/[{}]|%7[bd]/i.test(url.href)) faults.push(`${place} keeps braces: ${url}`)
    if (url.username !== '' || url.hash !== '') faults.push(`${place} has a user or a fragment: ${url}`)
    return faults
  })
}

/** The default of each input must fit where it goes. */
export function defaultFaults(entry: ProviderEntry): string[] {
  return entry.inputs.flatMap((input) => {
    if (input.default === undefined) return []
    const values = { ...sampleValues(entry), [input.name]: input.default }
    return urlTemplates(entry).flatMap(({ place, text }) => {
      const url = attempt(text, values)
      return typeof url === 'string' ? [`the default of ${input.name} does not fit ${place}: ${url}`] : []
    })
  })
}

/** Values of a connection that move one of the URLs to another place, or are not refused as bad inputs. */
export function hostFaults(entry: ProviderEntry): string[] {
  return urlTemplates(entry).flatMap((template) => [
    ...new Set(parseTemplate(template.text).variables.flatMap((name) => movedBy(entry, template, name))),
  ])
}

function movedBy(entry: ProviderEntry, { place, text }: UrlTemplate, name: string): string[] {
  const values = sampleValues(entry)
  const fault = (value: string, what: string) => `${place}: ${name} = ${JSON.stringify(value)} ${what}`
  const resolved = (value: string) => attemptHostile(text, { ...values, [name]: value })
  if (isInAuthority(text, name)) {
    const refusedByForm = entry.inputs.some((input) => input.name === name) && place === 'baseUrl'
    return (isWhole(text, name) ? hostileUrls : hostileHosts).flatMap((value) => [
      ...(resolved(value) === 'refused' ? [] : [fault(value, 'is not refused')]),
      ...(refusedByForm &&
      inputIssues(entry, undefined, { ...values, [name]: value }).length === 0 &&
      !fallsBack(entry, name, value)
        ? [fault(value, 'is not an issue of the form')]
        : []),
    ])
  }
  const good = attempt(text, values)
  if (typeof good === 'string') return []
  const prefix = pathBefore(text, name, values)
  return hostilePaths.flatMap((value) => {
    const url = resolved(value)
    if (url === 'refused') return []
    if (!(url instanceof URL)) return [fault(value, url)]
    const stays = url.origin === good.origin && url.pathname.startsWith(prefix) && url.hash === ''
    return stays ? [] : [fault(value, `leads to ${url}`)]
  })
}

/** An empty value is none: the default of the input replaces it, and other modules do not need the input. */
function fallsBack(entry: ProviderEntry, name: string, value: string): boolean {
  const input = entry.inputs.find((one) => one.name === name)
  return (value === '' && input?.default !== undefined) || input?.modules !== undefined
}

/** Whether a variable is in scheme, host or port. */
function isInAuthority(text: string, name: string): boolean {
  const authority = /^(?:https?:\/\/)?[^/?#]*/.exec(text)?.[0] ?? ''
  return parseTemplate(authority).variables.includes(name)
}

/** The path before a variable, as it is written. */
function pathBefore(text: string, name: string, values: Record<string, string>): string {
  const variable = [...text.matchAll(/\{\{\s*\.?([\w.]+)/g)].find(([, found]) => found === name)
  const before = text.slice(0, variable?.index)
  const url = attempt(before.slice(0, before.lastIndexOf('/') + 1), values)
  return typeof url === 'string' ? '/' : url.pathname
}

function attempt(text: string, values: Record<string, string>): URL | string {
  try {
    return resolveUrl(text, (name) => values[name])
  } catch (error) {
    return String(error)
  }
}

function attemptHostile(text: string, values: Record<string, string>): URL | 'refused' | string {
  try {
    return resolveUrl(text, (name) => values[name])
  } catch (error) {
    return error instanceof InvalidInputs ? 'refused' : `fails with ${String(error)}`
  }
}
