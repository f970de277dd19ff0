import { canonicalKey, indented } from './literals.ts'
import type { SampleRequest } from './sample-request.ts'

const credentials = {
  apiKey: [`  apiKey: process.env.MORTISE_API_KEY ?? '',`],
  token: [`  token: process.env.MORTISE_TOKEN ?? '',`],
  none: [],
}

/** Writes a call of the typed client. Returns undefined for bodies other than JSON, which the client does not send. */
export function typescriptSample(request: SampleRequest): string | undefined {
  const { id, origin, credential, contentType, streamsEvents, pathParameters } = request
  if (contentType !== undefined && contentType !== 'application/json') return undefined
  const isOfProject = pathParameters.some(([name]) => name === 'projectIdOrName')
  const input = inputOf(request)
  return [
    `import { createClient } from '@mortise/client'`,
    '',
    'const mortise = createClient({',
    `  baseUrl: ${literal(origin)},`,
    ...credentials[credential],
    ...(isOfProject ? [`  project: 'default',`] : []),
    '})',
    ...(streamsEvents
      ? [`for await (const event of mortise.follow('${id}'${input && `, ${input}`})) {`, '  console.log(event)', '}']
      : [`const result = await mortise.${id}(${input})`, 'console.log(result)']),
  ].join('\n')
}

function inputOf({ pathParameters, query, body }: SampleRequest): string {
  const input = {
    ...Object.fromEntries(pathParameters.filter(([name]) => name !== 'projectIdOrName')),
    ...(query.length > 0 && { query: Object.fromEntries(query) }),
    ...(body !== undefined && { body }),
  }
  return Object.keys(input).length === 0 ? '' : literal(input)
}

function literal(value: unknown): string {
  return indented(value, {
    scalar: (scalar) => (typeof scalar === 'string' ? quotedOnce(scalar) : JSON.stringify(scalar)),
    key: canonicalKey,
  })
}

/** Quotes as the formatter of this project does: single quotes, unless double ones need fewer escapes. */
function quotedOnce(text: string): string {
  const json = JSON.stringify(text)
  if (text.includes("'")) return json
  return `'${json.slice(1, -1).replaceAll('\\"', '"')}'`
}
