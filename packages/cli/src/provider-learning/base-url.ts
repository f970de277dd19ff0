import { type Json, listOf, objectOf, plainText, textOf, withoutEnd } from './json-values.ts'

/** The base URL of an API, with the inputs that it needs. */
export interface LearnedBase {
  baseUrl: string
  inputs: Json[]
  unknown: string[]
}

/** Names of variables that mean something else in templates. */
const reserved = new Set(
  'workspace object record id ids since until cursor page offset afterKey pageSize fields filters item parent items associations records'.split(
    ' ',
  ),
)

/** Learns the base URL from `servers`: the first one counts, and its variables become inputs. */
export function baseUrlOf(document: Json): LearnedBase {
  const servers = listOf(document['servers']).map(objectOf)
  const urls = servers.flatMap(({ url }) => textOf(url) ?? [])
  const [first] = servers
  const url = textOf(first?.['url'])?.trim()
  if (url === undefined) return entered('', ['the base URL is unknown: customers enter it'])
  const unknown =
    urls.length > 1 ? [`base URL: the document has ${urls.length} servers; this is the first of them`] : []
  const filled = fillVariables(url, objectOf(first?.['variables']))
  const text = withoutEnd(filled.text, '/')
  const whole = /^(https?):\/\/([^/?#@\\\s<>]+)(\/[^?#\\\s{}]*(?:\{\{\w+\}\}[^?#\\\s{}]*)*)?$/i.exec(text)
  if (whole === null) {
    const path = /^\/[^?#\\\s{}]*$/.test(text) ? text : ''
    return entered(path, [...unknown, `the base URL is not complete (${plainText(url, 80)}): customers enter it`])
  }
  const [, scheme = '', host = '', path = ''] = whole
  if (scheme.toLowerCase() === 'http' && !/^(localhost|127\.|\[::1\])/.test(host)) {
    return entered(path.includes('{{') ? '' : path, [...unknown, 'the base URL is not https: customers enter it'])
  }
  // A customer may fill labels of a host, and not choose its domain.
  if (host.includes('{{') && !/^(?:(?:\{\{\w+\}\}|[\w-])+\.)+[\w-]+\.[a-z]{2,}(:\d+)?$/i.test(host)) {
    return entered(path.includes('{{') ? '' : path, [
      ...unknown,
      'the host is a variable: customers enter the base URL',
    ])
  }
  return { baseUrl: text, inputs: filled.inputs, unknown: [...unknown, ...filled.unknown] }
}

/** A base URL that each customer enters. */
export function entered(path: string, unknown: string[]): LearnedBase {
  return {
    baseUrl: `{{baseUrl}}${path}`,
    inputs: [{ name: 'baseUrl', displayName: 'Address of the API', kind: 'url' }],
    unknown,
  }
}

function fillVariables(url: string, variables: Json): { text: string; inputs: Json[]; unknown: string[] } {
  const inputs = new Map<string, Json>()
  const unknown: string[] = []
  const text = url.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    const variable = objectOf(variables[name])
    const choices = listOf(variable['enum']).flatMap((choice) => textOf(choice) ?? [])
    const initial = textOf(variable['default'])
    const isFixed = choices.length === 1 || /^(protocol|scheme|port|version|api_?version|base_?path)$/i.test(name)
    const fixed = initial ?? choices[0]
    if (isFixed && fixed !== undefined && !/[{}]/.test(fixed)) return fixed
    const input = variableName(name)
    const label = plainText(textOf(variable['description']) ?? '', 120)
    // The default of a name that each customer has is only an example.
    const value = initial === undefined || /[{}]/.test(initial) ? undefined : plainText(initial, 100)
    inputs.set(input, {
      name: input,
      displayName: plainText(name, 60),
      ...(label !== '' && { prompt: label }),
      ...(value !== undefined && (choices.length > 1 ? { default: value } : { example: value })),
    })
    if (value !== undefined && choices.length <= 1) {
      unknown.push(`base URL: {${plainText(name, 60)}} is an input without a default; the document has "${value}"`)
    }
    return `{{${input}}}`
  })
  return { text, inputs: [...inputs.values()], unknown }
}

/** Returns a name as a variable of templates can have it. */
export function variableName(name: string): string {
  const word = name
    .replace(/[^A-Za-z0-9]+(.)?/g, (_, next: string | undefined) => (next ?? '').toUpperCase())
    .slice(0, 60)
  const safe = /^[A-Za-z_]/.test(word) ? word : `value${word}`
  return reserved.has(safe) ? `${safe}Value` : safe
}
