import { indented } from './literals.ts'
import { type SampleRequest, sampleUrl } from './sample-request.ts'

const credentials = {
  apiKey: [`    "X-Api-Key": os.environ["MORTISE_API_KEY"],`],
  token: [`    "Authorization": f"Bearer {os.environ['MORTISE_TOKEN']}",`],
  none: [],
}

/** Writes the request for Python, with the library `requests`. */
export function pythonSample(request: SampleRequest): string {
  const { method, credential, contentType, body, streamsEvents } = request
  const isFile = contentType === 'application/octet-stream'
  const headers = [
    ...credentials[credential],
    ...(contentType === undefined || contentType === 'application/json'
      ? []
      : [`    "Content-Type": ${JSON.stringify(contentType)},`]),
  ]
  return [
    ...(credential === 'none' ? [] : ['import os', '']),
    'import requests',
    '',
    ...(headers.length === 0 ? [] : ['headers = {', ...headers, '}']),
    ...(body === undefined ? [] : [`body = ${literal(body)}`]),
    `response = requests.${method.toLowerCase()}(`,
    `    ${JSON.stringify(sampleUrl(request))},`,
    ...(headers.length === 0 ? [] : ['    headers=headers,']),
    ...(body === undefined ? [] : [contentType === 'application/json' ? '    json=body,' : '    data=body,']),
    ...(isFile && body === undefined ? ['    data=open("FILE", "rb"),'] : []),
    ...(streamsEvents ? ['    stream=True,'] : []),
    ')',
    'response.raise_for_status()',
    ...(streamsEvents
      ? ['for line in response.iter_lines(decode_unicode=True):', '    print(line)']
      : ['print(response.text)']),
  ].join('\n')
}

const constants = new Map<unknown, string>([
  [true, 'True'],
  [false, 'False'],
  [null, 'None'],
])

// A string of JSON is one of Python, too: both know the same escapes.
const literal = (value: unknown) =>
  indented(value, { scalar: (scalar) => constants.get(scalar) ?? JSON.stringify(scalar), key: JSON.stringify })
