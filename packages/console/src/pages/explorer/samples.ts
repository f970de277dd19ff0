/** A request as code is written from it. No sample holds a credential: each one reads MORTISE_API_KEY. */
export interface SampleCall {
  method: string
  /** Whole, with its query. */
  url: string
  headers: Record<string, string>
  body: string | undefined
  /** How the typed client names it; without it, TypeScript uses `fetch`. */
  operation?: { id: string; project: string | undefined; input: Record<string, unknown> }
}

export const languages = ['curl', 'TypeScript', 'Python'] as const
export type Language = (typeof languages)[number]

export function sampleOf(language: Language, call: SampleCall): string {
  if (language === 'curl') return curl(call)
  if (language === 'Python') return python(call)
  return call.operation ? client(call, call.operation) : fetching(call)
}

function curl({ method, url, headers, body }: SampleCall): string {
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(url)}`,
    '-H "X-Api-Key: $MORTISE_API_KEY"',
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-raw ${quoted(body)}`]),
  ].join(' \\\n  ')
}

/** Quotes a text for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function client({ url }: SampleCall, { id, project, input }: NonNullable<SampleCall['operation']>): string {
  const hasInput = Object.keys(input).length > 0
  return [
    `import { createClient } from '@mortise/client'`,
    '',
    'const mortise = createClient({',
    `  baseUrl: ${JSON.stringify(new URL(url).origin)},`,
    `  apiKey: process.env.MORTISE_API_KEY ?? '',`,
    ...(project === undefined ? [] : [`  project: ${JSON.stringify(project)},`]),
    '})',
    `const answer = await mortise.${id}(${hasInput ? JSON.stringify(input, null, 2) : ''})`,
    'console.log(answer)',
  ].join('\n')
}

function fetching({ method, url, headers, body }: SampleCall): string {
  return [
    `const answer = await fetch(${JSON.stringify(url)}, {`,
    `  method: ${JSON.stringify(method)},`,
    '  headers: {',
    `    'X-Api-Key': process.env.MORTISE_API_KEY ?? '',`,
    ...Object.entries(headers).map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`),
    '  },',
    ...(body === undefined ? [] : [`  body: ${JSON.stringify(body)},`]),
    '})',
    'console.log(answer.status, await answer.text())',
  ].join('\n')
}

function python({ method, url, headers, body }: SampleCall): string {
  return [
    'import os',
    '',
    'import requests',
    '',
    'answer = requests.request(',
    `    ${JSON.stringify(method)},`,
    `    ${JSON.stringify(url)},`,
    '    headers={',
    '        "X-Api-Key": os.environ["MORTISE_API_KEY"],',
    ...Object.entries(headers).map(([name, value]) => `        ${JSON.stringify(name)}: ${JSON.stringify(value)},`),
    '    },',
    // A string of JSON is one of Python, too: both know the same escapes.
    ...(body === undefined ? [] : [`    data=${JSON.stringify(body)}.encode(),`]),
    ')',
    'print(answer.status_code, answer.text)',
  ].join('\n')
}
