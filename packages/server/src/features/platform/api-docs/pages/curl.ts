import { type Entry, type OpenApiView, resolvedParameter } from '../openapi-view.ts'

/** A command that calls an operation; what the reader has to put in is in capitals. */
export function curlOf(view: OpenApiView, { method, path, operation }: Entry): string {
  const origin = view.servers[0]?.url ?? ''
  const query = operation.parameters
    .map((parameter) => resolvedParameter(view, parameter))
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name }) => `${name}=${placeholder(name)}`)
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    name === 'projectIdOrName' ? 'default' : placeholder(name),
  )
  const url = `${origin}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  const example = Object.values(media?.examples ?? {})[0]?.value
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(url)}`,
    ...credential(operation.security),
    ...(type === undefined ? [] : [`-H ${quoted(`Content-Type: ${type}`)}`]),
    ...(example === undefined ? [] : [`-d ${quoted(JSON.stringify(example, null, 2))}`]),
    ...(type === 'application/octet-stream' ? ['--data-binary @FILE'] : []),
  ]
  return lines.join(' \\\n  ')
}

function credential(security: Entry['operation']['security']): string[] {
  if (security === undefined) return [`-H 'X-Api-Key: YOUR_KEY'`]
  return security.length === 0 ? [] : [`-H 'Authorization: Bearer YOUR_TOKEN'`]
}

function placeholder(name: string): string {
  return name
    .replace(/[A-Z]/g, (letter) => `_${letter}`)
    .replace(/^_/, '')
    .toUpperCase()
}

/** Quotes a text for a POSIX shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
