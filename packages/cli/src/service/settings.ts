import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Terminal } from '../terminal/terminal.ts'
import { UsageError } from '../usage-error.ts'
import { readSession, type Session } from './session-file.ts'

/** Options that every command which talks to the service has. */
export interface ServiceOptions {
  url?: string
  key?: string
  project?: string
}

/** Which service, as whom, in which project. */
export interface ServiceSettings {
  url: string
  project: string
  credential: { apiKey: string } | { session: Session } | undefined
  /** Where the credential was found, in words. */
  source: string
}

export const defaultUrl = 'http://localhost:4100'

/**
 * What a command line leaves out comes from the environment (`MORTISE_URL`, `MORTISE_API_KEY`, `MORTISE_PROJECT`), then
 * from `mortise login`, then, for a service on this machine, from the key file of a data folder in the current folder.
 */
export async function readSettings(options: ServiceOptions, terminal: Terminal): Promise<ServiceSettings> {
  const { env } = terminal
  const configuredUrl = options.url ?? (env['MORTISE_URL'] || undefined)
  if (configuredUrl !== undefined) checkUrl(configuredUrl, options.url === undefined ? 'MORTISE_URL' : '--url')
  const session = await readSession(env, configuredUrl && originOf(configuredUrl))
  const url = originOf(configuredUrl ?? session?.url ?? defaultUrl)
  const project = options.project ?? env['MORTISE_PROJECT'] ?? session?.project ?? 'default'
  const settings = { url, project }
  if (options.key !== undefined) return { ...settings, credential: { apiKey: options.key }, source: '--key' }
  if (env['MORTISE_API_KEY'])
    return { ...settings, credential: { apiKey: env['MORTISE_API_KEY'] }, source: 'MORTISE_API_KEY' }
  if (session) return { ...settings, credential: { session }, source: 'mortise login' }
  const local = isLoopback(url) ? await localKey(terminal) : undefined
  if (local) return { ...settings, credential: { apiKey: local.key }, source: local.file }
  return { ...settings, credential: undefined, source: 'nowhere' }
}

function checkUrl(url: string, source: string): void {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return
  throw new UsageError(
    `${source} is not the address of a service: “${url}”. Write one like https://mortise.example.com.`,
  )
}

function originOf(url: string): string {
  return url.replace(/(?<!\/)\/+$/, '').replace(/\/v1$/, '')
}

function isLoopback(url: string): boolean {
  return URL.canParse(url) && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname)
}

/** Returns the key that a service started in this folder has written to its data directory. */
async function localKey({ cwd, env }: Terminal): Promise<{ key: string; file: string } | undefined> {
  const file = join(env['MORTISE_DATA_DIR'] ?? join(cwd, '.mortise'), 'api-key')
  try {
    return { key: (await readFile(file, 'utf8')).trim(), file }
  } catch {
    return undefined
  }
}
