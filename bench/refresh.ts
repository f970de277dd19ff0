import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import {
  startTokenUser,
  type TokenUser,
} from '../packages/server/src/features/accounts/connections/handles/start-token-user.testkit.ts'
import { type Benchmark, runAlone } from './benchmark.ts'
import { median, quantile, rounded } from './measure/statistics.ts'
import { startBenchServer } from './rig/bench-database.ts'
import { startService } from './rig/service.ts'
import { fullOrShort } from './rig/short.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

const processes = 4
const uses = fullOrShort(10_000, 1_000)
const answerMs = 250
const rounds = fullOrShort(5, 1)
const slowestMs = 2_000

/**
 * How long the slowest hundredth of 10,000 simultaneous uses of one expired token waits, over four processes, while the
 * token endpoint takes a quarter of a second: the provider is asked exactly once, and no refresh token is used twice.
 */
export const refresh: Benchmark = {
  name: 'refresh',
  measures: '10,000 simultaneous uses of one expired token over 4 processes, the slowest hundredth',
  goal: { most: slowestMs },
  unit: 'ms',
  async run(say) {
    await using folder = await temporaryFolder()
    await using provider = await startTokenEndpoint()
    const providersDir = join(folder.path, 'providers')
    await mkdir(providersDir)
    await writeFile(join(providersDir, 'rotating.yaml'), providerFile(provider.origin))
    await using server = await startBenchServer(folder.path)
    const { env } = await server.database('refresh')
    await using service = await startService(folder.path, {
      ...env,
      MORTISE_PROVIDERS_DIR: providersDir,
      MORTISE_ROLES: 'api',
    })
    const { id: projectId } = await service.call<{ id: string }>('GET', '')
    await service.call('POST', '/provider-apps', { provider: 'rotating', clientId: 'bench', clientSecret: 'secret' })
    const settings = {
      databaseUrl: String(env['DATABASE_URL']),
      rootKey: String(env['MORTISE_ENCRYPTION_KEY']),
      providersDir,
      dataDir: String(service.settings['MORTISE_DATA_DIR']),
    }
    await using users = await startAll(() => startTokenUser(settings))
    const slowest: number[] = []
    const middle: number[] = []
    let holds = true
    for (let round = 0; round < rounds; round++) {
      const connectionIds = [await connect(service, provider.issue(), round)]
      await users.each((user) => user.ask({ what: 'open', projectId, connectionIds, times: 0 }))
      const before = { ...provider.seen }
      const used = await users.each((user) =>
        user.ask({ what: 'use', projectId, connectionIds, times: uses / processes }),
      )
      const took = used.flatMap(({ tookMs }) => tookMs).toSorted((a, b) => a - b)
      const tokens = new Set(used.flatMap(({ attached }) => Object.keys(attached)))
      const failed = used.flatMap((one) => one.failed)
      const calls = provider.seen.calls - before.calls
      const reused = provider.seen.reused - before.reused
      holds &&= calls === 1 && reused === 0 && failed.length === 0 && tokens.size === 1 && took.length === uses
      slowest.push(quantile(took, 0.99))
      middle.push(median(took))
      say(
        `${calls} token call, ${failed.length} failed, p50 ${middle.at(-1)?.toFixed(0)} ms, p99 ${slowest.at(-1)?.toFixed(0)} ms`,
      )
    }
    return {
      value: median(slowest),
      holds,
      details: {
        processes,
        uses,
        answerMs,
        tokenCallsEach: 1,
        p50: rounded(median(middle)),
        p99: slowest.map((ms) => rounded(ms)),
      },
    }
  },
}

async function startAll(start: () => Promise<TokenUser>) {
  const users = await Promise.all(Array.from({ length: processes }, start))
  return {
    each: <T>(work: (user: TokenUser) => Promise<T>) => Promise.all(users.map(work)),
    async [Symbol.asyncDispose]() {
      for (const user of users) await user[Symbol.asyncDispose]()
    },
  }
}

/** An account whose access token ended a minute ago. */
async function connect(
  service: { call<T>(method: string, path: string, body: unknown): Promise<T> },
  refreshToken: string,
  round: number,
): Promise<string> {
  const time = (ms: number) => new Date(Date.now() + ms).toISOString()
  const { id } = await service.call<{ id: string }>('POST', '/connections:generate', {
    provider: 'rotating',
    groupRef: `group-${round}`,
    consumerRef: 'ada',
    oauth2AuthorizationCode: {
      accessToken: { token: 'ended', issuedAt: time(-3_660_000), expiresAt: time(-60_000) },
      refreshToken: { token: refreshToken },
    },
  })
  return id
}

/** Answers after a quarter of a second; a refresh token is good once. */
async function startTokenEndpoint() {
  const good = new Set<string>()
  const seen = { calls: 0, reused: 0 }
  let issued = 0
  const issue = () => {
    const token = `refresh-${issued++}`
    good.add(token)
    return token
  }
  const server = createServer(async (request, response) => {
    const parameters = new URLSearchParams(await text(request))
    seen.calls++
    const isGood = good.delete(parameters.get('refresh_token') ?? '')
    if (!isGood) seen.reused++
    setTimeout(() => {
      response.writeHead(isGood ? 200 : 400, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify(
          isGood
            ? { access_token: `access-${issued}`, refresh_token: issue(), token_type: 'Bearer', expires_in: 3_600 }
            : { error: 'invalid_grant' },
        ),
      )
    }, answerMs)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    seen,
    issue,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function providerFile(origin: string): string {
  return JSON.stringify({
    name: 'rotating',
    displayName: 'Rotating',
    baseUrl: origin,
    authentication: [
      { scheme: 'oauth2', grantType: 'authorizationCode', authUrl: `${origin}/auth`, tokenUrl: `${origin}/token` },
    ],
  })
}

if (import.meta.main) process.exitCode = (await runAlone(refresh)) ? 0 : 1
