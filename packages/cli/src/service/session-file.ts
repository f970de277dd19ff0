import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import envPaths from 'env-paths'
import { whileLocked } from './file-lock.ts'

/** A sign-in at one service, as `mortise login` keeps it. */
export interface Session {
  /** Origin of the service. */
  url: string
  email: string
  /** The project that commands work in unless they name another. */
  project?: string
  accessToken: string
  /** RFC 3339. */
  accessTokenExpiresAt: string
  refreshToken: string
}

interface Stored {
  /** The service that was signed in to last. */
  current?: string
  sessions: Record<string, Session>
}

type Env = Record<string, string | undefined>

/** The folder of the command's files: `XDG_CONFIG_HOME` and its like, or `MORTISE_CONFIG_DIR`. */
export function configFolder(env: Env): string {
  return (
    env['MORTISE_CONFIG_DIR'] ??
    (env['XDG_CONFIG_HOME'] ? join(env['XDG_CONFIG_HOME'], 'mortise') : envPaths('mortise', { suffix: '' }).config)
  )
}

const fileOf = (env: Env) => join(configFolder(env), 'sessions.json')

/** The session at a service; at the one signed in to last when none is named. */
export async function readSession(env: Env, url?: string): Promise<Session | undefined> {
  const { current, sessions } = await read(env)
  const wanted = url ?? current
  return wanted === undefined ? undefined : sessions[wanted]
}

/** Keeps a sign-in, readable by its owner alone, and makes it the one that commands use. */
export async function keepSession(env: Env, session: Session): Promise<void> {
  await changeStored(env, async (stored) => {
    stored.sessions[session.url] = session
    stored.current = session.url
  })
}

/** Forgets the sign-in at a service. */
export async function forgetSession(env: Env, url: string): Promise<void> {
  await changeStored(env, async (stored) => remove(stored, url))
}

/**
 * Renews the sign-in at a service while no other command can: `renew` gets it as it is now, and answers what to keep;
 * `undefined` forgets it. What it throws leaves everything as it was.
 */
export async function renewSession(
  env: Env,
  url: string,
  renew: (session: Session) => Promise<Session | undefined>,
): Promise<Session | undefined> {
  return await changeStored(env, async (stored) => {
    const before = stored.sessions[url]
    const after = before && (await renew(before))
    if (after) stored.sessions[url] = after
    else remove(stored, url)
    return after
  })
}

function remove(stored: Stored, url: string): void {
  delete stored.sessions[url]
  if (stored.current === url) delete stored.current
}

async function changeStored<T>(env: Env, change: (stored: Stored) => Promise<T>): Promise<T> {
  const file = fileOf(env)
  await mkdir(configFolder(env), { recursive: true, mode: 0o700 })
  return await whileLocked(`${file}.lock`, async () => {
    const stored = await read(env)
    const before = JSON.stringify(stored)
    const result = await change(stored)
    if (Object.keys(stored.sessions).length === 0) await rm(file, { force: true })
    else if (JSON.stringify(stored) !== before) await replace(file, `${JSON.stringify(stored, null, 2)}\n`)
    return result
  })
}

/** Writes a temporary file and renames it: a reader gets the old file or the new one, never half of each. */
async function replace(file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomUUID()}`
  await writeFile(temporary, text, { mode: 0o600, flag: 'wx' })
  await rename(temporary, file)
}

async function read(env: Env): Promise<Stored> {
  try {
    const stored = JSON.parse(await readFile(fileOf(env), 'utf8')) as Partial<Stored>
    return { ...stored, sessions: stored.sessions ?? {} }
  } catch {
    return { sessions: {} }
  }
}
