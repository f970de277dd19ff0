import { type SampleRequest, sampleUrl } from './sample-request.ts'

const credentials = {
  apiKey: [`-H 'X-Api-Key: YOUR_KEY'`],
  token: [`-H 'Authorization: Bearer YOUR_TOKEN'`],
  none: [],
}

/** Writes the request as a command. */
export function curlSample(request: SampleRequest): string {
  const { method, contentType, body, credential } = request
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(sampleUrl(request))}`,
    ...credentials[credential],
    ...(contentType === undefined ? [] : [`-H ${quoted(`Content-Type: ${contentType}`)}`]),
    ...(body === undefined ? [] : [`-d ${quoted(JSON.stringify(body, null, 2))}`]),
    ...(contentType === 'application/octet-stream' ? ['--data-binary @FILE'] : []),
  ]
  return lines.join(' \\\n  ')
}

/** Quotes a text for a POSIX shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
