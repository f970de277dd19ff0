import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import {
  type AuthorizationServer,
  authorizationClients,
  authorizationProvider,
  startAuthorizationServer,
} from '../../../../testkit/authorization-server.ts'
import { startTestApp, startTestNode, type TestApp } from '../../../../testkit/test-app.ts'

/** What is stored of a connection and of its credential, without the secret. */
export interface StoredState {
  status: string
  generation: number
  refused: string | null
  renew_at: Date | null
  retry_at: Date | null
  renewal_failures: number
}

export interface LiveKit {
  app: TestApp
  server: AuthorizationServer
  rootKey: Buffer
  providersDir: string
  /** One more node on the same database. */
  node(): Promise<TestApp>
  /**
   * Connects an account whose access token, an hour old, lives for so many seconds more; `tokens` go in place of fresh
   * ones.
   */
  connect(options?: { seconds?: number; tokens?: Record<string, unknown>; query?: string }): Promise<string>
  open(connectionId: string, node?: TestApp): ReturnType<TestApp['app']['services']['connectionHandles']['open']>
  stored(connectionId: string): Promise<StoredState>
  /** The connection as it is answered. */
  get(connectionId: string, query?: string): ReturnType<TestApp['call']>
  stop(): Promise<void>
}

/**
 * A service whose provider `fresh` is a real authorization server with a resource, asked through an app of the project.
 */
export async function startLiveKit(env: Record<string, string> = {}): Promise<LiveKit> {
  const server = await startAuthorizationServer()
  const providersDir = await mkdtemp(join(tmpdir(), 'mortise-live-'))
  await writeFile(join(providersDir, 'fresh.yaml'), authorizationProvider(server, 'fresh', 'authorizationCode'))
  const rootKey = randomBytes(32)
  const settings = { MORTISE_PROVIDERS_DIR: providersDir, MORTISE_ROLES: 'api', ...env }
  const app = await startTestApp({ env: settings, rootKey })
  const nodes: TestApp[] = []
  const clientSecret = authorizationClients.basic
  const made = await app.call('POST', '/projects/default/provider-apps', {
    provider: 'fresh',
    clientId: 'basic',
    clientSecret,
  })
  if (made.status !== 200) throw new Error(JSON.stringify(made.body))
  let groups = 0
  return {
    app,
    server,
    rootKey,
    providersDir,
    async node() {
      const node = await startTestNode(app, settings)
      nodes.push(node)
      return node
    },
    async connect({ seconds = 3_600, tokens, query = '' } = {}) {
      const { accessToken, refreshToken } = await server.issue()
      const now = app.clock.now().getTime()
      const issuedAt = new Date(now - 3_600_000).toISOString()
      const expiresAt = new Date(now + seconds * 1_000).toISOString()
      const answer = await app.call<{ id: string }>('POST', `/projects/default/connections:generate${query}`, {
        groupRef: `group-${groups++}`,
        consumerRef: 'ann',
        provider: 'fresh',
        oauth2AuthorizationCode: tokens ?? {
          accessToken: { token: accessToken, issuedAt, expiresAt },
          refreshToken: { token: refreshToken },
        },
      })
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
      return answer.body.id
    },
    open: (connectionId, node = app) => node.app.services.connectionHandles.open(app.projectId, connectionId),
    async stored(connectionId) {
      const { rows } = await sql<StoredState>`
        select c.status, k.generation, k.refused, k.renew_at, k.retry_at, k.renewal_failures
        from connections c join connection_credentials k on k.project_id = c.project_id and k.connection_id = c.id
        where c.id = ${connectionId}`.execute(app.db.sql)
      return rows[0] as StoredState
    },
    get: (connectionId, query = '') => app.call('GET', `/projects/default/connections/${connectionId}${query}`),
    async stop() {
      for (const node of nodes) await node.stop()
      await app.stop()
      await server.close()
      await rm(providersDir, { recursive: true, force: true })
    },
  }
}

/** Answers of a token endpoint, in the place of the real one. */
export function answering(status: number, body: unknown, headers: Record<string, string> = {}) {
  return (_: unknown, response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }
}
