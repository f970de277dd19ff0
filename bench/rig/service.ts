import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { serviceEnvironment, serviceFlags } from '../../scripts/service-flags.mjs'
import { serviceDatabase } from './postgres.ts'
import { serviceProgram } from './service-program.ts'

/** The whole service as `npm start` runs it, in a process of its own, with its embedded database or a stock one. */
export interface Service extends AsyncDisposable {
  pid: number
  /** Origin, without a trailing slash. */
  url: string
  apiKey: string
  /** The link with which the first owner signs up, as the service prints it. */
  ownerLink: Promise<string>
  /** What it was started with, for a process that is to be another node of it. */
  settings: Record<string, string>
  /** Calls an endpoint below `/v1/projects/default`. @throws when the answer is not 2xx */
  call<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T>
  /** Calls an endpoint below `/v1` with a credential of its own. */
  callAs<T = { id: string }>(headers: Record<string, string>, method: string, path: string, body?: unknown): Promise<T>
  /** Bytes of resident memory after a forced collection, and of the heap. */
  memory(): Promise<{ resident: number; heap: number }>
  /** Milliseconds of processor time that it has taken so far. */
  cpuMs(): Promise<number>
}

const probe = new URL('./memory-probe.ts', import.meta.url).href
const providers = fileURLToPath(new URL('../providers', import.meta.url))

/**
 * Starts it in a folder, with every setting as it comes but those that place it, and the providers of the benchmarks.
 */
export async function startService(dataDir: string, env: Record<string, string> = {}): Promise<Service> {
  const apiKey = `mortise_bench_${randomBytes(16).toString('hex')}`
  const database = await serviceDatabase(dataDir, env)
  const settings = {
    MORTISE_DATA_DIR: join(dataDir, 'mortise'),
    MORTISE_BOOTSTRAP_API_KEY: apiKey,
    MORTISE_PROVIDERS_DIR: providers,
    MORTISE_LOG_LEVEL: 'warn',
    MORTISE_PROCESSES: '1',
    // Counted as always, but never reached: one key asks for all.
    MORTISE_RATE_LIMIT: '1000000',
    MORTISE_ADDRESS_RATE_LIMIT: '1000000',
    // How fast it is, not how fast it is allowed to be.
    MORTISE_DELIVERY_RATE: '0',
    ...database.env,
  }
  const program = await serviceProgram()
  const child = spawn(
    process.execPath,
    [
      '--conditions=mortise-source',
      '--disable-warning=ExperimentalWarning',
      ...serviceFlags,
      '--expose-gc',
      '--import',
      probe,
      program,
    ],
    {
      env: { ...serviceEnvironment, ...process.env, PORT: '0', ...settings },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    },
  )
  const ended = once(child, 'exit')
  const ownerLink = Promise.withResolvers<string>()
  const url = await announcedUrl(child, ownerLink.resolve).catch(async (error: unknown) => {
    await database.stop()
    throw error
  })
  const callAs = async <T>(
    headers: Record<string, string>,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<T> => {
    const answer = await fetch(`${url}/v1${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }
  return {
    pid: child.pid ?? 0,
    url,
    apiKey,
    ownerLink: ownerLink.promise,
    settings,
    call: (method, path, body) => callAs({ 'x-api-key': apiKey }, method, `/projects/default${path}`, body),
    callAs,
    memory: () => asked(child, 'memory'),
    async cpuMs() {
      const { user, system } = await asked<NodeJS.CpuUsage>(child, 'cpu')
      return (user + system) / 1000
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
      await database.stop()
    },
  }
}

/** What the probe answers. */
async function asked<T>(child: ChildProcess, question: 'memory' | 'cpu'): Promise<T> {
  const answered = once(child, 'message', { signal: AbortSignal.timeout(30_000) })
  child.send(question)
  const [answer] = await answered
  return answer
}

/** What it says when it is ready; everything else that it prints is passed on. */
async function announcedUrl(child: ChildProcess, onOwnerLink: (link: string) => void): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  child.once('exit', (code) => reject(new Error(`the service ended with ${code} before it was ready`)))
  if (child.stdout === null) throw new Error('the output of the service is not a pipe')
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [link] = /http\S+\/signin\/setup\?token=\S+/.exec(line) ?? []
    if (link !== undefined) onOwnerLink(link)
    const url = /^Mortise is ready at (\S+)\/v1$/.exec(line)?.[1]
    if (url !== undefined) resolve(url)
    else if (line.startsWith('{')) process.stderr.write(`${line}\n`)
  })
  return promise
}
