import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import { type App, createApp } from '../../packages/server/src/app.ts'
import { readConfig } from '../../packages/server/src/config.ts'
import { createLogger } from '../../packages/server/src/kernel/telemetry/index.ts'
import { openStorage } from '../../packages/server/src/storage.ts'

/** A statement as the driver gets it. */
export interface Statement {
  text: string
  values: unknown[]
  /** Whether it runs as the role that reaches across projects. */
  system: boolean
}

/** What an endpoint answers, and what it asks the database for that. */
export interface Recorded {
  statements: Statement[]
  status: number
  body: unknown
}

/** A body to post, with its Idempotency-Key. */
export interface Posted {
  key: string
  body: object
}

/** The service in this process beside one that runs, on the same database: it answers and listens to nobody else. */
export interface AppBeside extends AsyncDisposable {
  app: App
  /**
   * Answers a request as the service does it over and over: what it has looked up before is not looked up again. A GET,
   * or a POST of what `body` returns, which is called for each of its two requests.
   */
  record(path: string, headers: Record<string, string>, body?: () => Posted): Promise<Recorded>
}

export async function openAppBeside(env: Record<string, string>): Promise<AppBeside> {
  const log = createLogger({ level: 'warn' })
  const storage = await openStorage(readConfig({ PORT: '0', ...env }), log)
  const app = await createApp({ config: storage.config, database: storage.database, keyring: storage.keyring, log })
  const restore = overhear()
  return {
    app,
    async record(path, headers, body) {
      const ask = () => {
        if (!body) return app.http.inject({ method: 'GET', url: path, headers })
        const { key, body: payload } = body()
        return app.http.inject({ method: 'POST', url: path, headers: { ...headers, 'idempotency-key': key }, payload })
      }
      await ask()
      const statements: Statement[] = []
      const { statusCode, payload } = await recording.run(statements, async () => await ask())
      return { statements, status: statusCode, body: payload === '' ? undefined : JSON.parse(payload) }
    },
    async [Symbol.asyncDispose]() {
      restore()
      await app.stop()
      await storage.close()
    },
  }
}

const recording = new AsyncLocalStorage<Statement[]>()

/** Notes what clients of the driver are asked, while something is recorded. */
function overhear(): () => void {
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (
    this: pg.Client & { connectionParameters: { options?: string } },
    ...args: unknown[]
  ) {
    const [first, second] = args
    // A statement that is prepared comes with its name; what it asks is the same.
    const named = typeof first === 'object' && first !== null && 'name' in first && 'text' in first
    const { text, values } = named ? (first as pg.QueryConfig) : { text: first, values: second }
    if (typeof text === 'string') {
      const system = this.connectionParameters.options?.includes('role=mortise_system') ?? false
      recording.getStore()?.push({ text, values: Array.isArray(values) ? values : [], system })
    }
    return (query as (...args: unknown[]) => unknown).apply(this, args)
  } as typeof query
  return () => {
    pg.Client.prototype.query = query
  }
}
