import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { MortiseUnreachable } from '@mortise/client'
import { parseJson } from '../assignment.ts'
import { requireSettings } from '../service/connect.ts'
import { freshToken } from '../service/fresh-token.ts'
import type { ServiceOptions } from '../service/settings.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { UsageError } from '../usage-error.ts'

interface RawRequest {
  method: string
  /** From `/` on, or below the project. */
  path: string
  /** JSON, `@FILE` or `-`. */
  data: string | undefined
  headers: string[]
}

/**
 * Sends a request as it is written, with the credential. A redirect is not followed: its target must not get the
 * credential.
 *
 * @throws UsageError for a path that leads to another host, and for a body that is not JSON
 * @throws MortiseUnreachable
 */
export async function sendRequest(
  { method, path, data, headers }: RawRequest,
  options: ServiceOptions,
  terminal: Terminal,
): Promise<Response> {
  const { signal, env } = terminal
  const { url, project, credential } = await requireSettings(options, terminal)
  const address = addressOf(path, url, project)
  const body = data === undefined ? undefined : await bodyOf(data, terminal)
  const sent = new Headers({ accept: 'application/json', 'x-mortise-client': 'cli' })
  if (body !== undefined) sent.set('content-type', 'application/json')
  for (const line of headers) sent.set(...headerOf(line))
  if ('apiKey' in credential) sent.set('x-api-key', credential.apiKey)
  else sent.set('authorization', `Bearer ${await freshToken(credential.session, env)()}`)
  try {
    return await fetch(address, {
      method,
      headers: sent,
      redirect: 'manual',
      signal,
      ...(body !== undefined && { body }),
    })
  } catch (cause) {
    signal.throwIfAborted()
    const reason = (cause as { cause?: { code?: string; message?: string } }).cause
    throw new MortiseUnreachable(
      `${url} cannot be reached: ${reason?.code ?? reason?.message ?? (cause as Error).message}`,
      { cause },
    )
  }
}

/** Returns the address of a path: from the origin on where it begins with a slash, else below the project. */
function addressOf(path: string, origin: string, project: string): URL {
  const filled = path.replaceAll('{project}', encodeURIComponent(project))
  const fullPath = filled.startsWith('/') ? filled : `/v1/projects/${encodeURIComponent(project)}/${filled}`
  const isPath = !/^\/[/\\]/.test(fullPath) && !/^[a-z][a-z0-9+.-]*:\/\//i.test(path)
  if (!isPath || !URL.canParse(`${origin}${fullPath}`))
    throw new UsageError(`“${path}” is not a path. Write /v1/projects, or destinations for one below the project.`)
  return new URL(`${origin}${fullPath}`)
}

async function bodyOf(data: string, { stdin, cwd }: Terminal): Promise<string> {
  if (data === '-') return checked('Standard input', await text(stdin))
  if (!data.startsWith('@')) return checked('--data', data)
  const file = data.slice(1)
  const content = await readFile(resolve(cwd, file), 'utf8').catch((cause: NodeJS.ErrnoException) => {
    const reason = cause.code === 'ENOENT' ? 'it does not exist' : cause.message
    throw new UsageError(`Cannot read ${file}: ${reason}. Check the path.`, { cause })
  })
  return checked(file, content)
}

/** The body as it was written: parsed only to find what is not JSON. */
function checked(where: string, content: string): string {
  parseJson(where, content)
  return content
}

function headerOf(line: string): [string, string] {
  const [, name, value] = /^\s*([\w-]+)\s*:(.*)$/.exec(line) ?? []
  if (name === undefined || value === undefined)
    throw new UsageError(`“${line}” is not a header. Write --header "Accept: text/plain".`)
  return [name, value.trim()]
}
